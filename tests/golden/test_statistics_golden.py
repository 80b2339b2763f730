"""pyfsagg.statistics against stored values of R; statistics_r.json is written by make_statistics_r.R."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from golden import stored
from scipy import stats

from pyfsagg.statistics import (
    adjust_p_values,
    friedman,
    nemenyi,
    one_way_anova,
    pairwise_tests,
    rm_anova,
    wilcoxon,
)
from pyfsagg.statistics.effect_sizes import noncentral_f_interval, noncentral_t_interval
from pyfsagg_papers import load_published

R = stored("statistics_r.json")
RTOL = 1e-8
SPHERICITY = ["mauchly_w", "mauchly_p", "gg_epsilon", "p_gg", "hf_epsilon", "p_hf"]


def close(found: pd.Series, expected: dict[str, Any], **tolerance: float) -> None:
    """Values by name; what R leaves undefined (null) must not be compared silently."""
    assert None not in expected.values()
    values, tolerance = found[list(expected)].astype(float), {"atol": 1e-13} | tolerance
    np.testing.assert_allclose(values, list(expected.values()), rtol=RTOL, **tolerance)


def pairs(k: int) -> list[tuple[int, int]]:
    return list(itertools.combinations(range(k), 2))


@pytest.mark.parametrize("name", R["tables"])
def test_repeated_measures_and_friedman(name: str) -> None:
    case = R["tables"][name]
    expected = case["rm_anova"]
    row = rm_anova(case["values"], mauchly="r").to_frame().iloc[0]
    for column, rounded in case["rm_anova_rstatix"].items():
        # rstatix rounds p-values and ges to three significant digits and others to three decimals.
        assert row[column] == pytest.approx(rounded, rel=5.01e-3, abs=5.01e-4)
    if name == "two_conditions":
        # R prints no sphericity test for two conditions; by definition epsilon is 1.
        assert all(expected.pop(column) is None for column in SPHERICITY)
        assert row["p_gg"] == row["p_hf"] == row["p"]
    close(row, expected)
    close(friedman(case["values"]).to_frame().iloc[0], case["friedman"])


@pytest.mark.parametrize("name", R["tables"])
def test_paired_tests(name: str) -> None:
    case = R["tables"][name]
    values = np.array(case["values"], dtype=float)
    k = values.shape[1]
    t_tests = pairwise_tests(values, paired=True, p_adjust="none").to_frame()
    ranks = pairwise_tests(values, paired=True, test="wilcoxon").to_frame()
    for position, (i, j) in enumerate(pairs(k)):
        if case["t_tests"][position] is None:
            assert (values[:, i] == values[:, j]).all()
            assert t_tests.loc[position, "p"] == ranks.loc[position, "p"] == 1.0
            continue
        close(t_tests.loc[position], case["t_tests"][position])
        signed = case["signed_rank"][position]
        close(ranks.loc[position], {column: signed[column] for column in ("statistic", "p")})
        expected = case["signed_rank_uncorrected"][position]
        plain = wilcoxon(values[:, i], values[:, j], exact=False, continuity=False)
        assert plain.p_value == pytest.approx(expected["p"], rel=RTOL)
    for adjust, expected in case["adjusted"].items():
        np.testing.assert_allclose(adjust_p_values(t_tests["p"], adjust), expected, rtol=RTOL)


@pytest.mark.parametrize("name", R["groups"])
def test_independent_groups(name: str) -> None:
    case = R["groups"][name]
    data = {f"g{i}": np.array(sample, float) for i, sample in enumerate(case["samples"])}
    close(one_way_anova(data).to_frame().iloc[0], case["classical"])
    close(one_way_anova(data, welch=True).to_frame().iloc[0], case["welch"])
    for adjust, key in (("none", "pooled_p"), ("holm", "pooled_p_holm")):
        frame = pairwise_tests(data, paired=False, p_adjust=adjust).to_frame()
        np.testing.assert_allclose(frame["p_adjusted"], np.atleast_1d(case[key]), rtol=RTOL)
    welch = pairwise_tests(data, paired=False, pooled=False).to_frame()
    ranks = pairwise_tests(data, paired=False, test="wilcoxon").to_frame()
    for position in range(len(pairs(len(data)))):
        close(welch.loc[position], case["welch_t_tests"][position])
        # The estimate of R's normal form is a root of a step function, not the median.
        expected = dict(case["rank_sum"][position])
        del expected["estimate"], expected["confidence"]
        close(ranks.loc[position], expected, atol=1e-9)


@pytest.mark.parametrize("name", R["differences"])
def test_signed_rank(name: str) -> None:
    differences = R["differences"][name]["differences"]
    for case in R["differences"][name]["tests"]:
        ours = wilcoxon(
            differences,
            alternative=case["alternative"].replace(".", "-"),
            exact="auto" if case["exact"] is None else case["exact"],
            continuity=case["correction"],
        )
        assert ours.statistic == case["statistic"]
        assert ours.p_value == pytest.approx(case["p"], rel=RTOL), case
        if ours.method == "exact":
            assert ours.estimate == pytest.approx(case["estimate"], rel=RTOL)
        if case["confidence"] == 0.95:
            # JSON has no infinity: the open end of a one-sided interval is null.
            ends = (case["lower"], -np.inf), (case["upper"], np.inf)
            expected = [infinite if limit is None else limit for limit, infinite in ends]
            np.testing.assert_allclose(ours.interval, expected, rtol=RTOL, atol=1e-9)
        else:
            # R falls back to a lower level where the range of the data is too short for the root.
            assert np.count_nonzero(differences) <= 6


def test_noncentral_intervals() -> None:
    for case in R["noncentral"]["t"]:
        found = noncentral_t_interval(case["t"], case["df"])
        np.testing.assert_allclose(found, (case["lower"], case["upper"]), rtol=1e-8, atol=1e-9)
    for case in R["noncentral"]["f"]:
        found = noncentral_f_interval(case["f"], case["df_effect"], case["df_error"])
        np.testing.assert_allclose(found, (case["lower"], case["upper"]), rtol=1e-8, atol=1e-8)


def test_nemenyi_uses_the_studentised_range_of_r() -> None:
    for case in R["studentized_range"]:
        ours = stats.studentized_range.sf(case["q"], case["n_means"], np.inf)
        np.testing.assert_allclose(ours, case["tail"], atol=1e-9)
    frame = nemenyi(R["tables"]["small"]["values"]).to_frame()
    ranks = stats.rankdata(-np.array(R["tables"]["small"]["values"]), axis=1).mean(axis=0)
    z = np.array([ranks[i] - ranks[j] for i, j in pairs(3)]) / np.sqrt(3 * 4 / (6 * 5))
    expected = stats.studentized_range.sf(np.abs(z) * np.sqrt(2), 3, np.inf)
    np.testing.assert_allclose(frame["p"], expected, rtol=1e-12)


# ---------------------------------------------------------------------------------------------
# what the thesis says of its own tables
# ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("classifier", "p"), [("logistic_regression", 0.595), ("svm", 0.710)])
def test_table_4_3_shows_no_difference(classifier: str, p: float) -> None:
    table = load_published("4.3")
    part = table[table["classifier"] == classifier].drop(columns="classifier")
    assert rm_anova(part, subject="dataset").p_value == pytest.approx(p, abs=5e-4)


def test_table_4_2_running_times() -> None:
    table = load_published("4.2")
    times = table["wam_seconds"], table["bam_seconds"]
    normal = wilcoxon(*times, alternative="less", continuity=False)
    assert normal.n_zero == 3
    assert normal.p_value == pytest.approx(0.0038, abs=5e-5)
    # The printed 0.0002 is the exact value of twelve differences of one sign.
    assert wilcoxon(-np.arange(1.0, 13.0), alternative="less").p_value == 2.0**-12


def test_long_and_wide_forms_agree() -> None:
    table = load_published("4.3")
    wide = table[table["classifier"] == "svm"].drop(columns="classifier")
    long = wide.melt(id_vars="dataset", var_name="method", value_name="accuracy")
    names = {"subject": "dataset", "condition": "method", "value": "accuracy"}
    shuffled = long.sample(frac=1, random_state=1)
    for call in (rm_anova, friedman):
        pd.testing.assert_frame_equal(
            call(long, **names).to_frame(), call(wide, subject="dataset").to_frame()
        )
        # The order of the rows decides about rounding only.
        a, b = call(shuffled, **names).to_frame(), call(long, **names).to_frame()
        pd.testing.assert_frame_equal(a, b, rtol=1e-9)

"""Pairwise tests and effect sizes."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from refusals import refused
from scipy import stats

from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, PyfsaggWarning
from pyfsagg.statistics import (
    bayesian_t_tests,
    pairwise_tests,
    rank_biserial_paired,
    rank_biserial_unpaired,
    rm_anova,
)
from pyfsagg.statistics.effect_sizes import noncentral_f_interval, noncentral_t_interval

SMALL = np.array([[45, 50, 55], [42, 42, 45], [36, 41, 43], [39, 35, 40], [51, 55, 59]], float)
GROUPS = {"a": [6.0, 8, 4, 5], "b": [8.5, 12, 9.5], "c": [13.0, 9, 11, 8.25, 10]}


def test_rows_are_all_pairs_in_the_order_of_the_data():
    frame = pairwise_tests(pd.DataFrame(SMALL, columns=["z", "a", "m"])).to_frame()
    assert frame[["group1", "group2"]].to_numpy().tolist() == [["z", "a"], ["z", "m"], ["a", "m"]]
    assert (frame[["n1", "n2"]] == 5).all(axis=None)
    assert frame["estimate"].tolist() == pytest.approx([-2.0, -5.8, -3.8])


@pytest.mark.parametrize("test", ["t", "wilcoxon"])
@pytest.mark.parametrize("paired", [True, False])
def test_swapping_the_groups_mirrors_the_row(test, paired):
    values = np.random.default_rng(1).normal(size=(8, 2))
    a, b = (
        pairwise_tests(pd.DataFrame(each), test=test, paired=paired).to_frame().iloc[0]
        for each in (values, values[:, ::-1])
    )
    one = ["estimate", "effect_size", "lower", "upper", "effect_lower", "effect_upper"]
    other = ["estimate", "effect_size", "upper", "lower", "effect_upper", "effect_lower"]
    assert a[one].tolist() == pytest.approx((-b[other]).tolist())
    assert a["p"] == pytest.approx(b["p"])


def test_cohens_d_by_hand():
    paired = pairwise_tests(SMALL).to_frame().iloc[0]
    differences = SMALL[:, 0] - SMALL[:, 1]
    assert paired["effect_size"] == pytest.approx(differences.mean() / differences.std(ddof=1))
    groups = [np.array(sample) for sample in GROUPS.values()]
    within = sum(np.square(sample - sample.mean()).sum() for sample in groups) / (12 - 3)
    pooled = pairwise_tests(GROUPS, paired=False).to_frame().iloc[0]
    shift = groups[0].mean() - groups[1].mean()
    assert pooled["effect_size"] == pytest.approx(shift / np.sqrt(within))
    assert pooled["df"] == 9
    welch = pairwise_tests(GROUPS, paired=False, pooled=False).to_frame().iloc[0]
    spread = np.sqrt((groups[0].var(ddof=1) + groups[1].var(ddof=1)) / 2)
    assert welch["effect_size"] == pytest.approx(shift / spread)
    assert welch["p"] == pytest.approx(stats.ttest_ind(*groups[:2], equal_var=False).pvalue)


def test_interval_and_p_value_agree():
    """The interval of the estimate, and that of the effect, exclude 0 exactly if p < 0.05."""
    rng = np.random.default_rng(2)
    for shift in np.linspace(0, 2, 9):
        values = rng.normal([0, shift], 1, size=(9, 2))
        for paired, pooled in itertools.product([True, False], repeat=2):
            row = pairwise_tests(values, paired=paired, pooled=pooled).to_frame().iloc[0]
            assert (row["lower"] * row["upper"] > 0) == (row["p"] < 0.05)
            assert (row["effect_lower"] * row["effect_upper"] > 0) == (row["p"] < 0.05)


def test_all_differences_zero_is_a_row_with_a_note():
    values = SMALL.copy()
    values[:, 1] = values[:, 0]
    for test in ("t", "wilcoxon"):
        frame = pairwise_tests(values, test=test).to_frame()
        first = frame.iloc[0]
        assert (first["p"], first["p_adjusted"], first["estimate"]) == (1.0, 1.0, 0.0)
        assert (first["statistic"], first["effect_size"]) == (0.0, 0.0)
        assert first["effect_lower"] < 0 < first["effect_upper"]
        assert "all differences are zero" in first["note"]
        assert frame["p"].iloc[1] < 1.0
    equal = pairwise_tests({"a": [1, 1], "b": [1, 1]}, paired=False, test="wilcoxon").to_frame()
    assert equal["p"].iloc[0] == 1.0
    assert "all values are the same" in equal["note"].iloc[0]


def test_constant_differences_have_no_t_statistic():
    base = np.array([0.1, 0.7, 1.3, 2.9, 5.1])
    shifted = np.column_stack([base, base + 0.1])
    with pytest.raises(DataError, match=r"-0.1 in every subject.*test='wilcoxon'"):
        pairwise_tests(shifted)
    with pytest.warns(PyfsaggWarning, match="rounding errors"):
        pairwise_tests(shifted, test="wilcoxon")
    row = pairwise_tests(shifted, test="wilcoxon", decimals=6).to_frame().iloc[0]
    assert row["estimate"] == pytest.approx(-0.1)


@pytest.mark.parametrize(
    ("data", "pooled", "message"),
    [
        ({"a": [1, 1], "b": [2, 2]}, True, "do not vary within any group"),
        ({"a": [1], "b": [2]}, True, "do not vary within any group"),
        ({"a": [1, 1], "b": [2, 2]}, False, "'a' and 'b' do not vary"),
        ({"a": [1], "b": [2, 3]}, False, "'a' has one value"),
    ],
)
def test_unpaired_without_variance(data, pooled, message):
    with pytest.raises(DataError, match=message):
        pairwise_tests(data, paired=False, pooled=pooled)


def test_one_group_without_variance_is_enough_for_welch():
    row = pairwise_tests({"a": [1, 1], "b": [2, 3]}, paired=False, pooled=False).to_frame().iloc[0]
    assert row["df"] == pytest.approx(1.0)
    assert np.isfinite(row[["statistic", "p", "effect_size", "effect_lower"]].astype(float)).all()


def test_missing_values():
    values = SMALL.copy()
    values[0, 0] = np.nan
    with pytest.raises(DataError, match="1 of 5 subjects"):
        pairwise_tests(values)
    paired = pairwise_tests(values, missing="drop")
    assert (paired.n_dropped, set(paired.to_frame()["n1"])) == (1, {4})
    unpaired = pairwise_tests(pd.DataFrame(values), paired=False, missing="drop")
    assert unpaired.to_frame()["n1"].tolist() == [4, 4, 5]
    assert "1 omitted" in unpaired.sentence


def test_options():
    unpaired = {"paired": False, "subject": "s"}
    refused(
        pairwise_tests,
        ((SMALL,), {"test": "z"}, ParameterError, "test must be one of"),
        ((SMALL,), {"p_adjust": "fdr"}, ParameterError, "p_adjust must be one of"),
        ((SMALL,), {"paired": "yes"}, InputTypeError, "paired must be True or False"),
        ((GROUPS,), unpaired, ParameterError, "subject has no meaning"),
    )


def test_sentence_and_frame_are_kept_apart():
    result = pairwise_tests(SMALL, p_adjust="bonferroni")
    assert "Paired t tests, Bonferroni adjusted: 1 of 3 pairs differs" in result.sentence
    assert "condition 2 and condition 3 (p = 0.00859" in result.sentence
    copy = result.to_frame()
    copy["p_adjusted"] = 0.0
    assert result.to_frame()["p_adjusted"].max() > 0.5
    many = pairwise_tests(SMALL[:, [0] * 4 + [2] * 4] + np.eye(5, 8), p_adjust="none").sentence
    assert "more." in many


def test_sentences_count_the_pairs():
    for values, level, said in (
        (SMALL, 0.999, "none of 3 pairs differs"),
        (SMALL, 0.95, "2 of 3 pairs differ "),
        (SMALL[:, :2], 0.95, "the pair does not differ"),
        (SMALL[:, 1:], 0.95, "the pair differs"),
    ):
        assert said in pairwise_tests(values, confidence_level=level).sentence


def test_json_holds_the_rows():
    content = json.loads(pairwise_tests(SMALL, test="wilcoxon").to_json())
    assert [row["group1"] for row in content["rows"]] == ["condition 1"] * 2 + ["condition 2"]
    assert content["rows"][0]["df"] is None
    assert content["sentence"].startswith("Wilcoxon signed-rank tests")


# --- effect sizes ----------------------------------------------------------------------------


def test_noncentral_t_limits_of_large_t():
    # scipy's distribution is NaN here. For many degrees of freedom the limits are those of the
    # normal approximation t ± 1.96 √(1 + t² / (2 df)).
    low, high = noncentral_t_interval(200.0, 1e6)
    half = 1.959964 * np.sqrt(1 + 200.0**2 / 2e6)
    assert (low, high) == pytest.approx((200 - half, 200 + half), rel=1e-4)
    low, high = noncentral_t_interval(200.0, 9)
    expected = 200 * np.sqrt(stats.chi2.ppf([0.025, 0.975], 9) / 9)
    assert (low, high) == pytest.approx(tuple(expected), rel=1e-3)


def test_noncentral_f_limits_put_f_on_the_edge():
    limits = np.array(noncentral_f_interval(6.0, 3, 40))
    assert stats.ncf.cdf(6.0, 3, 40, limits) == pytest.approx([0.975, 0.025], abs=1e-9)
    assert noncentral_f_interval(0.01, 3, 40) == (0.0, 0.0)
    assert noncentral_f_interval(1.0, 3, 40)[0] == 0.0


def test_rank_biserial_by_counting():
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 6, 9).astype(float), rng.integers(1, 8, 7).astype(float)
    above = np.subtract.outer(x, y)
    found = rank_biserial_unpaired(x, y)
    assert found.value == pytest.approx((np.sign(above)).mean())
    assert -1 <= found.lower < found.value < found.upper <= 1
    d = np.array([1.0, -2.0, 3.0, 4.0, 0.0])
    assert rank_biserial_paired(d).value == pytest.approx((1 + 3 + 4 - 2) / 10)


def test_rank_biserial_at_its_bounds():
    few, far = np.arange(6.0), np.arange(10.0, 18.0)
    for effect in (rank_biserial_paired(np.arange(1.0, 9.0)), rank_biserial_unpaired(far, few)):
        assert effect.value == effect.upper == 1.0
        assert 0.2 < effect.lower < 0.9
    low = rank_biserial_unpaired(few, far)
    assert (low.value, low.lower) == (-1.0, -1.0)
    assert -0.9 < low.upper < -0.2
    zero = rank_biserial_paired(np.zeros(4))
    assert (zero.value, zero.lower, zero.upper) == (0.0, -1.0, 1.0)


def test_rank_biserial_interval_solves_its_equation():
    """(r − ρ)² = z² V₀ (1 − ρ²) at both limits."""
    d = np.random.default_rng(4).normal(0.5, 1, 11)
    effect = rank_biserial_paired(d, 0.9)
    ranks = np.arange(1, 12)
    null_variance = np.square(ranks).sum() / ranks.sum() ** 2  # of r without effect
    limits = np.array([effect.lower, effect.upper])
    expected = stats.norm.ppf(0.95) ** 2 * null_variance * (1 - limits**2)
    assert (effect.value - limits) ** 2 == pytest.approx(expected)


def test_rows_of_json_name_what_the_rows_of_the_frame_name():
    wide = pd.DataFrame(SMALL)
    for result in (pairwise_tests(wide), rm_anova(wide)):
        frame = result.to_frame()
        names = [] if frame.index.name is None else [frame.index.name]
        for row in json.loads(result.to_json())["rows"]:
            assert list(row) == [*names, *frame.columns]


# --- folds of one table ----------------------------------------------------------------------
# Differences of the ROC AUC of two support vector classifiers (rbf - linear) on ten times ten folds,
# in 1/25, and how often each occurs: "Statistical comparison of models using grid search" of
# scikit-learn 1.4 and later, which prints t = 0.750, one-sided p = 0.227, and with a region of 0.01 the
# probabilities 0.068, 0.432 and 0.500.
AUC = np.repeat([-3, -2, -1, 0, 1, 2, 5], [1, 2, 10, 53, 29, 4, 1]) / 25.0
TWO = np.column_stack([0.9 + AUC, np.full(AUC.size, 0.9)])


def test_corrected_t_is_that_of_a_published_example():
    row = pairwise_tests(TWO, test="corrected_t", test_train_ratio=1 / 9).to_frame().iloc[0]
    assert row["statistic"] == pytest.approx(0.750, abs=5e-4)
    assert row["p"] / 2 == pytest.approx(0.227, abs=5e-4)
    assert row["df"] == 99
    scale = AUC.std(ddof=1) * np.sqrt(1 / 100 + 1 / 9)
    interval = stats.t(99, loc=AUC.mean(), scale=scale).interval(0.95)
    assert [row["lower"], row["upper"]] == pytest.approx(interval, abs=1e-10)
    assert row["effect_size"] == pytest.approx(AUC.mean() / AUC.std(ddof=1))


def test_posterior_is_that_of_a_published_example():
    found = bayesian_t_tests(TWO, rope=0.01, test_train_ratio=1 / 9)
    row = found.to_frame().iloc[0]
    shares = row[["p_below", "p_equivalent", "p_above"]].tolist()
    assert shares == pytest.approx([0.068, 0.432, 0.500], abs=5e-4)
    assert sum(shares) == pytest.approx(1.0, abs=1e-12)
    assert found.correlation == pytest.approx(0.1)
    assert "0 of 1 pairs are decided" in found.sentence
    wide = bayesian_t_tests(TWO, rope=0.1, test_train_ratio=1 / 9, confidence_level=0.9)
    assert "condition 1 is equivalent to condition 2" in wide.sentence


def test_degrees_of_freedom_can_be_given():
    options = {"test": "corrected_t", "test_train_ratio": 1 / 9}
    many, few, one = (
        pairwise_tests(TWO, **options, df=df).to_frame().iloc[0] for df in (None, 9, 1)
    )
    assert few["statistic"] == many["statistic"]
    for row, df in ((few, 9), (one, 1)):
        assert row["p"] == pytest.approx(2 * stats.t.sf(few["statistic"], df), rel=1e-12)
    below = bayesian_t_tests(TWO, rope=0.0, test_train_ratio=1 / 9, df=9).to_frame()["p_below"]
    assert below[0] == pytest.approx(few["p"] / 2, rel=1e-12)


def test_a_pair_without_a_p_value_counts_among_the_tests():
    a = np.array([0.8, 0.9, 0.7, 0.85, 0.82])
    more = np.array([0.1, 0.3, 0.2, 0.4, 0.2])
    values = np.column_stack([a, a + 0.125, a + more, a])
    found = pairwise_tests(values, test="corrected_t", test_train_ratio=0.25).to_frame()
    copies = found[found["note"].str.contains("p = 1 by definition")]
    assert copies[["p", "p_adjusted"]].to_numpy().tolist() == [[1.0, 1.0]]
    constant = found[found["note"].str.contains("without variation")]
    assert constant["p_adjusted"].isna().all()
    assert len(constant) == 2
    first = found.loc[1]
    assert first["p_adjusted"] == pytest.approx(6 * found["p"].min())
    chances = bayesian_t_tests(values, rope=0.01, test_train_ratio=0.25).to_frame()
    assert chances.loc[0, ["p_below", "p_equivalent", "p_above"]].tolist() == [1.0, 0.0, 0.0]
    assert chances.loc[2, ["p_below", "p_equivalent", "p_above"]].tolist() == [0.0, 1.0, 0.0]


def test_options_of_folds_and_of_the_posterior():
    for options, message in (
        ({}, "needs test_train_ratio"),
        ({"test_train_ratio": 0.0}, "test_train_ratio must be"),
        ({"test_train_ratio": float("nan")}, "test_train_ratio must be"),
        ({"test_train_ratio": 0.2, "df": 0.5}, "df must be"),
        ({"test_train_ratio": 0.2, "paired": False}, "paired=True"),
        ({"test": "t", "test_train_ratio": 0.2}, "belongs to test='corrected_t'"),
        ({"test": "wilcoxon", "df": 3}, "belongs to test='corrected_t'"),
    ):
        given = {"test": "corrected_t", **options}
        refused(pairwise_tests, ((SMALL,), given, ParameterError, message))
    usual = {"rope": 0.01, "test_train_ratio": 0.25}
    for name, bad in (("rope", -0.1), ("rope", float("inf")), ("test_train_ratio", 0),
                      ("confidence_level", 1.0), ("df", 0)):  # fmt: skip
        given = {**usual, name: bad}
        refused(bayesian_t_tests, ((SMALL,), given, ParameterError, f"{name} must be"))

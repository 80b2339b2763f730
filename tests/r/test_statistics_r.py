"""Live comparison of pyfsagg.statistics with stats, afex and rstatix through rpy2."""

import itertools

import numpy as np
import pandas as pd
import pytest
from r_packages import need

from pyfsagg.statistics import friedman, nemenyi, one_way_anova, pairwise_tests, rm_anova, wilcoxon
from pyfsagg_papers import load_published
from pyfsagg_rpy2 import statistics as r
from pyfsagg_rpy2.session import RError

pytestmark = pytest.mark.r

need("afex", "rstatix")

RTOL = 1e-8
RM_COLUMNS = [
    "ss_effect", "ss_error", "ss_subjects", "df_effect", "df_error", "f", "p", "mauchly_w",
    "mauchly_p", "gg_epsilon", "p_gg", "hf_epsilon", "p_hf", "ges", "partial_eta_squared",
]  # fmt: skip


def tables():
    """Published tables, and random ones: correlated, of very different spread, small, rounded."""
    accuracy = load_published("4.3")
    for classifier, part in accuracy.groupby("classifier"):
        yield f"4.3 {classifier}", part.iloc[:, 2:].to_numpy(dtype=float)
    rng = np.random.default_rng(20)
    for n, k in [(4, 3), (6, 5), (12, 4), (30, 8)]:
        values = rng.normal(size=(n, 1)) * 3 + rng.normal(size=(n, k)) @ rng.normal(size=(k, k))
        yield f"correlated {n}x{k}", values
        yield f"rounded {n}x{k}", np.round(values * np.arange(1, k + 1))


TABLES = dict(tables())


@pytest.mark.parametrize("name", TABLES)
def test_repeated_measures(name):
    values = TABLES[name]
    row = rm_anova(values, mauchly="r").to_frame().iloc[0]
    expected = r.rm_anova(values)
    np.testing.assert_allclose(row[RM_COLUMNS].astype(float), expected[RM_COLUMNS], rtol=RTOL)


def test_repeated_measures_against_rstatix():
    values = TABLES["4.3 logistic_regression"]
    row = rm_anova(values, mauchly="r").to_frame().iloc[0]
    for column, expected in r.rm_anova_rstatix(values).items():
        # rstatix rounds to three decimals or three significant digits.
        assert row[column] == pytest.approx(expected, abs=5.01e-4 if expected > 1e-3 else 5.01e-7)


def test_singular_sphericity_is_undefined_in_r_too():
    values = np.random.default_rng(3).normal(size=(4, 6))
    ours, theirs = rm_anova(values), r.rm_anova(values)
    assert np.isnan(theirs["mauchly_w"])
    assert np.isnan(ours.sphericity.w)
    assert "at least 6 subjects" in ours.sphericity.note
    assert ours.p_value == pytest.approx(theirs["p"], rel=RTOL)


@pytest.mark.parametrize("name", TABLES)
def test_friedman_and_nemenyi(name):
    values = TABLES[name]
    row = friedman(values).to_frame().iloc[0]
    expected = r.friedman(values)
    np.testing.assert_allclose(row[expected.index].astype(float), expected, rtol=RTOL)
    pairs = nemenyi(values).to_frame()
    tail = r.studentized_range_tail(pairs["statistic"].abs() * np.sqrt(2), values.shape[1])
    np.testing.assert_allclose(pairs["p"], tail, atol=1e-8)


@pytest.mark.parametrize("name", TABLES)
def test_paired_t_tests(name):
    values = TABLES[name]
    frame = pairwise_tests(values, paired=True, adjust="none").to_frame()
    for row, (i, j) in zip(
        frame.itertuples(), itertools.combinations(range(values.shape[1]), 2), strict=True
    ):
        expected = r.t_test(values[:, i], values[:, j], paired=True)
        found = pd.Series({column: getattr(row, column) for column in expected.index})
        np.testing.assert_allclose(found, expected, rtol=RTOL, atol=1e-12)


SAMPLES = {
    "unbalanced": [[6.1, 8.2, 4.4, 5.3, 7.7], [8.1, 12.3, 9.6], [13.2, 9.1, 11.5, 8.8, 30.5]],
    "one value": [[6.1, 8.2, 4.4], [8.1], [13.2, 9.1]],
    "ties": [[1, 2, 2, 3, 3, 3], [2, 3, 4, 4], [4, 4, 5]],
    "large": [np.random.default_rng(s).normal(s / 5, 1 + s, 40 + 15 * s) for s in range(3)],
}


# R's pairwise.t.test and Welch's test need two values in each group.
SPREAD = [name for name in SAMPLES if name != "one value"]


def flat(samples):
    return np.concatenate(samples), np.repeat(np.arange(len(samples)), [len(s) for s in samples])


@pytest.mark.parametrize(
    ("name", "welch"), [*[(name, False) for name in SAMPLES], *[(name, True) for name in SPREAD]]
)
def test_one_way(name, welch):
    samples = SAMPLES[name]
    row = one_way_anova({f"g{i}": s for i, s in enumerate(samples)}, welch=welch).to_frame().iloc[0]
    expected = r.one_way_anova(*flat(samples), welch=welch)
    np.testing.assert_allclose(row[expected.index].astype(float), expected, rtol=RTOL)


@pytest.mark.parametrize("name", SPREAD)
@pytest.mark.parametrize("adjust", ["none", "bonferroni", "holm", "bh"])
def test_pooled_t_tests(name, adjust):
    samples = SAMPLES[name]
    data = {f"g{i}": s for i, s in enumerate(samples)}
    frame = pairwise_tests(data, paired=False, adjust=adjust).to_frame()
    expected = r.pooled_t_tests(*flat(samples), adjust="BH" if adjust == "bh" else adjust)
    np.testing.assert_allclose(frame["p_adjusted"], expected, rtol=RTOL)


@pytest.mark.parametrize("name", SPREAD)
def test_welch_and_rank_sum(name):
    samples = SAMPLES[name]
    data = {f"g{i}": np.asarray(s, dtype=float) for i, s in enumerate(samples)}
    welch = pairwise_tests(data, paired=False, pooled=False, adjust="none").to_frame()
    ranks = pairwise_tests(data, paired=False, test="wilcoxon", adjust="none").to_frame()
    for position, (x, y) in enumerate(itertools.combinations(data.values(), 2)):
        expected = r.t_test(x, y, paired=False)
        found = welch.loc[position, expected.index].astype(float)
        np.testing.assert_allclose(found, expected, rtol=RTOL)
        expected = r.wilcoxon(x, y, paired=False)[["statistic", "p", "lower", "upper"]]
        found = ranks.loc[position, expected.index].astype(float)
        np.testing.assert_allclose(found, expected, rtol=RTOL, atol=1e-9)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("correction", [True, False])
@pytest.mark.parametrize("exact", ["auto", False])
@pytest.mark.parametrize("kind", ["plain", "ties", "zeros", "many"])
def test_signed_rank(kind, exact, correction, alternative):
    rng = np.random.default_rng(4)
    n = 70 if kind == "many" else 14
    x, y = rng.normal(0.4, 1, n), rng.normal(0, 1, n)
    if kind in ("ties", "zeros"):
        x, y = np.round(2 * x), np.round(2 * y)
    if kind == "ties":
        y[x == y] += 1.0
    ours = wilcoxon(x, y, alternative=alternative, exact=exact, continuity=correction)
    theirs = r.wilcoxon(
        x, y, paired=True, alternative=alternative, exact=None if exact == "auto" else exact,
        correction=correction,
    )  # fmt: skip
    assert ours.statistic == theirs["statistic"]
    assert ours.p_value == pytest.approx(theirs["p"], rel=RTOL)
    np.testing.assert_allclose(ours.interval, theirs[["lower", "upper"]], rtol=RTOL, atol=1e-9)


def test_r_error_keeps_its_message():
    with pytest.raises(RError, match="not enough 'x' observations"):
        r.t_test([np.nan, np.nan], [1.0, 2.0], paired=False)

"""Tests of conditions measured on independent subjects (or data sets), under the null."""

from __future__ import annotations

import numpy as np

from pyfsagg.reproduce.calibration._row import ALPHA, Claim, calibrated
from pyfsagg.statistics import (
    friedman,
    nemenyi,
    one_way_anova,
    pairwise_tests,
    rm_anova,
    sphericity_test,
    wilcoxon,
)

OF_SUBJECTS = "the population from which the subjects were drawn independently"


def _level(name: str, caution: str = "") -> Claim:
    return Claim(name, "level", ALPHA, (0.0, 0.065), of=OF_SUBJECTS, caution=caution)


def _values(rng: np.random.Generator, n: int, k: int, shape: str) -> np.ndarray:
    """Measurements of n subjects under k conditions whose means are equal."""
    effect = rng.standard_normal((n, 1))
    noise = rng.standard_normal((n, k))
    if shape == "skewed":
        noise = np.log(rng.random((n, k)))
    elif shape == "growing variances":
        noise *= np.linspace(0.3, 3.0, k)
    values = effect + noise
    return np.round(values) if shape == "ties" else values


@calibrated(
    _level("friedman.p_value"),
    _level("friedman.f_p_value", "read p_value, or compare more subjects"),
    _level("rm_anova.p_value", "read p_greenhouse_geisser, which is the default reading"),
    _level("rm_anova.p_greenhouse_geisser"),
    _level("rm_anova.p_huynh_feldt", "read p_greenhouse_geisser"),
    _level("pairwise_tests.p_adjusted (any pair)"),
    _level("pairwise_tests(wilcoxon).p_adjusted (any pair)"),
    _level("nemenyi.p (any pair)"),
    Claim("pairwise_tests.interval (first pair)", "coverage", 0.95, (0.93, 0.98), of=OF_SUBJECTS),
    designs=[
        {"n": n, "k": 4, "shape": shape}
        for n in (12, 60)
        for shape in ("normal", "skewed", "growing variances")
    ],
    runs=600,
)
def equal_conditions(rng: np.random.Generator, n: int, k: int, shape: str) -> tuple[float, ...]:
    """Conditions with equal means on independent subjects: how often a test says at 0.05 that they
    differ; for comparisons of pairs, how often it says so of any pair. The interval is that of the
    first difference."""
    values = _values(rng, n, k, shape)
    ranks, anova = friedman(values), rm_anova(values)
    pairs = pairwise_tests(values, pooled=False).to_frame()
    rank_pairs = pairwise_tests(values, test="wilcoxon").to_frame()
    return (
        float(ranks.p_value <= ALPHA),
        float(ranks.f_p_value <= ALPHA),
        float(anova.p_value <= ALPHA),
        float(anova.p_greenhouse_geisser <= ALPHA),
        float(anova.p_huynh_feldt <= ALPHA),
        float((pairs["p_adjusted"] <= ALPHA).any()),
        float((rank_pairs["p_adjusted"] <= ALPHA).any()),
        float((nemenyi(values).to_frame()["p"] <= ALPHA).any()),
        float(pairs["lower"].iloc[0] <= 0.0 <= pairs["upper"].iloc[0]),
    )


@calibrated(
    _level("wilcoxon.p_value"),
    Claim("wilcoxon.interval", "coverage", 0.95, (0.93, 1.0), of=OF_SUBJECTS),
    designs=[{"n": n, "shape": shape} for n in (6, 20, 100) for shape in ("normal", "ties")],
    runs=1500,
)
def symmetric_differences(rng: np.random.Generator, n: int, shape: str) -> tuple[float, ...]:
    """Pairs whose differences are symmetric around zero, with ties and zeros where they are whole
    numbers: how often the signed-rank test rejects at 0.05, and its interval holds zero where it is
    not said that there are too few pairs for one."""
    values = _values(rng, n, 2, shape)
    found = wilcoxon(values[:, 0], values[:, 1])
    low, high = found.interval
    covered = np.nan if found.note else float(low <= 0.0 <= high)
    return float(found.p_value <= ALPHA), covered


@calibrated(
    _level("one_way_anova.p_value"),
    _level("one_way_anova(welch).p_value"),
    designs=[{"n": 10, "spread": 1.0}, {"n": 40, "spread": 1.0}],
    runs=1500,
)
def equal_groups(rng: np.random.Generator, n: int, spread: float) -> tuple[float, ...]:
    """Four groups of n independent values with equal means and spreads: how often a one-way analysis
    of variance says at 0.05 that they differ."""
    groups = {name: rng.standard_normal(n) * spread for name in "abcd"}
    return tuple(
        float(one_way_anova(groups, welch=welch).p_value <= ALPHA) for welch in (False, True)
    )


@calibrated(
    _level("sphericity_test.p_value"),
    designs=[{"n": 12, "k": 4}, {"n": 60, "k": 4}],
    runs=1500,
)
def spherical(rng: np.random.Generator, n: int, k: int) -> tuple[float, ...]:
    """Normal measurements with equal variances and correlations: how often Mauchly's test says at
    0.05 that they are not spherical."""
    return (float(sphericity_test(_values(rng, n, k, "normal")).p_value <= ALPHA),)

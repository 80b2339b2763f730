"""Stability between samples, from complementary pairs of one table."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from pyfsagg._table.table import check_table
from pyfsagg._table.target import check_target
from pyfsagg.ensemble import wam
from pyfsagg.filters import chi_squared, information_gain
from pyfsagg.reproduce.calibration._row import Claim, calibrated
from pyfsagg.reproduce.calibration.data import labelled_table
from pyfsagg.resampling import ComplementaryPairs, Plan, Subsample, draw_resamples
from pyfsagg.stability_measures import between_sample_stability

N_FEATURES = 40
TRUTH_FROM = 1000
"""Independent pairs of samples behind the truth of a design."""

SMALLEST = 2.2
"""Below it the tied filter sees nothing, and gives 0."""

MEASURES = ("nogueira", "spearman", "pearson")
OF_POPULATION = "the agreement of two independent samples of half the size from the population"
WIDER = (0.93, 1.0)
NOTHING_FOUND = "may be too narrow where a filter finds nothing in most samples"


def _scores(weights: np.ndarray, X: np.ndarray, y: np.ndarray, ties: bool) -> np.ndarray:
    """Distance of the class means in standard errors, in each resample (n_resamples, n_features).

    With `ties` it is 0 where it is small and rounded to tenths elsewhere, as of a filter that sees
    nothing in most features.
    """
    size = weights.sum(axis=1)[:, np.newaxis]
    side = weights * np.where(y == 1, 1.0, -1.0)
    variance = weights @ (X * X) / size - (weights @ X / size) ** 2
    scores = np.abs(side @ X) / np.sqrt(variance * size)
    return np.where(scores < SMALLEST, 0.0, np.round(scores, 1)) if ties else scores


@lru_cache(maxsize=64)
def _truth(n: int, signal: str, ties: bool) -> tuple[float, ...]:
    """Mean agreement of independent samples of n/2 rows each, by simulation."""
    rng = np.random.default_rng(2013)
    whole = np.ones((1, n // 2))
    first, second = (
        np.concatenate(
            [
                _scores(whole, *labelled_table(rng, signal, n // 2, N_FEATURES), ties)
                for _ in range(TRUTH_FROM)
            ]
        )
        for _ in range(2)
    )
    estimates = between_sample_stability(first, second).estimates["estimate"]
    return tuple(float(estimates[name]) for name in MEASURES)


@calibrated(
    *(
        Claim(f"between_sample_stability.{name}.interval", "coverage", 0.95, WIDER, OF_POPULATION,
              NOTHING_FOUND)
        for name in MEASURES
    ),
    *(
        Claim(f"between_sample_stability.{name}", "bias", 0.0, (-0.02, 0.02), OF_POPULATION)
        for name in MEASURES
    ),
    designs=[
        {"n": n, "signal": signal, "ties": ties, "pairs": 12}
        for n in (60, 400)
        for signal in ("noise", "graded", "strong")
        for ties in (False, True)
    ]
    + [
        {"n": 120, "signal": "graded", "ties": True, "pairs": pairs} for pairs in (5, 30)
    ]
    + [{"n": 100, "signal": "few weak", "ties": ties, "pairs": 30} for ties in (False, True)],
    runs=300,
)  # fmt: skip
def pairs_of_halves(
    rng: np.random.Generator, n: int, signal: str, ties: bool, pairs: int
) -> tuple[float, ...]:
    """Tables of n rows and 40 features; both halves of each complementary pair are ranked by the
    distance of the class means (with ties: 0 where it is small), ten features are selected. The truth is
    the mean agreement of 1,000 pairs of independent samples of n/2 rows."""
    X, y = labelled_table(rng, signal, n, N_FEATURES)
    seed = int(rng.integers(2**31))
    drawn = draw_resamples(
        check_table(X), check_target(y, n), ComplementaryPairs(), n_resamples=2 * pairs, seed=seed
    )
    scores = _scores(drawn.weights.astype(float), X, y, ties)
    first, second = ComplementaryPairs.pairs(2 * pairs).T
    found = between_sample_stability(scores[first], scores[second]).estimates
    truth = np.array(_truth(n, signal, ties))
    estimate, low, high = (
        found.loc[list(MEASURES), name].to_numpy() for name in ("estimate", "lower", "upper")
    )
    covered = np.where(np.isnan(low), np.nan, (low <= truth) & (truth <= high))
    return (*covered.tolist(), *(estimate - truth).tolist())


@calibrated(
    *(
        Claim(f"{what} of noise by {plan}", "reference", 0.0, of="features unrelated to the target")
        for what in ("share split by MDL", "mean chi-squared")
        for plan in ("the sample itself", "bootstraps", "subsamples of 63 %", "halves")
    ),
    designs=[{"n": 100}],
    runs=20,
)  # fmt: skip
def repeated_rows(rng: np.random.Generator, n: int) -> tuple[float, ...]:
    """Noise, 40 features: how many of them a filter credits with information on the sample and on its
    resamples. A bootstrap repeats rows, which looks like evidence; resamples without replacement do not."""
    X, y = labelled_table(rng, "noise", n, N_FEATURES)
    seed = int(rng.integers(2**31))
    plans: tuple[str | Plan, ...] = ("bootstrap", Subsample(0.632), "complementary_pairs")
    found = []
    for filter, score in (("information_gain", information_gain), ("chi_squared", chi_squared)):
        scores = [
            score(X, y),
            *(
                wam(
                    X,
                    y,
                    filter=filter,
                    n_resamples=20,
                    resampling=plan,
                    checks="none",
                    random_state=seed,
                ).combined
                for plan in plans
            ),
        ]
        found += [np.mean(each > 0.0 if filter == "information_gain" else each) for each in scores]
    return tuple(map(float, found))

"""Stability between samples, from complementary pairs of one table."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from pyfsagg.ensemble import wam
from pyfsagg.filters import chi_squared, information_gain, spearman
from pyfsagg.reproduce.calibration._row import Claim, calibrated
from pyfsagg.reproduce.calibration.data import labelled_table
from pyfsagg.resampling import Plan, Subsample
from pyfsagg.stability_measures import between_sample_stability

N_FEATURES = 40
TRUTH_FROM = 500
"""Independent pairs of samples behind the truth of a design."""

FILTERS = {"spearman": spearman, "information_gain": information_gain}
MEASURES = ("nogueira", "spearman", "pearson")
OF_POPULATION = "the agreement of two independent samples of half the size from the population"
WIDER = (0.93, 1.0)
NOTHING_FOUND = "may be too narrow where a filter finds nothing in most samples"


@lru_cache(maxsize=64)
def _truth(n: int, signal: str, filter: str) -> tuple[float, ...]:
    """Mean agreement of independent samples of n/2 rows each, by simulation."""
    rng = np.random.default_rng(2013)
    score = FILTERS[filter]
    first, second = (
        np.stack(
            [score(*labelled_table(rng, signal, n // 2, N_FEATURES)) for _ in range(TRUTH_FROM)]
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
        {"n": n, "signal": signal, "filter": filter, "pairs": 12}
        for n in (60, 120, 400)
        for signal in ("noise", "graded", "strong")
        for filter in ("spearman", "information_gain")
    ]
    + [
        {"n": 120, "signal": "graded", "filter": filter, "pairs": pairs}
        for filter in ("spearman", "information_gain")
        for pairs in (5, 30)
    ],
    runs=200,
)  # fmt: skip
def pairs_of_halves(
    rng: np.random.Generator, n: int, signal: str, filter: str, pairs: int
) -> tuple[float, ...]:
    """Tables of n rows and 40 features; both halves of each complementary pair are ranked by the
    filter (Spearman: no ties; information gain with MDL: many zeros), ten features are selected.
    The truth is the mean agreement of 500 pairs of independent samples of n/2 rows."""
    X, y = labelled_table(rng, signal, n, N_FEATURES)
    result = wam(
        X,
        y,
        filter=filter,
        resampling="complementary_pairs",
        n_resamples=2 * pairs,
        random_state=int(rng.integers(2**31)),
    )
    found = result.between_sample_stability().estimates
    truth = np.array(_truth(n, signal, filter))
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
    designs=[{"n": 100}, {"n": 400}],
    runs=200,
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
                    X, y, filter=filter, n_resamples=20, resampling=plan, pairs=0, random_state=seed
                ).combined
                for plan in plans
            ),
        ]
        found += [np.mean(each > 0.0 if filter == "information_gain" else each) for each in scores]
    return tuple(map(float, found))

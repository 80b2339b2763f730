"""Nogueira's stability of few and many resamples: interval, test, and ties at the edge of a selection.

Each resample is an independent draw of scores, so that the truth is the stability of the draws.
Resamples of one data set are such draws given the data.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from pyfsagg.ranks import rank_scores
from pyfsagg.reproduce.calibration._row import ALPHA, Claim, calibrated, rejected
from pyfsagg.reproduce.calibration.data import N_SELECTED, resampled_scores
from pyfsagg.stability_measures import nogueira
from pyfsagg.stability_measures.nogueira import NogueiraResult

OF = "what resamples drawn in the same way would give: the run repeated with another seed"
SIGNALS = ("noise", "graded", "strong")
WIDE = (0.93, 1.0)
"""Few resamples that nearly agree have wider intervals than 95 % needs; their label says so."""


def _subsets(rng: np.random.Generator, m: int, signal: str, filter: str) -> NogueiraResult:
    """Nogueira's stability of m resamples by a filter with or without ties, or of unequal lists."""
    scores = resampled_scores(rng, m, signal, filter)
    if filter == "unequal lists":
        sizes = rng.integers(N_SELECTED // 2, 3 * N_SELECTED // 2 + 1, m)
        return nogueira(rank_scores(scores) <= sizes[:, np.newaxis])
    return nogueira(scores, top=N_SELECTED, input="scores")


@lru_cache
def _true_nogueira(signal: str, filter: str) -> float:
    return _subsets(np.random.default_rng(0), 4000, signal, filter).estimate


@calibrated(
    Claim("nogueira.interval", "coverage", 0.95, WIDE, of=OF),
    Claim("nogueira.test (of the true value)", "level", ALPHA, (0.0, 0.065), of=OF),
    Claim("nogueira, normal theory of the paper", "reference", 0.95, of=OF),
    designs=[
        {"M": m, "signal": signal, "filter": filter}
        for m in (2, 3, 5, 10, 30, 100)
        for signal in SIGNALS
        for filter in ("tie-free", "tied", "unequal lists")
    ],
    runs=300,
)
def subsets(rng: np.random.Generator, M: int, signal: str, filter: str) -> tuple[float, ...]:
    """Independent resamples of scores of 50 features, of which the best ten are selected (by
    unequal lists: five to fifteen; by the tied filter: scores below 2 are 0): whether the interval
    holds the true stability, and whether the test rejects it. Two resamples are refused."""
    truth = _true_nogueira(signal, filter)
    found = _subsets(rng, M, signal, filter)
    error = np.sqrt(found.asymptotic_variance)
    normal = float(abs(found.estimate - truth) <= 1.96 * error)
    if found.interval is None:
        return np.nan, np.nan, normal
    low, high = found.interval
    return float(low <= truth <= high), rejected(found.test(min(truth, 1.0)).p_value), normal


@calibrated(
    Claim("nogueira (ties in random order)", "bias", 0.0, (-0.02, 0.02), of="chance agreement"),
    Claim("nogueira, ties by columns", "reference", 0.0, of="chance agreement"),
    Claim("nogueira.test (of 0 on noise)", "level", ALPHA, (0.0, 0.065), of="chance agreement"),
    designs=[{"M": m, "zeros": zeros} for m in (3, 10, 30) for zeros in (0.5, 0.9, 0.98)],
    runs=300,
)
def tied_noise(rng: np.random.Generator, M: int, zeros: float) -> tuple[float, ...]:
    """Independent noise tables: scores of 50 features, a share of which is exactly 0, and the best
    quarter is selected. The stability of such selections is 0."""
    scores = rng.random((M, 50)) + 1.0
    scores[rng.random(scores.shape) < zeros] = 0.0
    found = nogueira(scores, input="scores")
    first = nogueira(scores, input="scores", ties="first")
    return found.estimate, first.estimate, rejected(found.test(0.0).p_value)

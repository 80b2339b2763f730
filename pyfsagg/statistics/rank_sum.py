"""Wilcoxon's rank-sum test of two independent samples, with the shift and its interval."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import stats

from pyfsagg._base.scale import original, scaled_together
from pyfsagg._base.types import Floats
from pyfsagg.statistics._inversion import exact_limits, normal_limits

__all__ = ["RankSum", "rank_sum"]

_EXACT_BELOW = 50  # as in R's wilcox.test


class RankSum(NamedTuple):
    """Statistic W (pairs with x above y, ties half), two-sided p, shift x − y and its limits."""

    statistic: float
    p_value: float
    estimate: float
    lower: float
    upper: float
    short: bool


def rank_sum(x: Floats, y: Floats, confidence: float) -> RankSum:
    """Two-sided rank-sum test; scipy computes W and p.

    Exact for fewer than 50 values a side without ties; otherwise the normal form with continuity
    correction, as R's ``wilcox.test``.  The estimate is the median of the differences x_i − y_j;
    `short` tells that there are too few values for an interval at that level.
    """
    everything = np.concatenate([x, y])
    ties = np.unique(everything).size < everything.size
    exact = not ties and max(x.size, y.size) < _EXACT_BELOW
    fit = stats.mannwhitneyu(x, y, method="exact" if exact else "asymptotic")
    (x, y), exponent = scaled_together(x, y)
    shifts = np.sort(np.subtract.outer(x, y), axis=None)
    tail = (1.0 - confidence) / 2.0
    if exact:
        limits = exact_limits(shifts, _null_distribution(x.size, y.size), tail)
    else:
        limits = normal_limits(shifts, lambda shift: _standardised(x - shift, y), tail)
    lower, upper, outside = limits
    estimate, lower, upper = (
        original(each, exponent) for each in (float(np.median(shifts)), lower, upper)
    )
    return RankSum(
        float(fit.statistic), float(fit.pvalue), estimate, lower, upper, outside > tail + 1e-9
    )


def _null_distribution(m: int, n: int) -> Floats:
    """Probabilities of W = 0 … m·n: sums of m of the ranks 0 … m + n − 1, less the smallest sum."""
    smallest = m * (m - 1) // 2
    size = smallest + m * n + 1
    counts = np.zeros((m + 1, size))
    counts[0, 0] = 1.0
    for rank in range(m + n):
        counts[1:, rank:] += counts[:-1, : size - rank].copy()
    pmf = counts[m, smallest:]
    return np.asarray(pmf / pmf.sum(), dtype=np.float64)


def _standardised(x: Floats, y: Floats) -> float:
    """The normal form of W with continuity correction; infinite where all values are tied."""
    m, n = x.size, y.size
    everything = np.concatenate([x, y])
    distance = float(stats.rankdata(everything)[:m].sum()) - m * (m + 1) / 2.0 - m * n / 2.0
    counts = np.unique(everything, return_counts=True)[1].astype(np.float64)
    total = m + n
    tied = float((counts**3 - counts).sum()) / (total * (total - 1.0))
    variance = m * n / 12.0 * (total + 1.0 - tied)
    distance -= 0.5 * float(np.sign(distance))
    return distance / math.sqrt(variance)

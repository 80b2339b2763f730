"""The score test of a Cox model with one feature, for every feature and resample.

Rows are sorted by descending time, so that a running sum over rows is a sum over those at risk.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pyfsagg._base.types import Booleans, Floats

__all__ = ["cox_score_block"]


@njit(cache=True, nogil=True)
def _coefficients(
    event: Booleans, start: NDArray[np.int64], w: Floats, efron: bool, of_time: Floats
) -> None:
    """Fill, for each distinct time, the five sums over its events k = 0, …, d - 1 of (5, n_times).

    With q = 1 / (rows at risk - f) and the share f of the events that has left already (k / d · d by
    Efron, 0 by Breslow): Σ q, Σ f q / d, Σ q², Σ f q² / d, Σ f² q² / d².
    """
    at_risk = 0.0
    for g in range(start.shape[0] - 1):
        events = 0.0
        for i in range(start[g], start[g + 1]):
            at_risk += w[i]
            if event[i]:
                events += w[i]
        of_time[:, g] = 0.0
        for k in range(int(events)):
            share = k / events if efron else 0.0
            q = 1.0 / (at_risk - share * events)
            of_time[0, g] += q
            of_time[1, g] += share * q
            of_time[2, g] += q * q
            of_time[3, g] += share * q * q
            of_time[4, g] += share * share * q * q


@njit(cache=True, nogil=True)
def _first_order(
    event: Booleans, start: NDArray[np.int64], w: Floats, of_time: Floats, u: Floats, v: Floats
) -> float:
    """Weighted residuals u, and expected events v, of each row; the sum of v."""
    hazard, total = 0.0, 0.0
    for g in range(start.shape[0] - 2, -1, -1):  # ascending times
        hazard += of_time[0, g]
        for i in range(start[g], start[g + 1]):
            expected = hazard - of_time[1, g] if event[i] else hazard
            v[i] = w[i] * expected
            u[i] = w[i] * (1.0 - expected) if event[i] else -v[i]
            total += v[i]
    return total


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _centred_sums(
    column: Floats, u: Floats, v: Floats, total: float, w: Floats, z: Floats
) -> tuple[float, float]:
    """Fill z with w · (column - its mean over those at risk); Σ u x and Σ v x² of what is centred."""
    n = column.shape[0]
    mean = 0.0
    for i in range(n):
        mean += v[i] * column[i]
    mean /= total
    score, spread = 0.0, 0.0
    for i in range(n):
        x = column[i] - mean
        score += u[i] * x
        spread += v[i] * x * x
        z[i] = w[i] * x
    # A column that is constant but for the rounding of its mean tells nothing.
    if spread <= total * (1e-14 * mean) ** 2:
        return 0.0, 0.0
    return score, spread


@njit(cache=True, nogil=True)
def _between_times(
    z: Floats, event: Booleans, start: NDArray[np.int64], of_time: Floats, efron: bool
) -> float:
    """Σ over times of the squared sums over those at risk, which the variance is smaller by."""
    at_risk, found = 0.0, 0.0
    for g in range(start.shape[0] - 1):
        events = 0.0
        for i in range(start[g], start[g + 1]):
            at_risk += z[i]
            if efron and event[i]:
                events += z[i]
        found += at_risk * at_risk * of_time[2, g]
        if efron:
            found += events * (events * of_time[4, g] - 2.0 * at_risk * of_time[3, g])
    return found


@njit(cache=True, nogil=True)
def cox_score_block(
    values: Floats,
    event: Booleans,
    start: NDArray[np.int64],
    efron: bool,
    weights: NDArray[np.uint16],
    scores: Floats,
) -> None:
    """Chi-squared statistic of the score test of every column, (b, p); 0 where a column tells nothing.

    Rows of `values`, `event` and `weights` by descending time; `start` where each distinct time begins,
    and the number of rows.
    """
    n, p = values.shape
    u, v, z = np.empty(n), np.empty(n), np.empty(n)
    of_time = np.empty((5, start.shape[0] - 1))
    for r in range(weights.shape[0]):
        w = weights[r].astype(np.float64)
        _coefficients(event, start, w, efron, of_time)
        total = _first_order(event, start, w, of_time, u, v)
        for j in range(p):
            scores[r, j] = 0.0
            if total <= 0.0:
                continue
            score, spread = _centred_sums(values[:, j], u, v, total, w, z)
            variance = spread - _between_times(z, event, start, of_time, efron)
            if variance > 1e-12 * spread:
                scores[r, j] = score * score / variance

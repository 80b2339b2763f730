"""Joint probabilities of uniform order statistics by a recursion with positive terms only.

With N(t) = #{U ≤ t} for n uniform numbers, P(U_(i) ≤ r_(i) for all i) = P(N(r_(i)) ≥ i for all i).
Conditioned on its end, N is a Poisson process of any rate, so that a vector over the states of N
is carried from one distinct rank to the next by Poisson increments, and the states below the
required count are cut off.  Nothing is subtracted, so that no digit is lost.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pyfsagg._base.types import Floats
from pyfsagg._kernels.lists.binomial_tail import HALF_LOG_TWO_PI, stirling_error
from pyfsagg._kernels.lists.order_process import advance, poisson_weights

__all__ = ["log_joint_by_complement", "log_joint_probability", "log_stuart"]

IntArray = NDArray[np.int64]

FIRST_TOLERANCE = 1e-24
LAST_TOLERANCE = 1e-290
RELATIVE_ERROR = 1e-15
LOG_HALF = -0.6931471805599453


@njit(cache=True, nogil=True)
def _levels(ranks: Floats, n: int, times: Floats, counts: IntArray) -> int:
    """Distinct ranks and the number of ranks up to each; returns how many there are."""
    d = 0
    for i in range(n):
        if i + 1 == n or ranks[i + 1] != ranks[i]:
            times[d] = ranks[i]
            counts[d] = i + 1
            d += 1
    return d


@njit(cache=True, nogil=True)
def _majorant(times: Floats, counts: IntArray, d: int, corners: IntArray) -> int:
    """Corners of the least concave majorant of (0, 0), (t_1, c_1), …, (t_d, c_d)."""
    size = 0
    for i in range(d):
        while size > 0:
            top = corners[size - 1]
            t0 = times[corners[size - 2]] if size > 1 else 0.0
            c0 = counts[corners[size - 2]] if size > 1 else 0
            rise, run = counts[top] - c0, times[top] - t0
            if rise * (times[i] - times[top]) > (counts[i] - counts[top]) * run:
                break
            size -= 1
        corners[size] = i
        size += 1
    return size


@njit(cache=True, nogil=True)
def _joint_once(
    times: Floats,
    counts: IntArray,
    slopes: Floats,
    d: int,
    tolerance: float,
    old: Floats,
    new: Floats,
    weights: Floats,
) -> tuple[float, float]:
    """Log of the tilted mass that ends at the last count, and a bound on its relative error."""
    n = counts[d - 1]
    low = high = 0
    old[0] = 1.0
    scale = 0.0  # log of the factor taken out of `old`
    lost = 0.0  # bound on the mass left out, in units of `old`
    before = 0.0
    for i in range(d):
        x = slopes[i] * (times[i] - before)
        before = times[i]
        first = max(0, counts[i] - high)
        first, last, left_out = poisson_weights(x, first, n - low, tolerance, weights)
        total = 0.0
        for c in range(low, high + 1):
            total += old[c]
        lost += left_out * total
        new_low, new_high = max(counts[i], low + first), min(n, high + last)
        advance(old, low, high, weights, first, last, new, new_low, new_high)
        # At a corner the rate falls, and a state above it pays for what it no longer needs.
        ratio = slopes[i + 1] / slopes[i] if i + 1 < d else 0.0
        if ratio < 1.0:
            factor = 1.0
            for s in range(counts[i], new_high + 1):
                if s >= new_low:
                    new[s] *= factor
                factor *= ratio
        low, high, peak, cut = _trim(new, new_low, new_high, tolerance)
        lost += cut
        if peak == 0.0:
            return -np.inf, np.inf
        for s in range(low, high + 1):
            new[s] /= peak
        scale += math.log(peak)
        lost /= peak
        old, new = new, old
    return scale + math.log(old[n]), lost / old[n]


@njit(cache=True, nogil=True)
def _trim(values: Floats, low: int, high: int, tolerance: float) -> tuple[int, int, float, float]:
    """Drop negligible states at both ends; returns the rest, the largest value, the mass lost."""
    peak = 0.0
    for s in range(low, high + 1):
        peak = max(peak, values[s])
    cut = 0.0
    while low < high and values[low] <= tolerance * peak:
        cut += values[low]
        low += 1
    while high > low and values[high] <= tolerance * peak:
        cut += values[high]
        high -= 1
    return low, high, peak, cut


@njit(cache=True, nogil=True)
def log_joint_probability(
    times: Floats, counts: IntArray, d: int, buffers: Floats, corners: IntArray
) -> tuple[float, float]:
    """log P(N(t_l) ≥ c_l for all l) for n = c_d uniform numbers, and a bound on its error.

    The rate of the process in each stretch is the slope of the least concave majorant of the
    required counts, the most likely way of meeting them (it minimizes the relative entropy of the
    path), so that the mass stays where the answer comes from, however small that is.  In these
    units no path gains weight, so that mass left out early bounds what it could have contributed;
    the tolerance is tightened until that bound is below 1e-15 of the result.
    """
    n = counts[d - 1]
    size = _majorant(times, counts, d, corners)
    slopes = buffers[3]
    exponent = 0.0
    i = 0
    t0, c0 = 0.0, 0
    for corner in range(size):
        end = corners[corner]
        run, rise = times[end] - t0, counts[end] - c0
        slope = rise / run
        exponent += rise * math.log(run * (n / rise))
        while i <= end:
            slopes[i] = slope
            i += 1
        t0, c0 = times[end], counts[end]
    tolerance = FIRST_TOLERANCE
    while True:
        log_mass, bound = _joint_once(
            times, counts, slopes, d, tolerance, buffers[0], buffers[1], buffers[2]
        )
        if bound <= RELATIVE_ERROR or tolerance <= LAST_TOLERANCE:
            break
        tolerance = max(LAST_TOLERANCE, tolerance * 0.01 * RELATIVE_ERROR / bound)
    # log n! + n − n log n, the factorial against the rate n of the untilted process.
    constant = stirling_error(n) + HALF_LOG_TWO_PI + 0.5 * math.log(n)
    return min(0.0, constant + exponent + log_mass), bound


@njit(cache=True, nogil=True)
def _complement_once(
    times: Floats,
    counts: IntArray,
    d: int,
    tolerance: float,
    old: Floats,
    new: Floats,
    weights: Floats,
) -> tuple[float, float]:
    """P(N(t_l) < c_l for some l) as the sum over the first such l, and a bound on its error."""
    n = counts[d - 1]
    # 1 / P(Poisson(n) = n), the condition that the process ends at n.
    ending = math.exp(stirling_error(n) + HALF_LOG_TWO_PI + 0.5 * math.log(n))
    low = high = 0
    old[0] = 1.0
    failed = lost = before = 0.0
    for i in range(d):
        x = n * (times[i] - before)
        before = times[i]
        first, last, left_out = poisson_weights(x, 0, n - low, tolerance, weights)
        for c in range(low, high + 1):
            lost += left_out * old[c]
        new_low, new_high = low + first, min(n, high + last)
        advance(old, low, high, weights, first, last, new, new_low, new_high)
        failing = min(counts[i], new_high + 1)
        rest = n * (1.0 - times[i])
        if new_low < failing and rest > 0.0:
            # The chance to end at n from s, Poisson(rest) at n − s, going down from `failing`.
            missing = n - failing + 1
            gap = missing * math.log(missing / rest) + rest - missing
            chance = math.exp(-gap - stirling_error(missing) - HALF_LOG_TWO_PI)
            chance *= ending / math.sqrt(missing)
            for s in range(failing - 1, new_low - 1, -1):
                failed += new[s] * chance
                chance *= rest / (n - s + 1)
        if new_high < counts[i]:
            break
        low, high, _, cut = _trim(new, max(new_low, counts[i]), new_high, tolerance)
        lost += cut
        old, new = new, old
    return failed, lost * ending


@njit(cache=True, nogil=True)
def log_joint_by_complement(times: Floats, counts: IntArray, d: int, buffers: Floats) -> float:
    """The same as :func:`log_joint_probability` for probabilities near 1, as log(1 − failure).

    Near 1 the logarithm is as small as the failure probability, and only its own sum of positive
    terms gives that with full relative accuracy (down to 1e-270; below, the error is absolute).
    """
    tolerance = FIRST_TOLERANCE
    while True:
        failed, error = _complement_once(
            times, counts, d, tolerance, buffers[0], buffers[1], buffers[2]
        )
        if error <= RELATIVE_ERROR * failed or tolerance <= LAST_TOLERANCE:
            break
        aim = 0.01 * RELATIVE_ERROR * failed / error
        tolerance = max(LAST_TOLERANCE, tolerance * aim)
    return math.log1p(-min(1.0, failed))


@njit(cache=True, nogil=True)
def log_stuart(ranks: Floats, counts: IntArray) -> Floats:
    """log Q for each row of sorted normalized ranks (p, m), NaN last, `counts` known entries."""
    p, m = ranks.shape
    out = np.empty(p)
    times = np.empty(m)
    required = np.empty(m, dtype=np.int64)
    corners = np.empty(m, dtype=np.int64)
    buffers = np.empty((4, m + 2))
    for j in range(p):
        d = _levels(ranks[j], counts[j], times, required)
        out[j] = log_joint_probability(times, required, d, buffers, corners)[0]
        if out[j] > LOG_HALF:
            out[j] = log_joint_by_complement(times, required, d, buffers)
    return out

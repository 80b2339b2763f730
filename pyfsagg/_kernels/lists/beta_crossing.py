"""Exact distribution of the smallest Beta probability ρ of n uniform order statistics.

With q_k the ρ quantile of Beta(k, n − k + 1), P(min_k BetaCDF(U_(k)) ≤ ρ) is the probability that
N(q_k) = #{U ≤ q_k} reaches k for some k.  It is summed over the first such k.  What is carried from
level to level is the chance s(c) that no level was reached so far *given* that N(q_k) = c: a number
of moderate size however small ρ is, while the probability of c itself is kept as a logarithm.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pyfsagg._base.types import Floats
from pyfsagg._kernels.lists.binomial_tail import (
    HALF_LOG_TWO_PI,
    log_binomial_pmf,
    log_binomial_tail,
    stirling_error,
)
from pyfsagg._kernels.lists.order_process import advance, poisson_weights

__all__ = ["log_crossing", "log_exact_p", "log_quantiles"]


SMALLEST_LOG = -600.0
NEGLIGIBLE = 1e-18
SMALLEST_BAND = 64


@njit(cache=True, nogil=True)
def _log_choose(n: int, k: int) -> float:
    """log of the binomial coefficient."""
    if k == 0 or k == n:
        return 0.0
    errors = stirling_error(n) - stirling_error(k) - stirling_error(n - k)
    entropy = k * math.log(n / k) + (n - k) * math.log(n / (n - k))
    spread = 0.5 * (math.log(n) - math.log(k) - math.log(n - k)) - HALF_LOG_TWO_PI
    return errors + entropy + spread


@njit(cache=True, nogil=True)
def log_quantiles(n: int, log_rho: float, out: Floats) -> None:
    """Fill out[k - 1] with log q_k: Beta(k, n − k + 1) has probability exp(log_rho) below q_k.

    The log distribution is a concave function of log x, so that Newton's method started on the
    left (a bound by the first term of the tail, or the quantile before) climbs to the root.
    """
    before = -np.inf
    for k in range(1, n + 1):
        log_x = max(before, (log_rho - _log_choose(n, k)) / k)
        for _ in range(100):
            # That far out the first term is the whole tail, and the start is the root.
            if log_x < SMALLEST_LOG:
                break
            x, y = math.exp(log_x), -math.expm1(log_x)
            tail = log_binomial_tail(n, k, x, y)
            slope = k * math.exp(log_binomial_pmf(n, k, x, y) - tail)
            step = (log_rho - tail) / slope
            if step <= 4e-16 * abs(log_x):
                break
            log_x = min(log_x + step, 0.5 * log_x)
        out[k - 1] = log_x
        before = log_x


@njit(cache=True, nogil=True)
def _thin(
    c: int, limit: int, log_keep: float, lowest: int, free: Floats, hit: Floats
) -> tuple[float, float]:
    """Chances (not reached, reached) of c points, each there before with exp(log_keep).

    Before, at most `limit` may have been there; free[a] and hit[a] are the chances of a points, and
    below `lowest` they are 1 and 0.
    """
    keep, drop = math.exp(log_keep), -math.expm1(log_keep)
    # Starting at 0 saves a logarithm, where that probability is far from underflow.
    from_zero = c * drop < 30.0 and c * log_keep > SMALLEST_LOG
    mode = 0 if from_zero else min(c, int((c + 1) * drop))
    start = math.exp(c * log_keep if from_zero else log_binomial_pmf(c, mode, drop, keep))
    not_reached = reached = 0.0
    term = start
    for dropped in range(mode, c + 1):
        a = c - dropped
        if a > limit:
            reached += term
        elif a < lowest:
            not_reached += term
        else:
            not_reached += term * free[a]
            reached += term * hit[a]
        if term < NEGLIGIBLE * start and a < limit:
            break
        if dropped < c:
            term *= a / (dropped + 1.0) * (drop / keep)
    term = start
    for dropped in range(mode - 1, -1, -1):
        a = c - dropped
        term *= (dropped + 1.0) / a * (keep / drop)
        if a > limit:
            reached += term
        elif a < lowest:
            not_reached += term
        else:
            not_reached += term * free[a]
            reached += term * hit[a]
        if term < NEGLIGIBLE * start and a > limit:
            break
    return not_reached, reached


@njit(cache=True, nogil=True)
def _thin_band(
    k: int,
    low: int,
    log_keep: float,
    lowest: int,
    free: Floats,
    hit: Floats,
    next_free: Floats,
    next_hit: Floats,
    work: Floats,
) -> int:
    """:func:`_thin` with limit k − 2 for all counts from `low` to k − 1.

    Returns the largest count for which next_free was filled, k − 1 or more.

    For larger k as one convolution: a binomial probability is a product of three Poisson ones,
    of which those of what stayed and of the sum are factors of the vectors before and after.
    """
    top = k - 1
    drop = -math.expm1(log_keep)
    depth = k - low + (low * math.log(low / k) if low > 0 else 0.0)
    if k < SMALLEST_BAND or drop > 0.25 or depth > 500.0:
        for c in range(low, k):
            next_free[c], next_hit[c] = _thin(c, k - 2, log_keep, lowest, free, hit)
        return top
    weights, kept_free, kept_hit = work[0], work[1], work[2]
    first, last, _ = poisson_weights(k * drop, 0, top, 1e-30, weights)
    start = max(0, low - last)
    share = k * math.exp(log_keep)
    value = math.exp(k * drop + top * log_keep)
    for a in range(top, start - 1, -1):
        if a == top:
            kept_free[a], kept_hit[a] = 0.0, value
        elif a < lowest:
            kept_free[a], kept_hit[a] = value, 0.0
        else:
            kept_free[a], kept_hit[a] = value * free[a], value * hit[a]
        value *= a / share
    reach = min(free.size - 2, top + last)
    advance(kept_free, start, top, weights, first, last, next_free, low, reach)
    advance(kept_hit, start, top, weights, first, last, next_hit, low, top)
    value = 1.0
    for c in range(top, low - 1, -1):
        next_free[c] /= value
        next_hit[c] /= value
        value *= c / k
    value = 1.0
    for c in range(k, reach + 1):
        value *= k / c
        next_free[c] /= value
    return reach


@njit(cache=True, nogil=True)
def log_crossing(log_times: Floats, n: int, log_rho: float) -> tuple[float, float]:
    """log P(N(q_k) ≥ k for some k) and log of its complement, both with full relative accuracy.

    Parameters
    ----------
    log_times : (n,) increasing log q_k, below 0
    log_rho : log of the value they belong to, a lower bound of the result
    """
    free, hit = np.ones(n + 2), np.zeros(n + 2)
    next_free, next_hit = np.ones(n + 2), np.zeros(n + 2)
    largest, total = -np.inf, 0.0
    work = np.empty((3, n + 2))
    lowest = floor = 0
    log_keep = -np.inf
    for k in range(1, n + 1):
        log_q = log_times[k - 1]
        if k > 1:
            log_keep = log_times[k - 2] - log_q
        q, rest = math.exp(log_q), -math.expm1(log_q)
        if log_q < SMALLEST_LOG:
            log_weight = _log_choose(n, k) + k * log_q
        else:
            log_weight = log_binomial_pmf(n, k, q, rest)
        # So few points at q_k that all such cases together are below 1e-20 of the result: whether
        # they had reached a level before cannot matter.  (Near ρ = 1 they carry the complement.)
        if log_rho < -1.0:
            while floor < n * q and log_binomial_pmf(n, floor, q, rest) < log_rho - 50.0:
                floor += 1
        if k == 1:
            next_free[0], next_hit[0] = 1.0, 0.0
            reach = 0
        else:
            low = max(floor, lowest)
            reach = _thin_band(k, low, log_keep, lowest, free, hit, next_free, next_hit, work)
        weight, crossed = 1.0, 0.0
        for c in range(k, n + 1):
            if k == 1:
                chance = 1.0
            elif c <= reach:
                chance = next_free[c]
            else:
                chance = _thin(c, k - 2, log_keep, lowest, free, hit)[0]
            crossed += weight * chance
            ratio = (n - c) / (c + 1.0) * (q / rest)
            weight *= ratio
            if ratio < 1.0 and weight * chance <= NEGLIGIBLE * (1.0 - ratio) * crossed:
                break
        if crossed > 0.0:
            log_weight += math.log(crossed)
            if log_weight > largest:
                total = total * math.exp(largest - log_weight) + 1.0
                largest = log_weight
            else:
                total += math.exp(log_weight - largest)
        lowest = max(floor, lowest)
        while lowest < k - 1 and next_hit[lowest] < NEGLIGIBLE:
            lowest += 1
        free, next_free = next_free, free
        hit, next_hit = next_hit, hit
    survived = _thin(n, n - 1, log_times[n - 1], lowest, free, hit)[0]
    log_p = min(0.0, largest + math.log(total))
    # The smaller of the two has its digits; the logarithm of the larger follows from it.
    if log_p < -0.5:
        return log_p, math.log1p(-math.exp(log_p))
    return math.log1p(-survived), math.log(survived)


@njit(cache=True, nogil=True)
def log_exact_p(log_rhos: Floats, counts: NDArray[np.int64]) -> Floats:
    """log P(min_k BetaCDF(U_(k)) ≤ ρ) for each ρ with its number of uniforms.

    Equal neighbours are computed once: sort the input.
    """
    out = np.zeros(log_rhos.size)
    for j in range(log_rhos.size):
        if log_rhos[j] >= 0.0:
            continue
        if j > 0 and log_rhos[j] == log_rhos[j - 1] and counts[j] == counts[j - 1]:
            out[j] = out[j - 1]
            continue
        log_times = np.empty(counts[j])
        log_quantiles(counts[j], log_rhos[j], log_times)
        out[j] = log_crossing(log_times, counts[j], log_rhos[j])[0]
    return out

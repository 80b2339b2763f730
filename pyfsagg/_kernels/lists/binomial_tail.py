"""Binomial tails in logarithms, and the smallest Beta probability of sorted normalized ranks."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pyfsagg._base.types import Floats

__all__ = [
    "log_binomial_pmf",
    "log_binomial_tail",
    "log_poisson_binomial_tail",
    "log_rho",
    "log_rho_with_cutoffs",
    "stirling_error",
]


HALF_LOG_TWO_PI = 0.9189385332046727
ROOT_HALF = 0.7071067811865476
RELATIVE_STOP = 1e-17
SMALL_STIRLING_ERRORS = np.array(
    [0.0]
    + [math.lgamma(k + 1.0) - ((k + 0.5) * math.log(k) - k + HALF_LOG_TWO_PI) for k in range(1, 16)]
)


@njit(cache=True, nogil=True)
def stirling_error(k: int) -> float:
    """log k! − ((k + 1/2) log k − k + log(2π)/2), to about 1e-15 absolute; 0 for k = 0."""
    if k < 16:
        return float(SMALL_STIRLING_ERRORS[k])
    inverse = 1.0 / k
    square = inverse * inverse
    series = 1.0 / 1260.0 - square * (1.0 / 1680.0 - square / 1188.0)
    return inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * series))


@njit(cache=True, nogil=True)
def deviance(n: int, k: int, x: float, y: float) -> float:
    """n KL(k/n ‖ x) with y = 1 − x, for 0 < k < n: the exponent of the binomial probability."""
    return k * math.log(k / (n * x)) + (n - k) * math.log((n - k) / (n * y))


@njit(cache=True, nogil=True)
def log_binomial_pmf(n: int, k: int, x: float, y: float) -> float:
    """log P(Bin(n, x) = k) with y = 1 − x given apart, so that neither has to be small.

    Stirling's formula with its error term, so that the large logarithms of factorials never meet.
    """
    if k == 0:
        return n * math.log1p(-x) if x < 0.5 else n * math.log(y)
    if k == n:
        return n * math.log(x) if x < 0.5 else n * math.log1p(-y)
    errors = stirling_error(n) - stirling_error(k) - stirling_error(n - k)
    # Not 0.5·log(n / (k (n − k))): that product leaves the range of int64 beyond 3e9.
    spread = 0.5 * (math.log(n) - math.log(k) - math.log(n - k)) - HALF_LOG_TWO_PI
    return errors + spread - deviance(n, k, x, y)


@njit(cache=True, nogil=True)
def log_binomial_tail(n: int, k: int, x: float, y: float) -> float:
    """log P(Bin(n, x) ≥ k) with y = 1 − x: the log of the Beta(k, n − k + 1) distribution at x.

    A sum of positive terms on the side of the mean where it is short; the other side by log1p.
    """
    if k <= 0 or y <= 0.0:
        return 0.0
    odds = x / y
    if k > n * x:
        term = total = 1.0
        for j in range(k, n):
            term *= (n - j) / (j + 1.0) * odds
            total += term
            if term < RELATIVE_STOP * total:
                break
        return log_binomial_pmf(n, k, x, y) + math.log(total)
    term = total = 1.0
    for j in range(k - 1, 0, -1):
        term *= j / ((n - j + 1.0) * odds)
        total += term
        if term < RELATIVE_STOP * total:
            break
    return math.log1p(-min(1.0, math.exp(log_binomial_pmf(n, k - 1, x, y)) * total))


@njit(cache=True, nogil=True)
def normal_quantile_below(log_tail: float) -> float:
    """Some w, close from below to the point where the upper normal tail is exp(log_tail)."""
    low, high = -40.0, 40.0
    if log_tail < -600.0:
        # The tail is at least φ(w)·w/(1 + w²); solving for that bound stays below the true point.
        low, high = 30.0, math.sqrt(-2.0 * log_tail)
        for _ in range(60):
            w = 0.5 * (low + high)
            if -0.5 * w * w - HALF_LOG_TWO_PI - math.log(w + 1.0 / w) >= log_tail:
                low = w
            else:
                high = w
        return low
    # The smaller of the tail and its complement is the one that floating numbers can tell from 1.
    target, rest = math.exp(log_tail), -math.expm1(log_tail)
    for _ in range(15):
        w = 0.5 * (low + high)
        if w >= 0.0:
            below = 0.5 * math.erfc(w * ROOT_HALF) >= target
        else:
            below = 0.5 * math.erfc(-w * ROOT_HALF) <= rest
        if below:
            low = w
        else:
            high = w
    return low - 1e-9


@njit(cache=True, nogil=True)
def _widest_deviation(ranks: Floats, n: int) -> int:
    """Position (from 1) where the empirical distribution exceeds x most, in standard deviations."""
    best, where = -np.inf, n
    for i in range(n):
        x = ranks[i]
        if i + 1 < n and ranks[i + 1] == x:
            continue
        gap = i + 1 - n * x
        if x < 1.0:
            z = gap * abs(gap) / (x * (1.0 - x))
            if z > best:
                best, where = z, i + 1
    return where


@njit(cache=True, nogil=True)
def _log_rho_one(ranks: Floats, n: int) -> float:
    where = _widest_deviation(ranks, n)
    x = ranks[where - 1]
    best = log_binomial_tail(n, where, x, 1.0 - x)
    skip = normal_quantile_below(best)
    for i in range(n):
        k = i + 1
        x = ranks[i]
        # Among equal ranks the last order statistic has the smallest probability.
        if k == where or x >= 1.0 or (k < n and ranks[k] == x):
            continue
        y = 1.0 - x
        gap = k - n * x
        if skip > 0.0:
            variance = min(n * x * y, k * (n - k) / n)
            if gap <= 0.0 or gap * gap <= skip * skip * variance:
                continue
        if k < n:
            root = math.sqrt(2.0 * max(0.0, deviance(n, k, x, y)))
            if (root if gap > 0.0 else -root) <= skip:
                continue
        value = log_binomial_tail(n, k, x, y)
        if value < best:
            best = value
            skip = normal_quantile_below(best)
    return best


@njit(cache=True, nogil=True)
def log_rho(ranks: Floats, counts: NDArray[np.int64]) -> Floats:
    """min over k of log BetaCDF(r_(k); k, n − k + 1) for each row of sorted ranks.

    Few order statistics can hold the minimum.  With w_k the signed root of twice the deviance of
    k/n from r_(k), the probability is at least the upper normal tail at w_k (Zubkov and Serov,
    2013), and w_k² is at most the squared gap k − n r_(k) over the smaller of the variances
    n r (1 − r) and k (n − k)/n; whatever these bounds leave above the best value
    found so far is not evaluated.

    Parameters
    ----------
    ranks : (p, m) sorted along rows, NaN last
    counts : (p,) number of entries of each row that are not NaN
    """
    out = np.empty(ranks.shape[0])
    for j in range(ranks.shape[0]):
        out[j] = _log_rho_one(ranks[j], counts[j])
    return out


@njit(cache=True, nogil=True)
def _tilt(chances: Floats, k: int) -> float:
    """The odds multiplier ≥ 1 that brings the expected count up to k."""
    low, high = 0.0, 1400.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        expected = 0.0
        for p in chances:
            # λp / (1 − p + λp) without forming λ, which may be beyond the floating range
            expected += p / (p + (1.0 - p) * math.exp(-middle))
        if expected < k:
            low = middle
        else:
            high = middle
    return min(low, 690.0)


@njit(cache=True, nogil=True)
def log_poisson_binomial_tail(chances: Floats, k: int) -> float:
    """log P(at least k of n independent events), their chances in (0, 1]; O(n²), positive terms.

    Above the mean the odds are multiplied so that k becomes the expected count and the answer does
    not underflow; the result is divided by the same factor.
    """
    n = chances.size
    if k <= 0:
        return 0.0
    above_mean = chances.sum() < k
    log_odds = _tilt(chances, k) if above_mean else 0.0
    factor = math.exp(log_odds)
    mass = np.zeros(n + 1)
    mass[0] = 1.0
    log_scale = 0.0
    for i in range(n):
        norm = 1.0 + (factor - 1.0) * chances[i]
        hit = factor * chances[i] / norm
        miss = (1.0 - chances[i]) / norm
        log_scale += math.log(norm)
        for c in range(i + 1, 0, -1):
            mass[c] = mass[c] * miss + mass[c - 1] * hit
        mass[0] *= miss
    total = 0.0
    if above_mean:
        weight = 1.0
        for c in range(k, n + 1):
            total += mass[c] * weight
            weight /= factor
        return math.log(total) + log_scale - k * log_odds
    for c in range(k):
        total += mass[c]
    return math.log1p(-total)


@njit(cache=True, nogil=True)
def log_rho_with_cutoffs(ranks: Floats, cutoffs: Floats) -> Floats:
    """log ρ where list i keeps normalized ranks up to cutoffs[i] only; NaN = beyond the cutoff.

    P(at least k lists have the item at x or better) is then Poisson binomial with the chances
    min(x, cutoff); lists that never looked beyond their cutoff cannot add to it.

    Parameters
    ----------
    ranks : (p, m) in the order of the lists, NaN where the list does not keep the item
    cutoffs : (p, m) NaN where the list does not know the item at all
    """
    out = np.zeros(ranks.shape[0])
    for j in range(ranks.shape[0]):
        kept = np.sort(ranks[j][~np.isnan(ranks[j])])
        limits = cutoffs[j][~np.isnan(cutoffs[j])]
        for i in range(kept.size):
            if i + 1 == kept.size or kept[i + 1] != kept[i]:
                value = log_poisson_binomial_tail(np.minimum(limits, kept[i]), i + 1)
                out[j] = min(out[j], value)
    return out

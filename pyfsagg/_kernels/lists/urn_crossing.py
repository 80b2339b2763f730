"""How likely it is that few places, drawn at random, are as good as those of a group.

A group has n places among many, and its value ρ is the smallest Beta probability of those of its order
statistics that count: the first one, and each one up to the limit α (Li et al. 2014).  With q_k the ρ
quantile of Beta(k, n − k + 1), a group has a value of at most ρ if and only if, for some k, at least k
of its places are at most b_k, where b_1 = q_1 and b_k = min(q_k, α) for k > 1.  Beyond the first k with
q_k ≥ α no further level has to be looked at, because all of them are α.

The chance of that is summed over the first such k.  What is carried from level to level is the chance
that no level was reached so far *given* the number of places up to b_k: numbers of moderate size
however small ρ is.  All sums are of positive terms.

Places are drawn from an urn: M_k of the `total` balls stand for places up to b_k, and with every ball
drawn its kind loses `unit` balls.  1 draws without replacement, and 0 draws from a continuous
distribution (M_k = b_k and a total of 1).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pyfsagg._base.types import Floats
from pyfsagg._kernels.lists.beta_crossing import log_quantiles
from pyfsagg._kernels.lists.binomial_tail import log_binomial_tail

__all__ = ["log_crossing_of_draws", "log_group_p", "log_group_rho"]

NEGLIGIBLE = 1e-18
SMALLEST_PRODUCT = 1e-200
ROUNDING = 1.0 + 1e-12
SMALLEST_LOG_RHO, LARGEST_LOG_RHO = -690.0, -1e-12


@njit(cache=True, nogil=True)
def log_group_rho(
    places: Floats, starts: NDArray[np.int64], alpha: float
) -> tuple[Floats, NDArray[np.int64]]:
    """log ρ of each group, and how many of its places are at most α.

    Parameters
    ----------
    places : (n_places,) in (0, 1), sorted inside each group
    starts : (n_groups + 1,) where each group begins, and the end
    alpha : places beyond it do not count, except for the first of a group
    """
    log_rhos = np.empty(starts.size - 1)
    counted = np.zeros(starts.size - 1, dtype=np.int64)
    for g in range(starts.size - 1):
        n = starts[g + 1] - starts[g]
        best = 0.0
        for k in range(1, n + 1):
            x = places[starts[g] + k - 1]
            inside = x <= alpha * ROUNDING
            if inside:
                counted[g] = k
            elif k > 1:
                break
            best = min(best, log_binomial_tail(n, k, x, 1.0 - x))
        log_rhos[g] = best
    return log_rhos, counted


@njit(cache=True, nogil=True)
def log_group_p(
    log_rhos: Floats,
    sizes: NDArray[np.int64],
    alpha: float,
    known: Floats,
    own: Floats,
    starts: NDArray[np.int64],
) -> Floats:
    """log P(ρ of a random group ≤ ρ) for each ρ with the size of its group.

    Random groups are drawn from the pool of the known places and those of the group itself that are
    not among them; without any place the numbers drawn are uniform.  Equal neighbours are computed
    once: sort the input.  A uniform ρ below exp(−690) has the bound n ρ.

    Parameters
    ----------
    log_rhos, sizes : (n_groups,)
    alpha : as in :func:`log_group_rho`
    known : (n_known,) sorted places
    own : (n_own,) places of the groups that are not among the known ones, group by group
    starts : (n_groups + 1,) where each group begins in `own`, and the end
    """
    out = np.zeros(log_rhos.size)
    for g in range(log_rhos.size):
        n = sizes[g]
        mine = own[starts[g] : starts[g + 1]]
        total = known.size + mine.size
        alike = g > 0 and log_rhos[g] == log_rhos[g - 1] and n == sizes[g - 1]
        if alike and mine.size == 0:
            out[g] = out[g - 1]
        elif total == 0 and log_rhos[g] < SMALLEST_LOG_RHO:
            out[g] = log_rhos[g] + math.log(n)
        elif log_rhos[g] < LARGEST_LOG_RHO:
            levels = _levels(log_rhos[g], n, alpha, known, mine)
            if total == 0:
                out[g] = log_crossing_of_draws(levels, 1.0, n, 0.0)
            else:
                out[g] = log_crossing_of_draws(levels, float(total), n, 1.0)
    return out


@njit(cache=True, nogil=True)
def _levels(log_rho: float, n: int, alpha: float, known: Floats, own: Floats) -> Floats:
    """The balls up to b_1, …, b_K, where K is the first level that α cuts off."""
    log_q = np.empty(n)
    log_quantiles(n, log_rho, log_q)
    levels = np.empty(n)
    for k in range(n):
        q = math.exp(log_q[k])
        bound = q if k == 0 else min(q, alpha)
        levels[k] = bound
        if known.size + own.size > 0:
            bound *= ROUNDING
            levels[k] = np.searchsorted(known, bound, side="right") + (own <= bound).sum()
        if q >= alpha:
            return levels[: k + 1]
    return levels


@njit(cache=True, nogil=True)
def log_crossing_of_draws(levels: Floats, total: float, n: int, unit: float) -> float:
    """log P(at least k of n draws are among the first levels[k − 1] balls, for some k ≤ K ≤ n).

    Parameters
    ----------
    levels : (K,) increasing numbers of balls
    total : all balls; with unit 1 at least n
    unit : see the module
    """
    free, next_free = np.ones(n + 1), np.ones(n + 1)
    largest, total_share = -np.inf, 0.0
    for k in range(1, levels.size + 1):
        level = levels[k - 1]
        before = levels[k - 2] if k > 1 else 0.0
        log_share = _log_first(level, before, total, n, k, unit, free)
        if log_share > largest:
            total_share = total_share * math.exp(largest - log_share) + 1.0
            largest = log_share
        elif log_share > -np.inf:
            total_share += math.exp(log_share - largest)
        for c in range(k if unit == 0.0 else min(k, int(level) + 1)):
            next_free[c] = _thin(c, k, before, level, unit, free)
        free, next_free = next_free, free
    return -np.inf if total_share == 0.0 else min(0.0, largest + math.log(total_share))


@njit(cache=True, nogil=True)
def _log_first(
    level: float, before: float, total: float, n: int, k: int, unit: float, free: Floats
) -> float:
    """log of the chance that level k is reached, and none before it."""
    rest = total - level
    if level <= 0.0 or (unit > 0.0 and level < k):
        return -np.inf
    if rest <= 0.0:
        share = _thin(n, k, before, level, unit, free)
        return math.log(share) if share > 0.0 else -np.inf
    start = _mode(n, level, rest, unit)
    # The chance of k draws may be as small as it likes: it is a factor apart where they are many.
    many = start < k
    log_scale = _log_chance(n, k, level, total, unit) if many else 0.0
    start = max(start, k)
    norm = 0.0
    share = 0.0
    term = 1.0
    for c in range(start, n + 1):
        share += term * _thin(c, k, before, level, unit, free)
        norm += term
        if c == n:
            break
        ratio = _ratio(c, n, level, rest, unit)
        term *= ratio
        if ratio < 1.0 and term <= NEGLIGIBLE * (1.0 - ratio) * share:
            break
    if many:
        norm = 1.0
    else:
        term = 1.0
        for c in range(start, 0, -1):
            term *= _ratio_down(c, n, level, rest, unit)
            norm += term
            if c - 1 >= k:
                share += term * _thin(c - 1, k, before, level, unit, free)
            if term <= NEGLIGIBLE * norm:
                break
    return log_scale + math.log(share / norm) if share > 0.0 else -np.inf


@njit(cache=True, nogil=True)
def _thin(c: int, k: int, lower: float, upper: float, unit: float, free: Floats) -> float:
    """The chance that no level before k was reached, if c draws are among the first `upper` balls.

    Of them a were among the first `lower`; free[a] is the chance that no earlier level was reached.
    """
    limit = k - 2
    if k == 1 or lower <= 0.0:
        return float(free[0])
    rest = upper - lower
    if rest <= 0.0:
        return float(free[c]) if c <= limit else 0.0
    start = _mode(c, lower, rest, unit)
    norm = 1.0
    kept = float(free[start]) if start <= limit else 0.0
    term = 1.0
    for a in range(start, c):
        term *= _ratio(a, c, lower, rest, unit)
        norm += term
        if a + 1 <= limit:
            kept += term * free[a + 1]
        if term <= NEGLIGIBLE * norm:
            break
    term = 1.0
    for a in range(start, 0, -1):
        term *= _ratio_down(a, c, lower, rest, unit)
        norm += term
        if a - 1 <= limit:
            kept += term * free[a - 1]
        if term <= NEGLIGIBLE * norm:
            break
    return kept / norm


@njit(cache=True, nogil=True)
def _ratio(a: int, c: int, first: float, rest: float, unit: float) -> float:
    """P(a + 1 of c draws are of the first kind) / P(a)."""
    return (c - a) / (a + 1.0) * ((first - a * unit) / (rest - (c - a - 1) * unit))


@njit(cache=True, nogil=True)
def _ratio_down(a: int, c: int, first: float, rest: float, unit: float) -> float:
    """P(a − 1 of c draws are of the first kind) / P(a)."""
    return a / (c - a + 1.0) * ((rest - (c - a) * unit) / (first - (a - 1) * unit))


@njit(cache=True, nogil=True)
def _mode(c: int, first: float, rest: float, unit: float) -> int:
    """A number of draws of the first kind that is possible, and close to the likeliest."""
    balls = first + rest + 2.0 * unit
    likely = int((c + 1) * (first + unit) / balls) if balls > 0.0 else 0
    low, high = 0, c
    if unit > 0.0:
        low, high = max(0, c - int(rest)), min(c, int(first))
    return min(max(likely, low), high)


@njit(cache=True, nogil=True)
def _log_chance(n: int, k: int, first: float, total: float, unit: float) -> float:
    """log P(k of n draws are of the first kind), as a product that is not let underflow."""
    log_chance, product = 0.0, 1.0
    for i in range(n):
        if i < k:
            product *= (n - i) / (i + 1.0) * ((first - i * unit) / (total - i * unit))
        else:
            product *= (total - first - (i - k) * unit) / (total - i * unit)
        if product < SMALLEST_PRODUCT or product > 1.0 / SMALLEST_PRODUCT:
            log_chance += math.log(product)
            product = 1.0
    return log_chance + math.log(product)

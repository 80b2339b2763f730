"""Joint probabilities of order statistics, of uniform variables and of draws without replacement."""

import math

import numpy as np

from pyfsagg._base.arithmetic import Floats, Integers
from pyfsagg._kernels import kernel
from pyfsagg._kernels.rho import (
    HALF_LOG_TWO_PI,
    advance,
    log_binomial_tail,
    log_quantiles,
    poisson_probabilities,
    stirling_error,
)

FIRST_TOLERANCE = 1e-24
LAST_TOLERANCE = 1e-290
RELATIVE_ERROR = 1e-15
LOG_HALF = -0.6931471805599453


@kernel
def _majorant(times: Floats, counts: Integers, d: int, corners: Integers) -> int:
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


@kernel
def _joint_once(
    times: Floats,
    counts: Integers,
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
    lost = 0.0  # bound on the mass omitted, in units of `old`
    before = 0.0
    for i in range(d):
        x = slopes[i] * (times[i] - before)
        before = times[i]
        first = max(0, counts[i] - high)
        first, last, left_out = poisson_probabilities(x, first, n - low, tolerance, weights)
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


@kernel
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


@kernel
def log_joint_probability(
    times: Floats, counts: Integers, d: int, buffers: Floats, corners: Integers
) -> tuple[float, float]:
    """log P(N(t_l) ≥ c_l for all l) for n = c_d uniform numbers, and a bound on its error.

    The rate of the process in each stretch is the slope of the least concave majorant of the required
    counts, the most likely way of meeting them, so the mass stays where the answer comes from.  In
    these units no path gains weight: mass omitted early bounds what it could have contributed, and the
    tolerance is tightened until that bound is below 1e-15 of the result.
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


@kernel
def _complement_once(
    times: Floats,
    counts: Integers,
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
        first, last, left_out = poisson_probabilities(x, 0, n - low, tolerance, weights)
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


@kernel
def log_joint_by_complement(times: Floats, counts: Integers, d: int, buffers: Floats) -> float:
    """The same for probabilities near 1, as log(1 − failure), a sum of positive terms of its own. Full
    relative accuracy down to 1e-270; below, the error is absolute."""
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


@kernel
def log_stuart(ranks: Floats, counts: Integers) -> Floats:
    """log Q for each row of sorted normalized ranks (p, m), NaN last, `counts` known entries."""
    p, m = ranks.shape
    out = np.empty(p)
    times = np.empty(m)
    required = np.empty(m, dtype=np.int64)
    corners = np.empty(m, dtype=np.int64)
    buffers = np.empty((4, m + 2))
    for j in range(p):
        d = 0  # distinct ranks, and the number of ranks up to each
        for i in range(counts[j]):
            if i + 1 == counts[j] or ranks[j, i + 1] != ranks[j, i]:
                times[d], required[d] = ranks[j, i], i + 1
                d += 1
        out[j] = log_joint_probability(times, required, d, buffers, corners)[0]
        if out[j] > LOG_HALF:
            out[j] = log_joint_by_complement(times, required, d, buffers)
    return out


NEGLIGIBLE = 1e-18
SMALLEST_PRODUCT = 1e-200
ROUNDING = 1.0 + 1e-12
SMALLEST_LOG_RHO, LARGEST_LOG_RHO = -690.0, -1e-12


@kernel
def log_group_rho(places: Floats, starts: Integers, alpha: float) -> tuple[Floats, Integers]:
    """log ρ of each group, and how many of its `places` are at most α; the first always counts. `places` in
    (0, 1) are sorted inside each group; `starts` (n_groups + 1,) has the groups and the end."""
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


@kernel
def log_group_p(
    log_rhos: Floats, sizes: Integers, alpha: float, known: Floats, own: Floats, starts: Integers
) -> Floats:
    """log P(ρ of a random group ≤ ρ) for each ρ with the size of its group. Random groups are drawn from the
    pool of the sorted places `known` and the places `own` of the group (group by group, from `starts`) that
    are not among them; without any place the numbers drawn are uniform. Equal neighbours are computed once:
    sort the input. A uniform ρ below exp(−690) has the bound n ρ."""
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
            levels = _urn_levels(log_rhos[g], n, alpha, known, mine)
            if total == 0:
                out[g] = log_crossing_of_draws(levels, 1.0, n, 0.0)
            else:
                out[g] = log_crossing_of_draws(levels, float(total), n, 1.0)
    return out


MOST_WEIGHTED = 16
"""Guides of a gene that may have weights: the work doubles with each."""


@kernel
def log_weighted_p(log_rhos: Floats, starts: Integers, weights: Floats, alpha: float) -> Floats:
    """log P(ρ of a group ≤ ρ) where its places are independent uniform numbers divided by its weights. A sum
    over the sets of members below one level after the other, O(n² 2ⁿ) for n members; positive terms. A ρ
    below exp(−690) has the bound n ρ maxᵢ wᵢⁿ."""
    out = np.zeros(log_rhos.size)
    for g in range(log_rhos.size):
        w = weights[starts[g] : starts[g + 1]]
        n = w.size
        if log_rhos[g] < SMALLEST_LOG_RHO:
            out[g] = min(0.0, log_rhos[g] + math.log(n) + n * math.log(max(1.0, w.max())))
        if log_rhos[g] < SMALLEST_LOG_RHO or log_rhos[g] >= LARGEST_LOG_RHO:
            continue
        none = np.empty(0)
        levels = _urn_levels(log_rhos[g], n, alpha, none, none)
        below = np.zeros(
            1 << n
        )  # chance that just this set is below the level, and no level was reached
        below[0] = 1.0
        before, total = 0.0, 0.0
        for k in range(1, levels.size + 1):
            level = levels[k - 1]
            for i in range(n):
                share = min(1.0, w[i] * level) - min(1.0, w[i] * before)
                for s in range(below.size):
                    if not (s >> i) & 1:
                        below[s | (1 << i)] += below[s] * share
            for s in range(below.size):
                members, above = 0, 1.0
                for i in range(n):
                    if (s >> i) & 1:
                        members += 1
                    else:
                        above *= 1.0 - min(1.0, w[i] * level)
                if members >= k:
                    total += below[s] * above
                    below[s] = 0.0
            before = level
        out[g] = min(0.0, math.log(total))
    return out


@kernel
def _urn_levels(log_rho: float, n: int, alpha: float, known: Floats, own: Floats) -> Floats:
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


@kernel
def log_crossing_of_draws(levels: Floats, total: float, n: int, unit: float) -> float:
    """log P(at least k of n draws are among the first levels[k − 1] balls, for some k ≤ K ≤ n). `levels` (K,)
    increase; `total` balls, with unit 1 at least n; `unit`: see the module."""
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


@kernel
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
    # The chance of k draws may underflow; with many draws it is a separate factor, on the log scale.
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
            term *= _ratio(n - c, n, rest, level, unit)
            norm += term
            if c - 1 >= k:
                share += term * _thin(c - 1, k, before, level, unit, free)
            if term <= NEGLIGIBLE * norm:
                break
    return log_scale + math.log(share / norm) if share > 0.0 else -np.inf


@kernel
def _thin(c: int, k: int, lower: float, upper: float, unit: float, free: Floats) -> float:
    """The chance that no level before k was reached, if c draws are among the first `upper` balls, of which a
    were among the first `lower`; free[a] is the chance that no earlier level was reached."""
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
        term *= _ratio(c - a, c, rest, lower, unit)
        norm += term
        if a - 1 <= limit:
            kept += term * free[a - 1]
        if term <= NEGLIGIBLE * norm:
            break
    return kept / norm


@kernel
def _ratio(a: int, c: int, first: float, rest: float, unit: float) -> float:
    """P(a + 1 of c draws are of the first kind) / P(a); downwards, that of the other kind."""
    return (c - a) / (a + 1.0) * ((first - a * unit) / (rest - (c - a - 1) * unit))


@kernel
def _mode(c: int, first: float, rest: float, unit: float) -> int:
    """A number of draws of the first kind that is possible, and close to the likeliest."""
    balls = first + rest + 2.0 * unit
    likely = int((c + 1) * (first + unit) / balls) if balls > 0.0 else 0
    low, high = 0, c
    if unit > 0.0:
        low, high = max(0, c - int(rest)), min(c, int(first))
    return min(max(likely, low), high)


@kernel
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

"""Robust rank aggregation: the smallest Beta probability of normalised ranks and its exact distribution."""

import math

import numpy as np

from pyfsagg._base.arithmetic import Floats, Integers
from pyfsagg._kernels import kernel

HALF_LOG_TWO_PI = 0.9189385332046727
LOG_HALF = -0.6931471805599453
RELATIVE_STOP = 1e-17
SMALL_STIRLING_ERRORS = np.array(
    [0.0]
    + [math.lgamma(k + 1.0) - ((k + 0.5) * math.log(k) - k + HALF_LOG_TWO_PI) for k in range(1, 16)]
)


@kernel
def stirling_error(k: int) -> float:
    """log k! − ((k + 1/2) log k − k + log(2π)/2), to about 1e-15 absolute; 0 for k = 0."""
    if k < 16:
        return float(SMALL_STIRLING_ERRORS[k])
    inverse = 1.0 / k
    square = inverse * inverse
    series = 1.0 / 1260.0 - square * (1.0 / 1680.0 - square / 1188.0)
    return inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * series))


@kernel
def deviance(n: int, k: int, x: float, y: float) -> float:
    """n KL(k/n ‖ x) with y = 1 − x, for 0 < k < n: the exponent of the binomial probability."""
    return k * math.log(k / (n * x)) + (n - k) * math.log((n - k) / (n * y))


@kernel
def log_binomial_pmf(n: int, k: int, x: float, y: float) -> float:
    """log P(Bin(n, x) = k) by Stirling's formula with its error term; y = 1 − x, so neither is small."""
    if k == 0:
        return n * math.log1p(-x) if x < 0.5 else n * math.log(y)
    if k == n:
        return n * math.log(x) if x < 0.5 else n * math.log1p(-y)
    errors = stirling_error(n) - stirling_error(k) - stirling_error(n - k)
    # Not 0.5·log(n / (k (n − k))): that product leaves the range of int64 beyond 3e9.
    spread = 0.5 * (math.log(n) - math.log(k) - math.log(n - k)) - HALF_LOG_TWO_PI
    return errors + spread - deviance(n, k, x, y)


@kernel
def log_binomial_tail(n: int, k: int, x: float, y: float) -> float:
    """log P(Bin(n, x) ≥ k), y = 1 − x: the log of the Beta(k, n − k + 1) distribution at x. Positive terms on
    the short side of the mean; the other side by log1p."""
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


@kernel
def normal_quantile_below(log_tail: float) -> float:
    """Some w, close from below to the point where the upper normal tail is exp(log_tail)."""
    if log_tail > -1e-300:
        return -40.0
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
    # A rational approximation (Abramowitz and Stegun 26.2.23), off by less than 4.5e-4, for the smaller
    # of the tail and its complement: the one that floating numbers can tell from 1.
    upper = log_tail < LOG_HALF
    log_smaller = log_tail if upper else math.log(-math.expm1(log_tail))
    t = math.sqrt(-2.0 * log_smaller)
    above = 2.515517 + t * (0.802853 + t * 0.010328)
    w = t - above / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
    return (w if upper else -w) - 5e-4


@kernel
def _widest_deviation(ranks: Floats, n: int) -> int:
    """Position (from 1) where the empirical distribution exceeds x most, in standard deviations. It only says
    where :func:`_log_rho_one` begins: of many ranks every eighth is looked at, and then the neighbours of the
    best of these."""
    step = 8 if n > 64 else 1
    first, last = step - 1, n
    signed_square, variance, where = -1.0, 0.0, n
    while True:
        for i in range(first, last, step):
            x = ranks[i]
            if x >= 1.0 or (i + 1 < n and ranks[i + 1] == x):
                continue
            # A fraction is larger if its numerator times the other's denominator is: no division.
            gap = i + 1 - n * x
            new, scale = gap * abs(gap), x * (1.0 - x)
            if new * variance > signed_square * scale:
                signed_square, variance, where = new, scale, i + 1
        if step == 1:
            return where
        first, last, step = max(0, where - 8), min(n, where + 7), 1


@kernel
def _log_rho_one(ranks: Floats, n: int) -> float:
    where = _widest_deviation(ranks, n)
    x = ranks[where - 1]
    best = log_binomial_tail(n, where, x, 1.0 - x)
    skip = normal_quantile_below(best)
    share = 1.0 / n
    for i in range(n):
        k = i + 1
        x = ranks[i]
        y = 1.0 - x
        gap = k - n * x
        if skip > 0.0:
            variance = min(n * x * y, k * (n - k) * share)
            if gap <= 0.0 or gap * gap <= skip * skip * variance:
                continue
        # Among equal ranks the last order statistic has the smallest probability.
        if k == where or x >= 1.0 or (k < n and ranks[k] == x):
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


@kernel
def log_rho(ranks: Floats, counts: Integers) -> Floats:
    """min over k of log BetaCDF(r_(k); k, n − k + 1) for each row of `ranks` (p, m), sorted, NaN last.

    `counts` (p,) are the entries that are not NaN.  Few order statistics can hold the minimum: with w_k
    the signed root of twice the deviance of k/n from r_(k), the probability is at least the upper normal
    tail at w_k (Zubkov and Serov, 2013), and w_k² is at most the squared gap k − n r_(k) over the
    smaller of the variances n r (1 − r) and k (n − k)/n; what these bounds exclude is not evaluated.
    """
    out = np.empty(ranks.shape[0])
    for j in range(ranks.shape[0]):
        out[j] = _log_rho_one(ranks[j], counts[j])
    return out


@kernel
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


@kernel
def log_poisson_binomial_tail(chances: Floats, k: int) -> float:
    """log P(at least k of n independent events), their chances in (0, 1]; O(n²), positive terms. Above the
    mean the odds are tilted so that k is the expected count, and the result divided again."""
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


@kernel
def log_rho_with_cutoffs(ranks: Floats, cutoffs: Floats) -> Floats:
    """log ρ where list i keeps `ranks` (p, m) up to `cutoffs` only, NaN beyond; a NaN cutoff: unknown item.
    P(at least k lists have the item at x or better) is Poisson binomial with the chances min(x, cutoff)."""
    out = np.zeros(ranks.shape[0])
    for j in range(ranks.shape[0]):
        kept = np.sort(ranks[j][~np.isnan(ranks[j])])
        limits = cutoffs[j][~np.isnan(cutoffs[j])]
        for i in range(kept.size):
            if i + 1 == kept.size or kept[i + 1] != kept[i]:
                value = log_poisson_binomial_tail(np.minimum(limits, kept[i]), i + 1)
                out[j] = min(out[j], value)
    return out


@kernel
def poisson_probabilities(
    x: float, first: int, last: int, tolerance: float, weights: Floats
) -> tuple[int, int, float]:
    """Poisson(x) probabilities of first..last that matter, into weights[0:]: the first and the last increment
    kept, and an upper bound on the probability omitted."""
    mode = min(max(int(x), first), last)
    if mode == 0:
        peak = math.exp(-x)
    else:
        gap = mode * math.log(mode / x) + x - mode
        peak = math.exp(-gap - stirling_error(mode) - HALF_LOG_TWO_PI - 0.5 * math.log(mode))
    low = mode
    value = peak
    left_out = 0.0
    while low > first:
        value *= low / x
        if value < tolerance:
            # Further down the ratio falls below low / x: a geometric tail.
            left_out += value / (1.0 - low / x) if low < x else value * low
            break
        low -= 1
    weights[mode - low] = peak
    value = peak
    for j in range(mode, low, -1):
        value *= j / x
        weights[j - 1 - low] = value
    value = peak
    high = mode
    while high < last:
        value *= x / (high + 1)
        if value < tolerance:
            left_out += (
                value / (1.0 - x / (high + 2.0)) if high + 2.0 > x else value * (last - high)
            )
            break
        high += 1
        weights[high - low] = value
    return low, high, left_out


@kernel
def advance(
    old: Floats,
    low: int,
    high: int,
    weights: Floats,
    first: int,
    last: int,
    new: Floats,
    new_low: int,
    new_high: int,
) -> None:
    """new[s] = Σ_c old[c]·w(s − c) for new_low ≤ s ≤ new_high; states are array positions."""
    new[new_low : new_high + 1] = 0.0
    # One pass per increment: the states are the longer direction, and views that start at 0 let
    # the compiler see that no index is negative, so it vectorizes the loop.
    for step in range(first, last + 1):
        a = max(new_low, low + step)
        b = min(new_high, high + step)
        if b < a:
            continue
        weight = weights[step - first]
        target = new[a : b + 1]
        source = old[a - step : b + 1 - step]
        for j in range(target.size):
            target[j] += weight * source[j]


SMALLEST_LOG = -600.0
NEGLIGIBLE = 1e-18
SMALLEST_BAND = 64


@kernel
def _log_choose(n: int, k: int) -> float:
    """log of the binomial coefficient."""
    if k == 0 or k == n:
        return 0.0
    errors = stirling_error(n) - stirling_error(k) - stirling_error(n - k)
    entropy = k * math.log(n / k) + (n - k) * math.log(n / (n - k))
    spread = 0.5 * (math.log(n) - math.log(k) - math.log(n - k)) - HALF_LOG_TWO_PI
    return errors + entropy + spread


@kernel
def log_quantiles(n: int, log_rho: float, out: Floats) -> None:
    """Fill out[k - 1] with log q_k: Beta(k, n − k + 1) has probability exp(log_rho) below q_k. The log
    distribution is concave in log x, so Newton's method climbs to the root from the left."""
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


@kernel
def _thin(
    c: int, limit: int, log_keep: float, lowest: int, free: Floats, hit: Floats
) -> tuple[float, float]:
    """Chances (not reached, reached) of c points, each there before with exp(log_keep), at most `limit` then;
    free[a] and hit[a] are the chances of a points, below `lowest` 1 and 0."""
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


@kernel
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
    """:func:`_thin` with limit k − 2 for all counts from `low` to k − 1; the largest count filled. For larger
    k one convolution: a binomial probability is a product of three Poisson ones, of which two are factors of
    the vectors before and after."""
    top = k - 1
    drop = -math.expm1(log_keep)
    depth = k - low + (low * math.log(low / k) if low > 0 else 0.0)
    if k < SMALLEST_BAND or drop > 0.25 or depth > 500.0:
        for c in range(low, k):
            next_free[c], next_hit[c] = _thin(c, k - 2, log_keep, lowest, free, hit)
        return top
    weights, kept_free, kept_hit = work[0], work[1], work[2]
    first, last, _ = poisson_probabilities(k * drop, 0, top, 1e-30, weights)
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


@kernel
def log_crossing(log_times: Floats, n: int, log_rho: float) -> tuple[float, float]:
    """log P(N(q_k) ≥ k for some k) and log of its complement, both with full relative accuracy. `log_times`
    (n,) are increasing log q_k < 0; `log_rho`, the log of their value, is a lower bound."""
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


@kernel
def log_exact_p(log_rhos: Floats, counts: Integers) -> Floats:
    """log P(min_k BetaCDF(U_(k)) ≤ ρ) for each ρ with its number of uniforms; sort the input, as equal
    neighbours are computed once."""
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

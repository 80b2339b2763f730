"""Concordance and Cox score tests of every feature in every resample."""

import numpy as np

from pyfsagg._base.arithmetic import Booleans, Floats, Integers
from pyfsagg._kernels import Bits, Codes, Weights, kernel

TOGETHER = 8
"""Resamples that are counted at once where none has 2¹⁶ rows."""

WORDS = 2


@kernel
def _pack(weights: Weights, width: int, packed: Bits) -> None:
    """Fill (n_samples, WORDS) with the weights of up to WORDS · 64 / width resamples."""
    packed[:] = 0
    lanes = 64 // width
    for r in range(weights.shape[0]):
        shift = np.uint64(width * (r % lanes))
        for i in range(weights.shape[1]):
            packed[i, r // lanes] |= np.uint64(weights[r, i]) << shift


@kernel
def _place_rows(
    event: Booleans, start: Integers, packed: Bits, drawn: Integers, before: Integers
) -> int:
    """The rows that any resample draws, latest first, censored ones before events of the same time; how many.
    `before`: with how many an event is compared, all later or censored at its time; else none."""
    n = 0
    for g in range(start.shape[0] - 1):
        for wanted in (False, True):
            compared = n if wanted else 0
            for i in range(start[g], start[g + 1]):
                if event[i] == wanted and (packed[i, 0] | packed[i, 1]) != 0:
                    drawn[n], before[n] = i, compared
                    n += 1
    return n


@kernel
def _all_pairs(
    w: Weights, drawn: Integers, before: Integers, n_drawn: int, of_events: Weights
) -> float:
    """The comparable pairs of a resample; fills the weights of the events that have any."""
    added, seen, events, pairs = 0, 0, 0, 0.0
    for position in range(n_drawn):
        if before[position] == 0:
            continue
        while added < before[position]:
            seen += int(w[drawn[added]])
            added += 1
        of_events[events] = w[drawn[position]]
        pairs += float(seen) * float(w[drawn[position]])
        events += 1
    return pairs


@kernel
def _look_up(
    levels: Codes,
    n_levels: int,
    packed: Bits,
    drawn: Integers,
    before: Integers,
    n_drawn: int,
    tree: Bits,
    counts: Bits,
    below: Bits,
    equal: Bits,
) -> int:
    """For each event, the rows compared with it of a smaller, and of an equal level: (WORDS, events)."""
    tree[: n_levels + 1] = 0
    counts[:n_levels] = 0
    added, events = 0, 0
    for position in range(n_drawn):
        if before[position] == 0:
            continue
        while added < before[position]:
            row = drawn[added]
            level = np.int64(levels[row])
            first, second = packed[row, 0], packed[row, 1]
            counts[level, 0] += first
            counts[level, 1] += second
            level += 1
            while level <= n_levels:
                tree[level, 0] += first
                tree[level, 1] += second
                level += level & -level
            added += 1
        level = np.int64(levels[drawn[position]])
        equal[0, events], equal[1, events] = counts[level, 0], counts[level, 1]
        first, second = np.uint64(0), np.uint64(0)
        while level > 0:
            first += tree[level, 0]
            second += tree[level, 1]
            level &= level - 1
        below[0, events], below[1, events] = first, second
        events += 1
    return events


@kernel
def _weighted_sum(of_events: Weights, rows: Bits, events: int, width: int, lane: int) -> float:
    """Σ over events of their weight times the rows that one lane of the words holds."""
    if width == 64:  # 2³² rows and more: their pairs may need more than 63 bits
        many = 0.0
        for k in range(events):
            many += float(of_events[k]) * float(rows[k])
        return many
    shift, mask = np.uint64(width * lane), ~np.uint64(0) >> np.uint64(64 - width)
    total = 0
    for k in range(events):
        total += int(of_events[k]) * int((rows[k] >> shift) & mask)
    return float(total)


@kernel
def comparable_pairs(
    levels: Codes,
    n_levels: Integers,
    event: Booleans,
    start: Integers,
    weights: Weights,
    found: Floats,
) -> None:
    """Pairs of rows by whether the later row has the larger level, the smaller, or an equal one: `found`.
    `levels`, `event` and `weights` by descending time; `start` of each distinct time, and the end."""
    n, p = levels.shape
    drawn, before = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    packed = np.empty((n, WORDS), dtype=np.uint64)
    below, equal = np.empty((WORDS, n), np.uint64), np.empty((WORDS, n), np.uint64)
    tree = np.empty((n_levels.max() + 1, WORDS), dtype=np.uint64)
    counts = np.empty((n_levels.max(), WORDS), dtype=np.uint64)
    most = weights.astype(np.int64).sum(axis=1).max()
    width = 16 if most < 1 << 16 else 32 if most < 1 << 32 else 64  # bits of a number of rows
    lanes = 64 // width
    of_events = np.empty((WORDS * lanes, n), dtype=np.uint16)
    pairs = np.empty(WORDS * lanes)
    for first in range(0, weights.shape[0], WORDS * lanes):
        block = weights[first : first + WORDS * lanes]
        _pack(block, width, packed)
        n_drawn = _place_rows(event, start, packed, drawn, before)
        for r in range(block.shape[0]):
            pairs[r] = _all_pairs(block[r], drawn, before, n_drawn, of_events[r])
        for j in range(p):
            events = _look_up(
                levels[:, j],
                n_levels[j],
                packed,
                drawn,
                before,
                n_drawn,
                tree,
                counts,
                below,
                equal,
            )
            for r in range(block.shape[0]):
                word, lane = r // lanes, r % lanes
                fewer = _weighted_sum(of_events[r], below[word], events, width, lane)
                tied = _weighted_sum(of_events[r], equal[word], events, width, lane)
                found[0, first + r, j] = pairs[r] - fewer - tied
                found[1, first + r, j] = fewer
                found[2, first + r, j] = tied


@kernel
def _coefficients(
    event: Booleans, start: Integers, w: Floats, efron: bool, of_time: Floats
) -> None:
    """Fill, for each time, Σ q, Σ f q / d, Σ q², Σ f q² / d, Σ f² q² / d² over its d events (5, n_times). q =
    1 / (rows at risk - f), f the share of events that has left (k / d · d by Efron, 0 by Breslow)."""
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


@kernel
def _first_order(
    event: Booleans, start: Integers, w: Floats, of_time: Floats, u: Floats, v: Floats
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


@kernel(fastmath={"reassoc", "contract"})
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


@kernel
def _between_times(
    z: Floats, event: Booleans, start: Integers, of_time: Floats, efron: bool
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


@kernel
def cox_score_block(
    values: Floats, event: Booleans, start: Integers, efron: bool, weights: Weights, scores: Floats
) -> None:
    """Chi-squared statistic of the score test of every column, (b, p); 0 where a column tells nothing. Rows
    and `start` as in :func:`comparable_pairs`, `values` instead of levels."""
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

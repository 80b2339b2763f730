"""Loops over orders: centres, distances, inversions, spoilers, patterns and naive Bayes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats, Integers
from pyfsagg._kernels import Bits, Codes, kernel

Ranks = NDArray[np.int16] | Codes
Whole = int | np.int64


@kernel
def add_precedences(
    ranks: Ranks, weights: Integers, tie_weight: int, low: int, high: int, table: NDArray[Any]
) -> None:
    """table[g, f] = weight of the rows that place f before g, for low <= g < high. With ``tie_weight`` 1 all
    counts are doubled and a tie counts 1 (half a place each way)."""
    n, p = ranks.shape
    for g in range(low, high):
        out = table[g]
        out[:] = 0
        for a in range(n):
            row = ranks[a]
            own = row[g]
            weight = table.dtype.type(weights[a])
            if tie_weight == 0:
                for f in range(p):
                    out[f] += weight * (row[f] < own)
            else:
                for f in range(p):
                    out[f] += weight * (np.int16(row[f] < own) + np.int16(row[f] <= own))
        out[g] = 0


@kernel
def close_pairs_column(
    tables: NDArray[Any],
    sums: Integers,
    order: Integers,
    ranks: Ranks,
    reach: Integers,
    low: int,
    high: int,
    squares: Integers,
) -> None:
    """Squared centre differences after the removal of each f, low <= f < high.

    ``tables[c, g, f]`` is the weight of class c that places f before g: without f the rank sum of g is
    ``sums[c, g] - tables[c, g, f]``.  `order` (c, a) has the features present by ascending sum, `ranks`
    (c, q) their doubled average ranks (the class centre), `reach` (c,) the largest possible entries:
    sums further apart keep their order.  `squares` (pairs of classes, high - low) receives the sum over
    the features g other than f of (rank in c - rank in d)^2, doubled ranks.
    """
    n_classes, n_present = order.shape
    width = high - low
    threshold = np.empty(width, dtype=tables.dtype)
    swaps = np.empty(width, dtype=np.int8)
    shift = np.empty((n_classes, width), dtype=ranks.dtype)
    pending = np.zeros(squares.shape, dtype=np.int32)
    budget = np.zeros(squares.shape[0], dtype=np.int64)
    place = np.empty(sums.shape, dtype=np.int64)
    for c in range(n_classes):
        for position in range(n_present):
            place[c, order[c, position]] = position
    bound = np.empty(n_classes, dtype=np.int64)
    gaps = np.zeros(squares.shape[0], dtype=np.int64)
    squares[:] = 0
    for position in range(n_present):
        g = order[0, position]
        for c in range(n_classes):
            moved = shift[c]
            centre = ranks[c, low:high]
            own = ranks[c, g]
            for f in range(width):
                moved[f] = -np.int8(centre[f] < own) - np.int8(centre[f] <= own)
            bound[c] = 2 + _add_swaps(
                tables[c], sums[c], order[c], place[c, g], reach[c], low, swaps, threshold, moved
            )
        pair = 0
        for c in range(n_classes):
            for d in range(c):
                gap = np.int64(ranks[c, g]) - np.int64(ranks[d, g])
                gaps[pair] += gap * gap
                most = bound[c] + bound[d]
                most = most * (2 * abs(gap) + most)
                if most >= 2**31:  # many equal sums: too large for 32 bits
                    _add_changes(shift[c], shift[d], gap, g - low, squares[pair])
                else:
                    budget[pair] += most
                    if budget[pair] >= 2**31:
                        _flush(pending[pair], squares[pair])
                        budget[pair] = most
                    _add_changes(shift[c], shift[d], gap, g - low, pending[pair])
                if low <= g < high:  # without g there is no difference of g
                    squares[pair, g - low] -= gap * gap
                pair += 1
    for pair in range(squares.shape[0]):
        _flush(pending[pair], squares[pair])
        squares[pair] += gaps[pair]


@kernel
def _flush(pending: Codes, totals: Integers) -> None:
    for f in range(pending.size):
        totals[f] += pending[f]
        pending[f] = 0


@kernel
def _add_changes(
    first: Ranks, second: Ranks, gap: Whole, own: Whole, pending: NDArray[Any]
) -> None:
    """Add (gap + e)^2 - gap^2 = e (2 gap + e), where e is the change of the gap."""
    inside = 0 <= own < pending.size
    kept = pending[own] if inside else pending.dtype.type(0)
    double = pending.dtype.type(2 * gap)
    for f in range(pending.size):
        change = pending.dtype.type(first[f] - second[f])
        pending[f] += pending.dtype.type(change * pending.dtype.type(double + change))
    if inside:
        pending[own] = kept  # g itself is the one that is removed


@kernel
def _add_swaps(
    table: NDArray[Any],
    sums: Integers,
    order: Integers,
    position: Whole,
    reach: Whole,
    low: int,
    swaps: NDArray[np.int8],
    threshold: NDArray[Any],
    moved: Ranks,
) -> int:
    """Add to `moved` how the doubled rank of one feature changes as sums swap; a bound of the changes."""
    g = order[position]
    width = moved.size
    swaps[:] = 0
    pending = 0
    n_close = 0
    own = table[g, low : low + width]
    for step in (1, -1):
        other = position + step
        while 0 <= other < order.size:
            h = order[other]
            gap = (sums[h] - sums[g]) * step
            if gap > reach:
                break
            removed = h - low
            inside = 0 <= removed < width
            kept = swaps[removed] if inside else np.int8(0)
            theirs = table[h, low : low + width]
            tied = np.int8(gap == 0)
            space = threshold.dtype.type(gap)
            if step == 1:
                for f in range(width):
                    threshold[f] = own[f] + space
                for f in range(width):
                    swaps[f] += (
                        np.int8(theirs[f] > threshold[f])
                        + np.int8(theirs[f] >= threshold[f])
                        - tied
                    )
            else:
                for f in range(width):
                    threshold[f] = theirs[f] + space
                for f in range(width):
                    swaps[f] -= (
                        np.int8(own[f] > threshold[f]) + np.int8(own[f] >= threshold[f]) - tied
                    )
            if inside:
                swaps[removed] = kept  # h itself is the one that is removed
            n_close += 1
            pending += 1
            if pending == 60:  # 60 changes of at most 2 each fit into 8 bits
                for f in range(width):
                    moved[f] += swaps[f]
                swaps[:] = 0
                pending = 0
            other += step
    for f in range(width):
        moved[f] += swaps[f]
    return 2 * n_close


@kernel
def inversions_by_feature(first: Ranks, second: Ranks) -> Integers:
    """Number of inversions (strict in both orders) that each feature takes part in."""
    known = (first >= 0) & (second >= 0)
    counts = np.zeros(first.size, dtype=np.int64)
    for i in range(first.size):
        for j in range(i):
            gap, other = np.int64(first[i]) - first[j], np.int64(second[i]) - second[j]
            if known[i] and known[j] and gap * other < 0:
                counts[i] += 1
                counts[j] += 1
    return counts


@kernel
def concordance_sum(ranks: Ranks) -> float:
    """Sum over feature pairs of the squared balance of votes (before minus after)."""
    m, p = ranks.shape
    total = 0.0
    balance = np.empty(p, dtype=np.int32)
    for j in range(1, p):
        balance[:j] = 0
        for a in range(m):
            row = ranks[a]
            own = row[j]
            for i in range(j):
                balance[i] += np.int32(row[i] < own) - np.int32(row[i] > own)
        for i in range(j):
            total += float(balance[i]) * float(balance[i])
    return total


@kernel
def spoiler_column(
    ranks: Ranks,
    weights: Integers,
    starts: Integers,
    k: int,
    stop: int,
    before: NDArray[Any],
    after: NDArray[Any],
    column: Integers,
) -> None:
    """column[i] = inversions of the feature pair (i, k), i < stop, within the classes. A class contributes
    (instances with i before k) times (instances with k before i). The integers of `before` and `after` must
    hold the weight of a class."""
    column[:stop] = 0
    for c in range(starts.size - 1):
        before[:stop] = 0
        after[:stop] = 0
        for a in range(starts[c], starts[c + 1]):
            row = ranks[a]
            own = row[k]
            if own < 0:
                continue
            weight = before.dtype.type(weights[a])
            for i in range(stop):
                # An unknown position is negative: before every known one, hence the second test.
                before[i] += weight * before.dtype.type((row[i] < own) & (row[i] >= 0))
                after[i] += weight * before.dtype.type(row[i] > own)
        for i in range(stop):
            column[i] += np.int64(before[i]) * np.int64(after[i])


@kernel
def spoiler_totals(
    ranks: Ranks, weights: Integers, starts: Integers, low: int, high: int, like: NDArray[Any]
) -> Integers:
    """Contribution to all spoiler counts of the feature pairs (i, k), i < k, low <= k < high; `like` is an
    empty array of the integers that hold the weight of a class."""
    p = ranks.shape[1]
    before = np.empty(p, dtype=like.dtype)
    after = np.empty(p, dtype=like.dtype)
    column = np.empty(p, dtype=np.int64)
    totals = np.zeros(p, dtype=np.int64)
    for k in range(low, high):
        spoiler_column(ranks, weights, starts, k, k, before, after, column)
        own = np.int64(0)
        for i in range(k):
            totals[i] += column[i]
            own += column[i]
        totals[k] += own
    return totals


@kernel
def difference_bits(ranks: Ranks, k: int, planes: Bits) -> None:
    """planes[a, :, w] = bits over the features: before k, after k, not comparable with k."""
    n, p = ranks.shape
    n_planes = planes.shape[1]
    planes[:] = 0
    for a in range(n):
        row = ranks[a]
        own = row[k]
        for start in range(0, p, 64):
            before = np.uint64(0)
            after = np.uint64(0)
            unknown = np.uint64(0)
            for i in range(start, min(start + 64, p)):
                bit = np.uint64(i - start)
                before |= np.uint64(row[i] < own) << bit
                after |= np.uint64(row[i] > own) << bit
                unknown |= np.uint64((row[i] < 0) | (own < 0)) << bit
            word = start // 64
            planes[a, 0, word] = before & ~unknown
            planes[a, 1, word] = after & ~unknown
            if n_planes > 2:
                planes[a, 2, word] = unknown
        if n_planes > 2:  # k is no partner of itself, even where its place is unknown
            planes[a, 2, k // 64] &= ~(np.uint64(1) << np.uint64(k % 64))


@kernel
def _bits_set(word: np.uint64) -> np.int64:
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def state_differences(
    planes: Bits, left: Integers, right: Integers, out: Integers, sign: int
) -> None:
    """out[q] += sign * number of features that relate to k differently in left[q] and right[q]."""
    _, n_planes, n_words = planes.shape
    for q in range(left.size):
        a, b = left[q], right[q]
        count = np.int64(0)
        for w in range(n_words):
            word = np.uint64(0)
            for s in range(n_planes):
                word |= planes[a, s, w] ^ planes[b, s, w]
            count += _bits_set(word)
        out[q] += sign * count


@kernel
def _state(first: int, second: int) -> int:
    """0: first before second, 1: after, 2: tied, 3: unknown."""
    if first < 0 or second < 0:
        return 3
    if first < second:
        return 0
    return 1 if first > second else 2


@kernel
def first_difference(first: Ranks, second: Ranks, features: Integers) -> tuple[int, int]:
    """A pair of features that are in different states in two rows that differ."""
    for u in range(1, features.size):
        i = features[u]
        for v in range(u):
            j = features[v]
            if _state(first[i], first[j]) != _state(second[i], second[j]):
                return i, j
    return -1, -1


@kernel
def differences_with(first: Ranks, second: Ranks, features: Integers, k: int) -> int:
    """Number of features that relate to k differently in two rows."""
    count = 0
    for x in features:
        if x != k and _state(first[k], first[x]) != _state(second[k], second[x]):
            count += 1
    return count


@kernel
def conditional_entropies(
    columns: Ranks,
    weights: Integers,
    codes: Codes,
    n_classes: int,
    k: int,
    others: Integers,
    x_log_x: Floats,
    out: Floats,
) -> None:
    """out[u] = total weight times H(class | order of features k and others[u]), in nats; `columns` is
    (n_features, n_samples), ``x_log_x[i]`` is i log i."""
    n = columns.shape[1]
    table = np.empty((4, n_classes), dtype=np.int64)
    own = columns[k]
    for u in range(others.size):
        other = columns[others[u]]
        table[:] = 0
        for a in range(n):
            table[_state(own[a], other[a]), codes[a]] += weights[a]
        total = 0.0
        for s in range(4):
            size = np.int64(0)
            inner = 0.0
            for c in range(n_classes):
                size += table[s, c]
                inner += x_log_x[table[s, c]]
            total += x_log_x[size] - inner
        out[u] = total


@kernel
def _same_pattern(columns: Ranks, a: int, b: int, n_features: int) -> bool:
    for i in range(1, n_features):
        for j in range(i):
            if _state(columns[i, a], columns[j, a]) != _state(columns[i, b], columns[j, b]):
                return False
    return True


@kernel
def added_divergence(columns: Ranks, weights: Integers, codes: Codes, n_classes: int) -> float:
    """Divergence, in nats, of all features (rows of `columns`) but the last with respect to all."""
    p, n = columns.shape
    part = np.empty(n, dtype=np.int64)  # the first row with the same order of all but the last
    whole = np.empty(n, dtype=np.int64)  # … and of all features
    counts = np.zeros((2, n, n_classes), dtype=np.int64)
    sizes = np.zeros((2, n), dtype=np.int64)
    total = np.int64(0)
    for a in range(n):
        part[a] = a
        whole[a] = a
        for b in range(a):
            if part[b] == b and part[a] == a and _same_pattern(columns, a, b, p - 1):
                part[a] = b
            if part[a] != a and part[b] == part[a] and whole[b] == b:
                if _same_pattern(columns, a, b, p):
                    whole[a] = b
                    break
        counts[0, part[a], codes[a]] += weights[a]
        sizes[0, part[a]] += weights[a]
        counts[1, whole[a], codes[a]] += weights[a]
        sizes[1, whole[a]] += weights[a]
        total += weights[a]
    value = 0.0
    for a in range(n):
        for c in range(n_classes):
            count = counts[1, a, c]
            if count > 0:
                before = count / sizes[1, a]
                after = counts[0, part[a], c] / sizes[0, part[a]]
                value += count * np.log(before / after)
    return max(0.0, value / total)


@kernel
def naive_bayes_path(
    columns: Ranks,
    weights: Integers,
    codes: Codes,
    folds: Integers,
    n_classes: int,
    n_folds: int,
    n_states: int,
    log_counts: Floats,
    log_totals: Floats,
    log_priors: Floats,
) -> Floats:
    """Weight of rows that the other folds classify correctly with the first 1, 2, … rows of `columns`.
    ``log_counts[i]`` is log(i + alpha), ``log_totals[i]`` log(i + alpha * n_states), and ``log_priors``
    (n_folds, n_classes) the log prior of each class outside each fold."""
    p, n = columns.shape
    scores = np.empty((n, n_classes))
    for a in range(n):
        for c in range(n_classes):
            scores[a, c] = log_priors[folds[a], c]
    correct = np.zeros(p)
    state = np.empty(n, dtype=np.int64)
    inside = np.empty((n_folds, n_classes, 4), dtype=np.int64)
    table = np.zeros((n_folds, 4, n_classes))
    for t in range(p):
        own = columns[t]
        for u in range(t):
            other = columns[u]
            inside[:] = 0
            for a in range(n):
                state[a] = _state(own[a], other[a])
                inside[folds[a], codes[a], state[a]] += weights[a]
            for c in range(n_classes):
                for fold in range(n_folds):
                    known = np.int64(0)
                    for s in range(n_states):
                        count = np.int64(0)
                        for g in range(n_folds):
                            if g != fold:
                                count += inside[g, c, s]
                        known += count
                        table[fold, s, c] = log_counts[count]
                    for s in range(n_states):
                        table[fold, s, c] -= log_totals[known]
            for a in range(n):
                if state[a] != 3:
                    for c in range(n_classes):
                        scores[a, c] += table[folds[a], state[a], c]
        for a in range(n):
            best = 0
            for c in range(1, n_classes):
                if scores[a, c] > scores[a, best] + 1e-9:  # rounding decides nothing
                    best = c
            if best == codes[a]:
                correct[t] += weights[a]
    return correct

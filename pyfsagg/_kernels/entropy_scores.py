"""Entropy scores of many columns for many resamples, from rows or from tables of counts."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Booleans, Floats, Integer, Integers
from pyfsagg._kernels import Bits, Codes, Weights, Words, kernel
from pyfsagg._kernels.class_tables import (
    ENTROPY,
    EQUAL_WIDTH,
    chi_squared_of_counts,
    value_difference,
    write_statistic,
)
from pyfsagg._kernels.entropy_bins import (
    CutSpace,
    build_entries,
    cut_space,
    drawn_extent,
    frequency_edges,
    mark_cuts,
    pack_rows,
    room_for_rows,
    start_resample,
    width_edges,
    xlogx,
    xlogx_shift,
)

SCORES = ("information_gain", "gain_ratio", "symmetric_uncertainty")
"""What the kernels compute, in this order."""

TOGETHER = 8
"""Resamples that are counted in one pass over a column in bins."""


MANY = 50
"""Fewest columns for which it pays to know beforehand where MDL refuses a cut."""

SHORT = 1000
"""Rows up to which it pays where no values are tied: runs of one class are found as soon."""

LOG_7 = math.log(7.0)


@kernel
def count_between_cuts(
    counts: Integers, n_cuts: Integer, n_entries: Integer, space: CutSpace
) -> Integers:
    """Class counts of the levels between cuts, and a row of zeros; in `counts`, or a larger array."""
    if n_cuts + 2 > counts.shape[0]:
        counts = np.empty((2 * n_cuts + 2, counts.shape[1]), np.int64)
    counts[: n_cuts + 2] = 0
    level = 0
    for i in range(n_entries):
        level += space.cut[i] == 2
        counts[level, space.classes[i]] += space.sizes[i]
    return counts


@kernel(inline="always")
def write_scores(
    counts: Integers,
    class_sum: Integer,
    total: Integer,
    table: Integers,
    shift: int,
    out: Floats,
) -> None:
    """The three scores from the counts (n_levels, n_classes); `class_sum`: Σ ``x log x`` of the classes."""
    joint = np.int64(0)
    levels = np.int64(0)
    for level in range(counts.shape[0]):
        size = np.int64(0)
        for label in range(counts.shape[1]):
            size += counts[level, label]
            joint += table[counts[level, label]]
        levels += table[size]
    scores_of_sums(table[total], joint, class_sum, levels, total, shift, out)


@kernel(inline="always")
def scores_of_sums(
    whole: Integer,
    joint: Integer,
    class_sum: Integer,
    levels: Integer,
    total: Integer,
    shift: int,
    out: Floats,
) -> None:
    """The three scores from the sums of ``x log x`` over the total, cells, classes and levels."""
    gain = max(np.int64(0), whole + joint - class_sum - levels)
    h_feature = whole - levels
    h_target = whole - class_sum
    if h_feature <= 0 or h_target <= 0:
        out[:] = 0.0
        return
    out[0] = math.ldexp(np.float64(gain), -shift) / total
    out[1] = np.float64(gain) / np.float64(h_feature)
    out[2] = 2.0 * np.float64(gain) / np.float64(h_feature + h_target)


@kernel
def _count_rows(
    order: NDArray[Any],
    start: Integer,
    stop: Integer,
    mask: np.uint64,
    packed: Words,
    level: Integers,
) -> None:
    """Add the rows at sorted positions start <= position < stop to the class counts `level`."""
    for row in order[start:stop]:
        word = np.int64(packed[np.uint64(row) & mask])
        level[word >> 16] += word & 0xFFFF


@kernel
def _sums_below(order: NDArray[Any], mask: np.uint64, words: Bits, below: Bits) -> None:
    """Set ``below[k]`` to the sums of the words (n_samples, TOGETHER or 1) of the first k rows of the order.
    Eight sums, written out, stay in registers and are added to by one or two instructions."""
    below[0] = 0
    if words.shape[1] == 1:
        gathered = np.uint64(0)
        for position in range(order.shape[0]):
            gathered += words[np.uint64(order[position]) & mask, 0]
            below[position + 1, 0] = gathered
        return
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = np.uint64(0)
    for position in range(order.shape[0]):
        row, behind = np.uint64(order[position]) & mask, np.uint64(position + 1)
        s0 += words[row, 0]
        s1 += words[row, 1]
        s2 += words[row, 2]
        s3 += words[row, 3]
        s4 += words[row, 4]
        s5 += words[row, 5]
        s6 += words[row, 6]
        s7 += words[row, 7]
        below[behind, 0] = s0
        below[behind, 1] = s1
        below[behind, 2] = s2
        below[behind, 3] = s3
        below[behind, 4] = s4
        below[behind, 5] = s5
        below[behind, 6] = s6
        below[behind, 7] = s7


@kernel(inline="always")
def _levels_between(
    below: Bits, lane: Integer, edges: Integers, bits: Integer, counts: Integers
) -> None:
    """Set `counts` (n_levels, n_classes) to what is drawn between the edges, from the sums below them."""
    lowest = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    before = below[np.uint64(edges[0]), lane]
    for level in range(counts.shape[0]):
        here = below[np.uint64(edges[level + 1]), lane]
        word, before = here - before, here
        for label in range(counts.shape[1]):
            counts[level, label] = np.int64(word & lowest)
            word >>= np.uint64(bits)


@kernel(error_model="numpy")
def _may_cut(
    left: Integer,
    second: Integer,
    n_second: Integer,
    total: Integer,
    parity: bool,
    table: Integers,
    unit: float,
) -> bool:
    """Whether MDL may cut two classes where `second` of the `left` are of the second class. With `parity` the
    entropy on the left, which then lacks a row, is taken as 0."""
    right, rest = total - left, n_second - second
    whole = (table[total] - table[n_second] - table[total - n_second]) * unit
    own = (table[left] - table[second] - table[left - second]) * unit
    other = (table[right] - table[rest] - table[right - rest]) * unit
    cost = LOG_7 - 2.0 * (whole / total - other / right) + (0.0 if parity else 2.0 * own / left)
    return bool(whole - own - other >= math.log(total - 1) + cost - 1e-6)


@kernel(error_model="numpy")
def _fill_refused(
    class_counts: Integers, parity: bool, table: Integers, shift: int, refused: Words
) -> None:
    """For each weight on the left the lowest count of the second class for which no cut is made, and how many
    follow, (total + 1, 2). What a cut gains beyond its cost is a convex function of that count, and is lowest
    near what chance gives."""
    unit, total = math.ldexp(1.0, -shift), class_counts.sum()
    for label in range(2):
        low, n_own = np.int64(0), class_counts[label]
        for left in range(1, total):
            least, middle = max(0, left - total + n_own), left * n_own // total
            low = min(max(low, least), middle + 1)
            while low <= middle and _may_cut(left, low, n_own, total, parity, table, unit):
                low += 1
            while low > least and not _may_cut(left, low - 1, n_own, total, parity, table, unit):
                low -= 1
            refused[left, 1 - label] = low
    for left in range(1, total):
        refused[left, 1] = left + 1 - refused[left, 0] - refused[left, 1]
    refused[0], refused[total] = (0, 2**31), (0, 2**31)


@kernel
def _surely_whole(
    order: NDArray[Any], tied: bool, row_bits: Integer, words: Bits, refused: Words
) -> bool:
    """Whether every cut of a column of two classes without missing values is refused; see `_fill_refused`.
    The `words` of the rows hold the weight, and above it that of the second class."""
    mask, low = np.uint64((1 << row_bits) - 1), np.uint64(0xFFFFFFFF)
    sums, outside = np.uint64(0), False
    here = np.uint64(order[0])
    for position in range(1, order.shape[0]):
        sums += words[here & mask]
        here = np.uint64(order[position])
        left, second = sums & low, np.uint32(sums >> np.uint64(32))
        out = np.uint32(second - refused[left, 0]) >= refused[left, 1]
        outside |= out & ((not tied) | ((here >> np.uint64(row_bits)) != 0))
    return not outside


@kernel
def score_mdl(
    order: NDArray[Any],
    n_known: Integers,
    tied: Booleans,
    row_bits: Integer,
    columns: Integers,
    parity: bool,
    n_classes: Integer,
    table_size: Integer,
    labels: Codes,
    weights: Weights,
    scores: Floats,
) -> None:
    """Write the `scores` (3, n_resamples, n_features) of numeric `columns` cut by MDL in every resample.
    `order`, `n_known`, `tied`, `row_bits` are those of :class:`pyfsagg.discretization.SortedColumns`;
    `weights` (n_resamples, n_samples); `labels` (n_resamples or 1, n_samples); `table_size` is one more than
    the largest total weight; `parity` takes the FSelectorRcpp reading."""
    n_resamples, n_samples = weights.shape
    drawn = room_for_rows(n_samples, n_classes, table_size)
    packed, table = drawn.packed, drawn.table
    space = cut_space(n_samples + 1, n_classes)
    counts = np.empty((8, n_classes), np.int64)
    mask = np.uint64((1 << row_bits) - 1)
    refused, words = np.empty((table_size, 2), np.uint32), np.empty(n_samples, np.uint64)
    askable = (n_known == n_samples) & (tied | (n_samples <= SHORT))
    many = n_classes == 2 and askable.sum() >= MANY
    for r in range(n_resamples):
        total, shift, class_sum = start_resample(r, weights, labels, drawn)
        two = many and 0 < drawn.class_counts[1] < total
        if two:
            _fill_refused(drawn.class_counts, parity, table, shift, refused)
            for row in range(n_samples):
                word = np.int64(packed[row])
                words[row] = np.uint64((word & 0xFFFF) * (1 + ((word >> 16) << 32)))
        for j in range(order.shape[0]):
            if two and askable[j] and _surely_whole(order[j], tied[j], row_bits, words, refused):
                scores[:, r, columns[j]] = 0.0
                continue
            n_entries = build_entries(order[j], n_known[j], tied[j], row_bits, packed, space)
            n_cuts = mark_cuts(n_entries, space, parity, table, shift)
            if n_cuts == 0:
                scores[:, r, columns[j]] = 0.0
                continue
            counts = count_between_cuts(counts, n_cuts, n_entries, space)
            _count_rows(order[j], n_known[j], n_samples, mask, packed, counts[n_cuts + 1])
            used = counts[: n_cuts + 2]
            write_scores(used, class_sum, total, table, shift, scores[:, r, columns[j]])


@kernel(error_model="numpy")
def score_binned(
    statistic: int,
    kind: Integer,
    n_bins: Integer,
    order: NDArray[Any],
    n_known: Integers,
    row_bits: Integer,
    values: Floats,
    columns: Integers,
    n_classes: int,
    table_size: Integer,
    labels: Codes,
    weights: Weights,
    scores: Floats,
) -> None:
    """Write the `scores` (n_outputs, n_resamples, n_features) of `columns`, binned anew in every resample.

    The `statistic` is `ENTROPY` (the three scores; missing values are a level where there are two bins) or
    one of :func:`~pyfsagg._kernels.class_tables.write_statistic`, which need no table of x·log x (a
    `table_size` of 0).  `values` are those of the columns in the order `order`; the rest is as for
    :func:`score_mdl`.

    Up to `TOGETHER` resamples are counted in one pass over a sorted column: what lies below a cut is then
    one look-up for any range of the resample.
    """
    n_resamples, n_samples = weights.shape
    drawn = room_for_rows(n_samples, n_classes, table_size)
    packed, table = np.empty((TOGETHER, n_samples), np.uint32), drawn.table
    counts, shares = np.empty((n_bins + 1, n_classes), np.int64), np.empty(n_classes)
    edges, cutpoints = np.empty((TOGETHER, n_bins + 2), np.int64), np.empty(n_bins)
    extents, found = np.empty((TOGETHER, 2), np.int64), np.empty(TOGETHER, np.int64)
    like = np.empty(TOGETHER, np.int64)
    class_sums, totals = np.empty(TOGETHER, np.int64), np.empty(TOGETHER, np.int64)
    lanes = 1 if n_resamples == 1 else TOGETHER
    words, below = (
        np.zeros((n_samples, lanes), np.uint64),
        np.empty((n_samples + 1, lanes), np.uint64),
    )
    mask = np.uint64((1 << row_bits) - 1)
    start = 0
    while start < n_resamples:
        size, shift, largest = 0, xlogx_shift(np.int64(weights[start].sum())), np.int64(0)
        for r in range(start, min(start + lanes, n_resamples)):
            total = np.int64(weights[r].sum())
            if xlogx_shift(total) != shift:  # resamples of a pass share the table of x·log x
                break
            if statistic == ENTROPY:
                _, _, class_sums[size] = start_resample(r, weights, labels, drawn)
            pack_rows(weights[r], labels[min(r, labels.shape[0] - 1)], packed[size])
            totals[size], largest, size = total, max(largest, total), size + 1
        bits = math.frexp(np.float64(largest))[1]
        packable = bits * n_classes <= 64
        for lane in range(size if packable else 0):
            # The weight, moved up by `bits` for each class below its own: a sum counts all classes.
            for row in range(n_samples):
                word = np.int64(packed[lane, row])
                words[row, lane] = np.uint64(word & 0xFFFF) << np.uint64(bits * (word >> 16))
        for j in range(order.shape[0]):
            known = values[j, : n_known[j]]
            if packable:
                _sums_below(order[j], mask, words, below)
            for lane in range(size):
                like[lane] = lane
                if kind == EQUAL_WIDTH:
                    first, last = drawn_extent(order[j], n_known[j], mask, packed[lane])
                    extents[lane, 0], extents[lane, 1] = first, last
                    like[lane] = 0  # the first resample with this range, and so these cuts
                    while extents[like[lane], 0] != first or extents[like[lane], 1] != last:
                        like[lane] += 1
                    if like[lane] < lane:
                        continue
                    n_found = width_edges(known, first, last, n_bins, edges[lane], cutpoints)
                else:
                    n_found = frequency_edges(
                        known, order[j], mask, packed[lane], n_bins, edges[lane], cutpoints
                    )
                found[lane] = n_found
                edges[lane, n_found + 1] = n_samples  # the last level: missing values
            for lane in range(size):
                out = scores[:, start + lane, columns[j]]
                n_levels, own_edges = found[like[lane]] + 1, edges[like[lane]]
                if statistic == ENTROPY and n_levels == 2:
                    out[:] = 0.0
                    continue
                used = counts[:n_levels]
                if packable:
                    _levels_between(below, lane, own_edges, bits, used)
                else:
                    used[:] = 0
                    for b in range(n_levels):
                        here = own_edges[b : b + 2]
                        _count_rows(order[j], here[0], here[1], mask, packed[lane], used[b])
                if statistic == ENTROPY:
                    write_scores(used, class_sums[lane], totals[lane], table, shift, out)
                else:
                    write_statistic(statistic, used.reshape(-1), n_classes, shares, out)
        start += size


@kernel
def score_nominal(
    codes: Codes,
    n_levels: Integers,
    columns: Integers,
    n_classes: Integer,
    table_size: Integer,
    labels: Codes,
    weights: Weights,
    scores: Floats,
) -> None:
    """Write the `scores` of `columns`, which have `codes` below ``n_levels[j]``, missing included."""
    drawn = room_for_rows(weights.shape[1], n_classes, table_size)
    counts = np.empty((n_levels.max(), n_classes), np.int64)
    for r in range(weights.shape[0]):
        total, shift, class_sum = start_resample(r, weights, labels, drawn)
        row_labels = labels[min(r, labels.shape[0] - 1)]
        for j in range(codes.shape[0]):
            used = counts[: n_levels[j]]
            used[:] = 0
            for row in range(weights.shape[1]):
                used[codes[j, row], row_labels[row]] += weights[r, row]
            write_scores(used, class_sum, total, drawn.table, shift, scores[:, r, columns[j]])


OUTPUTS = (*SCORES, "chi_squared", "cramers_v", "value_difference_metric")


@kernel
def _entropy_scores(cells: Integers, n_classes: Integer, out: Floats) -> None:
    """The three scores, into `out`, of counts at ``code * n_classes + label``. The counts may be large: ``x
    log x`` is computed as needed, to the same bits as those of the table."""
    total = cells.sum()
    shift = xlogx_shift(total)
    scale = math.ldexp(1.0, shift)
    joint = np.int64(0)
    levels = np.int64(0)
    for level in range(cells.shape[0] // n_classes):
        size = np.int64(0)
        for label in range(n_classes):
            size += cells[level * n_classes + label]
            joint += xlogx(cells[level * n_classes + label], scale)
        levels += xlogx(size, scale)
    class_sum = np.int64(0)
    for label in range(n_classes):
        class_sum += xlogx(cells[label::n_classes].sum(), scale)
    scores_of_sums(xlogx(total, scale), joint, class_sum, levels, total, shift, out)


@kernel
def score_counts(counts: Integers, n_codes: Integers, n_classes: int, scores: Floats) -> None:
    """Scores (number of `OUTPUTS`, n_resamples, n_features) of the counts of `count_resamples`; the value
    difference metric for two classes only."""
    start = 0
    cells, shares = np.empty(int(n_codes.max()) * n_classes, np.int64), np.empty(n_classes)
    for j in range(n_codes.shape[0]):
        used = cells[: n_codes[j] * n_classes]
        for r in range(scores.shape[1]):
            for cell in range(used.shape[0]):
                used[cell] = counts[start + cell, r]
            _entropy_scores(used, n_classes, scores[:3, r, j])
            scores[3, r, j], scores[4, r, j] = chi_squared_of_counts(used, n_classes, shares)
            if n_classes == 2:
                scores[5, r, j] = value_difference(used)
        start += used.shape[0]

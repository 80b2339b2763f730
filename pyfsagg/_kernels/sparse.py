"""Filters of columns of which most rows are zero: counts, chi-squared, entropy scores."""

import math
from typing import NamedTuple

import numpy as np

from pyfsagg._base.arithmetic import Booleans, Floats, Integer, Integers
from pyfsagg._kernels import Codes, Weights, Words, kernel
from pyfsagg._kernels.class_tables import ENTROPY, EQUAL_WIDTH, width_cutpoints, write_statistic
from pyfsagg._kernels.entropy_bins import (
    CutSpace,
    cut_space,
    mark_cuts,
    room_for_rows,
    start_resample,
)
from pyfsagg._kernels.entropy_scores import count_between_cuts, write_scores


class SortedPlaces(NamedTuple):
    """The columns of a sparse table, each sorted once.

    A column has one place for every cell that is not zero and one for all zeros together, if there are
    any, by rising value; missing values come last, equal values in row order.  Column j has the places
    from ``start[j]`` up to ``start[j + 1]``, with their `rows` (n_samples for the zeros), `values` and
    `levels` (positions among its distinct values, missing last).  It has `n_known` places that are not
    missing, `n_levels` levels, and is `tied` if some value occurs more than once.
    """

    start: Integers
    rows: Codes
    values: Floats
    n_known: Integers
    tied: Booleans
    levels: Words
    n_levels: Integers


@kernel
def _count_zeros(rows: Codes, packed: Words, class_counts: Integers, zeros: Integers) -> Integer:
    """Set `zeros` to the class counts of the rows that are at no place of `rows`; returns their sum."""
    n_zeros = np.int64(0)
    for label in range(zeros.shape[0]):
        zeros[label] = class_counts[label]
        n_zeros += class_counts[label]
    for row in rows:
        if row < packed.shape[0]:
            word = np.int64(packed[row])
            zeros[word >> 16] -= word & 0xFFFF
            n_zeros -= word & 0xFFFF
    return n_zeros


@kernel
def _weight_of(row: Integer, packed: Words, n_zeros: Integer) -> Integer:
    return np.int64(packed[row]) & 0xFFFF if row < packed.shape[0] else n_zeros


@kernel
def _width_bins(
    rows: Codes,
    values: Floats,
    packed: Words,
    n_zeros: Integer,
    n_bins: Integer,
    bins: Words,
    cutpoints: Floats,
    made: Codes,
) -> Integer:
    """Bin of each known place, for equal width; returns how many are told apart. `made`: the first and the
    last place drawn that the bins are made for, and how many these are: resamples often share the range."""
    lowest, highest = 0, rows.shape[0] - 1
    while lowest <= highest and _weight_of(rows[lowest], packed, n_zeros) == 0:
        lowest += 1
    while lowest < highest and _weight_of(rows[highest], packed, n_zeros) == 0:
        highest -= 1
    if lowest == made[0] and highest == made[1]:
        return np.int64(made[2])
    one = lowest >= highest or values[lowest] == values[highest]
    made[0], made[1], made[2] = lowest, highest, 1 if one else n_bins
    if not one:
        width_cutpoints(values[lowest], values[highest], n_bins, cutpoints)
    above = 0
    for place in range(rows.shape[0]):
        while not one and above < n_bins - 1 and values[place] > cutpoints[above]:
            above += 1
        bins[place] = above
    return np.int64(made[2])


@kernel
def _frequency_bins(
    rows: Codes, values: Floats, packed: Words, n_zeros: Integer, n_bins: Integer, bins: Words
) -> Integer:
    """As :func:`_width_bins`; the value at which the share of its weight is full closes a bin."""
    total = np.int64(0)
    for row in rows:
        total += _weight_of(row, packed, n_zeros)
    found = 0
    seen = np.int64(0)
    goal = total
    closing = False
    closed_by = 0.0
    for place in range(rows.shape[0]):
        weight = _weight_of(rows[place], packed, n_zeros)
        if weight > 0 and closing and values[place] != closed_by:
            found += 1
            goal = (seen * n_bins // total + 1) * total
            closing = False
        bins[place] = found
        seen += weight
        if weight > 0 and not closing and seen * n_bins >= goal:
            closing, closed_by = True, values[place]
    return found + 1


@kernel
def _count_levels(
    rows: Codes, levels: Words, packed: Words, zeros: Integers, counts: Integers
) -> None:
    """Set `counts` to the class counts of each level, from the level of each place."""
    counts[:] = 0
    for place in range(rows.shape[0]):
        row, level = rows[place], levels[place]
        if row < packed.shape[0]:
            word = packed[row]
            counts[level, np.uint64(word) >> np.uint64(16)] += np.int64(word) & 0xFFFF
        else:
            for label in range(zeros.shape[0]):
                counts[level, label] += zeros[label]


@kernel
def sparse_tables(
    statistic: int,
    kind: Integer,
    n_bins: Integer,
    places: SortedPlaces,
    columns: Integers,
    binned: Booleans,
    n_classes: int,
    table_size: Integer,
    labels: Codes,
    weights: Weights,
    scores: Floats,
) -> None:
    """Write the `scores` (n_outputs, n_resamples, n_features) of `columns`, those `binned` (n_features,) cut
    in every resample, others by level; the rest as in
    :func:`~pyfsagg._kernels.entropy_scores.score_binned`."""
    start, all_rows, all_values, n_known, _, levels, n_levels = places
    drawn = room_for_rows(weights.shape[1], n_classes, table_size)
    packed, class_counts, table = drawn.packed, drawn.class_counts, drawn.table
    zeros, shares = np.empty(n_classes, np.int64), np.empty(n_classes)
    bins, cutpoints = np.empty(all_rows.shape[0], np.uint32), np.empty(n_bins)
    made = np.full((n_levels.shape[0], 3), -2, np.int32)
    counts = np.empty((max(n_bins + 1, n_levels.max()), n_classes), np.int64)
    cells = counts.reshape(-1)
    for r in range(weights.shape[0]):
        total, shift, class_sum = start_resample(r, weights, labels, drawn)
        for j in columns:
            out, rows = scores[:, r, j], all_rows[start[j] : start[j + 1]]
            n_zeros = _count_zeros(rows, packed, class_counts, zeros)
            if binned[j]:
                known, values = rows[: n_known[j]], all_values[start[j] : start[j] + n_known[j]]
                own = bins[start[j] : start[j + 1]]
                if kind == EQUAL_WIDTH:
                    found = _width_bins(
                        known, values, packed, n_zeros, n_bins, own, cutpoints, made[j]
                    )
                else:
                    found = _frequency_bins(known, values, packed, n_zeros, n_bins, own)
                if statistic == ENTROPY and found == 1:
                    out[:] = 0.0
                    continue
                for place in range(n_known[j], rows.shape[0]):
                    own[place] = found  # the last level: missing values
                used = counts[: found + 1]
                _count_levels(rows, own, packed, zeros, used)
            else:
                used = counts[: n_levels[j]]
                _count_levels(rows, levels[start[j] : start[j + 1]], packed, zeros, used)
            if statistic == ENTROPY:
                write_scores(used, class_sum, total, table, shift, out)
            else:
                write_statistic(statistic, cells[: used.size], n_classes, shares, out)


@kernel
def _outer_zeros(
    rows: Codes, packed: Words, stamp: Integers, key: Integer
) -> tuple[Integer, Integer]:
    """Classes of the first and the last row present that are zero, of which there must be one."""
    first, last = 0, packed.shape[0] - 1
    for row in rows:
        if row <= last:
            stamp[row] = key
    while stamp[first] == key or packed[first] & 0xFFFF == 0:
        first += 1
    while stamp[last] == key or packed[last] & 0xFFFF == 0:
        last -= 1
    return np.int64(packed[first]) >> 16, np.int64(packed[last]) >> 16


@kernel
def _zero_entries(
    zeros: Integers, first: Integer, last: Integer, entry: int, space: CutSpace
) -> int:
    """Write the entries of the zeros from `entry` on, one per class; returns the place behind them. The class
    `first` comes first and `last` last, if need be with size 0, for the FSelectorRcpp reading."""
    classes, sizes, cut = space.classes, space.sizes, space.cut
    start = entry
    if first >= 0:
        classes[entry], sizes[entry] = first, zeros[first]
        entry += 1
    for label in range(zeros.shape[0]):
        if zeros[label] > 0 and label != first and label != last:
            classes[entry], sizes[entry] = label, zeros[label]
            entry += 1
    if last >= 0 and (last != first or entry > start + 1):
        classes[entry], sizes[entry] = last, zeros[last] if last != first else 0
        entry += 1
    cut[start:entry] = 0
    cut[start] = 1
    return entry


@kernel
def _build_entries(
    rows: Codes,
    values: Floats,
    tied: bool,
    packed: Words,
    zeros: Integers,
    n_zeros: Integer,
    first: Integer,
    last: Integer,
    space: CutSpace,
) -> Integer:
    """Entries of the known places as by :func:`build_entries`, up to order in a value; in a column without
    ties the zeros are one row at most."""
    classes, sizes, cut = space.classes, space.sizes, space.cut
    entry = 0
    label = np.int64(-1)
    changed = True
    for place in range(rows.shape[0]):
        changed = changed or values[place] != values[place - 1]
        row = rows[place]
        if row < packed.shape[0]:
            word = np.int64(packed[row])
            weight, here = word & 0xFFFF, word >> 16
            if weight == 0:
                continue
            if here != label or (tied and changed):
                classes[entry], sizes[entry] = here, 0
                cut[entry] = changed
                entry += 1
            sizes[entry - 1] += weight
            label = here
        elif n_zeros > 0:
            before = entry
            entry = _zero_entries(zeros, first, last, entry, space)
            if not tied and before > 0 and classes[before] == label:
                sizes[before - 1] += sizes[before]
                entry = before
            label = np.int64(classes[entry - 1])
        else:
            continue
        changed = False
    return entry


@kernel
def _least_gain(
    class_counts: Integers, spread: Integer, total: Integer, shift: int, codes: Floats
) -> Integer:
    """Gain, in units of the table, below which MDL refuses every cut of a column without missing values: the
    cost of a cut into two parts without entropy, with room for rounding; `spread` is N times the entropy of
    the classes."""
    if total < 2:
        return 0
    present = 0
    for count in class_counts:
        present += count > 0
    entropy = math.ldexp(np.float64(spread), -shift) / total
    cost = math.log(total - 1) + codes[present] - present * entropy
    return np.int64(math.ldexp(cost, shift)) - 1024


@kernel
def sparse_mdl(
    places: SortedPlaces,
    columns: Integers,
    parity: bool,
    n_classes: int,
    table_size: Integer,
    labels: Codes,
    weights: Weights,
    scores: Floats,
) -> None:
    """Write the `scores` (3, n_resamples, n_features) of `columns` cut by MDL in every resample; parameters
    as in :func:`pyfsagg._kernels.entropy_scores.score_mdl`."""
    start, all_rows, all_values, n_known, tied, _, _ = places
    n_resamples, n_samples = weights.shape
    drawn = room_for_rows(n_samples, n_classes, table_size)
    packed, class_counts, table = drawn.packed, drawn.class_counts, drawn.table
    zeros = np.empty(n_classes, np.int64)
    space = cut_space(int(np.diff(start).max()) + n_classes + 3, n_classes)
    counts = np.empty((8, n_classes), np.int64)
    stamp = np.full(n_samples, -1, np.int64)
    for r in range(n_resamples):
        total, shift, class_sum = start_resample(r, weights, labels, drawn)
        spread = table[total] - class_sum
        least = _least_gain(class_counts, spread, total, shift, space.codes)
        for j in columns:
            scores[:, r, j] = 0.0
            known, part = n_known[j], slice(start[j], start[j + 1])
            rows, values = all_rows[part], all_values[part]
            n_zeros = _count_zeros(rows, packed, class_counts, zeros)
            if (
                known == rows.shape[0]
            ):  # where most sparse columns end: the zeros apart gain too little
                remaining = table[n_zeros]
                for count in zeros:
                    remaining -= table[count]
                if spread - remaining < least:
                    continue
            first: Integer = np.int64(-1)
            last: Integer = np.int64(-1)
            if n_zeros > 0 and parity:
                first, last = _outer_zeros(rows, packed, stamp, r * start.shape[0] + j)
            n_entries = _build_entries(
                rows[:known], values, tied[j], packed, zeros, n_zeros, first, last, space
            )
            n_cuts = mark_cuts(n_entries, space, parity, table, shift)
            if n_cuts == 0:
                continue
            counts = count_between_cuts(counts, n_cuts, n_entries, space)
            for row in rows[known:]:
                word = np.int64(packed[row])
                counts[n_cuts + 1, word >> 16] += word & 0xFFFF
            used = counts[: n_cuts + 2]
            write_scores(used, class_sum, total, table, shift, scores[:, r, j])

"""Filters of columns of which most rows are zero: counts, chi-squared, entropy scores."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Booleans, Floats, Integer, Integers
from pyfsagg._kernels import Codes, Weights, Words, kernel
from pyfsagg._kernels.class_tables import EQUAL_WIDTH, width_cutpoints, width_rows, write_statistic
from pyfsagg._kernels.entropy_bins import CutSpace, cut_space, mark_cuts
from pyfsagg._kernels.entropy_scores import (
    count_between_cuts,
    room_for_rows,
    start_resample,
    write_scores,
)


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
def _class_counts(weights: Weights, labels: Codes, n_classes: int) -> Integers:
    """Weight of each class in each resample, (n_resamples, n_classes)."""
    counts = np.zeros((weights.shape[0], n_classes), dtype=np.int64)
    for r in range(weights.shape[0]):
        label = labels[r if labels.shape[0] > 1 else 0]
        for i in range(weights.shape[1]):
            counts[r, label[i]] += weights[r, i]
    return counts


@kernel
def _known_range(
    rows: Codes, values: Floats, n_known: int, weights: Weights, n_zeros: int
) -> tuple[float, float]:
    """Smallest and largest value of the known places present; (inf, -inf) if there are none."""
    n_samples = weights.shape[0]
    low, high = np.inf, -np.inf
    for place in range(n_known):
        row = rows[place]
        if (weights[row] if row < n_samples else n_zeros) > 0:
            low = values[place]
            break
    for place in range(n_known - 1, -1, -1):
        row = rows[place]
        if (weights[row] if row < n_samples else n_zeros) > 0:
            high = values[place]
            break
    return low, high


@kernel
def _count_cells(
    rows: Codes, codes: Words, weights: Weights, labels: Codes, zeros: Integers, cells: Integers
) -> None:
    """Weighted counts by code and class: ``cells[code * n_classes + label]``."""
    n_samples, n_classes = weights.shape[0], zeros.shape[0]
    cells[:] = 0
    for place in range(rows.shape[0]):
        row = rows[place]
        first = np.int64(codes[place]) * n_classes
        if row < n_samples:
            cells[first + labels[row]] += weights[row]
        else:
            for label in range(n_classes):
                cells[first + label] += zeros[label]


@kernel
def _count_column(
    rows: Codes,
    values: Floats,
    n_known: int,
    binned: bool,
    bins: int,
    weights: Weights,
    labels: Codes,
    class_counts: Integers,
    extent: tuple[float, float],
    codes: Words,
    zeros: Integers,
    cells: Integers,
) -> tuple[float, float]:
    """Set `cells` for one column and resample; the range that `codes` are made for (`extent` so far)."""
    n_samples = weights.shape[0]
    zeros[:] = class_counts
    for row in rows:
        if row < n_samples:
            zeros[labels[row]] -= weights[row]
    if binned:
        found = _known_range(rows, values, n_known, weights, zeros.sum())
        if not (found[0] == extent[0] and found[1] == extent[1]):
            extent = found
            width_rows(values, extent[0], extent[1], bins, codes)
    _count_cells(rows, codes, weights, labels, zeros, cells)
    return extent


@kernel
def sparse_class_tables(
    statistic: int,
    places: SortedPlaces,
    n_codes: Integers,
    binned: Booleans,
    bins: int,
    n_classes: int,
    labels: Codes,
    weights: Weights,
    scores: Floats,
) -> None:
    """Write the `scores` (n_outputs, n_resamples, n_features) of every column and resample.

    `statistic` as in :func:`pyfsagg._kernels.class_tables.class_tables`; `n_codes` bounds the codes of a
    column (levels, or bins and one for missing), `binned` ones are cut into `bins` of equal width.
    """
    start, rows, values, n_known = places.start, places.rows, places.values, places.n_known
    class_counts = _class_counts(weights, labels, n_classes)
    cells = np.empty(int(n_codes.max()) * n_classes, dtype=np.int64)
    zeros, shares = np.empty(n_classes, dtype=np.int64), np.empty(n_classes)
    for j in range(n_codes.shape[0]):
        part = slice(start[j], start[j + 1])
        part_rows, part_values, codes = rows[part], values[part], places.levels[part].copy()
        used = cells[: n_codes[j] * n_classes]
        extent = (np.nan, np.nan)
        for r in range(weights.shape[0]):
            extent = _count_column(
                part_rows,
                part_values,
                n_known[j],
                binned[j],
                bins,
                weights[r],
                labels[r if labels.shape[0] > 1 else 0],
                class_counts[r],
                extent,
                codes,
                zeros,
                used,
            )
            write_statistic(statistic, used, n_classes, shares, scores[:, r, j])


@kernel
def count_zeros(
    rows: Codes,
    start: Integer,
    stop: Integer,
    packed: Words,
    class_counts: Integers,
    zeros: Integers,
) -> Integer:
    """Set `zeros` to the class counts of the rows at no place from `start` on; returns their sum."""
    n_samples = packed.shape[0]
    n_zeros = np.int64(0)
    for label in range(zeros.shape[0]):
        zeros[label] = class_counts[label]
        n_zeros += class_counts[label]
    for place in range(start, stop):
        row = rows[place]
        if row < n_samples:
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
    bins: Integers,
    cutpoints: Floats,
) -> Integer:
    """Bin of each known place, for equal width; returns how many are told apart."""
    lowest, highest = 0, rows.shape[0] - 1
    while lowest <= highest and _weight_of(rows[lowest], packed, n_zeros) == 0:
        lowest += 1
    while lowest < highest and _weight_of(rows[highest], packed, n_zeros) == 0:
        highest -= 1
    if lowest >= highest or values[lowest] == values[highest]:
        return 1
    width_cutpoints(values[lowest], values[highest], n_bins, cutpoints)
    above = 0
    for place in range(rows.shape[0]):
        while above < n_bins - 1 and values[place] > cutpoints[above]:
            above += 1
        bins[place] = above
    return n_bins


@kernel
def _frequency_bins(
    rows: Codes, values: Floats, packed: Words, n_zeros: Integer, n_bins: Integer, bins: Integers
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
def sparse_binned(
    kind: Integer,
    n_bins: Integer,
    places: SortedPlaces,
    columns: Integers,
    weights: Weights,
    labels: Codes,
    n_classes: Integer,
    table_size: Integer,
    scores: Floats,
) -> None:
    """Write the `scores` (3, n_resamples, n_features) of `columns` binned in every resample; parameters as
    in :func:`pyfsagg._kernels.sparse.sparse_mdl`.
    """
    start, rows, values, n_known = places.start, places.rows, places.values, places.n_known
    n_resamples, n_samples = weights.shape
    drawn = room_for_rows(n_samples, n_classes, table_size)
    packed, class_counts, table = drawn.packed, drawn.class_counts, drawn.table
    zeros = np.empty(n_classes, np.int64)
    bins = np.empty(int(np.diff(start).max()), np.int64)
    cutpoints = np.empty(n_bins, np.float64)
    counts = np.empty((n_bins + 1, n_classes), np.int64)
    for r in range(n_resamples):
        total, shift, class_sum = start_resample(r, weights, labels, drawn)
        for j in columns:
            here = rows[start[j] : start[j + 1]]
            n_zeros = count_zeros(rows, start[j], start[j + 1], packed, class_counts, zeros)
            known = here[: n_known[j]]
            known_values = values[start[j] : start[j] + n_known[j]]
            if kind == EQUAL_WIDTH:
                n_levels = _width_bins(
                    known, known_values, packed, n_zeros, n_bins, bins, cutpoints
                )
            else:
                n_levels = _frequency_bins(known, known_values, packed, n_zeros, n_bins, bins)
            if n_levels == 1:
                scores[:, r, j] = 0.0
                continue
            bins[n_known[j] : here.shape[0]] = n_levels  # the last level: missing values
            _count_levels(here, bins, packed, zeros, counts[: n_levels + 1])
            write_scores(counts, n_levels + 1, class_sum, total, table, shift, scores[:, r, j])


@kernel
def _count_levels(
    rows: Codes, levels: NDArray[np.integer[Any]], packed: Words, zeros: Integers, counts: Integers
) -> None:
    """Set `counts` to the class counts of each level, from the level of each place."""
    n_samples = packed.shape[0]
    counts[:] = 0
    for place in range(rows.shape[0]):
        row = rows[place]
        if row < n_samples:
            word = np.int64(packed[row])
            counts[levels[place], word >> 16] += word & 0xFFFF
        else:
            counts[levels[place]] += zeros


@kernel
def sparse_levels(
    places: SortedPlaces,
    columns: Integers,
    weights: Weights,
    labels: Codes,
    n_classes: Integer,
    table_size: Integer,
    scores: Floats,
) -> None:
    """As :func:`sparse_binned` for `columns` whose levels are taken as they are."""
    start, rows, levels, n_levels = places.start, places.rows, places.levels, places.n_levels
    n_resamples, n_samples = weights.shape
    drawn = room_for_rows(n_samples, n_classes, table_size)
    packed, class_counts, table = drawn.packed, drawn.class_counts, drawn.table
    zeros = np.empty(n_classes, np.int64)
    counts = np.empty((n_levels.max(), n_classes), np.int64)
    for r in range(n_resamples):
        total, shift, class_sum = start_resample(r, weights, labels, drawn)
        for j in columns:
            part = slice(start[j], start[j + 1])
            count_zeros(rows, start[j], start[j + 1], packed, class_counts, zeros)
            used = counts[: n_levels[j]]
            _count_levels(rows[part], levels[part], packed, zeros, used)
            write_scores(used, n_levels[j], class_sum, total, table, shift, scores[:, r, j])


@kernel
def _outer_zeros(
    rows: Codes, start: Integer, stop: Integer, packed: Words, stamp: Integers, key: Integer
) -> tuple[Integer, Integer]:
    """Classes of the first and the last row present that are zero, of which there must be one."""
    n_samples = packed.shape[0]
    for place in range(start, stop):
        row = rows[place]
        if row < n_samples:
            stamp[row] = key
    first, last = 0, n_samples - 1
    while stamp[first] == key or packed[first] & 0xFFFF == 0:
        first += 1
    while stamp[last] == key or packed[last] & 0xFFFF == 0:
        last -= 1
    return np.int64(packed[first]) >> 16, np.int64(packed[last]) >> 16


@kernel
def _zero_entries(
    zeros: Integers, first: Integer, last: Integer, entry: int, space: CutSpace
) -> int:
    """Write the entries of the zeros from `entry` on, one per class; returns the place behind them.

    The class `first` comes first and `last` last, if need be with size 0, for the FSelectorRcpp reading.
    """
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
    start: Integer,
    stop: Integer,
    tied: bool,
    packed: Words,
    zeros: Integers,
    n_zeros: Integer,
    first: Integer,
    last: Integer,
    space: CutSpace,
) -> Integer:
    """Entries of the known places `start` to `stop` as by :func:`build_entries`, up to order in a value.

    In a column without ties the zeros are one row at most.
    """
    classes, sizes, cut = space.classes, space.sizes, space.cut
    n_samples = packed.shape[0]
    entry = 0
    label = np.int64(-1)
    changed = True
    for place in range(start, stop):
        changed = changed or values[place] != values[place - 1]
        row = rows[place]
        if row < n_samples:
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
    class_counts: Integers,
    class_sum: Integer,
    total: Integer,
    table: Integers,
    shift: int,
    codes: Floats,
) -> Integer:
    """Gain, in units of the table, below which MDL refuses every cut of a column without missing values:
    the cost of a cut into two parts without entropy, with room for rounding.
    """
    if total < 2:
        return 0
    present = 0
    for count in class_counts:
        present += count > 0
    entropy = math.ldexp(np.float64(table[total] - class_sum), -shift) / total
    cost = math.log(total - 1) + codes[present] - present * entropy
    return np.int64(math.ldexp(cost, shift)) - 1024


@kernel
def _cannot_be_cut(
    zeros: Integers, n_zeros: Integer, spread: Integer, least: Integer, table: Integers
) -> bool:
    """Whether parting all rows from the zeros gains less than `least`, where most sparse columns end;
    `spread` is the entropy of the class times the total weight.
    """
    remaining = table[n_zeros]
    for count in zeros:
        remaining -= table[count]
    return bool(spread - remaining < least)


@kernel
def sparse_mdl(
    places: SortedPlaces,
    columns: Integers,
    weights: Weights,
    labels: Codes,
    n_classes: Integer,
    table_size: Integer,
    parity: bool,
    scores: Floats,
) -> None:
    """Write the `scores` (3, n_resamples, n_features) of `columns` cut by MDL in every resample; parameters
    as in :func:`pyfsagg._kernels.entropy_scores.score_mdl`.
    """
    start, rows, values, n_known = places.start, places.rows, places.values, places.n_known
    n_resamples, n_samples = weights.shape
    size = int(np.diff(start).max()) + n_classes + 3
    drawn = room_for_rows(n_samples, n_classes, table_size)
    packed, class_counts, table = drawn.packed, drawn.class_counts, drawn.table
    zeros = np.empty(n_classes, np.int64)
    space = cut_space(size, n_classes)
    counts = np.empty((8, n_classes), np.int64)
    stamp = np.full(n_samples, -1, np.int64)
    for r in range(n_resamples):
        total, shift, class_sum = start_resample(r, weights, labels, drawn)
        spread = table[total] - class_sum
        least = _least_gain(class_counts, class_sum, total, table, shift, space.codes)
        for j in columns:
            scores[:, r, j] = 0.0
            begin, end = start[j], start[j + 1]
            n_zeros = count_zeros(rows, begin, end, packed, class_counts, zeros)
            known = begin + n_known[j]
            if known == end and _cannot_be_cut(zeros, n_zeros, spread, least, table):
                continue
            first: Integer = np.int64(-1)
            last: Integer = np.int64(-1)
            if n_zeros > 0 and parity:
                first, last = _outer_zeros(rows, begin, end, packed, stamp, r * start.shape[0] + j)
            n_entries = _build_entries(
                rows,
                values,
                begin,
                known,
                places.tied[j],
                packed,
                zeros,
                n_zeros,
                first,
                last,
                space,
            )
            n_cuts = mark_cuts(n_entries, space, parity, table, shift)
            if n_cuts == 0:
                continue
            counts = count_between_cuts(counts, n_cuts, n_entries, space)
            for place in range(known, end):
                word = np.int64(packed[rows[place]])
                counts[n_cuts + 1, word >> 16] += word & 0xFFFF
            write_scores(counts, n_cuts + 2, class_sum, total, table, shift, scores[:, r, j])

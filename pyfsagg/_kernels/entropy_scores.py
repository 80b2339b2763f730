"""Entropy scores of many columns for many resamples, from rows or from tables of counts."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats, Integer
from pyfsagg._kernels import kernel
from pyfsagg._kernels.class_tables import chi_squared_of_counts, value_difference
from pyfsagg._kernels.entropy_bins import (
    CutSpace,
    bin_edges,
    build_entries,
    cut_space,
    fill_xlogx,
    mark_cuts,
    pack_rows,
    xlogx,
    xlogx_shift,
)

SCORES = ("information_gain", "gain_ratio", "symmetric_uncertainty")
"""What the kernels compute, in this order."""


class DrawnRows(NamedTuple):
    """One resample: its packed rows, its class counts, and the table of ``x log x`` (its shift, and how
    far it is filled, in `state`), which resamples of one size share.
    """

    packed: NDArray[np.uint32]
    class_counts: NDArray[np.int64]
    table: NDArray[np.int64]
    state: NDArray[np.int64]


@kernel
def room_for_rows(n_samples: Integer, n_classes: Integer, table_size: Integer) -> DrawnRows:
    """Room for resamples of a total weight below `table_size`."""
    return DrawnRows(
        np.empty(n_samples, np.uint32),
        np.empty(n_classes, np.int64),
        np.empty(table_size, np.int64),
        np.full(2, -(2**40), np.int64),
    )


@kernel
def start_resample(
    r: Integer, weights: NDArray[np.uint16], labels: NDArray[np.int32], drawn: DrawnRows
) -> tuple[Integer, int, Integer]:
    """Pack the rows of resample `r` and see to the table; the total weight, the shift of the table, and
    the sum of ``x log x`` over the classes.
    """
    row_weights, row_labels = weights[r], labels[min(r, labels.shape[0] - 1)]
    class_counts, table, state = drawn.class_counts, drawn.table, drawn.state
    pack_rows(row_weights, row_labels, drawn.packed)
    class_counts[:] = 0
    for row in range(row_weights.shape[0]):
        class_counts[row_labels[row]] += row_weights[row]
    total = class_counts.sum()
    shift = xlogx_shift(total)
    if shift != state[0]:
        state[0] = shift
        state[1] = 0
    if state[1] <= total:
        fill_xlogx(table, state[1], total + 1, shift)
        state[1] = total + 1
    class_sum = np.int64(0)
    for count in class_counts:
        class_sum += table[count]
    return total, shift, class_sum


@kernel
def count_between_cuts(
    counts: NDArray[np.int64],
    n_cuts: Integer,
    n_entries: Integer,
    space: CutSpace,
) -> NDArray[np.int64]:
    """Class counts of the levels between cuts, and a row of zeros; in `counts`, or a larger array."""
    if n_cuts + 2 > counts.shape[0]:
        counts = np.empty((2 * n_cuts + 2, counts.shape[1]), np.int64)
    counts[: n_cuts + 2] = 0
    level = 0
    for i in range(n_entries):
        level += space.cut[i] == 2
        counts[level, space.classes[i]] += space.sizes[i]
    return counts


@kernel
def write_scores(
    counts: NDArray[np.int64],
    n_levels: Integer,
    class_sum: Integer,
    total: Integer,
    table: NDArray[np.int64],
    shift: int,
    out: Floats,
) -> None:
    """The three scores from the counts (n_levels, n_classes); `class_sum`: Σ ``x log x`` of the classes."""
    joint = np.int64(0)
    levels = np.int64(0)
    for level in range(n_levels):
        size = np.int64(0)
        for label in range(counts.shape[1]):
            size += counts[level, label]
            joint += table[counts[level, label]]
        levels += table[size]
    scores_of_sums(table[total], joint, class_sum, levels, total, shift, out)


@kernel
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
    packed: NDArray[np.uint32],
    level: NDArray[np.int64],
) -> None:
    """Add the rows at sorted positions start <= position < stop to the class counts `level`."""
    for row in order[start:stop]:
        word = np.int64(packed[np.uint64(row) & mask])
        level[word >> 16] += word & 0xFFFF


@kernel
def _class_words(packed: NDArray[np.uint32], bits: Integer, words: NDArray[np.uint64]) -> None:
    """The weight of each row, moved up by `bits` for each class below its own: a sum counts all classes."""
    for row in range(packed.shape[0]):
        word = np.int64(packed[row])
        words[row] = np.uint64(word & 0xFFFF) << np.uint64(bits * (word >> 16))


@kernel
def _add_words(
    order: NDArray[Any],
    start: Integer,
    stop: Integer,
    mask: np.uint64,
    words: NDArray[np.uint64],
    bits: Integer,
    level: NDArray[np.int64],
) -> None:
    """As :func:`_count_rows`, from the words of :func:`_class_words`."""
    gathered = np.uint64(0)
    for row in order[start:stop]:
        gathered += words[np.uint64(row) & mask]
    for label in range(level.shape[0]):
        word = gathered >> np.uint64(bits * label)
        level[label] += np.int64(word & ((np.uint64(1) << np.uint64(bits)) - np.uint64(1)))


@kernel
def score_mdl(
    order: NDArray[Any],
    n_known: NDArray[np.int64],
    tied: NDArray[np.bool_],
    row_bits: Integer,
    weights: NDArray[np.uint16],
    labels: NDArray[np.int32],
    n_classes: Integer,
    table_size: Integer,
    parity: bool,
) -> Floats:
    """Scores (n_resamples, n_columns, 3) of numeric columns cut by MDL in every resample.

    `order`, `n_known`, `tied`, `row_bits` are those of :class:`pyfsagg.discretization.SortedColumns`;
    `weights` (n_resamples, n_samples); `labels` (n_resamples or 1, n_samples); `table_size` is one more
    than the largest total weight; `parity` takes the FSelectorRcpp reading.
    """
    n_resamples, n_samples = weights.shape
    n_columns = order.shape[0]
    out = np.empty((n_resamples, n_columns, 3))
    drawn = room_for_rows(n_samples, n_classes, table_size)
    packed, table = drawn.packed, drawn.table
    space = cut_space(n_samples + 1, n_classes)
    counts = np.empty((8, n_classes), np.int64)
    mask = np.uint64((1 << row_bits) - 1)
    for r in range(n_resamples):
        total, shift, class_sum = start_resample(r, weights, labels, drawn)
        for j in range(n_columns):
            n_entries = build_entries(order[j], n_known[j], tied[j], row_bits, packed, space)
            n_cuts = mark_cuts(n_entries, space, parity, table, shift)
            if n_cuts == 0:
                out[r, j] = 0.0
                continue
            counts = count_between_cuts(counts, n_cuts, n_entries, space)
            _count_rows(order[j], n_known[j], n_samples, mask, packed, counts[n_cuts + 1])
            write_scores(counts, n_cuts + 2, class_sum, total, table, shift, out[r, j])
    return out


@kernel
def score_binned(
    kind: Integer,
    n_bins: Integer,
    order: NDArray[Any],
    n_known: NDArray[np.int64],
    row_bits: Integer,
    values: Floats,
    grid: Floats,
    columns: NDArray[np.int64],
    weights: NDArray[np.uint16],
    labels: NDArray[np.int32],
    n_classes: Integer,
    table_size: Integer,
) -> Floats:
    """Scores (n_resamples, n_columns, 3) of the `columns` of `values`, binned anew in every resample.

    Row j of `grid` is that of :func:`~pyfsagg._kernels.entropy_bins.bin_edges`; else as :func:`score_mdl`.
    """
    n_resamples, n_samples = weights.shape
    n_columns = order.shape[0]
    out = np.empty((n_resamples, n_columns, 3))
    drawn = room_for_rows(n_samples, n_classes, table_size)
    packed, table = drawn.packed, drawn.table
    counts = np.empty((n_bins + 1, n_classes), np.int64)
    edges = np.empty(n_bins + 2, np.int64)
    cutpoints = np.empty(n_bins, np.float64)
    words = np.empty(n_samples, np.uint64)
    mask = np.uint64((1 << row_bits) - 1)
    for r in range(n_resamples):
        total, shift, class_sum = start_resample(r, weights, labels, drawn)
        bits = math.frexp(np.float64(total))[1]
        packable = bits * n_classes <= 64
        if packable:
            _class_words(packed, bits, words)
        for j in range(n_columns):
            found = bin_edges(
                kind,
                order[j],
                n_known[j],
                mask,
                values[:, columns[j]],
                grid[j],
                packed,
                n_bins,
                edges,
                cutpoints,
            )
            if found == 1:
                out[r, j] = 0.0
                continue
            counts[: found + 1] = 0
            edges[found + 1] = n_samples  # the last level: rows whose value is missing
            for b in range(found + 1):
                if packable:
                    _add_words(order[j], edges[b], edges[b + 1], mask, words, bits, counts[b])
                else:
                    _count_rows(order[j], edges[b], edges[b + 1], mask, packed, counts[b])
            write_scores(counts, found + 1, class_sum, total, table, shift, out[r, j])
    return out


@kernel
def score_nominal(
    codes: NDArray[np.int32],
    n_levels: NDArray[np.int64],
    weights: NDArray[np.uint16],
    labels: NDArray[np.int32],
    n_classes: Integer,
    table_size: Integer,
) -> Floats:
    """Scores (n_resamples, n_columns, 3) of columns of `codes` below ``n_levels[j]``, missing included."""
    n_resamples, n_samples = weights.shape
    n_columns = codes.shape[0]
    out = np.empty((n_resamples, n_columns, 3))
    drawn = room_for_rows(n_samples, n_classes, table_size)
    counts = np.empty((n_levels.max(), n_classes), np.int64)
    for r in range(n_resamples):
        total, shift, class_sum = start_resample(r, weights, labels, drawn)
        row_labels = labels[min(r, labels.shape[0] - 1)]
        for j in range(n_columns):
            counts[: n_levels[j]] = 0
            for row in range(n_samples):
                counts[codes[j, row], row_labels[row]] += weights[r, row]
            write_scores(counts, n_levels[j], class_sum, total, drawn.table, shift, out[r, j])
    return out


OUTPUTS = (*SCORES, "chi_squared", "cramers_v", "value_difference_metric")


@kernel
def _entropy_scores(cells: NDArray[np.int64], n_classes: Integer, out: Floats) -> None:
    """The three scores, into `out`, of counts at ``code * n_classes + label``.

    The counts may be large: ``x log x`` is computed as needed, to the same bits as those of the table.
    """
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
def score_counts(
    counts: NDArray[np.int64],
    n_codes: NDArray[np.int64],
    n_classes: int,
    scores: Floats,
) -> None:
    """Scores (number of `OUTPUTS`, n_resamples, n_features) of the counts of `count_resamples`; the
    value difference metric for two classes only.
    """
    start = 0
    cells = np.empty(int(n_codes.max()) * n_classes, np.int64)
    for j in range(n_codes.shape[0]):
        used = cells[: n_codes[j] * n_classes]
        for r in range(scores.shape[1]):
            for cell in range(used.shape[0]):
                used[cell] = counts[start + cell, r]
            _entropy_scores(used, n_classes, scores[:3, r, j])
            scores[3, r, j], scores[4, r, j] = chi_squared_of_counts(used, n_classes)
            if n_classes == 2:
                scores[5, r, j] = value_difference(used)
        start += used.shape[0]

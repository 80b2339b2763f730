"""The scores of :mod:`pyfsagg._kernels.entropy.scores` for columns of which most rows are zero.

A column is a list of *places* by rising value (:class:`pyfsagg.filters._sparse.SortedPlaces`): one for
each row that is not zero, and one for all zeros together.  Their class counts are those of the
resample less those of the other rows, so that a column costs as many steps as it has places.  The
counts are the whole numbers of the dense kernels, and the scores therefore the same bits.
Columns cut by MDL are in :mod:`pyfsagg._kernels.entropy.sparse_mdl`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pyfsagg._base.types import Floats, Integer
from pyfsagg._kernels.entropy.scores import room_for_rows, start_resample, write_scores
from pyfsagg._kernels.tables.binning import EQUAL_WIDTH, width_cutpoints
from pyfsagg._kernels.tables.places import SortedPlaces

__all__ = ["count_zeros", "sparse_binned", "sparse_levels"]


@njit(cache=True, nogil=True)
def count_zeros(
    rows: NDArray[np.int32],
    start: Integer,
    stop: Integer,
    packed: NDArray[np.uint32],
    class_counts: NDArray[np.int64],
    zeros: NDArray[np.int64],
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


@njit(cache=True, nogil=True)
def _weight_of(row: Integer, packed: NDArray[np.uint32], n_zeros: Integer) -> Integer:
    return np.int64(packed[row]) & 0xFFFF if row < packed.shape[0] else n_zeros


@njit(cache=True, nogil=True)
def _width_bins(
    rows: NDArray[np.int32],
    values: Floats,
    packed: NDArray[np.uint32],
    n_zeros: Integer,
    n_bins: Integer,
    bins: NDArray[np.int64],
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


@njit(cache=True, nogil=True)
def _frequency_bins(
    rows: NDArray[np.int32],
    values: Floats,
    packed: NDArray[np.uint32],
    n_zeros: Integer,
    n_bins: Integer,
    bins: NDArray[np.int64],
) -> Integer:
    """As :func:`_width_bins` for bins of equal frequency.

    A bin is closed by the value at which its share of the weight is full.
    """
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


@njit(cache=True, nogil=True)
def sparse_binned(
    kind: Integer,
    n_bins: Integer,
    places: SortedPlaces,
    columns: NDArray[np.int64],
    weights: NDArray[np.uint16],
    labels: NDArray[np.int32],
    n_classes: Integer,
    table_size: Integer,
    scores: Floats,
) -> None:
    """Write the `scores` (3, n_resamples, n_features) of `columns` binned in every resample.

    The parameters are those of :func:`pyfsagg._kernels.entropy.sparse_mdl.sparse_mdl`.
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


@njit(cache=True, nogil=True)
def _count_levels(
    rows: NDArray[np.int32],
    levels: NDArray[np.integer[Any]],
    packed: NDArray[np.uint32],
    zeros: NDArray[np.int64],
    counts: NDArray[np.int64],
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


@njit(cache=True, nogil=True)
def sparse_levels(
    places: SortedPlaces,
    columns: NDArray[np.int64],
    weights: NDArray[np.uint16],
    labels: NDArray[np.int32],
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

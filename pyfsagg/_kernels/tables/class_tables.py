"""Filters that look at one feature and the class at a time, for a block of resamples.

Every kernel has the features outside and the resamples inside: a column is read from memory once
for the whole block.  Sums of weights are integers, so the result for weights is exactly that of the
table with its rows repeated.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pyfsagg._base.types import Floats
from pyfsagg._kernels.tables.binning import CountedColumns, column_range, width_rows

__all__ = [
    "CHI_SQUARED",
    "VALUE_DIFFERENCE",
    "chi_squared",
    "class_tables",
    "fit_criterion_block",
    "spearman_block",
    "value_difference",
    "write_statistic",
]

CHI_SQUARED = 0
VALUE_DIFFERENCE = 1

_COPIES = 4
"""Interleaved copies of a count table: neighbouring rows need not wait for each other."""


@njit(cache=True, nogil=True)
def _cell_offsets(labels: NDArray[np.int32], n_cells: int) -> NDArray[np.uint32]:
    """Where each row counts, before its code is known: its copy of the table and its class."""
    offsets = np.empty(labels.shape, dtype=np.uint32)
    for r in range(labels.shape[0]):
        for i in range(labels.shape[1]):
            offsets[r, i] = (i % _COPIES) * n_cells + labels[r, i]
    return offsets


@njit(cache=True, nogil=True)
def _count_cells(
    codes: NDArray[np.uint32],
    offsets: NDArray[np.uint32],
    weights: NDArray[np.uint16],
    n_classes: int,
    keys: NDArray[np.uint32],
    copies: NDArray[np.int64],
    cells: NDArray[np.int64],
) -> None:
    """Weighted counts by code and class: ``cells[code * n_classes + label]``.

    The places are computed in a loop of their own, which vectorises; the counting cannot.
    """
    copies[:] = 0
    for i in range(keys.shape[0]):
        keys[i] = codes[i] * np.uint32(n_classes) + offsets[i]
    for i in range(keys.shape[0]):
        copies[keys[i]] += weights[i]
    n_cells = copies.shape[0] // _COPIES
    for cell in range(cells.shape[0]):
        total = 0
        for k in range(_COPIES):
            total += copies[k * n_cells + cell]
        cells[cell] = total


@njit(cache=True, nogil=True)
def chi_squared(cells: NDArray[np.int64], n_classes: int) -> tuple[float, float]:
    """Chi-squared statistic and Cramér's V over the levels and classes that occur."""
    n_levels = cells.shape[0] // n_classes
    shares = np.empty(n_classes)
    total, classes = cells.sum(), 0
    for c in range(n_classes):
        class_total = 0
        for level in range(n_levels):
            class_total += cells[level * n_classes + c]
        shares[c] = class_total / total if class_total > 0 else 0.0
        classes += class_total > 0
    statistic = 0.0
    levels = 0
    for level in range(n_levels):
        level_total = 0
        for c in range(n_classes):
            level_total += cells[level * n_classes + c]
        if level_total == 0:
            continue
        levels += 1
        for c in range(n_classes):
            if shares[c] > 0.0:
                expected = level_total * shares[c]
                statistic += (cells[level * n_classes + c] - expected) ** 2 / expected
    smaller = min(levels, classes)
    if smaller < 2:
        return 0.0, 0.0
    return statistic, np.sqrt(statistic / (total * (smaller - 1)))


@njit(cache=True, nogil=True)
def value_difference(cells: NDArray[np.int64]) -> float:
    """Half the sum over the levels of |p(level | class 1) - p(level | class 0)|."""
    # As floating-point numbers: products of large counts do not fit into 64 bits.
    zeros = float(cells[0::2].sum())
    ones = float(cells[1::2].sum())
    if zeros == 0.0 or ones == 0.0:
        return 0.0
    difference = 0.0
    for level in range(cells.shape[0] // 2):
        difference += abs(cells[2 * level + 1] * zeros - cells[2 * level] * ones)
    return difference / (2.0 * zeros * ones)


@njit(cache=True, nogil=True)
def write_statistic(
    statistic: int,
    cells: NDArray[np.int64],
    n_classes: int,
    scores: Floats,
    r: int,
    j: int,
) -> None:
    """The `statistic` of one table of counts, into ``scores[:, r, j]``."""
    if statistic == CHI_SQUARED:
        scores[0, r, j], scores[1, r, j] = chi_squared(cells, n_classes)
    else:
        scores[0, r, j] = value_difference(cells)


@njit(cache=True, nogil=True)
def class_tables(
    statistic: int,
    columns: CountedColumns,
    bins: int,
    n_classes: int,
    labels: NDArray[np.int32],
    weights: NDArray[np.uint16],
    scores: Floats,
) -> None:
    """Write the `scores` (n_outputs, n_resamples, n_features) of every column and resample.

    `statistic` is `CHI_SQUARED` (Pearson's statistic and Cramér's V) or `VALUE_DIFFERENCE` (of two
    classes).
    """
    values, categories, source, n_codes, lowest, highest = columns
    n, p = values.shape
    codes, keys = np.empty(n, dtype=np.uint32), np.empty(n, dtype=np.uint32)
    most = int(n_codes.max()) * n_classes
    copies = np.empty(_COPIES * most, dtype=np.int64)
    offsets = _cell_offsets(labels, most)
    cells = np.empty(most, dtype=np.int64)
    for j in range(p):
        column = source[j]
        extent = (np.inf, -np.inf)
        used = cells[: n_codes[j] * n_classes]
        for r in range(weights.shape[0]):
            offset = offsets[r if labels.shape[0] > 1 else 0]
            if column >= 0:
                _count_cells(categories[column], offset, weights[r], n_classes, keys, copies, used)
            else:
                x = values[:, j]
                found = column_range(x, weights[r], lowest[j], highest[j])
                if r == 0 or found != extent:  # resamples often share the range, so the bins
                    extent = found
                    width_rows(x, extent[0], extent[1], bins, codes)
                _count_cells(codes, offset, weights[r], n_classes, keys, copies, used)
            write_statistic(statistic, used, n_classes, scores, r, j)


@njit(cache=True, nogil=True)
def spearman_block(
    levels: NDArray[np.int32],
    n_levels: NDArray[np.int64],
    labels: NDArray[np.int32],
    weights: NDArray[np.uint16],
    scores: Floats,
) -> None:
    """|rho| of the average ranks with the class 0/1, (1, b, p); level -1 is missing and left out.

    With two classes the covariance needs the rank sum of class 1 only, and the ranks' variance the
    sizes of the ties.
    """
    cells = np.empty((int(n_levels.max()), 2), dtype=np.int64)
    for j in range(levels.shape[1]):
        for r in range(weights.shape[0]):
            label = labels[r if labels.shape[0] > 1 else 0]
            cells[: n_levels[j]] = 0
            for i in range(levels.shape[0]):
                if levels[i, j] >= 0:
                    cells[levels[i, j], label[i]] += weights[r, i]
            before = 0
            ones = 0
            doubled_ranks = 0.0
            ties = 0.0
            for level in range(n_levels[j]):
                size = cells[level, 0] + cells[level, 1]
                doubled_ranks += float(cells[level, 1]) * float(2 * before + size + 1)
                ties += float(size) ** 3 - float(size)
                before += size
                ones += cells[level, 1]
            n = float(before)
            spread = (n**3 - n - ties) / 12.0
            scores[0, r, j] = 0.0
            if spread > 0.0 and 0 < ones < before:
                covariance = doubled_ranks / 2.0 - ones * (n + 1.0) / 2.0
                balance = ones * (n - ones) / n
                scores[0, r, j] = min(abs(covariance) / np.sqrt(spread * balance), 1.0)


@njit(cache=True, nogil=True)
def _moments(distinct: Floats, cells: NDArray[np.int64], c: int) -> tuple[float, float]:
    """Mean and variance (divisor n) of class `c`; the mean is NaN for a class without known values.

    Summed over the distinct values in ascending order, so that weights and repeated rows agree.  A
    class with one distinct value has that mean and the variance 0 exactly.
    """
    count = 0
    total = 0.0
    kinds = 0
    only = np.nan
    for level in range(distinct.shape[0]):
        if cells[level, c] > 0:
            count += cells[level, c]
            total += cells[level, c] * distinct[level]
            kinds += 1
            only = distinct[level]
    if kinds < 2:
        return only, 0.0
    mean = total / count
    squares = 0.0
    for level in range(distinct.shape[0]):
        squares += cells[level, c] * (distinct[level] - mean) ** 2
    return mean, squares / count


@njit(cache=True, nogil=True)
def _ratio(value: float, mean: float, variance: float) -> float:
    """|value - mean| / variance; below every ratio at the mean of a class without spread."""
    if variance > 0.0:
        return abs(value - mean) / variance
    return -1.0 if value == mean else np.inf


@njit(cache=True, nogil=True)
def fit_criterion_block(
    distinct: Floats,
    start: NDArray[np.int64],
    levels: NDArray[np.int32],
    labels: NDArray[np.int32],
    weights: NDArray[np.uint16],
    scores: Floats,
) -> None:
    """Share of the rows that lie on the side of their class, (1, b, p); level -1 is on no side.

    ``distinct[start[j]:start[j + 1]]`` are the values of feature j in ascending order.
    """
    cells = np.empty((int(np.diff(start).max()), 2), dtype=np.int64)
    for j in range(levels.shape[1]):
        known = distinct[start[j] : start[j + 1]]
        for r in range(weights.shape[0]):
            label = labels[r if labels.shape[0] > 1 else 0]
            cells[: known.shape[0]] = 0
            totals = np.zeros(2, dtype=np.int64)
            for i in range(levels.shape[0]):
                totals[label[i]] += weights[r, i]
                if levels[i, j] >= 0:
                    cells[levels[i, j], label[i]] += weights[r, i]
            mean0, variance0 = _moments(known, cells, 0)
            mean1, variance1 = _moments(known, cells, 1)
            hits = 0
            if totals.min() > 0 and mean0 == mean0 and mean1 == mean1:
                for level in range(known.shape[0]):
                    ratio0 = _ratio(known[level], mean0, variance0)
                    ratio1 = _ratio(known[level], mean1, variance1)
                    if ratio0 == ratio1 and (ratio0 < 0.0 or ratio0 == np.inf):
                        continue
                    hits += cells[level, 0 if ratio0 <= ratio1 else 1]
            scores[0, r, j] = hits / totals.sum()

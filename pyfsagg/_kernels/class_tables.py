"""Equal-width bins, and filters that look at one feature and the class at a time."""

import math
from typing import NamedTuple

import numpy as np

from pyfsagg._base.arithmetic import Floats, Integer, Integers
from pyfsagg._kernels import Codes, Unsigned, Weights, Words, kernel

EQUAL_WIDTH = 0
EQUAL_FREQUENCY = 1
PRAZNIK = 2

_TINY = 1e-290
_EPSILON = 2.0**-52
_HUGE = 1e300
_PRAZNIK_LOW = 1e-14


class CountedColumns(NamedTuple):
    """A table prepared for the counting kernels: `values` (n_features, n_samples), one row a column.

    `categories` (n_categorical, n_samples) holds the codes of categorical columns, missing last (memory
    layout is part of a type, and a single column has both); `source` the row of each column there, -1 if
    it is binned; `n_codes` a bound on its codes; `lowest` and `highest` (n_features, k) the rows of the
    most extreme known values of binned columns, most extreme first.
    """

    values: Floats
    categories: Words
    source: Integers
    n_codes: Integers
    lowest: Codes
    highest: Codes


@kernel
def column_range(
    column: Floats, weights: Weights, lowest: Codes, highest: Codes
) -> tuple[float, float]:
    """Smallest and largest known value among the rows of positive weight; (inf, -inf) if none. `lowest` and
    `highest` hold the rows of the most extreme values: nearly always one of the first is in."""
    low = np.inf
    for row in lowest:
        if weights[row] > 0:
            low = column[row]
            break
    high = -np.inf
    for row in highest:
        if weights[row] > 0:
            high = column[row]
            break
    if not (low < np.inf and high > -np.inf):
        low, high = np.inf, -np.inf
        for row in range(column.shape[0]):
            value = column[row]
            if weights[row] > 0 and value == value:
                low = min(low, value)
                high = max(high, value)
    return low, high


@kernel
def praznik_bins(n_draws: int) -> int:
    """Number of bins that praznik gives a resample of `n_draws` rows."""
    return min(10, max(2, n_draws // 3))


@kernel(inline="always")
def _cut(low: float, width: float, k: float, bins: float) -> float:
    return low + width * k / bins


@kernel
def width_cutpoints(low: float, high: float, bins: Integer, cutpoints: Floats) -> None:
    """Write the cuts at low + k (high - low) / bins, k = 1, …, bins - 1, to `cutpoints`."""
    width = high - low
    if math.isfinite(width * bins):
        for k in range(1, bins):
            cutpoints[k - 1] = _cut(low, width, float(k), float(bins))
    else:
        for k in range(1, bins):
            cutpoints[k - 1] = low / bins * (bins - k) + high / bins * k


@kernel
def width_rows(column: Floats, low: float, high: float, bins: int, codes: Unsigned) -> int:
    """Write the bin of every row (the cuts below its value) to `codes`; return how many there may be. A
    missing value gets the last code; rows that are not in the resample get an arbitrary valid code."""
    if not low < high:
        return _one_bin(column, codes)
    width = high - low
    rounding = (abs(low) + abs(high)) * (16.0 * _EPSILON)
    if width / bins <= rounding or width < _TINY or not math.isfinite(width * bins):
        # The cuts are so close together, or so far apart, that their own rounding is felt.
        cutpoints = np.empty(bins - 1)
        width_cutpoints(low, high, bins, cutpoints)
        for row in range(column.shape[0]):
            value = column[row]
            codes[row] = np.searchsorted(cutpoints, value) if value == value else bins
        return bins + 1
    scale = bins / width
    parts = float(bins)
    top = np.int32(bins - 1)
    for row in range(column.shape[0]):
        # The nearest cut is found by arithmetic, the side of it by comparison.  No branches and no
        # look-ups, so the loop vectorises.
        value = column[row]
        place = (value - low) * scale
        place = place if place >= 0.0 else 0.0
        place = place if place <= parts else parts
        nearest = np.int32(place + 0.5)
        code = nearest - np.int32(value <= _cut(low, width, float(nearest), parts))
        code = min(max(code, np.int32(0)), top)
        codes[row] = code if value == value else np.int32(bins)
    return bins + 1


@kernel
def praznik_rows(column: Floats, low: float, high: float, bins: int, codes: Unsigned) -> int:
    """As :func:`width_rows`, by floor((x - low) / (high - low) * bins), and a result of `bins` less 1."""
    if not low < high:
        return _one_bin(column, codes)
    factor = 1.0  # keeps differences and their reciprocals in range for extreme magnitudes
    if not math.isfinite(high - low):
        factor = 0.5
    elif high - low < _TINY:
        factor = 2.0**200
    nearest, farthest = min(abs(low), abs(high)), max(abs(low), abs(high))
    if nearest > _PRAZNIK_LOW and farthest < _HUGE:  # widened at both ends
        low -= (high - low) / 1000.0
        high += (high - low) / 1000.0
    low, high = low * factor, high * factor
    width = high - low
    top = float(bins - 1)
    for row in range(column.shape[0]):
        place = (column[row] * factor - low) / width * bins
        inside = place if place >= 0.0 else 0.0
        inside = inside if inside <= top else top
        codes[row] = np.int32(inside) if place == place else np.int32(bins)
    return bins + 1


@kernel
def _one_bin(column: Floats, codes: Unsigned) -> int:
    """Bin 0 for every known value."""
    for row in range(column.shape[0]):
        codes[row] = 0 if column[row] == column[row] else 1
    return 2


CHI_SQUARED = 0
VALUE_DIFFERENCE = 1
ENTROPY = 2

_COPIES = 4
"""Interleaved copies of a count table: neighbouring rows need not wait for each other."""


@kernel
def _count_cells(
    codes: Words,
    offsets: Words,
    weights: Weights,
    n_classes: int,
    keys: Words,
    copies: Integers,
    cells: Integers,
) -> None:
    """Weighted counts ``cells[code * n_classes + label]``; a loop for the places alone vectorises."""
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


@kernel(error_model="numpy", inline="always")
def chi_squared_of_counts(cells: Integers, n_classes: int, shares: Floats) -> tuple[float, float]:
    """Chi-squared statistic and Cramér's V over the levels and classes that occur. `shares` is room for those
    of the classes: to ask for memory here takes as long as the sums."""
    n_levels = cells.shape[0] // n_classes
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
        levels += level_total > 0
        for c in range(n_classes):
            expected = level_total * shares[c]
            difference = cells[level * n_classes + c] - expected
            statistic += difference * difference / expected if expected > 0.0 else 0.0
    smaller = min(levels, classes)
    if smaller < 2:
        return 0.0, 0.0
    return statistic, np.sqrt(statistic / (total * (smaller - 1)))


@kernel
def value_difference(cells: Integers) -> float:
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


@kernel(inline="always")
def write_statistic(
    statistic: int, cells: Integers, n_classes: int, shares: Floats, out: Floats
) -> None:
    """The `statistic` of one table of counts, into `out`; `shares` is room for n_classes numbers."""
    if statistic == CHI_SQUARED:
        out[0], out[1] = chi_squared_of_counts(cells, n_classes, shares)
    else:
        out[0] = value_difference(cells)


@kernel
def class_tables(
    statistic: int,
    columns: CountedColumns,
    bins: int,
    n_classes: int,
    labels: Codes,
    weights: Weights,
    scores: Floats,
) -> None:
    """Write the `scores` (n_outputs, n_resamples, n_features) of `CHI_SQUARED` (and Cramér's V) or
    `VALUE_DIFFERENCE` (of two classes) of every column and resample."""
    values, categories, source, n_codes, lowest, highest = columns
    p, n = values.shape
    codes, keys = np.empty(n, dtype=np.uint32), np.empty(n, dtype=np.uint32)
    most = int(n_codes.max()) * n_classes
    copies = np.empty(_COPIES * most, dtype=np.int64)
    # Where each row counts, before its code is known: its copy of the table and its class.
    offsets = (np.arange(n) % _COPIES * most + labels).astype(np.uint32)
    cells, shares = np.empty(most, dtype=np.int64), np.empty(n_classes)
    for j in range(p):
        column = source[j]
        extent = (np.inf, -np.inf)
        used = cells[: n_codes[j] * n_classes]
        for r in range(weights.shape[0]):
            offset = offsets[r if labels.shape[0] > 1 else 0]
            if column >= 0:
                _count_cells(categories[column], offset, weights[r], n_classes, keys, copies, used)
            else:
                x = values[j]
                found = column_range(x, weights[r], lowest[j], highest[j])
                if r == 0 or found != extent:  # resamples often share the range, so the bins
                    extent = found
                    width_rows(x, extent[0], extent[1], bins, codes)
                _count_cells(codes, offset, weights[r], n_classes, keys, copies, used)
            write_statistic(statistic, used, n_classes, shares, scores[:, r, j])


@kernel
def spearman_block(
    levels: Codes, n_levels: Integers, labels: Codes, weights: Weights, scores: Floats
) -> None:
    """|rho| of the average ranks with the class 0/1, (1, b, p); level -1 is missing and omitted. With two
    classes the covariance needs the rank sum of class 1 only, and the ranks' variance the sizes of the
    ties."""
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


@kernel
def _moments(distinct: Floats, cells: Integers, c: int) -> tuple[float, float]:
    """Mean and variance (divisor n) of class `c`; the mean is NaN for a class without known values. Summed
    over distinct values in ascending order, so weights and repeated rows agree."""
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


@kernel
def _ratio(value: float, mean: float, variance: float) -> float:
    """|value - mean| / variance; below every ratio at the mean of a class without spread."""
    if variance > 0.0:
        return abs(value - mean) / variance
    return -1.0 if value == mean else np.inf


@kernel
def fit_criterion_block(
    distinct: Floats,
    start: Integers,
    levels: Codes,
    labels: Codes,
    weights: Weights,
    scores: Floats,
) -> None:
    """Share of the rows that lie on the side of their class, (1, b, p); level -1 is on no side.
    ``distinct[start[j]:start[j + 1]]`` are the values of feature j in ascending order."""
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

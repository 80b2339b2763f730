"""Equal-width bins of one column within one resample.

One rule serves all filters: the cuts lie at low + k (high - low) / bins as
:func:`width_cutpoints` computes them, and a value goes up if it is greater than a cut.  praznik's
bins have an arithmetic of their own, which its reference values fix.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pyfsagg._base.types import Floats, Integer

__all__ = [
    "EQUAL_FREQUENCY",
    "EQUAL_WIDTH",
    "PRAZNIK",
    "CountedColumns",
    "column_range",
    "praznik_bins",
    "praznik_rows",
    "width_cutpoints",
    "width_rows",
]

EQUAL_WIDTH = 0
EQUAL_FREQUENCY = 1
PRAZNIK = 2

_TINY = 1e-290
_EPSILON = 2.0**-52
_HUGE = 1e300
_PRAZNIK_LOW = 1e-14


class CountedColumns(NamedTuple):
    """A table prepared for the counting kernels.

    Attributes
    ----------
    values : ndarray of float64, shape (n_samples, n_features), Fortran order
    categories : ndarray of uint32, shape (n_categorical, n_samples)
        Codes of the categorical columns; a missing value is a level of its own, the last one.  One row a
        column: the memory layout of an array is part of its type, and that of a single column is another.
    source : ndarray of int64, shape (n_features,)
        Row of `categories`, or -1 for a column that is binned in each resample.
    n_codes : ndarray of int64, shape (n_features,)
        Bound on the number of codes (levels, or bins plus one for missing values).
    lowest, highest : ndarray of int32, shape (n_features, k)
        Rows of the most extreme known values of the binned columns, most extreme first.
    """

    values: Floats
    categories: NDArray[np.uint32]
    source: NDArray[np.int64]
    n_codes: NDArray[np.int64]
    lowest: NDArray[np.int32]
    highest: NDArray[np.int32]


@njit(cache=True, nogil=True)
def column_range(
    column: Floats,
    weights: NDArray[np.uint16],
    lowest: NDArray[np.int32],
    highest: NDArray[np.int32],
) -> tuple[float, float]:
    """Smallest and largest known value among the rows of positive weight; (inf, -inf) if none.

    `lowest` and `highest` hold the rows of the most extreme values, the most extreme one first: a
    resample nearly always has one of the first few, so the column is hardly ever scanned.
    """
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


@njit(cache=True, nogil=True)
def praznik_bins(n_draws: int) -> int:
    """Number of bins that praznik gives a resample of `n_draws` rows."""
    return min(10, max(2, n_draws // 3))


@njit(cache=True, nogil=True)
def _praznik_range(low: float, high: float) -> tuple[float, float]:
    """Widen the range at both ends, unless an end is near zero or near the largest double."""
    for end in (abs(low), abs(high)):
        if end <= _PRAZNIK_LOW or end >= _HUGE:
            return low, high
    low -= (high - low) / 1000.0
    return low, high + (high - low) / 1000.0


@njit(cache=True, nogil=True, inline="always")
def _cut(low: float, width: float, k: float, bins: float) -> float:
    return low + width * k / bins


@njit(cache=True, nogil=True)
def width_cutpoints(low: float, high: float, bins: Integer, cutpoints: Floats) -> None:
    """Write the cuts at low + k (high - low) / bins, k = 1, …, bins - 1, to `cutpoints`."""
    width = high - low
    if math.isfinite(width * bins):
        for k in range(1, bins):
            cutpoints[k - 1] = _cut(low, width, float(k), float(bins))
    else:
        for k in range(1, bins):
            cutpoints[k - 1] = low / bins * (bins - k) + high / bins * k


@njit(cache=True, nogil=True)
def width_rows(
    column: Floats,
    low: float,
    high: float,
    bins: int,
    codes: NDArray[np.unsignedinteger[Any]],
) -> int:
    """Write the bin of every row to `codes`; return how many codes there may be.

    The bin is the number of cuts below the value.  A missing value gets the last code; rows outside
    the range (they are not in the resample) get an arbitrary valid code.
    """
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
        # look-ups, so that the loop vectorises.
        value = column[row]
        place = (value - low) * scale
        place = place if place >= 0.0 else 0.0
        place = place if place <= parts else parts
        nearest = np.int32(place + 0.5)
        code = nearest - np.int32(value <= _cut(low, width, float(nearest), parts))
        code = min(max(code, np.int32(0)), top)
        codes[row] = code if value == value else np.int32(bins)
    return bins + 1


@njit(cache=True, nogil=True)
def praznik_rows(
    column: Floats,
    low: float,
    high: float,
    bins: int,
    codes: NDArray[np.unsignedinteger[Any]],
) -> int:
    """As :func:`width_rows`, by floor((x - low) / (high - low) * bins) on the widened range.

    Where the range is not widened, that of the largest value is `bins`: it joins the last bin.
    """
    if not low < high:
        return _one_bin(column, codes)
    factor = 1.0  # keeps differences and their reciprocals in range for extreme magnitudes
    if not math.isfinite(high - low):
        factor = 0.5
    elif high - low < _TINY:
        factor = 2.0**200
    low, high = _praznik_range(low, high)
    low, high = low * factor, high * factor
    width = high - low
    top = float(bins - 1)
    for row in range(column.shape[0]):
        place = (column[row] * factor - low) / width * bins
        inside = place if place >= 0.0 else 0.0
        inside = inside if inside <= top else top
        codes[row] = np.int32(inside) if place == place else np.int32(bins)
    return bins + 1


@njit(cache=True, nogil=True)
def _one_bin(column: Floats, codes: NDArray[np.unsignedinteger[Any]]) -> int:
    """Bin 0 for every known value."""
    for row in range(column.shape[0]):
        codes[row] = 0 if column[row] == column[row] else 1
    return 2

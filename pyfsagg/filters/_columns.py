"""Columns as the counting filters read them: to be binned in each resample, or categories."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.types import Floats
from pyfsagg._kernels.tables.binning import CountedColumns
from pyfsagg._table.table import AnyTable, Kind, Table

__all__ = [
    "MOST_BINS",
    "OrderedLevels",
    "category_codes",
    "counted_columns",
    "is_kind",
    "many_values",
    "ordered_levels",
    "within_range",
]

MOST_BINS = 10_000

_FAR = 400
"""Powers of two from which on squares, summed over rows, may leave the range of floating point."""

_EXTREMES = 48
"""Rows kept at either end of a column: a bootstrap misses them all once in 10^20 times."""


def counted_columns(table: Table, binned: NDArray[np.bool_], n_bin_codes: int) -> CountedColumns:
    """Prepare `table`; columns where `binned` holds get up to `n_bin_codes` codes per resample."""
    n_samples, n_features = table.values.shape
    source = np.full(n_features, -1, dtype=np.int64)
    n_codes = np.full(n_features, n_bin_codes, dtype=np.int64)
    categorical = np.flatnonzero(~binned)
    source[categorical] = np.arange(categorical.size)
    categories = np.empty((categorical.size, n_samples), dtype=np.uint32)
    for j in categorical:
        categories[source[j]], n_codes[j] = category_codes(table.values[:, j])
    n_extremes = min(_EXTREMES, n_samples)
    lowest = np.zeros((n_features, n_extremes), dtype=np.int32)
    highest = np.zeros((n_features, n_extremes), dtype=np.int32)
    for j in np.flatnonzero(binned):
        lowest[j] = _lowest_rows(table.values[:, j], n_extremes)
        highest[j] = _lowest_rows(-table.values[:, j], n_extremes)
    return CountedColumns(table.values, categories, source, n_codes, lowest, highest)


def category_codes(column: Floats) -> tuple[NDArray[np.int32], int]:
    """Codes of the distinct values in ascending order, missing last, and their number."""
    levels, codes = np.unique(column, return_inverse=True)
    return codes.astype(np.int32), len(levels)


def _lowest_rows(column: Floats, size: int) -> NDArray[np.int32]:
    """Rows of the `size` smallest values, ascending; missing values sort last."""
    rows = np.argpartition(column, size - 1)[:size]
    return rows[np.argsort(column[rows], kind="stable")].astype(np.int32)


def is_kind(table: AnyTable, *kinds: Kind) -> NDArray[np.bool_]:
    """Which columns are of one of `kinds`."""
    return np.isin(table.kinds, np.array(kinds, dtype=np.int8))


def many_values(table: Table, bins: int) -> NDArray[np.bool_]:
    """Numeric columns, and columns of whole numbers with more than `bins` distinct known values."""
    found = is_kind(table, Kind.NUMERIC)
    for j in np.flatnonzero(is_kind(table, Kind.INTEGER)):
        known = np.unique(table.values[:, j])
        found[j] = len(known) - int(np.isnan(known[-1])) > bins
    return found


@dataclass(frozen=True, eq=False)
class OrderedLevels:
    """Distinct values of every column.

    Attributes
    ----------
    codes : ndarray of int32, shape (n_samples, n_features), Fortran order
        Position of a value among the distinct values of its column; -1 for a missing value.
    values : ndarray of float64
        Distinct values of column j, ascending, at ``start[j]:start[j + 1]``.
    start : ndarray of int64, shape (n_features + 1,)
    """

    codes: NDArray[np.int32]
    values: Floats
    start: NDArray[np.int64]


def within_range(values: Floats) -> Floats:
    """Columns (n_samples, n_features) whose squares neither overflow nor vanish.

    Columns of very large or very small numbers are multiplied by a power of two, which changes no
    correlation and no digit; all others are as they are.
    """
    largest = np.maximum(values.max(axis=0), -values.min(axis=0))
    exponents = np.frexp(largest)[1]
    odd = np.flatnonzero((np.abs(exponents) > _FAR) & (largest > 0) & np.isfinite(largest))
    if not odd.size:
        return values
    scaled = values.copy(order="F")
    scaled[:, odd] = np.ldexp(values[:, odd], -exponents[odd])
    return scaled


def ordered_levels(table: Table) -> OrderedLevels:
    """The distinct known values of every column of `table`."""
    codes = np.empty(table.values.shape, dtype=np.int32, order="F")
    values = []
    for j in range(table.n_features):
        column = table.values[:, j]
        codes[:, j], _ = category_codes(column)
        missing = np.isnan(column)
        codes[missing, j] = -1
        values.append(np.unique(column[~missing]))
    start = np.concatenate([[0], np.cumsum([len(known) for known in values])]).astype(np.int64)
    return OrderedLevels(codes, np.concatenate(values), start)

"""Columns as the counting filters read them, dense and sparse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg._kernels.class_tables import EQUAL_FREQUENCY, EQUAL_WIDTH, CountedColumns, class_tables
from pyfsagg._kernels.entropy_sparse import sparse_binned, sparse_levels, sparse_mdl
from pyfsagg._kernels.sparse_tables import SortedPlaces, sparse_class_tables
from pyfsagg._table.columns import Kind
from pyfsagg._table.sparse import SparseTable
from pyfsagg._table.table import AnyTable, Table, Weights
from pyfsagg.discretization import check_totals
from pyfsagg.filters._base import KernelScorer

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


def sorted_places(table: SparseTable) -> SortedPlaces:
    """Sort the columns of `table`."""
    sizes = np.diff(table.start)
    with_zeros = np.flatnonzero(sizes < table.n_samples)
    column = np.concatenate((np.repeat(np.arange(table.n_features), sizes), with_zeros))
    values = np.concatenate((table.cells, np.zeros(with_zeros.size)))
    zero_rows = np.full(with_zeros.size, table.n_samples, dtype=np.int32)
    rows = np.concatenate((table.rows, zero_rows))
    order = np.lexsort((rows, values, column))
    column, values, rows = column[order], values[order], rows[order]
    start = np.searchsorted(column, np.arange(table.n_features + 1))
    missing = np.isnan(values)
    known = _sums(~missing, start)
    # A place opens a level unless the one before it, in the same column, has the same value.
    opens = np.ones(values.size, dtype=np.bool_)
    opens[1:] = (values[1:] != values[:-1]) & ~(missing[1:] & missing[:-1])
    opens[start[:-1]] = True
    levels = np.cumsum(opens) - 1
    levels -= np.repeat(levels[start[:-1]], np.diff(start))
    n_distinct = _sums(opens & ~missing, start)
    tied = (n_distinct < known) | (table.n_samples - sizes > 1)
    return SortedPlaces(
        start.astype(np.int64),
        rows,
        values,
        known,
        tied,
        levels.astype(np.uint32),
        _sums(opens, start),
    )


def _sums(flags: NDArray[np.bool_], start: NDArray[np.intp]) -> NDArray[np.int64]:
    """How many flags of each column are set."""
    return np.diff(np.concatenate(([0], np.cumsum(flags)))[start])


def sparse_entropy(
    places: SortedPlaces,
    columns: NDArray[np.int64],
    n_classes: int,
    parity: bool,
    discretization: str,
    bins: int,
    labels: NDArray[np.int32],
    weights: Weights,
    scores: Floats,
) -> None:
    """Write the scores of the three entropy filters; `columns` are those that are cut.

    Same bits as :class:`~pyfsagg.filters.entropy.EntropyScorer`.
    """
    resamples = (weights, labels, n_classes, check_totals(weights) + 1)
    if len(columns) and discretization == "mdl":
        sparse_mdl(places, columns, *resamples, parity, scores)
    elif len(columns):
        kind = EQUAL_WIDTH if discretization == "equal_width" else EQUAL_FREQUENCY
        sparse_binned(kind, bins, places, columns, *resamples, scores)
    taken = np.setdiff1d(np.arange(scores.shape[2]), columns)
    if len(taken):
        sparse_levels(places, taken, *resamples, scores)


def table_scorer(
    table: AnyTable,
    statistic: int,
    outputs: tuple[str, ...],
    n_classes: int,
    binned: NDArray[np.bool_],
    bins: int,
) -> KernelScorer:
    """A statistic of the table of codes by class, bound to a dense or a sparse table.

    The bits are the same for both.  The columns where `binned` holds are cut into `bins` of equal
    width in every resample, the others counted by value.
    """
    if not isinstance(table, SparseTable):
        columns = counted_columns(table, binned, bins + 1)
        arguments = (statistic, columns, bins, n_classes)
        return KernelScorer(class_tables, arguments, outputs, table.n_features)
    places = sorted_places(table)
    n_codes = np.where(binned, bins + 1, places.n_levels)
    own = (statistic, places, n_codes, binned, bins, n_classes)
    return KernelScorer(sparse_class_tables, own, outputs, table.n_features)

"""The counting filters on sparse tables: every column is a few places, the zeros being one of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.types import Floats
from pyfsagg._kernels.entropy.sparse_mdl import sparse_mdl
from pyfsagg._kernels.entropy.sparse_scores import sparse_binned, sparse_levels
from pyfsagg._kernels.tables.binning import EQUAL_FREQUENCY, EQUAL_WIDTH
from pyfsagg._kernels.tables.class_tables import class_tables
from pyfsagg._kernels.tables.places import SortedPlaces
from pyfsagg._kernels.tables.sparse_tables import sparse_class_tables
from pyfsagg._table.table import AnyTable, SparseTable
from pyfsagg.discretization import check_totals
from pyfsagg.filters._base import KernelScorer, Weights
from pyfsagg.filters._columns import counted_columns

__all__ = ["sorted_places", "sparse_entropy", "table_scorer"]


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

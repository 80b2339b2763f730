"""The counting filters on sparse tables: every column is a few places, the zeros being one of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyfsagg._kernels.binning import EQUAL_FREQUENCY, EQUAL_WIDTH
from pyfsagg._kernels.entropy import SCORES
from pyfsagg._kernels.sparse_cuts import sparse_mdl
from pyfsagg._kernels.sparse_entropy import sparse_binned, sparse_levels
from pyfsagg._kernels.sparse_tables import sparse_class_tables
from pyfsagg._table.table import SparseTable
from pyfsagg.discretization import check_totals
from pyfsagg.filters._base import Weights

__all__ = ["SortedPlaces", "SparseEntropyScorer", "SparseTableScorer"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SortedPlaces:
    """The columns of a sparse table, each sorted once.

    A column has one place for every cell that is not zero and one for all zeros together, if there
    are any, by rising value; missing values come last, equal values in row order.

    Attributes
    ----------
    start : ndarray of int64, shape (n_features + 1,)
        The places of column j are those from ``start[j]`` up to ``start[j + 1]``.
    rows : ndarray of int32, shape (n_places,)
        Row of each place; n_samples for the zeros.
    values : ndarray of float64, shape (n_places,)
    n_known : ndarray of int64, shape (n_features,)
        Number of places that are not missing.
    tied : ndarray of bool, shape (n_features,)
        Whether some value occurs more than once.
    levels : ndarray of uint32, shape (n_places,)
        Position among the distinct values of the column, missing being the last of them.
    n_levels : ndarray of int64, shape (n_features,)
    """

    start: NDArray[np.int64]
    rows: NDArray[np.int32]
    values: Floats
    n_known: NDArray[np.int64]
    tied: NDArray[np.bool_]
    levels: NDArray[np.uint32]
    n_levels: NDArray[np.int64]

    @classmethod
    def of(cls, table: SparseTable) -> SortedPlaces:
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
        return cls(
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


class SparseEntropyScorer:
    """The three entropy filters bound to a sparse table.

    Same parameters, same outputs and same bits as
    :class:`~pyfsagg.filters.entropy.EntropyScorer`; `columns` are those that are cut.
    """

    def __init__(
        self,
        table: SparseTable,
        columns: NDArray[np.int64],
        n_classes: int,
        *,
        parity: bool,
        discretization: str,
        bins: int,
    ) -> None:
        self.outputs: tuple[str, ...] = SCORES
        self._places = SortedPlaces.of(table)
        self._cut = columns
        self._taken = np.setdiff1d(np.arange(table.n_features), columns)
        self._n_classes = n_classes
        self._parity = parity
        self._discretization = discretization
        self._bins = bins

    def __call__(self, weights: Weights, labels: NDArray[np.int32]) -> dict[str, Floats]:
        """Scores (n_resamples, n_features) by name of output."""
        weights = np.ascontiguousarray(weights, dtype=np.uint16)
        labels = np.ascontiguousarray(labels, dtype=np.int32)
        size = check_totals(weights) + 1
        places = self._places
        shape = (len(weights), len(places.n_known))
        scores = tuple(np.empty(shape) for _ in self.outputs)
        if len(self._cut):
            self._score_cut(weights, labels, size, scores)
        if len(self._taken):
            sparse_levels(
                places.start,
                places.rows,
                places.levels,
                places.n_levels,
                self._taken,
                weights,
                labels,
                self._n_classes,
                size,
                scores,
            )
        return dict(zip(self.outputs, scores, strict=True))

    def _score_cut(
        self,
        weights: Weights,
        labels: NDArray[np.int32],
        table_size: int,
        scores: tuple[Floats, ...],
    ) -> None:
        places = self._places
        if self._discretization == "mdl":
            sparse_mdl(
                places.start,
                places.rows,
                places.values,
                places.n_known,
                places.tied,
                self._cut,
                weights,
                labels,
                self._n_classes,
                table_size,
                self._parity,
                scores,
            )
            return
        sparse_binned(
            EQUAL_WIDTH if self._discretization == "equal_width" else EQUAL_FREQUENCY,
            self._bins,
            places.start,
            places.rows,
            places.values,
            places.n_known,
            self._cut,
            weights,
            labels,
            self._n_classes,
            table_size,
            scores,
        )


class SparseTableScorer:
    """Chi-squared with Cramér's V, or the value difference metric, bound to a sparse table.

    Same outputs and same bits as the scorers of dense tables.  The columns where `binned` holds are
    cut into `bins` of equal width in every resample, the others counted by value.
    """

    releases_gil = True

    def __init__(
        self,
        table: SparseTable,
        statistic: int,
        outputs: tuple[str, ...],
        n_classes: int,
        binned: NDArray[np.bool_],
        bins: int,
    ) -> None:
        self.outputs = outputs
        self._statistic = statistic
        self._places = SortedPlaces.of(table)
        self._n_codes = np.where(binned, bins + 1, self._places.n_levels)
        self._binned = binned
        self._bins = bins
        self._n_classes = n_classes

    def __call__(self, weights: Weights, labels: NDArray[np.int32]) -> dict[str, Floats]:
        """Scores (n_resamples, n_features) by name of output."""
        places = self._places
        scores = np.empty((len(self.outputs), len(weights), len(self._binned)))
        sparse_class_tables(
            self._statistic,
            places.start,
            places.rows,
            places.values,
            places.n_known,
            places.levels,
            self._n_codes,
            self._binned,
            self._bins,
            self._n_classes,
            np.ascontiguousarray(labels),
            np.ascontiguousarray(weights),
            scores,
        )
        return dict(zip(self.outputs, scores, strict=True))

"""Tables of which only the cells that are not zero are kept."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._table.columns import Kind, array_kind
from pyfsagg._table.sparse_check import sparse_columns
from pyfsagg.exceptions import DataError, InputTypeError

__all__ = ["SparseTable", "dense_megabytes", "is_sparse", "read_sparse"]

# As wide as sums of several stored values may need.
_LEVEL_TYPES = {"b": np.bool_, "i": np.int64, "u": np.uint64, "f": np.float64}


@dataclass(frozen=True, eq=False)
class SparseTable:
    """A validated sparse feature table: what :class:`~pyfsagg._table.table.Table` is for dense ones.

    Attributes
    ----------
    cells : ndarray of float64, shape (n_cells,)
        The values that are not zero, column by column; a missing value is NaN.  No infinite values.
    rows : ndarray of int32, shape (n_cells,)
        Their rows, rising within a column.
    start : ndarray of int64, shape (n_features + 1,)
        The cells of column j are those from ``start[j]`` up to ``start[j + 1]``.
    n_samples : int
    feature_names : tuple of str
        Unique.
    kinds : ndarray of int8, shape (n_features,)
        One :class:`~pyfsagg._table.columns.Kind` per column.
    levels : dict of int to tuple
        For each nominal column (by position) its levels in rising order.
    """

    cells: NDArray[np.float64]
    rows: NDArray[np.int32]
    start: NDArray[np.int64]
    n_samples: int
    feature_names: tuple[str, ...]
    kinds: NDArray[np.int8]
    levels: dict[int, tuple[Any, ...]]

    @property
    def n_features(self) -> int:
        return len(self.feature_names)

    def column(self, j: int) -> NDArray[np.float64]:
        """Column `j` (n_samples,) as a dense table would hold it: nominal ones as level codes."""
        part = slice(self.start[j], self.start[j + 1])
        column = np.zeros(self.n_samples)
        column[self.rows[part]] = self.cells[part]
        if j in self.levels:
            codes = np.searchsorted(np.asarray(self.levels[j], dtype=np.float64), column)
            column = np.where(np.isnan(column), np.nan, codes.astype(np.float64))
        return column

    def value_counts(self, j: int) -> NDArray[np.int64]:
        """How often each known value occurs in column `j`; in no particular order."""
        cells = self.cells[self.start[j] : self.start[j + 1]]
        counts = np.unique(cells[~np.isnan(cells)], return_counts=True)[1]
        zeros = self.n_samples - len(cells)
        return np.append(counts, zeros) if zeros else counts

    def take(self, features: NDArray[np.intp]) -> SparseTable:
        """The table with the columns at positions `features`, in that order."""
        sizes = np.diff(self.start)[features]
        start = np.concatenate(([0], np.cumsum(sizes)))
        places = np.arange(start[-1]) + np.repeat(self.start[features] - start[:-1], sizes)
        return SparseTable(
            self.cells[places],
            self.rows[places],
            start,
            self.n_samples,
            tuple(self.feature_names[j] for j in features),
            self.kinds[features],
            {new: self.levels[old] for new, old in enumerate(features) if old in self.levels},
        )


def is_sparse(X: Any) -> bool:
    """Whether `X` is a SciPy sparse matrix or array, or a table read from one."""
    return isinstance(X, SparseTable) or hasattr(X, "tocsc")


def dense_megabytes(X: Any) -> str:
    """How much memory the dense form of a sparse table or matrix takes, for messages."""
    shape = (X.n_samples, X.n_features) if isinstance(X, SparseTable) else X.shape
    return f"{max(1.0, math.prod(shape) * 8 / 1e6):,.0f} MB"


def read_sparse(X: Any, names: tuple[str, ...], nominal: Collection[int]) -> SparseTable:
    """Read a SciPy sparse matrix or array of two dimensions; `X` itself is not changed.

    Stored zeros are zeros like the others; values stored twice for one cell are added up.  All
    columns are of the kind that the type of the values says, but those at the positions `nominal`.

    Raises
    ------
    DataError
        For complex or infinite values, and for a matrix whose arrays contradict each other.
    InputTypeError
        For values of a type other than numbers and booleans, and indices that are not whole numbers.
    """
    dtype = X.dtype
    if dtype.kind == "c":
        raise DataError("Complex data not supported: X has complex values")
    if dtype.kind not in "fiub":
        raise InputTypeError(f"X has the unsupported type {dtype}")
    columns = sparse_columns(X)
    cells = columns.data
    rows = columns.indices.astype(np.int32)
    start = columns.indptr.astype(np.int64)
    infinite = np.flatnonzero(np.isinf(cells))
    if infinite.size:
        place = int(infinite[0])
        j = int(np.searchsorted(start, place, side="right")) - 1
        raise DataError(
            f"column {names[j]!r} has an infinite value (inf) in row {rows[place] + 1}; replace "
            "infinity by a number or mark it missing (NaN)"
        )
    kinds = np.full(len(names), array_kind(dtype), dtype=np.int8)
    levels: dict[int, tuple[Any, ...]] = {}
    for j in nominal:
        kinds[j] = Kind.NOMINAL
        part = cells[start[j] : start[j + 1]]
        zero = [0.0] if len(part) < X.shape[0] else []
        known = np.unique(np.concatenate((part[~np.isnan(part)], zero)))
        levels[j] = tuple(known.astype(_LEVEL_TYPES[dtype.kind]).tolist())
    return SparseTable(cells, rows, start, int(X.shape[0]), names, kinds, levels)

"""Sparse tables, checked before compiled code reads their arrays."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.validation import one_nan
from pyfsagg._message import INF, NAN, Param, Remedy, named
from pyfsagg._table.columns import Kind, array_kind
from pyfsagg.exceptions import DataError, InputTypeError

MAX_ROWS = np.iinfo(np.int32).max - 1  # a row number is an int32, and one more stands for the zeros


def sparse_columns(X: Any) -> Any:
    """`X` by columns, rows ascending, no stored zeros; duplicates are summed, of booleans by or."""
    import scipy.sparse

    known = getattr(X, "format", None) in _CHECKS
    matrix = X if known else X.tocsc()  # of another package, which answers for its own conversion
    check_sparse(matrix)
    stored = matrix.astype(np.float64)  # a copy
    csc = stored.tocsc()
    csc.data = one_nan(csc.data)
    # Made anew, so nothing is taken from what the matrix remembers of itself.
    columns = scipy.sparse.csc_matrix((csc.data, csc.indices, csc.indptr), csc.shape)
    columns.check_format(full_check=True)
    columns.sort_indices()
    columns.sum_duplicates()
    doubles = stored.format in ("csr", "csc", "bsr", "coo")  # several values for one cell
    if doubles and np.isinf(stored.data).any() > np.isinf(columns.data).any():
        raise DataError(Param("X"), " has inf and -inf (infinity) for one cell; correct it")
    if matrix.dtype.kind == "b":
        np.minimum(columns.data, 1.0, out=columns.data)
    columns.eliminate_zeros()
    return columns


def check_sparse(X: Any, name: str = "X") -> None:
    """Refuse a sparse matrix whose arrays contradict each other; it is not changed."""
    if len(X.shape) != 2:
        raise DataError(named(name), f" must have two dimensions, got the shape {X.shape}")
    if X.shape[0] > MAX_ROWS:
        raise DataError(named(name), f" has {X.shape[0]} rows; at most {MAX_ROWS} are supported")
    problem = _CHECKS[X.format](X)
    if problem:
        raise DataError(
            named(name),
            f" is a damaged sparse matrix ({X.format}): {problem}",
            Remedy("make it anew from its rows, columns and values"),
        )


def _compressed(X: Any) -> str | None:
    """CSR, CSC and BSR: `indices` within each of the parts that `indptr` marks."""
    indptr, indices = _whole(X, "indptr"), _whole(X, "indices")
    data = np.asarray(X.data)
    n_major, n_minor = X.shape[::-1] if X.format == "csc" else X.shape
    major, minor = ("column", "row") if X.format == "csc" else ("row", "column")
    if X.format == "bsr":
        if data.ndim != 3 or 0 in data.shape[1:]:
            return f"its data have the shape {data.shape}, which is not that of blocks"
        if n_major % data.shape[1] or n_minor % data.shape[2]:
            return f"blocks of {data.shape[1:]} do not fill the shape {X.shape}"
        n_major, n_minor = n_major // data.shape[1], n_minor // data.shape[2]
        major, minor = "block row", "block column"
    elif data.ndim != 1:
        return f"its data have {data.ndim} dimensions instead of one"
    if indptr.size != n_major + 1:
        return f"indptr has {indptr.size} entries instead of {n_major + 1} for {n_major} {major}s"
    if indptr[0] != 0:
        return f"indptr begins with {indptr[0]} instead of 0"
    for k in np.flatnonzero(indptr[1:] < indptr[:-1])[:1]:
        return f"indptr falls from {indptr[k]} to {indptr[k + 1]} at {major} {k}"
    if indices.size != len(data):
        return f"there are {indices.size} indices for {len(data)} values"
    if indptr[-1] > indices.size:
        return f"indptr ends with {indptr[-1]}, and there are {indices.size} indices"
    return _outside(indices[: indptr[-1]], n_minor, minor)


def _coordinates(X: Any) -> str | None:
    rows, columns = _whole(X, "row"), _whole(X, "col")
    n_values = np.asarray(X.data).size
    if not rows.size == columns.size == n_values:
        return f"there are {rows.size} rows and {columns.size} columns for {n_values} values"
    return _outside(rows, X.shape[0], "row") or _outside(columns, X.shape[1], "column")


def _lists(X: Any) -> str | None:
    if not len(X.rows) == len(X.data) == X.shape[0]:
        return f"it has {len(X.rows)} and {len(X.data)} lists for {X.shape[0]} rows"
    for i, (columns, values) in enumerate(zip(X.rows, X.data, strict=True)):
        if len(columns) != len(values):
            return f"row {i} has {len(columns)} columns for {len(values)} values"
    columns = [column for row in X.rows for column in row]
    return _outside(_whole_numbers(columns, "columns"), X.shape[1], "column")


def _keys(X: Any) -> str | None:
    keys = list(X.keys())
    if any(not isinstance(key, tuple) or len(key) != 2 for key in keys):
        return "a key is not a pair of a row and a column"
    rows, columns = (_whole_numbers([key[axis] for key in keys], "keys") for axis in (0, 1))
    return _outside(rows, X.shape[0], "row") or _outside(columns, X.shape[1], "column")


def _diagonals(X: Any) -> str | None:
    offsets, data = _whole(X, "offsets"), np.asarray(X.data)
    if data.ndim != 2 or len(data) != offsets.size:
        return f"there are {offsets.size} diagonals for data of the shape {data.shape}"
    if np.unique(offsets).size < offsets.size:
        return "a diagonal occurs twice"
    # SciPy treats out-of-range diagonals as empty, but large offsets read out of bounds.
    outside = offsets[(offsets < -X.shape[0]) | (offsets > X.shape[1])]
    return (
        f"the diagonal {outside[0]} lies outside of the shape {X.shape}" if outside.size else None
    )


_CHECKS = {
    **dict.fromkeys(("csr", "csc", "bsr"), _compressed),
    **{"coo": _coordinates, "lil": _lists, "dok": _keys, "dia": _diagonals},
}


def _whole(X: Any, name: str) -> NDArray[Any]:
    return _whole_numbers(getattr(X, name), name)


def _whole_numbers(values: Any, name: str) -> NDArray[Any]:
    array = np.asarray(values, dtype=None if len(values) else np.intp)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise InputTypeError(
            f"the {name} of a sparse matrix must be a list of whole numbers, got {array.ndim} "
            f"dimension(s) of the type {array.dtype}"
        )
    return array


def _outside(indices: NDArray[Any], size: int, what: str) -> str | None:
    """What is wrong with `indices` of `size` places, counted from 0."""
    for extreme in (indices.max(), indices.min()) if indices.size else ():
        if not 0 <= extreme < size:
            return f"a cell lies in {what} {extreme}, and there are {size}, counted from 0"
    return None


# As wide as sums of several stored values may need.
_LEVEL_TYPES = {"b": np.bool_, "i": np.int64, "u": np.uint64, "f": np.float64}


@dataclass(frozen=True, eq=False)
class SparseTable:
    """A validated sparse table: nonzero `cells` column by column (finite, NaN = missing) with ascending
    `rows`, those of column j from ``start[j]`` to ``start[j + 1]``, and the ascending `levels` of
    nominal columns by position."""

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

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_samples, self.n_features

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

    def take_rows(self, rows: NDArray[np.intp]) -> SparseTable:
        """The table with the samples at positions `rows`, which ascend."""
        places = np.full(self.n_samples, -1, dtype=np.int32)
        places[rows] = np.arange(len(rows), dtype=np.int32)
        kept = places[self.rows] >= 0
        start = np.concatenate(([0], np.cumsum(kept)))[self.start]
        cells, inside = self.cells[kept], places[self.rows[kept]]
        return replace(self, cells=cells, rows=inside, start=start, n_samples=len(rows))

    def take(self, features: NDArray[np.intp]) -> SparseTable:
        """The table with the columns at positions `features`, in that order."""
        sizes = np.diff(self.start)[features]
        start = np.concatenate(([0], np.cumsum(sizes)))
        places = np.arange(start[-1]) + np.repeat(self.start[features] - start[:-1], sizes)
        names = tuple(self.feature_names[j] for j in features)
        levels = {new: self.levels[old] for new, old in enumerate(features) if old in self.levels}
        cells, rows, kinds = self.cells[places], self.rows[places], self.kinds[features]
        return SparseTable(cells, rows, start, self.n_samples, names, kinds, levels)


def is_sparse(X: Any) -> bool:
    """Whether `X` is a SciPy sparse matrix or array, or a table read from one."""
    return isinstance(X, SparseTable) or hasattr(X, "tocsc")


def dense_megabytes(X: Any) -> str:
    """How much memory the dense form of a sparse table or matrix takes, for messages."""
    return f"{max(1.0, math.prod(X.shape) * 8 / 1e6):,.0f} MB"


def infinite_cell(name: str, row: int) -> DataError:
    """The error of an infinite cell of a column in a row, counted from 0."""
    return DataError(
        f"column {name!r} has an infinite value",
        INF,
        f" in row {row + 1}",
        Remedy("replace infinity by a number or mark it missing (", NAN, ")"),
    )


def read_sparse(X: Any, names: tuple[str, ...], nominal: Collection[int]) -> SparseTable:
    """A SciPy matrix or array, not changed; all but `nominal` columns have the kind of the values."""
    dtype = X.dtype
    if dtype.kind == "c":
        raise DataError("Complex data not supported: ", Param("X"), " has complex values")
    if dtype.kind not in "fiub":
        raise InputTypeError(Param("X"), f" has the unsupported type {dtype}")
    columns = sparse_columns(X)
    cells, rows = columns.data, columns.indices.astype(np.int32)
    start = columns.indptr.astype(np.int64)
    infinite = np.flatnonzero(np.isinf(cells))
    if infinite.size:
        j = int(np.searchsorted(start, infinite[0], side="right")) - 1
        raise infinite_cell(names[j], int(rows[infinite[0]]))
    kinds = np.full(len(names), array_kind(dtype), dtype=np.int8)
    levels: dict[int, tuple[Any, ...]] = {}
    for j in nominal:
        kinds[j] = Kind.NOMINAL
        part = cells[start[j] : start[j + 1]]
        zero = [0.0] if len(part) < X.shape[0] else []
        known = np.unique(np.concatenate((part[~np.isnan(part)], zero)))
        levels[j] = tuple(known.astype(_LEVEL_TYPES[dtype.kind]).tolist())
    return SparseTable(cells, rows, start, int(X.shape[0]), names, kinds, levels)

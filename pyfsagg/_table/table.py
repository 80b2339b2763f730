"""The boundary: what a user hands over becomes a :class:`Table`, once (targets: `_target`).

Behind this module no function looks at types, names or missing-value markers again.
"""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.checks import as_array, check_integer, check_list, check_writable_names
from pyfsagg._base.memory import require_memory
from pyfsagg._table.columns import EXACT, Kind, array_kind, read_column, refuse_rounded
from pyfsagg._table.frames import FRAMES, Frame, PandasFrame, open_frame
from pyfsagg._table.sparse import SparseTable, dense_megabytes, is_sparse, read_sparse
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError

__all__ = [
    "AnyTable",
    "Kind",
    "SparseTable",
    "Table",
    "Weights",
    "check_names",
    "check_table",
    "full_weights",
    "weights_from_counts",
]

Weights = NDArray[np.uint16]
"""Row weights (n_resamples, n_samples): how often each row is in each resample."""

MAX_WEIGHT = int(np.iinfo(np.uint16).max)
"""How often one row may count in one resample."""


@dataclass(frozen=True, eq=False)
class Table:
    """A validated feature table.

    Attributes
    ----------
    values : ndarray of float64, shape (n_samples, n_features), Fortran order
        Numbers as they are; booleans as 0/1; nominal columns as level codes 0, 1, …; a missing
        value is NaN.  No infinite values.
    feature_names : tuple of str
        Unique.
    kinds : ndarray of int8, shape (n_features,)
        One :class:`Kind` per column.
    levels : dict of int to tuple
        For each nominal column (by position) its levels in code order.
    """

    values: NDArray[np.float64]
    feature_names: tuple[str, ...]
    kinds: NDArray[np.int8]
    levels: dict[int, tuple[Any, ...]]

    @property
    def n_samples(self) -> int:
        return int(self.values.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.values.shape[1])

    def column(self, j: int) -> NDArray[np.float64]:
        """The cells of column `j`, shape (n_samples,)."""
        return self.values[:, j]

    def value_counts(self, j: int) -> NDArray[np.int64]:
        """How often each known value occurs in column `j`; in no particular order."""
        column = self.values[:, j]
        return np.unique(column[~np.isnan(column)], return_counts=True)[1]

    def take(self, features: NDArray[np.intp]) -> Table:
        """The table with the columns at positions `features`, in that order."""
        return Table(
            np.asfortranarray(self.values[:, features]),
            tuple(self.feature_names[j] for j in features),
            self.kinds[features],
            {new: self.levels[old] for new, old in enumerate(features) if old in self.levels},
        )

    def with_values(self, values: NDArray[np.float64]) -> Table:
        """The table with other cell values of the same meaning."""
        return replace(self, values=np.asfortranarray(values))


SPARSE_COLUMN = 250
"""Bytes that a column of a sparse table takes however few cells it has: its name, its kind, its place."""

AnyTable = Table | SparseTable
"""Both have names, kinds, levels, `column`, `value_counts` and `take`; `values` is dense only."""


# ---------------------------------------------------------------------------------------------
# tables
# ---------------------------------------------------------------------------------------------
@overload
def check_table(
    X: Any,
    *,
    nominal: Sequence[str | int] | None = None,
    feature_names: Sequence[str] | None = None,
    min_samples: int = 2,
    min_features: int = 2,
    allow_constant: bool = False,
    sparse: Literal[False] = False,
) -> Table: ...


@overload
def check_table(
    X: Any,
    *,
    nominal: Sequence[str | int] | None = None,
    feature_names: Sequence[str] | None = None,
    min_samples: int = 2,
    min_features: int = 2,
    allow_constant: bool = False,
    sparse: Literal[True],
) -> AnyTable: ...


def check_table(
    X: Any,
    *,
    nominal: Sequence[str | int] | None = None,
    feature_names: Sequence[str] | None = None,
    min_samples: int = 2,
    min_features: int = 2,
    allow_constant: bool = False,
    sparse: bool = False,
) -> AnyTable:
    """Turn what a user calls a table into a :class:`Table`, or into a :class:`SparseTable`.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features), or Table
        Columns may be numeric, integer, decimal, boolean or nominal (text, categorical); missing values
        are NaN, None or the frame's own marker.  A SciPy sparse matrix or array with `sparse`.
    nominal : sequence of column names or positions, optional
        Columns to be taken as nominal whatever their type.
    feature_names : sequence of str, optional
        Names for the columns of an array; ``x0, x1, …`` by default.
    allow_constant : bool
        Accept a table in which no column varies, as new data for a fitted result may be.
    sparse : bool
        Whether the caller can use a sparse table.

    Raises
    ------
    InputTypeError
        For something that is not a two-dimensional table, or is sparse where `sparse` is False.
    DataError
        For duplicate or missing names, infinite values, a column that mixes numbers and words, a
        column type with no meaning here (dates, nested values), too few rows or columns, or a table
        in which every column is constant.
    """
    if is_sparse(X) and not sparse:
        raise _sparse_refused(X)
    if isinstance(X, AnyTable):
        return X
    if is_sparse(X):
        _check_dimensions(X.shape)
        require_memory(
            SPARSE_COLUMN * X.shape[1],
            f"a sparse table of {X.shape[1]:,} features",
            "number the features anew, so that those that occur come without gaps",
        )
        given = _array_names(X.shape, feature_names)
        check_names(pd.Index(given))
        _check_shape(X.shape, min_samples, min_features)
        table = read_sparse(X, tuple(map(str, given)), _nominal_positions(nominal, given))
        if not allow_constant:
            _refuse_constant(_is_constant(table.column(j)) for j in range(table.n_features))
        return table
    opened = open_frame(X)
    frame = array_frame(X, feature_names) if opened is None else opened
    check_names(frame.names)
    _check_shape(frame.shape, min_samples, min_features)
    values = np.empty(frame.shape, dtype=np.float64, order="F")
    kinds = np.empty(frame.shape[1], dtype=np.int8)
    levels: dict[int, tuple[Any, ...]] = {}
    names = tuple(str(name) for name in frame.names.tolist())
    declared = _nominal_positions(nominal, list(frame.names))
    types = frame.types()
    if opened is None and not declared and types[0] is not None:
        cells = frame.frame.to_numpy()
        with np.errstate(over="ignore"):  # long doubles beyond 1e308 are infinite, and refused
            values[:] = cells
        kinds[:] = array_kind(types[0])
        if cells.dtype.kind in "iu" and cells.dtype.itemsize == 8:
            _refuse_rounded(cells, values, names)
    else:
        plain = [None if j in declared else dtype for j, dtype in enumerate(types)]
        _copy_plain_columns(frame, plain, values, kinds, names)
        for j in (j for j, dtype in enumerate(plain) if dtype is None):
            kinds[j], values[:, j], found = read_column(frame.column(j), names[j], j in declared)
            if found is not None:
                levels[j] = found
    _check_cells(values, names, allow_constant)
    return Table(values, names, kinds, levels)


def _copy_plain_columns(
    frame: Frame,
    types: Sequence[np.dtype[Any] | None],
    values: NDArray[np.float64],
    kinds: NDArray[np.int8],
    names: Sequence[str],
) -> None:
    """Copy the columns of numbers, those of a type many at a time."""
    plain: dict[Any, list[int]] = {}
    for j, dtype in enumerate(types):
        if dtype is not None:
            plain.setdefault(dtype, []).append(j)
    for dtype, positions in plain.items():
        kinds[positions] = array_kind(dtype)
        size = max(1, min(_COLUMNS_AT_ONCE, _CELLS_AT_ONCE // frame.shape[0]))
        for start in range(0, len(positions), size):
            part = positions[start : start + size]
            cells = frame.cells(part)
            with np.errstate(over="ignore"):
                values[:, part] = cells
            if dtype.kind in "iu" and dtype.itemsize == 8:
                _refuse_rounded(cells, values[:, part], [names[j] for j in part])


def _refuse_rounded(cells: NDArray[Any], values: NDArray[np.float64], names: Sequence[str]) -> None:
    """Refuse 64-bit numbers that are different and would be one floating-point number."""
    for j in np.flatnonzero(np.abs(values).max(axis=0, initial=0.0) >= EXACT).tolist():
        refuse_rounded(cells[:, j], values[:, j], names[j])


def array_frame(X: Any, feature_names: Sequence[str] | None = None) -> PandasFrame:
    """An array, or what NumPy makes one of, as a data frame."""
    array = as_array("X", X)
    if array.ndim == 0:
        raise InputTypeError(
            f"X is a {type(X).__name__}, and no table with two dimensions: give an array, or a data frame "
            f"of {FRAMES}"
        )
    _check_dimensions(array.shape)
    if array.dtype.kind not in "fiubOUS":
        raise InputTypeError(f"X has the unsupported type {array.dtype}")
    if array.dtype.kind in "US":
        array = array.astype(object)
    names = _array_names(array.shape, feature_names)
    return PandasFrame(pd.DataFrame(array, columns=names, copy=False))


def _sparse_refused(X: Any) -> InputTypeError:
    return InputTypeError(
        "sparse input is read by wam, bam and influence with the filters that list_filters() marks as "
        f"sparse, and not here; convert it with X.toarray() if {dense_megabytes(X)} fit into memory"
    )


def _array_names(shape: tuple[int, ...], feature_names: Sequence[str] | None) -> list[str]:
    """The names given for the columns of an array, or ``x0, x1, …``."""
    names = (
        [f"x{j}" for j in range(shape[1])]
        if feature_names is None
        else check_list("feature_names", feature_names)
    )
    if len(names) != shape[1]:
        raise ParameterError(f"feature_names has {len(names)} names for {shape[1]} columns of X")
    check_writable_names([str(name) for name in names], "a column")
    return names


def _check_dimensions(shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        raise DataError(
            f"X must be a table with two dimensions (samples by features), got an array of shape "
            f"{shape}. Reshape your data, for instance with X.reshape(-1, 1)."
        )


def _check_shape(shape: tuple[int, ...], min_samples: int, min_features: int) -> None:
    n_samples, n_features = shape
    if n_samples < min_samples:
        raise DataError(
            f"X has {n_samples} sample(s) (shape={shape}); a minimum of {min_samples} is required."
        )
    if n_features < min_features:
        raise DataError(
            f"X has {n_features} feature(s) (shape={shape}) while a minimum of "
            f"{min_features} is required."
        )


def check_names(columns: pd.Index) -> None:
    """Refuse columns without a name of their own."""
    if isinstance(columns, pd.MultiIndex):
        raise DataError("X has several levels of column names; flatten them to one")
    missing = columns.isna()
    names = [str(name) for name in columns.tolist()]
    blank = [j for j, name in enumerate(names) if missing[j] or not name.strip()]
    if blank:
        raise DataError(f"column {blank[0] + 1} of the table has no name; give every column a name")
    check_writable_names(names, "a column")
    if len(set(names)) < len(names):
        twice = [name for name, count in Counter(names).items() if count > 1]
        raise DataError(
            f"duplicate column name(s) {', '.join(map(repr, twice[:5]))}; every feature needs a "
            f"different name"
        )


def _nominal_positions(nominal: Sequence[str | int] | None, names: list[Any]) -> set[int]:
    if nominal is None:
        return set()
    if isinstance(nominal, str):
        nominal = [nominal]
    positions = set()
    place = {name: j for j, name in enumerate(names)}
    for column in check_list("nominal", nominal):
        known = isinstance(column, Hashable) and column in place
        if isinstance(column, numbers.Integral) and not known:
            positions.add(
                check_integer("a position in nominal", column, low=0, high=len(names) - 1)
            )
        elif known:
            positions.add(place[column])
        else:
            raise ParameterError(
                f"nominal names the column {column!r}, which the table does not have"
            )
    return positions


_COLUMNS_AT_ONCE = 256
_CELLS_AT_ONCE = 2**20


def _check_cells(values: NDArray[np.float64], names: tuple[str, ...], allow_constant: bool) -> None:
    """Refuse infinite cells and tables without any variation, column by column."""
    for start in range(0, values.shape[1], _COLUMNS_AT_ONCE):
        block = values[:, start : start + _COLUMNS_AT_ONCE]
        infinite = np.isinf(block).any(axis=0)
        if infinite.any():
            j = int(infinite.argmax())
            row = int(np.isinf(block[:, j]).argmax())
            raise DataError(
                f"column {names[start + j]!r} has an infinite value (inf) in row {row + 1}; replace "
                "infinity by a number or mark it missing (NaN)"
            )
    if not allow_constant:
        _refuse_constant(_is_constant(column) for column in values.T)


def _refuse_constant(constant: Iterable[bool]) -> None:
    """Refuse a table of whose columns each is constant; stops at the first that is not."""
    if all(constant):
        raise DataError("every feature is constant; there is nothing to rank")


def _is_constant(column: NDArray[np.float64]) -> bool:
    known = column[~np.isnan(column)]
    return known.size == 0 or bool((known == known[0]).all())


# ---------------------------------------------------------------------------------------------
# weights
# ---------------------------------------------------------------------------------------------
def full_weights(n_samples: int, sample_weight: Any = None) -> Weights:
    """The table itself as one resample: every row once, or `sample_weight` times.

    Raises
    ------
    ParameterError
        If the weights are not whole numbers from 0 to `MAX_WEIGHT`, one per row.
    """
    if sample_weight is None:
        return np.ones((1, n_samples), dtype=np.uint16)
    weights = as_array("sample_weight", sample_weight, np.float64)
    if weights.shape != (n_samples,):
        raise ParameterError(
            f"sample_weight must have one number per sample: Sample weights must be 1D of length "
            f"{n_samples}, got shape {weights.shape}"
        )
    whole = np.isfinite(weights).all() and bool((weights == np.floor(weights)).all())
    if whole and weights.max() > MAX_WEIGHT:
        raise ParameterError(
            f"sample_weight lets a row count {weights.max():.0f} times, and a row counts at most "
            f"{MAX_WEIGHT} times; divide the weights by a common factor"
        )
    if not whole or weights.min() < 0 or weights.sum() < 2:
        raise ParameterError(
            f"sample_weight says how often each row counts: whole numbers from 0 to {MAX_WEIGHT}, not "
            "nearly all of them zero; their sum must be at least 2"
        )
    return weights.astype(np.uint16)[np.newaxis, :]


def weights_from_counts(counts: NDArray[np.intp], resample: int, remedy: str) -> NDArray[np.uint16]:
    """How often a resample draws each row, in the type of weights, which must not wrap around.

    Raises
    ------
    ParameterError
        If a row is drawn more than `MAX_WEIGHT` times; the message ends with `remedy`.
    """
    row = int(counts.argmax())
    if counts[row] > MAX_WEIGHT:
        raise ParameterError(
            f"resample {resample} draws row {row} (counted from 0) {counts[row]} times, and a row "
            f"counts at most {MAX_WEIGHT} times; {remedy}"
        )
    return counts.astype(np.uint16)

"""The boundary: what a user hands over becomes a :class:`Table`, once (targets: `_target`).

Behind this module no function looks at types, names or missing-value markers again.
"""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypedDict, TypeVar, Unpack, cast, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Booleans, Floats
from pyfsagg._base.memory import require_memory
from pyfsagg._base.remarks import warn
from pyfsagg._base.settings import Task
from pyfsagg._base.validation import as_array, check_integer, check_list, check_writable_names
from pyfsagg._message import DENSE, NAN, Message, Param, Phrase, Remedy, Use
from pyfsagg._table import frames
from pyfsagg._table.columns import EXACT, Kind, array_kind, read_column, refuse_rounded
from pyfsagg._table.frames import Frame, PandasFrame
from pyfsagg._table.sparse import (
    SparseTable,
    dense_megabytes,
    infinite_cell,
    is_sparse,
    read_sparse,
)
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError

Weights = NDArray[np.uint16]
"""Row weights (n_resamples, n_samples): how often each row is in each resample."""

MAX_WEIGHT = int(np.iinfo(np.uint16).max)  # how often one row may count in one resample


@dataclass(frozen=True, eq=False)
class Table:
    """A validated table: `values` (n_samples, n_features), Fortran order, without infinite values,
    booleans as 0 and 1, nominal columns as codes, missing as NaN; `levels` of nominal columns by
    position, in the order of the codes."""

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
        names = tuple(self.feature_names[j] for j in features)
        levels = {new: self.levels[old] for new, old in enumerate(features) if old in self.levels}
        values = np.asfortranarray(self.values[:, features])
        return Table(values, names, self.kinds[features], levels)

    def joined(self, other: Table) -> Table:
        """The columns of this table, followed by those of another one with the same rows."""
        p = self.n_features
        return Table(
            np.asfortranarray(np.hstack([self.values, other.values])),
            self.feature_names + other.feature_names,
            np.concatenate([self.kinds, other.kinds]),
            {**self.levels, **{p + j: levels for j, levels in other.levels.items()}},
        )

    def take_rows(self, rows: NDArray[np.intp]) -> Table:
        """The table with the samples at positions `rows`."""
        return self.with_values(self.values[rows])

    def with_values(self, values: NDArray[np.float64]) -> Table:
        """The table with other cell values of the same meaning."""
        return replace(self, values=np.asfortranarray(values))


SPARSE_COLUMN = 250
"""Bytes that a column of a sparse table takes however few cells it has: its name, its kind, its place."""

AnyTable = Table | SparseTable
"""Both have names, kinds, levels, `column`, `value_counts` and `take`; `values` is dense only."""


class _Demands(TypedDict, total=False):
    nominal: Sequence[str | int] | None
    feature_names: Sequence[str] | None
    min_samples: int
    min_features: int
    allow_constant: bool


@overload
def as_table(X: Any, *, sparse: Literal[False] = False, **demands: Unpack[_Demands]) -> Table: ...


@overload
def as_table(X: Any, *, sparse: Literal[True], **demands: Unpack[_Demands]) -> AnyTable: ...


def as_table(
    X: Any,
    *,
    nominal: Sequence[str | int] | None = None,
    feature_names: Sequence[str] | None = None,
    min_samples: int = 2,
    min_features: int = 2,
    allow_constant: bool = False,
    sparse: bool = False,
) -> AnyTable:
    """A :class:`Table` of an array, a frame that narwhals knows, or, with `sparse`, a
    :class:`SparseTable` of a SciPy matrix. `nominal` columns (names or positions) are levels whatever
    their type, and `allow_constant` accepts a table without variation."""
    if isinstance(X, AnyTable if sparse else Table):
        return X
    opened = X.frame if isinstance(X, ConvertedTable) else frames.open_frame(X)
    if opened is None and is_sparse(X):
        if not sparse:
            raise InputTypeError(
                "sparse input is read by wam, bam and influence with the filters that "
                "list_methods('filters') marks as sparse, and not here",
                Remedy("convert it with ", DENSE, f" if {dense_megabytes(X)} fit into memory"),
            )
        _check_dimensions(X.shape)
        require_memory(
            SPARSE_COLUMN * X.shape[1],
            f"a sparse table of {X.shape[1]:,} features",
            "number the features anew, so those that occur come without gaps",
        )
        labels = _array_names(X.shape, feature_names)
        check_names(pd.Index(labels))
        _check_shape(X.shape, min_samples, min_features)
        declared = column_positions("nominal", nominal, labels)
        table: AnyTable = read_sparse(X, tuple(map(str, labels)), declared)
    else:
        frame = array_frame(X, feature_names) if opened is None else opened
        check_names(frame.names)
        _check_shape(frame.shape, min_samples, min_features)
        declared = column_positions("nominal", nominal, list(frame.names))
        known = isinstance(X, ConvertedTable) and X.declared == declared
        converted: ConvertedTable = X if known else convert_frame(frame, declared)
        for error in converted.problems.values():
            raise error
        table, values = converted.table, converted.table.values
        for part in column_parts(values.shape[0], range(values.shape[1])):
            cells = values[:, frames.as_slice(part)]
            if np.isfinite(cells).all():
                continue
            infinite = np.isinf(cells)
            if infinite.any():
                place = int(infinite.any(axis=0).argmax())
                row = int(infinite[:, place].argmax())
                raise infinite_cell(table.feature_names[part[place]], row)
            np.copyto(cells, np.nan, where=np.isnan(cells))  # of one kind, see `one_nan`
    if not allow_constant and not any(varies(table.column(j)) for j in range(table.n_features)):
        raise DataError("every feature is constant; there is nothing to rank")
    return table


@dataclass(frozen=True, eq=False)
class ConvertedTable:
    """A frame as numbers, for :func:`as_table`, before anything is refused: `table` may have infinite
    cells, unreadable columns (reasons in `problems`) are missing, and `declared` ones nominal."""

    frame: Frame
    table: Table
    problems: dict[int, DataError | InputTypeError]
    declared: set[int]

    @property
    def shape(self) -> tuple[int, int]:
        return self.frame.shape

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self.table.feature_names


def convert_frame(frame: Frame, declared: set[int]) -> ConvertedTable:
    """Every cell of a frame as a number; columns of numbers of one type many at a time."""
    values = np.empty(frame.shape, dtype=np.float64, order="F")
    kinds = np.full(frame.shape[1], Kind.NOMINAL, dtype=np.int8)
    names = tuple(str(name) for name in frame.names.tolist())
    levels: dict[int, tuple[Any, ...]] = {}
    problems: dict[int, DataError | InputTypeError] = {}
    by_type: dict[np.dtype[Any] | None, list[int]] = {}
    for j, dtype in enumerate(frame.types()):
        by_type.setdefault(None if j in declared else dtype, []).append(j)
    others = by_type.pop(None, [])
    for dtype, positions in by_type.items():
        assert dtype is not None
        kinds[positions] = array_kind(dtype)
        for part in column_parts(frame.shape[0], positions):
            cells = frame.cells(part)
            # Long doubles beyond 1e308 become infinite, and are refused; a signalling NaN is missing.
            with np.errstate(over="ignore", invalid="ignore"):
                values[:, frames.as_slice(part)] = cells
            if dtype.kind in "iu" and dtype.itemsize == 8:
                largest = np.abs(values[:, frames.as_slice(part)]).max(axis=0, initial=0.0)
                for place in np.flatnonzero(largest >= EXACT).tolist():
                    j = part[place]
                    try:
                        refuse_rounded(cells[:, place], values[:, j], names[j])
                    except DataError as error:
                        problems[j] = error
    for j in others:
        try:
            kinds[j], values[:, j], words = read_column(frame.column(j), names[j], j in declared)
        except (DataError, InputTypeError) as error:
            problems[j], values[:, j] = error, np.nan
        else:
            if words is not None:
                levels[j] = words
    return ConvertedTable(frame, Table(values, names, kinds, levels), problems, declared)


def array_frame(X: Any, feature_names: Sequence[str] | None = None) -> PandasFrame:
    """An array, or what NumPy makes one of, as a data frame."""
    array = as_array("X", X)
    if array.ndim == 0:
        raise InputTypeError(
            Param("X"),
            f" is a {type(X).__name__}, and no table with two dimensions: give an array, or a ",
            f"data frame of {frames.FRAMES}",
        )
    _check_dimensions(array.shape)
    if array.dtype.kind not in "fiubOUS":
        raise InputTypeError(Param("X"), f" has the unsupported type {array.dtype}")
    if array.dtype.kind in "US":
        array = array.astype(object)
    names = _array_names(array.shape, feature_names)
    return PandasFrame(pd.DataFrame(array, columns=names, copy=False))


def _array_names(shape: tuple[int, ...], feature_names: Sequence[str] | None) -> list[str]:
    """The names given for the columns of an array, or ``x0, x1, …``."""
    if feature_names is None:
        return [f"x{j}" for j in range(shape[1])]
    names = check_list("feature_names", feature_names)
    if len(names) != shape[1]:
        message = f" has {len(names)} names for {shape[1]} columns of "
        raise ParameterError(Param("feature_names"), message, Param("X"))
    check_writable_names([str(name) for name in names], "a column")
    return names


def _check_dimensions(shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        raise DataError(
            Param("X"),
            " must be a table with two dimensions (samples by features), got an array of shape ",
            f"{shape}. Reshape your data, for instance with X.reshape(-1, 1).",
        )


def _check_shape(shape: tuple[int, ...], min_samples: int, min_features: int) -> None:
    n_samples, n_features = shape
    shown = Phrase("shape", f" (shape={shape})")
    if n_samples < min_samples:
        least = f"; a minimum of {min_samples} is required."
        raise DataError(Param("X"), f" has {n_samples} sample(s)", shown, least)
    if n_features < min_features:
        least = f" while a minimum of {min_features} is required."
        raise DataError(Param("X"), f" has {n_features} feature(s)", shown, least)


def check_names(columns: pd.Index) -> None:
    """Refuse columns with empty or repeated names."""
    if isinstance(columns, pd.MultiIndex):
        message = " has several levels of column names"
        raise DataError(Param("X"), message, Remedy("flatten them to one"))
    names = [str(name) for name in columns.tolist()]
    for j, missing in enumerate(columns.isna(), start=1):
        if missing or not names[j - 1].strip():
            raise DataError(f"column {j} of the table has no name; give every column a name")
    check_writable_names(names, "a column")
    frames.refuse_duplicates(names)


def column_positions(
    argument: str, columns: Sequence[str | int] | None, names: list[Any]
) -> set[int]:
    """The positions of the columns that an argument names or counts."""
    positions: set[int] = set()
    place = {name: j for j, name in enumerate(names)}
    given = [columns] if isinstance(columns, str) else () if columns is None else columns
    for column in check_list(argument, given):
        if isinstance(column, Hashable) and column in place:
            positions.add(place[column])
        elif isinstance(column, numbers.Integral):
            what = Message("a position in ", Param(argument))
            positions.add(check_integer(what, column, low=0, high=len(names) - 1))
        else:
            raise ParameterError(
                Param(argument), f" names the column {column!r}, which the table does not have"
            )
    return positions


def column_parts(n_samples: int, positions: Sequence[int]) -> Iterator[Sequence[int]]:
    """Columns in parts that are small compared with the table; results of a part take as much again."""
    size = max(1, min(256, 2**20 // max(1, n_samples)))
    for start in range(0, len(positions), size):
        yield positions[start : start + size]


def varies(column: Floats) -> bool:
    """Whether two known cells differ."""
    known = column[~np.isnan(column)]
    return bool((known != known[:1]).any())


def full_weights(n_samples: int, sample_weight: Any = None, name: str = "sample_weight") -> Weights:
    """The table itself as one resample: every row once, or `sample_weight` times."""
    if sample_weight is None:
        return np.ones((1, n_samples), dtype=np.uint16)
    weights = as_array(name, sample_weight, np.float64)
    what = Param(name)
    if weights.shape != (n_samples,):
        message = " must have one number per sample: Sample weights must be 1D of length "
        raise ParameterError(what, message, f"{n_samples}, got shape {weights.shape}")
    whole = np.isfinite(weights).all() and bool((weights == np.floor(weights)).all())
    if whole and weights.max() > MAX_WEIGHT:
        raise ParameterError(
            what,
            f" counts a row {weights.max():.0f} times, and a row counts at most {MAX_WEIGHT} times",
            Remedy("divide the weights by a common factor"),
        )
    if not whole or weights.min() < 0 or weights.sum() < 2:
        raise ParameterError(
            what,
            f" says how much each row counts: whole numbers from 0 to {MAX_WEIGHT}, not nearly ",
            "all of them zero; their sum must be at least 2",
            Remedy("multiply fractions by a common factor, and round them"),
        )
    return weights.astype(np.uint16)[np.newaxis, :]


def weights_from_counts(counts: NDArray[np.intp], resample: int, remedy: str) -> NDArray[np.uint16]:
    """How often a resample draws each row, in the type of weights, which must not wrap around."""
    row = int(counts.argmax())
    if counts[row] > MAX_WEIGHT:
        raise ParameterError(
            f"resample {resample} draws row {row} (counted from 0) {counts[row]} times, and a row "
            f"counts at most {MAX_WEIGHT} times; {remedy}"
        )
    return counts.astype(np.uint16)


T = TypeVar("T", bound=AnyTable)

FEW_NUMBERS = 10
"""Different whole numbers up to which a column may well hold codes, and not numbers."""

ALIASED = 1e-7
"""Share of the length of a column outside the others below which it is a sum of them, as for R's lm()."""


@dataclass(frozen=True, eq=False)
class Adjusters:
    """The adjusting columns: nominal (words, two values, or declared; missing is a level), or numbers."""

    table: Table

    @property
    def names(self) -> tuple[str, ...]:
        return self.table.feature_names

    @cached_property
    def nominal(self) -> Booleans:
        """Which of the columns (k,) are nominal."""
        two = [len(self.table.value_counts(j)) <= 2 for j in range(self.table.n_features)]
        return np.asarray(np.isin(self.table.kinds, (Kind.NOMINAL, Kind.BOOLEAN)) | np.array(two))

    def names_of(self, *, nominal: bool) -> tuple[str, ...]:
        """Those of the nominal columns, or of the columns of numbers."""
        return tuple(np.array(self.names)[self.nominal == nominal].tolist())

    @property
    def by_numbers(self) -> bool:
        """Whether a column is a number, so there are no strata in which the rows are alike."""
        return not self.nominal.all()

    @cached_property
    def strata(self) -> NDArray[np.intp]:
        """Codes (n_samples,) of the combinations of nominal values; 0 where there are no nominal columns."""
        codes = [self._codes(j) for j in np.flatnonzero(self.nominal).tolist()]
        joined = np.column_stack([np.zeros(self.table.n_samples, dtype=np.intp), *codes])
        return np.asarray(np.unique(joined, axis=0, return_inverse=True)[1]).ravel()

    def _codes(self, j: int) -> NDArray[np.intp]:
        """Levels of a column in ascending order; the missing ones are the last."""
        return np.asarray(np.unique(self.table.values[:, j], return_inverse=True)[1]).ravel()

    @property
    def n_strata(self) -> int:
        return int(self.strata.max()) + 1

    @cached_property
    def numbers(self) -> Floats:
        """The columns of numbers (n_samples, k), less their means and in units of their spread."""
        numbers = self.table.values[:, ~self.nominal]
        numbers = numbers - numbers.mean(axis=0)
        return np.asarray(numbers / np.maximum(np.abs(numbers).max(axis=0), np.finfo(float).tiny))

    @cached_property
    def indicators(self) -> Floats:
        """A column of ones, and one for each level of a nominal column (n_samples, ·)."""
        codes = [self._codes(j) for j in np.flatnonzero(self.nominal).tolist()]
        ones = np.ones((self.table.n_samples, 1))
        return np.hstack([ones, *(np.eye(each.max() + 1)[each] for each in codes)])

    @property
    def design(self) -> Floats:
        """The columns of a linear model: ones, levels and numbers."""
        return np.hstack([self.indicators, self.numbers])

    def take(self, rows: NDArray[np.intp]) -> Adjusters:
        """Those of the samples at positions `rows`; a column keeps its kind."""
        kinds = np.where(self.nominal, np.int8(Kind.NOMINAL), self.table.kinds)
        values = np.asfortranarray(self.table.values[rows])
        return Adjusters(replace(self.table, values=values, kinds=kinds))

    def residuals(self, table: Table) -> Table:
        """`table` minus the fit of each column by the adjusters, in its known rows."""
        values = np.empty_like(table.values)
        for j in range(table.n_features):
            column, known = table.values[:, j], ~np.isnan(table.values[:, j])
            basis = orthonormal(self.design[known])
            centred = column[known] - column[known].mean()
            values[known, j] = centred - basis @ (basis.T @ centred)
            values[~known, j] = np.nan
        kinds = np.full(table.n_features, Kind.NUMERIC, dtype=np.int8)
        return replace(table, values=np.asfortranarray(values), kinds=kinds, levels={})

    @property
    def record(self) -> dict[str, str]:
        """What each column counts as."""
        return {
            name: f"{len(self.table.value_counts(j))} levels" if self.nominal[j] else "a number"
            for j, name in enumerate(self.names)
        }


def orthonormal(columns: Floats) -> Floats:
    """An orthonormal basis (n, rank) of what the columns span; one that the others add up to adds nothing."""
    length = np.sqrt((columns**2).sum(axis=0))
    columns = columns[:, length > 0.0] / length[length > 0.0]
    if not columns.size:
        return np.empty((len(columns), 0))
    basis, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    return np.asarray(basis[:, sizes > ALIASED * sizes[0]])


def set_apart(task: Task, table: T) -> tuple[T, Adjusters | None, Table | None]:
    """The columns to be scored, those that their scores are adjusted for, and those that are always in."""
    rest, apart = np.arange(table.n_features), {}
    for role, columns in (("adjust", task.adjust), ("always", task.always)):
        if columns is None:
            continue
        chosen = sorted(column_positions(role, columns, list(table.feature_names)))
        places = np.array(chosen, dtype=np.intp)
        if twice := set(chosen) - set(rest.tolist()):
            name = table.feature_names[min(twice)]
            raise DataError(
                f"the column {name!r} is in ", Param("adjust"), " and ", Param("always")
            )
        rest = np.setdiff1d(rest, places)
        if not places.size or not rest.size:
            few = "no column" if not places.size else "all columns, and leaves none to be scored"
            raise DataError(Param(role), f" names {few}")
        values = np.asfortranarray(np.column_stack([table.column(j) for j in chosen]))
        own = table.take(places)
        apart[role] = Table(values, own.feature_names, own.kinds, dict(own.levels))
    adjusters = _checked(Adjusters(apart["adjust"])) if "adjust" in apart else None
    return cast("T", table.take(rest)), adjusters, apart.get("always")


def _checked(adjusters: Adjusters) -> Adjusters:
    for j in np.flatnonzero(~adjusters.nominal).tolist():
        column, name = adjusters.table.values[:, j], adjusters.names[j]
        if np.isnan(column).any():
            raise DataError(
                f"the adjusting column {name!r} has missing values (",
                NAN,
                ")",
                Remedy("fill them in, or drop these rows; of a nominal column they are a level"),
            )
        n_values = len(adjusters.table.value_counts(j))
        if adjusters.table.kinds[j] == Kind.INTEGER and n_values <= FEW_NUMBERS:
            warn(
                f"the adjusting column {name!r} contains {n_values} whole numbers and counts as a number; if "
                "they are codes, name it in ",
                Param("nominal"),
                stacklevel=4,
            )
    n_samples = adjusters.table.n_samples
    if orthonormal(adjusters.design).shape[1] > n_samples - 3:
        raise DataError(
            f"the adjusting columns {', '.join(adjusters.names)} tell all {n_samples} rows apart, so ",
            "there is nothing left to explain",
            Remedy("leave identifiers out; subjects with several rows are ", Use(groups="…")),
        )
    return adjusters

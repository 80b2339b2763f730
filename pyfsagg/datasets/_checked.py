"""A table that is checked before a run: its features, its target, its subjects, and what was found."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd

from pyfsagg._base.arithmetic import TargetLike
from pyfsagg._base.settings import Reading
from pyfsagg._base.words import enumerate_names
from pyfsagg._message import Message, Param, Phrase, Remedy
from pyfsagg._table.findings import TableCheck
from pyfsagg._table.frames import PandasFrame, pandas_frame, pandas_series
from pyfsagg._table.look import find_in_sparse, find_in_table
from pyfsagg._table.source import read_source
from pyfsagg._table.sparse import is_sparse
from pyfsagg._table.table import (
    AnyTable,
    ConvertedTable,
    array_frame,
    as_table,
    column_positions,
    convert_frame,
)
from pyfsagg._table.target import coded_as_in_r
from pyfsagg.datasets._loaders import is_sparse_file, read_sparse_table, split_target
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError


@dataclass(frozen=True, eq=False, kw_only=True)
class CheckedTable:
    """The features `X` of a table, the same as numbers (`table`), the target `y`, the subjects (`groups`),
    the `check`, the value that is the `event` if it was not 1, and `notes` on how all this was read."""

    X: Any
    table: ConvertedTable | AnyTable
    y: pd.Series[Any] | pd.DataFrame | None
    groups: Any
    check: TableCheck
    event: Any = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        table: Any,
        y: Any = None,
        *,
        groups: Any = None,
        event: Any = None,
        nominal: Sequence[str | int] | None = None,
        task: str = "classification",
        transposed: bool = False,
    ) -> Self:
        """A frame, an array or a sparse matrix; `y` and `groups` are columns of it, or separate, and
        `event` is the value of the second column of `y` that is one."""
        if is_sparse(table):
            numbers: Any = as_table(table, nominal=nominal, sparse=True, min_features=1)
            labels = _labels(y, table.shape[0])
            found = find_in_sparse(numbers, labels, task=task)
            return cls(X=table, table=numbers, y=labels, groups=groups, check=found)
        frame = in_memory(table)
        try:
            X, labels = split_labels(frame, y, [groups] if isinstance(groups, str) else [])
        except UnknownNameError as error:
            if transposed or not _lies_on_its_side(frame):
                raise
            raise DataError(
                str(error).partition(" Known:")[0],
                " The rows look like features, such as genes, with their names in the first column",
                Remedy(Phrase("transpose", TRANSPOSE)),
            ) from None
        if isinstance(groups, str):
            groups = frame.set_axis(list(map(str, frame.columns)), axis="columns")[groups]
        labels, event, notes = _with_events(labels, event)
        declared = column_positions("nominal", nominal, list(X.columns))
        converted = convert_frame(PandasFrame(X), declared)
        found = find_in_table(converted, labels, task=task, grouped=groups is not None)
        return cls(
            X=X, table=converted, y=labels, groups=groups, check=found, event=event, notes=notes
        )

    def with_target(self) -> Self:
        """The table without the rows that have no target, if some have one."""
        if self.y is None:
            return self
        cells: Any = np.asarray(self.y.notna()).reshape(len(self.y), -1)
        known = cells.all(axis=1)
        if known.all() or not known.any():
            return self
        X, table = self.X[known], self.table
        if isinstance(table, ConvertedTable):
            again: Any = convert_frame(PandasFrame(X), table.declared)
        else:
            again = as_table(X, nominal=[*table.levels], sparse=True, min_features=1)
        groups = None if self.groups is None else pd.Series(self.groups)[known]
        return replace(self, X=X, table=again, y=self.y[known], groups=groups)


TRANSPOSE = "read it by read_table with transpose=True, and labels for a file with a row per sample"


def _lies_on_its_side(frame: pd.DataFrame) -> bool:
    """Whether names that all differ, in the first column, and numbers in most others look like features."""
    is_numeric = pd.api.types.is_numeric_dtype
    numeric, names = sum(map(is_numeric, frame.dtypes)), frame.iloc[:, 0]
    named = not isinstance(frame.index, pd.RangeIndex)
    named = named or (not is_numeric(names) and names.is_unique)
    return named and frame.shape[1] > 3 and 4 * numeric >= 3 * frame.shape[1]


def _with_events(
    y: pd.Series[Any] | pd.DataFrame | None, event: Any
) -> tuple[pd.Series[Any] | pd.DataFrame | None, Any, tuple[str, ...]]:
    """Events as 0 and 1 if their value was given, or R's codes are there; that value; and a note."""
    if not isinstance(y, pd.DataFrame) or y.shape[1] != 2:
        if event is None:
            return y, None, ()
        raise ParameterError(
            Param("event"),
            " is the value that is an event",
            Remedy("give times and events as ", Param("y")),
        )
    name = str(y.columns[1])
    column = y.iloc[:, 1]
    given = Phrase("event", f"event={event!r}", column=name, value=event)
    if event is not None:
        note = Message(given, f": all other values of {name!r} count as censored")
    elif coded_as_in_r(column):
        event = 2
        note = Message(
            f"{name!r} contains 1 and 2: as in R's Surv(), 1 means censored and 2 the event; ",
            Phrase("event", "event=1", column=name, value=1),
            " takes 1 for it",
        )
    else:
        return y, None, ()
    levels = {str(level): level for level in column.dropna().unique().tolist()}
    levels |= {f"{level:g}": level for level in levels.values() if isinstance(level, float)}
    if str(event) not in levels:
        shown = enumerate_names(sorted(levels)[:10])
        raise ParameterError(given, f": the column {name!r} has no such value; it has {shown}")
    value = levels[str(event)]
    events = (column == value).astype(float).where(column.notna())
    return y.assign(**{y.columns[1]: events}), value, (note,)


def check_table(
    table: Any,
    y: TargetLike = None,
    *,
    target: str | Sequence[str] | None = None,
    nominal: Sequence[str] | None = None,
    task: str = "classification",
    **settings: Any,
) -> TableCheck:
    """Check a table for common problems before a run.

    It finds identifiers and free text (a different value in every row), row numbers, dates, subjects with
    several rows, features that equal the target or go with it without an exception, targets that a run
    refuses, columns that mix numbers and words, rows without a
    target, classes that differ by case or blanks only and classes of one to three samples, constant,
    duplicate and mostly missing columns, duplicate rows, numbers such as -999 that look like codes for
    missing, and words that look like numbers. Time and memory grow with the number of cells, of a sparse
    table with those that are not 0. Ensembles do not run this check; the commands of the terminal do, and
    stop at findings of the severity ``"stop"``.

    Parameters
    ----------
    table : array, data frame or sparse matrix (n_samples, n_features), or path
        A file is read as by :func:`read_table`, or :func:`pyfsagg.datasets.read_sparse_table`, which
        brings its labels along.  The columns of a sparse table are called ``x0``, ``x1``, …
    y : array (n_samples,), optional
        Classes or numbers; for survival a data frame of times and events.
    target : str, optional
        The column of `table` that holds them, instead of `y`; for survival two, of times and events.
    nominal : sequence of str, optional
        Columns whose values are classes, even if they look like numbers.
    task : {"classification", "regression", "survival"}
    **settings
        How a file is read, see :func:`read_table`.

    Returns
    -------
    TableCheck
        With ``findings``, ``facts``, ``to_frame()``, ``record()`` and ``require(accept=())``, which raises
        a DataError for findings that stop a run.

    See Also
    --------
    read_table : reads a file.
    near_zero_variance : features that hardly vary.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"id": range(1, 13), "x": [5, 2, 9, 1] * 3, "kind": ["a", "b", "b"] * 4})
    >>> found = check_table(frame, target="kind")
    >>> [finding.code for finding in found.findings]
    ['row_number']
    """
    if y is not None and target is not None:
        raise ParameterError("give ", Param("y"), " or target, the name of its column, not both")
    if isinstance(table, (str, os.PathLike)) and is_sparse_file(str(table)) and not settings:
        table, beside = read_sparse_table(str(table))
        y = beside if y is None else y
    if is_sparse(table) and (target is not None or nominal is not None):
        raise ParameterError(
            "the columns of a sparse table have no names: give ",
            Param("y"),
            ", and neither target nor nominal",
        )
    if isinstance(table, (str, os.PathLike)):
        table = read_source(str(table), Reading.of(settings)).frame
    elif settings:
        raise ParameterError(
            f"{next(iter(settings))} sets how a file is read, and the table is in memory"
        )
    y = y if target is None else target
    return CheckedTable.of(table, y, nominal=nominal, task=task).check


def in_memory(table: Any) -> pd.DataFrame:
    """A table in memory as a data frame."""
    frame = pandas_frame(table, nullable=True)
    return frame if isinstance(frame, pd.DataFrame) else array_frame(frame).frame


def split_labels(
    frame: pd.DataFrame, y: Any, exclude: Sequence[str] = ()
) -> tuple[pd.DataFrame, pd.Series[Any] | pd.DataFrame | None]:
    """Features and target of a table; `y` is its column (two for survival), or a separate target."""
    named = isinstance(y, str) or (
        isinstance(y, (tuple, list)) and len(y) == 2 and all(isinstance(each, str) for each in y)
    )
    X, labels = split_target(frame, y if named and len(frame) != 2 else None, exclude)
    return X, (labels if labels is not None or y is None else _labels(y, len(X)))


def _labels(y: Any, n_samples: int) -> pd.Series[Any] | pd.DataFrame | None:
    """The target as a column, or two of survival, numbered like the rows."""
    if y is None:
        return None
    y = pandas_series(pandas_frame(y))
    if isinstance(y, np.ndarray) and y.ndim > 2:
        raise DataError(
            Param("y"), f" must be one column, or two of survival, got an array of shape {y.shape}"
        )
    if isinstance(y, np.ndarray) and y.ndim == 2:
        y = pd.DataFrame(y)
    if not isinstance(y, pd.DataFrame):
        y = pd.Series(y, name=str(getattr(y, "name", None) or "target"))
    if len(y) != n_samples:
        raise ParameterError(Param("y"), f" has {len(y)} labels for {n_samples} rows of the table")
    labels: pd.Series[Any] | pd.DataFrame = y.reset_index(drop=True)
    return labels

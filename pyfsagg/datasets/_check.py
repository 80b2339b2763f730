"""A look through a table before a run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pyfsagg._base.checks import check_list
from pyfsagg._base.reading import Reading
from pyfsagg._table.findings import TableCheck, find_in_table
from pyfsagg._table.frames import pandas_frame, pandas_series
from pyfsagg._table.source import read_source
from pyfsagg._table.sparse import is_sparse
from pyfsagg._table.sparse_findings import find_in_sparse
from pyfsagg._table.table import array_frame
from pyfsagg.datasets._files import is_sparse_file, read_sparse_table, split_target
from pyfsagg.exceptions import DataError, ParameterError

__all__ = ["check_table"]


def check_table(
    table: Any,
    y: Any = None,
    *,
    target: str | Sequence[str] | None = None,
    nominal: Sequence[str] | None = None,
    task: str = "classification",
    **settings: Any,
) -> TableCheck:
    """Check a table for common problems before a run.

    It finds identifiers and free text (a different value in every row), row numbers, dates, subjects with
    several rows, features that equal the target, columns that mix numbers and words, rows without a
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
        Columns whose values are classes, whatever they look like.
    task : {"classification", "regression", "survival"}
    **settings
        How a file is read, see :func:`read_table`.

    Returns
    -------
    TableCheck
        With ``findings``, ``facts``, ``to_frame()``, ``record()`` and ``require(accept=())``, which raises
        a DataError for findings that stop a run.

    Raises
    ------
    ParameterError
        For `y` and `target` together, `y` of another length, settings without a file, or `target` or
        `nominal` with a sparse table, whose columns have no names.
    DataError
        If a file cannot be read.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"id": range(1, 13), "x": [5, 2, 9, 1] * 3, "kind": ["a", "b", "b"] * 4})
    >>> found = check_table(frame, target="kind")
    >>> [finding.code for finding in found.findings]
    ['row_number']
    """
    if y is not None and target is not None:
        raise ParameterError("give y or target, the name of its column, not both")
    if isinstance(table, (str, os.PathLike)) and is_sparse_file(str(table)) and not settings:
        table, beside = read_sparse_table(str(table))
        y = beside if y is None else y
    if is_sparse(table):
        if target is not None or nominal is not None:
            raise ParameterError(
                "the columns of a sparse table have no names: give y, and neither target nor nominal"
            )
        _refuse_settings(settings)
        return find_in_sparse(table, _labels(y, table.shape[0]), task=task)
    if isinstance(table, (str, os.PathLike)):
        frame = read_source(str(table), Reading.of(settings)).frame
    else:
        _refuse_settings(settings)
        frame = pandas_frame(table, nullable=True)
        frame = frame if isinstance(frame, pd.DataFrame) else array_frame(frame).frame
    X, labels = split_target(frame, target)
    if y is not None:
        labels = _labels(y, len(X))
    return find_in_table(
        X, labels, nominal=() if nominal is None else check_list("nominal", nominal), task=task
    )


def _refuse_settings(settings: dict[str, Any]) -> None:
    if settings:
        raise ParameterError(
            f"{next(iter(settings))} sets how a file is read, and the table is in memory"
        )


def _labels(y: Any, n_samples: int) -> pd.Series[Any] | pd.DataFrame | None:
    """The target as a column, or two of survival, numbered like the rows."""
    if y is None:
        return None
    y = pandas_series(pandas_frame(y))
    if isinstance(y, np.ndarray) and y.ndim > 1:
        if y.ndim > 2:
            raise DataError(
                f"y must be one column, or two of survival, got an array of shape {y.shape}"
            )
        y = pd.DataFrame(y)
    labels = (
        y.reset_index(drop=True)
        if isinstance(y, pd.DataFrame)
        else pd.Series(y, name=str(getattr(y, "name", None) or "target")).reset_index(drop=True)
    )
    if len(labels) != n_samples:
        raise ParameterError(f"y has {len(labels)} labels for {n_samples} rows of the table")
    return labels

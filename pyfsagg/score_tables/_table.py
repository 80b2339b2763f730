"""A table of scores: which methods, which data sets, and what the replicates say of each cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.validation import as_array
from pyfsagg._base.words import plural
from pyfsagg._message import Param
from pyfsagg._table.frames import frame_of_array, pandas_frame
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError
from pyfsagg.statistics._base import read_numbers

LARGEST = 1e140


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores of p methods on T data sets.

    Attributes
    ----------
    methods, datasets : tuple of str
    cells : ndarray (T, p)
        Mean over the replicates of a cell; NaN where there is none.
    replicates : ndarray of int (T, p)
    within : ndarray (p, p) or None
        Covariance of the means of the methods over the data sets, from the replicates within these; None
        where a cell of a data set that all methods have holds fewer than two.
    df : float
        Degrees of freedom of `within`: the fewest that a method has (Satterthwaite); NaN without it.
    paired : bool
        Whether replicates of a data set are the same for all methods: instances, folds.
    ratio : float
        Test rows by training rows, if replicates are folds of the same rows; 0 if they are independent.
    """

    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    cells: Floats
    replicates: NDArray[np.int64]
    within: Floats | None
    df: float
    paired: bool
    ratio: float


def read_scores(
    data: Any,
    *,
    method: str | None,
    dataset: str | None,
    value: str | None,
    replicate: str | None,
    test_train_ratio: float,
) -> ScoreTable:
    """A wide table (a column per method) or a long one (`method` and `value` name columns)."""
    frame = pandas_frame(data)
    if not isinstance(frame, pd.DataFrame):
        array = as_array("data", frame)
        if array.ndim != 2:
            raise DataError(
                Param("data"), f" must have two dimensions, got an array of shape {array.shape}"
            )
        names = [f"method {j + 1}" for j in range(array.shape[1])]
        frame = frame_of_array(array, columns=names)
    if (method is None) != (value is None):
        raise ParameterError(
            "the columns of the methods and of their values belong together: name both for a long "
            "table, neither for a wide one (a column per method)"
        )
    if method is None or value is None:
        if replicate is not None:
            raise ParameterError(
                Param("replicate"),
                " names a column of a long table; of a wide one each row is a replicate of all methods",
            )
        return _wide(frame, dataset, test_train_ratio)
    return _long(frame, method, dataset, value, replicate, test_train_ratio)


def named_column(frame: pd.DataFrame, name: str) -> pd.Series[Any]:
    if name not in frame.columns:
        raise UnknownNameError("column", name, map(str, frame.columns))
    found = frame[name]
    if isinstance(found, pd.DataFrame):
        raise DataError(f"the table has more than one column {name!r}; give each its own name")
    return found


def labels_of(column: pd.Series[Any]) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """Position of each label in the order of its first appearance, and the labels."""
    if bool(column.isna().any()):
        row = int(np.flatnonzero(column.isna())[0]) + 1
        raise DataError(f"the column {column.name!r} has no label in row {row}; fill it in")
    codes, labels = pd.factorize(column.astype(str))
    return np.asarray(codes, dtype=np.intp), tuple(map(str, labels))


def _wide(frame: pd.DataFrame, dataset: str | None, ratio: float) -> ScoreTable:
    if dataset is None:
        words = [
            name for name, kind in frame.dtypes.items() if not pd.api.types.is_numeric_dtype(kind)
        ]
        if len(words) == 1 and bool(frame[words[0]].notna().all()) and _is_text(frame[words[0]]):
            dataset = str(words[0])
            frame = frame.rename(columns={words[0]: dataset})
    if dataset is not None:
        codes, datasets = labels_of(named_column(frame, dataset))
        frame = frame.drop(columns=[dataset])
    else:
        named = not isinstance(frame.index, pd.RangeIndex)
        datasets = tuple(map(str, frame.index if named else range(1, len(frame) + 1)))
        codes, datasets = labels_of(pd.Series(datasets, name="data set"))
    methods = tuple(map(str, frame.columns))
    if len(set(methods)) < len(methods):
        twice = next(name for name in methods if methods.count(name) > 1)
        raise DataError(f"the table has more than one column {twice!r}; give each its own name")
    hint = "; of a wide table all columns but that of the data sets are methods"
    columns = [read_numbers(frame[name], str(name), hint) for name in frame.columns]
    rows = np.column_stack(columns) if columns else np.empty((len(frame), 0))
    return score_table(rows, codes, datasets, methods, ratio)


def _is_text(column: pd.Series[Any]) -> bool:
    return bool(pd.to_numeric(column, errors="coerce").isna().any())


def _long(
    frame: pd.DataFrame,
    method: str,
    dataset: str | None,
    value: str,
    replicate: str | None,
    ratio: float,
) -> ScoreTable:
    if dataset is None and replicate is None:
        raise ParameterError(
            Param("dataset"), " is missing: a long table needs the column of the data sets"
        )
    columns, methods = labels_of(named_column(frame, method))
    numbers = read_numbers(named_column(frame, value), str(value))
    single = pd.Series(["all rows"] * len(frame), name="data set", index=frame.index)
    codes, datasets = labels_of(single if dataset is None else named_column(frame, dataset))
    if replicate is None:
        cell = pd.Series(codes * len(methods) + columns)
        number = cell.groupby(cell).cumcount().to_numpy()
    else:
        number, labels = labels_of(named_column(frame, replicate))
        cell = pd.Series((codes * len(labels) + number) * len(methods) + columns)
        if bool(cell.duplicated().any()):
            at = int(np.flatnonzero(cell.duplicated())[0])
            raise DataError(
                f"data set {datasets[codes[at]]!r} has two values of {methods[columns[at]]!r} for "
                f"replicate {labels[number[at]]!r}; one is allowed"
            )
    row, position = np.unique(np.column_stack([codes, number]), axis=0, return_inverse=True)
    rows = np.full((len(row), len(methods)), np.nan)
    rows[np.ravel(position), columns] = numbers
    return score_table(
        rows, row[:, 0].astype(np.intp), datasets, methods, ratio, paired=replicate is not None
    )


def score_table(
    rows: Floats,
    codes: NDArray[np.intp],
    datasets: tuple[str, ...],
    methods: tuple[str, ...],
    ratio: float = 0.0,
    *,
    paired: bool = True,
    most_df: float | None = None,
) -> ScoreTable:
    """From rows (N, p), each a replicate of the data set of its code; `most_df` limits its `df`."""
    _check(rows, methods)
    T, p = len(datasets), len(methods)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(T))
    known = ~np.isnan(rows[order])
    replicates = np.add.reduceat(known.astype(np.int64), starts, axis=0)
    if len(rows) == T:
        cells = rows[order]
    else:
        sums = np.add.reduceat(np.where(known, rows[order], 0.0), starts, axis=0)
        cells = np.divide(sums, replicates, out=np.full((T, p), np.nan), where=replicates > 0)
    within, df = None, np.nan
    complete = np.asarray((replicates > 0).all(axis=1))
    if complete.any() and bool((replicates[complete] > 1).all()):
        kept = complete[codes]
        residuals = (rows - cells[codes])[kept]
        within, df = _within(residuals, codes[kept], replicates, ratio, paired)
        df = df if most_df is None else min(df, most_df)
    keep = np.asarray((replicates > 0).any(axis=1))
    names = tuple(name for name, one in zip(datasets, keep, strict=True) if one)
    return ScoreTable(methods, names, cells[keep], replicates[keep], within, df, paired, ratio)


def _check(rows: Floats, methods: tuple[str, ...]) -> None:
    if len(methods) < 2:
        raise DataError(
            f"standings compare methods, and the table has {plural(len(methods), 'method')}"
        )
    empty = np.isnan(rows).all(axis=0)
    if empty.any():
        name = methods[int(np.flatnonzero(empty)[0])]
        raise DataError(f"the method {name!r} has no score at all; leave it out")

    largest = float(np.nanmax(np.abs(rows)))
    if largest > LARGEST or 0.0 < largest < 1.0 / LARGEST:
        raise DataError(
            f"the largest score is {largest:g}, whose square cannot be computed with; divide all scores by a "
            "constant"
        )


def _within(
    residuals: Floats,
    codes: NDArray[np.intp],
    replicates: NDArray[np.int64],
    ratio: float,
    paired: bool,
) -> tuple[Floats | None, float]:
    """Covariance of the means over data sets that all methods have, from the residuals of their replicates.

    The mean of the n replicates of a cell has the variance (1/n + `ratio`) s², where `ratio` is that of test
    to training rows if replicates are folds (Nadeau and Bengio 2003), and 0 if they are independent.
    """
    of_datasets = np.unique(codes)
    T = of_datasets.size
    n = replicates.astype(np.float64)
    squares = np.zeros((T, residuals.shape[1]))
    known = ~np.isnan(residuals)
    residuals = np.where(known, residuals, 0.0)
    np.add.at(squares, np.searchsorted(of_datasets, codes), residuals**2)
    n = n[of_datasets]
    variances = squares / (n - 1.0) * (1.0 / n + ratio) / T**2
    total = variances.sum(axis=0)
    shares = (variances**2 / (n - 1.0)).sum(axis=0)
    df = np.divide(total**2, shares, out=np.full_like(total, np.inf), where=shares > 0.0).min()
    df = float(min(df, (n - 1.0).sum(axis=0).min()))
    if not paired:
        return np.diag(total), df
    if not known.all():
        return None, np.nan  # a covariance needs the same replicates of all methods
    size = n[np.searchsorted(of_datasets, codes), 0]
    weighted = residuals * np.sqrt((1.0 / size + ratio) / (size - 1.0))[:, None] / T
    return weighted.T @ weighted, df

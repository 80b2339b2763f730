"""Tables from files or standard input; sparse ones."""

from __future__ import annotations

import io
import reprlib
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from pyfsagg._base.checks import check_writable_names
from pyfsagg._base.reading import Reading
from pyfsagg._table.delimited import read_delimited
from pyfsagg._table.source import read_source
from pyfsagg._table.sparse_check import check_sparse
from pyfsagg._table.unpack import read_bytes
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, UnknownNameError

__all__ = ["is_sparse_file", "read_sparse_table", "read_table", "split_target"]

_SVMLIGHT = (".svmlight", ".svm", ".libsvm")
_UNREADABLE = (LookupError, ValueError, TypeError, OSError, AttributeError, zipfile.BadZipFile)


def read_table(source: str | Path, **settings: Any) -> pd.DataFrame:
    """Read a table with a header from a file.

    Delimited text, Parquet, Feather, ARFF, and sheets of workbooks (xlsx, xls, ods; with the extra
    ``sheets``) are recognised by their content, as are files packed by gzip, bz2, xz or zip.  What is not
    given for a text is detected: the separator, decimal commas, UTF-16, row names.  Words that are numbers
    (12.3 %, $1,200, 5 mg) become numbers if a column has one unit only, and ``n/a``, ``-``, ``.`` and the
    like are missing in a column of numbers.

    Parameters
    ----------
    source : path, or ``"-"`` for standard input
    **settings
        ``sep``
            Separator of the cells of a text: one character, or comma, semicolon, tab, pipe, space.
        ``decimal``
            Its decimal mark: ``"."`` or ``","``.
        ``encoding``
            For instance ``"cp1252"``; UTF-8 or UTF-16 by default.
        ``sheet``
            Name or number, from 1, of the sheet of a workbook; the first by default.
        ``missing``
            Further words or numbers that mean "missing", in addition to an empty cell, NA, N/A, NaN,
            NULL and ?.
        ``transpose``
            True: rows are features; their names are in the first column, those of the samples in the header.
        ``labels``
            A second file with columns for the same samples, joined by their names or row by row.
        ``drop``
            Columns to be left out.
        ``id``
            The column that names the samples; it becomes the index.

    Returns
    -------
    DataFrame (n_samples, n_columns)

    Raises
    ------
    DataError
        No such file, an empty or damaged one, ragged rows, a header that occurs twice, duplicate column
        names, another encoding, or commas that may be decimal or divide thousands.
    ParameterError
        For an unknown setting, or one that does not go with the file.
    MissingDependencyError
        For a workbook without python-calamine.
    """
    return read_source(source, Reading.of(settings)).frame


def is_sparse_file(source: str | Path) -> bool:
    """Whether :func:`read_sparse_table` is the one to read `source`, by the ending of its name."""
    name = str(source).lower().removesuffix(".gz")
    return name.endswith((".npz", *_SVMLIGHT))


def read_sparse_table(source: str | Path) -> tuple[Any, pd.Series[Any]]:
    """Read a sparse table and its labels.

    Parameters
    ----------
    source : path
        A matrix saved by :func:`scipy.sparse.save_npz` as ``name.npz``, with the labels beside it in
        the column ``target`` of ``name.target.csv`` or ``name.target.csv.gz``; or a file in the
        svmlight format (``.svmlight``, ``.svm``, ``.libsvm``, plain or gzipped), which holds both.

    Returns
    -------
    X : scipy.sparse.csr_matrix (n_samples, n_features)
    y : Series (n_samples,)
        Called ``target``.

    Raises
    ------
    DataError
        No such file, no labels, a file that is not in its format, or one whose indices lie outside
        of the table.
    """
    import scipy.sparse

    content = read_bytes(source)
    if not str(source).lower().endswith(".npz"):
        return _read_svmlight(content, str(source))
    try:
        stored = scipy.sparse.load_npz(io.BytesIO(content))
    except _UNREADABLE as error:
        raise DataError(f"{source} holds no SciPy sparse matrix: {error}") from None
    check_sparse(stored, str(source))
    X = scipy.sparse.csr_matrix(stored)
    stem = str(source)[: -len(".npz")]
    beside = [Path(f"{stem}.target.csv{ending}") for ending in ("", ".gz")]
    labels = next((path for path in beside if path.is_file()), None)
    if labels is None:
        raise DataError(f"{source} has no labels: put them into the column 'target' of {beside[0]}")
    # Letters such as N and texts such as NA are labels there; only an empty cell is missing.
    frame = read_delimited(read_bytes(labels), str(labels), missing=("",))
    if "target" not in frame.columns:
        raise DataError(f"{labels} has no column 'target'")
    return X, frame["target"]


def _read_svmlight(content: bytes, label: str) -> tuple[Any, pd.Series[Any]]:
    from sklearn.datasets import load_svmlight_file

    try:
        X, y = load_svmlight_file(io.BytesIO(content))
    except (ValueError, OverflowError) as error:
        raise DataError(f"{label} is not a readable svmlight file: {error}") from None
    check_sparse(X, label)
    whole = (y == y.astype(int)).all()
    return X, pd.Series(y.astype(int) if whole else y, name="target")


def split_target(
    frame: pd.DataFrame, target: str | Sequence[str] | None, exclude: Sequence[str] = ()
) -> tuple[pd.DataFrame, pd.Series[Any] | pd.DataFrame | None]:
    """Features and target of a table; the columns in `exclude` are left out of the features.

    Without the name of a target the target is None; two names, of time and event, give a frame.

    Raises
    ------
    UnknownNameError
        If a column does not exist; the nearest name is suggested.
    ParameterError
        If the target is excluded.
    """
    names = [str(name) for name in frame.columns]
    check_writable_names(names, "a column")
    given = (target,) if isinstance(target, (str, type(None))) else target
    if not isinstance(given, (tuple, list)) or not all(
        isinstance(each, (str, type(None))) for each in given
    ):
        raise InputTypeError(f"target must be the name of a column, got {reprlib.repr(target)}")
    targets = [each for each in given if each is not None]
    for column in (*targets, *exclude):
        if column not in names:
            raise UnknownNameError("column", column, names)
    for column in targets:
        if column in exclude:
            raise ParameterError(f"the column {column!r} cannot be both the target and left out")
    frame = frame.set_axis(names, axis="columns")
    features = frame.drop(columns=[*targets, *exclude])
    chosen = target if target is None or isinstance(target, str) else targets
    return features, None if chosen is None else frame[chosen]

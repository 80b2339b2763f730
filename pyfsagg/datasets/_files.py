"""Tables from files: CSV, TSV, Parquet, ARFF, plain or gzipped, or standard input; sparse ones."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from pyfsagg._table.delimited import MISSING, read_delimited
from pyfsagg._table.sparse_check import check_sparse
from pyfsagg._table.unpack import read_bytes
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError

__all__ = ["is_sparse_file", "read_sparse_table", "read_table", "split_target"]

_SVMLIGHT = (".svmlight", ".svm", ".libsvm")
_UNREADABLE = (LookupError, ValueError, TypeError, OSError, AttributeError, zipfile.BadZipFile)


def read_table(source: str | Path, *, missing: Sequence[str] = MISSING) -> pd.DataFrame:
    """Read a table with a header.

    Parameters
    ----------
    source : path, or ``"-"`` for text on standard input
        The ending decides on the format: ``.parquet``, ``.arff``, anything else is delimited text
        (comma, semicolon or tab, whichever the header has most of).  A gzipped file is recognised
        by its content.
    missing : sequence of str
        Unquoted cells that mean "missing" in delimited text.

    Raises
    ------
    DataError
        No such file, an empty file, ragged rows, a header that occurs twice, duplicate column names,
        text that is not UTF-8, or a file that the format's reader refuses.
    """
    label = "standard input" if str(source) == "-" else str(source)
    content = read_bytes(source)
    if not content.strip():
        raise DataError(f"{label} is empty")
    suffixes = [suffix.lower() for suffix in Path(str(source)).suffixes]
    if ".parquet" in suffixes or content[:4] == b"PAR1":
        return _read_parquet(content, label)
    if ".arff" in suffixes:
        return _read_arff(content, label)
    return read_delimited(content, label, missing)


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
    frame: pd.DataFrame, target: str | None, exclude: Sequence[str] = ()
) -> tuple[pd.DataFrame, pd.Series[Any] | None]:
    """Features and target of a table; the columns in `exclude` are left out of the features.

    Without the name of a target the target is None.

    Raises
    ------
    UnknownNameError
        If a column does not exist; the nearest name is suggested.
    ParameterError
        If the target is excluded.
    """
    names = [str(name) for name in frame.columns]
    targets = [] if target is None else [target]
    for column in (*targets, *exclude):
        if column not in names:
            raise UnknownNameError("column", column, names)
    if target in exclude:
        raise ParameterError(f"the column {target!r} cannot be both the target and left out")
    frame = frame.set_axis(names, axis="columns")
    features = frame.drop(columns=[*targets, *exclude])
    return features, None if target is None else frame[target]


def _read_parquet(content: bytes, label: str) -> pd.DataFrame:
    import pyarrow as pa
    import pyarrow.parquet

    try:
        table = pyarrow.parquet.read_table(pa.BufferReader(content))
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(f"{label} is not a readable Parquet file: {error}") from None
    try:
        frame: pd.DataFrame = table.to_pandas()
    except (
        *_UNREADABLE,
        RecursionError,
    ):  # what pandas noted in the file is damaged; the columns are not
        frame = table.replace_schema_metadata(None).to_pandas()
    if frame.empty:
        raise DataError(f"{label} has no rows")
    return frame


def _read_arff(content: bytes, label: str) -> pd.DataFrame:
    from scipy.io import arff

    try:
        records, meta = arff.loadarff(io.StringIO(content.decode("utf-8")))
    except (arff.ArffError, NotImplementedError, ValueError, StopIteration, IndexError) as error:
        raise DataError(f"{label} is not a readable ARFF file: {error}") from None
    if not len(records):
        raise DataError(f"{label} has no rows")
    frame = pd.DataFrame(records)
    for name, kind in zip(meta.names(), meta.types(), strict=True):
        if kind == "nominal":
            words = frame[name].str.decode("utf-8")
            frame[name] = pd.Categorical(words.where(words != "?"))
    return frame

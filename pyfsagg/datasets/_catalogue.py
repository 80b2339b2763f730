"""The data sets that can be loaded by name, and where their files are found."""

from __future__ import annotations

import hashlib
import io
import json
import os
import urllib.request
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Real
from pathlib import Path
from typing import Any

import pandas as pd

from pyfsagg._base.output import new_file
from pyfsagg._base.settings import Reading
from pyfsagg._base.validation import check_writable_names, got_short
from pyfsagg._message import Param
from pyfsagg._table.delimited import read_bytes, read_delimited
from pyfsagg._table.source import read_source
from pyfsagg._table.sparse import check_sparse
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, UnknownNameError

MOST_BYTES = 200_000_000
"""Of one download, packed as it is sent; the largest table of the thesis has 10 MB as text."""


Entry = Mapping[str, Any]


def catalogue(folder: Path) -> dict[str, Entry]:
    """The entries by name of the data set.

    Each has ``paper``, ``openml_id`` (empty if it is not known there), ``published_as`` (the name in
    the paper), ``n_samples``, ``n_features``, ``counts_target`` (whether the printed number of features
    counts the class), ``classes`` (sizes in ascending order, where they are printed).
    """
    rows = pd.read_csv(folder / "datasets.csv", keep_default_na=False).to_dict("records")
    return {str(row["name"]): row for row in rows}  # type: ignore[misc]


def differences(entry: Entry, X: Any, y: pd.Series[Any]) -> tuple[str, ...]:
    """Where a loaded data set differs from what its paper prints, in words."""
    n, p = X.shape
    sentences = []
    if n != entry["n_samples"]:
        sentences.append(f"{n} samples, printed {entry['n_samples']}")
    printed = int(entry["n_features"]) - (entry["counts_target"] == "yes")
    if p != printed:
        beside = " beside the class" if entry["counts_target"] == "yes" else ""
        sentences.append(f"{p} features, printed {printed}{beside}")
    sizes = " ".join(map(str, sorted(y.value_counts().tolist())))
    if entry["classes"] and sizes != entry["classes"]:
        sentences.append(f"classes of {sizes} samples, printed {entry['classes']}")
    return tuple(sentences)


def fetch(
    name: str, openml_id: int, cache: str | os.PathLike[str] | None
) -> tuple[Any, pd.Series[Any]]:
    """Features and labels from OpenML by scikit-learn, which keeps and checks the file."""
    from sklearn.datasets import fetch_openml

    try:
        with _limited_downloads(MOST_BYTES):
            bunch = fetch_openml(
                data_id=int(openml_id),
                data_home=None if cache is None else str(cache),
                as_frame=True,
                parser="liac-arff",
            )
    except _TooLargeError as error:
        raise DataError(f"the download of {name!r} was stopped: {error}") from None
    except ValueError as error:
        raise DataError(
            f"the download of {name!r} is incomplete or differs from the record of OpenML ({error}); "
            "delete the cache of scikit-learn (sklearn.datasets.get_data_home()) and try again"
        ) from error
    except OSError as error:
        raise DataError(
            f"{name!r} cannot be fetched from OpenML ({error}); without a network put it into the folder "
            f"that PYFSAGG_DATA names, as {name}/{name}.csv.gz with the last column 'target'"
        ) from error
    labels = bunch.target
    if labels is None or getattr(labels, "ndim", 1) != 1:
        raise DataError(f"OpenML names no single target for {name!r} (data set {openml_id})")
    return bunch.data, pd.Series(labels).astype(str).rename("target")


def content_hash(X: pd.DataFrame, y: pd.Series[Any]) -> str:
    """SHA-256 of the names, cells and labels of a table, each as text; not of how it was packed."""
    digest = hashlib.sha256()
    for name, column in [*X.items(), ("target", y)]:
        cells = column.astype(object).where(column.notna(), None).tolist()
        numbers = [float(cell) if isinstance(cell, Real) else cell for cell in cells]
        digest.update(json.dumps([str(name), numbers]).encode() + b"\0")
    return digest.hexdigest()


def check_content(name: str, found: str, pinned: str, cache: str | os.PathLike[str] | None) -> None:
    """Refuse a table whose content is not what was pinned, or what the first download here was.

    The SHA-256 of a first download is kept in ``pyfsagg-sha256.json`` beside the downloads.
    """
    from sklearn.datasets import get_data_home

    path = Path(get_data_home(None if cache is None else str(cache))) / "pyfsagg-sha256.json"
    try:
        kept = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        first = str(kept.get(name, found))
    except (OSError, ValueError, AttributeError):
        raise DataError(f"{path} is damaged; delete it to trust the next download") from None
    for wanted, whose in ((pinned or found, "pinned"), (first, f"of the first download ({path})")):
        if found != wanted:
            raise DataError(
                f"the download of {name!r} has the SHA-256 {found}, and the one {whose} is {wanted}: its "
                "content has changed. Find out why before you use it"
            )
    if name not in kept:
        with new_file(path) as draft:
            draft.write_text(json.dumps({**kept, name: found}, indent=1) + "\n", encoding="utf-8")


class _TooLargeError(Exception):
    """More was sent than any of these data sets holds."""


@contextmanager
def _limited_downloads(most: int) -> Iterator[None]:
    """Stop whatever `urlopen` reads inside the block after so many bytes."""

    class Limit(urllib.request.BaseHandler):
        def http_response(self, request: Any, response: Any) -> Any:
            read, taken = response.read, 0

            def limited(*size: Any) -> Any:
                nonlocal taken
                part = read(*(size or (most + 1,)))
                taken += len(part)
                if taken > most:
                    raise _TooLargeError(
                        f"more than {most / 1e6:,.0f} MB were sent, and none of these data sets is so large"
                    )
                return part

            response.read = limited
            return response

        https_response = http_response

    before = urllib.request._opener  # type: ignore[attr-defined]
    urllib.request.install_opener(urllib.request.build_opener(Limit))
    try:
        yield
    finally:
        urllib.request.install_opener(before)


_SVMLIGHT = (".svmlight", ".svm", ".libsvm")
_UNREADABLE = (LookupError, ValueError, TypeError, OSError, AttributeError, zipfile.BadZipFile)


def read_table(source: str | Path, **settings: Any) -> pd.DataFrame:
    """Read a table with a header from a file.

    Delimited text, Parquet, Feather, ARFF, Stata, and sheets of workbooks (xlsx, xls, ods; with the extra
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
        If there is no such file, or it cannot be read without a guess: ragged rows, duplicate column names,
        another encoding, or commas that may be decimal or divide thousands.

    See Also
    --------
    check_table : what may be wrong with the table that was read.
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
    """
    names = [str(name) for name in frame.columns]
    check_writable_names(names, "a column")
    single = target is None or isinstance(target, str)
    columns = [target] if single else target
    if not isinstance(columns, (tuple, list)) or not all(
        isinstance(column, (str, type(None))) for column in columns
    ):
        raise InputTypeError(Param("target"), " must be the name of a column", got_short(target))
    targets = [column for column in columns if column is not None]
    for column in (*targets, *exclude):
        if column not in names:
            raise UnknownNameError("column", column, names)
    for column in targets:
        if column in exclude:
            raise ParameterError(f"the column {column!r} cannot be both the target and left out")
    frame = frame.set_axis(names, axis="columns")
    features = frame.drop(columns=[*targets, *exclude])
    return features, None if target is None else frame[target if single else targets]

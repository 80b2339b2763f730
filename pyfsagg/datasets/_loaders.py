"""Loading of data sets and tables, and the catalogue."""

from __future__ import annotations

import io
import json
import os
import urllib.request
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import Any

import pandas as pd

from pyfsagg._base.digest import digest
from pyfsagg._base.output import new_file
from pyfsagg._base.settings import Reading
from pyfsagg._base.validation import check_list, check_writable_names, got_short
from pyfsagg._message import Param
from pyfsagg._table.delimited import read_bytes, read_delimited
from pyfsagg._table.source import read_source
from pyfsagg._table.sparse import check_sparse
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, UnknownNameError

MOST_BYTES = 200_000_000
"""Of one download, packed as it is sent; the largest table of the thesis has 10 MB as text."""


Entry = Mapping[str, Any]


def catalogue(folder: Path) -> dict[str, Entry]:
    """Entries by data set: ``paper``, ``openml_id``, sizes as printed (``counts_target``: with the class),
    and ``classes``, the ascending sizes."""
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
    columns: list[str] = []
    for name, column in [*X.items(), ("target", y)]:
        cells = column.astype(object).where(column.notna(), None).tolist()
        numbers = [float(cell) if isinstance(cell, Real) else cell for cell in cells]
        columns.append(json.dumps([str(name), numbers]))
    return digest([*columns, ""])


def check_content(name: str, found: str, pinned: str, cache: str | os.PathLike[str] | None) -> None:
    """Refuse another table than the pinned one, or the first download, noted in ``pyfsagg-sha256.json``."""
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
    """Stop each read of `urlopen` inside the block after this many bytes."""

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
            Columns to be omitted.
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
        svmlight format (``.svmlight``, ``.svm``, ``.libsvm``, plain or gzipped), which contains both.

    Returns
    -------
    X : scipy.sparse.csr_matrix (n_samples, n_features)
    y : Series (n_samples,)
        Called ``target``.
    """
    import scipy.sparse

    content = read_bytes(source)
    if not str(source).lower().endswith(".npz"):
        from sklearn.datasets import load_svmlight_file

        try:
            X, y = load_svmlight_file(io.BytesIO(content))
        except (ValueError, OverflowError) as error:
            raise DataError(f"{source} is not a readable svmlight file: {error}") from None
        check_sparse(X, str(source))
        whole = (y == y.astype(int)).all()
        return X, pd.Series(y.astype(int) if whole else y, name="target")
    try:
        stored = scipy.sparse.load_npz(io.BytesIO(content))
    except _UNREADABLE as error:
        raise DataError(f"{source} contains no SciPy sparse matrix: {error}") from None
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


def split_target(
    frame: pd.DataFrame, target: str | Sequence[str] | None, exclude: Sequence[str] = ()
) -> tuple[pd.DataFrame, pd.Series[Any] | pd.DataFrame | None]:
    """Features without `exclude`, and target: None without a name, a frame for time and event."""
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
        if column in targets and column in exclude:
            raise ParameterError(f"the column {column!r} cannot be both the target and omitted")
    frame = frame.set_axis(names, axis="columns")
    features = frame.drop(columns=[*targets, *exclude])
    return features, None if target is None else frame[target if single else targets]


LOCAL_FOLDER = "PYFSAGG_DATA"
_SKLEARN = ("wine", "breast_cancer", "digits")


@dataclass(frozen=True, eq=False)
class Dataset:
    """Features, labels, and where they come from.

    Attributes
    ----------
    X : DataFrame (n_samples, n_features), or a SciPy sparse matrix for the large sparse sets
    y : Series (n_samples,)
    name : str
    source : str
        A sentence on the origin.
    differences : tuple of str
        Differences of a data set from the description in its paper, in sentences; empty if
        nowhere, or if it is in none of them.
    """

    X: Any
    y: pd.Series[Any]
    name: str
    source: str
    differences: tuple[str, ...] = ()

    def __repr__(self) -> str:
        n, p = self.X.shape
        counts = ", ".join(f"{label}: {count}" for label, count in self.y.value_counts().items())
        text = f"{n} samples, {p} features; {counts}"
        if self.differences:
            text += f"; differs from the paper: {'; '.join(self.differences)}"
        return f"Dataset({self.name!r}: {text})"


def load_dataset(
    name: str,
    *,
    download: bool = False,
    cache: str | os.PathLike[str] | None = None,
    sha256: str | None = None,
) -> Dataset:
    """Load a data set by name.

    It is searched in this order: embedded in the package (``ionosphere``), shipped with scikit-learn
    (``wine``, ``breast_cancer``, ``digits``), in the folder that the environment variable
    ``PYFSAGG_DATA`` names (``<name>/<name>.csv.gz`` with the last column ``target``, or
    ``<name>/<name>.npz`` with ``<name>.target.csv.gz``), and, only with `download`, on OpenML (the
    twelve data sets of the thesis).

    Parameters
    ----------
    name : str
    download : bool
        Whether a data set of the thesis that is not available may be fetched from OpenML.
    cache : path, optional
        Folder of the downloads; that of scikit-learn by default.
    sha256 : str, optional
        Expected SHA-256 of the download, as in ``source`` of an earlier one.  It is the hash of names,
        cells and labels, not of the packed file.  Without it the first download is trusted, and every
        later one must be the same.  More than 200 MB are not read.

    Raises
    ------
    DataError
        If a local file does not have the expected layout, or a download fails, is incomplete, is too
        large, or differs from an earlier one.

    Examples
    --------
    >>> load_dataset("ionosphere")
    Dataset('ionosphere': 351 samples, 34 features; good: 225, bad: 126)
    """
    key = str(name).strip().lower()
    published = catalogue(data_folder())
    if key == "ionosphere":
        frame = pd.read_csv(data_folder() / "ionosphere.csv")
        source = "UCI Ionosphere radar returns, exported from R's mlbench package"
        data = Dataset(frame.drop(columns="target").astype(float), frame["target"], key, source)
    elif key in _SKLEARN:
        import sklearn.datasets

        bunch = getattr(sklearn.datasets, f"load_{key}")(as_frame=True)
        labels = pd.Series(bunch.target_names.astype(str)[bunch.target], name="target")
        data = Dataset(bunch.data, labels, key, f"scikit-learn's load_{key}")
    elif key in _local_tables():
        path, source = _local_tables()[key] / key, f"folder {LOCAL_FOLDER}, {key}"
        if path.with_name(f"{key}.npz").is_file():
            data = Dataset(*read_sparse_table(path.with_name(f"{key}.npz")), key, source)
        else:  # letters such as N and texts such as NA are values; only an empty cell is missing
            frame = pd.read_csv(f"{path}.csv.gz", keep_default_na=False, na_values=[""])
            if (last := frame.columns[-1]) != "target":
                raise DataError(f"{key}.csv.gz must have the last column 'target', it has {last!r}")
            data = Dataset(frame.iloc[:, :-1], frame["target"], key, source)
    elif download and key in published and published[key]["openml_id"]:
        openml_id = int(published[key]["openml_id"])
        X, y = fetch(key, openml_id, cache)
        digest = content_hash(X, y)
        check_content(key, digest, sha256 or published[key].get("sha256", ""), cache)
        source = f"OpenML, data set {openml_id}, SHA-256 of its content {digest}"
        data = Dataset(X, y, key, source)
    else:
        raise UnknownNameError("data set", name, list_datasets().index)
    if key not in published:
        return data
    return replace(data, differences=differences(published[key], data.X, data.y))


def list_datasets() -> pd.DataFrame:
    """The available data sets, one row each, with their origin."""
    origins = {"ionosphere": "embedded", **dict.fromkeys(_SKLEARN, "scikit-learn")}
    origins = {**origins, **dict.fromkeys(_local_tables(), f"folder {LOCAL_FOLDER}"), **origins}
    return pd.Series(origins, name="origin").rename_axis("name").to_frame()


def data_folder() -> Path:
    """The folder of the embedded data: in an installed package, or next to it in a checkout."""
    installed = Path(__file__).parent / "data"
    return installed if installed.is_dir() else Path(__file__).parents[2] / "data"


def _local_tables() -> dict[str, Path]:
    """The folder of each table by its name."""
    folder = os.environ.get(LOCAL_FOLDER)
    if not folder:
        return {}
    if not Path(folder).is_dir():
        raise DataError(f"{LOCAL_FOLDER} names {folder!r}, which is not a folder")
    return {
        entry.name: entry
        for entry in sorted(Path(folder).iterdir())
        if (entry / f"{entry.name}.csv.gz").is_file() or (entry / f"{entry.name}.npz").is_file()
    }


COLUMNS = ["name", "origin", "n_samples", "n_features", "classes", "paper", "printed", "match"]


def describe_datasets(names: str | Sequence[str] | None = None) -> pd.DataFrame:
    """The available data sets, with their actual values, and those of the papers that are not
    available.

    Examples
    --------
    >>> describe_datasets("ionosphere").loc["ionosphere", ["origin", "printed", "match"]].tolist()
    ['embedded', '351 × 34', 'as printed']
    """
    here = {str(name): str(origin) for name, origin in list_datasets()["origin"].items()}
    printed = catalogue(data_folder())
    known = list(dict.fromkeys([*here, *printed]))
    if names is None:
        names = known
    rows: list[list[Any]] = []
    for name in [names] if isinstance(names, str) else check_list("names", names):
        if name not in known:
            raise UnknownNameError("data set", name, known)
        entry, paper, size, elsewhere = printed.get(name), "", "", ""
        if entry is not None:
            features = int(entry["n_features"]) - (entry["counts_target"] == "yes")
            paper, size = entry["paper"], f"{entry['n_samples']} × {features}"
            openml = entry["openml_id"]
            elsewhere = f"{LOCAL_FOLDER} or OpenML {openml}" if openml else f"folder {LOCAL_FOLDER}"
        if name not in here:
            rows.append([name, elsewhere, None, None, None, paper, size, "not here"])
            continue
        data = load_dataset(name)
        classes = ", ".join(f"{label}: {count}" for label, count in data.y.value_counts().items())
        match = "; ".join(data.differences) or ("as printed" if entry else "in no paper")
        rows.append([name, here[name], *data.X.shape, classes, paper, size, match])
    frame = pd.DataFrame(rows, columns=COLUMNS).set_index("name")
    return frame.astype({"n_samples": "Int64", "n_features": "Int64"})

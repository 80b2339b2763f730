"""What resamples gave, read from a run, a table or files: for ``pyfsagg stability``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pyfsagg._base.remarks import warn
from pyfsagg._base.validation import n_selected
from pyfsagg._base.words import enumerate_names
from pyfsagg.datasets import read_table
from pyfsagg.ensemble import EnsembleResult
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError
from pyfsagg.ranks._files import read_rank_files
from pyfsagg.stability_measures._input import SelectedSets, read_collection

MANY_ROWS = 20  # for each column: then rows may be features
COUNTERS = (
    "",
    "unnamed: 0",
    "id",
    "index",
    "row",
    "fold",
    "resample",
    "iteration",
    "repeat",
    "run",
)
MOST_NAMES = 2000  # that code spells out
TABLES = (".csv", ".tsv", ".parquet", ".arff")


@dataclass(frozen=True, eq=False)
class Collection:
    """What resamples gave, ready for :func:`pyfsagg.stability`.

    Attributes
    ----------
    name : str
        What it is called.
    form : {"run", "matrix", "lists"}
    data : ndarray (m, p), or list of lists of names
    input : {"scores", "ranks", "sets"}
        How the data are read.
    feature_names : tuple of str or None
    n_features : int or None
    n_features_to_select : float or int
        Size of the selections; lists have been cut to it.
    source : str
        The folder or table.
    filter : str or None
        The filter of a run.
    labelled : bool
        Whether the first column of a table holds labels.
    transposed : bool
        Whether the rows of the table are features.
    """

    name: str
    form: str
    data: Any
    input: str
    feature_names: tuple[str, ...] | None
    n_features: int | None
    n_features_to_select: float | int
    source: str = ""
    filter: str | None = None
    labelled: bool = False
    transposed: bool = False

    @property
    def given(self) -> Any:
        """The data as a function of stability takes them, with the names of the features."""
        if self.form == "lists":
            return self.data
        return pd.DataFrame(self.data, columns=list(self.feature_names or ()))

    def reading(self, name: str) -> list[str]:
        """Lines of code that read the data and call them `name`."""
        if self.form == "lists":
            if sum(map(len, self.data)) > MOST_NAMES:
                return [f"# {name}: the {len(self.data):,} lists of names"]
            return [f"{name} = [", *(f"    {list(names)!r}," for names in self.data), "]"]
        if self.form == "run":
            run = f"pyfsagg.EnsembleResult.load({self.source!r})"
            if self.filter is None:
                return [f"{name} = {run}"]
            return [
                "import pandas as pd",
                "",
                f"run = {run}",
                f"{name} = pd.DataFrame(run.score_matrices[{self.filter!r}], "
                "columns=run.feature_names)",
            ]
        lines = [f"{name} = pyfsagg.read_table({self.source!r})"]
        if self.transposed:
            lines.append(f"{name} = {name}.set_index({name}.columns[0]).T")
        if self.labelled:
            lines.append(f"{name} = {name}.set_index({name}.columns[0])")
        return lines


def load_collection(
    sources: Sequence[str],
    *,
    form: str = "auto",
    input: str = "auto",
    filter: str | None = None,
    n_features_to_select: float | int | None = None,
    n_features: int | None = None,
    transpose: bool = False,
) -> Collection:
    """Read a saved run, a matrix of one row per resample, or lists of names."""
    first = sources[0]
    if form == "auto" and Path(first).is_dir():
        form = "run"
    if filter is not None and form != "run":
        raise ParameterError("--filter belongs to a saved run; other sources hold one matrix only")
    if form in ("run", "matrix") and len(sources) > 1:
        raise ParameterError(
            f"a {'saved run' if form == 'run' else 'matrix'} is one source, got {len(sources)}; "
            "--compare names a second one"
        )
    if form == "run":
        return _read_run(first, filter, n_features_to_select, n_features)
    single = len(sources) == 1 and (first == "-" or _is_table(first))
    if form == "matrix" or (form == "auto" and single):
        frame = read_table(first)
        found = _matrix_in(frame, first, input, n_features_to_select, n_features, transpose)
        if found is not None:
            return found
        wordy = _columns_of_words(frame)
        if form == "matrix":
            raise DataError(f"column {wordy[0]!r} of {first} holds words; a matrix holds numbers")
        _refuse_mixture(frame, wordy, first)
        lists = {str(name): _names(frame[name]) for name in frame.columns}
    else:
        lists_format: Any = "lists" if form == "auto" else form
        read, _ = read_rank_files(sources, format=lists_format)
        assert isinstance(read, dict)
        lists = read
        if form == "auto" and len(lists) == 1:
            raise DataError(
                f"{first} was read as one selection, a name a line, and two at least can be compared: "
                "give a file for each, or --format lines if each line of it is a selection"
            )
    if input not in ("auto", "sets"):
        raise ParameterError(f"--input {input} belongs to a matrix; lists of names are selections")
    name = Path(first).name if len(sources) == 1 and first != "-" else f"{len(lists)} lists"
    return _as_lists(lists, name, n_features_to_select, n_features)


def _matrix_in(
    frame: pd.DataFrame,
    path: str,
    input: str,
    n_features_to_select: float | int | None,
    n_features: int | None,
    transpose: bool,
) -> Collection | None:
    """A table as a matrix of resamples by features; None if it holds more words than labels."""
    first = frame.columns[0]
    if transpose:
        turned = frame.set_index(first).T.rename_axis(columns=None)
        return replace(
            _as_matrix(turned, path, input, n_features_to_select, n_features), transposed=True
        )
    counted = _holds_labels(frame)
    if counted:
        warn(
            f"the column {str(first)!r} of {path} numbers the rows and is taken as their label; rename "
            "it if it is a feature",
            stacklevel=3,
        )
    wordy = _columns_of_words(frame)
    labelled = counted or (wordy == [first] and frame.shape[1] > 1)
    if not labelled and wordy:
        return None
    if labelled:
        frame = frame.set_index(first)
        if _columns_of_words(frame):
            return None
        if len(frame) >= MANY_ROWS * frame.shape[1]:
            warn(
                f"{path} has {len(frame):,} rows, which are taken as resamples, and {frame.shape[1]} "
                "columns, which are taken as features; if the rows are the features, give --transpose",
                stacklevel=3,
            )
    return replace(
        _as_matrix(frame, path, input, n_features_to_select, n_features), labelled=labelled
    )


def _holds_labels(frame: pd.DataFrame) -> bool:
    """Whether the first column counts the rows, and its name says that it does."""
    first = frame.columns[0]
    column = frame[first]
    if str(first).strip().lower() not in COUNTERS or frame.shape[1] < 2:
        return False
    return column.dtype.kind in "iu" and bool((column.diff().iloc[1:] == 1).all())


def _is_table(path: str) -> bool:
    return Path(path.lower().removesuffix(".gz")).suffix in TABLES


def _columns_of_words(frame: pd.DataFrame) -> list[Any]:
    return [name for name in frame.columns if frame[name].dtype.kind not in "biuf"]


def _refuse_mixture(frame: pd.DataFrame, wordy: list[Any], path: str) -> None:
    """Numbers beside lists of names are no names."""
    numbers = [name for name in frame.columns if name not in wordy and frame[name].notna().any()]
    if numbers:
        raise DataError(
            f"{path} holds words in {enumerate_names([repr(str(name)) for name in wordy], 3)} and numbers "
            f"in {enumerate_names([repr(str(name)) for name in numbers], 3)}: it is neither a matrix of "
            "numbers (after a first column of labels) nor lists of names; leave the columns of one kind "
            "out, or give --format columns if the numbers are names"
        )


def _read_run(
    folder: str,
    filter: str | None,
    n_features_to_select: float | int | None,
    n_features: int | None,
) -> Collection:
    result = EnsembleResult.load(folder)
    matrix = result.combined
    if filter is not None:
        if filter not in result.score_matrices:
            raise UnknownNameError("filter of this run", filter, result.score_matrices)
        matrix = result.score_matrices[filter]
    if n_features not in (None, result.n_features):
        raise ParameterError(
            f"--n-features is {n_features}, but the run in {folder} has {result.n_features}"
        )
    name = Path(folder).resolve().name + (f" ({filter})" if filter else "")
    wanted = 0.25 if n_features_to_select is None else n_features_to_select
    return Collection(
        name,
        "run",
        matrix,
        "scores",
        result.feature_names,
        result.n_features,
        wanted,
        folder,
        filter,
    )


def _as_matrix(
    frame: pd.DataFrame,
    path: str,
    input: str,
    n_features_to_select: float | int | None,
    n_features: int | None,
) -> Collection:
    values = frame.to_numpy()
    if values.dtype == object:
        values = frame.astype(np.float64).to_numpy()
    name = "standard input" if path == "-" else Path(path).name
    names = tuple(str(column) for column in frame.columns)
    if n_features not in (None, len(names)):
        raise ParameterError(
            f"--n-features is {n_features}, but {name} has {len(names)} columns of features"
        )
    read = read_collection(
        values, kind=input, compares="sets", n_features=None, feature_names=names
    )
    kind = "sets" if isinstance(read, SelectedSets) else read.kind
    if kind == "sets" and n_features_to_select is not None:
        raise ParameterError(
            "--n-features-to-select belongs to scores, ranks and lists; a 0/1 table is selected"
        )
    wanted = 0.25 if n_features_to_select is None else n_features_to_select
    return Collection(name, "matrix", values, kind, names, len(names), wanted, path)


def _names(column: pd.Series[Any]) -> list[str]:
    names = [str(cell).strip() for cell in column.dropna()]
    return [name for name in names if name]


def _as_lists(
    lists: dict[str, list[str]],
    name: str,
    n_features_to_select: float | int | None,
    n_features: int | None,
) -> Collection:
    for label, names in lists.items():
        twice = next((each for each in names if names.count(each) > 1), None)
        if twice is not None:
            raise DataError(f"the list {label!r} names {twice!r} twice")
    longest = max(len(names) for names in lists.values())
    selected = list(lists.values())
    if n_features_to_select is not None:
        if isinstance(n_features_to_select, float) and n_features is None:
            raise ParameterError(
                "--n-features-to-select as a fraction of lists needs --n-features, the number it is a "
                "fraction of"
            )
        k = n_selected(
            n_features_to_select,
            longest if n_features is None else n_features,
            "--n-features-to-select",
        )
        selected = [names[:k] for names in selected]
    size: float | int = longest if n_features_to_select is None else n_features_to_select
    return Collection(name, "lists", selected, "sets", None, n_features, size)


def read_similarity(path: str) -> pd.DataFrame:
    """A square table of similarities whose first column and header name the features."""
    frame = read_table(path)
    if isinstance(
        frame.index, pd.RangeIndex
    ):  # else the column without a name is its index already
        frame = frame.set_index(frame.columns[0])
    else:
        frame = frame.rename_axis(None)
    frame.index = frame.index.map(str)
    if sorted(frame.index) != sorted(map(str, frame.columns)):
        raise DataError(
            f"the first column of {path} must name the features of its header, one row for each"
        )
    return frame

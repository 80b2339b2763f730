"""Rankings of a saved result, and what resamples gave, read from a run, a table or files."""

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import pyfsagg
from pyfsagg._base.remarks import warn
from pyfsagg._base.validation import n_selected
from pyfsagg._base.words import enumerate_names
from pyfsagg._command.results import name_of_table
from pyfsagg._command.tables import code_of_lists
from pyfsagg._table.delimited import decode_text, read_bytes
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError
from pyfsagg.ranks._files import read_rank_files
from pyfsagg.stability_measures._input import SelectedSets, as_plain, read_collection

MANY_ROWS = 20  # for each column: then rows may be features
COUNTERS = (
    *("", "unnamed: 0", "id", "index", "row", "fold", "resample", "iteration", "repeat", "run"),
)
TABLES = (".csv", ".tsv", ".parquet", ".arff")


@dataclass(frozen=True, eq=False)
class Collection:
    """Resamples as :func:`pyfsagg.stability` takes them (a table, or lists cut to `n_features_to_select`),
    from a `form` of source, and the `code` that reads them."""

    name: str
    form: str
    data: Any
    input: str
    n_features: int | None
    n_features_to_select: float | int
    code: list[str]


def saved_rankings(sources: Sequence[str]) -> pyfsagg.Rankings:
    """The rankings of a saved result, which is the only source."""
    if len(sources) > 1:
        raise ParameterError(f"a saved result is one source, got {len(sources)}")
    return pyfsagg.Rankings.of(pyfsagg.load_result(sources[0]))


def load_collection(
    sources: Sequence[str], options: argparse.Namespace, variable: str
) -> Collection:
    """Read a saved run, a matrix of one row per resample, or lists of names, as the flags say, for a
    `variable` of the code."""
    first, form = sources[0], options.format
    if form == "auto" and Path(first).is_dir():
        form = "run"
    if options.filter is not None and form != "run":
        raise ParameterError("--filter belongs to a saved run; other sources have a single matrix")
    if form in ("run", "matrix") and len(sources) > 1:
        raise ParameterError(
            f"a {'saved run' if form == 'run' else 'matrix'} is one source, got {len(sources)}; "
            "--compare names a second one"
        )
    if form == "run":
        return _read_run(first, options, variable)
    is_table = first == "-" or Path(first.lower().removesuffix(".gz")).suffix in TABLES
    if form == "matrix" or (form == "auto" and len(sources) == 1 and is_table):
        frame = pyfsagg.datasets.read_table(first)
        matrix = _matrix_in(frame, first, options, variable)
        if matrix is not None:
            return matrix
        words = _columns_of_words(frame)
        if form == "matrix":
            raise DataError(
                f"column {words[0]!r} of {first} contains words; a matrix needs numbers"
            )
        numbers = [name for name in frame if name not in words and frame[name].notna().any()]
        if numbers:
            raise DataError(
                f"{first} contains words in {_quoted(words)} and numbers in {_quoted(numbers)}: it is "
                "neither a matrix of numbers (after a first column of labels) nor lists of names; omit "
                "the columns of one kind, or give --format columns if the numbers are names"
            )
        lists = {
            str(name): [str(cell).strip() for cell in frame[name].dropna() if str(cell).strip()]
            for name in frame.columns
        }
    else:
        read, _ = read_rank_files(
            sources, format="lists" if form == "auto" else form, best_first=True
        )
        assert isinstance(read, dict)
        lists = read
        if form == "auto" and len(lists) == 1:
            raise DataError(
                f"{first} was read as one selection with a name per line, and at least two are needed: "
                "give a file for each, or --format lines if each line is a selection"
            )
    if options.input not in ("auto", "sets"):
        raise ParameterError(
            f"--input {options.input} belongs to a matrix; lists of names are selections"
        )
    name = name_of_table(first) if len(sources) == 1 and first != "-" else f"{len(lists)} lists"
    size, n_features = options.n_features_to_select, options.n_features
    for label, names in lists.items():
        repeats = [name for name in names if names.count(name) > 1]
        if repeats:
            raise DataError(f"the list {label!r} names {repeats[0]!r} twice")
    longest = max(len(names) for names in lists.values())
    selected = list(lists.values())
    if size is not None:
        if isinstance(size, float) and n_features is None:
            raise ParameterError(
                "--n-features-to-select as a fraction of lists needs --n-features, the total number"
            )
        most = longest if n_features is None else n_features
        k = n_selected(size, most, "--n-features-to-select")
        selected = [names[:k] for names in selected]
    code = code_of_lists(variable, selected)
    return Collection(name, "lists", selected, "sets", n_features, size or longest, code)


def _matrix_in(
    frame: pd.DataFrame, path: str, options: argparse.Namespace, variable: str
) -> Collection | None:
    """A table as a matrix of resamples by features; None if it contains more words than labels."""
    first = frame.columns[0]
    code = [f"{variable} = pyfsagg.datasets.read_table({path!r})"]
    indexed = f"{variable} = {variable}.set_index({variable}.columns[0])"
    if options.transpose:
        turned = frame.set_index(first).T.rename_axis(columns=None)
        return _as_matrix(turned, path, options, [*code, f"{indexed}.T"])
    # The first column counts the rows, and its name says that it does.
    counted = (
        str(first).strip().lower() in COUNTERS
        and frame.shape[1] > 1
        and frame[first].dtype.kind in "iu"
        and bool((frame[first].diff().iloc[1:] == 1).all())
    )
    if counted:
        warn(
            f"the column {str(first)!r} of {path} numbers the rows and is read as their label; rename "
            "it if it is a feature",
            stacklevel=3,
        )
    words = _columns_of_words(frame)
    labelled = counted or (words == [first] and frame.shape[1] > 1)
    if not labelled and words:
        return None
    if labelled:
        frame = frame.set_index(first)
        if _columns_of_words(frame):
            return None
        if len(frame) >= MANY_ROWS * frame.shape[1]:
            warn(
                f"{path} has {len(frame):,} rows, read as resamples, and {frame.shape[1]} columns, read "
                "as features; if the rows are the features, give --transpose",
                stacklevel=3,
            )
        code.append(indexed)
    return _as_matrix(frame, path, options, code)


def _columns_of_words(frame: pd.DataFrame) -> list[Any]:
    return [name for name in frame.columns if frame[name].dtype.kind not in "biuf"]


def _quoted(names: Sequence[Any]) -> str:
    return enumerate_names([repr(str(name)) for name in names], 3)


def _read_run(folder: str, options: argparse.Namespace, variable: str) -> Collection:
    filter, n_features = options.filter, options.n_features
    result = pyfsagg.load_result(folder)
    if not isinstance(result, pyfsagg.ensemble.EnsembleResult):
        return _read_result(result, folder, options, variable)
    matrix, run = result.combined, f"pyfsagg.ensemble.EnsembleResult.load({folder!r})"
    code = [f"{variable} = {run}"]
    if filter is not None:
        if filter not in result.score_matrices:
            raise UnknownNameError("filter of this run", filter, result.score_matrices)
        matrix = result.score_matrices[filter]
        made = f"pd.DataFrame(run.score_matrices[{filter!r}], columns=run.feature_names)"
        code = ["import pandas as pd", "", f"run = {run}", f"{variable} = {made}"]
    if n_features not in (None, result.n_features):
        raise ParameterError(
            f"--n-features is {n_features}, but the run in {folder} has {result.n_features}"
        )
    name = Path(folder).resolve().name + (f" ({filter})" if filter else "")
    size = 0.25 if options.n_features_to_select is None else options.n_features_to_select
    data = pd.DataFrame(matrix, columns=list(result.feature_names))
    return Collection(name, "run", data, "scores", None, size, code)


def _read_result(
    result: Any, folder: str, options: argparse.Namespace, variable: str
) -> Collection:
    """The rankings of a result that is no run."""
    if options.filter is not None:
        raise ParameterError(f"--filter belongs to a run of filters, and {folder} is none")
    data, kind, n_features = as_plain(pyfsagg.Rankings.of(result), "auto", options.n_features)
    lists = data if isinstance(data, list) else []
    if kind == "sets" and options.n_features_to_select is not None:
        raise ParameterError(
            "--n-features-to-select belongs to scores and ranks; these are selections"
        )
    size = max(map(len, lists)) if lists else options.n_features_to_select or 0.25
    code = [f"{variable} = pyfsagg.load_result({folder!r})"]
    name, form = Path(folder).resolve().name, "lists" if lists else "matrix"
    return Collection(name, form, data, kind, n_features if lists else None, size, code)


def _as_matrix(
    frame: pd.DataFrame, path: str, options: argparse.Namespace, code: list[str]
) -> Collection:
    size, n_features = options.n_features_to_select, options.n_features
    values = frame.to_numpy()
    if values.dtype == object:
        values = frame.astype(np.float64).to_numpy()
    name = name_of_table(path)
    names = tuple(str(column) for column in frame.columns)
    if n_features not in (None, len(names)):
        raise ParameterError(
            f"--n-features is {n_features}, but {name} has {len(names)} columns of features"
        )
    read = read_collection(
        values, kind=options.input, compares="sets", n_features=None, feature_names=names
    )
    kind = "sets" if isinstance(read, SelectedSets) else read.kind
    if kind == "sets" and size is not None:
        raise ParameterError(
            "--n-features-to-select belongs to scores, ranks and lists; a 0/1 table is selected"
        )
    size = 0.25 if size is None else size
    data = pd.DataFrame(values, columns=list(names))
    return Collection(name, "matrix", data, kind, None, size, code)


def read_similarity(path: str, names: Iterable[str]) -> pd.DataFrame:
    """A square table of similarities with names in the first column and header, or that of the members
    of ``.gmt`` sets and further `names`."""
    if path.lower().endswith(".gmt"):
        # A set in each line: its name, a description and its members, between tabs.
        text = decode_text(read_bytes(path), path)[0]
        rows = [line.rstrip().split("\t") for line in text.splitlines() if line.strip()]
        if not rows or min(map(len, rows)) < 3:
            raise DataError(
                f"a line of {path} is not the name of a set, a description and its members"
            )
        sets = {name: list(filter(None, members)) for name, _, *members in rows}
        return pyfsagg.stability_measures.membership_similarity(sets, names)
    frame = pyfsagg.datasets.read_table(path)
    # A column without a name is its index already.
    numbered = isinstance(frame.index, pd.RangeIndex)
    frame = frame.set_index(frame.columns[0]) if numbered else frame.rename_axis(None)
    frame.index = frame.index.map(str)
    if sorted(frame.index) != sorted(map(str, frame.columns)):
        raise DataError(
            f"the first column of {path} must name the features of its header, one row for each"
        )
    return frame

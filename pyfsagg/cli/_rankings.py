"""Rankings from the sources of a command: a saved result, files of lists, or a table of resamples."""

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
from pyfsagg._command.tables import code_of_lists, is_saved
from pyfsagg._table.delimited import decode_text, read_bytes
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError

MANY_ROWS = 20  # for each column: then rows may be features
COUNTERS = (
    *("", "unnamed: 0", "id", "index", "row", "fold", "resample", "iteration", "repeat", "run"),
)
TABLES = (".csv", ".tsv", ".parquet", ".arff")


def rankings_of(sources: Sequence[str], **how: Any) -> pyfsagg.Rankings:
    """The rankings of a saved result, or those in files, read as `how` says."""
    if not is_saved(sources):
        return pyfsagg.Rankings.from_files(sources, **how)
    _check_single(sources, "saved result")
    return pyfsagg.Rankings.of(pyfsagg.load_result(sources[0]))


def _check_single(sources: Sequence[str], what: str) -> None:
    if len(sources) > 1:
        raise ParameterError(f"a {what} is one source, got {len(sources)}")


@dataclass(frozen=True, eq=False)
class ResampleSource:
    """What :func:`pyfsagg.stability` takes: `data` of a `form` with the names of its `features`, the
    largest number of selected ones if it is known, and the `code` that reads them."""

    name: str
    form: str
    data: Any
    features: Iterable[str]
    code: list[str]
    n_features_to_select: float | int | None = None


def read_resamples(
    sources: Sequence[str], options: argparse.Namespace, variable: str
) -> ResampleSource:
    """Read a saved result, a table with a row per resample, or lists of names; `variable`: of the code."""
    first, form = sources[0], options.format
    if form == "auto":
        form = "run" if is_saved(sources) else _form_of_files(sources)
    if options.filter is not None and form != "run":
        raise ParameterError("--filter belongs to a saved run; other sources have a single matrix")
    of_lists = form in ("lists", "columns", "lines")
    if not of_lists:
        _check_single(sources, "matrix" if form != "run" else "saved result")
    if form == "run":
        return _saved(first, options.filter, variable)
    read, code = (
        (rankings_of(sources, format=form, best_first=True), list[str]())
        if of_lists
        else _read_table(first, form == "matrix", options.transpose, variable)
    )
    if isinstance(read, pd.DataFrame):
        return ResampleSource(name_of_table(first), "matrix", read, map(str, read.columns), code)
    if form == "lists" and options.format == "auto" and read.n_lists == 1:
        raise DataError(
            f"{first} was read as one selection with a name per line, and at least two are needed: "
            "give a file for each, or --format lines if each line is a selection"
        )
    if options.input not in ("auto", "sets"):
        raise ParameterError(
            f"--input {options.input} belongs to a matrix; lists of names are selections"
        )
    k = _size_of_lists(read, options)
    lists = [names[:k] for names in read._in_order()]
    name = name_of_table(first) if len(sources) == 1 and first != "-" else f"{len(lists)} lists"
    code = code_of_lists(variable, lists)
    size = options.n_features_to_select or k
    return ResampleSource(name, "lists", lists, read.items, code, size)


def _form_of_files(sources: Sequence[str]) -> str:
    first = sources[0]
    is_table = first == "-" or Path(first.lower().removesuffix(".gz")).suffix in TABLES
    return "table" if is_table and len(sources) == 1 else "lists"


def _size_of_lists(rankings: pyfsagg.Rankings, options: argparse.Namespace) -> int:
    """How many names of each list are selected."""
    size, longest = options.n_features_to_select, int(rankings.depth.max())
    if size is None:
        return longest
    if isinstance(size, float) and options.n_features is None:
        raise ParameterError(
            "--n-features-to-select as a fraction of lists needs --n-features, the total number"
        )
    most = longest if options.n_features is None else options.n_features
    return n_selected(size, most, "--n-features-to-select")


def _saved(folder: str, filter: str | None, variable: str) -> ResampleSource:
    """The rankings of a saved result, or of one filter of a run."""
    result, name = pyfsagg.load_result(folder), Path(folder).resolve().name
    if filter is None:
        rankings = pyfsagg.Rankings.of(result)
        code = [f"{variable} = pyfsagg.load_result({folder!r})"]
        return ResampleSource(name, "run", rankings, rankings.items, code)
    if not isinstance(result, pyfsagg.ensemble.EnsembleResult):
        raise ParameterError(f"--filter belongs to a run of filters, and {folder} is none")
    if filter not in result.score_matrices:
        raise UnknownNameError("filter of this run", filter, result.score_matrices)
    data = pd.DataFrame(result.score_matrices[filter], columns=list(result.feature_names))
    made = f"pd.DataFrame(run.score_matrices[{filter!r}], columns=run.feature_names)"
    code = [f"run = pyfsagg.load_result({folder!r})", f"{variable} = {made}"]
    code = ["import pandas as pd", "", *code]
    return ResampleSource(f"{name} ({filter})", "run", data, data.columns, code)


def _read_table(
    path: str, of_numbers: bool, transpose: bool, variable: str
) -> tuple[pd.DataFrame | pyfsagg.Rankings, list[str]]:
    """A table of resamples by features and the code that reads it, or lists of names in its columns."""
    frame = pyfsagg.datasets.read_table(path)
    code = [f"{variable} = pyfsagg.datasets.read_table({path!r})"]
    indexed = f"{variable} = {variable}.set_index({variable}.columns[0])"
    if transpose:
        turned = frame.set_index(frame.columns[0]).T.rename_axis(columns=None)
        return _as_numbers(turned), [*code, f"{indexed}.T"]
    counted, words = _counts_rows(frame, path), _columns_of_words(frame)
    if counted or (words == [frame.columns[0]] and frame.shape[1] > 1):
        frame = frame.set_index(frame.columns[0])
        code, words = [*code, indexed], _columns_of_words(frame)
        if not words and len(frame) >= MANY_ROWS * frame.shape[1]:
            warn(
                f"{path} has {len(frame):,} rows, read as resamples, and {frame.shape[1]} columns, read "
                "as features; if the rows are the features, give --transpose",
                stacklevel=3,
            )
    if not words:
        return _as_numbers(frame), code
    if of_numbers:
        raise DataError(f"column {words[0]!r} of {path} contains words; a matrix needs numbers")
    numbers = [name for name in frame if name not in words and frame[name].notna().any()]
    if numbers:
        raise DataError(
            f"{path} contains words in {_quoted(words)} and numbers in {_quoted(numbers)}: it is "
            "neither a matrix of numbers (after a first column of labels) nor lists of names; omit "
            "the columns of one kind, or give --format columns if the numbers are names"
        )
    cells = {str(name): map(str.strip, map(str, frame[name].dropna())) for name in frame.columns}
    lists = {name: list(filter(None, names)) for name, names in cells.items()}
    return pyfsagg.Rankings._from_selections(lists), []


def _counts_rows(frame: pd.DataFrame, path: str) -> bool:
    """Whether the first column counts the rows, and its name says that it does."""
    first = frame.columns[0]
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
            stacklevel=4,
        )
    return counted


def _as_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns of numbers and of truth values together are of objects for NumPy."""
    return frame.astype(np.float64) if frame.to_numpy().dtype == object else frame


def _columns_of_words(frame: pd.DataFrame) -> list[Any]:
    return [name for name in frame.columns if frame[name].dtype.kind not in "biuf"]


def _quoted(names: Sequence[Any]) -> str:
    return enumerate_names([repr(str(name)) for name in names], 3)


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

"""``pyfsagg stability``: how far resamples agree."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pyfsagg._base.remarks import warn
from pyfsagg._base.settings import names_of
from pyfsagg._base.validation import n_selected
from pyfsagg._base.words import enumerate_names
from pyfsagg._command.flags import add_output_flags, threshold, thresholds
from pyfsagg._command.results import keep_result, name_of_table
from pyfsagg._command.tables import read_files
from pyfsagg.datasets import read_table
from pyfsagg.ensemble import EnsembleResult
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError
from pyfsagg.ranks._files import read_rank_files
from pyfsagg.stability_measures._input import SelectedSets, read_collection

if TYPE_CHECKING:
    from pyfsagg.stability_measures import StabilityResult


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
    read = read_collection(values, kind=input, wanted="sets", n_features=None, feature_names=names)
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


DESCRIPTION = """\
Measure how stable scores, rankings or selections are over resamples.

SOURCE is one of
  a folder         a run saved by pyfsagg rank
  a table          one row per resample, one column per feature: scores (larger = more important),
                   ranks (1 = most important) or 0/1 selections; a first column of labels is skipped
  a table of names every column is the selection of one resample
  files of names   one file per resample, one name a line
"""
EPILOG = """\
examples:
  pyfsagg stability pyfsagg-rank
  pyfsagg stability scores.csv --n-features-to-select 10 --measures nogueira,spearman --interval bootstrap
  pyfsagg stability fold*.txt --n-features 2000 --output agreement
  pyfsagg stability run-a --compare run-b
"""
FORMS = ("auto", "run", "matrix", "lists", "columns", "lines")


def add_commands(commands: Any) -> None:
    """Add ``stability``."""
    parser = commands.add_parser(
        "stability",
        help="measure how far selections, rankings or scores agree",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    add = parser.add_argument
    add("sources", nargs="+", metavar="SOURCE", help="folder, table, or lists; - is standard input")
    add("--format", choices=FORMS, default="auto", help="what SOURCE is (default: see above)")
    add(
        "--input",
        choices=("auto", "scores", "ranks", "sets"),
        default="auto",
        help="what the cells of a table are (default: ranks if every row is a ranking from 1, "
        "selections if all cells are 0 or 1, scores otherwise)",
    )
    add("--filter", metavar="NAME", help="one filter of a saved run (default: all combined)")
    add(
        "--transpose",
        action="store_true",
        help="the rows of a table are features, with their names in the first column",
    )
    add("--measures", type=names_of, metavar="A,B", help="(default: all that apply)")
    add(
        "--n-features-to-select",
        type=threshold,
        metavar="K",
        help="features to select: a number (10) or a fraction (0.25 or 25%%; default: 0.25, and "
        "whole lists)",
    )
    add("--n-features", type=int, metavar="P", help="features to choose from, for lists")
    add("--similarity", metavar="FILE", help="table of feature similarities from 0 to 1")
    add(
        "--interval",
        choices=("jackknife", "bootstrap", "none"),
        default="jackknife",
        help="intervals over resamples (default: %(default)s)",
    )
    add(
        "--confidence-level",
        type=float,
        default=0.95,
        help="confidence level (default: %(default)s)",
    )
    add("--n-boot", type=int, default=1000, metavar="B", help="bootstraps (default: %(default)s)")
    add(
        "--ties",
        choices=("random", "first"),
        default="random",
        help="equal scores that compete for the last places: the mean over all their orders, or the "
        "first columns as in published results (default: %(default)s)",
    )
    add("-s", "--seed", type=int, default=0, help="seed of all random draws (default: %(default)s)")
    add(
        "--sizes",
        type=thresholds,
        metavar="K,K",
        help="subset sizes of the curve (default: 10%%, 20%%, … of the features)",
    )
    add(
        "--compare",
        nargs="+",
        metavar="OTHER",
        help="a second SOURCE: test that both selections are equally stable",
    )
    add(
        "--paired",
        action="store_true",
        help="with --compare: row i of both comes from the same resample",
    )
    add_output_flags(parser, "pyfsagg-stability")
    parser.set_defaults(run=_stability)


def _stability(options: argparse.Namespace) -> None:
    from pyfsagg.stability_measures import stability

    collection = _read(options, options.sources)
    other = _read(options, options.compare) if options.compare else None
    if options.paired and other is None:
        raise ParameterError("--paired belongs to --compare")
    if collection.input == "sets" and options.sizes:
        raise ParameterError("--sizes belongs to scores or ranks; selections have their sizes")
    names: dict[str, Any] = {} if other is None else {"names": [collection.name, other.name]}
    similarity = read_similarity(options.similarity) if options.similarity else None

    def compute(progress: Any) -> StabilityResult:
        report = stability(
            collection.given,
            options.measures,
            compare=None if other is None else other.given,
            paired=options.paired,
            **names,
            n_features=collection.n_features if collection.form == "lists" else None,
            n_features_to_select=collection.n_features_to_select,
            similarity=similarity,
            input="sets" if collection.form == "lists" else options.input,
            interval=None if options.interval == "none" else options.interval,
            confidence_level=options.confidence_level,
            n_boot=options.n_boot,
            sizes=options.sizes,
            ties=options.ties,
            random_state=options.seed,
        )
        data = {
            "sources": [name_of_table(source) for source in options.sources],
            "form": collection.form,
            "filter": options.filter,
        }
        parameters = {**report.parameters, "similarity": options.similarity}
        return replace(report, parameters=parameters, data={**data, **report.data})

    reading = [*collection.reading("data"), *(other.reading("compare") if other else [])]
    if options.similarity:
        reading.append(f"similarity = pyfsagg.read_table({options.similarity!r})")
        if similarity is not None and similarity.index.name is not None:
            reading.append("similarity = similarity.set_index(similarity.columns[0])")
    similar = [options.similarity] if options.similarity else []
    files = [*options.sources, *(options.compare or []), *similar]
    view = {"data_name": collection.name, "reading": reading, "read": read_files(files)}
    keep_result(options, compute, view=view)


def _read(options: argparse.Namespace, sources: list[str]) -> Collection:
    from pyfsagg._base.validation import check_integer

    if options.n_features is not None:
        check_integer("--n-features", options.n_features, low=1)
    return load_collection(
        sources,
        form=options.format,
        input=options.input,
        filter=options.filter,
        n_features_to_select=options.n_features_to_select,
        n_features=options.n_features,
        transpose=options.transpose,
    )

"""What R hands over, as Python's functions take it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from pyfsagg._message import Door, Name, Phrase, Use, Value
from pyfsagg._table.sparse import SparseTable, read_sparse
from pyfsagg.evaluation.learners import named_learners
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError
from pyfsagg.for_r._interrupts import inside_r
from pyfsagg.ranks import RankTable


def listed(value: Any) -> list[Any]:
    """A vector from R, which arrives as a scalar if it has one element."""
    if value is None:
        return []
    if isinstance(value, (str, int, float, bool)):
        return [value]
    return list(value)


def table_of(parts: Mapping[str, Any]) -> pd.DataFrame | SparseTable:
    """A data frame out of one matrix for each type of column.

    `names` has all columns; for each of ``double``, ``integer``, ``logical`` and ``nominal`` there
    may be ``values`` (n, k), the positions ``at`` of the columns from 0 and the matrix ``missing``.
    Nominal values are codes from 0 into ``levels``.
    """
    names = listed(parts["names"])
    if "sparse" in parts:
        return _sparse_table(parts["sparse"], tuple(str(name) for name in names))
    columns: dict[int, Any] = {}
    for kind in ("double", "integer", "logical", "nominal"):
        if kind not in parts:
            continue
        part = parts[kind]
        values = np.asarray(part["values"])
        missing = part.get("missing")
        for k, at in enumerate(listed(part["at"])):
            absent = None if missing is None else np.asarray(missing)[:, k]
            columns[int(at)] = _column(kind, values[:, k], absent, part, k)
    frame = pd.DataFrame({at: columns[at] for at in range(len(names))})
    frame.columns = pd.Index([str(name) for name in names])
    return frame


def _sparse_table(parts: Mapping[str, Any], names: tuple[str, ...]) -> SparseTable:
    rows, columns = (int(size) for size in parts["shape"])
    cells, at, start = (np.asarray(listed(parts[name])) for name in ("values", "rows", "start"))
    matrix: Any = sparse.csc_matrix((cells, at, start), shape=(rows, columns))
    return read_sparse(matrix, names, ())


def _column(kind: str, values: Any, missing: Any, part: Mapping[str, Any], position: int) -> Any:
    if kind == "nominal":
        levels = [str(level) for level in listed(part["levels"][position])]
        return pd.Categorical.from_codes(values.astype(np.intp), pd.Index(levels))
    if kind == "double" or missing is None or not missing.any():
        return values.astype({"double": float, "integer": np.int64, "logical": bool}[kind])
    dtype = "Int64" if kind == "integer" else "boolean"
    column = pd.Series(values.astype(np.int64 if kind == "integer" else bool), dtype=dtype)
    column[missing] = pd.NA
    return column


def target_of(parts: Mapping[str, Any] | None) -> pd.Series[Any] | pd.DataFrame | None:
    """Class labels: codes from 0 with their levels (-1 is missing); numbers; or times and events."""
    if parts is None:
        return None
    if "event" in parts:
        columns = {name: listed(parts[name]) for name in ("time", "event")}
        return pd.DataFrame(columns, dtype=float)
    if "levels" in parts:
        levels = [str(level) for level in listed(parts["levels"])]
        codes = np.asarray(listed(parts["values"]), dtype=np.intp)
        labels = pd.Categorical.from_codes(codes, pd.Index(levels))
        return pd.Series(labels, name=parts["name"])
    return pd.Series(np.asarray(listed(parts["values"]), dtype=float), name=parts["name"])


def filter_of(given: Any) -> Any:
    """The name of a filter, or an R function (x, y, weight) -> scores with its name."""
    if not isinstance(given, Mapping):
        return given
    call = given["call"]

    def r_function(X: Any, y: Any, sample_weight: Any = None) -> Any:
        if sample_weight is None:
            sample_weight = np.ones(len(X))
        fields = getattr(getattr(y, "dtype", None), "names", None)
        labels = {name: list(y[name]) for name in fields} if fields else list(y)
        return np.asarray(listed(call_r(call, X, labels, sample_weight)), dtype=float)

    r_function.__name__ = str(given["name"])
    return r_function


def learners_of(given: Any, task: str) -> dict[str, Any]:
    """Learners by name: those of scikit-learn with their parameters, and R functions (x, y) -> importances.

    Each is ``label`` (of its voters; may be empty) with ``call``, or with ``learner`` and ``parameters``.
    """
    if given is None:
        return named_learners(None, task)
    found: dict[str, Any] = {}
    for each in listed(given):
        for name, model in _learner_of(each, task).items():
            label = str(each["label"]) or name
            if label in found:
                raise ParameterError(
                    f"the learner {label!r} is given twice; give each a name in the list of learners"
                )
            found[label] = model
    return found


def _learner_of(given: Mapping[str, Any], task: str) -> dict[str, Any]:
    if "call" in given:
        label, call = str(given["label"]), given["call"]

        def r_function(X: Any, y: Any) -> Any:
            return numbers_from_r(call_r(call, X, list(y), what=f"the learner {label!r}"))

        r_function.__name__ = label
        return {label: r_function}
    found = named_learners(str(given["learner"]), task)
    for name, model in found.items():
        last = model.steps[-1][1] if hasattr(model, "steps") else model
        for parameter, value in (given.get("parameters") or {}).items():
            if parameter not in last.get_params():
                raise UnknownNameError(f"parameter of {name}", parameter, list(last.get_params()))
            last.set_params(**{parameter: counts(value)})
    return found


def call_r(function: Callable[..., Any], *arguments: Any, what: str = "the filter function") -> Any:
    """The value of an R function, which answers with its error or the interrupt that it met."""
    with inside_r():
        found = function(*arguments)
    if "interrupt" in found:
        raise KeyboardInterrupt
    if "error" in found:
        raise DataError(f"{what} failed: {found['error']}")
    return found.get("value")


def aggregator_of(call: Callable[..., Any]) -> Callable[[Any], Any]:
    """An R function of a matrix of scores (m, p), which returns p scores."""

    def aggregator(scores: Any) -> Any:
        return numbers_from_r(call_r(call, scores, what="the function aggregator"))

    return aggregator


def null_of(call: Callable[..., Any]) -> Callable[[np.random.Generator], RankTable]:
    """An R function of a seed, which returns lists made without a relation to the target."""

    def null(rng: np.random.Generator) -> RankTable:
        seed = int(rng.integers(2**31 - 1))
        return rank_table_of(call_r(call, seed, what="the function null")["value"])

    return null


def progress_of(call: Callable[..., Any]) -> Callable[[int, int], None]:
    def progress(done: int, total: int) -> None:
        call_r(call, done, total)

    return progress


def counts(value: Any) -> Any:
    """R writes counts as doubles; Python tells 5 from 5.0."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(key): counts(each) for key, each in value.items()}
    return [counts(each) for each in value] if isinstance(value, (list, tuple)) else value


def numbers_from_r(values: Any) -> Any:
    """Numbers of which some may be missing."""
    return np.array([np.nan if each is None else each for each in listed(values)], dtype=float)


def rank_table_of(parts: Mapping[str, Any]) -> RankTable:
    """Ranked lists; a matrix has a row for each list, names of lists and items stand beside it."""
    sizes = [int(size) for size in listed(parts.get("universe"))] or None
    universe: Any = sizes[0] if sizes is not None and len(sizes) == 1 else sizes
    drawn = {"ties": parts["ties"], "random_state": parts.get("seed")}
    full = bool(parts["full"])
    weights = [float(each) for each in listed(parts.get("weights"))] or None
    if parts["input"] == "files":
        files = RankTable.from_files(
            [str(path) for path in listed(parts["paths"])],
            universe,
            full,
            duplicates=parts["duplicates"],
            higher_is_better=bool(parts["higher_is_better"]),
            unranked=[str(path) for path in listed(parts.get("unranked"))],
            **drawn,
        )
        return files.weighted(weights)
    frame = pd.DataFrame(
        np.asarray(parts["ranks"], dtype=float),
        columns=[str(one) for one in listed(parts["items"])],
    )
    if parts.get("list_names"):
        frame.index = pd.Index([str(one) for one in listed(parts["list_names"])])
    if parts["input"] == "scores":
        higher = bool(parts["higher_is_better"])
        table = RankTable.from_scores(frame, higher, full=full, universe=universe, **drawn)
    elif parts["input"] == "normalized":
        table = RankTable.from_normalized_ranks(frame, full=full)
    else:
        table = RankTable.from_ranks(frame, full=full, universe=universe)
    return table.weighted(weights)


IN_R = {
    "list_weights": "weights",
    "sample_weight": "weights",  # the last one: `weights` of R without a list is of rows
    "n_jobs": "cores",
    "random_state": "seed",
}
"""Arguments that R users know under another name."""

PHRASES: dict[str, Callable[..., str]] = {
    # what to do about columns of a table
    "drop": lambda columns: "leave it out",
    "groups": lambda subject: "give that column as groups to wam, bam and evaluate",
    "missing": lambda: "replace it by NA",
    "rows": lambda: "leave these rows out",
    "number": lambda: 'say task = "regression"',
    "time": lambda: "give times and events as a Surv()",
    # types
    "mapping": lambda: "a named list",
    "filter": lambda: "a function (x, y, weight)",
    # code
    "scores": lambda: 'rank_table(x, input = "scores")',
    "not_ranks": lambda: "; ranks become such by dividing them by N",
    "sign": lambda: "scores * sign(log_fold_changes)",
    "dense": lambda: "as.matrix(x)",
    "shape": lambda: "",
    "inf": lambda: "",
    "plan": lambda: "",
    "groups_of_plan": lambda: " by the argument groups",
    "subsample": lambda: 'resampling = "subsample"',
}


class InR(Door):
    """R's spelling.

    Examples
    --------
    >>> from pyfsagg._message import Got, Message, Param
    >>> message = Message(Param("n_jobs"), " must be a number", Got(None), "; ", Use("Checks", pairs=30))
    >>> message.render(InR())
    'cores must be a number, got NULL; pairs = 30'
    """

    def __init__(self, names: Mapping[str, str] | None = None) -> None:
        self.names = {**IN_R, "X": "x", "universe": "N", **(names or {})}

    def param(self, name: str) -> str:
        return self.names.get(name, name)

    def public(self, name: str) -> str:
        return name

    def value(self, value: Value) -> str:
        plain = value.value
        if isinstance(plain, str):  # as Python shows it, also what was shortened
            return value.text
        return _of_list(plain, "'") if isinstance(plain, (list, tuple)) else in_r(plain)

    def use(self, use: Use) -> str:
        return ", ".join(
            f"{self.param(name)} = {in_r(value.value)}" for name, value in use.values.items()
        )

    def phrase(self, phrase: Phrase) -> str:
        words = PHRASES.get(phrase.key)
        return phrase.text if words is None else words(**phrase.about)


def in_r(value: object, quote: str = '"') -> str:
    """A plain value as code of R."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float) and not math.isfinite(value):
        return "NA" if math.isnan(value) else "Inf" if value > 0 else "-Inf"
    if isinstance(value, str):
        return str(value) if isinstance(value, Name) else f"{quote}{value}{quote}"
    if isinstance(value, Mapping):
        inner = (f"{key} = {in_r(each, quote)}" for key, each in value.items())
        return f"list({', '.join(inner)})"
    return _of_list(value, quote) if isinstance(value, (list, tuple)) else str(value)


def _of_list(values: list[object] | tuple[object, ...], quote: str) -> str:
    """R has no single values: one of a list is itself."""
    inner = ", ".join(in_r(each, quote) for each in values)
    return inner if len(values) == 1 else f"c({inner})"

"""What R hands over, as Python's functions take it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from pyfsagg._base.validation import one_nan
from pyfsagg._base.words import it_or_them
from pyfsagg._message import Door, Name, Phrase, Use, Value
from pyfsagg._table.sparse import SparseTable, read_sparse
from pyfsagg.evaluation.learners import named_learners
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError
from pyfsagg.for_r._interrupts import end_by_limit, inside_r
from pyfsagg.ranks import Rankings


def with_nan(value: Any) -> Any:
    """A value from R whose missing numbers are NaN as Python's are, and not R's ``NA``.

    See :func:`pyfsagg._base.validation.one_nan` for what ``NA`` does in NumPy.
    """
    if isinstance(value, np.ndarray):
        return one_nan(value)
    if isinstance(value, Mapping):
        return {key: with_nan(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(with_nan, value))
    return math.nan if isinstance(value, float) and math.isnan(value) else value


def listed(value: Any) -> list[Any]:
    """A vector from R, which arrives as a scalar if it has one element."""
    if value is None:
        return []
    if isinstance(value, (str, int, float, bool)):
        return [value]
    return list(value)


def table_of(parts: Mapping[str, Any]) -> pd.DataFrame | SparseTable:
    """A data frame from a matrix for each type: `names` of all columns, and for ``double``,
    ``integer``, ``logical`` and ``nominal`` perhaps ``values`` (n, k), positions ``at`` and
    ``missing``; nominal values are codes into ``levels``."""
    names = listed(parts["names"])
    if "sparse" in parts:
        part = parts["sparse"]
        cells, at, start = (np.asarray(listed(part[key])) for key in ("values", "rows", "start"))
        n_rows, n_columns = map(int, part["shape"])
        matrix: Any = sparse.csc_matrix((cells, at, start), shape=(n_rows, n_columns))
        return read_sparse(matrix, tuple(str(name) for name in names), ())
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
    values: Any = np.asarray(listed(parts["values"]), dtype=np.intp if "levels" in parts else float)
    if "levels" in parts:
        levels = pd.Index([str(level) for level in listed(parts["levels"])])
        values = pd.Categorical.from_codes(values, levels)
    return pd.Series(values, name=parts["name"])


def filter_of(part: Any) -> Any:
    """The name of a filter, or an R function (x, y, weight) -> scores with its name."""
    if not isinstance(part, Mapping):
        return part
    return RFilter(str(part["name"]), part["call"], part.get("version"))


class RFilter:
    """An R function as a filter; R matches its scores to the columns where it names them."""

    def __init__(
        self, name: str, call: Callable[..., Any], version: Any, columns: Sequence[str] = ()
    ) -> None:
        self.__name__ = name
        self.checkpoint_version = counts(version)  # an attribute of the function in R
        self._call, self._columns = call, list(columns)

    def of_columns(self, names: Sequence[str]) -> RFilter:
        return RFilter(self.__name__, self._call, self.checkpoint_version, names)

    def __call__(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if sample_weight is None:
            sample_weight = np.ones(len(X))
        fields = getattr(getattr(y, "dtype", None), "names", None)
        labels = {name: list(y[name]) for name in fields} if fields else list(y)
        scores = call_r(self._call, X, labels, sample_weight, self._columns)
        return np.asarray(listed(scores), dtype=float)


def learners_of(parts: Any, task: str) -> dict[str, Any]:
    """Learners by name: scikit-learn's (``learner``, ``parameters``) and R functions ``call`` (x, y) ->
    importances, with the ``label`` of their voters."""
    if parts is None:
        return named_learners(None, task)
    learners: dict[str, Any] = {}
    for part in listed(parts):
        for name, model in _learner_of(part, task).items():
            label = str(part["label"]) or name
            if label in learners:
                raise ParameterError(
                    f"the learner {label!r} is given twice; give each a name in the list of learners"
                )
            learners[label] = model
    return learners


def _learner_of(part: Mapping[str, Any], task: str) -> dict[str, Any]:
    if "call" in part:
        label, call = str(part["label"]), part["call"]

        def r_function(X: Any, y: Any) -> Any:
            return numbers_from_r(call_r(call, X, list(y), what=f"the learner {label!r}"))

        r_function.__name__ = r_function.__qualname__ = label
        r_function.checkpoint_version = counts(part.get("version"))  # type: ignore[attr-defined]
        return {label: r_function}
    models = named_learners(str(part["learner"]), task)
    for name, model in models.items():
        last = model.steps[-1][1] if hasattr(model, "steps") else model
        for parameter, value in (part.get("parameters") or {}).items():
            if parameter not in last.get_params():
                raise UnknownNameError(f"parameter of {name}", parameter, list(last.get_params()))
            last.set_params(**{parameter: counts(value)})
    return models


def call_r(function: Callable[..., Any], *arguments: Any, what: str = "the filter function") -> Any:
    """The value of an R function, which answers with its error or the interrupt that it met."""
    with inside_r():
        reply = function(*arguments)
    if "interrupt" in reply:
        raise KeyboardInterrupt
    if "limit" in reply:
        end_by_limit(reply["limit"])
    if "error" in reply:
        raise DataError(f"{what} failed: {reply['error']}")
    return with_nan(reply.get("value"))


def aggregator_of(call: Callable[..., Any]) -> Callable[[Any], Any]:
    """An R function of a matrix of scores (m, p), which returns p scores."""

    def aggregator(scores: Any) -> Any:
        return numbers_from_r(call_r(call, scores, what="the function aggregator"))

    return aggregator


def null_of(call: Callable[..., Any]) -> Callable[[np.random.Generator], Rankings]:
    """An R function of a seed, which returns lists made without a relation to the target."""

    def null(rng: np.random.Generator) -> Rankings:
        seed = int(rng.integers(2**31 - 1))
        return rank_table_of(call_r(call, seed, what="the function null")["value"])

    return null


def progress_of(call: Callable[..., Any]) -> Callable[[int, int], None]:
    def progress(done: int, total: int) -> None:
        call_r(call, done, total)

    return progress


def counts(value: Any) -> Any:
    """Whole doubles of R as integers."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(key): counts(part) for key, part in value.items()}
    return [counts(part) for part in value] if isinstance(value, (list, tuple)) else value


def numbers_from_r(values: Any) -> Any:
    """Numbers of which some may be missing."""
    return np.array([np.nan if value is None else value for value in listed(values)], dtype=float)


def universe_of(sizes: Any) -> int | list[int] | None:
    """One size for all lists, or one for each."""
    universe = [int(size) for size in listed(sizes)]
    return universe[0] if len(universe) == 1 else universe or None


def rank_table_of(parts: Mapping[str, Any]) -> Rankings:
    """Ranked lists; a matrix has a row for each list, with separate names of lists and items."""
    universe: Any = universe_of(parts.get("universe"))
    drawn = {"ties": parts["ties"], "random_state": parts.get("seed")}
    absent: Any = "unknown" if parts["full"] else "worst"
    weights = [float(weight) for weight in listed(parts.get("weights"))] or None
    if parts["input"] == "files":
        paths, unranked = (list(map(str, listed(parts.get(key)))) for key in ("paths", "unranked"))
        drawn["duplicates"] = parts["duplicates"]
        drawn["higher_is_better"] = bool(parts["higher_is_better"])
        drawn |= {"ids": parts.get("ids"), "by": parts.get("by")}
        drawn["best_first"] = bool(parts.get("best_first"))
        files = Rankings.from_files(paths, universe, absent=absent, unranked=unranked, **drawn)
        return files.weighted(weights)
    items = list(map(str, listed(parts["items"])))
    frame = pd.DataFrame(np.asarray(parts["ranks"], dtype=float), columns=items)
    if parts.get("list_names"):
        frame.index = pd.Index([str(name) for name in listed(parts["list_names"])])
    if parts["input"] == "scores":
        higher = bool(parts["higher_is_better"])
        table = Rankings.from_scores(frame, higher, absent=absent, universe=universe, **drawn)
    elif parts["input"] == "normalized":
        table = Rankings.from_normalized_ranks(frame, absent=absent)
    else:
        table = Rankings.from_ranks(frame, absent=absent, universe=universe)
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
    "drop": lambda columns: f"drop {it_or_them(columns)}",
    "groups": lambda subject: "give that column as groups to wam, bam and evaluate",
    "missing": lambda: "replace it by NA",
    "answers": lambda codes: "replace it by NA",
    "limits": lambda: "5 / 2 for <5",
    "event": lambda column, value: f"Surv(time, {column} == {value})",
    "rows": lambda: "leave these rows out",
    "number": lambda: 'use task = "regression"',
    "time": lambda: "give times and events as a Surv()",
    # types
    "mapping": lambda: "a named list",
    "filter": lambda: "a function (x, y, weight)",
    # code
    "version": lambda: 'structure(f, checkpoint_version = "1") for a function f',
    "scores": lambda: 'rank_table(x, input = "scores")',
    "unknown": lambda: "full = TRUE",
    "worst": lambda: "full = FALSE",
    "not_ranks": lambda: "; ranks become such by dividing them by N",
    "sign": lambda: "scores * sign(log_fold_changes)",
    "dense": lambda: "as.matrix(x)",
    "shape": lambda: "",
    "inf": lambda: "",
    "plan": lambda: "",
    "groups_of_plan": lambda: " by the argument groups",
    "subsample": lambda: 'resampling = "subsample"',
    "aggregate": lambda: "aggregate_lists()",
}


class InR(Door):
    """R's spelling of the parts of a message."""

    def __init__(self, names: Mapping[str, str] | None = None) -> None:
        self.names = {**IN_R, "X": "x", "universe": "N", "indices": "row_indices", **(names or {})}

    def param(self, name: str) -> str:
        return self.names.get(name, name)

    def public(self, name: str) -> str:
        return name.rpartition(".")[2]

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
        inner = (f"{key} = {in_r(part, quote)}" for key, part in value.items())
        return f"list({', '.join(inner)})"
    return _of_list(value, quote) if isinstance(value, (list, tuple)) else str(value)


def _of_list(values: list[object] | tuple[object, ...], quote: str) -> str:
    """R has no single values: a list of one is its element."""
    inner = ", ".join(in_r(value, quote) for value in values)
    return inner if len(values) == 1 else f"c({inner})"

"""The one list of functions of R that call one of Python.

:data:`CALLS` says which function of Python is behind a function of R, and what only R needs to know of its
arguments.  Their names, order, defaults and types are those of Python's signature: ``tools/r_functions.py``
writes the functions of R from it, and what R hands over is read by the types, so one number is a
vector where a vector is meant, and a whole double a count.
"""

import importlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import Parameter, signature
from operator import attrgetter
from types import ModuleType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

import pyfsagg
from pyfsagg._base.arithmetic import Shaped
from pyfsagg._base.spellings import ARGUMENTS
from pyfsagg._run.execution import Execution
from pyfsagg.exceptions import MissingDependencyError, OutputError, UnknownNameError
from pyfsagg.for_r import _given as given
from pyfsagg.for_r._answers import answered, ensemble_of, unpacked


@dataclass(frozen=True)
class Called:
    """A function of Python behind one of R."""

    function: str  # its public name in the module
    page: str  # its help page in R
    # Arguments of Python with another name in R, in addition to `IN_R`; and those whose kind in R
    # (`KINDS` in call.R) does not follow from the types.
    names: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    value: str = "{}"  # R code around the answer
    without: tuple[str, ...] = ()  # arguments that R does not have, because its data hold the same
    # The method of the result that R calls, and the arguments of R for it, with their names there.
    method: str = ""
    later: Mapping[str, str] = field(default_factory=dict)
    by_hand: bool = False  # written by hand in R, because it does something before or after
    module: ModuleType = pyfsagg

    @property
    def python(self) -> Callable[..., Any]:
        function: Callable[..., Any] = attrgetter(self.function)(self.module)
        return function

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters of the function of Python, with types instead of their texts."""
        types = get_type_hints(self.python)
        return {
            name: parameter.replace(annotation=types.get(name, Any))
            for name, parameter in signature(self.python).parameters.items()
        }

    def in_r(self, name: str) -> str:
        return self.names.get(name, given.IN_R.get(name, "x" if name == "X" else name))

    def kind(self, name: str) -> str:
        """How R reads an argument of Python; empty for what every vector or list is read as."""
        if name in self.kinds:
            return self.kinds[name]
        parameters = self.parameters
        if name == "X" or (name == "y" and "X" in parameters):
            return "table" if name == "X" else "target"
        members = _members(parameters[name].annotation)
        if any(isinstance(one, type) and issubclass(one, os.PathLike) for one in _origins(members)):
            return "path"
        return "features" if Sequence[str | int] in members else ""


def _calls(room: str, page: str, *names: str, **about: Any) -> dict[str, Called]:
    """Functions of a room that have the same name in R."""
    return {name: Called(f"{room}.{name}".lstrip("."), page, **about) for name in names}


def _of(kind: str, argument: str, page: str, **about: Any) -> dict[str, Any]:
    """An entry of :data:`CALLS` whose first argument is `x` in R, of a special kind."""
    return {"page": page, "names": {argument: "x"}, "kinds": {argument: kind}, **about}


_COLLECTION: dict[str, Any] = {"page": "stability_more", "without": ("feature_names",)}
"""Names of features are those of the columns in R."""
_OF_DATA = _of("collection", "data", **_COLLECTION)
_OF_SCORES = _of("collection", "scores", **_COLLECTION)
_OF_SETS = _of("collection", "sets", **_COLLECTION)
_OF_LISTS = _of("lists", "table_or_scores", "ranked_lists")

CALLS: dict[str, Called] = {
    # tests of methods that R has not itself
    **_calls(
        "statistics", "statistics",
        "bayesian_t_tests", "critical_difference", "nemenyi", "win_tie_loss", kinds={"data": "numbers"},
    ),
    "rank_confidence": Called("statistics.rank_confidence", "rank_confidence", by_hand=True),
    # data
    "list_methods": Called("list_methods", "list_methods"),
    "load_dataset": Called("load_dataset", "datasets", value="dataset_of({})"),
    "read_feature_table": Called("datasets.read_table", "datasets"),
    # levels and columns
    **_calls("discretization", "filters", "discretize"),
    **_calls("filters", "filters", "near_zero_variance"),
    "martingale_residuals": Called("filters.martingale_residuals", "filters", kinds={"y": "target"}),
    # orders of the features within samples
    **_calls("rank_order", "orders", "make_planted_orders"),
    "eliminate_features": Called("rank_order.eliminate", "orders"),
    # tables without classes
    **_calls("unsupervised", "unsupervised", "clustering_curve"),
    **_calls("unsupervised", "unsupervised", "frcm", "frmv", kinds={"labels": "labels"}),
    **_calls("unsupervised", "unsupervised", "laplacian_score", "svd_entropy", value="by_feature({}, x)"),
    "rank_unsupervised": Called("unsupervised.rank_unsupervised", "unsupervised", by_hand=True),
    # limits on false selections
    **_calls("error_control", "error_control_parts", "pfer_bound"),
    "calibrate_selection": Called(
        "error_control.calibrate_selection", "error_control_parts", kinds={"feature_names": "words"},
    ),
    "integrated_path": Called(
        "error_control.integrated_path", "error_control_parts", {"function": "form"}, {"scores": "pairs"},
    ),
    # what selections are worth
    **_calls("evaluation", "weighted_average_accuracy", "weighted_average_accuracy"),
    "vote_features": Called(
        "vote", "vote_features",
        kinds={
            "selections": "collection", "voter_weights": "voter_weights", "performance": "values",
            "learners": "words", "feature_names": "words",
        },
        value="called({})",
    ),
    "screen_genes": Called(
        "screen", "screen_genes",
        kinds={
            **dict.fromkeys(("genes", "guides", "control_guides", "control_genes"), "words"),
            **dict.fromkeys(("scores", "log_fold_changes", "guide_weights"), "values"),
            **dict.fromkeys(("p_values", "replicates"), "sides"), "null": "plain",
        },
    ),
    "standings": Called("standings", "standings", kinds={"data": "numbers"}),
    "studies": Called("studies", "studies", kinds={"tables": "studies"}),
    # ranked lists
    "aggregate_lists": Called("aggregate", **_OF_LISTS),
    "compare_aggregations": Called("aggregation.compare_aggregations", **_OF_LISTS),
    "permutation_p_values": Called("aggregation.permutation_p_values", **_OF_LISTS),
    "check_universe": Called("aggregation.check_universe", **_of("lists", "lists", "ranked_lists")),
    "influence_of_lists": Called(
        "aggregator_influence.influence_of_lists", **_of("lists", "lists", "influence_of_lists"),
    ),
    "compare_aggregators": Called("aggregator_influence.compare_aggregators", "results"),
    # stability of selections
    "adequacy": Called("stability_measures.adequacy", **_OF_SCORES),
    "between_sample_stability": Called(
        "stability_measures.between_sample_stability", **_COLLECTION
    ),
    "feature_stability": Called("stability_measures.feature_stability", **_OF_DATA),
    "nogueira": Called("stability_measures.nogueira", **_OF_SETS),
    "nogueira_test": Called(
        "stability_measures.nogueira", **_OF_SETS,
        method="test", later={"null_value": "value", "alternative": "alternative"},
    ),
    "membership_similarity": Called(
        "stability_measures.membership_similarity", "stability_more",
        kinds={"sets": "words", "feature_names": "words"}, value="square_of({})",
    ),
    "pareto_front": Called("stability_measures.pareto_front", "stability_more"),
    "stability_curve": Called("stability_measures.stability_curve", **_OF_SCORES),
    "stability": Called(
        "stability", "stability", {"data": "x"}, {"data": "collection", "compare": "collection"},
        "stability_table({})", without=("feature_names",),
    ),
    "list_agreement": Called(
        "aggregation.list_agreement", "list_agreement", {"lists": "glist"}, {"lists": "lists"},
        "deepest_agreement({})",
    ),
}  # fmt: skip


def call(of: str, arguments: Mapping[str, Any]) -> Any:
    """The value of a function of :data:`CALLS`."""
    called = CALLS[of]
    values = {name: decoded(value) for name, value in dict(arguments).items() if value is not None}
    files = {name: values.pop(name, None) for name in ("save", "report")}
    later = {called.later[name]: values.pop(name) for name in called.later if name in values}
    result = called.python(**arguments_of(called, values))
    if called.method:
        result = getattr(result, called.method)(**later)
    keep(result, **files)
    return answered(result)


def keep(result: Any, save: str | None, report: str | None) -> None:
    """Write a result into a folder, and its page into a file."""
    if save is not None:
        result.save(save)
    if report is not None:
        result.report(report)


METHODS = ("clusters", "compare", "fewest", "final_list", "rank_confidence", "select")
"""Methods of results that R calls."""


def call_method(object: Any, method: str, arguments: Mapping[str, Any] | None = None) -> Any:
    """The value of a method of a result that R holds."""
    if method not in METHODS:
        raise UnknownNameError("method", method, METHODS)
    result = decoded(object)
    run = getattr(result, method)
    types = get_type_hints(run)
    values = {name: decoded(value) for name, value in dict(arguments or {}).items()}
    if "selection" in types and "n_features_to_select" in values:
        number = as_typed(values.pop("n_features_to_select"), float | int | str)
        values["selection"] = result.selection(number)
    return answered(run(**{name: as_typed(value, types[name]) for name, value in values.items()}))


def call_package(package: str, what: str, arguments: Mapping[str, Any] | None = None) -> Any:
    """The value of a public function of another package."""
    try:
        module = importlib.import_module(package)
    except ImportError as error:
        raise MissingDependencyError(f"{package} cannot be imported: {error}") from None
    known = [name for name in module.__all__ if name[0].islower() and "plot" not in name]
    if what not in known:
        raise UnknownNameError("what", what, known)
    called = Called(what, "", module=module)
    values = {name: decoded(value) for name, value in dict(arguments or {}).items()}
    return answered(called.python(**arguments_of(called, values)))


def write(
    object: Any,
    save: str | None = None,
    report: str | None = None,
    picture: str | None = None,
    kind: str | None = None,
    options: Any = None,
) -> str:
    """Write a result, its page or a picture of it; the path."""
    result = decoded(object)
    view = {name: given.counts(decoded(value)) for name, value in dict(options or {}).items()}
    if save is not None:
        return str(result.save(save, **view))
    if report is not None:
        return str(result.report(report, **view))
    axes = result.plot(kind, **view)
    figure = np.ravel(np.asarray(axes, dtype=np.object_))[0].figure
    try:
        figure.savefig(picture, bbox_inches="tight")
    except (OSError, ValueError) as problem:
        raise OutputError(f"{picture} cannot be written: {problem}") from None
    return str(picture)


def decoded(value: Any) -> Any:
    """A value that R marked with its kind."""
    if not isinstance(value, Mapping):
        return value
    kind = value.get("is")
    if kind is None:
        return {str(name): decoded(part) for name, part in value.items()}
    return _KINDS[kind](value["value"])


_KINDS: dict[str, Callable[[Any], Any]] = {
    "table": given.table_of,
    "target": given.target_of,
    "ensemble": ensemble_of,
    "files": unpacked,
    "lists": lambda lists: [list(map(str, given.listed(names))) for names in lists],
    "matrix": np.asarray,
    "square": lambda part: pd.DataFrame(
        part["values"], given.listed(part["rows"]), given.listed(part["columns"])
    ),
    "pairs": lambda rows: np.asarray(rows).reshape(len(rows) // 2, 2, -1),
    "rank_table": given.rank_table_of,
    "aggregator": given.aggregator_of,
    "null": given.null_of,
    "list": lambda values: list(map(decoded, values)),
}
"""How each kind of R's objects is read."""


def arguments_of(called: Called, values: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of the function by the names and types of Python."""
    parameters = called.parameters
    open_end = any(one.kind is Parameter.VAR_KEYWORD for one in parameters.values())
    by_r_name = {called.in_r(name): name for name in parameters}
    in_python = {name: key for key, name in given.IN_R.items()}
    execution: dict[str, Any] = {}
    arguments: dict[str, Any] = {}
    for name, value in values.items():
        if name in by_r_name:
            python = by_r_name[name]
            arguments[python] = as_typed(value, parameters[python].annotation)
        elif ("execution" in parameters or open_end) and name in Execution.names():
            read = given.progress_of if name == "progress" else given.counts
            execution[name] = read(value)
        elif open_end:
            arguments[in_python.get(name, name)] = given.counts(value)
        else:
            known = [one for one in by_r_name if one not in ("execution", *called.without)]
            known += Execution.names() if "execution" in parameters else ()
            raise unknown_argument(name, known)
    if execution:
        arguments["execution"] = Execution(**execution)
    return arguments


def unknown_argument(name: str, known: Sequence[str]) -> UnknownNameError:
    """The error for an unknown argument; names of Python and of other packages are answered by R's."""
    ours = (each for each, theirs in ARGUMENTS.items() if name.lower() in theirs)
    meant = (given.IN_R.get(each, each) for each in (name, *ours))
    nearest = next(filter(known.__contains__, meant), None)
    return UnknownNameError("argument", name, known, meant=nearest)


_ARRAY_LIKE = frozenset(get_args(ArrayLike))
"""The members that represent a union with an array, which is flat."""
_VECTORS = (Sequence, Iterable, np.ndarray)


def as_typed(value: Any, hint: Any) -> Any:
    """A value of R as the type of an argument of Python means it."""
    members = _members(hint)
    if Shaped in members:  # a table or a target, which are read already
        return given.counts(value) if isinstance(value, Mapping) else value
    array = members >= _ARRAY_LIKE
    members -= _ARRAY_LIKE if array else set()
    origins = _origins(members)
    vector = array or any(one in _VECTORS for one in origins)
    sequences = [one for one in members if get_origin(one) in (Sequence, Iterable)]
    within = {part for one in sequences for each in get_args(one) for part in _members(each)}
    if isinstance(value, float) and (int in members or int in within):
        value = given.counts(value)
    elif type(value) is int and float in members and int not in members:
        value = float(value)
    if tuple in origins and isinstance(value, (list, np.ndarray)):
        return tuple(given.counts(np.asarray(value).tolist()))
    if vector and not members & {str, int, float, Any} and not isinstance(value, Mapping):
        value = given.listed(value) if np.ndim(value) == 0 else value
    if isinstance(value, np.ndarray) and value.ndim == 1 and origins & {Sequence, Iterable}:
        return given.counts(value.tolist()) if int in within else value.tolist()
    return given.counts(value) if isinstance(value, Mapping) else value


def _members(hint: Any) -> set[Any]:
    """The types that a union joins, or the one type."""
    return set(get_args(hint)) if get_origin(hint) in (Union, UnionType) else {hint}


def _origins(members: set[Any]) -> set[Any]:
    return {get_origin(one) or one for one in members}

"""The tasks that R asks for by name, how they are answered, and the end."""

import atexit
import platform
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import ArrayLike

import pyfsagg
from pyfsagg._base.settings import Settings, Task
from pyfsagg._run.execution import Checks, Execution, end_workers
from pyfsagg.aggregation._base import AGGREGATORS, AggregatedValues, AggregatorSpec
from pyfsagg.aggregation.about_lists import advise
from pyfsagg.committees import Committee, LearnerSelection
from pyfsagg.committees.learners import DRAWN
from pyfsagg.ensemble import expected_replication
from pyfsagg.ensemble.methods import method_for
from pyfsagg.ensemble.run import flat_names, gather_settings
from pyfsagg.ensemble.trust import control as control_of
from pyfsagg.exceptions import DataError, PyfsaggError, PyfsaggWarning, UnknownNameError
from pyfsagg.filters import information_selection
from pyfsagg.filters._base import FILTERS
from pyfsagg.filters.information import PREPARE
from pyfsagg.for_r import _given as given
from pyfsagg.for_r import calls
from pyfsagg.for_r._answers import answered, frame_of, returned
from pyfsagg.for_r._interrupts import interruptible
from pyfsagg.out_of_core import rank_out_of_core
from pyfsagg.ranks import Rankings
from pyfsagg.resampling.plan import PLANS

_R_METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "RRA": ("robust_rank_aggregation", {}),
    "mean": ("mean_p_value", {}),
    "median": ("median_rank", {"normalized": True}),
    "min": ("minimum_rank", {"normalized": True}),
    "geom.mean": ("geometric_mean_rank", {"normalized": True}),
    "stuart": ("stuart", {}),
}
"""Methods of R's aggregateRanks as aggregators with options."""

GROUPS: dict[str, dict[str, type[Settings]]] = {
    "evaluate": {"protocol": pyfsagg.evaluation.Protocol},
    "committee": {"selection": LearnerSelection},
}
"""Arguments that are objects of settings, which R has field by field."""


def _settings(
    run: Callable[..., Any], options: Mapping[str, Any], **groups: type[Settings]
) -> dict[str, Any]:
    """R's flat arguments as those of a run: by Python's names and types."""
    known = [given.IN_R.get(name, name) for name in flat_names(run, **groups)]
    for name in options:
        if name not in known:
            raise calls.unknown_argument(name, known)
    types = {**_OF_PLAN, **get_type_hints(run)}
    for group in (Task, Checks, Execution, *groups.values()):
        types |= get_type_hints(group, localns=_LATE)
    python = {name: key for key, name in given.IN_R.items()}
    settings = {python.get(name, name): value for name, value in options.items()}
    set_in_r = {name: value for name, value in settings.items() if value is not None}
    typed = {name: _argument(name, value, types[name]) for name, value in set_in_r.items()}
    return gather_settings(typed, **groups)


_OF_PLAN: dict[str, Any] = {
    "groups": Sequence[str],
    "precision": Mapping[str, Any],
    "resampling_params": Mapping[str, Any],
    "row_indices": ArrayLike,
    "sample_weight": Sequence[int],
    "counts": Sequence[int],
}
"""Settings that become parts of an argument."""

_LATE = {"ArrayLike": ArrayLike}
"""What settings import for types only, so the help of the terminal loads no NumPy."""


def _argument(name: str, value: Any, hint: Any) -> Any:
    if name == "row_indices":
        return np.asarray(value, dtype=np.intp) - 1
    if name == "groups":
        return [str(label) for label in given.listed(value)]
    if name == "progress":
        return given.progress_of(value)
    if name == "rankings":
        return {method: np.asarray(given.listed(ranking)) for method, ranking in value.items()}
    if name == "filter" and not isinstance(value, list):
        return given.filter_of(value)
    if name in ("filter", "filters", "methods") and value != "auto":
        return [given.filter_of(method) for method in given.listed(value)]
    return calls.as_typed(value, hint)


def _run(of: str, save: str | None = None, report: str | None = None, **arguments: Any) -> Any:
    """The result of a function of :data:`RUNS`, after it and its page are written."""
    result = RUNS[of](**arguments)
    calls.keep(result, save, report)
    return answered(result)


def _load(path: str, report: str | None = None) -> Any:
    result = pyfsagg.load_result(path)
    calls.keep(result, None, report)
    return answered(result)


def _plain_run(name: str) -> Callable[..., Any]:
    """A function of a table and a target all of whose other arguments are settings."""

    def run(table: Any, target: Any, **options: Any) -> Any:
        function = getattr(pyfsagg, name)
        settings = _settings(function, options, **GROUPS.get(name, {}))
        return function(given.table_of(table), given.target_of(target), **settings)

    return run


def _error_control(object: Any, **options: Any) -> dict[str, Any]:
    """Limits on false selections of an ensemble."""
    settings = {name: given.counts(value) for name, value in options.items() if value is not None}
    control = control_of(calls.decoded(object), **settings)
    numbers = ("level", "q", "threshold", "bound")  # the last three are those of pairs of halves
    return {
        "table": frame_of(control.to_frame(), "feature"),
        "sentences": list(control.sentences),
        "selected": control.selected,
        **{name: getattr(control, name, None) for name in numbers},
    }


def _permute_target(table: Any, target: Any, shuffles: Any = "auto", **options: Any) -> Any:
    """P-values of features from shuffled targets."""
    settings = _settings(method_for(options), options)
    X, y = given.table_of(table), given.target_of(target)
    return pyfsagg.ensemble.permute_target(X, y, shuffles=given.counts(shuffles), **settings)


def _expected_replication(
    table: Any,
    target: Any,
    n_features_to_select: float,
    pairs: int,
    agreement: float | None = None,
    **options: Any,
) -> Any:
    """The agreement of selections by the number of rows, and the rows for a wished one."""
    settings = _settings(method_for(options), options)
    settings.pop("checks", None)
    found = expected_replication(
        given.table_of(table),
        given.target_of(target),
        n_features_to_select=calls.as_typed(n_features_to_select, float | int),
        n_pairs=pairs,
        **settings,
    )
    rows = None if agreement is None else found.n_rows(agreement)
    return {"table": found.to_frame(), "sentences": list(found.sentences), "n_rows": rows}


def _aggregate(
    method: str,
    ranks: Any,
    normalized: bool = False,
    universe: Any = None,
    full: bool = False,
    exact: bool = False,
    top_cutoff: Any = None,
    ties: str = "last",
    weights: Any = None,
) -> dict[str, Any]:
    """``aggregateRanks``, exact for any number of lists, or another aggregator; `ranks` (n_lists,
    n_items), NaN = absent, or a table. Items are positions from 0."""
    spec, options = _aggregator(method)
    if spec.name in ("robust_rank_aggregation", "mean_p_value"):
        options["ties"] = ties
    if spec.name == "robust_rank_aggregation":
        options["exact"] = exact
        if top_cutoff is not None:
            options["top_cutoff"] = [float(cutoff) for cutoff in given.listed(top_cutoff)]
    matrix = None if isinstance(ranks, Mapping) else np.asarray(ranks)
    if isinstance(ranks, Mapping):
        table = given.rank_table_of(ranks)
    elif normalized:
        table = Rankings.from_normalized_ranks(matrix)
    else:
        absent: Any = "unknown" if full else "worst"
        table = Rankings.from_ranks(matrix, universe=given.universe_of(universe), absent=absent)
    if weights is not None:
        table = table.weighted([float(weight) for weight in given.listed(weights)])
    values = spec.apply(table, **options)
    order, score = _in_order(values, method)
    return {"order": order, "score": score, "names": list(table.items) if matrix is None else None}


def _aggregator(method: str) -> tuple[AggregatorSpec, dict[str, Any]]:
    """An aggregator by R's name or its own, with the options that R's name implies."""
    name, options = _R_METHODS.get(method, (method, {}))
    return AGGREGATORS.get(name), dict(options)


def _in_order(values: AggregatedValues, method: str) -> tuple[Any, Any]:
    """Positions of the items, best first, and what R's aggregateRanks shows of each."""
    shown = values.statistic if values.p_values is None else values.p_values
    if method not in _R_METHODS:
        shown = values.scores
    order = np.argsort(-values.scores, kind="stable")
    return order, np.asarray(shown)[order]


def _aggregate_groups(
    scores: Any,
    groups: Any,
    higher_is_better: bool = True,
    method: str = "RRA",
    exact: bool = False,
) -> dict[str, Any]:
    """Groups of members as items; positions of the groups in the order of their first members."""
    spec, options = _aggregator(method)
    if spec.name == "robust_rank_aggregation":
        options["exact"] = exact
    table = Rankings.from_groups(given.listed(scores), given.listed(groups), higher_is_better)
    values = spec.apply(table, **options)
    order, score = _in_order(values, method)
    return {"names": [table.items[position] for position in order.tolist()], "score": score}


def _advice(ranks: Any, method: str = "RRA", universe: Any = None) -> str | None:
    """Which aggregator is measured to find more in lists that look like these; `ranks` as above."""
    table = Rankings.from_ranks(np.asarray(ranks), universe=given.universe_of(universe))
    return advise(table, _R_METHODS.get(method, (method, {}))[0])


def _committee(
    table: Mapping[str, Any],
    target: Mapping[str, Any],
    learners: Any = None,
    selection: Any = None,
    voter_weights: Any = None,
    **options: Any,
) -> Committee:
    """The vote of learners; `selection` has settings by learner, for those that differ from the others."""
    task = options.get("task") or "classification"
    if options.get("row_indices") is None and PLANS.get(options["resampling"]).name == DRAWN.name:
        params = dict(options.get("resampling_params") or {})
        options["resampling_params"] = {"fraction": DRAWN.fraction, **params}
    settings = _settings(pyfsagg.committee, options, **GROUPS["committee"])
    models = {} if task == "survival" else given.learners_of(learners, task)
    if selection is not None:
        default = settings.get("selection", LearnerSelection())
        settings["selection"] = dict.fromkeys(models, default)
        for learner, changes in selection.items():
            for name in changes:
                if name not in default.names():
                    raise UnknownNameError("setting of a selection", name, default.names())
            settings["selection"][learner] = replace(default, **given.counts(dict(changes)))
    if not isinstance(voter_weights, str | None):
        voter_weights = given.listed(voter_weights)
    X, y = given.table_of(table), given.target_of(target)
    return pyfsagg.committee(X, y, models, voter_weights=voter_weights, **settings)


def _evaluate_many(datasets: Mapping[str, Any], **options: Any) -> Any:
    """The same methods on several data sets, each a table and a target."""
    pairs = {
        str(name): (given.table_of(one["table"]), given.target_of(one["target"]))
        for name, one in datasets.items()
    }
    settings = _settings(pyfsagg.evaluate, options, **GROUPS["evaluate"])
    return pyfsagg.evaluation.evaluate_many(pairs, **settings)


def _out_of_core(source: Any, target: str, **options: Any) -> Any:
    """The ranking of a table in files."""
    settings = _settings(rank_out_of_core, options)
    return rank_out_of_core(source, target, **settings)


RUNS: dict[str, Callable[..., Any]] = {
    **{name: _plain_run(name) for name in ("wam", "bam", "influence", "evaluate")},
    "committee": _committee,
    "evaluate_many": _evaluate_many,
    "expected_replication": _expected_replication,
    "permute_target": _permute_target,
    "rank_out_of_core": _out_of_core,
}
"""Functions that compute for a while, with settings by R's names."""


def _cross_check(
    package: Any = None,
    data: str | None = None,
    target: str | None = None,
    exclude: Any = None,
    n_resamples: int = 10,
    seed: int = 0,
    output: str | None = None,
) -> Any:
    """The comparison with R packages, in a separate process, because R cannot run inside R."""
    with tempfile.TemporaryDirectory() as name:
        folder = str(Path(name) / "found") if output is None else output
        flags = {"--package": ",".join(given.listed(package)), "--data": data, "--target": target}
        flags["--exclude"] = ",".join(given.listed(exclude))
        command = [sys.executable, "-m", "pyfsagg", "cross-check", "--quiet", "--output", folder]
        command += ["--n-resamples", str(n_resamples), "--seed", str(seed)]
        command += [word for flag, value in flags.items() if value for word in (flag, value)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1) or not Path(folder).is_dir():
            lines = done.stderr.strip().splitlines() or ["the comparison failed"]
            raise DataError(lines[-1].removeprefix("pyfsagg cross-check: ").removeprefix("error: "))
        return returned(pyfsagg.load_result(folder))


def _check_table(
    table: Mapping[str, Any], target: Mapping[str, Any] | None = None, task: str = "classification"
) -> dict[str, Any]:
    """The findings of a table, with remedies in R's words."""
    X, y = given.table_of(table), given.target_of(target)
    check = pyfsagg.datasets.check_table(X, y, task=task).spelled(given.InR())
    return {"facts": check.facts, "findings": frame_of(check.to_frame())}


def _score_features(
    table: Mapping[str, Any],
    target: Mapping[str, Any] | None,
    filter: str,
    task: str | None = None,
    weights: Any = None,
    nominal: Any = None,
    options: Any = None,
) -> dict[str, Any]:
    """Scores of one filter on a table as it is; of mRMR and its relatives the order of selection as well."""
    name = FILTERS.get(filter).name
    X, y = given.table_of(table), given.target_of(target)
    nominal = None if nominal is None else given.listed(nominal)
    params = {key: given.counts(calls.decoded(value)) for key, value in dict(options or {}).items()}
    greedy = name in PREPARE and task in (None, "classification")
    run = information_selection if greedy else getattr(pyfsagg.filters, name)
    settings = {"sample_weight": weights, "nominal": nominal, "task": None if greedy else task}
    params |= {key: value for key, value in settings.items() if value is not None}
    parameters = signature(run).parameters.values()
    known = [one.name for one in parameters if one.name not in ("X", "y", "criterion")]
    if not any(one.kind is one.VAR_KEYWORD for one in parameters):
        for key in params:
            if key not in known:
                raise UnknownNameError("argument", given.IN_R.get(key, key), known)
    if not greedy:
        return {"scores": run(X, y, **params)}
    scores = run(X, y, criterion=name, **params)
    return {"scores": scores.scores, "order": [scores.feature_names[at] for at in scores.order]}


TASKS: dict[str, Callable[..., Any]] = {
    "advice": _advice,
    "aggregate": _aggregate,
    "aggregate_groups": _aggregate_groups,
    "call": calls.call,
    "check_table": _check_table,
    "cross_check": _cross_check,
    "error_control": _error_control,
    "load": _load,
    "method": calls.call_method,
    "call_package": calls.call_package,
    "run": _run,
    "score_features": _score_features,
    "write": calls.write,
}


def answer(task: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Do a task of :data:`pyfsagg.for_r.tasks.TASKS`, between :func:`enter` and :func:`leave`."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        reply = interruptible(lambda: _done(task, arguments)) or {}
    door = _spelling(task, arguments)
    messages = [item.message for item in caught if issubclass(item.category, UserWarning)]
    texts = [m.render(door) if isinstance(m, PyfsaggWarning) else str(m) for m in messages]
    reply["warnings"] = list(dict.fromkeys(texts))
    return reply


def _done(task: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {"value": TASKS[task](**given.with_nan(arguments))}
    except PyfsaggError as error:
        message = error.render(_spelling(task, arguments))
        return {"error": {"class": type(error).__name__, "message": message}}
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        where = traceback.format_exc()
        return {"error": {"class": "internal", "message": message, "traceback": where}}


def _spelling(task: str, arguments: Mapping[str, Any]) -> given.InR:
    """The names that the function has in R."""
    called = calls.CALLS.get(arguments["of"]) if task == "call" else None
    return given.InR(called.names if called else {"top_cutoff": "topCutoff"})


def about() -> dict[str, str]:
    """What R has started: versions, as words, so R can read them with any version of NumPy."""
    return {
        "pyfsagg": pyfsagg.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "executable": sys.executable,
    }


def close() -> None:
    """End the worker processes, and do what Python does at its end, which R never lets it reach."""
    end_workers()
    atexit._run_exitfuncs()

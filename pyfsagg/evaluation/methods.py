"""What is compared: ways to rank features, rankings that are given, and baselines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.checks import check_choice, check_list
from pyfsagg._table.groups import FeatureGroups
from pyfsagg._table.table import Table
from pyfsagg._table.target import Target
from pyfsagg.aggregation import AGGREGATORS
from pyfsagg.ensemble import EnsembleResult
from pyfsagg.ensemble.bam import DEFAULT_FILTERS, NORMALIZATIONS, combine_filters
from pyfsagg.ensemble.forecast import Work
from pyfsagg.ensemble.run import set_up_run
from pyfsagg.ensemble.scoring import (
    as_lists,
    bind_filters,
    filter_label,
    function_of,
    read_filter_params,
    score_resamples,
)
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, PyfsaggError
from pyfsagg.filters import FILTERS
from pyfsagg.ranks import rank_scores
from pyfsagg.resampling import Bootstrap, Plan, read_plan

__all__ = [
    "EnsembleMethod",
    "FunctionMethod",
    "Method",
    "SingleFilter",
    "rank_methods",
    "read_methods",
    "repeat_of",
    "single_filters",
]

Order = NDArray[np.intp]
_OPTIONS = (
    "filter",
    "filters",
    "filter_params",
    "aggregator",
    "aggregator_params",
    "normalize",
    "resampling",
)


@dataclass(frozen=True, eq=False)
class EnsembleMethod:
    """Within-aggregation (one filter) or between-aggregation (several).

    `n_resamples` is that of the evaluation unless a saved run brings its own.
    """

    filters: tuple[Any, ...]
    filter_params: Mapping[str, Mapping[str, Any]]
    aggregator: str
    aggregator_params: Mapping[str, Any] = field(default_factory=dict)
    normalize: str = "per_resample"
    n_resamples: int | None = None
    plan: Plan = field(default_factory=Bootstrap)

    @property
    def labels(self) -> list[str]:
        return [filter_label(item) for item in self.filters]

    def functions(self) -> list[Any]:
        """What computes, behind the names."""
        compute = AGGREGATORS.get(self.aggregator).compute
        return [*(function_of(item) for item in self.filters), compute]

    def scores(
        self, matrices: Mapping[str, NDArray[np.float64]], names: tuple[str, ...]
    ) -> NDArray[np.float64]:
        """Aggregated scores from the score matrices of all filters."""
        compute = AGGREGATORS.get(self.aggregator).bind(**self.aggregator_params)
        own = {label: matrices[label] for label in self.labels}
        combined = (
            next(iter(own.values()))
            if len(own) == 1
            else combine_filters(own, names, self.normalize, compute)
        )
        return compute(as_lists(combined, names)).scores

    def record(self) -> dict[str, Any]:
        options = {
            "filter_params": {label: dict(p) for label, p in self.filter_params.items()},
            "aggregator_params": dict(self.aggregator_params),
            "normalize": self.normalize if len(self.filters) > 1 else None,
            "resampling": None if isinstance(self.plan, Bootstrap) else self.plan.name,
            "resampling_params": self.plan.parameters(),
        }
        return {
            "method": "wam" if len(self.filters) == 1 else "bam",
            "filters": self.labels,
            "aggregator": self.aggregator,
            **{name: value for name, value in options.items() if value},
        }


@dataclass(frozen=True, eq=False)
class FunctionMethod:
    """A function ``(X, y) -> scores``, asked once for each ranking part."""

    function: Callable[..., Any]

    def functions(self) -> list[Any]:
        return [self.function]

    def record(self) -> dict[str, Any]:
        return {"method": "function", "name": filter_label(self.function)}


@dataclass(frozen=True, eq=False)
class SingleFilter:
    """A filter without resampling, or an estimator with importances."""

    item: Any
    params: Mapping[str, Any]

    def functions(self) -> list[Any]:
        return [function_of(self.item)]

    def record(self) -> dict[str, Any]:
        return {"method": "single filter", "filter": filter_label(self.item)}


Method = EnsembleMethod | FunctionMethod | SingleFilter


def read_methods(methods: Any) -> dict[str, Method]:
    """Names, or a mapping of label to how to rank, as {label: method}.

    Raises
    ------
    ParameterError, UnknownNameError, InputTypeError
        For an unknown filter, aggregator or option, a label that is there twice, or something that
        does not say how to rank.
    """
    if isinstance(methods, Mapping):
        pairs = [(str(label), item) for label, item in methods.items()]
    else:
        items = [methods] if isinstance(methods, str) else check_list("methods", methods)
        pairs = [(_label(item), item) for item in items]
    found: dict[str, Method] = {}
    for label, item in pairs:
        if label in found:
            raise ParameterError(
                f"the method {label!r} is given twice; give each a different label"
            )
        found[label] = _read_method(label, item)
    return found


def _label(item: Any) -> str:
    if not isinstance(item, str):
        return filter_label(item)
    base, slash, aggregator = item.partition("/")
    name = "bam" if base.strip().lower() == "bam" else FILTERS.get(base).name
    return f"{name}/{AGGREGATORS.get(aggregator).name}" if slash else name


def _read_method(label: str, item: Any) -> Method:
    if isinstance(item, str):
        base, _, aggregator = item.partition("/")
        chosen = {"filters": DEFAULT_FILTERS} if base.strip().lower() == "bam" else {"filter": base}
        return _read_options(label, {**chosen, "aggregator": aggregator or "arithmetic_mean"})
    if isinstance(item, Mapping):
        return _read_options(label, item)
    if isinstance(item, EnsembleResult):
        return repeat_of(label, item)
    if hasattr(item, "fit") and hasattr(item, "get_params"):
        return SingleFilter(item, {})
    if callable(item):
        return FunctionMethod(item)
    raise InputTypeError(
        f"the method {label!r} must be the name of a filter, 'bam', 'filter/aggregator', a mapping "
        f"with the options of wam or bam, or a function (X, y) -> scores; got {item!r}"
    )


def _read_options(label: str, options: Mapping[str, Any]) -> EnsembleMethod:
    for name in options:
        if name not in _OPTIONS:
            raise ParameterError(
                f"the method {label!r} has the option {name!r}; allowed are {', '.join(_OPTIONS)}. "
                "Resamples are the same for all methods: n_resamples of evaluate"
            )
    if ("filter" in options) == ("filters" in options):
        raise ParameterError(
            f"the method {label!r} needs either filter (wam) or filters (bam), got "
            f"{dict(options)!r}"
        )
    filters = tuple(options["filters"]) if "filters" in options else (options["filter"],)
    if isinstance(options.get("filters"), str) or ("filters" in options and len(filters) < 2):
        raise ParameterError(f"filters of the method {label!r} must be at least two filters")
    labels = [filter_label(each) for each in filters]
    if len(set(labels)) < len(labels):
        raise ParameterError(f"the method {label!r} names a filter twice: {', '.join(labels)}")
    params = read_filter_params(filters, options.get("filter_params"))
    aggregator = AGGREGATORS.get(options.get("aggregator", "arithmetic_mean"))
    aggregator_params = dict(options.get("aggregator_params") or {})
    aggregator.bind(**aggregator_params)
    return EnsembleMethod(
        filters,
        params,
        aggregator.name,
        aggregator_params,
        check_choice("normalize", options.get("normalize", "per_resample"), NORMALIZATIONS),
        plan=read_plan(options.get("resampling", "bootstrap")),
    )


def repeat_of(label: str, result: EnsembleResult) -> EnsembleMethod:
    """The settings of a saved run, to be repeated on other rows.

    Raises
    ------
    ParameterError
        If the run used something that is not in its record: own functions, rows, groups, weights.
    """
    parameters = result.parameters
    own = [name for name in result.score_matrices if name not in FILTERS]
    plan = parameters["resampling"]
    if (
        own
        or parameters["weighted"]
        or parameters.get("grouped")
        or plan in ("row_indices", "grouped_bootstrap", "k_fold")
    ):
        what = f"the filter {own[0]!r}" if own else f"resampling {plan!r}"
        what = "groups of rows" if parameters.get("grouped") else what
        what = "sample weights" if parameters["weighted"] else what
        raise ParameterError(
            f"the run {label!r} cannot be repeated inside folds, because it used {what}, which its "
            "record does not hold; use protocol='thesis', or give methods"
        )
    return EnsembleMethod(
        tuple(result.score_matrices),
        parameters["filter_params"],
        parameters["aggregator"],
        parameters["aggregator_params"],
        parameters.get("normalize", "per_resample"),
        result.n_resamples,
        read_plan(parameters["resampling"], parameters["resampling_params"]),
    )


# ---------------------------------------------------------------------------------------------
# ranking
# ---------------------------------------------------------------------------------------------
def rank_methods(
    methods: Mapping[str, Method],
    table: Table,
    target: Target,
    rows: Order,
    *,
    n_resamples: int,
    seed: int,
    n_jobs: int | None,
    largest: int | None = None,
    rounds: int = 1,
    groups: FeatureGroups | None = None,
) -> dict[str, Order]:
    """Feature positions by method, best first; equal scores in column order; of groups their positions.

    `rows` are the positions of the rows of `table` in the table of the evaluation, `largest` is the
    largest number of features that will be asked for by a number, `rounds` is how often as much will be
    done (see :func:`pyfsagg.ensemble.scoring.score_resamples`).

    All ensembles see the same resamples, and a filter is computed once for all of them.

    Raises
    ------
    DataError
        If a function fails or gives scores that cannot be ranked, naming the method.
    """
    ensembles = {k: each for k, each in methods.items() if isinstance(each, EnsembleMethod)}
    scores = _ensemble_scores(
        ensembles, table, target, rows, n_resamples, seed, n_jobs, largest, rounds, groups
    )
    for label, method in methods.items():
        if not isinstance(method, EnsembleMethod):
            scores[label] = _single_scores(label, method, table, target, seed, groups)
    return {label: np.argsort(rank_scores(scores[label]), kind="stable") for label in methods}


def _ensemble_scores(
    ensembles: Mapping[str, EnsembleMethod],
    table: Table,
    target: Target,
    rows: Order,
    n_resamples: int,
    seed: int,
    n_jobs: int | None,
    largest: int | None,
    rounds: int,
    groups: FeatureGroups | None,
) -> dict[str, NDArray[np.float64]]:
    scores = {}
    for batch in _batches(ensembles):
        first = next(iter(batch.values()))
        filters = {label: item for each in batch.values() for label, item in _items(each)}
        params = {label: p for each in batch.values() for label, p in each.filter_params.items()}
        run = set_up_run(
            table,
            target,
            filters=list(filters.values()),
            filter_params=params,
            n_resamples=first.n_resamples or n_resamples,
            resampling=first.plan.take(rows),
            random_state=seed,
            largest=largest,
            groups=groups,
        )
        work = Work.of(rounds * len(run.resamples)) if rounds else None
        matrices = score_resamples(run.filters, run.resamples, n_jobs=n_jobs, work=work)
        for label, method in batch.items():
            scores[label] = method.scores(matrices, run.names)
    return scores


def _items(method: EnsembleMethod) -> list[tuple[str, Any]]:
    return list(zip(method.labels, method.filters, strict=True))


def _batches(ensembles: Mapping[str, EnsembleMethod]) -> list[dict[str, EnsembleMethod]]:
    """Ensembles that can share one pass: same plan, and one meaning of each filter's name."""
    batches: list[tuple[Any, dict[str, Any], dict[str, EnsembleMethod]]] = []
    for name, method in ensembles.items():
        plan = (
            method.n_resamples,
            method.plan.name,
            method.plan.parameters(),
            _arrays(method.plan),
        )
        meaning = {
            label: (item, dict(method.filter_params.get(label, {})))
            for label, item in _items(method)
        }
        for other_plan, known, batch in batches:
            if plan == other_plan and all(
                label not in known or _same(known[label], meaning[label]) for label in meaning
            ):
                known.update(meaning)
                batch[name] = method
                break
        else:
            batches.append((plan, meaning, {name: method}))
    return [batch for _, _, batch in batches]


def _arrays(plan: Plan) -> list[int]:
    """Which arrays a plan holds: methods share resamples if they were given the same ones."""
    return [id(getattr(plan, name)) for name in plan.names() if name not in plan.parameters()]


def _same(one: tuple[Any, Any], other: tuple[Any, Any]) -> bool:
    both_named = isinstance(one[0], str) and isinstance(other[0], str)
    return (both_named or one[0] is other[0]) and bool(one[1] == other[1])


def _single_scores(
    label: str,
    method: FunctionMethod | SingleFilter,
    table: Table,
    target: Target,
    seed: int,
    groups: FeatureGroups | None,
) -> NDArray[np.float64]:
    if isinstance(method, FunctionMethod):
        item, params = _as_filter(label, method.function), {}
    else:
        item, params = method.item, dict(method.params)
    bound, labels = bind_filters(
        [item], {filter_label(item): params} if params else {}, table, target, seed, groups
    )
    weights = np.ones((1, table.n_samples), dtype=np.uint16)
    try:
        found = bound[0].scores(weights, target.codes[np.newaxis, :])
    except PyfsaggError:
        raise
    except Exception as error:
        raise _failed(label, table.n_samples, error) from error
    scores: NDArray[np.float64] = found[labels[0]][0]
    return scores


def _failed(label: str, n_rows: int, error: Exception) -> DataError:
    return DataError(
        f"the method {label!r} failed on {n_rows} rows: {type(error).__name__}: {error}"
    )


def _as_filter(label: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of X and y as a filter; of a tuple, as score functions may return, the first."""

    def score(X: Any, y: Any, sample_weight: Any) -> Any:
        try:
            found = function(X, y)
        except PyfsaggError:
            raise
        except Exception as error:
            raise _failed(label, len(y), error) from error
        return found[0] if isinstance(found, tuple) else found

    score.__name__ = filter_label(function)  # the name that messages about its scores show
    return score


def single_filters(methods: Sequence[Method]) -> dict[str, SingleFilter]:
    """The filters of ensembles, each once and without resampling."""
    found: dict[str, SingleFilter] = {}
    for method in methods:
        if isinstance(method, EnsembleMethod):
            for label, item in _items(method):
                found.setdefault(
                    f"{label} (single)", SingleFilter(item, method.filter_params.get(label, {}))
                )
    return found

"""What is compared: ways to rank features, given rankings and baselines."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pyfsagg._base.arithmetic import Floats, Indices
from pyfsagg._base.validation import as_array, check_list
from pyfsagg._message import Got, Message, Name, Param, Remedy, Use
from pyfsagg._table.groups import FeatureGroups
from pyfsagg._table.identity import data_hash
from pyfsagg._table.table import Table
from pyfsagg._table.target import Target
from pyfsagg.aggregation._base import AGGREGATORS
from pyfsagg.ensemble import EnsembleResult, core, null, scoring
from pyfsagg.ensemble.run import set_up_run
from pyfsagg.ensemble.settings import Ensemble
from pyfsagg.evaluation.cells import Rows, take_rows
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, PyfsaggError
from pyfsagg.filters import _base, binding, model
from pyfsagg.filters.binding import filter_label
from pyfsagg.ranks import rank_scores

LEAKAGE = {
    "excluded": "was computed on rows that are not tested on",
    "declared": "was computed, by declaration (ranking_rows), on rows that are not tested on",
    "possible": "was computed on rows that are not known: leakage cannot be excluded, and the "
    "results may be too good. Say which rows they were (ranking_rows), or give methods instead",
    "certain": Message(
        "was computed on the whole table, the rows to test on among them, and its results would be too ",
        "good. ",
        Use(protocol="nested"),
        " ranks again with its settings inside each training fold; ",
        Use(protocol="leaky"),
        " shows the effect of the mistake",
    ),
}


@dataclass(frozen=True, eq=False)
class GivenRanking:
    """Feature positions, best first, and the rows used for the ranking, if known."""

    order: Indices
    leakage: str

    def remark(self, label: str) -> str:
        return Message(f"the ranking {label!r} ", LEAKAGE[self.leakage])

    def record(self) -> dict[str, Any]:
        return {"method": "given ranking", "leakage": self.leakage}


def read_rankings(
    rankings: Any,
    table: Table,
    target: Target,
    ranking_rows: Rows | None,
    features: tuple[str, ...] | None = None,
) -> dict[str, GivenRanking]:
    """Results, arrays of ranks and lists of names, as positions of the features (default: columns)."""
    if isinstance(rankings, EnsembleResult):
        rankings = {rankings.method: rankings}
    if not hasattr(rankings, "items"):
        must = " must be a mapping of label to ranking, for instance {'bam': result}, got "
        raise InputTypeError(Param("rankings"), must, type(rankings).__name__)
    whole = data_hash(table, target)
    part = None if ranking_rows is None else data_hash(*take_rows(table, target, ranking_rows))
    read = {}
    for key, item in rankings.items():
        label = str(key)
        if label in read:
            raise ParameterError(f"the ranking {label!r} is given twice")
        leakage = "possible" if part is None else "declared"
        if isinstance(item, EnsembleResult):
            known = {part: "excluded", whole: "certain"}
            leakage = known.get(item.data["sha256"], leakage)
        read[label] = GivenRanking(_order(label, item, features or table.feature_names), leakage)
    return read


def _order(label: str, item: Any, known: tuple[str, ...]) -> Indices:
    if isinstance(item, EnsembleResult):
        grouped = bool(item.groups)
        # Near-constant features that the run omitted come last.
        item = [*item.select(item.n_features), *item.data["dropped_features"]]
        if grouped and set(item) != set(known):
            groups = Use("Task", feature_groups=Name("result.groups"))
            raise DataError(
                f"the ranking {label!r} is one of groups of columns",
                Remedy("give the same groups here, by ", groups),
            )
    if hasattr(item, "tolist"):
        item = item.tolist()
    if isinstance(item, (str, bytes)) or not hasattr(item, "__len__"):
        raise InputTypeError(
            f"the ranking {label!r} must be an EnsembleResult, an array of ranks or a list of ",
            "feature names (best first)",
            Got(item),
        )
    if not (len(item) and all(isinstance(name, str) for name in item)):
        try:
            ranks = as_array("a ranking", item, np.float64)
        except (TypeError, ValueError):
            message = f"the ranking {label!r} contains neither names nor numbers only: {item!r}"
            raise DataError(message) from None
        if ranks.shape != (len(known),) or not np.isfinite(ranks).all():
            raise DataError(
                f"the ranking {label!r} must have one rank for each of the {len(known)} features, ",
                f"without missing or infinite ranks, 1 = most important; got the shape {ranks.shape}",
            )
        return np.argsort(rank_scores(-ranks), kind="stable")
    position = {name: j for j, name in enumerate(known)}
    order: dict[int, None] = {}
    for name in item:
        if name not in position:
            raise DataError(
                f"the ranking {label!r} names the feature {name!r}, which the table does not have"
            )
        if position[name] in order:
            raise DataError(f"the ranking {label!r} names the feature {name!r} twice")
        order[position[name]] = None
    absent = [name for name, j in position.items() if j not in order]
    if absent:
        raise DataError(
            f"the ranking {label!r} omits {len(absent)} of {len(known)} features, "
            f"{absent[0]!r} among them; rank all, or leave these columns out of the table"
        )
    return np.array([*order], dtype=np.intp)


Order = Indices


@dataclass(frozen=True, eq=False)
class SingleFilter:
    """A filter without resampling, an estimator with importances, or a function ``(X, y) -> scores``."""

    item: Any
    params: Mapping[str, Any] = field(default_factory=dict)
    is_function: bool = False

    def functions(self) -> list[Any]:
        return [self.item if self.is_function else binding.function_of(self.item)]

    def record(self) -> dict[str, Any]:
        if self.is_function:
            return {"method": "function", "name": filter_label(self.item)}
        return {"method": "single filter", "filter": filter_label(self.item)}


Method = Ensemble | SingleFilter


def read_methods(
    methods: Any, n_resamples: int, usual: Sequence[Any] = scoring.USUAL_FILTERS
) -> dict[str, Method]:
    """Names, or a mapping of label to how to rank, as {label: method}; "bam" combines the usual filters."""
    if isinstance(methods, Mapping):
        pairs = [(str(label), item) for label, item in methods.items()]
    else:
        items = [methods] if isinstance(methods, str) else check_list("methods", methods)
        pairs = [(_label(item), item) for item in items]
    read: dict[str, Method] = {}
    for label, item in pairs:
        if label in read:
            raise ParameterError(
                f"the method {label!r} is given twice; give each a different label"
            )
        read[label] = _read_method(label, item, n_resamples, usual)
    return read


def _label(item: Any) -> str:
    if not isinstance(item, str):
        return filter_label(item)
    base, slash, aggregator = item.partition("/")
    name = "bam" if base.strip().lower() == "bam" else _base.FILTERS.get(base).name
    return f"{name}/{AGGREGATORS.get(aggregator).name}" if slash else name


def _read_method(label: str, item: Any, n_resamples: int, usual: Sequence[Any]) -> Method:
    if isinstance(item, str):
        base, _, aggregator = item.partition("/")
        chosen = {"filters": usual} if base.strip().lower() == "bam" else {"filter": base}
        chosen |= {"aggregator": aggregator} if aggregator else {}
        return _read_options(label, chosen, n_resamples)
    if isinstance(item, Mapping):
        filters = item.get("filters")
        automatic = isinstance(filters, str) and filters == "auto"
        return _read_options(label, {**item, "filters": usual} if automatic else item, n_resamples)
    if isinstance(item, EnsembleResult):
        return repeat_of(label, item)
    if hasattr(item, "fit") and hasattr(item, "get_params"):
        return SingleFilter(item)
    if callable(item):
        return SingleFilter(item, is_function=True)
    raise InputTypeError(
        f"the method {label!r} must be the name of a filter, 'bam', 'filter/aggregator', a mapping ",
        "with the options of wam or bam, or a function (X, y) -> scores",
        Got(item),
    )


def _read_options(label: str, options: Mapping[str, Any], n_resamples: int) -> Ensemble:
    allowed = ["filter", *(name for name in Ensemble.names() if name != "n_resamples")]
    for name in options:
        if name not in allowed:
            raise ParameterError(
                f"the method {label!r} has the option {name!r}; allowed are {', '.join(allowed)}; ",
                Param("n_resamples"),
                " of evaluate is the same for all methods",
            )
    if ("filter" in options) == ("filters" in options):
        raise ParameterError(
            f"the method {label!r} needs either filter (wam) or filters (bam)", Got(dict(options))
        )
    ensemble = Ensemble.of_options(options, n_resamples=n_resamples)
    filters = ensemble.filters
    if isinstance(filters, str) or ("filters" in options and len(filters) < 2):
        raise ParameterError(f"filters of the method {label!r} must be at least two filters")
    ensemble.with_checked_normalize()
    if len(ensemble.items) < len(filters):
        named = ", ".join(map(filter_label, filters))
        raise ParameterError(f"the method {label!r} names a filter twice: {named}")
    ensemble.params, ensemble.plan  # noqa: B018 - read now, and not inside the first fold
    return ensemble


def repeat_of(label: str, result: EnsembleResult) -> Ensemble:
    """The settings of a saved run, to be repeated on other rows."""
    parameters, plan = result.parameters, result._ensemble.plan.name
    unknown = [name for name in result.score_matrices if name not in _base.FILTERS]
    bound_to_rows = ("row_indices", "grouped_bootstrap", "k_fold")
    if unknown or not result._rows_stand_alone or plan in bound_to_rows:
        what = f"the filter {unknown[0]!r}" if unknown else f"resampling {plan!r}"
        what = "groups of rows" if parameters.get("grouped") else what
        what = "sample weights" if parameters["weighted"] else what
        what = "counts of rows" if parameters.get("counted") else what
        reason = f"because it used {what}, which its record does not contain"
        remedy = Remedy("use ", Use(protocol="thesis"), ", or give methods")
        raise ParameterError(f"the run {label!r} cannot be repeated inside folds, {reason}", remedy)
    return result._ensemble


def rank_methods(
    methods: Mapping[str, Method],
    table: Table,
    target: Target,
    rows: Order,
    *,
    seed: int,
    n_jobs: int | None,
    largest: int | None = None,
    rounds: int = 1,
    groups: FeatureGroups | None = None,
) -> dict[str, Order]:
    """Positions of features or groups by method, best first, ties by column; ensembles share resamples
    of `rows` (positions in the table of the evaluation) and filters, and `rounds` scales the forecast."""
    scores: dict[str, Floats] = {}
    for batch in _batches(methods):
        members = batch.values()
        filters = {label: item for method in members for label, item in method.items.items()}
        params = {label: p for method in members for label, p in method.params.items()}
        first = next(iter(members))
        together = Ensemble(
            [*filters.values()],
            filter_params=params,
            n_resamples=first.n_resamples,
            resampling=first.plan._take(rows),
        )
        run = set_up_run(
            table,
            target,
            together,
            random_state=seed,
            largest=largest,
            groups=groups,
        )
        work = scoring.Work.of(rounds * len(run.resamples)) if rounds else None
        matrices = scoring.score_resamples(run.filters, run.resamples, n_jobs=n_jobs, work=work)
        scale = null.NoiseScale.of(run, len(run.resamples))
        for label, ensemble in batch.items():
            parts = {name: matrices[name] for name in ensemble.items}
            normalize = null.settle_normalization(ensemble.normalize, run, ensemble.filters)
            if normalize == core.AGAINST_NOISE:
                parts = {name: matrix.copy() for name, matrix in parts.items()}
                scale.read(parts, "resamples", run.store, n_jobs=n_jobs, progress=lambda *_: None)
            scores[label] = replace(ensemble.recipe, normalize=normalize).scores(parts, run.names)
    weights = np.ones((1, table.n_samples), dtype=np.uint16)
    for label, method in methods.items():
        if isinstance(method, Ensemble):
            continue
        item = method.item
        if method.is_function:
            item = _as_filter(label, model.with_columns(item, table.feature_names))
        own = {filter_label(item): dict(method.params)} if method.params else {}
        (bound,) = binding.bind_filters([item], own, table, target, seed, groups)
        try:
            (matrix,) = bound.scores(weights, target.codes[np.newaxis, :]).values()
        except PyfsaggError:
            raise
        except Exception as error:
            raise _failed(label, table.n_samples, error) from error
        scores[label] = matrix[0]
    return {label: np.argsort(rank_scores(scores[label]), kind="stable") for label in methods}


def _batches(methods: Mapping[str, Method]) -> list[dict[str, Ensemble]]:
    """Ensembles that can share one pass: same plan, and one meaning of each filter's name."""
    batches: list[tuple[Any, dict[str, Any], dict[str, Ensemble]]] = []
    for name, method in methods.items():
        if not isinstance(method, Ensemble):
            continue
        options = method.plan.parameters()
        # Arrays of a plan are no parameters: methods share resamples if they hold the same ones.
        others = [key for key in method.plan.names() if key not in options]
        arrays = [id(getattr(method.plan, key)) for key in others]
        plan = (method.n_resamples, method.plan.name, options, arrays)
        meaning = {
            label: (
                None if isinstance(item, str) else item,
                dict(method.params.get(label, {})),
            )
            for label, item in method.items.items()
        }
        for other_plan, known, batch in batches:
            both = [(known[label], meaning[label]) for label in meaning if label in known]
            if plan == other_plan and all(a[0] is b[0] and a[1] == b[1] for a, b in both):
                known.update(meaning)
                batch[name] = method
                break
        else:
            batches.append((plan, meaning, {name: method}))
    return [batch for _, _, batch in batches]


def _failed(label: str, n_rows: int, error: Exception) -> DataError:
    return DataError(
        f"the method {label!r} failed on {n_rows} rows: {type(error).__name__}: {error}"
    )


def _as_filter(label: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of X and y as a filter; of a tuple, as score functions may return, the first."""

    def score(X: Any, y: Any, sample_weight: Any) -> Any:
        try:
            scores = function(X, y)
        except PyfsaggError:
            raise
        except Exception as error:
            raise _failed(label, len(y), error) from error
        return scores[0] if isinstance(scores, tuple) else scores

    score.__name__ = filter_label(function)  # the name that messages about its scores show
    return score


def single_filters(methods: Sequence[Method]) -> dict[str, SingleFilter]:
    """The filters of ensembles, each once and without resampling."""
    singles: dict[str, SingleFilter] = {}
    for method in methods:
        if isinstance(method, Ensemble):
            for label, item in method.items.items():
                single = SingleFilter(item, method.params.get(label, {}))
                singles.setdefault(f"{label} (single)", single)
    return singles

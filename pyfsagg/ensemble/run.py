"""A run before its first resample is scored: everything that is settled then, as data."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any, Self, get_args, get_type_hints

import numpy as np

from pyfsagg._base.arithmetic import RandomState
from pyfsagg._base.settings import Settings, Task
from pyfsagg._base.validation import n_selected, resolve_seed
from pyfsagg._message import Param, Remedy, Use
from pyfsagg._run.checkpoint import kept_seed
from pyfsagg._run.execution import Checks, Execution
from pyfsagg._table.groups import FeatureGroups, read_feature_groups
from pyfsagg._table.identity import data_hash, versions
from pyfsagg._table.look import warn_of_names
from pyfsagg._table.table import AnyTable, ConvertedTable, Table, Weights, as_table
from pyfsagg._table.target import Target, read_target
from pyfsagg.ensemble import core, scoring
from pyfsagg.ensemble.settings import FIRST_LOOK, Ensemble, Precision
from pyfsagg.exceptions import ParameterError
from pyfsagg.filters import _base, binding, plain
from pyfsagg.resampling import ComplementaryPairs, Plan, Resamples, Rows, draw_resamples
from pyfsagg.resampling.plan import read_plan, with_data

_GROUPS: dict[str, type[Settings]] = {"task": Task, "checks": Checks, "execution": Execution}
_OF_PLAN = ("groups", "sample_weight", "counts")


def flat_names(run: Callable[..., Any], **groups: type[Settings]) -> list[str]:
    """What :func:`gather_settings` takes for a run: its arguments, and the fields of its groups."""
    arguments = list(signature(run).parameters)[2:]
    names = [name for name in arguments if name not in (*_GROUPS, *groups)]
    for argument, group in {**_GROUPS, **groups}.items():
        names += group.names() if argument in arguments else ()
    if "n_resamples" in arguments and "resampling" in arguments:
        names += ["row_indices", "resampling_params", *_OF_PLAN]
        if Precision in get_args(get_type_hints(run)["n_resamples"]):
            names.append("precision")
    return names


def gather_settings(flat: Mapping[str, Any], **groups: type[Settings]) -> dict[str, Any]:
    """Arguments of :func:`pyfsagg.wam` and its like, from names without groups."""
    arguments = {name: value for name, value in flat.items() if value is not None}
    for argument, group in {**_GROUPS, **groups}.items():
        names = [name for name in group.names() if name in arguments]
        settings = group(**{name: arguments.pop(name) for name in names})
        if settings.changed():
            arguments[argument] = settings
    precision = arguments.pop("precision", None)
    if precision is not None:
        if arguments.get("n_resamples") != "auto":
            raise ParameterError(Param("precision"), " belongs to ", Use(n_resamples="auto"))
        arguments["n_resamples"] = Precision.of(precision)
    rows = arguments.pop("row_indices", None)
    arrays = {name: arguments.pop(name) for name in _OF_PLAN if name in arguments}
    params = arguments.pop("resampling_params", None)
    if rows is not None:
        if params or arrays:
            raise ParameterError(
                Param("row_indices"),
                " say which rows are drawn; groups, ",
                Param("sample_weight"),
                ", ",
                Param("counts"),
                " and resampling_params cannot be given with them",
            )
        arguments["resampling"] = Rows(rows)
    elif params or arrays:
        plan = read_plan(arguments.get("resampling", "bootstrap"), params)
        arguments["resampling"] = with_data(plan, **arrays)
    return arguments


@dataclass(frozen=True, eq=False)
class Run:
    """Everything that is settled before the first resample is scored."""

    table: AnyTable
    target: Target
    seed: int
    ensemble: Ensemble  # with the filters that "auto" means here, and their parameters
    filters: list[_base.BoundFilter]  # those that one pass computes are one
    resamples: Resamples
    groups: FeatureGroups | None
    parameters: Mapping[str, Any]  # what is recorded of the settings
    data: Mapping[str, Any]  # what is recorded of the table
    identity: Mapping[str, Any]  # by which a checkpoint recognises the run
    checks: Checks
    execution: Execution
    store: core.MatrixStore

    @property
    def plan(self) -> Plan:
        """How rows are drawn."""
        return self.ensemble.plan

    def using(self, **settings: Any) -> Self:
        """The run with other filters, or another plan."""
        return replace(self, ensemble=replace(self.ensemble, **settings))

    @property
    def labels(self) -> list[str]:
        """The names of the filters, by which their scores are found."""
        return [*self.ensemble.items]

    @property
    def specs(self) -> dict[str, _base.FilterSpec]:
        """The specs of filters given by name; a function has none, even under the name of a filter."""
        named = (_base.FILTERS.get(item) for item in self.ensemble.filters if isinstance(item, str))
        return {spec.name: spec for spec in named}

    @property
    def names(self) -> tuple[str, ...]:
        """The features: columns, or groups of them."""
        return self.table.feature_names if self.groups is None else self.groups.names

    @property
    def row_weights(self) -> Weights:
        """How much each row counts: its weight, or the number of samples it stands for."""
        return self.plan._row_weights(self.table.n_samples)

    def draw(
        self, size: int, first: int = 0, target: Target | None = None, plan: Plan | None = None
    ) -> Resamples:
        """Resamples number `first` and on, of the target and the plan of the run unless others are given."""
        source = self.table, target or self.target, plan or self.plan
        return draw_resamples(*source, n_resamples=size, seed=self.seed, first=first)

    def whole_table(self, target: Target) -> Resamples:
        """The table with its own rows, each as often as it counts, as one resample."""
        weights, labels = self.row_weights[np.newaxis], target.codes[np.newaxis]
        own = replace(self.resamples.first(1), weights=weights, labels=labels)
        return replace(own, features=None, noise=0.0)

    def bind(self, target: Target) -> list[_base.BoundFilter]:
        """The filters with another target."""
        return binding.bind_filters(
            self.ensemble.filters, self.ensemble.params, self.table, target, self.seed, self.groups
        )

    @property
    def pairs(self) -> ComplementaryPairs:
        """Pairs of halves from the population of the plan: with its groups, and its weights or counts."""
        return ComplementaryPairs(**self.plan._of_rows())

    def n_pairs(self, m: int) -> int:
        """Number of pairs of halves in a run of m resamples; 0 if the plan draws pairs itself."""
        return 0 if isinstance(self.plan, ComplementaryPairs) else self.checks.n_pairs(m)


def set_up_run(
    X: Any,
    y: Any,
    ensemble: Ensemble,
    *,
    task: str | Task = "classification",
    random_state: RandomState = None,
    execution: Execution | None = None,
    checks: str | Checks = "none",
    largest: int | None = None,
    groups: FeatureGroups | None = None,
) -> Run:
    """Validate the input of a run and draw its resamples; `largest` is the most features to select."""
    execution = execution or Execution()
    task = Task.of_argument(task)
    checks = Checks.of_argument(checks)
    plan, number = ensemble.plan, ensemble.number
    store = core.MatrixStore(execution.scratch)
    read = as_table(X, nominal=task.nominal, sparse=True, min_features=1)
    table, target = read_target(task, read, y, optional=True)
    if not isinstance(X, ConvertedTable | Table):  # a converted table was checked when it was made
        warn_of_names(table, target.codes, getattr(plan, "groups", None) is not None)
    sha256 = data_hash(table, target)
    groups = groups or read_feature_groups(task, table)
    n_columns = table.n_features
    before = table.feature_names if groups is None else groups.names
    if task.drop_near_zero_variance:
        table, groups = plain.drop_features(table, groups)
    seed = resolve_seed(kept_seed(execution.checkpoint, random_state))
    filters = ensemble.filters
    if isinstance(filters, str):
        filters = scoring.usual_filters(table, target, groups)
    params = scoring.settle_parameters(
        filters, ensemble.filter_params, table.n_features, largest, groups
    )
    ensemble = replace(ensemble, filters=filters, filter_params=params, resampling=plan)
    bound = binding.bind_filters(filters, params, table, target, seed, groups)
    names = table.feature_names if groups is None else groups.names
    kept = set(names)
    precision = number if isinstance(number, Precision) else None
    if precision is not None and plan.only:
        raise ParameterError(
            Use(n_resamples="auto"),
            " draws more resamples as needed, which row_indices and k_fold do not allow",
            Remedy("give a number"),
        )
    if precision is not None:
        plan._check_multiple("maximum", precision.maximum)
        if execution.scratch is not None:
            raise ParameterError(
                Param("scratch"),
                " reserves files for a known number of resamples",
                Remedy("give ", Param("n_resamples"), " as a number"),
            )
        n_selected(precision.top, len(names))
    n_drawn = FIRST_LOOK if isinstance(number, Precision) else number
    resamples = draw_resamples(table, target, plan, n_resamples=n_drawn, seed=seed)
    if groups is not None and resamples.changes_table:
        raise ParameterError(
            Use(resampling=plan.name),
            " changes columns, and is not supported with ",
            Param("feature_groups"),
            Remedy("use a plan that draws rows, for instance 'bootstrap' or 'subsample'"),
        )
    parameters = {
        "filters": [*ensemble.items],
        "filter_params": params,
        "n_resamples": len(resamples),
        "resampling": resamples.plan,
        "resampling_params": dict(resamples.parameters),
        "weighted": plan.sample_weight is not None,
        "counted": plan.counts is not None,
        "grouped": getattr(plan, "groups", None) is not None,
        **task.record(),
        "seed": seed,
    }
    if groups is not None:
        parameters["group_scores"] = {
            binding.filter_label(item): groups.how(binding.counts_levels(item)) for item in filters
        }
    return Run(
        table=table,
        target=target,
        seed=seed,
        ensemble=ensemble,
        filters=bound,
        resamples=resamples,
        groups=groups,
        parameters=parameters,
        data={
            "sha256": sha256,
            "n_samples": table.n_samples,
            "n_features": len(names),
            **({} if groups is None else {**groups.record(), "n_columns": n_columns}),
            "target": target.name or None,
            "target_kind": target.kind,
            "class_counts": target.class_counts,
            **target.event_count,
            "adjusters": {} if target.adjusters is None else target.adjusters.record,
            **target.always_in,
            "dropped_features": [name for name in before if name not in kept],
        },
        identity={
            **parameters,
            "functions": [*map(binding.function_of, filters)],
            "precision": None if precision is None else precision.record(),
            "groups": None if groups is None else groups.record(),
            "weights": resamples.weights,
            "data": sha256,
            "versions": versions(),
        },
        checks=checks,
        execution=execution,
        store=store,
    )

"""What within- and between-aggregation share: the set-up of a run, and its record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.blocks import column_blocks
from pyfsagg._base.calls import Call
from pyfsagg._base.memory import require_memory
from pyfsagg._base.remarks import warn
from pyfsagg._base.seeds import resolve_seed
from pyfsagg._base.selection import n_selected
from pyfsagg._base.task import Task
from pyfsagg._run.beside import Checks
from pyfsagg._run.checkpoint import Checkpoint, kept_seed, open_checkpoint
from pyfsagg._run.execution import Execution, Progress, progress_reporter
from pyfsagg._table.groups import FeatureGroups, read_feature_groups
from pyfsagg._table.identity import data_hash, versions
from pyfsagg._table.reading import read_any_table, read_target
from pyfsagg._table.table import AnyTable, Table, Weights, full_weights
from pyfsagg._table.target import Target
from pyfsagg.aggregation import AGGREGATORS, AggregatedValues
from pyfsagg.ensemble._between import pairs_plan, record_of_pairs
from pyfsagg.ensemble.clusters import Copies, find_copies
from pyfsagg.ensemble.forecast import TENTH, Work, require_score_memory
from pyfsagg.ensemble.precision import FIRST_LOOK, Precision, read_number
from pyfsagg.ensemble.rank_sets import needs_own_scores
from pyfsagg.ensemble.result import EnsembleResult
from pyfsagg.ensemble.scoring import (
    as_lists,
    bind_filters,
    counts_levels,
    filter_label,
    function_of,
    read_filter_params,
    score_resamples,
    settle_parameters,
)
from pyfsagg.ensemble.shuffled import (
    ShuffledTargets,
    Shuffles,
    all_seen,
    own_columns,
    score_permuted,
    score_shuffled,
    why_not_shuffled,
)
from pyfsagg.ensemble.storage import MatrixStore
from pyfsagg.error_control import TargetPermutation
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.filters import variance
from pyfsagg.filters._base import BoundFilter
from pyfsagg.ranks import RankTable, rank_scores
from pyfsagg.resampling import ComplementaryPairs, Plan, Resamples, draw_resamples, read_plan

__all__ = ["Run", "run_ensemble", "set_up_run"]

Matrices = dict[str, NDArray[np.float64]]


class Steps:
    """Progress of a run, from its first resample to that of the last shuffled target."""

    def __init__(self, report: Progress | None) -> None:
        self._report = report
        self._done, self._total, self._told = 0, 0, -1

    def part(self, size: int, total: int) -> Progress:
        """The progress function of the next `size` resamples of `total`."""
        before, self._total = self._done, total
        self._done += size
        return lambda done, _: self._tell(before + done)

    def end(self) -> None:
        """All is done, also where a part could not be."""
        self._tell(self._total)

    def _tell(self, done: int) -> None:
        if self._report is not None and done > self._told:
            self._told = done
            self._report(done, self._total)


@dataclass(frozen=True, eq=False)
class Run:
    """Everything that is settled before the first resample is scored."""

    table: AnyTable
    target: Target
    resamples: Resamples
    filters: list[BoundFilter]
    labels: list[str]
    parameters: dict[str, Any]
    data: dict[str, Any]
    precision: Precision | None
    draw: Callable[[int, int], Resamples]
    draw_halves: Callable[[int], Resamples]
    n_pairs: Callable[[int], int]
    shuffles: Shuffles
    checks: Checks
    identity: dict[str, Any]
    store: MatrixStore
    execution: Execution
    row_weights: Weights
    groups: FeatureGroups | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The features: columns, or groups of them."""
        return self.table.feature_names if self.groups is None else self.groups.names

    def n_scored(self, m: int) -> int:
        """Resamples that are scored in all where the run has m: with halves and shuffled targets."""
        return m + 2 * self.n_pairs(m) + self.shuffles.in_all(m) + self.n_permuted(m)

    def permutation_size(self, m: int) -> int:
        """In how many resamples permuted targets are scored: a plan may have no more than the run."""
        return m if self.shuffles.plan.only else self.checks.permutation_resamples

    def n_permuted(self, m: int) -> int:
        """Resamples of all permuted targets, and those that the true one has only for them."""
        size = self.permutation_size(m)
        return self.checks.n_permuted and self.checks.n_permuted * size + max(0, size - m)

    def _work(self, first: int, m: int) -> Work:
        """What is left where m resamples are scored after the `first` ones."""
        total = self.n_scored(first + m) - first
        fewer = {TENTH: self.n_scored(max(1, m // 10))}
        shuffled = self.shuffles.in_all(first + m)
        if 2 * shuffled > total:
            fewer["checks=Checks(shuffles=0)"] = total - shuffled
        permuted = self.n_permuted(first + m)
        if 2 * permuted > total:
            fewer["checks=Checks(null='none')"] = total - permuted
        return Work(total, fewer)

    def collect(
        self,
        combine: Callable[[Matrices], NDArray[np.float64]],
        aggregate: Callable[[RankTable], AggregatedValues],
        n_jobs: int | None,
        steps: Steps,
        checkpoint: Checkpoint | None = None,
    ) -> tuple[Matrices, NDArray[np.float64]]:
        """Score matrices by filter, and the one into which `combine` puts them.

        With a precision, the number of resamples is doubled until it is reached; the resamples are
        the same as if their number had been known from the start.
        """
        matrices = self._score(self.resamples, 0, n_jobs, steps, checkpoint)
        combined = combine(matrices)
        if self.precision is None:
            return matrices, combined
        mean = self.parameters["aggregator"] == "arithmetic_mean"  # has a quicker way

        extreme = AGGREGATORS.get(self.parameters["aggregator"]).extreme
        by = "halves" if extreme else "bootstrap"

        def scores_of(rows: NDArray[np.float64]) -> NDArray[np.float64]:
            return aggregate(as_lists(rows, self.names)).scores

        while True:
            m = combined.shape[0]
            found = self.precision.look(combined, None if mean else scores_of, by)
            more = min(m, self.precision.maximum - m)
            if found["reached"] or more == 0:
                break
            fresh = self._score(self.draw(more, m), m, n_jobs, steps, checkpoint)
            matrices = {label: np.vstack([matrices[label], fresh[label]]) for label in matrices}
            combined = combine(matrices)
        self.parameters.update(n_resamples=m, precision=found)
        if not found["reached"]:
            warn(
                f"{m} resamples do not reach the precision asked for: a repetition is expected to "
                f"replace {found['expected_change']:.1%} of the best features, more than "
                f"{found['max_change']:.1%}; raise maximum or max_change",
                stacklevel=3,
            )
        return matrices, combined

    def own_scores(
        self, combine: Callable[[Matrices], NDArray[np.float64]]
    ) -> NDArray[np.float64] | None:
        """Combined scores (n_features,) of the table itself, where rank sets are centred on them."""
        if not needs_own_scores(self.parameters):
            return None
        itself = replace(self.resamples.first(1), weights=self.row_weights[np.newaxis])
        matrices = score_resamples(self.filters, itself)
        return np.asarray(combine({label: matrices[label] for label in self.labels})[0])

    def collect_halves(
        self,
        combine: Callable[[Matrices], NDArray[np.float64]],
        n_jobs: int | None,
        steps: Steps,
        checkpoint: Checkpoint | None = None,
    ) -> NDArray[np.float64] | None:
        """Combined scores of pairs of halves, (2 n_pairs, n_features), or None with the reason recorded.

        They are no part of the ranking: they tell how far two samples agree.
        """
        n_pairs = self.n_pairs(self.parameters["n_resamples"])
        if not n_pairs:
            return None
        progress = steps.part(2 * n_pairs, self.n_scored(self.parameters["n_resamples"]))
        try:
            drawn = self.draw_halves(2 * n_pairs)
            if not self.store.on_disk:
                require_score_memory(len(self.labels), (2 * n_pairs, len(self.names)))
            matrices = score_resamples(
                self.filters,
                drawn,
                n_jobs=n_jobs,
                progress=progress,
                checkpoint=checkpoint,
                store=self.store,
                what="halves",
            )
        except DataError as reason:
            self.parameters["pairs"] = {"reason": str(reason)}
            return None
        self.parameters["pairs"] = record_of_pairs(drawn)
        return combine({label: matrices[label] for label in self.labels})

    def collect_shuffled(
        self,
        matrices: Matrices,
        combine: Callable[[Matrices], NDArray[np.float64]],
        n_jobs: int | None,
        steps: Steps,
        checkpoint: Checkpoint | None = None,
    ) -> ShuffledTargets | None:
        """Scores with shuffled targets, or None with the reason recorded.

        They are no part of the ranking: they tell what noise reaches.
        """
        if not self.shuffles.number:
            return None
        m = self.parameters["n_resamples"]
        progress = steps.part(self.shuffles.in_all(m), self.n_scored(m))
        try:
            found = score_shuffled(
                matrices,
                self.filters,
                self.shuffles,
                combine if len(matrices) > 1 else None,
                n_jobs=n_jobs,
                progress=progress,
                checkpoint=checkpoint,
            )
        except DataError as reason:
            self.parameters["shuffles"] = {"reason": str(reason)}
            return None
        self.parameters["shuffles"] = {
            "n_shuffles": found.n_shuffles,
            "n_resamples": found.n_resamples,
        }
        return found

    def collect_permuted(
        self,
        method: str,
        matrices: Matrices,
        scores_of: Callable[[Matrices], NDArray[np.float64]],
        n_jobs: int | None,
        steps: Steps,
        checkpoint: Checkpoint | None = None,
    ) -> TargetPermutation | None:
        """P-values against permuted targets, if they were asked for."""
        number = self.checks.n_permuted
        if not number:
            return None
        m = self.parameters["n_resamples"]
        size, total = self.permutation_size(m), self.n_scored(m)
        if size > m:
            more = score_resamples(
                self.filters,
                self.draw(size - m, m),
                n_jobs=n_jobs,
                progress=steps.part(size - m, total),
                checkpoint=checkpoint,
                first=m,
                what="more resamples",
            )
            matrices = {label: np.vstack([matrices[label], more[label]]) for label in matrices}
        if not all_seen(matrices, size):
            raise DataError(
                f"the first {size} resamples did not see all features, so that permuted targets cannot be "
                "compared with the true one; raise permutation_resamples"
            )
        scores, p_values, family_wise = score_permuted(
            {label: matrix[:size] for label, matrix in matrices.items()},
            self.filters,
            self.shuffles,
            scores_of,
            number,
            n_jobs=n_jobs,
            progress=steps.part(number * size, total),
            checkpoint=checkpoint,
        )
        return TargetPermutation(
            feature_names=self.names,
            scores=scores,
            p_values=p_values,
            family_wise_p_values=family_wise,
            strong=own_columns(method, self.parameters),
            n_permutations=number,
            n_resamples=size,
        )

    def _score(
        self,
        resamples: Resamples,
        first: int,
        n_jobs: int | None,
        steps: Steps,
        checkpoint: Checkpoint | None,
    ) -> Matrices:
        matrices = score_resamples(
            self.filters,
            resamples,
            n_jobs=n_jobs,
            progress=steps.part(len(resamples), self.n_scored(first + len(resamples))),
            checkpoint=checkpoint,
            first=first,
            store=self.store,
            work=self._work(first, len(resamples)),
        )
        return {label: matrices[label] for label in self.labels}


def set_up_run(
    X: Any,
    y: Any,
    *,
    filters: Sequence[Any],
    filter_params: Mapping[str, Any] | None = None,
    n_resamples: int | str | Precision = 1000,
    resampling: str | Plan = "bootstrap",
    task: str | Task = "classification",
    random_state: Any = None,
    execution: Execution | None = None,
    checks: str | Checks = "none",
    largest: int | None = None,
    groups: FeatureGroups | None = None,
    **recorded: Any,
) -> Run:
    """Validate the input of a run and draw its resamples; `recorded` is added to its parameters.

    `largest` is the largest number of features that will be asked for, where it is known; `groups` are
    those of the table where they were read before.

    From the checkpoint of `execution` the seed is taken where `random_state` leaves it open.
    """
    execution = Execution.read("execution", execution)
    task = Task.of_argument(task)
    checks = Checks.of_argument(checks)
    plan = read_plan(resampling)
    number = read_number(n_resamples)
    store = MatrixStore(execution.scratch)
    table = read_any_table(task, X)
    target = read_target(task, y, table.n_samples, optional=True)
    if checks.n_permuted:
        _check_permutations(checks, target, plan)
    identity = data_hash(table, target)
    groups = read_feature_groups(task, table) if groups is None else groups
    n_columns = table.n_features
    dropped: tuple[str, ...] = ()
    if task.drop_near_zero_variance:
        table, groups, dropped = _drop_near_zero_variance(table, groups)
    seed = resolve_seed(kept_seed(execution.checkpoint, random_state))
    options = settle_parameters(
        filters, read_filter_params(filters, filter_params), table.n_features, largest, groups
    )
    bound, labels = bind_filters(filters, options, table, target, seed, groups)
    n_features = table.n_features if groups is None else len(groups)
    goal = number if isinstance(number, Precision) else None
    if goal is not None:
        _check_goal(goal, plan, n_features, execution)

    def draw(size: int, first: int = 0) -> Resamples:
        return draw_resamples(table, target, plan, n_resamples=size, seed=seed, first=first)

    def draw_halves(size: int) -> Resamples:
        return draw_resamples(table, target, pairs_plan(plan), n_resamples=size, seed=seed)

    def draw_of(other: Target, size: int) -> Resamples:
        drawn = number if plan.only and isinstance(number, int) else size  # folds come together
        return draw_resamples(table, other, plan, n_resamples=drawn, seed=seed).first(size)

    def bind(other: Target) -> list[BoundFilter]:
        return bind_filters(filters, options, table, other, seed, groups)[0]

    resamples = draw(FIRST_LOOK if isinstance(number, Precision) else number)
    if checks.n_permuted:
        _check_permuted_size(checks, plan, n_features)
    if groups is not None and resamples.changes_table:
        raise ParameterError(
            f"resampling={plan.name!r} changes columns, and is not supported with feature_groups; use a "
            "plan that draws rows, for instance 'bootstrap' or 'subsample'"
        )
    settled = {
        "filters": labels,
        "filter_params": options,
        "n_resamples": len(resamples),
        "resampling": resamples.plan,
        "resampling_params": dict(resamples.parameters),
        "weighted": plan.sample_weight is not None,
        "grouped": getattr(plan, "groups", None) is not None,
        **task.record(),
        "seed": seed,
        **recorded,
    }
    if groups is not None:
        settled["group_scores"] = {
            filter_label(item): groups.how(counts_levels(item)) for item in filters
        }
    data = {
        "sha256": identity,
        "n_samples": table.n_samples,
        "n_features": n_features,
        **({} if groups is None else {**groups.record(), "n_columns": n_columns}),
        "target": target.name or None,
        "target_kind": target.kind,
        "class_counts": target.class_counts,
        **target.event_count,
        "dropped_features": list(dropped),
    }
    identity_of_run = {
        **settled,
        "functions": [function_of(item) for item in filters],
        "precision": None if goal is None else goal.record(),
        "groups": None if groups is None else groups.record(),
        "weights": resamples.weights,
        "data": identity,
        "versions": versions(),
    }
    return Run(
        table,
        target,
        resamples,
        bound,
        labels,
        settled,
        data,
        goal,
        draw,
        draw_halves,
        (lambda m: 0) if isinstance(plan, ComplementaryPairs) else checks.n_pairs,
        Shuffles(
            checks.n_shuffles, why_not_shuffled(target, plan, labels), seed, plan, draw_of, bind
        ),
        checks,
        identity_of_run,
        store,
        execution,
        full_weights(table.n_samples, plan.sample_weight)[0],
        groups,
    )


def _check_permutations(checks: Checks, target: Target, plan: Plan) -> None:
    """Refuse p-values against permuted targets where rows cannot be shuffled one by one."""
    if target.kind == "none":
        raise DataError("there is no target to shuffle; give y")
    if plan.sample_weight is not None or getattr(plan, "groups", None) is not None:
        raise ParameterError(
            "rows of one group, or with weights, cannot be shuffled one by one, and p-values that take them "
            "for single rows would be far too small; use error_control with complementary pairs, which keep "
            "groups together"
        )


def _check_permuted_size(checks: Checks, plan: Plan, n_features: int) -> None:
    if not plan.only and checks.permutation_resamples % plan.together:
        raise ParameterError(
            f"resampling={plan.name!r} draws {plan.together} resamples together: permutation_resamples "
            f"must be a multiple of {plan.together}, got {checks.permutation_resamples}"
        )
    require_memory(
        3 * 8 * checks.n_permuted * n_features,
        f"the scores of {n_features:,} features with {checks.n_permuted:,} shuffled targets",
        "take fewer permutations or fewer features",
    )


def _check_goal(goal: Precision, plan: Plan, n_features: int, execution: Execution) -> None:
    """Refuse a number of resamples that is left open where it has to be known."""
    if plan.only:
        raise ParameterError(
            "n_resamples='auto' draws more resamples as needed, which row_indices and k_fold do not "
            "allow; give a number"
        )
    if goal.maximum % plan.together:
        raise ParameterError(
            f"resampling={plan.name!r} draws {plan.together} resamples together: maximum must be a "
            f"multiple of {plan.together}, got {goal.maximum}"
        )
    if execution.scratch is not None:
        raise ParameterError(
            "scratch reserves files for a known number of resamples; give n_resamples as a number"
        )
    n_selected(goal.top, n_features)


def _drop_near_zero_variance(
    table: AnyTable, groups: FeatureGroups | None
) -> tuple[AnyTable, FeatureGroups | None, tuple[str, ...]]:
    before = table.feature_names if groups is None else groups.names
    table, groups = variance.drop_features(table, groups)
    names = set(table.feature_names if groups is None else groups.names)
    return table, groups, tuple(name for name in before if name not in names)


def run_ensemble(
    method: str,
    run: Run,
    combine: Callable[[Matrices], NDArray[np.float64]],
    compute: Callable[[RankTable], AggregatedValues],
    n_jobs: int | None,
    call: Call,
) -> EnsembleResult:
    """Score the resamples, combine the filters, aggregate, and record how it was done."""
    with (
        open_checkpoint(run.execution.checkpoint, {"kind": method, **run.identity}) as kept,
        progress_reporter(run.execution.progress) as report,
    ):
        steps = Steps(report)
        matrices, combined = run.collect(combine, compute, n_jobs, steps, kept)
        own_scores = run.own_scores(combine)
        halves = run.collect_halves(combine, n_jobs, steps, kept)
        shuffled = run.collect_shuffled(matrices, combine, n_jobs, steps, kept)

        def scores_of(part: Matrices) -> NDArray[np.float64]:
            return _aggregate(run, combine(part), compute)

        permutation = run.collect_permuted(method, matrices, scores_of, n_jobs, steps, kept)
        steps.end()
    scores = _aggregate(run, combined, compute)
    return EnsembleResult(
        method=method,
        feature_names=run.names,
        score_matrices=matrices,
        combined=combined,
        scores=scores,
        ranking=rank_scores(scores),
        parameters={**run.parameters, "call": call.record()},
        data=run.data,
        versions=versions(),
        own_scores=own_scores,
        halves=halves,
        permutation=permutation,
        copies=_copies(run),
        shuffled=shuffled,
    )


def _copies(run: Run) -> Copies | None:
    """Features that are nearly copies; groups of several columns are similar to none."""
    table, groups = run.table, run.groups
    if groups is not None:
        alone = np.flatnonzero(groups.sizes == 1)
        names = tuple(groups.names[j] for j in alone)
        if not isinstance(table, Table) or not len(alone):
            return None
        table = replace(table.take(groups.columns_of(alone)), feature_names=names)
    return find_copies(table, run.row_weights)


def _aggregate(
    run: Run, combined: NDArray[np.float64], compute: Callable[[RankTable], AggregatedValues]
) -> NDArray[np.float64]:
    """Aggregated scores (n_features,), some columns at a time where the aggregator allows it."""
    names = run.names
    by_item = AGGREGATORS.get(run.parameters["aggregator"]).by_item
    # A resample that saw some features only may have seen none of those in a part.
    if not by_item(run.parameters["aggregator_params"]) or run.resamples.features is not None:
        return compute(as_lists(combined, names)).scores
    scores = np.empty(len(names))
    for columns in column_blocks(combined.shape):
        part = run.store.columns(combined, columns)
        scores[columns] = compute(as_lists(part, names[columns])).scores
    return scores

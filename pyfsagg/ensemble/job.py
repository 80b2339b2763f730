"""A run carried out: resamples, halves and shuffled targets are scored, combined, and recorded."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from pyfsagg._base import remarks
from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.registry import Call
from pyfsagg._base.settings import Task
from pyfsagg._message import Message, Param, Use
from pyfsagg._run.checkpoint import Checkpoint, open_checkpoint
from pyfsagg._run.execution import Checks, Execution, Progress, progress_reporter
from pyfsagg._table.identity import versions
from pyfsagg.ensemble import core, groups, null, scoring, trust
from pyfsagg.ensemble.data import Checked
from pyfsagg.ensemble.result import EnsembleResult
from pyfsagg.ensemble.run import Run, set_up_run
from pyfsagg.ensemble.settings import Ensemble, Precision
from pyfsagg.error_control import TargetPermutation
from pyfsagg.exceptions import DataError
from pyfsagg.ranks import rank_scores
from pyfsagg.resampling import Resamples


@dataclass(eq=False)
class Job:
    """A run in progress, from its first resample to the last shuffled target."""

    run: Run
    nulls: null.Nulls
    recipe: core.Recipe
    scale: null.NoiseScale | None
    n_jobs: int | None
    report: Progress | None
    checkpoint: Checkpoint | None
    done: int = 0
    total: int = 0
    shown: int = -1

    def n_scored(self, m: int) -> int:
        """Total of scored resamples in a run of m, with halves and shuffled targets."""
        n_pairs = self.run.n_pairs(m)
        number = m + 2 * n_pairs + self.nulls.n_scored(m)
        if self.scale is not None:
            kinds: tuple[null.Drawn, ...] = ("resamples", "table", "halves")
            number += sum(self.scale.n_scored(drawn) for drawn in kinds[: 3 if n_pairs else 2])
        return number

    def work(self, first: int, m: int) -> scoring.Work:
        """The remaining work when m resamples are scored after the `first` ones."""
        nulls = self.nulls
        # Filters that are not tested do not score the shuffled targets.
        some = not set(self.run.labels) <= set(nulls.tested_filters)

        def by_all(m: int) -> int:
            return self.n_scored(m) - some * (1 + nulls.n_shuffles(m))

        total = by_all(first + m) - first
        fewer: dict[str, int] = {scoring.TENTH: by_all(max(1, m // 10))}
        shuffled = nulls.n_scored(first + m)
        if not some and 2 * shuffled > total:
            fewer[Message(Use("Checks", shuffles=0))] = total - shuffled
        tested = nulls.n_shuffles(first + m) if some else 0
        return scoring.Work(total, fewer, tested, frozenset(nulls.tested_filters))

    def work_on(self, size: int, m: int) -> dict[str, Any]:
        """Options for scoring `size` of the resamples of a run of m."""
        before, self.total = self.done, self.n_scored(m)
        self.done += size

        def progress(done: int, _: int) -> None:
            self.show(before + done)

        return {"n_jobs": self.n_jobs, "progress": progress, "checkpoint": self.checkpoint}

    def show(self, done: int) -> None:
        """Report how many resamples are done."""
        if self.report is not None and done > self.shown:
            self.shown = done
            self.report(done, self.total)

    def score(
        self, resamples: Resamples, m: int, drawn: null.Drawn = "resamples", **options: Any
    ) -> dict[str, Floats]:
        """Score matrices of some resamples, or halves, of a run that has m resamples."""
        how = self.work_on(len(resamples), m)
        matrices = scoring.score_resamples(self.run.filters, resamples, **how, **options)
        matrices = {label: matrices[label] for label in self.run.labels}
        self.compare_with_noise(matrices, drawn, m)
        return matrices

    def compare_with_noise(self, matrices: core.Matrices, drawn: null.Drawn, m: int) -> None:
        """Bring scores to the scale of the run, if it has one."""
        if self.scale is not None:
            scored = drawn in self.scale.null_scores
            how = self.work_on(0 if scored else self.scale.n_scored(drawn), m)
            self.scale.read(matrices, drawn, self.run.store, **how)

    def combine(self, matrices: core.Matrices) -> Floats:
        return self.recipe.combine(matrices, self.run.names, self.run.store)


def carry_out(
    function: Callable[..., EnsembleResult],
    X: Any,
    y: Any,
    ensemble: Ensemble,
    task: str | Task,
    checks: str | Checks,
    random_state: Any,
    n_jobs: int | None,
    execution: Execution | None,
) -> EnsembleResult:
    """Score the resamples, combine the filters, aggregate, and record the settings."""
    method = ensemble.with_checked_normalize().method
    execution = Execution.read("execution", execution)
    with execution.limited():
        how: dict[str, Any] = {"task": task, "checks": checks, "random_state": random_state}
        run = set_up_run(X, y, ensemble, execution=execution, **how)
        normalize = null.settle_normalization(ensemble.normalize, run, run.ensemble.filters)
        recipe = replace(ensemble.recipe, normalize=normalize)
        more: dict[str, Any] = {"aggregator": recipe.aggregator}
        more["aggregator_params"] = recipe.options
        if method == "bam" or normalize == core.AGAINST_NOISE:
            more["normalize"] = normalize
        run = replace(run, parameters={**run.parameters, **more})
        identity = {"kind": method, **run.identity, **more}
        with (
            open_checkpoint(execution.checkpoint, identity) as checkpoint,
            progress_reporter(execution.progress) as report,
        ):
            scale = None
            if normalize == core.AGAINST_NOISE:
                scale = null.NoiseScale.of(run, len(run.resamples))
            nulls = null.Nulls(run)
            job = Job(run, nulls, recipe, scale, n_jobs, report, checkpoint)
            nulls.require_memory(len(run.resamples))
            matrices, combined, precision = _resamples(job)
            m = len(combined)
            parameters: dict[str, Any] = {**run.parameters, "n_resamples": m, **precision}
            own_scores = None
            settled = replace(run.ensemble, normalize=more.get("normalize", "none"), n_resamples=m)
            if trust.needs_own_scores(settled):
                own = scoring.score_resamples(run.filters, run.whole_table(run.target))
                own = {label: own[label] for label in run.labels}
                job.compare_with_noise(own, "table", m)
                own_scores = np.asarray(job.combine(own)[0])
            halves, about_halves = _halves(job, m)
            permutation, noise_halves, about_shuffles = _shuffles(job, m)
            job.show(job.total)  # even if a part was not possible
        # Some columns at a time may have features that a resample did not see.
        in_parts = run.resamples.features is None
        scores = recipe.aggregate(combined, run.names, run.store, in_parts=in_parts)
        copies = groups.find_copies(run)
    call = Call.of(function, random_state=run.seed)
    return EnsembleResult(
        method=method,
        feature_names=run.names,
        score_matrices=matrices,
        combined=combined,
        scores=scores,
        ranking=rank_scores(scores),
        parameters={**parameters, **about_halves, **about_shuffles, "call": call.record()},
        data=run.data,
        versions=versions(),
        permutation=permutation,
        checked=Checked(
            own_scores=own_scores, halves=halves, noise_halves=noise_halves, copies=copies
        ),
    )


def _resamples(job: Job) -> tuple[dict[str, Floats], Floats, dict[str, Any]]:
    """Score matrices by filter, their combination and the precision, for which resamples are doubled."""
    run, recipe, goal = job.run, job.recipe, job.run.ensemble.number
    first = len(run.resamples)
    matrices = job.score(run.resamples, first, store=run.store, work=job.work(0, first))
    combined = job.combine(matrices)
    if not isinstance(goal, Precision):
        return matrices, combined, {}
    aggregate = None if recipe.is_mean else partial(recipe.aggregate, names=run.names)
    by = "halves" if recipe.spec.extreme else "bootstrap"
    while True:
        m = combined.shape[0]
        reached = goal.look(combined, aggregate, by)
        more = min(m, goal.maximum - m)
        if reached["reached"] or more == 0:
            break
        fresh = job.score(
            run.draw(more, m), m + more, first=m, store=run.store, work=job.work(m, more)
        )
        matrices = {label: np.vstack([matrices[label], fresh[label]]) for label in matrices}
        combined = job.combine(matrices)
    if not reached["reached"]:
        remarks.warn(
            f"{m} resamples do not reach the requested precision: a repetition is expected to ",
            f"replace {reached['expected_change']:.1%} of the best features, more than ",
            f"{reached['max_change']:.1%}; raise maximum or ",
            Param("max_change"),
            stacklevel=4,
        )
    return matrices, combined, {"precision": reached}


def _halves(job: Job, m: int) -> tuple[Floats | None, dict[str, Any]]:
    """Combined scores of pairs of halves, (2 n_pairs, n_features), and their record."""
    run = job.run
    size = 2 * run.n_pairs(m)
    if not size:
        return None, {}
    try:
        drawn = run.draw(size, plan=run.pairs)
        if not run.store.on_disk:
            scoring.require_score_memory(len(run.labels), (size, len(run.names)))
        matrices = job.score(drawn, m, "halves", store=run.store, what="halves")
    except DataError as reason:
        return None, {"pairs": {"reason": reason.message}}
    # A row with a weight is one row; one with a count is as many.
    rows = drawn.weights if run.plan.sample_weight is None else drawn.weights > 0
    n_rows = float(rows.sum(axis=1, dtype=np.int64).mean())
    record = {"n_pairs": size // 2, "rows_in_a_half": round(n_rows)}
    return job.combine(matrices), {"pairs": record}


def _shuffles(job: Job, m: int) -> tuple[TargetPermutation | None, Floats | None, dict[str, Any]]:
    """P-values from shuffled targets, scores of halves for some of these, and their record."""
    run, nulls = job.run, job.nulls
    if not run.checks.shuffles:
        return None, None, {}
    number, n_pairs = nulls.n_shuffles(m), nulls.n_pairs(m)
    try:
        permutation = null.score_permuted(nulls, number, **job.work_on(1 + number, m))
        halves = None
        if n_pairs:
            halves = null.score_shuffled(nulls, n_pairs, "halves", **job.work_on(2 * n_pairs, m))
            job.compare_with_noise(halves, "halves", m)
    except DataError as reason:
        return None, None, {"shuffles": {"reason": reason.message}}
    record = {"n_shuffles": number, "unit": permutation.unit, "n_pairs": n_pairs}
    return permutation, None if halves is None else job.combine(halves), {"shuffles": record}

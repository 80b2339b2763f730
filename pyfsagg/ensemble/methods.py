"""The two methods, from a table to a result: within-aggregation and between-aggregation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from pyfsagg._base import remarks, spellings, validation
from pyfsagg._base.arithmetic import Floats, RandomState, TableLike, TargetLike
from pyfsagg._base.registry import Call, repeatable
from pyfsagg._base.settings import Task
from pyfsagg._message import ONE_FILTER, Got, Message, Param, Remedy, Use
from pyfsagg._run.checkpoint import Checkpoint, open_checkpoint
from pyfsagg._run.execution import Checks, Execution, Progress, progress_reporter
from pyfsagg._table.identity import versions
from pyfsagg.ensemble import core, groups, null, scoring, trust
from pyfsagg.ensemble.data import Checked
from pyfsagg.ensemble.result import EnsembleResult
from pyfsagg.ensemble.run import Run, set_up_run
from pyfsagg.ensemble.settings import Ensemble, Precision
from pyfsagg.error_control import TargetPermutation
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.ranks import rank_scores
from pyfsagg.resampling import Plan, Resamples
from pyfsagg.resampling.plan import read_plan


@repeatable
@spellings.answers_spellings
def wam(
    X: TableLike,
    y: TargetLike = None,
    *,
    filter: Any = "information_gain",
    filter_params: Mapping[str, Any] | None = None,
    normalize: str = "auto",
    aggregator: str = "arithmetic_mean",
    aggregator_params: Mapping[str, Any] | None = None,
    n_resamples: int | str | Precision = 1000,
    resampling: str | Plan = "bootstrap",
    task: str | Task = "classification",
    checks: str | Checks = "auto",
    random_state: RandomState = None,
    n_jobs: int | None = None,
    execution: Execution | None = None,
) -> EnsembleResult:
    """Rank features by the within-aggregation method (WAM).

    A filter scores the features in each of m resamples; an aggregator combines the m scores (or ranks)
    of a feature.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        Numeric, integer, boolean or nominal columns; missing values as the filter allows.  A SciPy
        sparse matrix for the filters that ``pyfsagg.list_methods("filters")`` marks as sparse, with the
        result of the dense table.
    y : array of shape (n_samples,), optional
        Class labels; numbers with ``task="regression"``; with ``task="survival"`` two columns, times
        and events (1, or 0 where censored), or a structured array such as scikit-survival's ``Surv``;
        None for filters that need no target (see ``pyfsagg.list_methods("filters")``).
    filter : str, callable or estimator
        A name from ``pyfsagg.list_methods("filters")``, a function ``(X, y, sample_weight) -> scores``, or
        a scikit-learn estimator with ``feature_importances_`` or ``coef_``.
    filter_params : mapping, optional
        Parameters of a named filter, for instance ``{"mdl": "fselectorrcpp"}``.
    normalize : {"auto", "none", "against_noise"}
        Whether to keep the scores of the filter, or to replace each by minus the logarithm of the share of
        scores as high among columns of its kind in resamples of shuffled targets.  A filter that counts
        levels scores columns of many levels higher than columns of two, above all in a bootstrap.  ``"auto"``
        therefore compares with noise if there are nominal columns beside numbers, or with different numbers
        of levels.  The thesis uses ``"none"``.
    aggregator : str
        A name from ``pyfsagg.list_methods("aggregators")``; `aggregator_params` are its options.
    n_resamples : int, "auto" or Precision
        Number of resamples m.  With a :class:`pyfsagg.ensemble.Precision` it is doubled until the precision
        is reached; ``"auto"`` is the default precision.
    resampling : str or plan
        A name from ``pyfsagg.list_methods("resampling")``, or a plan of :mod:`pyfsagg.resampling`:
        ``Subsample(0.8)``, ``GroupedBootstrap(groups)``, ``Bootstrap(sample_weight=weights)`` for rows with
        weights, ``Bootstrap(counts=counts)`` for rows that each stand for several equal samples,
        ``ComplementaryPairs()`` for disjoint halves, ``Rows(indices)`` to repeat a run made elsewhere.
    task : str or Task
        ``"classification"``, ``"regression"``, ``"survival"``, or a :class:`pyfsagg.Task`, which also
        sets which columns are nominal and whether near-constant ones are dropped.
    checks : {"auto", "none"} or Checks
        Additional computations, on which the ranking does not depend.  ``"auto"``: pairs of disjoint halves
        for :meth:`EnsembleResult.between_sample_stability`, and shuffled targets, which show the scores
        that noise reaches (:meth:`EnsembleResult.selection`); a :class:`pyfsagg.Checks` sets their numbers.
    random_state : None, int or NumPy generator
        Seed; if None, a random seed is drawn and recorded.
    n_jobs : int, optional
        Workers, as in joblib; the result does not depend on it.
    execution : Execution, optional
        Checkpoint, scratch files and progress: :class:`pyfsagg.Execution`.

    Returns
    -------
    EnsembleResult

    Raises
    ------
    OutputError
        If the checkpoint is damaged, in use, or cannot be written.
    WorkerError
        If a worker process died.

    See Also
    --------
    bam : Several filters, aggregated within each resample.
    rank_out_of_core : Tables that are larger than memory.
    aggregate : Existing ranked lists.

    Notes
    -----
    Source: thesis 3.2.1, algorithm 1.

    Examples
    --------
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> result = pyfsagg.wam(data.X, data.y, n_resamples=50, random_state=0)
    >>> result.select(3)
    ['flavanoids', 'proline', 'color_intensity']
    """
    ensemble = Ensemble(
        [filter], filter_params, normalize, aggregator, aggregator_params, n_resamples, resampling
    )
    return _carry_out(wam, X, y, ensemble, task, checks, random_state, n_jobs, execution)


@repeatable
@spellings.answers_spellings
def bam(
    X: TableLike,
    y: TargetLike = None,
    *,
    filters: Sequence[Any] | str = "auto",
    filter_params: Mapping[str, Mapping[str, Any]] | None = None,
    normalize: str = "auto",
    aggregator: str = "arithmetic_mean",
    aggregator_params: Mapping[str, Any] | None = None,
    n_resamples: int | str | Precision = 1000,
    resampling: str | Plan = "bootstrap",
    task: str | Task = "classification",
    checks: str | Checks = "auto",
    random_state: RandomState = None,
    n_jobs: int | None = None,
    execution: Execution | None = None,
) -> EnsembleResult:
    """Rank features by the between-aggregation method (BAM).

    Every filter scores the features in each of m resamples, and the scores are scaled to the range from 0
    to 1.  The aggregator combines the filters within each resample, and then the resamples.

    Parameters
    ----------
    X, y
        As in :func:`pyfsagg.wam`.
    filters : sequence of str, callable or estimator, or "auto"
        At least two filters.  ``"auto"``: information gain, symmetrical uncertainty, mRMR and chi-squared;
        for a numeric target and for survival times, if no column contains words with more than two levels,
        Spearman's correlation and information gain.
    filter_params : mapping of filter name to mapping, optional
        Parameters of named filters, for instance ``{"mrmr": {"n_features": 100}}``.
    normalize : {"auto", "per_resample", "per_feature", "against_noise"}
        Range over which minimum and maximum are taken: the features of one resample, or the
        resamples of one feature.  The thesis prints the second; only the first agrees with its
        table 4.4.  ``"against_noise"`` first compares the scores with noise, as :func:`pyfsagg.wam` does;
        ``"auto"`` does so if the columns differ in their levels.
    aggregator, aggregator_params, n_resamples, resampling, task, checks, random_state, n_jobs, execution
        As in :func:`pyfsagg.wam`.

    Returns
    -------
    EnsembleResult
        Its ``combined`` matrix has the combined scores of each resample.

    See Also
    --------
    wam : One filter.

    Notes
    -----
    Source: thesis 3.2.2, algorithm 2.

    Examples
    --------
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> result = pyfsagg.bam(data.X, data.y, n_resamples=50, random_state=0)
    >>> result.select(3)
    ['flavanoids', 'proline', 'od280/od315_of_diluted_wines']
    """
    if not isinstance(filters, str):
        filters = validation.check_list("filters", filters)
    if filters != "auto" and (isinstance(filters, str) or len(filters) < 2):
        raise ParameterError(
            "bam needs at least two filters to aggregate between", Got(filters), ONE_FILTER
        )
    ensemble = Ensemble(
        filters, filter_params, normalize, aggregator, aggregator_params, n_resamples, resampling
    )
    return _carry_out(bam, X, y, ensemble, task, checks, random_state, n_jobs, execution)


METHODS: dict[str, Callable[..., EnsembleResult]] = {"wam": wam, "bam": bam}


def permute_target(
    X: TableLike,
    y: TargetLike,
    *,
    shuffles: int | str = "auto",
    random_state: RandomState = None,
    **options: Any,
) -> TargetPermutation:
    """P-values of the features, by comparing their scores with those for shuffled targets.

    Parameters
    ----------
    X, y
        As in :func:`pyfsagg.wam`; a target is required.
    shuffles : int or "auto"
        Number of shuffled targets, as in :class:`pyfsagg.Checks`.
    random_state : None, int or Generator
    **options
        Arguments of :func:`pyfsagg.wam` (with `filter`) or :func:`pyfsagg.bam`, such as `filters` and `task`;
        groups of rows by a plan such as ``resampling=GroupedBootstrap(groups)``, weights of rows by
        ``Bootstrap(sample_weight=weights)``, which then move with the targets, and counts of merged rows by
        ``Bootstrap(counts=counts)``.

    Returns
    -------
    TargetPermutation

    See Also
    --------
    wam : Results of wam and bam have the same p-values as ``permutation``.

    Notes
    -----
    The whole table is scored with each target, without resamples.  Columns of numbers, and columns with
    equal numbers of levels, share a null distribution of scores (of a filter that cuts numbers into bins of
    equal width, numbers with equally many occupied bins); in its tail, the largest one in fifty (from 20 to
    250 scores), it is taken as exponential.  If all filters bin numbers, numbers are also tested
    by their ranks (Kruskal and Wallis; Spearman for a numeric target, the score test of Cox's model for
    survival times), and the p-value of a filter is multiplied by four, since classes mostly differ in
    location.  Filters whose score depends on other columns are used only if there are no others.  Those
    that select one column after the other, such as mRMR, are judged by their relevance: what a column alone
    tells of the target by the same bins (``mim``; ``pearson`` for ``mrmr_correlation``), given the columns
    that are always in.  Under any target they choose some column first, so their own scores find nothing.
    The calibration report has simulated levels and power.

    References
    ----------
    Westfall and Young (1993), Resampling-Based Multiple Testing; Phipson and Smyth (2010); Storey and
    Tibshirani (2003), on pooled null distributions.

    Examples
    --------
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> test = permute_target(data.X, data.y, random_state=0)
    >>> len(test.select(0.05))
    13
    """
    if y is None:
        raise DataError("there is no target to shuffle", Remedy("give ", Param("y")))
    plan = read_plan(options.get("resampling", "bootstrap"))
    run = METHODS["wam" if "filter" in options else "bam"]
    settings = {
        "normalize": "none" if run is wam else "per_resample",  # of resamples, which nobody reads
        **options,
        "checks": Checks(pairs=0, shuffles=shuffles),
        "n_resamples": max(plan.fewest, plan.together),
    }
    result = run(X, y, random_state=random_state, **settings)
    if result.permutation is None:
        reason = result.parameters.get("shuffles", {}).get("reason", "shuffles = 0")
        raise DataError("the target cannot be shuffled: ", reason)
    return result.permutation


# How a run is carried out.


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
            asked: tuple[null.Drawn, ...] = ("resamples", "table", "halves")
            number += sum(self.scale.n_scored(drawn) for drawn in asked[: 3 if n_pairs else 2])
        return number

    def work(self, first: int, m: int) -> scoring.Work:
        """The remaining work when m resamples are scored after the `first` ones."""
        nulls = self.nulls
        # Where some filters judge, the others do not score the shuffled targets.
        some = not set(self.run.labels) <= set(nulls.tested_filters)

        def by_all(m: int) -> int:
            return self.n_scored(m) - some * (1 + nulls.n_shuffles(m))

        total = by_all(first + m) - first
        fewer: dict[str, int] = {scoring.TENTH: by_all(max(1, m // 10))}
        shuffled = nulls.n_scored(first + m)
        if not some and 2 * shuffled > total:
            fewer[Message(Use("Checks", shuffles=0))] = total - shuffled
        judged = nulls.n_shuffles(first + m) if some else 0
        return scoring.Work(total, fewer, judged, frozenset(nulls.tested_filters))

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
            known = drawn in self.scale.known
            how = self.work_on(0 if known else self.scale.n_scored(drawn), m)
            self.scale.read(matrices, drawn, self.run.store, **how)

    def combine(self, matrices: core.Matrices) -> Floats:
        return self.recipe.combine(matrices, self.run.names, self.run.store)


def _carry_out(
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

"""Cross-validation around an ensemble, once for all aggregators, on one or several data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.registry import Call
from pyfsagg._base.settings import Task
from pyfsagg._base.validation import check_choice, check_integer
from pyfsagg._base.words import readable
from pyfsagg._message import Param, Public, Remedy, Use
from pyfsagg._run.checkpoint import open_checkpoint, resume_tasks
from pyfsagg._run.execution import Execution, progress_sink
from pyfsagg._table.identity import versions
from pyfsagg.aggregation._base import AGGREGATORS
from pyfsagg.aggregator_influence.result import InfluenceResult, bound_aggregators, over_data_sets
from pyfsagg.ensemble.core import Recipe
from pyfsagg.ensemble.run import Run, set_up_run
from pyfsagg.ensemble.scoring import Work, score_resamples, warn_of_time
from pyfsagg.exceptions import InputTypeError, ParameterError
from pyfsagg.resampling import KFold, Plan, PoissonBootstrap, draw_resamples
from pyfsagg.resampling.plan import read_plan
from pyfsagg.score_tables import Standings
from pyfsagg.score_tables.question import Question

THESIS_AGGREGATORS = (
    "arithmetic_mean",
    "geometric_mean",
    "l2_norm",
    "stuart",
    "robust_rank_aggregation",
)


def influence(
    X: Any,
    y: Any = None,
    *,
    filter: Any = "information_gain",
    filter_params: Mapping[str, Any] | None = None,
    method: str = "wam",
    normalize: str = "per_resample",
    aggregators: Sequence[str] | Mapping[str, Mapping[str, Any]] = THESIS_AGGREGATORS,
    n_folds: int = 100,
    n_resamples: int = 1000,
    resampling: str | Plan = "bootstrap",
    task: str | Task = "classification",
    random_state: Any = None,
    n_jobs: int | None = None,
    execution: Execution | None = None,
) -> InfluenceResult:
    """Influence of the aggregator on the stability of the ensemble ranking.

    Each fold of a stratified cross-validation leaves some samples out; within-aggregation with
    `n_resamples` bootstraps ranks the features on the rest, once per aggregator.  The score matrix
    of a fold is computed once and shared by all aggregators.

    Parameters
    ----------
    X, y
        As in :func:`pyfsagg.wam`.
    filter : filter, or sequence of filters
        With ``method="wam"`` each filter is a separate ensemble, with ``"bam"`` all form one.
    filter_params : mapping, optional
        Parameters by the name of their filter; of a single filter also flat.
    method : {"wam", "bam"}
    normalize : {"per_resample", "per_feature"}
        As in :func:`pyfsagg.bam`.
    aggregators : sequence of str, or mapping of str to options
        Names from ``pyfsagg.list_methods("aggregators")``; with options for instance
        ``{"mean_rank": {}, "geometric_mean": {"shift": "minimum"}}`` (scores of mRMR can be negative).
    n_folds : int
        Number of folds, at least 2 and at most the size of the smallest class.
    n_resamples : int
        Resamples inside each training part.
    resampling : str or plan
        Resampling plan, as in :func:`pyfsagg.wam`.  Its ``sample_weight`` is also used in the folds.
    task, random_state, n_jobs, execution
        As in :func:`pyfsagg.wam`; workers share the folds, and there are no scratch files.  Folds
        are stratified by the classes, or by the bins of a numeric target.

    See Also
    --------
    compare_aggregators : Tests over several data sets.
    influence_of_lists : The same question of ranked lists.

    Notes
    -----
    Source: thesis 3.3.2; the settings that its text gives for tables 4.5 and 4.6 are the defaults
    (their numbers are those of 100 resamples), with Stuart's statistic computed as it is defined.

    Examples
    --------
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> result = pyfsagg.influence(
    ...     data.X, data.y, aggregators=["am", "mean_rank"], n_folds=5, n_resamples=20,
    ...     random_state=0,
    ... )
    >>> result.table().round(2).columns.tolist()
    ['arithmetic_mean', 'mean_rank']
    """
    arguments = dict(locals())
    check_choice("method", method, ("wam", "bam"))
    check_choice("normalize", normalize, ("per_resample", "per_feature"))
    check_integer("n_resamples", n_resamples, low=1)
    check_integer("n_folds", n_folds, low=2)
    execution = Execution._without_scratch("influence", execution)
    with execution.limited():
        plan = read_plan(resampling)
        _check_inner_plan(plan)
        filters = list(filter) if isinstance(filter, (list, tuple)) else [filter]
        if method == "bam" and len(filters) < 2:
            raise ParameterError(
                Use(method="bam"), " needs at least two filters to aggregate between"
            )
        options = bound_aggregators(aggregators)
        folds = set_up_run(
            X,
            y,
            filters=filters,
            filter_params=filter_params,
            n_resamples=n_folds,
            resampling=KFold(sample_weight=plan.sample_weight),
            task=task,
            random_state=random_state,
            execution=execution,
        )
        inside = FoldPlan(folds, options, n_resamples, plan, None if method == "wam" else normalize)
        # As in the scoring of resamples: only kernels gain from threads.
        threads = all(getattr(f.scorer(), "releases_gil", True) for f in folds.filters)
        settings = {
            "method": method,
            "normalize": normalize,
            "aggregators": list(options),
            "aggregator_params": {name: dict(chosen) for name, chosen in options.items() if chosen},
            "n_folds": n_folds,
            "n_resamples": n_resamples,
            "resampling_inside": plan.name,
            "resampling_inside_params": plan.parameters(),
        }
        warn_of_time(folds.filters, folds.resamples, n_jobs, Work.of(n_folds * n_resamples))
        identity = {
            "kind": "influence",
            **folds.identity,
            **settings,
            "plan": plan,
            "aggregator functions": [AGGREGATORS.get(name).compute for name in options],
        }
        by_fold: list[dict[str, NDArray[np.float64]]] = []
        with (
            open_checkpoint(execution.checkpoint, identity) as checkpoint,
            progress_sink(execution.progress, n_folds, "fold") as advance,
        ):
            numbers = range(n_folds)
            work = (checkpoint, [f"fold {fold}" for fold in numbers], FoldPlan.rank_fold, inside)
            for scores in resume_tasks(*work, numbers, n_jobs=n_jobs, threads=threads):
                by_fold.append(scores)
                advance(len(by_fold))
        call = Call.of(influence, arguments, random_state=folds.seed)
        parameters = {
            **folds.parameters,
            **settings,
            "resampling": f"{readable(plan.name)} within stratified folds",
            "call": call.record(),
        }
        return InfluenceResult(
            {
                (label, name): np.stack([scores[f"{label}|{name}"] for scores in by_fold])
                for label, name in (key.rsplit("|", 1) for key in by_fold[0])
            },
            folds.names,
            parameters,
            folds.data,
            versions(),
        )


def _check_inner_plan(plan: Plan) -> None:
    """Refuse plans that do not draw rows of a training part."""
    if plan.only or isinstance(plan, PoissonBootstrap):
        others = "use 'bootstrap', 'stratified_bootstrap', 'subsample' or a "
        raise ParameterError(
            Use(resampling=plan.name),
            " cannot be drawn inside the training part of a fold",
            Remedy(others, Public("resampling.GroupedBootstrap")),
        )


@dataclass(frozen=True, eq=False)
class FoldPlan:
    """What is done in every fold; `normalize` is None for within-aggregation."""

    folds: Run
    aggregators: Mapping[str, Mapping[str, Any]]
    n_resamples: int
    plan: Plan
    normalize: str | None

    def score_fold(self, fold: int) -> dict[str, NDArray[np.float64]]:
        """Score matrices (n_resamples, n_features) on the training part of one fold, by filter."""
        table, target = self.folds.table, self.folds.target
        resamples = draw_resamples(
            table,
            target,
            self.plan,
            n_resamples=self.n_resamples,
            seed=_fold_seed(self.folds.seed, fold),
            sample_weight=self.folds.resamples.weights[fold],
        )
        return score_resamples(self.folds.filters, resamples, n_jobs=1)

    def rank_fold(self, fold: int) -> dict[str, NDArray[np.float64]]:
        """Aggregated scores on the training part of one fold, by ``filter|aggregator``."""
        names = self.folds.names
        matrices = self.score_fold(fold)
        ensembles = {"bam": matrices}
        if self.normalize is None:
            ensembles = {label: {label: matrices[label]} for label in self.folds.labels}
        scores = {}
        for name, options in self.aggregators.items():
            recipe = Recipe(name, options, self.normalize or "per_resample")
            for label, parts in ensembles.items():
                scores[f"{label}|{name}"] = recipe.scores(parts, names)
        return scores


def _fold_seed(seed: int, fold: int) -> int:
    """A seed of its own for each fold."""
    return int(np.random.SeedSequence(seed, spawn_key=(2, fold)).generate_state(1, np.uint64)[0])


def compare_aggregators(
    results: Mapping[str, InfluenceResult],
    measure: str = "spearman",
    *,
    filter: str | None = None,
    n_features_to_select: float | int = 0.25,
    confidence_level: float = 0.95,
) -> Standings:
    """Standings of aggregators over several data sets, each with its stability over folds.

    Parameters
    ----------
    results : mapping of data set name to InfluenceResult
        With the same aggregators; fewer than 8 are too few to speak of other data sets.
    measure : str
        A measure of ``pyfsagg.list_methods("stability")`` that works on scores or ranks, or on
        subsets of size `n_features_to_select`.
    filter : str, optional
        Which filter of the results; the first one by default.
    n_features_to_select : float or int
        Size of the subsets: a fraction of the features of a data set, or a count.
    confidence_level : float

    See Also
    --------
    pyfsagg.standings : The same by the three measures of the thesis at once, of the same mapping.

    Notes
    -----
    The question is that of tables 4.5 and 4.6 of the thesis.  Its tests, one-way with Bonferroni correction
    and by repeated measures, are in :mod:`pyfsagg.statistics`.

    Examples
    --------
    >>> import pyfsagg
    >>> results = {}
    >>> for name in ("wine", "breast_cancer", "ionosphere"):
    ...     data = pyfsagg.load_dataset(name)
    ...     results[name] = pyfsagg.influence(
    ...         data.X, data.y, aggregators=["am", "gm"], n_folds=4, n_resamples=10, random_state=0
    ...     )
    >>> pyfsagg.compare_aggregators(results).datasets
    ('wine', 'breast_cancer', 'ionosphere')
    """
    if not isinstance(results, Mapping) or not results:
        must = " must be a mapping of data set name to InfluenceResult, got "
        raise InputTypeError(Param("results"), must, type(results).__name__)
    asked = Question(confidence_level=confidence_level)
    how: dict[str, Any] = {"filter": filter, "n_features_to_select": n_features_to_select}
    return over_data_sets(results, asked, measure, **how)

"""Which aggregator gives the same again: over the folds of tables, and over halves of ranked lists."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import scipy
from markupsafe import Markup

from pyfsagg._base.arithmetic import Floats, RandomState, TableLike, TargetLike
from pyfsagg._base.registry import Call, repeatable
from pyfsagg._base.remarks import collect_warnings
from pyfsagg._base.settings import Task
from pyfsagg._base.validation import check_choice, check_integer, check_level, resolve_seed
from pyfsagg._base.words import number, plural, readable, titled
from pyfsagg._message import Param, Public, Remedy, Use
from pyfsagg._report.page import Block, PageColumn, PageTable, Text
from pyfsagg._run.checkpoint import open_checkpoint, resume_tasks
from pyfsagg._run.execution import Execution, progress_sink
from pyfsagg._run.result import Recorded, records
from pyfsagg.aggregation._base import AGGREGATORS, as_rankings
from pyfsagg.aggregation._call import hash_of_table
from pyfsagg.aggregator_influence.result import InfluenceResult, bound_aggregators, over_data_sets
from pyfsagg.ensemble.core import Recipe
from pyfsagg.ensemble.run import Run, set_up_run
from pyfsagg.ensemble.scoring import Work, score_resamples, warn_of_time
from pyfsagg.ensemble.settings import Ensemble
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.ranks import Rankings
from pyfsagg.resampling import KFold, Plan, PoissonBootstrap, draw_resamples
from pyfsagg.resampling.plan import read_plan
from pyfsagg.score_tables import Standings
from pyfsagg.score_tables.question import StandingsOptions
from pyfsagg.stability_measures._base import STABILITY_MEASURES
from pyfsagg.stability_measures.measure import measure_stability

THESIS_AGGREGATORS = (
    "arithmetic_mean",
    "geometric_mean",
    "l2_norm",
    "stuart",
    "robust_rank_aggregation",
)


@repeatable
def influence(
    X: TableLike,
    y: TargetLike = None,
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
    random_state: RandomState = None,
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
        Resampling plan, as in :func:`pyfsagg.wam`.  Its ``sample_weight`` or ``counts`` is also used in the
        folds.
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
    check_choice("method", method, ("wam", "bam"))
    check_choice("normalize", normalize, ("per_resample", "per_feature"))
    check_integer("n_resamples", n_resamples, low=1)
    check_integer("n_folds", n_folds, low=2)
    execution = Execution._without_scratch("influence", execution)
    with execution.limited():
        plan = read_plan(resampling)
        if plan.only or isinstance(plan, PoissonBootstrap):
            others = "use 'bootstrap', 'stratified_bootstrap', 'subsample' or a "
            raise ParameterError(
                Use(resampling=plan.name),
                " cannot be drawn inside the training part of a fold",
                Remedy(others, Public("resampling.GroupedBootstrap")),
            )
        filters = list(filter) if isinstance(filter, (list, tuple)) else [filter]
        if method == "bam" and len(filters) < 2:
            needs = " needs at least two filters to aggregate between"
            raise ParameterError(Use(method="bam"), needs)
        options = bound_aggregators(aggregators)
        folds = set_up_run(
            X,
            y,
            Ensemble(
                filters,
                filter_params=filter_params,
                n_resamples=n_folds,
                resampling=KFold(sample_weight=plan.sample_weight, counts=plan.counts),
            ),
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
        by_fold: list[dict[str, Floats]] = []
        with (
            open_checkpoint(execution.checkpoint, identity) as checkpoint,
            progress_sink(execution.progress, n_folds, "fold") as advance,
        ):
            numbers = range(n_folds)
            work = (checkpoint, [f"fold {fold}" for fold in numbers], FoldPlan.rank_fold, inside)
            for scores in resume_tasks(*work, numbers, n_jobs=n_jobs, threads=threads):
                by_fold.append(scores)
                advance(len(by_fold))
        matrices = {
            (label, name): np.stack([scores[f"{label}|{name}"] for scores in by_fold])
            for label, name in (key.rsplit("|", 1) for key in by_fold[0])
        }
        inner = f"{readable(plan.name)} within stratified folds"
        call = Call.of(influence, random_state=folds.seed).record()
        parameters = {**folds.parameters, **settings, "resampling": inner, "call": call}
        return InfluenceResult(matrices, folds.names, parameters=parameters, data=folds.data)


@dataclass(frozen=True, eq=False)
class FoldPlan:
    """What is done in every fold; `normalize` is None for within-aggregation."""

    folds: Run
    aggregators: Mapping[str, Mapping[str, Any]]
    n_resamples: int
    plan: Plan
    normalize: str | None

    def score_fold(self, fold: int) -> dict[str, Floats]:
        """Score matrices (n_resamples, n_features) on the training part of one fold, by filter."""
        kept = self.folds.resamples.weights[fold]
        resamples = draw_resamples(
            self.folds.table,
            self.folds.target,
            self.plan,
            n_resamples=self.n_resamples,
            seed=_fold_seed(self.folds.seed, fold),
            counts=kept if self.plan.sample_weight is None else (kept > 0).astype(np.uint16),
        )
        return score_resamples(self.folds.filters, resamples, n_jobs=1)

    def rank_fold(self, fold: int) -> dict[str, Floats]:
        """Aggregated scores on the training part of one fold, by ``filter|aggregator``."""
        names = self.folds.names
        matrices = self.score_fold(fold)
        ensembles = {"bam": matrices}
        if self.normalize is None:
            ensembles = {label: {label: matrices[label]} for label in self.folds.labels}
        way = self.normalize or "per_resample"
        recipes = {name: Recipe(name, how, way) for name, how in self.aggregators.items()}
        return {
            f"{label}|{name}": recipe.scores(parts, names)
            for name, recipe in recipes.items()
            for label, parts in ensembles.items()
        }


def _fold_seed(seed: int, fold: int) -> int:
    """A separate seed for each fold."""
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
    >>> pyfsagg.aggregator_influence.compare_aggregators(results).datasets
    ('wine', 'breast_cancer', 'ionosphere')
    """
    if not isinstance(results, Mapping) or not results:
        must = " must be a mapping of data set name to InfluenceResult, got "
        raise InputTypeError(Param("results"), must, type(results).__name__)
    options = StandingsOptions(confidence_level=confidence_level)
    how: dict[str, Any] = {"filter": filter, "n_features_to_select": n_features_to_select}
    return over_data_sets(results, options, measure, **how)


LIST_AGGREGATORS = (
    *("robust_rank_aggregation", "mean_rank", "median_rank", "geometric_mean_rank", "stuart"),
)
FEWEST_LISTS = 6  # chosen: halves of three lists, and six values for the jackknife over lists


@dataclass(frozen=True, eq=False, repr=False)
class ListInfluence(Recorded):
    """Agreement of aggregated halves of lists, by aggregator.

    Attributes
    ----------
    aggregators : tuple of str
        The others are compared with the first.
    measure : str
    agreement : ndarray (k, m + 1)
        Of k aggregators, the mean over splits without each of m lists, and with all.
    parameters, data, versions : dict
        Settings, lists and software versions.

    Notes
    -----
    Picture: ``"agreement"`` (of each aggregator, with its interval).
    """

    _kind: ClassVar[str] = "list_influence"
    _noun: ClassVar[str] = "comparison of aggregators by halves"

    aggregators: tuple[str, ...]
    measure: str
    agreement: Floats

    def to_frame(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """One row per aggregator: agreement of halves, and its difference to the first one.

        ``value`` with ``lower`` and ``upper``; ``difference`` with ``difference_lower`` and
        ``difference_upper``, which hold for all aggregators together, and ``told_apart``, whether 0 is
        outside.  Intervals are about other lists of the same kind, by a jackknife over the lists.
        """
        alpha = 1.0 - check_level("confidence_level", confidence_level)
        k, m = len(self.aggregators), self.data["n_lists"]
        tails = 1.0 - 0.5 * alpha / np.array([1, max(k - 1, 1)])
        single, joint = scipy.special.stdtrit(m - 1, tails)
        gaps = self.agreement - self.agreement[0]
        values, differences = self.agreement[:, -1], gaps[:, -1]
        half, width = single * _jackknife_error(self.agreement), joint * _jackknife_error(gaps)
        columns = {
            "value": values,
            "lower": values - half,
            "upper": values + half,
            "difference": differences,
            "difference_lower": differences - width,
            "difference_upper": differences + width,
            "told_apart": np.abs(differences) > width,
        }
        return pd.DataFrame(columns, index=pd.Index(self.aggregators, name="aggregator"))

    def _told(self) -> list[str]:
        """Which aggregator agrees most with itself, and whether it differs from the first one."""
        frame, first = self.to_frame(), self.aggregators[0]
        sign = 1.0 if STABILITY_MEASURES.get(self.measure).higher_is_better else -1.0
        best = str((sign * frame["value"]).idxmax())
        shown = {name: f"{readable(name)} {number(frame['value'][name])}" for name in (first, best)}
        answer = f"No aggregator agrees clearly more with itself than {shown[first]}"
        answer += "." if best == first else f" (most: {shown[best]})."
        if frame["told_apart"][best]:
            answer = f"Halves agree most by {shown[best]}, distinguished from {shown[first]}."
        lists = plural(self.data["n_lists"], "list")
        return [
            answer,
            f"{lists} were split {plural(self.parameters['n_splits'], 'time')} into halves, and the "
            f"results of both compared ({titled(self.measure)}), with a jackknife over the lists.",
            "Agreement is not truth: a rule that neglects what lists tell agrees with itself, too.",
        ]

    def _record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        return {**super()._record(view), "compared": records(self.to_frame().reset_index())}

    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        return {"influence.csv": self.to_frame()}

    def _lines_after(self, view: Mapping[str, Any]) -> list[str]:
        return ["result.to_frame()"]

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        first, *rest = self._told()
        frame, default = self.to_frame(), readable(self.aggregators[0])
        gaps = _spans(frame, "difference", "difference_lower", "difference_upper")
        apart = ["yes" if one else "" for one in frame["told_apart"]]
        columns = [
            (PageColumn("Aggregator", numeric=False), [*map(readable, self.aggregators)]),
            (PageColumn("Agreement of halves"), _spans(frame, "value", "lower", "upper")),
            (PageColumn(f"Difference to {default}"), ["–", *gaps[1:]]),
            (PageColumn("Told apart", numeric=False), apart),
        ]
        note = "With 95 % intervals; those of the differences hold simultaneously."
        table = PageTable.of_columns("Agreement of halves of the lists.", columns, note)
        return [Text(Markup("<b>{}</b>").format(first)), table, *map(Text, rest)]

    def __repr__(self) -> str:
        lists = plural(self.data["n_lists"], "list")
        return f"ListInfluence({', '.join(self.aggregators)}; {lists})"


def _spans(frame: pd.DataFrame, *names: str) -> list[str]:
    values = zip(*(frame[name] for name in names), strict=True)
    return [f"{number(value)} ({number(low)} to {number(high)})" for value, low, high in values]


def _jackknife_error(values: Floats) -> Floats:
    """Standard errors from the values (k, m + 1) without each list, followed by those of all."""
    left_out = values[:, :-1]
    m = left_out.shape[1]
    spread = np.square(left_out - left_out.mean(axis=1, keepdims=True)).sum(axis=1)
    return np.asarray(np.sqrt((m - 1) / m * spread))


@repeatable
def influence_of_lists(
    lists: Any,
    aggregators: Sequence[str] | Mapping[str, Mapping[str, Any]] | None = None,
    *,
    measure: str = "spearman",
    n_splits: int = 100,
    random_state: RandomState = None,
) -> ListInfluence:
    """Which aggregator suits complete lists, scores or partial judges: agreement of halves of the lists.

    The lists are split into two halves many times.  Each half is aggregated by each rule, and the two
    results are compared over the items that both halves know.  A jackknife over the lists says how far the
    answer depends on them, and which rules differ from the first one.

    Parameters
    ----------
    lists : Rankings, or any input of :func:`pyfsagg.aggregate`
        At least six lists.
    aggregators : sequence of str, or mapping of str to options, optional
        Names from ``pyfsagg.list_methods("aggregators")``; the others are compared with the first.  By
        default robust rank aggregation, mean, median and geometric mean rank, and Stuart.
    measure : str
        Of ``pyfsagg.list_methods("stability")``; those of selections compare the best quarter.
    n_splits : int
        The time is that of (m + 2) aggregations of half of the m lists for each split and rule.
    random_state : int, optional

    Returns
    -------
    ListInfluence

    Raises
    ------
    DataError
        For fewer than six lists, which say nothing of the choice.

    See Also
    --------
    influence : The same question of the resamples of a table.

    Notes
    -----
    The rule is that of Berker, Armstrong, Conitzer and Shah (ICLR 2026), who take the aggregator of least
    disagreement; interval and comparison are ours.  An aggregator that agrees more with itself need not
    be nearer to the truth.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.random.default_rng(0).normal(np.arange(20.0) / 4.0, size=(8, 20))
    >>> found = influence_of_lists(
    ...     scores, ["mean_rank", "minimum_rank"], n_splits=20, random_state=0
    ... )
    >>> found.to_frame()["value"].round(1).tolist()
    [0.9, 0.9]
    """
    seed = resolve_seed(random_state)
    call = Call.of(influence_of_lists, data=("lists",), random_state=seed)
    options = bound_aggregators(LIST_AGGREGATORS if aggregators is None else aggregators)
    table = as_rankings(lists)
    check_integer("n_splits", n_splits, low=1)
    measure, m = STABILITY_MEASURES.get(measure).name, table.n_lists
    if m < FEWEST_LISTS:
        few = f"{plural(m, 'list')}: fewer than {FEWEST_LISTS}"
        raise DataError(f"{few} say nothing of the choice of an aggregator")
    rng = np.random.default_rng(seed)
    rules = [AGGREGATORS.get(name).bind(**chosen) for name, chosen in options.items()]
    agreement = np.zeros((len(rules), m + 1))
    for _ in range(n_splits):
        halves = np.array_split(rng.permutation(m), 2)
        for k, rule in enumerate(rules):
            whole = [_scores(table, half, rule) for half in halves]
            pairs = {m: whole}
            for half, other in zip(halves, whole[::-1], strict=True):
                pairs |= {i: [_scores(table, half[half != i], rule), other] for i in half.tolist()}
            for i, pair in pairs.items():
                both = np.stack(pair)[:, ~np.isnan(pair).any(axis=0)]
                value = measure_stability(both, measure, input="scores", random_state=seed).value
                agreement[k, i] += value / n_splits
    parameters = {"aggregators": list(options), "measure": measure, "n_splits": n_splits}
    parameters |= {"seed": seed, "call": call.record()}
    data = {"n_lists": m, "n_items": table.n_items, "sha256": hash_of_table(table)}
    return ListInfluence(tuple(options), measure, agreement, parameters=parameters, data=data)


def _scores(table: Rankings, rows: Any, rule: Any) -> Floats:
    """What a rule makes of some of the lists (p,): an item that none of them has is last, or unknown."""
    with collect_warnings():
        half = table._of_lists(rows)
    if table.weights is not None:
        half = replace(half, weights=table.weights[rows])
    values, held = rule(half).scores, ~table.missing[rows].all(axis=0)
    scores = np.full(table.n_items, np.nan if table.absent == "unknown" else values.min() - 1.0)
    scores[held] = values
    return scores

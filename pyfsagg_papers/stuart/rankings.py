"""Rankings of every fold of the influence experiment (thesis 3.3.2), as defined and as R returns them.

``aggregateRanks`` of the R package RobustRankAggreg sorts the names by a value: for robust rank
aggregation by the p-value capped at 1, for Stuart by a recursion with alternating signs.  Names of
equal value, and those with NaN, stay as they first occur, which is the order of the first list.  The
recursion is called in R: its arithmetic is no part of this package.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg import Task
from pyfsagg.aggregator_influence.experiments import FoldPlan
from pyfsagg.aggregator_influence.result import THESIS_MEASURES
from pyfsagg.ensemble.core import as_lists
from pyfsagg.ensemble.run import set_up_run
from pyfsagg.ensemble.settings import Ensemble
from pyfsagg.extending import AGGREGATORS, run_tasks
from pyfsagg.ranks import rank_scores
from pyfsagg.resampling import Bootstrap
from pyfsagg.stability_measures.measure import measure_stability

AGGREGATORS_OF_TABLE = {
    "arithmetic_mean": "arithmetic_mean",
    "geometric_mean": "geometric_mean",
    "l2_norm": "l2_norm",
    "stuart": "stuart",
    "rra": "robust_rank_aggregation",
}
"""The names of the published tables, and of ``pyfsagg.list_methods("aggregators")``."""

PRAZNIK = {"binning": "praznik", "n_features": "all"}
"""mRMR as the thesis ran it: praznik's reading of the columns, all features ranked."""

STUART_COLUMN_ORDER = "stuart_in_r"
STUART_FIRST_LIST = "stuart_in_r_first_list"
RRA_FIRST_LIST = "rra_in_r_first_list"
IN_R = (STUART_COLUMN_ORDER, STUART_FIRST_LIST, RRA_FIRST_LIST)
"""Rankings that are not those of the definition."""

AS_R_RETURNS = {"stuart": STUART_FIRST_LIST, "rra": RRA_FIRST_LIST}
"""Columns of the published tables, and what ``aggregateRanks`` returns for them."""

RIGHT = 0.01  # relative error up to which a value of the recursion counts as right

Floats = NDArray[np.float64]
Fold = tuple[dict[tuple[int, str], Floats], dict[int, list[int]]]
"""Scores by number of lists and aggregator; kinds of R's values by number of lists."""


@dataclass(frozen=True, eq=False)
class FoldRankings:
    """What is ranked in every fold of one data set and filter.

    Attributes
    ----------
    plan : FoldPlan
    label : str
        The filter.
    counts : sequence of int
        Numbers of lists; fewer lists are the first ones.
    recursion : bool
        Whether R is asked for Stuart's recursion.
    """

    plan: FoldPlan
    label: str
    counts: Sequence[int]
    recursion: bool

    @classmethod
    def set_up(
        cls,
        X: Any,
        y: Any,
        filter: str,
        *,
        filter_params: Mapping[str, Any],
        geometric_mean: Mapping[str, Any],
        n_folds: int,
        counts: Sequence[int],
        random_state: int,
        recursion: bool,
        drop_near_zero_variance: bool = False,
    ) -> FoldRankings:
        """The folds of a table; `geometric_mean` holds the options of that aggregator."""
        run = set_up_run(
            X,
            y,
            Ensemble([filter], {filter: filter_params}, n_resamples=n_folds, resampling="k_fold"),
            task=Task(drop_near_zero_variance=drop_near_zero_variance),
            random_state=random_state,
        )
        options: dict[str, Mapping[str, Any]] = {each: {} for each in AGGREGATORS_OF_TABLE.values()}
        options["geometric_mean"] = geometric_mean
        return cls(
            FoldPlan(run, options, max(counts), Bootstrap(), None), filter, counts, recursion
        )

    def rank_all(self, n_jobs: int | None) -> Iterator[Fold]:
        """What each fold gives, in processes: an R serves one caller at a time."""
        folds = range(len(self.plan.folds.resamples))
        yield from run_tasks(FoldRankings.rank, self, folds, n_jobs=n_jobs, threads=False)

    def rank(self, fold: int) -> Fold:
        """What one fold gives."""
        matrix = self.plan.score_fold(fold)[self.label]
        names = self.plan.folds.table.feature_names
        scores: dict[tuple[int, str], Floats] = {}
        kinds: dict[int, list[int]] = {}
        for m in self.counts:
            lists = as_lists(matrix[:m], names)
            ranks = rank_scores(matrix[:m])
            exact = None
            for shown, name in AGGREGATORS_OF_TABLE.items():
                computed = AGGREGATORS.get(name).bind(**self.plan.aggregators[name])(lists)
                scores[m, shown] = computed.scores
                if shown == "rra" and computed.p_values is not None:
                    places = places_by_first_list(computed.p_values, ranks[0])
                    scores[m, RRA_FIRST_LIST] = -places
                exact = computed.statistic if shown == "stuart" else exact
            if self.recursion and exact is not None:
                values = _recursion(ranks / ranks.shape[1])
                kinds[m] = count_kinds(values, exact)
                scores[m, STUART_COLUMN_ORDER] = -r_ranks(values)
                scores[m, STUART_FIRST_LIST] = -places_by_first_list(values, ranks[0])
        return scores, kinds


def geometric_mean_options(filter: str, *, positive_only: bool = False) -> dict[str, Any]:
    """How the geometric mean takes scores of 0 and below; those of mRMR can be negative."""
    if positive_only:
        return {"nonpositive_as": 1.0}
    return {"shift": "minimum"} if filter == "mrmr" else {}


def fold_stability(scores: Floats, *, best_first: bool = True) -> dict[str, float]:
    """The measures of tables 4.5 and 4.6 over the folds, by name."""
    ends: dict[str, Any] = {"direction": "descending" if best_first else "ascending"}
    options = {name: ends if name == "canberra" else {} for name in THESIS_MEASURES}
    return {
        name: measure_stability(
            scores, name, input="scores", n_features_to_select=0.25, ties="first", **chosen
        ).value
        for name, chosen in options.items()
    }


def look_for_r() -> dict[str, Any]:
    """Whether the recursion can be called, and the versions of what computes it."""
    try:
        from pyfsagg_rpy2 import session

        session.package("RobustRankAggreg")
    except ImportError as reason:  # a MissingDependencyError is one
        return {"available": False, "reason": str(reason)}
    robjects = session.environment()
    version = robjects.r('as.character(packageVersion("RobustRankAggreg"))')[0]
    return {
        "available": True,
        "R": str(robjects.r("paste(R.version$major, R.version$minor, sep = '.')")[0]),
        "RobustRankAggreg": str(version),
    }


def _recursion(normalized: Floats) -> Floats:
    """Stuart's Q of each feature by RobustRankAggreg; `normalized` is (n_lists, n_features)."""
    from pyfsagg_rpy2 import aggregate_ranks

    series = aggregate_ranks(normalized_ranks=normalized, method="stuart")
    return np.asarray(series.loc[[f"x{j}" for j in range(normalized.shape[1])]], dtype=np.float64)


def r_ranks(values: Floats) -> Floats:
    """Ranks by R's own ``rank``: average ties, NaN last in the order of the columns."""
    from pyfsagg_rpy2 import session

    robjects = session.environment()
    return np.asarray(robjects.r["rank"](robjects.FloatVector(values), **{"na.last": True}))


def places_by_first_list(values: Floats, first: Floats) -> Floats:
    """Places in R's stable ``order`` of rows that stand in the order of the first list, NaN last."""
    rows = np.argsort(first, kind="stable")
    order = rows[np.argsort(values[rows], kind="stable")]  # NumPy sorts NaN to the end as well
    places = np.empty(values.size)
    places[order] = np.arange(1, values.size + 1)
    return places


def count_kinds(values: Floats, exact: Floats) -> list[int]:
    """How many values are NaN, infinite, below 0, above 1, right, and probabilities but wrong."""
    nan, infinite = np.isnan(values), np.isinf(values)
    finite = ~nan & ~infinite
    low, high = finite & (values < 0.0), finite & (values > 1.0)
    inside = finite & ~low & ~high
    right = inside & (np.abs(np.where(finite, values, 0.0) - exact) <= RIGHT * exact)
    return [int(part.sum()) for part in (nan, infinite, low, high, right, inside & ~right)]

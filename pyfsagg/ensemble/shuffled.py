"""What noise reaches: the same filters on the same resamples, with shuffled targets.

One engine scores them (:func:`scores_by_target`), and its scores are read in two ways: few resamples of few
targets show what noise reaches, more of many give p-values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.remarks import set_aside
from pyfsagg._base.words import plural
from pyfsagg._run.checkpoint import Checkpoint
from pyfsagg._run.execution import Progress
from pyfsagg._table.table import AnyTable
from pyfsagg._table.target import Target
from pyfsagg.aggregation import AGGREGATORS
from pyfsagg.ensemble.scoring import score_resamples
from pyfsagg.error_control import step_down_max_t
from pyfsagg.exceptions import DataError
from pyfsagg.filters import FILTERS
from pyfsagg.filters._base import BoundFilter
from pyfsagg.resampling import Plan, Resamples, Rows
from pyfsagg.resampling.draws import canonical_order, generator
from pyfsagg.stability_measures._ties import n_draws
from pyfsagg.stability_measures.thesis import measures_of

__all__ = [
    "OWN_COLUMN",
    "ShuffledTargets",
    "Shuffles",
    "all_seen",
    "excess_over_noise",
    "own_columns",
    "score_permuted",
    "score_shuffled",
    "why_not_shuffled",
]

Floats = NDArray[np.float64]
Matrices = Mapping[str, Floats]

LEVEL = 0.05
"""Share of runs that may propose a feature although the target is unrelated to all of them."""

RESAMPLES_PER_SHUFFLED = 50
FEWEST, MOST = 2, 10
"""A shuffled target is scored in one resample for each so many of the run, within these limits."""

OWN_COLUMN = (
    "pearson", "f_statistic", "chi_squared", "cramers_v", "spearman", "value_difference_metric",
    "fit_criterion", "information_gain", "gain_ratio", "symmetric_uncertainty", "cox_score", "concordance",
)  # fmt: skip
"""Filters whose score of a feature depends on its own column and the target only."""

CELLS = 20_000_000
"""Weights, or scores of a filter, that are in memory for shuffled targets at the same time."""

ORDERS = 20
"""Orders of ties that are drawn for each shuffled target, over which measures are averaged once more."""

ROUNDING = 1e-9
_STREAM = 2  # of random numbers; 0 draws rows, 1 noise


@dataclass(frozen=True, eq=False)
class ShuffledTargets:
    """How the features of a run score beside the same features with shuffled targets.

    Attributes
    ----------
    n_resamples : int
        Number r of resamples: the first ones of the run, and as many of each shuffled target.
    excess : ndarray (n_features,)
        Mean score of a feature over r resamples minus its usual one with shuffled targets, in units of
        the largest such excess that a shuffled target usually gives; the mean over filters.  1 is what the
        best of noise usually reaches.  Filters whose score of a feature depends on other features, such as
        mRMR, count only where there are no others.
    largest : ndarray (K,)
        The largest excess of any feature with each of the K shuffled targets.
    stability : DataFrame
        Agreement of the r resamples of a shuffled target, the mean over the K of them: rows and columns as
        of :meth:`pyfsagg.EnsembleResult.stability`.  What is not defined is missing, and so is ASD, which
        depends on the number of resamples, with fewer than 10 of them.
    """

    n_resamples: int
    excess: Floats
    largest: Floats
    stability: pd.DataFrame

    @property
    def n_shuffles(self) -> int:
        return len(self.largest)

    @property
    def level(self) -> float:
        """What noise reaches: of 20 targets, the true one and 19 shuffled ones, the largest excess.

        With fewer shuffled targets, too, the largest of them; with more, that which 5 % of the targets
        reach.
        """
        return float(np.sort(self.largest)[-self._allowed])

    @property
    def _allowed(self) -> int:
        return max(1, int(LEVEL * (self.n_shuffles + 1) + ROUNDING))

    @property
    def false_alarms(self) -> float:
        """Largest share of runs with a feature above noise, if the target is unrelated to all features."""
        return self._allowed / (self.n_shuffles + 1)

    @property
    def above(self) -> NDArray[np.bool_]:
        """Which features (n_features,) score above noise; a tie with noise is noise."""
        return self.excess > self.level + ROUNDING * max(1.0, abs(self.level))

    @property
    def sentence(self) -> str:
        """What was done."""
        return (
            f"The same filters scored {plural(self.n_shuffles, 'target')} with shuffled rows in "
            f"{plural(self.n_resamples, 'resample')} each."
        )

    def reference(self, label: str, measure: str = "spearman") -> float:
        """A measure of stability with shuffled targets; NaN where it is not defined."""
        if label not in self.stability.index or measure not in self.stability:
            return float("nan")
        return float(self.stability[measure].to_dict()[label])

    def record(self) -> dict[str, Any]:
        """Plain values, for a file."""
        table = {
            str(label): {
                str(name): None if np.isnan(value) else float(value) for name, value in row.items()
            }
            for label, row in self.stability.iterrows()
        }
        return {
            "n_shuffles": self.n_shuffles,
            "n_resamples": self.n_resamples,
            "level": self.level,
            "n_above": int(self.above.sum()),
            "stability": table,
        }

    def arrays(self) -> dict[str, Floats]:
        """What ``matrices.npz`` holds."""
        return {"shuffled_excess": self.excess, "shuffled_largest": self.largest}

    @classmethod
    def of_files(cls, document: Mapping[str, Any], arrays: Mapping[str, Any]) -> Self | None:
        """The same from a record and arrays, or None if there are none."""
        if "shuffled_excess" not in arrays:
            return None
        record = document["shuffled"]
        return cls(
            n_resamples=int(record["n_resamples"]),
            excess=arrays["shuffled_excess"],
            largest=arrays["shuffled_largest"],
            stability=_frame_of(record["stability"]),
        )


# ---------------------------------------------------------------------------------------------
# whether and how many
# ---------------------------------------------------------------------------------------------
def why_not_shuffled(target: Target, plan: Plan, labels: list[str]) -> str:
    """Why the rows of a target cannot be shuffled one by one; empty if they can."""
    if target.kind == "none":
        return "there is no target"
    if all(label in FILTERS and "none" in FILTERS.get(label).targets for label in labels):
        return "the filters do not use the target"
    if getattr(plan, "groups", None) is not None:
        return "rows of one group belong together and cannot be shuffled one by one"
    if plan.sample_weight is not None:
        return "rows with weights stand for several samples and cannot be shuffled one by one"
    if isinstance(plan, Rows):
        return "the rows of the resamples were given, and it is not known how they were drawn"
    return ""


def own_columns(method: str, parameters: Mapping[str, Any]) -> bool:
    """Whether the aggregated score of a feature depends on no other feature."""
    aggregator = AGGREGATORS.get(parameters["aggregator"])
    return (
        method == "wam"
        and all(label in FILTERS and label in OWN_COLUMN for label in parameters["filters"])
        and aggregator.input == "scores"
        and aggregator.by_item(parameters["aggregator_params"])
    )


def shuffled_target(table: AnyTable, target: Target, seed: int, k: int) -> Target:
    """The target with its rows in the order number `k`, whatever the order of the rows in the table."""
    order = canonical_order(table, target)
    rows = np.empty_like(order)
    rows[order] = order[generator(seed, k, _STREAM).permutation(len(order))]
    return target.take(rows)


@dataclass(frozen=True, eq=False)
class Shuffles:
    """How shuffled targets are scored in a run.

    Attributes
    ----------
    number : int
    reason : str
        Why there are none; empty if there can be some.
    seed : int
    plan : Plan
    draw : callable
        The first r resamples of a target.
    bind : callable
        The filters of a target.
    """

    number: int
    reason: str
    seed: int
    plan: Plan
    draw: Callable[[Target, int], Resamples]
    bind: Callable[[Target], list[BoundFilter]]

    def in_all(self, n_resamples: int) -> int:
        """Number of resamples of all shuffled targets."""
        return 0 if self.reason else self.number * self.size(n_resamples)

    def size(self, n_resamples: int) -> int:
        """In how many resamples each is scored: a fiftieth of those of the run, from 2 to 10."""
        wanted = min(MOST, max(FEWEST, n_resamples // RESAMPLES_PER_SHUFFLED))
        together = self.plan.together
        return min(n_resamples, -(-wanted // together) * together)


# ---------------------------------------------------------------------------------------------
# the work
# ---------------------------------------------------------------------------------------------
def score_shuffled(
    matrices: Matrices,
    filters: list[BoundFilter],
    shuffles: Shuffles,
    combine: Callable[[dict[str, Floats]], Floats] | None,
    *,
    n_jobs: int | None,
    progress: Progress | None,
    checkpoint: Checkpoint | None,
) -> ShuffledTargets:
    """Score shuffled targets as the run scored the true one.

    Parameters
    ----------
    matrices : mapping of str to ndarray
        Scores of the run, by filter.
    filters : list of BoundFilter
        Those of the run.
    shuffles : Shuffles
    combine : callable, optional
        Joins the filters, as the run did; without it there is one filter.

    Raises
    ------
    DataError
        If there are no shuffled targets, or the filters cannot score one.
    """
    if shuffles.reason:
        raise DataError(shuffles.reason)
    r = shuffles.size(len(next(iter(matrices.values()))))
    if not all_seen(matrices, r):
        raise DataError(f"the first {r} resamples did not see all features")
    means: dict[str, list[Floats]] = {label: [] for label in matrices}
    measures: dict[str, list[dict[str, float]]] = {}
    own = filters[0]
    targets = (
        shuffled_target(own.table, own.target, shuffles.seed, k) for k in range(shuffles.number)
    )
    for scored in scores_by_target(
        targets,
        shuffles.number,
        filters,
        shuffles,
        r,
        what=f"shuffled targets, {r} each, resamples",
        n_jobs=n_jobs,
        progress=progress,
        checkpoint=checkpoint,
    ):
        scores = {label: scored[label] for label in matrices}
        for label, matrix in scores.items():
            means[label].append(_mean(matrix))
            found = _measures(matrix, shuffles)
            measures.setdefault(label, []).append(found)
        if combine is not None:
            with set_aside():  # what an aggregator has to say it has said of the true target
                found = _measures(combine(scores), shuffles)
            measures.setdefault("bam", []).append(found)
    # A score that depends on other features is another one where these are related to the target.
    judges = [label for label in matrices if label in OWN_COLUMN] or list(matrices)
    observed = {label: _mean(matrices[label][:r]) for label in judges}
    excess = excess_over_noise(observed, {label: np.stack(means[label]) for label in judges})
    table = {label: pd.DataFrame(each).mean() for label, each in measures.items()}
    return ShuffledTargets(
        n_resamples=r,
        excess=excess[0],
        largest=excess[1:].max(axis=1),
        stability=_frame_of({label: dict(row) for label, row in table.items()}),
    )


def all_seen(matrices: Matrices, r: int) -> bool:
    """Whether the first `r` resamples saw every feature."""
    return not any(np.isnan(matrix[:r]).all(axis=0).any() for matrix in matrices.values())


def score_permuted(
    matrices: dict[str, Floats],
    filters: list[BoundFilter],
    shuffles: Shuffles,
    scores_of: Callable[[dict[str, Floats]], Floats],
    number: int,
    *,
    n_jobs: int | None,
    progress: Progress | None,
    checkpoint: Checkpoint | None,
) -> tuple[Floats, Floats, Floats]:
    """Aggregated scores, and their p-values against permuted targets: by feature, and family-wise.

    Parameters
    ----------
    matrices : mapping of str to ndarray (r, p)
        Scores of the first r resamples with the true target, by filter.
    filters, shuffles
        As in :func:`score_shuffled`.
    scores_of : callable
        Aggregated scores (p,) of such matrices.
    number : int
        Number of permuted targets.
    """
    observed = scores_of(matrices)
    null = np.empty((number, len(observed)))
    r = len(next(iter(matrices.values())))
    table, target = filters[0].table, filters[0].target
    rng = np.random.default_rng([shuffles.seed, number])
    targets = (target.take(rng.permutation(table.n_samples)) for _ in range(number))
    scored = scores_by_target(
        targets,
        number,
        filters,
        shuffles,
        r,
        what=f"{number} permuted targets, {r} each, resamples",
        n_jobs=n_jobs,
        progress=progress,
        checkpoint=checkpoint,
    )
    with set_aside():  # what an aggregator has to say it has said of the true target
        for k, found in enumerate(scored):
            null[k] = scores_of({label: found[label] for label in matrices})
    return observed, *step_down_max_t(observed, null)


def scores_by_target(
    targets: Iterator[Target],
    number: int,
    filters: list[BoundFilter],
    shuffles: Shuffles,
    r: int,
    *,
    what: str,
    n_jobs: int | None,
    progress: Progress | None,
    checkpoint: Checkpoint | None,
) -> Iterator[dict[str, Floats]]:
    """Scores (r, n_features) by filter, of one of the `number` targets after the other.

    Everything that does not depend on the target was settled with the run and is not done again.
    """
    table, kind = filters[0].table, filters[0].target.kind
    at_once = max(1, CELLS // (r * max(table.n_samples, table.n_features)))
    if kind != "classes":
        at_once = 1  # filters read labels of each resample, but one numeric target
    for first in range(0, number, at_once):
        others = list(islice(targets, at_once))
        scored = score_resamples(
            filters if kind == "classes" else shuffles.bind(others[0]),
            _joined([shuffles.draw(other, r) for other in others]),
            n_jobs=n_jobs,
            checkpoint=checkpoint,
            first=first * r,
            what=what,
            progress=_moved_on(progress, first * r, number * r),
        )
        for start in range(0, len(others) * r, r):
            yield {label: matrix[start : start + r] for label, matrix in scored.items()}


def _moved_on(progress: Progress | None, before: int, total: int) -> Progress | None:
    """A progress function for a part of the targets."""
    return None if progress is None else lambda done, _: progress(before + done, total)


def _joined(drawn: list[Resamples]) -> Resamples:
    """Resamples of several targets in a row, each with its labels."""
    shape = drawn[0].weights.shape
    features = [each.features for each in drawn if each.features is not None]
    return replace(
        drawn[0],
        weights=np.concatenate([each.weights for each in drawn]),
        labels=np.concatenate([np.broadcast_to(each.labels, shape) for each in drawn]),
        features=np.concatenate(features) if features else None,
    )


def excess_over_noise(observed: Matrices, shuffled: Matrices) -> Floats:
    """Excess of the features over their usual scores with shuffled targets, the true target first.

    The true target is treated like the shuffled ones throughout: if it is unrelated to the features, it
    is one of them, and the best of K + 1 with probability 1 / (K + 1).

    Parameters
    ----------
    observed : mapping of str to ndarray (p,)
        Mean scores with the true target, by filter.
    shuffled : mapping of str to ndarray (K, p)

    Returns
    -------
    ndarray (K + 1, p)

    Examples
    --------
    >>> excess_over_noise({"a": np.array([9.0, 1.0])}, {"a": np.array([[2.0, 3.0], [1.0, 2.0]])})
    array([[ 7., -1.],
           [ 0.,  1.],
           [-1.,  0.]])
    """
    parts = []
    for label, scores in observed.items():
        values = np.vstack([scores[np.newaxis], shuffled[label]])
        # A feature that scores high whatever the target, for its many levels, is not favoured.
        centred = values - np.median(values, axis=0)
        tops = centred.max(axis=1)
        tiny = ROUNDING * float(np.abs(values).max())
        scale = next((each for each in (np.median(tops), tops.mean()) if each > tiny), None)
        parts.append(np.zeros_like(values) if scale is None else centred / scale)
    return np.asarray(np.mean(parts, axis=0))


def _mean(matrix: Floats) -> Floats:
    return np.asarray(np.nanmean(matrix, axis=0) if np.isnan(matrix).any() else matrix.mean(axis=0))


def _measures(matrix: Floats, shuffles: Shuffles) -> dict[str, float]:
    """The measures of :meth:`pyfsagg.EnsembleResult.stability`; none where they are not defined."""
    if len(matrix) < 2:
        return {}
    n_orders = min(ORDERS, n_draws(*matrix.shape))
    try:
        with set_aside():
            found = measures_of(matrix, random_state=shuffles.seed, n_orders=n_orders)
    except DataError:
        return {}
    if len(matrix) < MOST:
        del found["asd"]  # a standard deviation, which is smaller in few resamples
    return found


def _frame_of(table: Mapping[str, Mapping[str, float | None]]) -> pd.DataFrame:
    frame = pd.DataFrame.from_dict(dict(table), orient="index").rename_axis("filter")
    return frame.astype(np.float64)

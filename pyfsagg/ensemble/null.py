"""What noise reaches: the same filters on the same resamples, with shuffled targets.

One engine scores them (:func:`scores_by_target`), and its scores are read in two ways: few resamples of few
targets show what noise reaches, more of many give p-values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.remarks import set_aside
from pyfsagg._message import Param, Remedy
from pyfsagg._run.execution import Progress
from pyfsagg._table.table import AnyTable
from pyfsagg._table.target import Target
from pyfsagg.ensemble.core import Matrices, Recipe
from pyfsagg.ensemble.data import ROUNDING, ShuffledTargets, measures_frame
from pyfsagg.ensemble.run import Run
from pyfsagg.ensemble.scoring import score_resamples
from pyfsagg.error_control import TargetPermutation, step_down_max_t
from pyfsagg.exceptions import DataError
from pyfsagg.filters import FILTERS
from pyfsagg.resampling import Resamples, Rows
from pyfsagg.resampling.plan import canonical_order, generator
from pyfsagg.stability_measures.chance import n_draws
from pyfsagg.stability_measures.pairwise import thesis_measures

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

_STREAM = 2  # of random numbers; 0 draws rows, 1 noise


@dataclass(frozen=True, eq=False)
class Nulls:
    """The targets of a run without relation to its features: how many, and in how many resamples each."""

    run: Run

    @cached_property
    def reason(self) -> str:
        """Why rows of the target cannot be shuffled one by one for the proposal; empty if they can."""
        plan, labels = self.run.plan, self.run.labels
        if self.run.target.kind == "none":
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

    def shuffled_size(self, m: int) -> int:
        """In how many resamples a target is scored for the proposal: a fiftieth of m, from 2 to 10."""
        size = min(MOST, max(FEWEST, m // RESAMPLES_PER_SHUFFLED))
        together = self.run.plan.together
        return min(m, -(-size // together) * together)

    def n_shuffled(self, m: int) -> int:
        """Resamples of all targets for the proposal."""
        return 0 if self.reason else self.run.checks.n_shuffles * self.shuffled_size(m)

    def permuted_size(self, m: int) -> int:
        """In how many resamples a target is scored for p-values: a plan may have no more than the run."""
        return m if self.run.plan.only else self.run.checks.permutation_resamples

    def n_permuted(self, m: int) -> int:
        """Resamples of all targets for p-values, and those that the true one has only for them."""
        number, size = self.run.checks.n_permuted, self.permuted_size(m)
        return number and number * size + max(0, size - m)


def shuffled_target(table: AnyTable, target: Target, seed: int, k: int) -> Target:
    """The target with its rows in the order number `k`, whatever the order of the rows in the table."""
    order = canonical_order(table, target)
    rows = np.empty_like(order)
    rows[order] = order[generator(seed, k, _STREAM).permutation(len(order))]
    return target.take(rows)


# The engine.


def scores_by_target(
    run: Run,
    targets: Iterable[Target],
    number: int,
    r: int,
    *,
    progress: Progress,
    **how: Any,
) -> Iterator[dict[str, Floats]]:
    """Scores (r, n_features) by filter, of one of the `number` targets after the other.

    `how` is as in :func:`score_resamples`.  What does not depend on the target was settled with the run.
    """
    table, classes = run.filters[0].table, run.target.kind == "classes"
    at_once = max(1, CELLS // (r * max(table.n_samples, table.n_features)))
    if not classes:
        at_once = 1  # filters read labels of each resample, but one numeric target
    left = iter(targets)
    for first in range(0, number, at_once):
        others = list(islice(left, at_once))

        def advance(done: int, _: int, before: int = first * r) -> None:
            progress(before + done, number * r)

        scored = score_resamples(
            run.filters if classes else run.bind(others[0]),
            _joined([run.draw_with(target, r) for target in others]),
            first=first * r,
            progress=advance,
            **how,
        )
        for start in range(0, len(others) * r, r):
            yield {label: scored[label][start : start + r] for label in run.labels}


def _joined(drawn: list[Resamples]) -> Resamples:
    """Resamples of several targets in a row, each with its labels."""
    shape = drawn[0].weights.shape
    features = [resamples.features for resamples in drawn if resamples.features is not None]
    return replace(
        drawn[0],
        weights=np.concatenate([resamples.weights for resamples in drawn]),
        labels=np.concatenate([np.broadcast_to(resamples.labels, shape) for resamples in drawn]),
        features=np.concatenate(features) if features else None,
    )


def all_seen(matrices: Matrices, r: int) -> bool:
    """Whether the first `r` resamples saw every feature."""
    return not any(np.isnan(matrix[:r]).all(axis=0).any() for matrix in matrices.values())


# What noise reaches, for the proposal.


def score_shuffled(nulls: Nulls, matrices: Matrices, recipe: Recipe, **how: Any) -> ShuffledTargets:
    """How shuffled targets score, as the run scored the true one; a DataError says why they cannot."""
    if nulls.reason:
        raise DataError(nulls.reason)
    run, r = nulls.run, nulls.shuffled_size(len(next(iter(matrices.values()))))
    if not all_seen(matrices, r):
        raise DataError(f"the first {r} resamples did not see all features")
    number = run.checks.n_shuffles
    table = run.filters[0].table  # as the filter reads it, of whose rows the order depends
    means: dict[str, list[Floats]] = {label: [] for label in matrices}
    measures: dict[str, list[dict[str, float]]] = {}
    for scores in scores_by_target(
        run,
        (shuffled_target(table, run.target, run.seed, k) for k in range(number)),
        number,
        r,
        what=f"shuffled targets, {r} each, resamples",
        **how,
    ):
        for label, matrix in scores.items():
            means[label].append(_mean(matrix))
            measures.setdefault(label, []).append(_measures(matrix, run.seed))
        if len(scores) > 1:
            with set_aside():  # the aggregator warned when it was given the true target
                combined = recipe.combine(scores, run.names, run.store)
                measures.setdefault("bam", []).append(_measures(combined, run.seed))
    # A score that depends on other features is another one where these are related to the target.
    judges = [label for label in matrices if label in OWN_COLUMN] or list(matrices)
    observed = {label: _mean(matrices[label][:r]) for label in judges}
    excess = excess_over_noise(observed, {label: np.stack(means[label]) for label in judges})
    stability = {label: dict(pd.DataFrame(rows).mean()) for label, rows in measures.items()}
    return ShuffledTargets(
        n_resamples=r,
        excess=excess[0],
        largest=excess[1:].max(axis=1),
        stability=measures_frame(stability),
    )


def excess_over_noise(observed: Matrices, shuffled: Matrices) -> Floats:
    """Excess of the features over their usual scores with shuffled targets, the true target first.

    The true target is treated like the shuffled ones throughout: if it is unrelated to the features, it
    is one of them, and the best of K + 1 with probability 1 / (K + 1).

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
        scale = next((size for size in (np.median(tops), tops.mean()) if size > tiny), None)
        parts.append(np.zeros_like(values) if scale is None else centred / scale)
    return np.asarray(np.mean(parts, axis=0))


def _mean(matrix: Floats) -> Floats:
    return np.asarray(np.nanmean(matrix, axis=0) if np.isnan(matrix).any() else matrix.mean(axis=0))


def _measures(matrix: Floats, seed: int) -> dict[str, float]:
    """The measures of :meth:`pyfsagg.EnsembleResult.stability`; none where they are not defined."""
    if len(matrix) < 2:
        return {}
    n_orders = min(ORDERS, n_draws(*matrix.shape))
    try:
        with set_aside():
            values = thesis_measures(matrix, random_state=seed, n_orders=n_orders)
    except DataError:
        return {}
    if len(matrix) < MOST:
        del values["asd"]  # a standard deviation, which is smaller in few resamples
    return values


# P-values.


def score_permuted(
    nulls: Nulls, method: str, matrices: Matrices, recipe: Recipe, **how: Any
) -> TargetPermutation:
    """P-values of the aggregated scores against permuted targets: by feature, and family-wise.

    `matrices` are scores of all the resamples in which targets are compared, with the true target.
    """
    run, number = nulls.run, nulls.run.checks.n_permuted
    r = len(next(iter(matrices.values())))
    if not all_seen(matrices, r):
        raise DataError(
            f"the first {r} resamples did not see all features, so that permuted targets cannot be ",
            "compared with the true one",
            Remedy("raise ", Param("permutation_resamples")),
        )
    observed = _aggregated(run, matrices, recipe)
    null = np.empty((number, len(observed)))
    rng = np.random.default_rng([run.seed, number])
    scored = scores_by_target(
        run,
        (run.target.take(rng.permutation(run.table.n_samples)) for _ in range(number)),
        number,
        r,
        what=f"{number} permuted targets, {r} each, resamples",
        **how,
    )
    with set_aside():  # the aggregator warned when it was given the true target
        for k, scores in enumerate(scored):
            null[k] = _aggregated(run, scores, recipe)
    p_values, family_wise = step_down_max_t(observed, null)
    # The aggregated score of a feature then depends on no other feature.
    alone = (
        method == "wam"
        and all(label in FILTERS and label in OWN_COLUMN for label in run.labels)
        and recipe.spec.input == "scores"
        and recipe.spec.by_item(recipe.options)
    )
    return TargetPermutation(
        feature_names=run.names,
        scores=observed,
        p_values=p_values,
        family_wise_p_values=family_wise,
        strong=alone,
        n_permutations=number,
        n_resamples=r,
    )


def _aggregated(run: Run, matrices: Matrices, recipe: Recipe) -> Floats:
    combined = recipe.combine(matrices, run.names, run.store)
    whole = run.resamples.features is not None
    return recipe.aggregate(combined, run.names, run.store, in_parts=not whole)

"""Confidence sets for the true ranks of features, from the resamples of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyfsagg.exceptions import DataError
from pyfsagg.ranks import rank_scores
from pyfsagg.statistics.rank_sets import RankConfidence, sets_of_replicates

if TYPE_CHECKING:
    from pyfsagg.ensemble.result import EnsembleResult

__all__ = ["MOST_SHOWN", "sets_of_run", "why_no_sets"]

FEWEST = 50
"""Resamples from which on standard errors are worth something."""

MOST_SHOWN = 200
"""Features up to which the sets are computed unasked: the work grows as the square."""

FULL_SIZE = ("bootstrap", "poisson_bootstrap", "stratified_bootstrap", "grouped_bootstrap")
MEANS = {"arithmetic_mean": "score", "mean_rank": "rank"}
"""Aggregators that are means over resamples, and of what."""


def why_no_sets(result: EnsembleResult) -> str:
    """Why a run has no confidence sets for ranks; empty if it has."""
    plan, aggregator = result.parameters["resampling"], result.parameters["aggregator"]
    if aggregator not in MEANS:
        return (
            f"the aggregator {aggregator} is not a mean over resamples, so that they do not give its "
            "standard error; use aggregator='arithmetic_mean' or 'mean_rank'"
        )
    if _factor(result) is None:
        return (
            f"the plan {plan} does not show how scores vary from sample to sample; use a bootstrap or "
            "subsamples"
        )
    if result.n_resamples < FEWEST:
        return (
            f"{result.n_resamples} resamples are too few for standard errors; use at least {FEWEST}"
        )
    if np.isnan(result.combined).any():
        return "some resamples did not see all features; use a plan that keeps all of them"
    return ""


def sets_of_run(result: EnsembleResult, confidence: float) -> RankConfidence:
    """The sets of :meth:`pyfsagg.EnsembleResult.rank_confidence`."""
    reason = why_no_sets(result)
    if reason:
        raise DataError(f"there are no confidence sets for ranks: {reason}")
    of = MEANS[result.parameters["aggregator"]]
    values = result.combined if of == "score" else -rank_scores(result.combined)
    factor = _factor(result)
    assert factor is not None  # or there is a reason
    return sets_of_replicates(
        values.mean(axis=0),
        values,
        names=result.feature_names,
        confidence=confidence,
        # The mean over resamples has an error of its own beside that of the sample.
        factor=factor + 1.0 / result.n_resamples,
        of=f"the expected {of} in samples of this size from the same population",
    )


def _factor(result: EnsembleResult) -> float | None:
    """Variance over samples by that over resamples of one sample; None where it is not known."""
    plan = result.parameters["resampling"]
    if plan in FULL_SIZE:
        return 1.0
    if plan == "subsample":
        fraction = float(result.parameters["resampling_params"]["fraction"])
        return fraction / (1.0 - fraction) if fraction < 1.0 else None
    return 1.0 if plan == "complementary_pairs" else None

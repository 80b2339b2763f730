"""Confidence sets for the true ranks of features, from the resamples of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg.exceptions import DataError
from pyfsagg.ranks import rank_scores
from pyfsagg.statistics.rank_sets import RankConfidence, sets_of_replicates

if TYPE_CHECKING:
    from pyfsagg.ensemble.result import EnsembleResult

__all__ = ["MOST_SHOWN", "needs_own_scores", "sets_of_run", "why_no_sets"]

FEWEST = 50
"""Resamples from which on standard errors are worth something."""

MOST_SHOWN = 200
"""Features up to which the sets are computed unasked: the work grows as the square."""

FULL_SIZE = ("bootstrap", "poisson_bootstrap", "stratified_bootstrap", "grouped_bootstrap")
MEANS = {"arithmetic_mean": "score", "mean_rank": "rank"}
"""Aggregators that are means over resamples, and of what."""


def needs_own_scores(parameters: Mapping[str, Any]) -> bool:
    """Whether the sets of a run are centred on the scores of the table itself.

    Resamples that repeat rows score a feature of many levels too high, on average over samples as well,
    so that their mean is no estimate of an expected score.  The score of the sample is.
    """
    return parameters["resampling"] in FULL_SIZE and not _why_none(parameters)


def why_no_sets(result: EnsembleResult) -> str:
    """Why a run has no confidence sets for ranks; empty if it has."""
    if result.n_features < 2:
        return "a single feature has rank 1"
    reason = _why_none(result.parameters)
    if reason:
        return reason
    if np.isnan(result.combined).any():
        return "some resamples did not see all features; use a plan that keeps all of them"
    if result.own_scores is None and needs_own_scores(result.parameters):
        return (
            "the run was saved without the scores of the table itself, on which the sets are centred; "
            "run it again"
        )
    return ""


def _why_none(parameters: Mapping[str, Any]) -> str:
    """The same as far as the settings of a run tell."""
    plan, aggregator, m = (parameters[name] for name in ("resampling", "aggregator", "n_resamples"))
    if aggregator not in MEANS:
        return (
            f"the aggregator {aggregator} is not a mean over resamples, so that they do not give its "
            "standard error; use aggregator='arithmetic_mean' or 'mean_rank'"
        )
    if _drawn_share(parameters) is None:
        return (
            f"the plan {plan} does not show how scores vary from sample to sample; use a bootstrap or "
            "subsamples"
        )
    if m < FEWEST:
        return f"{m} resamples are too few for standard errors; use at least {FEWEST}"
    if plan in FULL_SIZE and parameters.get("normalize") == "per_feature":
        return (
            "normalize='per_feature' scales a score by its range over the resamples, which a single sample "
            "does not have; use 'per_resample'"
        )
    return ""


def sets_of_run(result: EnsembleResult, confidence: float) -> RankConfidence:
    """The sets of :meth:`pyfsagg.EnsembleResult.rank_confidence`."""
    reason = why_no_sets(result)
    if reason:
        raise DataError(f"there are no confidence sets for ranks: {reason}")
    of = MEANS[result.parameters["aggregator"]]

    def read(scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return scores if of == "score" else -rank_scores(scores)

    values = read(result.combined)
    share = _drawn_share(result.parameters)
    assert share is not None  # or there is a reason
    size = "this size" if share == 1.0 else f"{100 * share:.3g} % of this size"
    if share == 1.0:
        assert result.own_scores is not None  # or there is a reason
        centre, factor = read(result.own_scores[np.newaxis])[0], 1.0
    else:
        # The mean over resamples has an error of its own beside that of the sample.
        centre, factor = values.mean(axis=0), share / (1.0 - share) + 1.0 / result.n_resamples
    return sets_of_replicates(
        centre,
        values,
        names=result.feature_names,
        confidence=confidence,
        factor=factor,
        of=f"the expected {of} in samples of {size} from the same population",
    )


def _drawn_share(parameters: Mapping[str, Any]) -> float | None:
    """Size of a resample by that of the sample; None where resamples do not tell how scores vary.

    The variance over samples is that over resamples of one sample, times f / (1 - f) if a share f of the
    rows is drawn without repetition.
    """
    plan = parameters["resampling"]
    if plan in FULL_SIZE:
        return 1.0
    if plan == "subsample":
        fraction = float(parameters["resampling_params"]["fraction"])
        return fraction if fraction < 1.0 else None
    return 0.5 if plan == "complementary_pairs" else None

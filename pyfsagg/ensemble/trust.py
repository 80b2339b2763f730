"""How far a ranking can be trusted: other samples, other resamples, true ranks, false selections."""

from typing import Any

import numpy as np
import pandas as pd

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.remarks import collect_warnings
from pyfsagg._base.validation import check_choice
from pyfsagg._base.words import titled
from pyfsagg._message import Message, Remedy, Use
from pyfsagg.ensemble.core import AGAINST_NOISE
from pyfsagg.ensemble.data import Ranked, once
from pyfsagg.ensemble.settings import Ensemble
from pyfsagg.error_control import ErrorControl, LimitedSelection, control_errors
from pyfsagg.error_control.control import BY_P_VALUES, METHODS, check_goals, require_pairs
from pyfsagg.exceptions import DataError
from pyfsagg.ranks import rank_scores
from pyfsagg.resampling import ComplementaryPairs
from pyfsagg.stability_measures import BetweenSampleStability, between_sample_stability, pairwise
from pyfsagg.statistics.rank_sets import RankConfidence, sets_of_replicates

FEWEST = 50  # chosen: fewest resamples for a usable standard error
MOST_SHOWN = 200
"""Features up to which the sets are computed by default: the work grows as the square."""

TURNS = 10  # chosen: halves of other shuffled targets with which each half of one is compared
FULL_SIZE = ("bootstrap", "poisson_bootstrap", "stratified_bootstrap", "grouped_bootstrap")
MEANS = {"arithmetic_mean": "score", "mean_rank": "rank"}
"""Aggregators that are means over resamples, and of what."""


def between(data: Ranked, k: int, confidence_level: float = 0.95) -> BetweenSampleStability:
    """See :meth:`pyfsagg.ensemble.EnsembleResult.between_sample_stability`; `k` features are selected."""
    halves, n_rows = _halves(data)
    first, second = ComplementaryPairs.pairs(len(halves)).T
    return between_sample_stability(
        halves[first],
        halves[second],
        n_features_to_select=k,
        confidence_level=confidence_level,
        n_rows=n_rows,
        feature_names=data.feature_names,
    )


FEWEST_ROWS, FEWEST_OTHERS = 6, 3
"""Rows of a half, and those outside of the largest class (or events), needed for a usable ranking."""
FEWEST_FOR_SETS = (
    12  # rows; with 6 simultaneous sets for ranks hold all of them in 78 % of tables of noise
)


def _too_small(data: Ranked) -> str:
    """Why halves of the table are too small to be ranked; empty if they are not."""
    counts = list(data.data.get("class_counts", {}).values())
    others = data.data.get("n_events", sum(counts) - max(counts, default=0)) // 2
    rows = data.data["n_samples"] // 2
    if rows < FEWEST_ROWS:
        return f"halves of {data.data['n_samples']} rows have {rows}, and {FEWEST_ROWS} are needed"
    if (counts or "n_events" in data.data) and others < FEWEST_OTHERS:
        what = "events" if "n_events" in data.data else "rows outside of the largest class"
        return f"a half of the rows has {others} {what}, and {FEWEST_OTHERS} are needed"
    return ""


def _halves(data: Ranked) -> tuple[Floats, int | None]:
    """Scores (2 n_pairs, n_features) and rows of the halves; a DataError gives the reason for none."""
    of_run = data._ensemble.plan.name == ComplementaryPairs.name
    if (of_run or data.checked.halves is not None) and (reason := _too_small(data)):
        raise DataError("the table is too small for the stability between samples: ", reason)
    if of_run:
        return data.combined, data.data["n_samples"] // 2 if data._rows_stand_alone else None
    if data.checked.halves is None:
        what = "the run has no pairs of halves for the stability between samples"
        if reason := data._reason("pairs"):
            raise DataError(what, ": ", reason)
        pairs = Use(resampling="complementary_pairs")
        remedy = "give ", Use("Checks", pairs=30), ", or 8 resamples or more, or ", pairs
        raise DataError(what, Remedy(*remedy))
    return data.checked.halves, (data.parameters.get("pairs") or {}).get("rows_in_a_half")


def noise_between(data: Ranked, k: int) -> BetweenSampleStability | None:
    """The same with shuffled targets: the agreement of two samples without any signal."""
    if data.checked.noise_halves is None:
        return None
    first, second = ComplementaryPairs.pairs(len(data.checked.noise_halves)).T
    # Without signal halves of two targets agree as those of one do, and there are more of them.
    turns = range(min(TURNS, len(second)))
    return between_sample_stability(
        np.concatenate([data.checked.noise_halves[first]] * len(turns)),
        np.concatenate([data.checked.noise_halves[np.roll(second, turn)] for turn in turns]),
        n_features_to_select=k,
        feature_names=data.feature_names,
    )


Agreement = tuple[pd.DataFrame | DataError, list[str]]


@once
def agreement(data: Ranked, ties: str) -> Agreement:
    """The measures of :meth:`pyfsagg.ensemble.EnsembleResult.stability`, or the reason for none, and
    warnings."""
    matrices = dict(data.score_matrices)
    if data.method == "bam":
        matrices["bam"] = data.combined
    rows, remarks = {}, list[str]()
    try:
        for label, matrix in matrices.items():
            with collect_warnings() as found:
                rows[label] = pairwise.thesis_measures(matrix, ties=ties, random_state=data.seed)
            whose = f"{titled(label)}: " if len(matrices) > 1 else ""
            remarks += [f"{whose}{text}" for text in dict.fromkeys(found)]
    except DataError as reason:
        return reason, remarks
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("filter"), remarks


def control(
    data: Ranked,
    max_false: float | None = None,
    fdr: float | None = None,
    method: str | None = None,
    **options: Any,
) -> ErrorControl | LimitedSelection:
    """Features under a limit on false selections (:meth:`pyfsagg.ensemble.EnsembleResult.selection`)."""
    goal, level = check_goals(max_false, fdr)
    if method is not None:
        check_choice("method", method, (*BY_P_VALUES[goal], *METHODS[goal]))
    by_pairs = goal == "max_false" and data._ensemble.plan.name == ComplementaryPairs.name
    if method is None and not options and data.permutation is not None and not by_pairs:
        method = BY_P_VALUES[goal][0]
    if method in BY_P_VALUES[goal]:
        if data.permutation is None:
            why = data._reason("shuffles") or "shuffles = 0"
            raise DataError("the run has no p-values from shuffled targets: ", why)
        return data.permutation.limited(goal, level, method)
    require_pairs(data._ensemble.plan.name, data._reason("shuffles"))
    options |= {"max_false": max_false, "fdr": fdr, "method": method}
    return control_errors(data.combined, data.feature_names, **options)


# Ranks that the features may have in the population.


def needs_own_scores(ensemble: Ensemble) -> bool:
    """Whether the sets are centred on the scores of the table: repeated rows raise those of resamples."""
    return ensemble.plan.name in FULL_SIZE and not _why_none(ensemble)


def why_no_sets(data: Ranked) -> str:
    """Why a run has no confidence sets for ranks; empty if it has."""
    if data.n_features < 2:
        return "a single feature has rank 1"
    if data.data["n_samples"] < FEWEST_FOR_SETS:
        return (
            f"{data.data['n_samples']} rows are too few for standard errors of ranks; at least "
            f"{FEWEST_FOR_SETS} are needed"
        )
    reason = _why_none(data._ensemble)
    if reason:
        return reason
    if np.isnan(data.combined).any():
        return "some resamples did not see all features; use a plan that keeps all of them"
    if data.checked.own_scores is None and needs_own_scores(data._ensemble):
        return (
            "the run was saved without the scores of the table itself, on which the sets are centred; "
            "run it again"
        )
    return ""


def _why_none(ensemble: Ensemble) -> str:
    """Why the settings of a run rule out such sets; empty if they do not."""
    aggregator, normalize = ensemble.recipe.aggregator, ensemble.recipe.normalize
    if aggregator not in MEANS:
        return Message(
            f"the aggregator {aggregator} is not a mean over resamples, so they do not give its ",
            "standard error; use ",
            Use(aggregator="arithmetic_mean"),
            " or 'mean_rank'",
        )
    if drawn_share(ensemble) is None:
        return (
            f"the plan {ensemble.plan.name} does not show how scores vary from sample to sample; use "
            "a bootstrap or subsamples"
        )
    m = ensemble.number
    if isinstance(m, int) and m < FEWEST:
        return f"{m} resamples are too few for standard errors; use at least {FEWEST}"
    if ensemble.plan.name in FULL_SIZE and normalize == "per_feature":
        return Message(
            Use(normalize="per_feature"),
            " scales a score by its range over the resamples, which a single sample does not ",
            "have; use 'per_resample'",
        )
    of_ranks = MEANS[aggregator] == "rank"
    if ensemble.plan.name in FULL_SIZE and normalize == AGAINST_NOISE and of_ranks:
        return Message(
            "in a bootstrap ranks of scores against noise vary less than between samples; use ",
            Use(aggregator="arithmetic_mean"),
            " or ",
            Use(resampling="subsample"),
        )
    return ""


@once
def shown_sets(data: Ranked) -> RankConfidence | None:
    """The 95 % sets that every table shows, if there are some, of at most 200 features."""
    if data.n_features > MOST_SHOWN or why_no_sets(data):
        return None
    return rank_sets(data, 0.95)


def rank_sets(data: Ranked, confidence_level: float) -> RankConfidence:
    """See :meth:`pyfsagg.ensemble.EnsembleResult.rank_confidence`."""
    reason = why_no_sets(data)
    if reason:
        raise DataError("there are no confidence sets for ranks: ", reason)
    of = MEANS[data._ensemble.recipe.aggregator]

    def as_values(scores: Floats) -> Floats:
        return scores if of == "score" else -rank_scores(scores)

    values = as_values(data.combined)
    share = drawn_share(data._ensemble)
    assert share is not None  # or there is a reason
    size = "this size" if share == 1.0 else f"{100 * share:.3g} % of this size"
    if share == 1.0:
        assert data.checked.own_scores is not None  # or there is a reason
        centre, factor = as_values(data.checked.own_scores[np.newaxis])[0], 1.0
        if data._ensemble.recipe.normalize == AGAINST_NOISE:
            # Bootstraps double the variance of noise, so evidence, quadratic in the score, changes
            # half as much as between samples; scaled per resample it only has half the variance.
            factor = 4.0 if len(data.score_matrices) == 1 else 2.0
    else:
        # The variance over samples is f / (1 - f) times that over resamples with a share f of the rows.
        # The mean over resamples has a Monte Carlo error in addition to the error of the sample.
        centre, factor = values.mean(axis=0), share / (1.0 - share) + 1.0 / data.n_resamples
    return sets_of_replicates(
        centre,
        values,
        names=data.feature_names,
        confidence_level=confidence_level,
        factor=factor,
        of=f"the expected {of} in samples of {size} from the same population",
    )


def drawn_share(ensemble: Ensemble) -> float | None:
    """Size of a resample relative to the sample; None if resamples do not show how scores vary."""
    if ensemble.plan.name in FULL_SIZE:
        return 1.0
    if ensemble.plan.name == "subsample":
        fraction = float(ensemble.plan.parameters()["fraction"])
        return fraction if fraction < 1.0 else None
    return 0.5 if ensemble.plan.name == "complementary_pairs" else None

"""How far selections, rankings and scores agree over resamples."""

from pyfsagg._run.result import Face, shown_by
from pyfsagg.stability_measures._base import UndefinedStabilityError
from pyfsagg.stability_measures.adequacy import Adequacy, adequacy
from pyfsagg.stability_measures.chance import BetweenSampleStability, between_sample_stability
from pyfsagg.stability_measures.curves import feature_stability, pareto_front, stability_curve
from pyfsagg.stability_measures.nogueira import NogueiraResult, nogueira
from pyfsagg.stability_measures.result import StabilityResult, stability
from pyfsagg.stability_measures.similarity_adjusted import membership_similarity

__all__ = [
    "Adequacy",
    "BetweenSampleStability",
    "NogueiraResult",
    "StabilityResult",
    "UndefinedStabilityError",
    "adequacy",
    "between_sample_stability",
    "feature_stability",
    "membership_similarity",
    "nogueira",
    "pareto_front",
    "stability",
    "stability_curve",
]


@shown_by("stability")
def _face() -> Face:
    from pyfsagg.stability_measures._report import STABILITY_PLOTS, stability_page

    return Face(STABILITY_PLOTS, stability_page)

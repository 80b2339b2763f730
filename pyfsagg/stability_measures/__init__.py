"""How far selections, rankings and scores agree over resamples."""

from pyfsagg._run.result import Renderer, register_renderer
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


@register_renderer("stability")
def _renderer() -> Renderer:
    from pyfsagg.stability_measures._report import STABILITY_PLOTS, stability_page

    return Renderer(STABILITY_PLOTS, stability_page)

"""How far selections, rankings and scores agree over resamples."""

from __future__ import annotations

from pyfsagg._run.result import Face, shown_by
from pyfsagg.stability_measures._base import (
    STABILITY_MEASURES,
    PairwiseAverage,
    StabilityResult,
    StabilitySpec,
    UndefinedStabilityError,
    WholeSample,
)
from pyfsagg.stability_measures.adequacy import Adequacy, adequacy, adequacy_curve, enough_resamples
from pyfsagg.stability_measures.between import BetweenSampleStability, between_sample_stability
from pyfsagg.stability_measures.curves import chance_level, pareto_front, stability_curve
from pyfsagg.stability_measures.features import feature_stability
from pyfsagg.stability_measures.jackknife import pseudo_values
from pyfsagg.stability_measures.measure import list_stability_measures, stability
from pyfsagg.stability_measures.nogueira import NogueiraResult, StabilityTest, nogueira
from pyfsagg.stability_measures.result import StabilityReport, stability_report
from pyfsagg.stability_measures.sets import SetPairs
from pyfsagg.stability_measures.table import stability_table
from pyfsagg.stability_measures.thesis import thesis_measures

__all__ = [
    "STABILITY_MEASURES",
    "Adequacy",
    "BetweenSampleStability",
    "NogueiraResult",
    "PairwiseAverage",
    "SetPairs",
    "StabilityReport",
    "StabilityResult",
    "StabilitySpec",
    "StabilityTest",
    "UndefinedStabilityError",
    "WholeSample",
    "adequacy",
    "adequacy_curve",
    "between_sample_stability",
    "chance_level",
    "enough_resamples",
    "feature_stability",
    "list_stability_measures",
    "nogueira",
    "pareto_front",
    "pseudo_values",
    "stability",
    "stability_curve",
    "stability_report",
    "stability_table",
    "thesis_measures",
]


@shown_by("stability")
def _face() -> Face:
    from pyfsagg.stability_measures._page import stability_page
    from pyfsagg.stability_measures._plot import STABILITY_PLOTS

    return Face(STABILITY_PLOTS, stability_page)

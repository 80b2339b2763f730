"""How far selections, rankings and scores agree over resamples."""

from pyfsagg.stability_measures._base import (
    STABILITY_MEASURES,
    PairwiseAverage,
    StabilityResult,
    StabilitySpec,
    UndefinedStabilityError,
    WholeSample,
)
from pyfsagg.stability_measures.adequacy import Adequacy, adequacy, adequacy_curve, enough_resamples
from pyfsagg.stability_measures.curves import chance_level, pareto_front, stability_curve
from pyfsagg.stability_measures.features import feature_stability
from pyfsagg.stability_measures.jackknife import pseudo_values
from pyfsagg.stability_measures.measure import list_stability_measures, stability
from pyfsagg.stability_measures.nogueira import NogueiraResult, StabilityTest, nogueira
from pyfsagg.stability_measures.sets import SetPairs
from pyfsagg.stability_measures.table import stability_table
from pyfsagg.stability_measures.thesis import thesis_measures

__all__ = [
    "STABILITY_MEASURES",
    "Adequacy",
    "NogueiraResult",
    "PairwiseAverage",
    "SetPairs",
    "StabilityResult",
    "StabilitySpec",
    "StabilityTest",
    "UndefinedStabilityError",
    "WholeSample",
    "adequacy",
    "adequacy_curve",
    "chance_level",
    "enough_resamples",
    "feature_stability",
    "list_stability_measures",
    "nogueira",
    "pareto_front",
    "pseudo_values",
    "stability",
    "stability_curve",
    "stability_table",
    "thesis_measures",
]

"""How the choice of the aggregator influences the stability of an ensemble ranking."""

from pyfsagg.aggregator_influence.comparison import AggregatorComparison
from pyfsagg.aggregator_influence.cross_validation import (
    THESIS_AGGREGATORS,
    influence,
    with_options,
)
from pyfsagg.aggregator_influence.data_sets import compare_aggregators
from pyfsagg.aggregator_influence.result import THESIS_MEASURES, InfluenceResult

__all__ = [
    "THESIS_AGGREGATORS",
    "THESIS_MEASURES",
    "AggregatorComparison",
    "InfluenceResult",
    "compare_aggregators",
    "influence",
    "with_options",
]

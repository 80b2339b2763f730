"""How the choice of the aggregator influences the stability of an ensemble ranking."""

from __future__ import annotations

from pyfsagg._run.result import Face, shown_by
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


@shown_by("influence")
def _face_of_influence() -> Face:
    from pyfsagg.aggregator_influence._page import influence_page
    from pyfsagg.aggregator_influence._plot import INFLUENCE_PLOTS

    return Face(INFLUENCE_PLOTS, influence_page)


@shown_by("aggregator_comparison")
def _face_of_comparison() -> Face:
    from pyfsagg.aggregator_influence._plot import plot_pairwise

    return Face({"pairwise": plot_pairwise})

"""How the choice of the aggregator influences the stability of an ensemble ranking."""

from pyfsagg._run.result import Face, shown_by
from pyfsagg.aggregator_influence.experiments import (
    ListInfluence,
    compare_aggregators,
    influence,
    influence_of_lists,
)
from pyfsagg.aggregator_influence.result import InfluenceResult

__all__ = [
    "InfluenceResult",
    "ListInfluence",
    "compare_aggregators",
    "influence",
    "influence_of_lists",
]


@shown_by("influence")
def _face_of_influence() -> Face:
    from pyfsagg.aggregator_influence._report import INFLUENCE_PLOTS, influence_page

    return Face(INFLUENCE_PLOTS, influence_page)


@shown_by("list_influence")
def _face_of_lists() -> Face:
    from pyfsagg.aggregator_influence._report import list_influence_page, plot_agreement_of_halves

    return Face({"agreement": plot_agreement_of_halves}, list_influence_page)

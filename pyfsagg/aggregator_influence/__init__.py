"""How the choice of the aggregator influences the stability of an ensemble ranking."""

from pyfsagg._run.result import Renderer, register_renderer
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


@register_renderer("influence")
def _renderer_of_influence() -> Renderer:
    from pyfsagg.aggregator_influence._report import INFLUENCE_PLOTS, influence_page

    return Renderer(INFLUENCE_PLOTS, influence_page)


@register_renderer("list_influence")
def _renderer_of_lists() -> Renderer:
    from pyfsagg.aggregator_influence._report import list_influence_page, plot_agreement_of_halves

    return Renderer({"agreement": plot_agreement_of_halves}, list_influence_page)

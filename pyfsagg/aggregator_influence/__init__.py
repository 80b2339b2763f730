"""How the choice of the aggregator influences the stability of an ensemble ranking."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pyfsagg._run.result import shown_by
from pyfsagg.aggregator_influence.comparison import AggregatorComparison
from pyfsagg.aggregator_influence.cross_validation import (
    THESIS_AGGREGATORS,
    influence,
    with_options,
)
from pyfsagg.aggregator_influence.data_sets import compare_aggregators
from pyfsagg.aggregator_influence.result import THESIS_MEASURES, InfluenceResult

if TYPE_CHECKING:
    from pyfsagg._page.page import Page

__all__ = [
    "THESIS_AGGREGATORS",
    "THESIS_MEASURES",
    "AggregatorComparison",
    "InfluenceResult",
    "compare_aggregators",
    "influence",
    "with_options",
]


def _pictures() -> Mapping[str, Callable[..., Any]]:
    from pyfsagg.aggregator_influence._plot import INFLUENCE_PLOTS

    return INFLUENCE_PLOTS


def _page(result: InfluenceResult, **options: Any) -> Page:
    from pyfsagg.aggregator_influence._page import influence_page

    return influence_page(result, **options)


shown_by("influence", pictures=_pictures, page=_page)


def _pictures_of_comparison() -> Mapping[str, Callable[..., Any]]:
    from pyfsagg.aggregator_influence._plot import plot_pairwise

    return {"pairwise": plot_pairwise}


shown_by("aggregator_comparison", pictures=_pictures_of_comparison)

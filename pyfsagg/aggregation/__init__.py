"""Many scores or ranks per feature into one.

>>> from pyfsagg.aggregation import aggregate
>>> result = aggregate([["a", "b", "c"], ["a", "c"], ["b", "a"]], "mean_rank")
>>> result.to_frame()["rank"].to_dict()
{'a': 1.0, 'b': 2.0, 'c': 3.0}
"""

from pyfsagg._run.result import Renderer, register_renderer

# Importing a module of aggregators registers them.
from pyfsagg.aggregation import learned, order_statistics, pairwise, rank_based, score_based  # noqa: F401
from pyfsagg.aggregation._call import aggregate, compare_aggregations
from pyfsagg.aggregation._result import Aggregation
from pyfsagg.aggregation.about_lists import UniverseCheck, check_universe
from pyfsagg.aggregation.agreement import ListAgreement, list_agreement
from pyfsagg.aggregation.order_statistics import permutation_p_values

__all__ = [
    "Aggregation",
    "ListAgreement",
    "UniverseCheck",
    "aggregate",
    "check_universe",
    "compare_aggregations",
    "list_agreement",
    "permutation_p_values",
]


@register_renderer("aggregation")
def _renderer_of_aggregation() -> Renderer:
    from pyfsagg.aggregation._report import AGGREGATION_PLOTS, aggregation_page

    return Renderer(AGGREGATION_PLOTS, aggregation_page)


@register_renderer("method_comparison")
def _renderer_of_comparison() -> Renderer:
    from pyfsagg.aggregation._report import COMPARISON_PLOTS

    return Renderer(COMPARISON_PLOTS)


@register_renderer("list_agreement")
def _renderer_of_agreement() -> Renderer:
    from pyfsagg.aggregation._report import agreement_page, plot_list_agreement

    return Renderer({"curve": plot_list_agreement}, agreement_page)

"""Many scores or ranks per feature into one.

>>> from pyfsagg.aggregation import aggregate
>>> result = aggregate([["a", "b", "c"], ["a", "c"], ["b", "a"]], "mean_rank")
>>> result.to_frame()["rank"].to_dict()
{'a': 1.0, 'b': 2.0, 'c': 3.0}
"""

from pyfsagg._run.result import Face, shown_by

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


@shown_by("aggregation")
def _face_of_aggregation() -> Face:
    from pyfsagg.aggregation._report import AGGREGATION_PLOTS, aggregation_page

    return Face(AGGREGATION_PLOTS, aggregation_page)


@shown_by("method_comparison")
def _face_of_comparison() -> Face:
    from pyfsagg.aggregation._report import COMPARISON_PLOTS

    return Face(COMPARISON_PLOTS)


@shown_by("list_agreement")
def _face_of_agreement() -> Face:
    from pyfsagg.aggregation._report import agreement_page, plot_list_agreement

    return Face({"curve": plot_list_agreement}, agreement_page)

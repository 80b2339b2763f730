"""Many scores or ranks per feature into one.

>>> from pyfsagg.aggregation import aggregate
>>> result = aggregate([["a", "b", "c"], ["a", "c"], ["b", "a"]], "mean_rank")
>>> result.to_frame()["ranking"].to_dict()
{'a': 1.0, 'b': 2.0, 'c': 3.0}
"""

from __future__ import annotations

import pandas as pd

from pyfsagg._base.adjustment import adjust_p_values
from pyfsagg._run.result import Face, shown_by

# Importing a module of aggregators registers them.
from pyfsagg.aggregation import (
    counting,
    fpcps,
    learned,
    markov,
    order_statistics,
    rank_based,
    score_based,
)
from pyfsagg.aggregation._base import AGGREGATORS, AggregatedValues, AggregatorSpec
from pyfsagg.aggregation._call import aggregate, as_rank_table
from pyfsagg.aggregation._result import Aggregation, Comparison, PermutationTest
from pyfsagg.aggregation.agreement import ListAgreement, list_agreement
from pyfsagg.aggregation.comparison import compare_methods
from pyfsagg.aggregation.permutation import permutation_p_values

__all__ = [
    "AGGREGATORS",
    "AggregatedValues",
    "Aggregation",
    "AggregatorSpec",
    "Comparison",
    "ListAgreement",
    "PermutationTest",
    "adjust_p_values",
    "aggregate",
    "as_rank_table",
    "compare_methods",
    "counting",
    "fpcps",
    "learned",
    "list_aggregators",
    "list_agreement",
    "markov",
    "order_statistics",
    "permutation_p_values",
    "rank_based",
    "score_based",
]


def list_aggregators() -> pd.DataFrame:
    """Table of all aggregators: statistic, input, direction and source.

    Examples
    --------
    >>> list_aggregators().loc["stuart", "input"]
    'ranks'
    """
    return AGGREGATORS.to_frame("latex", "compute", "by_item", "in_loops", "extreme")


@shown_by("aggregation")
def _face_of_aggregation() -> Face:
    from pyfsagg.aggregation._page import aggregation_page
    from pyfsagg.aggregation._plot import AGGREGATION_PLOTS

    return Face(AGGREGATION_PLOTS, aggregation_page)


@shown_by("method_comparison")
def _face_of_comparison() -> Face:
    from pyfsagg.aggregation._plot_comparison import COMPARISON_PLOTS

    return Face(COMPARISON_PLOTS)


@shown_by("list_agreement")
def _face_of_agreement() -> Face:
    from pyfsagg.aggregation._page_agreement import agreement_page
    from pyfsagg.aggregation._plot_agreement import plot_list_agreement

    return Face({"curve": plot_list_agreement}, agreement_page)

"""Many scores or ranks per feature into one.

>>> from pyfsagg.aggregation import aggregate
>>> result = aggregate([["a", "b", "c"], ["a", "c"], ["b", "a"]], "mean_rank")
>>> result.to_frame()["ranking"].to_dict()
{'a': 1.0, 'b': 2.0, 'c': 3.0}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from pyfsagg._base.adjustment import adjust_p_values
from pyfsagg._run.result import shown_by

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

if TYPE_CHECKING:
    from pyfsagg._page.page import Page

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


def _pictures() -> Mapping[str, Callable[..., Any]]:
    from pyfsagg.aggregation._plot import AGGREGATION_PLOTS

    return AGGREGATION_PLOTS


def _pictures_of_comparison() -> Mapping[str, Callable[..., Any]]:
    from pyfsagg.aggregation._plot_comparison import COMPARISON_PLOTS

    return COMPARISON_PLOTS


def _page(result: Aggregation, **options: Any) -> Page:
    from pyfsagg.aggregation._page import aggregation_page

    return aggregation_page(result, **options)


def _pictures_of_agreement() -> Mapping[str, Callable[..., Any]]:
    from pyfsagg.aggregation._plot_agreement import plot_list_agreement

    return {"curve": plot_list_agreement}


def _page_of_agreement(result: ListAgreement, **options: Any) -> Page:
    from pyfsagg.aggregation._page_agreement import agreement_page

    return agreement_page(result, **options)


shown_by("aggregation", pictures=_pictures, page=_page)
shown_by("method_comparison", pictures=_pictures_of_comparison)
shown_by("list_agreement", pictures=_pictures_of_agreement, page=_page_of_agreement)

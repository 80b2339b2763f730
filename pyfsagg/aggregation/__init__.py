"""Many scores or ranks per feature into one.

>>> from pyfsagg.aggregation import aggregate
>>> result = aggregate([["a", "b", "c"], ["a", "c"], ["b", "a"]], "mean_rank")
>>> result.to_frame()["ranking"].to_dict()
{'a': 1.0, 'b': 2.0, 'c': 3.0}
"""

import pandas as pd

from pyfsagg._base.adjustment import adjust_p_values

# Importing a module of aggregators registers them.
from pyfsagg.aggregation import fpcps, markov, order_statistics, rank_based, score_based
from pyfsagg.aggregation._base import AGGREGATORS, AggregatedValues, AggregatorSpec
from pyfsagg.aggregation._result import Aggregation, aggregate, as_rank_table
from pyfsagg.aggregation.permutation import PermutationTest, permutation_p_values

__all__ = [
    "AGGREGATORS",
    "AggregatedValues",
    "Aggregation",
    "AggregatorSpec",
    "PermutationTest",
    "adjust_p_values",
    "aggregate",
    "as_rank_table",
    "fpcps",
    "list_aggregators",
    "markov",
    "order_statistics",
    "permutation_p_values",
    "rank_based",
    "score_based",
]


def list_aggregators() -> pd.DataFrame:
    """The aggregators by name: what they compute, from what, in which direction, and their source.

    Examples
    --------
    >>> list_aggregators().loc["stuart", "input"]
    'ranks'
    """
    return AGGREGATORS.to_frame("compute", "by_item")

"""Feature selection in rank-order spaces: samples as orders of their features.

Source: Slotta, Vergara, Ramakrishnan and Heath, *Algorithms for Feature Selection in Rank-Order
Spaces* (2005), called "orders" in the notes of the functions.
"""

from __future__ import annotations

from pyfsagg._run.result import Face, shown_by
from pyfsagg.rank_order._engine import Strategy
from pyfsagg.rank_order._orders import Orders
from pyfsagg.rank_order._result import Elimination
from pyfsagg.rank_order.distances import (
    center,
    class_centers,
    concordance,
    inversion_counts,
    kendall_distance,
    spearman_distance,
)
from pyfsagg.rank_order.divergence import instance_divergence, subset_divergence
from pyfsagg.rank_order.elimination import eliminate, elimination_scores
from pyfsagg.rank_order.generators import (
    ConcordantOrders,
    PlantedOrders,
    make_concordant_orders,
    make_planted_orders,
)
from pyfsagg.rank_order.methods import (
    ELIMINATIONS,
    EliminationSpec,
    estimate_seconds,
    list_eliminations,
)
from pyfsagg.rank_order.naive_bayes import naive_bayes_accuracy, random_subset_baseline
from pyfsagg.rank_order.selector import RankOrderSelector
from pyfsagg.rank_order.spoilers import spoiler_counts
from pyfsagg.rank_order.transforms import OrderState, project, to_boolean_order, to_rank_order

__all__ = [
    "ELIMINATIONS",
    "ConcordantOrders",
    "Elimination",
    "EliminationSpec",
    "OrderState",
    "Orders",
    "PlantedOrders",
    "RankOrderSelector",
    "Strategy",
    "center",
    "class_centers",
    "concordance",
    "eliminate",
    "elimination_scores",
    "estimate_seconds",
    "instance_divergence",
    "inversion_counts",
    "kendall_distance",
    "list_eliminations",
    "make_concordant_orders",
    "make_planted_orders",
    "naive_bayes_accuracy",
    "project",
    "random_subset_baseline",
    "spearman_distance",
    "spoiler_counts",
    "subset_divergence",
    "to_boolean_order",
    "to_rank_order",
]


@shown_by("elimination")
def _face() -> Face:
    from pyfsagg.rank_order._page import elimination_page
    from pyfsagg.rank_order._plot import ELIMINATION_PLOTS

    return Face(ELIMINATION_PLOTS, elimination_page)

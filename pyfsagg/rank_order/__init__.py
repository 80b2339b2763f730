"""Feature selection in rank-order spaces: samples as orders of their features.

Source: Slotta, Vergara, Ramakrishnan and Heath, *Algorithms for Feature Selection in Rank-Order
Spaces* (2005), called "orders" in the notes of the functions.
"""

from pyfsagg._run.result import Renderer, register_renderer
from pyfsagg.rank_order.elimination import Elimination, RankOrderSelector, eliminate
from pyfsagg.rank_order.generators import make_planted_orders

__all__ = [
    "Elimination",
    "RankOrderSelector",
    "eliminate",
    "make_planted_orders",
]


@register_renderer("elimination")
def _renderer() -> Renderer:
    from pyfsagg.rank_order._report import ELIMINATION_PLOTS, elimination_page

    return Renderer(ELIMINATION_PLOTS, elimination_page)

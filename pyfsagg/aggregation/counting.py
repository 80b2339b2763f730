"""Aggregators that give points for a place: reciprocal rank fusion and vote counting."""

from __future__ import annotations

import numpy as np

from pyfsagg._base.checks import check_integer, check_real
from pyfsagg._base.types import Floats
from pyfsagg.aggregation._base import AGGREGATORS, AggregatedValues, AggregatorSpec
from pyfsagg.ranks import RankTable

__all__ = ["reciprocal_rank_fusion", "vote_counting"]


def reciprocal_rank_fusion(table: RankTable, *, constant: float = 60.0) -> AggregatedValues:
    """Reciprocal rank fusion: Σ 1/(c + r_i) over the lists that hold the item.

    An absent item gets 0 from a list, whatever the universe.

    Parameters
    ----------
    table : RankTable
    constant : float
        c, at least 0: the larger it is, the less weight the first places have.

    References
    ----------
    Cormack, Clarke, Büttcher (2009), SIGIR, 758–759.

    Examples
    --------
    >>> lists = RankTable.from_lists([["a", "b"], ["a", "c"]])
    >>> reciprocal_rank_fusion(lists).statistic.round(5)
    array([0.03279, 0.01613, 0.01613])
    """
    constant = check_real("constant", constant, low=0.0)
    return _points(np.where(table.missing, 0.0, 1.0 / (constant + table.ranks)), table)


def vote_counting(table: RankTable, *, top: int | None = None) -> AggregatedValues:
    """Number of lists that contain an item, or have it among their best `top`.

    Parameters
    ----------
    table : RankTable
    top : int, optional
        Places of a list that count; all by default, which cannot separate the
        items of full lists.
        A tied item counts if the mean rank of its ties is within.

    Examples
    --------
    >>> vote_counting(RankTable.from_lists([["a", "b"], ["a", "c"]])).statistic
    array([2., 1., 1.])
    """
    held = ~table.missing
    if top is not None:
        held &= table.ranks <= check_integer("top", top, low=1)  # NaN compares as False
    return _points(held.astype(np.float64), table)


def _points(points: Floats, table: RankTable) -> AggregatedValues:
    """The sum over the lists; items with the same points in another order tie exactly."""
    weighted = points if table.weights is None else points * table.weights[:, np.newaxis]
    total: Floats = np.sort(weighted, axis=0).sum(axis=0)
    return AggregatedValues(total, total)


AGGREGATORS.add(
    AggregatorSpec(
        name="reciprocal_rank_fusion",
        aliases=("rrf",),
        summary="sum of reciprocal ranks, softened by a constant",
        formula="sum_i 1 / (c + r_i), over the lists with the item, c = 60",
        latex=r"\sum_{i} \frac{1}{c + r_i}, \quad c = 60",
        bounds="[0, m / (c + 1)]",
        ties="ranks count as they are; average ranks are the default where lists are ranked",
        source="Cormack, Clarke, Büttcher (2009)",
        compute=reciprocal_rank_fusion,
        input="ranks",
        options=("constant",),
        weights="any",
    ),
    AggregatorSpec(
        name="vote_counting",
        aliases=("vote_count", "votes"),
        summary="how many lists hold the item",
        formula="number of lists with the item (among their best, with top)",
        latex=r"\sum_{i=1}^{m} 1 [ \text{list } i \text{ has the item} ]",
        bounds="[0, m]",
        ties="with top, the mean rank of the ties decides",
        source="Wang et al. (2022), Bioinformatics 38",
        compute=vote_counting,
        input="ranks",
        options=("top",),
        weights="any",
        unranked="counts as any other; with top, the mean rank (k + 1)/2 of its k items decides",
    ),
)

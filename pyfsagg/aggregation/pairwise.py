"""Aggregators that compare the items pair by pair: Copeland's count of majorities, and Kemeny's order."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.validation import check_integer, check_real
from pyfsagg._kernels.consensus import majorities
from pyfsagg._message import Param, Remedy, Use
from pyfsagg.aggregation._base import AGGREGATORS, AggregatedValues, rank_aggregator
from pyfsagg.aggregation.markov import IN_NO_ORDER, compared_ranks, counts_of_lists
from pyfsagg.aggregation.rank_based import borda
from pyfsagg.exceptions import DataError
from pyfsagg.ranks import RankTable

Order = NDArray[np.intp]
MAX_ITEMS = 2000
LARGEST_KNOT = 50
CLOSE = 1e-9
"""Sums of weights that differ by less than this share of their total are equal."""


def copeland(table: RankTable, *, tie: float = 0.5) -> AggregatedValues:
    """Copeland's count: how many other items an item beats, one by one, in more lists than it loses to.

    A pair that is won as often as lost gives each `tie` points (1/2; 0 counts victories alone, as what
    FLAGR calls Condorcet winners).  A list that is cut off ranks its absent items equal, below all it
    holds; with ``full=True`` a list compares its own items.  O(p² m) time, O(p) memory.
    """
    tie = check_real("tie", tie, low=0.0, high=1.0)
    won, equal = np.empty((2, table.n_items), dtype=np.int64)
    majorities(np.ascontiguousarray(compared_ranks(table).T), counts_of_lists(table), won, equal)
    points = won + tie * equal
    first = np.flatnonzero(won == table.n_items - 1)
    name = f"{table.names[first[0]]!r} beats every" if first.size else "No item beats every"
    return AggregatedValues(points, points, remarks=(f"{name} other item (Condorcet winner).",))


def kemeny(
    table: RankTable, *, max_exact: int = LARGEST_KNOT, max_items: int = MAX_ITEMS
) -> AggregatedValues:
    """Kemeny's order: the one that contradicts the lists least, over all pairs of items.

    Its distance is the sum over lists and pairs of the weight of a list that ranks the pair the other way
    round; pairs tied or absent in a list cost nothing, absent items as in :func:`copeland`.  Items of which
    none beats the next in a circle are ordered together; the others follow from the majorities (Truchon
    1998).  A knot of up to `max_exact` items is an integer programme with all triangles of pairs, solved
    to the end (SciPy's HiGHS).  In a larger one Borda's order is improved by moving single items, and the
    remark says between which bounds the smallest distance lies.  The statistic is the place, from 1.
    """
    max_exact = check_integer("max_exact", max_exact, low=2)
    p = table.n_items
    if p > check_integer("max_items", max_items, low=1):
        raise DataError(
            f"Kemeny's order compares all pairs of {p} items, and is refused above ",
            Use(max_items=max_items),
            Remedy("aggregate with borda or copeland, or raise ", Param("max_items")),
        )
    ranks, weights = compared_ranks(table), counts_of_lists(table)
    above = np.zeros((p, p))  # above[i, j]: weight of the lists that rank i above j
    for row, weight in zip(ranks, weights, strict=True):
        above += weight * (row[:, np.newaxis] < row)
    start = np.argsort(-borda(table).scores, kind="stable")
    above = above[np.ix_(start, start)]  # of equal choices the one that Borda prefers
    order: list[int] = []
    lowest, proved = 0.0, True
    for knot in _knots(above):
        inside = above[np.ix_(knot, knot)]
        if knot.size <= max_exact:
            best = _exact_order(inside)
        else:
            best, proved = _improved_order(inside), False
            lowest -= (
                _contradicted(inside[np.ix_(best, best)]) - np.minimum(inside, inside.T).sum() / 2
            )
        order += knot[best].tolist()
    distance = _contradicted(above[np.ix_(order, order)])
    place = np.empty(p)
    place[start[order]] = np.arange(1.0, p + 1.0)
    text = f"The order contradicts the lists in {distance:,.6g} pairs, counted in every list"
    if proved:
        text += "; no order contradicts them less."
    else:
        text += f". The smallest number lies between {distance + lowest:,.6g} and this."
    return AggregatedValues(-place, place, remarks=(text,))


def _contradicted(above: Floats) -> float:
    """The distance of the order in which the rows stand."""
    return float(np.tril(above, -1).sum())


def _knots(above: Floats) -> list[Order]:
    """Items that beat each other in a circle, as groups in an order that contradicts no majority.

    Groups that no majority orders stand in the order of the rows.
    """
    from scipy.sparse.csgraph import connected_components

    beats = above - above.T > CLOSE * (above + above.T)
    n, group = connected_components(beats, directed=True, connection="strong")
    into = np.zeros((n, n), dtype=bool)
    winner, loser = np.nonzero(beats)
    into[group[winner], group[loser]] = True
    np.fill_diagonal(into, False)
    waiting = into.sum(axis=0)
    members = [np.flatnonzero(group == g) for g in range(n)]
    free = [(int(members[g][0]), g) for g in np.flatnonzero(waiting == 0).tolist()]
    heapify(free)
    knots = []
    while free:
        _, g = heappop(free)
        knots.append(members[g])
        for follower in np.flatnonzero(into[g]).tolist():
            waiting[follower] -= 1
            if waiting[follower] == 0:
                heappush(free, (int(members[follower][0]), follower))
    return knots


def _exact_order(above: Floats) -> Order:
    """The best order of a few items, by integer programming: x_ij is 1 where i stands above j, i < j."""
    n = len(above)
    if n < 3:
        return np.arange(n)  # alone, or tied
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    i, j = np.triu_indices(n, 1)
    variable = np.zeros((n, n), dtype=np.int32)  # all that HiGHS takes in older versions of SciPy
    variable[i, j] = np.arange(i.size)
    a, b, c = np.array(list(combinations(range(n), 3))).T
    columns = np.column_stack([variable[a, b], variable[b, c], variable[a, c]]).ravel()
    rows = np.repeat(np.arange(a.size, dtype=np.int32), 3)
    triangles = csr_array((np.tile([1.0, 1.0, -1.0], a.size), (rows, columns)), (a.size, i.size))
    found = milp(
        (above.T - above)[i, j],
        integrality=np.ones(i.size, dtype=np.int64),
        bounds=Bounds(0.0, 1.0),
        constraints=LinearConstraint(triangles, 0.0, 1.0),
        options={"mip_rel_gap": 0.0},
    )
    first = np.zeros((n, n))
    assert found.x is not None  # any order will do, and there is no limit
    first[i, j] = np.round(found.x)
    first[j, i] = 1.0 - first[i, j]
    return np.argsort(-first.sum(axis=1), kind="stable")


def _improved_order(above: Floats) -> Order:
    """An order that no move of a single item betters, from that of the rows."""
    order = np.arange(len(above))
    gain = above - above.T
    better = True
    while better:
        better = False
        for item in range(len(order)):
            rest = order[order != item]
            # What it gains at each place over the last one: the sum over those that it then precedes.
            gains = np.r_[np.cumsum(gain[item, rest][::-1])[::-1], 0.0]
            now = int(np.flatnonzero(order == item)[0])
            best = int(np.argmax(gains))
            if gains[best] > gains[now] + CLOSE * above.max() * len(order):
                order = np.insert(rest, best, item)
                better = True
    return order


AGGREGATORS.add(
    rank_aggregator(
        name="copeland",
        summary="how many other items a majority of the lists ranks lower",
        formula="number of b that more lists rank below a than above it, + 1/2 for those as often",
        latex=r"\sum_{b \ne a} 1 [ w_{ab} > w_{ba} ] + \frac{1}{2} \, 1 [ w_{ab} = w_{ba} ], \quad "
        r"w_{ab} = \sum_{i=1}^{m} 1 [ r_i(a) < r_i(b) ]",
        bounds="[0, p - 1]",
        ties="an equal rank decides nothing",
        source="Copeland (1951); Montague, Aslam (2002), CIKM, for fusion by majorities",
        compute=copeland,
        unranked=IN_NO_ORDER,
        options=("tie",),
    ),
    rank_aggregator(
        name="kemeny",
        aliases=("kemeny_young",),
        summary="the order that contradicts the lists in the fewest pairs",
        formula="place in the order that minimizes sum over lists of the pairs that it turns round",
        latex=r"\operatorname{argmin}_{\pi} \sum_{\pi(a) < \pi(b)} \sum_{i=1}^{m} 1 [ r_i(b) < r_i(a) ]",
        bounds="[1, p]",
        higher_is_better=False,
        ties="an equal rank costs nothing; of several best orders one, near to Borda's",
        source="Kemeny (1959); Young, Levenglick (1978); Truchon (1998), for the knots",
        compute=kemeny,
        unranked=IN_NO_ORDER,
        options=("max_exact", "max_items"),
    ),
)

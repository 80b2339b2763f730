"""Aggregators that compare the items pair by pair: Markov chains, Copeland's majorities, and Kemeny's order.

A chain (MC1 to MC4, the one-row scores of fpcps) walks over the items and moves towards better-ranked ones;
items where it spends more time are better.  Every chain here jumps to a random item with probability
`damping` at each step, so its stationary distribution exists and is unique for any lists.
"""

import math
import time
from collections.abc import Callable
from functools import partial
from heapq import heapify, heappop, heappush
from itertools import combinations, pairwise
from typing import Any, Literal

import numpy as np

from pyfsagg._base import remarks, validation
from pyfsagg._base.arithmetic import Booleans, Floats, Indices, levelled
from pyfsagg._base.words import duration
from pyfsagg._kernels import consensus
from pyfsagg._message import Name, Param, Remedy, Use
from pyfsagg.aggregation._base import (
    AGGREGATORS,
    SOLVED,
    AggregatedValues,
    AggregatorSpec,
    rank_aggregator,
)
from pyfsagg.aggregation.rank_based import borda
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.ranks import Rankings, rank_scores

Step = Callable[[Floats, Floats], None]

PAIRWISE_LIMIT = 10_000
MAX_STEPS = 100_000
FIRST_SECONDS, LONG = 3.0, 20.0
"""Seconds after which the time that a chain needs is estimated, and those that are worth a warning."""


def climbing_chain(
    of_one_list: bool,
    table: Rankings,
    *,
    damping: float = 0.05,
    tolerance: float = 1e-12,
    definition: Literal["dwork", "lin"] = "dwork",
    max_items: int = PAIRWISE_LIMIT,
) -> AggregatedValues:
    """Stationary distribution of MC1: from item i to a random item of all those that a list ranks at
    least as high (``"dwork"``), or to any random item that a list ranks higher (``"lin"``); or `of_one_list`
    (MC2): to a random item that a random list with i ranks at least as high, or to any random item that at
    least half of the lists with both rank higher (TopKLists moves with probability 1/2 between items that
    no list compares, this does not)."""
    validation.check_choice("definition", definition, ("dwork", "lin"))
    if definition == "lin":
        needed = consensus.HALF if of_one_list else consensus.ANY
        chain = {"damping": damping, "tolerance": tolerance}
        return majority_chain(needed, table, **chain, max_items=max_items)
    lists = _Lists(table)
    reach: Floats = (lists.reach * lists.weights).sum(axis=0)
    if of_one_list:
        reach = lists.weight_of_item * np.where(lists.missing, 1.0, lists.reach)
    weights = np.where(lists.missing, 0.0, lists.weights / reach)
    return _stationary(lists.step(weights), table.n_items, damping, tolerance)


def mc3(table: Rankings, *, damping: float = 0.05, tolerance: float = 1e-12) -> AggregatedValues:
    """Stationary distribution of MC3: from item i to a random item of a random list with i, if the list
    ranks it higher."""
    lists = _Lists(table)
    drawn = lists.weights / (lists.weight_of_item * lists.held[:, np.newaxis])
    weights = np.where(lists.missing, 0.0, drawn)
    leaving = (weights * np.where(lists.missing, 0.0, lists.above)).sum(axis=0)
    move = lists.step(weights, strict=True)

    def step(mass: Floats, out: Floats) -> None:
        move(mass, out)
        out += mass * (1.0 - leaving)

    return _stationary(step, table.n_items, damping, tolerance)


def majority_chain(
    needed: int,
    table: Rankings,
    *,
    damping: float = 0.05,
    tolerance: float = 1e-12,
    max_items: int = PAIRWISE_LIMIT,
) -> AggregatedValues:
    """Stationary distribution of MC4: from item i to any random item that more than half of the lists
    with both rank higher, or as many as `needed`; p² bytes, O(p² m) time."""
    max_items = validation.check_integer("max_items", max_items, low=1)
    p = table.n_items
    if p > max_items:
        raise DataError(
            f"this chain compares all pairs of {p} items, which takes {p * p / 1000000.0:.0f} MB ",
            "and is refused above ",
            Use(max_items=max_items),
            Remedy(
                "aggregate with mc1, mc2 (definition 'dwork') or mc3, or raise ", Param("max_items")
            ),
        )
    wins = np.empty((p, p), dtype=np.uint8)
    consensus.win_matrix(
        np.ascontiguousarray(compared_ranks(table).T), counts_of_lists(table), needed, wins
    )
    return _stationary(
        lambda mass, out: consensus.pairwise_step(mass, wins, out), p, damping, tolerance
    )


def row_score(majority: bool, table: Rankings) -> AggregatedValues:
    """The fpcps score of MC1, or of MC2 if a `majority` is needed: 1 − (number of items that some list, or
    more than half of the lists with both, ranks higher) / p, the probability to stay in one step.
    O(u² m + p m log p) time for u different columns of ranks, O(m p) memory."""
    # Items with the same ranks in all lists have one score: each such group is compared once.
    groups, group_of, sizes = np.unique(
        compared_ranks(table), axis=1, return_inverse=True, return_counts=True
    )
    groups, sizes = np.ascontiguousarray(groups), sizes.astype(np.int64)
    counts = np.empty(sizes.size, dtype=np.int64)
    consensus.better_counts(groups, counts_of_lists(table), majority, sizes, counts)
    values = 1.0 - counts[group_of.ravel()] / table.n_items
    return AggregatedValues(values, values)


class _Lists:
    """The lists sorted once: orders, ties and counts that the chains of prefixes need."""

    def __init__(self, table: Rankings) -> None:
        ranks = compared_ranks(table)
        self.missing = np.isnan(ranks)
        self.held = np.asarray((~self.missing).sum(axis=1), dtype=np.int64)
        self.order = np.argsort(ranks, axis=1, kind="stable").astype(np.int64)
        keys = np.where(self.missing, np.inf, ranks)
        # Items at least as high (itself and its ties among them), and strictly higher.
        self.reach = rank_scores(keys, "max", higher_is_better=False)
        self.above = rank_scores(keys, "min", higher_is_better=False) - 1.0
        weights = np.ones(table.n_lists) if table.weights is None else table.weights
        self.weights = weights[:, np.newaxis]
        self.weight_of_item = (~self.missing * self.weights).sum(axis=0)
        self.ends = np.take_along_axis(self.reach, self.order, axis=1).astype(np.int64)
        self.reach[self.missing] = 0.0

    def step(self, weights: Floats, strict: bool = False) -> Step:
        def move(mass: Floats, out: Floats) -> None:
            consensus.prefix_step(mass, self.order, self.ends, self.held, weights, strict, out)

        return move


def compared_ranks(table: Rankings) -> Floats:
    """Ranks with absent items tied behind all others (``absent="worst"``) or NaN (``absent="unknown"``)."""
    if table.absent == "unknown" or not table.missing.any():
        return table.ranks
    return np.where(table.missing, table.sizes[:, np.newaxis] + 1.0, table.ranks)


def _stationary(step: Step, p: int, damping: float, tolerance: float) -> AggregatedValues:
    """Power iteration; the damped chain contracts distances by 1 − damping at each step."""
    damping = validation.check_real("damping", damping, low=0.0, low_open=True, high=1.0)
    tolerance = validation.check_real("tolerance", tolerance, low=1e-15)
    mass = np.full(p, 1.0 / p)
    start, first, estimated = time.perf_counter(), math.inf, False
    for n_steps in range(1, MAX_STEPS + 1):
        moved = np.zeros(p)
        step(mass, moved)
        moved = (1.0 - damping) * moved + damping / p
        moved /= moved.sum()
        error = float(np.abs(moved - mass).sum()) * (1.0 - damping) / damping
        mass = moved
        if error <= tolerance:
            return AggregatedValues(mass, mass, rounding=SOLVED * mass)
        spent = time.perf_counter() - start
        if n_steps == 1:
            first = error
        elif n_steps >= 3 and spent >= FIRST_SECONDS and not estimated:
            estimated = True
            rate = min((error / first) ** (1.0 / (n_steps - 1)), 1.0 - damping)
            left = math.log(max(error / tolerance, 1.0)) / -math.log(max(rate, 1e-3))
            _warn_if_long(min(left, MAX_STEPS - n_steps), spent / n_steps, damping, tolerance)
    raise ParameterError(
        f"the chain did not settle within {MAX_STEPS} steps at ",
        Use(tolerance=Name(f"{tolerance:g}")),
        Remedy(f"raise tolerance or damping (now {damping:g})"),
    )


def counts_of_lists(table: Rankings) -> consensus.Counts:
    """What each list counts in a majority: whole numbers, which are compiled apart, without weights."""
    weights = table.weights
    return np.ones(table.n_lists, dtype=np.int64) if weights is None else weights


def _warn_if_long(n_steps: float, seconds: float, damping: float, tolerance: float) -> None:
    """Say how long a chain will take that settles slowly."""
    if n_steps * seconds > LONG:
        remarks.warn(
            f"this chain will take about {duration(n_steps * seconds)} more, for about "
            f"{n_steps:,.0f} steps at ",
            Use(damping=Name(f"{damping:g}")),
            " and ",
            Use(tolerance=Name(f"{tolerance:g}")),
            "; a larger damping (0.05 is usual) or ",
            Param("tolerance"),
            " takes fewer",
            stacklevel=2,
        )


IN_NO_ORDER = "its items are tied above all others"


_CHAINS = "Dwork, Kumar, Naor, Sivakumar (2001); Lin (2010)"
_ROWS = "Filchenkov, Dolganov, Smetannikov (2015), section 4.4"


def _chain(source: str = _CHAINS, ties: str = "not higher", **parts: Any) -> AggregatorSpec:
    """What chains, and the scores of one row of them, have in common."""
    common = {"bounds": "[0, 1]", "unranked": IN_NO_ORDER, "source": source, "ties": ties}
    return rank_aggregator(**common, **parts)


_STATIONARY = "stationary distribution of: "
_AT_LEAST = "at least as high; definition='lin': not higher"
AGGREGATORS.add(
    _chain(
        name="mc1",
        summary="Markov chain over all better-ranked items",
        formula=_STATIONARY + "go to any item of all those that a list ranks at least as high",
        latex=r"\pi = \pi T, \quad T_{ab} = \frac{\sum_i 1 [ r_i(b) \le r_i(a) ]}{\sum_i \sum_c "
        r"1 [ r_i(c) \le r_i(a) ]}",
        ties=_AT_LEAST,
        compute=partial(climbing_chain, False),
    ),
    _chain(
        name="mc2",
        summary="Markov chain over one list's better items",
        formula=_STATIONARY + "draw a list, go to any of its items that it ranks at least as high",
        latex=r"\pi = \pi T, \quad T_{ab} = \frac{1}{m} \sum_{i=1}^{m} \frac{1 [ r_i(b) \le "
        r"r_i(a) ]}{\sum_c 1 [ r_i(c) \le r_i(a) ]}",
        ties=_AT_LEAST + "; with it, as in R's TopKLists, half of the lists suffice, in mc4 "
        "more than half",
        compute=partial(climbing_chain, True),
    ),
    _chain(
        name="mc3",
        summary="Markov chain over one list's items",
        formula=_STATIONARY
        + "draw a list and one of its items, go there if the list ranks it higher",
        latex=r"\pi = \pi T, \quad T_{ab} = \frac{1}{m} \sum_{i=1}^{m} \frac{1 [ r_i(b) < "
        r"r_i(a) ]}{n_i} \quad (b \ne a)",
        compute=mc3,
    ),
    _chain(
        name="mc4",
        summary="Markov chain over majorities of lists",
        formula=_STATIONARY
        + "draw any item, go there if more than half of the lists rank it higher",
        latex=r"\pi = \pi T, \quad T_{ab} = \frac{1}{p} \; 1 \left[ \sum_{i} 1 [ r_i(b) < "
        r"r_i(a) ] > \frac{m}{2} \right] \quad (b \ne a)",
        compute=partial(majority_chain, consensus.MOST),
    ),
    _chain(
        name="mc1_row",
        summary="one-row score: beaten in no list",
        formula="1 - (number of items that some list ranks higher) / p",
        latex=r"1 - \frac{1}{p} \sum_{b} 1 \left[ \exists \, i : r_i(b) < r_i(a) \right]",
        source=_ROWS,
        compute=partial(row_score, False),
    ),
    _chain(
        name="mc2_row",
        summary="one-row score: beaten by no majority",
        formula="1 - (number of items that more than half of the lists rank higher) / p",
        latex=r"1 - \frac{1}{p} \sum_{b} 1 \left[ \sum_{i} 1 [ r_i(b) < r_i(a) ] > \frac{m}{2} "
        r"\right]",
        source=_ROWS,
        compute=partial(row_score, True),
    ),
)


Order = Indices
MAX_ITEMS = 2000
LARGEST_KNOT = 50
CLOSE = 1e-9  # sums of weights that differ by less than this share of their total are equal


def copeland(table: Rankings, *, tie: float = 0.5) -> AggregatedValues:
    """Copeland's count: the number of items that more lists rank lower than higher; a draw counts `tie`
    points (1/2, or 0 as in FLAGR). Absent items of a truncated list are tied below its items; with
    ``absent="unknown"`` a list compares only its items. O(p² m) time, O(p) memory."""
    tie = validation.check_real("tie", tie, low=0.0, high=1.0)
    won, equal = np.empty((2, table.n_items), dtype=np.int64)
    consensus.majorities(
        np.ascontiguousarray(compared_ranks(table).T), counts_of_lists(table), won, equal
    )
    points = won + tie * equal
    first = np.flatnonzero(won == table.n_items - 1)
    name = f"{table.items[first[0]]!r} beats every" if first.size else "No item beats every"
    return AggregatedValues(points, points, remarks=(f"{name} other item (Condorcet winner).",))


def kemeny(
    table: Rankings, *, max_exact: int = LARGEST_KNOT, max_items: int = MAX_ITEMS
) -> AggregatedValues:
    """Kemeny's order, with the smallest weighted number of discordant pairs; pairs tied or absent in a
    list cost nothing. Majorities order the items but for cycles (Truchon 1998): of up to `max_exact`
    items they are solved exactly as an integer programme (SciPy's HiGHS), larger ones by moving single
    items of Borda's order, with bounds in a remark. Of several best orders it is one near Borda's, the
    same for any order of lists and items, and a remark says that there are several. The statistic is the
    place, from 1.
    """
    max_exact = validation.check_integer("max_exact", max_exact, low=2)
    p = table.n_items
    if p > validation.check_integer("max_items", max_items, low=1):
        raise DataError(
            f"Kemeny's order compares all pairs of {p} items, and is refused above ",
            Use(max_items=max_items),
            Remedy("aggregate with borda or copeland, or raise ", Param("max_items")),
        )
    ranks, weights = compared_ranks(table), counts_of_lists(table)
    points = borda(table).scores
    error = table.n_lists * np.finfo(np.float64).eps * float(np.abs(points).max())
    # Of equal choices the one that Borda prefers, and then that of the names.
    start = np.lexsort((np.array(table.items), -levelled(points, error)))
    ranks = ranks[:, start]
    above = np.zeros((p, p))  # above[i, j]: weight of the lists that rank i above j
    for row in np.lexsort((*ranks.T, weights)):
        above += weights[row] * (ranks[row][:, np.newaxis] < ranks[row])
    order: list[int] = []
    lowest, proved = 0.0, True
    knots = _knots(above)
    others = any(not _beats(above)[np.ix_(a, b)].any() for a, b in pairwise(knots))
    for knot in knots:
        inside = above[np.ix_(knot, knot)]
        if knot.size <= max_exact:
            best = _exact_order(inside)
            others = others or _has_another(inside, best)
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
    if proved and others:
        text += (
            "; no order contradicts them less, but others as little. Of these, one is shown, the same for "
            "any order of the lists."
        )
    elif proved:
        text += "; no order contradicts them less, and no other as little."
    else:
        text += (
            f". The smallest number lies between {distance + lowest:,.6g} and this; whether other orders "
            "contradict them as little, or less, is not known."
        )
    return AggregatedValues(-place, place, remarks=(text,))


def _beats(above: Floats) -> Booleans:
    """Which item a majority ranks above which."""
    return np.asarray(above - above.T > CLOSE * (above + above.T))


def _has_another(above: Floats, best: Order) -> bool:
    """Whether an order other than the best one contradicts the lists as little."""
    if len(above) < 3:
        return False  # one item: two are in no circle
    inside = above[np.ix_(best, best)]
    other = _exact_order(inside, but_first=True)
    gap = _contradicted(inside[np.ix_(other, other)]) - _contradicted(inside)
    return gap <= CLOSE * float(inside.sum())


def _contradicted(above: Floats) -> float:
    """The distance of the order of the rows."""
    return float(np.tril(above, -1).sum())


def _knots(above: Floats) -> list[Order]:
    """Groups of items that beat each other in a circle, in an order that contradicts no majority;
    otherwise in the order of the rows."""
    from scipy.sparse.csgraph import connected_components

    beats = _beats(above)
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


def _exact_order(above: Floats, but_first: bool = False) -> Order:
    """The best order of a few items, or the best but that of the rows, by integer programming: x_ij is 1 if
    i is above j, i < j."""
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
    constraints = [LinearConstraint(triangles, 0.0, 1.0)]
    if but_first:
        constraints.append(LinearConstraint(np.ones((1, i.size)), 0.0, i.size - 1.0))
    found = milp(
        (above.T - above)[i, j],
        integrality=np.ones(i.size, dtype=np.int64),
        bounds=Bounds(0.0, 1.0),
        constraints=constraints,
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
        summary="number of items that a majority of the lists ranks lower",
        formula="number of b that more lists rank below a than above it, + 1/2 for those as often",
        latex=r"\sum_{b \ne a} 1 [ w_{ab} > w_{ba} ] + \frac{1}{2} \, 1 [ w_{ab} = w_{ba} ], \quad "
        r"w_{ab} = \sum_{i=1}^{m} 1 [ r_i(a) < r_i(b) ]",
        bounds="[0, p - 1]",
        ties="a tie decides nothing",
        source="Copeland (1951); Montague, Aslam (2002), CIKM, for fusion by majorities",
        compute=copeland,
        unranked=IN_NO_ORDER,
    ),
    rank_aggregator(
        name="kemeny",
        aliases=("kemeny_young",),
        summary="the order with the fewest discordant pairs",
        formula="place in the order that minimizes sum over lists of the pairs that it turns round",
        latex=r"\operatorname{argmin}_{\pi} \sum_{\pi(a) < \pi(b)} \sum_{i=1}^{m} 1 [ r_i(b) < r_i(a) ]",
        bounds="[1, p]",
        higher_is_better=False,
        ties="a tie costs nothing; of several best orders, one near Borda's, which a remark says",
        source="Kemeny (1959); Young, Levenglick (1978); Truchon (1998), for the knots",
        compute=kemeny,
        unranked=IN_NO_ORDER,
    ),
)

"""Where ranked lists stop agreeing: Hall and Schimek's rule, and rank-biased overlap of uneven lists."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base import memory, validation
from pyfsagg._base.arithmetic import Floats, Indices
from pyfsagg._base.fields import stored
from pyfsagg._base.registry import Call, repeatable
from pyfsagg._base.words import number, plural
from pyfsagg._report.page import Block, PageColumn, PageTable, Text
from pyfsagg._run.execution import counted
from pyfsagg._run.result import Recorded, records
from pyfsagg.aggregation import _base, _call
from pyfsagg.exceptions import DataError

_DEVIATION = 0.251  # C of the paper: just above 1/4
_STRETCH = 1.2  # r of the paper
_MOST_ROUNDS = 1000
_MOST_PAIRS = 20  # in the summary


@dataclass(frozen=True, eq=False, repr=False)
class ListAgreement(Recorded):
    """How deep ranked lists agree.

    Attributes
    ----------
    pairs : DataFrame
        One row per ordered pair of lists: ``list``, ``other``, ``k`` (places of `list` down to which
        its items are near their places in `other`; NaN = the rule finds no such place) and, the same in both
        ways, rank-biased overlap: ``rbo`` (extrapolated) between ``rbo_low`` and ``rbo_high``, what it
        is if the unseen ends share nothing or all that they can.
    curve : DataFrame
        Index ``depth``: mean, smallest and largest share of common items among the first so many of
        two lists.
    parameters, data, versions : dict
        Settings (`distance`, `pilot`, `persistence`), data and software versions.

    Notes
    -----
    Picture: ``"curve"``, the share of common items by depth, with the place where agreement ends and
    rank-biased overlap.
    """

    _kind: ClassVar[str] = "list_agreement"
    _noun: ClassVar[str] = "agreement of lists"

    pairs: pd.DataFrame = field(
        metadata=stored(file="pairs.csv", words=("list", "other"), types={"k": float})
    )
    curve: pd.DataFrame = field(
        metadata=stored(file="curve.csv", index="depth", types={"depth": int})
    )

    @property
    def k(self) -> int | None:
        """The largest k over the pairs; None if the rule finds no place for any pair."""
        known = self.pairs["k"].dropna()
        return int(known.max()) if len(known) else None

    def to_frame(self) -> pd.DataFrame:
        """`pairs`."""
        return self.pairs

    def _told(self) -> list[str]:
        settings, pairs, unranked = self.parameters, self.pairs, self.data["n_unranked"]
        without = int(pairs["k"].isna().sum())
        ends = [
            f"The lists agree down to place {self.k} at most: that is the largest place of a pair "
            f"at which items within {settings['distance']} places of each other are no longer the "
            f"majority, by the rule of Hall and Schimek (pilot sample {settings['pilot']}).",
        ]
        if without:
            ends.append(f"For {without:,} of {len(pairs):,} ordered pairs it finds no such place.")
        if self.k is None:
            ends = [
                "The rule finds no place at which any two lists stop agreeing: they hardly agree at "
                "all, or agree nearly everywhere; see the curve."
            ]
        overlap = (
            f"Rank-biased overlap (persistence {settings['persistence']:g}) of two lists is "
            f"{pairs['rbo'].min():.3f} to {pairs['rbo'].max():.3f}; for any continuation of the lists, it "
            f"lies from {pairs['rbo_low'].min():.3f} to {pairs['rbo_high'].max():.3f}."
        )
        as_given = (
            f"{plural(unranked, 'list')} without an order: their items were read in the given order, so "
            "only the share of common items at their ends counts."
        )
        return [*ends, overlap, *([as_given] if unranked else [])]

    def _record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        return {"k": self.k, "pairs": records(self.pairs)}

    def _lines_after(self, view: Mapping[str, Any]) -> list[str]:
        return ["result.pairs"]

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        return [*map(Text, self._told()), self._pair_table(_MOST_PAIRS)]

    def _pair_table(self, most: int) -> PageTable:
        """The pairs of lists, for the summary and the section of the page about them."""
        # A pair has two rows.
        both = self.pairs.iloc[::2].assign(back=self.pairs["k"].to_numpy()[1::2])
        shown = both.sort_values("rbo", ascending=False, kind="stable").head(most)
        hidden = len(both) - len(shown)
        more = f"{plural(hidden, 'more pair')} in pairs.csv. " if hidden else ""
        return PageTable.of_columns(
            "Pairs of lists, the largest overlap first.",
            [
                (PageColumn("List", numeric=False), shown["list"].astype(str).tolist()),
                (PageColumn("Other list", numeric=False), shown["other"].astype(str).tolist()),
                (PageColumn("Agreement ends at place"), [number(k, 0) for k in shown["k"]]),
                (PageColumn("of the other"), [number(k, 0) for k in shown["back"]]),
                (PageColumn("Rank-biased overlap"), [number(value) for value in shown["rbo"]]),
                (PageColumn("Least"), [number(value) for value in shown["rbo_low"]]),
                (PageColumn("Most"), [number(value) for value in shown["rbo_high"]]),
            ],
            f"{more}A dash: no such place. Least and most: the overlap if the unseen ends of the lists "
            "share nothing, or as much as possible.",
            find="list" if len(shown) > 30 else "",
        )

    def __repr__(self) -> str:
        lists = f"{plural(self.data['n_lists'], 'list')}, {plural(self.data['n_items'], 'item')}"
        end = "no end of agreement" if self.k is None else f"agreement ends at place {self.k}"
        return f"ListAgreement({lists}; {end})"


@repeatable
def list_agreement(
    lists: Any, *, distance: int = 6, pilot: int = 10, persistence: float = 0.98
) -> ListAgreement:
    """How deep lists agree, by Hall and Schimek's moderate-deviation rule for each pair.

    An item at place j of a list counts as confirmed if the other list has it within `distance`
    places.  Moving down and up again over stretches of `pilot` places, the rule estimates, without an
    error bound, where confirmed items stop being the majority, by more than chance.

    Parameters
    ----------
    lists : Rankings, or any input of :func:`aggregate`
        At least two lists.  Tied items are taken in the order of the table.
    distance : int
        δ, at least 0.
    pilot : int
        ν, at least 2.
    persistence : float
        p of rank-biased overlap, in (0, 1): the first 1/(1 − p) places carry most of it.

    See Also
    --------
    aggregate : Combine the lists into one ranking.

    References
    ----------
    Hall and Schimek (2012), Journal of the American Statistical Association 107, 661–672; Webber,
    Moffat and Zobel (2010), ACM Transactions on Information Systems 28, 20.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> tail = lambda: [f"t{j}" for j in rng.permutation(200)]
    >>> top = [f"g{j}" for j in range(30)]
    >>> agreement = list_agreement([top + tail(), top + tail()])
    >>> 25 <= agreement.k <= 40
    True
    """
    call = Call.of(list_agreement, data=("lists",))
    distance = validation.check_integer("distance", distance, low=0)
    pilot = validation.check_integer("pilot", pilot, low=2)
    persistence = validation.check_real("persistence", persistence, low=1e-6, high=1.0 - 1e-6)
    table = _base.as_rankings(lists)
    if table.n_lists < 2:
        raise DataError("agreement needs at least two lists, got one")
    if table.unranked.all():
        raise DataError(
            "none of these lists has an order, and their agreement is about the places of the items; for ",
            "sets take stability()",
        )
    m = table.n_lists
    memory.require_memory(1250 * m * (m - 1), f"the agreement of {m:,} lists", "take fewer lists")
    lengths = (~table.missing).sum(axis=1).tolist()
    orders = [
        np.argsort(ranks, kind="stable")[:length]
        for ranks, length in zip(table.ranks, lengths, strict=True)
    ]
    rows = []
    for i, j in counted(combinations(range(m), 2), math.comb(m, 2), "pair"):
        bounds = overlap_of_uneven_lists(orders[i], orders[j], persistence)
        for a, b in ((i, j), (j, i)):
            place = np.full(table.n_items, np.inf)
            place[orders[b]] = np.arange(lengths[b])
            confirmed = np.abs(place[orders[a]] - np.arange(lengths[a])) <= distance
            k = truncation_point(confirmed, pilot)
            rows.append((table.names[a], table.names[b], k, *bounds))
    columns = ["list", "other", "k", "rbo", "rbo_low", "rbo_high"]
    settings = {"distance": distance, "pilot": pilot, "persistence": persistence}
    return ListAgreement(
        pd.DataFrame(rows, columns=columns).astype({"k": float}),
        _curve(orders),
        parameters={**settings, "call": replace(call, data=("table",)).record()},
        data={
            "n_lists": table.n_lists,
            "n_items": table.n_items,
            "n_unranked": int(table.unranked.sum()),
            "lengths": [min(lengths), max(lengths)],
            "sha256": _call.hash_of_table(table),
        },
    )


def truncation_point(confirmed: NDArray[Any], pilot: int) -> int | None:
    """Place k down to which confirmed items are the majority; None if the walk does not settle."""
    n, width = len(confirmed), pilot
    if np.all(confirmed):
        return n
    limit = 0.5 + math.sqrt(_DEVIATION * math.log10(pilot) / pilot)
    total = np.concatenate(([0], np.cumsum(confirmed)))

    def share(first: int, last: int, width: int) -> float:
        low, high = min(max(first - 1, 0), n), min(max(last, 0), n)
        return float(total[high] - total[low]) / width

    places: list[int] = []
    widths: list[int] = []
    for step in range(_MOST_ROUNDS):
        widths.append(width)
        if step % 2 == 0:  # down, until confirmed items are no majority
            place = 1 if step == 0 else max(1, places[-1] - int(_STRETCH * width) + 1)
            while place + width - 1 < n and share(place, place + width - 1, width) > limit:
                place += 1
            places.append(place)
            if step >= 4 and places[-3] == place and places[-2] == places[-4]:
                return math.ceil(places[-3] + 0.5 * widths[-3])
        else:  # and up again, until they are
            place = places[-1] + int(_STRETCH * width) - 1
            while place - width + 1 > 0 and share(place - width + 1, place, width) <= limit:
                place -= 1
            places.append(place)
            if place - int(_STRETCH * width) + 1 <= 1:
                while width > 0 and place - _STRETCH * width <= 1:
                    width -= 1
            if width <= 1:
                return None
    return None


def _common(left: Indices, right: Indices, depth: int) -> Floats:
    """How many items the first 1, 2, …, `depth` of two lists share; a list that has ended stays."""
    place = np.full(1 + max(left.max(), right.max()), -1, dtype=np.intp)
    place[right] = np.arange(right.size)
    later = np.maximum(place[left], np.arange(left.size))[place[left] >= 0]
    added = np.bincount(later, minlength=depth)[:depth]
    return np.cumsum(added).astype(np.float64)


def overlap_of_uneven_lists(
    left: Indices, right: Indices, persistence: float
) -> tuple[float, float, float]:
    """Rank-biased overlap of two lists that may end at different depths."""
    q = persistence
    s, length = sorted((left.size, right.size))
    common = _common(left, right, length)
    d = np.arange(1.0, length + 1.0)
    powers = q**d
    lead = (1.0 - q) / q
    known = float((common / d * powers).sum())
    at_short, at_long = float(common[s - 1]), float(common[-1])
    later = d > s
    drawn_out = float((at_short * (d - s) / (s * d) * powers)[later].sum())
    at_end = ((at_long - at_short) / length + at_short / s) * float(powers[-1])
    extrapolated = lead * (known + drawn_out) + at_end
    rest = -math.log1p(-q) - float((powers / d).sum())
    least = lead * (known + at_long * max(0.0, rest))
    # Places of the shorter list that are not seen may hold what the longer one has already.
    most = lead * (known + float(((d - s) / d * powers)[later].sum()))
    all_common = length + s - int(at_long)
    beyond = np.arange(length + 1.0, all_common + 1.0)
    most += lead * float(((2 * beyond - length - s + at_long) / beyond * q**beyond).sum())
    most += float(q ** max(all_common, length))
    return extrapolated, least, min(1.0, most)


def _curve(orders: list[Indices]) -> pd.DataFrame:
    depth = max(order.size for order in orders)
    places = np.arange(1.0, depth + 1.0)
    total, low, high = np.zeros(depth), np.ones(depth), np.zeros(depth)
    n_pairs = math.comb(len(orders), 2)
    for left, right in counted(combinations(orders, 2), n_pairs, "curve pair"):
        share = _common(left, right, depth) / places
        total += share
        np.minimum(low, share, out=low)
        np.maximum(high, share, out=high)
    return pd.DataFrame(
        {"mean": total / n_pairs, "lowest": low, "highest": high},
        index=pd.Index(np.arange(1, depth + 1), name="depth"),
    )

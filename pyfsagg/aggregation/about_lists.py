"""Properties of lists: whether the stated universe is plausible, and which aggregator
finds most in simulated lists that look like them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats, Indices
from pyfsagg._base.fields import Statement
from pyfsagg._base.validation import check_real
from pyfsagg._base.words import count, number, probabilities
from pyfsagg.aggregation._base import AGGREGATORS, as_rankings
from pyfsagg.datasets._loaders import data_folder
from pyfsagg.exceptions import DataError
from pyfsagg.ranks import Rankings, rank_scores


@dataclass(frozen=True)
class UniverseCheck(Statement):
    """Whether the lower parts of lists repeat more items than lists from the stated universe would.

    Attributes
    ----------
    universe : int
        How many items could have been listed, as it was given; the smallest number if lists differ.
    n_lists, n_entries : int
        Ranked lists that have a lower part, and the entries of these parts.
    n_repeats : int
        Entries less different items.
    expected : float
        Mean number of repeats of independent lists.
    p_value : float
        At least the probability of so many repeats in independent lists.
    pool : int or None
        Number of items for which so many repeats are expected; None if `universe` is not contradicted.
    pool_upper : int or None
        Upper confidence limit of that number; None likewise.
    top_share, confidence_level : float
    """

    universe: int
    n_lists: int
    n_entries: int
    n_repeats: int
    expected: float
    p_value: float
    pool: int | None
    pool_upper: int | None
    top_share: float
    confidence_level: float

    @property
    def _contradicted(self) -> bool:
        """Whether the lists repeat more than independent lists from the universe would."""
        return self.pool_upper is not None

    @property
    def sentence(self) -> str:
        """The finding and its possible reasons."""
        seen = (
            f"Below the first {self.top_share:.0%} of each list, {count(self.n_repeats)} of "
            f"{count(self.n_entries)} entries repeat an item of another list; independent lists from "
            f"{count(self.universe)} items have {number(self.expected, 1)} such repeats on average "
            f"(p ≤ {probabilities([self.p_value])[0]})"
        )
        if not self._contradicted:
            return f"{seen}: no sign of a smaller universe there."
        return (
            f"{seen}. Lists that are independent there come from about {count(self.pool or 0)} items, and "
            f"from at most {count(self.pool_upper or 0)} with {self.confidence_level:.0%} confidence. Either "
            "the universe is too large, and the p-values are far too small: give the number of items "
            "that every list could contain. Or the lists share true items this deep, or depend on each "
            "other; the repeats do not show which."
        )

    def to_frame(self) -> pd.DataFrame:
        """One row with the numbers."""
        return pd.DataFrame([self._contents()])

    def __repr__(self) -> str:
        return f"UniverseCheck({self.sentence})"


def check_universe(
    lists: Any, *, top_share: float = 0.5, confidence_level: float = 0.95
) -> UniverseCheck:
    """Test whether cut-off lists come from as many items as their table says.

    P-values of an aggregation assume that each list could contain any item of the universe.  If lists
    come from fewer, such as the genes that all studies measured, items are in several lists by chance.

    Parameters
    ----------
    lists : Rankings, or any input of :func:`aggregate`
        Cut-off lists (``absent="worst"``) with their universe.  Lists without an order are omitted.
    top_share : float
        The share of each list, from its top, in which lists may have items in common for a reason.
        These places do not count.
    confidence_level : float
        Of the upper limit; the universe is contradicted if it is larger than that.

    Returns
    -------
    UniverseCheck

    Raises
    ------
    DataError
        If the lists are complete, or fewer than two of them are ranked and go on below their tops.

    Notes
    -----
    The lower parts of independent lists are random sets of l_i items of N.  The number of items that none
    of them holds, and so the number of repeats R (entries less different items), is a sum of independent
    indicators (Vatutin and Mikhailov 1982), at most L = Σ l_i − max l_i of them.  Its upper tail is then at
    most that of a binomial variable with L trials and the mean of R, Σ l_i − N + N Π (1 − l_i/N) (Hoeffding
    1956).  The limit is the largest N that this test does not reject.  N is taken less the places of the
    shortest top, in case that the tops hold the same items, and the limit has them again.  With universes
    of different sizes the smallest counts.  Tied items belong to the lower part if the best of their
    places does.

    The test supposes independence below the tops.  A common order that goes on there, and lists of the
    same samples, repeat items as a small universe does.

    References
    ----------
    Vatutin and Mikhailov (1982), Theory of Probability and its Applications 27, 734–743; Hoeffding (1956),
    Annals of Mathematical Statistics 27, 713–721.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> lists = [[f"g{j}" for j in rng.permutation(300)[:50]] for _ in range(5)]
    >>> check = check_universe(Rankings.from_lists(lists, universe=2000))
    >>> 300 <= check.pool_upper < 2000
    True
    """
    check_real("top_share", top_share, low=0.0, high=1.0)
    check_real("confidence_level", confidence_level, low=0.0, high=1.0, low_open=True)
    table = as_rankings(lists)
    held = ~table.missing
    lengths = held.sum(axis=1)
    if table.absent == "unknown" or held.all() or (table.sizes < lengths).any():
        raise DataError("each of these lists is its own universe, so there is none to check")
    before = rank_scores(-table.ranks, "min") - 1.0  # items of the list that are better
    with np.errstate(invalid="ignore"):
        low = held & (before >= np.maximum(np.ceil(top_share * lengths), 1.0)[:, np.newaxis])
    rows = ~table.unranked & low.any(axis=1)
    parts = low[rows].sum(axis=1).astype(np.float64)
    if len(parts) < 2:
        raise DataError("the check needs two ranked lists with items below their tops")
    universe, common = int(table.sizes[rows].min()), int((lengths[rows] - parts).min())
    left = universe - common
    entries = int(parts.sum())
    repeats = entries - int(low[rows].any(axis=0).sum())
    p_value, pool, upper = tail_bound(repeats, parts, left), None, None
    level = 1.0 - confidence_level
    if p_value <= level:
        pool = common + _largest(lambda n: _expected(parts, n) >= repeats, parts, left)
        upper = common + _largest(lambda n: tail_bound(repeats, parts, n) > level, parts, left)
    return UniverseCheck(
        universe=universe,
        n_lists=len(parts),
        n_entries=entries,
        n_repeats=repeats,
        expected=_expected(parts, left),
        p_value=p_value,
        pool=pool,
        pool_upper=upper,
        top_share=top_share,
        confidence_level=confidence_level,
    )


def _expected(parts: Floats, n: int) -> float:
    """Mean number of repeats of independent random sets of these sizes out of n items."""
    return float(parts.sum() - n * (1.0 - np.prod(1.0 - parts / n)))


def tail_bound(repeats: int, parts: Floats, n: int) -> float:
    """Upper bound of the probability of at least that many repeats."""
    trials, mean = float(parts.sum() - parts.max()), _expected(parts, n)
    if repeats < mean + 1.0:
        return 1.0
    return float(scipy.stats.binom.sf(repeats - 1, trials, mean / trials))


def _largest(holds: Callable[[int], bool], parts: Floats, high: int) -> int:
    """The largest n, up to `high`, of which it holds; it does where one list has all n, and not beyond."""
    low = int(parts.max())
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


TRAITS = {
    "n_lists": "lists",
    "unranked": "share of lists without an order",
    "length": "names in the median list",
    "length_spread": "SD of the logarithm of the lengths",
    "agreement": "share of the shorter of two lists that the longer one contains",
    "agreement_spread": "SD of that share from list to list",
}
FEWEST_NAMES = 200  # chosen: names below which lists are unlike the simulated ones
NEAREST = 100  # chosen: of 1,600 simulated sets, over which the accuracy of methods is averaged
_CLEAR = 3.0  # chosen: standard errors of a lead that is called clear
_AS_MEASURED = {"maic": "maic (fit=none)"}
"""Methods that were measured with another option than the default."""


def traits(table: Rankings) -> dict[str, float]:
    """Traits of lists that can be observed without a known truth."""
    held = ~table.missing
    lengths = held.sum(axis=1).astype(np.float64)
    # Sums over the other lists, without the pairs, which are too many where the lists are.
    common = np.einsum("ij,j->i", held, held.sum(axis=0)) - lengths
    ordered = np.sort(lengths)
    shorter = np.searchsorted(ordered, lengths, "right")  # or as long
    most = np.cumsum(ordered)[shorter - 1] + lengths * (table.n_lists - 1.0 - shorter)
    by_list = common / np.maximum(most, 1.0)
    return {
        "n_lists": float(table.n_lists),
        "unranked": float(table.unranked.mean()),
        "length": float(np.median(lengths)),
        "length_spread": float(np.log(lengths).std()),
        "agreement": float(common.sum() / max(most.sum(), 1.0)),
        "agreement_spread": float(by_list.std()),
    }


class Nearest(NamedTuple):
    """The simulated sets nearest to some lists, and the mean share of the true best each method found."""

    sets: pd.DataFrame
    best: str
    means: pd.Series[float]

    def lead(self, method: str) -> tuple[float, float]:
        """How much more the best one found than `method`, and the standard error, set by set."""
        differences = (self.sets[self.best] - self.sets[method]).to_numpy(dtype=float)
        return float(differences.mean()), float(differences.std(ddof=1) / np.sqrt(len(self.sets)))


@dataclass(frozen=True, eq=False)
class SimulatedSets:
    """Simulated sets of lists, and the share of the true best that each aggregator found in them.

    `sets` has one row per set: `TRAITS`, the noise ``M`` and heterogeneity ``D`` that it was generated
    with, and a column for each method (NaN where it was not run).
    """

    sets: pd.DataFrame

    @property
    def methods(self) -> list[str]:
        return [str(name) for name in self.sets if name not in (*TRAITS, "M", "D")]

    @cached_property
    def _places(self) -> Floats:
        """The traits of each set as shares of the sets that are below."""
        values = self.sets[list(TRAITS)].to_numpy(dtype=float)
        return np.stack([_share_below(column, column) for column in values.T], axis=1)

    def nearest(self, seen: Mapping[str, float]) -> Nearest | None:
        """The 100 sets whose traits are nearest to those seen; None if they are outside of all.

        Each trait counts by its place among the sets; unranked lists are compared with such only.
        """
        known = self.sets[list(TRAITS)].to_numpy(dtype=float).T
        points = np.array([[seen[name]] for name in TRAITS])
        if not ((points[:, 0] >= known.min(axis=1)) & (points[:, 0] <= known.max(axis=1))).all():
            return None
        place = np.concatenate(list(map(_share_below, known, points)))
        sets = self.sets.iloc[self._nearest(place, seen["unranked"] > 0)]
        means = sets[self.methods].mean().dropna()
        return Nearest(sets, str(means.idxmax()), means)

    def _nearest(self, place: Floats, unranked: bool, without: int | None = None) -> NDArray[Any]:
        """Positions of the sets nearest to a place among them."""
        far = np.square(self._places - place).sum(axis=1)
        far[(self.sets["unranked"] > 0).to_numpy() != unranked] = np.inf
        if without is not None:
            far[without] = np.inf
        return np.argsort(far, kind="stable")[: min(NEAREST, int(np.isfinite(far).sum()))]

    def advice(self, table: Rankings, method: str) -> str | None:
        """Which aggregator finds more in similar simulated lists, with the evidence; None for complete
        or weighted lists, scores, fewer than 200 names, or anything outside the simulated range."""
        cut_off = table.absent == "worst" and table.scores is None and bool(table.missing.any())
        if not cut_off or table.weights is not None or table.n_items < FEWEST_NAMES:
            return None
        nearest = self.nearest(traits(table))
        if nearest is None:
            return None
        comparison = _compared(nearest, AGGREGATORS.get(method).name)
        low, high = nearest.sets[list(TRAITS)].quantile([0.1, 0.9]).to_dict("records")
        unranked = "all ranked"
        if high["unranked"] > 0:
            unranked = f"{low['unranked']:.0%} to {high['unranked']:.0%} of them unranked"
        return (
            f"In simulated lists that look like these, {comparison}. (The {len(nearest.sets)} nearest of "
            f"{len(self.sets):,} sets generated as by Wang et al. 2022; most have {low['n_lists']:.0f} to "
            f"{high['n_lists']:.0f} lists, {unranked}, {low['length']:.0f} to {high['length']:.0f} names in "
            f"the median list, and {low['agreement']:.0%} to {high['agreement']:.0%} of the shorter of two "
            "lists in the other; pyfsagg reproduce aggregator-choice.)"
        )

    def check(self) -> pd.Series[float]:
        """Cross-validation of the advice: each set is treated as new, with the advice of all others."""
        shares = self.sets[self.methods].to_numpy(dtype=float)
        advised = []
        unranked = (self.sets["unranked"] > 0).tolist()
        for i, place in enumerate(self._places):
            others = shares[self._nearest(place, unranked[i], without=i)]
            unknown = np.isnan(others).any(axis=0)  # those that are for ranked lists only
            if len(others):
                advised.append(shares[i, np.where(unknown, -1.0, others.mean(axis=0)).argmax()])
        fixed = pd.Series([column.mean() for column in shares.T], self.methods).dropna()
        best = float(np.nanmax(shares, axis=1).mean())
        return pd.Series({"advised": float(np.mean(advised)), **fixed, "best": best})


def _share_below(column: Floats, values: Floats) -> Floats:
    """Share of the column that is below each value, ties half."""
    known = np.sort(column)
    below: Indices = np.searchsorted(known, values, "left")
    up_to: Indices = np.searchsorted(known, values, "right")
    return np.asarray((below + up_to) / (2.0 * len(known)))


def _compared(nearest: Nearest, name: str) -> str:
    """The aggregator `name` in the nearest sets, compared with the best one."""
    order = nearest.means.sort_values(ascending=False)
    best, second, shown = (
        _AS_MEASURED.get(method, method) for method in (nearest.best, str(order.index[1]), name)
    )
    most = f"{best} found {order.iloc[0]:.0%} of the true best 100"
    if name not in order:
        return f"{most}, more than the others that were measured; {name} was not"
    if name == nearest.best:
        return f"{most}, more than the others (next: {second}, {order.iloc[1]:.0%})"
    lead, error = nearest.lead(name)
    difference = f"difference {lead:.1%}, standard error {error:.1%}"
    if lead > _CLEAR * error:
        return f"{most} and {shown} {order[name]:.0%} ({difference})"
    return (
        f"no aggregator found clearly more of the true best 100 than {shown}, {order[name]:.0%} "
        f"(most: {best}, {order.iloc[0]:.0%}; {difference})"
    )


@cache
def _measured() -> SimulatedSets:
    """The run that comes with the package."""
    path = data_folder() / "validation" / "aggregator_choice.json"
    table = json.loads(path.read_text(encoding="utf-8"))["sets"]
    return SimulatedSets(pd.DataFrame(table["rows"], columns=table["columns"]))


def advise(table: Rankings, method: str) -> str | None:
    """Which aggregator finds more in lists that look like these; None if no measurement speaks."""
    return _measured().advice(table, method)

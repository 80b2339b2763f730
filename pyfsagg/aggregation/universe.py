"""Do lists come from as many items as is said?  Capture and recapture in their lower parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.fields import Part
from pyfsagg._base.validation import check_real
from pyfsagg._base.words import count, number, probabilities
from pyfsagg.aggregation._base import as_rank_table
from pyfsagg.exceptions import DataError
from pyfsagg.ranks import RankTable, rank_scores


@dataclass(frozen=True)
class UniverseCheck(Part):
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
    def sentence(self) -> str:
        """The finding and what may be behind it."""
        seen = (
            f"Below the first {self.top_share:.0%} of each list, {count(self.n_repeats)} of "
            f"{count(self.n_entries)} entries repeat an item of another list; independent lists from "
            f"{count(self.universe)} items have {number(self.expected, 1)} such repeats on average "
            f"(p ≤ {probabilities([self.p_value])[0]})"
        )
        if self.pool_upper is None:
            return f"{seen}: no sign of a smaller universe there."
        return (
            f"{seen}. Lists that are independent there come from about {count(self.pool or 0)} items, and "
            f"from at most {count(self.pool_upper)} with {self.confidence_level:.0%} confidence. Either the "
            "universe is too large, and the p-values are far too small: give the number of items that "
            "every list could have held. Or what the lists have in common reaches this deep, or they "
            "depend on one another; the repeats cannot tell these apart."
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

    P-values of an aggregation suppose that each list could have held any item of the universe.  If lists
    come from fewer, such as the genes that all studies measured, items are in several lists by chance.

    Parameters
    ----------
    lists : RankTable, or any input of :func:`aggregate`
        Cut-off lists (``full=False``) with their universe.  Lists without an order are left out.
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
    >>> check = check_universe(RankTable.from_lists(lists, universe=2000))
    >>> 300 <= check.pool_upper < 2000
    True
    """
    check_real("top_share", top_share, low=0.0, high=1.0)
    check_real("confidence_level", confidence_level, low=0.0, high=1.0, low_open=True)
    return checked_universe(as_rank_table(lists), top_share, confidence_level)


def checked_universe(
    table: RankTable, top_share: float = 0.5, confidence_level: float = 0.95
) -> UniverseCheck:
    """:func:`check_universe` of a table."""
    held = ~table.missing
    lengths = held.sum(axis=1)
    if table.full or held.all() or (table.sizes < lengths).any():
        raise DataError("each of these lists is complete in itself; there is no universe to check")
    before = rank_scores(-table.ranks, "min") - 1.0  # items of the list that are better
    with np.errstate(invalid="ignore"):
        low = held & (before >= np.maximum(np.ceil(top_share * lengths), 1.0)[:, np.newaxis])
    rows = ~table.unranked & low.any(axis=1)
    parts = low[rows].sum(axis=1).astype(np.float64)
    if len(parts) < 2:
        raise DataError("the check needs two ranked lists that go on below their tops")
    universe, common = int(table.sizes[rows].min()), int((lengths[rows] - parts).min())
    left = universe - common
    entries = int(parts.sum())
    repeats = entries - int(low[rows].any(axis=0).sum())
    p_value, pool, upper = tail_bound(repeats, parts, left), None, None
    if p_value <= 1.0 - confidence_level:
        pool = common + _largest(lambda n: _expected(parts, n) >= repeats, parts, left)
        upper = common + _largest(
            lambda n: tail_bound(repeats, parts, n) > 1.0 - confidence_level, parts, left
        )
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
    """Upper bound of the probability of at least so many repeats."""
    trials, mean = float(parts.sum() - parts.max()), _expected(parts, n)
    return (
        1.0
        if repeats < mean + 1.0
        else float(scipy.stats.binom.sf(repeats - 1, trials, mean / trials))
    )


def _largest(holds: Callable[[int], bool], parts: Floats, high: int) -> int:
    """The largest n, up to `high`, of which it holds; it does where one list has all n, and not beyond."""
    low = int(parts.max())
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low

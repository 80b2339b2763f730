"""Which aggregator for my lists?  The answer of the simulated sets that look most like them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.types import Floats
from pyfsagg.aggregation import AGGREGATORS
from pyfsagg.ranks import RankTable
from pyfsagg.reproduce.records import JsonResult, Log, record
from pyfsagg.reproduce.unequal_lists.experiment import METHODS
from pyfsagg.reproduce.unequal_lists.situations import (
    FEWEST_NAMES,
    TRAITS,
    measure_situations,
    traits,
)

__all__ = ["AggregatorChoice", "Found", "aggregator_choice"]

NEAREST = 100
FULL, QUICK = 1600, 60
_CLEAR = 3.0


class Found(NamedTuple):
    """The simulated sets that are nearest to some lists, and the results there.

    Attributes
    ----------
    sets : DataFrame
        The nearest sets.
    best : str
        The method that found most of the true best 100 in them, on average.
    means : Series
        Mean share that each method found.
    """

    sets: pd.DataFrame
    best: str
    means: pd.Series[float]

    def lead(self, method: str) -> tuple[float, float]:
        """How much more the best one found than `method`, and the standard error, set by set."""
        differences = (self.sets[self.best] - self.sets[method]).to_numpy(dtype=float)
        return float(differences.mean()), float(differences.std(ddof=1) / np.sqrt(len(self.sets)))


@dataclass(frozen=True, eq=False)
class AggregatorChoice(JsonResult):
    """Accuracy of aggregators in simulated lists of many kinds.

    Attributes
    ----------
    sets : DataFrame
        As :func:`~pyfsagg.reproduce.unequal_lists.situations.measure_situations` returns them.
    record : dict
        Machine, versions, date, seed and number of sets.
    """

    kind: ClassVar[str] = "aggregator_choice"
    noun: ClassVar[str] = "comparison of aggregators"
    frames: ClassVar[tuple[str, ...]] = ("sets",)

    sets: pd.DataFrame
    record: Mapping[str, Any]

    @cached_property
    def _places(self) -> Floats:
        """The traits of each set as shares of the sets that are below."""
        values = self.sets[list(TRAITS)].to_numpy(dtype=float)
        return np.stack([_share_below(column, column) for column in values.T], axis=1)

    def nearest(self, seen: Mapping[str, float]) -> Found | None:
        """The 100 sets whose traits are nearest to those seen; None if they are outside of all.

        Each trait counts by its place among the sets, so that all weigh alike.  Lists with unranked
        ones among them are compared with such sets only, and others with others.

        Parameters
        ----------
        seen : mapping
            As :func:`~pyfsagg.reproduce.unequal_lists.situations.traits` returns them.
        """
        known = self.sets[list(TRAITS)]
        point = np.array([seen[name] for name in TRAITS])
        inside = (point >= known.min().to_numpy()) & (point <= known.max().to_numpy())
        if not inside.all():
            return None
        place = np.array([
            _share_below(known[name].to_numpy(dtype=float), np.array([seen[name]]))[0]
            for name in TRAITS
        ])  # fmt: skip
        sets = self.sets.iloc[self._nearest(place, seen["unranked"] > 0)]
        means = sets[list(METHODS)].mean().dropna()
        return Found(sets, str(means.idxmax()), means)

    def _nearest(self, place: Floats, unranked: bool, without: int | None = None) -> NDArray[Any]:
        """Positions of the sets nearest to a place among them."""
        far = np.square(self._places - place).sum(axis=1)
        far[(self.sets["unranked"] > 0).to_numpy() != unranked] = np.inf
        if without is not None:
            far[without] = np.inf
        return np.argsort(far, kind="stable")[: min(NEAREST, int(np.isfinite(far).sum()))]

    def advice(self, table: RankTable, method: str) -> str | None:
        """Which aggregator finds more in lists that look like these, with the evidence.

        None for lists of another kind than the simulated: complete ones, weighted ones, scores, fewer
        than 200 names, or a number, length or agreement outside of all that was simulated.
        """
        if not _of_this_kind(table):
            return None
        found = self.nearest(traits(table))
        if found is None:
            return None
        said = _said(found, AGGREGATORS.get(method).name)
        return f"In simulated lists that look like these, {said}. {_evidence(found, self)}"

    def check(self) -> pd.Series[float]:
        """Cross-validation of the advice: each set is treated as new, with the advice of all others.

        Returns
        -------
        Series
            Mean share of the true best 100 found by the method that the nearest 100 other sets
            recommend (``advised``), by each method everywhere, and by the best method of each set,
            known only afterwards (``best``).
        """
        shares = self.sets[list(METHODS)].to_numpy(dtype=float)
        names = list(METHODS)
        advised = []
        for i, (place, loose) in enumerate(
            zip(self._places, self.sets["unranked"].tolist(), strict=True)
        ):
            others = shares[self._nearest(place, loose > 0, without=i)]
            unknown = np.isnan(others).any(axis=0)  # those that are for ranked lists only
            if len(others):
                advised.append(shares[i, np.where(unknown, -1.0, others.mean(axis=0)).argmax()])
        fixed = {name: shares[:, j].mean() for j, name in enumerate(names)}
        everywhere = {name: value for name, value in fixed.items() if not np.isnan(value)}
        best = float(np.nanmax(shares, axis=1).mean())
        return pd.Series({"advised": float(np.mean(advised)), **everywhere, "best": best})

    def conclusions(self) -> list[str]:
        """The results in sentences."""
        worth = self.check()
        fixed = worth.drop(["advised", "best"]).sort_values(ascending=False)
        loose = self.sets["unranked"] > 0
        said = [
            f"Asked of each of {len(self.sets):,} sets as if it were new, the advice leads to "
            f"{worth['advised']:.1%} of the true best 100; the best aggregator taken everywhere, "
            f"{fixed.index[0]}, to {fixed.iloc[0]:.1%}; the best of each set, known only afterwards, "
            f"to {worth['best']:.1%}."
        ]
        for words, rows in (("ranked lists only", ~loose), ("unranked lists among them", loose)):
            for low, high, depth in self._thirds(rows):
                part = self.sets[rows & self.sets["agreement"].between(low, high)]
                means = part[list(METHODS)].mean().dropna().sort_values(ascending=False)
                best = ", ".join(f"{name} {value:.0%}" for name, value in means.head(3).items())
                said.append(
                    f"{words.capitalize()}, {depth} agreement ({low:.1%} to {high:.1%}): {best}."
                )
        return said

    def tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        return {"sets.csv": self.sets}

    def _thirds(self, rows: pd.Series[bool]) -> list[tuple[float, float, str]]:
        cuts = self.sets.loc[rows, "agreement"].quantile([0, 1 / 3, 2 / 3, 1]).tolist()
        return [(cuts[i], cuts[i + 1], word) for i, word in enumerate(("low", "middle", "high"))]


def _share_below(column: Floats, values: Floats) -> Floats:
    """Share of the column that is below each value, ties half."""
    known = np.sort(column)
    below: NDArray[np.intp] = np.searchsorted(known, values, "left")
    up_to: NDArray[np.intp] = np.searchsorted(known, values, "right")
    return np.asarray((below + up_to) / (2.0 * len(known)))


def _named(method: str) -> str:
    """The aggregator, with the choice of its options that was measured."""
    fit = METHODS[method].options.get("fit")
    return method if fit is None else f"{method} (fit={fit})"


def _said(found: Found, name: str) -> str:
    """What the nearest sets say to who uses the aggregator `name`."""
    order = found.means.sort_values(ascending=False)
    most = f"{_named(found.best)} found {order.iloc[0]:.0%} of the true best 100"
    if name not in order:
        return f"{most}, more than the others that were measured; {name} was not"
    if name == found.best:
        return f"{most}, more than the others (next: {_named(str(order.index[1]))}, {order.iloc[1]:.0%})"
    lead, error = found.lead(name)
    difference = f"difference {lead:.1%}, standard error {error:.1%}"
    if lead > _CLEAR * error:
        return f"{most} and {_named(name)} {order[name]:.0%} ({difference})"
    return (
        f"no aggregator found clearly more of the true best 100 than {_named(name)}, {order[name]:.0%} "
        f"(most: {_named(found.best)}, {order.iloc[0]:.0%}; {difference})"
    )


def _of_this_kind(table: RankTable) -> bool:
    cut_off = not table.full and table.scores is None and bool(table.missing.any())
    return cut_off and table.weights is None and table.n_items >= FEWEST_NAMES


def _evidence(found: Found, choice: AggregatorChoice) -> str:
    """Of what sets the sentence speaks."""
    low, high = found.sets[list(TRAITS)].quantile(0.1), found.sets[list(TRAITS)].quantile(0.9)
    loose = (
        f"{low['unranked']:.0%} to {high['unranked']:.0%} of them unranked"
        if high["unranked"] > 0
        else "all ranked"
    )
    return (
        f"(The {len(found.sets)} nearest of {len(choice.sets):,} sets generated as by Wang et al. 2022; "
        f"most have {low['n_lists']:.0f} to {high['n_lists']:.0f} lists, {loose}, "
        f"{low['length']:.0f} to {high['length']:.0f} names in the median list, and "
        f"{low['agreement']:.0%} to {high['agreement']:.0%} of the shorter of two lists in the "
        "other; pyfsagg reproduce aggregator-choice.)"
    )


def aggregator_choice(
    *,
    quick: bool = False,
    n_sets: int | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    log: Log | None = None,
) -> AggregatorChoice:
    """Measure the accuracy of aggregators in lists of many kinds, for the advice of ``aggregate``.

    Parameters
    ----------
    quick : bool
        60 sets of lists in place of 1,600.
    n_sets : int, optional
        Another number.
    random_state, n_jobs
        Values do not depend on `n_jobs`.
    log : callable, optional
        Called with a line now and then.
    """
    count = n_sets if n_sets is not None else (QUICK if quick else FULL)
    sets = measure_situations(count, random_state=random_state, n_jobs=n_jobs, log=log)
    return AggregatorChoice(sets, {**record(), "seed": random_state, "n_sets": count})

"""Which aggregator for my lists?  The answer of the simulated sets that look most like them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg.aggregation._base import AGGREGATORS
from pyfsagg.datasets._loaders import data_folder
from pyfsagg.ranks import RankTable

TRAITS = {
    "n_lists": "lists",
    "unranked": "share of lists without an order",
    "length": "names in the median list",
    "length_spread": "SD of the logarithm of the lengths",
    "agreement": "share of the shorter of two lists that the longer one holds",
    "agreement_spread": "SD of that share from list to list",
}
FEWEST_NAMES = 200
NEAREST = 100
_CLEAR = 3.0  # standard errors from which on a lead is called clear
_AS_MEASURED = {"maic": "maic (fit=none)"}
"""Methods that were measured with another option than the default."""


def traits(table: RankTable) -> dict[str, float]:
    """What lists look like, by what can be seen of them without a known truth."""
    held = (~table.missing).astype(np.float64)
    lengths = held.sum(axis=1)
    other = ~np.eye(table.n_lists, dtype=bool)
    common = (held @ held.T) * other
    most = np.minimum.outer(lengths, lengths) * other
    by_list = common.sum(axis=1) / np.maximum(most.sum(axis=1), 1.0)
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
        means = sets[self.methods].mean().dropna()
        return Nearest(sets, str(means.idxmax()), means)

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
        cut_off = not table.full and table.scores is None and bool(table.missing.any())
        if not cut_off or table.list_weights is not None or table.n_items < FEWEST_NAMES:
            return None
        nearest = self.nearest(traits(table))
        if nearest is None:
            return None
        comparison = _compared(nearest, AGGREGATORS.get(method).name)
        evidence = _evidence(nearest, len(self.sets))
        return f"In simulated lists that look like these, {comparison}. {evidence}"

    def check(self) -> pd.Series[float]:
        """Cross-validation of the advice: each set is treated as new, with the advice of all others."""
        shares = self.sets[self.methods].to_numpy(dtype=float)
        names = self.methods
        advised = []
        unranked = (self.sets["unranked"] > 0).tolist()
        for i, place in enumerate(self._places):
            others = shares[self._nearest(place, unranked[i], without=i)]
            unknown = np.isnan(others).any(axis=0)  # those that are for ranked lists only
            if len(others):
                advised.append(shares[i, np.where(unknown, -1.0, others.mean(axis=0)).argmax()])
        fixed = {name: shares[:, j].mean() for j, name in enumerate(names)}
        everywhere = {name: value for name, value in fixed.items() if not np.isnan(value)}
        best = float(np.nanmax(shares, axis=1).mean())
        return pd.Series({"advised": float(np.mean(advised)), **everywhere, "best": best})


def _share_below(column: Floats, values: Floats) -> Floats:
    """Share of the column that is below each value, ties half."""
    known = np.sort(column)
    below: NDArray[np.intp] = np.searchsorted(known, values, "left")
    up_to: NDArray[np.intp] = np.searchsorted(known, values, "right")
    return np.asarray((below + up_to) / (2.0 * len(known)))


def _compared(nearest: Nearest, name: str) -> str:
    """The aggregator `name` in the nearest sets, beside the one that found most."""
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


def _evidence(nearest: Nearest, n_sets: int) -> str:
    """Which sets the advice rests on."""
    low, high = nearest.sets[list(TRAITS)].quantile([0.1, 0.9]).to_dict("records")
    unranked = "all ranked"
    if high["unranked"] > 0:
        unranked = f"{low['unranked']:.0%} to {high['unranked']:.0%} of them unranked"
    return (
        f"(The {len(nearest.sets)} nearest of {n_sets:,} sets generated as by Wang et al. 2022; "
        f"most have {low['n_lists']:.0f} to {high['n_lists']:.0f} lists, {unranked}, "
        f"{low['length']:.0f} to {high['length']:.0f} names in the median list, and "
        f"{low['agreement']:.0%} to {high['agreement']:.0%} of the shorter of two lists in the "
        "other; pyfsagg reproduce aggregator-choice.)"
    )


@cache
def _measured() -> SimulatedSets:
    """The run that comes with the package."""
    path = data_folder() / "validation" / "aggregator_choice.json"
    table = json.loads(path.read_text(encoding="utf-8"))["sets"]
    return SimulatedSets(pd.DataFrame(table["rows"], columns=table["columns"]))


def advise(table: RankTable, method: str) -> str | None:
    """Which aggregator finds more in lists that look like these; None if no measurement speaks."""
    return _measured().advice(table, method)

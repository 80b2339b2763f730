"""Which aggregator for my lists?  The answer of the simulated sets that look most like them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from pyfsagg.aggregation.about_lists import FEWEST_NAMES, SimulatedSets, traits
from pyfsagg.extending import check_integer, run_tasks
from pyfsagg.ranks import Rankings
from pyfsagg_papers.lists.simulation import METHODS, Setting, accuracies, generate_lists
from pyfsagg_papers.records import JsonResult, Log, record, silent

# -------------------------------------------------------------------------------------------------
# what can be seen of lists, and how much each aggregator finds in simulated lists that look so
# -------------------------------------------------------------------------------------------------

_BATCH = 20
_LISTS, _LENGTH, _SPREAD = (2, 40), (20.0, 3000.0), (0.0, 2.0)
_NOISE, _HETEROGENEITY = (0.5, 12.0), (0.1, 12.0)


class _Task(NamedTuple):
    first: int
    stop: int
    random_state: int


def measure_situations(
    n_sets: int, *, random_state: int = 0, n_jobs: int | None = None, log: Log | None = None
) -> pd.DataFrame:
    """Sets of lists of random number, length, noise, heterogeneity and share without order.

    Generated as by Wang et al. (2022), but 2 to 40 lists, the median of their lengths from 20 to 3,000
    and the SD of the logarithm of the lengths up to 2; half of the sets have unranked lists, up to all
    but one.  Mean noise M is from 0.5 to 12 and heterogeneity D from 0.1 to 12, as published.

    Examples
    --------
    >>> measure_situations(2, n_jobs=1)["mean_rank"].between(0, 1).tolist()
    [True, True]
    """
    n_sets = check_integer("n_sets", n_sets, low=1)
    say = log or silent
    tasks = [
        _Task(first, min(first + _BATCH, n_sets), random_state)
        for first in range(0, n_sets, _BATCH)
    ]
    begun = time.perf_counter()
    rows: list[dict[str, float]] = []
    for found in run_tasks(_measure, None, tasks, n_jobs=n_jobs, threads=False):
        rows += found
        say(f"{len(rows)} of {n_sets} sets of lists, {time.perf_counter() - begun:.0f} s")
    return pd.DataFrame(rows)


def _measure(_: None, task: _Task) -> list[dict[str, float]]:
    return [
        _one_set(np.random.default_rng((task.random_state, number)))
        for number in range(task.first, task.stop)
    ]


def _one_set(rng: np.random.Generator) -> dict[str, float]:
    while True:
        setting, M, D = _situation(rng)
        mixed = setting.n_unranked > 0
        drawn = generate_lists(setting, M, D, rng).table(mixed)
        if drawn[0].n_items >= FEWEST_NAMES:
            break
    found = accuracies(drawn, mixed)
    shares = {name: found[name][0] if name in found else np.nan for name in METHODS}
    values: dict[str, Any] = {**traits(drawn[0]), "M": M, "D": D, **shares}
    return {name: round(float(value), 4) for name, value in values.items()}


def _situation(rng: np.random.Generator) -> tuple[Setting, float, float]:
    count = round(_log_uniform(rng, *_LISTS))
    loose = int(rng.integers(1, count)) if rng.random() < 0.5 else 0
    length = (float(np.log(_log_uniform(rng, *_LENGTH))), float(rng.uniform(*_SPREAD)))
    setting = Setting(count - loose, length, loose, length)
    return setting, _log_uniform(rng, *_NOISE), _log_uniform(rng, *_HETEROGENEITY)


def _log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


# -------------------------------------------------------------------------------------------------
# which aggregator for my lists?  The answer of the simulated sets that look most like them
# -------------------------------------------------------------------------------------------------

FULL, QUICK = 1600, 60


@dataclass(frozen=True, eq=False)
class AggregatorChoice(JsonResult):
    """Accuracy of aggregators in simulated lists of many kinds.

    Attributes
    ----------
    sets : DataFrame
        As `measure_situations` returns them.
    record : dict
        Machine, versions, date, seed and number of sets.
    """

    _kind: ClassVar[str] = "aggregator_choice"
    _noun: ClassVar[str] = "comparison of aggregators"
    frames: ClassVar[tuple[str, ...]] = ("sets",)

    sets: pd.DataFrame
    record: Mapping[str, Any]

    def conclusions(self) -> list[str]:
        """The results in sentences."""
        worth = self.simulated.check()
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

    @cached_property
    def simulated(self) -> SimulatedSets:
        """The sets as the advice of ``pyfsagg aggregate`` reads them."""
        return SimulatedSets(self.sets)

    def advice(self, table: Rankings, method: str) -> str | None:
        """Which aggregator finds more in lists that look like these; None if no set speaks of them."""
        return self.simulated.advice(table, method)

    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        return {"sets.csv": self.sets}

    def _thirds(self, rows: pd.Series[bool]) -> list[tuple[float, float, str]]:
        cuts = self.sets.loc[rows, "agreement"].quantile([0, 1 / 3, 2 / 3, 1]).tolist()
        return [(cuts[i], cuts[i + 1], word) for i, word in enumerate(("low", "middle", "high"))]


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

"""What can be seen of lists, and how much each aggregator finds in simulated lists that look so."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pyfsagg._base.checks import check_integer
from pyfsagg._run.parallel import run_tasks
from pyfsagg.ranks import RankTable
from pyfsagg.reproduce.records import Log, silent
from pyfsagg.reproduce.unequal_lists.experiment import METHODS, accuracies
from pyfsagg.reproduce.unequal_lists.generator import Setting, generate_lists

__all__ = ["FEWEST_NAMES", "TRAITS", "measure_situations", "traits"]

TRAITS = {
    "n_lists": "lists",
    "unranked": "share of lists without an order",
    "length": "names in the median list",
    "length_spread": "SD of the logarithm of the lengths",
    "agreement": "share of the shorter of two lists that the longer one holds",
    "agreement_spread": "SD of that share from list to list",
}
FEWEST_NAMES = 200
_BATCH = 20
_LISTS, _LENGTH, _SPREAD = (2, 40), (20.0, 3000.0), (0.0, 2.0)
_NOISE, _HETEROGENEITY = (0.5, 12.0), (0.1, 12.0)


def traits(table: RankTable) -> dict[str, float]:
    """What lists look like, by what can be seen of them without a known truth.

    Returns
    -------
    dict
        The number of lists, the share of unranked ones, median length and SD of the logarithm of
        lengths; of all pairs of lists the share of the names of the shorter one that are in the
        other as well (sum over the pairs divided by sum), and the SD of that share over the lists,
        each with all others.

    Examples
    --------
    >>> seen = traits(RankTable.from_lists([list("abcd"), list("abxy"), list("uv")]))
    >>> seen["n_lists"], seen["length"], seen["agreement"]
    (3.0, 4.0, 0.25)
    """
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

    Returns
    -------
    DataFrame
        One row per set: :func:`traits`, ``M``, ``D``, and for each method the share of the true best
        100 among its first 100 (NaN where it was not run).  Values do not depend on `n_jobs`.

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

"""The comparison repeated: how many of the true best entities each aggregator finds."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.checks import check_integer
from pyfsagg._run.parallel import run_tasks
from pyfsagg.aggregation import AGGREGATORS
from pyfsagg.exceptions import UnknownNameError
from pyfsagg.ranks import RankTable
from pyfsagg.reproduce.records import Log, silent
from pyfsagg.reproduce.unequal_lists.generator import SETTINGS, generate_lists

__all__ = ["GRID", "METHODS", "accuracies", "gene_list_accuracy"]

TOPS = (100, 1000)
GRID = tuple(
    sorted(
        {(M, D) for M in (1.0, 3.0, 4.0) for D in (0.1, 0.5, 1.0, 3.0, 12.0)}
        | {(M, D) for D in (0.1, 0.5, 1.0, 3.0) for M in (0.5, 1.0, 3.0, 4.0, 12.0)}
    )
)
"""Mean noise M and heterogeneity D of the published settings."""


class Method(NamedTuple):
    """An aggregator with its options, and the published methods that it answers to."""

    name: str
    options: Mapping[str, Any]
    ranked: str | None
    mixed: str | None


METHODS = {
    "mean_rank": Method("mean_rank", {}, "rMEAN", "rMixMEAN"),
    "median_rank": Method("median_rank", {}, "rMED", "rMixMED"),
    "geometric_mean_rank": Method("geometric_mean_rank", {}, "rGEO", "rMixGEO"),
    "stuart": Method("stuart", {}, "stuart", "MixStuart"),
    "robust_rank_aggregation": Method("robust_rank_aggregation", {}, "RRA", None),
    "birra": Method("birra", {}, "BIRRA", None),
    "maic": Method("maic", {"fit": "none", "longest": 2000}, "MAIC", "MAIC"),
    "vote_counting": Method("vote_counting", {}, "VC", "VC"),
    "reciprocal_rank_fusion": Method("reciprocal_rank_fusion", {}, None, None),
}
_RANKED_ONLY = ("birra",)  # the slowest of them, and published for ranked lists only


class _Task(NamedTuple):
    setting: str
    M: float
    D: float
    repetitions: tuple[int, ...]
    random_state: int


def gene_list_accuracy(
    grid: Sequence[tuple[float, float]] = GRID,
    *,
    settings: Sequence[str] = tuple(SETTINGS),
    n_repetitions: int = 100,
    random_state: int = 0,
    n_jobs: int | None = None,
    log: Log | None = None,
) -> pd.DataFrame:
    """Share of the true best 100 (1,000) entities among the first 100 (1,000) of each aggregator.

    Parameters
    ----------
    grid : sequence of (M, D)
    settings : sequence of {"0", "1"}
        The large and the small setting.
    n_repetitions : int
        Data sets for each setting; all aggregators, and the tables with and without the unranked
        lists, see the same.
    random_state, n_jobs
        Values do not depend on `n_jobs`.
    log : callable, optional
        Called with a line after each setting.

    Returns
    -------
    DataFrame
        ``kind`` ("0r", "0m", "1r", "1m": large or small, ranked lists only or with unranked ones),
        ``M``, ``D``, ``method``, ``top``, ``mean``, ``std`` (of the data sets) and ``count``.

    Raises
    ------
    UnknownNameError
        For another setting.

    Examples
    --------
    >>> cells = gene_list_accuracy([(0.5, 0.1)], settings=["1"], n_repetitions=2)
    >>> bool(cells.query("kind == '1r' and top == 100")["mean"].between(0, 1).all())
    True
    """
    for setting in settings:
        if setting not in SETTINGS:
            raise UnknownNameError("setting", setting, SETTINGS)
    n_repetitions = check_integer("n_repetitions", n_repetitions, low=1)
    say = log or silent
    tasks = [
        _Task(setting, float(M), float(D), tuple(range(n_repetitions)), random_state)
        for setting in settings
        for M, D in grid
    ]
    frames = []
    begun = time.perf_counter()
    for task, frame in zip(
        tasks, run_tasks(_cells, None, tasks, n_jobs=n_jobs, threads=False), strict=True
    ):
        frames.append(frame)
        say(
            f"{task.setting}, M = {task.M:g}, D = {task.D:g}: {len(frames)} of {len(tasks)} settings, "
            f"{time.perf_counter() - begun:.0f} s"
        )
    return pd.concat(frames, ignore_index=True)


def _cells(_: None, task: _Task) -> pd.DataFrame:
    """All methods on the data sets of one setting."""
    found: dict[tuple[str, str, int], list[float]] = {}
    for repetition in task.repetitions:
        seed = (task.random_state, int(task.setting), round(10 * task.M), round(10 * task.D))
        lists = generate_lists(
            task.setting, task.M, task.D, np.random.default_rng((*seed, repetition))
        )
        for kind, mixed in (("r", False), ("m", True)):
            for name, shares in accuracies(lists.table(mixed), mixed).items():
                for top, share in zip(TOPS, shares, strict=True):
                    found.setdefault((task.setting + kind, name, top), []).append(share)
    return pd.DataFrame(
        {
            "kind": kind, "M": task.M, "D": task.D, "method": name, "top": top,
            "mean": np.mean(shares), "std": np.std(shares, ddof=1) if len(shares) > 1 else np.nan,
            "count": len(shares),
        }
        for (kind, name, top), shares in found.items()
    )  # fmt: skip


def accuracies(
    drawn: tuple[RankTable, NDArray[np.intp]], mixed: bool
) -> dict[str, tuple[float, ...]]:
    """Of each method, :func:`accuracy`; of `mixed` lists without those that are for ranked ones only.

    `drawn` is what :meth:`~pyfsagg.reproduce.unequal_lists.generator.Lists.table` returns.
    """
    table, entities = drawn
    shares = {}
    for name, method in METHODS.items():
        if mixed and name in _RANKED_ONLY:
            continue
        scores = AGGREGATORS.get(method.name).bind(**method.options)(table).scores
        shares[name] = accuracy(scores, entities)
    return shares


def accuracy(scores: NDArray[np.float64], entities: NDArray[np.intp]) -> tuple[float, ...]:
    """Share of the true best among the best, for each of `TOPS`; ties in the order of the table."""
    order = np.argsort(-scores, kind="stable")
    return tuple(float((entities[order[:top]] < top).sum()) / top for top in TOPS)

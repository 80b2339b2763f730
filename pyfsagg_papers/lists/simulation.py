"""The comparison repeated: how many of the true best entities each aggregator finds."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg.exceptions import UnknownNameError
from pyfsagg.extending import AGGREGATORS, check_integer, run_tasks
from pyfsagg.ranks import Rankings
from pyfsagg_papers.records import Floats, Log, silent

# -------------------------------------------------------------------------------------------------
# gene lists with a known truth, as Wang et al. (2022) generate them
# -------------------------------------------------------------------------------------------------

N_ENTITIES, N_TRUE = 20_000, 1_000
_SHORTEST = 2


@dataclass(frozen=True)
class Setting:
    """How many lists there are of each kind, and mean and SD of the logarithm of their lengths."""

    n_ranked: int
    ranked_length: tuple[float, float]
    n_unranked: int
    unranked_length: tuple[float, float]


SETTINGS = {
    "0": Setting(11, (5.3597, 1.8055), 21, (3.4365, 1.6937)),
    "1": Setting(5, (7.4141, 1.8634), 5, (2.9905, 1.3389)),
}
"""The large and the small setting, by the first sign of the kinds ``0r``, ``0m``, ``1r``, ``1m``."""


@dataclass(frozen=True, eq=False)
class Lists:
    """Lists of entities (numbers; those below 1,000 are true, 0 the strongest), best first."""

    ranked: tuple[NDArray[np.intp], ...]
    unranked: tuple[NDArray[np.intp], ...]

    def table(self, mixed: bool) -> tuple[Rankings, NDArray[np.intp]]:
        """The ranked lists, or all, as a table of cut-off lists; and the entity of each column.

        Columns are in the order in which entities appear, list by list: ties are broken so by who
        sorts the names that the lists hold.
        """
        lists = (*self.ranked, *(self.unranked if mixed else ()))
        everything = np.concatenate(lists)
        _, first = np.unique(everything, return_index=True)
        entities = everything[np.sort(first)]
        column = np.empty(N_ENTITIES, dtype=np.intp)
        column[entities] = np.arange(entities.size)
        ranks = np.full((len(lists), entities.size), np.nan)
        for i, row in enumerate(lists):
            loose = i >= len(self.ranked)
            ranks[i, column[row]] = (row.size + 1) / 2 if loose else np.arange(1.0, row.size + 1)
        labels = tuple(f"list{i}" for i in range(len(lists)))
        sizes = np.full(len(lists), float(N_ENTITIES))
        return Rankings(
            tuple(map(str, entities.tolist())), labels, None, sizes, given_ranks=ranks
        ), entities


def true_means() -> Floats:
    """Mean Z of the true entities, falling from 2.

    Examples
    --------
    >>> true_means()[[0, 99, 999]].round(3).tolist()
    [2.0, 1.138, 0.62]
    """
    k = np.arange(1, N_TRUE + 1)
    curve = 0.1405463 * np.exp(-0.00990575 * k) + 0.06253942
    return np.asarray(2.0 * curve / curve[0])


def generate_lists(kind: str | Setting, M: float, D: float, rng: np.random.Generator) -> Lists:
    """Lists of one data set.

    List i orders the entities by Z ~ N(μ_k, σ_i²), μ_k = 0 for noise, with log σ_i ~ N(log M, D),
    and is cut after a length that is log-normal, at least 2 and at most 20,000.  An unranked list
    keeps no order.

    Examples
    --------
    >>> lists = generate_lists("1", 1.0, 0.1, np.random.default_rng(0))
    >>> len(lists.ranked), len(lists.unranked)
    (5, 5)
    """
    setting = SETTINGS[kind] if isinstance(kind, str) else kind
    count = setting.n_ranked + setting.n_unranked
    sigmas = np.exp(np.log(M) + np.sqrt(D) * rng.standard_normal(count))
    lengths = np.concatenate([
        _lengths(setting.n_ranked, *setting.ranked_length, rng),
        _lengths(setting.n_unranked, *setting.unranked_length, rng),
    ])  # fmt: skip
    means = np.zeros(N_ENTITIES)
    means[:N_TRUE] = true_means()
    lists = []
    for sigma, length in zip(sigmas, lengths, strict=True):
        z = -(means + sigma * rng.standard_normal(N_ENTITIES))
        best = np.argpartition(z, length - 1)[:length]
        lists.append(best[np.argsort(z[best])])
    loose = [rng.permutation(row) for row in lists[setting.n_ranked :]]
    return Lists(tuple(lists[: setting.n_ranked]), tuple(loose))


def _lengths(n: int, mean: float, sd: float, rng: np.random.Generator) -> NDArray[np.intp]:
    lengths = np.floor(np.exp(mean + sd * rng.standard_normal(n)) + _SHORTEST)
    return np.asarray(np.minimum(lengths, N_ENTITIES), dtype=np.intp)


# -------------------------------------------------------------------------------------------------
# the comparison repeated: how many of the true best entities each aggregator finds
# -------------------------------------------------------------------------------------------------

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
    drawn: tuple[Rankings, NDArray[np.intp]], mixed: bool
) -> dict[str, tuple[float, ...]]:
    """Of each method, :func:`accuracy`; of `mixed` lists without those that are for ranked ones only.

    `drawn` is what :meth:`~pyfsagg_papers.Lists.table` returns.
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

"""Gene lists with a known truth, as Wang et al. (2022) generate them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.types import Floats
from pyfsagg.ranks import RankTable

__all__ = ["N_ENTITIES", "SETTINGS", "Lists", "Setting", "generate_lists", "true_means"]

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

    def table(self, mixed: bool) -> tuple[RankTable, NDArray[np.intp]]:
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
        return RankTable(
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

    Parameters
    ----------
    kind : {"0", "1"} or Setting
        The large or the small setting, or another.
    M, D : float
        Mean noise, and its heterogeneity (a variance).
    rng : Generator

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

"""Permutation p-values of aggregated lists under the null."""

from __future__ import annotations

import numpy as np

from pyfsagg.aggregation import permutation_p_values
from pyfsagg.ranks import RankTable
from pyfsagg.reproduce.calibration._row import ALPHA, Claim, calibrated

OF_SOURCES = "sources of lists that know nothing of one another"
UNIVERSE = 300


def _level(name: str) -> Claim:
    return Claim(name, "level", ALPHA, (0.0, 0.065), of=OF_SOURCES)


@calibrated(
    _level("permutation_p_values.p_values"),
    _level("permutation_p_values.adjusted_p_values (any item)"),
    _level("permutation_p_values.family_wise_p_values (any item)"),
    designs=[
        {"sources": 5, "copies": copies, "length": length, "method": method}
        for copies, length in ((1, 30), (1, 300), (4, 30))
        for method in ("rra", "mean_rank")
    ],
    runs=200,
)
def unrelated_sources(
    rng: np.random.Generator, sources: int, copies: int, length: int, method: str
) -> tuple[float, ...]:
    """Five sources with an order of their own of 300 items; of each, lists of the best so many, which
    are near copies of one another where there are several: share of all items with a p-value of at
    most 0.05, and how often any item has an adjusted one. 99 permutations."""
    lists, groups = [], []
    for source in range(sources):
        worth = rng.standard_normal(UNIVERSE)
        for _ in range(copies):
            order = np.argsort(worth + 0.3 * rng.standard_normal(UNIVERSE))
            lists.append([f"g{i}" for i in order[:length]])
            groups.append(source)
    table = RankTable.from_lists(lists, universe=UNIVERSE)
    found = permutation_p_values(table, method, groups=groups, n_permutations=99, random_state=rng)
    return (
        float((found.p_values <= ALPHA).sum() / UNIVERSE),
        float((found.adjusted_p_values <= ALPHA).any()),
        float((found.family_wise_p_values <= ALPHA).any()),
    )

"""p-values of aggregated lists under the null: no item is better than another in any list."""

from __future__ import annotations

import numpy as np

from pyfsagg.aggregation import aggregate
from pyfsagg.ranks import RankTable
from pyfsagg.reproduce.calibration._row import ALPHA, Claim, calibrated
from pyfsagg.reproduce.calibration.data import scores_of_lists

OF_LISTS = "lists whose orders are independent and, under the null, random"


def _level(name: str) -> Claim:
    return Claim(name, "level", ALPHA, (0.0, 0.065), of=OF_LISTS)


@calibrated(
    _level("aggregate(rra).p_value"),
    _level("aggregate(rra, exact).p_value"),
    _level("aggregate(mean_p_value).p_value"),
    designs=[
        {"m": m, "zeros": zeros} for m in (3, 5, 10, 30, 100) for zeros in (0.0, 0.5, 0.9)
    ],
    runs=400,
)  # fmt: skip
def level_of_full_lists(rng: np.random.Generator, m: int, zeros: float) -> tuple[float, ...]:
    """Lists of 50 items by random scores, a share of which is exactly zero: share of items whose
    p-value is at most 0.05."""
    table = RankTable.from_scores(scores_of_lists(rng, m, 50, zeros))
    found = (
        aggregate(table, "rra"),
        aggregate(table, "rra", exact=True),
        aggregate(table, "mean_p_value"),
    )
    return tuple(float(np.mean(each.to_frame()["p_value"] <= ALPHA)) for each in found)


@calibrated(
    _level("aggregate(rra).adjusted_p_value (any of all items)"),
    _level("aggregate(rra, exact).adjusted_p_value (any of all items)"),
    designs=[
        {"lengths": "3 x 50", "universe": 20_000},
        {"lengths": "5 x 20", "universe": 20_000},
        {"lengths": "10, 50, 200, 1000", "universe": 20_000},
        {"lengths": "10 x 100", "universe": 20_000},
        {"lengths": "5 x 50", "universe": 2000},
    ],
    runs=1000,
)
def family_of_top_lists(rng: np.random.Generator, lengths: str, universe: int) -> tuple[float, ...]:
    """Lists of the best items, each drawn at random from the universe: how often any item of a list
    has an adjusted p-value (Benjamini-Hochberg) of at most 0.05. No item is real."""
    if " x " in lengths:
        count, length = map(int, lengths.split(" x "))
        sizes = [length] * count
    else:
        sizes = [int(size) for size in lengths.split(", ")]
    lists = [[f"g{i}" for i in rng.choice(universe, size, replace=False)] for size in sizes]
    table = RankTable.from_lists(lists, universe=universe)
    return tuple(
        float((aggregate(table, "rra", exact=exact).to_frame()["adjusted_p_value"] <= ALPHA).any())
        for exact in (False, True)
    )


@calibrated(
    Claim(
        "aggregate(rra).adjusted_p_value (false discovery rate)",
        "level",
        ALPHA,
        (0.0, 0.065),
        of=OF_LISTS,
    ),
    designs=[{"m": 5, "length": 50, "real": 8}, {"m": 10, "length": 200, "real": 30}],
    runs=500,
)
def false_discoveries_of_top_lists(
    rng: np.random.Generator, m: int, length: int, real: int
) -> tuple[float, ...]:
    """Lists of the best of 20,000 items; the real ones stand in a list with probability 0.7, among
    its first half, the rest of the list is drawn at random: share of false items among those with an
    adjusted p-value of at most 0.05."""
    lists = []
    for _ in range(m):
        held = np.flatnonzero(rng.random(real) < 0.7)
        others = real + rng.choice(20_000 - real, length - len(held), replace=False)
        half = length // 2
        first = rng.permutation(np.r_[held, others[: max(half - len(held), 0)]])
        names = np.r_[first, others[max(half - len(held), 0) :]]
        lists.append([f"g{i}" for i in names])
    frame = aggregate(RankTable.from_lists(lists, universe=20_000), "rra").to_frame()
    found = frame.index[frame["adjusted_p_value"] <= ALPHA]
    false = sum(int(str(name)[1:]) >= real for name in found)
    return (false / max(len(found), 1),)

"""Aggregators that work on ranks: means, Borda, best-go-first, reciprocal ranks, vote counting."""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.validation import check_choice, check_integer, check_real
from pyfsagg.aggregation import _base
from pyfsagg.aggregation._base import AggregatedValues, rank_aggregator
from pyfsagg.ranks import Rankings, rank_scores


def reduced_rank(
    how: _base.How | Literal["geometric"], table: Rankings, *, normalized: bool = False
) -> AggregatedValues:
    """Mean, geometric mean, median or best rank of an item; absent, it has the last rank of the universe,
    or is omitted with ``absent="unknown"``. Ranks of unequal universes are scaled to the largest."""
    ranks, weights, largest = table._filled_ranks(), table.weights, table.sizes.max()
    if (table.sizes != largest).any():
        ranks = ranks * (largest / table.sizes)[:, np.newaxis]
    rounding = None
    if how == "geometric":
        if weights is None:  # sorted, so equal ranks in another order tie exactly
            ranks = np.sort(ranks, axis=0)
        statistic, rounding = _base.geometric_means(np.log(ranks), weights)
    else:
        statistic = _base.over_lists(ranks, how, weights)
    if normalized:
        statistic = statistic / largest
        rounding = None if rounding is None else rounding / largest
    return AggregatedValues(-statistic, statistic, rounding=rounding)


def borda(table: Rankings, *, ties: Literal["half", "strict"] = "half") -> AggregatedValues:
    """Borda count: the number of items ranked lower, summed over the lists (fpcps section 4.4). Absent
    items are tied below those of a list; with ``absent="unknown"`` a list compares only its items, and points
    from s of m lists are scaled by m/s."""
    check_choice("ties", ties, ("half", "strict"))
    missing = table.missing
    keys = np.where(missing, np.inf, table.ranks)
    worst = rank_scores(keys, "average" if ties == "half" else "max", higher_is_better=False)
    if table.absent == "unknown" and missing.any():
        held = (~missing).sum(axis=1, keepdims=True)
        points = np.where(missing, np.nan, held - worst)
        total = table._total_weight * _base.over_lists(points, "mean", table.weights)
    else:
        points = table.n_items - worst
        if table.weights is not None:
            points *= table.weights[:, np.newaxis]
        total = points.sum(axis=0)
    return AggregatedValues(total, total)


def best_go_first(table: Rankings) -> AggregatedValues:
    """Best-go-first: the items that any list ranks first, then second, …, in the order of the lists
    (fpcps 4.4); ties within a list by column. Positive weights change nothing. The statistic is the
    place, 1 to p."""
    keys = np.where(table.missing, np.inf, table.ranks)
    steps = rank_scores(keys, "ordinal", higher_is_better=False)
    steps[table.missing] = np.inf
    entered = np.lexsort((np.argmin(steps, axis=0), np.min(steps, axis=0)))
    place = np.empty(table.n_items)
    place[entered] = np.arange(1.0, table.n_items + 1.0)
    return AggregatedValues(-place, place)


_FPCPS = "Filchenkov, Dolganov, Smetannikov (2015), section 4.4"
_AS_GIVEN = "average ranks by default"


def _reduced_rank(**parts: Any) -> _base.AggregatorSpec:
    """Common parts of the statistics of an item's ranks."""
    return rank_aggregator(
        bounds="[1, N]",
        higher_is_better=False,
        ties=_AS_GIVEN,
        source="Kolde et al. (2012), RobustRankAggreg",
        **parts,
    )


_base.AGGREGATORS.add(
    _reduced_rank(
        name="mean_rank",
        summary="mean of the ranks",
        formula="1/m sum_i r_i",
        latex=r"\frac{1}{m} \sum_{i=1}^{m} r_i",
        compute=partial(reduced_rank, "mean"),
    ),
    _reduced_rank(
        name="median_rank",
        summary="median of the ranks",
        formula="median_i r_i",
        latex=r"\operatorname{median}_{i} \; r_i",
        compute=partial(reduced_rank, "median"),
    ),
    _reduced_rank(
        name="minimum_rank",
        extreme=True,
        summary="best rank in any list",
        formula="min_i r_i",
        latex=r"\min_{i} r_i",
        compute=partial(reduced_rank, "min"),
    ),
    _reduced_rank(
        name="geometric_mean_rank",
        aliases=("rank_product",),
        summary="geometric mean of the ranks",
        formula="(prod_i r_i)^(1/m)",
        latex=r"\left( \prod_{i=1}^{m} r_i \right)^{1/m}",
        compute=partial(reduced_rank, "geometric"),
    ),
    rank_aggregator(
        name="borda",
        summary="number of items ranked lower, over all lists",
        formula="sum_i (p - r_i), r_i average ranks",
        latex=r"\sum_{i=1}^{m} (p - r_i)",
        bounds="[0, m (p - 1)]",
        ties="half a point; none with ties='strict'",
        source=_FPCPS,
        compute=borda,
        unranked="mean rank (k + 1)/2; with ties='strict' they beat unlisted items",
    ),
    rank_aggregator(
        name="best_go_first",
        extreme=True,
        aliases=("bgf",),
        summary="items that any list ranks first, then second, …",
        formula="place of the item when items are sorted by min_i r_i, then by the first list with it",
        latex=r"\operatorname{place} \left( \min_{i} r_i, \; \min \{ i : r_i = \min_{v} r_v \} "
        r"\right)",
        bounds="[1, p]",
        higher_is_better=False,
        ties="by column order within a list",
        source=_FPCPS,
        compute=best_go_first,
        unranked="its items follow in the order of the table",
    ),
)


def reciprocal_rank_fusion(table: Rankings, *, constant: float = 60.0) -> AggregatedValues:
    """Reciprocal rank fusion: Σ 1/(c + r_i) over the lists with the item, for any universe."""
    constant = check_real("constant", constant, low=0.0)
    return _points(np.where(table.missing, 0.0, 1.0 / (constant + table.ranks)), table)


def inverse_square_rank(
    table: Rankings, times: Callable[[Floats], Floats] = lambda held: held
) -> AggregatedValues:
    """Inverse square rank (ISR): the number of lists that contain the item, times Σ 1/r_i² over these."""
    held = _points((~table.missing).astype(np.float64), table).statistic
    squares = _points(np.where(table.missing, 0.0, 1.0 / np.square(table.ranks)), table)
    total = squares.statistic * times(held)
    return AggregatedValues(total, total)


def log_inverse_square_rank(table: Rankings, *, plus: float = 0.0) -> AggregatedValues:
    """Logarithmic ISR: log(number of lists with the item + `plus`) · Σ 1/r_i². With 0, items of one
    list score 0; the normalised form of the authors takes 0.01."""
    plus = check_real("plus", plus, low=0.0, high=1.0)
    return inverse_square_rank(table, lambda held: np.log(held + plus))


def vote_counting(table: Rankings, *, top: int | None = None) -> AggregatedValues:
    """Number of lists that contain an item, or have it among their best `top`."""
    held = ~table.missing
    if top is not None:
        held &= table.ranks <= check_integer("top", top, low=1)  # NaN compares as False
    return _points(held.astype(np.float64), table)


def _points(points: Floats, table: Rankings) -> AggregatedValues:
    """The sum over the lists; items with the same points in another order tie exactly."""
    weighted = points if table.weights is None else points * table.weights[:, np.newaxis]
    total: Floats = np.sort(weighted, axis=0).sum(axis=0)
    return AggregatedValues(total, total)


_MOURAO = "Mourão, Martins, Magalhães (2015), Computerized Medical Imaging and Graphics 39"
_base.AGGREGATORS.add(
    rank_aggregator(
        name="reciprocal_rank_fusion",
        aliases=("rrf",),
        summary="sum of reciprocal ranks, softened by a constant",
        formula="sum_i 1 / (c + r_i), over the lists with the item, c = 60",
        latex=r"\sum_{i} \frac{1}{c + r_i}, \quad c = 60",
        bounds="[0, m / (c + 1)]",
        ties=_AS_GIVEN,
        source="Cormack, Clarke, Büttcher (2009)",
        compute=reciprocal_rank_fusion,
        options=("constant",),
    ),
    rank_aggregator(
        name="inverse_square_rank",
        aliases=("isr",),
        summary="sum of inverse squared ranks, times the number of lists with the item",
        formula="h sum_i 1 / r_i^2, over the h lists with the item",
        latex=r"h \sum_{i} \frac{1}{r_i^2}, \quad h \text{ the number of lists with the item}",
        bounds="[0, m^2]",
        ties=_AS_GIVEN,
        source=_MOURAO,
        compute=inverse_square_rank,
    ),
    rank_aggregator(
        name="log_inverse_square_rank",
        aliases=("log_isr",),
        summary="sum of inverse squared ranks, times the logarithm of the number of lists with the item",
        formula="log(h + c) sum_i 1 / r_i^2, over the h lists with the item, c = 0",
        latex=r"\log(h + c) \sum_{i} \frac{1}{r_i^2}, \quad c = 0",
        bounds="[0, m log(m + c)]",
        ties=_AS_GIVEN,
        source=_MOURAO,
        compute=log_inverse_square_rank,
        list_weights="whole",
    ),
    rank_aggregator(
        name="vote_counting",
        aliases=("vote_count", "votes"),
        summary="number of lists with the item",
        formula="number of lists with the item (among their best, with top)",
        latex=r"\sum_{i=1}^{m} 1 [ \text{list } i \text{ has the item} ]",
        bounds="[0, m]",
        ties="with top, the mean rank decides",
        source="Wang et al. (2022), Bioinformatics 38",
        compute=vote_counting,
        unranked="counts as any other; with top, the mean rank (k + 1)/2 decides",
    ),
)

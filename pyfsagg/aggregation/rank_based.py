"""Aggregators that work on ranks: means, Borda, best-go-first, vote counting; BIRRA and MAIC, which learn
from the lists how far each can be trusted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.validation import check_choice, check_integer, check_real
from pyfsagg._kernels.consensus import smooth_medians
from pyfsagg.aggregation._base import (
    AGGREGATORS,
    AggregatedValues,
    AggregatorSpec,
    codes_of_lists,
    comparable_ranks,
    over_lists,
    rank_aggregator,
)
from pyfsagg.ranks import RankTable, rank_scores


def mean_rank(table: RankTable, *, normalized: bool = False) -> AggregatedValues:
    """Mean rank of an item.

    An absent item counts with the last rank of the list's universe (``full=False``) or is left out
    of the mean (``full=True``).  Ranks from universes of different size are brought to the largest.
    """
    ranks = comparable_ranks(table)
    return _smaller_is_better(over_lists(ranks, "mean", table.list_weights), table, normalized)


def median_rank(table: RankTable, *, normalized: bool = False) -> AggregatedValues:
    """Median rank of an item; absent items and `normalized` as in :func:`mean_rank`."""
    ranks = over_lists(comparable_ranks(table), "median", table.list_weights)
    return _smaller_is_better(ranks, table, normalized)


def minimum_rank(table: RankTable, *, normalized: bool = False) -> AggregatedValues:
    """Best rank of an item in any list; absent items and `normalized` as in :func:`mean_rank`."""
    return _smaller_is_better(over_lists(comparable_ranks(table), "min"), table, normalized)


def geometric_mean_rank(table: RankTable, *, normalized: bool = False) -> AggregatedValues:
    """Geometric mean rank (rank product); absent items and `normalized` as in :func:`mean_rank`.

    Items that hold the same ranks in another order tie exactly.
    """
    ranks = comparable_ranks(table)
    if table.list_weights is None:
        # Sorting first makes the floating sum independent of the order of the lists.
        ranks = np.sort(ranks, axis=0)
    logs = over_lists(np.log(ranks), "mean", table.list_weights)
    return _smaller_is_better(np.exp(logs), table, normalized)


def _smaller_is_better(ranks: Floats, table: RankTable, normalized: bool) -> AggregatedValues:
    statistic = ranks / table.sizes.max() if normalized else ranks
    return AggregatedValues(-statistic, statistic)


def borda(table: RankTable, *, ties: Literal["half", "strict"] = "half") -> AggregatedValues:
    """Borda count: how many items an item beats, summed over the lists (fpcps section 4.4).

    A list that is cut off ranks its absent items equal, below all it holds; outsiders are not counted.
    With ``full=True`` a list compares its own items, and points of an item in s of m lists count m/s times.
    """
    check_choice("ties", ties, ("half", "strict"))
    missing = table.missing
    keys = np.where(missing, np.inf, table.ranks)
    worst = rank_scores(keys, "average" if ties == "half" else "max", higher_is_better=False)
    if table.full and missing.any():
        held = (~missing).sum(axis=1, keepdims=True)
        points = np.where(missing, np.nan, held - worst)
        total = table._total_weight * over_lists(points, "mean", table.list_weights)
    else:
        points = table.n_items - worst
        if table.list_weights is not None:
            points *= table.list_weights[:, np.newaxis]
        total = points.sum(axis=0)
    return AggregatedValues(total, total)


def best_go_first(table: RankTable) -> AggregatedValues:
    """Best-go-first: items that some list ranks first, then those that some list ranks second, … (fpcps 4.4).

    At step t the items that some list has at rank t enter in the order of the lists, unless they are
    in already; ties inside a list are broken by column order.  Weights above 0 change nothing.  The
    statistic is the place at which an item entered, 1 to p.
    """
    keys = np.where(table.missing, np.inf, table.ranks)
    steps = rank_scores(keys, "ordinal", higher_is_better=False)
    steps[table.missing] = np.inf
    entered = np.lexsort((np.argmin(steps, axis=0), np.min(steps, axis=0)))
    place = np.empty(table.n_items)
    place[entered] = np.arange(1.0, table.n_items + 1.0)
    return AggregatedValues(-place, place)


_FPCPS = "Filchenkov, Dolganov, Smetannikov (2015), section 4.4"
_AS_GIVEN = "ranks count as they are; average ranks are the default where lists are ranked"


def _reduced_rank(**parts: Any) -> AggregatorSpec:
    """What the statistics of an item's own ranks have in common."""
    return rank_aggregator(
        bounds="[1, N]",
        higher_is_better=False,
        ties=_AS_GIVEN,
        source="Kolde et al. (2012), RobustRankAggreg",
        options=("normalized",),
        **parts,
    )


AGGREGATORS.add(
    _reduced_rank(
        name="mean_rank",
        summary="mean of the ranks",
        formula="1/m sum_i r_i",
        latex=r"\frac{1}{m} \sum_{i=1}^{m} r_i",
        compute=mean_rank,
    ),
    _reduced_rank(
        name="median_rank",
        summary="median of the ranks",
        formula="median_i r_i",
        latex=r"\operatorname{median}_{i} \; r_i",
        compute=median_rank,
    ),
    _reduced_rank(
        name="minimum_rank",
        extreme=True,
        summary="best rank in any list",
        formula="min_i r_i",
        latex=r"\min_{i} r_i",
        compute=minimum_rank,
    ),
    _reduced_rank(
        name="geometric_mean_rank",
        aliases=("rank_product",),
        summary="geometric mean of the ranks",
        formula="(prod_i r_i)^(1/m)",
        latex=r"\left( \prod_{i=1}^{m} r_i \right)^{1/m}",
        compute=geometric_mean_rank,
    ),
    rank_aggregator(
        name="borda",
        summary="how many items are beaten, over all lists",
        formula="sum_i (p - r_i), r_i average ranks",
        latex=r"\sum_{i=1}^{m} (p - r_i)",
        bounds="[0, m (p - 1)]",
        ties="half a point for an equal rank; none with ties='strict'",
        source=_FPCPS,
        compute=borda,
        unranked="its k items share the mean rank (k + 1)/2, or, with ties='strict', beat what it lacks",
        options=("ties",),
    ),
    rank_aggregator(
        name="best_go_first",
        extreme=True,
        aliases=("bgf",),
        summary="what some list ranks first, then second, …",
        formula="place of the item when items are sorted by min_i r_i, then by the first list with it",
        latex=r"\operatorname{place} \left( \min_{i} r_i, \; \min \{ i : r_i = \min_{v} r_v \} "
        r"\right)",
        bounds="[1, p]",
        higher_is_better=False,
        ties="broken by column order inside a list",
        source=_FPCPS,
        compute=best_go_first,
        unranked="its items come one by one in the order of the table, as after any tie",
    ),
)


def reciprocal_rank_fusion(table: RankTable, *, constant: float = 60.0) -> AggregatedValues:
    """Reciprocal rank fusion: Σ 1/(c + r_i) over the lists that hold the item.

    An absent item gets 0 from a list, whatever the universe.
    """
    constant = check_real("constant", constant, low=0.0)
    return _points(np.where(table.missing, 0.0, 1.0 / (constant + table.ranks)), table)


def inverse_square_rank(table: RankTable) -> AggregatedValues:
    """Inverse square rank (ISR): the number of lists that hold the item, times Σ 1/r_i² over these."""
    return _squares(table, lambda held: held)


def log_inverse_square_rank(table: RankTable, *, plus: float = 0.0) -> AggregatedValues:
    """Logarithmic ISR: log(number of lists that hold the item + `plus`), times Σ 1/r_i² over these.

    With 0, what one list alone holds scores 0; the authors' normalised form takes 0.01.
    """
    plus = check_real("plus", plus, low=0.0, high=1.0)
    return _squares(table, lambda held: np.log(held + plus))


def _squares(table: RankTable, times: Callable[[Floats], Floats]) -> AggregatedValues:
    held = _points((~table.missing).astype(np.float64), table).statistic
    squares = _points(np.where(table.missing, 0.0, 1.0 / np.square(table.ranks)), table)
    total = squares.statistic * times(held)
    return AggregatedValues(total, total)


def vote_counting(table: RankTable, *, top: int | None = None) -> AggregatedValues:
    """Number of lists that contain an item, or have it among their best `top`."""
    held = ~table.missing
    if top is not None:
        held &= table.ranks <= check_integer("top", top, low=1)  # NaN compares as False
    return _points(held.astype(np.float64), table)


def _points(points: Floats, table: RankTable) -> AggregatedValues:
    """The sum over the lists; items with the same points in another order tie exactly."""
    weighted = points if table.list_weights is None else points * table.list_weights[:, np.newaxis]
    total: Floats = np.sort(weighted, axis=0).sum(axis=0)
    return AggregatedValues(total, total)


_MOURAO = "Mourão, Martins, Magalhães (2015), Computerized Medical Imaging and Graphics 39"
AGGREGATORS.add(
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
        options=("plus",),
    ),
    rank_aggregator(
        name="vote_counting",
        aliases=("vote_count", "votes"),
        summary="how many lists hold the item",
        formula="number of lists with the item (among their best, with top)",
        latex=r"\sum_{i=1}^{m} 1 [ \text{list } i \text{ has the item} ]",
        bounds="[0, m]",
        ties="with top, the mean rank of the ties decides",
        source="Wang et al. (2022), Bioinformatics 38",
        compute=vote_counting,
        options=("top",),
        unranked="counts as any other; with top, the mean rank (k + 1)/2 of its k items decides",
    ),
)


def birra(
    table: RankTable, *, prior: float = 0.05, n_bins: int = 50, n_iterations: int = 10
) -> AggregatedValues:
    """Bayesian iterative robust rank aggregation.

    The best share `prior` of the items, by their mean rank at first, are taken for true.  For each
    list and each of `n_bins` equal parts of its ranks this gives a log Bayes factor of the true
    against the other items down to there, smoothed by running medians and made to fall.  The sums of
    the factors order the items anew, until the order stays or `n_iterations` are over.  An absent item
    shares the mean of the ranks behind the list (``full=False``) or adds nothing (``full=True``).
    """
    prior = check_real("prior", prior, low=0.0, low_open=True, high=0.999)
    n_bins = check_integer("n_bins", n_bins, low=1)
    n_iterations = check_integer("n_iterations", n_iterations, low=1)
    missing = table.missing
    # Average ranks within the table, absent items tied behind a list.
    keys = np.where(missing, np.inf, table.ranks)
    ranks = rank_scores(keys, "average", higher_is_better=False)
    counted = ~missing if table.full else np.ones_like(missing)
    held = counted.sum(axis=1, keepdims=True)
    # A relative 1e-12, because 3/50 of 50 need not be 3.
    bins = np.ceil(ranks / held * n_bins * (1.0 - 1e-12)).astype(np.int64).clip(1, n_bins) - 1
    n_true = max(1, int(np.floor(table.n_items * prior * (1.0 + 1e-12))))
    with np.errstate(invalid="ignore"):
        guess = np.nanmean(np.where(counted, ranks / held, np.nan), axis=0)
    total = np.zeros(table.n_items)
    for _ in range(n_iterations):
        # Of equally good items the first in the table are taken, as in the authors' program.
        true = np.zeros(table.n_items, dtype=np.bool_)
        true[np.argsort(guess, kind="stable")[:n_true]] = True
        factors = _log_bayes_factors(bins, counted, true, prior, n_bins)
        total = np.where(counted, np.take_along_axis(factors, bins, axis=1), 0.0).sum(axis=0)
        renewed = rank_scores(total)
        if np.array_equal(renewed, guess):
            break
        guess = renewed
    return AggregatedValues(total, total)


def _log_bayes_factors(
    bins: NDArray[np.int64],
    counted: NDArray[np.bool_],
    true: NDArray[np.bool_],
    prior: float,
    n_bins: int,
) -> Floats:
    """(m, n_bins), falling; no list decides alone, as the largest of a column is lowered to the second."""
    factors = np.empty((len(bins), n_bins))
    for row, (bins_of_list, known) in enumerate(zip(bins, counted, strict=True)):
        hits = np.cumsum(np.bincount(bins_of_list[known & true], minlength=n_bins))
        others = np.cumsum(np.bincount(bins_of_list[known & ~true], minlength=n_bins))
        factors[row] = smooth_medians(
            np.log((hits + 1.0) / (others + 1.0) / (prior / (1.0 - prior)))
        )
    falling: Floats = np.maximum.accumulate(factors[:, ::-1], axis=1)[:, ::-1]
    if len(falling) > 1:
        second = np.partition(falling, -2, axis=0)[-2]
        falling = np.minimum(falling, second)
    return falling


def maic(
    table: RankTable,
    *,
    categories: Sequence[Any] | None = None,
    fit: Literal["exponential", "none"] = "exponential",
    longest: int | None = None,
    tolerance: float = 0.01,
    n_iterations: int = 100,
) -> AggregatedValues:
    """Meta-analysis by information content: an item scores by its lists, a list by its items.

    The score of an item is the sum of what the lists that hold it give, of each category the most;
    a list gives the item at place k the square root of the mean score of its first k items, or, by
    default, what the curve a·exp(−b k) − c k + d through these values has at k.  Both are renewed in
    turn until no list changes its weight, the square root of the mean score of all its items, by more
    than `tolerance`.  Neither the universe nor `full` has a part.
    """
    tolerance = check_real("tolerance", tolerance, low=0.0, low_open=True)
    n_iterations = check_integer("n_iterations", n_iterations, low=1)
    check_choice("fit", fit, ("exponential", "none"))
    most = table.n_items if longest is None else check_integer("longest", longest, low=1)
    groups = codes_of_lists("categories", categories, table.n_lists)
    ordered = [_in_order(ranks, most) for ranks in table.ranks]
    gains = [np.ones(items.size) for items, _ in ordered]
    weights = np.ones(table.n_lists)
    for _ in range(n_iterations):
        scores = _sum_of_best(ordered, gains, groups, table.n_items)
        gains, means = [], []
        for items, ends in ordered:
            of_list = scores[items]
            if ends[0] > 0 or (np.diff(ends) != 1).any():
                # Sorted among ties, so that their sums do not depend on the table.
                of_list = of_list[np.lexsort((of_list, ends))]
            running: Floats = np.cumsum(of_list)
            means.append(np.sqrt(running[-1] / items.size))
            values: Floats = np.sqrt(running[ends] / (ends + 1.0))
            if fit == "exponential" and ends[0] < items.size - 1:
                values = _falling_curve(values, ends.astype(np.float64) + 1.0, means[-1])
            gains.append(values)
        change = np.abs(np.array(means) - weights).max()
        weights = np.array(means)
        if change <= tolerance:
            break
    scores = _sum_of_best(ordered, gains, groups, table.n_items)
    return AggregatedValues(scores, scores)


def _falling_curve(values: Floats, places: Floats, weight: float) -> Floats:
    """Values of a·exp(−b k) − c k + d at the places k, fitted to `values` as in the published program.

    Without a solution values fall by 1e-8 from place to place around the weight of the list.
    """
    from scipy.optimize import least_squares

    def curve(a: float, b: float, c: float, d: float) -> Floats:
        return np.asarray(a * np.exp(-b * places) - c * places + d)

    n = places.size
    precision = 1.0 / (weight * (n - places + 1.0) / n)

    def misfit(parameters: Floats) -> Floats:
        return np.asarray(precision * (curve(*parameters) - values))

    start, bounds = [3.0, 0.01, 0.0001, weight], ([0.0, 0.0, 1e-8, 0.0], np.inf)
    solution = least_squares(misfit, start, bounds=bounds)
    if not solution.success:
        return np.asarray(weight + 1e-8 * (n / 2.0 - (places - 1.0)))
    return curve(*solution.x)


def _in_order(ranks: Floats, longest: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The items of a list, best first, and for each the position of the last one tied with it."""
    items = np.argsort(ranks, kind="stable")[: min(longest, int((~np.isnan(ranks)).sum()))]
    in_order = ranks[items]
    return items, np.searchsorted(in_order, in_order, side="right") - 1


def _sum_of_best(
    ordered: list[tuple[NDArray[np.intp], NDArray[np.intp]]],
    gains: list[Floats],
    groups: NDArray[np.intp],
    p: int,
) -> Floats:
    """For each item the sum over categories of the most that a list of it gives."""
    best = np.zeros((int(groups.max()) + 1, p))
    for group, (items, _), values in zip(groups, ordered, gains, strict=True):
        best[group, items] = np.maximum(best[group, items], values)
    # Sorted, because a sum by the order of the lists differs in its last digit, and a curve through
    # a few places makes 1e-6 of that.
    return np.asarray(np.sort(best, axis=0).sum(axis=0), dtype=np.float64)


_LEARNS = "it learns from the lists themselves how far each can be trusted"
AGGREGATORS.add(
    AggregatorSpec(
        name="birra",
        summary="sum of Bayes factors learnt from the agreement of the lists",
        formula="sum_i log B_i(r_i), B_i the Bayes factor of the ranks up to r_i in list i, smoothed",
        latex=r"\sum_{i=1}^{m} \log B_i(r_i), \quad B_i(k) = \frac{P(r_i \le k \mid "
        r"\text{relevant})}{P(r_i \le k \mid \text{not relevant})}",
        bounds="(-inf, inf)",
        ties="average ranks among the items of the table",
        source="Badgeley, Sealfon, Chikina (2015), Bioinformatics 31(2)",
        compute=birra,
        input="ranks",
        options=("prior", "n_bins", "n_iterations"),
        list_weights=_LEARNS,
    ),
    AggregatorSpec(
        name="maic",
        summary="lists score by their items, and items by their lists",
        formula="S = sum_i f_i(r_i), f_i(k) = sqrt(mean S of the first k items of list i), or a curve "
        "through it",
        latex=r"S = \sum_{i=1}^{m} f_i(r_i), \quad f_i(k) = \sqrt{\frac{1}{k} \sum_{r_i(g) \le "
        r"k} S(g)}",
        bounds="[0, inf)",
        ties="the last of the places that ties share",
        source="Li et al. (2020), Nature Communications 11",
        compute=maic,
        input="ranks",
        options=("categories", "fit", "longest", "tolerance", "n_iterations"),
        list_weights=_LEARNS,
        unranked="gives all its items the square root of their mean score",
    ),
)

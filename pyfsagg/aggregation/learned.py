"""Aggregators that learn from the lists how far each can be trusted: BIRRA and MAIC."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from pyfsagg._base.arithmetic import EPSILON, Floats, levelled
from pyfsagg._base.validation import check_choice, check_integer, check_real
from pyfsagg._kernels.consensus import smooth_medians
from pyfsagg.aggregation._base import AGGREGATORS, AggregatedValues, AggregatorSpec, codes_of_lists
from pyfsagg.ranks import Rankings, rank_scores


def birra(
    table: Rankings, *, prior: float = 0.05, n_bins: int = 50, n_iterations: int = 10
) -> AggregatedValues:
    """Bayesian iterative robust rank aggregation: the best share `prior` of items, first by mean rank,
    is taken as true; for each of `n_bins` parts of each list this gives a log Bayes factor, cumulative,
    smoothed by running medians and decreasing. Their sums reorder the items, up to `n_iterations`
    times. An absent item has the mean rank of the missing ones, or adds nothing with ``absent="unknown"``.
    """
    prior = check_real("prior", prior, low=0.0, low_open=True, high=0.999)
    n_bins = check_integer("n_bins", n_bins, low=1)
    n_iterations = check_integer("n_iterations", n_iterations, low=1)
    missing = table.missing
    # Average ranks within the table, absent items tied behind a list.
    keys = np.where(missing, np.inf, table.ranks)
    ranks = rank_scores(keys, "average", higher_is_better=False)
    counted = ~missing if table.absent == "unknown" else np.ones_like(missing)
    held = counted.sum(axis=1, keepdims=True)
    # A relative 1e-12, because 3/50 of 50 need not be 3.
    bins = np.ceil(ranks / held * n_bins * (1.0 - 1e-12)).astype(np.int64).clip(1, n_bins) - 1
    n_true = max(1, int(np.floor(table.n_items * prior * (1.0 + 1e-12))))
    with np.errstate(invalid="ignore"):
        guess = np.nanmean(np.where(counted, ranks / held, np.nan), axis=0)
    guess = levelled(guess, table.n_lists * EPSILON * guess)
    total = np.zeros(table.n_items)
    factors = np.empty((table.n_lists, n_bins))
    for _ in range(n_iterations):
        # Of equally good items the first in the table are taken, as in the authors' program.
        true = np.zeros(table.n_items, dtype=np.bool_)
        true[np.argsort(guess, kind="stable")[:n_true]] = True
        for row, of_list, known in zip(factors, bins, counted, strict=True):
            hits = np.cumsum(np.bincount(of_list[known & true], minlength=n_bins))
            others = np.cumsum(np.bincount(of_list[known & ~true], minlength=n_bins))
            odds = (hits + 1.0) / (others + 1.0) / (prior / (1.0 - prior))
            row[:] = smooth_medians(np.log(odds))
        falling: Floats = np.maximum.accumulate(factors[:, ::-1], axis=1)[:, ::-1]
        if len(falling) > 1:
            # No list decides alone: the largest of a column is lowered to the second.
            falling = np.minimum(falling, np.partition(falling, -2, axis=0)[-2])
        given = np.where(counted, np.take_along_axis(falling, bins, axis=1), 0.0)
        total = np.sort(given, axis=0).sum(axis=0)  # the same for any order of the lists
        renewed = rank_scores(total)
        if np.array_equal(renewed, guess):
            break
        guess = renewed
    return AggregatedValues(total, total)


def maic(
    table: Rankings,
    *,
    categories: Sequence[Any] | None = None,
    fit: Literal["exponential", "none"] = "exponential",
    longest: int | None = None,
    tolerance: float = 0.01,
    n_iterations: int = 100,
) -> AggregatedValues:
    """Meta-analysis by information content. An item scores the sum of what its lists give, of each
    category the most; a list gives place k the root of the mean score of its first k items, or a curve
    a·exp(−b k) − c k + d through these. Both alternate until no list's weight, the root of the mean
    score of its items, changes by more than `tolerance`; universe and `full` are ignored.
    """
    tolerance = check_real("tolerance", tolerance, low=0.0, low_open=True)
    n_iterations = check_integer("n_iterations", n_iterations, low=1)
    check_choice("fit", fit, ("exponential", "none"))
    most = table.n_items if longest is None else check_integer("longest", longest, low=1)
    groups = codes_of_lists("categories", categories, table.n_lists)
    # The items of each list, best first, and for each the position of the last one tied with it.
    ordered = []
    for ranks in table.ranks:
        items = np.argsort(ranks, kind="stable")[: min(most, int((~np.isnan(ranks)).sum()))]
        ordered.append((items, np.searchsorted(ranks[items], ranks[items], side="right") - 1))
    gains = [np.ones(items.size) for items, _ in ordered]

    def sum_of_best() -> Floats:
        """For each item the sum over categories of the most that a list of it gives."""
        best = np.zeros((int(groups.max()) + 1, table.n_items))
        for group, (items, _), values in zip(groups, ordered, gains, strict=True):
            best[group, items] = np.maximum(best[group, items], values)
        # Sorted, because a sum by the order of the lists differs in its last digit, and a curve
        # through a few places makes 1e-6 of that.
        return np.asarray(np.sort(best, axis=0).sum(axis=0), dtype=np.float64)

    weights = np.ones(table.n_lists)
    for _ in range(n_iterations):
        scores = sum_of_best()
        gains, means = [], []
        for items, ends in ordered:
            of_list = scores[items]
            if ends[0] > 0 or (np.diff(ends) != 1).any():
                # Sorted among ties, so their sums do not depend on the table.
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
    scores = sum_of_best()
    return AggregatedValues(scores, scores)


def _falling_curve(values: Floats, places: Floats, weight: float) -> Floats:
    """a·exp(−b k) − c k + d at the places k, fitted to `values` as in the published program; without a
    solution values fall by 1e-8 per place around the weight of the list."""
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


_LEARNS = "it learns the weights of the lists"
AGGREGATORS.add(
    AggregatorSpec(
        name="birra",
        summary="sum of Bayes factors learned from the agreement of the lists",
        formula="sum_i log B_i(r_i), B_i the Bayes factor of the ranks up to r_i in list i, smoothed",
        latex=r"\sum_{i=1}^{m} \log B_i(r_i), \quad B_i(k) = \frac{P(r_i \le k \mid "
        r"\text{relevant})}{P(r_i \le k \mid \text{not relevant})}",
        bounds="(-inf, inf)",
        ties="average ranks",
        source="Badgeley, Sealfon, Chikina (2015), Bioinformatics 31(2)",
        compute=birra,
        input="ranks",
        list_weights=_LEARNS,
    ),
    AggregatorSpec(
        name="maic",
        summary="items and lists weighted by each other",
        formula="S = sum_i f_i(r_i), f_i(k) = sqrt(mean S of the first k items of list i), or a curve "
        "through it",
        latex=r"S = \sum_{i=1}^{m} f_i(r_i), \quad f_i(k) = \sqrt{\frac{1}{k} \sum_{r_i(g) \le "
        r"k} S(g)}",
        bounds="[0, inf)",
        ties="the last of the tied ranks",
        source="Li et al. (2020), Nature Communications 11",
        compute=maic,
        input="ranks",
        list_weights=_LEARNS,
        unranked="its items get the square root of their mean score",
    ),
)

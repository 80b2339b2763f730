"""Aggregation by order statistics, exact or by permutation."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd
import scipy

from pyfsagg._base.arithmetic import (
    ADJUSTMENTS,
    EPSILON,
    Floats,
    Indices,
    Integers,
    RandomState,
    adjust_p_values,
    levelled,
)
from pyfsagg._base.registry import Call, repeatable
from pyfsagg._base.validation import check_choice, check_integer, check_list, check_real, is_single
from pyfsagg._kernels.order_statistics import log_stuart
from pyfsagg._kernels.rho import log_exact_p, log_rho, log_rho_with_cutoffs
from pyfsagg._message import Param, Remedy
from pyfsagg._table.frames import pandas_frame
from pyfsagg.aggregation import _base, _call, _result
from pyfsagg.aggregation._base import AggregatedValues
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.ranks import Rankings

IntArray = Integers

BLOCK_ENTRIES = 1 << 18
LAST_PLACES = (
    "Some items are tied in a list. In the p-values a tied entry counts with the last of the places "
    "that its ties share: with average ranks p-values are too small. Scores and ranking go by "
    "average ranks, so the p-values need not have the same order."
)


def stuart(table: Rankings) -> AggregatedValues:
    """Stuart's Q = P(U_(1) ≤ r_(1), …, U_(n) ≤ r_(n)) for the n normalized ranks of an item, by a
    recursion of positive terms in logarithms, exact to rounding; the published one alternates and loses
    all digits from about 40 lists. An absent item has rank 1, or is omitted if it is unknown."""
    parts = [log_stuart(ranks, _known(ranks)) for _, ranks in _blocks(table, table._sorted_columns)]
    log_q = np.concatenate(parts)
    return AggregatedValues(0.0 - log_q, np.exp(log_q))


def robust_rank_aggregation(
    table: Rankings,
    *,
    exact: bool = False,
    top_cutoff: float | Sequence[float] | None = None,
    ties: Literal["last", "average"] = "last",
) -> AggregatedValues:
    """ρ, the smallest P(Beta(k, n − k + 1) ≤ r_(k)) over the sorted normalized ranks of an item (Kolde
    et al. 2012; thesis eq. 3.19)."""
    check_choice("ties", ties, ("last", "average"))
    cutoffs = None
    if top_cutoff is not None:
        shares: Any = top_cutoff
        m = table.n_lists
        shares = [shares] * m if is_single(shares) else check_list("top_cutoff", shares)
        if len(shares) != m:
            needs = f" must be one share or one per list ({m}), got {len(shares)} of them"
            raise ParameterError(Param("top_cutoff"), needs)
        cutoffs = np.array(
            [check_real("top_cutoff", one, low=0.0, high=1.0, low_open=True) for one in shares]
        )
    log_rhos, counts = _log_rhos(table, cutoffs)
    log_p = _rra_log_p(log_rhos, counts, exact)
    if (counts == counts[0]).all():
        scores = 0.0 - log_rhos
    else:
        scores = 0.0 - (log_p if exact else log_p - np.log(counts.max()))
    remarks: tuple[str, ...] = ()
    last = table._with_last_places() if ties == "last" else table
    if last is not table:
        safe = _rra_log_p(_log_rhos(last, cutoffs, beyond="drop")[0], counts, exact)
        if (np.minimum(0.0, safe) != np.minimum(0.0, log_p)).any():
            log_p, remarks = safe, (LAST_PLACES,)
    with np.errstate(under="ignore"):
        rho = np.exp(log_rhos)
    return _with_p(scores, rho, np.minimum(0.0, log_p), remarks)


def _log_rhos(
    table: Rankings, cutoffs: Floats | None, beyond: Literal["refuse", "drop"] = "refuse"
) -> tuple[Floats, IntArray]:
    """log ρ of each item and the number of its ranks; a rank beyond its cutoff is as good as absent."""
    log_rhos = np.empty(table.n_items)
    counts = np.empty(table.n_items, dtype=np.int64)
    columns = table._sorted_columns if cutoffs is None else table._normalized_columns
    for start, ranks in _blocks(table, columns):
        span = slice(start, start + len(ranks))
        if cutoffs is not None:
            # A relative 1e-12, because 3/30 and 0.1 need not be the same number.
            outside = (ranks < 1.0) & (ranks > cutoffs * (1.0 + 1e-12))
            if beyond == "refuse" and outside.any():
                j, i = np.argwhere(outside)[0]
                raise DataError(
                    f"the normalized rank of {table.items[start + j]!r} in list {i + 1} is ",
                    f"{ranks[j, i]:.6g}, beyond its ",
                    Param("top_cutoff"),
                    f" of {cutoffs[i]:g}",
                    Remedy("raise the cutoff, or mark such items missing"),
                )
            ranks[outside] = 1.0
        if cutoffs is None or (cutoffs == cutoffs[0]).all():
            if cutoffs is not None:
                ranks.sort(axis=1)
            counts[span] = _known(ranks)
            log_rhos[span] = log_rho(ranks, counts[span])
        else:
            known = ~np.isnan(ranks)
            counts[span] = known.sum(axis=1)
            limits = np.where(known, cutoffs, np.nan)
            log_rhos[span] = log_rho_with_cutoffs(np.where(ranks < 1.0, ranks, np.nan), limits)
    return log_rhos, counts


def _rra_log_p(log_rhos: Floats, counts: IntArray, exact: bool) -> Floats:
    """log p before the cap at 1."""
    with np.errstate(under="ignore"):
        if not exact:
            return log_rhos + np.log(counts)
        # Equal values are brought together so that each is computed once.
        order = np.lexsort((log_rhos, counts))
        log_p = np.empty_like(log_rhos)
        log_p[order] = log_exact_p(log_rhos[order], counts[order])
        return log_p


def _with_p(
    scores: Floats, statistic: Floats, log_p: Floats, remarks: tuple[str, ...]
) -> AggregatedValues:
    with np.errstate(under="ignore"):
        p_values = np.exp(log_p)
    return AggregatedValues(scores, statistic, p_values, remarks, log_p / np.log(10.0))


def mean_p_value(table: Rankings, *, ties: Literal["last", "average"] = "last") -> AggregatedValues:
    """Φ((mean of the normalized ranks − 1/2)·√(12 n)), the method ``mean`` of RobustRankAggreg, over
    the n ranks of an item (``absent="unknown"``), or all m with 1 if absent."""
    check_choice("ties", ties, ("last", "average"))
    log_p = _log_mean_p(table)
    scores, statistic = 0.0 - log_p, np.exp(log_p)
    remarks: tuple[str, ...] = ()
    last = table._with_last_places() if ties == "last" else table
    if last is not table:
        log_p, remarks = _log_mean_p(last), (LAST_PLACES,)
    return _with_p(scores, statistic, log_p, remarks)


def _log_mean_p(table: Rankings) -> Floats:
    means, spread = np.empty((2, table.n_items))
    for start, ranks in _blocks(table, table._normalized_columns):
        span = slice(start, start + len(ranks))
        means[span] = np.nanmean(ranks, axis=1)
        spread[span] = np.sqrt(12.0 * (~np.isnan(ranks)).sum(axis=1))
    # Before the tail of the normal distribution makes more of a last digit.
    means = levelled(means, table.n_lists * EPSILON * means)
    return np.asarray(scipy.special.log_ndtr((means - 0.5) * spread))


def _blocks(table: Rankings, columns: Callable[[int, int], Floats]) -> Iterator[tuple[int, Floats]]:
    """Normalized ranks in blocks of items, so no second copy of the table is made."""
    width = max(1, BLOCK_ENTRIES // table.n_lists)
    for start in range(0, table.n_items, width):
        yield start, columns(start, min(start + width, table.n_items))


def _known(ranks: Floats) -> IntArray:
    """The number of known entries of each row, NaN last."""
    if not np.isnan(ranks[:, -1]).any():
        return np.full(len(ranks), ranks.shape[1], dtype=np.int64)
    return np.asarray((~np.isnan(ranks)).sum(axis=1), dtype=np.int64)


_NORMALIZED = "r_(k) the k-th smallest of the n normalized ranks of the item"
_TIES = "average ranks by default in scores, the last tied rank in p-values"
_BLOCK = "mean rank (k + 1)/2 in scores, k in p-values"


def _order_statistic(**parts: Any) -> _base.AggregatorSpec:
    """What the methods of this file have in common."""
    return _base.AggregatorSpec(
        bounds="[0, 1]", higher_is_better=False, ties=_TIES, input="ranks", unranked=_BLOCK, **parts
    )


_base.AGGREGATORS.add(
    _order_statistic(
        name="stuart",
        summary="joint probability of the sorted ranks (Q)",
        formula=f"P(U_(1) <= r_(1), ..., U_(n) <= r_(n)), U uniform, {_NORMALIZED}",
        latex=r"P \left( U_{(1)} \le r_{(1)}, \dots, U_{(n)} \le r_{(n)} \right), \quad U_1, "
        r"\dots, U_n \sim \operatorname{Uniform}(0, 1)",
        source="Stuart et al. (2003); Aerts et al. (2006)",
        compute=stuart,
    ),
    _order_statistic(
        name="robust_rank_aggregation",
        aliases=("rra",),
        summary="smallest Beta probability of the sorted ranks (rho)",
        formula=f"min_k P(Beta(k, n - k + 1) <= r_(k)), {_NORMALIZED}",
        latex=r"\min_{k} P \left( \operatorname{Beta}(k, n - k + 1) \le r_{(k)} \right)",
        source="Kolde, Laur, Adler, Vilo (2012), Bioinformatics 28(4)",
        compute=robust_rank_aggregation,
        per_list=("top_cutoff",),
        in_loops={"ties": "average"},
    ),
    _order_statistic(
        name="mean_p_value",
        summary="normal p-value of the mean normalized rank",
        formula="Phi((mean of the n normalized ranks - 1/2) sqrt(12 n))",
        latex=r"\Phi \left( \left( \bar{r} - \frac{1}{2} \right) \sqrt{12 n} \right)",
        source="RobustRankAggreg 1.2.1, method 'mean'",
        compute=mean_p_value,
        list_weights="its value is a p-value of independent lists; mean_rank takes weights",
        in_loops={"ties": "average"},
    ),
)


@repeatable
def permutation_p_values(
    table_or_scores: Any,
    method: str = "robust_rank_aggregation",
    *,
    groups: Sequence[Any] | None = None,
    null: Callable[[np.random.Generator], Any] | None = None,
    n_permutations: int = 1000,
    p_adjust: str = "bh",
    list_weights: _call.Weights = None,
    random_state: RandomState = None,
    **method_params: Any,
) -> _result.PermutationTest:
    """Permutation p-values of the items, valid also for lists that depend on each other.

    Lists that are bootstraps of one data set share its random errors, and formulas for independent
    lists then call everything significant.  Two null hypotheses keep the dependence:

    `groups`
        "Where an item stands in one source says nothing about where it stands in another."  The items
        of all lists of a source are relabelled together, and each source independently of the others.
        Labels are drawn from the whole universe, not only from the items that some list contains: two
        short lists of many genes rarely meet by chance.  All items are exchangeable then, and their
        null scores are pooled.  Without `groups` every list is a source of its own.
    `null`
        "The features are unrelated to the target": a function shuffles the target and makes all lists
        again in the same way (the same bootstraps).  This is what a single data set needs; relabelling
        all its lists together would change nothing.  Each item is compared with its own null scores.

    Parameters
    ----------
    table_or_scores : Rankings, or any input of :func:`aggregate`
    method, **method_params
        The aggregator.
    groups : sequence of n_lists labels, optional
        The source of each list; at least two different ones.
    null : callable, optional
        ``null(rng)`` returns one table of null lists over the same items in the same order.
    n_permutations : int
        Number B of null tables.  The smallest p-value is 1/(B + 1) for one item's own null scores
        and 1/(B N + 1) for pooled ones, with N items in the universe.
    p_adjust : {"bh", "holm", "bonferroni"}
    list_weights : one number per list, or dict of list name to number, optional
        See :func:`~pyfsagg.aggregation.aggregate`; null tables have them too.
    random_state : int or Generator, optional
        Results repeat with the same seed.

    Returns
    -------
    PermutationTest
        P-values (1 + number of null scores at least as high) / (1 + number of null scores).

    See Also
    --------
    aggregate : The aggregation itself, with p-values for independent lists.

    References
    ----------
    Westfall and Young (1993), Resampling-Based Multiple Testing; Phipson and Smyth (2010).

    Examples
    --------
    >>> scores = [[9, 1, 2, 3, 0, 4], [8, 2, 1, 4, 3, 0], [9, 0, 3, 1, 2, 4]]
    >>> test = permutation_p_values(scores, "mean_rank", random_state=0)
    >>> test.to_frame().index[0], bool(test.p_values[0] < 0.02)
    ('x0', True)
    """
    name = "aggregation.permutation_p_values"
    call = Call.of(permutation_p_values, name=name, data=("table_or_scores",))
    spec = _base.AGGREGATORS.get(method)
    compute = spec.bind(**method_params)
    check_choice("p_adjust", p_adjust, ADJUSTMENTS)
    n_permutations = check_integer("n_permutations", n_permutations, low=1)
    table = _call.as_weighted_rankings(table_or_scores, list_weights)
    rng = np.random.default_rng(random_state)
    universe = table.n_items
    if null is None:
        codes = _base.codes_of_lists("groups", groups, table.n_lists)
        if codes.max() < 1:
            raise ParameterError(
                Param("groups"),
                " names a single source: relabelling all its lists together leaves every result as ",
                "it is. Give null, a function that makes the lists again from a shuffled target",
            )
        sources = [np.flatnonzero(codes == code) for code in range(int(codes.max()) + 1)]
        universe = table._largest_universe
    elif groups is not None:
        raise ParameterError("groups and null are two different null hypotheses; give one of them")
    observed = spec.apply(table, **{**spec.in_loops, **method_params}).scores
    # A null score that equals the observed one up to rounding counts as equal.
    limit = observed - 1e-12 * np.abs(observed)
    drawn = 0
    reached = np.zeros(table.n_items)
    reached_by_best = np.zeros(table.n_items)
    for _ in range(n_permutations):
        if null is None:
            scores = compute(_relabelled(table, sources, rng)).scores
            ordered = np.sort(scores)
            # What no list contains scores below everything that one holds.
            reached += scores.size - np.searchsorted(ordered, limit, side="left")
            drawn += universe
        else:
            scores = compute(_checked_null(null(rng), table)).scores
            reached += scores >= limit
            drawn += 1
        reached_by_best += scores.max() >= limit
    p_values = (1.0 + reached) / (1.0 + drawn)
    return _result.PermutationTest(
        names=table.items,
        scores=observed,
        p_values=p_values,
        adjusted_p_values=adjust_p_values(p_values, p_adjust, n=universe),
        family_wise_p_values=(1.0 + reached_by_best) / (1.0 + n_permutations),
        method=spec.name,
        n_permutations=n_permutations,
        p_adjust=p_adjust,
        call=replace(call, data=("table",)).record(),
    )


def _relabelled(table: Rankings, sources: list[Indices], rng: np.random.Generator) -> Rankings:
    """The lists with new labels, drawn for each source from the whole universe."""
    labels = [rng.permutation(table._largest_universe)[: table.n_items] for _ in sources]
    known = [~np.isnan(table.ranks[lists]).all(axis=0) for lists in sources]
    drawn = [label[seen] for label, seen in zip(labels, known, strict=True)]
    held = np.unique(np.concatenate(drawn))  # an item that no list contains is no item

    def moved(values: Floats) -> Floats:
        out = np.full((table.n_lists, held.size), np.nan)
        for lists, label, seen in zip(sources, drawn, known, strict=True):
            out[np.ix_(lists, np.searchsorted(held, label))] = values[np.ix_(lists, seen)]
        return out

    scores = None if table.scores is None else moved(table.scores)
    items = tuple(map(str, held.tolist()))
    moved_ranks = moved(table.ranks)
    return replace(table, items=items, scores=scores, given_ranks=moved_ranks, universe=table.sizes)


def _checked_null(values: Any, table: Rankings) -> Rankings:
    values = pandas_frame(values)
    drawn = _base.as_rankings(values)
    unnamed = not isinstance(values, (Rankings, pd.DataFrame))
    if drawn.n_items != table.n_items or (not unnamed and drawn.items != table.items):
        raise DataError(
            f"null returned a table over other items ({drawn.n_items} items, for instance "
            f"{drawn.items[0]!r}); it must contain the same {table.n_items} items in the same order"
        )
    if table.weights is None:
        return drawn
    if drawn.n_lists != table.n_lists:
        raise DataError(
            f"null returned {drawn.n_lists} lists, and the weights are of {table.n_lists}; it must make "
            "as many lists in the same order"
        )
    return replace(drawn, weights=table.weights)

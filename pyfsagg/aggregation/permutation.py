"""Permutation p-values for any aggregator, under dependence between lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import ADJUSTMENTS, adjust_p_values
from pyfsagg._base.calls import Call
from pyfsagg._base.validation import check_choice, check_integer, check_labels
from pyfsagg._message import Param
from pyfsagg._table.frames import pandas_frame
from pyfsagg.aggregation._base import AGGREGATORS
from pyfsagg.aggregation._call import Weights, as_rank_table, as_weighted_table
from pyfsagg.aggregation._result import PermutationTest
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.ranks import RankTable

NullTable = Callable[[np.random.Generator], Any]


def permutation_p_values(
    table_or_scores: Any,
    method: str = "robust_rank_aggregation",
    *,
    groups: Sequence[Any] | None = None,
    null: NullTable | None = None,
    n_permutations: int = 1000,
    adjust: str = "bh",
    list_weights: Weights = None,
    random_state: int | np.random.Generator | None = None,
    **method_params: Any,
) -> PermutationTest:
    """Permutation p-values of the items, valid also for lists that depend on each other.

    Lists that are bootstraps of one data set share its random errors, and formulas for independent
    lists then call everything significant.  Two null hypotheses keep the dependence:

    `groups`
        "The sources are unrelated to one another: where an item stands in one source says nothing
        about where it stands in another."  The items of all lists of a source are relabelled
        together, and each source independently of the others, so that the dependence of the lists of
        a source together stays.  Labels are drawn from the whole universe, not only from the items
        that some list holds: two short lists of many genes rarely meet by chance.  All items are
        exchangeable then, and their null scores are pooled.  Without `groups` every list is a
        source of its own, the null of independent lists.
    `null`
        "The features are unrelated to the target": a function that shuffles the target, makes
        all lists again in the same way (the same bootstraps) and returns them.  This is what a
        single data set needs; relabelling all its lists together would change nothing.  Each item
        is compared with its own null scores.

    Parameters
    ----------
    table_or_scores : RankTable, or any input of :func:`aggregate`
    method, **method_params
        The aggregator.
    groups : sequence of n_lists labels, optional
        The source of each list; at least two different ones.
    null : callable, optional
        ``null(rng)`` returns one table of null lists over the same items in the same order.
    n_permutations : int
        Number B of null tables.  The smallest p-value is 1/(B + 1) for one item's own null scores
        and 1/(B N + 1) for pooled ones, with N items in the universe.
    adjust : {"bh", "holm", "bonferroni"}
    list_weights : one number per list, or dict of list name to number, optional
        See :func:`~pyfsagg.aggregation.aggregate`; null tables have them too.
    random_state : int or Generator, optional
        Results repeat with the same seed.

    Returns
    -------
    PermutationTest
        P-values (1 + number of null scores at least as high) / (1 + number of null scores).

    Raises
    ------
    DataError
        If `null` returns a table over other items.

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
    call = Call.of(
        permutation_p_values,
        locals(),
        name="aggregation.permutation_p_values",
        data=("table_or_scores",),
    )
    spec = AGGREGATORS.get(method)
    compute = spec.bind(**method_params)
    check_choice("adjust", adjust, ADJUSTMENTS)
    n_permutations = check_integer("n_permutations", n_permutations, low=1)
    table = as_weighted_table(table_or_scores, list_weights)
    rng = np.random.default_rng(random_state)
    universe = table.n_items
    if null is None:
        sources = _sources(groups, table.n_lists)
        universe = _universe(table)
    elif groups is not None:
        raise ParameterError("groups and null are two different null hypotheses; give one of them")
    observed = compute(table).scores
    # A null score that equals the observed one up to rounding counts as equal.
    limit = observed - 1e-12 * np.abs(observed)
    drawn = 0
    reached = np.zeros(table.n_items)
    reached_by_best = np.zeros(table.n_items)
    for _ in range(n_permutations):
        if null is None:
            scores = compute(_relabelled(table, sources, rng)).scores
            ordered = np.sort(scores)
            # What no list holds scores below everything that one holds.
            reached += scores.size - np.searchsorted(ordered, limit, side="left")
            drawn += universe
        else:
            scores = compute(_checked_null(null(rng), table)).scores
            reached += scores >= limit
            drawn += 1
        reached_by_best += scores.max() >= limit
    p_values = (1.0 + reached) / (1.0 + drawn)
    return PermutationTest(
        names=table.names,
        scores=observed,
        p_values=p_values,
        adjusted_p_values=adjust_p_values(p_values, adjust, n=universe),
        family_wise_p_values=(1.0 + reached_by_best) / (1.0 + n_permutations),
        method=spec.name,
        n_permutations=n_permutations,
        adjust=adjust,
        call=replace(call, data=("table",)).record(),
    )


def _sources(groups: Sequence[Any] | None, m: int) -> list[NDArray[np.intp]]:
    """Positions of the lists of each source."""
    labels = list(range(m)) if groups is None else check_labels("groups", groups)
    if len(labels) != m:
        raise ParameterError(
            Param("groups"), f" must have one label per list ({m}), got {len(labels)}"
        )
    distinct = list(dict.fromkeys(labels))
    if len(distinct) < 2:
        raise ParameterError(
            Param("groups"),
            " names a single source: relabelling all its lists together leaves every result as ",
            "it is. Give null, a function that makes the lists again from a shuffled target",
        )
    return [np.array([i for i in range(m) if labels[i] == label]) for label in distinct]


def _universe(table: RankTable) -> int:
    """How many items could have been listed; with universes of different sizes the largest."""
    return max(table.n_items, int(table.sizes.max()))


def _relabelled(
    table: RankTable, sources: list[NDArray[np.intp]], rng: np.random.Generator
) -> RankTable:
    """The lists with new labels, drawn for each source from the whole universe."""
    p = table.n_items
    labels = [rng.permutation(_universe(table))[:p] for _ in sources]
    known = [~np.isnan(table.ranks[lists]).all(axis=0) for lists in sources]
    # As in the table itself, an item that no list holds is no item.
    held = np.unique(
        np.concatenate([drawn[seen] for drawn, seen in zip(labels, known, strict=True)])
    )
    shape = (table.n_lists, held.size)
    scores = None if table.scores is None else np.full(shape, np.nan)
    ranks = np.full(shape, np.nan)
    for lists, drawn, seen in zip(sources, labels, known, strict=True):
        at = np.searchsorted(held, drawn[seen])
        ranks[np.ix_(lists, at)] = table.ranks[np.ix_(lists, seen)]
        if scores is not None and table.scores is not None:
            scores[np.ix_(lists, at)] = table.scores[np.ix_(lists, seen)]
    names = tuple(map(str, held.tolist()))
    return replace(table, names=names, scores=scores, given_ranks=ranks)


def _checked_null(values: Any, table: RankTable) -> RankTable:
    values = pandas_frame(values)
    drawn = as_rank_table(values)
    unnamed = not isinstance(values, (RankTable, pd.DataFrame))
    if drawn.n_items != table.n_items or (not unnamed and drawn.names != table.names):
        raise DataError(
            f"null returned a table over other items ({drawn.n_items} items, for instance "
            f"{drawn.names[0]!r}); it must hold the same {table.n_items} items in the same order"
        )
    if table.list_weights is None:
        return drawn
    if drawn.n_lists != table.n_lists:
        raise DataError(
            f"null returned {drawn.n_lists} lists, and the weights are of {table.n_lists}; it must make "
            "as many lists in the same order"
        )
    return replace(drawn, list_weights=table.list_weights)

"""Scores to ranks and to selections of the best, with the rules for ties."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.checks import as_array, check_choice, check_integer
from pyfsagg._base.types import Floats
from pyfsagg._kernels.ranks import tied_ranks
from pyfsagg.exceptions import DataError, ParameterError

__all__ = ["TIES", "Ties", "last_places", "rank_scores", "select_top"]

Ties = Literal["average", "min", "max", "ordinal", "random"]
TIES: tuple[Ties, ...] = ("average", "min", "max", "ordinal", "random")


_PLACES = {"min": 0.0, "average": 0.5, "max": 1.0}


def rank_scores(
    scores: ArrayLike,
    ties: Ties = "average",
    axis: int = -1,
    *,
    higher_is_better: bool = True,
    random_state: int | np.random.Generator | None = None,
) -> Floats:
    """Turn scores into ranks; the largest score has rank 1.

    Parameters
    ----------
    scores : array-like of float
        Larger = more important.  NaN is a missing entry and keeps rank NaN.
    ties : {"average", "min", "max", "ordinal", "random"}
        Rank of equal scores: the mean, the best or the worst of the ranks they share, one by one in
        the order of the columns, or one by one in an order drawn with `random_state`.
    axis : int
        The axis along which the scores compete.
    higher_is_better : bool
        Direction of `scores`; with False the smallest has rank 1.
    random_state : int or Generator, optional
        Seed of ``ties="random"``, which needs one; no other rule draws anything.

    Returns
    -------
    ndarray of float64
        Ranks, in the shape of `scores`.

    Raises
    ------
    ParameterError
        For an unknown rule, or ``ties="random"`` without `random_state`.

    Examples
    --------
    >>> rank_scores([0.5, 2.0, 0.5, 1.0])
    array([3.5, 1. , 3.5, 2. ])
    >>> rank_scores([0.5, 2.0, 0.5, 1.0], ties="ordinal")
    array([3., 1., 4., 2.])
    """
    check_choice("ties", ties, TIES)
    given = np.moveaxis(as_array("scores", scores, np.float64), axis, -1)
    values = np.atleast_2d(given).reshape(-1, given.shape[-1])
    # NaN sorts last, so that ranks of the known entries do not depend on the missing ones.
    keys = np.ascontiguousarray(-values if higher_is_better else values)
    if ties == "random":
        keys = _break_ties(keys, random_state)
    # Only the order of the columns makes ranks one by one depend on a stable sort.
    order = np.argsort(keys, axis=-1, kind="stable" if ties == "ordinal" else None)
    if ties == "ordinal":
        ranks = np.empty_like(keys)
        np.put_along_axis(ranks, order, np.arange(1.0, keys.shape[-1] + 1.0)[np.newaxis], -1)
        ranks[np.isnan(keys)] = np.nan
    else:
        ranks = tied_ranks(keys, order, _PLACES.get(ties, 0.5))
    return np.moveaxis(ranks.reshape(given.shape), -1, axis)


def _break_ties(keys: Floats, random_state: int | np.random.Generator | None) -> Floats:
    """Replace keys by distinct ones in the same order, equal ones in random order; NaN stays."""
    if random_state is None:
        raise ParameterError(
            'ties="random" draws the order of ties: give random_state, for instance 0'
        )
    draws = np.random.default_rng(random_state).random(keys.shape)
    order = np.lexsort((draws, keys), axis=-1)
    distinct = np.empty_like(keys)
    np.put_along_axis(distinct, order, np.arange(float(keys.shape[-1]))[np.newaxis], -1)
    distinct[np.isnan(keys)] = np.nan
    return distinct


def last_places(ranks: Floats, sizes: Floats) -> Floats:
    """Give each of several equal ranks the last of the places that they share.

    Parameters
    ----------
    ranks : ndarray (m, p)
        1 = best, NaN = missing, equal ranks in any convention (best, average or last place).
    sizes : ndarray (m,)
        Universe sizes.  A list of several items with size 1 holds normalized ranks, in (0, 1].

    Returns
    -------
    ndarray (m, p)
        Ranks that are not tied stay as they are, to the last bit, and no rank becomes smaller.
        The last place is the number of entries at least as good.  If a rank is larger than that,
        some items of the list are not in the table: the rank is then taken as an average, and half
        of the ties that are seen are added to it.  Normalized ranks, of which the universe is not
        known, are taken as shares of the entries known and never pass the next larger entry.

    Examples
    --------
    >>> last_places(np.array([[1.0, 2.5, 2.5, 4.0]]), np.array([4.0]))
    array([[1., 3., 3., 4.]])
    """
    in_order = np.sort(ranks, axis=1)  # missing ones last
    if not (in_order[:, 1:] == in_order[:, :-1]).any():
        return ranks  # the usual case, at the price of one sort
    at_least_as_good = rank_scores(ranks, "max", higher_is_better=False)
    group = at_least_as_good - rank_scores(ranks, "min", higher_is_better=False) + 1.0
    tied = group > 1.0
    known = (~np.isnan(ranks)).sum(axis=1)
    normalized = (sizes == 1.0) & (known > 1)
    unit = np.where(normalized, 1.0 / known, 1.0)[:, np.newaxis]
    counted = at_least_as_good * unit
    if normalized.any():
        counted = np.minimum(
            counted, np.where(normalized[:, np.newaxis], _next_larger(ranks), np.inf)
        )
    # A relative 1e-12, because 3/30 and 0.1 need not be the same number.
    gaps = ranks > counted * (1.0 + 1e-12)
    last = np.where(gaps, ranks + 0.5 * (group - 1.0) * unit, np.maximum(ranks, counted))
    return np.where(tied, np.minimum(last, sizes[:, np.newaxis]), ranks)


def _next_larger(shares: Floats) -> Floats:
    """The next larger entry of the row, 1 for the largest."""
    out = np.ones_like(shares)
    for row, found in zip(shares, out, strict=True):
        values = np.append(np.unique(row[~np.isnan(row)]), 1.0)
        at = np.searchsorted(values, row, side="right")
        found[:] = values[np.minimum(at, values.size - 1)]
    return out


def select_top(
    values: ArrayLike, k: int, *, higher_is_better: bool = True, axis: int = -1
) -> NDArray[np.bool_]:
    """Mark the `k` best entries; among equal entries the first columns are taken.

    Parameters
    ----------
    values : array-like of float
        Scores, or ranks with ``higher_is_better=False``.  NaN entries are never selected.
    k : int
        How many to select along `axis`.
    higher_is_better : bool
        Direction of `values`.
    axis : int
        The axis along which the entries compete.

    Returns
    -------
    ndarray of bool
        True for the selected entries, in the shape of `values`.

    Raises
    ------
    ParameterError
        If `k` is not from 1 to the number of entries.
    DataError
        If fewer than `k` entries are known.

    Examples
    --------
    >>> select_top([0.1, 0.7, 0.7, 0.2], 1)
    array([False,  True, False, False])
    >>> select_top([2, 1, 3], 2, higher_is_better=False)
    array([ True,  True, False])
    """
    array = np.moveaxis(as_array("values", values, np.float64), axis, -1)
    k = check_integer("k", k, low=1, high=array.shape[-1])
    known = (~np.isnan(array)).sum(axis=-1)
    if known.size and known.min() < k:
        raise DataError(
            f"k={k} entries are to be selected, but only {int(known.min())} are known (not NaN); "
            "select fewer"
        )
    keys = array if higher_is_better else -array
    n = keys.shape[-1]
    # Missing entries never pass a comparison; among the ordered they count as the worst.
    ordered = keys if known.size and known.min() == n else np.where(np.isnan(keys), -np.inf, keys)
    edge = np.partition(ordered, n - k, axis=-1)[..., n - k, np.newaxis]
    above, level = keys > edge, keys == edge
    room = k - above.sum(axis=-1, keepdims=True)
    mask = above | (level & (np.cumsum(level, axis=-1) <= room))
    return np.moveaxis(mask, -1, axis)

"""Scores to ranks and to selections of the best, with the rules for ties."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.checks import check_choice, check_integer
from pyfsagg._base.types import Floats
from pyfsagg._kernels.ranks import tied_ranks
from pyfsagg.exceptions import DataError, ParameterError

__all__ = ["TIES", "Ties", "rank_scores", "select_top"]

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
    given = np.moveaxis(np.asarray(scores, dtype=np.float64), axis, -1)
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
    array = np.moveaxis(np.asarray(values, dtype=np.float64), axis, -1)
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

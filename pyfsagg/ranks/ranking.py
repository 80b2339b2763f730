"""Scores to ranks and to selections of the best, with the rules for ties."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.validation import as_array, check_choice, check_integer
from pyfsagg._kernels.ranks import tied_ranks
from pyfsagg._message import NAN, Param, Remedy, Use
from pyfsagg.exceptions import DataError, ParameterError


def tie_sizes(scores: Floats) -> NDArray[np.int64]:
    """How many entries have the score of each entry, itself included: 1 where nothing is tied.

    Examples
    --------
    >>> tie_sizes(np.array([0.5, 2.0, 0.5, 1.0]))
    array([2, 1, 2, 1])
    """
    _, group, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    found: NDArray[np.int64] = sizes[group]
    return found


def about_ties(scores: Floats, k: int | None = None, noun: str = "features") -> str:
    """A sentence on equal scores, and on those at the edge of the best `k`; empty without ties.

    Examples
    --------
    >>> about_ties(np.array([0.5, 2.0, 0.5, 1.0]))
    '2 of 4 features have the same score: their order is arbitrary.'
    """
    sizes = tie_sizes(scores)
    tied, p = int((sizes > 1).sum()), len(scores)
    if not tied:
        return ""
    largest = int(sizes.max())
    text = f"{tied:,} of {p:,} {noun} have the same score: their order is arbitrary."
    if largest < tied:
        text = (
            f"{tied:,} of {p:,} {noun} share their score with others (up to {largest:,} have the "
            "same): their order among these is arbitrary."
        )
    if k is None or k >= p:
        return text
    edge = np.partition(scores, p - k)[p - k]
    room = k - int((scores > edge).sum())
    group = int((scores == edge).sum())
    if room == group:
        return text
    verb = "is" if room == 1 else "are"
    return (
        f"{text} {room:,} of {'these' if group == tied else 'a group of'} {group:,} {verb} among the "
        f"best {k:,} only because of the order of the columns."
    )


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
            Use(ties="random"),
            " draws the order of ties: give ",
            Param("random_state"),
            ", for instance 0",
        )
    draws = np.random.default_rng(random_state).random(keys.shape)
    order = np.lexsort((draws, keys), axis=-1)
    distinct = np.empty_like(keys)
    np.put_along_axis(distinct, order, np.arange(float(keys.shape[-1]))[np.newaxis], -1)
    distinct[np.isnan(keys)] = np.nan
    return distinct


def last_places(ranks: Floats, sizes: Floats) -> Floats:
    """Give each of several equal ranks the last of the places that they share.

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
            Use(k=k),
            f" entries are to be selected, but only {int(known.min())} are known (not ",
            NAN,
            ")",
            Remedy("select fewer"),
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

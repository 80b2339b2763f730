"""Loops over class centres of orders: precedence counts, and distances after every removal.

Orders are integer ranks as in :mod:`pyfsagg._kernels.orders.rank_order`, without unknown positions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["add_precedences", "close_pairs_column"]

Ranks = NDArray[np.int16] | NDArray[np.int32]
Integers = NDArray[np.int64]
Whole = int | np.int64


@njit(cache=True, nogil=True)
def add_precedences(
    ranks: Ranks, weights: Integers, tie_weight: int, low: int, high: int, table: NDArray[Any]
) -> None:
    """table[g, f] = weight of the rows that place f before g, for low <= g < high.

    With ``tie_weight`` 1 all counts are doubled and a tie counts 1 (half a place each way); with 0
    there are no ties and counts are plain.
    """
    n, p = ranks.shape
    for g in range(low, high):
        out = table[g]
        out[:] = 0
        for a in range(n):
            row = ranks[a]
            own = row[g]
            weight = table.dtype.type(weights[a])
            if tie_weight == 0:
                for f in range(p):
                    out[f] += weight * (row[f] < own)
            else:
                for f in range(p):
                    out[f] += weight * (np.int16(row[f] < own) + np.int16(row[f] <= own))
        out[g] = 0


@njit(cache=True, nogil=True)
def close_pairs_column(
    tables: NDArray[Any],
    sums: Integers,
    order: NDArray[np.int64],
    ranks: Ranks,
    reach: Integers,
    low: int,
    high: int,
    squares: Integers,
) -> None:
    """Squared centre differences after the removal of each f, low <= f < high.

    Parameters
    ----------
    tables : (c, q, q)
        ``tables[c, g, f]``: weight of class c that places f before g, so that the rank sum of g is
        ``sums[c, g] - tables[c, g, f]`` once f is gone.
    sums : (c, q)
        Rank sums of each class.
    order : (c, a)
        The a features present, by ascending rank sum.
    ranks : (c, q)
        Doubled average ranks of the sums (the class centre).
    reach : (c,)
        Largest possible entry of a table: sums further apart keep their order whatever is removed.
    squares : (pairs of classes, high - low)
        Receives sum_g (rank in c - rank in d)^2, doubled ranks, over the features g other than f.
    """
    n_classes, n_present = order.shape
    width = high - low
    threshold = np.empty(width, dtype=tables.dtype)
    swaps = np.empty(width, dtype=np.int8)
    shift = np.empty((n_classes, width), dtype=ranks.dtype)
    pending = np.zeros(squares.shape, dtype=np.int32)
    budget = np.zeros(squares.shape[0], dtype=np.int64)
    place = np.empty(sums.shape, dtype=np.int64)
    for c in range(n_classes):
        for position in range(n_present):
            place[c, order[c, position]] = position
    bound = np.empty(n_classes, dtype=np.int64)
    gaps = np.zeros(squares.shape[0], dtype=np.int64)
    squares[:] = 0
    for position in range(n_present):
        g = order[0, position]
        for c in range(n_classes):
            moved = shift[c]
            centre = ranks[c, low:high]
            own = ranks[c, g]
            for f in range(width):
                moved[f] = -np.int8(centre[f] < own) - np.int8(centre[f] <= own)
            bound[c] = 2 + _add_swaps(
                tables[c], sums[c], order[c], place[c, g], reach[c], low, swaps, threshold, moved
            )
        pair = 0
        for c in range(n_classes):
            for d in range(c):
                gap = np.int64(ranks[c, g]) - np.int64(ranks[d, g])
                gaps[pair] += gap * gap
                most = bound[c] + bound[d]
                most = most * (2 * abs(gap) + most)
                if most >= 2**31:  # many equal sums: too large for 32 bits
                    _add_changes(shift[c], shift[d], gap, g - low, squares[pair])
                else:
                    budget[pair] += most
                    if budget[pair] >= 2**31:
                        _flush(pending[pair], squares[pair])
                        budget[pair] = most
                    _add_changes(shift[c], shift[d], gap, g - low, pending[pair])
                if low <= g < high:  # without g there is no difference of g
                    squares[pair, g - low] -= gap * gap
                pair += 1
    for pair in range(squares.shape[0]):
        _flush(pending[pair], squares[pair])
        squares[pair] += gaps[pair]


@njit(cache=True, nogil=True)
def _flush(pending: NDArray[np.int32], totals: Integers) -> None:
    for f in range(pending.size):
        totals[f] += pending[f]
        pending[f] = 0


@njit(cache=True, nogil=True)
def _add_changes(
    first: Ranks, second: Ranks, gap: Whole, own: Whole, pending: NDArray[Any]
) -> None:
    """Add (gap + e)^2 - gap^2 = e (2 gap + e), where e is the change of the gap."""
    inside = 0 <= own < pending.size
    kept = pending[own] if inside else pending.dtype.type(0)
    double = pending.dtype.type(2 * gap)
    for f in range(pending.size):
        change = pending.dtype.type(first[f] - second[f])
        pending[f] += pending.dtype.type(change * pending.dtype.type(double + change))
    if inside:
        pending[own] = kept  # g itself is the one that is removed


@njit(cache=True, nogil=True)
def _add_swaps(
    table: NDArray[Any],
    sums: Integers,
    order: NDArray[np.int64],
    position: Whole,
    reach: Whole,
    low: int,
    swaps: NDArray[np.int8],
    threshold: NDArray[Any],
    moved: Ranks,
) -> int:
    """Add to `moved` how the doubled rank of one feature changes because sums change places.

    Returns a bound of the changes.
    """
    g = order[position]
    width = moved.size
    swaps[:] = 0
    pending = 0
    n_close = 0
    own = table[g, low : low + width]
    for step in (1, -1):
        other = position + step
        while 0 <= other < order.size:
            h = order[other]
            gap = (sums[h] - sums[g]) * step
            if gap > reach:
                break
            removed = h - low
            inside = 0 <= removed < width
            kept = swaps[removed] if inside else np.int8(0)
            theirs = table[h, low : low + width]
            tied = np.int8(gap == 0)
            space = threshold.dtype.type(gap)
            if step == 1:
                for f in range(width):
                    threshold[f] = own[f] + space
                for f in range(width):
                    swaps[f] += (
                        np.int8(theirs[f] > threshold[f])
                        + np.int8(theirs[f] >= threshold[f])
                        - tied
                    )
            else:
                for f in range(width):
                    threshold[f] = theirs[f] + space
                for f in range(width):
                    swaps[f] -= (
                        np.int8(own[f] > threshold[f]) + np.int8(own[f] >= threshold[f]) - tied
                    )
            if inside:
                swaps[removed] = kept  # h itself is the one that is removed
            n_close += 1
            pending += 1
            if pending == 60:  # 60 changes of at most 2 each fit into 8 bits
                for f in range(width):
                    moved[f] += swaps[f]
                swaps[:] = 0
                pending = 0
            other += step
    for f in range(width):
        moved[f] += swaps[f]
    return 2 * n_close

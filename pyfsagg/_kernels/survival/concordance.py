"""Harrell's concordance index of every feature and resample, in n log n steps.

Rows are added from the latest to the earliest to a count of rows below each level, in which every event
then looks its place up.  The count is a tree of which each node has 64 children and knows how many rows
are in the children before each: to add a row changes one node on each of few floors, all 64 numbers at
once.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pyfsagg._base.types import Booleans, Floats

__all__ = ["comparable_pairs", "concordance_block"]

SHIFT = 6
CHILDREN = 1 << SHIFT


@njit(cache=True, nogil=True)
def _floors(n_levels: int) -> tuple[NDArray[np.int64], int]:
    """The first node of each floor of a tree over so many levels, and the number of nodes."""
    first = np.empty(11, dtype=np.int64)
    size, depth, nodes = n_levels, 0, 0
    while depth == 0 or size > 1:
        first[depth] = nodes
        size = (size + CHILDREN - 1) >> SHIFT
        nodes += size
        depth += 1
    return first[:depth], nodes


@njit(cache=True, nogil=True)
def _place_rows(
    event: Booleans,
    start: NDArray[np.int64],
    w: NDArray[np.int64],
    drawn: NDArray[np.int64],
    before: NDArray[np.int64],
) -> int:
    """The rows that are drawn, latest first, censored ones before events of the same time.

    `before` says with how many of them a row is compared: none for a censored one; for an event all that
    are later, or censored at its time.  Returns how many rows are drawn.
    """
    n = 0
    for g in range(start.shape[0] - 1):
        for i in range(start[g], start[g + 1]):
            if w[i] > 0 and not event[i]:
                drawn[n], before[n] = i, 0
                n += 1
        later = n
        for i in range(start[g], start[g + 1]):
            if w[i] > 0 and event[i]:
                drawn[n], before[n] = i, later
                n += 1
    return n


@njit(cache=True, nogil=True)
def _add(tree: NDArray[np.int32], first: NDArray[np.int64], level: int, w: np.int32) -> None:
    for floor in range(first.shape[0]):
        place = level & (CHILDREN - 1)
        level >>= SHIFT
        node = tree[first[floor] + level]
        for child in range(CHILDREN):
            node[child] += w if child > place else np.int32(0)


@njit(cache=True, nogil=True)
def _pairs(
    levels: NDArray[np.int32],
    w: NDArray[np.int64],
    drawn: NDArray[np.int64],
    before: NDArray[np.int64],
    n_drawn: int,
    first: NDArray[np.int64],
    tree: NDArray[np.int32],
    counts: NDArray[np.int32],
) -> tuple[float, float, float]:
    """Pairs in which the row that outlives has the larger level, the smaller one, an equal one."""
    tree[:] = 0
    counts[:] = 0
    larger, smaller, tied = 0.0, 0.0, 0.0
    added, seen = 0, 0
    for position in range(n_drawn):
        if before[position] == 0:
            continue
        while added < before[position]:
            row = drawn[added]
            counts[levels[row]] += w[row]
            seen += w[row]
            _add(tree, first, int(levels[row]), np.int32(w[row]))
            added += 1
        row = drawn[position]
        below, level = 0, np.int64(levels[row])
        equal = counts[level]
        for floor in range(first.shape[0]):
            below += tree[first[floor] + (level >> SHIFT), level & (CHILDREN - 1)]
            level >>= SHIFT
        smaller += w[row] * below
        tied += w[row] * equal
        larger += w[row] * (seen - below - equal)
    return larger, smaller, tied


@njit(cache=True, nogil=True)
def comparable_pairs(
    levels: NDArray[np.int32],
    n_levels: int,
    event: Booleans,
    start: NDArray[np.int64],
    w: NDArray[np.int64],
) -> tuple[float, float, float]:
    """Pairs of rows, of one column, whose later row has the larger level, the smaller one, an equal one."""
    n = levels.shape[0]
    drawn, before = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    first, nodes = _floors(n_levels)
    tree = np.empty((nodes, CHILDREN), dtype=np.int32)
    counts = np.empty(n_levels, dtype=np.int32)
    n_drawn = _place_rows(event, start, w, drawn, before)
    return _pairs(levels, w, drawn, before, n_drawn, first, tree, counts)


@njit(cache=True, nogil=True)
def concordance_block(
    levels: NDArray[np.int32],
    n_levels: NDArray[np.int64],
    event: Booleans,
    start: NDArray[np.int64],
    weights: NDArray[np.uint16],
    scores: Floats,
) -> None:
    """Concordance index of every column, (b, p): the share of comparable pairs whose row with the larger
    value lives longer, pairs of equal values half; 1/2 where no pair is comparable.

    Rows of `levels`, `event` and `weights` by descending time; `start` where each distinct time begins,
    and the number of rows.
    """
    n, p = levels.shape
    drawn, before = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    tree = np.empty((_floors(n_levels.max())[1], CHILDREN), dtype=np.int32)
    counts = np.empty(n_levels.max(), dtype=np.int32)
    for r in range(weights.shape[0]):
        w = weights[r].astype(np.int64)
        n_drawn = _place_rows(event, start, w, drawn, before)
        for j in range(p):
            first, nodes = _floors(n_levels[j])
            more, fewer, tied = _pairs(
                levels[:, j], w, drawn, before, n_drawn, first, tree[:nodes], counts[: n_levels[j]]
            )
            pairs = more + fewer + tied
            scores[r, j] = (more + 0.5 * tied) / pairs if pairs > 0.0 else 0.5

"""Loops behind the similarity-adjusted stability measures."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pyfsagg._base.types import Booleans, Floats

__all__ = [
    "COUNT",
    "GREEDY",
    "MATCHING",
    "MEAN",
    "YU",
    "Neighbours",
    "adjusted_block",
    "adjusted_rows",
]

COUNT, YU, MEAN, GREEDY, MATCHING = range(5)


class Neighbours(NamedTuple):
    """The similarity graph by rows, without self similarities.

    The neighbours of feature x are ``features[start[x]:start[x + 1]]`` with their similarities in
    `strength` and, in `place`, the position of the edge in the order in which a greedy matching
    takes edges.
    """

    start: NDArray[np.intp]
    features: NDArray[np.intp]
    strength: Floats
    place: NDArray[np.intp]


@njit(cache=True, nogil=True)
def _one_way(own: Booleans, other: Booleans, graph: Neighbours, mean: bool) -> float:
    """Features of `own` alone with a neighbour in `other` alone: their number, or the sum of
    their mean similarities to these neighbours."""
    start, neighbours, strength, _ = graph
    total = 0.0
    for x in range(own.shape[0]):
        if own[x] and not other[x]:
            count = 0
            inside = 0.0
            for e in range(start[x], start[x + 1]):
                y = neighbours[e]
                if other[y] and not own[y]:
                    count += 1
                    inside += strength[e]
            if count > 0:
                total += inside / count if mean else 1.0
    return total


@njit(cache=True, nogil=True)
def _greedy(left: Booleans, right: Booleans, graph: Neighbours) -> float:
    """Size of the matching that takes the most similar free pair at every step."""
    start, neighbours, _, place = graph
    p = left.shape[0]
    n_edges = 0
    for x in range(p):
        if left[x] and not right[x]:
            for e in range(start[x], start[x + 1]):
                y = neighbours[e]
                if right[y] and not left[y]:
                    n_edges += 1
    places = np.empty(n_edges, dtype=np.intp)
    sources = np.empty(n_edges, dtype=np.intp)
    targets = np.empty(n_edges, dtype=np.intp)
    n_edges = 0
    for x in range(p):
        if left[x] and not right[x]:
            for e in range(start[x], start[x + 1]):
                y = neighbours[e]
                if right[y] and not left[y]:
                    places[n_edges] = place[e]
                    sources[n_edges] = x
                    targets[n_edges] = y
                    n_edges += 1
    taken = np.zeros(p, dtype=np.bool_)
    size = 0.0
    for e in np.argsort(places):
        if not taken[sources[e]] and not taken[targets[e]]:
            taken[sources[e]] = True
            taken[targets[e]] = True
            size += 1.0
    return size


@njit(cache=True, nogil=True)
def _matching(left: Booleans, right: Booleans, graph: Neighbours) -> float:
    """Size of a maximum matching: one breadth-first augmenting path per feature of `left`."""
    start, neighbours = graph.start, graph.features
    p = left.shape[0]
    partner = np.full(p, -1, dtype=np.intp)
    parent = np.empty(p, dtype=np.intp)
    seen = np.full(p, -1, dtype=np.intp)
    queue = np.empty(p, dtype=np.intp)
    size = 0.0
    for root in range(p):
        if not left[root] or right[root]:
            continue
        queue[0] = root
        head, tail = 0, 1
        free = -1
        while head < tail and free < 0:
            x = queue[head]
            head += 1
            for e in range(start[x], start[x + 1]):
                y = neighbours[e]
                if right[y] and not left[y] and seen[y] != root:
                    seen[y] = root
                    parent[y] = x
                    if partner[y] < 0:
                        free = y
                        break
                    queue[tail] = partner[y]
                    tail += 1
        if free >= 0:
            size += 1.0
            y = free
            while y >= 0:
                x = parent[y]
                following = partner[x]
                partner[x] = y
                partner[y] = x
                y = following
    return size


@njit(cache=True, nogil=True)
def _pair(
    kind: int,
    left: Booleans,
    right: Booleans,
    graph: Neighbours,
) -> float:
    shared = 0.0
    for x in range(left.shape[0]):
        if left[x] and right[x]:
            shared += 1.0
    if kind == GREEDY:
        return shared + _greedy(left, right, graph)
    if kind == MATCHING:
        return shared + _matching(left, right, graph)
    there = _one_way(left, right, graph, kind == MEAN)
    back = _one_way(right, left, graph, kind == MEAN)
    if kind == YU:
        return shared + 0.5 * (there + back)
    return shared + min(there, back)


@njit(cache=True, nogil=True)
def adjusted_block(
    kind: int,
    left: Booleans,
    right: Booleans,
    graph: Neighbours,
) -> Floats:
    """Adjusted intersection of every row of `left` with every row of `right`."""
    out = np.empty((left.shape[0], right.shape[0]))
    for a in range(left.shape[0]):
        for b in range(right.shape[0]):
            out[a, b] = _pair(kind, left[a], right[b], graph)
    return out


@njit(cache=True, nogil=True)
def adjusted_rows(
    kind: int,
    left: Booleans,
    right: Booleans,
    graph: Neighbours,
) -> Floats:
    """Adjusted intersection of row a of `left` with row a of `right`."""
    out = np.empty(left.shape[0])
    for a in range(left.shape[0]):
        out[a] = _pair(kind, left[a], right[a], graph)
    return out

"""Equal-width and equal-frequency bins of a sorted column with integer row weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pyfsagg._base.types import Floats, Integer
from pyfsagg._kernels.tables.binning import EQUAL_WIDTH, width_cutpoints

__all__ = ["GRID_STEP", "bin_edges", "middle_cut"]

GRID_STEP = 64
"""Every how many rows of a sorted column its value is kept at hand."""


@njit(cache=True, nogil=True)
def bin_edges(
    kind: Integer,
    order: NDArray[Any],
    n_known: Integer,
    mask: np.uint64,
    values: Floats,
    grid: Floats,
    packed: NDArray[np.uint32],
    n_bins: Integer,
    edges: NDArray[np.int64],
    cutpoints: Floats,
) -> Integer:
    """Bins of one sorted column over the rows present; returns how many are told apart.

    `grid` holds the value of every `GRID_STEP`-th row of the order.

    Bin b holds the sorted positions ``edges[b] <= position < edges[b + 1]``; between b and b + 1
    lies ``cutpoints[b]``, and a value above it goes up.
    """
    first, last = 0, n_known - 1
    while first < n_known and packed[np.uint64(order[first]) & mask] & 0xFFFF == 0:
        first += 1
    edges[0] = 0
    edges[1] = n_known
    if first == n_known:
        return 1
    while packed[np.uint64(order[last]) & mask] & 0xFFFF == 0:
        last -= 1
    low = values[np.uint64(order[first]) & mask]
    high = values[np.uint64(order[last]) & mask]
    if low == high:
        return 1
    if kind == EQUAL_WIDTH:
        return _width_edges(order, n_known, mask, values, grid, low, high, n_bins, edges, cutpoints)
    return _frequency_edges(order, n_known, mask, values, packed, n_bins, edges, cutpoints)


@njit(cache=True, nogil=True)
def middle_cut(below: float, above: float) -> float:
    """Midpoint of two neighbouring values, kept below the upper one: ``x > cut`` goes up."""
    cutpoint = 0.5 * below + 0.5 * above
    return below if cutpoint >= above else cutpoint


@njit(cache=True, nogil=True)
def _width_edges(
    order: NDArray[Any],
    n_known: Integer,
    mask: np.uint64,
    values: Floats,
    grid: Floats,
    low: float,
    high: float,
    n_bins: Integer,
    edges: NDArray[np.int64],
    cutpoints: Floats,
) -> Integer:
    """Cuts of equal width, and their places in the sorted column.

    The grid tells the places to `GRID_STEP`; from there all cuts are bisected in step, so that
    their look-ups, which miss the cache, overlap.
    """
    width_cutpoints(low, high, n_bins, cutpoints)
    below = 0
    for k in range(1, n_bins):
        while below < grid.shape[0] and grid[below] <= cutpoints[k - 1]:
            below += 1
        edges[k] = (below - 1) * GRID_STEP + 1
    remaining = GRID_STEP - 1
    while remaining > 0:
        half = (remaining + 1) // 2
        for k in range(1, n_bins):
            probe = min(edges[k] + half, n_known) - 1
            row = np.uint64(order[np.uint64(probe)]) & mask
            edges[k] += half if values[row] <= cutpoints[k - 1] else 0
        remaining -= half
    for k in range(1, n_bins):
        edges[k] = min(edges[k], n_known)
    edges[n_bins] = n_known
    return n_bins


@njit(cache=True, nogil=True)
def _frequency_edges(
    order: NDArray[Any],
    n_known: Integer,
    mask: np.uint64,
    values: Floats,
    packed: NDArray[np.uint32],
    n_bins: Integer,
    edges: NDArray[np.int64],
    cutpoints: Floats,
) -> Integer:
    """Cut after the first value below or at which k / n_bins of the weight lies, k = 1, 2, …

    Equal values stay together, and a value that takes several shares leaves out bins.
    """
    total = np.int64(0)
    for row in order[:n_known]:
        total += np.int64(packed[np.uint64(row) & mask]) & 0xFFFF
    found = 1
    seen = np.int64(0)
    position = 0
    goal = total  # n_bins times the weight at which the next share is full
    while True:
        while position < n_known and seen * n_bins < goal:
            seen += np.int64(packed[np.uint64(order[position]) & mask]) & 0xFFFF
            position += 1
        below = values[np.uint64(order[position - 1]) & mask]
        while position < n_known:
            row = np.uint64(order[position]) & mask
            weight = np.int64(packed[row]) & 0xFFFF
            if weight > 0 and values[row] != below:
                break
            seen += weight
            position += 1
        if position == n_known:
            break
        edges[found] = position
        cutpoints[found - 1] = middle_cut(below, values[np.uint64(order[position]) & mask])
        found += 1
        goal = (seen * n_bins // total + 1) * total
    edges[found] = n_known
    return found

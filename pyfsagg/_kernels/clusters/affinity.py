"""Loops of consensus affinity: co-clustering counts, distances, and sums over pairs of samples.

All of them walk the pairs i < j in one fixed order, so that a sum has the same bits however the
features or the samples are dealt out to workers.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pyfsagg._base.types import Floats

__all__ = ["add_squared_distances", "coassociation_counts", "pair_totals", "shortfall_sums"]

Labels = NDArray[np.int32]


@njit(cache=True, nogil=True)
def coassociation_counts(labels: Labels, start: int, stop: int, counts: NDArray[np.int32]) -> None:
    """Fill rows `start` to `stop` of `counts` (n, n): in how many clusterings two samples meet.

    `labels` (n, T) holds a sample per row, so that the comparison runs along memory.
    """
    n, n_clusterings = labels.shape
    for i in range(start, stop):
        for j in range(n):
            met = np.int32(0)
            for t in range(n_clusterings):
                met += np.int32(labels[i, t] == labels[j, t])
            counts[i, j] = met


@njit(cache=True, nogil=True)
def add_squared_distances(block: Floats, start: int, stop: int, squared: Floats) -> None:
    """Add the share of the features in `block` (n, b) to rows `start` to `stop` of `squared`.

    Only entries above the diagonal are touched.
    """
    n, width = block.shape
    partial = np.empty(4)
    for i in range(start, stop):
        for j in range(i + 1, n):
            # Four running sums: without reordering of floating-point sums the compiler cannot
            # make them itself.
            partial[:] = 0.0
            whole = width - width % 4
            for d in range(0, whole, 4):
                a = block[i, d] - block[j, d]
                b = block[i, d + 1] - block[j, d + 1]
                c = block[i, d + 2] - block[j, d + 2]
                e = block[i, d + 3] - block[j, d + 3]
                partial[0] += a * a
                partial[1] += b * b
                partial[2] += c * c
                partial[3] += e * e
            for d in range(whole, width):
                a = block[i, d] - block[j, d]
                partial[0] += a * a
            squared[i, j] += (partial[0] + partial[1]) + (partial[2] + partial[3])


@njit(cache=True, nogil=True, error_model="numpy")
def shortfall_sums(
    block: Floats, squared: Floats, consensus: Floats, weighted: Floats, total: Floats
) -> None:
    """Sums over pairs of 1 - A_ij, the shortfall of the affinity (7), per feature of `block` (n, b).

    ``total[d] += sum (1 - A_ij)`` and ``weighted[g, d] += sum M^(g)_ij (1 - A_ij)`` for the matrices
    ``consensus[g]`` (g, n, n); pairs at distance 0 have affinity 1.  With thousands of features all
    affinities are close to 1, and sums of them would lose the digits in which features differ.
    """
    n, width = block.shape
    n_matrices = consensus.shape[0]
    shortfall = np.empty(width)
    # Sums of sums: each has n terms, not n squared, and rounds less.
    row_total = np.empty(width)
    row_weighted = np.empty((n_matrices, width))
    for i in range(n):
        row_total[:] = 0.0
        row_weighted[:] = 0.0
        for j in range(i + 1, n):
            distance = squared[i, j]
            inverse = 1.0 / distance if distance > 0.0 else 0.0
            for d in range(width):
                difference = block[i, d] - block[j, d]
                square = difference * difference
                # Where a feature is all of the distance, the product with the inverse may miss 1 by
                # a bit, of which the root would make 1e-8.
                rest = max(0.0, 1.0 - square * inverse) if square < distance else 0.0
                shortfall[d] = 1.0 - np.sqrt(rest) if square > 0.0 else 0.0
                row_total[d] += shortfall[d]
            for g in range(n_matrices):
                weight = consensus[g, i, j]
                if weight != 0.0:
                    for d in range(width):
                        row_weighted[g, d] += weight * shortfall[d]
        for d in range(width):
            total[d] += row_total[d]
        for g in range(n_matrices):
            for d in range(width):
                weighted[g, d] += row_weighted[g, d]


@njit(cache=True, nogil=True)
def pair_totals(consensus: Floats) -> Floats:
    """``sum M^(g)_ij`` over the pairs i < j for each matrix of `consensus` (g, n, n)."""
    n_matrices, n, _ = consensus.shape
    totals = np.zeros(n_matrices)
    for g in range(n_matrices):
        for i in range(n):
            for j in range(i + 1, n):
                totals[g] += consensus[g, i, j]
    return totals

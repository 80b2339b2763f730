"""Correlations of columns with a numeric target, and with each other, under integer row weights.

Every sum runs over the rows of one column in one loop, so that a score depends on its own resample and
column only.  Values are finite, so that sums may be reordered for SIMD; the order is the same in
every call.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg._kernels import kernel
from pyfsagg._kernels.mrmr import next_selected


@kernel(fastmath={"reassoc", "contract"})
def _standardise(column: Floats, weights: Floats, total: float, out: Floats) -> bool:
    """Fill `out` so that dot products are correlations; False (and zeros) for a constant column."""
    n = column.shape[0]
    mean = 0.0
    for i in range(n):
        mean += weights[i] * column[i]
    mean /= total
    spread = 0.0
    for i in range(n):
        out[i] = column[i] - mean
        spread += weights[i] * out[i] * out[i]
    # A column that is constant but for the rounding of its mean has no direction.
    if spread <= total * (1e-14 * mean) ** 2:
        out[:] = 0.0
        return False
    scale = 1.0 / np.sqrt(spread)
    for i in range(n):
        out[i] *= scale * np.sqrt(weights[i])
    return True


@kernel(fastmath={"reassoc", "contract"})
def _dot(a: Floats, b: Floats) -> float:
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total


@kernel
def pearson_block(
    values: Floats, targets: Floats, weights: NDArray[np.uint16], scores: Floats
) -> None:
    """|r| of every column with the target, (b, p); 0 where either is constant.

    `targets` (1 or b, n): one for all resamples, or one for each.
    """
    n, p = values.shape
    z, zy = np.empty(n), np.empty(n)
    for r in range(weights.shape[0]):
        w = weights[r].astype(np.float64)
        total = w.sum()
        known = _standardise(targets[r % len(targets)], w, total, zy)
        for j in range(p):
            scores[r, j] = 0.0
            if known and _standardise(values[:, j], w, total, z):
                scores[r, j] = min(abs(_dot(z, zy)), 1.0)


@kernel
def _average_ranks(
    levels: NDArray[np.int32], n_levels: int, weights: Floats, counts: Floats, out: Floats
) -> None:
    """Average ranks of the drawn rows, from the positions of their values among the distinct ones."""
    counts[:n_levels] = 0.0
    for i in range(levels.shape[0]):
        counts[levels[i]] += weights[i]
    before = 0.0
    for level in range(n_levels):
        size = counts[level]
        counts[level] = before + (size + 1.0) / 2.0
        before += size
    for i in range(levels.shape[0]):
        out[i] = counts[levels[i]]


@kernel
def spearman_numeric_block(
    levels: NDArray[np.int32],
    n_levels: NDArray[np.int64],
    targets: NDArray[np.int32],
    n_target: int,
    weights: NDArray[np.uint16],
    scores: Floats,
) -> None:
    """|rho| of every column with the target, (b, p); 0 where either is constant.

    `targets` (1 or b, n): positions of values among the distinct ones, for all resamples or for each.
    """
    n, p = levels.shape
    ranks, z, zy = np.empty(n), np.empty(n), np.empty(n)
    counts = np.empty(max(n_levels.max(), n_target))
    for r in range(weights.shape[0]):
        w = weights[r].astype(np.float64)
        total = w.sum()
        _average_ranks(targets[r % len(targets)], n_target, w, counts, ranks)
        known = _standardise(ranks, w, total, zy)
        for j in range(p):
            scores[r, j] = 0.0
            if known:
                _average_ranks(levels[:, j], n_levels[j], w, counts, ranks)
                if _standardise(ranks, w, total, z):
                    scores[r, j] = min(abs(_dot(z, zy)), 1.0)


@kernel
def correlation_mrmr(
    values: Floats,
    targets: Floats,
    weights: NDArray[np.uint16],
    n_selected: int,
    scores: Floats,
    orders: NDArray[np.int64],
) -> None:
    """Greedy |r(x, y)| minus the mean |r(x, w)| over the selected w; ties to the lowest column.

    Scores (b, p) are those at selection, the last criterion for what was not selected.
    """
    n, p = values.shape
    z, zy = np.empty((p, n)), np.empty(n)
    relevance, redundancy = np.empty(p), np.empty(p)
    left = np.empty(p, dtype=np.bool_)
    for r in range(weights.shape[0]):
        w = weights[r].astype(np.float64)
        total = w.sum()
        _standardise(targets[r % len(targets)], w, total, zy)
        for j in range(p):
            _standardise(values[:, j], w, total, z[j])
            relevance[j] = min(abs(_dot(z[j], zy)), 1.0)
        redundancy[:] = 0.0
        left[:] = True
        for k in range(n_selected):
            best, score = next_selected(relevance, redundancy, left, k)
            scores[r, best] = score
            left[best] = False
            orders[r, k] = best
            if k + 1 < n_selected:
                for j in range(p):
                    if left[j]:
                        redundancy[j] += min(abs(_dot(z[j], z[best])), 1.0)
        for j in range(p):
            if left[j]:
                scores[r, j] = relevance[j] - redundancy[j] / max(n_selected - 1, 1)

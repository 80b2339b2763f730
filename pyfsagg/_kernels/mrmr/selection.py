"""Greedy minimum-redundancy maximum-relevance selection for a block of resamples."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pyfsagg._base.types import Floats
from pyfsagg._kernels.mrmr.draws import Draws, place_draws
from pyfsagg._kernels.mrmr.joint_counts import (
    Encoded,
    Tables,
    add_information,
    allocate,
    encode,
    log_table,
)
from pyfsagg._kernels.tables.binning import (
    PRAZNIK,
    CountedColumns,
    column_range,
    praznik_bins,
    praznik_rows,
    width_rows,
)

__all__ = ["mrmr_block", "next_selected"]


@njit(cache=True, nogil=True)
def next_selected(
    relevance: Floats,
    redundancy: Floats,
    left: NDArray[np.bool_],
    k: int,
) -> tuple[int, float]:
    """First column of the largest score among those `left`, and that score.

    It is the relevance less the mean redundancy with the k columns that were selected before.
    """
    best, best_score = -1, -np.inf
    for j in range(left.shape[0]):
        if left[j]:
            score = relevance[j] - redundancy[j] / max(k, 1)
            if score > best_score:
                best, best_score = j, score
    return best, best_score


@njit(cache=True, nogil=True)
def _select(
    encoded: Encoded,
    draws: Draws,
    tables: Tables,
    n_features: int,
    scores: Floats,
    order: NDArray[np.int64],
) -> None:
    """Fill `scores` (column order) and `order` for one resample; the class is the last column."""
    relevance = np.zeros(n_features)
    redundancy = np.zeros(n_features)
    left = np.ones(n_features, dtype=np.bool_)
    add_information(encoded, draws, n_features, left, tables, relevance)
    scores[:] = np.nan
    for k in range(order.shape[0]):
        best, score = next_selected(relevance, redundancy, left, k)
        order[k] = best
        scores[best] = score
        left[best] = False
        if k + 1 < order.shape[0]:
            add_information(encoded, draws, best, left, tables, redundancy)


@njit(cache=True, nogil=True)
def mrmr_block(
    columns: CountedColumns,
    n_codes: NDArray[np.int64],
    bins: int,
    reading: int,
    labels: NDArray[np.int32],
    weights: NDArray[np.uint16],
    like: NDArray[np.unsignedinteger],
    scores: Floats,
    orders: NDArray[np.int64],
) -> None:
    """Scores (b, p) and orders (b, k) of a block of b resamples.

    `n_codes` bounds the codes of every feature and, last, of the class.
    """
    values, categories, source, _, lowest, highest = columns
    n_features = values.shape[1]
    totals = weights.astype(np.int64).sum(axis=1)
    encoded = allocate(int(totals.max()), n_codes, like)
    row_codes = np.empty(values.shape[0], dtype=np.uint32)
    for r in range(weights.shape[0]):
        weight = weights[r]
        n_draws = int(totals[r])
        tables = log_table(n_draws)
        draws = place_draws(weight)
        word = 0
        for j in range(n_features):
            used = n_codes[j]
            if source[j] >= 0:
                row_codes[:] = categories[:, source[j]]
            else:
                x = values[:, j]
                low, high = column_range(x, weight, lowest[j], highest[j])
                if reading == PRAZNIK:
                    used = praznik_rows(x, low, high, praznik_bins(n_draws), row_codes)
                else:
                    used = width_rows(x, low, high, bins, row_codes)
            word = encode(encoded, j, word, row_codes, used, weight, draws, tables)
        row_codes[:] = labels[r if labels.shape[0] > 1 else 0]
        encode(encoded, n_features, word, row_codes, n_codes[-1], weight, draws, tables)
        _select(encoded, draws, tables, n_features, scores[r], orders[r])

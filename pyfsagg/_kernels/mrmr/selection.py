"""Greedy minimum-redundancy maximum-relevance selection for a block of resamples."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pyfsagg._base.types import Floats
from pyfsagg._kernels.mrmr.draws import Draws, place_draws
from pyfsagg._kernels.mrmr.few_rows import (
    FewRows,
    add_row_by_row,
    encode_rows,
    place_rows,
    takes_few_rows,
)
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
    masks: tuple[Encoded, Draws],
    few: FewRows,
    by_rows: bool,
    tables: Tables,
    n_features: int,
    scores: Floats,
    order: NDArray[np.int64],
) -> None:
    """Fill `scores` (column order) and `order` for one resample; the class is the last column.

    A feature that is not selected keeps the criterion that it had when the last one was.
    """
    relevance = np.zeros(n_features)
    redundancy = np.zeros(n_features)
    left = np.ones(n_features, dtype=np.bool_)
    encoded, draws = masks
    if by_rows:
        add_row_by_row(few, n_features, left, tables, relevance)
    else:
        add_information(encoded, draws, n_features, left, tables, relevance)
    depth = order.shape[0]
    for k in range(depth):
        best, score = next_selected(relevance, redundancy, left, k)
        order[k] = best
        scores[best] = score
        left[best] = False
        if k + 1 < depth:
            if by_rows:
                add_row_by_row(few, best, left, tables, redundancy)
            else:
                add_information(encoded, draws, best, left, tables, redundancy)
    for j in np.flatnonzero(left):
        scores[j] = relevance[j] - redundancy[j] / max(depth - 1, 1)


@njit(cache=True, nogil=True)
def _row_codes(
    columns: CountedColumns,
    j: int,
    bins: int,
    reading: int,
    n_draws: int,
    weight: NDArray[np.uint16],
    codes: NDArray[np.uint32],
) -> int:
    """Write the codes of the rows in column `j`; return how many there may be."""
    values, categories, source, n_codes, lowest, highest = columns
    if source[j] >= 0:
        codes[:] = categories[source[j]]
        return int(n_codes[j])
    x = values[:, j]
    low, high = column_range(x, weight, lowest[j], highest[j])
    if reading == PRAZNIK:
        return praznik_rows(x, low, high, praznik_bins(n_draws), codes)
    return width_rows(x, low, high, bins, codes)


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
    n, n_features = columns.values.shape
    totals = weights.astype(np.int64).sum(axis=1)
    by_rows = np.empty(weights.shape[0], dtype=np.bool_)
    most_masked = 1
    for r in range(weights.shape[0]):
        by_rows[r] = takes_few_rows(weights[r], n_codes)
        most_masked = max(most_masked, 1 if by_rows[r] else int(totals[r]))
    encoded = allocate(most_masked, n_codes, like)
    row_codes = np.empty(n, dtype=np.uint32)
    for r in range(weights.shape[0]):
        weight = weights[r]
        n_draws = int(totals[r])
        tables = log_table(n_draws)
        draws = place_draws(weight[:0] if by_rows[r] else weight)
        few = place_rows(weight if by_rows[r] else weight[:0], n_codes, like, tables)
        word = 0
        for j in range(n_features + 1):
            if j < n_features:
                used = _row_codes(columns, j, bins, reading, n_draws, weight, row_codes)
            else:
                used = int(n_codes[j])
                row_codes[:] = labels[r if labels.shape[0] > 1 else 0]
            if by_rows[r]:
                encode_rows(few, j, row_codes, used, tables)
            else:
                word = encode(encoded, j, word, row_codes, used, weight, draws, tables)
        _select((encoded, draws), few, by_rows[r], tables, n_features, scores[r], orders[r])

"""Greedy minimum-redundancy maximum-relevance selection for a block of resamples."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats, Integer
from pyfsagg._kernels import kernel
from pyfsagg._kernels.class_tables import (
    PRAZNIK,
    CountedColumns,
    column_range,
    praznik_bins,
    praznik_rows,
    width_rows,
)
from pyfsagg._kernels.mrmr_counts import (
    Draws,
    Encoded,
    Tables,
    add_information,
    allocate,
    encode,
    information,
    log_table,
    place_draws,
    words_for,
)

_TOGETHER = 4  # columns counted at once
_POSITIVE = (1 << 60) - 1  # tells the compiler that a place needs no check for being negative
_MOST_STEPS = 1 << 16
_MOST_CELLS = 1 << 14


class FewRows(NamedTuple):
    """The columns of one resample by distinct row.

    ``steps[first_step[i] + c]`` is what row i adds to the sum of c·ln c where its cell holds c draws.
    """

    rows: NDArray[np.int64]  # (k,) the rows that were drawn
    times: NDArray[np.uint16]  # (k,) how often
    first_step: NDArray[np.uint32]  # (k,)
    steps: NDArray[np.int64]  # flat
    codes: NDArray[np.unsignedinteger[Any]]  # flat, k for each column
    n_levels: NDArray[np.int64]  # (n_columns,)
    level_sums: NDArray[np.int64]  # (n_columns,) sum of value[count] over the levels
    shift: int  # cells of a level of the other column, as a power of 2
    cells: NDArray[np.uint16]  # scratch, all zero between calls
    counter: NDArray[np.int64]  # (most levels,), all zero between calls
    renamed: NDArray[np.int64]  # (most levels,) scratch


@kernel
def _shift(most: int) -> int:
    shift = 0
    while (1 << shift) < most:
        shift += 1
    return shift


@kernel
def takes_few_rows(weights: NDArray[np.uint16], n_codes: NDArray[np.int64]) -> bool:
    """Whether the row by row way is open to a resample, and costs less than bit masks.

    Costs in about a nanosecond, fitted to 40 to 2000 rows and 2 to 60 levels: see benchmarks/KERNELS.md.
    """
    n_rows, n_draws, heaviest = 0, 0, 0
    for weight in weights:
        times = int(np.int64(weight))
        n_rows += 1 if times > 0 else 0
        n_draws += times
        heaviest = max(heaviest, times)
    most = min(int(n_codes.max()), n_rows)
    if heaviest * (n_draws + 1) > _MOST_STEPS or (most << _shift(most)) > _MOST_CELLS:
        return False
    levels = 0.0
    for codes in n_codes:
        levels += min(codes, n_rows)
    levels /= n_codes.shape[0]
    quicker: bool = n_rows < 60.0 + levels * levels * (2.0 + 0.05 * words_for(n_draws))
    return quicker


@kernel
def place_rows(
    weights: NDArray[np.uint16],
    n_codes: NDArray[np.int64],
    like: NDArray[np.unsignedinteger[Any]],
    tables: Tables,
) -> FewRows:
    """Room for the columns of a resample, which :func:`encode_rows` fills in."""
    rows = np.flatnonzero(weights)
    times = weights[rows]
    value = tables.value
    heaviest, size = int(times.max()) if times.shape[0] else 0, value.shape[0]
    steps = np.zeros(heaviest * size, dtype=np.int64)
    for more in range(1, heaviest + 1):
        for count in range(size - more):
            steps[(more - 1) * size + count] = value[count + more] - value[count]
    n_columns, most = n_codes.shape[0], int(n_codes.max())
    levels = min(most, rows.shape[0])
    shift = _shift(levels)
    return FewRows(
        rows,
        times,
        ((times.astype(np.int64) - 1) * size).astype(np.uint32),
        steps,
        np.empty(n_columns * rows.shape[0], dtype=like.dtype),
        np.zeros(n_columns, dtype=np.int64),
        np.zeros(n_columns, dtype=np.int64),
        shift,
        np.zeros(_TOGETHER * (levels << shift), dtype=np.uint16),
        np.zeros(most + 1, dtype=np.int64),
        np.empty(most + 1, dtype=np.int64),
    )


@kernel
def encode_rows(
    few: FewRows, j: int, row_codes: NDArray[np.uint32], n_codes: int, tables: Tables
) -> None:
    """Fill in column `j` from the codes of all rows of the table."""
    rows, times, counts, renamed = few.rows, few.times, few.counter, few.renamed
    for i in range(rows.shape[0]):
        counts[row_codes[rows[i]]] += np.int64(times[i])
    n_levels = 0
    level_sum = 0
    for code in range(n_codes):
        renamed[code] = n_levels
        n_levels += 1 if counts[code] > 0 else 0
        level_sum += tables.value[counts[code]]
    counts[:n_codes] = 0
    first = j * rows.shape[0]
    for i in range(rows.shape[0]):
        few.codes[first + i] = renamed[row_codes[rows[i]]]
    few.n_levels[j] = n_levels
    few.level_sums[j] = level_sum


@kernel(inline="always")
def _meet_row(
    cells: NDArray[np.uint16], cell: Integer, more: Integer, steps: NDArray[np.int64], step: Integer
) -> int:
    """Count a row into its cell; return what that adds to the sum of c·ln c."""
    count = np.int64(cells[cell])
    cells[cell] = count + more
    return steps[step + count]  # type: ignore[no-any-return]


@kernel
def add_row_by_row(
    few: FewRows, a: int, wanted: NDArray[np.bool_], tables: Tables, sums: Floats
) -> None:
    """Add the mutual information (nats) of column `a` with each wanted column b to ``sums[b]``."""
    codes, cells, times, steps = few.codes, few.cells, few.times, few.steps
    first_step, n_levels, level_sums = few.first_step, few.n_levels, few.level_sums
    if n_levels[a] <= 1:
        return
    others = np.flatnonzero(wanted)
    known = (tables.value[-1], level_sums[a], n_levels[a])
    k = few.rows.shape[0]
    start = np.empty(k, dtype=np.uint32)
    for i in range(k):
        start[i] = np.int64(codes[a * k + i]) << few.shift
    size = (n_levels[a] << few.shift) & _POSITIVE
    together = others.shape[0] - others.shape[0] % _TOGETHER
    for t in range(0, together, _TOGETHER):
        b, c, d, e = others[t], others[t + 1], others[t + 2], others[t + 3]
        at_b, at_c = (b * k) & _POSITIVE, (c * k) & _POSITIVE
        at_d, at_e = (d * k) & _POSITIVE, (e * k) & _POSITIVE
        total_b, total_c, total_d, total_e = 0, 0, 0, 0
        cells[: _TOGETHER * size] = 0
        for i in range(k):
            cell, more = np.int64(start[i]), np.int64(times[i])
            step = np.int64(first_step[i])
            total_b += _meet_row(cells, cell + np.int64(codes[at_b + i]), more, steps, step)
            cell += size
            total_c += _meet_row(cells, cell + np.int64(codes[at_c + i]), more, steps, step)
            cell += size
            total_d += _meet_row(cells, cell + np.int64(codes[at_d + i]), more, steps, step)
            cell += size
            total_e += _meet_row(cells, cell + np.int64(codes[at_e + i]), more, steps, step)
        sums[b] += information(known, level_sums[b], n_levels[b], total_b, tables)
        sums[c] += information(known, level_sums[c], n_levels[c], total_c, tables)
        sums[d] += information(known, level_sums[d], n_levels[d], total_d, tables)
        sums[e] += information(known, level_sums[e], n_levels[e], total_e, tables)
    for b in others[together:]:
        total = 0
        cells[:size] = 0
        for i in range(k):
            cell, step = np.int64(start[i]) + np.int64(codes[b * k + i]), np.int64(first_step[i])
            total += _meet_row(cells, cell, np.int64(times[i]), steps, step)
        sums[b] += information(known, level_sums[b], n_levels[b], total, tables)


@kernel
def next_selected(
    relevance: Floats,
    redundancy: Floats,
    left: NDArray[np.bool_],
    k: int,
) -> tuple[int, float]:
    """First column of the largest relevance less mean redundancy among those `left`, and that score."""
    best, best_score = -1, -np.inf
    for j in range(left.shape[0]):
        if left[j]:
            score = relevance[j] - redundancy[j] / max(k, 1)
            if score > best_score:
                best, best_score = j, score
    return best, best_score


@kernel
def _select(
    masks: tuple[Encoded, Draws],
    few: FewRows,
    by_rows: bool,
    tables: Tables,
    n_features: int,
    scores: Floats,
    order: NDArray[np.int64],
) -> None:
    """Fill `scores` and `order` of one resample (class last); the others keep their last criterion."""
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


@kernel
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


@kernel
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
    """Scores (b, p) and orders (b, k) of b resamples; `n_codes` bounds the codes, of the class last."""
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

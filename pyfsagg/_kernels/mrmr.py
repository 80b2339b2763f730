"""Greedy selection by mutual information (mRMR and its relatives) for a block of resamples."""

from typing import NamedTuple

import numpy as np

from pyfsagg._base.arithmetic import Booleans, Floats, Integer, Integers
from pyfsagg._kernels import Bytes, Codes, Unsigned, Weights, Words, kernel
from pyfsagg._kernels.class_tables import (
    PRAZNIK,
    CountedColumns,
    column_range,
    praznik_bins,
    praznik_rows,
    width_rows,
)
from pyfsagg._kernels.mrmr_counts import (
    BLOCK,
    Draws,
    Encoded,
    Tables,
    allocate,
    count_equal,
    encode,
    log_table,
    nats,
    place_draws,
    words_for,
    write_information,
)

_TOGETHER = 4  # columns counted at once
_POSITIVE = (1 << 60) - 1  # tells the compiler that a place needs no check for being negative
_BYTE = 255  # the most draws that bytes count
_MOST_STEPS = 1 << 16
_MOST_CELLS = 1 << 14

MIM, MRMR, JMI, DISR, JMIM, NJMIM, CMIM = range(7)
"""Criteria; those from JMI on join each selected feature with the class: see `joint_information.py`."""


class FewRows(NamedTuple):
    """The columns of one resample by distinct row. ``steps[first_step[i] + c]`` is what row i adds to the sum
    of c·ln c where its cell holds c draws; ``steps[c]`` is c·ln c."""

    rows: Integers  # (k,) the rows that were drawn
    times: Weights  # (k,) how often
    first_step: Words  # (k,)
    steps: Integers  # flat
    codes: Unsigned  # flat, k for each column
    blocks: Bytes  # flat (blocks, k, BLOCK): features again, for as many draws as bytes count
    each_level: Bytes  # flat (most levels, BLOCK): a level for all features of a block
    n_levels: Integers  # (n_columns,)
    level_sums: Integers  # (n_columns,) sum of value[count] over the levels
    shift: int  # cells of a level of the other column, as a power of 2
    cells: Weights  # scratch, all zero between calls
    counter: Integers  # (most levels,), all zero between calls
    renamed: Integers  # (most levels,) scratch


@kernel
def _shift(most: int) -> int:
    shift = 0
    while (1 << shift) < most:
        shift += 1
    return shift


@kernel
def takes_few_rows(weights: Weights, n_codes: Integers) -> bool:
    """Whether the row by row way is open to a resample, and costs less than bit masks. Costs in about a
    nanosecond, fitted to 40 to 2000 rows and 2 to 60 levels: see benchmarks/KERNELS.md."""
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
    a_row = 0.2 + 0.01 * n_rows / levels if n_draws <= _BYTE else 1.0
    quicker: bool = a_row * n_rows < 60.0 + levels * levels * (2.0 + 0.05 * words_for(n_draws))
    return quicker


@kernel
def place_rows(
    weights: Weights, n_codes: Integers, n_features: int, like: Unsigned, tables: Tables
) -> FewRows:
    """Room for the columns of a resample, which :func:`encode_rows` fills in."""
    rows = np.flatnonzero(weights)
    times = weights[rows]
    value = tables.value
    heaviest, size = int(times.max()) if times.shape[0] else 0, value.shape[0]
    steps = np.zeros((heaviest + 1) * size, dtype=np.int64)
    for more in range(heaviest + 1):
        for count in range(size - more):
            steps[more * size + count] = value[count + more] - (value[count] if more > 0 else 0)
    n_columns, most = n_codes.shape[0], int(n_codes.max())
    levels = min(most, rows.shape[0])
    n_blocks = -(-n_features // BLOCK) if size <= _BYTE + 1 else 0
    shift = _shift(min(int(n_codes[:n_features].max()), rows.shape[0]))
    return FewRows(
        rows,
        times,
        (times.astype(np.int64) * size).astype(np.uint32),
        steps,
        np.empty(n_columns * rows.shape[0], dtype=like.dtype),
        np.zeros(n_blocks * rows.shape[0] * BLOCK, dtype=np.uint8),
        np.repeat(np.arange(levels if n_blocks > 0 else 0), BLOCK).astype(np.uint8),
        np.zeros(n_columns, dtype=np.int64),
        np.zeros(n_columns, dtype=np.int64),
        shift,
        np.zeros(_TOGETHER * (levels << shift), dtype=np.uint16),
        np.zeros(most + 1, dtype=np.int64),
        np.empty(most + 1, dtype=np.int64),
    )


@kernel
def encode_rows(few: FewRows, j: int, row_codes: Words, n_codes: int, tables: Tables) -> None:
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
    place = (
        j // BLOCK * rows.shape[0] * BLOCK + j % BLOCK
    )  # of the class in the filling, if anywhere
    if place < few.blocks.shape[0]:
        for i in range(rows.shape[0]):
            few.blocks[place + i * BLOCK] = renamed[row_codes[rows[i]]]
    few.n_levels[j] = n_levels
    few.level_sums[j] = level_sum


@kernel(inline="always")
def _meet_row(cells: Weights, cell: Integer, more: Integer, steps: Integers, step: Integer) -> int:
    """Count a row into its cell; return what that adds to the sum of c·ln c."""
    count = np.int64(cells[cell])
    cells[cell] = count + more
    return steps[step + count]  # type: ignore[no-any-return]


@kernel(inline="always")
def write_row_by_row(
    few: FewRows, a: int, others: Integers, tables: Tables, found: Integers
) -> None:
    """Write the mutual information (fixed point) of column `a` with features b to ``found[b]``."""
    if few.n_levels[a] <= 1:
        found[others] = 0
        return
    own = tables.value[-1] - few.level_sums[a]
    if 3 * others.shape[0] * few.rows.shape[0] > few.blocks.shape[0] > 0:
        _write_blocks(few, a, others, own, found)
    else:
        _write_columns(few, a, others, own, found)


@kernel
def _write_blocks(few: FewRows, a: int, others: Integers, own: int, found: Integers) -> None:
    """Do it for all features of the blocks in which there are any. The rows are gone through level by level
    of column `a`. Where these are more than the levels of a block, they are counted for each of its levels,
    for all features of the block at once; elsewhere each row asks how often the rows before it are in its
    cell."""
    k, steps, n_levels = few.rows.shape[0], few.steps, few.n_levels[a]
    level = few.codes[a * k : (a + 1) * k]
    start = np.zeros(n_levels + 1, dtype=np.int64)
    for i in range(k):
        start[np.int64(level[i]) + 1] += 1
    start = np.cumsum(start)
    free = start.copy()
    by_level = np.empty(k, dtype=np.int64)
    for i in range(k):
        by_level[free[level[i]]] = i
        free[level[i]] += 1
    times = few.times[by_level].astype(np.uint8)
    places, first_step = np.empty(k, dtype=np.int64), np.empty(k, dtype=np.uint64)
    counts = np.empty(k * BLOCK, dtype=np.uint8)
    total = np.empty(BLOCK, dtype=np.int64)
    block = -1
    for b in others:
        if b // BLOCK > block:
            block = b // BLOCK
            for i in range(k):
                places[i] = (block * k + by_level[i]) * BLOCK
            levels = few.n_levels[block * BLOCK : (block + 1) * BLOCK].max()
            n = 0
            for one in range(n_levels):
                first, last = start[one], start[one + 1]
                if last - first > levels:
                    for of_b in range(levels):
                        at = of_b * BLOCK
                        count_equal(  # type: ignore[call-arg]
                            few.blocks, places, times, first, last, few.each_level, at, counts, n
                        )
                        first_step[n] = 0
                        n += 1
                else:
                    for i in range(first, last):
                        at = places[i]
                        count_equal(  # type: ignore[call-arg]
                            few.blocks, places, times, first, i, few.blocks, at, counts, n
                        )
                        first_step[n] = few.first_step[by_level[i]]
                        n += 1
            for f in range(0, BLOCK, _TOGETHER):
                total_b, total_c, total_d, total_e = own, own, own, own
                for i in range(n):
                    step, of_f = first_step[i], np.uint64(i * BLOCK + f)
                    total_b += steps[step + np.uint64(counts[of_f])]
                    total_c += steps[step + np.uint64(counts[of_f + np.uint64(1)])]
                    total_d += steps[step + np.uint64(counts[of_f + np.uint64(2)])]
                    total_e += steps[step + np.uint64(counts[of_f + np.uint64(3)])]
                total[f : f + _TOGETHER] = (total_b, total_c, total_d, total_e)
        found[b] = total[b - block * BLOCK] - few.level_sums[b]


@kernel
def _write_columns(few: FewRows, a: int, others: Integers, own: int, found: Integers) -> None:
    """Do it column by column, for any number of draws."""
    codes, cells, times, steps = few.codes, few.cells, few.times, few.steps
    first_step, n_levels, level_sums = few.first_step, few.n_levels, few.level_sums
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
        found[b] = own - level_sums[b] + total_b
        found[c] = own - level_sums[c] + total_c
        found[d] = own - level_sums[d] + total_d
        found[e] = own - level_sums[e] + total_e
    for b in others[together:]:
        total = 0
        cells[:size] = 0
        for i in range(k):
            cell, step = np.int64(start[i]) + np.int64(codes[b * k + i]), np.int64(first_step[i])
            total += _meet_row(cells, cell, np.int64(times[i]), steps, step)
        found[b] = own - level_sums[b] + total


@kernel
def next_selected(criterion: Floats, left: Booleans) -> int:
    """First column of the largest criterion among those `left`."""
    best, best_score = -1, -np.inf
    for j in range(left.shape[0]):
        if left[j] and criterion[j] > best_score:
            best, best_score = j, criterion[j]
    return best


class Resample(NamedTuple):
    """One resample, encoded in one of two ways: features, class, and room for joint columns. Joint column
    number s is that of the feature selected as number s with the class."""

    encoded: Encoded
    draws: Draws
    few: FewRows
    by_rows: bool
    tables: Tables
    weight: Weights
    n_features: int


@kernel(inline="always")
def write_pairs(resample: Resample, a: int, others: Integers, found: Integers) -> None:
    """Write the mutual information (fixed point) of column `a` with features b to ``found[b]``."""
    encoded, draws, few, by_rows, tables = resample[:5]
    if by_rows:
        write_row_by_row(few, a, others, tables, found)
    else:
        write_information(encoded, draws, a, others, tables, found, -1, found)


@kernel(inline="always")
def relevances(resample: Resample) -> tuple[Integers, Floats]:
    """Mutual information of every feature with the class, in fixed point and in nats."""
    few, encoded, n_features = resample.few, resample.encoded, resample.n_features
    n_levels = few.n_levels if resample.by_rows else encoded.n_levels
    with_class, relevance = np.empty(n_features, dtype=np.int64), np.empty(n_features)
    write_pairs(resample, n_features, np.arange(n_features), with_class)
    for j in range(n_features):
        n_cells = n_levels[n_features] * n_levels[j]
        relevance[j] = nats(with_class[j], n_cells, resample.tables)
    return with_class, relevance


@kernel(inline="always")
def _select(resample: Resample, criterion: int, scores: Floats, order: Integers) -> None:
    """Fill `scores` and `order` of one resample; the others keep their last criterion. Places of `order` that
    contain a column already are not chosen: the selection begins with these."""
    n_levels = resample.few.n_levels if resample.by_rows else resample.encoded.n_levels
    found, relevance = relevances(resample)
    scores[:] = relevance
    redundancy = np.zeros(relevance.shape[0])
    left = np.ones(relevance.shape[0], dtype=np.bool_)
    for k in range(order.shape[0]):
        best = order[k] if order[k] >= 0 else next_selected(scores, left)
        order[k] = best
        left[best] = False
        if k + 1 < order.shape[0] and criterion == MRMR:
            others = np.flatnonzero(left)
            write_pairs(resample, best, others, found)
            for j in others:
                redundancy[j] += nats(found[j], n_levels[best] * n_levels[j], resample.tables)
                scores[j] = relevance[j] - redundancy[j] / (k + 1)


@kernel
def _row_codes(
    columns: CountedColumns,
    j: int,
    bins: int,
    reading: int,
    n_draws: int,
    weight: Weights,
    codes: Words,
) -> int:
    """Write the codes of the rows in column `j`; return how many there may be."""
    values, categories, source, n_codes, lowest, highest = columns
    if source[j] >= 0:
        codes[:] = categories[source[j]]
        return int(n_codes[j])
    x = values[j]
    low, high = column_range(x, weight, lowest[j], highest[j])
    if reading == PRAZNIK:
        return praznik_rows(x, low, high, praznik_bins(n_draws), codes)
    return width_rows(x, low, high, bins, codes)


@kernel
def way_of_counting(weights: Weights, n_codes: Integers) -> tuple[Booleans, int]:
    """Which resamples are counted row by row, and the most draws of one that is not."""
    by_rows = np.empty(weights.shape[0], dtype=np.bool_)
    most_masked = 1
    for r in range(weights.shape[0]):
        by_rows[r] = takes_few_rows(weights[r], n_codes)
        most_masked = max(most_masked, 1 if by_rows[r] else int(weights[r].astype(np.int64).sum()))
    return by_rows, most_masked


@kernel(inline="always")
def encode_resample(
    columns: CountedColumns,
    n_codes: Integers,
    bins: int,
    reading: int,
    labels: Codes,
    weight: Weights,
    by_rows: bool,
    like: Unsigned,
    encoded: Encoded,
) -> tuple[Resample, int]:
    """The features and the class of one resample, and the next free word of the masks."""
    n_features, n = columns.values.shape
    row_codes = np.empty(n, dtype=np.uint32)
    n_draws = int(weight.astype(np.int64).sum())
    tables = log_table(n_draws)
    draws = place_draws(weight[:0] if by_rows else weight)
    few = place_rows(weight if by_rows else weight[:0], n_codes, n_features, like, tables)
    word = 0
    for j in range(n_features + 1):
        if j < n_features:
            used = _row_codes(columns, j, bins, reading, n_draws, weight, row_codes)
        else:
            used = int(n_codes[j])
            row_codes[:] = labels
        if by_rows:
            encode_rows(few, j, row_codes, used, tables)
        else:
            word = encode(encoded, j, word, row_codes, used, weight, draws, tables)
    return Resample(encoded, draws, few, by_rows, tables, weight, n_features), word


@kernel
def mrmr_block(
    columns: CountedColumns,
    n_codes: Integers,
    bins: int,
    reading: int,
    criterion: int,
    labels: Codes,
    weights: Weights,
    like: Unsigned,
    scores: Floats,
    orders: Integers,
) -> None:
    """Scores (b, p) and orders (b, k) of b resamples; `n_codes` bounds the codes, of the class last. `orders`
    is -1 but for the columns that each selection begins with."""
    by_rows, most_masked = way_of_counting(weights, n_codes)
    encoded = allocate(most_masked, n_codes, like)
    for r in range(weights.shape[0]):
        label = labels[r if labels.shape[0] > 1 else 0]
        resample, _ = encode_resample(
            columns, n_codes, bins, reading, label, weights[r], by_rows[r], like, encoded
        )
        _select(resample, criterion, scores[r], orders[r])

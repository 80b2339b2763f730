"""Mutual information of coded columns within one resample, exact in its counts.

Every draw of the resample has a place (see :mod:`pyfsagg._kernels.mrmr_masks`).  A level of a column is
*dense* or *listed*: a dense level is a bit mask over the places, a listed one the list of its places.
Dense levels meet by AND and popcount; a listed level meets the other column by looking up the codes
at its places.  The rule: a level with few draws for the length of a mask is listed, because the look
ups are then cheaper than the passes over the masks, and so are all levels of a column with more
than `MAX_TABULATED` of them.  A pair with such a column is counted by walking its lists, in O(n)
time and memory however many levels there are; any other pair is counted into a table of at most
`MAX_TABULATED` squared cells.

Sums of c·ln c are taken in 64-bit fixed point.  Integer sums do not depend on their order, so the
result is the same, bit for bit, whichever way the cells were counted, and columns that are equal up
to the names of their levels tie exactly.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg._kernels import kernel
from pyfsagg._kernels.mrmr_masks import (
    TILE,
    WORD_BITS,
    Draws,
    equal_bits,
    meet_1x1,
    meet_1x3,
    meet_3x1,
    meet_3x3,
    words_for,
)

LEVEL_BITS = 6
MAX_TABULATED = 1 << LEVEL_BITS
_SHORT_LIST = 8
_PADDING = 255
_FIXED_BITS = 61


class Tables(NamedTuple):
    """c·ln c for c = 0..n in fixed point, and nats per unit / n."""

    value: NDArray[np.int64]
    unit: float


class Encoded(NamedTuple):
    """The columns of one resample; dense levels have the codes 0..n_dense - 1.

    `listed` holds for a column of few levels the places in listed levels, as place * 64 + level and
    in ascending order, which is kind to the caches; for a column of many levels all places level by
    level, each level after its size.
    """

    codes: NDArray[np.unsignedinteger[Any]]  # flat, by place, as many for each column
    masks: NDArray[np.uint64]  # flat
    mask_start: NDArray[np.int64]  # (n_columns,)
    n_levels: NDArray[np.int64]  # (n_columns,)
    n_dense: NDArray[np.int64]  # (n_columns,)
    dense_counts: NDArray[np.int64]  # (n_columns, most dense levels)
    listed: NDArray[np.int64]  # flat
    list_start: NDArray[np.int64]  # (n_columns,)
    list_stop: NDArray[np.int64]  # (n_columns,)
    level_sums: NDArray[np.int64]  # (n_columns,) sum of value[count] over the levels
    counter: NDArray[np.int64]  # (most levels,), all zero between calls
    cells: NDArray[np.int64]  # flat scratch for one table of dense cells
    renamed: NDArray[np.int64]  # (most levels,) scratch


@kernel
def log_table(n_draws: int) -> Tables:
    """The tables for resamples of `n_draws`, scaled so that the largest entry has 61 bits."""
    largest = max(n_draws * np.log(n_draws), 1.0)
    scale = 2.0 ** (_FIXED_BITS - np.ceil(np.log2(largest)))
    value = np.zeros(n_draws + 1, dtype=np.int64)
    for count in range(2, n_draws + 1):
        value[count] = np.int64(np.rint(count * np.log(count) * scale))
    return Tables(value, 1.0 / (scale * n_draws))


@kernel
def allocate(
    n_draws: int, n_codes: NDArray[np.int64], like: NDArray[np.unsignedinteger[Any]]
) -> Encoded:
    """Room for the columns of resamples of up to `n_draws`.

    `n_codes` bounds the codes of each column; `like` is an empty array of the type of the codes.
    Pages that are never written cost no memory, so the bounds may be generous.
    """
    n_columns = n_codes.shape[0]
    n_words = words_for(n_draws)
    most = int(n_codes.max())
    dense_rows = 0
    listed_draws = 0
    list_start = np.empty(n_columns, dtype=np.int64)
    for j in range(n_columns):
        list_start[j] = listed_draws
        dense_rows += min(n_codes[j], MAX_TABULATED)
        if n_codes[j] > MAX_TABULATED:
            listed_draws += 2 * n_draws
        else:
            listed_draws += n_codes[j] * _longest_list(n_words)
    most_dense = min(most, MAX_TABULATED)
    codes = np.empty(n_columns * n_words * WORD_BITS, dtype=like.dtype)
    return Encoded(
        codes,
        np.empty(dense_rows * n_words, dtype=np.uint64),
        np.zeros(n_columns, dtype=np.int64),
        np.zeros(n_columns, dtype=np.int64),
        np.zeros(n_columns, dtype=np.int64),
        np.zeros((n_columns, most_dense), dtype=np.int64),
        np.empty(listed_draws, dtype=np.int64),
        list_start,
        np.zeros(n_columns, dtype=np.int64),
        np.zeros(n_columns, dtype=np.int64),
        np.zeros(most + 1, dtype=np.int64),
        np.empty(most_dense * most_dense, dtype=np.int64),
        np.empty(most + 1, dtype=np.int64),
    )


@kernel(inline="always")
def _longest_list(n_words: int) -> int:
    return max(n_words // 2, _SHORT_LIST)


@kernel
def encode(
    encoded: Encoded,
    j: int,
    first_word: int,
    row_codes: NDArray[np.uint32],
    n_codes: int,
    weights: NDArray[np.uint16],
    draws: Draws,
    tables: Tables,
) -> int:
    """Fill in column `j` from the codes of the rows; return the first free word of the masks."""
    counts = encoded.counter
    renamed = encoded.renamed
    stride = encoded.codes.shape[0] // encoded.n_levels.shape[0]
    n_words = draws.n_words
    for row in range(weights.shape[0]):
        counts[row_codes[row]] += weights[row]
    n_levels = 0
    level_sum = 0
    for code in range(n_codes):
        n_levels += 1 if counts[code] > 0 else 0
        level_sum += tables.value[counts[code]]
    longest = _longest_list(n_words) if n_levels <= MAX_TABULATED else tables.value.shape[0]
    n_dense = 0
    for code in range(n_codes):
        if counts[code] > longest:
            encoded.dense_counts[j, n_dense] = counts[code]
            renamed[code] = n_dense
            n_dense += 1
    next_listed = n_dense
    for code in range(n_codes):
        if 0 < counts[code] <= longest:
            renamed[code] = next_listed
            next_listed += 1
    encoded.n_levels[j] = n_levels
    encoded.n_dense[j] = n_dense
    encoded.level_sums[j] = level_sum
    codes = encoded.codes[j * stride : j * stride + n_words * WORD_BITS]
    gap = draws.first_double - draws.n_single
    for k in range(draws.n_single):
        codes[k] = renamed[row_codes[draws.rows[k]]]
    codes[draws.n_single : draws.first_double] = _PADDING
    for k in range(draws.n_single, draws.rows.shape[0]):
        codes[gap + k] = renamed[row_codes[draws.rows[k]]]
    codes[gap + draws.rows.shape[0] :] = _PADDING
    stop = encoded.list_start[j]
    if n_levels > MAX_TABULATED:
        stop = _list_by_level(encoded.listed, stop, codes, draws, n_levels, renamed)
    elif n_levels > n_dense:
        stop = _list_few(encoded.listed, stop, codes, draws, n_dense)
    encoded.list_stop[j] = stop
    counts[:n_codes] = 0
    encoded.mask_start[j] = first_word
    for level in range(n_dense):
        for word in range(n_words):
            bits: np.uint64 = equal_bits(codes, word * WORD_BITS, level)  # type: ignore[call-arg]
            encoded.masks[first_word + word] = bits
        first_word += n_words
    return first_word


@kernel
def _list_few(
    listed: NDArray[np.int64],
    stop: int,
    codes: NDArray[np.unsignedinteger[Any]],
    draws: Draws,
    n_dense: int,
) -> int:
    """List the places whose level is not dense, with their levels; return the end of the list."""
    gap = draws.first_double - draws.n_single
    for k in range(draws.rows.shape[0]):
        place = k if k < draws.n_single else gap + k
        if codes[place] >= n_dense:
            listed[stop] = (place << LEVEL_BITS) + codes[place]
            stop += 1
    return stop


@kernel
def _list_by_level(
    listed: NDArray[np.int64],
    stop: int,
    codes: NDArray[np.unsignedinteger[Any]],
    draws: Draws,
    n_levels: int,
    free: NDArray[np.int64],
) -> int:
    """List all places level by level, each level after its size; return the end of the list."""
    gap = draws.first_double - draws.n_single
    free[:n_levels] = 0
    for k in range(draws.rows.shape[0]):
        free[codes[k if k < draws.n_single else gap + k]] += 1
    for level in range(n_levels):
        size = free[level]
        listed[stop] = size
        free[level] = stop + 1
        stop += size + 1
    for k in range(draws.rows.shape[0]):
        place = k if k < draws.n_single else gap + k
        listed[free[codes[place]]] = place
        free[codes[place]] += 1
    return stop


@kernel(inline="always")
def _walk(
    listed: NDArray[np.int64],
    start: int,
    stop: int,
    codes: NDArray[np.unsignedinteger[Any]],
    other: int,
    first_double: int,
    value: NDArray[np.int64],
    counter: NDArray[np.int64],
) -> int:
    """Sum over the cells of two columns, by the lists of one and the codes of the other.

    The lists are ``listed[start:stop]``, the codes start at ``codes[other]``.  Takes a time in
    proportion to the draws, whatever the number of levels.
    """
    total = 0
    k = start
    while k < stop:
        first = k + 1
        k = first + listed[k]
        for i in range(first, k):
            level = np.int64(codes[other + listed[i]])
            before = counter[level]
            after = before + (1 if listed[i] < first_double else 2)
            total += value[after] - value[before]
            counter[level] = after
        for i in range(first, k):
            counter[np.int64(codes[other + listed[i]])] = 0
    return total


@kernel(inline="always")
def _meet_dense(
    masks: NDArray[np.uint64],
    first: int,
    second: int,
    rows: int,
    columns: int,
    n_words: int,
    n_single: int,
    cells: NDArray[np.int64],
    stride: int,
) -> None:
    """Counts of `rows` by `columns` cells whose masks start at the words `first` and `second`.

    Cell (i, k) goes to ``cells[i * stride + k]``.
    """
    tiled_rows = rows - rows % TILE
    tiled_columns = columns - columns % TILE
    for i in range(0, tiled_rows, TILE):
        a = first + i * n_words
        for k in range(0, tiled_columns, TILE):
            meet_3x3(
                masks, a, second + k * n_words, n_words, n_single, cells, i * stride + k, stride
            )
        for k in range(tiled_columns, columns):
            meet_3x1(
                masks, a, second + k * n_words, n_words, n_single, cells, i * stride + k, stride
            )
    for i in range(tiled_rows, rows):
        a = first + i * n_words
        for k in range(0, tiled_columns, TILE):
            meet_1x3(
                masks, a, second + k * n_words, n_words, n_single, cells, i * stride + k, stride
            )
        for k in range(tiled_columns, columns):
            meet_1x1(
                masks, a, second + k * n_words, n_words, n_single, cells, i * stride + k, stride
            )


@kernel(inline="always")
def _scatter(
    listed: NDArray[np.int64],
    start: int,
    stop: int,
    codes: NDArray[np.unsignedinteger[Any]],
    other: int,
    first_double: int,
    n_levels: int,
    cells: NDArray[np.int64],
    along: int,
    across: int,
) -> None:
    """Count listed places into a table, where the other column's code is below `n_levels`.

    The level of the listing column counts in steps of `along`, that of the other of `across`.
    """
    for k in range(start, stop):
        place = listed[k] >> LEVEL_BITS
        level = np.int64(codes[other + place])
        weight = 1 if place < first_double else 2
        cell = (listed[k] & (MAX_TABULATED - 1)) * along + level * across
        cells[cell] += weight if level < n_levels else 0


@kernel(inline="always")
def _complete(
    cells: NDArray[np.int64],
    rows: int,
    columns: int,
    dense_a: int,
    dense_b: int,
    counts: NDArray[np.int64],
    a: int,
    b: int,
) -> None:
    """Fill in the last dense row and column, which follow from the counts of the dense levels."""
    for i in range(dense_a - 1):
        rest = counts[a, i]
        for k in range(columns):
            rest -= cells[i * columns + k]
        cells[i * columns + dense_b - 1] = rest
    for k in range(dense_b):
        rest = counts[b, k]
        for i in range(dense_a - 1):
            rest -= cells[i * columns + k]
        for i in range(dense_a, rows):
            rest -= cells[i * columns + k]
        cells[(dense_a - 1) * columns + k] = rest


@kernel(inline="always")
def information(
    known: tuple[int, int, int], level_sum: int, n_levels: int, total: int, tables: Tables
) -> float:
    """Mutual information (nats) of two columns from their sums of c·ln c.

    `known` holds that of a column with one level and, of the first column, that over its levels and their
    number; `total` is the sum over the cells.  A value within the rounding of the logarithms is 0.
    """
    whole, own, own_levels = known
    excess = whole - own - level_sum + total
    n_cells = min(own_levels * n_levels, tables.value.shape[0])
    return excess * tables.unit if excess > (whole >> 50) + 2 * n_cells else 0.0


@kernel
def add_information(
    encoded: Encoded,
    draws: Draws,
    a: int,
    wanted: NDArray[np.bool_],
    tables: Tables,
    sums: Floats,
) -> None:
    """Add the mutual information (nats) of column `a` with each wanted column b to ``sums[b]``.

    Pairs with few cells are counted into a table, the others by walking the lists.  One call serves
    all columns because handing over the arrays costs more than a small pair.
    """
    codes, masks, listed = encoded.codes, encoded.masks, encoded.listed
    mask_start, list_start, list_stop = encoded.mask_start, encoded.list_start, encoded.list_stop
    n_levels, n_dense, dense_counts = encoded.n_levels, encoded.n_dense, encoded.dense_counts
    counter, cells, level_sums = encoded.counter, encoded.cells, encoded.level_sums
    value = tables.value
    width = codes.shape[0] // n_levels.shape[0]
    n_words, first_double = draws.n_words, draws.first_double
    n_single = first_double // WORD_BITS
    whole = value[value.shape[0] - 1]
    levels_a, dense_a = n_levels[a], n_dense[a]
    for b in range(wanted.shape[0]):
        levels_b, dense_b = n_levels[b], n_dense[b]
        if not wanted[b] or levels_a <= 1 or levels_b <= 1:
            continue
        if levels_a > MAX_TABULATED or levels_b > MAX_TABULATED:
            more, fewer = (a, b) if levels_a > levels_b else (b, a)
            total = _walk(
                listed, list_start[more], list_stop[more], codes, fewer * width, first_double,
                value, counter,
            )  # fmt: skip
        else:
            size = levels_a * levels_b
            cells[:size] = 0
            if dense_a > 0 and dense_b > 0:
                _meet_dense(
                    masks, mask_start[a], mask_start[b], dense_a - 1, dense_b - 1, n_words,
                    n_single, cells, levels_b,
                )  # fmt: skip
            _scatter(
                listed, list_start[a], list_stop[a], codes, b * width, first_double,
                levels_b, cells, levels_b, 1,
            )  # fmt: skip
            _scatter(
                listed, list_start[b], list_stop[b], codes, a * width, first_double,
                dense_a, cells, 1, levels_b,
            )  # fmt: skip
            if dense_a > 0 and dense_b > 0:
                _complete(cells, levels_a, levels_b, dense_a, dense_b, dense_counts, a, b)
            total = 0
            for cell in range(size):
                total += value[cells[cell]]
        sums[b] += information(
            (whole, level_sums[a], levels_a), level_sums[b], levels_b, total, tables
        )

"""Mutual information of coded columns within one resample, exact in its counts.

Every draw of the resample has a place.  A level of a column is *dense*, a bit mask over the places,
or *listed*, the list of its places.  Dense levels meet by AND and popcount; a listed level looks up
the other column's codes at its places, which is cheaper for few draws.  All levels of a column with
more than `MAX_TABULATED` are listed; its pairs are counted by walking its lists, in O(n) time and
memory, any other pair in a table of at most `MAX_TABULATED` squared cells.

Sums of c·ln c are 64-bit fixed point: their order does not matter, so the result is the same bit for
bit whichever way cells were counted, and columns equal up to the names of their levels tie exactly.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.cpython.unsafe.numbers import trailing_zeros
from numba.extending import intrinsic

from pyfsagg._base.arithmetic import Integers
from pyfsagg._kernels import Bits, Codes, Unsigned, Weights, Words, kernel

WORD_BITS = 64
LANES = 8
TILE = 3
"""Side of the big tile: nine sums in registers per six loads, the best of the shapes tried."""

_WORD = ir.IntType(64)
_INDEX = ir.IntType(32)
_VECTOR = ir.VectorType(_WORD, LANES)
_ZEROS = ir.Constant(_VECTOR, [0] * LANES)


def _data(context: Any, builder: Any, array_type: Any, value: Any) -> Any:
    return context.make_array(array_type)(context, builder, value).data


def _lane_sums(builder: Any, vectors: list[Any]) -> Any:
    """One vector that holds the sum of the lanes of each of up to `LANES` vectors, by sums of neighbours."""
    places = ir.VectorType(_INDEX, LANES)
    even, odd = (ir.Constant(places, [*range(first, 2 * LANES, 2)]) for first in (0, 1))
    level = vectors + [_ZEROS] * (LANES - len(vectors))
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=True)
        halves = [[builder.shuffle_vector(*pair, of) for of in (even, odd)] for pair in pairs]
        level = [builder.add(*each) for each in halves]
    return level[0]


def _meet(rows: int, columns: int) -> Callable[..., Any]:
    """An intrinsic that counts the intersections of `rows` masks with `columns` masks. ``meet(masks, first,
    second, n_words, n_single, out, place, stride)``: the masks of the two sides follow each other from the
    words `first` and `second`; the bits of their first `n_single` words count once, others twice; (i, j) goes
    to ``out[place + i * stride + j]`` (int64)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _, first, second, n_words, n_single, _, place, stride = arguments
        data = _data(context, builder, signature.args[0], arguments[0])
        out = _data(context, builder, signature.args[5], arguments[5])
        popcount = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            builder.module, ir.FunctionType(_VECTOR, [_VECTOR]), f"llvm.ctpop.v{LANES}i64"
        )

        def shifted(start: Any, number: int, step: Any) -> Any:
            return builder.add(start, builder.mul(step, ir.Constant(_WORD, number)))

        def words(start: Any, position: Any) -> Any:
            pointer = builder.gep(data, [builder.add(start, position)])
            return builder.load(builder.bitcast(pointer, _VECTOR.as_pointer()), align=8)

        cells = [(i, j) for i in range(rows) for j in range(columns)]
        sums = {
            cell: cgutils.alloca_once_value(builder, _ZEROS)  # type: ignore[no-untyped-call]
            for cell in cells
        }
        left = [shifted(first, i, n_words) for i in range(rows)]
        right = [shifted(second, j, n_words) for j in range(columns)]

        def count_words(start: Any, stop: Any) -> None:
            step = ir.Constant(_WORD, LANES)
            with cgutils.for_range_slice(builder, start, stop, step, _WORD) as (position, _):
                a = [words(first_word, position) for first_word in left]
                b = [words(first_word, position) for first_word in right]
                for i, j in cells:
                    both = builder.call(popcount, [builder.and_(a[i], b[j])])
                    builder.store(builder.add(builder.load(sums[i, j]), both), sums[i, j])

        count_words(n_single, n_words)
        for total in sums.values():
            builder.store(builder.add(builder.load(total), builder.load(total)), total)
        count_words(ir.Constant(_WORD, 0), n_single)
        for start in range(0, len(cells), LANES):
            group = cells[start : start + LANES]
            counts = _lane_sums(builder, [builder.load(sums[cell]) for cell in group])
            for lane, (i, j) in enumerate(group):
                target = builder.add(shifted(place, i, stride), ir.Constant(_WORD, j))
                count = builder.extract_element(counts, ir.Constant(_INDEX, lane))
                builder.store(count, builder.gep(out, [target]))
        return context.get_dummy_value()

    def typer(
        typingctx: Any, masks: Any, first: Any, second: Any, n_words: Any, n_single: Any,
        out: Any, place: Any, stride: Any,
    ) -> tuple[Any, Any]:  # fmt: skip
        word = types.int64
        return types.void(masks, word, word, word, word, out, word, word), generate

    typer.__name__ = f"meet_{rows}x{columns}"
    typer.__doc__ = _meet.__doc__
    return intrinsic(typer)


meet_1x1 = _meet(1, 1)
meet_1x3 = _meet(1, TILE)
meet_3x1 = _meet(TILE, 1)
meet_3x3 = _meet(TILE, TILE)


@intrinsic
def equal_bits(typingctx: Any, codes: Any, position: Any, level: Any) -> tuple[Any, Any]:
    """The 64 comparisons ``codes[position + k] == level`` as the bits of one word; `level` fits the type."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = _data(context, builder, signature.args[0], arguments[0])
        element = ir.IntType(signature.args[0].dtype.bitwidth)
        wide = ir.VectorType(element, WORD_BITS)
        pointer = builder.bitcast(builder.gep(data, [arguments[1]]), wide.as_pointer())
        block = builder.load(pointer, align=1)
        level_of_type = builder.trunc(arguments[2], element)
        one = builder.insert_element(
            ir.Constant(wide, ir.Undefined), level_of_type, ir.Constant(_INDEX, 0)
        )
        first = ir.Constant(ir.VectorType(_INDEX, WORD_BITS), [0] * WORD_BITS)
        same = builder.icmp_unsigned("==", block, builder.shuffle_vector(one, one, first))
        return builder.bitcast(same, _WORD)

    return types.uint64(codes, types.int64, types.int64), generate


BLOCK = 64
"""Columns whose codes of one row lie side by side in bytes, so one instruction compares them all."""


@intrinsic
def count_equal(
    typingctx: Any, codes: Any, places: Any, times: Any, first: Any, last: Any,
    wanted: Any, start: Any, out: Any, number: Any,
) -> tuple[Any, Any]:  # fmt: skip
    """For each column of a block: how often rows ``first..last - 1`` have its code of ``wanted[start:]``. The
    codes of row i start at ``codes[places[i]]``; it counts ``times[i]`` times. The sums go to ``out[number *
    BLOCK]`` and what follows; bytes must hold them."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first, last, start, number = (arguments[k] for k in (3, 4, 6, 8))
        data, rows, counts, wanted, out = (
            _data(context, builder, signature.args[k], arguments[k]) for k in (0, 1, 2, 5, 7)
        )
        block = ir.VectorType(ir.IntType(8), BLOCK)
        zeros = ir.Constant(block, [0] * BLOCK)

        def block_at(array: Any, place: Any) -> Any:
            return builder.bitcast(builder.gep(array, [place]), block.as_pointer())

        sought = builder.load(block_at(wanted, start), align=1)
        total = cgutils.alloca_once_value(builder, zeros)  # type: ignore[no-untyped-call]
        step = ir.Constant(_WORD, 1)
        with cgutils.for_range_slice(builder, first, last, step, _WORD) as (row, _):
            one = builder.insert_element(
                zeros, builder.load(builder.gep(counts, [row])), ir.Constant(_INDEX, 0)
            )
            everywhere = ir.Constant(ir.VectorType(_INDEX, BLOCK), [0] * BLOCK)
            draws = builder.shuffle_vector(one, zeros, everywhere)
            found = builder.load(block_at(data, builder.load(builder.gep(rows, [row]))), align=1)
            same = builder.icmp_unsigned("==", found, sought)
            more = builder.select(same, draws, zeros)
            builder.store(builder.add(builder.load(total), more), total)
        place = builder.mul(number, ir.Constant(_WORD, BLOCK))
        builder.store(builder.load(total), block_at(out, place), align=1)
        return context.get_dummy_value()

    word = types.int64
    return types.void(codes, places, times, word, word, wanted, word, out, word), generate


_VECTOR_BITS = WORD_BITS * LANES


class Draws(NamedTuple):
    """Rows by place: ``rows[:n_single]`` at the places from 0 count one draw, those from `first_double` two.
    Both parts are filled up to whole vectors."""

    rows: Codes
    n_single: int
    first_double: int
    n_words: int


@kernel
def words_for(n_places: int) -> int:
    """Words of a mask of this many places, in whole vectors."""
    return -(-n_places // _VECTOR_BITS) * LANES


@kernel
def place_draws(weights: Weights) -> Draws:
    """Places for the draws of a resample, with as few words as two parts allow."""
    total = 0
    most_double = 0
    for weight in weights:
        total += int(np.int64(weight))
        most_double += int(np.int64(weight)) >> 1
    n_double = 0
    fewest = words_for(total)
    for size in (most_double // _VECTOR_BITS * _VECTOR_BITS, most_double):
        words = words_for(total - 2 * size) + words_for(size)
        if words < fewest:
            n_double, fewest = size, words
    n_single = total - 2 * n_double
    rows = np.empty(n_single + n_double, dtype=np.int32)
    single, double = 0, n_single
    for row in range(weights.shape[0]):
        left = int(np.int64(weights[row]))
        while left >= 2 and double < rows.shape[0]:
            rows[double] = row
            double += 1
            left -= 2
        for _ in range(left):
            rows[single] = row
            single += 1
    return Draws(rows, n_single, words_for(n_single) * WORD_BITS, fewest)


LEVEL_BITS = 6
MAX_TABULATED = 1 << LEVEL_BITS
COUNTERS = 4
"""Numbers that a level is counted in by turns: a row need not wait for the sum of the one before it."""
_SHORT_LIST = 8
_PADDING = 255
_FIXED_BITS = 61


class Tables(NamedTuple):
    """c·ln c for c = 0..n in fixed point, and nats per unit / n."""

    value: Integers
    unit: float


class Encoded(NamedTuple):
    """The columns of one resample; dense levels have the codes 0..n_dense - 1. `listed` holds place * 64 +
    level in ascending order, which is kind to the caches; for a column of many levels all places level by
    level, each level after its size."""

    codes: Unsigned  # flat, by place, as many for each column
    masks: Bits  # flat
    mask_start: Integers  # (n_columns,)
    n_levels: Integers  # (n_columns,)
    n_dense: Integers  # (n_columns,)
    dense_counts: Integers  # (n_columns, most dense levels)
    listed: Integers  # flat
    list_start: Integers  # (n_columns,)
    list_stop: Integers  # (n_columns,)
    level_sums: Integers  # (n_columns,) sum of value[count] over the levels
    counter: Integers  # (COUNTERS * most levels,), all zero between calls
    cells: Integers  # flat scratch for one table of dense cells
    renamed: Integers  # (most levels,) scratch
    parent: Integers  # (n_columns, most dense levels), of a joint column its level of the first


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
def allocate(n_draws: int, n_codes: Integers, like: Unsigned) -> Encoded:
    """Room for columns of up to `n_draws` with codes below `n_codes`, of the type of the array `like`. Pages
    that are never written cost no memory, so the bounds may be generous."""
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
        np.zeros(COUNTERS * (most + 1), dtype=np.int64),
        np.empty(most_dense * most_dense, dtype=np.int64),
        np.empty(most + 1, dtype=np.int64),
        np.zeros((n_columns, most_dense), dtype=np.int64),
    )


@kernel(inline="always")
def _longest_list(n_words: int) -> int:
    return max(n_words // 2, _SHORT_LIST)


@kernel
def encode(
    encoded: Encoded,
    j: int,
    first_word: int,
    row_codes: Words,
    n_codes: int,
    weights: Weights,
    draws: Draws,
    tables: Tables,
) -> int:
    """Fill in column `j` from the codes of the rows; return the first free word of the masks."""
    counts = encoded.counter
    renamed = encoded.renamed
    stride = encoded.codes.shape[0] // encoded.n_levels.shape[0]
    n_words = draws.n_words
    for row in range(weights.shape[0]):
        counts[np.uint64(row_codes[row] * COUNTERS + row % COUNTERS)] += np.int64(weights[row])
    n_levels = 0
    level_sum = 0
    for code in range(n_codes):
        counts[code] = counts[code * COUNTERS : (code + 1) * COUNTERS].sum()
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
    counts[: n_codes * COUNTERS] = 0
    masks = encoded.masks[first_word : first_word + n_dense * n_words]
    encoded.mask_start[j] = first_word
    for level in range(n_dense):
        for word in range(n_words):
            bits: np.uint64 = equal_bits(codes, word * WORD_BITS, level)  # type: ignore[call-arg]
            masks[level * n_words + word] = bits
    stop = encoded.list_start[j]
    if n_levels > MAX_TABULATED:
        stop = _list_by_level(encoded.listed, stop, codes, draws, n_levels, renamed)
    elif n_levels > n_dense:
        stop = _list_few(encoded.listed, stop, codes, masks, n_words)
    encoded.list_stop[j] = stop
    return first_word + n_dense * n_words


@kernel
def _list_few(listed: Integers, stop: int, codes: Unsigned, masks: Bits, n_words: int) -> int:
    """List the places whose level is not dense, with their levels; return the end of the list."""
    for word in range(n_words):
        dense = np.uint64(0)
        for mask in range(word, masks.shape[0], n_words):
            dense |= masks[mask]
        left = ~dense
        while left != 0:
            place = np.int64(word * WORD_BITS) + np.int64(trailing_zeros(left))  # type: ignore[call-arg]
            left &= left - np.uint64(1)
            if codes[place] < MAX_TABULATED:  # not what fills up a part
                listed[stop] = (place << LEVEL_BITS) + codes[place]
                stop += 1
    return stop


@kernel
def _list_by_level(
    listed: Integers, stop: int, codes: Unsigned, draws: Draws, n_levels: int, free: Integers
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
    listed: Integers,
    start: int,
    stop: int,
    codes: Unsigned,
    other: int,
    first_double: int,
    value: Integers,
    counter: Integers,
) -> int:
    """Sum over the cells of ``listed[start:stop]`` and the codes from ``codes[other]``, in O(draws)."""
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
    masks: Bits,
    first: int,
    second: int,
    rows: int,
    columns: int,
    n_words: int,
    n_single: int,
    cells: Integers,
    stride: int,
) -> None:
    """Counts of cells whose masks start at `first` and `second`, to ``cells[i * stride + k]``."""
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
    listed: Integers,
    start: int,
    stop: int,
    codes: Unsigned,
    other: int,
    first_double: int,
    n_levels: int,
    cells: Integers,
    along: int,
    across: int,
) -> None:
    """Count listed places by level (steps of `along`) and other code below `n_levels` (of `across`)."""
    for k in range(start, stop):
        place = listed[k] >> LEVEL_BITS
        level = np.int64(codes[other + place])
        weight = 1 if place < first_double else 2
        cell = (listed[k] & (MAX_TABULATED - 1)) * along + level * across
        cells[cell] += weight if level < n_levels else 0


@kernel(inline="always")
def _complete(
    cells: Integers,
    rows: int,
    columns: int,
    dense_a: int,
    dense_b: int,
    counts: Integers,
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


@kernel
def nats(excess: int, n_cells: int, tables: Tables) -> float:
    """A mutual information in nats, from fixed point; 0 within the rounding of `n_cells` logarithms."""
    value = tables.value
    least = (value[-1] >> 50) + 2 * min(n_cells, value.shape[0])
    return excess * tables.unit if excess > least else 0.0


@kernel
def write_information(
    encoded: Encoded,
    draws: Draws,
    a: int,
    others: Integers,
    tables: Tables,
    found: Integers,
    w: int,
    of_first: Integers,
) -> None:
    """Write the mutual information (fixed point) of column `a` with columns b to ``found[b]``. If `a`, of few
    levels, joins column `w` with another one, that of `w` goes to ``of_first[b]``; otherwise `w` is -1. One
    call serves all columns because handing over the arrays costs more than a small pair."""
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
    levels_w = n_levels[w] if w >= 0 else 0
    merged = np.empty(levels_w * MAX_TABULATED, dtype=np.int64)
    for b in others:
        levels_b, dense_b = n_levels[b], n_dense[b]
        of_w = level_sums[w] + level_sums[b] - whole if w >= 0 else 0
        if levels_a <= 1 or levels_b <= 1:
            total = level_sums[a] + level_sums[b] - whole
        elif levels_a > MAX_TABULATED or levels_b > MAX_TABULATED:
            more, fewer = (a, b) if levels_a > levels_b else (b, a)
            total = _walk(
                listed, list_start[more], list_stop[more], codes, fewer * width, first_double,
                value, counter,
            )  # fmt: skip
            if w >= 0:  # it is b that has many levels
                of_w = _walk(
                    listed,
                    list_start[b],
                    list_stop[b],
                    codes,
                    w * width,
                    first_double,
                    value,
                    counter,
                )
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
            if w >= 0:
                # The rows of the levels that are one of column w are added up.
                joined, of_w = encoded.parent[a], 0
                merged[: levels_w * levels_b] = 0
                for row in range(levels_a):
                    first = joined[row] * levels_b
                    for k in range(levels_b):
                        merged[first + k] += cells[row * levels_b + k]
                for cell in range(levels_w * levels_b):
                    of_w += value[merged[cell]]
        found[b] = whole - level_sums[a] - level_sums[b] + total
        if w >= 0:
            of_first[b] = whole - level_sums[w] - level_sums[b] + of_w

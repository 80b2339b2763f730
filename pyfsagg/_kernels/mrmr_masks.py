"""Bit masks over the draws of a resample, and counts of their intersections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from pyfsagg._kernels import kernel

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


def _pairwise_sums(builder: Any, left: Any, right: Any) -> Any:
    """Sums of neighbours: of `left` in the lower half of the result, of `right` in the upper."""
    places = ir.VectorType(_INDEX, LANES)
    even, odd = (ir.Constant(places, [*range(first, 2 * LANES, 2)]) for first in (0, 1))
    return builder.add(
        builder.shuffle_vector(left, right, even), builder.shuffle_vector(left, right, odd)
    )


def _lane_sums(builder: Any, vectors: list[Any]) -> Any:
    """One vector that holds the sum of the lanes of each of up to `LANES` vectors."""
    level = vectors + [_ZEROS] * (LANES - len(vectors))
    while len(level) > 1:
        level = [_pairwise_sums(builder, *level[k : k + 2]) for k in range(0, len(level), 2)]
    return level[0]


def _meet(rows: int, columns: int) -> Callable[..., Any]:
    """An intrinsic that counts the intersections of `rows` masks with `columns` masks.

    ``meet(masks, first, second, n_words, n_single, out, place, stride)``: `masks` is the flat array
    of words; the masks of one side follow each other from word `first`, those of the other from
    word `second`; the bits of the first `n_single` words of a mask count once, those of the others
    twice; the count of (i, j) goes to ``out[place + i * stride + j]`` (int64).
    """

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
    """The 64 comparisons ``codes[position + k] == level`` as the bits of one word.

    `codes` is a one-dimensional contiguous array of integers, in whose type `level` fits.
    """

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


_VECTOR_BITS = WORD_BITS * LANES


class Draws(NamedTuple):
    """Rows by place: ``rows[:n_single]`` at the places from 0, the rest from `first_double`.

    A place below `first_double` counts one draw of its row, the others count two.  Both parts are
    filled up to whole vectors.
    """

    rows: NDArray[np.int32]
    n_single: int
    first_double: int
    n_words: int


@kernel
def words_for(n_places: int) -> int:
    """Words of a mask of so many places, in whole vectors."""
    return -(-n_places // _VECTOR_BITS) * LANES


@kernel
def place_draws(weights: NDArray[np.uint16]) -> Draws:
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

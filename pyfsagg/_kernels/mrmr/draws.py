"""The places that the draws of a resample have in the bit masks.

A bootstrap draws many rows more than once.  A place of the second part of the masks counts two
draws of a row, which shortens the masks of a bootstrap by a quarter; where no row is drawn twice
there is no second part.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pyfsagg._kernels.mrmr.popcount import LANES, WORD_BITS

__all__ = ["Draws", "place_draws", "words_for"]

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


@njit(cache=True, nogil=True)
def words_for(n_places: int) -> int:
    """Words of a mask of so many places, in whole vectors."""
    return -(-n_places // _VECTOR_BITS) * LANES


@njit(cache=True, nogil=True)
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

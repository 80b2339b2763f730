"""Ranks of the rows of a matrix."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pyfsagg._base.types import Floats

__all__ = ["tied_ranks"]


@njit(cache=True, nogil=True)
def tied_ranks(values: Floats, order: NDArray[np.intp], place: float) -> Floats:
    """Ascending ranks of each row; `order` is the argsort of each row.

    Equal values that share the ranks from a to b have rank a + place (b - a): 0 for the lowest of
    them, 0.5 for their mean, 1 for the highest.  NaN, which sorts last, keeps rank NaN.
    """
    n_rows, n_columns = values.shape
    ranks = np.empty((n_rows, n_columns))
    for i in range(n_rows):
        start = 0
        while start < n_columns:
            stop = start + 1
            value = values[i, order[i, start]]
            while stop < n_columns and values[i, order[i, stop]] == value:
                stop += 1
            rank = np.nan if np.isnan(value) else start + 1.0 + place * (stop - start - 1)
            for position in range(start, stop):
                ranks[i, order[i, position]] = rank
            start = stop
    return ranks

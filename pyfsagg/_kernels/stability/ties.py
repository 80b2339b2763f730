"""Random picks among the tied columns of every row."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pyfsagg._base.types import Floats

__all__ = ["pick_tied"]


@njit(cache=True, nogil=True)
def pick_tied(
    support: NDArray[np.bool_], tied: NDArray[np.bool_], room: NDArray[np.int64], draws: Floats
) -> None:
    """Set `room[i]` of the cells that are tied in row i, each subset equally likely, in `support`.

    `draws` holds one number of [0, 1) for each cell that is set (a partial Fisher-Yates shuffle).
    """
    m, p = tied.shape
    columns = np.empty(p, dtype=np.int64)
    used = 0
    for i in range(m):
        if room[i] == 0:
            continue
        n = 0
        for j in range(p):
            if tied[i, j]:
                columns[n] = j
                n += 1
        for s in range(room[i]):
            other = s + int(draws[used] * (n - s))
            used += 1
            column = columns[other]
            columns[other] = columns[s]
            columns[s] = column
            support[i, column] = True

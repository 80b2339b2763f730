"""What the halves of complementary pairs select."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.blocks import row_blocks
from pyfsagg._base.checks import as_array, check_integer
from pyfsagg.exceptions import DataError

__all__ = ["selection_frequency"]


def selection_frequency(scores: ArrayLike, q: int) -> NDArray[np.float64]:
    """Share of halves in which each feature is among the best q.

    A feature is selected if fewer than q others have a score as high or higher; where a tie crosses
    the cut, none of the tied features is.  So the order of the columns does not matter, and at most q
    are selected.

    Parameters
    ----------
    scores : array-like (M, p)
        Larger = more important; a missing one is the worst.
    q : int
        From 1 to p.

    Returns
    -------
    ndarray (p,)
        Multiples of 1 / M.

    Raises
    ------
    DataError
        If the scores are not a matrix.
    ParameterError
        If q is out of range.

    Examples
    --------
    >>> selection_frequency([[3, 2, 1, 0], [3, 2, 2, 0]], 2)
    array([1. , 0.5, 0. , 0. ])
    """
    matrix = as_array("scores", scores, np.float64)
    if matrix.ndim != 2:
        raise DataError(f"scores must have the shape (halves, features), got {matrix.shape}")
    m, p = matrix.shape
    q = check_integer("q (features selected in each half)", q, low=1, high=p)
    counts = np.zeros(p, dtype=np.intp)
    for rows in row_blocks(matrix.shape):
        block = np.where(np.isnan(matrix[rows]), -np.inf, matrix[rows])
        if q == p:
            counts += (block > -np.inf).sum(axis=0)
            continue
        # The best score that is left out: what ties with it is left out too.
        cut = np.partition(block, p - q - 1, axis=1)[:, p - q - 1 : p - q]
        counts += (block > cut).sum(axis=0)
    return np.asarray(counts / m)

"""What the kernels read of a sparse table."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.types import Floats

__all__ = ["SortedPlaces"]


class SortedPlaces(NamedTuple):
    """The columns of a sparse table, each sorted once.

    A column has one place for every cell that is not zero and one for all zeros together, if there
    are any, by rising value; missing values come last, equal values in row order.

    Attributes
    ----------
    start : ndarray of int64, shape (n_features + 1,)
        The places of column j are those from ``start[j]`` up to ``start[j + 1]``.
    rows : ndarray of int32, shape (n_places,)
        Row of each place; n_samples for the zeros.
    values : ndarray of float64, shape (n_places,)
    n_known : ndarray of int64, shape (n_features,)
        Number of places that are not missing.
    tied : ndarray of bool, shape (n_features,)
        Whether some value occurs more than once.
    levels : ndarray of uint32, shape (n_places,)
        Position among the distinct values of the column, missing being the last of them.
    n_levels : ndarray of int64, shape (n_features,)
    """

    start: NDArray[np.int64]
    rows: NDArray[np.int32]
    values: Floats
    n_known: NDArray[np.int64]
    tied: NDArray[np.bool_]
    levels: NDArray[np.uint32]
    n_levels: NDArray[np.int64]

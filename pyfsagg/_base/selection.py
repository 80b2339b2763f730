"""How many features a threshold stands for."""

from __future__ import annotations

import math
from numbers import Integral

from pyfsagg._base.checks import check_integer, check_real

__all__ = ["n_selected", "size_of_share"]


def n_selected(threshold: float | int, n_features: int, name: str = "threshold") -> int:
    """Number of features that a count or a fraction (rounded up) stands for.

    Parameters
    ----------
    threshold : int or float
        A count from 1 to `n_features`, or a fraction above 0 and at most 1.
    n_features : int
    name : str
        What the parameter is called in messages.

    Raises
    ------
    ParameterError
        If `threshold` is out of range.

    Examples
    --------
    >>> n_selected(3, 10), n_selected(0.25, 10)
    (3, 3)
    """
    if isinstance(threshold, Integral) and not isinstance(threshold, bool):
        return check_integer(f"{name} (a number of features)", threshold, low=1, high=n_features)
    fraction = check_real(f"{name} (a fraction)", threshold, low=0.0, high=1.0, low_open=True)
    return size_of_share(fraction, n_features)


def size_of_share(share: float, size: int) -> int:
    """How many of `size` a share of them is, rounded up; at least one."""
    # 0.28 * 25 is 7.000000000000001 in binary; a number that is whole but for rounding stays whole.
    return max(1, math.ceil(round(share * size, 9)))

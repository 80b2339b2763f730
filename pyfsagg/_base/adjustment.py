"""P-values corrected for the number of tests: Bonferroni, Holm, Benjamini–Hochberg."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.checks import as_array, check_choice, check_integer
from pyfsagg.exceptions import DataError

__all__ = ["ADJUSTMENTS", "adjust_p_values"]

ADJUSTMENTS = ("bh", "holm", "bonferroni")


def adjust_p_values(
    p_values: ArrayLike, adjust: str, *, n: int | None = None
) -> NDArray[np.float64]:
    """Correct p-values for the number of tests, as R's ``p.adjust`` does.

    Parameters
    ----------
    p_values : array-like (k,)
        Each in [0, 1].  NaN is no test: it is not counted and stays NaN.
    adjust : {"bh", "holm", "bonferroni", "none"}
        Benjamini–Hochberg (false discovery rate), Holm or Bonferroni (family-wise error); "none"
        leaves the values as they are.
    n : int, optional
        How many tests there were in all, if more than are given: those that are left out count
        as p = 1.  The number of given values by default.

    Returns
    -------
    ndarray (k,)
        Adjusted p-values in [0, 1], in the order of `p_values`; equal ones stay equal.

    Raises
    ------
    DataError
        For a value outside [0, 1].
    ParameterError
        For an unknown `adjust`, or `n` below the number of values.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6; Benjamini and Hochberg (1995), JRSS B 57.

    Examples
    --------
    >>> adjust_p_values([0.01, 0.02, 0.04], "holm")
    array([0.03, 0.04, 0.04])
    >>> adjust_p_values([0.01, float("nan"), 0.04], "holm")
    array([0.02,  nan, 0.04])
    >>> adjust_p_values([0.01, 0.02, 0.04], "bonferroni", n=10)
    array([0.1, 0.2, 0.4])
    """
    check_choice("adjust", adjust, ("none", *ADJUSTMENTS))
    given = as_array("p_values", p_values, np.float64)
    outside = (given < 0.0) | (given > 1.0)
    if outside.any():
        raise DataError(
            f"a p-value is {given[outside][0]:g}; p-values lie from 0 to 1 (NaN = no test)"
        )
    known = ~np.isnan(given)
    p = given[known]
    n = p.size if n is None else check_integer("n", n, low=p.size)
    if adjust == "none" or p.size == 0:
        return given.copy()
    order = np.argsort(p, kind="stable")
    places = np.arange(1, p.size + 1)
    if adjust == "bonferroni":
        ordered = p[order] * n
    elif adjust == "holm":
        ordered = np.maximum.accumulate(p[order] * (n + 1 - places))
    else:
        # Tests that are left out have p = 1, come last, and lower nobody's value.
        ordered = np.minimum.accumulate((p[order] / (places / n))[::-1])[::-1]
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(ordered, 1.0)
    out = given.copy()
    out[known] = adjusted
    return out

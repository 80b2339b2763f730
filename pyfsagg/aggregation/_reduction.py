"""One value per item out of its values in the lists, absent ones left out, lists weighted or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from pyfsagg._base.types import Floats

__all__ = ["over_lists"]

How = Literal["mean", "median", "min", "max"]
_PLAIN: dict[str, tuple[Callable[..., Floats], Callable[..., Floats]]] = {
    "mean": (np.mean, np.nanmean),
    "median": (np.median, np.nanmedian),
    "min": (np.min, np.nanmin),
    "max": (np.max, np.nanmax),
}


def over_lists(values: Floats, how: How, weights: Floats | None = None) -> Floats:
    """Reduce (m, p) to (p,) over the lists; NaN is left out.

    With weights a mean is Σ w v / Σ w, and a median the value at which half of the weight is
    reached (halfway to the next one if it is reached exactly), as if a list of whole weight k
    were written k times; the smallest and largest value do not depend on weights.

    Examples
    --------
    >>> over_lists(np.array([[1.0, 4.0], [2.0, np.nan]]), "mean", np.array([3.0, 1.0]))
    array([1.25, 4.  ])
    """
    if weights is not None and how in ("mean", "median"):
        return (_weighted_mean if how == "mean" else _weighted_median)(values, weights)
    complete, with_missing = _PLAIN[how]
    result = complete(values, axis=0)
    if np.isnan(result).any():  # the slower form only where a NaN makes it necessary
        result = with_missing(values, axis=0)
    return np.asarray(result, dtype=np.float64)


def _sorted(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Values of each item in order, missing ones last, and the weight of each (0 where missing)."""
    order = np.argsort(values, axis=0, kind="stable")
    in_order = np.take_along_axis(values, order, axis=0)
    return in_order, np.where(np.isnan(in_order), 0.0, weights[order])


def _weighted_mean(values: Floats, weights: Floats) -> Floats:
    # Sorting first makes the floating sum independent of the order of the lists.
    in_order, counted = _sorted(values, weights)
    known = np.where(counted > 0, in_order, 0.0)
    return np.asarray((known * counted).sum(axis=0) / counted.sum(axis=0), dtype=np.float64)


def _weighted_median(values: Floats, weights: Floats) -> Floats:
    in_order, counted = _sorted(values, weights)
    reached = np.cumsum(counted, axis=0)
    half = 0.5 * reached[-1]
    slack = 1e-12 * reached[-1]  # a sum of fractions need not be its half to the last bit
    low = (reached >= half - slack).argmax(axis=0)[np.newaxis]
    high = (reached > half + slack).argmax(axis=0)[np.newaxis]
    middle = np.take_along_axis(in_order, low, 0) + np.take_along_axis(in_order, high, 0)
    return np.asarray(0.5 * middle[0], dtype=np.float64)

"""The largest tail that an r-concave distribution with a small mean can have.

Among the r-concave distributions on 0, 1/n, …, 1 with mean at most η, the one with the largest
P(X ≥ t) has probabilities proportional to (a + i)^(1/r) for i = 0, …, k, and what is left of its
mean at k + 1 (Shah and Samworth, 2013, appendix A.4).  For each a the mean settles k, so that one
number is left to be found.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar

__all__ = ["largest_tail"]

SPAN = (math.log(1e-5), math.log(1e5))
"""Where log a is looked for."""


@lru_cache(maxsize=2**14)
def largest_tail(mean: float, steps: int, n: int, r: float) -> float:
    """The largest P(X ≥ steps / n) of an r-concave X on 0, 1/n, …, 1 with mean at most `mean`.

    1, which says nothing, unless ``steps / n`` is above twice the mean, where the bound is small.

    Parameters
    ----------
    mean : float
        In (0, 1).
    steps, n : int
    r : float
        Below 0.

    Examples
    --------
    >>> round(largest_tail(0.05, 30, 50, -0.5), 6)
    0.01247
    """
    if steps < math.ceil(2.0 * mean * n) + 1:
        return 1.0
    places = np.arange(n + 1.0)
    total = mean * n

    def surplus(log_a: float, size: int) -> float:
        weights = (math.exp(log_a) + places[:size]) ** (1.0 / r)
        return float(weights @ places[:size] / weights.sum() - total)

    def minus_tail(log_a: float) -> float:
        return -_tail(math.exp(log_a), total, steps, places, 1.0 / r)

    # From where k + 1 = n to where k + 1 = steps; in between the tail has one maximum.
    ends = (_root(lambda x: surplus(x, n + 1)), _root(lambda x: surplus(x, steps)))
    best = minimize_scalar(minus_tail, bounds=ends, method="bounded", options={"xatol": 1e-7})
    return float(-min(best.fun, minus_tail(ends[0]), minus_tail(ends[1])))


def _root(rising: Callable[[float], float]) -> float:
    """Where a rising function of log a is 0; the end of the span that is nearest, if nowhere."""
    if rising(SPAN[0]) >= 0.0:
        return SPAN[0]
    if rising(SPAN[1]) <= 0.0:
        return SPAN[1]
    return float(brentq(rising, *SPAN, xtol=1e-10))


def _tail(a: float, total: float, steps: int, places: NDArray[np.float64], power: float) -> float:
    """P(X ≥ steps) of the extreme distribution with mean `total` that belongs to a."""
    weights = (a + places) ** power
    below = np.cumsum(weights)
    moments = np.cumsum(weights * places)
    k = int(np.searchsorted(moments / below, total, side="right")) - 1
    k = min(k, places.size - 2)
    if k + 1 < steps:
        return 0.0
    reach = (k + 1) * below[k] - moments[k]
    return float(1.0 - (k + 1 - total) * below[steps - 1] / reach)

"""Intervals for a shift by inverting a rank statistic, whose steps are at known places."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import stats

from pyfsagg._base.types import Floats

__all__ = ["exact_limits", "normal_limits"]


def exact_limits(steps: Floats, pmf: Floats, tail: float) -> tuple[float, float, float]:
    """Order statistics of the steps between which a shift is not rejected.

    Parameters
    ----------
    steps : ndarray, sorted
        Shifts at which the statistic falls by one: Walsh averages, or differences x_i − y_j.
    pmf : ndarray (steps.size + 1,)
        Null distribution of the statistic; symmetric.
    tail : float
        Probability allowed beyond either limit.

    Returns
    -------
    lower, upper, outside : float
        `outside` is the probability beyond either limit; above `tail` only if there are too few
        values to reach it.
    """
    cumulative = np.cumsum(pmf)
    # The smallest q with P(statistic ≤ q) ≥ tail; a relative margin, as R has it, for a tail that
    # a probability of the distribution equals.
    q = max(1, int(np.searchsorted(cumulative, tail * (1.0 - 1e-13))))
    return float(steps[q - 1]), float(steps[steps.size - q]), float(cumulative[q - 1])


def normal_limits(
    steps: Floats, z: Callable[[float], float], tail: float
) -> tuple[float, float, float]:
    """Shifts at which a falling standardised statistic crosses the normal quantiles.

    z(shift) changes at `steps` only, so that a crossing is one of them: a bisection finds it
    exactly.  Returns as :func:`exact_limits`.
    """
    knots = np.unique(steps)
    quantile = float(stats.norm.isf(tail))

    def between(position: int) -> float:
        """The statistic between the knots `position` − 1 and `position`."""
        low = knots[position - 1] if position > 0 else knots[0] - 1.0
        high = knots[position] if position < knots.size else knots[-1] + 1.0
        return z(float(low + (high - low) / 2.0))

    def crossing(level: float) -> float:
        low, high = 0, int(knots.size)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if between(middle) > level else (low, middle)
        return float(knots[high - 1])

    outside = max(
        tail, float(stats.norm.sf(between(0))), float(stats.norm.cdf(between(int(knots.size))))
    )
    return crossing(quantile), crossing(-quantile), outside

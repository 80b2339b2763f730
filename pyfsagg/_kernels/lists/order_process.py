"""One step of a Poisson process over a vector of states."""

from __future__ import annotations

import math

from numba import njit

from pyfsagg._base.types import Floats
from pyfsagg._kernels.lists.binomial_tail import HALF_LOG_TWO_PI, stirling_error

__all__ = ["advance", "poisson_weights"]


@njit(cache=True, nogil=True)
def poisson_weights(
    x: float, first: int, last: int, tolerance: float, weights: Floats
) -> tuple[int, int, float]:
    """Poisson(x) probabilities of first..last that matter, into weights[0:]; bound on the others.

    Returns the first and the last increment kept (the window around the largest that is allowed)
    and an upper bound on the probability left out.
    """
    mode = min(max(int(x), first), last)
    if mode == 0:
        peak = math.exp(-x)
    else:
        gap = mode * math.log(mode / x) + x - mode
        peak = math.exp(-gap - stirling_error(mode) - HALF_LOG_TWO_PI - 0.5 * math.log(mode))
    low = mode
    value = peak
    left_out = 0.0
    while low > first:
        value *= low / x
        if value < tolerance:
            # Further down the ratio falls below low / x: a geometric tail.
            left_out += value / (1.0 - low / x) if low < x else value * low
            break
        low -= 1
    weights[mode - low] = peak
    value = peak
    for j in range(mode, low, -1):
        value *= j / x
        weights[j - 1 - low] = value
    value = peak
    high = mode
    while high < last:
        value *= x / (high + 1)
        if value < tolerance:
            left_out += (
                value / (1.0 - x / (high + 2.0)) if high + 2.0 > x else value * (last - high)
            )
            break
        high += 1
        weights[high - low] = value
    return low, high, left_out


@njit(cache=True, nogil=True)
def advance(
    old: Floats,
    low: int,
    high: int,
    weights: Floats,
    first: int,
    last: int,
    new: Floats,
    new_low: int,
    new_high: int,
) -> None:
    """new[s] = Σ_c old[c]·w(s − c) for new_low ≤ s ≤ new_high; states are array positions."""
    new[new_low : new_high + 1] = 0.0
    # One pass per increment: the states are the longer direction, and views that start at 0 let
    # the compiler see that no index is negative, so that it vectorizes the loop.
    for step in range(first, last + 1):
        a = max(new_low, low + step)
        b = min(new_high, high + step)
        if b < a:
            continue
        weight = weights[step - first]
        target = new[a : b + 1]
        source = old[a - step : b + 1 - step]
        for j in range(target.size):
            target[j] += weight * source[j]

"""Tukey's running-median smoother 3RS3R (Tukey 1977, Exploratory Data Analysis, chapter 7)."""

from __future__ import annotations

from numba import njit

from pyfsagg._base.types import Floats

__all__ = ["smooth_medians"]


@njit(cache=True, nogil=True)
def _median(a: float, b: float, c: float) -> float:
    return max(min(a, b), min(max(a, b), c))


@njit(cache=True, nogil=True)
def _repeated_medians(given: Floats) -> Floats:
    """3R: medians of three neighbours until nothing changes; ends by Tukey's rule."""
    n = given.size
    values = given.copy()
    if n < 3:
        return values
    changed = True
    while changed:
        changed = False
        before = values.copy()
        for i in range(1, n - 1):
            values[i] = _median(before[i - 1], before[i], before[i + 1])
            changed = changed or values[i] != before[i]
    values[0] = _median(3.0 * values[1] - 2.0 * values[2], given[0], values[1])
    values[n - 1] = _median(values[n - 2], given[n - 1], 3.0 * values[n - 2] - 2.0 * values[n - 3])
    return values


@njit(cache=True, nogil=True)
def _flat_peak(values: Floats, i: int) -> bool:
    """Two equal values, both neighbours of which are below, or both above."""
    here = values[i]
    if here != values[i + 1]:
        return False
    left, right = values[i - 1], values[i + 2]
    return not ((left <= here and here <= right) or (left >= here and here >= right))


@njit(cache=True, nogil=True)
def smooth_medians(given: Floats) -> Floats:
    """3RS3R: repeated medians, flat peaks of two split, and repeated medians again if any was.

    At a flat peak each half is drawn to the median of itself, its neighbour and the line through its
    two neighbours; splits close to the ends are not made.
    """
    once = _repeated_medians(given)
    n = once.size
    if n <= 4:
        return once
    split = once.copy()
    changed = False
    for i in range(2, n - 3):
        if _flat_peak(once, i):
            split[i] = _median(once[i], once[i - 1], 3.0 * once[i - 1] - 2.0 * once[i - 2])
            split[i + 1] = _median(once[i + 1], once[i + 2], 3.0 * once[i + 2] - 2.0 * once[i + 3])
            changed = changed or split[i + 1] != once[i + 1] or split[i] != once[i]
    return _repeated_medians(split) if changed else once

"""Entropy of the spectrum of a Gram matrix when one feature is left out.

Leaving feature d out of X changes the Gram matrix X Xᵀ by a term of rank one, and XᵀX by one row
and column.  In both cases the new eigenvalues are the roots of a secular equation

    g(μ) = c - Σ_i w_i / (λ_i - μ) = 0,

with w_i = (q_iᵀ x_d)² and c = 1 in the first case (a root below λ_1, and one in each gap), and
w_i = q_id² and c = 0 in the second (one in each gap).  g falls from +∞ to -∞ in every gap.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from pyfsagg._base.types import Floats

__all__ = ["secular_root", "spectral_entropy", "spectral_entropy_without"]


MAX_STEPS = 100  # bisection alone needs about 55; interpolation takes 5 to 8


@njit(cache=True, nogil=True, error_model="numpy")
def secular_root(
    c: float, poles: Floats, weights: Floats, gap: int, low: float, high: float
) -> float:
    """Root of g between `low` and `high`, the gap below the pole number `gap`.

    Each step fits one pole to the terms on either side (Bunch, Nielsen and Sorensen 1978) and takes
    the root of the fit; where it leaves the bracket, the bracket is halved.  A weight of zero is no
    special case: where g does not change its sign, the bracket shrinks to the pole that stays.
    """
    size = poles.shape[0]
    tolerance = 2e-15 * poles[size - 1]
    x = 0.5 * (low + high)
    if high - low <= tolerance:
        return x
    for _ in range(MAX_STEPS):
        left, left_slope, right, right_slope = 0.0, 0.0, 0.0, 0.0
        for i in range(gap):
            term = weights[i] / (poles[i] - x)
            left += term
            left_slope += term / (poles[i] - x)
        for i in range(gap, size):
            term = weights[i] / (poles[i] - x)
            right += term
            right_slope += term / (poles[i] - x)
        if c - left - right > 0.0:
            low = x
        else:
            high = x
        if high - low <= tolerance:
            break
        # left ~ r + s / (a - y) and right ~ R + S / (b - y), with values and slopes of today.
        to_right = poles[gap] - x
        scale_right = right_slope * to_right * to_right
        constant = c - (right - right_slope * to_right)
        if gap == 0:
            step = to_right - scale_right / constant if constant > 0.0 else np.nan
        else:
            to_left = poles[gap - 1] - x
            scale_left = left_slope * to_left * to_left
            constant -= left - left_slope * to_left
            # constant·(a - t)(b - t) - s·(b - t) - S·(a - t) = 0 in the step t
            linear = constant * (to_left + to_right) - scale_left - scale_right
            product = constant * to_left * to_right - scale_left * to_right - scale_right * to_left
            root = np.sqrt(max(0.0, linear * linear - 4.0 * constant * product))
            # The two forms of the quadratic formula: neither subtracts equal numbers.
            if linear <= 0.0:
                step = 2.0 * product / (linear - root) if linear - root != 0.0 else np.nan
            else:
                step = (linear + root) / (2.0 * constant) if constant != 0.0 else np.nan
                if not (low < x + step < high) and linear + root != 0.0:
                    step = 2.0 * product / (linear + root)
        following = x + step
        if not (low < following < high):
            following = 0.5 * (low + high)
        if abs(following - x) <= tolerance:
            return following
        x = following
    return x


@njit(cache=True, nogil=True, error_model="numpy")
def spectral_entropy(eigenvalues: Floats) -> float:
    """-Σ v log v in nats of the eigenvalues divided by their sum; not normalised."""
    total = 0.0
    for value in eigenvalues:
        total += max(value, 0.0)
    entropy = 0.0
    if total > 0.0:
        for value in eigenvalues:
            share = value / total
            if share > 0.0:
                entropy -= share * np.log(share)
    return entropy


@njit(cache=True, nogil=True)
def spectral_entropy_without(c: float, poles: Floats, weights: Floats) -> Floats:
    """Entropy after the update with each row of `weights` (b, size); `poles` (size,) ascend."""
    size = poles.shape[0]
    first = 0 if c > 0.0 else 1
    entropies = np.empty(weights.shape[0])
    roots = np.empty(size - first)
    for d in range(weights.shape[0]):
        row = weights[d]
        for gap in range(first, size):
            if gap == 0:
                # The update lowers the eigenvalues by Σ w in all, and none below zero.
                low = max(0.0, poles[0] - row.sum())
            else:
                low = poles[gap - 1]
            roots[gap - first] = secular_root(c, poles, row, gap, low, poles[gap])
        entropies[d] = spectral_entropy(roots)
    return entropies

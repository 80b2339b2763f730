"""Largest standardised differences of pairs, for confidence sets of ranks."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pyfsagg._base.types import Floats

__all__ = [
    "dense_item_maxima",
    "dense_maxima",
    "independent_item_maxima",
    "independent_maxima",
]


@njit(cache=True, nogil=True)
def dense_item_maxima(draws: Floats, inverse: Floats) -> Floats:
    """For each item j and draw the largest |z_k - z_j| * inverse[j, k] over k; `draws` is (p, n)."""
    p, n_draws = draws.shape
    found = np.zeros((p, n_draws))
    for j in range(p):
        for k in range(j + 1, p):
            scale = inverse[j, k]
            for r in range(n_draws):
                value = abs(draws[k, r] - draws[j, r]) * scale
                found[j, r] = value if value > found[j, r] else found[j, r]
                found[k, r] = value if value > found[k, r] else found[k, r]
    return found


@njit(cache=True, nogil=True)
def dense_maxima(draws: Floats, inverse: Floats, estimates: Floats, limit: float) -> Floats:
    """For each draw the largest (z_k - z_j) * inverse[j, k] over the statements that are open.

    A statement, "k is above j", is open while its statistic is at most `limit`.
    """
    p, n_draws = draws.shape
    found = np.zeros(n_draws)
    for j in range(p):
        for k in range(p):
            scale = inverse[j, k]
            if k == j or (estimates[k] - estimates[j]) * scale > limit:
                continue
            for r in range(n_draws):
                value = (draws[k, r] - draws[j, r]) * scale
                found[r] = value if value > found[r] else found[r]
    return found


@njit(cache=True, nogil=True)
def _standardised(draw: Floats, variances: Floats) -> Floats:
    """z / sd, 0 where there is no variance."""
    found = np.zeros(draw.size)
    for j in range(draw.size):
        if variances[j] > 0.0:
            found[j] = draw[j] / np.sqrt(variances[j])
    return found


@njit(cache=True, nogil=True)
def independent_item_maxima(draws: Floats, variances: Floats, items: NDArray[np.intp]) -> Floats:
    """As `dense_item_maxima`, for some `items` of independent ones; `draws` is (n, p).

    (z_k - z_j)^2 / (v_j + v_k) is at most u_j^2 + u_k^2 with u = z / sd: items in the order of |u|
    need not be looked at beyond where that bound falls below the largest value found.
    """
    n_draws = draws.shape[0]
    found = np.zeros((items.size, n_draws))
    for r in range(n_draws):
        u = _standardised(draws[r], variances)
        order = np.argsort(-np.abs(u))
        for i in range(items.size):
            j = items[i]
            best = 0.0
            for k in order:
                if u[j] * u[j] + u[k] * u[k] <= best:
                    break
                total = variances[j] + variances[k]
                if k != j and total > 0.0:
                    gap = draws[r, k] - draws[r, j]
                    best = max(best, gap * gap / total)
            found[i, r] = np.sqrt(best)
    return found


@njit(cache=True, nogil=True)
def independent_maxima(draws: Floats, variances: Floats, estimates: Floats, limit: float) -> Floats:
    """As `dense_maxima`, for independent items, with the bound of `independent_item_maxima`."""
    n_draws, p = draws.shape
    found = np.zeros(n_draws)
    for r in range(n_draws):
        u = _standardised(draws[r], variances)
        order = np.argsort(-np.abs(u))
        best = 0.0
        for a in range(p):
            j = order[a]
            if 2.0 * u[j] * u[j] <= best * best:
                break
            for b in range(a + 1, p):
                k = order[b]
                if u[j] * u[j] + u[k] * u[k] <= best * best:
                    break
                total = variances[j] + variances[k]
                if total == 0.0:
                    continue
                scale = 1.0 / np.sqrt(total)
                statistic = (estimates[k] - estimates[j]) * scale
                value = (draws[r, k] - draws[r, j]) * scale
                if statistic <= limit and value > best:
                    best = value
                if -statistic <= limit and -value > best:
                    best = -value
        found[r] = best
    return found

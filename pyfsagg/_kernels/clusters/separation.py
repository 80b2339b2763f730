"""How far the clusters of a partition are apart in one feature."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pyfsagg._base.types import Floats

__all__ = ["correlation_ratios"]


@njit(cache=True, nogil=True, error_model="numpy")
def correlation_ratios(block: Floats, labels: NDArray[np.int32], ratios: Floats) -> None:
    """Fill `ratios` (T, b): root of the between-cluster share of the variance.

    `block` (n, b) holds features with mean zero; `labels` (T, n) counts clusters from 0.  A feature
    without variance has the ratio 0.
    """
    n, width = block.shape
    variation = np.zeros(width)
    for i in range(n):
        for d in range(width):
            variation[d] += block[i, d] * block[i, d]
    sums = np.empty((labels.max() + 1, width))
    sizes = np.empty(labels.max() + 1)
    for t in range(labels.shape[0]):
        sums[:] = 0.0
        sizes[:] = 0.0
        for i in range(n):
            cluster = labels[t, i]
            sizes[cluster] += 1.0
            for d in range(width):
                sums[cluster, d] += block[i, d]
        for d in range(width):
            ratios[t, d] = 0.0
        for cluster in range(sizes.shape[0]):
            if sizes[cluster] > 0.0:
                for d in range(width):
                    ratios[t, d] += sums[cluster, d] * sums[cluster, d] / sizes[cluster]
        for d in range(width):
            share = ratios[t, d] / variation[d] if variation[d] > 0.0 else 0.0
            ratios[t, d] = np.sqrt(min(1.0, share))

"""Scores of all counting filters from tables of counts that come without their rows."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pyfsagg._kernels.class_tables import pearson, value_difference
from pyfsagg._kernels.entropy import SCORES, entropy_scores

__all__ = ["OUTPUTS", "score_counts"]

OUTPUTS = (*SCORES, "chi_squared", "cramers_v", "value_difference_metric")


@njit(cache=True, nogil=True)
def score_counts(
    counts: NDArray[np.int64],
    n_codes: NDArray[np.int64],
    n_classes: int,
    scores: NDArray[np.float64],
) -> None:
    """Scores (number of `OUTPUTS`, n_resamples, n_features) of the counts of `count_resamples`.

    The value difference metric is defined for two classes, and not written for more.
    """
    start = 0
    cells = np.empty(int(n_codes.max()) * n_classes, np.int64)
    entropies = np.empty(3, np.float64)
    for j in range(n_codes.shape[0]):
        used = cells[: n_codes[j] * n_classes]
        for r in range(scores.shape[1]):
            for cell in range(used.shape[0]):
                used[cell] = counts[start + cell, r]
            entropy_scores(used, n_classes, entropies)
            for k in range(3):
                scores[k, r, j] = entropies[k]
            scores[3, r, j], scores[4, r, j] = pearson(used, n_classes)
            if n_classes == 2:
                scores[5, r, j] = value_difference(used)
        start += used.shape[0]

"""Scores of all counting filters from tables of counts that come without their rows."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pyfsagg._base.types import Floats, Integer
from pyfsagg._kernels.entropy.mdl import xlogx, xlogx_shift
from pyfsagg._kernels.entropy.scores import SCORES, scores_of_sums
from pyfsagg._kernels.tables.class_tables import chi_squared, value_difference

__all__ = ["OUTPUTS", "score_counts"]

OUTPUTS = (*SCORES, "chi_squared", "cramers_v", "value_difference_metric")


@njit(cache=True, nogil=True)
def _entropy_scores(cells: NDArray[np.int64], n_classes: Integer, out: Floats) -> None:
    """The three scores, into `out`, of counts at ``code * n_classes + label``.

    For counts that come without their rows: they may be large, so the values of ``x log x`` are
    computed as they are needed, to the same bits as those of the table.
    """
    total = cells.sum()
    shift = xlogx_shift(total)
    scale = math.ldexp(1.0, shift)
    joint = np.int64(0)
    levels = np.int64(0)
    for level in range(cells.shape[0] // n_classes):
        size = np.int64(0)
        for label in range(n_classes):
            size += cells[level * n_classes + label]
            joint += xlogx(cells[level * n_classes + label], scale)
        levels += xlogx(size, scale)
    class_sum = np.int64(0)
    for label in range(n_classes):
        class_sum += xlogx(cells[label::n_classes].sum(), scale)
    scores_of_sums(xlogx(total, scale), joint, class_sum, levels, total, shift, out)


@njit(cache=True, nogil=True)
def score_counts(
    counts: NDArray[np.int64],
    n_codes: NDArray[np.int64],
    n_classes: int,
    scores: Floats,
) -> None:
    """Scores (number of `OUTPUTS`, n_resamples, n_features) of the counts of `count_resamples`.

    The value difference metric is defined for two classes, and not written for more.
    """
    start = 0
    cells = np.empty(int(n_codes.max()) * n_classes, np.int64)
    for j in range(n_codes.shape[0]):
        used = cells[: n_codes[j] * n_classes]
        for r in range(scores.shape[1]):
            for cell in range(used.shape[0]):
                used[cell] = counts[start + cell, r]
            _entropy_scores(used, n_classes, scores[:3, r, j])
            scores[3, r, j], scores[4, r, j] = chi_squared(used, n_classes)
            if n_classes == 2:
                scores[5, r, j] = value_difference(used)
        start += used.shape[0]

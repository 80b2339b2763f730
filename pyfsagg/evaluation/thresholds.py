"""Thresholds (how many features are kept) and the average over them that favours small subsets."""

from __future__ import annotations

import itertools
import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.checks import as_array, check_list
from pyfsagg._base.selection import n_selected
from pyfsagg.exceptions import DataError, ParameterError

__all__ = [
    "THESIS_THRESHOLDS",
    "Threshold",
    "largest_count",
    "read_thresholds",
    "weighted_average_accuracy",
]

THESIS_THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True)
class Threshold:
    """A share of the features, and the number of features that it stands for."""

    share: float
    n_features: int


def read_thresholds(thresholds: Any, n_features: int) -> tuple[Threshold, ...]:
    """Fractions and counts as thresholds, ascending; a count becomes a share of the features.

    Raises
    ------
    ParameterError
        If there is none, one is out of range, or two are the same.
    """
    given = _listed(thresholds)
    if not given:
        raise ParameterError("thresholds is empty; name at least one, for instance 0.25")
    found = []
    for value in given:
        size = n_selected(value, n_features, "thresholds")
        is_count = isinstance(value, numbers.Integral)
        found.append(Threshold(size / n_features if is_count else float(value), size))
    found.sort(key=lambda each: each.share)
    for one, other in itertools.pairwise(found):
        if one.share == other.share:
            raise ParameterError(
                f"thresholds names {one.share:g} of the features twice; give each once"
            )
    return tuple(found)


def largest_count(thresholds: Any) -> int | None:
    """The largest threshold that is a number of features and not a fraction."""
    return max(
        (int(size) for size in _listed(thresholds) if isinstance(size, numbers.Integral)),
        default=None,
    )


def _listed(thresholds: Any) -> list[Any]:
    if isinstance(thresholds, numbers.Real):
        return [thresholds]
    return check_list("thresholds", thresholds)


def weighted_average_accuracy(
    accuracy: ArrayLike, thresholds: Sequence[float] = THESIS_THRESHOLDS
) -> NDArray[np.float64]:
    """Average over thresholds, weighted by the share of the features that are left out.

    WAcc = Σ W_i Acc_i / Σ W_i with W_i = 1 − k_i, so that the threshold at which all features are
    kept does not count.

    Parameters
    ----------
    accuracy : array of shape (..., n_thresholds)
        Accuracy, or any other measure, at each threshold; the last axis is averaged over.
    thresholds : sequence of float
        Shares k of the features that are kept, above 0 and at most 1; at least one below 1.

    Returns
    -------
    ndarray of shape (...)
        NaN where an accuracy with a positive weight is missing.

    Raises
    ------
    ParameterError
        If a threshold is no such share or all of them are 1.
    DataError
        If the numbers of accuracies and thresholds differ.

    Notes
    -----
    Source: thesis 4.1, equation 4.1.

    Examples
    --------
    >>> float(weighted_average_accuracy([0.6, 0.9, 0.7], [0.25, 0.5, 1.0]))  # (0.45 + 0.45) / 1.25
    0.72
    """
    values = as_array("accuracy", accuracy, np.float64)
    kept = as_array("thresholds", thresholds, np.float64)
    if kept.ndim != 1 or kept.size == 0 or not bool(((kept > 0.0) & (kept <= 1.0)).all()):
        raise ParameterError(
            f"thresholds must be shares of the features above 0 and at most 1, got {thresholds!r}"
        )
    if values.ndim == 0 or values.shape[-1] != kept.size:
        raise DataError(
            f"accuracy must have one value for each of the {kept.size} thresholds along its last "
            f"axis, got the shape {values.shape}"
        )
    counted = kept < 1.0
    if not counted.any():
        raise ParameterError(
            "all thresholds are 1 and have no weight; give at least one below 1, for instance 0.5"
        )
    weights = 1.0 - kept[counted]
    return np.asarray(values[..., counted] @ weights / weights.sum(), dtype=np.float64)

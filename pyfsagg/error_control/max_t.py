"""P-values of scores against those of permuted targets: step-down maximum statistics."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.checks import as_array
from pyfsagg.exceptions import DataError

__all__ = ["step_down_max_t"]

FloatArray = NDArray[np.float64]


def step_down_max_t(observed: ArrayLike, null: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """P-values of each feature by itself, and p-values that control the family-wise error.

    Parameters
    ----------
    observed : array-like (p,)
        Scores of the data, larger = more important.
    null : array-like (K, p)
        Scores of K data sets of the null hypothesis, such as those with a permuted target.

    Returns
    -------
    p_values : ndarray (p,)
        (1 + number of null scores of the feature at least as high) / (1 + K).
    family_wise : ndarray (p,)
        Step-down adjusted: each feature is compared with the highest null score among those that do
        not stand above it.  Equal scores get equal values.

    Raises
    ------
    DataError
        If the shapes do not fit, or a score is missing.

    Notes
    -----
    A null score that equals the observed one up to rounding counts as reached, so that ties make
    p-values larger, never smaller.  Strong control (whatever the other features do) needs a score that
    depends on its own column only; otherwise the level holds where no feature is related to the target.

    References
    ----------
    Westfall and Young (1993), Resampling-Based Multiple Testing, algorithm 4.1; Phipson and Smyth
    (2010).

    Examples
    --------
    >>> p_values, family_wise = step_down_max_t([3.0, 1.0], [[1.0, 0.5], [0.2, 2.0], [0.1, 0.3]])
    >>> p_values, family_wise
    (array([0.25, 0.5 ]), array([0.25, 0.5 ]))
    """
    scores = as_array("observed", observed, np.float64)
    drawn = as_array("null", null, np.float64)
    if scores.ndim != 1 or drawn.ndim != 2 or drawn.shape[1] != scores.size or not drawn.size:
        raise DataError(
            f"null must have one column per feature ({scores.size}) and at least one row, got the "
            f"shape {drawn.shape}"
        )
    if np.isnan(scores).any() or np.isnan(drawn).any():
        raise DataError("a score is missing; every feature needs one in every run")
    limit = scores - 1e-12 * np.abs(scores)
    k = drawn.shape[0]
    p_values = (1.0 + (drawn >= limit).sum(axis=0)) / (1.0 + k)
    order = np.argsort(-scores, kind="stable")
    ordered = limit[order]
    # Where the features that tie with each one begin: what stands there is compared with all of them.
    first = np.searchsorted(-scores[order], -scores[order] - 1e-12 * np.abs(scores[order]))
    best = np.maximum.accumulate(drawn[:, order[::-1]], axis=1)[:, ::-1]
    reached = (1.0 + (best[:, first] >= ordered).sum(axis=0)) / (1.0 + k)
    family_wise = np.empty(scores.size)
    family_wise[order] = np.maximum.accumulate(reached)
    return p_values, family_wise

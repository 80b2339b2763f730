"""E-values: of stability selection, their mean over runs, and e-BH.

An e-value is a number ≥ 0 whose expectation under the null hypothesis is at most 1.  The mean of
e-values is one, however they depend on each other: that is what joins the runs of a randomised selector.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.validation import as_array, check_level
from pyfsagg._message import Param
from pyfsagg.error_control.bounds import largest_size, pfer_bound, pfer_size, selection_frequency
from pyfsagg.exceptions import DataError


def stability_e_values(
    scores: ArrayLike,
    fdr: float,
    *,
    threshold: float = 0.75,
    assumption: str = "unimodal",
) -> Floats:
    """E-values of the features from complementary pairs, for a given false discovery rate.

    If at most v false selections are expected, p / v for each selected feature and 0 for the others
    are e-values: the expectations of those of noise features sum up to p at most, which is all that
    e-BH needs (Ren and Barber, 2024).  No single v serves small and large selections, so that the mean
    over v = `fdr` · 1, 2, 4, … is taken, as far as the bound covers it; the sizes q that belong to
    them depend on p, B and the level alone, not on the scores.

    They have little power: where the features related to the target are not a few of some hundred, none is
    selected however strongly they are related.  The assumption "r-concave" selects more than "unimodal".

    Parameters
    ----------
    scores : array-like (2B, p)
        Two halves of a pair one after the other; larger = more important.
    fdr : float
        The false discovery rate for which they are made, in (0, 1).
    threshold, assumption
        As in :func:`pfer_bound`.

    Returns
    -------
    ndarray (p,)
        All 0 if no selection size keeps the bounds.

    References
    ----------
    Ren and Barber (2024), Derandomised knockoffs: leveraging e-values for false discovery rate
    control, JRSS B 86; Shah and Samworth (2013), JRSS B 75.
    """
    fdr = check_level("fdr", fdr)
    matrix = matrix_of_halves(scores)
    n_pairs, p = matrix.shape[0] // 2, matrix.shape[1]
    values = values_of_sizes(p, n_pairs, fdr, threshold, assumption)
    total = np.zeros(p)
    for q, value in values.items():
        total += (selection_frequency(matrix, q) >= threshold - 1e-9) * value
    return total / max(1, len(values))


def matrix_of_halves(scores: ArrayLike) -> Floats:
    """Scores (2 n_pairs, n_features) of complementary pairs, after a check of their shape."""
    matrix: Floats = as_array("scores", scores, np.float64)
    if matrix.ndim != 2 or matrix.shape[0] % 2:
        shape = " must have the shape (2 n_pairs, features)"
        halves = f", the halves of a pair one after the other, got {matrix.shape}"
        raise DataError(Param("scores"), shape, halves)
    return matrix


def values_of_sizes(
    p: int, n_pairs: int, fdr: float, threshold: float, assumption: str
) -> dict[int, float]:
    """p / v by the size q of a selection, over which :func:`stability_e_values` takes the mean."""
    how: dict[str, Any] = {"n_pairs": n_pairs, "assumption": assumption}
    values: dict[int, float] = {}
    wish = fdr
    while wish < p * fdr:
        q = pfer_size(threshold, p, wish, **how)
        if q >= 1:
            values[q] = p / pfer_bound(q, p, threshold, **how)
        if q == largest_size(p, n_pairs, assumption):
            break
        wish *= 2.0
    return values


def can_select(
    p: int, n_pairs: int, fdr: float, *, threshold: float = 0.75, assumption: str = "unimodal"
) -> bool:
    """Whether e-BH could select anything by :func:`stability_e_values`, on the best of all data.

    Selections of q features have at most q / threshold features that often.
    """
    values = values_of_sizes(p, n_pairs, fdr, threshold, assumption)
    if not values:
        return False
    sizes, shares = np.array(list(values)), np.array(list(values.values())) / len(values)
    number = np.arange(1, p + 1)
    largest = np.where(sizes / threshold >= number[:, None], shares, 0.0).sum(axis=1)
    return bool((number * fdr * largest >= p).any())


def mean_e_values(runs: ArrayLike) -> Floats:
    """The mean over runs (first axis) of e-values (runs, p): e-values again, of all runs together."""
    return np.asarray(_checked(runs, 2).mean(axis=0))


def e_bh(e_values: ArrayLike, fdr: float) -> NDArray[np.bool_]:
    """Select features at a false discovery rate, under any dependence between e-values.

    The k largest, for the largest k with all of them at least p / (k `fdr`).  Equal e-values
    are selected together or not at all.

    Parameters
    ----------
    e_values : array-like (p,)
        At least 0.
    fdr : float
        In (0, 1).

    Returns
    -------
    ndarray of bool (p,)

    References
    ----------
    Wang and Ramdas (2022), False discovery rate control with e-values, JRSS B 84.

    Examples
    --------
    >>> e_bh([40.0, 0.5, 21.0, 0.0], 0.1)
    array([ True, False,  True, False])
    """
    fdr = check_level("fdr", fdr)
    values = _checked(e_values, 1)
    ordered = np.sort(values)[::-1]
    p = values.size
    reached = np.flatnonzero(ordered * np.arange(1, p + 1) * fdr >= p * (1.0 - 1e-12))
    if reached.size == 0:
        return np.zeros(p, dtype=np.bool_)
    return np.asarray(values >= ordered[reached[-1]])


def _checked(values: ArrayLike, axes: int) -> Floats:
    array = as_array("values", values, np.float64)
    if array.ndim != axes or array.size == 0:
        raise DataError(f"e-values must have {axes} axes, got the shape {array.shape}")
    if not (array >= 0.0).all():
        raise DataError("an e-value is negative or missing; they are at least 0")
    return array

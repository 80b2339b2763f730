"""Partial conjunction: in at least r studies.  Drop the best r − 1, test the rest."""

from __future__ import annotations

import numpy as np
import scipy

from pyfsagg._base.arithmetic import Booleans, Floats, adjust_p_values


def partial_conjunction(log_p: Floats) -> Floats:
    """Log p-values (m, G) of "fewer than r studies" for r = 1 to m, from log p-values (m, G) of studies.

    Of the n studies that know an item the r − 1 smallest p-values are left out, and Fisher's statistic
    of the others is compared with its χ² distribution of 2 (n − r + 1) degrees of freedom, summed in
    logarithms from positive terms.  NaN where n < r.
    """
    m = len(log_p)
    ordered = np.sort(log_p, axis=0)  # unknown ones last
    known = (~np.isnan(ordered)).sum(axis=0)
    half = 0.0 - np.cumsum(np.nan_to_num(ordered)[::-1], axis=0)[::-1]
    left = known - np.arange(m)[:, np.newaxis]
    with np.errstate(divide="ignore"):
        log_half = np.log(half)
    terms = np.zeros_like(half)
    for j in range(1, m):
        more = np.logaddexp(terms, j * log_half - scipy.special.gammaln(j + 1))
        terms = np.where(j < left, more, terms)
    return np.minimum(0.0, np.where(left > 0, terms - half, np.nan))


def filtered(log_p: Floats, r: int) -> Floats:
    """Adjusted p-values (G,) of "fewer than r studies" by adaFilter, for r of at least 2.

    With the p-values of an item in ascending order, S = (n − r + 1) p_(r) decides, and of the G items only
    those count as tests whose F = (n − r + 1) p_(r−1) is at most S: an item of which less than r − 1
    studies say anything is no candidate (Wang et al. 2022).
    """
    ordered = np.sort(log_p, axis=0)
    rest = (~np.isnan(ordered)).sum(axis=0) - r + 1
    tested = np.flatnonzero(rest > 0)
    with np.errstate(under="ignore"):
        decides, before = (np.exp(row[tested]) * rest[tested] for row in ordered[[r - 1, r - 2]])
    order = np.argsort(decides, kind="stable")
    sorted_ = decides[order]
    candidates = np.searchsorted(np.sort(before), sorted_, side="right")
    steps = candidates * sorted_ / np.arange(1, len(tested) + 1)
    adjusted = np.full(log_p.shape[1], np.nan)
    adjusted[tested[order]] = np.minimum(1.0, np.minimum.accumulate(steps[::-1])[::-1])
    return adjusted


def adjusted_of(log_p: Floats, combined: Floats, up: Booleans, r: int, adjust: str) -> Floats:
    """Adjusted p-values (G,) of "fewer than r studies, in the direction of the item".

    `log_p` (2, m, G) are those of the studies, up and down, and `combined` (2, G) what
    :func:`partial_conjunction` makes of them for r; `up` (G,) says which direction counts.  Adaptive
    filtering goes by another statistic, so that its values are kept from falling below the p-values.
    """
    p = two_sided(np.asarray(np.where(up, combined[0], combined[1])))
    if adjust == "adafilter" and r > 1:
        both = filtered(np.concatenate(list(log_p), axis=1), r).reshape(2, -1)
        return np.asarray(np.maximum(np.where(up, *both), p))
    return adjust_p_values(p, "bh" if adjust == "adafilter" else adjust)


def two_sided(log_p: Floats) -> Floats:
    """p-values of the better of two directions."""
    with np.errstate(under="ignore"):
        return np.asarray(np.minimum(1.0, 2.0 * np.exp(log_p)))

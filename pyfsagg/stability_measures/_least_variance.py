"""What the variance of a stability is at least, however well the resamples at hand agree.

Few resamples often agree exactly, or in one pair only.  Their spread then says nothing, and an
interval from it is far too narrow.  The variance of the mean intersection is therefore also
computed from frequencies, with one resample's worth of random selection added to the counts, as if
features were selected independently of one another.  Intervals take the larger of the two.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pyfsagg._base.types import Floats
from pyfsagg.stability_measures._input import Selection

__all__ = ["intersection_variance", "mean_intersection", "pairs_variance"]


def intersection_variance(counts: Floats, m: int, p: int) -> float:
    """Variance of the mean intersection over the pairs of m subsets.

    Parameters
    ----------
    counts : ndarray (c,)
        How often each feature is selected; the other p - c features never are.
    m, p : int
        Numbers of subsets and of features.

    Notes
    -----
    With chances f_j and v_j = f_j (1 - f_j), the two parts of a mean over pairs are
    4/m sum_j v_j (f_j - f)^2, with f the mean of f_j weighted by v_j because the size of a subset
    is given, and 2/(m (m - 1)) sum_j v_j^2.
    """
    share = float(counts.sum()) / (m * p)
    chances = (np.append(counts, 0.0) + share) / (m + 1)
    times = np.append(np.ones(len(counts)), p - len(counts))
    spread = chances * (1 - chances)
    weight = times * spread
    total = float(weight.sum())
    if total <= 0 or m < 2:
        return 0.0
    centre = float(weight @ chances) / total
    first = float(weight @ (chances - centre) ** 2)
    second = float(weight @ spread)
    return 4 / m * first + 2 / (m * (m - 1)) * second


def mean_intersection(selection: Selection) -> float:
    """The mean over pairs of the expected size of the intersection."""
    member = selection.membership
    m = len(member)
    counts = member.sum(axis=0)
    own = float(np.einsum("ij,ij->", member, member))
    return (float(counts @ counts) - own) / (m * (m - 1))


def pairs_variance(
    selection: Selection, formula: Callable[[Floats, Floats, Floats, float], Floats]
) -> float:
    """The least variance of the mean over pairs of a function of intersection and sizes."""
    counts = selection.membership.sum(axis=0)
    p = selection.n_features or len(counts)
    size = float(selection.sizes.mean())
    middle = mean_intersection(selection)
    ends = np.array([max(middle - 0.5, 0.0, 2 * size - p), min(middle + 0.5, size)])
    if ends[1] <= ends[0]:
        return 0.0
    sizes = np.full(2, size)
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = formula(ends, sizes, sizes, float(p))
    slope = (high - low) / (ends[1] - ends[0])
    if not np.isfinite(slope):
        return 0.0
    return float(slope**2) * intersection_variance(counts, len(selection.support), p)

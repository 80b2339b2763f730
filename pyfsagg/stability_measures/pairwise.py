"""Stability of scores and rankings: averages over all pairs of resamples.

No m x m x p array is formed.  Averages of correlations follow from one sum of standardised rows:
for unit rows z_1, …, z_m the sum over all ordered pairs of z_i·z_v is ||z_1 + … + z_m||^2, so the
average costs O(m p).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.checks import as_array, check_choice, check_integer
from pyfsagg._base.types import Floats
from pyfsagg._kernels.stability.pairs import (
    canberra_block,
    canberra_pair_sum,
    kendall_block,
    kendall_pair_sum,
)
from pyfsagg.exceptions import ParameterError
from pyfsagg.stability_measures._base import (
    STABILITY_MEASURES,
    Estimate,
    PairwiseAverage,
    StabilitySpec,
    WholeSample,
)

__all__: list[str] = []


# ---------------------------------------------------------------------------------------------
# correlations
# ---------------------------------------------------------------------------------------------
def _unit_rows(values: Floats, weights: Floats | None = None) -> tuple[Floats, NDArray[np.bool_]]:
    """Rows centred and scaled to length one (under column weights), and which rows vary at all.

    Constant rows are zero in the result.  Rows are first divided by their largest magnitude, so
    that scores near the limits of floating point neither overflow nor vanish.
    """
    varies = (values != values[:, :1]).any(axis=1)
    if weights is not None:
        used = values[:, weights > 0]
        varies = (used != used[:, :1]).any(axis=1)
    scale = np.abs(values).max(axis=1, keepdims=True)
    rows = values / np.where(scale > 0, scale, 1.0)
    if weights is None:
        rows -= rows.mean(axis=1, keepdims=True)
    else:
        rows -= (rows @ weights / weights.sum())[:, None]
        rows *= np.sqrt(weights)
    length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    varies &= length > 0
    rows[~varies] = 0.0
    rows /= np.where(varies, length, 1.0)[:, None]
    return rows, varies


def _mean_correlation(rows: Floats, varies: NDArray[np.bool_]) -> Estimate:
    """Mean inner product over pairs of unit rows."""
    m = len(varies)
    known = int(varies.sum())
    n_pairs = known * (known - 1) // 2
    undefined = m * (m - 1) // 2 - n_pairs
    if n_pairs == 0:
        return Estimate(np.nan, 0, undefined)
    total = rows.sum(axis=0)
    value = (float(total @ total) - float(np.einsum("ij,ij->", rows, rows))) / (2 * n_pairs)
    return Estimate(min(1.0, max(-1.0, value)), n_pairs, undefined)


def correlation(values: Floats, weights: Floats | None = None) -> PairwiseAverage:
    rows, varies = _unit_rows(values, weights)

    def block(left: slice, right: slice) -> Floats:
        cells = np.clip(rows[left] @ rows[right].T, -1.0, 1.0)
        cells[~varies[left]] = np.nan
        cells[:, ~varies[right]] = np.nan
        return cells

    return PairwiseAverage(len(varies), block, lambda: _mean_correlation(rows, varies))


def _feature_weights(weights: ArrayLike | None, n_features: int) -> Floats | None:
    if weights is None:
        return None
    array = as_array("weights", weights, np.float64)
    if array.shape != (n_features,):
        raise ParameterError(
            f"feature_weights must hold one number per feature ({n_features}), got shape "
            f"{array.shape}"
        )
    if not np.isfinite(array).all() or (array < 0).any() or np.count_nonzero(array) < 2:
        raise ParameterError(
            "feature_weights must be finite and not negative, with at least two above zero"
        )
    return array


def bind_correlation(
    values: Floats, *, feature_weights: ArrayLike | None = None
) -> PairwiseAverage:
    """Pearson's correlation of scores; Spearman's of ranks."""
    return correlation(values, _feature_weights(feature_weights, values.shape[1]))


# ---------------------------------------------------------------------------------------------
# Canberra and average standard deviation
# ---------------------------------------------------------------------------------------------
def _oriented(ranks: Floats, direction: str, location: int | None) -> Floats:
    """Ranks counted from the end that `direction` names, cut off after `location`."""
    check_choice("direction", direction, ("ascending", "descending"))
    p = ranks.shape[1]
    if direction == "descending":
        ranks = p + 1 - ranks
    if location is not None:
        ranks = np.minimum(ranks, check_integer("location", location, low=1, high=p) + 1)
    return np.ascontiguousarray(ranks)


def _mean_canberra(ranks: Floats) -> Estimate:
    m, p = ranks.shape
    n_pairs = m * (m - 1) // 2
    columns = np.sort(ranks.T, axis=1)
    return Estimate(float(canberra_pair_sum(columns)) / (p * n_pairs), n_pairs, 0)


def bind_canberra(
    ranks: Floats, *, direction: str = "ascending", location: int | None = None
) -> PairwiseAverage:
    oriented = _oriented(ranks, direction, location)
    p = ranks.shape[1]

    def block(left: slice, right: slice) -> Floats:
        cells: Floats = canberra_block(oriented[left], oriented[right]) / p
        return cells

    return PairwiseAverage(len(ranks), block, lambda: _mean_canberra(oriented))


def _standardised(scores: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Row z-scores with ddof 1; constant rows are zero and flagged."""
    rows, varies = _unit_rows(scores)
    return rows * math.sqrt(scores.shape[1] - 1), varies


def bind_asd(scores: Floats) -> WholeSample:
    rows, varies = _standardised(scores)
    # About the column means the sums of squares do not cancel when the resamples agree closely.
    rows -= rows[varies].mean(axis=0) if varies.any() else 0.0
    squares = rows * rows

    def evaluate(weights: Floats) -> Floats:
        counted = weights * varies
        mass = counted.sum(axis=1)
        out = np.full(len(weights), np.nan)
        enough = mass > 1
        mass = mass[enough, None]
        mean = counted[enough] @ rows / mass
        variance = (counted[enough] @ squares - mass * mean * mean) / (mass - 1)
        # Rounding can leave a variance of zero slightly below zero.
        out[enough] = np.sqrt(np.maximum(variance, 0.0)).mean(axis=1)
        return out

    return WholeSample(len(scores), evaluate, int((~varies).sum()))


# ---------------------------------------------------------------------------------------------
# Kendall
# ---------------------------------------------------------------------------------------------
def pairwise_is_cheaper(m: int, p: int) -> bool:
    """Whether m^2/2 merge sorts beat one pass over all pairs of columns.

    The merge sort costs about 16 times as much per element as the pass (measured).
    """
    return m * 16 * math.log2(p + 1) < p


def _mean_kendall(ranks: Floats) -> Estimate:
    p = ranks.shape[1]
    free = _free_pairs(ranks)
    known = free > 0
    m, n_known = len(known), int(known.sum())
    n_pairs = n_known * (n_known - 1) // 2
    undefined = m * (m - 1) // 2 - n_pairs
    if n_pairs == 0 or p < 2:
        return Estimate(np.nan, 0, m * (m - 1) // 2)
    total = kendall_pair_sum(np.ascontiguousarray(ranks[known]), 1 / np.sqrt(free[known]))
    value = (float(total) - n_known) / (2 * n_pairs)
    return Estimate(min(1.0, max(-1.0, value)), n_pairs, undefined)


def _free_pairs(ranks: Floats) -> Floats:
    """Number of column pairs that are not tied, for each row."""
    m, p = ranks.shape
    ordered = np.sort(ranks, axis=1)
    # The average rank of a tie group of size t exceeds its first rank by (t - 1) / 2; summing the
    # surplus over the group gives t (t - 1) / 2, its tied pairs.
    first = np.empty((m, p))
    first[:, 0] = 1.0
    fresh = ordered[:, 1:] != ordered[:, :-1]
    first[:, 1:] = np.where(fresh, np.arange(2, p + 1), 0.0)
    first = np.maximum.accumulate(first, axis=1)
    free: Floats = p * (p - 1) / 2 - (ordered - first).sum(axis=1)
    return free


def kendall_cells(
    ranks: Floats, weights: Floats, *, symmetric: bool
) -> Callable[[slice, slice], Floats]:
    """Weighted tau-b of the rows of two slices of `ranks`."""
    order = np.argsort(ranks, axis=1)

    def block(left: slice, right: slice) -> Floats:
        rows, orders = (ranks[left], ranks[right]), (order[left], order[right])
        cells: Floats = kendall_block(*rows, *orders, weights[left], weights[right], symmetric)
        return cells

    return block


def bind_kendall(ranks: Floats) -> PairwiseAverage:
    m, p = ranks.shape
    block = kendall_cells(ranks, np.ones((m, p)), symmetric=False)
    shortcut = None if pairwise_is_cheaper(m, p) else lambda: _mean_kendall(ranks)
    return PairwiseAverage(m, block, shortcut)


STABILITY_MEASURES.add(
    StabilitySpec(
        name="pearson",
        aliases=("pcc", "pearson_correlation"),
        summary="mean Pearson correlation of score vectors",
        formula="mean over pairs of r(l_s, l_v); feature_weights= gives the weighted coefficient",
        latex=r"\frac{2}{m (m - 1)} \sum_{i < v} r(l_i, l_v)",
        bounds="[-1, 1]",
        ties="not concerned: scores count as they are",
        source="thesis, eq. 3.2; Nogueira & Brown (2016)",
        corrected_for_chance=True,
        kind="scores",
        bind=bind_correlation,
    ),
    StabilitySpec(
        name="asd",
        aliases=("average_standard_deviation",),
        summary="average standard deviation of standardised scores",
        formula="1/p sum_j SD_s(z_sj), z the row z-scores, ddof 1",
        latex=r"\frac{1}{p} \sum_{j=1}^{p} \sqrt{\frac{1}{m - 1} \sum_{s=1}^{m} (z_{sj} - "
        r"\bar{z}_j)^2}",
        bounds="[0, inf)",
        higher_is_better=False,
        ties="not concerned: scores count as they are",
        source="thesis, eq. 3.6",
        kind="scores",
        bind=bind_asd,
    ),
    StabilitySpec(
        name="spearman",
        aliases=("srcc", "spearman_correlation"),
        summary="mean Spearman correlation of rankings, average ranks for ties",
        formula="mean over pairs of r(rank l_s, rank l_v); feature_weights= gives the weighted coefficient",
        latex=r"\frac{2}{m (m - 1)} \sum_{i < v} r(\operatorname{rank} l_i, \operatorname{rank} "
        r"l_v)",
        bounds="[-1, 1]",
        ties="average ranks",
        source="thesis, eq. 3.3",
        corrected_for_chance=True,
        kind="ranks",
        bind=bind_correlation,
    ),
    StabilitySpec(
        name="kendall",
        aliases=("kendall_tau", "tau"),
        summary="mean Kendall tau-b of rankings",
        formula="mean over pairs of (C - D) / sqrt((C + D + T_s) (C + D + T_v))",
        latex=r"\frac{2}{m (m - 1)} \sum_{i < v} \frac{C - D}{\sqrt{(C + D + T_i)(C + D + T_v)}}",
        bounds="[-1, 1]",
        ties="tau-b: a pair tied in one ranking lowers the other factor of the denominator only",
        source="Kendall (1945), Biometrika 33:239",
        corrected_for_chance=True,
        kind="ranks",
        bind=bind_kendall,
    ),
    StabilitySpec(
        name="canberra",
        aliases=("canberra_distance",),
        summary="mean Canberra distance of rankings, divided by p",
        formula=(
            "mean over pairs of 1/p sum_j |r_sj - r_vj| / (r_sj + r_vj); direction= says whether rank "
            "1 is the least (ascending) or the most important; location=k lowers ranks above k to k+1"
        ),
        latex=r"\frac{2}{m (m - 1)} \sum_{i < v} \frac{1}{p} \sum_{j=1}^{p} \frac{\lvert r_{ij} "
        r"- r_{vj} \rvert}{r_{ij} + r_{vj}}",
        bounds="[0, 1)",
        higher_is_better=False,
        ties="average ranks",
        source="thesis, eq. 3.4; location: Jurman et al. (2008), Bioinformatics 24:258",
        kind="ranks",
        bind=bind_canberra,
    ),
)

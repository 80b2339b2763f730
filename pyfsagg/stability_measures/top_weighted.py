"""Rank agreement that counts the top of the list more than its tail."""

from __future__ import annotations

import numpy as np

from pyfsagg._base.checks import check_real
from pyfsagg._base.types import Floats
from pyfsagg._kernels.stability.pairs import overlap_block, weighted_kendall_pair_sum
from pyfsagg.exceptions import ParameterError
from pyfsagg.stability_measures._base import (
    STABILITY_MEASURES,
    Estimate,
    PairwiseAverage,
    StabilitySpec,
)
from pyfsagg.stability_measures.pairwise import correlation, kendall_cells, pairwise_is_cheaper

__all__: list[str] = []


def bind_top_down(ranks: Floats) -> PairwiseAverage:
    """Pearson correlation of Savage scores; features that tie share the mean of their scores."""
    p = ranks.shape[1]
    savage = np.cumsum(1.0 / np.arange(p, 0, -1))
    # An average rank of a tie group of size t spans ranks r - (t-1)/2 … r + (t-1)/2, so the mean
    # Savage score needs the group, which the prefix sums over sorted positions give.
    order = np.argsort(ranks, axis=1, kind="stable")
    ordered = np.take_along_axis(ranks, order, axis=1)
    prefix = np.concatenate(([0.0], np.cumsum(savage)))
    position = np.broadcast_to(np.arange(p), ranks.shape)
    fresh = np.ones(ranks.shape, dtype=bool)
    fresh[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    start = np.maximum.accumulate(np.where(fresh, position, 0), axis=1)
    stop = (2 * ordered - start - 1).astype(np.intp)
    scores = np.empty(ranks.shape)
    np.put_along_axis(scores, order, (prefix[stop] - prefix[start]) / (stop - start), axis=1)
    return correlation(scores)


def bind_weighted_kendall(ranks: Floats) -> PairwiseAverage:
    """Additive hyperbolic weights 1/r_j + 1/r_l, averaged over the weights of the two rankings."""
    m, p = ranks.shape
    weights = 1.0 / (p + 1 - ranks)
    block = kendall_cells(ranks, weights, symmetric=True)
    ordered = np.sort(ranks, axis=1)
    tied = bool((ordered[:, 1:] == ordered[:, :-1]).any())
    # With ties the norm of a row depends on the other row's weights, and the sum does not separate.
    direct = not tied and p > 1 and not pairwise_is_cheaper(m, p)
    shortcut = (lambda: _mean_weighted_kendall(ranks, weights)) if direct else None
    return PairwiseAverage(m, block, shortcut)


def _mean_weighted_kendall(ranks: Floats, weights: Floats) -> Estimate:
    m, p = ranks.shape
    norm = (p - 1) * float(weights[0].sum())
    total = float(weighted_kendall_pair_sum(ranks, weights)) / norm - m
    return Estimate(total / (m * (m - 1)), m * (m - 1) // 2, 0)


def bind_rank_biased_overlap(ranks: Floats, *, persistence: float = 0.9) -> PairwiseAverage:
    """Extrapolated overlap; a feature adds to every depth from its later rank on.

    The overlap at a depth is defined for strict lists only; what ties are left go by columns.
    """
    q = check_real("persistence", persistence, low=0.0, high=1.0, low_open=True)
    m, p = ranks.shape
    strict = _strict_order(ranks)
    depth = np.arange(1, p + 1)
    if q == 1.0:
        raise ParameterError("persistence must be below 1 (at 1 every pair of full lists scores 1)")
    share = (1 - q) * q ** (depth - 1.0) / depth
    gain = np.concatenate(([0.0], np.cumsum(share[::-1])[::-1] + q**p / p))
    index = strict.astype(np.intp)

    def block(left: slice, right: slice) -> Floats:
        cells: Floats = overlap_block(index[left], index[right], gain)
        return cells

    def shortcut() -> Estimate:
        columns = np.sort(index, axis=0)
        total = float((gain[columns] * np.arange(m)[:, None]).sum())
        n_pairs = m * (m - 1) // 2
        return Estimate(total / n_pairs, n_pairs, 0)

    return PairwiseAverage(m, block, shortcut)


def _strict_order(ranks: Floats) -> Floats:
    """Positions 1, 2, … from the most important feature on, ties by column order."""
    order = np.argsort(-ranks, axis=1, kind="stable")
    out = np.empty(ranks.shape)
    np.put_along_axis(out, order, np.arange(1.0, ranks.shape[1] + 1)[None, :], axis=1)
    return out


STABILITY_MEASURES.add(
    StabilitySpec(
        name="top_down",
        aliases=("weighted_spearman", "savage"),
        summary="mean top-down correlation (Pearson on Savage scores)",
        formula="mean over pairs of r(S_s, S_v), S = sum_{i = rank}^p 1/i",
        latex=r"\frac{2}{m (m - 1)} \sum_{i < v} r(S_i, S_v), \quad S_{ij} = \sum_{k = "
        r"r_{ij}}^{p} \frac{1}{k}",
        bounds="[-1, 1]",
        ties="tied features share the mean of their Savage scores",
        source="Iman & Conover (1987), Technometrics 29:351",
        corrected_for_chance=True,
        kind="ranks",
        bind=bind_top_down,
    ),
    StabilitySpec(
        name="weighted_kendall",
        aliases=("weighted_tau",),
        summary="mean weighted Kendall tau, additive hyperbolic weights",
        formula="mean over pairs of <s, v>_w / (|s|_w |v|_w), w_jl = 1/r_j + 1/r_l, averaged over both r",
        latex=r"\frac{2}{m (m - 1)} \sum_{i < v} \frac{\langle l_i, l_v \rangle_w}{\lVert l_i "
        r"\rVert_w \lVert l_v \rVert_w}, \quad w_{jk} = \frac{1}{r_j} + \frac{1}{r_k}",
        bounds="[-1, 1]",
        ties=(
            "average ranks; a tied pair adds nothing to the numerator; with many ties random rankings "
            "agree a little less than 0"
        ),
        source="Vigna (2015), WWW '15:1166",
        corrected_for_chance=True,
        kind="ranks",
        bind=bind_weighted_kendall,
    ),
    StabilitySpec(
        name="rank_biased_overlap",
        aliases=("rbo",),
        summary="mean extrapolated rank-biased overlap; persistence= (0.9)",
        formula="mean over pairs of X_p/p q^p + (1 - q)/q sum_d X_d/d q^d, X_d the overlap at depth d",
        latex=r"\frac{2}{m (m - 1)} \sum_{i < v} \left( \frac{X_p}{p} q^p + \frac{1 - q}{q} "
        r"\sum_{d=1}^{p} \frac{X_d}{d} q^d \right)",
        bounds="[0, 1]",
        ties="the mean over orders drawn with the seed: the overlap at a depth needs strict lists",
        breaks_ties=True,
        source="Webber, Moffat & Zobel (2010), ACM TOIS 28:20, RBO_ext",
        kind="ranks",
        bind=bind_rank_biased_overlap,
    ),
)

"""Stability of scores and rankings: averages over all pairs of resamples."""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pyfsagg._base import remarks, validation
from pyfsagg._base.arithmetic import CACHED, Booleans, Floats, RandomState, row_blocks
from pyfsagg._kernels import stability
from pyfsagg._message import Param
from pyfsagg.exceptions import ParameterError
from pyfsagg.ranks import rank_scores
from pyfsagg.stability_measures import _base, _input, chance
from pyfsagg.stability_measures._base import Estimate, PairwiseAverage, StabilitySpec


def _unit_rows(values: Floats, weights: Floats | None = None) -> tuple[Floats, Booleans]:
    """Rows centred and scaled to length one (under column weights; constant rows to zero, first divided
    by their maximum against overflow), and which vary."""
    unit, known = np.empty(values.shape), np.empty(len(values), dtype=np.bool_)
    for part in row_blocks(values.shape, CACHED):
        block = values[part]
        used = block if weights is None else block[:, weights > 0]
        varies = (used != used[:, :1]).any(axis=1)
        scale = np.abs(block).max(axis=1, keepdims=True)
        rows = block / np.where(scale > 0, scale, 1.0)
        if weights is None:
            rows -= rows.mean(axis=1, keepdims=True)
        else:
            rows -= (rows @ weights / weights.sum())[:, None]
            rows *= np.sqrt(weights)
        length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        varies &= length > 0
        rows[~varies] = 0.0
        unit[part] = rows / np.where(varies, length, 1.0)[:, None]
        known[part] = varies
    return unit, known


def bind_correlation(
    values: Floats, *, feature_weights: ArrayLike | None = None
) -> PairwiseAverage:
    """Pearson's correlation of scores; Spearman's of ranks."""
    weights = None
    if feature_weights is not None:
        weights = validation.as_array("feature_weights", feature_weights, np.float64)
        if weights.shape != (values.shape[1],):
            raise ParameterError(
                Param("feature_weights"),
                f" must contain one number per feature ({values.shape[1]}), got shape {weights.shape}",
            )
        if not np.isfinite(weights).all() or (weights < 0).any() or np.count_nonzero(weights) < 2:
            raise ParameterError(
                Param("feature_weights"),
                " must be finite and not negative, with at least two above zero",
            )
    rows, varies = _unit_rows(values, weights)

    def block(left: slice, right: slice) -> Floats:
        cells = np.clip(rows[left] @ rows[right].T, -1.0, 1.0)
        cells[~varies[left]] = np.nan
        cells[:, ~varies[right]] = np.nan
        return cells

    def shortcut() -> Estimate:
        m, known = len(varies), int(varies.sum())
        n_pairs = known * (known - 1) // 2
        undefined = m * (m - 1) // 2 - n_pairs
        if n_pairs == 0:
            return Estimate(np.nan, 0, undefined)
        total = rows.sum(axis=0)
        value = (float(total @ total) - float(np.einsum("ij,ij->", rows, rows))) / (2 * n_pairs)
        return Estimate(min(1.0, max(-1.0, value)), n_pairs, undefined)

    return PairwiseAverage(len(varies), block, shortcut)


def bind_canberra(
    ranks: Floats, *, direction: str = "ascending", location: int | None = None
) -> PairwiseAverage:
    """Canberra distance of ranks from the end that `direction` names, cut off after `location`."""
    validation.check_choice("direction", direction, ("ascending", "descending"))
    m, p = ranks.shape
    if direction == "descending":
        ranks = p + 1 - ranks
    if location is not None:
        ranks = np.minimum(ranks, validation.check_integer("location", location, low=1, high=p) + 1)
    oriented = np.ascontiguousarray(ranks)

    def block(left: slice, right: slice) -> Floats:
        return np.asarray(stability.canberra_block(oriented[left], oriented[right]) / p)

    def shortcut() -> Estimate:
        n_pairs = m * (m - 1) // 2
        total = float(stability.canberra_pair_sum(np.sort(oriented.T, axis=1)))
        return Estimate(total / (p * n_pairs), n_pairs, 0)

    return PairwiseAverage(m, _base.in_stripes(block, ranks.size), shortcut)


def bind_asd(scores: Floats) -> _base.WholeSample:
    rows, varies = _unit_rows(scores)
    rows *= math.sqrt(scores.shape[1] - 1)  # z-scores with ddof 1; those of constant rows are zero
    # About the column means the sums of squares do not cancel when the resamples agree closely.
    rows -= rows[varies].mean(axis=0) if varies.any() else 0.0
    squares = rows * rows

    def evaluate(weights: Floats) -> Floats:
        counted = weights * varies
        mass = counted.sum(axis=1)
        values = np.full(len(weights), np.nan)
        enough = mass > 1
        mass = mass[enough, None]
        mean = counted[enough] @ rows / mass
        variance = (counted[enough] @ squares - mass * mean * mean) / (mass - 1)
        # Rounding can leave a variance of zero slightly below zero.
        values[enough] = np.sqrt(np.maximum(variance, 0.0)).mean(axis=1)
        return values

    return _base.WholeSample(len(scores), evaluate, int((~varies).sum()))


def pairwise_is_cheaper(m: int, p: int) -> bool:
    """Whether m^2/2 merge sorts are faster than one pass over all pairs of columns, which is about 16
    times cheaper per element."""
    return m * 16 * math.log2(p + 1) < p


def kendall_cells(
    ranks: Floats, weights: Floats, *, symmetric: bool
) -> Callable[[slice, slice], Floats]:
    """Weighted tau-b of the rows of two slices of `ranks`."""
    order = np.argsort(ranks, axis=1)

    def block(left: slice, right: slice) -> Floats:
        rows, orders = (ranks[left], ranks[right]), (order[left], order[right])
        pair = (weights[left], weights[right])
        return np.asarray(stability.kendall_block(*rows, *orders, *pair, symmetric))

    return _base.in_stripes(block, 20 * ranks.size)  # each pair of rows is sorted


def bind_kendall(ranks: Floats) -> PairwiseAverage:
    m, p = ranks.shape

    def shortcut() -> Estimate:
        ordered = np.sort(ranks, axis=1)
        # The average rank of a tie group of size t exceeds its first rank by (t - 1) / 2; summing the
        # surplus over the group gives t (t - 1) / 2, its tied pairs.
        first = np.ones((m, p))
        fresh = ordered[:, 1:] != ordered[:, :-1]
        first[:, 1:] = np.where(fresh, np.arange(2, p + 1), 0.0)
        first = np.maximum.accumulate(first, axis=1)
        free = p * (p - 1) / 2 - (ordered - first).sum(axis=1)  # pairs of columns that are not tied
        known = free > 0
        n_known = int(known.sum())
        n_pairs, all_pairs = n_known * (n_known - 1) // 2, m * (m - 1) // 2
        if n_pairs == 0:
            return Estimate(np.nan, 0, all_pairs)
        lengths = 1 / np.sqrt(free[known])
        total = stability.kendall_pair_sum(np.ascontiguousarray(ranks[known]), lengths)
        value = (float(total) - n_known) / (2 * n_pairs)
        return Estimate(min(1.0, max(-1.0, value)), n_pairs, all_pairs - n_pairs)

    block = kendall_cells(ranks, np.ones((m, p)), symmetric=False)
    return PairwiseAverage(m, block, None if pairwise_is_cheaper(m, p) else shortcut)


def thesis_measures(
    scores: ArrayLike,
    *,
    n_features_to_select: float | int = 0.25,
    ties: str = "random",
    random_state: RandomState = None,
) -> dict[str, float]:
    """The five measures of the thesis (eq. 3.2 to 3.6) for a score matrix."""
    chance.check_ties(ties)
    matrix = _input.read_matrix(scores, kind="scores", name="scores")
    values = matrix.values
    _input.check_several(values.shape[1])
    size = validation.n_selected(n_features_to_select, values.shape[1], "n_features_to_select")
    ranks = rank_scores(values, higher_is_better=False)
    selection = chance.select(matrix, size, ties)
    drawn: Iterable[Booleans] = [selection.support]
    if selection.n_tied:
        drawn = chance.draw_selections(selection, validation.resolve_seed(random_state))
    bind = _base.STABILITY_MEASURES.get("jaccard").bind
    of_draws = [bind(replace(selection, support=each, shares=None)).estimate() for each in drawn]
    jaccard = replace(of_draws[0], value=float(np.mean([each.value for each in of_draws])))
    estimates = {
        "pearson": bind_correlation(values).estimate(),
        "spearman": bind_correlation(ranks).estimate(),
        "canberra": bind_canberra(ranks).estimate(),
        "jaccard": jaccard,
        "asd": bind_asd(values).estimate(),
    }
    undefined = estimates["pearson"].n_undefined
    if 0 < undefined < len(values) * (len(values) - 1) // 2:
        constant = estimates["asd"].n_undefined
        remarks.warn(
            f"{constant:,} of {len(values):,} resamples have the same score for all features: "
            f"they are omitted from ASD, and their {undefined:,} pairs out of the two correlations",
            stacklevel=2,
        )
    return {
        name: _base.require_defined(estimate, name, "pairs or rows").value
        for name, estimate in estimates.items()
    }


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
    return bind_correlation(scores)


def bind_weighted_kendall(ranks: Floats) -> PairwiseAverage:
    """Additive hyperbolic weights 1/r_j + 1/r_l, averaged over the weights of the two rankings."""
    m, p = ranks.shape
    weights = 1.0 / (p + 1 - ranks)
    block = kendall_cells(ranks, weights, symmetric=True)
    ordered = np.sort(ranks, axis=1)
    tied = bool((ordered[:, 1:] == ordered[:, :-1]).any())
    # With ties the norm of a row depends on the other row's weights, and the sum does not separate.
    direct = not tied and p > 1 and not pairwise_is_cheaper(m, p)

    def shortcut() -> Estimate:
        norm = (p - 1) * float(weights[0].sum())
        total = float(stability.weighted_kendall_pair_sum(ranks, weights)) / norm - m
        return Estimate(total / (m * (m - 1)), m * (m - 1) // 2, 0)

    return PairwiseAverage(m, block, shortcut if direct else None)


def bind_rank_biased_overlap(ranks: Floats, *, persistence: float = 0.9) -> PairwiseAverage:
    """Extrapolated overlap: a feature adds to every depth from its later rank on; the lists must be
    strict, so remaining ties are ordered by column."""
    q = validation.check_real("persistence", persistence, low=0.0, high=1.0, low_open=True)
    m, p = ranks.shape
    depth = np.arange(1, p + 1)
    if q == 1.0:
        raise ParameterError(
            Param("persistence"), " must be below 1 (at 1 every pair of full lists scores 1)"
        )
    share = (1 - q) * q ** (depth - 1.0) / depth
    gain = np.concatenate(([0.0], np.cumsum(share[::-1])[::-1] + q**p / p))
    index = np.empty(ranks.shape, dtype=np.intp)  # places from the most important feature on
    np.put_along_axis(index, np.argsort(-ranks, axis=1, kind="stable"), depth[None, :], axis=1)

    def block(left: slice, right: slice) -> Floats:
        return np.asarray(stability.overlap_block(index[left], index[right], gain))

    def shortcut() -> Estimate:
        columns = np.sort(index, axis=0)
        total = float((gain[columns] * np.arange(m)[:, None]).sum())
        n_pairs = m * (m - 1) // 2
        return Estimate(total / n_pairs, n_pairs, 0)

    return PairwiseAverage(m, _base.in_stripes(block, ranks.size), shortcut)


_WEIGHTED = "; feature_weights= gives the weighted coefficient"


def _correlation(formula: str, latex: str) -> dict[str, Any]:
    """What the mean correlations of pairs of resamples have in common."""
    return _base.over_pairs(formula, latex) | {"bounds": "[-1, 1]", "corrected_for_chance": True}


_base.STABILITY_MEASURES.add(
    StabilitySpec(
        name="pearson",
        aliases=("pcc", "pearson_correlation"),
        summary="mean Pearson correlation of score vectors",
        **_correlation(f"r(l_s, l_v){_WEIGHTED}", r"r(l_i, l_v)"),
        ties="do not matter",
        source="thesis, eq. 3.2; Nogueira & Brown (2016)",
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
        ties="do not matter",
        source="thesis, eq. 3.6",
        kind="scores",
        bind=bind_asd,
    ),
    StabilitySpec(
        name="spearman",
        aliases=("srcc", "spearman_correlation"),
        summary="mean Spearman correlation of rankings, average ranks for ties",
        **_correlation(
            f"r(rank l_s, rank l_v){_WEIGHTED}",
            r"r(\operatorname{rank} l_i, \operatorname{rank} l_v)",
        ),
        ties="average ranks",
        source="thesis, eq. 3.3",
        kind="ranks",
        bind=bind_correlation,
    ),
    StabilitySpec(
        name="kendall",
        aliases=("kendall_tau", "tau"),
        summary="mean Kendall tau-b of rankings",
        **_correlation(
            "(C - D) / sqrt((C + D + T_s) (C + D + T_v))",
            r"\frac{C - D}{\sqrt{(C + D + T_i)(C + D + T_v)}}",
        ),
        ties="as in tau-b",
        source="Kendall (1945), Biometrika 33:239",
        kind="ranks",
        bind=bind_kendall,
    ),
    StabilitySpec(
        name="canberra",
        aliases=("canberra_distance",),
        summary="mean Canberra distance of rankings, divided by p",
        **_base.over_pairs(
            "1/p sum_j |r_sj - r_vj| / (r_sj + r_vj); direction= says whether rank "
            "1 is the least (ascending) or the most important; location=k lowers ranks above k to k+1",
            r"\frac{1}{p} \sum_{j=1}^{p} \frac{\lvert r_{ij} - r_{vj} \rvert}{r_{ij} + r_{vj}}",
        ),
        bounds="[0, 1)",
        higher_is_better=False,
        ties="average ranks",
        source="thesis, eq. 3.4; location: Jurman et al. (2008), Bioinformatics 24:258",
        kind="ranks",
        bind=bind_canberra,
    ),
    StabilitySpec(
        name="top_down",
        aliases=("weighted_spearman", "savage"),
        summary="mean top-down correlation (Pearson on Savage scores)",
        **_correlation(
            "r(S_s, S_v), S = sum_{i = rank}^p 1/i",
            r"r(S_i, S_v), \quad S_{ij} = \sum_{k = r_{ij}}^{p} \frac{1}{k}",
        ),
        ties="mean of the tied Savage scores",
        source="Iman & Conover (1987), Technometrics 29:351",
        kind="ranks",
        bind=bind_top_down,
    ),
    StabilitySpec(
        name="weighted_kendall",
        aliases=("weighted_tau",),
        summary="mean weighted Kendall tau, additive hyperbolic weights",
        **_correlation(
            "<s, v>_w / (|s|_w |v|_w), w_jl = 1/r_j + 1/r_l, averaged over both r",
            r"\frac{\langle l_i, l_v \rangle_w}{\lVert l_i \rVert_w \lVert l_v \rVert_w}, \quad "
            r"w_{jk} = \frac{1}{r_j} + \frac{1}{r_k}",
        ),
        ties="average ranks; with many ties, the mean for random rankings is a little below 0",
        source="Vigna (2015), WWW '15:1166",
        kind="ranks",
        bind=bind_weighted_kendall,
    ),
    StabilitySpec(
        name="rank_biased_overlap",
        aliases=("rbo",),
        summary="mean extrapolated rank-biased overlap; persistence= (0.9)",
        **_base.over_pairs(
            "X_p/p q^p + (1 - q)/q sum_d X_d/d q^d, X_d the overlap at depth d",
            r"\left( \frac{X_p}{p} q^p + \frac{1 - q}{q} \sum_{d=1}^{p} \frac{X_d}{d} q^d \right)",
        ),
        bounds="[0, 1]",
        ties="averaged over random orders",
        breaks_ties=True,
        source="Webber, Moffat & Zobel (2010), ACM TOIS 28:20, RBO_ext",
        kind="ranks",
        bind=bind_rank_biased_overlap,
    ),
)

"""Stability of subsets when features stand in for one another: the adjusted measures of stabm.

Two features count as similar when their similarity is at least `threshold`; smaller similarities
are taken as zero.  A selection that replaces a feature by a similar one then loses little.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from pyfsagg._base.checks import check_choice, check_integer, check_real
from pyfsagg._base.types import Floats
from pyfsagg._kernels.stability.similarity import COUNT, GREEDY, MATCHING, MEAN, YU, adjusted_block
from pyfsagg.stability_measures._base import (
    BY_DRAWS,
    BY_FORMULA,
    STABILITY_MEASURES,
    PairwiseAverage,
    StabilitySpec,
    WholeSample,
)
from pyfsagg.stability_measures._input import Selection
from pyfsagg.stability_measures._similarity import (
    RandomLevel,
    enumerated_level,
    similar_pairs,
    yu_level,
)
from pyfsagg.stability_measures.chance import ExpectedPairs, hypergeometric_mean

__all__: list[str] = []


def _mean_size(left: Any, right: Any) -> Any:
    return (left + right) / 2.0


def _geometric_size(left: Any, right: Any) -> Any:
    return np.sqrt(left * right)


@dataclass(frozen=True)
class AdjustedPairs:
    """Binds an adjusted intersection (kind of the kernel) and its maximum to a selection."""

    kind: int
    maximum: Callable[[Any, Any], Any]
    default_correction: str

    def __call__(
        self,
        selection: Selection,
        *,
        similarity: Floats,
        threshold: float = 0.9,
        correction: str = "default",
        n_random: int = 10_000,
        random_state: int | Generator | None = 0,
    ) -> PairwiseAverage:
        check_choice("correction", correction, ("default", "none", "exact", "estimate"))
        if correction == "default":
            correction = self.default_correction
        graph = similar_pairs(
            similarity, check_real("threshold", threshold, low=0.0, high=1.0, low_open=True)
        )
        support = selection.support
        sizes = support.sum(axis=1).astype(np.float64)
        p = selection.p
        level: Callable[[int, int], float] | None = None
        if correction == "estimate":
            n_random = check_integer("n_random", n_random, low=1)
            level = RandomLevel(self.kind, graph, p, n_random, random_state)
        elif correction == "exact":
            level = (
                (lambda a, b: yu_level(graph, a, b, p))
                if self.kind == YU
                else (lambda a, b: enumerated_level(self.kind, graph, a, b, p))
            )
        expected = None if level is None else ExpectedPairs(sizes, level)

        def block(left: slice, right: slice) -> Floats:
            cells: Floats = adjusted_block(self.kind, support[left], support[right], graph)
            if self.kind == YU:
                both_empty = (sizes[left, None] == 0) & (sizes[None, right] == 0)
                cells[both_empty] = np.nan
            if expected is None:
                return cells
            chance = expected.block(left, right)
            width = self.maximum(sizes[left, None], sizes[None, right]) - chance
            # Within rounding of zero there is no room between chance and maximum.
            width[np.abs(width) < 1e-12] = np.nan
            adjusted: Floats = (cells - chance) / width
            return adjusted

        return PairwiseAverage(len(sizes), block)

    def chance(
        self,
        size: int,
        p: int,
        m: int,
        *,
        similarity: Floats,
        threshold: float = 0.9,
        correction: str = "default",
        n_random: int = 10_000,
        random_state: int | Generator | None = 0,
    ) -> float:
        """Expected value for two random subsets of one size."""
        if (self.default_correction if correction == "default" else correction) != "none":
            return 0.0 if 0 < size < p else float("nan")
        graph = similar_pairs(similarity, threshold)
        if self.kind == YU:
            return yu_level(graph, size, size, p)
        return RandomLevel(self.kind, graph, p, n_random, random_state)(size, size)


# ---------------------------------------------------------------------------------------------
# Zucknick and Sechidis
# ---------------------------------------------------------------------------------------------
def _thresholded(similarity: Floats, threshold: float) -> Floats:
    threshold = check_real("threshold", threshold, low=0.0, high=1.0)
    return np.where(similarity >= threshold, similarity, 0.0)


def bind_zucknick(
    selection: Selection,
    *,
    similarity: Floats,
    threshold: float = 0.9,
    correction: str = "none",
) -> PairwiseAverage:
    check_choice("correction", correction, ("none", "exact"))
    strong = _thresholded(similarity, threshold)
    member = selection.support.astype(np.float64)
    sizes = member.sum(axis=1)
    # Row i: total similarity to subset i of each feature outside it, so that its product with
    # another subset sums over the features of that subset alone.
    reach = (member @ strong) * (1 - member)
    expected = None
    if correction == "exact":
        p = selection.p
        between = _mean_off_diagonal(strong)
        expected = ExpectedPairs(
            sizes, lambda a, b: hypergeometric_mean(_expected_zucknick(between), a, b, p)
        )

    def block(left: slice, right: slice) -> Floats:
        shared = member[left] @ member[right].T
        n_left, n_right = sizes[left, None], sizes[None, right]
        extra = reach[left] @ member[right].T / np.maximum(n_right, 1.0)
        extra += member[left] @ reach[right].T / np.maximum(n_left, 1.0)
        union = n_left + n_right - shared
        cells = np.full(shared.shape, np.nan)
        np.divide(shared + extra, union, out=cells, where=union > 0)
        if expected is None:
            return cells
        chance = expected.block(left, right)
        width = 1.0 - chance
        width[np.abs(width) < 1e-12] = np.nan
        return (cells - chance) / width

    return PairwiseAverage(len(sizes), block)


def _expected_zucknick(between: float) -> Callable[[Floats, Floats, Floats, float], Floats]:
    """Given the intersection, the features outside it are uniform: the mean is linear in them."""

    def formula(shared: Floats, left: Floats, right: Floats, p: float) -> Floats:
        there = between * left * (right - shared) / np.maximum(right, 1.0)
        back = between * right * (left - shared) / np.maximum(left, 1.0)
        return (shared + there + back) / (left + right - shared)

    return formula


def bind_sechidis(
    selection: Selection, *, similarity: Floats, threshold: float = 0.9
) -> WholeSample:
    strong = _thresholded(similarity, threshold)
    member = selection.membership
    sizes = selection.sizes
    own = np.einsum("ij,ij->i", member @ strong, member)
    among_ties = _similarity_among_ties(member, strong)
    p = selection.p
    diagonal, everything = float(np.trace(strong)), float(strong.sum())

    def evaluate(weights: Floats) -> Floats:
        n = weights.sum(axis=1)
        mean = weights @ member / n[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = weights @ own - n * np.einsum("bj,bj->b", mean @ strong, mean)
            if among_ties is not None:
                spread += (weights - weights**2 / n[:, None]) @ among_ties
            observed = spread / (n - 1)
            size = weights @ sizes / n
            square = weights @ sizes**2 / n
            on = size / p * (1 - size / p)
            off = (square - size) / (p * p - p) - (size / p) ** 2
            chance = on * diagonal + off * (everything - diagonal)
            usable = (size > 0) & (size < p) & (np.abs(chance) > 1e-12)
            found = np.where(usable, 1 - observed / chance, np.nan)
        return np.where(np.isfinite(found), found, np.nan)

    return WholeSample(len(sizes), evaluate)


def _similarity_among_ties(member: Floats, strong: Floats) -> Floats | None:
    """What the expected similarity of a subset with itself has beyond that of its expected shares.

    A resample takes r of g tied features, each with probability q = r/g: two of them together with
    q (r - 1) / (g - 1), which is q (1 - q) / (g - 1) less than q^2.
    """
    tied = ((member > 0) & (member < 1)).astype(np.float64)
    if not tied.any():
        return None
    group = tied.sum(axis=1)
    chance = (member * tied).sum(axis=1) / np.maximum(group, 1.0)
    single = tied @ np.diag(strong)
    together = np.einsum("ij,ij->i", tied @ strong, tied) - single
    found: Floats = chance * (1 - chance) * (single - together / np.maximum(group - 1, 1.0))
    return found


def zucknick_chance(
    size: int,
    p: int,
    m: int,
    *,
    similarity: Floats,
    threshold: float = 0.9,
    correction: str = "none",
) -> float:
    if correction == "exact":
        return 0.0 if 0 < size < p else float("nan")
    between = _mean_off_diagonal(_thresholded(similarity, threshold))
    return hypergeometric_mean(_expected_zucknick(between), size, size, p)


def sechidis_chance(size: int, p: int, m: int, **_options: Any) -> float:
    return 0.0 if 0 < size < p else float("nan")


def _mean_off_diagonal(matrix: Floats) -> float:
    p = len(matrix)
    return float(matrix.sum() - np.trace(matrix)) / max(1, p * (p - 1))


# ---------------------------------------------------------------------------------------------
# the table
# ---------------------------------------------------------------------------------------------
_LOD = "Bommert & Rahnenführer (2020), LOD:203"
_SCALED = "mean over pairs of (I - E I) / (sqrt(n_i n_v) - E I), I = |V_i n V_v| + "


def _adjusted(*, by_formula: bool = False, **said: Any) -> StabilitySpec:
    """What the measures with similar features have in common."""
    needs = ("n_features", "similarity")
    ties = BY_FORMULA if by_formula else BY_DRAWS
    return StabilitySpec(kind="sets", needs=needs, ties=ties, breaks_ties=not by_formula, **said)


def _intersection(*, pairs: AdjustedPairs, **said: Any) -> StabilitySpec:
    return _adjusted(bind=pairs, chance=pairs.chance, corrected_for_chance=True, **said)


STABILITY_MEASURES.add(
    _intersection(
        name="intersection_count",
        summary="adjusted intersection by counting features that have a stand-in",
        formula=_SCALED + "min(O_iv, O_vi)",
        latex=r"\frac{2}{m (m - 1)} \sum_{i < v} \frac{I - \mathrm{E}\, I}{\sqrt{n_i n_v} - "
        r"\mathrm{E}\, I}, \quad I = |V_i \cap V_v| + \min(O_{iv}, O_{vi})",
        bounds="(-inf, 1]",
        source=_LOD,
        pairs=AdjustedPairs(COUNT, _geometric_size, "estimate"),
    ),
    _intersection(
        name="intersection_greedy",
        summary="adjusted intersection by a greedy matching of stand-ins",
        formula=_SCALED + "greedy matching(V_i - V_v, V_v - V_i)",
        latex=r"\frac{2}{m (m - 1)} \sum_{i < v} \frac{I - \mathrm{E}\, I}{\sqrt{n_i n_v} - "
        r"\mathrm{E}\, I}, \quad I = |V_i \cap V_v| + \operatorname{greedy}(V_i \setminus "
        r"V_v, V_v \setminus V_i)",
        bounds="(-inf, 1]",
        source=_LOD,
        pairs=AdjustedPairs(GREEDY, _geometric_size, "estimate"),
    ),
    _intersection(
        name="intersection_mbm",
        summary="adjusted intersection by a maximum bipartite matching of stand-ins",
        formula=_SCALED + "maximum matching(V_i - V_v, V_v - V_i)",
        latex=r"\frac{2}{m (m - 1)} \sum_{i < v} \frac{I - \mathrm{E}\, I}{\sqrt{n_i n_v} - "
        r"\mathrm{E}\, I}, \quad I = |V_i \cap V_v| + \operatorname{matching}(V_i "
        r"\setminus V_v, V_v \setminus V_i)",
        bounds="(-inf, 1]",
        source=_LOD,
        pairs=AdjustedPairs(MATCHING, _geometric_size, "estimate"),
    ),
    _intersection(
        name="intersection_mean",
        summary="adjusted intersection by mean similarity to the stand-ins",
        formula=_SCALED + "min(M_iv, M_vi), M the sum of mean similarities to stand-ins",
        latex=r"\frac{2}{m (m - 1)} \sum_{i < v} \frac{I - \mathrm{E}\, I}{\sqrt{n_i n_v} - "
        r"\mathrm{E}\, I}, \quad I = |V_i \cap V_v| + \min(M_{iv}, M_{vi})",
        bounds="(-inf, 1]",
        source=_LOD,
        pairs=AdjustedPairs(MEAN, _geometric_size, "estimate"),
    ),
    _adjusted(
        name="sechidis",
        summary="effective stability: selection covariance weighted by similarity",
        formula="1 - trace(C S) / trace(C S_0), S the covariance of the indicators, S_0 that of chance",
        latex=r"1 - \frac{\operatorname{tr}(C S)}{\operatorname{tr}(C S_0)}",
        bounds="(-inf, inf)",
        source="Sechidis et al. (2020), ECML PKDD:327",
        bind=bind_sechidis,
        by_formula=True,
        chance=sechidis_chance,
    ),
    _intersection(
        name="yu",
        summary="intersection plus the mean number of features with a stand-in, chance-corrected",
        formula="mean over pairs of (I - E I) / ((n_i + n_v)/2 - E I), I = |V_i n V_v| + (O_iv + O_vi)/2",
        latex=r"\frac{2}{m (m - 1)} \sum_{i < v} \frac{I - \mathrm{E}\, I}{\frac{n_i + n_v}{2} "
        r"- \mathrm{E}\, I}, \quad I = |V_i \cap V_v| + \frac{O_{iv} + O_{vi}}{2}",
        bounds="(-inf, 1]",
        source="Yu, Han & Berens (2012), IEEE/ACM TCBB 9:262",
        pairs=AdjustedPairs(YU, _mean_size, "exact"),
    ),
    _adjusted(
        name="zucknick",
        summary="Jaccard index that adds the similarity of the features not shared",
        formula="mean over pairs of (|V_i n V_v| + C(V_i, V_v) + C(V_v, V_i)) / |V_i u V_v|",
        latex=r"\frac{2}{m (m - 1)} \sum_{i < v} \frac{|V_i \cap V_v| + C(V_i, V_v) + C(V_v, "
        r"V_i)}{|V_i \cup V_v|}",
        bounds="[0, inf)",
        source="Zucknick, Richardson & Stronach (2008), SAGMB 7(1)",
        bind=bind_zucknick,
        chance=zucknick_chance,
    ),
)

"""Stability of subsets when similar features replace each other: the adjusted measures of stabm."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pandas as pd

from pyfsagg._base import validation
from pyfsagg._base.arithmetic import Floats, RandomState
from pyfsagg._kernels import stability
from pyfsagg._kernels.stability import YU
from pyfsagg._message import Param, Remedy, Use
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.stability_measures import _base, _input, chance
from pyfsagg.stability_measures.sets import set_measure

MAX_COMBINATIONS = 1_000_000
"""Pairs of subsets that an exact expectation by enumeration may visit for one pair of sizes."""


def check_similarity(
    similarity: Any, labels: tuple[Any, ...] | None, measure: str
) -> tuple[Floats, tuple[str, ...] | None]:
    """Validate a similarity matrix; a frame is brought into the order of `labels`."""
    if similarity is None:
        raise ParameterError(
            f"the measure {measure!r} needs ",
            Param("similarity"),
            ", a (p, p) matrix of feature similarities within [0, 1]",
        )
    names: tuple[str, ...] | None = None
    if isinstance(similarity, pd.DataFrame):
        similarity, names = _in_order(similarity, labels)
    try:
        matrix = validation.as_array("similarity", similarity, np.float64)
    except (TypeError, ValueError) as error:
        raise InputTypeError(Param("similarity"), f" is not a matrix of numbers: {error}") from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise DataError(
            Param("similarity"),
            f" must be a square matrix (features by features), got shape {matrix.shape}",
        )
    if not np.isfinite(matrix).all() or matrix.min() < 0 or matrix.max() > 1:
        raise DataError(
            Param("similarity"),
            " must lie within [0, 1]",
            Remedy("take the absolute value of correlations and clip rounding errors"),
        )
    if not np.allclose(matrix, matrix.T, rtol=0, atol=1e-12):
        raise DataError(
            Param("similarity"), " must be symmetric: similarity[i, j] equals similarity[j, i]"
        )
    return matrix, names


def membership_similarity(
    sets: Mapping[str, Iterable[Any]],
    feature_names: Iterable[str] | None = None,
    *,
    of: Literal["members", "sets"] = "members",
) -> pd.DataFrame:
    """Similarity of members that are in the same sets, or of sets that share members: a Jaccard index.

    Selections are then seen through sets that overlap, as pathways do: as `similarity` of
    :func:`pyfsagg.stability` it lets a gene stand in for another of the same pathways, or, where pathways
    are selected, a pathway for another of the same genes.

    Parameters
    ----------
    sets : dict of set name to names of its members
    feature_names : iterable, optional
        Further members, or sets, which are similar to none.
    of : {"members", "sets"}

    Returns
    -------
    DataFrame (p, p)
        1 on the diagonal; members in no common set have 0.

    Examples
    --------
    >>> membership_similarity({"one": "ab", "two": "bc"}, "d").loc["b"].tolist()
    [0.5, 1.0, 0.5, 0.0]
    """
    validation.check_choice("of", of, ("members", "sets"))
    known = validation.check_mapping("sets", sets)
    rows = [(str(member), str(name)) for name, members in known.items() for member in members]
    pairs = pd.DataFrame(rows, columns=["members", "sets"]).drop_duplicates()
    named = pairs["members"] if of == "members" else list(map(str, known))
    names = list(dict.fromkeys([*named, *map(str, feature_names or ())]))
    other = "sets" if of == "members" else "members"
    holds = pd.crosstab(pairs[of], pairs[other]).reindex(names, fill_value=0).to_numpy(dtype=float)
    shared, sizes = holds @ holds.T, holds.sum(axis=1)
    similarity = shared / np.maximum(sizes[:, np.newaxis] + sizes - shared, 1.0)
    np.fill_diagonal(similarity, 1.0)
    return pd.DataFrame(similarity, index=names, columns=names)


def _in_order(
    frame: pd.DataFrame, labels: tuple[Any, ...] | None
) -> tuple[Floats, tuple[str, ...]]:
    """The cells of a similarity frame with rows and columns in the order of `labels`."""
    rows, columns = [str(v) for v in frame.index], [str(v) for v in frame.columns]
    if len(rows) == len(columns) and (set(rows) != set(columns) or len(set(rows)) < len(rows)):
        raise DataError("the rows and columns of similarity must carry the same names, each once")
    cells = frame.set_axis(rows).set_axis(columns, axis=1)
    order = columns if labels is None else [str(label) for label in labels]
    if len(rows) == len(columns) == len(order):
        if set(order) != set(columns):
            odd = next(name for name in order if name not in set(columns))
            raise DataError(f"the feature {odd!r} is not among the names of similarity")
        cells = cells.loc[order, order]
    return cells.to_numpy(), tuple(order)


def similar_pairs(matrix: Floats, threshold: float) -> stability.Neighbours:
    """The graph of the pairs of features whose similarity reaches the threshold."""
    joined = matrix >= threshold
    np.fill_diagonal(joined, False)
    rows, columns = np.nonzero(joined)
    strength = matrix[rows, columns]
    start = np.concatenate(([0], np.cumsum(joined.sum(axis=1)))).astype(np.intp)
    # Most similar first; ties by the smaller, then the larger feature, whichever subset they
    # are in, so the greedy matching of two subsets does not depend on their order.
    order = np.lexsort((np.maximum(rows, columns), np.minimum(rows, columns), -strength))
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    return stability.Neighbours(start, columns.astype(np.intp), strength, place)


def random_level(
    kind: int, graph: stability.Neighbours, p: int, n_random: int, random_state: RandomState
) -> Callable[[int, int], float]:
    """Monte Carlo mean of an adjusted intersection by sizes, from prefixes of the same permutations, so
    levels are monotone in the sizes."""
    seeds = np.random.default_rng(random_state).integers(0, 2**63, size=2)

    def level(left: int, right: int) -> float:
        total = 0.0
        generators = [np.random.default_rng(seed) for seed in seeds]
        for first in range(0, n_random, 1000):
            count = min(1000, n_random - first)
            drawn = []
            for rng, size in zip(generators, (left, right), strict=True):
                position = np.argsort(rng.random((count, p)), axis=1)
                support = np.zeros((count, p), dtype=bool)
                np.put_along_axis(support, position[:, :size], True, axis=1)
                drawn.append(support)
            total += float(stability.adjusted_rows(kind, drawn[0], drawn[1], graph).sum())
        return total / n_random

    return level


def enumerated_level(
    kind: int, graph: stability.Neighbours, left: int, right: int, p: int
) -> float:
    """Mean of an adjusted intersection over all pairs of subsets of the two sizes."""
    n_pairs = np.exp(chance.log_choose(p, left) + chance.log_choose(p, right))
    if n_pairs > MAX_COMBINATIONS * (1 + 1e-9):
        raise ParameterError(
            Use(chance_correction="exact"),
            f" needs {float(n_pairs):.3g} pairs of subsets for sizes {left} and {right} out of ",
            f"{p}, more than {MAX_COMBINATIONS}",
            Remedy("use ", Use(chance_correction="estimate")),
        )
    supports = []
    for size in (left, right):
        chosen = list(combinations(range(p), size))
        support = np.zeros((len(chosen), p), dtype=bool)
        for row, positions in zip(support, chosen, strict=True):
            row[list(positions)] = True
        supports.append(support)
    return float(stability.adjusted_block(kind, supports[0], supports[1], graph).mean())


def yu_level(graph: stability.Neighbours, left: int, right: int, p: int) -> float:
    """Exact mean of Yu's intersection, by the degrees of the similarity graph."""
    degrees, counts = np.unique(np.diff(graph.start), return_counts=True)
    there = sum(c * _stand_in(int(d), left, right, p) for d, c in zip(degrees, counts, strict=True))
    back = sum(c * _stand_in(int(d), right, left, p) for d, c in zip(degrees, counts, strict=True))
    return left * right / p + 0.5 * float(there + back)


def _stand_in(degree: int, first: int, second: int, p: int) -> float:
    """P(a feature is only in the first subset, and a neighbour only in the second): the number a of
    neighbours outside the first is hypergeometric, and the second misses them with probability C(p-1-a,
    n)/C(p-1, n)."""
    if degree == 0 or first in (0, p) or second in (0, p):
        return 0.0
    outside = np.arange(max(0, degree - first + 1), min(degree, p - first) + 1).astype(np.float64)
    inside = degree - outside
    log_law = (
        chance.log_choose(p - first, outside)
        + chance.log_choose(first - 1, inside)
        - chance.log_choose(p - 1, degree)
    )
    missed = np.exp(chance.log_choose(p - 1 - outside, second) - chance.log_choose(p - 1, second))
    return float(first / p * (1 - second / p) * (np.exp(log_law) @ (1 - missed)))


@dataclass(frozen=True)
class AdjustedPairs:
    """Binds an adjusted intersection (kind of the kernel) to a selection."""

    kind: int

    def __call__(
        self,
        selection: _input.SelectedSets,
        *,
        similarity: Floats,
        threshold: float = 0.9,
        chance_correction: str = "default",
        n_random: int = 10_000,
        random_state: RandomState = 0,
    ) -> _base.PairwiseAverage:
        validation.check_choice(
            "chance_correction", chance_correction, ("default", "none", "exact", "estimate")
        )
        threshold = validation.check_real("threshold", threshold, low=0.0, high=1.0, low_open=True)
        graph = similar_pairs(similarity, threshold)
        support, p = selection.support, selection.p
        sizes = support.sum(axis=1).astype(np.float64)
        expected = None
        if chance_correction != "none":
            level = self._level(graph, p, chance_correction, n_random, random_state)
            expected = chance.ExpectedPairs(sizes, level)

        def block(left: slice, right: slice) -> Floats:
            rows, n_left, n_right = support[left], sizes[left, None], sizes[None, right]
            cells: Floats = stability.adjusted_block(self.kind, rows, support[right], graph)
            if self.kind == YU:
                cells[(n_left == 0) & (n_right == 0)] = np.nan
            if expected is None:
                return cells
            largest = (n_left + n_right) / 2.0 if self.kind == YU else np.sqrt(n_left * n_right)
            return _corrected(cells, expected.block(left, right), largest)

        return _base.PairwiseAverage(len(sizes), block)

    def _level(
        self,
        graph: stability.Neighbours,
        p: int,
        how: str,
        n_random: int,
        random_state: RandomState,
    ) -> Callable[[int, int], float]:
        """The mean of the intersection of random subsets, by their two sizes."""
        if how == "exact" and self.kind != YU:
            return lambda left, right: enumerated_level(self.kind, graph, left, right, p)
        if how != "estimate" and self.kind == YU:  # which has an exact level at every size
            return lambda left, right: yu_level(graph, left, right, p)
        n_random = validation.check_integer("n_random", n_random, low=1)
        return random_level(self.kind, graph, p, n_random, random_state)

    def chance(
        self,
        size: int,
        p: int,
        m: int,
        *,
        similarity: Floats,
        threshold: float = 0.9,
        chance_correction: str = "default",
        n_random: int = 10_000,
        random_state: RandomState = 0,
    ) -> float:
        """Expected value for two random subsets of one size."""
        if chance_correction != "none":
            return chance.corrected_level(size, p, m)
        graph = similar_pairs(similarity, threshold)
        return self._level(graph, p, "default", n_random, random_state)(size, size)


def _corrected(cells: Floats, level: Floats, maximum: Floats | float) -> Floats:
    """Similarities as a share of the way from chance to the maximum."""
    width: Floats = maximum - level
    # Within rounding of zero there is no room between chance and maximum.
    width[np.abs(width) < 1e-12] = np.nan
    return (cells - level) / width


def _thresholded(similarity: Floats, threshold: float) -> Floats:
    threshold = validation.check_real("threshold", threshold, low=0.0, high=1.0)
    return np.where(similarity >= threshold, similarity, 0.0)


def bind_zucknick(
    selection: _input.SelectedSets,
    *,
    similarity: Floats,
    threshold: float = 0.9,
    chance_correction: str = "none",
) -> _base.PairwiseAverage:
    validation.check_choice("chance_correction", chance_correction, ("none", "exact"))
    strong = _thresholded(similarity, threshold)
    member = selection.support.astype(np.float64)
    sizes = member.sum(axis=1)
    # Row i: total similarity to subset i of each feature outside it, so its product with
    # another subset sums over the features of that subset alone.
    reach = (member @ strong) * (1 - member)
    expected = None
    if chance_correction == "exact":
        formula = _expected_zucknick(strong)
        expected = chance.ExpectedPairs(
            sizes, lambda a, b: chance.hypergeometric_mean(formula, a, b, selection.p)
        )

    def block(left: slice, right: slice) -> Floats:
        shared = member[left] @ member[right].T
        n_left, n_right = sizes[left, None], sizes[None, right]
        extra = reach[left] @ member[right].T / np.maximum(n_right, 1.0)
        extra += member[left] @ reach[right].T / np.maximum(n_left, 1.0)
        union = n_left + n_right - shared
        cells = np.full(shared.shape, np.nan)
        np.divide(shared + extra, union, out=cells, where=union > 0)
        return cells if expected is None else _corrected(cells, expected.block(left, right), 1.0)

    return _base.PairwiseAverage(len(sizes), block)


def _expected_zucknick(strong: Floats) -> Callable[[Floats, Floats, Floats, float], Floats]:
    """Given the intersection, the features outside it are uniform: the mean is linear in them."""
    n = len(strong)
    between = float(strong.sum() - np.trace(strong)) / max(1, n * (n - 1))

    def formula(shared: Floats, left: Floats, right: Floats, p: float) -> Floats:
        there = between * left * (right - shared) / np.maximum(right, 1.0)
        back = between * right * (left - shared) / np.maximum(left, 1.0)
        return (shared + there + back) / (left + right - shared)

    return formula


def bind_sechidis(
    selection: _input.SelectedSets, *, similarity: Floats, threshold: float = 0.9
) -> _base.WholeSample:
    strong = _thresholded(similarity, threshold)
    member = selection.membership
    sizes = selection.sizes
    within = np.einsum("ij,ij->i", member @ strong, member)
    among_ties = _similarity_among_ties(member, strong)
    p = selection.p
    diagonal, everything = float(np.trace(strong)), float(strong.sum())

    def evaluate(weights: Floats) -> Floats:
        n = weights.sum(axis=1)
        mean = weights @ member / n[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = weights @ within - n * np.einsum("bj,bj->b", mean @ strong, mean)
            if among_ties is not None:
                spread += (weights - weights**2 / n[:, None]) @ among_ties
            observed = spread / (n - 1)
            size = weights @ sizes / n
            square = weights @ sizes**2 / n
            on = size / p * (1 - size / p)
            off = (square - size) / (p * p - p) - (size / p) ** 2
            by_chance = on * diagonal + off * (everything - diagonal)
            usable = (size > 0) & (size < p) & (np.abs(by_chance) > 1e-12)
            values = np.where(usable, 1 - observed / by_chance, np.nan)
        return np.where(np.isfinite(values), values, np.nan)

    return _base.WholeSample(len(sizes), evaluate)


def _similarity_among_ties(member: Floats, strong: Floats) -> Floats | None:
    """Expected self-similarity of a subset minus that of its expected shares: of g tied features r are
    taken, two together with probability q (r - 1) / (g - 1), q = r/g."""
    tied = ((member > 0) & (member < 1)).astype(np.float64)
    if not tied.any():
        return None
    group = tied.sum(axis=1)
    share = (member * tied).sum(axis=1) / np.maximum(group, 1.0)
    single = tied @ np.diag(strong)
    together = np.einsum("ij,ij->i", tied @ strong, tied) - single
    return np.asarray(share * (1 - share) * (single - together / np.maximum(group - 1, 1.0)))


def zucknick_chance(
    size: int,
    p: int,
    m: int,
    *,
    similarity: Floats,
    threshold: float = 0.9,
    chance_correction: str = "none",
) -> float:
    if chance_correction == "exact":
        return chance.corrected_level(size, p, m)
    formula = _expected_zucknick(_thresholded(similarity, threshold))
    return chance.hypergeometric_mean(formula, size, size, p)


def _adjusted(**parts: Any) -> _base.StabilitySpec:
    """What the measures with similar features have in common."""
    return set_measure(needs=("n_features", "similarity"), **parts)


def _intersection(kind: int, *, formula: str, latex: str, **parts: Any) -> _base.StabilitySpec:
    """The intersection plus the contribution of stand-ins (`formula`), corrected for chance."""
    pairs = AdjustedPairs(kind)
    size, size_in_latex = "sqrt(n_i n_v)", r"\sqrt{n_i n_v}"
    if kind == YU:
        size, size_in_latex = "(n_i + n_v)/2", r"\frac{n_i + n_v}{2}"
    share = rf"\frac{{I - \mathrm{{E}}\, I}}{{{size_in_latex} - \mathrm{{E}}\, I}}"
    return _adjusted(
        **_base.over_pairs(
            f"(I - E I) / ({size} - E I), I = |V_i n V_v| + {formula}",
            rf"{share}, \quad I = |V_i \cap V_v| + {latex}",
        ),
        bounds="(-inf, 1]",
        corrected_for_chance=True,
        bind=pairs,
        chance=pairs.chance,
        **parts,
    )


_LOD = "Bommert & Rahnenführer (2020), LOD:203"
_base.STABILITY_MEASURES.add(
    _intersection(
        stability.COUNT,
        name="intersection_count",
        summary="adjusted intersection, by counting features with a stand-in",
        formula="min(O_iv, O_vi)",
        latex=r"\min(O_{iv}, O_{vi})",
        source=_LOD,
    ),
    _intersection(
        stability.GREEDY,
        name="intersection_greedy",
        summary="adjusted intersection, by a greedy matching of stand-ins",
        formula="greedy matching(V_i - V_v, V_v - V_i)",
        latex=r"\operatorname{greedy}(V_i \setminus V_v, V_v \setminus V_i)",
        source=_LOD,
    ),
    _intersection(
        stability.MATCHING,
        name="intersection_mbm",
        summary="adjusted intersection, by a maximum bipartite matching",
        formula="maximum matching(V_i - V_v, V_v - V_i)",
        latex=r"\operatorname{matching}(V_i \setminus V_v, V_v \setminus V_i)",
        source=_LOD,
    ),
    _intersection(
        stability.MEAN,
        name="intersection_mean",
        summary="adjusted intersection, by mean similarity to the stand-ins",
        formula="min(M_iv, M_vi), M the sum of mean similarities to stand-ins",
        latex=r"\min(M_{iv}, M_{vi})",
        source=_LOD,
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
        chance=chance.corrected_level,
    ),
    _intersection(
        YU,
        name="yu",
        summary="intersection plus features with a stand-in, chance-corrected",
        formula="(O_iv + O_vi)/2",
        latex=r"\frac{O_{iv} + O_{vi}}{2}",
        source="Yu, Han & Berens (2012), IEEE/ACM TCBB 9:262",
    ),
    _adjusted(
        name="zucknick",
        summary="Jaccard index plus the similarity of the features not shared",
        **_base.over_pairs(
            "(|V_i n V_v| + C(V_i, V_v) + C(V_v, V_i)) / |V_i u V_v|",
            r"\frac{|V_i \cap V_v| + C(V_i, V_v) + C(V_v, V_i)}{|V_i \cup V_v|}",
        ),
        bounds="[0, inf)",
        source="Zucknick, Richardson & Stronach (2008), SAGMB 7(1)",
        bind=bind_zucknick,
        chance=zucknick_chance,
    ),
)

"""Stability of feature subsets: the measures of stabm that need no similarity of features.

With I the size of the intersection of two subsets and n_i, n_v their sizes, the pairwise measures
are functions of (I, n_i, n_v, p), and I is counted by bits.  The others are
functions of how often each feature is selected.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.validation import check_choice, check_real
from pyfsagg._kernels.stability import common_members
from pyfsagg.stability_measures import _base, chance, nogueira
from pyfsagg.stability_measures._base import WholeSample
from pyfsagg.stability_measures._input import SelectedSets

Formula = Callable[[Floats, Floats, Floats, float], Floats]


def jaccard(shared: Floats, left: Floats, right: Floats, p: float) -> Floats:
    return shared / (left + right - shared)


def lustgarten(shared: Floats, left: Floats, right: Floats, p: float) -> Floats:
    width = np.minimum(left, right) - np.maximum(0.0, left + right - p)
    return np.asarray((shared - left * right / p) / width)


def phi(shared: Floats, left: Floats, right: Floats, p: float) -> Floats:
    spread = np.sqrt(left * (p - left)) * np.sqrt(right * (p - right))
    return np.asarray((p * shared - left * right) / spread)


def _excess(largest: Callable[[Floats, Floats], Floats]) -> Formula:
    """(I - E I) / (`largest` - E I), with E I = n_i n_v / p."""

    def formula(shared: Floats, left: Floats, right: Floats, p: float) -> Floats:
        expected = left * right / p
        return np.asarray((shared - expected) / (largest(left, right) - expected))

    return formula


@dataclass(frozen=True)
class SetPairs:
    """Binds a formula to a selection; `maximum` is 1 for all formulas that can be corrected.

    A formula that is `linear` in the intersection takes ties as expected intersections.
    """

    formula: Formula
    correctable: bool = False
    linear: bool = False

    def __call__(
        self, selection: SelectedSets, *, chance_correction: str = "none"
    ) -> _base.PairwiseAverage:
        known = ("none", "exact") if self.correctable else ("none",)
        check_choice("chance_correction", chance_correction, known)
        corrected = chance_correction == "exact"
        least = lambda: nogueira.pairs_variance(selection, self._corrected(selection, corrected))  # noqa: E731
        if selection.shares is not None:
            return self._of_shares(selection, selection.shares, corrected, least)
        support = selection.support
        bits = np.zeros((len(support), -(-support.shape[1] // 64) * 8), np.uint8)
        bits[:, : -(-support.shape[1] // 8)] = np.packbits(support, axis=1)
        member = bits.view(np.uint64)
        sizes = selection.sizes
        p = np.nan if selection.n_features is None else float(selection.n_features)
        expected = None
        if corrected:
            expected = chance.ExpectedPairs(
                sizes, lambda a, b: chance.hypergeometric_mean(self.formula, a, b, selection.p)
            )

        def block(left: slice, right: slice) -> Floats:
            shared = common_members(member[left], member[right])
            # 0/0 marks the pairs for which a measure is not defined.
            with np.errstate(divide="ignore", invalid="ignore"):
                cells = self.formula(shared, sizes[left, None], sizes[None, right], p)
                if expected is not None:
                    level = expected.block(left, right)
                    cells = (cells - level) / np.where(level < 1.0, 1.0 - level, np.nan)
            return cells

        return _base.PairwiseAverage(len(sizes), block, least_variance=least)

    def _of_shares(
        self, selection: SelectedSets, shares: Floats, corrected: bool, least: Callable[[], float]
    ) -> _base.PairwiseAverage:
        """With ties at the edge, in O(m p): subsets of scores have one size, and row i has expected
        intersections w_i (W - w_i), with W the sum of rows."""
        size, formula, m = selection.sizes[0], self._corrected(selection, corrected), len(shares)
        n_pairs = m * (m - 1) // 2
        rows = shares @ shares.sum(axis=0) - np.einsum("ij,ij->i", shares, shares)

        def value(shared: Floats) -> Floats:
            with np.errstate(divide="ignore", invalid="ignore"):
                return formula(shared, size, size, float(selection.p))

        def estimate() -> _base.Estimate:
            mean = float(value(np.array([rows.sum() / (2 * n_pairs)]))[0])
            defined = n_pairs if np.isfinite(mean) else 0
            return _base.Estimate(mean if defined else np.nan, defined, n_pairs - defined)

        def without_each() -> Floats:
            if m < 3:
                return np.full(m, np.nan)
            return value((rows.sum() - 2 * rows) / ((m - 1) * (m - 2)))

        return _base.PairwiseAverage(
            m, lambda a, b: value(shares[a] @ shares[b].T), estimate, least, without_each
        )

    def _corrected(self, selection: SelectedSets, corrected: bool) -> Formula:
        """The formula, if requested corrected for chance at the mean size."""
        if not corrected:
            return self.formula
        size = int(np.rint(selection.sizes.mean()))
        level = chance.hypergeometric_mean(self.formula, size, size, selection.p)

        def formula(shared: Floats, left: Floats, right: Floats, p: float) -> Floats:
            return (self.formula(shared, left, right, p) - level) / (1.0 - level)

        return formula

    def chance(self, size: int, p: int, m: int, *, chance_correction: str = "none") -> float:
        level = chance.hypergeometric_mean(self.formula, size, size, p)
        if chance_correction == "none":
            return level
        return 0.0 if level < 1 else np.nan


def _frequency_statistic(
    selection: SelectedSets, value: Callable[[Floats, Floats], Floats], **more: Any
) -> WholeSample:
    """`value(counts (b, c), weights (b, m))` with counts h_j = how often feature j is selected."""
    member = selection.membership

    def evaluate(weights: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            values = value(weights @ member, weights)
        return np.where(np.isfinite(values), values, np.nan)

    return WholeSample(len(member), evaluate, **more)


def bind_nogueira(selection: SelectedSets) -> WholeSample:
    p = selection.p
    squares = selection.tie_squares

    def value(counts: Floats, weights: Floats) -> Floats:
        n = weights.sum(axis=1)
        frequency = counts / n[:, None]
        spread = (frequency * (1 - frequency)).sum(axis=1) * n / (n - 1)
        if squares is not None:
            spread -= (weights**2 @ squares) / (n * (n - 1))
        mean_size = frequency.sum(axis=1)
        # All-empty and all-full collections must be undefined exactly, in spite of rounding.
        total = counts.sum(axis=1)
        usable = (total > 0) & (total < n * p)
        return np.where(usable, 1 - spread / (mean_size * (1 - mean_size / p)), np.nan)

    return _frequency_statistic(
        selection,
        value,
        variance=lambda: nogueira.nogueira_variance(selection),
        least_variance=lambda: nogueira.nogueira_least_variance(selection),
        without_each=lambda: nogueira.nogueira_leave_one_out(selection),
    )


def bind_novovicova(selection: SelectedSets, *, chance_correction: str = "none") -> WholeSample:
    check_choice("chance_correction", chance_correction, ("none", "exact"))
    level = chance.novovicova_level(selection) if chance_correction == "exact" else 0.0

    def value(counts: Floats, weights: Floats) -> Floats:
        entropy = (counts * np.log2(np.maximum(counts, 1.0))).sum(axis=1)
        plain = entropy / (counts.sum(axis=1) * np.log2(weights.sum(axis=1)))
        return np.asarray((plain - level) / (1.0 - level))

    return _frequency_statistic(selection, value)


def bind_davis(
    selection: SelectedSets, *, penalty: float = 0.0, chance_correction: str = "none"
) -> WholeSample:
    check_choice("chance_correction", chance_correction, ("none", "exact"))
    penalty = check_real("penalty", penalty, low=0.0)
    p = selection.p
    sizes = selection.sizes
    level, maximum, m = 0.0, 1.0, len(sizes)
    if chance_correction == "exact":
        level = chance.davis_level(selection, penalty=penalty)
        maximum = max(1 - penalty / p, ((m - 1) // 2) / m)

    def value(counts: Floats, weights: Floats) -> Floats:
        share = counts.sum(axis=1) / (weights.sum(axis=1) * (counts > 0).sum(axis=1))
        if penalty > 0:
            middle = [np.median(np.repeat(sizes, row.astype(np.intp))) for row in weights]
            share = share - penalty * np.array(middle) / p
        plain = np.where(np.isnan(share), np.nan, np.maximum(0.0, share))
        return (plain - level) / (maximum - level)

    return _frequency_statistic(selection, value)


def bind_somol(selection: SelectedSets) -> WholeSample:
    p = selection.p
    squares = selection.tie_squares

    def value(counts: Floats, weights: Floats) -> Floats:
        n = weights.sum(axis=1)
        q = counts.sum(axis=1) if squares is None else weights @ selection.sizes
        scale = q * (n - 1)
        low, high = _somol_ends(q, n, p)
        together = (counts * (counts - 1)).sum(axis=1)
        if squares is not None:
            together += weights**2 @ squares
        return np.where(high > low, (together / scale - low) / (high - low), np.nan)

    def least_variance() -> float:
        m = len(selection.support)
        q = selection.sizes.sum()
        low, high = _somol_ends(q, float(m), p)
        if not high > low:
            return 0.0
        counts = selection.membership.sum(axis=0)
        return float((m / q / (high - low)) ** 2) * nogueira.intersection_variance(counts, m, p)

    return _frequency_statistic(selection, value, least_variance=least_variance)


def _somol_ends(q: Any, n: Any, p: int) -> tuple[Any, Any]:
    """The smallest and largest consistency of n subsets with q features in total."""
    over_p, over_n = np.mod(q, p), np.mod(q, n)
    scale = q * (n - 1)
    low = (q * q - p * (q - over_p) - over_p**2) / (p * scale)
    high = (over_n**2 + q * (n - 1) - over_n * n) / scale
    return low, high


def _whole(level: Callable[..., float]) -> Callable[..., float]:
    """The chance level of a measure whose mean over subsets of given sizes is `level`."""

    def of_size(
        size: int, p: int, m: int, *, chance_correction: str = "none", **options: float
    ) -> float:
        if chance_correction == "exact":
            return chance.corrected_level(size, p, m)
        support = np.zeros((m, p), dtype=bool)
        support[:, :size] = True
        return level(SelectedSets(support, p, ()), **options) if size else np.nan

    return of_size


def somol_chance(size: int, p: int, m: int) -> float:
    """E of the measure: it is linear in sum_j h_j (h_j - 1), whose mean is p m (m - 1) (k/p)^2."""
    if size in (0, p):
        return np.nan
    low, high = _somol_ends(size * m, m, p)
    return float((size / p - low) / (high - low))


def set_measure(*, by_formula: bool = False, **parts: Any) -> _base.StabilitySpec:
    """What the measures of subsets have in common."""
    ties = _base.BY_FORMULA if by_formula else _base.BY_DRAWS
    return _base.StabilitySpec(kind="sets", ties=ties, breaks_ties=not by_formula, **parts)


def _pairwise(
    pair: Formula, formula: str, latex: str, *, linear: bool = True, **parts: Any
) -> _base.StabilitySpec:
    """A mean over pairs, which can be corrected for chance."""
    pairs = SetPairs(pair, correctable=True, linear=linear)
    parts |= _base.over_pairs(formula, latex)
    return set_measure(bounds="[0, 1]", bind=pairs, chance=pairs.chance, by_formula=linear, **parts)


def _beyond_chance(
    pair: Formula, formula: str, latex: str, *, bounds: str = "[-1, 1]", **parts: Any
) -> _base.StabilitySpec:
    """A mean over pairs with a chance-corrected formula."""
    pairs = SetPairs(pair, linear=True)
    parts |= _base.over_pairs(formula, latex)
    return set_measure(
        bounds=bounds,
        corrected_for_chance=True,
        needs=("n_features",),
        bind=pairs,
        chance=pairs.chance,
        by_formula=True,
        **parts,
    )


_base.STABILITY_MEASURES.add(
    set_measure(
        name="davis",
        summary="share of the union that is selected, minus a penalty on size",
        formula="max(0, 1/|V| sum_j h_j/m - penalty/p median |V_i|)",
        latex=r"\max \left( 0, \; \frac{1}{|V|} \sum_{j} \frac{h_j}{m} - "
        r"\frac{\text{penalty}}{p} \operatorname{median}_{i} \, n_i \right), \quad V = "
        r"\bigcup_i V_i",
        bounds="[0, 1]",
        source="Davis et al. (2006), Bioinformatics 22:2356",
        needs=("n_features",),
        bind=bind_davis,
        chance=_whole(chance.davis_level),
    ),
    _pairwise(
        name="dice",
        aliases=("sorensen",),
        summary="mean Dice index",
        formula="2 I / (n_i + n_v)",
        latex=r"\frac{2 I}{n_i + n_v}",
        source="Dice (1945), Ecology 26:297",
        pair=lambda shared, left, right, p: 2.0 * shared / (left + right),
    ),
    _pairwise(
        name="hamming",
        summary="mean share of features that both select or both leave out",
        formula="(I + p - |V_i u V_v|) / p",
        latex=r"\frac{I + p - |V_i \cup V_v|}{p}",
        source="Dunne, Cunningham & Azuaje (2002)",
        needs=("n_features",),
        pair=lambda shared, left, right, p: (p - left - right + 2.0 * shared) / p,
    ),
    _pairwise(
        name="jaccard",
        summary="mean Jaccard index",
        formula="I / (n_i + n_v - I)",
        latex=r"\frac{I}{n_i + n_v - I}",
        source="Jaccard (1901); thesis, eq. 3.5",
        pair=jaccard,
        linear=False,
    ),
    _pairwise(
        name="tanimoto",
        aliases=("kalousis",),
        summary="mean Tanimoto similarity of subsets (equal to Jaccard)",
        formula="1 - (n_i + n_v - 2 I) / (n_i + n_v - I)",
        latex=r"\left( 1 - \frac{n_i + n_v - 2 I}{n_i + n_v - I} \right)",
        source="Kalousis, Prados & Hilario (2007), Knowl. Inf. Syst. 12:95",
        pair=jaccard,
        linear=False,
    ),
    _beyond_chance(
        name="kappa",
        aliases=("cohen_kappa",),
        summary="mean Cohen kappa",
        formula="(I - n_i n_v/p) / ((n_i + n_v)/2 - n_i n_v/p)",
        latex=r"\frac{I - \frac{n_i n_v}{p}}{\frac{n_i + n_v}{2} - \frac{n_i n_v}{p}}",
        source="Carletta (1996), Comput. Linguist. 22:249",
        pair=_excess(lambda left, right: (left + right) / 2.0),
    ),
    _beyond_chance(
        name="lustgarten",
        summary="mean chance-corrected intersection, scaled by its range",
        formula="(I - n_i n_v/p) / (min(n_i, n_v) - max(0, n_i + n_v - p))",
        latex=r"\frac{I - \frac{n_i n_v}{p}}{\min(n_i, n_v) - \max(0, n_i + n_v - p)}",
        source="Lustgarten, Gopalakrishnan & Visweswaran (2009), AMIA:406",
        pair=lustgarten,
    ),
    set_measure(
        name="nogueira",
        summary="one minus the ratio of observed to chance selection variance",
        formula="1 - (1/p sum_j m/(m-1) h_j/m (1 - h_j/m)) / (k/p (1 - k/p)), k the mean size",
        latex=r"1 - \frac{\frac{1}{p} \sum_{j=1}^{p} \frac{m}{m - 1} \frac{h_j}{m} \left( 1 - "
        r"\frac{h_j}{m} \right)}{\frac{k}{p} \left( 1 - \frac{k}{p} \right)}, \quad k = "
        r"\frac{q}{m}",
        bounds="[-1/(m-1), 1]",
        source="Nogueira, Sechidis & Brown (2018), JMLR 18(174), def. 4",
        corrected_for_chance=True,
        needs=("n_features",),
        bind=bind_nogueira,
        by_formula=True,
        chance=chance.corrected_level,
    ),
    set_measure(
        name="novovicova",
        summary="relative entropy-like weight of the selection frequencies",
        formula="1/(q log2 m) sum_j h_j log2 h_j, q = sum_j h_j",
        latex=r"\frac{1}{q \log_2 m} \sum_{j} h_j \log_2 h_j, \quad q = \sum_{j} h_j",
        bounds="[0, 1]",
        source="Novovičová, Somol & Pudil (2009), ICDMW",
        bind=bind_novovicova,
        chance=_whole(chance.novovicova_level),
    ),
    _pairwise(
        name="ochiai",
        aliases=("cosine",),
        summary="mean Ochiai index",
        formula="I / sqrt(n_i n_v)",
        latex=r"\frac{I}{\sqrt{n_i n_v}}",
        source="Ochiai (1957)",
        pair=lambda shared, left, right, p: shared / np.sqrt(left * right),
    ),
    _beyond_chance(
        name="phi",
        aliases=("phi_coefficient",),
        summary="mean Pearson correlation of indicator vectors",
        formula="(I - n_i n_v/p) / sqrt(n_i (1 - n_i/p) n_v (1 - n_v/p))",
        latex=r"\frac{I - \frac{n_i n_v}{p}}{\sqrt{n_i \left( 1 - \frac{n_i}{p} \right) n_v \left( 1 - "
        r"\frac{n_v}{p} \right)}}",
        source="Nogueira & Brown (2016), ECML PKDD:442",
        pair=phi,
    ),
    set_measure(
        name="somol",
        aliases=("relative_weighted_consistency",),
        summary="relative weighted consistency",
        formula="(sum_j h_j/q (h_j - 1)/(m - 1) - c_min) / (c_max - c_min)",
        latex=r"\frac{\sum_{j} \frac{h_j}{q} \frac{h_j - 1}{m - 1} - c_{\min}}{c_{\max} - "
        r"c_{\min}}",
        bounds="[0, 1]",
        source="Somol & Novovičová (2010), IEEE TPAMI 32:1921",
        needs=("n_features",),
        bind=bind_somol,
        by_formula=True,
        chance=somol_chance,
    ),
    _beyond_chance(
        name="unadjusted",
        summary="mean chance-corrected intersection, scaled by the geometric mean size",
        formula="(I - n_i n_v/p) / (sqrt(n_i n_v) - n_i n_v/p)",
        latex=r"\frac{I - \frac{n_i n_v}{p}}{\sqrt{n_i n_v} - \frac{n_i n_v}{p}}",
        source="Bommert & Rahnenführer (2020), LOD:203",
        # The root of a perfect square is exact, so two full subsets give 0/0, not a rounded ratio.
        pair=_excess(lambda left, right: np.sqrt(left * right)),
    ),
    _beyond_chance(
        name="wald",
        summary="mean chance-corrected intersection, scaled by the smaller size",
        formula="(I - n_i n_v/p) / (min(n_i, n_v) - n_i n_v/p)",
        latex=r"\frac{I - \frac{n_i n_v}{p}}{\min(n_i, n_v) - \frac{n_i n_v}{p}}",
        bounds="[1 - p, 1]",
        source="Wald, Khoshgoftaar & Napolitano (2013), ICTAI",
        pair=_excess(np.minimum),
    ),
)

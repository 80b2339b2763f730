"""What a stability measure is by chance, and ties at the edge of a selection."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import scipy

from pyfsagg._base import memory, validation
from pyfsagg._base.arithmetic import Booleans, Floats
from pyfsagg._base.fields import Part
from pyfsagg._kernels.stability import pick_tied
from pyfsagg.exceptions import DataError
from pyfsagg.ranks import rank_scores, ranking
from pyfsagg.stability_measures._base import BoundStatistic, PairwiseAverage, WholeSample
from pyfsagg.stability_measures._input import Matrix, SelectedSets, check_several, read_matrix

ENOUGH_PAIRS = 2000
"""Pairs of resamples over which random orders are averaged, so their noise is small (chosen)."""
MOST_CELLS = 2_000_000  # cells of drawn selections beyond which fewer orders are drawn


def check_ties(ties: str) -> None:
    """Refuse another rule for ties at the edge of a subset."""
    validation.check_choice("ties", ties, ("random", "first"))


def select(matrix: Matrix, k: int, ties: str) -> SelectedSets:
    """The k best of every row; with ``ties="random"`` and ties at the cut, the cells that all orders of ties
    select, and the share of orders for each cell."""
    names, p = matrix.feature_names, matrix.values.shape[1]
    if ties == "first":
        return SelectedSets(ranking.select_top(matrix.values, k), p, names)
    support, shares = ranking.shares_of_top(matrix.values, k)
    return SelectedSets(support, p, names, shares)


def n_draws(m: int, p: int) -> int:
    """How many orders of ties are drawn for m resamples of p features."""
    enough = -(-2 * ENOUGH_PAIRS // (m * (m - 1)))
    return max(1, min(enough, MOST_CELLS // (m * p)))


def draw_selections(selection: SelectedSets, seed: int | None) -> Iterator[Booleans]:
    """Selections with the ties at the edge in random order, each (m, p)."""
    assert selection.shares is not None
    shares = selection.shares
    tied = (shares > 0) & (shares < 1)
    room = np.rint(np.where(tied, shares, 0.0).sum(axis=1)).astype(np.int64)
    rng = np.random.default_rng(seed)
    for _ in range(n_draws(*shares.shape)):
        support = selection.support.copy()
        pick_tied(support, tied, room, rng.random(int(room.sum())))
        yield support


def average_of_draws(bind: Callable[[Any], BoundStatistic], drawn: list[Any]) -> BoundStatistic:
    """The mean over draws of a bound statistic; of a single one, this itself."""
    first = bind(drawn[0])
    if len(drawn) == 1:
        return first
    if not isinstance(first, PairwiseAverage):
        parts = [first, *(bind(collection) for collection in drawn[1:])]
        return WholeSample(
            first.n_rows,
            lambda weights: np.asarray(np.mean([part.reweighted(weights) for part in parts], 0)),
            first.estimate().n_undefined,
            without_each=lambda: np.asarray(np.mean([part.leave_one_out() for part in parts], 0)),
        )
    if isinstance(drawn[0], SelectedSets):
        support = np.concatenate([selection.support for selection in drawn])
        stacked = bind(replace(drawn[0], support=support))
    else:
        stacked = bind(np.concatenate(drawn))
    assert isinstance(stacked, PairwiseAverage)
    similarities, m, n = stacked.block, first.n_rows, len(drawn)

    def block(left: slice, right: slice) -> Floats:
        total = np.zeros((left.stop - left.start, right.stop - right.start))
        for shift in range(0, n * m, m):
            rows = slice(left.start + shift, left.stop + shift)
            columns = slice(right.start + shift, right.stop + shift)
            total += similarities(rows, columns)
        return total / n

    return PairwiseAverage(m, block, least_variance=first.least_variance)


class ExpectedPairs:
    """Expected similarity for every pair of subset sizes that occurs, each computed once."""

    def __init__(self, sizes: Floats, expected: Callable[[int, int], float]) -> None:
        distinct, self.position = np.unique(sizes.astype(np.int64), return_inverse=True)
        self.table = np.empty((len(distinct), len(distinct)))
        for a, left in enumerate(distinct):
            for b, right in enumerate(distinct[: a + 1]):
                self.table[a, b] = self.table[b, a] = expected(int(left), int(right))

    def block(self, left: slice, right: slice) -> Floats:
        cells: Floats = self.table[np.ix_(self.position[left], self.position[right])]
        return cells


def hypergeometric_mean(
    formula: Callable[[Floats, Floats, Floats, float], Floats], left: int, right: int, p: int
) -> float:
    """E f(I, n_i, n_v, p) for I hypergeometric; NaN where the formula is undefined."""
    shared = np.arange(max(0, left + right - p), min(left, right) + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = formula(
            shared.astype(np.float64), np.full(1, float(left)), np.full(1, float(right)), float(p)
        )
    return float(hypergeometric_law(left, right, p) @ np.asarray(values))


def hypergeometric_law(left: int, right: int, p: int) -> Floats:
    """Probabilities of the possible sizes of the intersection, ascending, by the ratios of neighbours
    from the mode on; relative error 1e-13 above 1e-290."""
    low, high = max(0, left + right - p), min(left, right)
    size = np.arange(low, high, dtype=np.float64)
    rise = (left - size) * (right - size) / ((size + 1.0) * (p - left - right + size + 1.0))
    mode = int((rise >= 1.0).sum())
    law = np.ones(high - low + 1)
    law[mode + 1 :] = np.cumprod(rise[mode:])
    law[:mode] = np.cumprod(1.0 / rise[:mode][::-1])[::-1]
    return np.asarray(law / law.sum())


def corrected_level(size: int, p: int, m: int, **_options: Any) -> float:
    """The level of a measure that is corrected for chance: 0, if it is defined."""
    return 0.0 if 0 < size < p else float("nan")


def novovicova_level(selection: SelectedSets) -> float:
    """E of the measure: every h_j has the law of a sum of Bernoulli(n_i / p)."""
    p = selection.p
    sizes = selection.support.sum(axis=1)
    law = np.ones(1)
    for size in sizes:
        share = size / p
        law = np.append(law * (1 - share), 0.0) + np.append(0.0, law * share)
    counts = np.arange(len(law), dtype=np.float64)
    mean = law @ (counts * np.log2(np.maximum(counts, 1.0)))
    q = float(sizes.sum())
    return float(p * mean / (q * np.log2(len(sizes)))) if q > 0 else float("nan")


def union_law(sizes: Floats, p: int) -> Floats:
    """Distribution over 0..p of the size of the union of independent uniform subsets, one by one."""
    purpose = f"the law of the union of subsets of {p:,} features"
    remedy = "take a measure that is an average over pairs, such as jaccard"
    memory.require_memory(40 * p, purpose, remedy)
    log_factorial = scipy.special.gammaln(np.arange(p + 1) + 1.0)
    law = np.zeros(p + 1)
    law[0] = 1.0
    for size in sizes.astype(np.int64):
        have = np.flatnonzero(law > 1e-20)[:, None]
        fresh = np.arange(max(0, size - have.max()), min(size, p - have.min()) + 1)[None, :]
        memory.require_memory(120 * have.size * fresh.size, purpose, remedy)
        possible = (fresh <= p - have) & (size - fresh <= have)
        rows, columns = np.nonzero(possible)
        old, new = have[rows, 0], fresh[0, columns]
        log_law = (
            log_factorial[p - old] - log_factorial[new] - log_factorial[p - old - new]
            + log_factorial[old] - log_factorial[size - new] - log_factorial[old - size + new]
            - log_factorial[p] + log_factorial[size] + log_factorial[p - size]
        )  # fmt: skip
        reached = np.bincount(old + new, law[old] * np.exp(log_law), minlength=p + 1)
        law = reached.astype(np.float64) / reached.sum()
    return law


def davis_level(selection: SelectedSets, *, penalty: float = 0.0) -> float:
    """E of the measure; it depends on the size of the union only."""
    p = selection.p
    sizes = selection.support.sum(axis=1).astype(np.float64)
    law = union_law(sizes, p)
    union = np.arange(1, p + 1)
    plain = sizes.sum() / (len(sizes) * union) - penalty * float(np.median(sizes)) / p
    return float(law[1:] @ np.maximum(0.0, plain))


def log_choose(n: Floats | float, k: Floats | float) -> Floats:
    """log of the binomial coefficient; minus infinity where k > n."""
    n = np.asarray(n, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        values = (
            scipy.special.gammaln(n + 1)
            - scipy.special.gammaln(np.asarray(k) + 1)
            - scipy.special.gammaln(np.maximum(n - k, 0) + 1)
        )
    return np.where(n >= k, values, -np.inf)


FEWEST_PAIRS = 5  # chosen: pairs below which no interval is given
MOST_FREEDOM = 29
"""Pairs of one data set share its rows: more of them than this do not narrow the floor of the spread."""


@dataclass(frozen=True, eq=False)
class BetweenSampleStability(Part):
    """Agreement of the rankings of two independent samples.

    Attributes
    ----------
    estimates : DataFrame
        Index ``measure``: ``nogueira`` (sets of the best `n_features_to_select` features), ``spearman``
        (ranks) and ``pearson`` (scores).  Columns ``estimate``, ``lower``, ``upper``.  1 is full agreement,
        0 the value of unrelated rankings.  The limits are missing with fewer than five pairs; the set
        measure is missing if `n_features_to_select` is the number of all features.
    pairs : DataFrame
        The same three measures of each pair, one row each.
    n_rows : int or None
        Rows of each sample, if they are known.
    """

    estimates: pd.DataFrame
    pairs: pd.DataFrame
    n_features_to_select: int
    n_pairs: int
    n_features: int
    n_rows: int | None
    confidence_level: float

    def to_frame(self) -> pd.DataFrame:
        """The table of estimates."""
        return self.estimates

    def record(self) -> dict[str, Any]:
        """The numbers as plain values; missing ones are None."""
        frame = self.estimates.astype(object).where(self.estimates.notna(), None)
        names = ("n_pairs", "n_rows", "n_features_to_select", "confidence_level")
        record = {name: getattr(self, name) for name in names}
        return {**record, "measures": frame.to_dict(orient="index")}

    _contents = record

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{name} {row['estimate']:.3f}" for name, row in self.estimates.iterrows()
        )
        rows = "" if self.n_rows is None else f" of {self.n_rows} rows"
        return f"BetweenSampleStability({shown}; {self.n_pairs} pairs of samples{rows})"


def between_sample_stability(
    first: Any,
    second: Any,
    *,
    n_features_to_select: float | int = 0.25,
    confidence_level: float = 0.95,
    n_rows: int | None = None,
    feature_names: Sequence[str] | None = None,
) -> BetweenSampleStability:
    """Agreement of rankings of independent samples, from pairs of samples without a common row.

    Parameters
    ----------
    first, second : array or frame of shape (n_pairs, n_features)
        Scores, larger = more important.  Row j of both comes from the two samples of pair j: disjoint
        halves of one table, or two tables drawn independently.
    n_features_to_select : float or int, default 0.25
        How many features are selected: a fraction (rounded up) or a number.
    confidence_level : float, default 0.95
    n_rows : int, optional
        Rows of each sample; only for display.
    feature_names : sequence of str, optional
        Names of the columns of arrays.

    See Also
    --------
    stability : Agreement of the resamples of one data set.

    Notes
    -----
    The mean over pairs is an unbiased estimate of the agreement of two samples of that size from the
    population, given how many rows of each class they have.  Larger samples agree more, but how much more
    cannot be derived: in simulations the Spearman-Brown formula gave too much where the signal was strong
    and too little where few features had one.

    Ties: features with equal scores at the edge of the selection are expected shares of it; equal ranks
    are average ranks; a ranking in which all features are equal agrees with nothing (0).  Where features
    differ in kind, a filter may prefer some for any target, and then even noise agrees.

    The limits are about the population: they are wide because all pairs of one table share its rows.
    Half their distance is t · s · sqrt(1 + 1/J) for J pairs, the correction of Nadeau and Bengio (2003)
    for test sets as large as training sets, with J - 1 degrees of freedom.  s² is the variance over pairs
    with two more at half of the distance from the estimate to 1, above and below (as Agresti and Coull
    1998 do for shares).  In simulations (``pyfsagg reproduce calibration --only pairs``) the coverage is
    above the nominal level, except where a filter finds nothing in most samples.

    Examples
    --------
    >>> import numpy as np
    >>> from pyfsagg.stability_measures import between_sample_stability
    >>> rng = np.random.default_rng(0)
    >>> signal = np.r_[np.ones(3), np.zeros(9)]
    >>> first, second = signal + 0.3 * rng.normal(size=(2, 20, 12))
    >>> between_sample_stability(first, second).estimates["estimate"].round(2).to_dict()
    {'nogueira': 0.84, 'spearman': 0.57, 'pearson': 0.73}
    """
    a, b = (
        read_matrix(
            scores, feature_names=feature_names, kind="scores", name=name, per_feature=True
        ).values
        for scores, name in ((first, "first"), (second, "second"))
    )
    if a.shape != b.shape:
        raise DataError(
            "first and second must have one row for each pair and the same features, got the shapes "
            f"{a.shape} and {b.shape}"
        )
    if np.isnan(a).any() or np.isnan(b).any():
        raise DataError(
            "first and second have missing scores; between samples every feature needs a score"
        )
    confidence_level = validation.check_level("confidence_level", confidence_level)
    if n_rows is not None:
        validation.check_integer("n_rows", n_rows, low=1)
    p = a.shape[1]
    check_several(p)
    k = validation.n_selected(n_features_to_select, p, "n_features_to_select")
    agreement = np.full(len(a), np.nan)
    if k < p:  # Nogueira's measure of each pair of sets, expected over ties
        member = [select(Matrix(scores, (), "scores"), k, "random").membership for scores in (a, b)]
        by_chance = k * k / p
        agreement = ((member[0] * member[1]).sum(axis=1) - by_chance) / (k - by_chance)
    pairs = pd.DataFrame(
        {
            "nogueira": agreement,
            "spearman": _correlation(rank_scores(-a), rank_scores(-b)),
            "pearson": _correlation(a, b),
        }
    ).rename_axis("pair")
    rows = {name: _interval(pairs[name].to_numpy(), confidence_level) for name in pairs}
    estimates = pd.DataFrame.from_dict(
        rows, orient="index", columns=["estimate", "lower", "upper"]
    ).rename_axis("measure")
    return BetweenSampleStability(estimates, pairs, k, len(a), p, n_rows, confidence_level)


def _correlation(a: Floats, b: Floats) -> Floats:
    """Of each row of `a` with that of `b`; 0 where one of them is constant."""
    constant = (a == a[:, :1]).all(axis=1) | (b == b[:, :1]).all(axis=1)
    a = a - a.mean(axis=1, keepdims=True)
    b = b - b.mean(axis=1, keepdims=True)
    size = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    defined = ~constant & (size > 0.0)
    values = (a * b).sum(axis=1) / np.where(defined, size, 1.0)
    return np.asarray(np.where(defined, np.clip(values, -1.0, 1.0), 0.0))


def _interval(values: Floats, confidence_level: float) -> tuple[float, float, float]:
    """Mean over pairs and its limits, which are missing where there are too few pairs."""
    n_pairs = len(values)
    estimate = float(values.mean())
    if n_pairs < FEWEST_PAIRS or np.isnan(estimate):
        return estimate, float("nan"), float("nan")
    freedom = min(n_pairs - 1, MOST_FREEDOM)
    added = max(1.0 - abs(estimate), 1.0 / n_pairs) / 2.0
    spread = (freedom * float(values.var(ddof=1)) + 2.0 * added**2) / (freedom + 2.0)
    quantile = float(scipy.special.stdtrit(n_pairs - 1, 0.5 + confidence_level / 2.0))
    half = quantile * float(np.sqrt(spread * (1.0 + 1.0 / n_pairs)))
    return estimate, max(estimate - half, -1.0), min(estimate + half, 1.0)

"""Wilcoxon's signed-rank and rank-sum tests with shifts and their intervals."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import scipy

from pyfsagg._base import remarks, validation
from pyfsagg._base.arithmetic import Floats, Integers, TargetLike, original, scaled, scaled_together
from pyfsagg._base.fields import columns
from pyfsagg._message import FALSE, TRUE, Got, Param
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.statistics import _base, effect_sizes


def exact_limits(steps: Floats, pmf: Floats, tail: float) -> tuple[float, float, float]:
    """Order statistics of the steps between which a shift is not rejected."""
    cumulative = np.cumsum(pmf)
    # The smallest q with P(statistic ≤ q) ≥ tail; a relative margin, as R has it, for a tail that
    # a probability of the distribution equals.
    q = max(1, int(np.searchsorted(cumulative, tail * (1.0 - 1e-13))))
    return float(steps[q - 1]), float(steps[steps.size - q]), float(cumulative[q - 1])


def normal_limits(
    steps: Floats, z: Callable[[float], float], tail: float
) -> tuple[float, float, float]:
    """Shifts, among the `steps` at which z(shift) changes, where it crosses the normal quantiles."""
    knots = np.unique(steps)
    quantile = float(scipy.stats.norm.isf(tail))

    def between(position: int) -> float:
        """The statistic between the knots `position` − 1 and `position`."""
        low = knots[position - 1] if position > 0 else knots[0] - 1.0
        high = knots[position] if position < knots.size else knots[-1] + 1.0
        return z(float(low + (high - low) / 2.0))

    def crossing(level: float) -> float:
        low, high = 0, int(knots.size)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if between(middle) > level else (low, middle)
        return float(knots[high - 1])

    outside = max(
        tail,
        float(scipy.stats.norm.sf(between(0))),
        float(scipy.stats.norm.cdf(between(int(knots.size)))),
    )
    return crossing(quantile), crossing(-quantile), outside


_EXACT_BELOW = 50  # as in R's wilcox.test


def rank_sum(
    x: Floats, y: Floats, confidence_level: float
) -> tuple[tuple[float, float, float], float, float, bool]:
    """Two-sided rank-sum test as R's ``wilcox.test``: exact for fewer than 50 values a side without
    ties, otherwise normal with continuity correction. The median of x_i − y_j and its limits, W (pairs with
    x above y, ties half), p, and whether the values are too few for the limits."""
    everything = np.concatenate([x, y])
    ties = np.unique(everything).size < everything.size
    exact = not ties and max(x.size, y.size) < _EXACT_BELOW
    fit = scipy.stats.mannwhitneyu(x, y, method="exact" if exact else "asymptotic")
    (x, y), exponent = scaled_together(x, y)
    shifts = np.sort(np.subtract.outer(x, y), axis=None)
    tail = (1.0 - confidence_level) / 2.0
    if exact:
        limits = exact_limits(shifts, _rank_sum_distribution(x.size, y.size), tail)
    else:
        limits = normal_limits(shifts, lambda shift: _standardised_rank_sum(x - shift, y), tail)
    lower, upper, outside = limits
    shift = original(float(np.median(shifts)), exponent)
    limited = (shift, original(lower, exponent), original(upper, exponent))
    return limited, float(fit.statistic), float(fit.pvalue), outside > tail + 1e-9


def _rank_sum_distribution(m: int, n: int) -> Floats:
    """Probabilities of W = 0 … m·n: sums of m of the ranks 0 … m + n − 1, less the smallest sum."""
    smallest = m * (m - 1) // 2
    size = smallest + m * n + 1
    counts = np.zeros((m + 1, size))
    counts[0, 0] = 1.0
    for rank in range(m + n):
        counts[1:, rank:] += counts[:-1, : size - rank].copy()
    pmf = counts[m, smallest:]
    return np.asarray(pmf / pmf.sum(), dtype=np.float64)


def _standardised_rank_sum(x: Floats, y: Floats) -> float:
    """The normal form of W with continuity correction; infinite where all values are tied."""
    m, n = x.size, y.size
    everything = np.concatenate([x, y])
    distance = float(scipy.stats.rankdata(everything)[:m].sum()) - m * (m + 1) / 2.0 - m * n / 2.0
    counts = np.unique(everything, return_counts=True)[1].astype(np.float64)
    total = m + n
    tied = float((counts**3 - counts).sum()) / (total * (total - 1.0))
    variance = m * n / 12.0 * (total + 1.0 - tied)
    distance -= 0.5 * float(np.sign(distance))
    return distance / math.sqrt(variance)


ALTERNATIVES = ("two-sided", "less", "greater")


@dataclass(frozen=True, repr=False)
class SignedRankTest(_base.TestResult):
    """Result of :func:`wilcoxon`.

    Attributes
    ----------
    statistic : float
        V = W₊, the sum of the ranks of the positive differences (under "zsplit" with half of those
        of the zeros), as in R; scipy reports min(W₊, W₋) for a two-sided test.
    z : float or None
        The standardised statistic of the normal form.
    p_value : float
    method : {"exact", "exact given ties", "normal", "all zero"}
    alternative, zero_method : str
    continuity : bool
    n, n_zero, n_dropped : int
        Pairs, those with difference zero, and pairs omitted for a missing value.
    has_ties : bool
        Whether some of the ranked differences have the same size.
    estimate : float
        Hodges-Lehmann pseudomedian: the median of the averages (d_i + d_j) / 2, i ≤ j.
    interval : tuple of float
        One end is infinite for a one-sided alternative.
    interval_confidence : float
        Level of the interval: at least `confidence_level`, the requested one, for the exact form
        unless there are too few pairs.
    effect_size : EffectSize
        Matched-pairs rank-biserial correlation.
    note : str
        Empty, or why a value is special.
    """

    _effect: ClassVar[str] = "difference"

    n: int
    n_zero: int
    n_dropped: int
    estimate: float
    interval: tuple[float, float] = field(metadata=columns("lower", "upper"))
    interval_confidence: float
    statistic: float
    z: float | None = field(metadata=columns("z"))
    p_value: float = field(metadata=columns("p"))
    alternative: str
    method: str
    continuity: bool
    zero_method: str
    effect_size: effect_sizes.EffectSize = field(
        metadata=columns("rank_biserial", "rank_biserial_lower", "rank_biserial_upper")
    )
    note: str
    has_ties: bool = field(metadata=columns())
    confidence_level: float = field(metadata=columns())

    @property
    def sentence(self) -> str:
        if self.method == "all zero":
            return (
                f"Wilcoxon signed-rank test on {self.n} pairs: all differences are zero, so there "
                "is no evidence of a difference (p = 1 by definition)."
            )
        significant = self.p_value < _base.significance_level(self.confidence_level)
        verdict = f"{'' if significant else 'no '}significant difference"
        zeros = f", {self.n_zero} of them zero" if self.n_zero else ""
        form = "exact" if self.method.startswith("exact") else "normal form"
        return (
            f"Wilcoxon signed-rank test on {self.n} pairs{zeros}{self._dropped}: {verdict} at "
            f"{self._level} ({self.alternative}, V = {_base.number_text(self.statistic)}, {form}, "
            f"{_base.p_text(self.p_value)}; pseudomedian {_base.number_text(self.estimate)}, "
            f"{self._interval(self.interval, self.interval_confidence)}; "
            f"rank-biserial r = {_base.number_text(self.effect_size.value)})."
        )


def wilcoxon(
    x: Any,
    y: TargetLike = None,
    *,
    alternative: str = "two-sided",
    exact: bool | str = "auto",
    continuity: bool = True,
    zero_method: str = "wilcox",
    confidence_level: float = 0.95,
    decimals: int | None = None,
    missing: str = "error",
) -> SignedRankTest:
    """Wilcoxon signed-rank test of paired values, or of differences.

    Parameters
    ----------
    x, y : array-like of shape (n,)
        Paired values, or the differences alone (`y` omitted).
    alternative : {"two-sided", "less", "greater"}
        "greater": the differences x − y tend to be above zero.
    exact : {"auto", True, False}
        "auto" does as R's ``wilcox.test``: exact for fewer than 50 differences without ties or
        zeros, the normal form otherwise.  True: exact at any size; with ties (or zeros that take
        part) the distribution over all signs given the observed ranks.  False: the normal form.
    continuity : bool
        Correct the normal form for continuity (by ½, as R).
    zero_method : {"wilcox", "pratt", "zsplit"}
        Treatment of differences of zero.  "wilcox" (R): omitted before ranking.  "pratt":
        ranked, then omitted.  "zsplit": ranked, half of their ranks to either side.  The estimate
        and its interval leave zeros out under "wilcox" and keep them under the other two.
    confidence_level : float
        Level of the intervals; 1 − `confidence_level` is the significance level of the sentence.
    decimals : int, optional
        Round the differences first.  0.3 − 0.2 and 0.2 − 0.1 differ in the last bit: without
        rounding they are not tied, and there is a warning.
    missing : {"error", "drop"}
        A pair with a missing value is an error, or is omitted and counted.

    Returns
    -------
    SignedRankTest
        If all differences are zero: statistic 0, p = 1, estimate 0 with the interval [0, 0].

    Raises
    ------
    DataError
        For fewer than 3 pairs, and missing (see `missing`) or infinite values.

    See Also
    --------
    pairwise_tests : The test of all pairs of several conditions.

    Warns
    -----
    PyfsaggWarning
        If differences are equal, or zero, except for rounding errors.

    Notes
    -----
    p equals R's ``wilcox.test(x, y, paired = TRUE)`` with "wilcox" (with ties that of R-devel, which then is
    exact, too, is ``exact=True`` here), and so does the interval of the exact form; in the normal form R
    stops a root search at ``tol.root``, and reports such a root for the pseudomedian.  Memory is O(n²).

    Sources: Wilcoxon (1945); Pratt (1959); Hodges and Lehmann (1963); Bauer (1972).

    Examples
    --------
    >>> print(wilcoxon([1.1, 2.5, 0.4, 3.2, 1.9, -0.3]))
    Wilcoxon signed-rank test on 6 pairs: no significant difference at the 5 % level (two-sided,
    V = 20, exact, p = 0.0625; pseudomedian 1.45, 96.9 % interval −0.3 to 3.2;
    rank-biserial r = 0.905).
    """
    validation.check_choice("alternative", alternative, ALTERNATIVES)
    validation.check_choice("zero_method", zero_method, ("wilcox", "pratt", "zsplit"))
    validation.check_choice("missing", missing, _base.INCOMPLETE)
    if not isinstance(exact, (bool, np.bool_)) and not validation.is_word(exact, "auto"):
        raise ParameterError(Param("exact"), " must be 'auto', ", TRUE, " or ", FALSE, Got(exact))
    validation.check_flag("continuity", continuity)
    level = _base.check_confidence_level("confidence_level", confidence_level)
    differences, n_dropped = _differences(x, y, decimals, missing)
    n, n_zero = differences.size, int((differences == 0.0).sum())
    used = differences[differences != 0.0] if zero_method == "wilcox" else differences
    common: dict[str, Any] = {
        "alternative": alternative,
        "zero_method": zero_method,
        "n": n,
        "n_zero": n_zero,
        "n_dropped": n_dropped,
        "confidence_level": level,
        "effect_size": effect_sizes.rank_biserial_paired(differences, level),
    }
    if n_zero == n:
        return SignedRankTest(
            statistic=0.0, z=None, p_value=1.0, method="all zero", continuity=False, has_ties=False,
            estimate=0.0, interval=(0.0, 0.0), interval_confidence=level,
            note="all differences are zero: p = 1 by definition", **common,
        )  # fmt: skip
    sizes = np.abs(used[used != 0.0])
    has_ties = bool(np.unique(sizes).size < sizes.size)
    plain = not has_ties and n_zero == 0
    if exact == "auto":
        exact = plain and used.size < _EXACT_BELOW
    continuity = continuity and not exact
    z: float | None = None
    if exact:
        # Over all signs of the non-zero differences, given their ranks, which are multiples of ½.
        doubled = np.rint(2.0 * scipy.stats.rankdata(np.abs(used))).astype(np.int64)
        pmf = _signed_rank_distribution(doubled[used != 0.0])
        observed = int(doubled[used > 0.0].sum())
        at_least, at_most = float(pmf[observed:].sum()), float(pmf[: observed + 1].sum())
        tails = {"greater": at_least, "less": at_most, "two-sided": 2.0 * min(at_least, at_most)}
        method = "exact given ties" if has_ties or used.size > sizes.size else "exact"
    else:
        z = _standardised_signed_rank(used, zero_method, alternative, continuity)
        tails = {
            "two-sided": 2.0 * float(scipy.stats.norm.sf(abs(z))),
            "greater": float(scipy.stats.norm.sf(z)),
            "less": float(scipy.stats.norm.cdf(z)),
        }
        method = "normal"
    estimate, interval, achieved = _interval(used, alternative, level, bool(exact), continuity)
    # The widest interval misses with probability 2 / 2^n: no form can do better.
    possible = 1.0 - (2.0 if alternative == "two-sided" else 1.0) * 0.5**used.size
    short = min(achieved, possible) < level - 1e-9
    return SignedRankTest(
        statistic=_statistics(used, zero_method)[0], z=z, p_value=min(1.0, tails[alternative]), method=method,
        continuity=continuity, has_ties=has_ties, estimate=estimate,
        interval=interval, interval_confidence=achieved,
        note="too few pairs for an interval at this level" if short else "", **common,
    )  # fmt: skip


def _differences(x: Any, y: TargetLike, decimals: int | None, missing: str) -> tuple[Floats, int]:
    """Complete differences and the number of pairs omitted."""
    first = _base.read_numbers(x, "x")
    second = np.zeros_like(first) if y is None else _base.read_numbers(y, "y")
    if first.shape != second.shape:
        raise ParameterError(
            f"x and y are paired and must have the same length, got {first.size} and {second.size}"
        )
    differences = _base.subtracted(first, second)
    keep = ~np.isnan(differences)
    n_dropped = int((~keep).sum())
    if n_dropped and missing == "error":
        first_row = int(np.flatnonzero(~keep)[0]) + 1
        raise DataError(
            f"{n_dropped} of {keep.size} pairs have a missing value, the first in row {first_row}",
            _base.FILL_IN,
        )
    if keep.sum() < 3:
        raise DataError(
            f"the signed-rank test needs at least 3 complete pairs, got {int(keep.sum())}"
        )
    differences = differences[keep]
    if decimals is not None:
        return _base.rounded(differences, decimals), n_dropped
    largest = max(float(np.abs(first[keep]).max()), float(np.abs(second[keep]).max()))
    gaps = np.diff(np.sort(np.concatenate([[0.0], np.abs(differences)])))
    if bool(((gaps > 0.0) & (gaps <= 4.0 * np.finfo(np.float64).eps * largest)).any()):
        remarks.warn(
            "some differences are zero, or as large as others, but for rounding errors in the ",
            "last bit; they are taken as they are, not as ties. Pass ",
            Param("decimals"),
            " to round the differences to the digits that the data have",
            stacklevel=3,
        )
    return differences, n_dropped


def _statistics(used: Floats, zero_method: str) -> tuple[float, float, float]:
    """W₊, its mean and its standard deviation under the null hypothesis."""
    n = used.size
    ranks = scipy.stats.rankdata(np.abs(used))
    positive = float(ranks[used > 0.0].sum())
    mean = n * (n + 1) / 4.0
    variance = n * (n + 1) * (2 * n + 1) / 24.0
    tied = used
    if zero_method == "zsplit":
        positive += 0.5 * float(ranks[used == 0.0].sum())
    elif zero_method == "pratt":
        zeros = int((used == 0.0).sum())
        mean -= zeros * (zeros + 1) / 4.0
        variance -= zeros * (zeros + 1) * (2 * zeros + 1) / 24.0
        tied = used[used != 0.0]
    counts = np.unique(np.abs(tied), return_counts=True)[1].astype(np.float64)
    variance -= float((counts**3 - counts).sum()) / 48.0
    return positive, mean, math.sqrt(variance)


def _standardised_signed_rank(
    used: Floats, zero_method: str, alternative: str, continuity: bool
) -> float:
    positive, mean, deviation = _statistics(used, zero_method)
    distance = positive - mean
    if continuity:
        sides = {"two-sided": float(np.sign(distance)), "greater": 1.0, "less": -1.0}
        distance -= 0.5 * sides[alternative]
    return distance / deviation


def _signed_rank_distribution(doubled_ranks: Integers) -> Floats:
    """Probabilities of the sums of doubled ranks, each rank in or out with probability ½."""
    pmf = np.zeros(int(doubled_ranks.sum()) + 1)
    pmf[0] = 1.0
    reached = 0
    for rank in np.sort(doubled_ranks):
        pmf[rank : reached + rank + 1] += pmf[: reached + 1].copy()
        reached += int(rank)
        pmf[: reached + 1] *= 0.5
    return pmf


def _interval(
    used: Floats, alternative: str, confidence_level: float, exact: bool, continuity: bool
) -> tuple[float, tuple[float, float], float]:
    """Pseudomedian, its interval and the level that the interval has."""
    used, exponent = scaled(used)
    rows, columns = np.triu_indices(used.size)
    walsh = np.sort((used[rows] + used[columns]) / 2.0)
    sides = 2 if alternative == "two-sided" else 1
    tail = (1.0 - confidence_level) / sides
    if exact:
        # The distribution without ties: with ties the interval is conservative.
        pmf = _signed_rank_distribution(np.arange(1, used.size + 1))
        lower, upper, outside = exact_limits(walsh, pmf, tail)
    else:
        lower, upper, outside = normal_limits(
            walsh,
            lambda shift: _standardised_signed_rank(
                used - shift, "zsplit", alternative, continuity
            ),
            tail,
        )
    if alternative == "greater":
        upper = math.inf
    elif alternative == "less":
        lower = -math.inf
    lower, upper = original(lower, exponent), original(upper, exponent)
    return original(float(np.median(walsh)), exponent), (lower, upper), 1.0 - sides * outside

"""Nogueira's stability with its variance, confidence interval and tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import scipy

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.fields import Part, columns, row_of
from pyfsagg._base.validation import check_choice, check_level, check_real, n_selected
from pyfsagg._message import Param, Remedy, Use
from pyfsagg.exceptions import DataError, InputTypeError
from pyfsagg.stability_measures import _input, chance
from pyfsagg.stability_measures._base import jackknife_variance


def intersection_variance(counts: Floats, m: int, p: int) -> float:
    """Variance of the mean intersection of m subsets: with v_j = f_j (1 - f_j), 4/m sum_j v_j (f_j -
    f)^2 (f the mean by v_j, as sizes are given) plus 2/(m (m - 1)) sum_j v_j^2."""
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


def pairs_variance(
    selection: _input.SelectedSets, formula: Callable[[Floats, Floats, Floats, float], Floats]
) -> float:
    """The least variance of the mean over pairs of a function of intersection and sizes."""
    member = selection.membership
    m, counts = len(member), member.sum(axis=0)
    p = selection.n_features or len(counts)
    size = float(selection.sizes.mean())
    squares = float(np.einsum("ij,ij->", member, member))
    middle = (float(counts @ counts) - squares) / (m * (m - 1))
    ends = np.array([max(middle - 0.5, 0.0, 2 * size - p), min(middle + 0.5, size)])
    if ends[1] <= ends[0]:
        return 0.0
    sizes = np.full(2, size)
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = formula(ends, sizes, sizes, float(p))
    slope = (high - low) / (ends[1] - ends[0])
    if not np.isfinite(slope):
        return 0.0
    return float(slope**2) * intersection_variance(counts, m, p)


ALTERNATIVES = ("two-sided", "greater", "less")
FEWEST = 3
"""Fewest subsets for an interval: two have one pair, whose spread is unknown."""

TOO_FEW = (
    "Two subsets are one pair: they give a stability, but neither an interval nor a test. Use at "
    "least 3 subsets; 10 or more give a useful interval."
)


@dataclass(frozen=True, repr=False)
class StabilityTest(Part):
    """A test on stability: estimated difference, Student's statistic and p-value.

    `standard_error`, `statistic`, `degrees_of_freedom` and `p_value` are None where there is no
    test, and `note` says why.
    """

    difference: float
    standard_error: float | None
    statistic: float | None
    p_value: float | None
    alternative: str
    degrees_of_freedom: float | None = None
    note: str = ""


@dataclass(frozen=True)
class NogueiraResult(Part):
    """Nogueira's stability of a collection of subsets.

    Attributes
    ----------
    estimate : float
        At most 1, with expected value 0 under random selection.
    variance : float
        Variance of the estimate: the larger of its jackknife variance and of the least variance
        that is possible with so few subsets; NaN for two subsets.
    interval : tuple of float or None
        Confidence interval at `confidence_level`, with Student's quantile for m - 1 degrees of freedom, cut
        off at the bounds of the measure, -1/(m - 1) and 1; see :func:`nogueira`.  None for two subsets.
    confidence_level : float
        The coverage is higher with fewer than 30 subsets, and if they agree nearly perfectly or as by chance.
    asymptotic_variance : float
        That of the paper.
    n_tied : int
        Subsets of scores or ranks in which equal values compete for the last places.
    leave_one_out : tuple of float
        The estimate without subset 0, 1, …; for the paired comparison.
    """

    estimate: float
    variance: float
    interval: tuple[float, float] | None = field(metadata=columns("lower", "upper"))
    confidence_level: float
    n_resamples: int
    n_features: int
    asymptotic_variance: float = float("nan")
    n_tied: int = 0
    leave_one_out: tuple[float, ...] = field(default=(), metadata=columns())

    def __float__(self) -> float:
        return self.estimate

    @property
    def standard_error(self) -> float:
        """Square root of the variance."""
        return float(np.sqrt(self.variance))

    def test(self, value: float = 0.0, alternative: str = "two-sided") -> StabilityTest:
        """Student's test that the true stability is `value`; without p-value for two subsets.

        Parameters
        ----------
        value : float, default 0
            Stability under the hypothesis, at most 1.
        alternative : {"two-sided", "greater", "less"}
            "greater": the true stability is above `value`.
        """
        value = check_real("value", value, high=1.0)
        check_choice("alternative", alternative, ALTERNATIVES)
        difference = self.estimate - value
        if self.interval is None:
            return _no_test(difference, alternative, TOO_FEW)
        return _test(difference, self.variance, self.n_resamples - 1, alternative)

    def compare(
        self, other: NogueiraResult, alternative: str = "two-sided", *, paired: bool = False
    ) -> StabilityTest:
        """Test that two collections have the same true stability.

        There is no p-value where one has two subsets only, or the difference does not vary at all.

        Parameters
        ----------
        other : NogueiraResult
        alternative : {"two-sided", "greater", "less"}
            "greater": this one is more stable than `other`.
        paired : bool, default False
            Whether subset i of both comes from the same resample (two filters on the same
            bootstraps, two thresholds on the same scores).  The variance is then that of the
            difference, by leaving out the same resample in both.  Otherwise the two collections are
            treated as independent, and the degrees of freedom are Welch's.
        """
        if not isinstance(other, NogueiraResult):
            raise InputTypeError(
                Param("other"), f" must be a NogueiraResult, got {type(other).__name__}"
            )
        check_choice("alternative", alternative, ALTERNATIVES)
        difference = self.estimate - other.estimate
        if paired and self.n_resamples != other.n_resamples:
            raise DataError(
                "paired collections have one subset for each resample, but these have ",
                f"{self.n_resamples} and {other.n_resamples}",
                Remedy("pass ", Use(paired=False), " for independent ones"),
            )
        if self.interval is None or other.interval is None:
            return _no_test(difference, alternative, TOO_FEW)
        if not paired:
            parts = np.array([self.variance, other.variance])
            freedom = np.array([self.n_resamples, other.n_resamples]) - 1
            variance = float(parts.sum())
            if variance == 0:
                return _no_test(difference, alternative, "The two stabilities do not vary at all.")
            welch = variance**2 / float((parts**2 / freedom).sum())
            return _test(difference, variance, welch, alternative)
        m = self.n_resamples
        variance = jackknife_variance(np.array(self.leave_one_out) - np.array(other.leave_one_out))
        if m < PAIRED_FEWEST or variance <= 1e-24:
            note = (
                f"A paired test needs at least {PAIRED_FEWEST} resamples and differences that vary; "
                f"there are {m} resamples, and the standard error is {np.sqrt(variance):.2g}."
            )
            return _no_test(difference, alternative, note)
        return _test(difference, variance, m - 1, alternative)

    def to_frame(self) -> pd.DataFrame:
        """One row: estimate, variance, standard_error, lower, upper, level and the sizes."""
        return pd.DataFrame([{**row_of(self), "standard_error": self.standard_error}])

    def __repr__(self) -> str:
        limits = "no interval"
        if self.interval is not None:
            low, high = self.interval
            limits = f"{100 * self.confidence_level:g} % [{low:.4g}, {high:.4g}]"
        tied = f", {self.n_tied} with ties at the edge" if self.n_tied else ""
        return (
            f"NogueiraResult(estimate = {self.estimate:.6g}, {limits}; {self.n_resamples} "
            f"resamples, {self.n_features} features{tied})"
        )


def nogueira(
    sets: Any,
    *,
    n_features: int | None = None,
    feature_names: Sequence[str] | None = None,
    n_features_to_select: float | int = 0.25,
    input: str = "auto",
    confidence_level: float = 0.95,
    ties: str = "random",
) -> NogueiraResult:
    """Nogueira's stability with variance and confidence interval.

    Parameters
    ----------
    sets : array, frame or list
        Boolean (m, p) array, list of name or position sets, or scores/ranks with `n_features_to_select`; see
        :func:`pyfsagg.stability`.
    n_features, feature_names, n_features_to_select, input, ties
        As in :func:`pyfsagg.stability`; with ties the estimate is the exact mean over all orders.
    confidence_level : float, default 0.95
        Confidence level, between 0 and 1.

    Returns
    -------
    NogueiraResult
        With methods ``test(value)`` (one sample) and ``compare(other)`` (two samples).

    Raises
    ------
    DataError
        One resample, or subsets that are all empty or all full, for which stability is undefined.

    Notes
    -----
    The interval treats the subsets as independent.  Bootstraps of one data set are so given the data: it
    is then about a repetition with another seed, and about the population only for independent samples.

    The variance is the jackknife's, but at least that of independent features with the observed
    frequencies, after one randomly drawn subset is added (simulations: ``docs/calibration.md``).

    Examples
    --------
    >>> import numpy as np
    >>> from pyfsagg.stability_measures import nogueira
    >>> support = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]], dtype=bool)
    >>> result = nogueira(support)
    >>> result
    NogueiraResult(estimate = 0.5, 95 % [-0.3333, 1]; 4 resamples, 4 features)
    >>> round(result.test(0.0).p_value, 4)
    0.391
    """
    confidence_level = check_level("confidence_level", confidence_level)
    chance.check_ties(ties)
    read = _input.read_collection(
        sets, kind=input, compares="sets", n_features=n_features, feature_names=feature_names
    )
    if isinstance(read, _input.Matrix):
        size = n_selected(n_features_to_select, read.values.shape[1], "n_features_to_select")
        read = chance.select(read, size, ties)
    p, m = read.p, len(read.support)
    estimate = nogueira_estimate(read)
    if np.isnan(estimate):
        raise DataError(
            "Nogueira's stability is undefined when all subsets are empty or all subsets contain "
            "every feature; select another number of features"
        )
    without = nogueira_leave_one_out(read)
    variance, interval = float("nan"), None
    if m >= FEWEST and np.isfinite(without).all():
        variance = max(jackknife_variance(without), nogueira_least_variance(read))
        half = float(scipy.special.stdtrit(m - 1, 0.5 + confidence_level / 2) * np.sqrt(variance))
        interval = (max(estimate - half, -1.0 / (m - 1)), min(estimate + half, 1.0))
    return NogueiraResult(
        estimate,
        variance,
        interval,
        confidence_level,
        m,
        p,
        nogueira_variance(read),
        read.n_tied,
        tuple(without.tolist()),
    )


PAIRED_FEWEST = 5  # fewest resamples with which the paired test keeps its level (simulated)


def nogueira_estimate(selection: _input.SelectedSets) -> float:
    """The estimate; NaN when all subsets are empty or all are full."""
    p, m = selection.p, len(selection.support)
    total = selection.sizes.sum()
    if total == 0 or total == m * p:
        return float("nan")
    frequency = selection.membership.sum(axis=0) / m
    share = total / (m * p)
    spread = float((frequency * (1 - frequency)).sum()) * m / (m - 1) / p
    if selection.tie_squares is not None:
        spread -= float(selection.tie_squares.sum()) / (m * (m - 1)) / p
    return float(1.0 - spread / (share * (1 - share)))


def nogueira_leave_one_out(selection: _input.SelectedSets) -> Floats:
    """The estimates without subset 0, 1, …; NaN where undefined.  One pass over the rows."""
    p, m = selection.p, len(selection.support) - 1
    if m < 2:
        return np.full(m + 1, np.nan)
    member = selection.membership
    counts = member.sum(axis=0)
    sizes = np.einsum("ij,ij->i", member, member)
    ties = np.zeros(m + 1) if selection.tie_squares is None else selection.tie_squares
    squares = counts @ counts - 2.0 * (member @ counts) + sizes + ties.sum() - ties
    total = selection.sizes.sum() - selection.sizes
    with np.errstate(divide="ignore", invalid="ignore"):
        share = total / (m * p)
        spread = (total / m - squares / m**2) * m / (m - 1) / p
        values = 1.0 - spread / (share * (1.0 - share))
    usable = (total > 0) & (total < m * p)
    return np.where(usable & np.isfinite(values), values, np.nan)


def nogueira_least_variance(selection: _input.SelectedSets) -> float:
    """The least variance, from frequencies alone."""
    p, m = selection.p, len(selection.support)
    size = float(selection.sizes.mean())
    scale = size * (1.0 - size / p)
    counts = selection.membership.sum(axis=0)
    return intersection_variance(counts, m, p) / scale**2 if scale > 0 else 0.0


def nogueira_variance(selection: _input.SelectedSets) -> float:
    """Asymptotic variance: (2/m)^2 times the sum of squares of the centred contributions, the
    derivatives in direction of the subsets."""
    p = selection.p
    estimate = nogueira_estimate(selection)
    if np.isnan(estimate):
        return float("nan")
    member = selection.membership
    m = len(member)
    frequency = member.mean(axis=0)
    shares: Floats = selection.sizes / p
    share = float(shares.mean())
    agreement = member @ frequency / p
    contribution = (
        agreement - shares * share + estimate / 2 * (2 * share * shares - shares - share + 1)
    ) / (share * (1 - share))
    return float(4.0 / m**2 * ((contribution - contribution.mean()) ** 2).sum())


def _no_test(difference: float, alternative: str, note: str) -> StabilityTest:
    return StabilityTest(difference, None, None, None, alternative, None, note)


def _test(difference: float, variance: float, freedom: float, alternative: str) -> StabilityTest:
    error = float(np.sqrt(variance))
    statistic = difference / error
    sides = {"two-sided": -abs(statistic), "greater": -statistic, "less": statistic}
    tail = float(scipy.special.stdtr(freedom, sides[alternative]))
    p_value = 2 * tail if alternative == "two-sided" else tail
    return StabilityTest(difference, error, statistic, p_value, alternative, float(freedom))

"""Nogueira's stability with its variance, confidence interval and tests.

Source: Nogueira, Sechidis & Brown (2018), On the Stability of Feature Selection Algorithms, JMLR
18(174): the estimator is their definition 4.  Their variance, interval and tests rest on asymptotic
normality, which fails for few subsets; intervals and tests here are Student's, with the larger of
the jackknife variance and of what frequencies alone say (:mod:`._least_variance`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtr, stdtrit

from pyfsagg._base.checks import check_choice, check_real
from pyfsagg._base.selection import n_selected
from pyfsagg._base.types import Floats
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.stability_measures._input import Matrix, Selection, read_collection
from pyfsagg.stability_measures._least_variance import intersection_variance
from pyfsagg.stability_measures._ties import check_ties, select

__all__ = ["NogueiraResult", "StabilityTest", "nogueira"]

ALTERNATIVES = ("two-sided", "greater", "less")
FEWEST = 3
"""Subsets from which on there is an interval: two have one pair, whose spread nobody knows."""

TOO_FEW = (
    "Two subsets are one pair: they give a stability, but neither an interval nor a test. Use at "
    "least 3 subsets; 10 or more give a useful interval."
)


@dataclass(frozen=True)
class StabilityTest:
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
class NogueiraResult:
    """Nogueira's stability of a collection of subsets.

    Attributes
    ----------
    estimate : float
        At most 1, with expected value 0 under random selection.
    variance : float
        Variance of the estimate: the larger of its jackknife variance and of the least variance
        that is possible with so few subsets; NaN for two subsets.
    interval : tuple of float or None
        Confidence interval at `level`, with Student's quantile for m - 1 degrees of freedom, cut off
        at the bounds of the measure, -1/(m - 1) and 1.  It is about the stability of subsets drawn
        in the same way: of a repetition of the run with another seed, if they come from resamples of
        one data set; of the population, if they come from independent samples.  None for two
        subsets.
    level : float
        Confidence level.  The coverage is higher with fewer than 30 subsets, and if the subsets agree
        nearly perfectly or as by chance.
    n_resamples, n_features : int
        Size of the collection.
    asymptotic_variance : float
        The asymptotic variance of the paper.
    n_tied : int
        Subsets of scores or ranks in which equal values compete for the last places.
    leave_one_out : tuple of float
        The estimate without subset 0, 1, …; for the paired comparison.
    """

    estimate: float
    variance: float
    interval: tuple[float, float] | None
    level: float
    n_resamples: int
    n_features: int
    asymptotic_variance: float = float("nan")
    n_tied: int = 0
    leave_one_out: tuple[float, ...] = ()

    def __float__(self) -> float:
        return self.estimate

    @property
    def standard_error(self) -> float:
        """Square root of the variance."""
        return float(np.sqrt(self.variance))

    def test(self, value: float = 0.0, alternative: str = "two-sided") -> StabilityTest:
        """Test of the hypothesis that the true stability is `value`.

        Parameters
        ----------
        value : float, default 0
            Stability under the hypothesis, at most 1.
        alternative : {"two-sided", "greater", "less"}
            "greater": the true stability is above `value`.

        Returns
        -------
        StabilityTest
            Student's, with m - 1 degrees of freedom.  Without p-value for two subsets.
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

        Returns
        -------
        StabilityTest
            Without p-value where one collection has two subsets only, or the difference does not
            vary at all.

        Raises
        ------
        DataError
            For paired collections of different size.
        """
        if not isinstance(other, NogueiraResult):
            raise InputTypeError(f"other must be a NogueiraResult, got {type(other).__name__}")
        check_choice("alternative", alternative, ALTERNATIVES)
        difference = self.estimate - other.estimate
        if paired and self.n_resamples != other.n_resamples:
            raise DataError(
                f"paired collections have one subset for each resample, but these have "
                f"{self.n_resamples} and {other.n_resamples}; pass paired=False for independent ones"
            )
        if self.interval is None or other.interval is None:
            return _no_test(difference, alternative, TOO_FEW)
        if paired:
            return self._compare_paired(other, difference, alternative)
        parts = np.array([self.variance, other.variance])
        freedom = np.array([self.n_resamples, other.n_resamples]) - 1
        variance = float(parts.sum())
        if variance == 0:
            return _no_test(difference, alternative, "The two stabilities do not vary at all.")
        return _test(
            difference, variance, variance**2 / float((parts**2 / freedom).sum()), alternative
        )

    def _compare_paired(
        self, other: NogueiraResult, difference: float, alternative: str
    ) -> StabilityTest:
        m = self.n_resamples
        without = np.array(self.leave_one_out) - np.array(other.leave_one_out)
        variance = _jackknife_variance(without)
        if m < PAIRED_FEWEST or variance <= 1e-24:
            return _no_test(
                difference,
                alternative,
                f"A paired test needs at least {PAIRED_FEWEST} resamples and differences that vary; "
                f"there are {m} resamples, and the standard error is {np.sqrt(variance):.2g}.",
            )
        return _test(difference, variance, m - 1, alternative)

    def to_frame(self) -> pd.DataFrame:
        """One row: estimate, variance, standard_error, lower, upper, level and the sizes."""
        row: dict[str, Any] = asdict(replace(self, leave_one_out=()))
        del row["leave_one_out"]
        lower, upper = row.pop("interval") or (np.nan, np.nan)
        row |= {"standard_error": self.standard_error, "lower": lower, "upper": upper}
        return pd.DataFrame([row])

    def record(self) -> dict[str, Any]:
        """The fields as plain values for JSON: NaN becomes None."""
        fields = asdict(self)
        return {k: None if isinstance(v, float) and np.isnan(v) else v for k, v in fields.items()}

    @classmethod
    def of_record(cls, record: dict[str, Any]) -> NogueiraResult:
        """The result of :meth:`record`."""
        fields: dict[str, Any] = {
            k: float("nan") if v is None and k != "interval" else v for k, v in record.items()
        }
        limits = fields["interval"]
        fields["interval"] = None if limits is None else (limits[0], limits[1])
        fields["leave_one_out"] = tuple(fields["leave_one_out"])
        return cls(**fields)

    def to_json(self) -> str:
        """The fields as a JSON object."""
        return json.dumps(self.record())

    def __repr__(self) -> str:
        limits = "no interval"
        if self.interval is not None:
            low, high = self.interval
            limits = f"{100 * self.level:g} % [{low:.4g}, {high:.4g}]"
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
    top: float | int = 0.25,
    input: str = "auto",
    level: float = 0.95,
    ties: str = "random",
) -> NogueiraResult:
    """Nogueira's stability with variance and confidence interval.

    Parameters
    ----------
    sets : array, frame or list
        Boolean (m, p) array, list of name or position sets, or scores/ranks with `top`; see
        :func:`pyfsagg.stability`.
    n_features, feature_names, top, input, ties
        As in :func:`pyfsagg.stability`; with ties the estimate is the exact mean over all orders.
    level : float, default 0.95
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
    The interval treats the subsets as independent.  Bootstraps of one data set are independent given
    the data, so the interval is then about the stability of such bootstraps of these data, as if the
    run were repeated with another seed; it does not cover another sample.

    The variance is the jackknife's (leaving out one subset), but at least that of independent features
    with the observed frequencies, after one randomly drawn subset is added.
    Simulations from 3 to 100 subsets are in ``docs/calibration.md``.

    Examples
    --------
    >>> import numpy as np
    >>> from pyfsagg.stability_measures import nogueira
    >>> support = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]], dtype=bool)
    >>> found = nogueira(support)
    >>> found
    NogueiraResult(estimate = 0.5, 95 % [-0.3333, 1]; 4 resamples, 4 features)
    >>> round(found.test(0.0).p_value, 4)
    0.391
    """
    level = check_real("level", level, low=0.0, high=1.0, low_open=True)
    if level == 1.0:
        raise ParameterError("level must be below 1, got 1.0")
    check_choice("input", input, ("auto", "scores", "ranks", "sets"))
    check_ties(ties)
    read = read_collection(
        sets, kind=input, wanted="sets", n_features=n_features, feature_names=feature_names
    )
    if isinstance(read, Matrix):
        read = select(read, n_selected(top, read.values.shape[1], "top"), ties)
    p, m = read.p, len(read.support)
    estimate = nogueira_estimate(read)
    if np.isnan(estimate):
        raise DataError(
            "Nogueira's stability is undefined when all subsets are empty or all subsets hold "
            "every feature; select another number of features"
        )
    without = nogueira_leave_one_out(read)
    variance, interval = float("nan"), None
    if m >= FEWEST and np.isfinite(without).all():
        variance = max(_jackknife_variance(without), nogueira_least_variance(read))
        half = float(stdtrit(m - 1, 0.5 + level / 2) * np.sqrt(variance))
        interval = (max(estimate - half, -1.0 / (m - 1)), min(estimate + half, 1.0))
    return NogueiraResult(
        estimate,
        variance,
        interval,
        level,
        m,
        p,
        nogueira_variance(read),
        read.n_tied,
        tuple(without.tolist()),
    )


PAIRED_FEWEST = 5
"""Resamples from which on the paired test keeps its level (measured)."""


def _jackknife_variance(without: Floats) -> float:
    m = len(without)
    return float((m - 1) / m * ((without - without.mean()) ** 2).sum())


def _value(squares: Floats, total: Floats, m: int, p: int) -> Floats:
    """The measure of m subsets from the expected sum of squared counts and the sum of counts."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = total / (m * p)
        spread = (total / m - squares / m**2) * m / (m - 1) / p
        found = 1.0 - spread / (share * (1.0 - share))
    usable = (total > 0) & (total < m * p)
    return np.where(usable & np.isfinite(found), found, np.nan)


def _sums(selection: Selection) -> tuple[Floats, Floats, Floats]:
    """Counts of the features; sizes of the subsets; what ties add to the squared counts."""
    member = selection.membership
    squares = (member * (1.0 - member)).sum(axis=1) if selection.shares is not None else 0.0
    return member.sum(axis=0), selection.sizes, np.zeros(len(member)) + squares


def nogueira_estimate(selection: Selection) -> float:
    """The estimate; NaN when all subsets are empty or all are full."""
    p, m = selection.p, len(selection.support)
    counts, sizes, ties = _sums(selection)
    total = sizes.sum()
    if total == 0 or total == m * p:
        return float("nan")
    frequency = counts / m
    share = total / (m * p)
    spread = float((frequency * (1 - frequency)).sum()) * m / (m - 1) / p
    spread -= float(ties.sum()) / (m * (m - 1)) / p
    return float(1.0 - spread / (share * (1 - share)))


def nogueira_leave_one_out(selection: Selection) -> Floats:
    """The estimates without subset 0, 1, …; NaN where undefined.  One pass over the rows."""
    p, m = selection.p, len(selection.support)
    counts, sizes, ties = _sums(selection)
    if m < 3:
        return np.full(m, np.nan)
    member = selection.membership
    own = np.einsum("ij,ij->i", member, member)
    squares = counts @ counts - 2.0 * (member @ counts) + own + ties.sum() - ties
    return _value(squares, sizes.sum() - sizes, m - 1, p)


def nogueira_least_variance(selection: Selection) -> float:
    """The least variance, from frequencies alone."""
    p, m = selection.p, len(selection.support)
    size = float(selection.sizes.mean())
    scale = size * (1.0 - size / p)
    counts = selection.membership.sum(axis=0)
    return intersection_variance(counts, m, p) / scale**2 if scale > 0 else 0.0


def nogueira_variance(selection: Selection) -> float:
    """Asymptotic variance: (2/m)^2 times the sum of squares of the centred contributions.

    The contribution of resample i is the derivative of the estimate in direction of its subset.
    """
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
    if alternative == "two-sided":
        p_value = 2 * float(stdtr(freedom, -abs(statistic)))
    else:
        p_value = float(stdtr(freedom, -statistic if alternative == "greater" else statistic))
    return StabilityTest(difference, error, statistic, p_value, alternative, float(freedom))

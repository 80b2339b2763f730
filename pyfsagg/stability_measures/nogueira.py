"""Nogueira's stability with its asymptotic variance, confidence interval and tests.

Source: Nogueira, Sechidis & Brown (2018), On the Stability of Feature Selection Algorithms, JMLR
18(174): the estimator is their definition 4; variance, interval and tests rest on its asymptotic
normality.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from pyfsagg._base.checks import check_choice, check_real
from pyfsagg._base.selection import n_selected
from pyfsagg._base.types import Floats
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.ranks import select_top
from pyfsagg.stability_measures._input import Matrix, read_collection

__all__ = ["NogueiraResult", "StabilityTest", "nogueira"]

ALTERNATIVES = ("two-sided", "greater", "less")


@dataclass(frozen=True)
class StabilityTest:
    """A test on stability: estimated difference, normal statistic and p-value.

    `statistic` is infinite when the standard error is zero and the difference is not; with both
    zero it is 0 and the p-value is 1.
    """

    difference: float
    standard_error: float
    statistic: float
    p_value: float
    alternative: str


@dataclass(frozen=True)
class NogueiraResult:
    """Nogueira's stability of a collection of subsets.

    Attributes
    ----------
    estimate : float
        At most 1, with expected value 0 under random selection.
    variance : float
        Asymptotic variance of the estimate.
    interval : tuple of float
        Confidence interval at `level`: estimate ± normal quantile times the standard error.  It is
        not cut off at 1.
    level : float
        Confidence level.
    n_resamples, n_features : int
        Size of the collection.
    """

    estimate: float
    variance: float
    interval: tuple[float, float]
    level: float
    n_resamples: int
    n_features: int

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
        """
        value = check_real("value", value, high=1.0)
        return _test(self.estimate - value, self.variance, alternative)

    def compare(self, other: NogueiraResult, alternative: str = "two-sided") -> StabilityTest:
        """Test that two independent collections have the same true stability.

        "greater" means that this one is more stable than `other`.
        """
        if not isinstance(other, NogueiraResult):
            raise InputTypeError(f"other must be a NogueiraResult, got {type(other).__name__}")
        return _test(self.estimate - other.estimate, self.variance + other.variance, alternative)

    def to_frame(self) -> pd.DataFrame:
        """One row: estimate, variance, standard_error, lower, upper, level and the sizes."""
        row: dict[str, Any] = asdict(self)
        lower, upper = row.pop("interval")
        row |= {"standard_error": self.standard_error, "lower": lower, "upper": upper}
        return pd.DataFrame([row])

    def to_json(self) -> str:
        """The fields as a JSON object."""
        return json.dumps(asdict(self))

    def __repr__(self) -> str:
        low, high = self.interval
        return (
            f"NogueiraResult(estimate = {self.estimate:.6g}, {100 * self.level:g} % "
            f"[{low:.4g}, {high:.4g}]; {self.n_resamples} resamples, {self.n_features} features)"
        )


def nogueira(
    sets: Any,
    *,
    n_features: int | None = None,
    feature_names: Sequence[str] | None = None,
    top: float | int = 0.25,
    input: str = "auto",
    level: float = 0.95,
) -> NogueiraResult:
    """Nogueira's stability with variance and confidence interval.

    Parameters
    ----------
    sets : array, frame or list
        Boolean (m, p) array, list of name or position sets, or scores/ranks with `top`; see
        :func:`pyfsagg.stability`.
    n_features, feature_names, top, input
        As in :func:`pyfsagg.stability`.
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
    The interval is asymptotic in the number of resamples and takes them for independent.
    Bootstraps of one data set are independent given the data, so the interval is about the
    stability on these data.

    Examples
    --------
    >>> import numpy as np
    >>> from pyfsagg.stability_measures import nogueira
    >>> support = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]], dtype=bool)
    >>> found = nogueira(support)
    >>> found
    NogueiraResult(estimate = 0.5, 95 % [0.07566, 0.9243]; 4 resamples, 4 features)
    >>> round(found.test(0.0).p_value, 4)
    0.0209
    """
    level = check_real("level", level, low=0.0, high=1.0, low_open=True)
    if level == 1.0:
        raise ParameterError("level must be below 1, got 1.0")
    check_choice("input", input, ("auto", "scores", "ranks", "sets"))
    read = read_collection(
        sets, kind=input, wanted="sets", n_features=n_features, feature_names=feature_names
    )
    if isinstance(read, Matrix):
        p = read.values.shape[1]
        support = select_top(read.values, n_selected(top, p, "top"))
    else:
        support, p = read.support, read.p
    estimate = nogueira_estimate(support, p)
    if np.isnan(estimate):
        raise DataError(
            "Nogueira's stability is undefined when all subsets are empty or all subsets hold "
            "every feature; select another number of features"
        )
    variance = nogueira_variance(support, p)
    half = float(ndtri(0.5 + level / 2) * np.sqrt(variance))
    interval = (estimate - half, estimate + half)
    return NogueiraResult(estimate, variance, interval, level, len(support), p)


def nogueira_estimate(support: NDArray[np.bool_], p: int) -> float:
    """The estimate; NaN when all subsets are empty or all are full."""
    total = int(support.sum())
    m = len(support)
    if total == 0 or total == m * p:
        return float("nan")
    frequency = support.mean(axis=0)
    share = total / (m * p)
    spread = float((frequency * (1 - frequency)).sum()) * m / (m - 1) / p
    return 1.0 - spread / (share * (1 - share))


def nogueira_variance(support: NDArray[np.bool_], p: int) -> float:
    """Asymptotic variance: (2/m)^2 times the sum of squares of the centred contributions.

    The contribution of resample i is the derivative of the estimate in direction of its subset.
    """
    estimate = nogueira_estimate(support, p)
    if np.isnan(estimate):
        return float("nan")
    m = len(support)
    frequency = support.mean(axis=0)
    shares: Floats = support.sum(axis=1) / p
    share = float(shares.mean())
    agreement = support @ frequency / p
    contribution = (
        agreement - shares * share + estimate / 2 * (2 * share * shares - shares - share + 1)
    ) / (share * (1 - share))
    return float(4.0 / m**2 * ((contribution - contribution.mean()) ** 2).sum())


def _test(difference: float, variance: float, alternative: str) -> StabilityTest:
    check_choice("alternative", alternative, ALTERNATIVES)
    error = float(np.sqrt(variance))
    if error > 0:
        statistic = difference / error
    else:
        statistic = 0.0 if difference == 0 else float(np.copysign(np.inf, difference))
    if alternative == "two-sided":
        p_value = 2 * float(ndtr(-abs(statistic)))
    else:
        p_value = float(ndtr(-statistic if alternative == "greater" else statistic))
    if error == 0 and difference == 0:
        p_value = 1.0
    return StabilityTest(difference, error, statistic, p_value, alternative)

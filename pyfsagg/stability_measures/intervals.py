"""Bootstrap and jackknife intervals over resamples for any bound stability measure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy.special import ndtri, stdtrit

from pyfsagg._base.types import Floats
from pyfsagg.exceptions import DataError
from pyfsagg.stability_measures._base import BoundStatistic

__all__ = [
    "Interval",
    "bootstrap_interval",
    "jackknife_interval",
    "jackknife_values",
    "normal_interval",
]

BOOTSTRAP_ROWS = 256
"""Bootstrap samples that are evaluated at once."""


@dataclass(frozen=True)
class Interval:
    """Limits at a confidence level, with the method and the standard error behind them."""

    lower: float
    upper: float
    level: float
    method: str
    standard_error: float


def normal_interval(value: float, variance: float, level: float) -> Interval:
    """Value plus and minus a normal quantile times the standard error."""
    error = float(np.sqrt(variance))
    half = float(ndtri(0.5 + level / 2)) * error
    return Interval(value - half, value + half, level, "analytic", error)


def jackknife_interval(statistic: BoundStatistic, value: float, level: float) -> Interval:
    """Student interval with the jackknife standard error over resamples (m - 1 degrees of freedom).

    For an average over pairs, the value without one row follows from that row's sum, so that the
    whole jackknife costs one pass over the pairs.
    """
    found = jackknife_values(statistic)
    m = len(found)
    variance = float((m - 1) / m * ((found - found.mean()) ** 2).sum())
    return _student(statistic, value, variance, level, "jackknife")


def _student(
    statistic: BoundStatistic, value: float, variance: float, level: float, method: str
) -> Interval:
    """Value plus and minus Student's quantile times the standard error, m - 1 degrees of freedom.

    The variance is not below the least variance of the measure, where it has one.  Without one, no
    spread at all is no interval.
    """
    m = statistic.n_rows
    if statistic.least_variance is not None:
        variance = max(variance, statistic.least_variance())
    error = float(np.sqrt(variance))
    if error <= 1e-12 * max(1.0, abs(value)):
        raise DataError(
            f"the value does not change with the choice among the {m} resamples, so that they give "
            "no interval; more resamples may show one"
        )
    half = float(stdtrit(m - 1, 0.5 + level / 2)) * error
    return Interval(value - half, value + half, level, method, error)


def jackknife_values(statistic: BoundStatistic) -> Floats:
    """The statistic without resample 0, 1, …, shape (m,).

    Raises
    ------
    DataError
        For fewer than 3 resamples, or if it is undefined without one of them.
    """
    found = statistic.leave_one_out()
    if len(found) < 3 or not np.isfinite(found).all():
        raise DataError(
            "the jackknife needs at least 3 resamples and a defined value without each of them; of "
            f"{len(found)} resamples, {int((~np.isfinite(found)).sum())} leave an undefined value"
        )
    return found


def bootstrap_interval(
    statistic: BoundStatistic,
    value: float,
    level: float,
    n_boot: int,
    random_state: int | Generator | None,
) -> Interval:
    """Student interval with the standard error over bootstrap samples of the resamples.

    A bootstrap sample holds some rows several times.  For an average over pairs, the pairs of a row
    with its own copies are left out: their similarity of one would pull the average up.  The
    standard error is multiplied by sqrt(m / (m - 1)), because a sample of m rows varies less about
    its own rows than about the population, and has m - 1 degrees of freedom: percentiles cover far
    less than they say with few resamples.
    """
    rng = np.random.default_rng(random_state)
    m = statistic.n_rows
    found = np.empty(n_boot)
    shares = np.full(m, 1.0 / m)
    for first in range(0, n_boot, BOOTSTRAP_ROWS):
        stop = min(first + BOOTSTRAP_ROWS, n_boot)
        weights = rng.multinomial(m, shares, size=stop - first).astype(np.float64)
        found[first:stop] = statistic.reweighted(weights)
    found = _defined(found, m)
    return _student(statistic, value, float(found.var(ddof=1)) * m / (m - 1), level, "bootstrap")


def _defined(found: Floats, m: int) -> Floats:
    """Bootstrap values without the few samples in which nothing is defined."""
    kept = found[np.isfinite(found)]
    if len(kept) < max(2, 0.5 * len(found)):
        raise DataError(
            f"only {len(kept)} of {len(found)} bootstrap samples of {m} resamples have a defined "
            "value; there are too few resamples, or too few that carry information"
        )
    return kept

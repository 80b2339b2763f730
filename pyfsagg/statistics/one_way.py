"""One-way analysis of variance of independent groups, classical and Welch's."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from scipy import stats

from pyfsagg._base.arithmetic import Floats, original, scaled_together, unscaled
from pyfsagg._base.fields import columns
from pyfsagg._base.validation import check_flag
from pyfsagg._message import Remedy, Use
from pyfsagg.exceptions import DataError
from pyfsagg.statistics._base import (
    Groups,
    TestResult,
    check_confidence_level,
    interval_text,
    negligible,
    number_text,
    p_text,
    read_groups,
    verdict,
)
from pyfsagg.statistics.effect_sizes import noncentral_f_interval, variance_share


@dataclass(frozen=True, repr=False)
class OneWayAnova(TestResult):
    """A one-way analysis of variance of independent groups.

    Attributes
    ----------
    f, df_effect, df_error, p_value : float
        Classical, or Welch's with its own error degrees of freedom.
    ss_effect, ss_error : float
        Sums of squares between and within groups.
    eta_squared, omega_squared : float
        Share of the variance between groups: df F / (df F + n - k), for the classical F that of the
        sample, ss_effect / (ss_effect + ss_error); and its less biased estimate (which can be below
        0), df (F - 1) / (df (F - 1) + n), with df = df_effect.
    eta_squared_interval : tuple of float
        Interval of the population's share of variance, which both estimate.
    welch : bool
    confidence_level : float
    n, n_groups, n_dropped : int
        `n_dropped` missing values were left out.
    """

    _effect: ClassVar[str] = "group"

    n: int
    n_dropped: int
    df_effect: float
    df_error: float
    ss_effect: float
    ss_error: float
    f: float
    p_value: float = field(metadata=columns("p"))
    eta_squared: float
    omega_squared: float
    eta_squared_interval: tuple[float, float] = field(
        metadata=columns("eta_squared_lower", "eta_squared_upper")
    )
    welch: bool
    confidence_level: float = field(metadata=columns())
    n_groups: int = field(metadata=columns())

    @property
    def sentence(self) -> str:
        name = "Welch's one-way ANOVA" if self.welch else "One-way ANOVA"
        dropped = f" ({self.n_dropped} missing left out)" if self.n_dropped else ""
        return (
            f"{name} of {self.n_groups} groups with {self.n} values{dropped}: "
            f"{verdict(self.p_value, self.confidence_level, 'groups')} "
            f"(F({number_text(self.df_effect)}, {number_text(self.df_error)}) = "
            f"{number_text(self.f)}, "
            f"{p_text(self.p_value)}; η² = {number_text(self.eta_squared)}, "
            f"{interval_text(*self.eta_squared_interval, self.confidence_level)})."
        )


def one_way_anova(
    data: Any,
    *,
    group: str | None = None,
    value: str | None = None,
    welch: bool = False,
    confidence_level: float = 0.95,
    missing: str = "error",
) -> OneWayAnova:
    """One-way analysis of variance of independent groups, classical or Welch's.

    Parameters
    ----------
    data : data frame or mapping
        Long, with the columns named by `group` and `value`; or a mapping of group name to values;
        or a wide frame with one column per group.
    group, value : str, optional
        Column names of a long frame.
    welch : bool
        Welch's test, which does not assume equal variances.
    confidence_level : float
        Level of the interval; 1 − `confidence_level` is the significance level of the sentence.
    missing : {"error", "drop"}
        A missing value is an error, or is left out and counted.

    Returns
    -------
    OneWayAnova
        The interval inverts the noncentral F distribution (Steiger 2004).  With ``welch=True`` the
        effect sizes and the interval go by Welch's F, which weights each group by its precision;
        the interval is approximate.

    Raises
    ------
    DataError
        For missing values (see `missing`), fewer than 2 groups, no group with two values,
        constant data, no variation within the groups, or, with ``welch=True``, a group with one
        value or without variation.

    Examples
    --------
    >>> print(one_way_anova({"a": [6, 8, 4, 5], "b": [8, 12, 9, 11], "c": [13, 9, 11, 8]}))
    One-way ANOVA of 3 groups with 12 values: the groups differ significantly at the 5 % level
    (F(2, 9) = 6.87, p = 0.0154; η² = 0.604, 95 % interval 0.0344 to 0.759).
    """
    level = check_confidence_level("confidence_level", confidence_level)
    check_flag("welch", welch)
    groups = read_groups(data, group=group, value=value, missing=missing)
    groups, exponent = _scaled(groups)
    _check_groups(groups, exponent, welch)
    ss_effect, ss_error = _split(groups)
    n, k = sum(sample.size for sample in groups.values), len(groups.names)
    f, df_effect, df_error = _welch(groups) if welch else _classical(ss_effect, ss_error, n, k)
    limits = noncentral_f_interval(f, df_effect, df_error, level)
    return OneWayAnova(
        f=f,
        df_effect=df_effect,
        df_error=df_error,
        p_value=float(stats.f.sf(f, df_effect, df_error)),
        ss_effect=unscaled(ss_effect, exponent),
        ss_error=unscaled(ss_error, exponent),
        eta_squared=df_effect * f / (df_effect * f + n - k),
        omega_squared=df_effect * (f - 1.0) / (df_effect * (f - 1.0) + n),
        eta_squared_interval=(
            variance_share(limits[0], k - 1, n - k),
            variance_share(limits[1], k - 1, n - k),
        ),
        welch=bool(welch),
        confidence_level=level,
        n=n,
        n_groups=k,
        n_dropped=groups.n_dropped,
    )


def _scaled(groups: Groups) -> tuple[Groups, int]:
    """Groups whose squares are numbers, and the exponent of the power of two that was taken out."""
    values, exponent = scaled_together(*groups.values)
    return replace(groups, values=tuple(values)), exponent


def _split(groups: Groups) -> tuple[float, float]:
    """Sums of squares between and within groups."""
    overall = np.concatenate(groups.values).mean()
    between = sum(
        sample.size * float(np.square(sample.mean() - overall)) for sample in groups.values
    )
    within = sum(float(np.square(sample - sample.mean()).sum()) for sample in groups.values)
    return between, within


def _classical(ss_effect: float, ss_error: float, n: int, k: int) -> tuple[float, float, float]:
    """F and its degrees of freedom.

    scipy's f_oneway takes the sum between groups as a difference, which can turn out negative for
    equal means (then p is NaN); statsmodels divides by zero for a group with one value.
    """
    return (ss_effect / (k - 1)) / (ss_error / (n - k)), k - 1.0, float(n - k)


def _welch(groups: Groups) -> tuple[float, float, float]:
    from statsmodels.stats.oneway import anova_oneway

    fit = anova_oneway(groups.values, use_var="unequal")
    return float(fit.statistic), float(fit.df[0]), float(fit.df[1])


def _check_groups(groups: Groups, exponent: int, welch: bool) -> None:
    everything = np.concatenate(groups.values)
    if negligible(everything - everything[0], everything):
        value = original(everything[0], exponent)
        raise DataError(
            f"all {everything.size} values are the same ({value:g}): there is nothing to test"
        )
    if everything.size <= len(groups.names):
        raise DataError(
            "every group has one value only; at least one group needs two for the variation "
            "within groups"
        )
    flat = [
        name
        for name, sample in zip(groups.names, groups.values, strict=True)
        if negligible(_deviations(sample), everything)
    ]
    if len(flat) == len(groups.names):
        raise DataError(
            "the values do not vary within any group: F is infinite. Check for values that were "
            "rounded or copied"
        )
    if welch and flat:
        raise DataError(
            f"group {flat[0]!r} has one value or values that do not vary, so that Welch's test ",
            "has no variance to weigh it with",
            Remedy("use ", Use(welch=False), " or leave the group out"),
        )


def _deviations(sample: Floats) -> Floats:
    return np.asarray(sample - math.fsum(sample) / sample.size, dtype=np.float64)

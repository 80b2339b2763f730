"""Repeated-measures analysis of variance with one within factor."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from pyfsagg._base.checks import check_choice
from pyfsagg._base.scale import scaled, unscaled
from pyfsagg.exceptions import DataError
from pyfsagg.statistics._input import (
    Blocks,
    check_level,
    negligible,
    read_blocks,
)
from pyfsagg.statistics._result import Result, interval_text, number_text, p_text, verdict
from pyfsagg.statistics.effect_sizes import noncentral_f_interval, variance_share
from pyfsagg.statistics.sphericity import Sphericity, sphericity_test

__all__ = ["RepeatedMeasuresAnova", "rm_anova"]

_CORRECTIONS = ("greenhouse_geisser", "huynh_feldt", "none")


@dataclass(frozen=True, repr=False)
class RepeatedMeasuresAnova(Result):
    """A repeated-measures analysis of variance with one within factor.

    Attributes
    ----------
    f, df_effect, df_error : float
        The statistic and its degrees of freedom, before any correction.
    p_value, p_greenhouse_geisser, p_huynh_feldt : float
        Uncorrected and corrected.
    sphericity : Sphericity
        Mauchly's test and both epsilons.
    ss_effect, ss_subjects, ss_error : float
        Sums of squares of conditions, subjects, and residuals.
    generalized_eta_squared : float
        ss_effect / (ss_effect + ss_subjects + ss_error) (Olejnik and Algina 2003).
    generalized_eta_squared_interval : tuple of float
        Approximate, see :func:`rm_anova`.
    partial_eta_squared : float
        ss_effect / (ss_effect + ss_error).
    partial_eta_squared_interval : tuple of float
    correction : str
        The p-value that the sentence and the intervals use.
    confidence : float
    n_subjects, n_conditions, n_dropped : int
        `n_dropped` subjects were left out because a cell was missing.
    """

    f: float
    df_effect: float
    df_error: float
    p_value: float
    p_greenhouse_geisser: float
    p_huynh_feldt: float
    sphericity: Sphericity
    ss_effect: float
    ss_subjects: float
    ss_error: float
    generalized_eta_squared: float
    generalized_eta_squared_interval: tuple[float, float]
    partial_eta_squared: float
    partial_eta_squared_interval: tuple[float, float]
    correction: str
    confidence: float
    n_subjects: int
    n_conditions: int
    n_dropped: int

    def to_frame(self) -> pd.DataFrame:
        """One row, the effect of the condition; the `note` says why a value is missing."""
        row = {
            "effect": "condition",
            "n_subjects": self.n_subjects,
            "n_dropped": self.n_dropped,
            "df_effect": self.df_effect,
            "df_error": self.df_error,
            "ss_effect": self.ss_effect,
            "ss_subjects": self.ss_subjects,
            "ss_error": self.ss_error,
            "f": self.f,
            "p": self.p_value,
            "mauchly_w": self.sphericity.w,
            "mauchly_p": self.sphericity.p_value,
            "gg_epsilon": self.sphericity.greenhouse_geisser,
            "p_gg": self.p_greenhouse_geisser,
            "hf_epsilon": self.sphericity.huynh_feldt,
            "p_hf": self.p_huynh_feldt,
            "ges": self.generalized_eta_squared,
            "ges_lower": self.generalized_eta_squared_interval[0],
            "ges_upper": self.generalized_eta_squared_interval[1],
            "partial_eta_squared": self.partial_eta_squared,
            "partial_eta_squared_lower": self.partial_eta_squared_interval[0],
            "partial_eta_squared_upper": self.partial_eta_squared_interval[1],
            "correction": self.correction,
            "note": self.sphericity.note,
        }
        return pd.DataFrame([row]).set_index("effect")

    @property
    def sentence(self) -> str:
        """What was found, by the p-value that `correction` names."""
        epsilon, p = _chosen(self)
        label = {
            "greenhouse_geisser": f"Greenhouse-Geisser ε = {number_text(epsilon)}, ",
            "huynh_feldt": f"Huynh-Feldt ε = {number_text(epsilon)}, ",
            "none": "",
        }[self.correction]
        dropped = f" ({self.n_dropped} left out for missing values)" if self.n_dropped else ""
        return (
            f"Repeated-measures ANOVA of {self.n_conditions} conditions on {self.n_subjects} "
            f"subjects{dropped}: {verdict(p, self.confidence, 'conditions')} "
            f"(F({number_text(epsilon * self.df_effect)}, {number_text(epsilon * self.df_error)}) "
            f"= {number_text(self.f)}, {label}{p_text(p)}; generalised η² = "
            f"{number_text(self.generalized_eta_squared)}, "
            f"{interval_text(*self.generalized_eta_squared_interval, self.confidence)})."
        )

    def __repr__(self) -> str:
        epsilon, p = _chosen(self)
        return (
            f"RepeatedMeasuresAnova(F({epsilon * self.df_effect:.4g}, "
            f"{epsilon * self.df_error:.4g}) = "
            f"{self.f:.6g}, {p_text(p)}, correction={self.correction!r}, "
            f"ges = {self.generalized_eta_squared:.4g})"
        )


def _chosen(result: RepeatedMeasuresAnova) -> tuple[float, float]:
    """Epsilon and p-value of the correction that was asked for."""
    if result.correction == "greenhouse_geisser":
        return result.sphericity.greenhouse_geisser, result.p_greenhouse_geisser
    if result.correction == "huynh_feldt":
        return min(1.0, result.sphericity.huynh_feldt), result.p_huynh_feldt
    return 1.0, result.p_value


def rm_anova(
    data: Any,
    *,
    subject: str | None = None,
    condition: str | None = None,
    value: str | None = None,
    correction: str = "greenhouse_geisser",
    mauchly: str = "textbook",
    confidence: float = 0.95,
    incomplete: str = "error",
) -> RepeatedMeasuresAnova:
    """Repeated-measures analysis of variance with one within factor.

    Parameters
    ----------
    data : data frame or array
        Long, with the columns named by `subject`, `condition` and `value`; or wide, one row per
        subject and one column per condition (`subject` may name the column of the row labels).
    subject, condition, value : str, optional
        Column names.
    correction : {"greenhouse_geisser", "huynh_feldt", "none"}
        The p-value that the sentence uses, and the degrees of freedom of the intervals.  All
        three p-values are in the result; deciding by Mauchly's test first is not recommended, as
        that test has little power where the correction matters.
    mauchly : {"textbook", "r"}
        Reading of the p-value of Mauchly's W, see :func:`pyfsagg.statistics.sphericity_test`.
    confidence : float
        Level of the intervals; 1 − `confidence` is the significance level of the sentence.
    incomplete : {"error", "drop"}
        A subject with a missing cell is an error, or is left out and counted.

    Returns
    -------
    RepeatedMeasuresAnova

    Raises
    ------
    ParameterError, UnknownNameError
        For unknown options or columns, and for more than one factor (only designs with one within
        factor and no between factor are supported).
    DataError
        For a subject with two values for a condition, missing cells (see `incomplete`), fewer than
        3 subjects, fewer than 2 conditions, conditions that agree in every subject, or differences
        that are the same in every subject (F is then infinite).

    Notes
    -----
    The interval of partial η² inverts the noncentral F distribution (Steiger 2004) with the
    degrees of freedom times ε, whose noncentrality is ε·λ (Muller and Barton 1989); λ stands for
    the share λ / (λ + df_effect + df_error + 1).  The interval of generalised η² joins these limits
    with those of the ratio of subject to error variation (MOVER, Zou and Donner 2008): approximate;
    in simulations with normal data and sphericity 95 % intervals covered 96 to 99 %.  F, its
    degrees of freedom and p equal those of statsmodels' ``AnovaRM``, which has no sums of squares,
    effect sizes or corrections.

    Sources: Greenhouse and Geisser (1959); Huynh and Feldt (1976); Mauchly (1940); Olejnik and
    Algina (2003).

    Examples
    --------
    >>> result = rm_anova([[45, 50, 55], [42, 42, 45], [36, 41, 43], [39, 35, 40], [51, 55, 59]])
    >>> print(result.to_frame()[["f", "p", "gg_epsilon", "p_gg", "ges"]].round(4).T)
    effect      condition
    f              8.4272
    p              0.0107
    gg_epsilon     0.5857
    p_gg           0.0343
    ges            0.1179
    """
    check_choice("correction", correction, _CORRECTIONS)
    check_choice("mauchly", mauchly, ("textbook", "r"))
    level = check_level("confidence", confidence)
    blocks = read_blocks(
        data, subject=subject, condition=condition, value=value, incomplete=incomplete
    )
    values, exponent = scaled(blocks.values)
    blocks = replace(blocks, values=values)
    ss_effect, ss_subjects, ss_error = _split(blocks)
    n, k = blocks.values.shape
    df_effect, df_error = float(k - 1), float((n - 1) * (k - 1))
    f = (ss_effect / df_effect) / (ss_error / df_error)
    shape = sphericity_test(blocks.values, mauchly)
    epsilons = {
        "greenhouse_geisser": shape.greenhouse_geisser,
        "huynh_feldt": min(1.0, shape.huynh_feldt),
        "none": 1.0,
    }
    p_values = {
        name: float(stats.f.sf(f, epsilon * df_effect, epsilon * df_error))
        for name, epsilon in epsilons.items()
    }
    partial = _partial_interval(f, df_effect, df_error, epsilons[correction], level)
    generalized = _generalized_interval(partial, (ss_effect, ss_subjects, ss_error), (n, k), level)
    return RepeatedMeasuresAnova(
        f=f,
        df_effect=df_effect,
        df_error=df_error,
        p_value=p_values["none"],
        p_greenhouse_geisser=p_values["greenhouse_geisser"],
        p_huynh_feldt=p_values["huynh_feldt"],
        sphericity=shape,
        ss_effect=unscaled(ss_effect, exponent),
        ss_subjects=unscaled(ss_subjects, exponent),
        ss_error=unscaled(ss_error, exponent),
        generalized_eta_squared=ss_effect / (ss_effect + ss_subjects + ss_error),
        generalized_eta_squared_interval=generalized,
        partial_eta_squared=ss_effect / (ss_effect + ss_error),
        partial_eta_squared_interval=partial,
        correction=correction,
        confidence=level,
        n_subjects=n,
        n_conditions=k,
        n_dropped=blocks.n_dropped,
    )


def _split(blocks: Blocks) -> tuple[float, float, float]:
    """Sums of squares of conditions, subjects and the rest."""
    values = blocks.values
    n, k = values.shape
    centred = values - values.mean()
    of_condition = centred.mean(axis=0)
    of_subject = centred.mean(axis=1)
    rest = centred - of_condition - of_subject[:, np.newaxis]
    if negligible(values - values[:, :1], values):
        raise DataError(
            f"all {k} conditions have the same value in each of the {n} subjects: all differences "
            "are zero, and there is nothing to test"
        )
    if negligible(rest, values):
        raise DataError(
            "the conditions differ by exactly the same amounts in every subject: there is no "
            "residual variation, and F is infinite. Check for values that were rounded or copied, "
            "or use friedman, which compares ranks"
        )
    return (
        n * float(np.square(of_condition).sum()),
        k * float(np.square(of_subject).sum()),
        float(np.square(rest).sum()),
    )


def _partial_interval(
    f: float, df_effect: float, df_error: float, epsilon: float, confidence: float
) -> tuple[float, float]:
    """Limits of partial eta squared."""
    limits = noncentral_f_interval(f, epsilon * df_effect, epsilon * df_error, confidence)
    low, high = (variance_share(limit / epsilon, df_effect, df_error) for limit in limits)
    return low, high


def _generalized_interval(
    partial: tuple[float, float],
    sums: tuple[float, float, float],
    shape: tuple[int, int],
    confidence: float,
) -> tuple[float, float]:
    """Limits of generalised eta squared.

    Its odds are a ratio: effect by error, over (subjects + error) by error.  Each part has an
    interval of its own; on the log scale the limits of a difference follow from those of its parts
    by adding the squared distances (MOVER, Zou and Donner 2008).
    """
    ss_effect, ss_subjects, ss_error = sums
    n, k = shape
    df_subjects, df_error = n - 1.0, (n - 1.0) * (k - 1.0)
    tail = (1.0 - confidence) / 2.0
    f_subjects = (ss_subjects / df_subjects) / (ss_error / df_error)
    spread = 1.0 + ss_subjects / ss_error
    narrow = 1.0 + f_subjects / float(stats.f.isf(tail, df_subjects, df_error)) / (k - 1.0)
    wide = 1.0 + f_subjects / float(stats.f.ppf(tail, df_subjects, df_error)) / (k - 1.0)
    signal = ss_effect / ss_error
    low, high = (share / (1.0 - share) for share in partial)
    lower = upper = 0.0
    if low > 0.0:
        below = math.hypot(math.log(signal / low), math.log(wide / spread))
        lower = _share(signal / spread * math.exp(-below))
    if high > 0.0:
        above = math.hypot(math.log(high / signal), math.log(spread / narrow))
        upper = _share(signal / spread * math.exp(above))
    return lower, upper


def _share(odds: float) -> float:
    return odds / (1.0 + odds)

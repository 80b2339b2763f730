"""Friedman's test: comparison of conditions by their ranks within subjects."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from pyfsagg._base.checks import check_flag
from pyfsagg._base.types import Floats
from pyfsagg.exceptions import DataError
from pyfsagg.statistics._input import Blocks, check_level, read_blocks
from pyfsagg.statistics._result import Result, interval_text, number_text, p_text, verdict
from pyfsagg.statistics.effect_sizes import noncentral_f_interval, variance_share

__all__ = ["FriedmanTest", "friedman", "friedman_of_ranks", "rank_blocks"]


def rank_blocks(blocks: Blocks, higher_is_better: bool) -> Floats:
    """Ranks within each subject, 1 = best, ties share the average."""
    check_flag("higher_is_better", higher_is_better)
    signed = -blocks.values if higher_is_better else blocks.values
    ranks = np.asarray(stats.rankdata(signed, axis=1), dtype=np.float64)
    if bool((ranks == ranks[:, :1]).all()):
        raise DataError(
            f"all {ranks.shape[1]} conditions have the same value in each of the {ranks.shape[0]} "
            "subjects: all ranks are tied, and there is nothing to test"
        )
    return ranks


@dataclass(frozen=True, repr=False)
class FriedmanTest(Result):
    """Result of :func:`friedman`.

    Attributes
    ----------
    statistic, df, p_value : float
        Friedman's χ², corrected for ties.
    f, f_df, f_p_value : float, tuple of float, float
        Iman and Davenport's F, which is less conservative; infinite, with p = 0, if all subjects
        rank the conditions alike.
    kendall_w : float
        Kendall's coefficient of concordance, χ² / (n (k − 1)).
    kendall_w_interval : tuple of float
        Approximate, see :func:`friedman`; undefined (NaN) if F is infinite.
    average_ranks : tuple of float
        1 = best, in the order of `conditions`.
    conditions : tuple of str
    confidence : float
    n_subjects, n_dropped : int
    """

    statistic: float
    df: float
    p_value: float
    f: float
    f_df: tuple[float, float]
    f_p_value: float
    kendall_w: float
    kendall_w_interval: tuple[float, float]
    average_ranks: tuple[float, ...]
    conditions: tuple[str, ...]
    confidence: float
    n_subjects: int
    n_dropped: int

    def to_frame(self) -> pd.DataFrame:
        """One row, the effect of the condition."""
        row = {
            "effect": "condition",
            "n_subjects": self.n_subjects,
            "n_dropped": self.n_dropped,
            "chi_squared": self.statistic,
            "df": self.df,
            "p": self.p_value,
            "f": self.f,
            "f_df_effect": self.f_df[0],
            "f_df_error": self.f_df[1],
            "f_p": self.f_p_value,
            "kendall_w": self.kendall_w,
            "kendall_w_lower": self.kendall_w_interval[0],
            "kendall_w_upper": self.kendall_w_interval[1],
            "note": _FULL_AGREEMENT if math.isinf(self.f) else "",
        }
        return pd.DataFrame([row]).set_index("effect")

    @property
    def sentence(self) -> str:
        """The result in one sentence."""
        dropped = f" ({self.n_dropped} left out for missing values)" if self.n_dropped else ""
        best = int(np.argmin(self.average_ranks))
        interval = ", " + interval_text(*self.kendall_w_interval, self.confidence)
        if math.isinf(self.f):
            interval = ", all subjects rank them alike"
        return (
            f"Friedman test of {len(self.conditions)} conditions on {self.n_subjects} "
            f"subjects{dropped}: {verdict(self.p_value, self.confidence, 'conditions')} "
            f"(χ²({number_text(self.df)}) = {number_text(self.statistic)}, {p_text(self.p_value)}; "
            f"Kendall's W = {number_text(self.kendall_w)}{interval}); best average rank: "
            f"{self.conditions[best]} ({number_text(self.average_ranks[best])})."
        )

    def __repr__(self) -> str:
        return (
            f"FriedmanTest(χ²({self.df:g}) = {self.statistic:.6g}, {p_text(self.p_value)}, "
            f"W = {self.kendall_w:.4g}, n = {self.n_subjects})"
        )


_FULL_AGREEMENT = "all subjects rank the conditions alike: F is infinite and W has no interval"


def friedman(
    data: Any,
    *,
    subject: str | None = None,
    condition: str | None = None,
    value: str | None = None,
    higher_is_better: bool = True,
    confidence: float = 0.95,
    incomplete: str = "error",
) -> FriedmanTest:
    """Friedman's rank test of conditions on the same subjects.

    Parameters
    ----------
    data, subject, condition, value, incomplete
        As for :func:`pyfsagg.statistics.rm_anova`.
    higher_is_better : bool
        Whether rank 1 goes to the largest value; the test does not depend on it.
    confidence : float
        Level of the interval; 1 − `confidence` is the significance level of the sentence.

    Returns
    -------
    FriedmanTest

    Raises
    ------
    ParameterError, UnknownNameError
        For unknown options or columns, and for more than one factor.
    DataError
        For repeated or missing cells, fewer than 3 subjects, fewer than 2 conditions, or conditions
        that agree in every subject.

    Notes
    -----
    Kendall's W is the partial η² of an analysis of variance of the ranks, whose F is Iman and
    Davenport's.  Its interval is the one that such an F would give (noncentral F): approximate.

    Sources: Friedman (1937); Iman and Davenport (1980); Demšar (2006).

    Examples
    --------
    >>> result = friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.75], [0.6, 0.5, 0.4], [0.9, 0.7, 0.8]])
    >>> round(result.statistic, 4), round(result.p_value, 4), result.average_ranks
    (6.0, 0.0498, (1.0, 2.5, 2.5))
    """
    level = check_level("confidence", confidence)
    blocks = read_blocks(
        data, subject=subject, condition=condition, value=value, incomplete=incomplete
    )
    return friedman_of_ranks(rank_blocks(blocks, higher_is_better), blocks, level)


def friedman_of_ranks(ranks: Floats, blocks: Blocks, confidence: float) -> FriedmanTest:
    """Friedman's test of ranks (n, k) within subjects, not all of them tied."""
    n, k = ranks.shape
    between = n * float(np.square(ranks.mean(axis=0) - (k + 1) / 2.0).sum())
    total = float(np.square(ranks - (k + 1) / 2.0).sum())
    w = min(1.0, between / total)
    df = k - 1.0, (n - 1.0) * (k - 1.0)
    if 1.0 - w < 1e-12:
        f, f_p_value = math.inf, 0.0
        limits = math.nan, math.nan
    else:
        f = (n - 1.0) * w / (1.0 - w)
        f_p_value = float(stats.f.sf(f, *df))
        low, high = noncentral_f_interval(f, *df, confidence)
        limits = variance_share(low, *df), variance_share(high, *df)
    statistic = n * (k - 1.0) * w
    return FriedmanTest(
        statistic=statistic,
        df=k - 1.0,
        p_value=float(stats.chi2.sf(statistic, k - 1.0)),
        f=f,
        f_df=df,
        f_p_value=f_p_value,
        kendall_w=w,
        kendall_w_interval=limits,
        average_ranks=tuple(float(rank) for rank in ranks.mean(axis=0)),
        conditions=blocks.conditions,
        confidence=confidence,
        n_subjects=n,
        n_dropped=blocks.n_dropped,
    )

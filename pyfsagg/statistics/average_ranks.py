"""Friedman's test, Nemenyi's test, the critical difference, and wins, ties and losses."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import scipy

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.fields import columns
from pyfsagg._base.validation import check_flag, check_real
from pyfsagg.exceptions import DataError
from pyfsagg.statistics import _base
from pyfsagg.statistics._base import Blocks, TestResult, number_text, p_text, pairs, read_blocks
from pyfsagg.statistics.effect_sizes import variance_share_interval


def rank_blocks(blocks: Blocks, higher_is_better: bool) -> Floats:
    """Ranks within each subject, 1 = best, ties share the average."""
    check_flag("higher_is_better", higher_is_better)
    signed = -blocks.values if higher_is_better else blocks.values
    ranks = np.asarray(scipy.stats.rankdata(signed, axis=1), dtype=np.float64)
    if bool((ranks == ranks[:, :1]).all()):
        raise DataError(
            f"all {ranks.shape[1]} conditions have the same value in each of the {ranks.shape[0]} "
            "subjects: all ranks are tied, and there is nothing to test"
        )
    return ranks


@dataclass(frozen=True, repr=False)
class FriedmanTest(TestResult):
    """Result of :func:`friedman`.

    Attributes
    ----------
    statistic, df, p_value : float
        Friedman's χ², corrected for ties.
    f, f_df, f_p_value : float, tuple of float, float
        Iman and Davenport's F, which is less conservative; infinite, with p = 0, if all subjects
        rank the conditions alike.
    kendall_w, kendall_w_interval : float, tuple of float
        Kendall's coefficient of concordance, χ² / (n (k − 1)); the limits are NaN if F is infinite.
    average_ranks : tuple of float
        1 = best, in the order of `conditions`.
    n_subjects, n_dropped : int
    """

    n_subjects: int
    n_dropped: int
    statistic: float = field(metadata=columns("chi_squared"))
    df: float
    p_value: float = field(metadata=columns("p"))
    f: float
    f_df: tuple[float, float] = field(metadata=columns("f_df_effect", "f_df_error"))
    f_p_value: float = field(metadata=columns("f_p"))
    kendall_w: float
    kendall_w_interval: tuple[float, float] = field(
        metadata=columns("kendall_w_lower", "kendall_w_upper")
    )
    average_ranks: tuple[float, ...] = field(metadata=columns())
    conditions: tuple[str, ...] = field(metadata=columns())
    confidence_level: float = field(metadata=columns())

    def to_frame(self) -> pd.DataFrame:
        """One row, the effect of the condition; the `note` gives the reason for no interval."""
        agree = "all subjects rank the conditions alike: F is infinite and W has no interval"
        return super().to_frame().assign(note=agree if math.isinf(self.f) else "")

    @property
    def sentence(self) -> str:
        best = int(np.argmin(self.average_ranks))
        interval = ", " + self._interval(self.kendall_w_interval)
        if math.isinf(self.f):
            interval = ", all subjects rank them alike"
        return (
            f"Friedman test of {len(self.conditions)} conditions on {self.n_subjects} "
            f"subjects{self._dropped}: {self._verdict(self.p_value, 'conditions')} "
            f"(χ²({number_text(self.df)}) = {number_text(self.statistic)}, {p_text(self.p_value)}; "
            f"Kendall's W = {number_text(self.kendall_w)}{interval}); best average rank: "
            f"{self.conditions[best]} ({number_text(self.average_ranks[best])})."
        )


def friedman(
    data: Any,
    *,
    subject: str | None = None,
    condition: str | None = None,
    value: str | None = None,
    higher_is_better: bool = True,
    confidence_level: float = 0.95,
    missing: str = "error",
) -> FriedmanTest:
    """Friedman's rank test of conditions on the same subjects.

    Parameters
    ----------
    data, subject, condition, value, missing
        As for :func:`pyfsagg.statistics.rm_anova`.
    higher_is_better : bool
        Whether rank 1 goes to the largest value; the test does not depend on it.
    confidence_level : float
        Level of the interval; 1 − `confidence_level` is the significance level of the sentence.

    Raises
    ------
    DataError
        For repeated or missing cells, fewer than 3 subjects or 2 conditions, or conditions that
        agree in every subject.

    See Also
    --------
    nemenyi, critical_difference : Which conditions differ.

    Notes
    -----
    Kendall's W is the partial η² of the ranks; its interval by Iman and Davenport's F is approximate.

    Sources: Friedman (1937); Iman and Davenport (1980); Demšar (2006).

    Examples
    --------
    >>> result = friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.75], [0.6, 0.5, 0.4], [0.9, 0.7, 0.8]])
    >>> round(result.statistic, 4), round(result.p_value, 4), result.average_ranks
    (6.0, 0.0498, (1.0, 2.5, 2.5))
    """
    level = _base.check_confidence_level("confidence_level", confidence_level)
    blocks = read_blocks(data, subject=subject, condition=condition, value=value, missing=missing)
    return friedman_of_ranks(rank_blocks(blocks, higher_is_better), blocks, level)


def friedman_of_ranks(ranks: Floats, blocks: Blocks, confidence_level: float) -> FriedmanTest:
    """Friedman's test of ranks (n, k) within subjects, not all of them tied."""
    n, k = ranks.shape
    between = n * float(np.square(ranks.mean(axis=0) - (k + 1) / 2.0).sum())
    total = float(np.square(ranks - (k + 1) / 2.0).sum())
    w = min(1.0, between / total)
    df = k - 1.0, (n - 1.0) * (k - 1.0)
    f, f_p_value, limits = math.inf, 0.0, (math.nan, math.nan)
    if 1.0 - w >= 1e-12:
        f = (n - 1.0) * w / (1.0 - w)
        f_p_value = float(scipy.stats.f.sf(f, *df))
        limits = variance_share_interval(f, df, confidence_level)
    statistic = n * (k - 1.0) * w
    return FriedmanTest(
        statistic=statistic,
        df=k - 1.0,
        p_value=float(scipy.stats.chi2.sf(statistic, k - 1.0)),
        f=f,
        f_df=df,
        f_p_value=f_p_value,
        kendall_w=w,
        kendall_w_interval=limits,
        average_ranks=tuple(ranks.mean(axis=0).tolist()),
        conditions=blocks.conditions,
        confidence_level=confidence_level,
        n_subjects=n,
        n_dropped=blocks.n_dropped,
    )


def _critical(alpha: float, n_subjects: int, n_conditions: int) -> tuple[float, float]:
    """q_α, the quantile of the studentised range with infinite degrees of freedom over √2; and the standard
    deviation of a difference of average ranks, √(k (k + 1) / (6 n))."""
    quantile = float(scipy.stats.studentized_range.isf(alpha, n_conditions, np.inf))
    error = math.sqrt(n_conditions * (n_conditions + 1) / (6.0 * n_subjects))
    return quantile / math.sqrt(2.0), error


_REACH = 39.0  # beyond which the normal density is below the smallest double


def _range_tail(q: float, k: int) -> float:
    """P(range of k normal values > q) as k ∫ φ(z) (S(z)^(k−1) − (S(z) − S(z + q))^(k−1)) dz, S = 1 − Φ;
    1 − P(range ≤ q) would cancel."""
    edges = np.arange(-_REACH, _REACH)
    nodes, weights = _base.gauss_legendre(20)
    z = (edges[:, None] + 0.5 * (nodes + 1.0)).ravel()
    log_s = scipy.special.log_ndtr(-z)
    share = np.exp(np.minimum(scipy.special.log_ndtr(-(z + q)) - log_s, 0.0))
    with np.errstate(divide="ignore"):  # share 1, for q = 0: all of it
        lost = -np.expm1((k - 1.0) * np.log1p(-share))
    log_density = -0.5 * z * z - 0.5 * math.log(2.0 * math.pi) + (k - 1.0) * log_s
    values = np.exp(log_density) * lost
    return float(k * 0.5 * np.dot(np.tile(weights, edges.size), values))


@dataclass(frozen=True, eq=False, repr=False)
class NemenyiTest(TestResult):
    """Result of :func:`nemenyi`.

    Attributes
    ----------
    frame : DataFrame
        One row per pair: group1, group2, average_rank1, average_rank2, difference (rank1 − rank2;
        negative means that group1 is better) with the simultaneous limits lower and upper, statistic
        (z), p (of the studentised range, for all pairs together), significant.
    critical_difference : float
        Average ranks that differ by this much or more differ significantly at 1 − `confidence_level`.
    n_subjects, n_dropped : int
    """

    frame: pd.DataFrame
    critical_difference: float
    confidence_level: float
    n_subjects: int
    n_dropped: int

    @property
    def sentence(self) -> str:
        """The pairs that differ, the smallest p-value first."""
        different = self.frame[self.frame["significant"]].sort_values("p", kind="stable")
        said = [
            f"{row['group1']} and {row['group2']} ({p_text(row['p'])})"
            for row in different.to_dict(orient="records")
        ]
        verdict = self._pairs_verdict(len(said), len(self.frame))
        return (
            f"Nemenyi test on {self.n_subjects} subjects: {verdict} (critical difference of average "
            f"ranks {number_text(self.critical_difference)}){self._listed(said)}."
        )


def nemenyi(
    data: Any,
    *,
    subject: str | None = None,
    condition: str | None = None,
    value: str | None = None,
    higher_is_better: bool = True,
    confidence_level: float = 0.95,
    missing: str = "error",
) -> NemenyiTest:
    """Nemenyi's test of all pairs of conditions by their average ranks.

    Parameters
    ----------
    data, subject, condition, value, missing
        As for :func:`pyfsagg.statistics.rm_anova`.
    higher_is_better : bool
        Whether rank 1 goes to the largest value.
    confidence_level : float
        1 − `confidence_level` is the significance level for all pairs together.

    Examples
    --------
    >>> data = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.65], [0.6, 0.5, 0.4], [0.9, 0.8, 0.7]]
    >>> nemenyi(data).to_frame()[["group1", "group2", "difference", "p", "significant"]].round(4)
            group1       group2  difference       p  significant
    0  condition 1  condition 2        -1.0  0.3335        False
    1  condition 1  condition 3        -2.0  0.0130         True
    2  condition 2  condition 3        -1.0  0.3335        False
    """
    level = _base.significance_level(
        _base.check_confidence_level("confidence_level", confidence_level)
    )
    blocks = read_blocks(data, subject=subject, condition=condition, value=value, missing=missing)
    ranks = rank_blocks(blocks, higher_is_better).mean(axis=0)
    n, k = blocks.values.shape
    q, error = _critical(level, n, k)
    limit = q * error
    rows = []
    for i, j, names in pairs(blocks.conditions):
        difference = float(ranks[i] - ranks[j])
        z = difference / error
        p = _range_tail(abs(z) * math.sqrt(2.0), k)
        rows.append(
            {
                **names,
                "average_rank1": float(ranks[i]),
                "average_rank2": float(ranks[j]),
                "difference": difference,
                "lower": difference - limit,
                "upper": difference + limit,
                "statistic": z,
                "p": min(1.0, max(0.0, p)),
                "significant": abs(difference) >= limit,
            }
        )
    return NemenyiTest(pd.DataFrame(rows), limit, confidence_level, n, blocks.n_dropped)


@dataclass(frozen=True, repr=False)
class CriticalDifference(TestResult):
    """The content of a critical-difference diagram.

    Attributes
    ----------
    conditions : tuple of str
        Best first; equal average ranks in the order of the data.
    average_ranks : tuple of float
        1 = best.
    critical_difference : float
        q_α √(k (k + 1) / (6 n)).
    q : float
        q_α, a quantile of the studentised range over √2.
    cliques : tuple of tuple of str
        The largest sets of neighbours whose average ranks differ by less than the critical
        difference: the bars of the diagram.  Sets of one are omitted.
    friedman : FriedmanTest
        The test of all conditions, without which the pairs should not be looked at.
    n_subjects, n_dropped : int
    """

    conditions: tuple[str, ...]
    average_ranks: tuple[float, ...]
    critical_difference: float
    q: float
    cliques: tuple[tuple[str, ...], ...]
    friedman: FriedmanTest
    confidence_level: float
    n_subjects: int
    n_dropped: int

    def to_frame(self) -> pd.DataFrame:
        """One row per condition, best first: average_rank, and the `cliques` it belongs to (1, 2, …)."""
        members = [
            ",".join(str(c + 1) for c, clique in enumerate(self.cliques) if name in clique)
            for name in self.conditions
        ]
        return pd.DataFrame(
            {"average_rank": self.average_ranks, "cliques": members},
            index=pd.Index(self.conditions, name="condition"),
        )

    @property
    def sentence(self) -> str:
        """The ranking, and the conditions that do not differ significantly."""
        ranking = ", ".join(
            f"{name} ({number_text(rank)})"
            for name, rank in zip(self.conditions, self.average_ranks, strict=True)
        )
        alike = "; ".join(", ".join(clique) for clique in self.cliques) or "none"
        return (
            f"Average ranks on {self.n_subjects} subjects, best first: {ranking}. Critical "
            f"difference at {self._level}: "
            f"{number_text(self.critical_difference)}. Not significantly different: {alike}. "
            f"Friedman test of all: {p_text(self.friedman.p_value)}."
        )


def critical_difference(
    data: Any,
    confidence_level: float = 0.95,
    *,
    subject: str | None = None,
    condition: str | None = None,
    value: str | None = None,
    higher_is_better: bool = True,
    missing: str = "error",
) -> CriticalDifference:
    """Average ranks, the critical difference, and the groups that do not differ significantly.

    Parameters
    ----------
    data, subject, condition, value, missing
        As for :func:`pyfsagg.statistics.rm_anova`.
    confidence_level : float
        1 − `confidence_level` is the significance level for all pairs together.
    higher_is_better : bool
        Whether rank 1 goes to the largest value.

    Examples
    --------
    >>> data = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.65], [0.6, 0.5, 0.4], [0.9, 0.8, 0.7]]
    >>> result = critical_difference(data)
    >>> round(result.critical_difference, 4), result.cliques
    (1.6572, (('condition 1', 'condition 2'), ('condition 2', 'condition 3')))
    """
    level = _base.significance_level(
        _base.check_confidence_level("confidence_level", confidence_level)
    )
    blocks = read_blocks(data, subject=subject, condition=condition, value=value, missing=missing)
    by_subject = rank_blocks(blocks, higher_is_better)
    n, k = by_subject.shape
    ranks = by_subject.mean(axis=0)
    order = np.argsort(ranks, kind="stable")
    q, error = _critical(level, n, k)
    limit = q * error
    names = tuple(blocks.conditions[j] for j in order)
    sorted_ranks, cliques, reached = ranks[order], [], 0
    for start in range(k):
        end = int(np.searchsorted(sorted_ranks - sorted_ranks[start], limit, side="left"))
        if end - start > 1 and end > reached:
            cliques.append(names[start:end])
            reached = end
    return CriticalDifference(
        conditions=names,
        average_ranks=tuple(sorted_ranks.tolist()),
        critical_difference=limit,
        q=q,
        cliques=tuple(cliques),
        friedman=friedman_of_ranks(by_subject, blocks, 1.0 - level),
        confidence_level=confidence_level,
        n_subjects=n,
        n_dropped=blocks.n_dropped,
    )


def win_tie_loss(
    data: Any,
    *,
    subject: str | None = None,
    condition: str | None = None,
    value: str | None = None,
    higher_is_better: bool = True,
    tolerance: float = 0.0,
    missing: str = "error",
) -> pd.DataFrame:
    """Wins, ties and losses of each pair of conditions, with the sign test.

    Parameters
    ----------
    data, subject, condition, value, missing
        As for :func:`pyfsagg.statistics.rm_anova`.
    higher_is_better : bool
        Whether the larger value wins.
    tolerance : float
        Values that differ by at most this much are a tie.

    Returns
    -------
    DataFrame
        One row per pair: group1, group2, wins, ties, losses (of group1), and p, the two-sided
        exact sign test of wins against losses, without the ties (1 if there is neither).

    Examples
    --------
    >>> win_tie_loss([[0.9, 0.8], [0.8, 0.8], [0.6, 0.7], [0.9, 0.7]])
            group1       group2  wins  ties  losses    p
    0  condition 1  condition 2     2     1       1  1.0
    """
    margin = check_real("tolerance", tolerance, low=0.0)
    check_flag("higher_is_better", higher_is_better)
    blocks = read_blocks(data, subject=subject, condition=condition, value=value, missing=missing)
    signed = blocks.values if higher_is_better else -blocks.values
    rows = []
    for i, j, names in pairs(blocks.conditions):
        with np.errstate(over="ignore"):  # beyond the largest number is beyond any margin
            difference = signed[:, i] - signed[:, j]
        wins, losses = int((difference > margin).sum()), int((difference < -margin).sum())
        ties = difference.size - wins - losses
        p = scipy.stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
        rows.append({**names, "wins": wins, "ties": ties, "losses": losses, "p": float(p)})
    return pd.DataFrame(rows)

"""Nemenyi's test, the critical difference of average ranks, and wins, ties and losses.

Source: Demšar (2006), *Statistical comparisons of classifiers over multiple data sets*, JMLR 7.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import special, stats

from pyfsagg._base.checks import check_flag, check_real
from pyfsagg._base.types import Floats
from pyfsagg.statistics._input import check_level, read_blocks
from pyfsagg.statistics._result import Result, number_text, p_text, pairs_listed, pairs_verdict
from pyfsagg.statistics.nonparametric import FriedmanTest, friedman_of_ranks, rank_blocks

__all__ = ["CriticalDifference", "NemenyiTest", "critical_difference", "nemenyi", "win_tie_loss"]


def _rank_error(n_subjects: int, n_conditions: int) -> float:
    """Standard deviation of a difference of average ranks, √(k (k + 1) / (6 n))."""
    return math.sqrt(n_conditions * (n_conditions + 1) / (6.0 * n_subjects))


def _critical_value(alpha: float, n_conditions: int) -> float:
    """q_α: the quantile of the studentised range with infinite degrees of freedom over √2."""
    return float(stats.studentized_range.isf(alpha, n_conditions, np.inf)) / math.sqrt(2.0)


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
_REACH = 39.0  # beyond which the normal density is below the smallest double


def _range_tail(q: float, k: int) -> float:
    """P(range of k normal values > q), by its own integral: 1 − P(range ≤ q) cancels in the tail.

    With the smallest value at z, it is k ∫ φ(z) (S(z)^(k−1) − (S(z) − S(z + q))^(k−1)) dz, where
    S = 1 − Φ; the integrand is positive and its difference is taken as a share of S(z)^(k−1).
    """
    edges = np.arange(-_REACH, _REACH)
    z = (edges[:, None] + 0.5 * (_NODES + 1.0)).ravel()
    log_s = special.log_ndtr(-z)
    share = np.exp(np.minimum(special.log_ndtr(-(z + q)) - log_s, 0.0))
    with np.errstate(divide="ignore"):  # share 1, for q = 0: all of it
        lost = -np.expm1((k - 1.0) * np.log1p(-share))
    log_density = -0.5 * z * z - 0.5 * math.log(2.0 * math.pi) + (k - 1.0) * log_s
    values = np.exp(log_density) * lost
    return float(k * 0.5 * np.dot(np.tile(_WEIGHTS, edges.size), values))


@dataclass(frozen=True, eq=False, repr=False)
class NemenyiTest(Result):
    """Result of :func:`nemenyi`.

    Attributes
    ----------
    frame : DataFrame
        One row per pair; ask for a copy with :meth:`to_frame`.
    critical_difference : float
        Average ranks that differ by this much or more differ significantly at `alpha`.
    alpha : float
    n_subjects, n_dropped : int
    """

    frame: pd.DataFrame
    critical_difference: float
    alpha: float
    n_subjects: int
    n_dropped: int

    def to_frame(self) -> pd.DataFrame:
        """One row per pair.

        Columns: group1, group2, average_rank1, average_rank2, difference (rank1 − rank2; negative
        means that group1 is better) with the simultaneous limits lower and upper, statistic (z), p
        (of the studentised range, already for all pairs), significant.
        """
        return self.frame.copy()

    @property
    def sentence(self) -> str:
        """The pairs that differ, the smallest p-value first."""
        found = self.frame[self.frame["significant"]].sort_values("p", kind="stable")
        pairs = [
            f"{row['group1']} and {row['group2']} ({p_text(row['p'])})"
            for row in found.to_dict(orient="records")
        ]
        return (
            f"Nemenyi test on {self.n_subjects} subjects: "
            f"{pairs_verdict(len(found), len(self.frame), self.alpha)} (critical difference of average "
            f"ranks {number_text(self.critical_difference)}){pairs_listed(pairs)}."
        )

    def __repr__(self) -> str:
        return (
            f"NemenyiTest({len(self.frame)} pairs, {int(self.frame['significant'].sum())} "
            f"significant at {self.alpha:g}, CD = {self.critical_difference:.4g})"
        )


def nemenyi(
    data: Any,
    *,
    subject: str | None = None,
    condition: str | None = None,
    value: str | None = None,
    higher_is_better: bool = True,
    alpha: float = 0.05,
    incomplete: str = "error",
) -> NemenyiTest:
    """Nemenyi's test of all pairs of conditions by their average ranks.

    Parameters
    ----------
    data, subject, condition, value, incomplete
        As for :func:`pyfsagg.statistics.rm_anova`.
    higher_is_better : bool
        Whether rank 1 goes to the largest value.
    alpha : float
        Significance level for all pairs together.

    Returns
    -------
    NemenyiTest

    Raises
    ------
    ParameterError, UnknownNameError, DataError
        As for :func:`pyfsagg.statistics.friedman`.

    Examples
    --------
    >>> data = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.65], [0.6, 0.5, 0.4], [0.9, 0.8, 0.7]]
    >>> nemenyi(data).to_frame()[["group1", "group2", "difference", "p", "significant"]].round(4)
            group1       group2  difference       p  significant
    0  condition 1  condition 2        -1.0  0.3335        False
    1  condition 1  condition 3        -2.0  0.0130         True
    2  condition 2  condition 3        -1.0  0.3335        False
    """
    level = check_level("alpha", alpha)
    blocks = read_blocks(
        data, subject=subject, condition=condition, value=value, incomplete=incomplete
    )
    ranks = rank_blocks(blocks, higher_is_better).mean(axis=0)
    n, k = blocks.values.shape
    limit = _critical_value(level, k) * _rank_error(n, k)
    frame = _pairs(ranks, blocks.conditions, n, limit)
    return NemenyiTest(frame, limit, level, n, blocks.n_dropped)


def _pairs(
    ranks: Floats, conditions: tuple[str, ...], n_subjects: int, limit: float
) -> pd.DataFrame:
    rows = []
    for i, j in itertools.combinations(range(len(conditions)), 2):
        difference = float(ranks[i] - ranks[j])
        z = difference / _rank_error(n_subjects, len(conditions))
        p = _range_tail(abs(z) * math.sqrt(2.0), len(conditions))
        rows.append(
            {
                "group1": conditions[i],
                "group2": conditions[j],
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
    return pd.DataFrame(rows)


@dataclass(frozen=True, repr=False)
class CriticalDifference(Result):
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
        difference: the bars of the diagram.  Sets of one are left out.
    friedman : FriedmanTest
        The test of all conditions, without which the pairs should not be looked at.
    alpha : float
    n_subjects, n_dropped : int
    """

    conditions: tuple[str, ...]
    average_ranks: tuple[float, ...]
    critical_difference: float
    q: float
    cliques: tuple[tuple[str, ...], ...]
    friedman: FriedmanTest
    alpha: float
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
            f"difference at the {100 * self.alpha:.3g} % level: "
            f"{number_text(self.critical_difference)}. Not significantly different: {alike}. "
            f"Friedman test of all: {p_text(self.friedman.p_value)}."
        )

    def __repr__(self) -> str:
        return (
            f"CriticalDifference(CD = {self.critical_difference:.4g} at alpha = {self.alpha:g}, "
            f"{len(self.conditions)} conditions, n = {self.n_subjects}, {len(self.cliques)} "
            "clique(s))"
        )


def critical_difference(
    data: Any,
    alpha: float = 0.05,
    *,
    subject: str | None = None,
    condition: str | None = None,
    value: str | None = None,
    higher_is_better: bool = True,
    incomplete: str = "error",
) -> CriticalDifference:
    """Average ranks, the critical difference, and the groups that do not differ significantly.

    Parameters
    ----------
    data, subject, condition, value, incomplete
        As for :func:`pyfsagg.statistics.rm_anova`.
    alpha : float
        Significance level for all pairs together.
    higher_is_better : bool
        Whether rank 1 goes to the largest value.

    Returns
    -------
    CriticalDifference

    Raises
    ------
    ParameterError, UnknownNameError, DataError
        As for :func:`pyfsagg.statistics.friedman`.

    Examples
    --------
    >>> data = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.65], [0.6, 0.5, 0.4], [0.9, 0.8, 0.7]]
    >>> result = critical_difference(data)
    >>> round(result.critical_difference, 4), result.cliques
    (1.6572, (('condition 1', 'condition 2'), ('condition 2', 'condition 3')))
    """
    level = check_level("alpha", alpha)
    blocks = read_blocks(
        data, subject=subject, condition=condition, value=value, incomplete=incomplete
    )
    by_subject = rank_blocks(blocks, higher_is_better)
    n, k = by_subject.shape
    ranks = by_subject.mean(axis=0)
    order = np.argsort(ranks, kind="stable")
    q = _critical_value(level, k)
    limit = q * _rank_error(n, k)
    names = tuple(blocks.conditions[j] for j in order)
    return CriticalDifference(
        conditions=names,
        average_ranks=tuple(float(ranks[j]) for j in order),
        critical_difference=limit,
        q=q,
        cliques=_cliques(ranks[order], names, limit),
        friedman=friedman_of_ranks(by_subject, blocks, 1.0 - level),
        alpha=level,
        n_subjects=n,
        n_dropped=blocks.n_dropped,
    )


def _cliques(
    sorted_ranks: Floats, names: tuple[str, ...], limit: float
) -> tuple[tuple[str, ...], ...]:
    """Runs of neighbours within less than `limit` that are not part of a longer one."""
    found = []
    reached = 0
    for start in range(len(names)):
        end = int(np.searchsorted(sorted_ranks - sorted_ranks[start], limit, side="left"))
        if end - start > 1 and end > reached:
            found.append(names[start:end])
            reached = end
    return tuple(found)


def win_tie_loss(
    data: Any,
    *,
    subject: str | None = None,
    condition: str | None = None,
    value: str | None = None,
    higher_is_better: bool = True,
    tolerance: float = 0.0,
    incomplete: str = "error",
) -> pd.DataFrame:
    """Wins, ties and losses of each pair of conditions, with the sign test.

    Parameters
    ----------
    data, subject, condition, value, incomplete
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

    Raises
    ------
    ParameterError, UnknownNameError, DataError
        As for :func:`pyfsagg.statistics.rm_anova`, but conditions that always agree are ties.

    Examples
    --------
    >>> win_tie_loss([[0.9, 0.8], [0.8, 0.8], [0.6, 0.7], [0.9, 0.7]])
            group1       group2  wins  ties  losses    p
    0  condition 1  condition 2     2     1       1  1.0
    """
    margin = check_real("tolerance", tolerance, low=0.0)
    check_flag("higher_is_better", higher_is_better)
    blocks = read_blocks(
        data, subject=subject, condition=condition, value=value, incomplete=incomplete
    )
    signed = blocks.values if higher_is_better else -blocks.values
    rows = []
    for i, j in itertools.combinations(range(len(blocks.conditions)), 2):
        with np.errstate(over="ignore"):  # beyond the largest number is beyond any margin
            difference = signed[:, i] - signed[:, j]
        wins, losses = int((difference > margin).sum()), int((difference < -margin).sum())
        rows.append(
            {
                "group1": blocks.conditions[i],
                "group2": blocks.conditions[j],
                "wins": wins,
                "ties": difference.size - wins - losses,
                "losses": losses,
                "p": float(stats.binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0,
            }
        )
    return pd.DataFrame(rows)

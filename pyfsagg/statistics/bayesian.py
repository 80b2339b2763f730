"""Which of two methods is better on folds, and which differences do not matter: the posterior."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import pandas as pd
from scipy import special

from pyfsagg._base.checks import check_real
from pyfsagg._base.scale import original, scaled_together
from pyfsagg.statistics._input import check_level, negligible, read_blocks, subtracted
from pyfsagg.statistics._result import Result, number_text, pairs_listed

__all__ = ["BayesianTTests", "bayesian_t_tests"]


@dataclass(frozen=True, eq=False, repr=False)
class BayesianTTests(Result):
    """Result of :func:`bayesian_t_tests`.

    Attributes
    ----------
    frame : DataFrame
        One row per pair; ask for a copy with :meth:`to_frame`.
    rope : float
        Half-width of the region of practical equivalence.
    correlation : float
        Correlation of the differences of two folds.
    confidence : float
        Probability from which on a pair counts as decided.
    n, n_dropped : int
        Folds that were used, and left out for missing values.
    """

    frame: pd.DataFrame
    rope: float
    correlation: float
    confidence: float
    n: int
    n_dropped: int

    def to_frame(self) -> pd.DataFrame:
        """One row per pair.

        Columns: group1, group2, estimate (mean of group1 − group2), and the posterior probabilities
        ``p_below`` (the difference is below −rope), ``p_equivalent`` (within the region) and
        ``p_above`` (above rope); a note where there is none.
        """
        return self.frame.copy()

    @property
    def sentence(self) -> str:
        """The pairs that are decided."""
        shares = self.frame[["p_below", "p_equivalent", "p_above"]].to_numpy()
        relations = ("is below", "is equivalent to", "is above")
        found = [
            f"{row.group1} {relations[int(share.argmax())]} {row.group2} ({share.max():.3f})"
            for row, share in zip(self.frame.itertuples(), shares, strict=True)
            if share.max() >= self.confidence  # False for NaN
        ]
        dropped = f" ({self.n_dropped} left out for missing values)" if self.n_dropped else ""
        verb = "is" if len(found) == 1 else "are"
        return (
            f"Bayesian correlated t tests on {self.n} folds{dropped}, differences up to "
            f"{number_text(self.rope)} count as equivalent: {len(found)} of {len(self.frame)} pairs "
            f"{verb} decided with probability {self.confidence:g} or more{pairs_listed(found)}."
        )

    def __repr__(self) -> str:
        return (
            f"BayesianTTests({len(self.frame)} pairs, {self.n} folds, rope={self.rope:g}, "
            f"correlation={self.correlation:.3g})"
        )


def bayesian_t_tests(
    data: Any,
    *,
    rope: float,
    test_train_ratio: float,
    df: float | None = None,
    condition: str | None = None,
    value: str | None = None,
    subject: str | None = None,
    confidence: float = 0.95,
    incomplete: str = "error",
) -> BayesianTTests:
    """Posterior probabilities that a method is worse, equivalent or better than another on folds.

    Parameters
    ----------
    data, condition, value, subject, incomplete
        As for :func:`rm_anova`; the subjects are the folds of one table, repeated or not.
    rope : float
        Region of practical equivalence: differences from −rope to rope do not matter.  In the unit
        of the values; 0.01 is usual for accuracies.
    test_train_ratio : float
        Test rows by training rows of a fold: 1 / (k − 1) for k folds.
    df : float, optional
        Degrees of freedom of the posterior; the number of folds − 1 by default.
    confidence : float
        Probability from which on the sentence calls a pair decided.

    Returns
    -------
    BayesianTTests

    Raises
    ------
    ParameterError, UnknownNameError
        For unknown columns, or a negative or unbounded number.
    DataError
        For repeated or missing cells, fewer than 3 folds or fewer than 2 methods.

    Notes
    -----
    With a flat prior the mean difference has a t distribution with `df` degrees of freedom, located
    at the mean over the n folds, with the squared scale (1/n + ρ/(1 − ρ)) s², where ρ = test rows /
    all rows is the correlation of the differences of two folds.  A pair of which all differences are
    the same has all its probability at one point.  The probabilities are not corrected for the
    number of pairs.

    References
    ----------
    Corani and Benavoli (2015), Machine Learning 100; Benavoli, Corani, Demšar and Zaffalon (2017),
    Time for a change: a tutorial for comparing multiple classifiers through Bayesian analysis,
    JMLR 18.

    Examples
    --------
    >>> folds = [[0.90, 0.84], [0.88, 0.85], [0.91, 0.83], [0.86, 0.85], [0.90, 0.86]]
    >>> found = bayesian_t_tests(folds, rope=0.01, test_train_ratio=1 / 4)
    >>> found.to_frame()[["p_below", "p_equivalent", "p_above"]].round(3)
       p_below  p_equivalent  p_above
    0     0.02         0.047    0.933
    """
    check_real("rope", rope, low=0.0)
    ratio = check_real("test_train_ratio", test_train_ratio, low=0.0, low_open=True)
    level = check_level("confidence", confidence)
    blocks = read_blocks(
        data, subject=subject, condition=condition, value=value, incomplete=incomplete
    )
    n = len(blocks.values)
    freedom = n - 1.0 if df is None else check_real("df", df, low=1.0)
    rows = []
    for i, j in itertools.combinations(range(len(blocks.conditions)), 2):
        both = blocks.values[:, [i, j]]
        (found, both), exponent = scaled_together(subtracted(*both.T), both.ravel())
        mean, spread = float(found.mean()), float(found.std(ddof=1))
        region = original(float(rope), -exponent)
        below, above = float(mean < -region), float(mean > region)
        note = "all differences are the same"
        if not negligible(found - mean, both):
            scale = spread * math.sqrt(1.0 / n + ratio)
            below = float(special.stdtr(freedom, (-region - mean) / scale))
            above, note = float(special.stdtr(freedom, (mean - region) / scale)), ""
        rows.append(
            {
                "group1": blocks.conditions[i],
                "group2": blocks.conditions[j],
                "estimate": original(mean, exponent),
                "p_below": below,
                "p_equivalent": max(0.0, 1.0 - below - above),
                "p_above": above,
                "note": note,
            }
        )
    return BayesianTTests(
        pd.DataFrame(rows), float(rope), ratio / (1.0 + ratio), level, n, blocks.n_dropped
    )

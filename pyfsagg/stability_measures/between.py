"""Agreement of rankings between independent samples, from pairs of disjoint samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.fields import Part
from pyfsagg._base.validation import check_integer, check_real, n_selected
from pyfsagg._message import Param
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.ranks import rank_scores
from pyfsagg.stability_measures._input import check_several, read_matrix
from pyfsagg.stability_measures.chance import expected_shares

FEWEST_PAIRS = 5
"""Pairs below which no interval is given."""

MOST_FREEDOM = 29
"""Pairs of one data set share its rows: more of them than this do not narrow the floor of the spread."""

MEASURES = {
    "nogueira": "sets: features in common, corrected for chance",
    "spearman": "ranks: correlation",
    "pearson": "scores: correlation",
}


@dataclass(frozen=True, eq=False)
class BetweenSampleStability(Part):
    """Agreement of the rankings of two independent samples.

    Attributes
    ----------
    estimates : DataFrame
        Index ``measure``: ``nogueira`` (sets of the best `n_features_to_select` features), ``spearman``
        (ranks) and ``pearson`` (scores).  Columns ``estimate``, ``lower``, ``upper``.  1 is full agreement,
        0 the value of unrelated rankings.  The limits are missing with fewer than five pairs; the set
        measure is missing if `n_features_to_select` is the number of all features.
    pairs : DataFrame
        The same three measures of each pair, one row each.
    n_features_to_select, n_pairs, n_features : int
    n_rows : int or None
        Rows of each sample, if they are known.
    confidence_level : float
        Confidence level of the limits.
    """

    estimates: pd.DataFrame
    pairs: pd.DataFrame
    n_features_to_select: int
    n_pairs: int
    n_features: int
    n_rows: int | None
    confidence_level: float

    def to_frame(self) -> pd.DataFrame:
        """The table of estimates."""
        return self.estimates

    def record(self) -> dict[str, Any]:
        """The numbers as plain values; missing ones are None."""
        frame = self.estimates.astype(object).where(self.estimates.notna(), None)
        return {
            "n_pairs": self.n_pairs,
            "n_rows": self.n_rows,
            "n_features_to_select": self.n_features_to_select,
            "confidence_level": self.confidence_level,
            "measures": frame.to_dict(orient="index"),
        }

    _contents = record

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{name} {row['estimate']:.3f}" for name, row in self.estimates.iterrows()
        )
        rows = "" if self.n_rows is None else f" of {self.n_rows} rows"
        return f"BetweenSampleStability({shown}; {self.n_pairs} pairs of samples{rows})"


def between_sample_stability(
    first: Any,
    second: Any,
    *,
    n_features_to_select: float | int = 0.25,
    confidence_level: float = 0.95,
    n_rows: int | None = None,
    feature_names: Sequence[str] | None = None,
) -> BetweenSampleStability:
    """Agreement of rankings of independent samples, from pairs of samples without a common row.

    Parameters
    ----------
    first, second : array or frame of shape (n_pairs, n_features)
        Scores, larger = more important.  Row j of both comes from the two samples of pair j: disjoint
        halves of one table, or two tables drawn independently.
    n_features_to_select : float or int, default 0.25
        How many features are selected: a fraction (rounded up) or a number.
    confidence_level : float, default 0.95
        Confidence level of the limits.
    n_rows : int, optional
        Rows of each sample; only for display.
    feature_names : sequence of str, optional
        Names of the columns of arrays.

    Returns
    -------
    BetweenSampleStability

    Raises
    ------
    DataError
        Missing scores, tables of different shapes, or a single feature.

    Notes
    -----
    Each pair gives an unbiased estimate of the agreement of two samples of that size from the
    population, given how many rows of each class they have; the estimate is the mean over pairs.  It
    refers to samples of this size only: larger ones agree more, but how much more cannot be derived from the
    agreement: in simulations the Spearman-Brown formula gave too much where the signal was strong and too
    little where few features had one.

    Ties: features with equal scores at the edge of the selection are expected shares of it, as if they
    were drawn at random; equal ranks are average ranks; a ranking in which all features are equal
    agrees with nothing (0).  Where features differ in kind, a filter may prefer some of them whatever the
    target is, and then even noise agrees.

    The limits are about the population: they are wide because all pairs of one table share its rows.
    Half their distance is t · s · sqrt(1 + 1/J) for J pairs, the correction of Nadeau and Bengio (2003)
    for test sets as large as training sets, with J - 1 degrees of freedom.  s² is the variance over pairs,
    with two more pairs added at half of the distance from the estimate to 1, above and below, so that pairs
    that agree equally well by chance do not give a false certainty (as Agresti and Coull 1998 do for shares).
    Their coverage was simulated (``pyfsagg reproduce calibration --only pairs``): it is above the
    nominal level, except where a filter finds nothing in most samples.

    Examples
    --------
    >>> import numpy as np
    >>> from pyfsagg.stability_measures import between_sample_stability
    >>> rng = np.random.default_rng(0)
    >>> signal = np.r_[np.ones(3), np.zeros(9)]
    >>> first, second = signal + 0.3 * rng.normal(size=(2, 20, 12))
    >>> between_sample_stability(first, second).estimates["estimate"].round(2).to_dict()
    {'nogueira': 0.84, 'spearman': 0.57, 'pearson': 0.73}
    """
    left = read_matrix(
        first, feature_names=feature_names, kind="scores", name="first", per_feature=True
    )
    right = read_matrix(
        second, feature_names=feature_names, kind="scores", name="second", per_feature=True
    )
    a, b = left.values, right.values
    if a.shape != b.shape:
        raise DataError(
            f"first and second must have one row for each pair and the same features, got the shapes "
            f"{a.shape} and {b.shape}"
        )
    if np.isnan(a).any() or np.isnan(b).any():
        raise DataError(
            "first and second have missing scores; between samples every feature needs a score"
        )
    confidence_level = check_real(
        "confidence_level", confidence_level, low=0.0, high=1.0, low_open=True
    )
    if confidence_level == 1.0:
        raise ParameterError(Param("level"), " must be below 1, got 1.0")
    if n_rows is not None:
        check_integer("n_rows", n_rows, low=1)
    p = a.shape[1]
    check_several(p)
    k = n_selected(n_features_to_select, p, "n_features_to_select")
    pairs = pd.DataFrame(
        {
            "nogueira": _set_agreement(a, b, k),
            "spearman": _correlation(rank_scores(-a), rank_scores(-b)),
            "pearson": _correlation(a, b),
        }
    ).rename_axis("pair")
    rows = {name: _interval(pairs[name].to_numpy(), confidence_level) for name in MEASURES}
    estimates = pd.DataFrame.from_dict(
        rows, orient="index", columns=["estimate", "lower", "upper"]
    ).rename_axis("measure")
    return BetweenSampleStability(estimates, pairs, k, len(a), p, n_rows, confidence_level)


def _shares(scores: Floats, k: int) -> Floats:
    """Probability of each feature to be among the best k of its row, ties drawn at random."""
    selected, shares = expected_shares(scores, k)
    return np.asarray(selected, dtype=np.float64) if shares is None else shares


def _set_agreement(a: Floats, b: Floats, k: int) -> Floats:
    """Nogueira's measure of each pair of sets of k features, expected over ties."""
    p = a.shape[1]
    if k == p:
        return np.full(len(a), np.nan)
    common = (_shares(a, k) * _shares(b, k)).sum(axis=1)
    by_chance = k * k / p
    return np.asarray((common - by_chance) / (k - by_chance))


def _correlation(a: Floats, b: Floats) -> Floats:
    """Of each row of `a` with that of `b`; 0 where one of them is constant."""
    constant = (a == a[:, :1]).all(axis=1) | (b == b[:, :1]).all(axis=1)
    a = a - a.mean(axis=1, keepdims=True)
    b = b - b.mean(axis=1, keepdims=True)
    size = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    defined = ~constant & (size > 0.0)
    found = (a * b).sum(axis=1) / np.where(defined, size, 1.0)
    return np.asarray(np.where(defined, np.clip(found, -1.0, 1.0), 0.0))


def _interval(values: Floats, confidence_level: float) -> tuple[float, float, float]:
    """Mean over pairs and its limits, which are missing where there are too few pairs."""
    n_pairs = len(values)
    estimate = float(values.mean())
    if n_pairs < FEWEST_PAIRS or np.isnan(estimate):
        return estimate, float("nan"), float("nan")
    freedom = min(n_pairs - 1, MOST_FREEDOM)
    added = max(1.0 - abs(estimate), 1.0 / n_pairs) / 2.0
    spread = (freedom * float(values.var(ddof=1)) + 2.0 * added**2) / (freedom + 2.0)
    quantile = float(stdtrit(n_pairs - 1, 0.5 + confidence_level / 2.0))
    half = quantile * float(np.sqrt(spread * (1.0 + 1.0 / n_pairs)))
    return estimate, max(estimate - half, -1.0), min(estimate + half, 1.0)

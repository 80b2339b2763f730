"""Effect sizes with their intervals, and posterior probabilities of differences on folds."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from pyfsagg._base.arithmetic import Floats, original, scaled_together
from pyfsagg._base.fields import Part, columns
from pyfsagg._base.validation import as_array, check_real
from pyfsagg._message import Got, Remedy, named
from pyfsagg.exceptions import DataError, InputTypeError
from pyfsagg.statistics import _base


@dataclass(frozen=True, repr=False)
class EffectSize(Part):
    """An effect size by `name`, and its interval."""

    name: str = field(metadata=columns())
    value: float
    lower: float
    upper: float


def noncentral_t_interval(
    t: float, df: float, confidence_level: float = 0.95
) -> tuple[float, float]:
    """Confidence limits of the noncentrality of a t statistic.

    Examples
    --------
    >>> lower, upper = noncentral_t_interval(2.0, 10)
    >>> round(lower, 4), round(upper, 4)
    (-0.1835, 4.1011)
    """
    tail = (1.0 - _base.check_confidence_level("confidence_level", confidence_level)) / 2.0
    t, df = check_real("t", t), check_real("df", df, low=0.0, low_open=True)
    if t < 0.0:
        lower, upper = noncentral_t_interval(-t, df, confidence_level)
        return -upper, -lower
    # T ≤ t for a noncentrality δ means Z ≤ t·S − δ with S = √(χ²/df): δ lies between the bounds
    # at which even an extreme S cannot bring the tail probability.
    low_s, high_s = np.sqrt(scipy.stats.chi2.ppf([tail / 100, 1 - tail / 100], df) / df)
    reach = -float(scipy.stats.norm.ppf(tail / 100))
    lowest, highest = t * low_s - reach, t * high_s + reach
    return (
        _root(lambda delta: _noncentral_t_cdf(t, df, delta) - (1.0 - tail), lowest, highest),
        _root(lambda delta: _noncentral_t_cdf(t, df, delta) - tail, lowest, highest),
    )


def _noncentral_t_cdf(t: float, df: float, noncentrality: float) -> float:
    """P(T ≤ t), t ≥ 0: E Φ(t·S − δ), S = √(χ²_df / df), by Gauss–Legendre quadrature, cut where Φ is a
    step for large t; scipy.stats.nct gives NaN for large t and noncentrality."""
    low, high = np.sqrt(scipy.special.chdtri(df, [1.0 - 1e-16, 1e-16]) / df)
    below = 0.0
    if t > 0.0:
        step_low, step_high = (noncentrality - 9.0) / t, (noncentrality + 9.0) / t
        if step_high < high:
            below = float(scipy.special.chdtrc(df, max(step_high, low) ** 2 * df))
        low, high = max(low, step_low), min(high, step_high)
        if high <= low:
            return below
    half = 0.5 * (high - low)
    nodes, weights = _base.gauss_legendre(400)
    s = half * nodes + 0.5 * (high + low)
    # Density of S, from that of χ² = df·S².
    log_density = (df - 1.0) * np.log(s) - 0.5 * df * s * s + 0.5 * df * math.log(0.5 * df)
    density = 2.0 * np.exp(log_density - scipy.special.gammaln(0.5 * df))
    inside = np.dot(weights, scipy.special.ndtr(t * s - noncentrality) * density)
    return below + float(half * inside)


def noncentral_f_interval(
    f: float, df_effect: float, df_error: float, confidence_level: float = 0.95
) -> tuple[float, float]:
    """Confidence limits of the noncentrality λ of an F statistic; 0 where no λ > 0 fits.

    Source: Steiger (2004), *Beyond the F test*, Psychological Methods 9, 164-182.

    Examples
    --------
    >>> lower, upper = noncentral_f_interval(4.0, 3, 36)
    >>> round(lower, 3), round(upper, 3)
    (0.447, 28.453)
    """
    tail = (1.0 - _base.check_confidence_level("confidence_level", confidence_level)) / 2.0
    f = check_real("f", f, low=0.0)
    df_effect = check_real("df_effect", df_effect, low=0.0, low_open=True)
    df_error = check_real("df_error", df_error, low=0.0, low_open=True)

    def limit(probability: float) -> float:
        def excess(noncentrality: float) -> float:
            """P(F ≤ f) as a Poisson mixture of beta distributions; older scipy.stats.ncf warns below 2
            degrees of freedom."""
            mean = 0.5 * noncentrality
            reach = 9.0 * math.sqrt(mean) + 40.0
            j = np.arange(max(0.0, math.floor(mean - reach)), mean + reach + 1.0)
            weights = np.exp(scipy.special.xlogy(j, mean) - mean - scipy.special.gammaln(j + 1.0))
            share = df_effect * f / (df_effect * f + df_error)
            below = scipy.special.betainc(0.5 * df_effect + j, 0.5 * df_error, share)
            return float(np.dot(weights, below)) - probability

        if float(scipy.stats.f.cdf(f, df_effect, df_error)) <= probability:
            return 0.0
        highest = df_effect * f + 10.0
        while excess(highest) > 0.0:
            highest *= 2.0
        return _root(excess, 0.0, highest)

    return limit(1.0 - tail), limit(tail)


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    return float(scipy.optimize.brentq(function, low, high, xtol=1e-12, rtol=8.9e-16, maxiter=500))


def variance_share(noncentrality: float, df_effect: float, df_error: float) -> float:
    """λ / (λ + ν1 + ν2 + 1): the population share of variance (eta squared) that belongs to λ."""
    return noncentrality / (noncentrality + df_effect + df_error + 1.0)


def variance_share_interval(
    f: float,
    df: tuple[float, float],
    confidence_level: float,
    *,
    epsilon: float = 1.0,
    shares: tuple[float, float] | None = None,
) -> tuple[float, float]:
    """Limits of the population eta squared of an F statistic, with degrees of freedom `shares` (default
    `df`); with `epsilon` F has `df` · ε and noncentrality λ · ε."""
    limits = noncentral_f_interval(f, epsilon * df[0], epsilon * df[1], confidence_level)
    low, high = (variance_share(limit / epsilon, *(shares or df)) for limit in limits)
    return low, high


def _numbers(name: str, sample: ArrayLike) -> Floats:
    try:
        values = as_array("a sample", sample, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputTypeError(named(name), " must contain numbers", Got(sample)) from None
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        must = " must be one row of finite numbers, at least one"
        raise DataError(named(name), must, Remedy("leave missing ones out"))
    return values


def rank_biserial_paired(differences: Floats, confidence_level: float = 0.95) -> EffectSize:
    """Matched-pairs rank-biserial correlation (W₊ − W₋) / (W₊ + W₋) of signed ranks.

    Zero differences are omitted, ties share average ranks.  All differences zero: 0 with the
    interval [−1, 1].

    The interval is the score interval {ρ : (r − ρ)² ≤ z²·V₀·(1 − ρ²)}, V₀ = 2(2n+1) / (3n(n+1))
    the variance of r without any effect.  With few pairs and a large effect, or with skewed
    differences, its coverage is below its level.

    Source: Kerby (2014), *The simple difference formula*, for the coefficient.
    """
    level = _base.check_confidence_level("confidence_level", confidence_level)
    differences = _numbers("differences", differences)
    nonzero = differences[differences != 0.0]
    n = nonzero.size
    if n == 0:
        return EffectSize("rank-biserial r", 0.0, -1.0, 1.0)
    ranks = scipy.stats.rankdata(np.abs(nonzero))
    r = float(np.dot(np.sign(nonzero), ranks) / ranks.sum())
    null_variance = 2.0 * (2.0 * n + 1.0) / (3.0 * n * (n + 1.0))
    c = float(scipy.stats.norm.ppf(0.5 + level / 2.0)) ** 2 * null_variance
    half = math.sqrt(c * (1.0 + c - r * r))
    lower = max(-1.0, (r - half) / (1.0 + c))
    return EffectSize("rank-biserial r", r, lower, min(1.0, (r + half) / (1.0 + c)))


def rank_biserial_unpaired(x: Floats, y: Floats, confidence_level: float = 0.95) -> EffectSize:
    """Rank-biserial correlation P(X > Y) − P(X < Y) of two independent samples.

    The interval is the score interval of Newcombe (2006, method 5), *Confidence intervals for an
    effect size measure based on the Mann-Whitney statistic*, Statistics in Medicine 25, 559-573,
    for θ = P(X > Y) + ½P(X = Y), with ρ = 2θ − 1.
    """
    level = _base.check_confidence_level("confidence_level", confidence_level)
    x, y = _numbers("x", x), _numbers("y", y)
    m, n = x.size, y.size
    ranks = scipy.stats.rankdata(np.concatenate([x, y]))
    theta = float((ranks[:m].sum() - m * (m + 1) / 2.0) / (m * n))
    z_squared = float(scipy.stats.norm.ppf(0.5 + level / 2.0)) ** 2
    extra = (m + n) / 2.0 - 1.0

    def spread(t: float) -> float:
        return z_squared * (1.0 + extra * ((1.0 - t) / (2.0 - t) + t / (1.0 + t))) / (m * n)

    def excess(t: float) -> float:
        return (theta - t) ** 2 - t * (1.0 - t) * spread(t)

    if theta in (0.0, 1.0):
        # The factor with its root at θ itself is divided out; the case 1 mirrors the case 0.
        far = _root(lambda t: t - (1.0 - t) * spread(t), 0.0, 1.0)
        lower, upper = (0.0, far) if theta == 0.0 else (1.0 - far, 1.0)
    else:
        lower, upper = _root(excess, 0.0, theta), _root(excess, theta, 1.0)
    return EffectSize("rank-biserial r", 2 * theta - 1, 2 * lower - 1, 2 * upper - 1)


@dataclass(frozen=True, eq=False, repr=False)
class BayesianTTests(_base.TestResult):
    """Result of :func:`bayesian_t_tests`.

    Attributes
    ----------
    frame : DataFrame
        One row per pair: group1, group2, estimate (mean of group1 − group2), and the posterior
        probabilities ``p_below`` (the difference is below −rope), ``p_equivalent`` (within the region)
        and ``p_above`` (above rope); a note where there is none.
    rope : float
        Half-width of the region of practical equivalence.
    correlation : float
        Correlation of the differences of two folds.
    confidence_level : float
        Probability at which a pair counts as decided.
    n, n_dropped : int
        Folds that were used, and omitted for missing values.
    """

    frame: pd.DataFrame
    rope: float
    correlation: float
    confidence_level: float
    n: int
    n_dropped: int

    @property
    def sentence(self) -> str:
        """The pairs that are decided."""
        shares = self.frame[["p_below", "p_equivalent", "p_above"]].to_numpy()
        relations = ("is below", "is equivalent to", "is above")
        decided = [
            f"{row.group1} {relations[int(share.argmax())]} {row.group2} ({share.max():.3f})"
            for row, share in zip(self.frame.itertuples(), shares, strict=True)
            if share.max() >= self.confidence_level  # False for NaN
        ]
        verb = "is" if len(decided) == 1 else "are"
        return (
            f"Bayesian correlated t tests on {self.n} folds{self._dropped}, differences up to "
            f"{_base.number_text(self.rope)} count as equivalent: {len(decided)} of {len(self.frame)} pairs "
            f"{verb} decided with probability {self.confidence_level:g} or more{self._listed(decided)}."
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
    confidence_level: float = 0.95,
    missing: str = "error",
) -> BayesianTTests:
    """Posterior probabilities that a method is worse, equivalent or better than another on folds.

    Parameters
    ----------
    data, condition, value, subject, missing
        As for :func:`rm_anova`; the subjects are the folds of one table, repeated or not.
    rope : float
        Differences from −rope to rope do not matter; 0.01 is usual for accuracies.
    test_train_ratio : float
        Test rows by training rows of a fold: 1 / (k − 1) for k folds.
    df : float, optional
        Degrees of freedom of the posterior; the number of folds − 1 by default.
    confidence_level : float
        Probability at which the sentence calls a pair decided.

    Notes
    -----
    With a flat prior the mean difference has a t distribution with `df` degrees of freedom, located
    at the mean over the n folds, with the squared scale (1/n + ρ/(1 − ρ)) s², where ρ = test rows /
    all rows is the correlation of the differences of two folds; equal differences have all probability
    at one point.  The probabilities are not corrected for the number of pairs.

    References
    ----------
    Corani and Benavoli (2015), Machine Learning 100; Benavoli, Corani, Demšar and Zaffalon (2017),
    Time for a change: a tutorial for comparing multiple classifiers through Bayesian analysis,
    JMLR 18.

    Examples
    --------
    >>> folds = [[0.90, 0.84], [0.88, 0.85], [0.91, 0.83], [0.86, 0.85], [0.90, 0.86]]
    >>> result = bayesian_t_tests(folds, rope=0.01, test_train_ratio=1 / 4)
    >>> result.to_frame()[["p_below", "p_equivalent", "p_above"]].round(3)
       p_below  p_equivalent  p_above
    0     0.02         0.047    0.933
    """
    check_real("rope", rope, low=0.0)
    ratio = check_real("test_train_ratio", test_train_ratio, low=0.0, low_open=True)
    level = _base.check_confidence_level("confidence_level", confidence_level)
    blocks = _base.read_blocks(
        data, subject=subject, condition=condition, value=value, missing=missing
    )
    n = len(blocks.values)
    freedom = n - 1.0 if df is None else check_real("df", df, low=1.0)
    rows = []
    for i, j, names in _base.pairs(blocks.conditions):
        both = blocks.values[:, [i, j]]
        (differences, both), exponent = scaled_together(_base.subtracted(*both.T), both.ravel())
        mean = float(differences.mean())
        region = original(float(rope), -exponent)
        below, above = float(mean < -region), float(mean > region)
        note = "all differences are the same"
        if not _base.negligible(differences - mean, both):
            scale = float(differences.std(ddof=1)) * math.sqrt(1.0 / n + ratio)
            below = float(scipy.special.stdtr(freedom, (-region - mean) / scale))
            above, note = float(scipy.special.stdtr(freedom, (mean - region) / scale)), ""
        rows.append(
            {
                **names,
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

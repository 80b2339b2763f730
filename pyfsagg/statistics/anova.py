"""Analysis of variance, one-way and of repeated measures, with effect sizes and intervals."""

import math
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import scipy

from pyfsagg._base.arithmetic import Floats, original, scaled, scaled_together, unscaled
from pyfsagg._base.fields import Part, columns
from pyfsagg._base.validation import as_array, check_choice, check_flag
from pyfsagg._message import Param, Remedy, Use
from pyfsagg.exceptions import DataError
from pyfsagg.statistics import _base, effect_sizes
from pyfsagg.statistics._base import number_text


@dataclass(frozen=True, repr=False)
class OneWayAnova(_base.TestResult):
    """A one-way analysis of variance of independent groups.

    Attributes
    ----------
    f, df_effect, df_error, p_value : float
        Classical, or Welch's with its own error degrees of freedom.
    ss_effect, ss_error : float
        Sums of squares between and within groups.
    eta_squared, omega_squared : float
        Share of the variance between groups, df F / (df F + n - k) with df = df_effect, and its less
        biased estimate df (F - 1) / (df (F - 1) + n), which can be below 0.
    eta_squared_interval : tuple of float
        Interval of the population's share of variance, which both estimate.
    n, n_groups, n_dropped : int
        `n_dropped` missing values were omitted.
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
        dropped = f" ({self.n_dropped} missing omitted)" if self.n_dropped else ""
        df = f"{number_text(self.df_effect)}, {number_text(self.df_error)}"
        return (
            f"{name} of {self.n_groups} groups with {self.n} values{dropped}: "
            f"{self._verdict(self.p_value, 'groups')} (F({df}) = {number_text(self.f)}, "
            f"{_base.p_text(self.p_value)}; η² = {number_text(self.eta_squared)}, "
            f"{self._interval(self.eta_squared_interval)})."
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
        Do not assume equal variances.
    confidence_level : float
        Level of the interval; 1 − `confidence_level` is the significance level of the sentence.
    missing : {"error", "drop"}
        A missing value is an error, or is omitted and counted.

    Returns
    -------
    OneWayAnova
        The interval inverts the noncentral F distribution (Steiger 2004); for Welch's F, which
        weights each group by its precision, it is approximate.

    Raises
    ------
    DataError
        For fewer than 2 groups, missing values (see `missing`), or values without variation.

    See Also
    --------
    rm_anova : The same for conditions on the same subjects.
    pairwise_tests : Which pairs of groups differ.

    Examples
    --------
    >>> print(one_way_anova({"a": [6, 8, 4, 5], "b": [8, 12, 9, 11], "c": [13, 9, 11, 8]}))
    One-way ANOVA of 3 groups with 12 values: the groups differ significantly at the 5 % level
    (F(2, 9) = 6.87, p = 0.0154; η² = 0.604, 95 % interval 0.0344 to 0.759).
    """
    level = _base.check_confidence_level("confidence_level", confidence_level)
    welch = check_flag("welch", welch)
    groups = _base.read_groups(data, group=group, value=value, missing=missing)
    values, exponent = scaled_together(*groups.values)
    groups = replace(groups, values=tuple(values))
    everything = np.concatenate(values)
    n, k, overall = everything.size, len(values), everything.mean()
    if _base.negligible(everything - everything[0], everything):
        same = original(everything[0], exponent)
        raise DataError(f"all {n} values are the same ({same:g}): there is nothing to test")
    if n <= k:
        raise DataError(
            "every group has one value only; at least one group needs two for the variation "
            "within groups"
        )
    flat = [
        name
        for name, sample in zip(groups.names, values, strict=True)
        if _base.negligible(sample - math.fsum(sample) / sample.size, everything)
    ]
    if len(flat) == k:
        raise DataError(
            "the values do not vary within any group: F is infinite. Check for values that were "
            "rounded or copied"
        )
    if welch and flat:
        raise DataError(
            f"group {flat[0]!r} has one value or values that do not vary: Welch's test has no weight for it",
            Remedy("use ", Use(welch=False), " or leave the group out"),
        )
    ss_effect = sum(sample.size * float(np.square(sample.mean() - overall)) for sample in values)
    ss_error = sum(float(np.square(sample - sample.mean()).sum()) for sample in values)
    # scipy's f_oneway takes the sum between groups as a difference, which can be negative for
    # equal means (then p is NaN); statsmodels divides by zero for a group with one value.
    df_effect, df_error = k - 1.0, float(n - k)
    f = (ss_effect / df_effect) / (ss_error / df_error)
    if welch:
        from statsmodels.stats.oneway import anova_oneway

        fit = anova_oneway(groups.values, use_var="unequal")
        f, df_effect, df_error = float(fit.statistic), float(fit.df[0]), float(fit.df[1])
    return OneWayAnova(
        f=f,
        df_effect=df_effect,
        df_error=df_error,
        p_value=float(scipy.stats.f.sf(f, df_effect, df_error)),
        ss_effect=unscaled(ss_effect, exponent),
        ss_error=unscaled(ss_error, exponent),
        eta_squared=df_effect * f / (df_effect * f + n - k),
        omega_squared=df_effect * (f - 1.0) / (df_effect * (f - 1.0) + n),
        eta_squared_interval=effect_sizes.variance_share_interval(
            f, (df_effect, df_error), level, shares=(k - 1, n - k)
        ),
        welch=welch,
        confidence_level=level,
        n=n,
        n_groups=k,
        n_dropped=groups.n_dropped,
    )


@dataclass(frozen=True, repr=False)
class Sphericity(Part):
    """Mauchly's test and the estimates of epsilon.

    Attributes
    ----------
    w, p_value : float
        Mauchly's W and its p-value; NaN if they are undefined, with the reason in `note`.
    greenhouse_geisser : float
        Between 1 / (k − 1) and 1.
    huynh_feldt : float
        May exceed 1; a correction uses min(1, ·).
    note : str
        Empty, or why a value is special.
    """

    w: float
    p_value: float
    greenhouse_geisser: float
    huynh_feldt: float
    note: str


def sphericity_test(values: Floats, mauchly: str = "textbook") -> Sphericity:
    """Mauchly's W, Greenhouse-Geisser and Huynh-Feldt epsilon of subjects by conditions.

    Parameters
    ----------
    values : ndarray (n_subjects, n_conditions)
        Finite numbers, at least 2 by 2.
    mauchly : {"textbook", "r"}
        Second-order term of the p-value, see Notes.

    Notes
    -----
    With S the covariance matrix of q = k − 1 orthonormal contrasts, W = det S / (tr S / q)^q and
    the Greenhouse-Geisser epsilon is (tr S)² / (q tr S²).  Huynh and Feldt's, with or without
    Lecoutre's correction (R's car and afex), is (n q ε − 2) / (q (n − 1 − q ε)).

    The p-value of W is Box's expansion to second order (Anderson, *An Introduction to Multivariate
    Statistical Analysis*, section 10.7.4), with 2q³ + 6q² + 3q + 2; ``"r"``, as R, takes 3k for 3q.
    """
    values = as_array("values", values, np.float64)
    if values.ndim != 2 or min(values.shape) < 2 or not np.isfinite(values).all():
        raise DataError(
            Param("values"),
            " must be finite numbers of at least 2 subjects (rows) under at least 2 conditions ",
            f"(columns), got an array of shape {values.shape}",
        )
    check_choice("mauchly", mauchly, ("textbook", "r"))
    n, k = values.shape
    q = k - 1
    if k == 2:
        return Sphericity(1.0, 1.0, 1.0, 1.0, "two conditions: sphericity holds by definition")
    contrasts = np.zeros((q, k))  # Helmert's, with unit rows
    for i in range(1, k):
        contrasts[i - 1, :i] = 1.0
        contrasts[i - 1, i] = -i
        contrasts[i - 1] /= math.sqrt(i * (i + 1))
    values = scaled(values)[0]
    projected = (values - values.mean(axis=0)) @ contrasts.T
    eigenvalues = np.linalg.eigvalsh(projected.T @ projected / (n - 1))
    total = float(eigenvalues.sum())
    if total <= 0.0:
        raise DataError(
            "the differences between conditions are the same for all subjects: there is no variation "
            "whose shape could be tested"
        )
    gg = min(1.0, total**2 / (q * float(np.square(eigenvalues).sum())))
    room = n - 1 - q * gg
    # Without room every direction that n subjects can show varies alike: no sign of a departure.
    hf = (n * q * gg - 2.0) / (q * room) if room > 1e-10 * n else 1.0
    if n - 1 < q:
        note = f"Mauchly's test needs at least {k} subjects for {k} conditions"
        return Sphericity(math.nan, math.nan, gg, hf, note)
    if eigenvalues[0] <= 1e-13 * eigenvalues[-1]:
        note = "Mauchly's test is undefined: some contrast of the conditions is constant"
        return Sphericity(math.nan, math.nan, gg, hf, note)
    log_w = float(np.log(eigenvalues).sum()) - q * math.log(total / q)
    df, odd = n - 1, k if mauchly == "r" else q
    rho = 1.0 - (2 * q**2 + q + 2) / (6.0 * q * df)
    cubic = (q + 2) * (q - 1) * (q - 2) * (2 * q**3 + 6 * q**2 + 3 * odd + 2)
    second = cubic / (288.0 * (df * q * rho) ** 2)
    z, f = -df * rho * log_w, q * (q + 1) / 2 - 1
    first_tail = float(scipy.stats.chi2.sf(z, f))
    p = first_tail + second * (float(scipy.stats.chi2.sf(z, f + 4)) - first_tail)
    return Sphericity(math.exp(log_w), min(1.0, max(0.0, p)), gg, hf, "")


@dataclass(frozen=True, repr=False)
class RepeatedMeasuresAnova(_base.TestResult):
    """A repeated-measures analysis of variance with one within factor.

    Attributes
    ----------
    f, df_effect, df_error : float
        The statistic and its degrees of freedom, before any correction.
    p_value, p_greenhouse_geisser, p_huynh_feldt : float
        Uncorrected and corrected.
    sphericity : Sphericity
    ss_effect, ss_subjects, ss_error : float
        Sums of squares of conditions, subjects, and residuals.
    generalized_eta_squared : float
        ss_effect / (ss_effect + ss_subjects + ss_error) (Olejnik and Algina 2003).
    generalized_eta_squared_interval : tuple of float
        Approximate, see :func:`rm_anova`.
    partial_eta_squared : float
        ss_effect / (ss_effect + ss_error).
    partial_eta_squared_interval : tuple of float
    sphericity_correction : str
        What the sentence and the intervals use.
    n_subjects, n_conditions, n_dropped : int
        `n_dropped` subjects were omitted because a cell was missing.
    """

    n_subjects: int
    n_dropped: int
    df_effect: float
    df_error: float
    ss_effect: float
    ss_subjects: float
    ss_error: float
    f: float
    p_value: float = field(metadata=columns("p"))
    p_greenhouse_geisser: float = field(metadata=columns("p_gg"))
    p_huynh_feldt: float = field(metadata=columns("p_hf"))
    generalized_eta_squared: float = field(metadata=columns("ges"))
    generalized_eta_squared_interval: tuple[float, float] = field(
        metadata=columns("ges_lower", "ges_upper")
    )
    partial_eta_squared: float
    partial_eta_squared_interval: tuple[float, float] = field(
        metadata=columns("partial_eta_squared_lower", "partial_eta_squared_upper")
    )
    sphericity_correction: str
    sphericity: Sphericity = field(
        metadata=columns("mauchly_w", "mauchly_p", "gg_epsilon", "hf_epsilon", "note")
    )
    confidence_level: float = field(metadata=columns())
    n_conditions: int = field(metadata=columns())

    @property
    def sentence(self) -> str:
        """The result by the p-value that `sphericity_correction` names."""
        shape = self.sphericity
        name, epsilon, p = {
            "greenhouse_geisser": (
                "Greenhouse-Geisser", shape.greenhouse_geisser, self.p_greenhouse_geisser,
            ),
            "huynh_feldt": ("Huynh-Feldt", min(1.0, shape.huynh_feldt), self.p_huynh_feldt),
            "none": ("", 1.0, self.p_value),
        }[self.sphericity_correction]  # fmt: skip
        label = f"{name} ε = {number_text(epsilon)}, " if name else ""
        return (
            f"Repeated-measures ANOVA of {self.n_conditions} conditions on {self.n_subjects} "
            f"subjects{self._dropped}: {self._verdict(p, 'conditions')} "
            f"(F({number_text(epsilon * self.df_effect)}, {number_text(epsilon * self.df_error)}) "
            f"= {number_text(self.f)}, {label}{_base.p_text(p)}; generalised η² = "
            f"{number_text(self.generalized_eta_squared)}, "
            f"{self._interval(self.generalized_eta_squared_interval)})."
        )


def rm_anova(
    data: Any,
    *,
    subject: str | None = None,
    condition: str | None = None,
    value: str | None = None,
    sphericity_correction: str = "greenhouse_geisser",
    mauchly: str = "textbook",
    confidence_level: float = 0.95,
    missing: str = "error",
) -> RepeatedMeasuresAnova:
    """Repeated-measures analysis of variance with one within factor.

    Parameters
    ----------
    data : data frame or array
        Long, with the columns named by `subject`, `condition` and `value`; or wide, one row per
        subject and one column per condition (`subject` may name the column of the row labels).
    subject, condition, value : str, optional
        Column names.
    sphericity_correction : {"greenhouse_geisser", "huynh_feldt", "none"}
        For the sentence and the intervals; the result has all three p-values.  Do not choose it by
        Mauchly's test, which has little power where the correction matters.
    mauchly : {"textbook", "r"}
        Reading of the p-value of Mauchly's W, see :func:`pyfsagg.statistics.sphericity_test`.
    confidence_level : float
        Level of the intervals; 1 − `confidence_level` is the significance level of the sentence.
    missing : {"error", "drop"}
        A subject with a missing cell is an error, or is omitted and counted.

    Raises
    ------
    DataError
        For repeated or missing cells (see `missing`), fewer than 3 subjects or 2 conditions, or
        differences between conditions that are the same in every subject.

    See Also
    --------
    friedman : The same by ranks.
    pairwise_tests : Which pairs of conditions differ.

    Notes
    -----
    The interval of partial η² inverts the noncentral F distribution (Steiger 2004) with the
    degrees of freedom times ε, whose noncentrality is ε·λ (Muller and Barton 1989); λ stands for
    the share λ / (λ + df_effect + df_error + 1).  The interval of generalised η² joins these limits
    with those of the ratio of subject to error variation (MOVER, Zou and Donner 2008): approximate;
    in simulations with normal data and sphericity 95 % intervals covered 96 to 99 %.

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
    known = ("greenhouse_geisser", "huynh_feldt", "none")
    check_choice("sphericity_correction", sphericity_correction, known)
    check_choice("mauchly", mauchly, ("textbook", "r"))
    level = _base.check_confidence_level("confidence_level", confidence_level)
    blocks = _base.read_blocks(
        data, subject=subject, condition=condition, value=value, missing=missing
    )
    values, exponent = scaled(blocks.values)
    ss_effect, ss_subjects, ss_error = _split(values)
    n, k = values.shape
    df_effect, df_error = float(k - 1), float((n - 1) * (k - 1))
    f = (ss_effect / df_effect) / (ss_error / df_error)
    shape = sphericity_test(values, mauchly)
    epsilons = {
        "greenhouse_geisser": shape.greenhouse_geisser,
        "huynh_feldt": min(1.0, shape.huynh_feldt),
        "none": 1.0,
    }
    p_values = {
        name: float(scipy.stats.f.sf(f, epsilon * df_effect, epsilon * df_error))
        for name, epsilon in epsilons.items()
    }
    epsilon = epsilons[sphericity_correction]
    partial = effect_sizes.variance_share_interval(f, (df_effect, df_error), level, epsilon=epsilon)
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
        sphericity_correction=sphericity_correction,
        confidence_level=level,
        n_subjects=n,
        n_conditions=k,
        n_dropped=blocks.n_dropped,
    )


def _split(values: Floats) -> tuple[float, float, float]:
    """Sums of squares of conditions, subjects and the rest."""
    n, k = values.shape
    centred = values - values.mean()
    of_condition = centred.mean(axis=0)
    of_subject = centred.mean(axis=1)
    rest = centred - of_condition - of_subject[:, np.newaxis]
    if _base.negligible(values - values[:, :1], values):
        raise DataError(
            f"all {k} conditions have the same value in each of the {n} subjects: all differences "
            "are zero, and there is nothing to test"
        )
    if _base.negligible(rest, values):
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


def _generalized_interval(
    partial: tuple[float, float],
    sums: tuple[float, float, float],
    shape: tuple[int, int],
    confidence_level: float,
) -> tuple[float, float]:
    """Limits of generalised eta squared: the logarithm of its odds is a difference, whose limits follow
    from those of its parts (MOVER, Zou and Donner 2008)."""
    ss_effect, ss_subjects, ss_error = sums
    n, k = shape
    df_subjects, df_error = n - 1.0, (n - 1.0) * (k - 1.0)
    tail = (1.0 - confidence_level) / 2.0
    f_subjects = (ss_subjects / df_subjects) / (ss_error / df_error)
    spread = 1.0 + ss_subjects / ss_error
    narrow = 1.0 + f_subjects / float(scipy.stats.f.isf(tail, df_subjects, df_error)) / (k - 1.0)
    wide = 1.0 + f_subjects / float(scipy.stats.f.ppf(tail, df_subjects, df_error)) / (k - 1.0)
    signal = ss_effect / ss_error
    low, high = (share / (1.0 - share) for share in partial)
    lower = upper = 0.0
    if low > 0.0:
        below = math.hypot(math.log(signal / low), math.log(wide / spread))
        lower = signal / spread * math.exp(-below)
    if high > 0.0:
        above = math.hypot(math.log(high / signal), math.log(spread / narrow))
        upper = signal / spread * math.exp(above)
    return lower / (1.0 + lower), upper / (1.0 + upper)

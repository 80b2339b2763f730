"""Comparisons of all pairs of conditions or groups, with correction for their number."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy

from pyfsagg._base.arithmetic import ADJUSTMENTS, Floats, adjust_p_values, original, scaled_together
from pyfsagg._base.validation import check_choice, check_flag, check_real
from pyfsagg._message import Param, Remedy, Use, named
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.statistics import _base, effect_sizes, rank_tests
from pyfsagg.statistics._base import negligible
from pyfsagg.statistics.effect_sizes import EffectSize

NO_T = "without variation there is no t statistic"
CHECK_OR_RANK = Remedy("check for copied values, or use ", Use(test="wilcoxon"))


class _Comparison(NamedTuple):
    """What one pair contributes to the table."""

    estimate: float
    lower: float
    upper: float
    statistic: float
    df: float
    p: float
    effect: EffectSize
    note: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class PairwiseTests(_base.TestResult):
    """Result of :func:`pairwise_tests`.

    Attributes
    ----------
    frame : DataFrame
        One row per pair: group1, group2, n1, n2, estimate (group1 − group2: difference of means, or
        Hodges-Lehmann shift) with lower and upper, statistic (t; V or W), df (missing for ranks), p,
        p_adjusted, effect, effect_size with effect_lower and effect_upper, and a note where a value
        holds by definition. The intervals are not corrected for the number of pairs.
    test, p_adjust : str
    paired, pooled : bool
    n_dropped : int
        Subjects (paired) or values (unpaired) omitted for missing values.
    """

    frame: pd.DataFrame
    test: str
    p_adjust: str
    paired: bool
    pooled: bool
    confidence_level: float
    n_dropped: int

    @property
    def sentence(self) -> str:
        """The pairs that differ, the smallest p-value first."""
        level = _base.significance_level(self.confidence_level)
        different = self.frame[self.frame["p_adjusted"] < level]
        name = {
            ("t", True): "Paired t tests",
            ("t", False): "t tests with pooled variance" if self.pooled else "Welch's t tests",
            ("wilcoxon", True): "Wilcoxon signed-rank tests",
            ("wilcoxon", False): "Wilcoxon rank-sum tests",
            ("corrected_t", True): "Corrected t tests (Nadeau and Bengio)",
        }[self.test, self.paired]
        adjusted = {
            "bh": "Benjamini-Hochberg adjusted",
            "bonferroni": "Bonferroni adjusted",
            "holm": "Holm adjusted",
            "none": "without adjustment",
        }[self.p_adjust]
        pairs = [
            f"{row['group1']} and {row['group2']} ({_base.p_text(row['p_adjusted'])}, {row['effect']} = "
            f"{_base.number_text(row['effect_size'])})"
            for row in different.sort_values("p_adjusted", kind="stable").to_dict(orient="records")
        ]
        verdict = self._pairs_verdict(len(pairs), len(self.frame))
        return f"{name}{self._dropped}, {adjusted}: {verdict}{self._listed(pairs)}."


def pairwise_tests(
    data: Any,
    *,
    condition: str | None = None,
    value: str | None = None,
    subject: str | None = None,
    paired: bool = True,
    pooled: bool = True,
    p_adjust: str = "holm",
    test: str = "t",
    confidence_level: float = 0.95,
    decimals: int | None = None,
    test_train_ratio: float | None = None,
    df: float | None = None,
    missing: str = "error",
) -> PairwiseTests:
    """Test every pair of conditions (paired) or groups (unpaired).

    Parameters
    ----------
    data : data frame, array or mapping
        Paired: as for :func:`rm_anova`.  Unpaired: as for :func:`one_way_anova`, where `condition`
        names the column of the groups.
    condition, value, subject : str, optional
        Column names; `subject` for paired data only.
    paired : bool
        Whether the values of the two conditions belong to the same subjects.
    pooled : bool
        Unpaired t tests: True pools the variance over all groups, as R's ``pairwise.t.test``;
        False is Welch's test of each pair by itself.
    p_adjust : {"bonferroni", "holm", "bh", "none"}
        Correction of the p-values for the number of pairs.
    test : {"t", "wilcoxon", "corrected_t"}
        Paired: t test or signed-rank test (:func:`wilcoxon` with its defaults).  Unpaired: t test
        or rank-sum test, exact for fewer than 50 values a side without ties, else the normal form
        with continuity correction, as R's ``wilcox.test``.  ``"corrected_t"`` is for the folds of
        one table or repeated divisions of it (the subjects): a t test that accounts for shared rows.
    confidence_level : float
        Level of each interval; 1 − `confidence_level` is the significance level of the sentence.
    decimals : int, optional
        Digits to which the signed-rank test rounds differences, see :func:`wilcoxon`.
    test_train_ratio : float, optional
        For ``"corrected_t"``: test rows by training rows of a division, 1 / (k − 1) for k folds.
    df : float, optional
        For ``"corrected_t"``: degrees of freedom; the number of divisions − 1 by default.
    missing : {"error", "drop"}
        Paired: a subject with a missing cell is an error, or is omitted from all pairs.  Unpaired:
        the same for a missing value.

    Returns
    -------
    PairwiseTests
        Effect sizes with intervals: Cohen's dz (mean / SD of the differences) or d, by the
        noncentral t distribution (approximate for Welch's test, where d goes by the root of the mean
        of both variances); rank-biserial r for the Wilcoxon tests.  The corrected t test gives dz alone.

    Raises
    ------
    DataError
        For repeated or missing cells, fewer than 3 subjects, fewer than 2 conditions or groups; for
        a t test, if the differences of a pair are all the same but not zero, or a group has no
        variance.

    See Also
    --------
    bayesian_t_tests : Probabilities that a method is worse, equivalent or better.
    nemenyi : All pairs by their average ranks.

    Notes
    -----
    A pair with only differences of zero has p = 1 and a note.
    The corrected t of n divisions is mean / √((1/n + test rows / training rows) · s²) with n − 1
    degrees of freedom (Nadeau and Bengio 2003, Machine Learning 52; for repeated folds Bouckaert
    and Frank 2004, PAKDD), about tables of this size from the same population.  Where features are
    selected inside repeated folds, `df` = k − 1 for k folds keeps the level (Bouckaert 2003, ICML).
    Where all differences of a pair are the same but not zero there is no p-value, only a note.

    Examples
    --------
    >>> data = [[45, 50, 55], [42, 42, 45], [36, 41, 43], [39, 35, 40], [51, 55, 59]]
    >>> result = pairwise_tests(data, p_adjust="bonferroni")
    >>> result.to_frame()[["group1", "group2", "statistic", "p_adjusted", "effect_size"]].round(3)
            group1       group2  statistic  p_adjusted  effect_size
    0  condition 1  condition 2     -1.136       0.958       -0.508
    1  condition 1  condition 3     -3.504       0.074       -1.567
    2  condition 2  condition 3     -6.517       0.009       -2.914
    """
    check_choice("test", test, ("t", "wilcoxon", "corrected_t"))
    check_choice("p_adjust", p_adjust, ("none", *ADJUSTMENTS))
    paired, pooled = check_flag("paired", paired), check_flag("pooled", pooled)
    level = _base.check_confidence_level("confidence_level", confidence_level)
    folds = _read_folds(test, paired, test_train_ratio, df)
    if paired:
        blocks = _base.read_blocks(
            data, subject=subject, condition=condition, value=value, missing=missing
        )
        groups = _base.Groups(tuple(blocks.values.T), blocks.conditions, blocks.n_dropped)
        compared = _paired(groups, test, level, decimals, folds)
    else:
        if subject is not None:
            remedy = Remedy("drop it, or use ", Use(paired=True))
            raise ParameterError(
                Param("subject"), " has no meaning with ", Use(paired=False), remedy
            )
        groups = _base.read_groups(data, group=condition, value=value, missing=missing)
        compared = _unpaired(groups, test, pooled, level)
    found = list(compared)
    # A pair without a p-value counts among the tests all the same.
    adjusted = adjust_p_values([one.p for one in found], p_adjust, n=len(found))
    rows = [
        {
            **names,
            "n1": groups.values[i].size,
            "n2": groups.values[j].size,
            "estimate": one.estimate,
            "lower": one.lower,
            "upper": one.upper,
            "statistic": one.statistic,
            "df": one.df,
            "p": one.p,
            "p_adjusted": float(p_adjusted),
            "effect": one.effect.name,
            "effect_size": one.effect.value,
            "effect_lower": one.effect.lower,
            "effect_upper": one.effect.upper,
            "note": one.note,
        }
        for (i, j, names), one, p_adjusted in zip(
            _base.pairs(groups.names), found, adjusted, strict=True
        )
    ]
    return PairwiseTests(
        pd.DataFrame(rows), test, p_adjust, paired, pooled and not paired, level, groups.n_dropped
    )


_Folds = tuple[float, float | None]  # test rows by training rows, and degrees of freedom


def _read_folds(test: str, paired: bool, ratio: float | None, df: float | None) -> _Folds | None:
    """The options of the corrected t test; no other test takes them."""
    corrected = Use(test="corrected_t")
    if test != "corrected_t":
        for name, value in (("test_train_ratio", ratio), ("df", df)):
            if value is not None:
                leave = Remedy("drop it, or use that test")
                raise ParameterError(named(name), " belongs to ", corrected, leave)
        return None
    if not paired:
        remedy = Remedy("use ", Use(paired=True))
        raise ParameterError(corrected, " compares values of the same folds", remedy)
    if ratio is None:
        meaning = "the test rows by the training rows of a division: 1 / (k - 1) for k folds"
        raise ParameterError(corrected, " needs ", Param("test_train_ratio"), f", {meaning}")
    if df is not None:
        check_real("df", df, low=1.0)
    return check_real("test_train_ratio", ratio, low=0.0, low_open=True), df


def _paired(
    groups: _base.Groups,
    test: str,
    confidence_level: float,
    decimals: int | None,
    folds: _Folds | None,
) -> Iterator[_Comparison]:
    for i, j, names in _base.pairs(groups.names):
        x, y = groups.values[i], groups.values[j]
        if test == "wilcoxon":
            ranked = rank_tests.wilcoxon(x, y, confidence_level=confidence_level, decimals=decimals)
            shift, effect = (ranked.estimate, *ranked.interval), ranked.effect_size
            yield _Comparison(
                *shift, ranked.statistic, math.nan, ranked.p_value, effect, ranked.note
            )
            continue
        exact = _base.subtracted(x, y)
        if folds is not None and decimals is not None:
            exact = _base.rounded(exact, decimals)
        (change, both), exponent = scaled_together(exact, np.concatenate([x, y]))
        yield _t_of_differences(change, both, exponent, names, confidence_level, folds)


def _t_of_differences(
    differences: Floats,
    both: Floats,
    exponent: int,
    names: dict[str, str],
    confidence_level: float,
    folds: _Folds | None,
) -> _Comparison:
    """Paired t test, or of differences of folds, whose correlation is test rows by all rows; the effect
    size of these has no limits."""
    n, mean = differences.size, float(differences.mean())
    df = n - 1.0 if folds is None or folds[1] is None else folds[1]
    root_n, spread = math.sqrt(n), float(differences.std(ddof=1))
    limits = np.full(2, math.nan)
    if negligible(differences, both):
        if folds is None:
            limits = _effect(0.0, df, confidence_level)[1:] / root_n
        effect = EffectSize("Cohen's dz", 0.0, *limits.tolist())
        note = "all differences are zero: p = 1 by definition"
        return _Comparison(0.0, 0.0, 0.0, 0.0, df, 1.0, effect, note)
    if negligible(differences - mean, both):
        mean, nan = original(mean, exponent), math.nan
        if folds is None:
            raise DataError(
                f"the differences between {names['group1']!r} and {names['group2']!r} are ",
                f"{mean:g} in every subject: {NO_T}",
                CHECK_OR_RANK,
            )
        effect = EffectSize("Cohen's dz", nan, nan, nan)
        note = f"all differences are {mean:g}: {NO_T}"
        return _Comparison(mean, nan, nan, nan, df, nan, effect, note)
    if folds is None:
        error = spread / root_n
        effect = EffectSize(
            "Cohen's dz", *(_effect(mean / error, df, confidence_level) / root_n).tolist()
        )
    else:
        error = spread * math.sqrt(1.0 / n + folds[0])
        effect = EffectSize("Cohen's dz", mean / spread, math.nan, math.nan)
    return _t_row(mean, error, df, confidence_level, exponent, effect)


def _effect(t: float, df: float, confidence_level: float) -> Floats:
    """A statistic t with the limits of its noncentrality."""
    return np.array([t, *effect_sizes.noncentral_t_interval(t, df, confidence_level)])


def _t_row(
    estimate: float,
    standard_error: float,
    df: float,
    confidence_level: float,
    exponent: int,
    effect: EffectSize,
) -> _Comparison:
    """Statistic, two-sided p and interval, in the unit of the data, of numbers that are `scaled`; neither by
    scipy's test, which warns of a group without variance, nor by its t.ppf, which errs in the ninth digit."""
    t = estimate / standard_error
    share = float(scipy.special.betaincinv(0.5 * df, 0.5, 1.0 - confidence_level))
    half = standard_error * math.sqrt(df * (1.0 - share) / share)
    p = 2.0 * float(scipy.stats.t.sf(abs(t), df))
    low, high = original(estimate - half, exponent), original(estimate + half, exponent)
    return _Comparison(original(estimate, exponent), low, high, t, df, p, effect)


def _unpaired(
    groups: _base.Groups, test: str, pooled: bool, confidence_level: float
) -> Iterator[_Comparison]:
    values, together = scaled_together(*groups.values)
    scale, df = 0.0, 0.0  # over all groups
    if test == "t" and pooled:
        rests = [sample - sample.mean() for sample in values]
        everything = np.concatenate(values)
        df = float(everything.size - len(values))
        if df < 1 or negligible(np.concatenate(rests), everything):
            raise DataError(f"the values do not vary within any group: {NO_T}", CHECK_OR_RANK)
        scale = math.sqrt(sum(float(np.square(rest).sum()) for rest in rests) / df)
    for i, j, names in _base.pairs(groups.names):
        if test == "wilcoxon":
            yield _rank_sum(groups.values[i], groups.values[j], confidence_level)
            continue
        if pooled:
            x, y, exponent = values[i], values[j], together
            root = math.sqrt(1.0 / x.size + 1.0 / y.size)
            error = scale * root
        else:
            (x, y), exponent = scaled_together(groups.values[i], groups.values[j])
            error, df, root = _welch(x, y, names)
        estimate = float(x.mean() - y.mean())
        limits = _effect(estimate / error, df, confidence_level) * root
        effect = EffectSize("Cohen's d", *limits.tolist())
        yield _t_row(estimate, error, df, confidence_level, exponent, effect)


def _welch(x: Floats, y: Floats, names: dict[str, str]) -> tuple[float, float, float]:
    """Standard error of the difference, its degrees of freedom, and d by t."""
    for name, sample in zip(names.values(), (x, y), strict=True):
        if sample.size < 2:
            raise DataError(
                f"group {name!r} has one value, and Welch's test needs two",
                Remedy("use ", Use(pooled=True)),
            )
    if negligible(np.concatenate([x - x.mean(), y - y.mean()]), np.concatenate([x, y])):
        raise DataError(
            f"the values of {names['group1']!r} and {names['group2']!r} do not vary: {NO_T}",
            Remedy("use ", Use(pooled=True), " or ", Use(test="wilcoxon")),
        )
    of_x, of_y = float(x.var(ddof=1)), float(y.var(ddof=1))
    parts = of_x / x.size, of_y / y.size
    error = math.sqrt(sum(parts))
    df = sum(parts) ** 2 / (parts[0] ** 2 / (x.size - 1) + parts[1] ** 2 / (y.size - 1))
    return error, df, error / math.sqrt((of_x + of_y) / 2.0)


def _rank_sum(x: Floats, y: Floats, confidence_level: float) -> _Comparison:
    everything = np.concatenate([x, y])
    effect = effect_sizes.rank_biserial_unpaired(x, y, confidence_level)
    if np.unique(everything).size == 1:
        note = "all values are the same: p = 1 by definition"
        return _Comparison(0.0, 0.0, 0.0, x.size * y.size / 2.0, math.nan, 1.0, effect, note)
    shift, statistic, p, short = rank_tests.rank_sum(x, y, confidence_level)
    note = "too few values for an interval at this level" if short else ""
    return _Comparison(*shift, statistic, math.nan, p, effect, note)

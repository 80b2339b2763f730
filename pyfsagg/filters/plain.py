"""Plain filters: tests of one column by the classes, its spread, and columns that hardly vary."""

from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
import pandas as pd

from pyfsagg._base.arithmetic import Booleans, Floats, TableLike
from pyfsagg._base.validation import check_real
from pyfsagg._kernels import Codes
from pyfsagg._kernels.group_tests import group_tests_block, spread_block
from pyfsagg._table.groups import FeatureGroups
from pyfsagg._table.table import AnyTable, Table, Weights, as_table
from pyfsagg._table.target import Target
from pyfsagg.exceptions import DataError
from pyfsagg.filters import _base
from pyfsagg.filters.adjusted import linear_scores, with_classes

_OF_CLASSES = ("anova_f", "kruskal_wallis", "welch_t", "auc")
_OF_MEANS = ("anova_f", "welch_t")
_OF_SPREAD = ("variance", "mad")
_NORMAL = 1.4826
"""By which R's ``mad()`` multiplies, so that it estimates the standard deviation of normal values."""


def prepare_group_tests(table: Table, target: Target) -> _base.Scorer:
    """Bind F, H, |t| of Welch and the AUC to `table`; F and |t| of linear models with adjusters.

    Notes
    -----
    Features are numeric, integer, boolean, or nominal with at most two levels.
    """
    _base.require_order(table, ", ".join(map(repr, _OF_CLASSES)), "information_gain")
    if target.adjusters is not None:
        statistic, values = partial(with_classes, n_classes=target.n_classes), table.values
        model = (_base.within_range(values), target, statistic, False, False)
        return _base.KernelScorer(linear_scores, model, _OF_MEANS, table.n_features)
    levels = _base.scaled_levels(table)
    arguments = (levels.values, levels.start, levels.codes, target.n_classes)
    return _base.KernelScorer(group_tests_block, arguments, _OF_CLASSES, table.n_features)


def prepare_two_groups(table: Table, target: Target) -> _base.Scorer:
    """Bind the tests of two classes to `table`."""
    _base.require_two_classes(
        target, "the filters 'welch_t' and 'auc' are", "'anova_f' or 'kruskal_wallis'"
    )
    return prepare_group_tests(table, target)


def _spread(levels: _base.OrderedLevels, labels: Codes, weights: Weights, scores: Floats) -> None:
    """Variance and scaled median absolute deviation; what is above all numbers is the largest one."""
    spread_block(levels.values, levels.start, levels.codes, labels, weights, scores)
    scores[1] *= _NORMAL
    largest = np.finfo(np.float64).max
    np.nan_to_num(scores, copy=False, nan=largest, posinf=largest)


def prepare_spread(table: Table, target: Target) -> _base.KernelScorer:
    """Bind variance and median absolute deviation to `table`."""
    _base.require_order(table, "'variance' or 'mad'", "information_gain")
    return _base.KernelScorer(_spread, (_base.ordered_levels(table),), _OF_SPREAD, table.n_features)


_of_values = partial(_base.FilterSpec, prepare=prepare_group_tests, own_column=True)
_of_two = partial(_base.FilterSpec, prepare=prepare_two_groups, two_classes=True, own_column=True)
_of_spread = partial(
    _base.FilterSpec,
    prepare=prepare_spread,
    ties="do not matter",
    targets=("classes", "numeric", "survival", "none"),
)
_base.FILTERS.add(
    _of_values(
        name="anova_f", aliases=("anova", "f_classif"),
        summary="F of a one-way analysis of variance by class",
        formula="(between / (classes - 1)) / (within / (n - classes)), sums of squares",
        latex=r"\frac{\sum_c n_c (\bar{x}_c - \bar{x})^2 / (k - 1)}{\sum_c \sum_{i \in c} (x_i - "
        r"\bar{x}_c)^2 / (n - k)}", bounds="[0, inf)", ties="do not matter",
        source="Fisher (1925), Statistical Methods for Research Workers", within="model",
    ),
    _of_two(
        name="welch_t", aliases=("t_test", "welch"),
        summary="Absolute t of Welch's test for two classes",
        formula="|mean_1 - mean_0| / sqrt(var_0 / n_0 + var_1 / n_1)",
        latex=r"\frac{\lvert \bar{x}_1 - \bar{x}_0 \rvert}{\sqrt{s_0^2 / n_0 + s_1^2 / n_1}}",
        bounds="[0, inf)", ties="do not matter",
        source="Welch (1947), Biometrika 34", within="model",
    ),
    _of_values(
        name="kruskal_wallis", aliases=("kruskal",),
        summary="H of the Kruskal–Wallis test",
        formula="(n - 1) (sum of n_c (mean rank_c - (n + 1) / 2)^2) / (sum of (rank - (n + 1) / 2)^2)",
        latex=r"(n - 1) \frac{\sum_c n_c (\bar{r}_c - \bar{r})^2}{\sum_i (r_i - \bar{r})^2}",
        bounds="[0, n - 1]", ties="average ranks",
        source="Kruskal and Wallis (1952), J. American Statistical Association 47", within="sum",
    ),
    _of_two(
        name="auc", aliases=("wilcoxon", "mann_whitney", "roc_auc"),
        summary="Area under the ROC curve, in its better direction",
        formula="max(A, 1 - A), A = U / (n_0 n_1), U of Mann and Whitney",
        latex=r"\max(A, 1 - A), \quad A = \frac{U}{n_0 n_1}", bounds="[0.5, 1]",
        ties="a tie counts as half", source="Mann and Whitney (1947), Annals of Mathematical Statistics 18",
    ),
    _of_spread(
        name="variance", summary="Variance of the feature (no labels)",
        formula="sum of (x - mean)^2 / (n - 1)", latex=r"\frac{1}{n - 1} \sum_i (x_i - \bar{x})^2",
        bounds="[0, inf), in the square of the feature's unit",
        source="Bommert et al. (2022), Briefings in Bioinformatics 23",
    ),
    _of_spread(
        name="mad", aliases=("median_absolute_deviation",),
        summary="Median absolute deviation from the median (no labels)",
        formula="1.4826 median |x - median x|",
        latex=r"1.4826 \, \operatorname{med}_i \lvert x_i - \operatorname{med} x \rvert",
        bounds="[0, inf), in the unit of the feature",
        source="Hampel (1974), J. American Statistical Association 69",
    ),
)  # fmt: skip


TableT = TypeVar("TableT", Table, AnyTable)


@dataclass(frozen=True, eq=False)
class NearZeroVariance:
    """Outcome of :func:`near_zero_variance`.

    Attributes
    ----------
    keep : ndarray of bool, shape (n_features,)
        True for the features that vary enough.
    frequency_ratio : ndarray of float64, shape (n_features,)
        Count of the most common value over that of the second most common; 0 if there is no second.
    unique_percent : ndarray of float64, shape (n_features,)
        Distinct known values per 100 samples.
    constant : ndarray of bool, shape (n_features,)
        At most one known value.
    feature_names : tuple of str
    """

    keep: Booleans
    frequency_ratio: Floats
    unique_percent: Floats
    constant: Booleans
    feature_names: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """One row per feature."""
        columns = ("frequency_ratio", "unique_percent", "constant", "keep")
        index = pd.Index(self.feature_names, name="feature")
        return pd.DataFrame({name: getattr(self, name) for name in columns}, index=index)

    def __repr__(self) -> str:
        return f"NearZeroVariance(keeps {int(self.keep.sum())} of {len(self.keep)} features)"


def near_zero_variance(
    X: TableLike, *, frequency_ratio: float = 19.0, unique_percent: float = 10.0
) -> NearZeroVariance:
    """Find features with one value, or with one dominant value among few.

    A feature is dropped if it is constant, or if the most common value is more than
    `frequency_ratio` times as frequent as the second and the distinct values are at most
    `unique_percent` per cent of the samples.

    Parameters
    ----------
    X : array, data frame, Table or SciPy sparse matrix, shape (n_samples, n_features)
        Missing values are omitted from the counts, but not from the number of samples.
    frequency_ratio : float
        At least 1.
    unique_percent : float
        From 0 to 100.

    Returns
    -------
    NearZeroVariance

    References
    ----------
    Thesis 4.1; the rule is that of ``nearZeroVar`` in the R package caret (Kuhn 2008, Journal of
    Statistical Software 28(5)).

    Examples
    --------
    >>> import numpy as np
    >>> X = np.zeros((40, 3))
    >>> X[0, 1] = 1
    >>> X[:, 2] = range(40)
    >>> near_zero_variance(X).keep.tolist()
    [False, False, True]
    """
    most_dominant = check_real("frequency_ratio", frequency_ratio, low=1.0)
    few = check_real("unique_percent", unique_percent, low=0.0, high=100.0)
    table = as_table(X, sparse=True)
    ratio = np.zeros(table.n_features)
    percent = np.empty(table.n_features)
    constant = np.empty(table.n_features, dtype=np.bool_)
    for j in range(table.n_features):
        counts = table.value_counts(j)
        constant[j] = len(counts) < 2
        percent[j] = 100.0 * len(counts) / table.n_samples
        if not constant[j]:
            second, first = np.partition(counts, len(counts) - 2)[-2:]
            ratio[j] = first / second
    keep = ~(constant | ((ratio > most_dominant) & (percent <= few)))
    return NearZeroVariance(keep, ratio, percent, constant, table.feature_names)


def drop_near_zero_variance(table: TableT) -> TableT:
    """The table without the features that :func:`near_zero_variance` drops."""
    return table.take(np.flatnonzero(_kept(table)))


def drop_features(
    table: TableT, groups: FeatureGroups | None
) -> tuple[TableT, FeatureGroups | None]:
    """The table without near-constant features, and its groups; a group is kept or dropped as a whole."""
    if groups is None:
        return drop_near_zero_variance(table), None
    keep = _kept(table)
    remaining = [j for j, columns in enumerate(groups.columns) if keep[columns].any()]
    if len(remaining) == len(groups):
        return table, groups
    groups, columns = groups.take(np.array(remaining, dtype=np.intp))
    return table.take(columns), groups


def _kept(table: AnyTable) -> Booleans:
    """Which features vary enough; at least one must."""
    keep = near_zero_variance(table).keep
    if not keep.any():
        raise DataError(
            f"all {table.n_features} features have near-zero variance; leave "
            "drop_near_zero_variance out to rank them all the same"
        )
    return keep

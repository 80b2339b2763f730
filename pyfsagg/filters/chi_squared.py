"""Pearson's chi-squared statistic and Cramér's V between a binned feature and the class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from pyfsagg._base.checks import check_choice, check_integer
from pyfsagg._base.types import Floats
from pyfsagg._kernels.tables.class_tables import CHI_SQUARED
from pyfsagg._table.table import AnyTable, Kind
from pyfsagg._table.target import Target
from pyfsagg.filters._base import FILTERS, FilterSpec, Scorer, score_features
from pyfsagg.filters._columns import MOST_BINS, is_kind
from pyfsagg.filters._sparse import table_scorer

__all__ = ["chi_squared", "prepare_chi_squared"]

_OUTPUTS = {"chi2": "chi_squared", "cramers_v": "cramers_v"}


def prepare_chi_squared(table: AnyTable, target: Target, *, bins: int = 10) -> Scorer:
    """Bind chi-squared to `table`; parameters as in :func:`chi_squared`."""
    check_integer("bins", bins, low=2, high=MOST_BINS)
    binned = is_kind(table, Kind.NUMERIC, Kind.INTEGER)
    return table_scorer(
        table, CHI_SQUARED, tuple(_OUTPUTS.values()), target.n_classes, binned, bins
    )


def chi_squared(
    X: Any,
    y: ArrayLike | Any,
    *,
    bins: int = 10,
    statistic: str = "chi2",
    nominal: Sequence[str | int] | None = None,
    sample_weight: ArrayLike | None = None,
) -> Floats:
    """Score features by the chi-squared statistic of their table with the class.

    Parameters
    ----------
    X : array, data frame, Table or SciPy sparse matrix, shape (n_samples, n_features)
    y : array-like, shape (n_samples,)
        Class labels.
    bins : int
        Numeric and integer columns are cut into this many bins of equal width between the
        smallest and the largest value among the rows of positive weight, by the rule of
        :func:`~pyfsagg.discretization.discretize`: cuts at min + k·(max − min)/bins, and a value
        that equals a cut belongs to the bin below it.  Boolean and nominal columns are taken as
        they are.  A missing value is a level of its own.
    statistic : {"chi2", "cramers_v"}
        Pearson's statistic Σ (observed − expected)² / expected over the levels and classes that
        occur, or Cramér's V, √(χ² / (n·(min(levels, classes) − 1))), in [0, 1].
    nominal : sequence of str or int, optional
        Columns to be taken as nominal whatever their type.
    sample_weight : array-like of int, shape (n_samples,), optional
        How often each row counts; the result is that of the table with its rows so repeated.

    Returns
    -------
    ndarray of float64, shape (n_features,)
        Larger is more important.  0 for a constant feature, and for a resample with one class.

    Raises
    ------
    DataError, ParameterError
        For data or parameters that are not allowed.

    References
    ----------
    Thesis 3.4.3 (statistic), 4.1 (bins of fixed width).

    Examples
    --------
    >>> import numpy as np
    >>> from pyfsagg.filters.chi_squared import chi_squared
    >>> X = np.array([[0.0, 1.0], [0.1, 2.0], [0.9, 1.0], [1.0, 2.0]])
    >>> chi_squared(X, [0, 0, 1, 1], bins=2).tolist()
    [4.0, 0.0]
    """
    check_choice("statistic", statistic, _OUTPUTS)
    reading = {"nominal": nominal, "sparse": True}
    output = _OUTPUTS[statistic]
    return score_features(prepare_chi_squared, output, X, y, sample_weight, reading, bins=bins)


FILTERS.add(
    FilterSpec(
        name="chi_squared",
        aliases=("cs", "chi2"),
        summary="Pearson's chi-squared statistic over bins of equal width",
        formula="chi2 = sum over levels and classes of (observed - expected)^2 / expected",
        latex=r"\chi^2 = \sum_{v} \sum_{c} \frac{(O_{vc} - E_{vc})^2}{E_{vc}}, \quad v \text{ a "
        r"level of } X, \; c \text{ a class}",
        bounds="[0, n·(n_classes − 1)]",
        ties="equal values share a bin",
        source="thesis 3.4.3",
        prepare=prepare_chi_squared,
        output="chi_squared",
        targets=("classes", "numeric", "survival"),
        sparse=True,
        counts_levels=True,
    ),
    FilterSpec(
        name="cramers_v",
        aliases=("cv",),
        summary="Cramér's V over bins of equal width",
        formula="sqrt(chi2 / (n (min(levels, classes) - 1)))",
        latex=r"\sqrt{\frac{\chi^2}{n \, (\min(l, c) - 1)}}, \quad l \text{ levels}, \; c "
        r"\text{ classes}",
        bounds="[0, 1]",
        ties="equal values share a bin",
        source="thesis 3.4.3; Cramér (1946)",
        prepare=prepare_chi_squared,
        output="cramers_v",
        targets=("classes", "numeric", "survival"),
        sparse=True,
        counts_levels=True,
    ),
)

"""Near-zero variance: features that hardly vary, found before the analysis starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.validation import check_real
from pyfsagg._table.groups import FeatureGroups
from pyfsagg._table.table import AnyTable, Table, as_table
from pyfsagg.exceptions import DataError

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

    keep: NDArray[np.bool_]
    frequency_ratio: Floats
    unique_percent: Floats
    constant: NDArray[np.bool_]
    feature_names: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """One row per feature."""
        columns = ("frequency_ratio", "unique_percent", "constant", "keep")
        index = pd.Index(self.feature_names, name="feature")
        return pd.DataFrame({name: getattr(self, name) for name in columns}, index=index)

    def __repr__(self) -> str:
        return f"NearZeroVariance(keeps {int(self.keep.sum())} of {len(self.keep)} features)"


def near_zero_variance(
    X: Any, *, frequency_ratio: float = 19.0, unique_percent: float = 10.0
) -> NearZeroVariance:
    """Find features with one value, or with one dominant value among few.

    A feature is dropped if it is constant, or if the most common value is more than
    `frequency_ratio` times as frequent as the second and the distinct values are at most
    `unique_percent` per cent of the samples.

    Parameters
    ----------
    X : array, data frame, Table or SciPy sparse matrix, shape (n_samples, n_features)
        Missing values are left out of the counts, but not of the number of samples.
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
    """The table without near-constant features, and its groups, of which each stays whole or goes."""
    if groups is None:
        return drop_near_zero_variance(table), None
    keep = _kept(table)
    remaining = [j for j, columns in enumerate(groups.columns) if keep[columns].any()]
    if len(remaining) == len(groups):
        return table, groups
    groups, columns = groups.take(np.array(remaining, dtype=np.intp))
    return table.take(columns), groups


def _kept(table: AnyTable) -> NDArray[np.bool_]:
    """Which features vary enough; at least one must."""
    keep = near_zero_variance(table).keep
    if not keep.any():
        raise DataError(
            f"all {table.n_features} features have near-zero variance; leave "
            "drop_near_zero_variance out to rank them all the same"
        )
    return keep

"""Near-zero variance: features that hardly vary, found before the analysis starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.validation import check_real
from pyfsagg._message import Param, Remedy
from pyfsagg._table.groups import FeatureGroups
from pyfsagg._table.table import AnyTable, Table, as_table
from pyfsagg.exceptions import DataError


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
        return pd.DataFrame(
            {
                "frequency_ratio": self.frequency_ratio,
                "unique_percent": self.unique_percent,
                "constant": self.constant,
                "keep": self.keep,
            },
            index=pd.Index(self.feature_names, name="feature"),
        )

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
    >>> from pyfsagg.filters.variance import near_zero_variance
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


@overload
def drop_near_zero_variance(
    X: Table, *, frequency_ratio: float = 19.0, unique_percent: float = 10.0
) -> Table: ...


@overload
def drop_near_zero_variance(
    X: Any, *, frequency_ratio: float = 19.0, unique_percent: float = 10.0
) -> AnyTable: ...


def drop_near_zero_variance(
    X: Any, *, frequency_ratio: float = 19.0, unique_percent: float = 10.0
) -> AnyTable:
    """The table without the features that :func:`near_zero_variance` drops.

    Examples
    --------
    >>> import pandas as pd
    >>> from pyfsagg.filters.variance import drop_near_zero_variance
    >>> drop_near_zero_variance(pd.DataFrame({"a": [1, 1, 1], "b": [1, 2, 3]})).feature_names
    ('b',)
    """
    table = as_table(X, sparse=True)
    found = near_zero_variance(
        table, frequency_ratio=frequency_ratio, unique_percent=unique_percent
    )
    if not found.keep.any():
        raise DataError(
            f"all {table.n_features} features have near-zero variance",
            Remedy(
                "raise ",
                Param("frequency_ratio"),
                f" (now {frequency_ratio:g}) or lower ",
                Param("unique_percent"),
                f" (now {unique_percent:g})",
            ),
        )
    return table.take(np.flatnonzero(found.keep))


@overload
def drop_features(
    table: Table, groups: FeatureGroups | None
) -> tuple[Table, FeatureGroups | None]: ...


@overload
def drop_features(
    table: AnyTable, groups: FeatureGroups | None
) -> tuple[AnyTable, FeatureGroups | None]: ...


def drop_features(
    table: AnyTable, groups: FeatureGroups | None
) -> tuple[AnyTable, FeatureGroups | None]:
    """The table without near-constant features, and its groups, of which each stays whole or goes."""
    if groups is None:
        return drop_near_zero_variance(table), None
    keep = set(drop_near_zero_variance(table).feature_names)
    left = [
        j
        for j, columns in enumerate(groups.columns)
        if any(table.feature_names[column] in keep for column in columns)
    ]
    if len(left) == len(groups):
        return table, groups
    groups, columns = groups.take(np.array(left, dtype=np.intp))
    return table.take(columns), groups

"""The R package mRMRe: mutual information from correlations, and the selection by it."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg.exceptions import UnknownNameError
from pyfsagg_rpy2.conversion import from_r, to_frame
from pyfsagg_rpy2.session import call, environment, package

Estimator = Literal["pearson", "spearman", "kendall", "frequency"]


def association_matrix(X: pd.DataFrame, *, estimator: Estimator = "pearson") -> pd.DataFrame:
    """Mutual information (nats) of all pairs of columns by ``mRMRe::mim``.

    It is −½ ln(1 − r²), with r the correlation of two numbers, or Cramér's V of two ordered factors.
    mRMRe 2.1.2.2 ranks equal values by position in Spearman's correlation, and takes no account of
    ties in Kendall's either.

    Examples
    --------
    >>> X = pd.DataFrame({"a": [1, 2, 3, 4], "b": [1, 3, 2, 4]})
    >>> round(float(association_matrix(X).loc["a", "b"]), 4)  # r = 0.8
    0.5108
    """
    library = package("mRMRe")
    found = from_r(call(library.mim, _data(X), continuous_estimator=estimator))
    names = [str(name) for name in X.columns]
    return pd.DataFrame(np.asarray(found), index=names, columns=names)


def mrmr(
    X: pd.DataFrame, target: str, *, n_features: int, estimator: Estimator = "pearson"
) -> list[str]:
    """Features in the order of selection by ``mRMRe::mRMR.classic``.

    Examples
    --------
    >>> X = pd.DataFrame({"a": [4, 1, 3, 2], "b": [1, 3, 2, 4], "y": [1, 2, 3, 4]})
    >>> mrmr(X, "y", n_features=1)
    ['b']
    """
    names = [str(name) for name in X.columns]
    if target not in names:
        raise UnknownNameError("column", target, names)
    library = package("mRMRe")
    selection = call(
        library.mRMR_classic,
        data=_data(X),
        target_indices=names.index(target) + 1,
        feature_count=n_features,
        continuous_estimator=estimator,
    )
    solutions = call(library.solutions, selection)
    positions: NDArray[np.int64] = np.asarray(from_r(environment().r["unlist"](solutions)))
    return [names[int(position) - 1] for position in positions]


def _data(X: pd.DataFrame) -> Any:
    numbers = [
        name for name, dtype in X.dtypes.items() if not isinstance(dtype, pd.CategoricalDtype)
    ]
    return call(package("mRMRe").mRMR_data, to_frame(X.astype(dict.fromkeys(numbers, "float64"))))

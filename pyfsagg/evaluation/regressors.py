"""Regressors by name, for a numeric target; what goes before them is as for classifiers."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pyfsagg._base.registry import Registry
from pyfsagg.evaluation.classifiers import ClassifierSpec

__all__ = ["REGRESSORS", "list_regressors"]

REGRESSORS: Registry[ClassifierSpec] = Registry("regressor")


def _ridge(seed: int) -> Any:
    from sklearn.linear_model import Ridge

    return Ridge(alpha=1.0)


def _linear_regression(seed: int) -> Any:
    from sklearn.linear_model import LinearRegression

    return LinearRegression()


def _random_forest(seed: int) -> Any:
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(n_estimators=100, n_jobs=1, random_state=seed)


def _svm(seed: int) -> Any:
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    return TransformedTargetRegressor(SVR(kernel="rbf", C=1.0), transformer=StandardScaler())


def _nearest_neighbors(seed: int) -> Any:
    from sklearn.neighbors import KNeighborsRegressor

    return KNeighborsRegressor(n_neighbors=5)


for spec in (
    ClassifierSpec(
        "ridge", (), "linear regression, L2 penalty 1, on standardised features", _ridge, True
    ),
    ClassifierSpec(
        "linear_regression",
        ("ols",),
        "linear regression by least squares",
        _linear_regression,
        True,
    ),
    ClassifierSpec(
        "random_forest",
        ("rf",),
        "100 trees, all features tried at each split",
        _random_forest,
        False,
    ),
    ClassifierSpec(
        "svm",
        ("svr",),
        "support vector regression, RBF kernel with C = 1, on standardised features and target",
        _svm,
        True,
    ),
    ClassifierSpec(
        "nearest_neighbors",
        ("knn",),
        "mean of the 5 nearest neighbours by Euclidean distance of standardised features",
        _nearest_neighbors,
        True,
    ),
):
    REGRESSORS.add(spec)


def list_regressors() -> pd.DataFrame:
    """The regressors that :func:`pyfsagg.evaluate` knows by name, one row each.

    Examples
    --------
    >>> list_regressors().index.tolist()[:2]
    ['ridge', 'linear_regression']
    """
    return REGRESSORS.to_frame("make", "make_mixed")

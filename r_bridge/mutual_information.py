"""The R package praznik: mutual information over binned features, and mRMR selection."""

from __future__ import annotations

from typing import Any

import pandas as pd

from r_bridge._conversion import from_r, to_factor, to_frame
from r_bridge._session import call, environment, package

__all__ = ["mrmr", "mutual_information", "mutual_information_matrix"]


def mutual_information(X: Any, y: Any) -> pd.Series[float]:
    """Mutual information (nats) of each feature with the class, by ``praznik::miScores``.

    Parameters
    ----------
    X : DataFrame or array of shape (n_samples, n_features)
        Every column crosses with its type: praznik bins doubles, and takes integers, logicals and
        factors as they are.
    y : array-like of shape (n_samples,)
        Class labels; they cross as a factor.

    Returns
    -------
    Series
        By feature.

    Raises
    ------
    MissingDependencyError
        If R, rpy2 or praznik is not installed.
    RError
        If R raises an error, for instance because of missing values.

    Examples
    --------
    >>> X = pd.DataFrame({"same": [0, 0, 1, 1], "noise": [0, 1, 0, 1]})
    >>> mutual_information(X, list("aabb")).round(4).tolist()
    [0.6931, 0.0]
    """
    scores = call(package("praznik").miScores, to_frame(X), to_factor(y), threads=1)
    return _by_feature(scores, "mutual_information")


def mutual_information_matrix(X: Any) -> pd.DataFrame:
    """Mutual information (nats) of all pairs of features, by ``praznik::miMatrix``.

    Parameters, types and errors are those of :func:`mutual_information`.

    Returns
    -------
    DataFrame of shape (n_features, n_features)
        With the entropies on the diagonal.

    Examples
    --------
    >>> X = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})
    >>> mutual_information_matrix(X).round(4).loc["a"].tolist()
    [0.6931, 0.0]
    """
    found = from_r(call(package("praznik").miMatrix, to_frame(X), zeroDiag=False, threads=1))
    names = [str(name) for name in X.columns] if isinstance(X, pd.DataFrame) else None
    return found if isinstance(found, pd.DataFrame) else pd.DataFrame(found, names, names)


def mrmr(X: Any, y: Any, *, n_features: int | None = None) -> pd.Series[float]:
    """Scores at selection, in the order of selection, by ``praznik::MRMR``.

    Parameters
    ----------
    X, y
        As in :func:`mutual_information`.
    n_features : int, optional
        R's argument ``k``; all features by default.

    Returns
    -------
    Series
        Score by feature, the feature selected first on top.

    Raises
    ------
    MissingDependencyError, RError
        As in :func:`mutual_information`.

    Examples
    --------
    >>> X = pd.DataFrame({"noise": [0, 1, 0, 1], "same": [0, 0, 1, 1]})
    >>> mrmr(X, list("aabb")).index.tolist()
    ['same', 'noise']
    """
    frame = to_frame(X)
    k = len(frame) if n_features is None else n_features
    found = call(package("praznik").MRMR, frame, to_factor(y), k=k, threads=1)
    return _by_feature(found.rx2("score"), "mrmr")


def _by_feature(scores: Any, name: str) -> pd.Series[float]:
    names = [str(each) for each in environment().r["names"](scores)]
    return pd.Series(from_r(scores), index=pd.Index(names, name="feature"), name=name)

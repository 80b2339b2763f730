"""The R package praznik: mutual information over binned features, and mRMR selection."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pyfsagg_rpy2.conversion import from_r, to_factor, to_frame
from pyfsagg_rpy2.session import call, environment, package


def mutual_information(X: Any, y: Any) -> pd.Series[float]:
    """Mutual information (nats) of each feature with the class, by ``praznik::miScores``.

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

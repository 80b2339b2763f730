"""Laplacian score: how well a feature keeps neighbours together."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from sklearn.neighbors import kneighbors_graph

from pyfsagg._base.checks import check_integer, check_real
from pyfsagg._base.types import Floats
from pyfsagg._table.table import Table
from pyfsagg.exceptions import ParameterError
from pyfsagg.unsupervised._input import blocks, check_numbers, feature_block

__all__ = ["laplacian_score", "score_on_graph"]


def laplacian_score(
    X: Any,
    *,
    n_neighbors: int = 5,
    bandwidth: float | str = "mean",
    standardize: str = "z_score",
) -> Floats:
    """Score features by the agreement of neighbouring samples.

    With the weights S of the nearest-neighbour graph, D = diag(S 1), and f̃ the feature minus its
    D-weighted mean, the score is ``1 - L = f̃ᵀ S f̃ / f̃ᵀ D f̃``, where L is the Laplacian score of the
    paper (small = important): the correlation between the ends of an edge.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        Numbers without missing values, at least 3 samples.
    n_neighbors : int
        Two samples are joined if one is among this many nearest of the other.
    bandwidth : float, "mean" or "binary"
        t of the heat kernel ``exp(-||x_i - x_j||^2 / t)``; "mean" takes the mean squared length of
        the edges, "binary" gives every edge the weight 1 (the limit of a large t).
    standardize : {"none", "center", "z_score", "min_max"}
        Scale of the features, on which the neighbours depend.

    Returns
    -------
    ndarray of shape (n_features,)
        Within [-1, 1], larger = more important.  A constant feature has the score 0.

    Raises
    ------
    DataError
        For a table that :func:`frcm` refuses.
    ParameterError
        `n_neighbors` not below the number of samples; `bandwidth` not positive.

    Notes
    -----
    He, Cai and Niyogi (NIPS 2005).  They leave t open.

    Examples
    --------
    >>> X = [[0.0, 5.0], [0.1, 1.0], [0.2, 3.0], [9.0, 3.0], [9.1, 1.0], [9.2, 5.0]]
    >>> laplacian_score(X, n_neighbors=2, standardize="none", bandwidth="binary").round(4)
    array([ 0.9995, -0.5   ])
    """
    table = check_numbers(X, standardize=standardize)
    n_neighbors = check_integer("n_neighbors", n_neighbors, low=1, high=table.n_samples - 1)
    weights = _neighbour_weights(table, n_neighbors, bandwidth)
    if not weights.sum() > 0.0:
        raise ParameterError(
            f"bandwidth={bandwidth!r} is so small that every weight exp(-d^2 / t) is 0; use 'mean' "
            "or a number of the size of the squared distances between neighbours"
        )
    return score_on_graph(table, weights)


def score_on_graph(table: Table, weights: scipy.sparse.csr_matrix) -> Floats:
    """``1 - L`` of each feature (n_features,) on a graph of the samples, symmetric weights (n, n)."""
    degree = np.asarray(weights.sum(axis=1)).ravel()
    scores = np.zeros(table.n_features)
    for part in blocks(table.n_features):
        block = feature_block(table, part)
        varying = block.min(axis=0) < block.max(axis=0)
        # Weighted means are taken twice: the second time removes what rounding left.
        for _ in range(2):
            block = block - (degree @ block) / degree.sum()
        shared = np.einsum("ij,ij->j", block, weights @ block)
        whole = degree @ np.square(block)
        np.divide(shared, whole, out=scores[part], where=varying & (whole > 0.0))
    return scores


def _neighbour_weights(
    table: Table, n_neighbors: int, bandwidth: float | str
) -> scipy.sparse.csr_matrix:
    values = np.ascontiguousarray(table.values)
    graph = kneighbors_graph(values, n_neighbors, mode="distance").tocoo()
    rows, columns, squared = graph.row, graph.col, np.square(graph.data)
    # An edge holds in both directions whichever sample chose the other; squared lengths are equal
    # either way, so that one entry per direction is enough.
    n = table.n_samples
    key = np.concatenate([rows * np.int64(n) + columns, columns * np.int64(n) + rows])
    key, first = np.unique(key, return_index=True)
    squared = np.concatenate([squared, squared])[first]
    weights = _heat(squared, bandwidth)
    return scipy.sparse.csr_matrix((weights, (key // n, key % n)), shape=(n, n))


def _heat(squared: Floats, bandwidth: float | str) -> Floats:
    if not isinstance(bandwidth, str):
        t = check_real("bandwidth", bandwidth, low=0.0, low_open=True)
    elif bandwidth == "binary":
        return np.ones_like(squared)
    elif bandwidth == "mean":
        t = float(squared.mean())
    else:
        raise ParameterError(
            f"bandwidth must be 'mean', 'binary' or a positive number, got {bandwidth!r}"
        )
    if t == 0.0:  # every sample has all its neighbours at distance 0
        return np.ones_like(squared)
    weights: Floats = np.exp(-squared / t)
    return weights

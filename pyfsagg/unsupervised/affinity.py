"""Agreement between the affinities of features and a consensus matrix."""

from __future__ import annotations

from collections import deque
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from pyfsagg._base.checks import as_array, check_integer
from pyfsagg._base.memory import require_memory
from pyfsagg._base.types import Floats
from pyfsagg._kernels.clusters.affinity import add_squared_distances, pair_totals, shortfall_sums
from pyfsagg._run.parallel import run_threads
from pyfsagg._table.table import Table
from pyfsagg.exceptions import DataError
from pyfsagg.unsupervised._input import (
    FEWER_SAMPLES,
    blocks,
    check_numbers,
    feature_block,
)

__all__ = [
    "adjusted_rand_between_matrices",
    "affinity_matrix",
    "affinity_scores",
    "squared_distances",
]


def affinity_matrix(X: ArrayLike, feature: int) -> Floats:
    """Affinity of all pairs of samples from the perspective of one feature.

    ``sqrt(1 - (x_id - x_jd)^2 / ||x_i - x_j||^2)``: 1 where the two samples agree in the feature, 0
    where they differ in nothing else.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        Numbers without missing values, at least 3 samples.
    feature : int
        Position of the feature.

    Returns
    -------
    ndarray of shape (n_samples, n_samples)
        Symmetric, within [0, 1]; 1 on the diagonal and for identical samples.

    Raises
    ------
    DataError
        For a table that :func:`frcm` refuses.
    ParameterError
        If there is no such feature.

    Notes
    -----
    Zhang, Wong, Shen and Xie (2012), equation (7).  One matrix at a time is for looking at;
    :func:`frcm` scores all features without forming any.

    Examples
    --------
    >>> affinity_matrix([[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]], 0).round(2)
    array([[1. , 0.8, 0. ],
           [0.8, 1. , 1. ],
           [0. , 1. , 1. ]])
    """
    table = check_numbers(X)
    feature = check_integer("feature", feature, low=0, high=table.n_features - 1)
    squared = squared_distances(table)
    squared += squared.T
    column = table.values[:, feature]
    own = np.square(column[:, np.newaxis] - column)
    share = np.divide(own, squared, out=np.zeros_like(own), where=squared > 0.0)
    affinity: Floats = np.sqrt(np.maximum(0.0, 1.0 - share))
    return affinity


def adjusted_rand_between_matrices(first: ArrayLike, second: ArrayLike) -> float:
    """ARImm, the adjusted Rand index between two matrices of similarities.

    Parameters
    ----------
    first, second : array of shape (n_samples, n_samples)
        Symmetric similarities within [0, 1]; the diagonals do not count.

    Returns
    -------
    float
        1 for the same partition, about 0 for independent matrices; the adjusted Rand index where
        both are co-association matrices of partitions.  Where its denominator is 0 (both matrices
        all 1 or both all 0), 1.

    Raises
    ------
    DataError
        If the matrices are not square, of one size, symmetric and within [0, 1].

    Notes
    -----
    Zhang, Wong, Shen and Xie (2012), equations (11) and (12).

    Examples
    --------
    >>> from sklearn.metrics import adjusted_rand_score
    >>> p, q = np.array([0, 0, 1, 1, 2]), np.array([0, 0, 1, 2, 2])
    >>> round(adjusted_rand_between_matrices(p[:, None] == p, q[:, None] == q), 6)
    0.375
    >>> round(adjusted_rand_score(p, q), 6)
    0.375
    """
    m, a = _similarities("first", first), _similarities("second", second)
    if m.shape != a.shape:
        raise DataError(f"the matrices must be of one size, got {m.shape} and {a.shape}")
    upper = np.triu_indices(m.shape[0], 1)
    n_pairs = len(upper[0])
    s1, s2 = float(m[upper].sum()), float(a[upper].sum())
    if s1 + s2 in (0.0, 2.0 * n_pairs):
        return 1.0
    short = 1.0 - a[upper]
    return float(_adjusted(np.array(m[upper] @ short), s1, np.array(short.sum()), n_pairs))


def _similarities(name: str, matrix: ArrayLike) -> Floats:
    array = as_array("a consensus matrix", matrix, np.float64)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.shape[0] < 2:
        raise DataError(f"{name} must be a square matrix of size 2 or more, got {array.shape}")
    if not (array.min() >= 0.0 and array.max() <= 1.0):
        raise DataError(f"{name} must hold similarities from 0 to 1 and no missing values")
    if not np.array_equal(array, array.T):
        raise DataError(f"{name} must be symmetric")
    return array


def _adjusted(weighted: Floats, s1: float, total: Floats, n_pairs: int) -> Floats:
    """Equation (12) from the shortfalls 1 - A: their sum `total`, and `weighted` by M.

    s0 = s1 - weighted, s2 = n_pairs - total and s3 = s1 s2 / n_pairs, so that s0 - s3 is
    s1 total / n_pairs - weighted.
    """
    s2 = n_pairs - total
    return (s1 * total / n_pairs - weighted) / (0.5 * (s1 + s2) - s1 * s2 / n_pairs)


def squared_distances(table: Table, n_jobs: int | None = None) -> Floats:
    """Squared Euclidean distances between samples, above the diagonal of (n, n)."""
    n = table.n_samples
    require_memory(8 * n * n, f"the distances of {n:,} samples", FEWER_SAMPLES)
    squared = np.zeros((n, n))
    # Rows near the top have the longest way to go: short stripes even the work out.
    stripes = blocks(n, 64)
    for part in blocks(table.n_features):
        add = partial(_add_stripe, feature_block(table, part), squared)
        deque(run_threads(add, stripes, n_jobs), maxlen=0)
    return squared


def _add_stripe(block: Floats, squared: Floats, rows: slice) -> None:
    add_squared_distances(block, rows.start, rows.stop, squared)


def affinity_scores(table: Table, consensus: Floats, n_jobs: int | None = None) -> Floats:
    """ARImm between the affinity of every feature and each consensus matrix.

    Parameters
    ----------
    table : Table (n_samples, n_features)
    consensus : ndarray of shape (n_matrices, n_samples, n_samples)
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ndarray of shape (n_matrices, n_features)
        A constant feature has the score 0: its affinity is 1 everywhere.

    Notes
    -----
    O(N² D) time; O(N²) memory in addition to the table and one block of features per thread.
    """
    squared = squared_distances(table, n_jobs)

    def sums(part: slice) -> tuple[Floats, Floats]:
        block = feature_block(table, part)
        weighted = np.zeros((consensus.shape[0], block.shape[1]))
        total = np.zeros(block.shape[1])
        shortfall_sums(block, squared, consensus, weighted, total)
        return weighted, total

    parts = list(run_threads(sums, blocks(table.n_features), n_jobs))
    weighted = np.concatenate([each[0] for each in parts], axis=1)
    total = np.concatenate([each[1] for each in parts])
    n_pairs = table.n_samples * (table.n_samples - 1) // 2
    scores = np.zeros_like(weighted)
    informative = total > 0.0
    for g, consensus_total in enumerate(pair_totals(consensus)):
        scores[g, informative] = _adjusted(
            weighted[g, informative], float(consensus_total), total[informative], n_pairs
        )
    return scores

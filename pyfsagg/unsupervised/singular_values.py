"""Unsupervised feature filtering by SVD entropy (UFF)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyfsagg._base.types import Floats
from pyfsagg._kernels.clusters.secular import spectral_entropy, spectral_entropy_without
from pyfsagg._run.parallel import run_threads
from pyfsagg._table.table import Table
from pyfsagg.unsupervised._input import blocks, check_numbers, feature_block

__all__ = ["svd_entropy"]

DOMINANT = 0.9


def svd_entropy(X: Any, *, standardize: str = "z_score", n_jobs: int | None = None) -> Floats:
    """Score features by their contribution to the SVD entropy of the table.

    With the squared singular values of X divided by their sum, v_1 … v_r, the entropy is
    ``E = -Σ v log v / log r``, r = min(n_samples, n_features).  The score of a feature is E of the
    table minus E of the table without it (both divided by the same log r).

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        Numbers without missing values, at least 3 samples.
    standardize : {"none", "center", "z_score", "min_max"}
        Scale of the features.  With "none" the table is decomposed as it is, and the first singular
        vector is much like the mean.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ndarray of shape (n_features,)
        Larger = more important; a feature of zeros has the score 0.

    Raises
    ------
    DataError
        For a table that :func:`frcm` refuses.

    Notes
    -----
    Varshavsky, Gottlieb, Linial and Horn (Bioinformatics 2006), contribution to the entropy by
    leaving one out.  One eigenvalue decomposition of the smaller Gram matrix and, per feature, the
    roots of a secular equation: O(D r²) instead of D decompositions.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.1], [1.0, 1.0, 0.0], [2.0, 0.0, 0.1]])
    >>> svd_entropy(X, standardize="none").round(4)
    array([0.4491, 0.4745, 0.0087])
    """
    table = check_numbers(X, standardize=standardize)
    n, p = table.n_samples, table.n_features
    wide = p > n
    gram = _gram(table, wide)
    found, vectors = np.linalg.eigh(gram)
    eigenvalues: Floats = np.maximum(found, 0.0)
    whole = spectral_entropy(eigenvalues)

    def without(part: slice) -> Floats:
        if wide:
            weights: Floats = np.square(np.ascontiguousarray(table.values[:, part].T) @ vectors)
            return spectral_entropy_without(1.0, eigenvalues, weights)
        return spectral_entropy_without(0.0, eigenvalues, np.square(vectors[part]))

    entropies = np.concatenate(list(run_threads(without, blocks(p, 128), n_jobs)))
    _settle_dominant(table, entropies)
    scores: Floats = (whole - entropies) / np.log(min(n, p))
    scores[~table.values.any(axis=0)] = 0.0
    return scores


def _gram(table: Table, wide: bool) -> Floats:
    """X Xᵀ or XᵀX, whichever is smaller."""
    if not wide:
        return np.asarray(table.values.T @ table.values)
    gram = np.zeros((table.n_samples, table.n_samples))
    for part in blocks(table.n_features):
        block = feature_block(table, part)
        gram += block @ block.T
    return gram


def _settle_dominant(table: Table, entropies: Floats) -> None:
    """Compute the entropy without a feature that is nearly all of the table from the rest itself.

    As a difference to the whole, what such a feature leaves would have lost its digits.
    """
    sizes = np.einsum("ij,ij->j", table.values, table.values)
    largest = int(np.argmax(sizes))
    if sizes[largest] > DOMINANT * sizes.sum():
        rest = table.take(np.delete(np.arange(table.n_features), largest))
        gram = _gram(rest, rest.n_features > rest.n_samples)
        entropies[largest] = spectral_entropy(np.asarray(np.linalg.eigvalsh(gram), np.float64))

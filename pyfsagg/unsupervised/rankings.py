"""Laplacian score, SVD entropy and ranking from multiple views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.neighbors import kneighbors_graph

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.registry import Call
from pyfsagg._base.validation import as_array, check_choice, check_integer, check_real
from pyfsagg._kernels.clusters import correlation_ratios, spectral_entropy, spectral_entropy_without
from pyfsagg._message import Got, Param, Remedy, Use
from pyfsagg._run.execution import Execution
from pyfsagg._run.parallel import run_threads
from pyfsagg._table.table import Table
from pyfsagg.aggregation import aggregate
from pyfsagg.exceptions import ParameterError
from pyfsagg.unsupervised.clusterings import (
    Labels,
    blocks,
    check_numbers,
    check_partitions,
    consensus_matrix,
    feature_block,
)
from pyfsagg.unsupervised.consensus_affinity import as_ranking, partitions_of, seed_of
from pyfsagg.unsupervised.result import ConsensusRanking


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

    See Also
    --------
    LaplacianScoreSelector : The same as a scikit-learn selector.
    frcm, frmv, svd_entropy : Other rankings without labels.

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
            Use(bandwidth=bandwidth),
            " is so small that every weight exp(-d^2 / t) is 0",
            Remedy("use 'mean' or a number near the squared distances between neighbours"),
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
        total = degree @ np.square(block)
        np.divide(shared, total, out=scores[part], where=varying & (total > 0.0))
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
            Param("bandwidth"), " must be 'mean', 'binary' or a positive number", Got(bandwidth)
        )
    if t == 0.0:  # every sample has all its neighbours at distance 0
        return np.ones_like(squared)
    weights: Floats = np.exp(-squared / t)
    return weights


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

    See Also
    --------
    SvdEntropySelector : The same as a scikit-learn selector.

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
    eigenvalues, vectors = np.linalg.eigh(_gram(table, wide))
    eigenvalues = np.maximum(eigenvalues, 0.0)

    def without(part: slice) -> Floats:
        if wide:
            weights: Floats = np.square(np.ascontiguousarray(table.values[:, part].T) @ vectors)
            return spectral_entropy_without(1.0, eigenvalues, weights)
        return spectral_entropy_without(0.0, eigenvalues, np.square(vectors[part]))

    entropies = np.concatenate(list(run_threads(without, blocks(p, 128), n_jobs)))
    sizes = np.einsum("ij,ij->j", table.values, table.values)
    largest = int(np.argmax(sizes))
    if sizes[largest] > DOMINANT * sizes.sum():
        # The entropy without a feature that is nearly all of the table is computed from the rest
        # itself: as a difference to all of it, what is left would have lost its digits.
        rest = table.take(np.delete(np.arange(p), largest))
        rest_gram = _gram(rest, rest.n_features > rest.n_samples)
        entropies[largest] = spectral_entropy(np.asarray(np.linalg.eigvalsh(rest_gram), np.float64))
    scores: Floats = (spectral_entropy(eigenvalues) - entropies) / np.log(min(n, p))
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


def correlation_ratio(X: Any, labels: Any, *, n_jobs: int | None = None) -> Floats:
    """Correlation ratio η of each feature with a partition of the samples.

    The root of the share of the variance that lies between the clusters: the linear correlation of
    the feature with its cluster means, whatever the clusters are called.
    """
    table = check_numbers(X)
    partition = check_partitions(as_array("labels", labels)[np.newaxis], table.n_samples)
    ratios: Floats = view_scores(table, partition, n_jobs)[0]
    return ratios


def _of_centred_blocks(
    table: Table, score: Callable[[Floats], Floats], n_jobs: int | None
) -> Floats:
    """The scores (n_clusterings, n_features) of blocks of centred features; a constant one is all 0."""

    def of_part(part: slice) -> Floats:
        block = feature_block(table, part)
        constant = block.min(axis=0) == block.max(axis=0)
        block = block - block.mean(axis=0)
        block[:, constant] = 0.0
        return score(block)

    parts = list(run_threads(of_part, blocks(table.n_features), n_jobs))
    return np.asarray(np.concatenate(parts, axis=1))


def view_scores(table: Table, labels: Labels, n_jobs: int | None = None) -> Floats:
    """Correlation ratios (n_clusterings, n_features) of the features with every partition."""

    def score(block: Floats) -> Floats:
        ratios = np.empty((len(labels), block.shape[1]))
        correlation_ratios(block, labels, ratios)
        return ratios

    return _of_centred_blocks(table, score, n_jobs)


def label_correlations(table: Table, labels: Labels, n_jobs: int | None = None) -> Floats:
    """Absolute correlations (n_clusterings, n_features) with the numbers of the clusters."""
    numbers = labels - labels.mean(axis=1, keepdims=True)
    length = np.linalg.norm(numbers, axis=1, keepdims=True)
    unit = np.divide(numbers, length, out=np.zeros_like(numbers), where=length > 0.0)

    def score(block: Floats) -> Floats:
        size = np.linalg.norm(block, axis=0)
        size[~block.any(axis=0)] = np.inf
        return np.asarray(np.minimum(1.0, np.abs(unit @ (block / size))))

    return _of_centred_blocks(table, score, n_jobs)


ASSOCIATIONS = {"correlation_ratio": view_scores, "label_correlation": label_correlations}


def frmv(
    X: Any,
    *,
    n_clusterings: int = 100,
    feature_fraction: float = 0.5,
    k_range: tuple[int, int] | None = None,
    clusterer: Any = "k_means",
    standardize: str = "z_score",
    aggregator: str = "borda",
    association: str = "correlation_ratio",
    labels: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    execution: Execution | None = None,
) -> ConsensusRanking:
    """Rank features in each of many clusterings, and aggregate the rankings.

    Parameters
    ----------
    X, n_clusterings, feature_fraction, k_range, clusterer, standardize, labels
        As in :func:`frcm`.
    random_state, n_jobs, execution
        As in :func:`frcm`; one seed gives both methods the same clusterings.
    aggregator : str
        Any method of :func:`pyfsagg.aggregate`; it aggregates the association of every feature with
        every partition.
    association : {"correlation_ratio", "label_correlation"}
        The correlation ratio, or the absolute linear correlation with the numbers of the
        clusters.  The second depends on the arbitrary numbers of the clusters, which is noise, but it
        reproduces the numbers of genes in Table 2 of Zhang and others, and their spread.

    Returns
    -------
    ConsensusRanking
        Scores of the aggregator, larger = more important.

    See Also
    --------
    frcm : Ranks by a consensus of the same clusterings.
    MultipleViewsSelector : The same as a scikit-learn selector.

    Notes
    -----
    Hong, Kwong, Chang and Ren (Pattern Recognition Letters 2008), as described by Zhang and others
    (2012): one ranking of all features per clustering, combined into a consensus ranking.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> group = np.repeat([0.0, 6.0], 20)
    >>> X = rng.normal(size=(40, 6)) + np.outer(group, [1, 1, 1, 0, 0, 0])
    >>> sorted(frmv(X, n_clusterings=30, random_state=1).selected(3))
    ['x0', 'x1', 'x2']
    """
    arguments = dict(locals())
    execution = Execution._without_scratch("an ensemble of clusterings", execution)
    with execution.limited():
        check_choice("association", association, ASSOCIATIONS)
        table = check_numbers(X, standardize=standardize)
        partitions, parameters = partitions_of(table, arguments, execution)
        views = ASSOCIATIONS[association](table, partitions, n_jobs)
        scores = np.asarray(aggregate(views, aggregator).scores)
        seed = seed_of(parameters)
        call = Call.of(frmv, arguments, name="unsupervised.frmv", data=("X",), **seed)
        chosen = {"standardize": standardize, "aggregator": aggregator, "association": association}
        consensus = consensus_matrix(partitions, n_jobs=n_jobs)
        return as_ranking("frmv", table, scores, parameters | chosen, call, consensus, partitions)

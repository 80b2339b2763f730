"""Consensus of several partitions: the matrix of co-clustering, and one partition for all."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse
from sklearn.cluster import AgglomerativeClustering, KMeans

from pyfsagg._base.checks import check_choice, check_integer
from pyfsagg._base.memory import require_memory
from pyfsagg._base.seeds import resolve_seed
from pyfsagg._base.types import Floats
from pyfsagg._kernels.clusters.affinity import coassociation_counts
from pyfsagg._run.parallel import run_threads
from pyfsagg.exceptions import DataError, MissingDependencyError
from pyfsagg.unsupervised._input import FEWER_SAMPLES, Labels, blocks, check_labels

__all__ = ["consensus_matrix", "consensus_partition"]

CONSENSUS_METHODS = ("average", "cspa", "hbgf")
PARTITIONERS = ("spectral", "metis")


def consensus_matrix(labels: Any, *, n_jobs: int | None = None) -> Floats:
    """Share of the partitions in which two samples are in one cluster.

    Parameters
    ----------
    labels : array of shape (n_clusterings, n_samples)
        One partition per row; any labels.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ndarray of shape (n_samples, n_samples)
        Symmetric, within [0, 1], 1 on the diagonal.

    Raises
    ------
    DataError
        If `labels` is not two-dimensional or a label is missing.

    Notes
    -----
    Zhang, Wong, Shen and Xie (2012), equations (4) and (5); O(T N²) time.

    Examples
    --------
    >>> consensus_matrix([[0, 0, 1], ["a", "b", "b"]])
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    partitions = np.ascontiguousarray(check_labels(labels).T)
    n, n_clusterings = partitions.shape
    require_memory(12 * n * n, f"the consensus matrix of {n:,} samples", FEWER_SAMPLES)
    counts = np.empty((n, n), dtype=np.int32)

    def fill(rows: slice) -> None:
        coassociation_counts(partitions, rows.start, rows.stop, counts)

    for _ in run_threads(fill, blocks(n, 64), n_jobs):
        pass
    shares: Floats = counts / n_clusterings
    return shares


def consensus_partition(
    labels: Any,
    n_clusters: int,
    *,
    method: str = "average",
    partitioner: str = "spectral",
    random_state: Any = None,
) -> Labels:
    """One consensus partition of many partitions.

    Parameters
    ----------
    labels : array of shape (n_clusterings, n_samples)
        One partition per row.
    n_clusters : int
        Clusters of the consensus, from 2 to the number of samples.
    method : {"average", "cspa", "hbgf"}
        Average linkage on the consensus matrix as similarity (evidence accumulation); partition of
        the graph of samples with these weights (CSPA); partition of the bipartite graph of samples
        and clusters (HBGF).
    partitioner : {"spectral", "metis"}
        How CSPA and HBGF cut the graph: normalised spectral cut, or METIS (the package
        ``pymetis``), whose parts are of about equal size.  The papers of both methods use METIS.
    random_state : int or NumPy generator, optional
        Seed of the partitioner.

    Returns
    -------
    ndarray of int32, shape (n_samples,)
        Clusters, numbered from 0 in the order in which they first occur.  METIS may leave a part
        empty.

    Raises
    ------
    DataError
        Labels of the wrong shape, or more clusters than groups of samples that some partition tells
        apart.
    ParameterError
        A parameter out of range.
    MissingDependencyError
        ``partitioner="metis"`` without ``pymetis``.

    Notes
    -----
    CSPA: Strehl and Ghosh (2002).  HBGF: Fern and Brodley (2004).  Evidence accumulation: Fred and
    Jain (2005).  The spectral cut follows Ng, Jordan and Weiss (2002) and, for the bipartite graph,
    Dhillon (2001) as in Fern and Brodley.

    Examples
    --------
    >>> labels = [[0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]]
    >>> consensus_partition(labels, 2)
    array([0, 0, 1, 1, 1, 1], dtype=int32)
    >>> consensus_partition(labels, 2, method="cspa", random_state=0)
    array([0, 0, 1, 1, 1, 1], dtype=int32)
    """
    partitions = check_labels(labels)
    check_choice("method", method, CONSENSUS_METHODS)
    check_choice("partitioner", partitioner, PARTITIONERS)
    k = check_integer("n_clusters", n_clusters, low=2, high=partitions.shape[1])
    distinct = len(np.unique(partitions, axis=1).T)
    if k > distinct:
        raise DataError(
            f"n_clusters={k}, but the partitions distinguish only {distinct} groups of samples apart; ask "
            "for fewer clusters"
        )
    if method == "average":
        found = _average_linkage(partitions, k)
    else:
        seed = resolve_seed(random_state) % (2**31 - 1)
        if partitioner == "metis":
            found = _metis(_graph(partitions, method), k, seed)[: partitions.shape[1]]
        else:
            found = _spectral(_embedding(partitions, method, k), k, seed, partitions.shape[1])
    return _renumbered(found)


def _average_linkage(partitions: Labels, k: int) -> Labels:
    model = AgglomerativeClustering(n_clusters=k, metric="precomputed", linkage="average")
    return np.asarray(model.fit_predict(1.0 - consensus_matrix(partitions)), dtype=np.int32)


def _indicator(partitions: Labels) -> scipy.sparse.csr_matrix:
    """Membership of samples (rows) in all clusters of all partitions (columns)."""
    n_clusterings, n = partitions.shape
    first = np.concatenate([[0], np.cumsum(partitions.max(axis=1) + 1)])
    columns = (partitions + first[:-1, np.newaxis]).T.ravel()
    rows = np.repeat(np.arange(n), n_clusterings)
    shape = (n, int(first[-1]))
    return scipy.sparse.csr_matrix((np.ones(rows.size), (rows, columns)), shape=shape)


def _embedding(partitions: Labels, method: str, k: int) -> Floats:
    """The k leading eigenvectors of the normalised graph, samples first."""
    if method == "cspa":
        similarity = consensus_matrix(partitions)
        root = 1.0 / np.sqrt(similarity.sum(axis=1))
        n = len(root)
        normalised = similarity * root[:, np.newaxis] * root
        return np.asarray(scipy.linalg.eigh(normalised, subset_by_index=[n - k, n - 1])[1])
    member = _indicator(partitions)
    row_root = 1.0 / np.sqrt(np.asarray(member.sum(axis=1)).ravel())
    column_root = 1.0 / np.sqrt(np.asarray(member.sum(axis=0)).ravel())
    normalised = member.toarray() * row_root[:, np.newaxis] * column_root
    left, _, right = scipy.linalg.svd(normalised, full_matrices=False)
    width = min(k, left.shape[1])
    return np.vstack([left[:, :width], right[:width].T])


def _spectral(vectors: Floats, k: int, seed: int, n: int) -> Labels:
    """k-means on the rows of the embedding, scaled to length one; the first `n` are the samples."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    points = np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0.0)
    model = KMeans(n_clusters=k, n_init=10, random_state=seed).fit(points)
    return np.asarray(model.labels_[:n], dtype=np.int32)


def _graph(partitions: Labels, method: str) -> scipy.sparse.csr_matrix:
    """The graph that METIS cuts; its weights are whole numbers."""
    member = _indicator(partitions)
    if method == "cspa":
        graph = scipy.sparse.csr_matrix(member @ member.T)
        graph.setdiag(0)
        graph.eliminate_zeros()
        return graph
    n, n_clusters = member.shape
    links = member.tocoo()
    rows = np.concatenate([links.row, links.col + n])
    columns = np.concatenate([links.col + n, links.row])
    size = n + n_clusters
    return scipy.sparse.csr_matrix((np.ones(rows.size), (rows, columns)), shape=(size, size))


def _metis(graph: scipy.sparse.csr_matrix, k: int, seed: int) -> Labels:
    try:
        pymetis = importlib.import_module("pymetis")
    except ImportError:
        raise MissingDependencyError(
            "partitioner='metis' needs the package pymetis; install it with pip install pymetis, "
            "or use partitioner='spectral'"
        ) from None
    _, parts = pymetis.part_graph(
        k,
        pymetis.CSRAdjacency(graph.indptr.tolist(), graph.indices.tolist()),
        eweights=graph.data.astype(int).tolist(),
        options=pymetis.Options(seed=seed),
    )
    return np.asarray(parts, dtype=np.int32)


def _renumbered(found: Labels) -> Labels:
    _, first, codes = np.unique(found, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[codes], dtype=np.int32)

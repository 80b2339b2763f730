"""One consensus partition of many partitions, by the methods that the paper on consensus affinity names."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse
from sklearn.cluster import AgglomerativeClustering, KMeans

from pyfsagg.exceptions import DataError, MissingDependencyError
from pyfsagg.extending import check_choice, check_integer
from pyfsagg.unsupervised.clusterings import Labels, check_partitions, consensus_matrix
from pyfsagg_papers.records import Floats


def consensus_partition(
    labels: Any,
    n_clusters: int,
    *,
    method: str = "average",
    partitioner: str = "spectral",
    random_state: int = 0,
) -> Labels:
    """One consensus partition of many partitions.

    CSPA: Strehl and Ghosh (2002).  HBGF: Fern and Brodley (2004).  Evidence accumulation: Fred and
    Jain (2005).  The spectral cut follows Ng, Jordan and Weiss (2002) and, for the bipartite graph,
    Dhillon (2001) as in Fern and Brodley.
    """
    partitions = check_partitions(labels)
    check_choice("method", method, ("average", "cspa", "hbgf"))
    check_choice("partitioner", partitioner, ("spectral", "metis"))
    k = check_integer("n_clusters", n_clusters, low=2, high=partitions.shape[1])
    distinct = len(np.unique(partitions, axis=1).T)
    if k > distinct:
        raise DataError(
            f"n_clusters = {k}, but the partitions distinguish only {distinct} groups of samples apart; ask "
            "for fewer clusters"
        )
    if method == "average":
        model = AgglomerativeClustering(n_clusters=k, metric="precomputed", linkage="average")
        clusters = model.fit_predict(1.0 - consensus_matrix(partitions))
    else:
        seed = check_integer("random_state", random_state, low=0) % (2**31 - 1)
        if partitioner == "metis":
            clusters = _metis(_graph(partitions, method), k, seed)[: partitions.shape[1]]
        else:
            clusters = _spectral(_embedding(partitions, method, k), k, seed, partitions.shape[1])
    _, first, codes = np.unique(clusters, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[codes], dtype=np.int32)


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
            "partitioner='metis' needs the package pymetis; install it with pip install pymetis, or use "
            "partitioner='spectral'"
        ) from None
    _, parts = pymetis.part_graph(
        k,
        pymetis.CSRAdjacency(graph.indptr.tolist(), graph.indices.tolist()),
        eweights=graph.data.astype(int).tolist(),
        options=pymetis.Options(seed=seed),
    )
    return np.asarray(parts, dtype=np.int32)

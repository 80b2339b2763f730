"""Rankings without labels: consensus affinity, Laplacian score, SVD entropy, and many views."""

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.neighbors import kneighbors_graph

from pyfsagg._base.arithmetic import Floats, RandomState, TableLike
from pyfsagg._base.memory import require_memory
from pyfsagg._base.registry import Call, repeatable
from pyfsagg._base.validation import as_array, check_choice, check_integer, check_real
from pyfsagg._kernels import clusters
from pyfsagg._message import Got, Param, Remedy, Use
from pyfsagg._run.execution import Execution
from pyfsagg._run.parallel import run_threads
from pyfsagg._table.identity import data_hash
from pyfsagg._table.table import Table
from pyfsagg.aggregation import aggregate
from pyfsagg.exceptions import ParameterError
from pyfsagg.ranks import rank_scores
from pyfsagg.unsupervised import clusterings, result
from pyfsagg.unsupervised.clusterings import blocks


def affinity_scores(table: Table, consensus: Floats, n_jobs: int | None = None) -> Floats:
    """ARImm between the affinity of each feature and each consensus matrix; O(N² D) time, O(N²) memory
    and a block per thread."""
    n = table.n_samples
    require_memory(8 * n * n, f"the distances of {n:,} samples", clusterings.FEWER_SAMPLES)
    squared = np.zeros((n, n))  # above the diagonal
    # Rows near the top have the longest way to go: short stripes even the work out.
    stripes = blocks(n, 64)
    for part in blocks(table.n_features):
        block = clusterings.feature_block(table, part)

        def add(rows: slice, block: Floats = block) -> None:
            clusters.add_squared_distances(block, rows.start, rows.stop, squared)

        deque(run_threads(add, stripes, n_jobs), maxlen=0)

    def sums(part: slice) -> tuple[Floats, Floats]:
        block = clusterings.feature_block(table, part)
        weighted = np.zeros((consensus.shape[0], block.shape[1]))
        total = np.zeros(block.shape[1])
        clusters.shortfall_sums(block, squared, consensus, weighted, total)
        return weighted, total

    parts = run_threads(sums, blocks(table.n_features), n_jobs)
    weighted, total = (np.concatenate(each, axis=-1) for each in zip(*parts, strict=True))
    n_pairs = n * (n - 1) // 2
    scores = np.zeros_like(weighted)
    informative = total > 0.0
    # Equation (12) from the shortfalls 1 - A, their sum, and that weighted by M: s0 - s3 is
    # s1 total / n_pairs - weighted, and s2 is n_pairs - total.
    total = total[informative]
    s2 = n_pairs - total
    for g, s1 in enumerate(clusters.pair_totals(consensus).tolist()):
        gain = s1 * total / n_pairs - weighted[g, informative]
        scores[g, informative] = gain / (0.5 * (s1 + s2) - s1 * s2 / n_pairs)
    return scores


@repeatable
def frcm(
    X: TableLike,
    *,
    n_clusterings: int = 100,
    feature_fraction: float = 0.5,
    k_range: tuple[int, int] | None = None,
    clusterer: Any = "k_means",
    standardize: str = "z_score",
    labels: Any = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    execution: Execution | None = None,
) -> result.ConsensusRanking:
    """Rank features by the agreement of their affinity with a consensus of clusterings.

    The samples are clustered many times, each time in a random half of the features and with a
    random number of clusters.  The consensus matrix M is the share of clusterings that join two samples.
    For a feature d, two samples have the affinity ``sqrt(1 - (x_id - x_jd)^2 / ||x_i - x_j||^2)``.
    Its score is ARImm, the adjusted Rand index between M and its affinity matrix.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        Numbers without missing values, at least 3 samples and 2 features.
    n_clusterings : int
        T of the paper.
    feature_fraction : float
        Share of the features in each clustering, in (0, 1]; rounded down, at least one.
    k_range : (int, int), optional
        Lowest and highest number of clusters, both possible; 2 to min(√N, 20) by default.
    clusterer : str or scikit-learn clusterer
        A name in ``CLUSTERERS``, or an estimator with ``fit_predict`` and ``n_clusters`` (or
        ``n_components``); its ``random_state``, if it has one, is set for each clustering.
    standardize : {"none", "center", "z_score", "min_max"}
        Scale of the features, for clustering and affinity alike.
    labels : array of shape (n_clusterings, n_samples), optional
        Existing partitions; none are drawn then.
    random_state : None, int or NumPy generator
        Seed of the clusterings; a fresh one is drawn and recorded when None.
    n_jobs : int, optional
        Threads; no bit of the result depends on it.
    execution : Execution, optional
        :class:`pyfsagg.Execution`: checkpoint and progress of the clusterings.  There are no scratch
        files.

    Returns
    -------
    ConsensusRanking
        Scores of at most 1, larger = more important, about 0 for a feature that is unrelated to the
        clusters.  A constant feature has the score 0, as its affinity is 1 everywhere, and may have
        a better rank than noise: leave constant features out to rank the others.

    Raises
    ------
    DataError
        Fewer than 3 samples, a missing value, a nominal column, every feature constant, more
        clusters than distinct samples, labels that do not fit X.

    See Also
    --------
    frmv : Ranks the features in each clustering.
    ConsensusAffinitySelector : The same as a scikit-learn selector.

    Notes
    -----
    Zhang, Wong, Shen and Xie, "A new unsupervised feature ranking method for gene expression data
    based on consensus affinity", IEEE/ACM TCBB 9 (2012), Algorithm 1 and equations (4)-(7), (11),
    (12).  Identical samples (distance 0) have the affinity 1.

    The result depends on the scale of the features.  With "none", shifting features or scaling all
    by one factor changes nothing; scaling one feature does: k-means follows the features of large
    variance, and the affinity of a feature falls with its share of the squared distance.  With
    "z_score" all features have the same mean share, and the score depends on whether it lies between
    clusters.  The paper does not state its choice, but SVD entropy selects exactly the 342, 228, 380
    and 254 genes of its Table 2 on z-scores, and 65, 36, 108 and 89 on the data as they are.  So
    "z_score" is the default.

    Scoring takes O(N² D) time and O(N²) memory.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> group = np.repeat([0.0, 6.0], 20)
    >>> X = rng.normal(size=(40, 6)) + np.outer(group, [1, 1, 1, 0, 0, 0])
    >>> result = frcm(X, n_clusterings=30, random_state=1)
    >>> sorted(result.select(3))
    ['x0', 'x1', 'x2']
    """
    drawing = clusterings.Clusterings(n_clusterings, feature_fraction, k_range, clusterer)
    execution = Execution._without_scratch("an ensemble of clusterings", execution)
    with execution.limited():
        table = clusterings.check_numbers(X, standardize=standardize)
        n = table.n_samples  # the last step needs most: refused before the clusterings are drawn
        what = f"the consensus matrix and the distances of {n:,} samples"
        require_memory(16 * n * n, what, clusterings.FEWER_SAMPLES)

        def score(_labels: clusterings.Labels, consensus: Floats) -> Floats:
            return np.asarray(affinity_scores(table, consensus[np.newaxis], n_jobs)[0])

        return _by_clusterings(
            frcm,
            table,
            score,
            {"standardize": standardize},
            drawing if labels is None else labels,
            random_state=random_state,
            n_jobs=n_jobs,
            execution=execution,
        )


def _by_clusterings(
    function: Callable[..., Any],
    table: Table,
    score: Callable[[clusterings.Labels, Floats], Floats],
    also: Mapping[str, Any],
    source: Any,
    *,
    random_state: RandomState,
    n_jobs: int | None,
    execution: Execution,
) -> result.ConsensusRanking:
    """The ranking by the `score` of partitions and of their consensus; `source` has the partitions, or how
    to draw them, and `also` is recorded with them."""
    seed: dict[str, Any] = {}
    if isinstance(source, clusterings.Clusterings):
        labels, seed["random_state"] = source.draw(
            table, random_state=random_state, n_jobs=n_jobs, execution=execution
        )
        clusterer = source.clusterer
        parameters = {
            "n_clusterings": len(labels),
            "feature_fraction": source.feature_fraction,
            "k_range": list(clusterings.resolve_k_range(source.k_range, table)),
            "clusterer": clusterer if isinstance(clusterer, str) else repr(clusterer),
            "seed": seed["random_state"],
        }
    else:
        labels = clusterings.check_partitions(source, table.n_samples)
        parameters = {"n_clusterings": len(labels), "clusterer": "given"}
    consensus = clusterings.consensus_matrix(labels, n_jobs=n_jobs)
    scores, method = score(labels, consensus), function.__name__
    call = Call.of(function, name=f"unsupervised.{method}", data=("X",), **seed)
    parameters |= also
    return as_ranking(method, table, scores, parameters, call, consensus, labels)


def as_ranking(
    method: str,
    table: Table,
    scores: Floats,
    parameters: dict[str, Any],
    call: Call,
    consensus: Floats | None = None,
    labels: clusterings.Labels | None = None,
) -> result.ConsensusRanking:
    """Scores with everything that belongs to them, the call that repeats them among it."""
    return result.ConsensusRanking(
        method=method,
        feature_names=table.feature_names,
        scores=scores,
        ranking=rank_scores(scores),
        consensus=consensus,
        labels=labels,
        parameters={**parameters, "call": call.record()},
        data={
            "sha256": data_hash(table, None),
            "n_samples": table.n_samples,
            "n_features": table.n_features,
        },
    )


def laplacian_score(
    X: TableLike,
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
    table = clusterings.check_numbers(X, standardize=standardize)
    n_neighbors = check_integer("n_neighbors", n_neighbors, low=1, high=table.n_samples - 1)
    weights = _neighbour_weights(table, n_neighbors, bandwidth)
    if not weights.sum() > 0.0:
        raise ParameterError(
            Use(bandwidth=bandwidth),
            " is so small that every weight exp(-d^2 / t) is 0",
            Remedy("use 'mean' or a number near the squared distances between neighbours"),
        )
    return score_on_graph(table, weights)


def _neighbour_weights(
    table: Table, n_neighbors: int, bandwidth: float | str
) -> scipy.sparse.csr_matrix:
    values = np.ascontiguousarray(table.values)
    graph = kneighbors_graph(values, n_neighbors, mode="distance").tocoo()
    rows, columns, squared = graph.row, graph.col, np.square(graph.data)
    # An edge holds in both directions whichever sample chose the other; squared lengths are equal
    # either way, so one entry per direction is enough.
    n = table.n_samples
    key = np.concatenate([rows * np.int64(n) + columns, columns * np.int64(n) + rows])
    key, first = np.unique(key, return_index=True)
    squared = np.concatenate([squared, squared])[first]
    if not isinstance(bandwidth, str):
        t = check_real("bandwidth", bandwidth, low=0.0, low_open=True)
    elif bandwidth in ("binary", "mean"):
        t = float(squared.mean()) if bandwidth == "mean" else 0.0
    else:
        raise ParameterError(
            Param("bandwidth"), " must be 'mean', 'binary' or a positive number", Got(bandwidth)
        )
    # A mean of 0: every sample has all its neighbours at distance 0.
    weights = np.ones_like(squared) if t == 0.0 else np.exp(-squared / t)
    return scipy.sparse.csr_matrix((weights, (key // n, key % n)), shape=(n, n))


def score_on_graph(table: Table, weights: scipy.sparse.csr_matrix) -> Floats:
    """``1 - L`` of each feature (n_features,) on a graph of the samples, symmetric weights (n, n)."""
    degree = np.asarray(weights.sum(axis=1)).ravel()
    scores = np.zeros(table.n_features)
    for part in blocks(table.n_features):
        block = clusterings.feature_block(table, part)
        varying = block.min(axis=0) < block.max(axis=0)
        # Weighted means are taken twice: the second time removes what rounding left.
        for _ in range(2):
            block = block - (degree @ block) / degree.sum()
        shared = np.einsum("ij,ij->j", block, weights @ block)
        total = degree @ np.square(block)
        np.divide(shared, total, out=scores[part], where=varying & (total > 0.0))
    return scores


DOMINANT = 0.9  # chosen: share of the squares of a table from which a feature is nearly all of it


def svd_entropy(X: TableLike, *, standardize: str = "z_score", n_jobs: int | None = None) -> Floats:
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
    table = clusterings.check_numbers(X, standardize=standardize)
    n, p = table.n_samples, table.n_features
    wide = p > n
    eigenvalues, vectors = np.linalg.eigh(_gram(table, wide))
    eigenvalues = np.maximum(eigenvalues, 0.0)

    def without(part: slice) -> Floats:
        if wide:
            weights: Floats = np.square(np.ascontiguousarray(table.values[:, part].T) @ vectors)
            return clusters.spectral_entropy_without(1.0, eigenvalues, weights)
        return clusters.spectral_entropy_without(0.0, eigenvalues, np.square(vectors[part]))

    entropies = np.concatenate(list(run_threads(without, blocks(p, 128), n_jobs)))
    sizes = np.einsum("ij,ij->j", table.values, table.values)
    largest = int(np.argmax(sizes))
    if sizes[largest] > DOMINANT * sizes.sum():
        # The entropy without a feature that is nearly all of the table is computed from the rest
        # itself: as a difference to all of it, what is left would have lost its digits.
        rest = table.take(np.delete(np.arange(p), largest))
        rest_gram = _gram(rest, rest.n_features > rest.n_samples)
        entropies[largest] = clusters.spectral_entropy(
            np.asarray(np.linalg.eigvalsh(rest_gram), np.float64)
        )
    scores: Floats = (clusters.spectral_entropy(eigenvalues) - entropies) / np.log(min(n, p))
    scores[~table.values.any(axis=0)] = 0.0
    return scores


def _gram(table: Table, wide: bool) -> Floats:
    """X Xᵀ or XᵀX, whichever is smaller."""
    if not wide:
        return np.asarray(table.values.T @ table.values)
    gram = np.zeros((table.n_samples, table.n_samples))
    for part in blocks(table.n_features):
        block = clusterings.feature_block(table, part)
        gram += block @ block.T
    return gram


def correlation_ratio(X: TableLike, labels: Any) -> Floats:
    """Correlation ratio η of each feature with a partition: the root of the between-cluster share of
    its variance."""
    table = clusterings.check_numbers(X)
    partition = clusterings.check_partitions(
        as_array("labels", labels)[np.newaxis], table.n_samples
    )
    ratios: Floats = view_scores(table, partition)[0]
    return ratios


def _of_centred_blocks(
    table: Table, score: Callable[[Floats], Floats], n_jobs: int | None
) -> Floats:
    """The scores (n_clusterings, n_features) of blocks of centred features; a constant one is all 0."""

    def of_part(part: slice) -> Floats:
        block = clusterings.feature_block(table, part)
        constant = block.min(axis=0) == block.max(axis=0)
        block = block - block.mean(axis=0)
        block[:, constant] = 0.0
        return score(block)

    parts = list(run_threads(of_part, blocks(table.n_features), n_jobs))
    return np.asarray(np.concatenate(parts, axis=1))


def view_scores(table: Table, labels: clusterings.Labels, n_jobs: int | None = None) -> Floats:
    """Correlation ratios (n_clusterings, n_features) of the features with every partition."""

    def score(block: Floats) -> Floats:
        ratios = np.empty((len(labels), block.shape[1]))
        clusters.correlation_ratios(block, labels, ratios)
        return ratios

    return _of_centred_blocks(table, score, n_jobs)


def label_correlations(
    table: Table, labels: clusterings.Labels, n_jobs: int | None = None
) -> Floats:
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


@repeatable
def frmv(
    X: TableLike,
    *,
    n_clusterings: int = 100,
    feature_fraction: float = 0.5,
    k_range: tuple[int, int] | None = None,
    clusterer: Any = "k_means",
    standardize: str = "z_score",
    aggregator: str = "borda",
    association: str = "correlation_ratio",
    labels: Any = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    execution: Execution | None = None,
) -> result.ConsensusRanking:
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
    >>> sorted(frmv(X, n_clusterings=30, random_state=1).select(3))
    ['x0', 'x1', 'x2']
    """
    drawing = clusterings.Clusterings(n_clusterings, feature_fraction, k_range, clusterer)
    execution = Execution._without_scratch("an ensemble of clusterings", execution)
    with execution.limited():
        check_choice("association", association, ASSOCIATIONS)
        table = clusterings.check_numbers(X, standardize=standardize)

        def score(labels: clusterings.Labels, _consensus: Floats) -> Floats:
            views = ASSOCIATIONS[association](table, labels, n_jobs)
            return np.asarray(aggregate(views, aggregator).scores)

        return _by_clusterings(
            frmv,
            table,
            score,
            {"standardize": standardize, "aggregator": aggregator, "association": association},
            drawing if labels is None else labels,
            random_state=random_state,
            n_jobs=n_jobs,
            execution=execution,
        )

"""Feature ranking by consensus affinity (FRCM)."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.memory import require_memory
from pyfsagg._base.registry import Call
from pyfsagg._kernels.clusters import add_squared_distances, pair_totals, shortfall_sums
from pyfsagg._run.execution import Execution
from pyfsagg._run.parallel import run_threads
from pyfsagg._table.identity import data_hash
from pyfsagg._table.table import Table
from pyfsagg.ranks import rank_scores
from pyfsagg.unsupervised.clusterings import (
    FEWER_SAMPLES,
    Labels,
    blocks,
    check_numbers,
    check_partitions,
    consensus_matrix,
    draw_clusterings,
    feature_block,
    resolve_k_range,
)
from pyfsagg.unsupervised.result import ConsensusRanking


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
        block = feature_block(table, part)

        def add(rows: slice, block: Floats = block) -> None:
            add_squared_distances(block, rows.start, rows.stop, squared)

        deque(run_threads(add, stripes, n_jobs), maxlen=0)
    return squared


def affinity_scores(table: Table, consensus: Floats, n_jobs: int | None = None) -> Floats:
    """ARImm between the affinity of every feature and each consensus matrix, in O(N² D) time.

    Memory: O(N²), and one block of features per thread.
    """
    squared = squared_distances(table, n_jobs)

    def sums(part: slice) -> tuple[Floats, Floats]:
        block = feature_block(table, part)
        weighted = np.zeros((consensus.shape[0], block.shape[1]))
        total = np.zeros(block.shape[1])
        shortfall_sums(block, squared, consensus, weighted, total)
        return weighted, total

    parts = list(run_threads(sums, blocks(table.n_features), n_jobs))
    weighted = np.concatenate([sums_of_part for sums_of_part, _ in parts], axis=1)
    total = np.concatenate([total_of_part for _, total_of_part in parts])
    n_pairs = table.n_samples * (table.n_samples - 1) // 2
    scores = np.zeros_like(weighted)
    informative = total > 0.0
    for g, consensus_total in enumerate(pair_totals(consensus)):
        scores[g, informative] = _adjusted(
            weighted[g, informative], float(consensus_total), total[informative], n_pairs
        )
    return scores


def frcm(
    X: Any,
    *,
    n_clusterings: int = 100,
    feature_fraction: float = 0.5,
    k_range: tuple[int, int] | None = None,
    clusterer: Any = "k_means",
    standardize: str = "z_score",
    labels: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    execution: Execution | None = None,
) -> ConsensusRanking:
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
    >>> sorted(result.selected(3))
    ['x0', 'x1', 'x2']
    """
    arguments = dict(locals())
    execution = Execution._without_scratch("an ensemble of clusterings", execution)
    with execution.limited():
        table = check_numbers(X, standardize=standardize)
        n = table.n_samples  # the last step needs most: refused before the clusterings are drawn
        what = f"the consensus matrix and the distances of {n:,} samples"
        require_memory(16 * n * n, what, FEWER_SAMPLES)
        partitions, parameters = partitions_of(table, arguments, execution)
        consensus = consensus_matrix(partitions, n_jobs=n_jobs)
        scores = affinity_scores(table, consensus[np.newaxis], n_jobs)[0]
        seed = seed_of(parameters)
        call = Call.of(frcm, arguments, name="unsupervised.frcm", data=("X",), **seed)
        parameters["standardize"] = standardize
        return as_ranking("frcm", table, scores, parameters, call, consensus, partitions)


def seed_of(parameters: dict[str, Any]) -> dict[str, int]:
    """The seed as an argument; partitions of the caller have none."""
    return {"random_state": parameters["seed"]} if "seed" in parameters else {}


DRAWING = ("n_clusterings", "feature_fraction", "clusterer", "random_state", "n_jobs")
"""Arguments of :func:`frcm` and ``frmv`` that draw clusterings, beside ``k_range``."""


def partitions_of(
    table: Table, arguments: Mapping[str, Any], execution: Execution
) -> tuple[Labels, dict[str, Any]]:
    """The partitions among the arguments, or new ones drawn by them; and the record of how they were made."""
    if arguments["labels"] is not None:
        partitions = check_partitions(arguments["labels"], table.n_samples)
        return partitions, {"n_clusterings": len(partitions), "clusterer": "given"}
    k_range = resolve_k_range(arguments["k_range"], table)
    options = {name: arguments[name] for name in DRAWING}
    labels, seed = draw_clusterings(table, k_range=k_range, execution=execution, **options)
    clusterer = arguments["clusterer"]
    return labels, {
        "n_clusterings": len(labels),
        "feature_fraction": arguments["feature_fraction"],
        "k_range": list(k_range),
        "clusterer": clusterer if isinstance(clusterer, str) else repr(clusterer),
        "seed": seed,
    }


def as_ranking(
    method: str,
    table: Table,
    scores: Floats,
    parameters: dict[str, Any],
    call: Call,
    consensus: Floats | None = None,
    labels: Labels | None = None,
) -> ConsensusRanking:
    """Scores with everything that belongs to them, the call that repeats them among it."""
    return ConsensusRanking(
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

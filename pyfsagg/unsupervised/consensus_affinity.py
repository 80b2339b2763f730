"""Feature ranking by consensus affinity (FRCM)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyfsagg._base.calls import Call
from pyfsagg._base.memory import require_memory
from pyfsagg._base.types import Floats
from pyfsagg._run.execution import Execution
from pyfsagg._table.identity import data_hash
from pyfsagg._table.table import Table
from pyfsagg.ranks import rank_scores
from pyfsagg.unsupervised._input import FEWER_SAMPLES, Labels, check_labels, check_numbers
from pyfsagg.unsupervised.affinity import affinity_scores
from pyfsagg.unsupervised.clusterings import draw_clusterings, resolve_k_range
from pyfsagg.unsupervised.consensus import consensus_matrix
from pyfsagg.unsupervised.result import ConsensusRanking

__all__ = ["as_ranking", "ensemble_of", "frcm", "seed_of"]


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
        T of the paper.  :func:`enough_clusterings` estimates how many suffice.
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
    ParameterError
        A parameter out of range, or an empty `k_range`.

    Notes
    -----
    Zhang, Wong, Shen and Xie, "A new unsupervised feature ranking method for gene expression data
    based on consensus affinity", IEEE/ACM TCBB 9 (2012), Algorithm 1 and equations (4)-(7), (11),
    (12).  Identical samples (distance 0) have the affinity 1.

    The result depends on the scale of the features.  With "none", shifting features or scaling all
    by one factor changes nothing; scaling one feature does: k-means follows the features of large
    variance, and the affinity of a feature falls with its share of the squared distance.  A feature
    of tiny variance has affinity 1 everywhere and a score near 0, one of large variance a score far
    from 0 on either side.  With "z_score" all features have the same mean share, and the score depends on
    whether it lies between clusters.  The paper does not state its choice.  The numbers of
    features in its Table 2 do: SVD entropy, which draws nothing, selects exactly the published 342,
    228, 380 and 254 genes on z-scores, and 65, 36, 108 and 89 on the data as they are.  So
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
    given = dict(locals())
    execution = Execution.without_scratch("an ensemble of clusterings", execution)
    with execution.limited():
        table = check_numbers(X, standardize=standardize)
        n = table.n_samples  # what comes last is largest: refused before the clusterings are drawn
        require_memory(
            16 * n * n, f"the consensus matrix and the distances of {n:,} samples", FEWER_SAMPLES
        )
        partitions, parameters = ensemble_of(
            table,
            labels,
            n_clusterings=n_clusterings,
            feature_fraction=feature_fraction,
            k_range=k_range,
            clusterer=clusterer,
            random_state=random_state,
            n_jobs=n_jobs,
            execution=execution,
        )
        consensus = consensus_matrix(partitions, n_jobs=n_jobs)
        scores = affinity_scores(table, consensus[np.newaxis], n_jobs)[0]
        call = Call.of(frcm, given, name="unsupervised.frcm", data=("X",), **seed_of(parameters))
        parameters = {**parameters, "standardize": standardize, "call": call.record()}
        return as_ranking("frcm", table, scores, parameters, consensus, partitions)


def seed_of(parameters: dict[str, Any]) -> dict[str, int]:
    """The seed as an argument; partitions that were given have none."""
    return {"random_state": parameters["seed"]} if "seed" in parameters else {}


def ensemble_of(
    table: Table,
    labels: Any,
    *,
    k_range: tuple[int, int] | None,
    clusterer: Any,
    execution: Execution | None,
    **options: Any,
) -> tuple[Labels, dict[str, Any]]:
    """The partitions given, or freshly drawn ones; and the record of how they were made."""
    execution = Execution.without_scratch("an ensemble of clusterings", execution)
    if labels is not None:
        partitions = check_labels(labels, table.n_samples)
        return partitions, {"n_clusterings": len(partitions), "clusterer": "given"}
    k_range = resolve_k_range(k_range, table)
    drawn = draw_clusterings(
        table, k_range=k_range, clusterer=clusterer, execution=execution, **options
    )
    return drawn.labels, {
        "n_clusterings": len(drawn.labels),
        "feature_fraction": options["feature_fraction"],
        "k_range": list(k_range),
        "clusterer": clusterer if isinstance(clusterer, str) else repr(clusterer),
        "seed": drawn.seed,
    }


def as_ranking(
    method: str,
    table: Table,
    scores: Floats,
    parameters: dict[str, Any],
    consensus: Floats | None = None,
    labels: Labels | None = None,
) -> ConsensusRanking:
    """Scores with everything that belongs to them."""
    data = {
        "sha256": data_hash(table, None),
        "n_samples": table.n_samples,
        "n_features": table.n_features,
    }
    return ConsensusRanking(
        method,
        table.feature_names,
        scores,
        rank_scores(scores),
        consensus,
        labels,
        parameters,
        data,
    )

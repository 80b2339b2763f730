"""Feature ranking from multiple views (FRMV), and the separation of clusters by a feature."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyfsagg._base.calls import Call
from pyfsagg._base.checks import as_array, check_choice
from pyfsagg._base.types import Floats
from pyfsagg._kernels.clusters.separation import correlation_ratios
from pyfsagg._run.execution import Execution
from pyfsagg._run.parallel import run_threads
from pyfsagg._table.table import Table
from pyfsagg.aggregation import aggregate
from pyfsagg.unsupervised._input import (
    Labels,
    blocks,
    check_labels,
    check_numbers,
    feature_block,
)
from pyfsagg.unsupervised.consensus import consensus_matrix
from pyfsagg.unsupervised.consensus_affinity import as_ranking, ensemble_of, seed_of
from pyfsagg.unsupervised.result import ConsensusRanking

__all__ = ["correlation_ratio", "frmv"]


def correlation_ratio(X: Any, labels: Any, *, n_jobs: int | None = None) -> Floats:
    """Correlation ratio η of each feature with a partition of the samples.

    The root of the share of the variance that lies between the clusters: the linear correlation of
    the feature with its cluster means, whatever the clusters are called.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        Numbers without missing values.
    labels : array of shape (n_samples,)
        Cluster or class of each sample.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ndarray of shape (n_features,)
        Within [0, 1], larger = more important; 0 for a constant feature.

    Raises
    ------
    DataError
        A table that :func:`frcm` refuses, or labels that do not fit it.

    Examples
    --------
    >>> X = [[0.0, 1.0], [0.0, 2.0], [1.0, 1.0], [1.0, 2.0]]
    >>> correlation_ratio(X, ["a", "a", "b", "b"])
    array([1., 0.])
    """
    table = check_numbers(X)
    partition = check_labels(as_array("labels", labels)[np.newaxis], table.n_samples)
    ratios: Floats = view_scores(table, partition, n_jobs)[0]
    return ratios


def view_scores(table: Table, labels: Labels, n_jobs: int | None = None) -> Floats:
    """Correlation ratios (n_clusterings, n_features) of the features with every partition."""

    def score(part: slice) -> Floats:
        block = feature_block(table, part)
        constant = block.min(axis=0) == block.max(axis=0)
        block = block - block.mean(axis=0)
        block[:, constant] = 0.0
        ratios = np.empty((len(labels), block.shape[1]))
        correlation_ratios(block, labels, ratios)
        return ratios

    parts = list(run_threads(score, blocks(table.n_features), n_jobs))
    ratios: Floats = np.concatenate(parts, axis=1)
    return ratios


def label_correlations(table: Table, labels: Labels, n_jobs: int | None = None) -> Floats:
    """Absolute correlations (n_clusterings, n_features) with the numbers of the clusters."""
    numbers = labels - labels.mean(axis=1, keepdims=True)
    length = np.linalg.norm(numbers, axis=1, keepdims=True)
    unit = np.divide(numbers, length, out=np.zeros_like(numbers), where=length > 0.0)

    def score(part: slice) -> Floats:
        block = feature_block(table, part)
        constant = block.min(axis=0) == block.max(axis=0)
        block = block - block.mean(axis=0)
        size = np.linalg.norm(block, axis=0)
        size[constant] = np.inf
        found: Floats = np.minimum(1.0, np.abs(unit @ (block / size)))
        return found

    parts = list(run_threads(score, blocks(table.n_features), n_jobs))
    return np.asarray(np.concatenate(parts, axis=1))


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
    X, n_clusterings, feature_fraction, k_range, clusterer, standardize, labels, random_state, \
n_jobs, execution
        As in :func:`frcm`; one seed gives both methods the same clusterings.
    aggregator : str
        Any method of :func:`pyfsagg.aggregate`; it aggregates the association of every feature with
        every partition.
    association : {"correlation_ratio", "label_correlation"}
        :func:`correlation_ratio`, or the absolute linear correlation with the numbers of the
        clusters.  The second depends on the arbitrary numbers of the clusters, which is noise, but it
        reproduces the numbers of genes in Table 2 of Zhang and others, and their spread.

    Returns
    -------
    ConsensusRanking
        Scores of the aggregator, larger = more important.

    Raises
    ------
    DataError, ParameterError
        As :func:`frcm`.
    UnknownNameError
        Unknown aggregator.

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
    given = dict(locals())
    execution = Execution.without_scratch("an ensemble of clusterings", execution)
    with execution.limited():
        check_choice("association", association, ASSOCIATIONS)
        table = check_numbers(X, standardize=standardize)
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
        views = ASSOCIATIONS[association](table, partitions, n_jobs)
        scores = np.asarray(aggregate(views, aggregator).scores)
        call = Call.of(frmv, given, name="unsupervised.frmv", data=("X",), **seed_of(parameters))
        parameters = {
            **parameters,
            "standardize": standardize,
            "aggregator": aggregator,
            "association": association,
            "call": call.record(),
        }
        consensus = consensus_matrix(partitions, n_jobs=n_jobs)
        return as_ranking("frmv", table, scores, parameters, consensus, partitions)

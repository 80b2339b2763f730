"""Ensembles of clusterings: many partitions of the samples, each from some of the features."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.mixture import GaussianMixture

from pyfsagg._base.checks import check_integer, check_real
from pyfsagg._base.memory import require_memory
from pyfsagg._base.seeds import resolve_seed
from pyfsagg._base.types import Floats
from pyfsagg._run.checkpoint import Piece, kept_seed, open_checkpoint, resume_tasks
from pyfsagg._run.execution import Execution, progress_sink
from pyfsagg._run.parallel import one_thread
from pyfsagg._table.identity import data_hash, versions
from pyfsagg._table.table import Table
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, UnknownNameError
from pyfsagg.unsupervised._input import Labels

__all__ = ["CLUSTERERS", "Clusterings", "draw_clusterings", "resolve_k_range"]

K_MAX = 20  # K_ν of the paper

CLUSTERERS: Mapping[str, Callable[[], BaseEstimator]] = {
    "k_means": lambda: KMeans(n_init=1, init="random"),
    "k_means_plus_plus": lambda: KMeans(n_init=1, init="k-means++"),
    "ward": lambda: AgglomerativeClustering(linkage="ward"),
    "average_linkage": lambda: AgglomerativeClustering(linkage="average"),
    "gaussian_mixture": lambda: GaussianMixture(covariance_type="diag", reg_covar=1e-6),
    "spectral": lambda: SpectralClustering(affinity="nearest_neighbors"),
}
"""Base clusterers by name: k-means from random samples or from k-means++, one start each, and
others of scikit-learn.  With random samples the numbers of genes that FRCM selects agree with those
published; on nutt_2003_v1, 99 to 110 for a published 113 ± 9, against 121 to 147 with k-means++."""


@dataclass(frozen=True, eq=False)
class Clusterings:
    """Partitions of the samples.

    Attributes
    ----------
    labels : ndarray of int32, shape (n_clusterings, n_samples)
        Clusters of each partition, counted from 0.
    n_clusters : ndarray of int64, shape (n_clusterings,)
        Requested number of clusters.
    seed : int
        Repeats the draw.
    """

    labels: Labels
    n_clusters: np.ndarray[Any, np.dtype[np.int64]]
    seed: int


def resolve_k_range(k_range: Any, table: Table) -> tuple[int, int]:
    """The range of cluster numbers, by default 2 to min(√N, 20) as in equation (6).

    Raises
    ------
    ParameterError
        If it is not a pair of whole numbers, begins below 2 or is empty.
    DataError
        If it ends above the number of distinct samples.
    """
    distinct = _n_distinct(np.ascontiguousarray(table.values))
    if k_range is None:
        return 2, max(2, min(math.isqrt(table.n_samples), K_MAX, distinct))
    try:
        low, high = k_range
    except (TypeError, ValueError):
        raise ParameterError(
            f"k_range must be a pair (lowest, highest number of clusters), got {k_range!r}"
        ) from None
    low = check_integer("the lowest number of clusters in k_range", low, low=2)
    high = check_integer("the highest number of clusters in k_range", high, low=2)
    if low > high:
        raise ParameterError(
            f"k_range is empty: {low} is above {high}; give the lower number first"
        )
    if high > distinct:
        raise DataError(
            f"k_range ends at {high} clusters, but X has only {distinct} distinct samples; end it "
            "there or below"
        )
    return low, high


def draw_clusterings(
    table: Table,
    *,
    n_clusterings: int = 100,
    feature_fraction: float = 0.5,
    k_range: tuple[int, int] | None = None,
    clusterer: Any = "k_means",
    random_state: Any = None,
    n_jobs: int | None = None,
    execution: Execution | None = None,
) -> Clusterings:
    """Cluster the samples many times, in random subspaces with random numbers of clusters.

    Clustering t depends on the seed and on t only.  Where the samples have fewer than k distinct
    points in a subspace, each distinct point is a cluster of its own.
    """
    n_clusterings = check_integer("n_clusterings", n_clusterings, low=1)
    fraction = check_real("feature_fraction", feature_fraction, low=0.0, high=1.0, low_open=True)
    low, high = resolve_k_range(k_range, table)
    execution = Execution.read("execution", execution)
    seed = resolve_seed(kept_seed(execution.checkpoint, random_state))
    _resolve_clusterer(clusterer)  # refused before the work begins
    width = max(1, int(fraction * table.n_features + 1e-9))
    require_memory(
        4 * n_clusterings * table.n_samples,
        f"the labels of {n_clusterings:,} clusterings",
        "take fewer clusterings, which are enough long before",
    )

    identity = {
        "kind": "clusterings",
        "n_clusterings": n_clusterings,
        "feature_fraction": fraction,
        "k_range": [low, high],
        "clusterer": clusterer,
        "seed": seed,
        "data": None if execution.checkpoint is None else data_hash(table, None),
        "versions": versions(),
    }
    labels = np.empty((n_clusterings, table.n_samples), dtype=np.int32)
    n_clusters = np.empty(n_clusterings, dtype=np.int64)
    draw = _Draw(table, width, (low, high), clusterer, seed)
    numbers = range(n_clusterings)
    # Limits of BLAS hold for the whole process, so they are set once around all workers.
    with (
        one_thread("blas"),
        open_checkpoint(execution.checkpoint, identity) as kept,
        progress_sink(execution.progress, n_clusterings, "clustering") as told,
    ):
        told(0)
        keys = [f"clustering {t}" for t in numbers]
        found = resume_tasks(kept, keys, _Draw.cluster, draw, numbers, n_jobs=n_jobs)
        for t, piece in enumerate(found):
            labels[t], n_clusters[t] = piece["labels"], piece["k"]
            told(t + 1)
    return Clusterings(labels, n_clusters, seed)


@dataclass(frozen=True, eq=False)
class _Draw:
    """What all clusterings of an ensemble share."""

    table: Table
    width: int
    k_range: tuple[int, int]
    clusterer: Any
    seed: int

    def cluster(self, t: int) -> Piece:
        """Clustering t: its labels, and the requested number of clusters."""
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(t,)))
        features = np.sort(rng.choice(self.table.n_features, self.width, replace=False))
        k = int(rng.integers(self.k_range[0], self.k_range[1] + 1))
        values = np.ascontiguousarray(self.table.values[:, features])
        make = _resolve_clusterer(self.clusterer)
        # With several threads k-means adds up its centres in an order that changes from run to run.
        with one_thread("openmp"):
            labels = _partition(make, values, k, int(rng.integers(2**31 - 1)))
        return {"labels": labels, "k": np.array(k)}


def _resolve_clusterer(clusterer: Any) -> Callable[[int, int], Any]:
    """A function (k, seed) that makes a clusterer."""
    if isinstance(clusterer, str):
        if clusterer not in CLUSTERERS:
            raise UnknownNameError("clusterer", clusterer, CLUSTERERS)
        template = CLUSTERERS[clusterer]()
    elif hasattr(clusterer, "get_params") and hasattr(clusterer, "fit_predict"):
        template = clusterer
    else:
        raise InputTypeError(
            f"clusterer must be one of {', '.join(map(repr, CLUSTERERS))} or a scikit-learn "
            f"clusterer, got {clusterer!r}"
        )
    parameters = template.get_params()
    number = next((name for name in ("n_clusters", "n_components") if name in parameters), None)
    if number is None:
        raise InputTypeError(
            f"the clusterer {template!r} has no parameter n_clusters or n_components; the number "
            "of clusters is drawn"
        )

    def make(k: int, seed: int) -> Any:
        chosen: dict[str, Any] = {number: k}
        if "random_state" in parameters:
            chosen["random_state"] = seed
        return clone(template).set_params(**chosen)

    return make


def _partition(make: Callable[[int, int], Any], values: Floats, k: int, seed: int) -> Labels:
    if _n_distinct(values) <= k:
        return np.unique(values, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32)
    found = make(k, seed).fit_predict(values)
    return np.unique(found, return_inverse=True)[1].astype(np.int32)


def _n_distinct(values: Floats) -> int:
    """Number of distinct rows, by hashes of their bytes: a row of a gene table is long to sort."""
    return len({hash((row + 0.0).tobytes()) for row in values})

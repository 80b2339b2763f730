"""Ensembles of clusterings, and the consensus of several partitions."""

import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.mixture import GaussianMixture

from pyfsagg._base.arithmetic import Floats, RandomState
from pyfsagg._base.arithmetic import scaled as in_range
from pyfsagg._base.memory import require_memory
from pyfsagg._base.settings import Settings, option
from pyfsagg._base.validation import as_array, check_choice, check_integer, resolve_seed
from pyfsagg._kernels.clusters import coassociation_counts
from pyfsagg._message import NAN, Got, Message, Param, Remedy, Use
from pyfsagg._run.checkpoint import Piece, kept_seed, open_checkpoint, resume_tasks
from pyfsagg._run.execution import Execution, progress_sink
from pyfsagg._run.parallel import one_thread, run_threads
from pyfsagg._table.columns import Kind
from pyfsagg._table.identity import data_hash, versions
from pyfsagg._table.table import Table, as_table
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, UnknownNameError

Labels = NDArray[np.int32]

FEWER_SAMPLES = "it has a cell for each pair of samples; take a random part of the rows"

FEWEST_SAMPLES = 3  # chosen: two samples have one distance, which no feature can preserve better
SCALES = ("none", "center", "z_score", "min_max")
SMALLEST, LARGEST = 1e-150, 1e150
BLOCK = 512  # features per task: a block of 100 samples stays in the cache of a core


def check_numbers(X: Any, *, standardize: str = "none") -> Table:
    """A table of numbers without missing values, on one of the `SCALES`."""
    check_choice("standardize", standardize, SCALES)
    table = as_table(X, min_samples=FEWEST_SAMPLES)
    if table.n_samples < FEWEST_SAMPLES:
        raise DataError(
            Param("X"),
            f" has {table.n_samples} sample(s); a minimum of {FEWEST_SAMPLES} is required",
        )
    nominal = np.flatnonzero(table.kinds == Kind.NOMINAL)
    if nominal.size:
        raise DataError(
            f"column {table.feature_names[nominal[0]]!r} is nominal, and words ",
            "have no distances; encode it as numbers or drop it",
        )
    for part in blocks(table.n_features):  # a mask of the whole table would be large
        missing = np.isnan(table.values[:, part]).any(axis=0)
        if not missing.any():
            continue
        name = table.feature_names[part.start + int(np.argmax(missing))]
        raise DataError(
            f"column {name!r} has missing values (",
            NAN,
            "), and distances between samples need all values",
            Remedy("impute them or leave the column out"),
        )
    if standardize in ("none", "center"):
        parts = blocks(table.n_features)
        largest = max(float(np.abs(table.values[:, part]).max(initial=0.0)) for part in parts)
        if not SMALLEST < largest < LARGEST:
            raise DataError(
                "the largest value of ",
                Param("X"),
                f" is {largest:g}, whose square is too large or too small for a float",
                Remedy("divide the table by a constant, or take ", Use(standardize="z_score")),
            )
    if standardize == "none":
        return table
    # A table that was read for this call only is overwritten: a large one fits once.
    scaled = np.empty_like(table.values) if isinstance(X, Table) else table.values
    _scale(table.values, scaled, standardize)
    return table.with_values(scaled)


def _scale(values: Floats, scaled: Floats, how: str) -> None:
    """Fill `scaled` column by column; it may be `values` itself."""
    for j in range(values.shape[1]):
        # Sums and squares of very large or very small numbers leave the range of numbers.
        column, exponent = in_range(values[:, j])
        low, high = column.min(), column.max()
        if low == high:
            scaled[:, j] = 0.0
        elif how == "min_max":
            scaled[:, j] = (column - low) / (high - low)
        else:
            centred = column - column.mean()
            if how == "z_score":
                centred /= np.abs(centred).max()
                scaled[:, j] = centred / centred.std()
            else:
                scaled[:, j] = np.ldexp(centred, exponent)


def check_partitions(labels: Any, n_samples: int | None = None) -> Labels:
    """Partitions as integer labels (n_clusterings, n_samples) that count from 0 in each row."""
    array = as_array("labels", labels)
    if array.ndim != 2 or 0 in array.shape:
        shape = " must have the shape (n_clusterings, n_samples), one row per partition; got "
        raise DataError(Param("labels"), f"{shape}{array.shape}")
    if n_samples is not None and array.shape[1] != n_samples:
        sizes = f" has {array.shape[1]} samples per partition, X has {n_samples}"
        raise DataError(Param("labels"), sizes)
    if array.dtype.kind == "f" and np.isnan(array).any():
        needs = "); every sample needs a cluster"
        raise DataError(Param("labels"), " has missing values (", NAN, needs)
    codes = np.empty(array.shape, dtype=np.int32)
    for t, row in enumerate(array):
        try:
            codes[t] = np.unique(row, return_inverse=True)[1]
        except TypeError:
            raise DataError(
                f"the labels of partition {t + 1} have no order: give numbers or words, not both"
            ) from None
    return codes


def blocks(size: int, width: int = BLOCK) -> list[slice]:
    """Slices of fixed width, independent of the number of workers."""
    return [slice(start, min(start + width, size)) for start in range(0, size, width)]


def feature_block(table: Table, part: slice) -> Floats:
    """Features in `part`, one sample per row of memory."""
    return np.ascontiguousarray(table.values[:, part])


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


def resolve_k_range(k_range: Any, table: Table) -> tuple[int, int]:
    """The range of cluster numbers, by default 2 to min(√N, 20) as in equation (6)."""
    distinct = _n_distinct(np.ascontiguousarray(table.values))
    if k_range is None:
        return 2, max(2, min(math.isqrt(table.n_samples), K_MAX, distinct))
    try:
        low, high = k_range
    except (TypeError, ValueError):
        pair = " must be a pair (lowest, highest number of clusters)"
        raise ParameterError(Param("k_range"), pair, Got(k_range)) from None
    low, high = (
        check_integer(Message(f"the {end} number of clusters in ", Param("k_range")), value, low=2)
        for end, value in (("lowest", low), ("highest", high))
    )
    if low > high:
        remedy = Remedy("give the lower number first")
        raise ParameterError(Param("k_range"), f" is empty: {low} is above {high}", remedy)
    if high > distinct:
        problem = f" ends at {high} clusters, but X has only {distinct} distinct samples"
        raise DataError(Param("k_range"), problem, Remedy("end it there or below"))
    return low, high


@dataclass(frozen=True, eq=False)
class Clusterings(Settings):
    """An ensemble of clusterings in random subspaces, with random numbers of clusters.

    The fields are arguments of :func:`pyfsagg.unsupervised.frcm` and of all that draw clusterings.
    """

    kind: ClassVar[str] = "clusterings"

    n_clusterings: int = option(100, low=1, help="number of clusterings")
    feature_fraction: float = option(0.5, above=0.0, high=1.0, help="share of the features in each")
    k_range: tuple[int, int] | None = option(None, help="lowest and highest number of clusters")
    clusterer: Any = option("k_means", help="a name, or a clusterer of scikit-learn")

    def draw(
        self,
        table: Table,
        *,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        execution: Execution | None = None,
    ) -> tuple[Labels, int]:
        """Labels (n_clusterings, n_samples) from 0, and the seed; clustering t depends only on the seed and
        t. With fewer than k distinct points, each is a cluster."""
        n_clusterings, fraction = int(self.n_clusterings), float(self.feature_fraction)
        low, high = resolve_k_range(self.k_range, table)
        execution = Execution.read("execution", execution)
        seed = resolve_seed(kept_seed(execution.checkpoint, random_state))
        _resolve_clusterer(self.clusterer)  # refused before the work begins
        width = max(1, int(fraction * table.n_features + 1e-9))
        require_memory(
            4 * n_clusterings * table.n_samples,
            f"the labels of {n_clusterings:,} clusterings",
            "fewer clusterings are enough",
        )
        identity = {
            "kind": "clusterings",
            "n_clusterings": n_clusterings,
            "feature_fraction": fraction,
            "k_range": [low, high],
            "clusterer": self.clusterer,
            "seed": seed,
            "data": None if execution.checkpoint is None else data_hash(table, None),
            "versions": versions(),
        }
        labels = np.empty((n_clusterings, table.n_samples), dtype=np.int32)
        draw = _Draw(table, width, (low, high), self.clusterer, seed)
        numbers = range(n_clusterings)
        # Limits of BLAS hold for the whole process, so they are set once around all workers.
        with (
            one_thread("blas"),
            open_checkpoint(execution.checkpoint, identity) as checkpoint,
            progress_sink(execution.progress, n_clusterings, "clustering") as advance,
        ):
            advance(0)
            keys = [f"clustering {t}" for t in numbers]
            pieces = resume_tasks(checkpoint, keys, _Draw.cluster, draw, numbers, n_jobs=n_jobs)
            for t, piece in enumerate(pieces):
                labels[t] = piece["labels"]
                advance(t + 1)
        return labels, seed


@dataclass(frozen=True, eq=False)
class _Draw:
    """What all clusterings of an ensemble share."""

    table: Table
    width: int
    k_range: tuple[int, int]
    clusterer: Any
    seed: int

    def cluster(self, t: int) -> Piece:
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(t,)))
        features = np.sort(rng.choice(self.table.n_features, self.width, replace=False))
        k = int(rng.integers(self.k_range[0], self.k_range[1] + 1))
        values = np.ascontiguousarray(self.table.values[:, features])
        seed = int(rng.integers(2**31 - 1))
        if _n_distinct(values) <= k:
            labels = np.unique(values, axis=0, return_inverse=True)[1].reshape(-1)
        else:
            # With several threads k-means adds up its centres in an order that changes from run to run.
            with one_thread("openmp"):
                clusters = _resolve_clusterer(self.clusterer)(k, seed).fit_predict(values)
            labels = np.unique(clusters, return_inverse=True)[1]
        return {"labels": labels.astype(np.int32)}


def _resolve_clusterer(clusterer: Any) -> Callable[[int, int], Any]:
    """A function (k, seed) that makes a clusterer."""
    if isinstance(clusterer, str):
        if clusterer not in CLUSTERERS:
            raise UnknownNameError("clusterer", clusterer, CLUSTERERS)
        template = CLUSTERERS[clusterer]()
    elif hasattr(clusterer, "get_params") and hasattr(clusterer, "fit_predict"):
        template = clusterer
    else:
        names = ", ".join(map(repr, CLUSTERERS))
        needs = f" must be one of {names} or a scikit-learn clusterer"
        raise InputTypeError(Param("clusterer"), needs, Got(clusterer))
    parameters = template.get_params()
    number = next((name for name in ("n_clusters", "n_components") if name in parameters), None)
    if number is None:
        raise InputTypeError(
            f"the clusterer {template!r} has no parameter n_clusters or n_components; the number ",
            "of clusters is drawn",
        )

    def make(k: int, seed: int) -> Any:
        seeds = {"random_state": seed} if "random_state" in parameters else {}
        return clone(template).set_params(**{number: k}, **seeds)

    return make


def _n_distinct(values: Floats) -> int:
    """Number of distinct rows, by hashes of their bytes: a row of a gene table is long to sort."""
    return len({hash((row + 0.0).tobytes()) for row in values})


def consensus_matrix(labels: Any, *, n_jobs: int | None = None) -> Floats:
    """Share of the partitions in which two samples are in one cluster (Zhang, Wong, Shen and Xie 2012,
    eq. 4 and 5); O(T N²) time."""
    partitions = np.ascontiguousarray(check_partitions(labels).T)
    n, n_clusterings = partitions.shape
    require_memory(12 * n * n, f"the consensus matrix of {n:,} samples", FEWER_SAMPLES)
    counts = np.empty((n, n), dtype=np.int32)

    def fill(rows: slice) -> None:
        coassociation_counts(partitions, rows.start, rows.stop, counts)

    deque(run_threads(fill, blocks(n, 64), n_jobs), maxlen=0)
    shares: Floats = counts / n_clusterings
    return shares

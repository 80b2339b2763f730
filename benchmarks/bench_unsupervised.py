"""Time of the unsupervised scores, beside plain implementations of the formulas, in one run.

    python benchmarks/bench_unsupervised.py --output unsupervised.json [--large] [--jobs 4]

The plain forms are NumPy over whole matrices: one N x N affinity matrix per feature, one SVD per
feature.  If the package ``skfeature-chappers`` is installed, its Laplacian score is timed too, on
the same graph.  Values are compared before anything is timed.  ``--large`` adds FRCM scoring of
2000 samples and 20 000 features, with the peak of memory.
"""

from __future__ import annotations

import argparse
import importlib
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np
from _timing import interleaved, print_table, write_json
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from pyfsagg import load_dataset
from pyfsagg.unsupervised import frcm, laplacian_score, svd_entropy
from pyfsagg.unsupervised.clusterings import check_numbers, consensus_matrix
from pyfsagg.unsupervised.rankings import _neighbour_weights

Floats = NDArray[np.float64]


def plain_frcm(X: Floats, consensus: Floats) -> Floats:
    """Equations (7), (11), (12), a matrix at a time."""
    n, p = X.shape
    upper = np.triu_indices(n, 1)
    squared = np.zeros((n, n))
    for column in X.T:
        squared += np.square(column[:, None] - column)
    m = consensus[upper]
    s1, n_pairs = m.sum(), len(m)
    scores = np.empty(p)
    for d in range(p):
        share = np.square(X[:, d, None] - X[:, d])[upper] / squared[upper]
        a = np.sqrt(np.maximum(0.0, 1.0 - share))
        s2 = a.sum()
        s3 = s1 * s2 / n_pairs
        scores[d] = (m @ a - s3) / (0.5 * (s1 + s2) - s3)
    return scores


def plain_svd_entropy(X: Floats, features: range) -> Floats:
    """One singular value decomposition per feature."""

    def entropy(table: Floats) -> float:
        v = np.linalg.svd(table, compute_uv=False) ** 2
        v = v[v > 0] / v.sum()
        return float(-(v * np.log(v)).sum() / np.log(min(X.shape)))

    whole = entropy(X)
    return np.array([whole - entropy(np.delete(X, d, axis=1)) for d in features])


def bench_frcm(n: int, p: int, jobs: int, rounds: int) -> list[dict[str, Any]]:
    """FRCM scoring (consensus matrix and affinities, no clustering)."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    labels = rng.integers(0, 8, (100, n))
    consensus = consensus_matrix(labels)

    def ours(n_jobs: int) -> Floats:
        return frcm(X, labels=labels, standardize="none", n_jobs=n_jobs).scores

    np.testing.assert_allclose(ours(jobs), plain_frcm(X, consensus), rtol=0, atol=1e-12)
    calls = {
        "plain": lambda: plain_frcm(X, consensus),
        "ours, 1 thread": lambda: ours(1),
        f"ours, {jobs} threads": lambda: ours(jobs),
    }
    return rows(f"FRCM scoring {n} x {p}", interleaved(calls, rounds=rounds))


def bench_clusterings(name: str, n_clusterings: int, rounds: int) -> list[dict[str, Any]]:
    """Clusterings in random subspaces of a real table, beside k-means of scikit-learn in a loop."""
    X = check_numbers(load_dataset(name).X).values
    settings = {
        "n_clusterings": n_clusterings,
        "random_state": 0,
        "standardize": "none",
        "k_range": (2, 12),
    }

    def plain() -> int:
        rng = np.random.default_rng(0)
        for seed in range(n_clusterings):
            columns = np.sort(rng.choice(X.shape[1], X.shape[1] // 2, replace=False))
            k = int(rng.integers(2, 13))
            model = KMeans(k, n_init=1, init="random", random_state=seed)
            model.fit_predict(np.ascontiguousarray(X[:, columns]))
        return n_clusterings

    calls = {
        "scikit-learn in a loop, no scores": plain,
        "ours, 1 thread": lambda: frcm(X, n_jobs=1, **settings),
    }
    return rows(f"FRCM with {n_clusterings} clusterings, {name}", interleaved(calls, rounds=rounds))


def bench_svd_entropy(n: int, p: int, jobs: int, rounds: int) -> list[dict[str, Any]]:
    """SVD entropy; the plain form runs on 20 features and is scaled up to all."""
    X = np.random.default_rng(0).standard_normal((n, p))
    few = range(20)
    found = svd_entropy(X, standardize="none")[:20]
    np.testing.assert_allclose(found, plain_svd_entropy(X, few), rtol=0, atol=1e-12)
    calls = {
        "plain": lambda: plain_svd_entropy(X, few),
        "ours, 1 thread": lambda: svd_entropy(X, standardize="none"),
        f"ours, {jobs} threads": lambda: svd_entropy(X, standardize="none", n_jobs=jobs),
    }
    return rows(f"SVD entropy {n} x {p}", interleaved(calls, rounds=rounds), {"plain": p / 20})


def bench_laplacian(n: int, p: int, rounds: int) -> list[dict[str, Any]]:
    """Laplacian score beside a published package, on binary weights."""
    X = np.random.default_rng(0).standard_normal((n, p))

    def ours() -> Floats:
        return laplacian_score(X, bandwidth="binary", standardize="none")

    calls: dict[str, Any] = {}
    try:
        graph = importlib.import_module("skfeature.utility.construct_W").construct_W
        score = importlib.import_module("skfeature.function.similarity_based.lap_score").lap_score
    except ImportError:
        pass
    else:
        settings = {"metric": "euclidean", "neighbor_mode": "knn", "weight_mode": "binary", "k": 5}

        def theirs() -> Floats:
            return np.asarray(score(X, None, mode="index", W=graph(X, **settings))).ravel()

        # It gives the order of the features only, and its own graph joins every sample to itself:
        # so orders are compared on our graph, and the time includes that of each one's graph.
        weights = _neighbour_weights(check_numbers(X), 5, "binary")
        order = np.asarray(score(X, None, mode="index", W=weights)).ravel()
        assert np.diff(ours()[order]).max() < 1e-12
        calls["skfeature-chappers"] = theirs
    calls["ours"] = ours
    return rows(f"Laplacian score {n} x {p}", interleaved(calls, rounds=rounds))


def rows(
    what: str, timings: dict[str, Any], factors: dict[str, float] | None = None
) -> list[dict[str, Any]]:
    """One line per callable; the reference is the first."""
    reference = (factors or {}).get(next(iter(timings)), 1.0)
    return [
        {
            "what": what,
            "how": name,
            "seconds": timing.median * (factors or {}).get(name, 1.0),
            "ratio": timing.ratio * (factors or {}).get(name, 1.0) / reference,
        }
        for name, timing in timings.items()
    ]


def large(n: int, p: int, jobs: int) -> dict[str, Any]:
    """One run of FRCM scoring on a large table; peak memory of the process with the table in it."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    labels = rng.integers(0, 20, (100, n))
    started = time.perf_counter()
    frcm(X, labels=labels, standardize="none", n_jobs=jobs)
    elapsed = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    what = f"FRCM scoring {n} x {p}, peak {peak:.0f} MB"
    return {"what": what, "how": f"ours, {jobs} threads", "seconds": elapsed, "ratio": 1.0}


def main() -> None:
    """Time all methods and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, help="write the numbers to this JSON file")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--large", action="store_true", help="also 2000 x 20 000")
    parser.add_argument("--quick", action="store_true", help="small tables and few rounds")
    options = parser.parse_args()
    shape = (60, 300) if options.quick else (104, 2315)
    long_shape = (600, 16) if options.quick else (3498, 16)
    rounds = 1 if options.quick else options.rounds
    # The large table first, while the peak of memory is its own.
    table = [large(2000, 20_000, options.jobs)] if options.large else []
    table += bench_frcm(*shape, options.jobs, rounds)
    table += bench_frcm(*long_shape, options.jobs, rounds)
    for name in ("wine", "ionosphere"):
        table += bench_clusterings(name, 20 if options.quick else 300, rounds)
    table += bench_svd_entropy(*shape, options.jobs, rounds)
    table += bench_laplacian(*shape, rounds)
    print_table(table)
    write_json(options.output, {"times": table})


if __name__ == "__main__":
    main()

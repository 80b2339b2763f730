"""Time the eliminations in rank-order space, and show how time grows with n and m.

Prints JSON: complete eliminations of the leukaemia table (72 x 7129, if PYFSAGG_DATA names a folder
that holds it), one step by the definition beside one step here in the same run, and growth curves
with the exponents fitted to them beside those that the paper states for all steps together.

    python benchmarks/bench_rank_order.py [--jobs 4] [--quick] [--output FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from pyfsagg import load_dataset
from pyfsagg.exceptions import PyfsaggError, PyfsaggWarning
from pyfsagg.rank_order import eliminate
from pyfsagg.rank_order._orders import read_orders
from pyfsagg.rank_order.criteria import CentreStrategy, SpoilerStrategy
from pyfsagg.rank_order.elimination import find_elimination

METHODS = ("spoilers", "greedy_kl", "koller_sahami", "cdv")
# Per step in the paper's table 1; a complete elimination takes p times as long.
PAPER_FEATURES = {"spoilers": 2.0, "greedy_kl": 3.0, "koller_sahami": 5.0, "cdv": 3.0}
PAPER_SAMPLES = {"spoilers": 2.0, "greedy_kl": 1.0, "koller_sahami": 1.0, "cdv": 1.0}
# Below, checks of the input take longer than the elimination.
SIZES = {
    "spoilers": [4000, 8000, 16000],
    "greedy_kl": [1000, 2000, 4000],
    "koller_sahami": [1000, 2000, 4000],
    "cdv": [500, 1000, 2000],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--quick", action="store_true", help="at most 1000 features")
    parser.add_argument("--output", help="file for the JSON (default: standard output)")
    options = parser.parse_args()
    warnings.simplefilter("ignore", PyfsaggWarning)
    for method in METHODS:  # compile
        eliminate(*generated(12, 40), method, n_jobs=options.jobs)
    report = {
        "cores": os.cpu_count(),
        "jobs": options.jobs,
        "python": platform.python_version(),
        "load_before": os.getloadavg()[0],
        "leukaemia_seconds": leukaemia(options.jobs, options.quick),
        "against_definition": against_definition(),
        "growth_features": growth("features", options.jobs, options.quick),
        "growth_samples": growth("samples", options.jobs, options.quick),
    }
    report["load_after"] = os.getloadavg()[0]
    report["peak_memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    text = json.dumps(report, indent=1)
    if options.output:
        Path(options.output).write_text(text + "\n", encoding="utf-8")
    else:
        print(text)


def generated(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Levels of features with noise, and a tenth of them shifted in one class."""
    rng = np.random.default_rng(n * p)
    y = np.arange(n) % 2
    X = rng.normal(0.0, 2.0, p) + rng.normal(size=(n, p))
    X[y == 1, : p // 10] += 1.0
    return X, y


def seconds(X: object, y: object, method: str, jobs: int) -> float:
    start = time.perf_counter()
    eliminate(X, y, method, n_jobs=jobs, max_seconds=None)
    return round(time.perf_counter() - start, 3)


def leukaemia(jobs: int, quick: bool) -> dict[str, object] | None:
    try:
        data = load_dataset("golub")
    except PyfsaggError:
        return None
    labels = {"two_classes": data.y}
    samples = Path(os.environ["PYFSAGG_DATA"]) / "golub" / "golub.samples.csv.gz"
    if samples.is_file():
        labels["three_classes"] = pd.read_csv(samples)["subtype"]
    found: dict[str, object] = {}
    for p in (1000,) if quick else (1000, data.X.shape[1]):
        for name, y in labels.items():
            for method in METHODS:
                taken = seconds(data.X.iloc[:, :p], y, method, jobs)
                expected = find_elimination(method).seconds(len(y), p, y.nunique())
                found[f"{method}, {p} features, {name}"] = {
                    "seconds": taken,
                    "estimate_one_core": round(expected, 2),
                }
                print(method, p, name, taken, file=sys.stderr, flush=True)
    return found


def against_definition() -> dict[str, dict[str, float]]:
    """One step of Spoilers and CDV: the definition in vectorised NumPy, and ours, on one core."""
    X, y = generated(40, 300)
    ranks = rankdata(X, axis=1)
    orders = read_orders(X, y)
    return {
        "spoilers": _ratio(lambda: _naive_spoilers(ranks, y), lambda: SpoilerStrategy(orders, 1)),
        "cdv": _ratio(lambda: _naive_cdv(X, y), CentreStrategy(orders, n_jobs=1).candidates),
    }


def _ratio(slow: object, fast: object) -> dict[str, float]:
    times = []
    for function, repeats in ((slow, 1), (fast, 20)):
        start = time.perf_counter()
        for _ in range(repeats):
            function()  # type: ignore[operator]
        times.append((time.perf_counter() - start) / repeats)
    return {"definition": times[0], "here": times[1], "ratio": times[0] / times[1]}


def _naive_spoilers(ranks: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Inversions of all pairs of instances of a class, feature by feature."""
    counts = np.zeros(ranks.shape[1], dtype=int)
    for label in np.unique(y):
        members = ranks[y == label]
        signs = [np.sign(row[:, None] - row[None, :]).astype(np.int8) for row in members]
        for a in range(len(members)):
            for b in range(a):
                counts += (signs[a] * signs[b] < 0).sum(axis=1)
    return counts


def _naive_cdv(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Centres of both classes anew without each feature."""
    found = np.empty(X.shape[1])
    for f in range(X.shape[1]):
        ranks = rankdata(np.delete(X, f, axis=1), axis=1)
        centres = rankdata([ranks[y == label].sum(axis=0) for label in (0, 1)], axis=1)
        found[f] = ((centres[0] - centres[1]) ** 2).sum()
    return found


def growth(what: str, jobs: int, quick: bool) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for method in METHODS:
        if what == "features":
            sizes = [250, 500, 1000] if quick else SIZES[method]
            tables = [generated(72, p) for p in sizes]
        else:
            sizes = [50, 100, 200, 400]
            tables = [generated(n, 500) for n in sizes]
        times = [min(seconds(X, y, method, jobs) for _ in range(2)) for X, y in tables]
        stated = (PAPER_FEATURES if what == "features" else PAPER_SAMPLES)[method]
        found[method] = {
            "sizes": sizes,
            "seconds": times,
            "exponent": round(float(np.polyfit(np.log(sizes), np.log(times), 1)[0]), 2),
            "exponent_of_the_paper": stated,
        }
        print(what, method, found[method], file=sys.stderr, flush=True)
    return found


if __name__ == "__main__":
    main()

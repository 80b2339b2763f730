"""Sparse tables: time beside the dense form by density, and time and memory of a wide run.

    python benchmarks/bench_sparse.py --output benchmarks/results/sparse.json

Scorers are compared on one thread and on the same weights, after a check that their scores are the
same bits.  The wide run has the size of the Dorothea data (1150 samples, 100 000 features, 1 % of the
cells not zero, 1000 resamples), and is made on them where PYFSAGG_DATA holds them.  It is measured in
fresh processes, whose kernels were compiled before, with score matrices in memory and in files.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _timing import interleaved, peak_megabytes, print_table, write_json
from scipy import sparse

import pyfsagg
from pyfsagg._table.table import as_table
from pyfsagg._table.target import check_target
from pyfsagg.filters._base import FILTERS

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "information gain, MDL": ("information_gain", {}),
    "information gain, ten bins": ("information_gain", {"discretization": "equal_width"}),
    "chi-squared": ("chi_squared", {}),
    "value difference, ten bins": ("value_difference_metric", {"bins": 10}),
}
DENSITIES = (0.01, 0.05, 0.2, 1.0)


def make_table(n: int, p: int, density: float) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Small counts in a share of the cells, more often in the second class for every tenth feature."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    sizes = np.maximum(1, rng.binomial(n, density, p))
    even, uneven = np.full(n, 1 / n), (1 + y) / (1 + y).sum()
    rows = np.concatenate(
        [
            rng.choice(n, size, replace=False, p=even if j % 10 else uneven)
            for j, size in enumerate(sizes)
        ]
    )
    columns = np.repeat(np.arange(p), sizes)
    values = rng.integers(1, 6, rows.size).astype(np.int16)
    return sparse.csr_matrix((values, (rows, columns)), shape=(n, p)), y


def scorer_call(X: Any, y: np.ndarray, name: str, options: dict[str, Any], m: int) -> Callable:
    table = as_table(X, sparse=True)
    target = check_target(y, len(y))
    scorer = FILTERS.get(name).prepare(table, target, **options)
    rng = np.random.default_rng(1)
    draws = [np.bincount(rng.integers(0, len(y), len(y)), minlength=len(y)) for _ in range(m)]
    weights, labels = np.stack(draws).astype(np.uint16), target.codes[np.newaxis]
    return lambda: scorer(weights, labels)


def by_density(n: int, p: int, m: int, rounds: int) -> list[dict[str, Any]]:
    """Time of the dense form in units of the sparse one."""
    rows = []
    for density in DENSITIES:
        X, y = make_table(n, p, density)
        dense = X.toarray()
        for label, (name, options) in CASES.items():
            calls = {
                "sparse": scorer_call(X, y, name, options, m),
                "dense": scorer_call(dense, y, name, options, m),
            }
            found, expected = (call() for call in calls.values())
            for output, matrix in expected.items():
                np.testing.assert_array_equal(found[output], matrix)
            timings = interleaved(calls, rounds=rounds)
            rows.append(
                {
                    "density": density,
                    "filter": label,
                    "ms per resample": timings["sparse"].median / m * 1e3,
                    "ns per feature": timings["sparse"].median / m / p * 1e9,
                    "times faster than dense": timings["dense"].ratio,
                }
            )
    return rows


def wide_table(n: int, p: int) -> tuple[str, sparse.csr_matrix, Any]:
    """Dorothea where it is at hand and asked for, otherwise a table of its size."""
    if p == 100_000 and "dorothea" in pyfsagg.list_methods("datasets").index:
        data = pyfsagg.load_dataset("dorothea")
        return "dorothea", data.X, data.y
    return "generated", *make_table(n, p, 0.01)


def wide_run(n: int, p: int, m: int, jobs: int, name: str, scratch: str | None) -> dict[str, Any]:
    """Seconds of one run, and the peak of this process."""
    label, X, y = wide_table(n, p)
    pyfsagg.wam(X[:, :1000], y, filter=name, n_resamples=2, random_state=1)  # loads the kernels
    before = peak_megabytes()
    start = time.perf_counter()
    result = pyfsagg.wam(
        X,
        y,
        filter=name,
        n_resamples=m,
        random_state=1,
        n_jobs=jobs,
        execution=pyfsagg.Execution(scratch=scratch),
    )
    seconds = time.perf_counter() - start
    return {
        "data": label,
        "seconds": seconds,
        "libraries and data MB": before,
        "matrix MB": result.combined.nbytes / 2**20,
        "peak MB": peak_megabytes(),
    }


def wide(n: int, p: int, m: int, jobs: int) -> list[dict[str, Any]]:
    rows = []
    for name in ("information_gain", "chi_squared"):
        for where in ("memory", "files"):
            with tempfile.TemporaryDirectory() as folder:
                task = {"n": n, "p": p, "m": m, "jobs": jobs, "name": name}
                task["scratch"] = folder if where == "files" else None
                done = subprocess.run(
                    [sys.executable, __file__, "--child", json.dumps(task)],
                    capture_output=True,
                    text=True,
                    check=True,
                )
            found = json.loads(done.stdout)
            rows.append({"filter": name, "scores in": where, "threads": jobs, **found})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=1150)
    parser.add_argument("--features", type=int, default=100_000, help="of the wide run")
    parser.add_argument("--resamples", type=int, default=1000, help="of the wide run")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="a smaller run and few rounds")
    parser.add_argument("--output", type=Path, help="write the numbers to this JSON file")
    parser.add_argument("--child", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(wide_run(**options.child)))
        return
    if options.quick:
        options.features, options.resamples, options.rounds = 20_000, 100, 3
    n, p, m = options.samples, options.features, options.resamples
    densities = by_density(n, p // 50, 8, options.rounds)
    print_table(densities)
    print()
    runs = wide(n, p, m, options.jobs)
    print_table(runs)
    write_json(
        options.output,
        {"samples": n, "features": p, "resamples": m, "by density": densities, "wide": runs},
    )


if __name__ == "__main__":
    main()

"""WAM and BAM end to end: time per resample, growth, peak memory, imports, the demo.

    python benchmarks/bench_ensemble.py --output benchmarks/results/ensemble.json

Times are those of the public functions, with validation, resampling and aggregation.  Memory,
imports and the demo are measured in fresh processes.  On a busy machine trust the ratios.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _timing import interleaved, peak_megabytes, print_table, write_json

import pyfsagg

FILTERS = ("information_gain", "symmetric_uncertainty", "chi_squared", "mrmr")
LINEAR = ("information_gain", "chi_squared")
"""Filters that take time in proportion to n·p; mRMR compares all pairs of features."""

Run = Callable[[int], pyfsagg.ensemble.EnsembleResult]
"""A run of so many resamples."""


def make_table(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes, a shift in every tenth feature."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, p))
    X[:, ::10] += 0.5 * y[:, np.newaxis]
    return X, y


def wam_run(X: np.ndarray, y: np.ndarray, name: str, jobs: int) -> Run:
    return lambda m: pyfsagg.wam(X, y, filter=name, n_resamples=m, random_state=1, n_jobs=jobs)


def bam_run(X: np.ndarray, y: np.ndarray, jobs: int) -> Run:
    return lambda m: pyfsagg.bam(X, y, filters=FILTERS, n_resamples=m, random_state=1, n_jobs=jobs)


def per_resample(n: int, p: int, m: int, jobs: int, rounds: int) -> list[dict[str, Any]]:
    """Time per resample of WAM by filter and of BAM, on one thread and on `jobs`.

    The marginal time is the slope between m / 2 and m resamples: without the set-up of a run.
    """
    X, y = make_table(n, p)
    runs = {}
    for threads in sorted({1, min(2, jobs), jobs}):
        for name in FILTERS:
            runs[f"wam {name}", threads] = wam_run(X, y, name, threads)
        runs["bam of the four", threads] = bam_run(X, y, threads)
    calls = {}
    for (name, threads), run in runs.items():
        calls[f"{name}|{threads}"] = lambda run=run: run(m)
        calls[f"{name}|{threads}|half"] = lambda run=run: run(m // 2)
    timings = interleaved(calls, rounds=rounds)
    rows = []
    for name, threads in runs:
        whole, half = timings[f"{name}|{threads}"], timings[f"{name}|{threads}|half"]
        rows.append(
            {
                "method": name,
                "threads": threads,
                "ms per resample": whole.median / m * 1e3,
                "best": whole.best / m * 1e3,
                "marginal": (whole.best - half.best) / (m - m // 2) * 1e3,
            }
        )
    return rows


def growth(n: int, p: int, m: int, rounds: int) -> list[dict[str, Any]]:
    """Time of WAM on one thread while one of m, n and p doubles three times.

    Linear growth doubles the steps between the times as well, whatever a run costs at the start:
    `last step` is the last one in units of the one before.  Times are the best of the rounds; the
    worst says how far a busy machine moves them.
    """
    rows = []
    for name in LINEAR:
        for what in ("m", "n", "p"):
            sizes = [
                {"m": m, "n": n, "p": p, what: {"m": m, "n": n, "p": p}[what] * 2**i // 4}
                for i in range(4)
            ]
            calls = {}
            for i, size in enumerate(sizes):
                run = wam_run(*make_table(size["n"], size["p"]), name, 1)
                calls[str(i)] = lambda run=run, size=size: run(size["m"])
            timings = list(interleaved(calls, rounds=rounds).values())
            best = [timing.best for timing in timings]
            last_step = (best[3] - best[2]) / (best[2] - best[1])
            for size, timing in zip(sizes, timings, strict=True):
                cells = size["m"] * size["n"] * size["p"]
                rows.append(
                    {
                        "filter": name,
                        "grows": what,
                        **size,
                        "ms": timing.best * 1e3,
                        "ms at most": max(timing.seconds) * 1e3,
                        "ns/cell": timing.best / cells * 1e9,
                        "last step": last_step,
                    }
                )
    return rows


def memory_of_one_run(n: int, p: int, m: int, method: str, jobs: int) -> dict[str, float]:
    """Peak of this process around one run, in megabytes; kernels are loaded before it starts."""
    small = make_table(60, 4)
    runs: dict[str, Callable[[np.ndarray, np.ndarray], Run]] = {
        "bam": lambda X, y: bam_run(X, y, jobs),
        **{name: lambda X, y, name=name: wam_run(X, y, name, jobs) for name in FILTERS},
    }
    runs[method](*small)(8)
    before = peak_megabytes()
    X, y = make_table(n, p)
    result = runs[method](X, y)(m)
    peak = peak_megabytes()
    matrices = [*result.score_matrices.values()]
    if all(result.combined is not matrix for matrix in matrices):
        matrices.append(result.combined)
    return {
        "libraries MB": before,
        "data MB": X.nbytes / 2**20,
        "weights MB": m * n * 2 / 2**20,
        "matrices MB": sum(matrix.nbytes for matrix in matrices) / 2**20,
        "peak MB": peak,
    }


def memory(n: int, p: int, sizes: list[int], jobs: int) -> list[dict[str, Any]]:
    """Peak memory beyond data, weights and matrices, each run in a process of its own."""
    rows = []
    for method in ("information_gain", "mrmr", "bam"):
        task = {"n": 60, "p": 4, "m": 8, "method": method, "jobs": jobs}
        fresh_python(__file__, "--memory-child", json.dumps(task))  # the compiler takes memory too
        for m in sizes:
            task = {"n": n, "p": p, "m": m, "method": method, "jobs": jobs}
            found = json.loads(fresh_python(__file__, "--memory-child", json.dumps(task)))
            accounted = found["data MB"] + found["weights MB"] + found["matrices MB"]
            rows.append(
                {
                    "method": method,
                    "m": m,
                    **found,
                    "beyond MB": found["peak MB"] - accounted,
                    "beyond libraries MB": found["peak MB"] - accounted - found["libraries MB"],
                }
            )
    return rows


def fresh_python(*arguments: str, **environment: str) -> str:
    """Run this Python in a fresh process; returns what it printed."""
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def imports(rounds: int) -> list[dict[str, Any]]:
    """Import times in fresh processes, taken in turn."""
    names = ("sklearn", "pyfsagg", "pyfsagg.ensemble", "pyfsagg.ensemble._page")
    code = "import time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(rounds + 1):
        for name in names:
            seconds[name].append(float(fresh_python("-c", code.format(name))))
    first, *others = (found[1:] for found in seconds.values())  # the first round reads the disk
    return [
        {
            "import": name,
            "ms": statistics.median(found) * 1e3,
            "times sklearn": statistics.median(a / b for a, b in zip(found, first, strict=True)),
        }
        for name, found in zip(names, [first, *others], strict=True)
    ]


def demo(n_resamples: int, rounds: int) -> list[dict[str, Any]]:
    """Seconds of the demo from an empty compile cache, and afterwards."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for i in range(rounds + 1):
            start = time.perf_counter()
            fresh_python(
                *("-m", "pyfsagg", "demo", "--quiet", "--n-resamples", str(n_resamples)),
                *("--output", str(Path(folder, f"run{i}"))),
                NUMBA_CACHE_DIR=str(Path(folder, "cache")),
            )
            elapsed = time.perf_counter() - start
            rows.append({"demo": "warm" if i else "cold", "resamples": n_resamples, "s": elapsed})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=3888)
    parser.add_argument("--features", type=int, default=308)
    parser.add_argument("--resamples", type=int, default=64)
    parser.add_argument("--memory-resamples", type=int, nargs="*", default=[1000, 5000])
    parser.add_argument("--demo-resamples", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="a small table and few rounds")
    parser.add_argument("--output", type=Path, help="write the numbers to this JSON file")
    parser.add_argument("--memory-child", metavar="TASK", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_child is not None:
        print(json.dumps(memory_of_one_run(**json.loads(options.memory_child))))
        return
    if options.quick:
        options.samples, options.features, options.resamples = 1000, 64, 64
        options.memory_resamples, options.rounds = [200, 1000], 3
    n, p, m = options.samples, options.features, options.resamples
    parts = {
        "per_resample": per_resample(n, p, m, options.jobs, options.rounds),
        "growth": growth(n, max(4, p // 2), 2 * m, options.rounds),
        "memory": memory(n, p, options.memory_resamples, options.jobs),
        "imports": imports(options.rounds),
        "demo": demo(options.demo_resamples, options.rounds),
    }
    for rows in parts.values():
        print_table(rows)
        print()
    write_json(options.output, {"samples": n, "features": p, "resamples": m, **parts})


if __name__ == "__main__":
    main()

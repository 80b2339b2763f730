"""What a Dask cluster gains and costs, on workers of this machine.

    python benchmarks/bench_dask.py --output benchmarks/dask.json

The same runs here on one thread, here on two threads, and on two and four Dask workers of one thread each.
The first run on a cluster sends the data and compiles or loads kernels; the second is the one to compare.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from _timing import write_json

import pyfsagg

SHAPES = {"small": (500, 100, 200), "large": (20_000, 200, 200)}  # rows, features, resamples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", type=Path, help="a JSON file for the figures")
    parser.add_argument("--quick", action="store_true", help="the small table only")
    options = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    record: dict[str, Any] = {"cores": os.cpu_count()}
    for name, shape in list(SHAPES.items())[: 1 if options.quick else None]:
        record[name] = _compare(*shape)
        print(name, json.dumps(record[name]), flush=True)
    write_json(options.output, record)


def _compare(n: int, p: int, m: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, p)), rng.integers(0, 2, n)

    def run(jobs: int | None = None) -> bytes:
        found = pyfsagg.bam(
            X, y, filters=["ig", "chi2"], n_resamples=m, checks=pyfsagg.Checks(pairs=0),
            random_state=0, n_jobs=jobs,
        )  # fmt: skip
        return found.combined.tobytes()

    expected = run(1)
    found: dict[str, Any] = {
        "rows": n, "features": p, "resamples": m, "megabytes": round(X.nbytes / 1e6, 1),
        "here, one thread": _seconds(lambda: run(1), expected),
        "here, two threads": _seconds(lambda: run(2), expected),
    }  # fmt: skip
    for workers in (2, 4):
        found |= _on_cluster(workers, run, expected)
    return found


def _on_cluster(workers: int, run: Callable[[], bytes], expected: bytes) -> dict[str, float]:
    from distributed import Client, LocalCluster

    more = {"processes": True, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(n_workers=workers, silence_logs=50, **more) as local, Client(local) as client:
        client.wait_for_workers(workers)
        with joblib.parallel_config(backend="dask"):
            name = f"Dask, {workers} worker{'s' * (workers > 1)}"
            return {
                f"{name}, first run": _seconds(run, expected, times=1),
                name: _seconds(run, expected),
            }


def _seconds(run: Callable[[], bytes], expected: bytes, times: int = 3) -> float:
    """The shortest of some runs, all of which have to end in the same bits."""
    found = []
    for _ in range(times):
        started = time.perf_counter()
        assert run() == expected
        found.append(time.perf_counter() - started)
    return round(min(found), 2)


if __name__ == "__main__":
    main()

"""Peak memory of ten computations beside what was estimated before they began.

Each runs in a process of its own, once small (modules, kernels) and once large; the peak is what the
system says of the process, less what it held before the large one.

    python benchmarks/bench_memory.py --output memory.json [--quick]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _timing import write_json

GOAL = 1.3


def _numbers(n: int, p: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, p))


def scores(m: int, p: int, **more: Any) -> None:
    import pyfsagg

    X = _numbers(24, p)
    found = pyfsagg.wam(X, np.arange(24) % 2, n_resamples=m, random_state=0, n_jobs=1, **more)
    found.to_frame()
    found.stability()


def frcm(n: int) -> None:
    import pyfsagg

    pyfsagg.unsupervised.frcm(_numbers(n, 3), n_clusterings=2, random_state=0, n_jobs=1)


def consensus(n: int) -> None:
    from pyfsagg.unsupervised.clusterings import consensus_matrix

    consensus_matrix(np.arange(3 * n).reshape(3, n) % 5, n_jobs=1)


def mrmr(n: int, weight: int) -> None:
    import pyfsagg

    pyfsagg.filters.mrmr(_numbers(n, 4), np.arange(n) % 2, sample_weight=np.full(n, weight))


def heavy(n: int, weight: int) -> None:
    import pyfsagg

    plan = pyfsagg.resampling.Bootstrap(sample_weight=np.full(n, weight))
    pyfsagg.wam(
        _numbers(n, 3),
        np.arange(n) % 2,
        filter="chi_squared",
        n_resamples=2,
        resampling=plan,
        random_state=0,
        n_jobs=1,
    )


def blankets(n: int, weight: int) -> None:
    import pyfsagg

    pyfsagg.rank_order.eliminate(
        _numbers(n, 4), np.arange(n) % 2, "koller_sahami", sample_weight=np.full(n, weight)
    )


def sparse(p: int) -> None:
    from scipy.sparse import csr_matrix

    from pyfsagg._table.table import as_table

    X = csr_matrix(([1.0, 1.0], ([0, 1], [0, p - 1])), shape=(4, p))
    as_table(X, sparse=True, allow_constant=True)


def features(p: int) -> None:
    from pyfsagg.stability_measures import feature_stability

    feature_stability([{1, 2}, {3}, {4}], n_features=p)


SHAPES: dict[str, tuple[Callable[..., None], dict[str, Any], dict[str, Any]]] = {
    "scores, many resamples": (scores, {"m": 10, "p": 50}, {"m": 20_000, "p": 500}),
    "scores, many features": (scores, {"m": 10, "p": 50}, {"m": 100, "p": 100_000}),
    "scores, robust ranks": (
        scores,
        {"m": 10, "p": 50, "aggregator": "median"},
        {"m": 2000, "p": 5000, "aggregator": "median"},
    ),
    "frcm": (frcm, {"n": 50}, {"n": 5000}),
    "consensus matrix": (consensus, {"n": 50}, {"n": 6000}),
    "mrmr, weights": (mrmr, {"n": 100, "weight": 10}, {"n": 1000, "weight": 20_000}),
    "bootstrap, weights": (heavy, {"n": 100, "weight": 10}, {"n": 500, "weight": 60_000}),
    "blankets, weights": (blankets, {"n": 100, "weight": 10}, {"n": 400, "weight": 50_000}),
    "sparse, many columns": (sparse, {"p": 50}, {"p": 3_000_000}),
    "table of features": (features, {"p": 200_000}, {"p": 4_000_000}),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, metavar="FILE", help="where the figures go, as JSON")
    parser.add_argument("--quick", action="store_true", help="two shapes only")
    parser.add_argument("--shape", choices=SHAPES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.shape:
        print(json.dumps(measure(options.shape)))
        return
    found = []
    for name in list(SHAPES)[3 : 5 if options.quick else None] if options.quick else SHAPES:
        done = subprocess.run(
            [sys.executable, __file__, "--shape", name], capture_output=True, text=True, check=True
        )
        found.append(json.loads(done.stdout.splitlines()[-1]))
        row = found[-1]
        print(
            f"{name:26} estimate {row['estimate'] / 1e6:7,.0f} MB, peak {row['peak'] / 1e6:7,.0f} MB, "
            f"peak / estimate {row['ratio']:.2f}",
            flush=True,
        )
    worst = max(row["ratio"] for row in found)
    print(f"largest ratio {worst:.2f}; the goal is at most {GOAL}")
    write_json(options.output, {"goal": GOAL, "worst": worst, "shapes": found})


def measure(name: str) -> dict[str, Any]:
    """Estimate and peak, in bytes, of one shape."""
    from pyfsagg._base.memory import estimates, resident

    run, small, large = SHAPES[name]
    run(**small)
    before = resident()
    reset = Path("/proc/self/clear_refs")
    reset.write_text("5")  # the peak counts from here
    with estimates() as asked:
        run(**large)
    peak = _peak() - before
    estimate = max(needed for _, needed, _ in asked)
    return {"name": name, "estimate": estimate, "peak": peak, "ratio": round(peak / estimate, 3)}


def _peak() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return 1024 * int(line.split()[1])
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main()

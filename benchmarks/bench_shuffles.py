"""What shuffled targets cost: the same run with and without them, on three data sets.

    python benchmarks/bench_shuffles.py --output benchmarks/shuffles.json

Processor seconds of one worker in one process, the two runs one right after the other.  Golub's data need
PYFSAGG_DATA or a download.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from _timing import environment, print_table, write_json

import pyfsagg

FAST = ("information_gain", "symmetric_uncertainty", "chi_squared")
RUNS: dict[str, tuple[str, tuple[str, ...], int]] = {
    "wine, WAM": ("wine", ("information_gain",), 1000),
    "wine, BAM of four": ("wine", (*FAST, "mrmr"), 1000),
    "ionosphere, WAM": ("ionosphere", ("information_gain",), 1000),
    "ionosphere, BAM of four": ("ionosphere", (*FAST, "mrmr"), 1000),
    "golub, WAM": ("golub", ("information_gain",), 1000),
    "golub, BAM of three": ("golub", FAST, 500),
}
QUICK = {"wine, WAM": ("wine", ("information_gain",), 100)}


def seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def measure(name: str, filters: tuple[str, ...], m: int) -> dict[str, Any]:
    data = pyfsagg.load_dataset(name)

    def run(n_resamples: int, shuffles: int | str) -> pyfsagg.ensemble.EnsembleResult:
        checks = pyfsagg.Checks(shuffles=shuffles)
        given = {"n_resamples": n_resamples, "checks": checks, "random_state": 0, "n_jobs": 1}
        if len(filters) == 1:
            return pyfsagg.wam(data.X, data.y, filter=filters[0], **given)
        return pyfsagg.bam(data.X, data.y, filters=filters, **given)

    run(4, 1)  # compiles
    without = seconds(lambda: run(m, 0))
    with_them = seconds(lambda: run(m, "auto"))
    return {
        "resamples": m,
        "seconds without": without,
        "seconds with": with_them,
        "ratio": with_them / without,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one small table")
    parser.add_argument("--output", type=Path, help="write the numbers to this JSON file")
    options = parser.parse_args()
    runs = QUICK if options.quick else RUNS
    rows = [{"run": name, **measure(*each)} for name, each in runs.items()]
    print_table(rows)
    write_json(options.output, {"rows": rows, "load": environment()["load"]})


if __name__ == "__main__":
    main()

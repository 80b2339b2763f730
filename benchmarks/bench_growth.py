"""How time and memory grow with rows, columns, resamples, lists, items and methods.

    python benchmarks/bench_growth.py --output benchmarks/growth.json [--quick]

Each point is a process of its own, which does a small task of the same kind first (modules, compiled loops)
and then the large one: its processor seconds on one worker, and what the peak of its memory rose by.  The
slope is that of the logarithms over the last points: 1 means ten times the work for ten times the input.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _timing import environment, peak_megabytes, print_table, write_json

FITTED = 3
"""Points, the largest ones, through which the slope is drawn."""


def ranking(n: int, p: int, m: int) -> None:
    """The default filters, without halves and shuffled targets."""
    import pyfsagg

    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p)) + 0.5 * y[:, np.newaxis] * (np.arange(p) < 5)
    checks = pyfsagg.Checks(shuffles=0)
    pyfsagg.bam(X, y, n_resamples=m, checks=checks, random_state=0, n_jobs=1)


def lists(m: int, items: int) -> None:
    import pyfsagg

    rng = np.random.default_rng(0)
    names = [f"item{i}" for i in range(items)]
    pyfsagg.aggregate([[names[i] for i in rng.permutation(items)] for _ in range(m)], "rra")


def methods(k: int, data_sets: int) -> None:
    import pandas as pd

    import pyfsagg

    rng = np.random.default_rng(0)
    scores = rng.normal(size=(data_sets, k)) + np.linspace(0, 1, k)
    frame = pd.DataFrame(scores, columns=[f"m{i}" for i in range(k)])
    pyfsagg.standings(frame, random_state=0).to_frame()


GROWTH: dict[str, tuple[Callable[..., None], dict[str, int], str, list[int]]] = {
    "rows": (ranking, {"p": 50, "m": 20}, "n", [300, 1000, 3000, 10_000, 30_000, 100_000]),
    "columns": (ranking, {"n": 100, "m": 20}, "p", [300, 1000, 3000, 10_000, 30_000]),
    "resamples": (ranking, {"n": 100, "p": 200}, "m", [30, 100, 300, 1000, 3000]),
    "lists": (lists, {"items": 1000}, "m", [10, 30, 100, 300, 1000, 3000]),
    "items": (lists, {"m": 20}, "items", [1000, 3000, 10_000, 30_000, 100_000, 300_000]),
    "methods": (methods, {"data_sets": 30}, "k", [10, 30, 100, 300, 1000]),
}


def measure(what: str, size: int) -> dict[str, float]:
    """Processor seconds, and megabytes above what the process held, for one size."""
    call, fixed, name, sizes = GROWTH[what]
    call(**fixed, **{name: sizes[0]})
    before, start = peak_megabytes(), time.process_time()
    call(**fixed, **{name: size})
    seconds = time.process_time() - start
    return {"size": size, "seconds": seconds, "MB": max(0.0, peak_megabytes() - before)}


def slope(points: list[dict[str, float]], of: str) -> float:
    """Slope of the logarithms through the last points that are not zero."""
    last = [point for point in points if point[of] > 0][-FITTED:]
    x, y = np.log([point["size"] for point in last]), np.log([point[of] for point in last])
    return float(np.polyfit(x, y, 1)[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, metavar="FILE", help="where the figures go, as JSON")
    parser.add_argument("--quick", action="store_true", help="the two smallest sizes of two kinds")
    parser.add_argument(
        "--only", choices=GROWTH, help="measure one again, beside what --output has"
    )
    parser.add_argument("--point", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.point:
        what, size = options.point
        print(json.dumps(measure(what, int(size))))
        return
    found: dict[str, Any] = {}
    if options.only:
        found = json.loads(options.output.read_text(encoding="utf-8"))["growth"]
    for what in [options.only] if options.only else ["lists", "items"] if options.quick else GROWTH:
        _, fixed, _, sizes = GROWTH[what]
        points = []
        for size in sizes[:2] if options.quick else sizes[1:]:
            done = subprocess.run(
                [sys.executable, __file__, "--point", what, str(size)],
                capture_output=True,
                text=True,
                check=True,
            )
            points.append(json.loads(done.stdout.splitlines()[-1]))
        slopes = {of: round(slope(points, of), 2) for of in ("seconds", "MB")}
        found[what] = {"fixed": fixed, "points": points, "slopes": slopes}
        print(f"\n{what}: seconds grow by the power {slopes['seconds']}, memory by {slopes['MB']}")
        print_table(points)
    write_json(options.output, {"environment": environment(), "growth": found})


if __name__ == "__main__":
    main()

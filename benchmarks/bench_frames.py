"""What a table costs that another data frame than pandas' holds: time, and memory beside the frame.

Usage: python benchmarks/bench_frames.py [--rounds 5] [--quick] [--base CHECKOUT] [--output FILE]

With the folder of another checkout of the package, the time of ``pyfsagg --help`` and of tables in pandas is
compared with it, in processes that take turns.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from _timing import interleaved, peak_megabytes, print_table, skip, write_json

ROOT = Path(__file__).resolve().parents[1]
SHAPES = {"many rows": (20_000, 500), "wide": (200, 20_000)}
KINDS = ("numpy", "pandas", "polars", "pyarrow", "duckdb")
IN_PANDAS = """
import sys, time
import numpy as np, pandas as pd
from pyfsagg import Checks, wam
n, p = map(int, sys.argv[1:])
rng = np.random.default_rng(0)
frame = pd.DataFrame(rng.normal(size=(n, p)), columns=[f"x{j}" for j in range(p)])
y = rng.integers(0, 2, n)
run = lambda: wam(frame, y, filter="chi_squared", n_resamples=5, checks=Checks(0), random_state=0, n_jobs=1)
run()
start = time.perf_counter()
for _ in range(3):
    run()
print(time.perf_counter() - start)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="a tenth of the features, one round")
    parser.add_argument("--base", type=Path, help="folder of a checkout to compare with")
    parser.add_argument(
        "--memory", nargs=3, metavar=("KIND", "ROWS", "COLUMNS"), help="of one kind"
    )
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    if options.memory:
        kind, *shape = options.memory
        print(json.dumps(memory(kind, int(shape[0]), int(shape[1]))))
        return
    rounds = 1 if options.quick else options.rounds
    rows = []
    for name, (n, p) in SHAPES.items():
        rows += of_shape(name, n, p // 10 if options.quick else p, rounds)
    print_table(rows)
    results: dict[str, Any] = {"rows": rows}
    if options.base is not None:
        results["before and after"] = against(options.base, rounds, options.quick)
        print_table(results["before and after"])
    write_json(options.output, results)


def make_frame(kind: str, n: int, p: int) -> Any:
    """Normal numbers, and no missing one."""
    columns = {f"x{j}": np.random.default_rng(j).normal(size=n) for j in range(p)}
    if kind == "polars":
        import polars

        return polars.DataFrame(columns)
    if kind in ("pyarrow", "duckdb"):
        import pyarrow

        table = pyarrow.table(columns)
        if kind == "pyarrow":
            return table
        import duckdb

        return duckdb.from_arrow(table)
    cells = np.column_stack(list(columns.values()))
    if kind == "numpy":
        return cells
    import pandas

    return pandas.DataFrame(cells, columns=list(columns))


def of_shape(name: str, n: int, p: int, rounds: int) -> list[dict[str, Any]]:
    """Time of reading and of a run, by kind; pandas is the measure."""
    from pyfsagg import Checks, wam
    from pyfsagg._table.table import as_table

    try:
        frames = {kind: make_frame(kind, n, p) for kind in ("pandas", *KINDS)}
    except ImportError as error:
        skip(str(error))
    y = np.random.default_rng(0).integers(0, 2, n)
    reading = interleaved(
        {kind: partial(as_table, frame) for kind, frame in frames.items()}, rounds=rounds
    )
    settings = {
        "filter": "chi_squared",
        "n_resamples": 5,
        "checks": Checks(pairs=0),
        "random_state": 0,
        "n_jobs": 1,
    }
    runs = interleaved(
        {kind: partial(wam, frame, y, **settings) for kind, frame in frames.items()}, rounds=rounds
    )
    rows = []
    for kind in frames:
        command = [sys.executable, __file__, "--memory", kind, str(n), str(p)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        rows.append(
            {
                "table": f"{name}, {n} × {p}",
                "kind": kind,
                "reading s": reading[kind].median,
                "times pandas": round(reading[kind].ratio, 2),
                "wam, times pandas": round(runs[kind].ratio, 2),
                "peak, in tables": round(json.loads(done.stdout), 2),
            }
        )
    return rows


def memory(kind: str, n: int, p: int) -> float | None:
    """Memory that reading takes at its peak beside the frame, the table that it makes included."""
    from pyfsagg._table.table import as_table

    as_table(make_frame(kind, 10, 3))  # what is imported once
    frame = make_frame(kind, n, p)
    try:
        Path("/proc/self/clear_refs").write_text("5")  # forgets the peak so far
    except OSError:
        return float("nan")
    before = peak_megabytes()
    as_table(frame)
    return (peak_megabytes() - before) / (n * p * 8 / 2**20)


def against(base: Path, rounds: int, quick: bool) -> list[dict[str, Any]]:
    """Ratios of this checkout to another one, each the median of pairs."""
    calls: dict[str, list[str]] = {"pyfsagg --help": ["-m", "pyfsagg", "--help"]}
    for n, p in SHAPES.values():
        p = p // 10 if quick else p
        calls[f"wam, pandas, {n} × {p}"] = ["-c", IN_PANDAS, str(n), str(p)]
    rows = []
    for name, arguments in calls.items():
        timed = {folder: partial(child, folder, arguments) for folder in (base, ROOT)}
        for call in timed.values():
            call()
        ratios = []
        for _ in range(2 * rounds + 1):
            before, after = (call() for call in timed.values())
            ratios.append(after / before)
        rows.append(
            {
                "what": name,
                "after / before": round(statistics.median(ratios), 3),
                "lowest": round(min(ratios), 3),
                "highest": round(max(ratios), 3),
            }
        )
    return rows


def child(folder: Path, arguments: list[str]) -> float:
    """Seconds that a process of a checkout prints, or takes in processor time if it prints none."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    before = os.times()
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, check=True
    )
    after = os.times()
    if arguments[0] == "-c":
        return float(done.stdout)
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


if __name__ == "__main__":
    main()

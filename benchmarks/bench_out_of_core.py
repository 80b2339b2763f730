"""Rank a table larger than memory: time, peak memory, and where the time goes.

    python benchmarks/bench_out_of_core.py --rows 50000000 --folder somewhere/with/12GB

writes random numbers as Parquet files (and leaves them where --folder says), ranks them in a process
of its own under --memory-limit, and reports its time and peak memory.  Beside it stands what each
stage costs on one thread, and how near the counting is to plain vector additions in the first cache.
First of all a small table is ranked out of core and in memory with the same weights: the scores must be
equal bit by bit.
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
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from _timing import interleaved, peak_megabytes, print_table, write_json
from numba import njit

import pyfsagg
from pyfsagg._kernels.class_tables import width_rows
from pyfsagg._kernels.poisson_bootstrap import (
    ROWS_AT_ONCE,
    count_resamples,
    digest_column,
    padded,
    poisson_weights,
)
from pyfsagg.out_of_core.counting import open_source

FILE_ROWS, GROUP_ROWS = 5_000_000, 1_000_000
BINS, CLASSES = 10, 2
BATCH = 65_536


def write_table(folder: Path, n_rows: int, n_features: int) -> None:
    """Normal numbers (float32) in files of five million rows; the first ten features matter."""
    shift = np.linspace(0.5, 0.0, 10, endpoint=False).astype(np.float32)
    for number, start in enumerate(range(0, n_rows, FILE_ROWS)):
        rng = np.random.default_rng([n_rows, number])
        writer = None
        for begin in range(start, min(start + FILE_ROWS, n_rows), GROUP_ROWS):
            size = min(GROUP_ROWS, n_rows - begin)
            y = rng.integers(CLASSES, size=size, dtype=np.int8)
            columns = {}
            for j in range(n_features):
                x = rng.standard_normal(size, dtype=np.float32)
                columns[f"x{j}"] = x + shift[j] * y if j < 10 else x
            table = pa.table({**columns, "y": y})
            path = folder / f"part-{number:04d}.parquet"
            writer = writer or pq.ParquetWriter(path, table.schema, use_dictionary=["y"])
            writer.write_table(table, row_group_size=GROUP_ROWS)
        if writer is not None:
            writer.close()


def check_agreement() -> None:
    """Out of core and in memory give the same bits, or the times mean nothing."""
    data = pyfsagg.load_dataset("wine")
    filters = ["information_gain", "gain_ratio", "symmetric_uncertainty", "chi_squared"]
    with tempfile.TemporaryDirectory() as folder:
        data.X.assign(y=data.y).to_parquet(f"{folder}/wine.parquet", row_group_size=50)
        found = pyfsagg.out_of_core.rank_out_of_core(
            folder, "y", filters=filters, random_state=1, n_jobs=2
        )
    codes = pyfsagg.discretization.discretize(data.X, method="equal_width", bins=BINS).to_frame()
    expected = pyfsagg.bam(
        codes,
        data.y,
        filters=filters,
        task=pyfsagg.Task(nominal=list(codes)),
        resampling="poisson_bootstrap",
        n_resamples=found.n_resamples,
        random_state=1,
    )
    for label in filters:
        np.testing.assert_array_equal(found.score_matrices[label], expected.score_matrices[label])
    np.testing.assert_array_equal(found.scores, expected.scores)


def run_once(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Rank the folder in this process; seconds of both passes and the peak of the memory."""
    marks: list[tuple[float, int]] = []

    def tell(done: int, total: int) -> None:
        marks.append((time.perf_counter(), done))

    result = pyfsagg.out_of_core.rank_out_of_core(
        folder,
        "y",
        bins=BINS,
        n_resamples=options.resamples,
        random_state=0,
        n_jobs=options.jobs,
        execution=pyfsagg.Execution(progress=tell, memory_limit=options.memory_limit),
    )
    n_rows = result.data["n_samples"]
    start, end = marks[0][0], time.perf_counter()
    turn = next(when for when, done in marks if done == n_rows)
    return {
        "rows": n_rows,
        "features": result.n_features,
        "resamples": options.resamples,
        "jobs": options.jobs,
        "first pass s": turn - start,
        "second pass s": end - turn,
        "in all s": end - start,
        "peak MB": peak_megabytes(),
        "best": ", ".join(result.select(3)),
    }


@njit(cache=True)
def _additions(weights: np.ndarray, sums: np.ndarray, repeats: int) -> None:
    """The additions of the counting alone, on rows that stay in the first cache."""
    for k in range(repeats):
        used = sums[k & 7]
        row = weights[k & 31]
        for r in range(sums.shape[1]):
            used[r] += row[r]


def stages(folder: Path, n_resamples: int, rounds: int) -> list[dict[str, Any]]:
    """Nanoseconds per cell of the table of each stage, on one thread."""
    source = open_source(folder)
    piece = source.pieces[0]
    names = [name for name in source.types if name != "y"]
    batch = next(iter(piece.batches([*names, "y"], BATCH)))
    n_rows, p, width = batch.num_rows, len(names), padded(n_resamples)
    columns = [batch.column(j).to_numpy().astype(np.float64) for j in range(p)]
    labels = batch.column(p).to_numpy().astype(np.uint16)
    codes = np.empty((p, n_rows), np.uint16)
    n_codes = np.full(p, BINS + 1)
    counts = np.zeros((int(n_codes.sum()) * CLASSES, width), np.int64)
    weights = np.empty((ROWS_AT_ONCE, width), np.uint8)
    key, zero = np.uint64(1), np.uint64(0)
    sums = np.zeros((8, width), np.uint16)

    def encode() -> None:
        for j, column in enumerate(columns):
            width_rows(column, -5.5, 5.5, BINS, codes[j])

    def draw() -> None:
        for start in range(0, n_rows, ROWS_AT_ONCE):
            poisson_weights(key, start, 0, weights[: min(ROWS_AT_ONCE, n_rows - start)])

    group_cells = piece.n_rows * p
    cells = n_rows * p
    encode()
    calls: dict[str, tuple[int, Callable[[], object]]] = {
        "read": (group_cells, lambda: sum(b.num_rows for b in piece.batches(names, BATCH))),
        "bin": (cells, encode),
        "digest": (cells, lambda: [digest_column(column, zero, 0) for column in columns]),
        "draw weights": (cells, draw),
        "draw and count": (
            cells,
            lambda: count_resamples(codes[:, :], labels, CLASSES, n_codes, key, 0, counts),
        ),
        "additions in the first cache": (cells, lambda: _additions(weights[:32], sums, cells)),
    }
    timings = interleaved({name: call for name, (_, call) in calls.items()}, rounds=rounds)
    each = {name: timing.median / calls[name][0] * 1e9 for name, timing in timings.items()}
    counting = each["draw and count"] - each["draw weights"]
    rows = [{"stage": name, "ns/cell": value} for name, value in each.items()]
    rows.append({"stage": "count", "ns/cell": counting, "additions/ns": width / counting})
    rows.append(
        {
            "stage": "share of the count that the additions alone would take",
            "ns/cell": each["additions in the first cache"] / counting,
        }
    )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--features", type=int, default=50)
    parser.add_argument("--resamples", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--memory-limit", default="2GB")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="where the table is, or is written and kept")
    parser.add_argument("--quick", action="store_true", help="a small table and few rounds")
    parser.add_argument("--output", type=Path, help="write the numbers to this JSON file")
    parser.add_argument("--run-only", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run_only:
        print(json.dumps(run_once(options.folder, options)))
        return
    if options.quick:
        options.rows, options.rounds = 500_000, 3
    check_agreement()
    with tempfile.TemporaryDirectory() as draft:
        folder = options.folder or Path(draft)
        folder.mkdir(parents=True, exist_ok=True)
        if not any(folder.glob("*.parquet")):
            write_table(folder, options.rows, options.features)
        size = sum(path.stat().st_size for path in folder.glob("*.parquet")) / 1e9
        command = [sys.executable, __file__, "--run-only", "--folder", str(folder)]
        for name in ("resamples", "jobs", "memory_limit"):
            command += [f"--{name.replace('_', '-')}", str(getattr(options, name))]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        run = {**json.loads(done.stdout), "GB on disk": size}
        print(pd.Series(run).to_string())
        print()
        found = stages(folder, options.resamples, options.rounds)
    print_table(found)
    write_json(options.output, {"run": run, "stages": found})


if __name__ == "__main__":
    main()

"""One figure for each hot task, in units of a NumPy sort in the same process, beside earlier commits.

    python benchmarks/bench_hot.py              # the last ten rows, and this tree
    python benchmarks/bench_hot.py --record     # a row for this commit in hot.jsonl

Processor time of one thread, the least of several rounds, with the sort taken in turn, so that a busy machine
hits both.  The sort is the stable one: with wide vectors the usual one is many times faster, and figures of
two machines could not be compared.  A figure that is more than a tenth above the row before is marked.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from _timing import commit, print_table, write_json

import pyfsagg

HERE = Path(__file__).resolve().parent
KEPT = HERE / "hot.jsonl"
SHOWN = 10
LIMIT = 1.1

Figures = Mapping[str, float]


def tasks() -> dict[str, Callable[[], object]]:
    """The calls, by name; each takes 20 milliseconds to a second."""
    rng = np.random.default_rng(0)
    calls: dict[str, Callable[[], object]] = {}
    for p, m in ((1000, 1000), (20_000, 20)):
        table = pyfsagg.Rankings.from_ranks(np.array([rng.permutation(p) + 1.0 for _ in range(m)]))
        # A new table each time: nothing of it is kept from the round before.
        calls[f"rra {p}x{m}"] = lambda t=table: pyfsagg.aggregate(replace(t), "rra").to_frame()
    for n, p, m in ((72, 1000, 64), (1500, 100, 128)):
        X = rng.normal(size=(n, p))
        y = (X[:, 0] + rng.normal(size=n) > 0).astype(int)
        for name in ("chi_squared", "information_gain", "mrmr"):
            calls[f"{name} {n}x{p}"] = lambda X=X, y=y, m=m, name=name: pyfsagg.wam(
                X, y, filter=name, n_resamples=m, random_state=0, n_jobs=1
            )
    scores = rng.normal(size=(1500, 1000))
    for measure in ("pearson", "jaccard"):
        calls[f"{measure} 1500x1000"] = lambda name=measure: pyfsagg.stability(scores, name)
    calls["import of wam"] = lambda: subprocess.run(
        [sys.executable, "-c", "import pyfsagg; pyfsagg.wam"], check=True
    )
    return calls


def used() -> float:
    """Processor seconds of this process and of those that it has waited for."""
    found = os.times()
    return time.process_time() + found.children_user + found.children_system


def measure(rounds: int) -> dict[str, float]:
    yardstick = np.random.default_rng(1).normal(size=1 << 19)
    figures = {}
    for name, call in tasks().items():
        call()
        best = {"task": math.inf, "sort": math.inf}
        for _ in range(rounds):
            for which, run in (("task", call), ("sort", lambda: np.sort(yardstick, kind="stable"))):
                start = used()
                run()
                best[which] = min(best[which], used() - start)
        figures[name] = round(best["task"] / best["sort"], 3)
    return figures


def steps_back(before: Figures, now: Figures) -> list[str]:
    """The tasks whose figure is more than a tenth above the one before."""
    return [name for name in now if name in before and now[name] > LIMIT * before[name]]


def rows_of(kept: Sequence[tuple[str, Figures]]) -> list[dict[str, str]]:
    """A row per task and a column per commit, the last ten; steps back have a mark."""
    rows = []
    for name in kept[-1][1]:
        row = {"task": name}
        for i, (when, figures) in enumerate(kept):
            worse = i > 0 and name in steps_back(kept[i - 1][1], figures)
            row[when] = f"{figures[name]:.3g}{' !' if worse else ''}" if name in figures else ""
        rows.append({key: row[key] for key in ["task", *list(row)[1:][-SHOWN:]]})
    return rows


def earlier() -> list[tuple[str, Figures]]:
    lines = KEPT.read_text(encoding="utf-8").splitlines() if KEPT.is_file() else []
    return [(row["commit"], row["figures"]) for row in map(json.loads, lines)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--quick", action="store_true", help="no fewer: the figures are compared")
    parser.add_argument("--record", action="store_true", help="keep the figures under this commit")
    parser.add_argument("--output", type=Path, help="write the numbers to this JSON file")
    options = parser.parse_args()
    figures = measure(options.rounds)
    kept = [*earlier(), ("now", figures)]
    print_table(rows_of(kept))
    if len(kept) > 1 and (worse := steps_back(kept[-2][1], figures)):
        print(f"more than a tenth slower than {kept[-2][0]}: {', '.join(worse)}")
    if options.record:
        row = {"commit": commit(), "numpy": np.__version__, "figures": figures}
        with KEPT.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
    write_json(options.output, {"figures": figures})


if __name__ == "__main__":
    main()

"""How far chi-squared and information gain are from what the machine can do, for few rows and for many.

    python benchmarks/bench_kernels_wide.py --output benchmarks/kernels_wide.json

Two bounds are stated for each kernel, at the rates of `bench_kernels.py`: the time to read the table once for
all resamples of a block, and the time for the increments (or words gathered by index) of every cell.
Both can be done at the same time, so that the larger one is the least time; `share` is this least time over
the time measured, in processor seconds of one thread.  The notes KERNELS.md say what the rest is spent on.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from _timing import print_table, write_json
from bench_kernels import RESAMPLES, filter_kernels, probe

SHAPES = [(72, 7129), (3888, 308)]
MEMORY = "bytes read from memory"
PROBED = 3888


def measure(n: int, p: int, rates: dict[str, float], rounds: int) -> list[dict[str, Any]]:
    """Milliseconds for one resample of an n × p table: measured, and by either bound."""
    kernels = [each for each in filter_kernels(n, p) if not each.name.startswith("mRMR")]
    unit = 1e3 / RESAMPLES
    rows = []
    for each in kernels:
        reading = unit * 8 * n * p / rates[MEMORY]
        counting = unit * each.operations / rates[each.bound_by]
        measured = unit * min(_seconds(each.call) for _ in range(rounds + 1))
        rows.append(
            {
                "table": f"{n} × {p}",
                "kernel": each.name,
                "ms a resample": round(measured, 3),
                "ms to read": round(reading, 3),
                "ms to count": round(counting, 3),
                "counted": each.bound_by,
                "bound by": MEMORY if reading > counting else each.bound_by,
                "share": round(max(reading, counting) / measured, 3),
            }
        )
    return rows


def _seconds(call: Callable[[], object]) -> float:
    """Processor seconds, which other programs disturb less than the time of day."""
    start = time.thread_time()
    call()
    return time.thread_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--quick", action="store_true", help="a tenth of the columns, two rounds")
    parser.add_argument("--output", type=Path, help="write the numbers to this JSON file")
    options = parser.parse_args()
    rounds = 2 if options.quick else options.rounds
    rates = probe(PROBED, rounds)
    rows = []
    for n, p in SHAPES:
        rows += measure(n, p // 10 if options.quick else p, rates, rounds)
    used = {name: rates[name] for name in (MEMORY, *sorted({row["counted"] for row in rows}))}
    print_table([{"operation": name, "per second": rate} for name, rate in used.items()])
    print()
    print_table(rows)
    write_json(options.output, {"resamples": RESAMPLES, "rates": used, "rows": rows})


if __name__ == "__main__":
    main()

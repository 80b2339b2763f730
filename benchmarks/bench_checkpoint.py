"""What a checkpoint costs: WAM without one, with one, and taken from a finished one.

Usage: python benchmarks/bench_checkpoint.py [--n-resamples 1000] [--rounds 5] [--jobs 4] [--quick]
       [--output FILE]
"""

from __future__ import annotations

import argparse
import tempfile
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np
from _timing import interleaved, print_table, write_json

from pyfsagg import Execution, wam


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n-resamples", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--quick", action="store_true", help="200 samples, 40 resamples, one round")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    n, p = (200, 40) if options.quick else (3888, 308)
    if options.quick:
        options.n_resamples, options.rounds = 40, 1
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, p)), rng.integers(0, 2, n)
    run = partial(wam, X, y, n_resamples=options.n_resamples, random_state=0, n_jobs=options.jobs)
    with tempfile.TemporaryDirectory() as kept:
        fresh = (Path(kept) / f"run-{number}" for number in count())
        finished = Execution(checkpoint=Path(kept) / "finished")
        run(execution=finished)
        found = interleaved(
            {
                "without": run,
                "with a checkpoint": lambda: run(execution=Execution(checkpoint=next(fresh))),
                "from a finished one": lambda: run(execution=finished),
            },
            rounds=options.rounds,
        )
    rows = [
        {"run": name, "median s": timing.median, "best s": timing.best, "ratio": timing.ratio}
        for name, timing in found.items()
    ]
    print_table(rows)
    settings = {"shape": [n, p], "n_resamples": options.n_resamples, "n_jobs": options.jobs}
    write_json(options.output, {"settings": settings, "rows": rows})


if __name__ == "__main__":
    main()

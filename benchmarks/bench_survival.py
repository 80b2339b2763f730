"""What filters of survival cost beside the Pearson filter on the same tables: of survival, and of a number.

Usage: python benchmarks/bench_survival.py [--rounds 5] [--quick] [--output FILE]
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

import numpy as np
from _timing import interleaved, print_table, write_json

from pyfsagg import Checks, wam

SHAPES = {"few rows, wide": (150, 4000), "many rows": (5000, 100)}
RUNS = {
    "pearson of a number": ("pearson", {}),
    "pearson": ("pearson", {}),
    "cox_score": ("cox_score", {}),
    "cox_score, Breslow": ("cox_score", {"ties": "breslow"}),
    "spearman of a number": ("spearman", {}),
    "spearman": ("spearman", {}),
    "concordance": ("concordance", {}),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="a tenth of the features, one round")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    rows = []
    for name, (n, p) in SHAPES.items():
        p = p // 10 if options.quick else p
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, p))
        time = np.ceil(1000 * rng.exponential(size=n))
        y = np.column_stack([time, rng.random(n) < 0.7])
        runs = {}
        for label, (item, params) in RUNS.items():
            number = label.endswith("of a number")
            runs[label] = partial(
                wam, X, time if number else y, filter=item, filter_params=params,
                task="regression" if number else "survival", n_resamples=40,
                checks=Checks(pairs=0), random_state=0, n_jobs=1,
            )  # fmt: skip
        found = interleaved(runs, rounds=1 if options.quick else options.rounds)
        base, same = found["pearson of a number"].median, found["pearson"].median
        rows += [
            {
                "table": f"{name}, {n} × {p}",
                "filter": label,
                "median s": timing.median,
                "times pearson of a number": round(timing.median / base, 2),
                "times pearson of survival": round(timing.median / same, 2),
            }
            for label, timing in found.items()
        ]
    print_table(rows)
    write_json(options.output, {"settings": {"n_resamples": 40}, "rows": rows})


if __name__ == "__main__":
    main()

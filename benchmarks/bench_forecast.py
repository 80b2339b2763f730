"""The time that is said before a run, beside the time that the run takes, on tables of five shapes.

    python benchmarks/bench_forecast.py --output benchmarks/forecast.json

Resamples alone, and whole runs: with pairs of halves, shuffled targets, and all that is computed from the
scores.  All are processor seconds of one worker in one process, which are wall times where nothing else runs,
so that other programs disturb neither side: the clock of the forecast is replaced by that of the process.  A
forecast is good if the ratio lies between 1/2 and 2.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from _timing import environment, print_table, write_json

from pyfsagg.ensemble.methods import bam
from pyfsagg.ensemble.run import set_up_run
from pyfsagg.ensemble.scoring import USUAL_FILTERS, expected_seconds, score_resamples
from pyfsagg.ensemble.settings import Ensemble

# rows, features, whether the numbers are whole, resamples, depth of mRMR
SHAPES: dict[str, tuple[int, int, bool, int, int | str]] = {
    "72 x 7129, whole numbers": (72, 7129, True, 20, "auto"),
    "200 x 20000": (200, 20_000, False, 6, "auto"),
    "3888 x 308": (3888, 308, False, 20, "auto"),
    "20000 x 50": (20_000, 50, False, 20, "auto"),
    "300 x 1500, mRMR of all features": (300, 1500, False, 6, "all"),
}
QUICK = {"60 x 200": (60, 200, False, 20, "auto")}


def measure(n: int, p: int, whole: bool, m: int, depth: int | str) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p)) + 0.5 * y[:, np.newaxis] * (np.arange(p) < p // 10)
    X = np.rint(200 * np.exp(X)) if whole else X
    ensemble = Ensemble(USUAL_FILTERS, {"mrmr": {"n_features": depth}}, n_resamples=m)
    run = set_up_run(X, y, ensemble, checks="auto", random_state=0)
    expected_seconds(run.filters, run.resamples)  # what is compiled now is not compiled later
    start = time.process_time()
    pieces = expected_seconds(run.filters, run.resamples)
    looked = time.process_time() - start
    assert pieces is not None
    start = time.process_time()
    score_resamples(run.filters, run.resamples, n_jobs=1)
    taken = (time.process_time() - start) / m
    expected = sum(pieces.values())
    start = time.process_time()
    how = {"filters": USUAL_FILTERS, "filter_params": {"mrmr": {"n_features": depth}}}
    bam(X, y, n_resamples=m, random_state=0, **how)
    whole_run = time.process_time() - start
    said = expected * run.n_scored(m)
    return {
        "seconds a resample, said": expected,
        "seconds a resample, taken": taken,
        "said / taken": expected / taken,
        "forecast costs resamples": looked / taken,
        "resamples in the run": run.n_scored(m),
        "seconds of the run, said": said,
        "seconds of the run, taken": whole_run,
        "run, said / taken": said / whole_run,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one small table")
    parser.add_argument("--output", type=Path, help="write the numbers to this JSON file")
    options = parser.parse_args()
    shapes = QUICK if options.quick else SHAPES
    time.perf_counter = time.process_time
    rows = [{"table": name, **measure(*shape)} for name, shape in shapes.items()]
    print_table(rows)
    write_json(options.output, {"rows": rows, "load": environment()["load"]})


if __name__ == "__main__":
    main()

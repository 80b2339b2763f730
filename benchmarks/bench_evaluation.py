"""Time of an evaluation: the cells of issue size, and what shares the work between workers best.

    python benchmarks/bench_evaluation.py --jobs 4 --output evaluation.json

First 10 thresholds × 4 classifiers × 5 methods × 5 folds on Ionosphere, as one call.  Then the same
fits by worker processes and by threads, and without the cache, interleaved within one run.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _timing import interleaved, print_table, write_json
from joblib import Parallel, delayed

from pyfsagg import evaluate, load_dataset
from pyfsagg._table.table import as_table
from pyfsagg._table.target import check_target
from pyfsagg.evaluation.cells import Fit, FitWork, draw_parts, fit_one
from pyfsagg.evaluation.learners import read_classifiers
from pyfsagg.evaluation.plan import MODELS
from pyfsagg.evaluation.protocol import Protocol


def whole(jobs: int, **options: Any) -> dict[str, Any]:
    data = load_dataset("ionosphere")
    start = time.perf_counter()
    found = evaluate(data.X, data.y, random_state=0, n_jobs=jobs, **options)
    seconds = time.perf_counter() - start
    return {"cells": len(found.cells), "fits": found.parameters["n_fits"], "seconds": seconds}


def fits(n_subsets: int, repeats: int) -> list[tuple[Any, ...]]:
    """Arguments of fits of all classifiers on random subsets; each subset `repeats` times."""
    data = load_dataset("ionosphere")
    table = as_table(data.X)
    target = check_target(data.y, table.n_samples)
    (part,) = draw_parts(table, target, Protocol("thesis"), seed=0)
    models = read_classifiers(MODELS["classes"][1])
    folds = {(fold.pool, fold.repeat, fold.number): fold for fold in part.folds}
    shared = FitWork(folds, table, target, models, ("accuracy",), 0)
    rng = np.random.default_rng(0)
    found = []
    for _ in range(n_subsets):
        features = rng.permutation(table.n_features)[: rng.integers(4, table.n_features)]
        for fold in part.folds:
            for label in models:
                found += [(shared, Fit.of(fold, label, features))] * repeats
    return found


def work(tasks: list[tuple[Any, ...]], jobs: int, backend: str) -> Callable[[], object]:
    return lambda: Parallel(n_jobs=jobs, backend=backend)(delayed(fit_one)(*t) for t in tasks)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--subsets", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="few thresholds, subsets and rounds")
    parser.add_argument("--output", type=Path, help="write the numbers to this JSON file")
    arguments = parser.parse_args()
    size: dict[str, Any] = {}
    if arguments.quick:
        arguments.subsets, arguments.rounds = 1, 1
        size = {"n_features_to_select": [0.2, 1.0], "n_resamples": 20}
    load_dataset("ionosphere")
    whole(1, n_resamples=2, n_features_to_select=[0.1], classifiers="nb", baselines=[])  # compile
    cases = {
        "issue size": whole(arguments.jobs, baselines=[], **size),
        "with baselines": whole(arguments.jobs, **size),
        "both protocols, baselines": whole(arguments.jobs, protocol="both", **size),
    }
    print_table([{"case": name, **record} for name, record in cases.items()])
    once = fits(arguments.subsets, 1)
    timings = interleaved(
        {
            "processes": work(once, arguments.jobs, "loky"),
            "threads": work(once, arguments.jobs, "threading"),
            "one worker": work(once, 1, "sequential"),
            "processes, each fit twice": work(fits(arguments.subsets, 2), arguments.jobs, "loky"),
        },
        rounds=arguments.rounds,
    )
    rows = [{"work": n, "seconds": t.median, "ratio": t.ratio} for n, t in timings.items()]
    print_table(rows)
    write_json(arguments.output, {"whole": cases, "work": rows, "fits": len(once)})


if __name__ == "__main__":
    main()

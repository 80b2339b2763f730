"""The influence of the aggregator on Ionosphere: shared score matrices beside one run per aggregator.

Usage: python benchmarks/bench_influence.py [--folds 100] [--rounds 3] [--jobs 4] [--quick] [--output FILE]
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from _timing import interleaved, print_table, write_json

from pyfsagg import influence, load_dataset
from pyfsagg.aggregator_influence.experiments import THESIS_AGGREGATORS
from pyfsagg.ensemble.scoring import USUAL_FILTERS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", type=int, default=100)
    parser.add_argument("--n-resamples", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--quick", action="store_true", help="4 folds of 100 resamples, one round")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    if options.quick:
        options.folds, options.n_resamples, options.rounds = 4, 100, 1
    data = load_dataset("ionosphere")
    settings: dict[str, Any] = {
        "n_folds": options.folds,
        "n_resamples": options.n_resamples,
        "random_state": 0,
        "n_jobs": options.jobs,
    }
    run = partial(influence, data.X, data.y, **settings)

    def one_by_one() -> None:
        for aggregator in THESIS_AGGREGATORS:
            run(aggregators=[aggregator])

    # Scores of mRMR can be negative.
    shifted = {
        name: {"shift": "minimum"} if name == "geometric_mean" else {}
        for name in THESIS_AGGREGATORS
    }
    found = interleaved(
        {
            "information gain, shared": partial(run, aggregators=THESIS_AGGREGATORS),
            "information gain, one run per aggregator": one_by_one,
            "mrmr, shared": partial(run, filter="mrmr", aggregators=shifted),
            "four filters combined (bam)": partial(
                run, filter=list(USUAL_FILTERS), method="bam", aggregators=THESIS_AGGREGATORS
            ),
        },
        rounds=options.rounds,
    )
    rows = [
        {"run": name, "median s": timing.median, "best s": timing.best, "ratio": timing.ratio}
        for name, timing in found.items()
    ]
    print_table(rows)
    write_json(options.output, {"settings": settings, "rows": rows})


if __name__ == "__main__":
    main()

"""How long do votes over many selections take?

Selections are drawn at random: 1,000 voters, 10,000 features, and a share of them in each selection. The
rules take turns, and the time of each is compared with that of approval voting, a matrix product.

    python benchmarks/bench_votes.py [--quick] [--output FILE]
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

import numpy as np
from _timing import interleaved, print_table, write_json

from pyfsagg import vote
from pyfsagg.listing import list_methods

# Share of the features in a selection, and places that are filled one by one (None = all).
CASES = ((0.002, None), (0.02, None), (0.5, 100))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="a tenth of voters and features, once")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    m, p = (100, 1000) if options.quick else (1000, 10_000)
    rng = np.random.default_rng(0)
    rows = []
    for share, size in CASES:
        support = rng.random((m, p)) < share
        runs = {
            rule: partial(vote, support, rule, size=size)
            for rule in list_methods("voting_rules").index
        }
        found = interleaved(runs, rounds=1 if options.quick else options.rounds)
        base = found["approval"].median
        rows += [
            {
                "selections": f"{m} × {p}, {100 * share:g} % selected",
                "places": size or p,
                "rule": rule,
                "median s": timing.median,
                "times approval": round(timing.median / base, 1),
            }
            for rule, timing in found.items()
        ]
    print_table(rows)
    write_json(options.output, {"settings": {"voters": m, "features": p}, "rows": rows})


if __name__ == "__main__":
    main()

"""pyfsagg and RobustRankAggreg side by side in one process, on the same ranks.

    python benchmarks/bench_aggregation.py --output benchmarks/results/aggregation.json

Both get a ready matrix of normalized ranks and return a sorted table of scores.  Needs rpy2, R and
its package RobustRankAggreg, and ends with the exit code of a skip without them.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from _timing import interleaved, print_table, skip, write_json

from pyfsagg.aggregation import aggregate
from pyfsagg.exceptions import MissingDependencyError
from pyfsagg.ranks import Rankings
from pyfsagg_rpy2 import rank_aggregation
from pyfsagg_rpy2.session import environment, package

CASES = (("rra", "RRA", 1000, 1000), ("rra", "RRA", 20_000, 20), ("stuart", "stuart", 300, 1000))
QUICK = (("rra", "RRA", 200, 100), ("rra", "RRA", 2000, 20), ("stuart", "stuart", 100, 30))


def run(method: str, r_method: str, p: int, m: int, rounds: int) -> dict[str, Any]:
    """Time one case; the conversion of the matrix to R is not counted against R."""
    rng = np.random.default_rng(1)
    ranks = np.array([rng.permutation(p) + 1.0 for _ in range(m)])
    table = Rankings.from_ranks(ranks)
    matrix = rank_aggregation._r_matrix(ranks / p)
    library, robjects = package("RobustRankAggreg"), environment()
    found: dict[str, Any] = {}

    def ours() -> None:
        found["ours"] = aggregate(table, method).to_frame()

    def theirs() -> None:
        found["theirs"] = library.aggregateRanks(rmat=matrix, method=r_method)

    timings = interleaved({"ours": ours, "theirs": theirs}, rounds=rounds)
    frame = found["theirs"]
    scores = np.array(frame.rx2("Score"))
    names = [str(name) for name in robjects.r["as.character"](frame.rx2("Name"))]
    mine = found["ours"].loc[names, "p_value" if method == "rra" else "statistic"].to_numpy()
    valid = np.isfinite(scores) & (scores >= 0) & (scores <= 1)
    differences = np.abs(mine[valid] - scores[valid]) / mine[valid]
    return {
        "method": method,
        "items": p,
        "lists": m,
        "R s": timings["theirs"].median,
        "pyfsagg s": timings["ours"].median,
        "times faster": timings["theirs"].ratio,
        "R outside 0..1 or NaN": int((~valid).sum()),
        "difference where valid": float(differences.max()) if valid.any() else None,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="small cases")
    parser.add_argument("--output", type=Path, help="write the numbers to this JSON file")
    options = parser.parse_args()
    try:
        package("RobustRankAggreg")
    except MissingDependencyError as error:
        skip(str(error))
    rows = [run(*case, options.rounds) for case in (QUICK if options.quick else CASES)]
    print_table(rows)
    write_json(options.output, {"cases": rows})


if __name__ == "__main__":
    main()

"""Stability measures against a plain loop over pairs, side by side; JSON out.

The loop runs on `--loop-resamples` resamples and its time is scaled to all pairs, because at full
size it would take minutes.  Run from the root of the project:

    python benchmarks/bench_stability.py --resamples 1000 --features 1000 --output stability.json
"""

from __future__ import annotations

import argparse
import itertools
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _timing import interleaved, print_table, write_json
from scipy.stats import kendalltau, rankdata

from pyfsagg.listing import list_methods
from pyfsagg.ranks.ranking import select_top
from pyfsagg.stability_measures.measure import measure_stability
from pyfsagg.stability_measures.pairwise import thesis_measures

SLOW: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "pearson": lambda a, b: float(np.corrcoef(a, b)[0, 1]),
    "spearman": lambda a, b: float(np.corrcoef(rankdata(a), rankdata(b))[0, 1]),
    "kendall": lambda a, b: float(kendalltau(a, b).statistic),
    "canberra": lambda a, b: float(
        (np.abs(rankdata(a) - rankdata(b)) / (rankdata(a) + rankdata(b))).mean()
    ),
    "jaccard": lambda a, b: float((a & b).sum() / (a | b).sum()),
}


def traced_megabytes(run: Callable[[], object]) -> float:
    """Peak of traced memory during a call, beyond what was there before."""
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def pair_loop(name: str, rows: np.ndarray) -> Callable[[], float]:
    """A plain loop over all pairs of `rows`."""
    pairs = list(itertools.combinations(range(len(rows)), 2))
    return lambda: float(np.mean([SLOW[name](rows[a], rows[b]) for a, b in pairs]))


def measure(name: str, data: np.ndarray, options: argparse.Namespace) -> dict[str, Any]:
    """One measure on all resamples, beside the loop on some of them."""
    m, few = len(data), min(len(data), options.loop_resamples)
    calls: dict[str, Callable[[], object]] = {"ours": lambda: measure_stability(data, name)}
    if name in SLOW:
        calls["loop"] = pair_loop(name, data[:few])
    timings = interleaved(calls, rounds=options.rounds)
    row = {"measure": name, "seconds": timings["ours"].median}
    if name in SLOW:
        more_pairs = m * (m - 1) / (few * (few - 1))
        row["loop, scaled"] = timings["loop"].median * more_pairs
        row["times faster"] = timings["loop"].ratio * more_pairs
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--features", type=int, default=1000)
    parser.add_argument("--loop-resamples", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="a small table and few rounds")
    parser.add_argument("--output", type=Path, help="write the numbers to this JSON file")
    options = parser.parse_args()
    if options.quick:
        options.resamples, options.features, options.loop_resamples = 200, 200, 10
    m, p = options.resamples, options.features
    rng = np.random.default_rng(options.seed)
    scores = rng.normal(size=(m, p)) + np.linspace(0, 3, p)
    support = select_top(scores, max(1, p // 4))
    table = list_methods("stability")
    plain = [name for name in table.index if "similarity" not in table.loc[name, "needs"]]
    sets = [name for name in plain if table.loc[name, "kind"] == "sets"]
    rows = [measure(name, support if name in sets else scores, options) for name in plain]

    def everything() -> None:
        thesis_measures(scores)
        for name in sets:
            measure_stability(support, name)

    together = interleaved(
        {"thesis measures": lambda: thesis_measures(scores), "and all set measures": everything},
        rounds=options.rounds,
    )
    rows += [{"measure": name, "seconds": timing.median} for name, timing in together.items()]
    peak = traced_megabytes(everything)
    print_table(rows)
    print(f"peak beyond the input of {scores.nbytes / 2**20:.0f} MB: {peak:.0f} MB")
    write_json(
        options.output, {"resamples": m, "features": p, "rows": rows, "peak_megabytes": peak}
    )


if __name__ == "__main__":
    main()

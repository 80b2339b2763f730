"""Where the Stuart recursion of RobustRankAggreg breaks down, by number of lists.

Random complete lists over 34 items; R's Q against exact rational arithmetic up to 60 lists, and
against ours beyond (which agrees with the rationals where both are known).  Prints a table and
writes it as JSON, the one that is kept:

    python benchmarks/stuart_breakdown.py --output benchmarks/stuart_breakdown.json
"""

from __future__ import annotations

import argparse
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from _timing import print_table, write_json
from numpy.typing import NDArray

from pyfsagg.aggregation import aggregate
from pyfsagg.ranks import Rankings
from pyfsagg_rpy2 import aggregate_ranks

LISTS = (10, 20, 30, 40, 50, 100, 200, 1000)
ITEMS = 34
EXACT_UP_TO = 60


def exact_q(ranks: list[int], p: int) -> float:
    """Q by the positive recursion in rationals."""
    n = len(ranks)
    state, before = {0: Fraction(1)}, 0
    for level in sorted(set(ranks)):
        required = sum(rank <= level for rank in ranks)
        powers = [Fraction(level - before, p) ** j / math.factorial(j) for j in range(n + 1)]
        before = level
        state = {
            b: sum((v * powers[b - a] for a, v in state.items() if a <= b), Fraction(0))
            for b in range(required, n + 1)
        }
    return float(state[n] * math.factorial(n))


def relative_errors(values: NDArray[np.float64], truth: NDArray[np.float64]) -> list[float | None]:
    """Median and largest relative error; None where a value is not a number."""
    errors = np.abs(values - truth) / truth
    return [float(e) if np.isfinite(e) else None for e in (np.median(errors), errors.max())]


def measure(m: int, seed: int = 20120215) -> dict[str, Any]:
    """One row of the table: m random complete lists over 34 items."""
    rng = np.random.default_rng([seed, m])
    ranks = np.array([rng.permutation(ITEMS) + 1 for _ in range(m)])
    ours = aggregate(Rankings.from_ranks(ranks), "stuart").statistic
    scores = aggregate_ranks(normalized_ranks=ranks / ITEMS, method="stuart")
    theirs = scores.loc[[f"x{j}" for j in range(ITEMS)]].to_numpy()
    exact = m <= EXACT_UP_TO
    truth = np.array([exact_q(column.tolist(), ITEMS) for column in ranks.T]) if exact else ours
    of_r, of_ours = relative_errors(theirs, truth), relative_errors(ours, truth)
    return {
        "lists": m,
        "reference": "rational arithmetic" if exact else "pyfsagg",
        "r_nan": int(np.isnan(theirs).sum()),
        "r_below_0": int((theirs < 0).sum()),
        "r_above_1": int((theirs > 1).sum()),
        "r_median_error": of_r[0],
        "r_largest_error": of_r[1],
        "pyfsagg_largest_error": of_ours[1] if exact else None,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, help="write the table to this JSON file")
    options = parser.parse_args()
    rows = [measure(m) for m in LISTS]
    print(f"Stuart's Q of {ITEMS} items: RobustRankAggreg and pyfsagg (relative errors)")
    print_table(rows)
    write_json(options.output, {"rows": rows})


if __name__ == "__main__":
    main()

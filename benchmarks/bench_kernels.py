"""How far the hot kernels are from what the machine can do, on one core.

    python benchmarks/bench_kernels.py --output benchmarks/results/kernels.json

First the machine is probed by loops that do one operation and nothing else: reading memory, counting
into a table that fits in the first cache, gathering words by index, AND with popcount, dividing,
sorting.  Then each kernel runs, and the operations that its algorithm cannot do without are counted
from the sizes.  `share` is the least time for these operations at the probed rate over the time
measured: 1 would mean that the kernel does nothing else.  It is a bound on what tuning can gain
without another algorithm; the note KERNELS.md says what was tried.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from _timing import interleaved, print_table, write_json
from bench_ensemble import make_table
from numba import njit

from pyfsagg._kernels.mrmr_counts import LANES, meet_3x3, place_draws
from pyfsagg._table.table import as_table
from pyfsagg._table.target import check_target
from pyfsagg.aggregation import aggregate
from pyfsagg.filters._base import FILTERS
from pyfsagg.ranks import Rankings
from pyfsagg.resampling import draw_resamples
from pyfsagg.stability_measures.measure import measure_stability
from pyfsagg.unsupervised.rankings import affinity_scores

RESAMPLES = 8
BINS = 10


# ---------------------------------------------------------------------------------------------
# the machine
# ---------------------------------------------------------------------------------------------
@njit(nogil=True)
def read_memory(values, repeats):
    total = np.uint64(0)
    for _ in range(repeats):
        for value in values:
            total += value
    return total


@njit(nogil=True)
def count_cells(cells, weights, counts, repeats):
    """Independent counters: two copies of the table, taken in turn."""
    for _ in range(repeats):
        for i in range(0, cells.shape[0], 2):
            counts[0, cells[i]] += weights[i]
            counts[1, cells[i + 1]] += weights[i + 1]


@njit(nogil=True)
def gather_words(order, packed, repeats):
    total = np.uint64(0)
    for _ in range(repeats):
        for place in order:
            total += packed[place]
    return total


@njit(nogil=True)
def divide(a, b, out, repeats):
    for _ in range(repeats):
        for i in range(a.shape[0]):
            out[i] = a[i] / b[i]


@njit(nogil=True)
def meet(masks, n_words, out, repeats):
    for _ in range(repeats):
        meet_3x3(masks, 0, 3 * n_words, n_words, n_words, out, 0, 3)


def probe(n: int, rounds: int) -> dict[str, float]:
    """Operations per second of each kind, the best of the rounds."""
    rng = np.random.default_rng(0)
    large = np.zeros(1 << 25, dtype=np.uint64)
    cells, weights = rng.integers(0, 32, n), rng.integers(0, 4, n)
    packed = rng.integers(0, 9, n).astype(np.uint32)
    order = rng.permutation(n).astype(np.int32)
    x, y = rng.uniform(1, 2, 2000), rng.uniform(1, 2, 2000)
    n_words = 40 // LANES * LANES
    masks = rng.integers(0, 1 << 62, 6 * n_words).astype(np.uint64)
    sortable = rng.uniform(size=(200, 1000))
    square = rng.normal(size=(1000, 1000))
    repeats = 200
    probes: dict[str, tuple[float, Callable[[], object]]] = {
        "bytes read from memory": (large.nbytes, lambda: read_memory(large, 1)),
        "counts into a small table": (
            n // 2 * 2 * repeats,
            lambda: count_cells(cells[: n // 2 * 2], weights, np.zeros((2, 32), int), repeats),
        ),
        "words gathered by index": (n * repeats, lambda: gather_words(order, packed, repeats)),
        "words joined and bits counted": (
            9 * n_words * 10_000,
            lambda: meet(masks, n_words, np.zeros(9, dtype=np.int64), 10_000),
        ),
        "divisions": (x.size * repeats, lambda: divide(x, y, np.empty_like(x), repeats)),
        "numbers sorted": (sortable.size, lambda: np.sort(sortable, axis=1)),
        "multiplications of matrices": (1e9, lambda: square @ square),
    }
    timings = interleaved({name: call for name, (_, call) in probes.items()}, rounds=rounds)
    return {name: probes[name][0] / timing.best for name, timing in timings.items()}


# ---------------------------------------------------------------------------------------------
# the kernels
# ---------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Kernel:
    """A kernel, and the operations of one kind that a call cannot do without."""

    name: str
    bound_by: str
    operations: float
    why: str
    call: Callable[[], object]


def filter_kernels(n: int, p: int) -> list[Kernel]:
    X, y = make_table(n, p)
    table, target = as_table(X), check_target(y, n)
    resamples = draw_resamples(table, target, plan="bootstrap", n_resamples=RESAMPLES, seed=1)
    drawn = int((resamples.weights > 0).sum())

    def scorer(name: str, **parameters: Any) -> Callable[[], object]:
        bound = FILTERS.get(name).prepare(table, target, **parameters)
        return lambda: bound(resamples.weights, resamples.labels_of(slice(0, RESAMPLES)))

    words = sum(place_draws(weights).n_words for weights in resamples.weights)
    return [
        Kernel(
            "information gain, MDL",
            "words gathered by index",
            RESAMPLES * n * p,
            "weight and class of every row, in the order of every column",
            scorer("information_gain"),
        ),
        Kernel(
            "information gain, equal width",
            "words gathered by index",
            RESAMPLES * n * p,
            "weight and class of every row, in the order of every column",
            scorer("information_gain", discretization="equal_width"),
        ),
        Kernel(
            "chi-squared",
            "counts into a small table",
            drawn * p,
            "one count for every drawn row of every column",
            scorer("chi_squared"),
        ),
        Kernel(
            "mRMR, all features",
            "words joined and bits counted",
            p * (p - 1) / 2 * (BINS - 1) ** 2 * words,
            "every pair of columns, every pair of levels but those that the margins give",
            scorer("mrmr"),
        ),
    ]


def aggregation_kernels(p: int, m: int) -> list[Kernel]:
    rng = np.random.default_rng(1)
    ranks = Rankings.from_ranks(np.array([rng.permutation(p) + 1.0 for _ in range(m)]))
    scores = rng.normal(size=(m, p))
    few = rng.uniform(1, 2, size=(200, p))
    return [
        Kernel(
            "robust rank aggregation",
            "numbers sorted",
            p * m,
            "the ranks of every item in order",
            lambda: aggregate(ranks, "rra"),
        ),
        Kernel(
            "stability, Pearson",
            "bytes read from memory",
            scores.nbytes,
            "every score once",
            lambda: measure_stability(scores, "pearson"),
        ),
        Kernel(
            "stability, Canberra",
            "divisions",
            200 * 199 / 2 * p,
            "one division for every pair of resamples and feature",
            lambda: measure_stability(few, "canberra"),
        ),
    ]


def affinity_kernel(n: int, p: int) -> Kernel:
    rng = np.random.default_rng(2)
    table = as_table(rng.normal(size=(n, p)))
    consensus = rng.uniform(size=(n, n))
    consensus = (consensus + consensus.T) / 2
    np.fill_diagonal(consensus, 1.0)
    return Kernel(
        "consensus affinity scores",
        "divisions",
        n * (n - 1) / 2 * p,
        "one root, about as slow as a division, for every pair of samples and feature",
        lambda: affinity_scores(table, consensus[np.newaxis], n_jobs=1),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=3888)
    parser.add_argument("--features", type=int, default=308)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="a small table and few rounds")
    parser.add_argument("--output", type=Path, help="write the numbers to this JSON file")
    options = parser.parse_args()
    items = 1000
    if options.quick:
        options.samples, options.features, options.rounds, items = 1000, 64, 3, 200
    n, p = options.samples, options.features
    rates = probe(n, options.rounds)
    kernels = [
        *filter_kernels(n, p),
        *aggregation_kernels(items, items),
        affinity_kernel(200, p),
    ]
    timings = interleaved({each.name: each.call for each in kernels}, rounds=options.rounds)
    rows = []
    for each in kernels:
        seconds = timings[each.name].best
        rows.append(
            {
                "kernel": each.name,
                "bound by": each.bound_by,
                "for": each.why,
                "ms": seconds * 1e3,
                "ns per operation": seconds / each.operations * 1e9,
                "at best": 1e9 / rates[each.bound_by],
                "share": each.operations / rates[each.bound_by] / seconds,
            }
        )
    print_table([{"operation": name, "per second": rate} for name, rate in rates.items()])
    print()
    print_table([{k: v for k, v in row.items() if k != "for"} for row in rows])
    write_json(options.output, {"samples": n, "features": p, "rates": rates, "rows": rows})


if __name__ == "__main__":
    main()

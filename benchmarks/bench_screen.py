"""A genome-wide screen with exact p-values, and what permutations leave of its best genes.

    python benchmarks/bench_screen.py --output benchmarks/screen.json

100,000 guides of 20,000 genes, both sides.  Beside it the usual way to a p-value: as many random genes
as 100 per gene, whose best value is a floor that all better genes share.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from _timing import interleaved, print_table, write_json

from pyfsagg import screen
from pyfsagg._kernels.order_statistics import log_group_rho
from pyfsagg.screens import Screen

GUIDES, RANDOM_PER_GENE, SEED = 5, 100, 11


def made(n_genes: int) -> dict[str, Any]:
    """Guides of normal scores; 2 % of the genes are depleted, by a gamma distribution each."""
    rng = np.random.default_rng(SEED)
    gene = np.repeat(np.arange(n_genes), GUIDES)
    effect = rng.gamma(3.0, 1.0, len(gene)) * (gene < n_genes // 50)
    return {
        "scores": rng.standard_normal(len(gene)) - effect,
        "genes": [f"gene{i}" for i in gene],
        "guides": [f"guide{i}" for i in range(len(gene))],
    }


def timed(n_genes: int, rounds: int) -> list[dict[str, Any]]:
    """Both sides of a screen against each null."""
    given = made(n_genes)
    controls = given["guides"][-1000:]
    nulls: dict[str, dict[str, Any]] = {
        "guides": {},
        "uniform": {"null": "uniform"},
        "1,000 controls": {"control_guides": controls},
    }
    calls = {
        name: lambda options=options: screen(**given, **options) for name, options in nulls.items()
    }
    timings = interleaved(calls, rounds=rounds)
    return [
        {
            "null": name,
            "guides": n_genes * GUIDES,
            "genes": n_genes,
            "s": timing.median,
            "best s": timing.best,
        }
        for name, timing in timings.items()
    ]


def floor(n_genes: int) -> dict[str, Any]:
    """Random genes, and the exact p-values of those that are better than all of them."""
    given = made(n_genes)
    found: Screen = screen(**given, side="low", null="uniform", alpha=0.25)
    side = found.of_side("low")
    n_random = RANDOM_PER_GENE * n_genes
    start = time.perf_counter()
    places = np.sort(np.random.default_rng(SEED + 1).random((n_random, GUIDES)), axis=1)
    log_rho, _ = log_group_rho(
        places.ravel(), np.arange(n_random + 1, dtype=np.int64) * GUIDES, side.alpha
    )
    seconds = time.perf_counter() - start
    beyond = side.log_rho < log_rho.min()
    exact = side.p_values[beyond]
    return {
        "random genes": n_random,
        "s": seconds,
        "smallest possible p": 1.0 / (n_random + 1),
        "genes at the floor": int(beyond.sum()),
        "different exact p": len(np.unique(exact)),
        "smallest exact p": float(exact.min()) if beyond.any() else None,
        "largest exact p": float(exact.max()) if beyond.any() else None,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="a tenth of the genes")
    parser.add_argument("--output", type=Path, help="write the numbers to this JSON file")
    options = parser.parse_args()
    n_genes = 2_000 if options.quick else 20_000
    rows, at_floor = timed(n_genes, options.rounds), floor(n_genes)
    print_table(rows)
    print_table([at_floor])
    write_json(options.output, {"cases": rows, "floor": at_floor})


if __name__ == "__main__":
    main()

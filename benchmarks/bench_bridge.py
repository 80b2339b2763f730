"""Time to cross the bridge to R, each way, beside the element-wise conversion of rpy2.

    python benchmarks/bench_bridge.py --output benchmarks/results/bridge.json

The target is at most 50 ms each way for a 1000 x 300 matrix.  Needs R and rpy2, and ends with the exit
code of a skip without them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _timing import interleaved, print_table, skip, write_json

from pyfsagg.exceptions import MissingDependencyError
from pyfsagg_rpy2.conversion import from_r, to_frame, to_matrix
from pyfsagg_rpy2.session import environment

TARGET_MS = 50.0


def tables(n: int, p: int) -> dict[str, tuple[Any, Callable[[Any], Any]]]:
    """What crosses, and the function that takes it to R."""
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(n, p))
    words = pd.DataFrame(rng.integers(0, 5, (n, p)).astype(str))
    return {
        "matrix of numbers": (matrix, to_matrix),
        "data frame of numbers": (pd.DataFrame(matrix), to_frame),
        "data frame of integers": (pd.DataFrame(rng.integers(0, 9, (n, p))), to_frame),
        "data frame of text": (words, to_frame),
        "data frame of factors": (words.astype("category"), to_frame),
    }


def element_wise(matrix: np.ndarray) -> Any:
    """A matrix as a list of Python numbers, as one would write it first."""
    robjects = environment()
    values = robjects.FloatVector(matrix.ravel(order="F").tolist())
    return robjects.r.matrix(values, nrow=len(matrix))


def measure(n: int, p: int, rounds: int) -> list[dict[str, Any]]:
    """Milliseconds each way for every kind of table, taken in turn."""
    made = tables(n, p)
    calls: dict[str, Callable[[], object]] = {}
    for name, (table, convert) in made.items():
        calls[f"{name}, to R"] = lambda table=table, convert=convert: convert(table)
        value = convert(table)
        calls[f"{name}, from R"] = lambda value=value: from_r(value)
    matrix = made["matrix of numbers"][0]
    calls["matrix of numbers, to R, element-wise"] = lambda: element_wise(matrix)
    np.testing.assert_array_equal(from_r(to_matrix(matrix)), matrix)
    timings = interleaved(calls, rounds=rounds)
    return [
        {
            "n": n,
            "p": p,
            "what": name,
            "ms": timing.median * 1e3,
            "best": timing.best * 1e3,
            "times matrix to R": timing.ratio,
            "within 50 ms": timing.median * 1e3 <= TARGET_MS,
        }
        for name, timing in timings.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--features", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--output", type=Path, help="write the numbers to this JSON file")
    options = parser.parse_args()
    try:
        environment()
    except MissingDependencyError as reason:
        skip(str(reason))
    rows = measure(options.samples, options.features, 5 if options.quick else options.rounds)
    print_table(rows)
    write_json(options.output, {"rows": rows})


if __name__ == "__main__":
    main()

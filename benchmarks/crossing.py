"""Time and digits of Stuart's Q, exact RRA and screens beside Moscovich's program as it is shipped.

    python benchmarks/crossing.py CHECKOUT --output benchmarks/crossing.json

CHECKOUT is that of github.com/mosco/crossing-probability; its algorithm of 2023 is compiled with the flags of
its Makefile (FFTW3 is needed).  The truth is tests/golden/data/crossing_probability.json, which
tests/golden/make_crossing.py made by another algorithm of that program, with 128 bits.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _timing import print_table, write_json

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "golden")]
from crossing_cases import boundaries, ranks  # noqa: E402
from test_crossing_golden import CASES, found  # noqa: E402

LINK = """
#include <vector>
#include "ecdf1_new.hh"
extern "C" double below(int n, const double* b) { return ecdf1_new_B(std::vector<double>(b, b + n)); }
extern "C" double above(int n, const double* b) { return ecdf1_new_b(std::vector<double>(b, b + n)); }
"""
PARTS = ("ecdf1_new", "fftwconvolver", "string_utils", "poisson_pmf", "common")


def shipped(checkout: Path) -> ctypes.CDLL:
    folder = Path(tempfile.mkdtemp())
    (folder / "link.cc").write_text(LINK)
    flags = ["-std=c++11", "-O3", "-ffast-math", "-fwrapv", "-march=native", "-shared", "-fPIC"]
    flags += ["-include", "iterator", "-include", "limits", f"-I{checkout / 'src'}"]
    files = [str(checkout / "src" / f"{name}.cc") for name in PARTS]
    command = ["g++", *flags, str(folder / "link.cc"), *files, "-lfftw3"]
    subprocess.run([*command, "-o", str(folder / "link.so")], check=True)
    return ctypes.CDLL(str(folder / "link.so"))


def timed(function: Callable[[], float]) -> tuple[float, float]:
    """The value, and the shortest of five times."""
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        value = function()
        seconds.append(time.perf_counter() - start)
    return value, min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    library = shipped(options.checkout)
    rows: list[dict[str, Any]] = []
    for case in CASES:
        stuart = case["what"] == "stuart"
        function = library.below if stuart else library.above
        function.restype = ctypes.c_double
        if stuart:
            at = ranks(case["n"], case["shape"])
        else:
            at = boundaries(case["n"], case["log_rho"], case["alpha"])
        pointer = at.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        theirs, their_seconds = timed(lambda: function(at.size, pointer))  # noqa: B023
        log_p, seconds = timed(lambda: found(case))  # noqa: B023
        values = {"ours": float(np.exp(log_p)), "program": theirs if stuart else 1.0 - theirs}
        rows.append(
            {
                "what": case["what"],
                "n": case["n"],
                "probability": case["value"],
                **{
                    f"error, {name}": abs(value / case["value"] - 1.0)
                    for name, value in values.items()
                },
                "s, ours": seconds,
                "s, program": their_seconds,
            }
        )
    print_table(rows)
    if options.output:
        write_json(options.output, {"rows": rows})


if __name__ == "__main__":
    main()

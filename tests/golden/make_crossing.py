"""Writes crossing_probability.json of tests/golden/data, by the program of Moscovich with 128 bits.

    python tests/golden/make_crossing.py CHECKOUT

CHECKOUT is that of github.com/mosco/crossing-probability (here commit 49d6e2a; MIT).  Needs g++, the
header of FFTW3 and SciPy.  Of the program, the algorithm of Moscovich, Nadler and Spiegelman (2016)
is compiled with its own setting of 128 bits; where few paths cross it returns the complement, which is
taken before rounding to a double.  Takes half an hour, nearly all of it for 10,000 points.

Each case gives n, and for Stuart's Q the shape of the ranks, for the others log rho and alpha, of which
tests/support/crossing_cases.py makes the boundaries, with the quantiles of SciPy.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from crossing_cases import boundaries, ranks

FILE = Path(__file__).parent / "data" / "crossing_probability.json"
MORE = """
extern "C" double stay(int n, const double* b) { return ecdf1_mns2016_b(std::vector<double>(b, b + n)); }
extern "C" double cross(int n, const double* b) { return crossing(std::vector<double>(b, b + n)); }
"""


def program(checkout: Path) -> ctypes.CDLL:
    """The one-sided algorithm in 128 bits, and once more with the complement."""
    text = (checkout / "src" / "ecdf1_mns2016.cc").read_text()
    text = text.replace("FLOAT_PRECISION_BITS 80", "FLOAT_PRECISION_BITS 128")
    start, end = text.index("double ecdf1_mns2016_b"), text.index("double ecdf1_mns2016_B")
    crossing = text[start:end].replace("ecdf1_mns2016_b", "crossing")
    crossing = crossing.replace("return noncrossing", "return FLOAT(1) - noncrossing")
    folder = Path(tempfile.mkdtemp())
    (folder / "all.cc").write_text(
        "#include <limits>\n#include <iterator>\n" + text + crossing + MORE
    )
    sources = [
        folder / "all.cc",
        *(checkout / "src" / f"{name}.cc" for name in ("common", "string_utils")),
    ]
    command = ["g++", "-std=gnu++11", "-O3", "-shared", "-fPIC", "-include", "limits"]
    command += ["-include", "iterator", f"-I{checkout / 'src'}", *map(str, sources), "-lquadmath"]
    subprocess.run([*command, "-o", str(folder / "all.so")], check=True)
    return ctypes.CDLL(str(folder / "all.so"))


def main(checkout: Path) -> None:
    library = program(checkout)

    def run(name: str, boundary: np.ndarray) -> float:
        function = getattr(library, name)
        function.restype = ctypes.c_double
        values = np.ascontiguousarray(boundary)
        return function(values.size, values.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))

    cases = []
    for n in (10, 100, 1000, 10_000):
        for shape in ("ahead", "root") if n < 10_000 else ("ahead",):
            value = run("stay", (1.0 - ranks(n, shape))[::-1])
            cases.append({"what": "stuart", "n": n, "shape": shape, "value": value})
        logs = [-2.0, -10.0, -25.0, -40.0] if n < 10_000 else [-10.0]
        for what, alpha in (("rra", 1.0), ("screen", 0.25)):
            for log_rho in logs:
                value = run("cross", boundaries(n, log_rho, alpha))
                cases.append(
                    {"what": what, "n": n, "log_rho": log_rho, "alpha": alpha, "value": value}
                )
        print(n, flush=True)
        FILE.write_text(json.dumps(cases, indent=0) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

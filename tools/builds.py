"""The same calls with the loops compiled in other ways, and on memory full of rubbish.

    python tools/builds.py --output benchmarks/builds.json

Every method of the table of `tests/support/doors.py` runs in a process of its own for each of `BUILDS`, on
numbers of usual size, huge and tiny ones.  Counted is how many tables of results have the same bits as with
the loops of this processor, and the largest relative difference of the others.

`bounds` looks at every index; `rubbish` fills what is allocated and not written, so that a loop that reads it
gives other numbers; `python` runs the loops as Python, where an overflow of an integer is an error.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

sys.path.append(str(Path(__file__).resolve().parents[1] / "benchmarks"))
from _timing import environment

ROOT = Path(__file__).resolve().parents[1]
BUILDS: dict[str, dict[str, str]] = {
    "this processor": {},
    "again": {},
    "generic": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
    "x86-64-v3": {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""},
    "bounds": {"NUMBA_BOUNDSCHECK": "1"},
    "rubbish 165": {"MALLOC_PERTURB_": "165"},
    "rubbish 90": {"MALLOC_PERTURB_": "90"},
    "python": {"NUMBA_DISABLE_JIT": "1"},
}
SCALES = (0, 600, -600)
"""Powers of two by which numbers are multiplied."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--builds", default=",".join(BUILDS))
    parser.add_argument("--output", type=Path, metavar="FILE", help="JSON; other builds in it stay")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        options.child.write_text(json.dumps(values()))
        return
    names = ["this processor", *(n for n in options.builds.split(",") if n != "this processor")]
    found: dict[str, dict[str, Any]] = {}
    record: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            found[name] = _built(name, Path(folder))
            usual = found["this processor"]
            record = {
                each: {"environment": environment(), **compared(usual, found[each])}
                for each in found
                if each != names[0]
            }
            print(name, json.dumps(record.get(name), indent=1), flush=True)
            if options.output and record:
                kept = json.loads(options.output.read_text()) if options.output.is_file() else {}
                both = json.dumps({**kept, **record}, indent=1) + "\n"
                options.output.write_text(both, encoding="utf-8")
    sys.exit(any(each["errors"] for each in record.values()))


def _built(name: str, folder: Path) -> dict[str, Any]:
    cache = {} if name in ("this processor", "again") else {"NUMBA_CACHE_DIR": str(folder / name)}
    if name.startswith("rubbish"):
        cache = {}
    path = os.pathsep.join(map(str, (ROOT, ROOT / "tests" / "support")))
    file = folder / "values.json"
    command = [sys.executable, __file__, "--child", str(file)]
    subprocess.run(
        command, check=True, env={**os.environ, **BUILDS[name], **cache, "PYTHONPATH": path}
    )
    found: dict[str, Any] = json.loads(file.read_text())
    return found


def values() -> dict[str, Any]:
    """The numbers of every case at every scale, or the error."""
    import doors

    found: dict[str, Any] = {}
    for scale in SCALES:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            doors.write_inputs(folder)
            for file in ("classes.csv", "times.csv", "scores.csv"):
                frame = pd.read_csv(folder / file)
                numbers = [name for name in frame if name in "abcf"]
                frame[numbers] = np.ldexp(frame[numbers].to_numpy(dtype=float), scale)
                frame.to_csv(folder / file, index=False)
            for case in doors.cases():
                found[f"{case.name} 2^{scale}"] = _numbers(case, folder)
    return found


def _numbers(case: Any, folder: Path) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", message="overflow encountered in scalar")
        # Powers in loops are of floating-point numbers, and an infinite one has a meaning.
        warnings.filterwarnings("ignore", message="overflow encountered in scalar power")
        try:
            result = case.python(folder)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    frame = result.to_frame() if hasattr(result, "to_frame") else result.table
    return [float(each).hex() for each in frame.select_dtypes("number").to_numpy(float).ravel()]


def compared(usual: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """How many have the same bits; the largest relative difference of numbers; errors that are new."""
    apart = [name for name in usual if usual[name] != other[name]]
    errors = {name: other[name] for name in apart if isinstance(other[name], str)}
    largest, where = 0.0, ""
    for name in apart:
        if name in errors or isinstance(usual[name], str):
            continue
        one, two = (np.array(list(map(float.fromhex, each[name]))) for each in (usual, other))
        size = np.maximum(np.abs(one), np.abs(two))
        known = (size > 0) & (one != two)
        difference = (
            float(np.nanmax(np.abs(one - two)[known] / size[known])) if known.any() else 0.0
        )
        if difference > largest:
            largest, where = difference, name
    return {
        "cases": len(usual),
        "same bits": len(usual) - len(apart),
        "largest relative difference": largest,
        "of": where,
        "others": sorted({name.split(" 2^")[0] for name in apart}),
        "errors": errors,
    }


if __name__ == "__main__":
    main()

"""Compile the kernels that first answers need, for the wheel: archives in pyfsagg/_kernels/compiled.

    python tools/compiled_kernels.py

An archive serves one version of numba, the one of this environment, one of Python, one operating system and
processors with certain instructions.  Everybody else compiles when a kernel is first called, as without it.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import pickle
import platform
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

ROOT = Path(__file__).resolve().parents[1]
V3 = "avx avx2 bmi bmi2 cx16 f16c fma lzcnt movbe popcnt sahf sse3 sse4.1 sse4.2 ssse3"
# Bit masks are counted four times as fast where a vector has an instruction for it.
V4 = f"{V3} avx512bw avx512cd avx512dq avx512f avx512vl avx512bitalg avx512vpopcntdq"
PROCESSORS = {
    "x86_64": {
        "v3": ("x86-64-v3", "", V3),  # Intel since 2013, AMD since 2015
        "v4": ("x86-64-v4", "+avx512bitalg,+avx512vpopcntdq", V4),
    },
    "aarch64": {"generic": ("generic", "", "")},
    "arm64": {"generic": ("generic", "", "")},
}
"""By machine: a name, the processor and the extra instructions as LLVM calls them, and all it needs."""


def first_answers() -> None:
    """What people do first, on tables that take no time."""
    import numpy as np
    import pandas as pd

    import pyfsagg
    from pyfsagg.cli import main

    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 12)), columns=[f"x{j}" for j in range(12)])
    X["level"] = rng.choice(["a", "b", "c"], 60)
    X["count"] = rng.integers(0, 5, 60)
    signal = X["x0"] + rng.normal(size=60)
    targets = {
        "two": np.where(signal > 0, "yes", "no"),
        "three": np.digitize(signal, [-0.7, 0.7]),
        "number": signal,
    }
    for kind, target in targets.items():
        X.assign(y=target).to_csv(f"{kind}.csv", index=False)
        holes = X.mask(rng.random(X.shape) < 0.05)
        holes.assign(y=target).to_csv(f"{kind}_holes.csv", index=False)
    tall = pd.DataFrame(rng.normal(size=(1500, 12)))
    tall.assign(y=(tall[0] + rng.normal(size=1500) > 0).astype(int)).to_csv("tall.csv", index=False)
    X.assign(days=rng.exponential(size=60), dead=rng.integers(0, 2, 60)).to_csv(
        "t.csv", index=False
    )
    commands = []
    for kind in targets:
        task = ["--task", "regression"] if kind == "number" else []
        files = (f"{kind}.csv", f"{kind}_holes.csv")
        commands += [["rank", file, "--target", "y", *task] for file in files]
    commands += [
        ["rank", "tall.csv", "--target", "y"],
        ["rank", "two.csv", "--target", "y", "--jobs", "2"],
    ]
    commands += [["rank", "t.csv", "--target", "days", "--event", "dead"], ["demo"]]
    commands = [[*command, "--n-resamples", "20"] for command in commands]
    commands.append(["rank", "two.csv", "--target", "y"])  # as many as a user has
    for number, command in enumerate(commands):
        code = main([*command, "--quiet", "--output", f"run{number}"])
        if code:
            raise SystemExit(f"{' '.join(command)} ended with {code}")
    lists = rng.normal(size=(6, 40))
    for method in ("rra", "stuart", "mean_rank", "median_rank", "borda", "mc4"):
        pyfsagg.aggregate(lists, method)
        pyfsagg.aggregate([["a", "b", "c"], ["b", "d"], ["c", "a"]], method)
    result = pyfsagg.wam(X.drop(columns="level"), targets["two"], n_resamples=20, random_state=0)
    pyfsagg.stability(result)


def pack(kernels: Any, cache: Path, name: str, needs: list[str]) -> str:
    """Write what numba has kept in a folder to an archive beside the sources of `kernels`, their package;
    what it is, in a line.  `needs` are the instructions that it uses.
    """
    from numba.core.registry import cpu_target

    sources = Path(kernels.__file__).parent
    system = cpu_target.target_context.codegen().magic_tuple()[0]
    made = {
        "sources": kernels._digest(sources),
        "system": system,
        "python": sys.implementation.cache_tag,
        "needs": [f"+{each}" for each in needs],
    }
    archive = sources / "compiled" / f"{made['python']}-{system}-{name}.zip"
    archive.parent.mkdir(exist_ok=True)
    kept = 0
    with ZipFile(archive, "w") as out:
        out.comment = json.dumps(made).encode()
        for index in sorted(cache.rglob("*.nbi")):
            with index.open("rb") as file:
                pickle.load(file)  # the version
                _, overloads = pickle.load(file)
            for (signature, _, code), file_name in sorted(overloads.items(), key=str):
                base, _, ending = file_name.rsplit(".", 2)
                # Without the time of day two builds are the same.
                entry = ZipInfo(f"{base}.{kernels._number((signature, code))}.{ending}")
                out.writestr(entry, (index.parent / file_name).read_bytes(), ZIP_DEFLATED, 9)
                kept += 1
    return f"{archive.name}: {kept} kernels, {archive.stat().st_size / 1e6:.1f} MB"


def build(name: str) -> None:
    """Compile for one kind of processor, in a process that already believes that it has it."""
    from pyfsagg import _kernels

    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        first_answers()
    needs = PROCESSORS[platform.machine()][name][2].split()
    print(pack(_kernels, Path(os.environ["NUMBA_CACHE_DIR"]), name, needs), flush=True)


def main() -> int:
    if len(sys.argv) > 1:
        build(sys.argv[1])
        return 0
    for old in (ROOT / "pyfsagg" / "_kernels" / "compiled").glob("*.zip"):
        old.unlink()
    for name, (processor, extra, _) in PROCESSORS.get(platform.machine(), {}).items():
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder) / "work"
            work.mkdir()
            environment = {
                **os.environ,
                "NUMBA_CPU_NAME": processor,
                "NUMBA_CPU_FEATURES": extra,
                "NUMBA_CACHE_DIR": str(Path(folder) / "cache"),
                "PYTHONPATH": str(ROOT),
            }
            command = [sys.executable, str(Path(__file__).resolve()), name]
            subprocess.run(command, env=environment, cwd=work, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

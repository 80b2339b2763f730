"""How much memory commands hold beside what they foresaw, what they do without it, and how soon they stop.

    python tools/limits.py --output benchmarks/limits.json
    python tools/limits.py --only "rank, 1e6 x 50"
    python tools/limits.py --interrupts 3 --output benchmarks/limits.json   # only these, on an idle machine

Each command runs on a large file in a process of its own, one at a time.  *Foreseen* is the largest of what
the process held at an estimate and what the estimate asked for; both it and the peak are less what is held
after the imports.  Then the command gets half of what it foresaw, once by ``--memory-limit`` and once by
``ulimit -v``, and has to refuse in a sentence; last it is interrupted at a moment that is drawn.  What would
take more than 6 GB has to refuse at once.  Of several interrupts the slowest is kept.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1] / "benchmarks"))
from _timing import environment

ROOT = Path(__file__).resolve().parents[1]
MODULES = ("pyfsagg.cli", "pyfsagg.ensemble", "pyfsagg.aggregation", "pyfsagg.score_tables",
           "pyfsagg._report.page", "pandas", "pyarrow", "matplotlib.figure", "scipy.stats")  # fmt: skip


def _parquet(path: Path, n: int, p: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    columns = {f"x{j}": rng.normal(size=n) for j in range(p)}
    pq.write_table(pa.table({**columns, "y": np.arange(n) % 2}), path)


def _text(path: Path, n: int, p: int) -> None:
    rng = np.random.default_rng(0)
    with path.open("w") as file:
        file.write(",".join(f"x{j}" for j in range(p)) + ",y\n")
        for i in range(n):
            file.write(",".join(map(str, rng.integers(0, 100, p))) + f",{'ab'[i % 2]}\n")


def _lists(path: Path, n: int, size: int) -> None:
    rng = np.random.default_rng(0)
    with path.open("w") as file:
        for row in rng.integers(0, 1000, (n, size)):
            file.write(",".join(f"g{each}" for each in dict.fromkeys(row)) + "\n")


def _guides(path: Path, n: int, size: int) -> None:
    rng = np.random.default_rng(0)
    with path.open("w") as file:
        file.write("gene,score\n")
        for i, score in enumerate(rng.normal(size=n).round(5)):
            file.write(f"g{i // size},{score}\n")


def _scores(path: Path, n: int, p: int) -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(n, p)).round(3)
    np.savetxt(path, rows, "%.3f", ",", header=",".join(f"m{j}" for j in range(p)), comments="")


RANK = (
    "--target y --method wam --filter chi_squared --n-resamples 4 --pairs 0 --shuffles 0 --jobs 1"
)
CASES: dict[str, tuple[Callable[[Path, int, int], None], tuple[str, int, int], str]] = {
    "check, 1e6 x 50": (_parquet, ("tall.parquet", 1_000_000, 50), "check F --target y"),
    "rank, 1e6 x 50": (_parquet, ("tall.parquet", 1_000_000, 50), f"rank F {RANK}"),
    "rank, 200 x 100,000": (_text, ("wide.csv", 200, 100_000), f"rank F {RANK}"),
    "check, 10 x 1e6 columns": (_text, ("widest.csv", 10, 1_000_000), "check F --target y"),
    "rank, 10 x 1e6 columns": (_text, ("widest.csv", 10, 1_000_000), f"rank F {RANK}"),
    "evaluate, 200 x 100,000": (
        _text, ("wide.csv", 200, 100_000),
        "evaluate F --target y --n-resamples 2 --jobs 1 --protocol thesis --methods cs "
        "--classifiers naive_bayes --n-features-to-select 10 --baselines all_features",
    ),
    "influence, 200 x 100,000": (
        _text, ("wide.csv", 200, 100_000),
        "influence F --target y --filters chi_squared --n-folds 4 --n-resamples 2 --jobs 1",
    ),
    "unsupervised, 200 x 100,000": (
        _text, ("wide.csv", 200, 100_000),
        "unsupervised F --exclude y --n-clusterings 4 --jobs 1",
    ),
    "aggregate, 1e5 lists": (_lists, ("lists.txt", 100_000, 20), "aggregate F --format lines"),
    "agreement, 500 lists": (_lists, ("few.txt", 500, 20), "agreement F --format lines"),
    "agreement, 1e5 lists": (_lists, ("lists.txt", 100_000, 20), "agreement F --format lines"),
    "vote, 1e5 lists": (_lists, ("lists.txt", 100_000, 20), "vote F"),
    "standings, 1e3 data sets x 1e3 methods": (_scores, ("some.csv", 1000, 1000), "standings F"),
    "standings, 1e3 data sets x 1e4 methods": (_scores, ("scores.csv", 1000, 10_000), "standings F"),
    "screen, 1e6 guides": (
        _guides, ("guides.csv", 1_000_000, 5), "screen F --item gene --score score",
    ),
    "stability, 1e3 x 1e4": (_scores, ("scores.csv", 1000, 10_000), "stability F --measures pearson"),
}  # fmt: skip
PATIENCE = 1500.0  # seconds of the clock
MOST = 6_000_000_000
"""Bytes that a command may plan with; more is refused."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", help="cases that begin with this")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, metavar="FILE", help="where the figures go, as JSON")
    parser.add_argument("--add", action="store_true", help="to the figures that --output has")
    text = "only interrupt what --output has, each command so many times"
    parser.add_argument("--interrupts", type=int, default=0, metavar="NUMBER", help=text)
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return
    # A shell starts jobs in the background with SIGINT ignored, and children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    draw = random.Random(options.seed)
    record: dict[str, Any] = {"seed": options.seed, "cases": {}}
    if options.add or options.interrupts:
        record = json.loads(options.output.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        for name, (maker, (file, *shape), words) in CASES.items():
            if not name.startswith(options.only or ""):
                continue
            path = Path(folder) / file
            if not path.exists():
                maker(path, *shape)
            here = Path(folder), words.replace("F", file, 1)
            if options.interrupts:
                figures = record["cases"][name]
                if "interrupt" in figures:
                    figures |= slowest(*here, draw, figures["seconds"], options.interrupts)
            else:
                figures = {"environment": environment(), **tried(*here, draw)}
            record["cases"][name] = figures
            print(name, json.dumps(figures), flush=True)
            if options.output:
                options.output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def tried(room: Path, words: str, draw: random.Random) -> dict[str, Any]:
    """Peak and estimate, two refusals and an interrupt of one command."""
    found = _child(room, words, "free", 0)
    if found["code"] is None:
        measured = f"no: not at its end after {PATIENCE:.0f} seconds of the clock"
        return {"measured": measured, **interrupted(room, words, draw.uniform(5.0, 30.0))}
    if found["code"] == 2:
        told = "would take about" in found["said"] and "Traceback" not in found["said"]
        return {"needs": found["foreseen"], "by": found["by"], "6 GB": "estimate" if told else "finding",
                "seconds": found["seconds"]}  # fmt: skip
    foreseen = found.pop("foreseen", 0)
    figures = {**found, "foreseen": foreseen}
    if foreseen:
        figures["peak / foreseen"] = round(found["peak"] / foreseen, 3)
        for kind in ("limit", "addresses"):
            short = _child(room, words, kind, foreseen // 2)
            refused = short["code"] == 2 and "Traceback" not in short["said"]
            told = "would take about" in short["said"]
            figures[kind] = "estimate" if refused and told else "refused" if refused else "finding"
            if figures[kind] != "estimate":
                figures[f"{kind} said"] = short["said"][-300:]
    figures |= slowest(room, words, draw, found["seconds"], 1)
    figures.pop("said", None)
    return figures


def slowest(
    room: Path, words: str, draw: random.Random, whole: float, times: int
) -> dict[str, Any]:
    """Of so many interrupts of a command that takes `whole` seconds; a finding before all others."""
    ends = []
    for _ in range(times):
        seconds = draw.uniform(0.1, 0.9) * whole
        while (ended := interrupted(room, words, seconds))["interrupt"] == "ended before":
            seconds /= 2.0  # the machine is less busy than it was
        ends.append(ended)
    worst = max(ends, key=lambda each: (each["interrupt"] == "finding", each["seconds to the end"]))
    shown = any(each["progress"] for each in ends)
    more = {"interrupts": times, "environment of interrupts": environment()}
    return {**worst, "progress": shown, **more}


def _child(room: Path, words: str, kind: str, size: int) -> dict[str, Any]:
    command = [sys.executable, __file__, "--child", words, kind, str(size)]
    try:
        done = subprocess.run(
            command, cwd=room, env=_environment(), capture_output=True, text=True, timeout=PATIENCE,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"code": None}
    _clean(room)
    for line in reversed(done.stdout.splitlines()):
        if line.startswith('{"code"'):
            return {**json.loads(line), "said": done.stderr}
    return {"code": done.returncode, "said": done.stderr, "seconds": 0.0}


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"}


def _clean(room: Path) -> None:
    subprocess.run(["rm", "-rf", str(room / "out")], check=True)


def child(words: str, kind: str, size: str) -> None:
    """Run a command in this process, and print what it foresaw and held."""
    import importlib

    for name in MODULES:
        importlib.import_module(name)
    from pyfsagg._base.memory import estimates, resident
    from pyfsagg.cli import main as run

    before = resident()
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    more = [] if words.startswith("check") else ["--output", "out"]
    if kind != "addresses":
        os.environ["PYFSAGG_MEMORY_LIMIT"] = str(MOST if kind == "free" else before + int(size))
    if kind == "addresses":
        held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (held + int(size),) * 2)
    started = time.process_time()
    with estimates() as asked:
        code = run([*words.split(), *more])
    seconds = time.process_time() - started
    foreseen = {what: needed + held - before for what, needed, held in asked}
    most = max(foreseen, key=lambda what: foreseen[what], default="nothing")
    record = {
        "code": code, "seconds": round(seconds, 1), "peak": _peak() - before,
        "foreseen": round(foreseen.get(most, 0)), "by": most,
    }  # fmt: skip
    print(json.dumps(record))


def _peak() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return 1024 * int(line.split()[1])
    raise SystemExit("the system does not tell the peak")


def interrupted(room: Path, words: str, seconds: float) -> dict[str, Any]:
    """Seconds of processor time and of the clock from Ctrl-C to the end, and whether progress was shown."""
    more = [] if words.startswith("check") else ["--output", "out"]
    with (room / "said").open("w") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "pyfsagg", *words.split(), *more],
            cwd=room, env=_environment(), stdout=subprocess.DEVNULL, stderr=said,
        )  # fmt: skip
        while process.poll() is None and _used(process.pid) < seconds + 1.0:
            time.sleep(0.05)
        if process.poll() is not None:
            _clean(room)
            return {"interrupt": "ended before"}
        used, started = _used(process.pid), time.monotonic()
        last = used
        process.send_signal(signal.SIGINT)
        while process.poll() is None and time.monotonic() - started < PATIENCE:
            last = max(last, _used(process.pid))
            time.sleep(0.02)
    told = (room / "said").read_text()
    _clean(room)
    return {
        "interrupt": "clean" if process.returncode == 130 and "Traceback" not in told else "finding",
        "seconds to the end": round(time.monotonic() - started, 2),
        "of the processor": round(last - used, 2),
        "progress": any(word in told for word in (" to do", " done", "reading", "drawing")),
    }  # fmt: skip


def _used(process: int) -> float:
    """Seconds of the processor that a process has used; 0 of one that is gone."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()

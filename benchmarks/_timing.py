"""What benchmarks and tools share: times taken in turn, so that a busy machine hits all alike; output."""

from __future__ import annotations

import datetime
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

SKIPPED = 77
"""Exit code of a benchmark that lacks something optional, as other test harnesses have it."""


@dataclass(frozen=True)
class Timing:
    """Seconds of all runs, and the median of the per-round ratios to the first callable."""

    seconds: tuple[float, ...]
    ratio: float

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def best(self) -> float:
        return min(self.seconds)


def interleaved(calls: Mapping[str, Callable[[], object]], *, rounds: int = 5) -> dict[str, Timing]:
    """Time each callable once per round, after one call that is not counted.

    The first callable is the reference: `ratio` is the median over the rounds of a callable's time
    divided by the reference's time in the same round.
    """
    for call in calls.values():
        call()
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - start)
    reference = seconds[next(iter(calls))]
    return {
        name: Timing(
            tuple(found),
            statistics.median(one / base for one, base in zip(found, reference, strict=True)),
        )
        for name, found in seconds.items()
    }


def peak_megabytes() -> float:
    """Peak of the resident memory of this process so far.

    Linux tells it for the program that runs now; `ru_maxrss` may be that of the parent, which
    started it.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 2**10
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def environment() -> dict[str, Any]:
    """What a reader needs to judge the numbers: of which code they speak, and where they were made."""
    return {
        "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "commit": commit(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "load": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,
        **{name: version(name) for name in ("pyfsagg", "numpy", "scipy", "pandas", "numba")},
    }


def commit() -> str | None:
    """The commit of this checkout, with a + if the package differs from it; None without git."""
    git = ("git", "-C", str(Path(__file__).resolve().parents[1]))
    here = [*git, "rev-parse", "--short", "HEAD"]
    done = subprocess.run(here, capture_output=True, text=True, check=False)
    changed = [*git, "diff", "--quiet", "HEAD", "--", "pyfsagg", "pyfsagg_papers", "r_bridge"]
    if done.returncode:
        return None
    return done.stdout.strip() + "+" * subprocess.run(changed, check=False).returncode


def skip(reason: str) -> NoReturn:
    """End the process because something optional is missing."""
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def print_table(rows: list[dict[str, Any]]) -> None:
    """Print dictionaries as a table with a column for each key."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [
        [
            f"{cell:.4g}" if isinstance(cell, float) else str(cell)
            for cell in (row.get(name, "") for name in names)
        ]
        for row in rows
    ]
    widths = [max(len(line[i]) for line in [names, *cells]) for i in range(len(names))]
    for line in [names, *cells]:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))


def write_json(path: Path | None, results: dict[str, Any]) -> None:
    """Write `results` with the environment, if a path was given."""
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"environment": environment(), **results}, indent=2) + "\n")

"""Kill workers of a local Dask cluster at random moments of runs, also while the data are sent out.

    python tools/dask_kills.py --kills 30 --output benchmarks/dask_kills.json

Each run has two workers, one of which is killed (SIGKILL).  It has to end in the same bits as here, or
in one sentence of the package (a WorkerError); anything else is counted as raw.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from distributed import Client, LocalCluster

import pyfsagg
from pyfsagg.exceptions import PyfsaggError

# Seconds: from the start of a run, and from the moment when it begins to send the data.
MOMENTS = {"before": (0.0, 0.5), "scatter": (0.0, 0.15), "work": (0.2, 2.0)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, help="a JSON file for the figures")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(5_000, 60)), rng.integers(0, 2, 5_000)
    here = _run(X, y)
    found: Counter[str] = Counter()
    by_moment: dict[str, Counter[str]] = {name: Counter() for name in MOMENTS}
    more = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    while sum(found.values()) < options.kills:
        moment = list(MOMENTS)[sum(found.values()) % len(MOMENTS)]
        wait = draw.uniform(*MOMENTS[moment])
        # A cluster of its own for each, because Dask does not always start a killed worker again.
        with LocalCluster(silence_logs=50, **more) as local, Client(local) as client:
            outcome = _one(client, lambda: _run(X, y), here, moment, wait)
        if outcome == "ended before":
            continue
        found[outcome] += 1
        by_moment[moment][outcome] += 1
        print(moment, outcome, dict(found), flush=True)
    record = {
        "kills": sum(found.values()),
        "seed": options.seed,
        "all": dict(found),
        **{name: dict(each) for name, each in by_moment.items()},
    }
    print(json.dumps(record, indent=1))
    if options.output:
        options.output.write_text(json.dumps(record, indent=1) + "\n")
    sys.exit(any(name not in ("same bits", "one sentence") for name in found))


def _run(X: Any, y: Any) -> bytes:
    found = pyfsagg.wam(X, y, filter="chi_squared", n_resamples=60, random_state=0, checks="none")
    return found.combined.tobytes()


def _one(client: Any, run: Callable[[], bytes], here: bytes, moment: str, wait: float) -> str:
    """What a run ends in one of whose workers is killed."""
    client.wait_for_workers(2)
    process = next(iter(client.run(os.getpid).values()))
    started, killed = threading.Event(), threading.Event()
    scatter = type(client).scatter

    def told(self: Any, *data: Any, **options: Any) -> Any:
        started.set()
        return scatter(self, *data, **options)

    def kill() -> None:
        if moment != "before":
            started.wait()
        time.sleep(wait)
        killed.set()
        os.kill(process, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    type(client).scatter = told
    with joblib.parallel_config(backend="dask"):
        killer.start()
        try:
            outcome = "same bits" if run() == here else "other bits"
        except PyfsaggError as error:
            outcome = "one sentence"
            print(error, flush=True)
        except Exception as error:  # what this tool is there to count
            outcome = f"raw {type(error).__name__}"
            traceback.print_exception(error)
    if not killed.is_set():
        outcome = "ended before"
    started.set()
    killer.join()
    type(client).scatter = scatter
    return outcome


if __name__ == "__main__":
    main()

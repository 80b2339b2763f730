"""Kill and interrupt runs at random moments, until and during their output, and compare what they end in.

    python tools/kills.py --kills 200 --output build/kills.json

Each round repeats one command, with a checkpoint where it has one, until it ends, and stops it a few times
on the way by a signal that is drawn (KILL, TERM, INT, HUP): at any moment of the run, or while it writes its
results.  At the end the rankings and the matrices are compared, byte by byte, with those of the same command
that nobody disturbed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

COMMANDS = {
    "rank": ["rank", "TABLE", "--target", "class", "--n-resamples", "600", "--seed", "3", "--jobs", "2"],
    "influence": ["influence", "TABLE", "--target", "class", "--n-folds", "30", "--n-resamples", "60",
                  "--seed", "3", "--jobs", "2"],
    "evaluate": ["evaluate", "TABLE", "--target", "class", "--n-resamples", "20", "--seed", "3", "--jobs",
                 "2", "--protocol", "thesis"],
    "order": ["order", "TABLE", "--target", "class", "--method", "spoilers", "--seed", "3", "--jobs", "2"],
    "unsupervised": ["unsupervised", "TABLE", "--exclude", "class", "--n-clusterings", "60", "--seed", "3",
                     "--jobs", "2"],
    "committee": ["committee", "TABLE", "--target", "class", "--n-resamples", "4", "--seed", "3", "--jobs",
                  "2", "--learners", "lr"],
    "aggregate": ["aggregate", "lists.txt", "--xlsx"],
    "screen": ["screen", "guides.csv", "--item", "gene", "--score", "score", "--seed", "3"],
    "standings": ["standings", "scores.csv"],
    "vote": ["vote", "lists.txt"],
}  # fmt: skip
BRIEF = ("aggregate", "screen", "standings", "vote")
"""Commands of seconds, which keep no checkpoint."""
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
AT_OUTPUT = 0.4  # share of the kills that wait for the output to begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument(
        "--seconds", type=float, default=3600.0, help="begin no round after so long"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--commands", default=",".join(COMMANDS))
    parser.add_argument("--output", type=Path, help="a JSON file for the figures")
    parser.add_argument("--add", action="store_true", help="to the figures that --output has")
    options = parser.parse_args()
    if options.add and not (options.output and options.output.exists()):
        parser.error("--add needs --output, a file with figures")
    draw = random.Random(options.seed)
    found: dict[str, Any] = {
        name: {
            "rounds": 0,
            "kills": 0,
            **{each.name: 0 for each in SIGNALS},
            "during output": 0,
            "other bits": 0,
            "left behind": 0,
            "ended otherwise": 0,
        }
        for name in options.commands.split(",")
    }
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder)
        _write_inputs(room)
        whole = {name: _undisturbed(room, name) for name in found}
        end = time.monotonic() + options.seconds
        while (
            sum(each["kills"] for each in found.values()) < options.kills and time.monotonic() < end
        ):
            for name, figures in found.items():
                _round(room, name, whole[name], draw, figures)
                print(f"{name}: {json.dumps(figures)}", flush=True)
    seeds = [options.seed]
    if options.add:
        seeds, found = added(json.loads(options.output.read_text(encoding="utf-8")), seeds, found)
    keys = dict.fromkeys(key for each in found.values() for key in each)
    total = {key: sum(each.get(key, 0) for each in found.values()) for key in keys}
    record = {"seeds": seeds, "all": total, **found}
    print(json.dumps(record, indent=1))
    if options.output:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(json.dumps(record, indent=1) + "\n")
    sys.exit(bool(total["other bits"] or total["left behind"] or total["ended otherwise"]))


def added(
    kept: dict[str, Any], seeds: list[int], found: dict[str, dict[str, int]]
) -> tuple[list[int], dict[str, dict[str, int]]]:
    """Seeds and figures by command of a record and of new rounds together."""
    together = {name: dict(kept[name]) for name in kept if name not in ("seeds", "all")}
    for name, figures in found.items():
        before = together.get(name, {})
        keys = dict.fromkeys([*before, *figures])
        together[name] = {key: before.get(key, 0) + figures.get(key, 0) for key in keys}
    return [*kept["seeds"], *seeds], together


def _write_inputs(room: Path) -> None:
    import pandas as pd

    from pyfsagg import load_dataset

    data = load_dataset("ionosphere")
    data.X.assign(**{"class": data.y}).to_csv(room / "table.csv", index=False)
    rng = np.random.default_rng(0)
    lists = [",".join(f"g{j}" for j in rng.permutation(400)[:150]) for _ in range(40)]
    (room / "lists.txt").write_text("\n".join(lists) + "\n")
    genes = np.repeat([f"g{j}" for j in range(2000)], 4)
    scores = rng.normal(size=genes.size).round(6)
    pd.DataFrame({"gene": genes, "score": scores}).to_csv(room / "guides.csv", index=False)
    methods = pd.DataFrame(rng.normal(size=(40, 6)).round(6), columns=list("abcdef"))
    methods.to_csv(room / "scores.csv", index=False)


def _undisturbed(room: Path, name: str) -> tuple[str, float]:
    """What the command ends in, and how long it takes once its kernels are compiled."""
    for _ in range(2):
        shutil.rmtree(room / "whole", ignore_errors=True)
        started = time.monotonic()
        _start(room, name, "whole", None).wait()
    return _digest(room / "whole"), time.monotonic() - started


def _round(
    room: Path, name: str, whole: tuple[str, float], draw: random.Random, figures: dict[str, int]
) -> None:
    output, kept = room / "out", room / "kept"
    for folder in (output, kept):
        shutil.rmtree(folder, ignore_errors=True)
    for attempt in range(100):
        process = _start(room, name, "out", "kept")
        if attempt < 4:
            late = draw.random() < AT_OUTPUT
            if late:
                _wait_for_output(process, room)
                time.sleep(draw.expovariate(4.0))
            else:
                time.sleep(draw.uniform(0.1, 1.0) * whole[1])
            if process.poll() is None:
                during = _writes(room)
                stop = draw.choice(SIGNALS)
                process.send_signal(stop)
                process.wait()
                figures["kills"] += 1
                figures[stop.name] += 1
                figures["during output"] += during
                figures["other bits"] += any(output.glob("*")) and _digest(output) != whole[0]
                continue
        code = process.wait()
        figures["ended otherwise"] += code != 0 and not (output / "run.json").exists()
        break
    figures["rounds"] += 1
    figures["other bits"] += _digest(output) != whole[0]
    left = [path.name for path in room.iterdir() if path.name.startswith(".")]
    figures["left behind"] += bool(left)


def _start(room: Path, name: str, output: str, kept: str | None) -> subprocess.Popen[bytes]:
    words = [word.replace("TABLE", "table.csv") for word in COMMANDS[name]]
    more = ["--checkpoint", kept] if kept and name not in BRIEF else []
    command = [sys.executable, "-m", "pyfsagg", *words, "--output", output, "--quiet", *more]
    return subprocess.Popen(
        command, cwd=room, env={**os.environ, "PYTHONPATH": _path()}, stderr=subprocess.DEVNULL
    )


def _path() -> str:
    return str(Path(__file__).resolve().parents[1])


def _writes(room: Path) -> bool:
    """Whether results are being put together."""
    return any(any(draft.iterdir()) for draft in room.glob(".out-*.draft"))


def _wait_for_output(process: subprocess.Popen[bytes], room: Path) -> None:
    while process.poll() is None and not _writes(room):
        time.sleep(0.002)


def _digest(folder: Path) -> str:
    """Of all that was computed; not of times, nor of the command and its folders."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.csv")):
        digest.update(path.name.encode() + path.read_bytes())
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as arrays:
            for key in sorted(arrays.files):
                digest.update(key.encode() + arrays[key].tobytes())
    if (folder / "run.json").exists():
        record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        for name in ("view", "versions"):
            record.pop(name, None)
        digest.update(json.dumps(record, sort_keys=True).encode())
    return digest.hexdigest()


if __name__ == "__main__":
    main()

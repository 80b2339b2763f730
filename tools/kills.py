"""Kill and interrupt runs at random moments, spoil what they stand on, and compare what they end in.

    python tools/kills.py --kills 200 --output build/kills.json
    python tools/kills.py --tries 20 --output build/kills.json --add    # disks, limits, folders, clocks

Each round of kills repeats one command, with a checkpoint where it has one, until it ends, and stops it a
few times on the way by a signal that is drawn (KILL, TERM, INT, HUP, or KILL to one of its workers): at any
moment of the run, or while it writes its results.  A try spoils something under one run: the disk is full,
files or addresses are limited, a folder is read-only or removed while the run goes, another run has the
same folders, the clock jumps.  At the end the rankings and the matrices are compared, byte by byte, with
those of the same command that nobody disturbed.  A run may also end in a refusal: exit code 2, a sentence,
no traceback; then the next one, undisturbed, has to give the same bits, and nothing may be left behind.
The tries need Linux, a superuser (mount, chattr), libfaketime and gcc.
"""

from __future__ import annotations

import argparse
import atexit
import hashlib
import importlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1] / "benchmarks"))
from _timing import environment

ROOT = Path(__file__).resolve().parents[1]
TABLE = ["table.csv", "--target", "class"]
SHORT = ["--pairs", "4", "--shuffles", "9", "--seed", "3", "--jobs", "2"]
COMMANDS = {
    "rank": ["rank", *TABLE, "--n-resamples", "200", *SHORT],
    "rank, scratch": ["rank", *TABLE, "--n-resamples", "200", *SHORT, "--scratch", "scratch"],
    "demo": ["demo", "--n-resamples", "20", *SHORT],
    "influence": ["influence", *TABLE, "--n-folds", "8", "--n-resamples", "20", "--seed", "3", "--jobs",
                  "2"],
    "evaluate": ["evaluate", *TABLE, "--n-resamples", "4", "--seed", "3", "--jobs", "2", "--protocol",
                 "thesis", "--methods", "ig,cs", "--classifiers", "naive_bayes",
                 "--n-features-to-select", "5,10", "--baselines", "all_features"],
    "order": ["order", *TABLE, "--method", "spoilers", "--seed", "3", "--jobs", "2"],
    "unsupervised": ["unsupervised", "table.csv", "--exclude", "class", "--n-clusterings", "20", "--seed",
                     "3", "--jobs", "2"],
    "committee": ["committee", *TABLE, "--n-resamples", "2", "--seed", "3", "--jobs", "2", "--learners",
                  "lr"],
    "aggregate": ["aggregate", "lists.txt", "--format", "lines", "--xlsx"],
    "agreement": ["agreement", "lists.txt", "--format", "lines"],
    "studies": ["studies", "s1.csv", "s2.csv", "s3.csv"],
    "screen": ["screen", "guides.csv", "--item", "gene", "--score", "score"],
    "standings": ["standings", "scores.csv"],
    "stability": ["stability", "saved", "--seed", "3"],
    "vote": ["vote", "lists.txt"],
    "reproduce": ["reproduce", "claims"],
    "report": ["report", "saved"],
    "show": ["show", "saved"],
    "compare": ["compare", "saved", "saved"],
    "check": ["check", *TABLE],
}  # fmt: skip
KEPT = (
    "rank",
    "rank, scratch",
    "demo",
    "influence",
    "evaluate",
    "order",
    "unsupervised",
    "committee",
)
"""Commands of a while, which keep a checkpoint."""
WORKERS = ("evaluate", "committee")
"""Commands whose work is done by processes."""
PRINTED = ("show", "compare", "check")
"""Commands that only print."""
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
AT_OUTPUT = 0.4  # share of the kills that wait for the output to begin
PATIENCE = 180.0  # seconds, after which a run hangs
LINGER = 10.0  # seconds that workers may live on
FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")
SLEEP = """
#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left)
{ return syscall(SYS_clock_nanosleep, clock, flags, until, left) ? errno : 0; }
"""
"""The sleep of the system: that of libfaketime refuses the one of Python as soon as the clock is moved."""

FORKS: list[bool] = []

GOOD = ("same bits", "refused")
BAD = ("other bits", "traceback", "ended otherwise", "hung", "left behind")


@dataclass
class Whole:
    """A command that nobody disturbs: its bits, exit code, seconds and bytes of addresses."""

    digest: str
    code: int
    seconds: float
    addresses: int


class Fork:
    """A command in a fork of this process, which has the modules: half the time of a new one."""

    def __init__(self, words: list[str], room: Path, variables: dict[str, str], *streams: int):
        self.returncode: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            code: Any = 1
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # until the command begins
            try:
                os.chdir(room)
                os.environ |= variables
                tempfile.tempdir = None
                for place, stream in enumerate(streams, 1):
                    os.dup2(stream, place)
                signal.signal(signal.SIGINT, signal.default_int_handler)
                code = _main(words)
            except SystemExit as stop:
                code = stop.code
            except BaseException:
                traceback.print_exc()
            with suppress(BaseException):
                atexit._run_exitfuncs()
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code if isinstance(code, int) else 1)

    def poll(self) -> int | None:
        if self.returncode is None:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float = float("inf")) -> int:
        end = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired("pyfsagg", timeout)
            time.sleep(0.01)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


Process = subprocess.Popen[bytes] | Fork


def _main(words: list[str]) -> int:
    sys.argv = ["pyfsagg", *words]
    from pyfsagg.cli import main

    return main(words)


def _load_modules() -> None:
    """What commands import; nothing here starts a thread."""
    os.environ.setdefault("MPLBACKEND", "agg")
    for name in ("pyfsagg.cli", "pyfsagg._report.page", "pyfsagg.ensemble", "pyfsagg.evaluation",
                 "pyfsagg.committees", "pyfsagg.rank_order", "pyfsagg.unsupervised", "pyfsagg.screens",
                 "pyfsagg.aggregator_influence", "pyfsagg.aggregation", "pyfsagg.results",
                 "matplotlib.figure", "scipy.stats", "sklearn.svm", "sklearn.linear_model",
                 "pyfsagg.score_tables", "pyfsagg.study_tables"):  # fmt: skip
        with suppress(ImportError):
            importlib.import_module(name)


@dataclass
class Run:
    """A command in a room: where its results and its checkpoint go, and what it runs under."""

    room: Path
    name: str
    output: str = "out"
    kept: str | None = "kept"
    variables: dict[str, str] = field(default_factory=dict)
    limits: dict[int, int] = field(default_factory=dict)
    said: str = "said"

    def start(self) -> Process:
        """The process; what it says goes into a file."""
        words = [*COMMANDS[self.name]]
        if self.name not in PRINTED:
            words += ["--output", self.output, "--quiet"]
        if self.name in KEPT and self.kept:
            words += ["--checkpoint", self.kept]
        here = {
            "PYTHONPATH": str(ROOT),
            "TMPDIR": str(self.room / "tmp"),
            "JOBLIB_TEMP_FOLDER": str(self.room / "tmp"),
            "PYTHONFAULTHANDLER": "1",
        }

        def limit() -> None:
            for what, most in self.limits.items():
                resource.setrlimit(what, (most, most))

        printed = self.place if self.name in PRINTED else Path(os.devnull)
        with open(printed, "wb") as out, open(self.room / self.said, "wb") as said:
            alike = not self.variables and not self.limits and self.name not in WORKERS
            if FORKS and alike:  # the workers of a fork would outlive it
                return Fork(words, self.room, here, out.fileno(), said.fileno())
            return subprocess.Popen(
                [sys.executable, "-m", "pyfsagg", *words],
                cwd=self.room,
                env={**os.environ, **here, **self.variables},
                stdout=out,
                stderr=said,
                preexec_fn=limit if self.limits else None,
            )

    @property
    def place(self) -> Path:
        return self.room / self.output

    def ended(self, process: Process, whole: Whole) -> str:
        """What the process ended in, one of `GOOD` and `BAD`."""
        try:
            code = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            for one in _processes_in(self.room):  # where they are is in what was said
                os.kill(one, signal.SIGABRT)
            time.sleep(LINGER)
            process.kill()
            process.wait()
            return "hung"
        said = (self.room / self.said).read_text(errors="replace")
        if "Traceback" in said:
            return "traceback"
        if code == 2 and said.strip():
            return "refused"
        if code != whole.code:
            return "ended otherwise"
        return "same bits" if digest(self.place) == whole.digest else "other bits"

    def stopped(self, process: Process, whole: Whole, stop: signal.Signals) -> str:
        """What a process ended in that got a signal: as `ended`, or "stopped", with no half results."""
        try:
            code = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return self.ended(process, whole)
        if half_done(self, whole):
            return "other bits"
        if code == -signal.SIGKILL or (
            code in (-stop, 128 + stop, 143)
            and "Traceback" not in (self.room / self.said).read_text(errors="replace")
        ):
            return "stopped"
        return self.ended(process, whole)


def _without_folders(finding: str) -> str:
    """A finding that names files, and not where they are on this machine."""
    return re.sub(r"/[^\s\"']*/", "", finding)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=0, help="so many, by all commands in turn")
    parser.add_argument("--tries", type=int, default=0, help="so many of each condition")
    parser.add_argument(
        "--seconds", type=float, default=3600.0, help="begin no round after so long"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--commands", default="|".join(COMMANDS), help="with | between them")
    parser.add_argument("--conditions", default="|".join(CONDITIONS), help="with | between them")
    text = "share of the kills that hit a worker, where there are any"
    parser.add_argument("--workers", type=float, default=0.3, metavar="SHARE", help=text)
    parser.add_argument("--forks", action="store_true", help="start runs as forks: twice as fast")
    parser.add_argument("--output", type=Path, help="a JSON file for the figures")
    parser.add_argument("--add", action="store_true", help="to the figures that --output has")
    options = parser.parse_args()
    if options.add and not (options.output and options.output.exists()):
        parser.error("--add needs --output, a file with figures")
    record: dict[str, Any] = {
        "runs": [],
        "kills": {},
        "conditions": {},
        "findings": [],
        "mended": [],
    }
    if options.add:
        record = json.loads(options.output.read_text(encoding="utf-8"))
    this = {"seeds": [options.seed], "environment": environment(), "kills": 0, "tries": 0}
    record["runs"].append(this)
    sys.path.insert(0, str(ROOT))
    # A shell starts jobs in the background with signals ignored, and children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    draw = random.Random(options.seed)
    if options.forks:
        _load_modules()
        FORKS.append(True)
    names = options.commands.split("|")
    with _room() as room:
        words = [sys.executable, "-c", "import kills; kills.write_inputs(kills.Path('.'))"]
        paths = os.pathsep.join((str(ROOT), str(ROOT / "tools")))
        subprocess.run(words, cwd=room, env={**os.environ, "PYTHONPATH": paths}, check=True)
        whole = {name: undisturbed(room, name) for name in names}
        print({name: round(each.seconds, 1) for name, each in whole.items()}, flush=True)
        end = time.monotonic() + options.seconds
        found: dict[str, Counter[str]] = {name: Counter() for name in names}

        def keep() -> None:
            for name, figures in found.items():
                _add(record["kills"], name, figures)
                figures.clear()
            if options.output:
                options.output.parent.mkdir(parents=True, exist_ok=True)
                options.output.write_text(json.dumps(_with_totals(record), indent=1) + "\n")

        conditions = options.conditions.split("|")
        killed = tried = 0
        while (killed < options.kills or tried < options.tries) and time.monotonic() < end:
            for name in names:
                if killed < options.kills and time.monotonic() < end:
                    told = kill_round(room, name, whole[name], draw, found[name], options.workers)
                    killed += found[name]["kills"]
                    this["kills"] = killed
                    print(f"{killed} kills; {name}: {dict(found[name])}", flush=True)
                    record["findings"] += map(_without_folders, told)
                    keep()
            if tried < options.tries:
                for condition in conditions:
                    name = draw.choice([each for each in names if _suits(each, condition)])
                    figures, told = one_try(room, name, whole[name], draw, condition)
                    print(f"{condition}; {name}: {dict(figures)}", flush=True)
                    this["tries"] += 1
                    _add(record["conditions"], condition, figures)
                    record["findings"] += map(_without_folders, told)
                    keep()
                tried += 1
    print(json.dumps(_with_totals(record), indent=1))
    sys.exit(bool(record["findings"]))


@contextmanager
def _room() -> Iterator[Path]:
    """A folder that no fork removes when it ends."""
    room = Path(tempfile.mkdtemp())
    try:
        yield room
    finally:
        shutil.rmtree(room, ignore_errors=True)


def _add(kept: dict[str, dict[str, int]], name: str, figures: Counter[str]) -> None:
    kept[name] = dict(Counter(kept.get(name, {})) + figures)


def _with_totals(record: dict[str, Any]) -> dict[str, Any]:
    total = sum(map(Counter, record["kills"].values()), Counter[str]())
    tried = sum(map(Counter, record["conditions"].values()), Counter[str]())
    return {**record, "all kills": dict(total), "all conditions": dict(tried)}


# ---------------------------------------------------------------------------------------------
# what the commands read, and what they end in
# ---------------------------------------------------------------------------------------------
def write_inputs(room: Path) -> None:
    import pandas as pd

    from pyfsagg import load_dataset, wam

    data = load_dataset("ionosphere")
    X, y = data.X.iloc[:120, :16], data.y[:120]
    X.assign(**{"class": y}).to_csv(room / "table.csv", index=False)
    rng = np.random.default_rng(0)
    lists = [",".join(f"g{j}" for j in rng.permutation(200)[:80]) for _ in range(12)]
    (room / "lists.txt").write_text("\n".join(lists) + "\n")
    genes = np.repeat([f"g{j}" for j in range(2000)], 4)
    scores = rng.normal(size=genes.size).round(6)
    pd.DataFrame({"gene": genes, "score": scores}).to_csv(room / "guides.csv", index=False)
    methods = pd.DataFrame(rng.normal(size=(40, 6)).round(6), columns=list("abcdef"))
    methods.to_csv(room / "scores.csv", index=False)
    for number in (1, 2, 3):
        study = pd.DataFrame({"gene": [f"g{j}" for j in range(400)]})
        study["effect"] = rng.normal(size=400).round(5)
        study["p_value"] = rng.uniform(size=400).round(5) + 1e-5
        study.to_csv(room / f"s{number}.csv", index=False)
    wam(X, y, n_resamples=50, random_state=0).save(room / "saved")


def undisturbed(room: Path, name: str) -> Whole:
    """What the command ends in, and what it takes; its kernels should be compiled before."""
    clean(room)
    run, addresses = Run(room, name, output="whole", kept=None), 0
    started = time.monotonic()
    process = run.start()
    status = Path(f"/proc/{process.pid}/status")
    while process.poll() is None:
        for line in status.read_text().splitlines():
            if line.startswith("VmPeak:"):
                addresses = max(addresses, 1024 * int(line.split()[1]))
        time.sleep(0.05)
    made = Whole(digest(run.place), process.returncode, time.monotonic() - started, addresses)
    if made.code not in (0, 1) or not run.place.exists():
        raise SystemExit(f"{name}: {_last_words(room)}")
    return made


def digest(place: Path) -> str:
    """Of all that was computed; not of times, nor of the command and its folders."""
    if place.is_file():
        return hashlib.sha256(place.read_bytes()).hexdigest()
    found = hashlib.sha256()
    for path in sorted(place.glob("*.csv")):
        found.update(path.name.encode() + path.read_bytes())
    for path in sorted(place.glob("*.npz")):
        with np.load(path) as arrays:
            for key in sorted(arrays.files):
                found.update(key.encode() + arrays[key].tobytes())
    if (place / "run.json").exists():
        record = json.loads((place / "run.json").read_text(encoding="utf-8"))
        for name in ("view", "versions"):
            record.pop(name, None)
        found.update(json.dumps(record, sort_keys=True).encode())
    return found.hexdigest()


def half_done(run: Run, whole: Whole) -> bool:
    """Whether something stands at the place of the results that is not all of them."""
    if run.name in PRINTED or not run.place.exists():
        return False
    shows = run.place.is_file() or any(run.place.iterdir())
    return shows and digest(run.place) != whole.digest


def left_behind(room: Path) -> list[str]:
    """Hidden drafts anywhere, and processes that work on."""
    deadline = time.monotonic() + LINGER
    while (alive := _processes_in(room)) and time.monotonic() < deadline:
        time.sleep(0.1)
    files = [path for path in room.rglob("*") if path.name.startswith(".")]
    scratch = (room / "scratch").rglob("*")
    temporary = [path for path in (room / "tmp").iterdir() if not path.name.startswith("out-")]
    names = [str(path.relative_to(room)) for path in (*files, *temporary, *scratch)]
    return [*names, *(f"process {each}" for each in alive)]


def _processes_in(room: Path) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "cwd").resolve() == room.resolve() and folder.name != str(os.getpid()):
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
                found += [int(folder.name)] * (state != "Z")
        except OSError:
            continue
    return found


def clean(room: Path) -> None:
    """Only the inputs are left."""
    for name in ("out", "whole", "kept", "scratch", "deep", "tmp", "second"):
        _remove(room / name)
    for path in (*room.glob(".*"), *(room / "saved").glob(".*")):
        _remove(path)
    for name in ("tmp", "scratch"):
        (room / name).mkdir()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


# ---------------------------------------------------------------------------------------------
# kills
# ---------------------------------------------------------------------------------------------
def kill_round(
    room: Path,
    name: str,
    whole: Whole,
    draw: random.Random,
    figures: Counter[str],
    share_of_workers: float,
) -> list[str]:
    """Kill a run a few times, and let it end; the findings."""
    clean(room)
    run, told = Run(room, name), []

    def note(what: str) -> None:
        figures[what] += 1
        told.append(f"kills, {name}: {what}: {_last_words(room)}")

    for _ in range(4):
        started, process = time.monotonic(), run.start()
        if draw.random() < AT_OUTPUT and name not in PRINTED:
            _wait_for_output(process, room)
            _wait(process, draw.uniform(0.0, 0.3) * whole.seconds)
        else:
            _wait(process, draw.uniform(0.1, 1.0) * whole.seconds)
        worker = _a_worker(process, draw) if draw.random() < share_of_workers else None
        if process.poll() is not None:  # the machine is less busy than it was
            whole.seconds = time.monotonic() - started
            break
        figures["kills"] += 1
        figures["during output"] += writes(room)
        if worker is not None:
            os.kill(worker, signal.SIGKILL)
            figures["KILL to a worker"] += 1
            outcome = run.ended(process, whole)
        else:
            stop = draw.choice(SIGNALS)
            process.send_signal(stop)
            figures[stop.name] += 1
            outcome = run.stopped(process, whole, stop)
        if outcome not in (*GOOD, "stopped"):
            note(outcome)
        if outcome not in ("refused", "stopped"):
            break
    figures["rounds"] += 1
    _finish(run, whole, note)
    return told


def _finish(run: Run, whole: Whole, note: Callable[[str], None]) -> None:
    """The next run, which nobody disturbs, ends in the same bits and leaves nothing behind."""
    if run.name in PRINTED or not run.place.exists() or digest(run.place) != whole.digest:
        outcome = run.ended(run.start(), whole)
        if outcome != "same bits":
            note(outcome)
    if left := left_behind(run.room):
        (run.room / run.said).write_text(" ".join(left))
        note("left behind")


def _last_words(room: Path) -> str:
    return " | ".join((room / "said").read_text(errors="replace").strip().splitlines()[-4:])[-600:]


def _a_worker(process: Process, draw: random.Random) -> int | None:
    """A process of the pool, if the run has one."""
    children = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            if parent == str(process.pid) and b"popen_loky" in (folder / "cmdline").read_bytes():
                children.append(int(folder.name))
        except OSError:
            continue
    return draw.choice(children) if children else None


def writes(room: Path) -> bool:
    """Whether results are being put together."""
    drafts = list(room.glob(".out-*"))
    try:
        return any(path.is_file() or any(path.iterdir()) for path in drafts)
    except OSError:  # it became the folder just now
        return True


def _wait(process: Process, seconds: float) -> None:
    end = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end:
        time.sleep(0.002)


def _wait_for_output(process: Process, room: Path) -> None:
    while process.poll() is None and not writes(room):
        time.sleep(0.002)


# ---------------------------------------------------------------------------------------------
# conditions
# ---------------------------------------------------------------------------------------------
Condition = Callable[[Run, Whole, random.Random], "tuple[Run, str]"]


def _under(run: Run, whole: Whole) -> tuple[Run, str]:
    return run, run.ended(run.start(), whole)


def full_disk(run: Run, whole: Whole, draw: random.Random) -> tuple[Run, str]:
    """Results and checkpoint go to a disk in memory (tmpfs) that is too small, or just large enough."""
    run.output, run.kept = "deep/out", "deep/kept"
    size = int(10 ** draw.uniform(4.0, 6.7))
    with _disk(run.room / "deep", size):
        found = run.ended(run.start(), whole)
        subprocess.run(["mount", "-o", "remount,size=200m", str(run.room / "deep")], check=True)
        return run, _second(run, whole, found)


def file_size(run: Run, whole: Whole, draw: random.Random) -> tuple[Run, str]:
    """No file may be longer than so many bytes."""
    run.limits = {resource.RLIMIT_FSIZE: int(10 ** draw.uniform(2.0, 6.0))}
    return _under(run, whole)


def addresses(run: Run, whole: Whole, draw: random.Random) -> tuple[Run, str]:
    """``ulimit -v``, from what the libraries need just to start to what the run needs."""
    run.limits = {resource.RLIMIT_AS: int(draw.uniform(0.6, 1.0) * whole.addresses)}
    return _under(run, whole)


def read_only(run: Run, whole: Whole, draw: random.Random) -> tuple[Run, str]:
    """From some moment on nothing can be made in the folder of the results, or in the checkpoint."""
    run.output, run.kept = "deep/out", "second/kept"
    for name in ("deep", "second/kept"):
        (run.room / name).mkdir(parents=True)
    folder = str(run.room / draw.choice(("deep", "second/kept")))
    process = run.start()
    time.sleep(draw.uniform(0.0, 1.0) * whole.seconds)
    subprocess.run(["chattr", "+i", folder], check=True)
    found = run.ended(process, whole)
    subprocess.run(["chattr", "-i", folder], check=True)
    return run, found


def vanishing(run: Run, whole: Whole, draw: random.Random) -> tuple[Run, str]:
    """A folder is removed while the run goes."""
    run.output, run.kept = "deep/out", "second/kept"
    (run.room / "deep").mkdir()
    process = run.start()
    time.sleep(draw.uniform(0.0, 1.0) * whole.seconds)
    shutil.rmtree(run.room / draw.choice(("deep", "deep/out", "second/kept")), ignore_errors=True)
    found = run.ended(process, whole)
    (run.room / "deep").mkdir(exist_ok=True)  # a file goes into a folder that is there
    if found == "other bits" and not run.place.exists():  # it was the results that were removed
        found = run.ended(run.start(), whole)
    return run, found


def two_at_once(run: Run, whole: Whole, draw: random.Random) -> tuple[Run, str]:
    """Two runs in the same folders: one does the work."""
    other = Run(run.room, run.name, said="said-2")
    first = run.start()
    time.sleep(draw.uniform(0.0, 0.5) * whole.seconds)
    second = other.start()
    ends = [run.ended(first, whole), other.ended(second, whole)]
    wrong = [each for each in ends if each not in GOOD]
    return run, (wrong or ["same bits" if "same bits" in ends else "ended otherwise"])[0]


def clock(run: Run, whole: Whole, draw: random.Random) -> tuple[Run, str]:
    """The time of day jumps by hours, to and fro."""
    moment = run.room / "tmp" / "out-moment"
    moment.write_text("+0")
    sleep = run.room / "tmp" / "out-sleep.so"
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-D_GNU_SOURCE", "-x", "c", "-", "-o", str(sleep)],
        input=SLEEP.encode(),
        check=True,
    )
    run.variables = {
        "LD_PRELOAD": f"{sleep} {FAKETIME}", "FAKETIME_TIMESTAMP_FILE": str(moment), "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }  # fmt: skip
    process = run.start()
    deadline = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < deadline:
        moment.write_text(f"{draw.uniform(-30, 30):+.1f}h")
        time.sleep(0.2)
    return run, run.ended(process, whole)


CONDITIONS: dict[str, Condition] = {
    "full disk": full_disk,
    "file size": file_size,
    "addresses": addresses,
    "read-only folder": read_only,
    "vanishing folder": vanishing,
    "two at once": two_at_once,
    "clock that jumps": clock,
}


def _suits(name: str, condition: str) -> bool:
    """Commands that only print have no folders."""
    return name not in PRINTED or condition in ("addresses", "clock that jumps")


def _second(run: Run, whole: Whole, found: str) -> str:
    """Of a run that refused, or else what the next one ends in, if that is wrong."""
    if found != "refused":
        return found
    again = run.ended(run.start(), whole)
    return found if again == "same bits" else again


def one_try(
    room: Path, name: str, whole: Whole, draw: random.Random, condition: str
) -> tuple[Counter[str], list[str]]:
    """A run under a condition, and the next run without it."""
    clean(room)
    run, outcome = CONDITIONS[condition](Run(room, name), whole, draw)
    figures, told = Counter({"tries": 1, outcome: 1}), []

    def note(what: str) -> None:
        told.append(f"{condition}, {name}: {what}: {_last_words(room)}")
        figures[what] += 1

    if outcome not in GOOD:
        told.append(f"{condition}, {name}: {outcome}: {_last_words(room)}")
    elif condition != "full disk":  # whose disk is gone
        _finish(Run(room, name, run.output, run.kept), whole, note)
    elif left := left_behind(room):
        (room / "said").write_text(" ".join(left))
        note("left behind")
    return figures, told


@contextmanager
def _disk(folder: Path, size: int) -> Iterator[None]:
    """A disk in memory of so many bytes."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


if __name__ == "__main__":
    main()

"""Awkward arguments for every public function and every command: nothing but the package's own errors.

    python tools/fuzz.py                       # 5,000 calls and 500 command lines, in minutes
    python tools/fuzz.py --only-call 1234      # one call again, with its traceback
    python tools/fuzz.py --only-command 12

The names come from the stubs and the flags from the parser, so that what is new is tried without being
written down here.  Number i of a kind depends on the seed and on i alone.  A finding is

- an exception that is no :class:`pyfsagg.exceptions.PyfsaggError`, or a warning of NumPy or SciPy
  (RuntimeWarning, ComplexWarning), of a call;
- an exception that leaves a command, a traceback in what it prints, or an exit code other than 0, 1, 2.

Calls have the right keywords: a wrong signature is Python's own TypeError, and not tried.  A call or
command that takes long is stopped and counted; it is no finding.  Left out: what fetches from a network
(`load_dataset` with `download`), starts R (`cross-check`) or runs the papers (`reproduce`) for minutes.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import inspect
import io
import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator
from scipy.sparse import csr_matrix

ROOT = Path(__file__).resolve().parents[1]
ROOMS = (
    "aggregation",
    "aggregator_influence",
    "committees",
    "datasets",
    "discretization",
    "ensemble",
    "error_control",
    "evaluation",
    "filters",
    "out_of_core",
    "rank_order",
    "stability_measures",
    "statistics",
    "unsupervised",
)
LEFT_OUT = {"reproduce", "plotting", "download", "show_versions"}
SECONDS = 8
MEMORY = 8_000_000_000


class _Stopped(BaseException):
    """The time of a call is over."""


# ---------------------------------------------------------------------------------------------
# values
# ---------------------------------------------------------------------------------------------
def awkward(rng: Generator) -> Any:
    """Something that no parameter expects, or that lies at the edge of what it takes."""
    makers: list[Callable[[], Any]] = [
        lambda: None,
        lambda: -1,
        lambda: 0,
        lambda: 1,
        lambda: 2**31,
        lambda: 10**30,
        lambda: -0.5,
        lambda: 0.0,
        lambda: 1.5,
        lambda: float("nan"),
        lambda: float("inf"),
        lambda: 1e-300,
        lambda: True,
        lambda: 1 + 2j,
        lambda: "",
        lambda: "no such name",
        lambda: "\udcff",
        lambda: b"bytes",
        lambda: [],
        lambda: (),
        lambda: {},
        lambda: set(),
        lambda: [1, "a", None],
        lambda: [[1, 2], [3]],
        lambda: {"a": 1},
        lambda: [{"a", "b"}, set()],
        lambda: object(),
        lambda: len,
        lambda: np.array(3.0),
        lambda: np.empty((0, 3)),
        lambda: np.empty((3, 0)),
        lambda: np.zeros((4, 3)),
        lambda: np.full((4, 3), np.nan),
        lambda: np.array([[1.0, np.inf], [2.0, 3.0], [4.0, -np.inf]]),
        lambda: np.array([[1e308, -1e308, 1e307]] * 3) / np.arange(1, 4)[:, None],
        lambda: rng.normal(size=(5, 4)) * 1e-310,
        lambda: rng.normal(size=(2, 3, 4)),
        lambda: rng.normal(size=(6, 3)) + 1j,
        lambda: np.array([["a", "b"], ["c", "d"]], dtype=object),
        lambda: np.array([[1, "a"], [None, 2.0]], dtype=object),
        lambda: np.array([[10**400, 1], [2, 3]], dtype=object),
        lambda: np.arange(4).astype("datetime64[D]"),
        lambda: rng.integers(0, 2, (5, 4)).astype(bool),
        lambda: rng.integers(-5, 5, 7),
        lambda: pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}),
        lambda: pd.DataFrame(rng.normal(size=(5, 2)), columns=["a", "a"]),
        lambda: pd.DataFrame(),
        lambda: pd.Series([], dtype=float),
        lambda: csr_matrix(np.eye(4)),
        lambda: iter([1, 2]),
    ]
    return makers[rng.integers(len(makers))]()


def _matrix(rng: Generator) -> Any:
    n, p = int(rng.integers(2, 24)), int(rng.integers(1, 7))
    kind = rng.integers(6)
    values = rng.normal(size=(n, p))
    if kind == 0:
        values = np.round(values)
    elif kind == 1:
        values = rng.integers(0, 3, (n, p)).astype(float)
    elif kind == 2:
        values[rng.random((n, p)) < 0.2] = np.nan
    elif kind == 3:
        return pd.DataFrame(values, columns=[f"g{j}" for j in range(p)])
    elif kind == 4:
        values *= 10.0 ** rng.integers(-200, 200)
    return values


def _lists(rng: Generator) -> Any:
    names = [f"g{j}" for j in range(8)]
    return [list(rng.permutation(names)[: rng.integers(1, 9)]) for _ in range(rng.integers(1, 6))]


def _sets(rng: Generator) -> Any:
    return [
        set(map(int, rng.integers(0, 9, rng.integers(0, 6)))) for _ in range(rng.integers(1, 6))
    ]


class Values:
    """Arguments by the name of their parameter; X and y of a call belong together."""

    def __init__(self, rng: Generator) -> None:
        self.rng = rng
        self.X = _matrix(rng)

    def usual(self, name: str, default: Any) -> Any:
        rng = self.rng
        n = len(self.X)
        p = self.X.shape[1]
        known: dict[str, Callable[[], Any]] = {
            "X": lambda: self.X,
            "y": lambda: rng.integers(0, 2, n) if rng.random() < 0.8 else rng.normal(size=n),
            "scores": lambda: _matrix(rng),
            "data": lambda: [_matrix, _sets, _lists][rng.integers(3)](rng),
            "sets": lambda: _sets(rng),
            "selections": lambda: _sets(rng),
            "table": lambda: _lists(rng) if rng.random() < 0.6 else _matrix(rng),
            "rankings": lambda: _lists(rng),
            "lists": lambda: _lists(rng),
            "ranks": lambda: np.array([rng.permutation(5) + 1.0 for _ in range(4)]),
            "n_resamples": lambda: int(rng.integers(1, 9)),
            "n_folds": lambda: int(rng.integers(2, 5)),
            "n_permutations": lambda: int(rng.integers(1, 9)),
            "n_clusterings": lambda: int(rng.integers(1, 5)),
            "n_boot": lambda: int(rng.integers(1, 30)),
            "n_draws": lambda: int(rng.integers(1, 30)),
            "n_features": lambda: [None, p, 3, 50][rng.integers(4)],
            "n_jobs": lambda: [None, 1, 2][rng.integers(3)],
            "random_state": lambda: [0, 1, None][rng.integers(3)],
            "filter": lambda: ["ig", "chi_squared", "pearson", "mrmr"][rng.integers(4)],
            "filters": lambda: ["ig", "cs"],
            "method": lambda: ["arithmetic_mean", "rra", "borda", "mdl"][rng.integers(4)],
            "measure": lambda: ["nogueira", "jaccard", "pearson", "kendall"][rng.integers(4)],
            "sample_weight": lambda: rng.integers(0, 4, n),
            "labels": lambda: rng.integers(0, 3, (4, n)),
            "n_clusters": lambda: int(rng.integers(1, 5)),
            "similarity": lambda: np.eye(p),
            "stability": lambda: rng.random(4),
            "accuracy": lambda: rng.random(4),
            "p_values": lambda: rng.random(5),
            "values": lambda: rng.normal(size=6),
            "a": lambda: rng.normal(size=6),
            "b": lambda: rng.normal(size=6),
            "first": lambda: rng.normal(size=6),
            "second": lambda: rng.normal(size=6),
            "confidence_level": lambda: 0.9,
            "threshold": lambda: [2, 0.5][rng.integers(2)],
            "n_features_to_select": lambda: [2, 0.5, "auto"][rng.integers(3)],
            "top": lambda: [2, 0.5][rng.integers(2)],
            "feature": lambda: 0,
            "k": lambda: int(rng.integers(1, 5)),
            "path": lambda: "page.html",
            "folder": lambda: "run",
        }  # fmt: skip
        if name in known:
            return known[name]()
        return rng.random(4) if default is inspect.Parameter.empty else default

    def of(self, parameter: inspect.Parameter) -> Any:
        odd = 0.25 if parameter.default is inspect.Parameter.empty else 0.5
        if self.rng.random() < odd:
            return awkward(self.rng)
        return self.usual(parameter.name, parameter.default)


ALWAYS = {
    "n_resamples",
    "n_folds",
    "n_permutations",
    "n_clusterings",
    "n_boot",
    "n_draws",
    "n_jobs",
}
"""Given in every call, and small, so that a call is short; they are awkward in some."""


# ---------------------------------------------------------------------------------------------
# calls
# ---------------------------------------------------------------------------------------------
def public_functions() -> dict[str, Callable[..., Any]]:
    """Functions and classes of the package and its rooms by dotted name."""
    found: dict[str, Callable[..., Any]] = {}
    seen: set[int] = set()  # verbs stand at the top and in their room
    for room in ("", *ROOMS):
        module = importlib.import_module(f"pyfsagg.{room}" if room else "pyfsagg")
        for name in module.__all__:
            thing = getattr(module, name)
            if not callable(thing) or name in LEFT_OUT or id(thing) in seen:
                continue
            seen.add(id(thing))
            own = f"{room}.{name}" if room else name
            if inspect.isclass(thing):
                if hasattr(thing, "fit"):
                    found[own] = _fitted(thing)
                elif own in {"Rankings"}:
                    for maker in ("from_lists", "from_ranks", "from_scores"):
                        found[f"{own}.{maker}"] = getattr(thing, maker)
                elif _is_setting(thing):
                    found[own] = thing
            elif inspect.isfunction(thing):
                found[own] = thing
    return found


def _is_setting(thing: type) -> bool:
    from pyfsagg._base.settings import Settings

    return issubclass(thing, Settings)


def _fitted(estimator: type) -> Callable[..., Any]:
    """A function that makes an estimator, fits it and transforms."""

    def fit(X: Any, y: Any, **parameters: Any) -> Any:
        made = estimator(**parameters)
        made.fit(X, y)
        return made.transform(X)

    own = [p for p in inspect.signature(estimator).parameters.values() if p.name != "self"]
    both = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in ("X", "y")]
    own = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    fit.__signature__ = inspect.Signature([*both, *own])  # type: ignore[attr-defined]
    return fit


def make_call(
    seed: int, number: int, functions: dict[str, Any]
) -> tuple[str, list[Any], dict[str, Any]]:
    """Name and arguments of call `number`."""
    rng = np.random.default_rng([seed, 0, number])
    name = list(functions)[number % len(functions)]
    values = Values(rng)
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for parameter in inspect.signature(functions[name]).parameters.values():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        if parameter.name == "download":
            continue
        required = parameter.default is parameter.empty
        if parameter.name in ALWAYS and rng.random() < 0.9:
            value = values.usual(parameter.name, parameter.default)
        elif not required and rng.random() < 0.8:
            continue
        else:
            value = values.of(parameter)
        if parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(value)
        else:
            named[parameter.name] = value
    return name, positional, named


def run_call(
    function: Callable[..., Any], positional: list[Any], named: dict[str, Any]
) -> str | None:
    """What is wrong with a call, or None."""
    from pyfsagg.exceptions import PyfsaggError

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            with stopped_after(SECONDS), contextlib.redirect_stdout(io.StringIO()):
                function(*positional, **named)
        except PyfsaggError:
            pass
        except Exception as error:
            return _place(error)
    for warning in said:
        if issubclass(warning.category, RuntimeWarning) or "Complex" in warning.category.__name__:
            where = f"{Path(warning.filename).name}:{warning.lineno}"
            return f"{warning.category.__name__}: {warning.message} at {where}"
    return None


def _place(error: Exception) -> str:
    """The error, and the last line of the package on the way to it."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "pyfsagg" in f.filename]
    where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "outside"
    text = str(error).splitlines()
    return f"{type(error).__name__}: {text[0][:120] if text else ''} at {where}"


@contextlib.contextmanager
def stopped_after(seconds: int) -> Iterator[None]:
    """Raise `_Stopped` after so many seconds of work, or ten times as long on a busy machine.

    A compilation is waited for: a kernel that was compiled by half fails in every later call.
    """
    clocks = {signal.SIGPROF: signal.ITIMER_PROF, signal.SIGALRM: signal.ITIMER_REAL}

    def stop(number: int, frame: FrameType | None) -> None:
        if not _compiles(frame):
            raise _Stopped
        signal.setitimer(clocks[signal.Signals(number)], 0.1)

    before = {number: signal.signal(number, stop) for number in clocks}
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, 10 * seconds)
    try:
        yield
    finally:
        for number, clock in clocks.items():
            signal.setitimer(clock, 0)
            signal.signal(number, before[number])


def _compiles(frame: FrameType | None) -> bool:
    """Whether numba or its compiler is among the callers."""
    while frame is not None:
        if {"numba", "llvmlite"} & set(Path(frame.f_code.co_filename).parts):
            return True
        frame = frame.f_back
    return False


# ---------------------------------------------------------------------------------------------
# command lines
# ---------------------------------------------------------------------------------------------
TEXTS = (
    "", "-1", "0", "1", "2", "0.5", "1e400", "nan", "inf", "abc", "a,b", ",", "=", "a=b", "a.b=1",
    "x=[", "mrmr.n_features=-1", "99999999999999999999", "class", "nothing", "../out", "table.csv",
    "sparse.svmlight", "ünï", "ig", "ig,su", "rra", "auto", "25%", "%", "bootstrap", "regression",
)  # fmt: skip
USUAL = {
    "rank": "table.csv --target class --n-resamples 4 --jobs 1",
    "demo": "--n-resamples 4 --jobs 1 --filters ig,cs",
    "check": "table.csv --target class",
    "aggregate": "lists.txt",
    "agreement": "lists.txt --format lines --pilot 2 --distance 1",
    "studies": "guides.csv other.csv --item gene --statistic score --evidence ranks --duplicates first",
    "screen": "guides.csv --item gene --score score --alpha 0.5",
    "vote": "lists.txt",
    "committee": "table.csv --target class --n-resamples 2 --jobs 1 --learners lr",
    "stability": "scores.csv",
    "standings": "scores.csv",
    "influence": "table.csv --target class --n-folds 2 --n-resamples 2 --jobs 1 --filters cs",
    "evaluate": "table.csv --target class --n-resamples 2 --jobs 1 --n-repeats 1",
    "order": "table.csv --target class",
    "unsupervised": "plain.csv --n-clusterings 2 --jobs 1",
    "report": "run",
    "show": "run",
    "compare": "run other",
    "list": "filters",
    "completion": "bash",
    "datasets": "",
}
"""A command line of every command that works, to be spoilt; of the others see `NOT_TRIED`."""

NOT_TRIED = {"reproduce": "takes minutes", "cross-check": "takes a minute of R"}


def write_inputs(folder: Path) -> None:
    """The files that command lines name."""
    import pyfsagg

    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(24, 4)), columns=["a", "b", "=c", "d e"])
    X.to_csv(folder / "plain.csv", index=False)
    X.assign(**{"class": np.arange(24) % 2}).to_csv(folder / "table.csv", index=False)
    pd.DataFrame(rng.normal(size=(6, 4)), columns=list("abcd")).to_csv(
        folder / "scores.csv", index=False
    )
    (folder / "lists.txt").write_text("a,b,c\nb,a,c\nc,a,b\n")
    (folder / "sparse.svmlight").write_text("0 1:1 3:2\n1 2:1\n0 1:2\n1 3:1\n")
    (folder / "guides.csv").write_text(
        "gene,score\n" + "".join(f"g{i % 4},{rng.normal():.3f}\n" for i in range(16))
    )
    (folder / "other.csv").write_text(
        "gene,score\n" + "".join(f"g{i},{rng.normal():.3f}\n" for i in range(4))
    )
    (folder / "empty.csv").write_text("")
    (folder / "broken.csv").write_bytes(b"a,b\n1\n\xff\xfe,2,3\n")
    result = pyfsagg.wam(X, np.arange(24) % 2, filter="chi_squared", n_resamples=4, random_state=0)
    result.save(folder / "run")
    other = pyfsagg.wam(X, np.arange(24) % 2, filter="chi_squared", n_resamples=4, random_state=1)
    other.save(folder / "other")
    damaged = json.loads((folder / "run" / "run.json").read_text())
    (folder / "damaged").mkdir()
    del damaged["features"][0]
    (folder / "damaged" / "run.json").write_text(json.dumps(damaged))
    (folder / "damaged" / "matrices.npz").write_bytes(
        (folder / "run" / "matrices.npz").read_bytes()
    )


FILES = ("table.csv", "plain.csv", "scores.csv", "lists.txt", "sparse.svmlight", "empty.csv",
         "broken.csv", "run", "damaged", "missing.csv", ".", "/proc/self/mem", "")  # fmt: skip


def commands() -> dict[str, argparse.ArgumentParser]:
    """The parser of every command."""
    from pyfsagg.cli import build_parser

    (found,) = (
        action
        for action in build_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    return dict(found.choices)


def make_line(seed: int, number: int) -> list[str]:
    """The words of command line `number`."""
    rng = np.random.default_rng([seed, 1, number])
    command = list(USUAL)[number % len(USUAL)]
    words = USUAL[command].split()
    flags = [
        action
        for action in commands()[command]._actions
        if action.option_strings and action.dest not in {"help", "dask", "n_permutations"}
    ]
    if words and rng.random() < 0.3:
        words[0] = FILES[rng.integers(len(FILES))]
    for _ in range(rng.integers(0, 4) if flags else 0):
        action = flags[rng.integers(len(flags))]
        words.append(action.option_strings[-1])
        if action.nargs != 0:
            choices = [str(each) for each in action.choices or ()]
            pool = choices if choices and rng.random() < 0.7 else TEXTS
            words.append(str(pool[rng.integers(len(pool))]))
    quiet = rng.random() < 0.2 and any(action.dest == "quiet" for action in flags)
    return [command, *words, *(["--quiet"] if quiet else [])]


def run_line(words: list[str]) -> str | None:
    """What is wrong with a command line, or None; it runs in the working folder."""
    from pyfsagg.cli import main

    out, err = io.StringIO(), io.StringIO()
    before, sys.argv = sys.argv, ["pyfsagg", *words]
    stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(b""))
    code: Any = 0
    try:
        with stopped_after(3 * SECONDS), contextlib.redirect_stdout(out):  # noqa: SIM117
            with contextlib.redirect_stderr(err), warnings.catch_warnings():
                warnings.simplefilter("always")
                code = main(words)
    except SystemExit as stop:
        code = stop.code
    except Exception as error:
        return _place(error)
    finally:
        sys.argv, sys.stdin = before, stdin
    said = out.getvalue() + err.getvalue()
    if "Traceback" in said or "RuntimeWarning" in said:
        lines = said.strip().splitlines()
        return (
            f"printed {next(line for line in lines if 'Trace' in line or 'Runtime' in line)[:150]}"
        )
    return None if code in (0, 1, 2, None) else f"exit code {code}"


# ---------------------------------------------------------------------------------------------
# the run
# ---------------------------------------------------------------------------------------------
def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--commands", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="number of the first call and command")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only-call", type=int, metavar="I")
    parser.add_argument("--only-command", type=int, metavar="I")
    parser.add_argument("--output", type=Path, metavar="FILE", help="where the figures go, as JSON")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("MPLBACKEND", "agg")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    functions = public_functions()
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            if options.only_call is not None:
                _show_call(options.seed, options.only_call, functions)
                return
            write_inputs(Path(folder))
            if options.only_command is not None:
                words = make_line(options.seed, options.only_command)
                print(words)
                from pyfsagg.cli import main as run

                run(words)
                return
            record = _run_all(options, functions)
        finally:
            os.chdir(home)
    print(json.dumps({key: value for key, value in record.items() if key != "kinds"}, indent=2))
    if options.output:
        options.output.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    sys.exit(1 if record["findings"] else 0)


def _show_call(seed: int, number: int, functions: dict[str, Any]) -> None:
    name, positional, named = make_call(seed, number, functions)
    print(name, positional, named)
    print(functions[name](*positional, **named))


def _run_all(options: argparse.Namespace, functions: dict[str, Any]) -> dict[str, Any]:
    start = time.perf_counter()
    kinds: Counter[str] = Counter()
    examples: dict[str, int] = {}
    stopped: list[str] = []
    for number in range(options.first, options.first + options.calls):
        name, positional, named = make_call(options.seed, number, functions)
        try:
            wrong = run_call(functions[name], positional, named)
        except _Stopped:
            stopped.append(f"call {number} {name}")
            continue
        _count(kinds, examples, wrong, f"{name}", number)
    for number in range(options.first, options.first + options.commands):
        words = make_line(options.seed, number)
        try:
            wrong = run_line(words)
        except _Stopped:
            stopped.append(f"command {number} {' '.join(words)}")
            continue
        _count(kinds, examples, wrong, f"pyfsagg {words[0]}", number)
    for kind, times in kinds.most_common():
        print(f"{times:4} x {kind}   (number {examples[kind]})")
    for line in stopped:
        print(f"stopped: {line}")
    return {
        "seed": options.seed,
        "functions": len(functions),
        "calls": options.calls,
        "commands": options.commands,
        "stopped": len(stopped),
        "findings": sum(kinds.values()),
        "seconds": round(time.perf_counter() - start),
    }


def _count(
    kinds: Counter[str], examples: dict[str, int], wrong: str | None, name: str, number: int
) -> None:
    if wrong is not None:
        kind = f"{name}: {wrong}"
        kinds[kind] += 1
        if kind not in examples:
            print(f"{number}: {kind}", file=sys.stderr, flush=True)
        examples.setdefault(kind, number)


if __name__ == "__main__":
    main()

"""Calls leave the process as it was, and give the same bits in threads, forks, workers and kernels."""

from __future__ import annotations

import decimal
import gc
import inspect
import json
import locale
import logging
import os
import random
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import doors
import joblib
import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from joblib import Parallel, delayed
from sklearn.tree import DecisionTreeClassifier

import pyfsagg
from pyfsagg.exceptions import PyfsaggWarning
from pyfsagg.extending import ALONE

THREADS = 6
PATH = [str(Path(__file__).parents[1] / "support"), str(Path(__file__).parent)]


Function = Callable[[pd.DataFrame, pd.Series, pd.DataFrame], Any]  # of a table, classes and scores
FEW: dict[str, Any] = {
    "n_resamples": 8,
    "random_state": 1,
    "checks": pyfsagg.Checks(pairs=2, shuffles=19),
}
SETS = [{"a", "b"}, {"a", "c"}, {"b", "a"}]
FUNCTIONS: dict[str, Function] = {
    "adequacy": lambda X, y, s: pyfsagg.stability_measures.adequacy(s, n_boot=20, random_state=0),
    "aggregate": lambda X, y, s: pyfsagg.aggregate(doors.LISTS),
    "bam": lambda X, y, s: pyfsagg.bam(X, y, n_resamples=3, random_state=0, checks="none"),
    "between_sample_stability": lambda X, y, s: (
        pyfsagg.stability_measures.between_sample_stability(s[:4], s[4:])
    ),
    "check_table": lambda X, y, s: str(pyfsagg.datasets.check_table(X, y)),
    "committee": lambda X, y, s: pyfsagg.committee(
        X, y, {"tree": DecisionTreeClassifier(random_state=0)}, n_resamples=2, random_state=0,
        n_jobs=1).to_frame(),
    "compare_aggregators": lambda X, y, s: pyfsagg.aggregator_influence.compare_aggregators(
        {str(seed): pyfsagg.influence(X, y, aggregators=["am", "rra"], n_folds=3, n_resamples=2,
                                      random_state=seed) for seed in (1, 2, 3)}),
    "discretize": lambda X, y, s: pyfsagg.discretization.discretize(X, y).codes,
    "evaluate": lambda X, y, s: pyfsagg.evaluate(
        X, y, methods=["ig"], classifiers="nb", n_features_to_select=(2,), baselines=(), n_resamples=2,
        random_state=0, n_jobs=1),
    "feature_stability": lambda X, y, s: pyfsagg.stability_measures.feature_stability(s),
    "influence": lambda X, y, s: pyfsagg.influence(X, y, n_folds=3, n_resamples=3, random_state=1),
    "influence_of_lists": lambda X, y, s: pyfsagg.aggregator_influence.influence_of_lists(
        [*doors.LISTS, *doors.LISTS[:3]], ["mean_rank", "rra"], n_splits=4, random_state=0),
    "list_agreement": lambda X, y, s: pyfsagg.aggregation.list_agreement(doors.LISTS),
    "list_methods": lambda X, y, s: pyfsagg.list_methods("filters").to_csv(),
    "load_dataset": lambda X, y, s: pyfsagg.load_dataset("wine").X,
    "near_zero_variance": lambda X, y, s: str(pyfsagg.filters.near_zero_variance(X)),
    "nogueira": lambda X, y, s: pyfsagg.stability_measures.nogueira(SETS, n_features=5).estimate,
    "permute_target": lambda X, y, s: pyfsagg.ensemble.permute_target(
        X, y, shuffles=9, n_resamples=2, filter="cs", random_state=0),
    "rank": lambda X, y, s: pyfsagg.rank(X, y, n_resamples=3, random_state=0, checks="none"),
    "screen": lambda X, y, s: pyfsagg.screen(np.arange(12.0) % 7, list("aabbccddeeff")),
    "stability": lambda X, y, s: pyfsagg.stability(s, measures=["pearson"], random_state=0),
    "stability_curve": lambda X, y, s: pyfsagg.stability_measures.stability_curve(s, random_state=0),
    "standings": lambda X, y, s: pyfsagg.standings(s),
    "studies": lambda X, y, s: pyfsagg.studies(pd.DataFrame(
        {"study": list("sstt"), "gene": list("abab"), "effect": [1.0, -1.0, 2.0, 1.0],
         "p": [0.01, 0.9, 0.02, 0.9]}), study="study", item="gene", effect="effect", p_value="p"),
    "vote": lambda X, y, s: pyfsagg.vote(doors.BALLOTS),
    "wam": lambda X, y, s: pyfsagg.wam(X, y, n_resamples=3, random_state=0, checks="none"),
    **{name: lambda X, y, s, name=name: getattr(pyfsagg.filters, name)(X, y) for name in (
        "chi_squared", "fit_criterion", "gain_ratio", "information_gain", "mrmr", "spearman",
        "symmetric_uncertainty", "value_difference_metric")},
    "frcm": lambda X, y, s: pyfsagg.unsupervised.frcm(
        X[["a", "b", "c"]], n_clusterings=2, random_state=0, n_jobs=1),
}  # fmt: skip
ELSEWHERE = {"load_result"}  # of files, which the commands below read


def on_data(function: Function) -> Callable[[Path], Any]:
    def call(folder: Path) -> Any:
        frame = pd.read_csv(folder / "classes.csv")
        scores = pd.read_csv(folder / "scores.csv")
        return function(frame.drop(columns="class_"), frame["class_"], scores)

    return call


CASES: dict[str, Callable[[Path], Any]] = {
    **{case.name: case.python for case in doors.cases()},
    **{name: on_data(function) for name, function in FUNCTIONS.items()},
    # Pages, whose pictures are drawn with settings of their own.
    "bam-page": on_data(lambda X, y, s: pyfsagg.bam(X, y, n_jobs=2, **FEW).to_html()),
    "standings-page": on_data(lambda X, y, s: pyfsagg.standings(s).to_html()),
}


def digest(name: str, folder: Path) -> str:
    found = CASES[name](folder)
    result = hasattr(found, "to_frame") or hasattr(found, "table")
    return doors.digest_of(found) if result else str(joblib.hash(found))


def test_every_public_function_has_a_case() -> None:
    public = {each for each in pyfsagg.__all__ if inspect.isfunction(getattr(pyfsagg, each))}
    assert public - set(FUNCTIONS) == ELSEWHERE


def open_files() -> int:
    """But for fonts, which Matplotlib keeps open for each thread."""
    links = [each for each in Path("/proc/self/fd").glob("*") if each.is_symlink()]
    return sum(os.readlink(each).rpartition(".")[2] != "ttf" for each in links)


def state() -> dict[str, Any]:
    """What belongs to the whole process."""
    gc.collect()
    return {
        "warnings": list(warnings.filters),
        "rcParams": dict(mpl.rcParams),
        "figures": mpl.pyplot.get_fignums() if hasattr(mpl, "pyplot") else [],
        "locale": locale.setlocale(locale.LC_ALL),
        "random": random.getstate(),
        "numpy's random": json.dumps([str(each) for each in np.random.get_state()]),  # noqa: NPY002
        "errors of NumPy": np.geterr(),
        "logging": (logging.root.level, list(logging.root.handlers), logging.root.manager.disable),
        "environment": dict(os.environ),
        "signals": [signal.getsignal(each) for each in signal.valid_signals() if each < 32],
        "files": open_files(),
        "threads": {each.name for each in threading.enumerate()},
        "folder": Path.cwd(),
        "path": list(sys.path),
        "streams": (sys.stdout, sys.stderr),
        "hooks": (sys.excepthook, sys.unraisablehook, threading.excepthook),
        "collector": (gc.isenabled(), gc.get_threshold(), sys.getrecursionlimit()),
        "decimal": str(decimal.getcontext()),
        "tables": {each: pd.get_option(each) for each in ("display.width", "display.max_rows")},
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("state")
    doors.write_inputs(made)
    return made


@pytest.fixture(scope="module")
def alone(folder: Path) -> dict[str, str]:
    """Digests of calls one after the other, which import and compile what they need."""
    return {name: digest(name, folder) for name in CASES}


def unchanged(before: dict[str, Any]) -> None:
    after = state()
    assert {key: (before[key], after[key]) for key in before if before[key] != after[key]} == {}


def test_calls_one_after_the_other(folder: Path, alone: dict[str, str]) -> None:
    before = state()
    assert {name: digest(name, folder) for name in CASES} == alone
    unchanged(before)


@pytest.fixture
def others(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Modules of other packages that set filters of warnings aside while the test ran.

    Python gives threads one list of filters, and two that set them aside at once leave those of the other.
    The package does so only under its lock; where others do not, the list afterwards is a matter of chance.
    """
    found = set[str]()
    usual = warnings.catch_warnings.__enter__

    def enter(self: Any) -> Any:
        module = sys._getframe(1).f_globals["__name__"]
        if module.startswith("pyfsagg"):
            assert ALONE._is_owned(), module  # type: ignore[attr-defined]
        else:
            found.add(module)
        return usual(self)

    monkeypatch.setattr(warnings.catch_warnings, "__enter__", enter)
    return found


@pytest.mark.thorough
def test_six_threads(folder: Path, alone: dict[str, str], others: set[str]) -> None:
    names = list(CASES)

    def work(number: int) -> dict[str, str]:
        gate.wait()
        order = random.Random(number).sample(names, len(names))
        return {name: digest(name, folder) for name in order}

    gate = threading.Barrier(THREADS)
    before = state()
    others.clear()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(THREADS) as pool:
            for found in pool.map(work, range(THREADS)):
                assert found == alone
    finally:
        sys.setswitchinterval(interval)
    if others:  # the package's own category is not among what they change
        now, then = (
            [each for each in filters if issubclass(each[2], PyfsaggWarning)]
            for filters in (warnings.filters, before["warnings"])
        )
        assert now == then
        before["warnings"] = list(warnings.filters)
    unchanged(before)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no forks")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_forks(folder: Path, alone: dict[str, str]) -> None:
    before = state()
    children = []
    for number in range(3):
        child = os.fork()
        if child == 0:
            try:
                same = all(digest(name, folder) == alone[name] for name in list(CASES)[number::3])
            except BaseException:
                same = False
            os._exit(0 if same else 1)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * 3
    unchanged(before)


def test_workers_of_loky(folder: Path, alone: dict[str, str]) -> None:
    """Functions travel by their place in this file, the results by their digests."""
    names = list(CASES)[::5]
    calls = (delayed(_in_worker)(PATH, name, str(folder)) for name in names)
    assert Parallel(n_jobs=2, backend="loky")(calls) == [alone[name] for name in names]


def _in_worker(path: list[str], name: str, folder: str) -> str:
    sys.path[:0] = [each for each in path if each not in sys.path]
    import test_state

    return test_state.digest(name, Path(folder))


def test_a_kernel_of_jupyter(folder: Path, alone: dict[str, str]) -> None:
    """A kernel has an event loop, streams and hooks of its own; what it had before it has afterwards."""
    pytest.importorskip("ipykernel")
    client = pytest.importorskip("jupyter_client")
    names = [*list(CASES)[::8], "bam-page"]
    code = f"""
import sys
sys.path[:0] = {PATH!r}
import json, test_state
from pathlib import Path
folder = Path({str(folder)!r})
found = {{name: test_state.digest(name, folder) for name in {names!r}}}
before = test_state.state()
again = {{name: test_state.digest(name, folder) for name in {names!r}}}
after = test_state.state()
changed = [key for key in before if before[key] != after[key]]
Path({str(folder / "kernel.json")!r}).write_text(json.dumps([found, again, changed]))
"""
    manager, kernel = client.manager.start_new_kernel(kernel_name="python3")
    try:
        reply = kernel.execute_interactive(code, timeout=600, output_hook=lambda message: None)
        assert reply["content"]["status"] == "ok", reply["content"]
        found, again, changed = json.loads((folder / "kernel.json").read_text())
    finally:
        kernel.stop_channels()
        manager.shutdown_kernel(now=True)
    assert found == again == {name: alone[name] for name in names}
    assert changed == []


COMMANDS = [
    ["rank", "classes.csv", "--target", "class_", "--n-resamples", "3", "--filters", "ig,cs"],
    ["aggregate", "lists.txt", "--format", "lines"],
    ["stability", "scores.csv", "--measures", "pearson"],
    ["order", "classes.csv", "--target", "class_"],
    ["vote", "ballots.txt"],
    ["agreement", "lists.txt", "--format", "lines"],
    ["standings", "scores.csv"],
    ["influence", "classes.csv", "--target", "class_", "--n-folds", "2", "--n-resamples", "2"],
    ["unsupervised", "classes.csv", "--exclude", "class_", "--n-clusterings", "2", "--jobs", "1"],
    ["screen", "items.csv", "--item", "item", "--score", "0"],
    ["evaluate", "classes.csv", "--target", "class_", "--methods", "ig", "--classifiers", "nb",
     "--n-features-to-select", "2", "--n-resamples", "2", "--jobs", "1"],
    ["committee", "classes.csv", "--target", "class_", "--learners", "lr", "--n-resamples", "2", "--jobs",
     "1"],
    ["studies", "study1.csv", "study2.csv"],
    ["demo", "--n-resamples", "3", "--filters", "ig,cs", "--pairs", "0", "--shuffles", "9"],
    ["reproduce", "claims"],
    ["show", "first-0"],
    ["report", "first-0"],
    ["compare", "first-0", "first-0"],
    ["check", "classes.csv", "--target", "class_"],
    ["rank", "classes.csv", "--target", "no such column"],
    ["list", "filters"],
]  # fmt: skip


def test_commands_leave_the_process_as_it_was(folder, alone, monkeypatch, capsys) -> None:
    """The second time: the first imports."""
    from pyfsagg.cli import main

    monkeypatch.chdir(folder)
    for number, effect in enumerate(([1.0, -1.0, 0.5], [2.0, 1.0, -0.5]), 1):
        study = {"gene": list("abc"), "effect": effect, "p_value": [0.01, 0.2, 0.9]}
        pd.DataFrame(study).to_csv(f"study{number}.csv", index=False)
    for turn in ("first", "second"):
        before = state()
        for number, command in enumerate(COMMANDS):
            saves = command[0] not in ("check", "list", "show", "compare", "report")
            output = ["--output", f"{turn}-{number}", "--quiet"] if saves else []
            try:
                main([*command, *output])
            except SystemExit:
                assert "no such column" in command
        if turn == "second":
            unchanged(before)

"""Tasks in threads, processes and on a cluster: same answers, said deaths."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest

import pyfsagg
from pyfsagg._run import parallel
from pyfsagg._run.parallel import count_workers, run_threads
from pyfsagg.exceptions import WorkerError
from pyfsagg.extending import run_tasks

distributed = pytest.importorskip("distributed", reason="the extra 'dask' is not installed")


def _place(shared: dict[str, int], item: int) -> tuple[int, int, int]:
    return shared["base"] + item, os.getpid(), threading.get_ident()


def _die(shared: None, item: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return item


def _wait(shared: float, item: int) -> int:
    time.sleep(shared)
    return item


def _leave_a_sign(shared: Path, item: int) -> int:
    (shared / str(item)).touch()
    return item


def _refuse(shared: None, item: int) -> int:
    raise ValueError(f"item {item} is wrong")


def run_python(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)


@pytest.mark.parametrize(
    ("threads", "n_jobs", "here"), [(True, 1, True), (True, 2, True), (False, 2, False)]
)
def test_answers_come_in_order_from_where_they_were_asked(threads, n_jobs, here):
    found = list(run_tasks(_place, {"base": 10}, range(20), n_jobs=n_jobs, threads=threads))
    assert [value for value, _, _ in found] == list(range(10, 30))
    assert all((pid == os.getpid()) == here for _, pid, _ in found)
    # To start threads for a single kernel would take longer than it runs.
    ((_, *place),) = run_tasks(_place, {"base": 0}, [0], n_jobs=n_jobs, threads=threads)
    assert (place == [os.getpid(), threading.get_ident()]) == threads


@pytest.mark.parametrize("threads", [True, False])
def test_who_stops_early_is_not_warned_of_unused_answers(threads: bool, tmp_path: Path) -> None:
    answers = run_tasks(_leave_a_sign, tmp_path, range(40), n_jobs=2, threads=threads)
    assert next(answers) == 0
    while not (tmp_path / "2").exists():  # an answer is there that nobody will use
        time.sleep(0.01)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        answers.close()
    assert [str(warning.message) for warning in said] == []


def test_the_workers_of_the_caller_are_used() -> None:
    with joblib.parallel_config(n_jobs=3):
        assert count_workers(None) == 3
        assert count_workers(2) == 2
        found = list(run_tasks(_place, {"base": 0}, range(30)))
    assert threading.get_ident() not in {thread for _, _, thread in found}
    assert count_workers(None) == 1
    assert list(run_tasks(_place, {"base": 0}, [], n_jobs=2)) == []


@pytest.mark.parametrize(
    ("task", "error", "message"),
    [
        (_die, WorkerError, r"a worker process died .*checkpoint folder"),
        (_refuse, ValueError, r"item \d is wrong"),
    ],
)
def test_a_worker_that_dies_is_said_and_an_error_handed_on(task, error, message) -> None:
    with pytest.raises(error, match=message):
        list(run_tasks(task, None, range(4), n_jobs=2, threads=False))


QUIET = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}


@contextmanager
def _two_workers() -> Iterator[Any]:
    """Worker processes on this machine, which are started again when they die."""
    local = distributed.LocalCluster(n_workers=2, **QUIET)
    with local, distributed.Client(local) as client:
        yield client


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """For tests that leave the workers alive."""
    with _two_workers() as client:
        yield client


def ask_twelve() -> None:
    """A cluster answers twelve tasks, whatever happens to it."""
    with joblib.parallel_config(backend="dask"):
        found = list(run_tasks(_place, {"base": 5}, range(12)))
    assert [value for value, _, _ in found] == list(range(5, 17))


def kill_one(client) -> int:
    """Kill a worker of the cluster; the number of its process."""
    process = next(iter(client.run(os.getpid).values()))
    os.kill(process, signal.SIGKILL)
    return process


@pytest.fixture
def mortal() -> Iterator[Any]:
    """For a test that kills a worker, which may be missed for seconds."""
    with _two_workers() as client:
        client.wait_for_workers(2)
        yield client


@pytest.mark.thorough
@pytest.mark.filterwarnings("default")
def test_a_run_on_a_cluster_survives_the_loss_of_a_worker(mortal: Any) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 20)), rng.integers(0, 2, 300)
    X[:, 0] += y
    how = {"filters": ["ig", "chi2"], "n_resamples": 80, "random_state": 0}
    here = pyfsagg.bam(X, y, **how)
    killed: list[int] = []

    def kill(done: int, total: int) -> None:
        if done >= 20 and not killed:
            killed.append(kill_one(mortal))

    with joblib.parallel_config(backend="dask"):
        there = pyfsagg.bam(X, y, execution=pyfsagg.Execution(progress=kill), **how)
    assert killed
    for label, matrix in here.score_matrices.items():
        assert there.score_matrices[label].tobytes() == matrix.tobytes()
    assert there.to_json() == here.to_json()


@pytest.mark.thorough
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_worker_that_dies_while_the_data_are_sent(mortal, monkeypatch, moment):
    scatter = distributed.Client.scatter
    killed: list[int] = []

    def kill() -> None:
        if not killed:
            killed.append(kill_one(mortal))

    def told(self: Any, data: Any, **options: Any) -> Any:
        if moment == "before":
            kill()
        sent = scatter(self, data, **options)
        kill()
        return sent

    monkeypatch.setattr(distributed.Client, "scatter", told)
    ask_twelve()
    assert killed


@pytest.mark.filterwarnings("default")
def test_an_answer_whose_request_is_cancelled_is_asked_for_again(cluster, monkeypatch):
    result, calls = distributed.Future.result, 0

    def cancelled_once(self: Any, timeout: Any = None) -> Any:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise UnboundLocalError("cannot access local variable 'result'")
        return result(self, timeout=timeout)

    monkeypatch.setattr(distributed.Future, "result", cancelled_once)
    ask_twelve()
    assert calls > 12


@pytest.mark.thorough
@pytest.mark.filterwarnings("default")
def test_sending_that_never_ends_because_a_worker_died_is_given_up(mortal, monkeypatch):
    monkeypatch.setattr(parallel, "GRACE", 0.5)
    scatter = distributed.Client.scatter
    never, tries = threading.Event(), 0

    def told(self: Any, data: Any, **options: Any) -> Any:
        nonlocal tries
        tries += 1
        if tries == 1:
            kill_one(mortal)
            never.wait()
        return scatter(self, data, **options)

    monkeypatch.setattr(distributed.Client, "scatter", told)
    ask_twelve()
    never.set()
    assert tries == 2


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("moment", ["never", "later"])
def test_a_cluster_without_workers_is_said_after_a_time(monkeypatch, moment):
    monkeypatch.setattr(parallel, "PATIENCE", 1.0)
    workers = 0 if moment == "never" else 1
    local = distributed.LocalCluster(n_workers=workers, processes=False, **QUIET)
    with local, distributed.Client(local) as client, joblib.parallel_config(backend="dask"):
        if moment == "never":
            real = client.scatter
            # The time that scatter itself waits for a first worker is Dask's.
            monkeypatch.setattr(client, "scatter", lambda *a, **k: real(*a, timeout=1, **k))
        answers = run_tasks(_wait, 0.2, range(50))
        if moment == "later":
            next(answers)
            local.scale(0)
        with pytest.raises(WorkerError, match="no worker for 1 seconds; start some"):
            list(answers)


@pytest.mark.filterwarnings("default")
def test_a_cluster_that_never_answers_is_said(cluster, monkeypatch):
    def closed(self: Any, data: Any, **options: Any) -> Any:
        raise KeyError("tcp://127.0.0.1:1")

    monkeypatch.setattr(distributed.Client, "scatter", closed)
    monkeypatch.setattr(parallel.time, "sleep", lambda seconds: None)
    said = r"died 5 times in a row without an answer \(KeyError\)"
    with joblib.parallel_config(backend="dask"), pytest.raises(WorkerError, match=said):
        list(run_tasks(_place, {"base": 5}, range(4)))


@pytest.mark.filterwarnings("default")
def test_an_error_of_a_task_on_a_cluster_is_handed_on(cluster: Any) -> None:
    wrong = pytest.raises(ValueError, match=r"item \d is wrong")
    with joblib.parallel_config(backend="dask"), wrong:
        list(run_tasks(_refuse, None, range(4)))


@pytest.mark.filterwarnings("default")
def test_the_data_are_sent_to_a_cluster_once(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed.protocol.pickle import dumps

    rng = np.random.default_rng(0)
    cluster.wait_for_workers(2)  # one worker alone, and joblib does the work itself
    shared = {"base": 0, "data": rng.normal(size=200_000)}
    sizes: list[int] = []
    scattered: list[Any] = []
    submit, scatter = distributed.Client.submit, distributed.Client.scatter

    def watched(self: Any, *args: Any, **options: Any) -> Any:
        sizes.append(len(dumps(args)))
        return submit(self, *args, **options)

    def counted(self: Any, data: Any, **options: Any) -> Any:
        scattered.append(options)
        return scatter(self, data, **options)

    monkeypatch.setattr(distributed.Client, "submit", watched)
    monkeypatch.setattr(distributed.Client, "scatter", counted)
    with joblib.parallel_config(backend="dask"):
        found = list(run_tasks(_place, shared, range(30)))
    assert [value for value, _, _ in found] == list(range(30))
    assert {pid for _, pid, _ in found}.isdisjoint({os.getpid()})
    assert len(scattered) == 1
    assert not scattered[0].get("broadcast")  # it may wait for ever after the death of a worker
    assert max(sizes) < 20_000  # bytes; the data are 1.6 million


@pytest.mark.filterwarnings("default")
def test_work_in_place_stays_in_this_process(cluster: Any) -> None:
    total = np.zeros(8)

    def add(item: int) -> None:
        total[item] = os.getpid()

    with joblib.parallel_config(backend="dask"):
        assert len(list(run_threads(add, range(8), 2))) == 8
        assert count_workers(2) == 2
    assert (total == os.getpid()).all()


@pytest.mark.filterwarnings("default")
def test_an_evaluation_on_a_cluster_has_the_same_cells(cluster: Any) -> None:
    data = pyfsagg.load_dataset("wine")
    options: dict[str, Any] = {"methods": ["ig"], "classifiers": ["naive_bayes", "random_forest"]}
    options |= {
        "n_features_to_select": [2],
        "baselines": [],
        "protocol": pyfsagg.evaluation.Protocol(n_folds=2),
    }
    options |= {"n_resamples": 4, "random_state": 0}
    here = pyfsagg.evaluate(data.X, data.y, **options)
    with joblib.parallel_config(backend="dask"):
        there = pyfsagg.evaluate(data.X, data.y, **options)
    assert there.to_frame().equals(here.to_frame())


def test_the_command_uses_the_cluster_it_is_told(cluster, tmp_path, monkeypatch):
    from pyfsagg.cli import main

    monkeypatch.chdir(tmp_path)
    data = pyfsagg.load_dataset("wine")
    data.X.assign(kind=data.y).to_csv("wine.csv", index=False)
    command = ["rank", "wine.csv", "--target", "kind", "--n-resamples", "16", "--quiet", "--output"]
    assert main([*command, "here"]) == 0
    there = [*command, "there", "--dask", cluster.scheduler.address]
    done = run_python("-m", "pyfsagg", *there)
    assert done.returncode == 0, done.stderr
    found = []
    for place in ("here", "there"):
        record = json.loads((tmp_path / place / "run.json").read_text(encoding="utf-8"))
        del record["view"]  # the command
        found.append((record, (tmp_path / place / "ranking.csv").read_bytes()))
    assert found[0] == found[1]


def test_a_scheduler_that_does_not_answer_is_said(monkeypatch, capsys):
    from pyfsagg.cli import main

    def no_answer(address: str, timeout: str) -> None:
        raise OSError(f"Timed out trying to connect to {address} after {timeout}")

    monkeypatch.setattr(distributed, "Client", no_answer)
    code = main(["rank", "wine.csv", "--target", "kind", "--dask", "tcp://nowhere:8786"])
    assert code == 2
    assert "no Dask scheduler answers at tcp://nowhere:8786" in capsys.readouterr().err


ENDING = """
import atexit, os, threading, time
from joblib import Parallel, delayed
from joblib.externals.loky.backend import queues, resource_tracker
from pyfsagg.for_r.tasks import close
feed, tell = queues.Queue._feed, resource_tracker.unregister

def late(*given):
    feed(*given)
    time.sleep(0.1)

def tell_late(name, kind):
    if threading.current_thread() is not threading.main_thread():
        time.sleep(0.3)
    tell(name, kind)

queues.Queue._feed = staticmethod(late)
resource_tracker.unregister = tell_late
if __name__ == "__main__":
    Parallel(2)(delayed(abs)(i) for i in range(4))
    atexit.register(time.sleep, 0.2)  # in which the feeding thread begins to remove a semaphore
    close()
    os._exit(0)
"""


def test_the_end_of_r_waits_for_the_thread_that_feeds_the_workers(tmp_path: Path) -> None:
    """R ends without Python's own end, and a thread in the middle of its work would leave a warning."""
    (tmp_path / "ending.py").write_text(ENDING)
    done = run_python(tmp_path / "ending.py")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


LOCKED = """
import os, signal, time
from contextlib import suppress
from pathlib import Path
from joblib import delayed, Parallel
from joblib.externals.loky import process_executor, reusable_executor
from pyfsagg._run.execution import end_workers

def waits_for_work(process):
    return "poll" in Path(f"/proc/{process}/wchan").read_text()

def late(self):
    with suppress(ProcessLookupError):
        os.kill(holder, signal.SIGKILL)  # with the lock of the queue, at which the other one waits
    end(self)

if __name__ == "__main__":
    Parallel(2)(delayed(abs)(i) for i in range(4))
    workers = list(reusable_executor._executor._processes)
    tells = time.monotonic() + 100.0
    while not any(map(waits_for_work, workers)):
        time.sleep(0.01)
        if time.monotonic() > tells:
            os._exit(77)
    [holder] = filter(waits_for_work, workers)
    end = process_executor._ExecutorManagerThread.join_executor_internals
    process_executor._ExecutorManagerThread.join_executor_internals = late
    end_workers()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_worker_that_dies_at_the_end_does_not_keep_the_others(tmp_path: Path) -> None:
    """They would wait for its lock until loky ends idle workers, after 300 seconds."""
    (tmp_path / "locked.py").write_text(LOCKED)
    done = run_python(tmp_path / "locked.py")
    if done.returncode == 77:
        pytest.skip("the system does not tell where a process waits")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_command_ends_its_workers_if_its_process_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """And Python then looks for no cycles in what it holds: that would take a tenth of a second and more."""
    from pyfsagg.cli import main

    ended: list[str] = []
    monkeypatch.setattr("pyfsagg.cli.end_workers", lambda: ended.append("workers"))
    monkeypatch.setattr("gc.freeze", lambda: ended.append("collector"))
    assert main(["datasets"]) == 0
    assert ended == []
    monkeypatch.setattr(sys, "argv", ["pyfsagg", "datasets"])
    assert main() == 0
    assert ended == ["workers", "collector"]

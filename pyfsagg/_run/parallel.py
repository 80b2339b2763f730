"""Work in parallel: the one place where tasks are handed to joblib.

Tasks of `run_tasks` may run anywhere: in threads, in processes, or on a cluster that the caller has chosen
by ``joblib.parallel_config(backend="dask")``; those of `run_threads` write into arrays that all of them see.
Results come in the order of the items, and no bit depends on the number of workers or on their place.
"""

import numbers
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any, TypeVar
from uuid import uuid4

from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from joblib.parallel import LokyBackend, MultiprocessingBackend, get_active_backend
from threadpoolctl import ThreadpoolController

from pyfsagg._base.interrupts import raise_if_interrupted
from pyfsagg._message import Got, Param
from pyfsagg.exceptions import ParameterError, WorkerError

Item = TypeVar("Item")
Answer = TypeVar("Answer")

_LOCAL = ("LokyBackend", "MultiprocessingBackend", "SequentialBackend", "ThreadingBackend")
_DEAD = (
    "_LostError", "BrokenProcessPool", "CancelledError", "CommClosedError", "FutureCancelledError",
    "FuturesCancelledError", "KilledWorker", "TerminatedWorkerError",
)  # fmt: skip
MOST_WORKERS = 100_000  # more than any machine or cluster has
PATIENCE = 60.0  # seconds that a cluster may be without any worker
GRACE = 10.0  # seconds in which data may still arrive after a worker has died
TRIES = 5  # of a cluster, in a row and without any answer


def one_thread(libraries: str | None = None) -> AbstractContextManager[Any]:
    """One thread for calls of ``"blas"`` (in the whole process), ``"openmp"`` (in this thread), or both."""
    limited: AbstractContextManager[Any] = _thread_pools(len(sys.modules)).limit(
        limits=1, user_api=libraries
    )
    return limited


@lru_cache(maxsize=1)
def _thread_pools(n_modules: int) -> ThreadpoolController:
    """The libraries of this process that have threads; to look for them takes as long as a small k-means."""
    return ThreadpoolController()


class _Shared:
    """What all tasks read; one object, so a cluster is sent it once."""

    def __init__(self, value: Any) -> None:
        self.value = value


def run_tasks(
    function: Callable[[Any, Item], Answer],
    shared: Any,
    items: Sequence[Item],
    *,
    n_jobs: int | None = None,
    threads: bool = True,
) -> Iterator[Answer]:
    """``function(shared, item)`` for each item, in order. Clusters get `shared` once and use all workers;
    with `threads` (kernels that release the GIL) tasks run in this process, otherwise in processes."""
    backend, configured = get_active_backend()
    n_jobs = configured if n_jobs is None else _not_zero(n_jobs)
    cluster = type(backend).__name__ not in _LOCAL
    if threads and not cluster and 1 in (n_jobs, len(items)):
        for item in items:
            raise_if_interrupted()
            yield function(shared, item)
        return
    packed = _Shared(shared)
    tasks = (delayed(_call)(function, packed, item) for item in items)
    if cluster:
        yield from _on_cluster(backend, function, packed, items)
    elif threads:
        # A backend that the caller has chosen for all of joblib may give its results only as a list.
        as_list = isinstance(backend, MultiprocessingBackend)
        how = _order_of_results(backend) if as_list else "generator"
        yield from _results(_Parallel(n_jobs, prefer="threads", return_as=how), tasks)
    else:
        # One thread for linear algebra keeps the last digit independent of the number of workers.
        with one_thread():
            with parallel_config(backend=_Processes(inner_max_num_threads=1), n_jobs=n_jobs):
                parallel = _Parallel(n_jobs, return_as="generator")
            try:
                yield from _results(parallel, tasks)
            except Exception as error:
                if type(error).__name__ not in _DEAD:
                    raise
                raise WorkerError(
                    f"a worker process died ({type(error).__name__}): it was killed, or its machine "
                    "ran out of memory. Take fewer workers, and a checkpoint folder, from which the "
                    "next run continues"
                ) from error


def _on_cluster(
    backend: Any, function: Callable[[Any, Item], Answer], packed: _Shared, items: Sequence[Item]
) -> Iterator[Answer]:
    """Answers of a cluster, in order; those lost with a worker are requested again."""
    done, failures = 0, 0
    while True:
        sending = True
        try:
            if type(backend).__name__ == "DaskDistributedBackend":
                # Not by joblib, which waits for ever for tasks whose data are lost.
                answers = _dask_answers(backend.client, function, packed, items[done:])
            else:
                tasks = (delayed(_call_remote)(function, packed, item) for item in items[done:])
                answers = _results(_Parallel(return_as=_order_of_results(backend)), tasks)
            sending = False
            for answer in answers:
                raise_if_interrupted()
                done, failures = done + 1, 0
                yield answer
            return
        except Exception as error:
            # While data are sent no code of the caller runs: a failure is the cluster's.
            if not sending and type(error).__name__ not in _DEAD:
                raise
            failures += 1
            if failures == TRIES:
                raise WorkerError(
                    f"workers of the cluster died {TRIES} times in a row without an answer "
                    f"({type(error).__name__}): they were killed, or ran out of memory. Take workers "
                    "with more memory, and a checkpoint folder, from which the next run continues"
                ) from error
            time.sleep(1.0)  # a cluster starts what has died again
            client = getattr(backend, "client", None)
            if client is not None:
                try:
                    client.wait_for_workers(1, timeout=PATIENCE)
                except TimeoutError:
                    raise _deserted() from None
                except Exception:  # the cluster is gone, which the next try says
                    continue


def _dask_answers(
    client: Any, function: Callable[[Any, Item], Answer], packed: _Shared, items: Sequence[Item]
) -> Iterator[Answer]:
    """Answers of a Dask cluster, whose workers pass the shared data to each other."""
    shared = _send(client, packed)
    futures = [
        client.submit(_call_remote, function, shared, item, pure=False, key=f"pyfsagg-{uuid4()}")
        for item in items
    ]

    def answers() -> Iterator[Answer]:
        try:
            for place, future in enumerate(futures):
                yield _result_of(client, future, shared)
                futures[place] = None
        finally:
            client.cancel([future for future in futures if future is not None])

    return answers()


class _LostError(Exception):
    """Data or answers that were on a worker which died."""


def _send(client: Any, packed: _Shared) -> Any:
    """A copy on one worker, from which others take theirs; Dask's ``broadcast`` may block for ever."""
    sent: Future[Any] = Future()

    def send() -> None:
        try:
            sent.set_result(client.scatter(packed, hash=False))
        except BaseException as error:
            sent.set_exception(error)

    workers = set(client.nthreads())
    threading.Thread(target=send, daemon=True).start()
    missed: float | None = None
    while True:
        wait([sent], timeout=1.0)
        if sent.done():
            return sent.result()
        if workers <= set(client.nthreads()):
            missed = None
        elif missed is None:
            missed = time.monotonic()
        elif time.monotonic() - missed > GRACE:
            raise _LostError("a worker died while it was sent the data")


def _result_of(client: Any, future: Any, shared: Any) -> Any:
    """The answer of a task, or an error if its data are lost or no worker takes it."""
    deserted: float | None = None
    while True:
        try:
            return future.result(timeout=2.0)
        except UnboundLocalError:
            if future.status == "error":  # the task's own
                raise
            # So Dask's client fails if its request is cancelled, as when the task's worker dies.
            raise _LostError("the request for an answer was cancelled") from None
        except TimeoutError:
            if future.status == "error":  # the task's own
                raise
            if "lost" in (future.status, shared.status):
                raise _LostError("the data were on a worker that died") from None
            if client.scheduler_info()["workers"]:
                deserted = None
            elif deserted is None:
                deserted = time.monotonic()
            elif time.monotonic() - deserted > PATIENCE:
                raise _deserted() from None


def _deserted() -> WorkerError:
    return WorkerError(
        f"the cluster has had no worker for {PATIENCE:.0f} seconds; start some, and name a checkpoint "
        "folder, from which the next run continues"
    )


def _order_of_results(backend: Any) -> str:
    return "generator" if getattr(backend, "supports_return_generator", False) else "list"


def _results(parallel: Parallel, tasks: Iterator[Any]) -> Iterator[Any]:
    """Results as they come."""
    results = parallel(tasks)
    try:
        for result in results:
            raise_if_interrupted()
            yield result
    finally:
        if isinstance(results, Iterator):
            results.close()  # type: ignore[attr-defined]


def _call(function: Callable[[Any, Item], Answer], packed: _Shared, item: Item) -> Answer:
    return function(packed.value, item)


class _Parallel(Parallel):  # type: ignore[misc]
    """A caller that stops early (an error, an interrupt) is not warned of unused results."""

    def _warn_exit_early(self) -> None:
        pass


class _Processes(LokyBackend):  # type: ignore[misc]
    """Processes of this machine that end with the one that started them."""

    def configure(self, *arguments: Any, **options: Any) -> int:
        ending = {"initializer": _end_with, "initargs": (os.getpid(),)}
        return int(super().configure(*arguments, **options, **ending))


def _end_with(parent: int) -> None:
    """End this process within about two seconds of its parent, which cannot signal its own death."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, name="pyfsagg-parent", daemon=True).start()


def _call_remote(function: Callable[[Any, Item], Answer], packed: _Shared, item: Item) -> Answer:
    """On a worker of a cluster, where parallel work within a task would ask the cluster again."""
    with parallel_config(backend="threading", n_jobs=1):
        return function(packed.value, item)


def run_threads(
    function: Callable[[Item], Answer], items: Iterable[Item], n_jobs: int | None = None
) -> Iterator[Answer]:
    """``function(item)`` for each item in threads of this process, also if a cluster is in use."""
    parallel = _Parallel(_local(n_jobs), require="sharedmem", return_as="generator")
    return _results(parallel, (delayed(function)(item) for item in items))


def count_workers(n_jobs: int | None) -> int:
    """How many threads `run_threads` uses."""
    with parallel_config(backend="threading"):
        return int(effective_n_jobs(_local(n_jobs)))


def _local(n_jobs: int | None) -> int:
    """The number of workers of this machine, or else what the caller has configured, or else one."""
    return int((get_active_backend()[1] if n_jobs is None else _not_zero(n_jobs)) or 1)


def _not_zero(n_jobs: int) -> int:
    """A number of workers; 0 means nothing, and no machine has more than `MOST_WORKERS`."""
    is_number = isinstance(n_jobs, numbers.Integral) and not isinstance(n_jobs, bool)
    if not is_number or n_jobs == 0 or abs(n_jobs) > MOST_WORKERS:
        raise ParameterError(
            Param("n_jobs"), " must be a whole number of workers, or -1 for all cores", Got(n_jobs)
        )
    return int(n_jobs)

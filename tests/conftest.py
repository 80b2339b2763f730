"""What holds for the whole suite."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from pyfsagg import exceptions


def pytest_configure() -> None:
    """Of workers that need a kernel at the same time one compiles it; the others wait, and find it."""
    folder = Path(os.environ.get("NUMBA_CACHE_DIR", ""))
    if os.name != "posix" or not folder.is_absolute() or "PYTEST_XDIST_WORKER" not in os.environ:
        return
    import fcntl

    def compile_alone(self: Any, signature: Any) -> Any:
        if self.stats.cache_path is None:
            return usual(self, signature)
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{self.__module__}.{self.__qualname__}.lock"
        with global_compiler_lock, (folder / name).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return usual(self, signature)

    usual, Dispatcher.compile = Dispatcher.compile, compile_alone


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Those of R begin: the longest are among them, and the worker that has them installs packages once."""
    items.sort(key=lambda item: item.get_closest_marker("r") is None)


def pytest_collection_finish() -> None:
    """Thousands of collected tests live as long as the process: garbage is not looked for among them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def whole_messages(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """What tests of refusals are told is recorded, whole, in ``tests/snapshots/refusals``.

    It is compared where the versions are today's, because some messages quote another library.
    """
    test = request.node
    lowest = Path(sys.prefix).name == ".venv-lowest"
    if lowest or "refus" not in test.name or any(map(test.get_closest_marker, ("r", "thorough"))):
        yield
        return
    from snapshots import compare  # which loads Matplotlib

    def tell(self: exceptions._Spelled, *parts: object) -> None:
        usual(self, *parts)
        told.append(f"{type(self).__name__}: {self}")

    told: list[str] = []
    usual = exceptions._Spelled.__init__
    monkeypatch.setattr(exceptions._Spelled, "__init__", tell)
    yield
    compare(
        f"refusals/{test.path.parent.name}/{test.path.stem}",
        test.name,
        "\n".join(dict.fromkeys(told)),
    )

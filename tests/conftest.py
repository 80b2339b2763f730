"""What holds for the whole suite."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import Any

import pytest
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher


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

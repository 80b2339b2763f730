"""An upgrade in place never runs machine code that was compiled from other sources."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pyfsagg
from pyfsagg import _kernels

PACKAGE = Path(pyfsagg.__file__).parent
CALLER = """from numba import njit
from loops.room.called import f

@njit(cache=True)
def g():
    return f()
"""
CALLED = "from numba import njit\n\n@njit(cache=True)\ndef f():\n    return {0}\n"


def run(folder: Path, **environment: str) -> tuple[int, int]:
    """Result of the kernel ``g`` in a fresh process, and how often its cache served."""
    code = "from loops.caller import g; print(g(), sum(g.stats.cache_hits.values()))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        # Sources change within a second here, which Python's own cache would not see.
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    value, hits = map(int, done.stdout.split())
    return value, hits


@pytest.mark.parametrize("elsewhere", [False, True], ids=["beside the sources", "NUMBA_CACHE_DIR"])
def test_a_change_of_a_called_kernel_reaches_its_callers(tmp_path: Path, elsewhere: bool) -> None:
    loops = tmp_path / "loops"
    (loops / "room").mkdir(parents=True)
    (loops / "room" / "__init__.py").touch()
    (loops / "__init__.py").write_bytes(Path(_kernels.__file__).read_bytes())
    (loops / "caller.py").write_text(CALLER)
    (loops / "room" / "called.py").write_text(CALLED.format(1))
    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")} if elsewhere else {}
    assert run(tmp_path, **environment) == (1, 0)
    assert run(tmp_path, **environment) == (1, 1)
    (loops / "room" / "called.py").write_text(CALLED.format(2))
    assert run(tmp_path, **environment) == (2, 0)
    assert run(tmp_path, **environment) == (2, 1)


def test_compiled_loops_live_in_the_folder_that_is_watched() -> None:
    for path in PACKAGE.rglob("*.py"):
        if PACKAGE / "_kernels" not in path.parents:
            assert "njit" not in path.read_text(encoding="utf-8"), path

"""An upgrade in place never runs machine code that was compiled from other sources."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pyfsagg
from pyfsagg import _kernels

PACKAGE = Path(pyfsagg.__file__).parent
CALLER = """from loops import kernel
from loops.room.called import f

@kernel
def g():
    return f()
"""
CALLED = "from loops import kernel\n\n@kernel\ndef f():\n    return {0}\n"


def printed(code: str, folder: Path, environment: dict[str, str] | None = None) -> str:
    command = [sys.executable, "-c", code]
    how: Any = {"cwd": folder, "env": environment, "capture_output": True, "text": True}
    return str(subprocess.run(command, check=True, **how).stdout)


def run(folder: Path, **environment: str) -> tuple[int, int]:
    """Result of the kernel ``g`` in a fresh process, and how often its cache served."""
    value, hits, compiled = _run(folder, **environment)
    assert bool(compiled) == bool(hits)  # what a first run tells its user
    return value, hits


def _run(folder: Path, **environment: str) -> tuple[int, ...]:
    code = (
        "import loops; from loops.caller import g; before = loops.compiled(); "
        "print(g(), sum(g.stats.cache_hits.values()), int(before))"
    )
    # Sources change within a second here, which Python's own cache would not see.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment}
    return tuple(map(int, printed(code, folder, environment).split()))


def test_a_change_of_a_called_kernel_reaches_its_callers(tmp_path: Path) -> None:
    loops = _copied(tmp_path)
    assert run(tmp_path) == (1, 0)
    assert run(tmp_path) == (1, 1)
    (loops / "room" / "called.py").write_text(CALLED.format(2))
    assert run(tmp_path) == (2, 0)


def _copied(tmp_path: Path) -> Path:
    loops = tmp_path / "loops"
    (loops / "room").mkdir(parents=True)
    (loops / "room" / "__init__.py").touch()
    (loops / "__init__.py").write_bytes(Path(_kernels.__file__).read_bytes())
    (loops / "caller.py").write_text(CALLER)
    (loops / "room" / "called.py").write_text(CALLED.format(1))
    return loops


def _flipped(content: bytes) -> bytes:
    """One bit in the middle, which may be one of the machine code: it is read without an error."""
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut off": lambda content: content[:40],
    "empty": lambda content: b"",
    "zeros": lambda content: content[:40] + bytes(len(content) - 41) + b".",
    "a bit": _flipped,
}


@pytest.mark.parametrize("pattern", ["*.nbi", "*.nbc"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_kernels_whose_files_are_damaged_are_compiled_again(tmp_path, pattern, damage) -> None:
    _copied(tmp_path)
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert run(tmp_path, **cache) == (1, 0)
    damaged = list((tmp_path / "cache").rglob(pattern))
    assert damaged
    for path in damaged:
        path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert _run(tmp_path, **cache)[:2] == (1, 0)
    assert run(tmp_path, **cache) == (1, 1)


def test_an_installation_that_cannot_be_written_without_a_home(tmp_path: Path) -> None:
    _copied(tmp_path)
    (tmp_path / "file").touch()  # a folder cannot be made in it, whoever asks
    (tmp_path / "temporary").mkdir()
    nowhere = str(tmp_path / "file" / "cache")
    assert run(tmp_path, NUMBA_CACHE_DIR=nowhere, TMPDIR=str(tmp_path / "temporary")) == (1, 0)
    assert not list((tmp_path / "temporary").iterdir())


def test_what_was_compiled_for_the_wheel_is_found_where_it_fits(tmp_path: Path) -> None:
    loops = _copied(tmp_path)
    assert run(tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache")) == (1, 0)

    def shipped(needs: str) -> None:
        code = (
            f"import sys; sys.path.insert(0, {str(PACKAGE.parent / 'tools')!r}); import loops, pathlib\n"
            "from compiled_kernels import pack\n"
            f"print(pack(loops, pathlib.Path('cache'), 'this', {needs.split()}))"
        )
        assert "this.zip: 2 kernels" in printed(code, tmp_path)

    shipped("")
    empty = iter(str(tmp_path / f"empty{i}") for i in range(9))
    assert run(tmp_path, NUMBA_CACHE_DIR=next(empty)) == (1, 1)
    assert run(tmp_path, NUMBA_CACHE_DIR=next(empty), NUMBA_BOUNDSCHECK="1") == (1, 0)
    shipped("instructions-of-tomorrow")
    assert run(tmp_path, NUMBA_CACHE_DIR=next(empty)) == (1, 0)
    shipped("")
    (loops / "room" / "called.py").write_text(CALLED.format(2))
    assert run(tmp_path, NUMBA_CACHE_DIR=next(empty)) == (2, 0)


SHARED = "from loops import kernel\n\n@kernel\ndef f(x):\n    return x + x\n"
# Another process compiles `f` at the same moment: it has not seen the index that this one writes, and
# has written its own, but not yet the code.
LATE = """from loops.shared import f
cache = f._cache._cache_file
cache._load_index = dict
cache._save_data = lambda name, data: None
f(0.25)
"""


def test_processes_that_compile_for_different_types_at_once_never_swap_their_code(tmp_path) -> None:
    loops = _copied(tmp_path)
    (loops / "shared.py").write_text(SHARED)
    for code in ("from loops.shared import f; f(1)", LATE):
        printed(code, tmp_path)
    code = "from loops.shared import f; print(f(0.25), f(3), sum(f.stats.cache_hits.values()))"
    for hits in (0, 2):  # what was lost is compiled again, and kept
        assert printed(code, tmp_path).split() == ["0.5", "6", str(hits)]


def test_compiled_loops_live_in_the_folder_that_is_watched() -> None:
    for path in PACKAGE.rglob("*.py"):
        if PACKAGE / "_kernels" not in path.parents:
            assert "njit" not in path.read_text(encoding="utf-8"), path

"""The command line as users type it: in this process, and as one of its own where that can differ.

A new process spends seconds on imports, so most tests call `main` here. What only a process shows is
tested with `process`: `python -m`, real pipes, the exit code that the system sees, signals.
"""

import io
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import words

from pyfsagg.cli import main

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]
Command = Callable[..., tuple[str, str]]


def _print_warning(message: Warning | str, *where: object) -> None:
    """What Python does with a warning where nobody collects it."""
    sys.stderr.write(warnings.formatwarning(message, *where[:3]))  # type: ignore[arg-type]


@pytest.fixture
def pyfsagg(tmp_path, monkeypatch, capsys) -> Run:
    """Run ``pyfsagg("rank wine.csv --target kind")`` in an empty folder; it must end with `code`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(warnings, "showwarning", _print_warning)  # pytest would collect it

    def run(line: str, *more: str, stdin: str = "", code: int | None = 0) -> Done:
        arguments = words(line, *more)
        monkeypatch.setattr("sys.argv", ["pyfsagg", *arguments])  # reports show the command
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        capsys.readouterr()
        try:
            found = main(arguments)
        except SystemExit as stop:
            found = int(stop.code or 0)
        printed = capsys.readouterr()
        assert code in (found, None), printed.err
        return subprocess.CompletedProcess(arguments, found, printed.out, printed.err)

    return run


@pytest.fixture
def process(tmp_path: Path) -> Run:
    """The same as a process of its own, with real pipes."""

    def run(line: str, *more: str, stdin: str | None = None, code: int = 0) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "pyfsagg", *words(line, *more)],
            cwd=tmp_path,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=300,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done

    return run


@pytest.fixture
def command(pyfsagg: Run) -> Command:
    """Run a command line in this process: output and errors."""

    def run(line: str, *more: str, code: int = 0) -> tuple[str, str]:
        done = pyfsagg(line, *more, code=code)
        return done.stdout, done.stderr

    return run


@pytest.fixture
def refused(pyfsagg: Run, tmp_path: Path) -> Callable[..., str]:
    """Run a command that is refused: one line says why, and no file comes, goes or is printed."""

    def run(line: str, *more: str) -> str:
        before = sorted(tmp_path.rglob("*"))
        done = pyfsagg(line, *more, code=2)
        assert done.stdout == ""
        assert done.stderr.count("\n") == 1, done.stderr
        assert sorted(tmp_path.rglob("*")) == before
        return done.stderr

    return run

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
Command = Callable[..., tuple[int, str, str]]


def _print_warning(message: Warning | str, *where: object) -> None:
    """What Python does with a warning where nobody collects it."""
    sys.stderr.write(warnings.formatwarning(message, *where[:3]))  # type: ignore[arg-type]


@pytest.fixture
def pyfsagg(tmp_path, monkeypatch, capsys):
    """Run a command line in an empty folder: ``pyfsagg("rank wine.csv --target kind")``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(warnings, "showwarning", _print_warning)  # pytest would collect it

    def run(line: str, *more: str, stdin: str = "") -> Done:
        arguments = words(line, *more)
        monkeypatch.setattr("sys.argv", ["pyfsagg", *arguments])  # reports show the command
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        capsys.readouterr()
        try:
            code = main(arguments)
        except SystemExit as stop:
            code = int(stop.code or 0)
        printed = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, code, printed.out, printed.err)

    return run


@pytest.fixture
def process(tmp_path: Path) -> Run:
    """The same as a process of its own, with real pipes."""

    def run(line: str, *more: str, stdin: str | None = None) -> Done:
        return subprocess.run(
            [sys.executable, "-m", "pyfsagg", *words(line, *more)],
            cwd=tmp_path,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=300,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            check=False,
        )

    return run


@pytest.fixture
def command(pyfsagg: Run) -> Command:
    """Run a command line in this process: exit code, output and errors."""

    def run(line: str, *more: str) -> tuple[int, str, str]:
        done = pyfsagg(line, *more)
        return done.returncode, done.stdout, done.stderr

    return run

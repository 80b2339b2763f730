"""The command line as users run it, as a process of its own or, which is faster, in this one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import words

from pyfsagg.cli import main

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def pyfsagg(tmp_path: Path) -> Run:
    """Run ``pyfsagg`` in an empty folder: ``pyfsagg("rank wine.csv --target kind")``."""

    def run(line: str, *more: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
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
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Run the command line in this process, in an empty folder: exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def run(line: str, *more: str) -> tuple[int, str, str]:
        try:
            code = main(words(line, *more))
        except SystemExit as stop:
            code = int(stop.code or 0)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run

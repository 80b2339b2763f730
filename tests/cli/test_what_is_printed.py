"""What commands print, their exit codes and files, as it is recorded in ``tests/snapshots``."""

import json
import re
import shlex
import warnings

import pytest
import snapshots
from command_lines import LINES, write_tables

from pyfsagg._command.parser import commands_of
from pyfsagg.cli import build_parser

COMMANDS = sorted(commands_of(build_parser()))
MOST = 60  # lines of a text that are recorded


@pytest.fixture(autouse=True)
def as_wide_as_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "88")


def shown(text: str) -> str:
    """What is printed, of long lists the first and the last."""
    if text.startswith("{"):
        record = json.loads(text)
        record.pop("versions", None)
        return snapshots.of_record(record)
    # Times and progress are those of this machine.
    text = re.sub(r"^\d+ (of \d+ )?[a-z]+ (to do|done).*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"\b\d+(\.\d+)? (ms|s|seconds?)\b", "* s", text)
    return "\n".join(snapshots.some_of(text.splitlines(), MOST))


@pytest.mark.parametrize("line", LINES)
def test_a_command_prints(pyfsagg, tmp_path, line: str) -> None:
    write_tables(tmp_path)
    before = set(tmp_path.rglob("*"))
    *first, last = line.split("; ")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        for each in first:
            pyfsagg(each)
        done = pyfsagg(last, code=None)
    files = sorted(str(path.relative_to(tmp_path)) for path in {*tmp_path.rglob("*")} - before)
    told = [
        f"$ pyfsagg {line}",
        f"code {done.returncode}; files: {', '.join(files) or 'none'}",
        shown(done.stdout),
        *(f"! {each}" for each in shown(done.stderr).splitlines()),
    ]
    name = next((word for word in shlex.split(last) if word in COMMANDS), "pyfsagg")
    snapshots.compare(f"commands/{name}", line or "without words", "\n".join(told))


@pytest.mark.parametrize("command", COMMANDS)
def test_help(pyfsagg, command: str) -> None:
    text = pyfsagg(f"{command} --help all").stdout
    snapshots.compare("commands/help", command, text)

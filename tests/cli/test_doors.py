"""The terminal gives the bits of Python, for every method of the table in `support/doors.py`."""

import doors
import pytest

from pyfsagg.cli import main

FIRST = {case.name for case in doors.one_of_each_kind()}
CASES = [
    pytest.param(case, id=case.name, marks=[] if case.name in FIRST else pytest.mark.thorough)
    for case in doors.cases()
]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("doors")
    doors.write_inputs(folder)
    return folder


@pytest.mark.parametrize("case", CASES)
def test_the_terminal_gives_the_bits_of_python(case, inputs, monkeypatch):
    monkeypatch.chdir(inputs)
    case.python(inputs).save(inputs / "python" / case.name)
    output = f"terminal/{case.name}"
    assert main([*case.terminal.split(), "--output", output, "--quiet"]) == 0
    assert doors.digest(inputs / output) == doors.digest(inputs / "python" / case.name)

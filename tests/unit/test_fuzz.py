"""The fuzz of ``make validate`` finds what is wrong; what it finds is no matter of this file."""

import itertools
import time
import warnings
from typing import Any

import numpy as np
import pytest
from loading import tool

import pyfsagg

fuzz = tool("fuzz")


def test_every_command_has_a_line_or_a_reason() -> None:
    assert set(fuzz.commands()) == {*fuzz.USUAL, *fuzz.NOT_TRIED}
    assert not set(fuzz.USUAL) & set(fuzz.NOT_TRIED)
    for command, line in fuzz.USUAL.items():
        fuzz.commands()[command].parse_args(line.split())


def test_a_finding_is_an_error_or_a_warning_that_is_not_ours() -> None:
    for call, finding in (
        (lambda: {}["a"], "KeyError: 'a'"),
        (lambda: warnings.warn("over", RuntimeWarning, stacklevel=1), "RuntimeWarning: over"),
        (lambda: pyfsagg.load_dataset("nothing"), None),
    ):
        found = fuzz.run_call(call, [], {})
        assert found is None if finding is None else found.startswith(finding)


def test_what_takes_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, "SECONDS", 0.05)
    with pytest.raises(fuzz._Stopped):
        fuzz.run_call(lambda: all(number >= 0 for number in itertools.count()), [], {})


def test_a_compilation_is_not_stopped_half_way(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "def compiles(end):\n    while not end():\n        pass"
    names: dict[str, Any] = {}
    exec(compile(source, "/usr/lib/numba/core/compiler.py", "exec"), names)
    asked: list[float] = []

    def after_a_while() -> bool:
        asked.append(time.process_time())
        return asked[-1] > asked[0] + 0.3

    monkeypatch.setattr(fuzz, "SECONDS", 0.05)
    assert fuzz.run_call(names["compiles"], [after_a_while], {}) is None
    assert asked[-1] > asked[0] + 0.3


def test_a_number_is_the_same_call_again() -> None:
    functions = fuzz.public_functions()
    assert {"wam", "statistics.friedman", "Rankings.from_lists", "Execution"} <= set(functions)
    for number in (3, 1234):
        (one, *first), (two, *second) = (fuzz.make_call(0, number, functions) for _ in range(2))
        assert one == two
        np.testing.assert_equal(repr(first), repr(second))
    assert fuzz.make_line(0, 17) == fuzz.make_line(0, 17)

"""Ctrl-C while R waits for Python: where it ends the work, and where it only leaves a note."""

import ctypes
import signal
import sys
import time
from contextlib import suppress
from typing import Any

import pytest

from pyfsagg.for_r import _interrupts, answer, enter, leave, watch
from pyfsagg.for_r._given import call_r
from pyfsagg.for_r._interrupts import inside_r, interruptible


@pytest.fixture
def visit():
    handler = signal.getsignal(signal.SIGINT)
    enter()
    yield
    while _interrupts._visits:
        leave()
    watch(lambda: None)
    signal.signal(signal.SIGINT, handler)


def ctrl_c() -> None:
    signal.raise_signal(signal.SIGINT)


def work_on() -> str:
    """Work that only an interrupt ends, however slow the machine is; or else the test fails after minutes."""
    end = time.monotonic() + 300.0
    while time.monotonic() < end:
        time.sleep(0.01)
    return "worked to the end"


def assert_ended(work) -> None:
    assert interruptible(work) is None


def test_an_interrupt_ends_the_work_and_one_before_it_waits_for_it(visit: None) -> None:
    assert interruptible(lambda: (ctrl_c(), "not reached")[1]) is None
    assert leave() is True
    enter()
    ctrl_c()
    assert interruptible(lambda: pytest.fail("it began")) is None
    assert leave() is True
    enter()
    ctrl_c()
    assert answer("call", {"of": "nogueira", "arguments": {}}) == {"warnings": []}


@pytest.mark.usefixtures("visit")
def test_an_interrupt_after_the_work_is_told() -> None:
    assert interruptible(lambda: 5) == 5
    ctrl_c()
    assert leave() is True
    enter()
    assert interruptible(lambda: 6) == 6
    assert leave() is False


@pytest.mark.usefixtures("visit")
def test_a_second_ctrl_c_lets_python_tidy_up() -> None:
    tidy = []

    def work() -> None:
        try:
            ctrl_c()
        finally:
            ctrl_c()
            tidy.append(True)

    assert interruptible(work) is None
    assert tidy


@pytest.mark.usefixtures("visit")
def test_an_import_is_ended_before_the_interrupt(tmp_path, monkeypatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "half_a_module.py").write_text(
        "import signal\nsignal.raise_signal(signal.SIGINT)\nwhole = True\n"
    )

    def work() -> str:
        import half_a_module  # type: ignore[import-not-found]  # noqa: F401

        return work_on()

    assert_ended(work)
    assert sys.modules.pop("half_a_module").whole
    assert leave() is True


@pytest.mark.usefixtures("visit")
@pytest.mark.parametrize(
    ("module", "ended"),
    [
        ("llvmlite.binding", [True]),
        ("numba.core.dispatcher", [True]),
        # numba unpickles there what a loop returns: a call of many loops is always met in it.
        ("numba.core.serialize", []),
    ],
)
def test_what_compiles_is_ended_before_the_interrupt(module: str, ended: list[bool]) -> None:
    scope: dict[str, Any] = {"__name__": module, "ctrl_c": ctrl_c, "ended": []}
    exec("def callback():\n    ctrl_c()\n    ended.append(True)\n", scope)
    assert_ended(lambda: (scope["callback"](), work_on()))
    assert scope["ended"] == ended


@pytest.mark.usefixtures("visit")
def test_an_interrupt_that_somebody_swallows_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_interrupts, "PAUSE", 0.2)

    def work() -> str:
        with suppress(KeyboardInterrupt):  # as Python does with what is raised in a finalizer
            ctrl_c()
        return work_on()

    assert_ended(work)


@pytest.mark.usefixtures("visit")
def test_an_r_function_has_the_handler_of_r_and_what_it_asks_is_told_by_itself() -> None:
    handler_of_process = ctypes.pythonapi.PyOS_getsig
    handler_of_process.restype = ctypes.c_void_p
    theirs = _interrupts._visits[-1].handler
    ours = handler_of_process(signal.SIGINT)

    def work() -> str:
        with inside_r():
            assert handler_of_process(signal.SIGINT) == theirs
            enter()  # the R function calls Python
            ctrl_c()
            assert leave() is True  # and met the interrupt of that
        assert handler_of_process(signal.SIGINT) == ours
        return "done"

    assert interruptible(work) == "done"
    assert leave() is False
    assert handler_of_process(signal.SIGINT) == theirs


@pytest.mark.usefixtures("visit")
def test_an_interrupt_in_an_r_function_ends_the_work_after_it() -> None:
    done = []

    def work() -> None:
        with inside_r():
            ctrl_c()
            done.append("the R function")
        done.append("the rest")

    assert interruptible(work) is None
    assert done == ["the R function"]
    assert leave() is True


def test_between_visits_the_handler_of_others_is_called_once() -> None:
    """That of reticulate trips itself again as long as R's interrupts are suspended."""
    before = signal.getsignal(signal.SIGINT)
    calls = []

    def again(*given: object) -> None:
        calls.append(given)
        ctrl_c()

    try:
        signal.signal(signal.SIGINT, again)
        enter()
        assert leave() is False
        ctrl_c()
        assert len(calls) == 1
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("visit")
@pytest.mark.parametrize("said", ["reached elapsed time limit", True])
def test_a_time_limit_or_an_interrupt_that_r_tells_of_ends_the_work(said: str | bool) -> None:
    asked = []

    def look() -> str | bool | None:
        asked.append(_interrupts._visits[-1].at_work)
        return said if len(asked) > 1 else None

    watch(look)
    assert_ended(work_on)
    assert asked[0] is False  # R has the signal while it is asked
    assert leave() == said
    enter()
    assert interruptible(lambda: 7) == 7
    assert leave() is False


@pytest.mark.usefixtures("visit")
def test_a_time_limit_that_an_r_function_meets_is_told() -> None:
    assert interruptible(lambda: call_r(lambda: {"limit": "reached"})) is None
    assert leave() == "reached"

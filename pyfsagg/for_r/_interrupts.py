"""Ctrl-C while R waits for Python: it ends the computation, and nothing else is cut short.

R and Python run in one thread, and reticulate passes SIGINT to both: whichever looks first stops its work.
That is wrong wherever R's and Python's code are on the stack together.  R leaves by a jump over C++ and
Python's C, which breaks them; and a ``KeyboardInterrupt`` may surface where reticulate converts a value.

Therefore R gets no signal between :func:`enter` and :func:`leave`.  Python handles it then: it raises a
``KeyboardInterrupt`` only within :func:`interruptible`, and otherwise remembers that one came, which
:func:`leave` reports to R.  An R function that Python calls gets the signal for as long as it runs.

R's time limits (``setTimeLimit()``) are looked at by R, which does not run meanwhile: it is asked again and
again, between two steps of the main thread, and a limit that is reached ends the work as Ctrl-C does.
"""

import _thread
import ctypes
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, NoReturn, TypeVar

Value = TypeVar("Value")

PAUSE = 5.0  # seconds in which a second Ctrl-C does not cut short what the first one makes Python tidy up
SOON = 0.05  # after which an import may be over
EVERY = 0.2  # seconds between two looks at R's time limits

# signal.signal() changes Python's handler and that of the process; R's is put back without Python's.
_set_handler = ctypes.pythonapi.PyOS_setsig
_set_handler.argtypes = [ctypes.c_int, ctypes.c_void_p]
_set_handler.restype = ctypes.c_void_p
_get_handler = ctypes.pythonapi.PyOS_getsig
_get_handler.argtypes = [ctypes.c_int]
_get_handler.restype = ctypes.c_void_p
_handle_those_that_came = ctypes.pythonapi.PyErr_CheckSignals
# What a main thread does between two steps; PyErr_SetInterruptEx() there interrupts the step that follows, in
# the frame of the work, as no code of Python could.
_between_two_steps = ctypes.pythonapi.Py_AddPendingCall
_between_two_steps.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
_interrupt = ctypes.cast(ctypes.pythonapi.PyErr_SetInterruptEx, ctypes.c_void_p)


@dataclass
class _Visit:
    """A call of R."""

    handler: int | None  # R's, an address
    came: bool = False
    limit: str = ""  # what R says of a time limit that was reached
    at_work: bool = False
    over: threading.Event = field(default_factory=threading.Event)
    quiet_until: float = 0.0
    reminding: threading.Lock = field(default_factory=threading.Lock)


_visits: list[_Visit] = []  # more than one if an R function that Python calls asks Python
_others: Any = None  # the handler of Python's that was there
_with_others = False
# R's function that says which time limit is reached.
_look: Callable[[], str | bool | None] | None = None


def watch(look: Callable[[], str | bool | None]) -> None:
    """Ask R by this function for its time limits."""
    global _look
    _look = look


def enter() -> None:
    """From now on interrupts are Python's; R has those that came before."""
    global _others
    _handle_those_that_came()
    _visits.append(_Visit(_get_handler(signal.SIGINT)))
    before = signal.signal(signal.SIGINT, _meet)
    if before is not _meet:
        _others = before


def leave() -> bool | str:
    """From now on interrupts are R's again; whether one came, or the time limit that was reached."""
    visit = _visits[-1]
    _set_handler(signal.SIGINT, visit.handler)
    with visit.reminding:  # of nothing any more from here on
        _handle_those_that_came()
    _visits.pop()
    return visit.limit or visit.came


def interruptible(work: Callable[[], Value]) -> Value | None:
    """What the work returns; nothing if an interrupt ended it."""
    visit = _visits[-1]
    try:
        try:
            visit.at_work = True
            if visit.came:
                return None
            _thread.start_new_thread(_ask_for_limits, (visit,))
            return work()
        finally:
            visit.at_work = False
            visit.over.set()
    except KeyboardInterrupt:
        visit.at_work = False
        visit.came = True
        return None


def end_by_limit(said: str) -> NoReturn:
    """End the work because R reports that a time limit is reached."""
    _visits[-1].limit = said
    raise KeyboardInterrupt


@contextmanager
def inside_r() -> Iterator[None]:
    """While an R function runs, interrupts are R's; one ends the work after it."""
    visit = _visits[-1]
    visit.at_work = False
    ours = _set_handler(signal.SIGINT, visit.handler)
    try:
        yield
    finally:
        _set_handler(signal.SIGINT, ours)
        _handle_those_that_came()
        visit.at_work = True
    if visit.came:
        raise KeyboardInterrupt


def _meet(number: int, frame: FrameType | None) -> None:
    """What Python calls after a SIGINT, between two steps of the main thread."""
    global _with_others
    if (
        not _visits
    ):  # reticulate's handler raises the signal again while R's interrupts are suspended
        if not _with_others and callable(_others):
            _with_others = True
            try:
                _others(number, frame)
            finally:
                _with_others = False
        return
    visit = _visits[-1]
    visit.came = True
    now = time.monotonic()
    if not visit.at_work or now < visit.quiet_until:
        return
    if _to_be_ended(frame):
        _thread.start_new_thread(_remind, (visit, SOON))
        return
    visit.quiet_until = now + PAUSE
    _thread.start_new_thread(_remind, (visit, PAUSE))  # Python drops what is raised in a finalizer
    raise KeyboardInterrupt


def _ask_for_limits(visit: _Visit) -> None:
    while not visit.over.wait(EVERY):
        _between_two_steps(ctypes.cast(_STEP, ctypes.c_void_p), None)


def _look_for_limits(_: int | None) -> int:
    """Ask R; an exception from here would be lost."""
    visit = _visits[-1] if _visits else _Visit(None)
    if visit.at_work and _look is not None:
        try:
            with inside_r():
                said = _look()
                visit.came = visit.came or said is True
                visit.limit = said if isinstance(said, str) else ""
        except KeyboardInterrupt:
            visit.came = True
        if visit.limit or visit.came:
            _between_two_steps(_interrupt, signal.SIGINT)
    return 0


_STEP = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(_look_for_limits)


def _to_be_ended(frame: FrameType | None) -> bool:
    """Whether an exception would be harmful: during imports, numba's set-up, and callbacks, in which
    Python drops it; a compiled loop ends in `numba.core.serialize`, where late ones are met."""
    while frame is not None:
        if frame.f_code.co_name == "_look_for_limits":
            return True
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        name = str(frame.f_globals.get("__name__"))
        if name.startswith(("llvmlite.", "numba.")) and name != "numba.core.serialize":
            return True
        frame = frame.f_back
    return False


def _remind(visit: _Visit, seconds: float) -> None:
    """Interrupt again what is still at work."""
    time.sleep(seconds)
    with visit.reminding:
        if visit.at_work:
            _thread.interrupt_main()

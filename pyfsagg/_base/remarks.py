"""Warnings of the package, which one thread can silence, and the lock of what a process has once."""

import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from types import CodeType
from typing import Any

from pyfsagg._message import Message
from pyfsagg.exceptions import PyfsaggWarning

ALONE = threading.RLock()
"""Held while something changes that all threads share: Python's filters of warnings, Matplotlib's settings.

No parallel work is started under this lock, because its threads may need the lock as well.
"""

_ASIDE: ContextVar[list[str] | None] = ContextVar("remarks", default=None)


def warn(*parts: object, stacklevel: int = 1) -> None:
    """Warn with a ``PyfsaggWarning``, unless the caller collects them; parts are those of a `Message`."""
    text = Message(*parts)
    aside = _ASIDE.get()
    if aside is None:
        warnings.warn(text, PyfsaggWarning, stacklevel=_level(stacklevel) + 1)
    else:
        aside.append(text)


_PASSED_OVER: set[CodeType] = set()


def pass_over(wrapper: Any) -> None:
    """Do not count a function around a public one among the levels of a stack."""
    _PASSED_OVER.add(wrapper.__code__)


def _level(stacklevel: int) -> int:
    """The level of the whole stack that is `stacklevel` of the functions that count, above `warn`."""
    frame, level, counted = sys._getframe(2), 1, 1
    while counted < stacklevel and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
        counted += frame.f_code not in _PASSED_OVER
    return level


@contextmanager
def set_inside(variable: ContextVar[Any], value: Any) -> Iterator[Any]:
    """A variable of this thread has a value inside the block."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)


def collect_warnings() -> AbstractContextManager[list[str]]:
    """Collect the remarks of this thread instead of showing them.

    Examples
    --------
    >>> with collect_warnings() as remarks:
    ...     warn("a loading is negative")
    >>> remarks
    ['a loading is negative']
    """
    return set_inside(_ASIDE, [])

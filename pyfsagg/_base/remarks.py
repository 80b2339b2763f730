"""Warnings of the package, which a thread can set aside, and the lock of what a process has once."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pyfsagg.exceptions import PyfsaggWarning

__all__ = ["ALONE", "set_aside", "warn"]

ALONE = threading.RLock()
"""For whoever changes what all threads share: Python's filters of warnings, Matplotlib's settings.

Two threads that change and restore them at the same time leave them changed.  No parallel work is
started under this lock, because its threads may need the lock as well.
"""

_ASIDE: ContextVar[list[str] | None] = ContextVar("remarks", default=None)


def warn(text: str, *, stacklevel: int = 1) -> None:
    """Warn with a ``PyfsaggWarning``, unless the caller has set such warnings aside."""
    aside = _ASIDE.get()
    if aside is None:
        warnings.warn(text, PyfsaggWarning, stacklevel=stacklevel + 1)
    else:
        aside.append(text)


@contextmanager
def set_aside() -> Iterator[list[str]]:
    """Collect the remarks of this thread instead of showing them; other threads are not concerned.

    Examples
    --------
    >>> with set_aside() as remarks:
    ...     warn("a loading is negative")
    >>> remarks
    ['a loading is negative']
    """
    found: list[str] = []
    token = _ASIDE.set(found)
    try:
        yield found
    finally:
        _ASIDE.reset(token)

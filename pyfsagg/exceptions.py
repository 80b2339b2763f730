"""The errors that pyfsagg raises on purpose.

Every one of them derives from :class:`PyfsaggError`, so that a caller can tell "my input was
refused" from a defect, and from the built-in class that Python users expect.  A message names the
parameter or the column, the value that was met, what is allowed, and what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "DataError",
    "InputTypeError",
    "MissingDependencyError",
    "OutputError",
    "ParameterError",
    "PyfsaggError",
    "PyfsaggWarning",
    "UnknownNameError",
    "WorkerError",
]


class PyfsaggError(Exception):
    """Base class of all errors raised by pyfsagg."""


class ParameterError(PyfsaggError, ValueError):
    """A parameter has a value that is not allowed."""


class InputTypeError(PyfsaggError, TypeError):
    """An argument has a type that is not supported."""


class DataError(PyfsaggError, ValueError):
    """The data do not allow the requested computation."""


class OutputError(PyfsaggError, OSError):
    """A result cannot be written, or a saved result cannot be read."""


class MissingDependencyError(PyfsaggError, ImportError):
    """An optional program or package is needed and is not installed."""


class WorkerError(PyfsaggError, RuntimeError):
    """A worker process died, or the cluster is gone, before the work was done."""


class PyfsaggWarning(UserWarning):
    """A result is well defined but deserves a second look."""


class UnknownNameError(ParameterError):
    """A filter, aggregator, measure, data set or column of that name does not exist."""

    def __init__(
        self, kind: str, name: object, known: Iterable[str], aliases: Iterable[str] = ()
    ) -> None:
        known, aliases = list(known), list(aliases)
        close = difflib.get_close_matches(str(name).lower(), [*known, *aliases], n=1, cutoff=0.5)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        listed = ", ".join(known[:30]) + (", …" if len(known) > 30 else "")
        super().__init__(
            f"unknown {kind} {name!r}{hint} Known: {listed}."
            if close
            else f"unknown {kind} {name!r}. Known: {listed}."
        )
        self._arguments = (kind, name, tuple(known), tuple(aliases))

    def __reduce__(self) -> tuple[type[UnknownNameError], tuple[object, ...]]:
        return type(self), self._arguments

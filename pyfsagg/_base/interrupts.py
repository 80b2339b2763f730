"""Signals that ask a command to end are remembered, so none is lost.

Python drops what is raised in a finalizer or a callback.  The handlers of :func:`remembering`, which only
the command line installs, therefore note a signal before they raise.  :func:`raise_if_interrupted` raises
again what was dropped: loops call it between two pieces of work, and so does the code that puts results
in their place.  The command looks once more at its end.  Elsewhere there is no note, and signals are those
of the caller.
"""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any


class Terminated(KeyboardInterrupt):
    """The system asks the process to end, or its terminal has ended."""


@dataclass
class Note:
    """What a command has to say when it is interrupted."""

    came: type[KeyboardInterrupt] | None = None
    written: list[Path] = field(default_factory=list)  # files and folders that are complete
    kept: Path | None = None  # a checkpoint that holds the finished part


_note: Note | None = None  # of the command at work


def raise_if_interrupted() -> None:
    """Raise the interrupt that came and was dropped; only the main thread is interrupted."""
    if _note is not None and _note.came and threading.current_thread() is threading.main_thread():
        raise _note.came


def note_kept(checkpoint: Path) -> None:
    """The finished part of what the command at work does is in this checkpoint."""
    if _note is not None:
        _note.kept = checkpoint


def note_written(path: Path) -> None:
    """What the command at work wrote is in its place."""
    if _note is not None:
        _note.written.append(path)


@contextmanager
def remembering() -> Iterator[Note]:
    """Note and raise Ctrl-C, SIGTERM and the end of a terminal inside the block.

    What is ignored, as by nohup, stays ignored, and handlers that are not Python's are left alone.
    """
    global _note
    before, note = _note, Note()
    hook = sys.unraisablehook

    def met(number: int, frame: FrameType | None) -> None:
        note.came = note.came or (KeyboardInterrupt if number == signal.SIGINT else Terminated)
        while frame is not None:
            if frame.f_code is dropped.__code__:  # from where it would be dropped, too, and printed
                return
            frame = frame.f_back
        raise note.came

    def dropped(lost: Any) -> None:
        if not isinstance(lost.exc_value, KeyboardInterrupt):
            hook(lost)

    usual: dict[int, Any] = {}
    try:
        _note, sys.unraisablehook = note, dropped
        with suppress(ValueError):  # only the main thread hears of signals
            for name in ("SIGINT", "SIGTERM", "SIGHUP"):
                number = getattr(signal, name, signal.SIGTERM)
                handler = signal.getsignal(number)
                if handler not in (None, signal.SIG_IGN, met):
                    usual[number] = handler
                    signal.signal(number, met)
        yield note
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)
        _note, sys.unraisablehook = before, hook

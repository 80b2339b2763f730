"""What commands print, in which no name of a file, a column or a class can steer the terminal."""

import io
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# Control characters but tabs and ends of lines, separators of lines, and what turns the direction of a text.
_STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """A text whose control characters are written out, as JSON does, so a record stays what it is.

    Examples
    --------
    >>> print(visible("\\x1b[31mred"))
    \\u001b[31mred
    """
    return _STEERS.sub(lambda met: f"\\u{ord(met[0]):04x}", text)


class _Stream:
    """A stream that gets visible text only."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(visible(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _Messages(_Stream):
    """The same for messages, where a progress bar begins its line again."""

    def write(self, text: str) -> int:
        bar = text[:1] == "\r"
        self._stream.write("\r" * bar + visible(text[bar:]))
        return len(text)


@contextmanager
def visible_streams() -> Iterator[None]:
    """Whatever is printed inside the block is visible.

    A terminal that knows ASCII only gets escapes instead of an error after the work is done.
    """
    usual = sys.stdout, sys.stderr
    for stream in usual:
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")
    streams: tuple[Any, Any] = _Stream(usual[0]), _Messages(usual[1])
    sys.stdout, sys.stderr = streams
    try:
        yield
    finally:
        sys.stdout, sys.stderr = usual

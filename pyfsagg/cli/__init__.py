"""The command line: parse, call, show progress.

Exit codes: 0 on success, 2 when the input was refused (one line says why), 130 after Ctrl-C; 1 is
for the command itself: cross-check says with it that something disagrees.
"""

from __future__ import annotations

import argparse
import io
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import entry_points
from typing import TextIO

from pyfsagg._base.memory import memory_limit
from pyfsagg._command.flags import on_cluster
from pyfsagg._command.parser import Parser, Terminal, commands_of, take_config
from pyfsagg._version import __version__
from pyfsagg.cli import (
    aggregate,
    agreement,
    check,
    committee,
    evaluate,
    influence,
    lists,
    order,
    rank,
    saved,
    screen,
    stability,
    unsupervised,
    vote,
)
from pyfsagg.exceptions import OutputError, PyfsaggError, PyfsaggWarning

__all__ = ["main"]

MODULES = (  # in the order in which the help shows their commands
    *(rank, check, aggregate, agreement, screen, stability, influence, evaluate),
    *(committee, vote, order, unsupervised, saved, lists),
)

EPILOG = """\
examples:
  pyfsagg demo                                    # a run on data that are embedded
  pyfsagg check table.csv --target class          # what the table holds
  pyfsagg rank table.csv --target class           # the ranking, how stable it is, a report
  pyfsagg evaluate table.csv --target class       # accuracy with the selected features
  pyfsagg aggregate a.txt b.txt c.txt             # several ranked lists into one
  pyfsagg list filters                            # what there is to choose from
  pyfsagg help rank                               # the flags of a command
"""


def build_parser() -> argparse.ArgumentParser:
    """The parser with all commands."""
    parser = Parser(
        prog="pyfsagg",
        description="Ensemble feature selection, rank aggregation and selection stability.",
        epilog=EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"pyfsagg {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in MODULES:
        module.add_commands(commands)
    for point in sorted(entry_points(group="pyfsagg.commands"), key=lambda point: point.name):
        try:
            point.load()(commands)
        except Exception as error:  # whatever the code of another package does
            _print_error(
                f"warning: the command {point.name!r} ({point.value}) cannot be added: "
                f"{type(error).__name__}: {error}"
            )
    for command in commands.choices.values():
        command.set_defaults(parser=command, whole=parser, usual={})
    return parser


def _print_error(message: str, command: str = "") -> None:
    print(f"{f'pyfsagg {command}'.strip()}: {message}", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that knows ASCII only gets escapes instead of an error after the work is done.
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")
    words = sys.argv[1:] if arguments is None else list(arguments)
    parser = build_parser()
    if words[:1] == ["help"]:
        words = [*words[1:2], "--help"]
    try:
        take_config(parser, words)
    except PyfsaggError as error:
        _print_error(str(error), words[0])
        return 2
    options = parser.parse_args(words, argparse.Namespace(arguments=words))
    # A command within a command, such as reproduce thesis, has flags of its own.
    inner = commands_of(options.parser)
    door = Terminal(inner.get("".join(words[1:2]), options.parser))
    with _warnings_as_lines(door), _termination_raised():
        try:
            limit, cluster = (getattr(options, name, None) for name in ("memory_limit", "dask"))
            with memory_limit(limit), on_cluster(cluster):
                _print_state(options)
                code = options.run(options) or 0  # a command returns nothing, or an exit code
                _write_out(sys.stdout)
                return int(code)
        except PyfsaggError as error:
            message, code = error.render(door), 2
        except MemoryError as error:
            message = (
                f"out of memory ({str(error) or 'no more is free'}); take fewer rows, features or "
                "resamples at a time"
            )
            code = 2
        except _Terminated:
            message, code = "terminated; nothing was written", 143
        except KeyboardInterrupt:
            message, code = "interrupted; nothing was written", 130
        except BrokenPipeError:
            sys.stderr.close()
            return 141
        except OSError as error:  # of the computation: a full disk, a folder that cannot be read
            message, code = str(error), 2
    _print_error(message, options.command)
    return code


class _Terminated(KeyboardInterrupt):
    """The system asks the process to end."""


@contextmanager
def _termination_raised() -> Iterator[None]:
    """SIGTERM ends a command as Ctrl-C does, so that nothing half-done stays behind."""

    def stop(number: int, frame: object) -> None:
        raise _Terminated

    try:
        usual = signal.signal(signal.SIGTERM, stop)
    except ValueError:  # not the main thread, which alone hears of it
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, usual)


def _write_out(stream: TextIO) -> None:
    """Write what is still to be printed, while there is somebody to be told that it fails."""
    try:
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        with suppress(OSError):  # it would fail again at the end of the process
            stream.close()
        raise OutputError(f"cannot write the standard output: {error.strerror}") from None


def _print_state(options: argparse.Namespace) -> None:
    """Say what a checkpoint holds, before the work begins."""
    if getattr(options, "checkpoint", None) is None or options.quiet:
        return
    from pyfsagg._run.checkpoint import spoken_state

    print(spoken_state(options.checkpoint), file=sys.stderr, flush=True)


@contextmanager
def _warnings_as_lines(door: Terminal) -> Iterator[None]:
    """Say each warning in one line, without the place in the code that it comes from, and once.

    The table, the record and the page of a result may each have computed what it is about.
    """
    usual, printed = warnings.formatwarning, set[str]()

    def line(message: Warning | str) -> str:
        sentence = message.render(door) if isinstance(message, PyfsaggWarning) else message
        text = f"pyfsagg: warning: {sentence}\n"
        new = text not in printed
        printed.add(text)
        return text if new else ""

    warnings.formatwarning = lambda message, *_: line(message)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", PyfsaggWarning)
            yield
    finally:
        warnings.formatwarning = usual

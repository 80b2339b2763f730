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
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TextIO

from pyfsagg._base.memory import memory_limit
from pyfsagg._command.flags import on_cluster
from pyfsagg._command.parser import Parser, Terminal, commands_of, take_config
from pyfsagg._version import __version__
from pyfsagg.cli import (
    aggregate,
    agreement,
    check,
    committee,
    compare,
    completion,
    datasets,
    evaluate,
    influence,
    list_methods,
    order,
    rank,
    report,
    screen,
    show,
    stability,
    unsupervised,
    vote,
)
from pyfsagg.exceptions import OutputError, PyfsaggError, PyfsaggWarning

__all__ = ["main"]

COMMANDS = (
    rank,
    check,
    aggregate,
    agreement,
    screen,
    stability,
    influence,
    evaluate,
    committee,
    vote,
    order,
    unsupervised,
    report,
    show,
    compare,
    list_methods,
    datasets,
    completion,
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
    for module in COMMANDS:
        module.add_commands(commands)
    for point in sorted(entry_points(group="pyfsagg.commands"), key=lambda point: point.name):
        _add_foreign(commands, point)
    for command in commands.choices.values():
        command.set_defaults(parser=command, whole=parser, usual={})
    return parser


def _add_foreign(commands: Any, point: EntryPoint) -> None:
    """Add a command of another package; one that is broken is said and breaks nothing."""
    try:
        point.load()(commands)
    except Exception as error:  # whatever foreign code does
        print(
            f"pyfsagg: warning: the command {point.name!r} ({point.value}) cannot be added: "
            f"{type(error).__name__}: {error}",
            file=sys.stderr,
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    _print_what_can_be_printed()
    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = build_parser()
    if given[:1] == ["help"]:
        given = [*given[1:2], "--help"]
    try:
        take_config(parser, given)
    except PyfsaggError as error:
        print(f"pyfsagg {given[0]}: {error}", file=sys.stderr)
        return 2
    options = parser.parse_args(given, argparse.Namespace(arguments=given))
    command = _parser_of(options)
    door = Terminal(command)
    with _warnings_as_lines(door), _termination_raised():
        try:
            # A command returns nothing, or an exit code of its own.
            limit, cluster = (getattr(options, name, None) for name in ("memory_limit", "dask"))
            with memory_limit(limit), on_cluster(cluster):
                _tell_state(options)
                code = options.run(options) or 0
                _write_out(sys.stdout)
                return code
        except PyfsaggError as error:
            print(f"pyfsagg {options.command}: {error.render(door)}", file=sys.stderr)
            return 2
        except MemoryError as error:
            print(
                f"pyfsagg {options.command}: out of memory ({str(error) or 'no more is free'}); take fewer "
                "rows, features or resamples at a time",
                file=sys.stderr,
            )
            return 2
        except KeyboardInterrupt as stop:
            how, code = (
                ("terminated", 143) if isinstance(stop, _Terminated) else ("interrupted", 130)
            )
            print(f"pyfsagg {options.command}: {how}; nothing was written", file=sys.stderr)
            return code
        except BrokenPipeError:
            sys.stderr.close()
            return 141
        except OSError as error:  # of the computation: a full disk, a folder that cannot be read
            print(f"pyfsagg {options.command}: {error}", file=sys.stderr)
            return 2


def _parser_of(options: argparse.Namespace) -> argparse.ArgumentParser:
    """The parser that read the flags; that of a command within a command, such as reproduce thesis."""
    inner = commands_of(options.parser)
    chosen = [name for name in inner if name in options.arguments[1:2]]
    return inner[chosen[0]] if chosen else options.parser


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


def _print_what_can_be_printed() -> None:
    """A terminal that knows ASCII only gets escapes instead of an error after the work is done."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def _tell_state(options: argparse.Namespace) -> None:
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
    usual, said = warnings.formatwarning, set[str]()

    def line(message: Warning | str) -> str:
        spelled = message.render(door) if isinstance(message, PyfsaggWarning) else message
        text = f"pyfsagg: warning: {spelled}\n"
        new = text not in said
        said.add(text)
        return text if new else ""

    warnings.formatwarning = lambda message, *_: line(message)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", PyfsaggWarning)
            yield
    finally:
        warnings.formatwarning = usual

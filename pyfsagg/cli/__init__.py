"""The command line: parse, call, show progress.

Exit codes: 0 on success, 2 when the input was refused (one line says why), 130 after Ctrl-C; 1 is
for the command itself: cross-check says with it that something disagrees.
"""

import argparse
import gc
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import entry_points

from pyfsagg._base.interrupts import Note, Terminated, remembering
from pyfsagg._base.memory import in_words, memory_limit
from pyfsagg._command.flags import on_cluster
from pyfsagg._command.parser import Parser, Terminal, commands_of, nearest, take_config
from pyfsagg._command.streams import visible_streams
from pyfsagg._run.execution import end_workers
from pyfsagg._version import __version__
from pyfsagg.cli import (
    aggregate,
    committee,
    evaluate,
    influence,
    lists,
    order,
    rank,
    saved,
    screen,
    stability,
    standings,
    studies,
    unsupervised,
)
from pyfsagg.exceptions import OutputError, PyfsaggError, PyfsaggWarning

__all__ = ["main"]

MODULES = (  # in the order in which the help shows their commands
    *(rank, aggregate, studies, screen, standings, stability, influence, evaluate),
    *(committee, order, unsupervised, saved, lists),
)

LARGE = 5_000_000  # chosen: file size in bytes above which reading is announced

GROUPS = {
    "a table": ("rank", "check", "evaluate", "influence", "committee", "order", "unsupervised"),
    "lists": ("aggregate", "agreement", "studies", "vote"),
    "a screen": ("screen",),
    "scores": ("standings", "stability"),
    "saved runs": ("show", "report", "compare"),
    "the papers": ("reproduce", "cross-check"),
}
"""Commands by kind of input; the others are in the last line."""

EXAMPLES = """\
  pyfsagg rank table.csv --target class  # which features, and how sure that is
  pyfsagg aggregate a.txt b.txt c.txt    # several ranked lists into one
  pyfsagg demo                           # a run on embedded data
"""


class Overview(Parser):
    """The parser of all commands, whose help groups them by the kind of input."""

    def format_help(self, whole: bool = True) -> str:
        """Three examples, then the commands."""
        formatter = self._get_formatter()
        actions = next(
            action for action in self._actions if isinstance(action, argparse._SubParsersAction)
        )
        about = {action.dest: str(action.help) for action in actions._get_subactions()}
        formatter.add_text(str(self.description))
        formatter.add_text(EXAMPLES)
        grouped = {name for group in GROUPS.values() for name in group}
        rest = tuple(name for name in about if name not in grouped)
        lines = []
        for title, names in {**GROUPS, "more": rest}.items():
            known = [name for name in names if name in about]
            if title == "a table" or whole:
                lines += [f"{title}:", *(f"  {name:<12}  {about[name]}" for name in known)]
            elif known:
                lines.append(f"{title}: {', '.join(known)}")
        formatter.add_text("\n".join(lines))
        formatter.add_text(
            "pyfsagg COMMAND --help tells more of a command, pyfsagg --help all of all commands.\n"
            "pyfsagg --version prints the version."
        )
        return formatter.format_help()


def build_parser() -> argparse.ArgumentParser:
    """The parser with all commands."""
    parser = Overview(
        prog="pyfsagg",
        description="Ensemble feature selection, rank aggregation and selection stability.",
    )
    parser.add_argument("--version", action="version", version=f"pyfsagg {__version__}")
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=Parser
    )
    for module in MODULES:
        module.add_commands(commands)
    for point in sorted(entry_points(group="pyfsagg.commands"), key=lambda point: point.name):
        try:
            point.load()(commands)
        except Exception as error:  # third-party code may raise anything
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
    with visible_streams():
        return _main(arguments)


def _main(arguments: Sequence[str] | None) -> int:
    words = sys.argv[1:] if arguments is None else list(arguments)
    note, code = Note(), 0
    try:
        with remembering() as note:  # around all else: a signal may come at any moment
            try:
                code = _run(words)
            finally:
                if arguments is None:  # the process ends with the command
                    end_workers()
                    gc.freeze()  # else Python would look for half a second for what it could free
    except KeyboardInterrupt as stop:
        note.came = type(stop)
    if note.came is None:
        return code
    message, code = ("terminated", 143) if note.came is Terminated else ("interrupted", 130)
    _print_error(f"{message}; {_what_is_left(note)}", " ".join(words[:1]))
    return code


def _what_is_left(note: Note) -> str:
    """What a command that was stopped leaves: complete results, the pieces of a checkpoint, or nothing."""
    if written := [str(path) for path in note.written if path.exists()]:  # without moved drafts
        return f"{', '.join(written)} had been written"
    if note.kept is not None:
        return f"the finished part is in {note.kept}; the same command continues"
    return "nothing was written"


def _run(words: list[str]) -> int:
    parser = build_parser()
    if words[:1] == ["help"] or not words:
        words = [*words[1:2], "--help", *words[2:3]]
    elif words[0].startswith("-") and words[0] not in ("-h", "--help", "--version"):
        parser.error(f"unknown argument {words[0]}{nearest(words[0], ['--version', '--help'])}")
    try:
        take_config(parser, words)
    except PyfsaggError as error:
        _print_error(str(error), words[0])
        return 2
    options = parser.parse_args(words, argparse.Namespace(arguments=words))
    # A command within a command, such as reproduce thesis, has flags of its own.
    inner = commands_of(options.parser)
    door = Terminal(inner.get("".join(words[1:2]), options.parser))
    limit, cluster = (getattr(options, name, None) for name in ("memory_limit", "dask"))
    try:
        with _warnings_as_lines(door), memory_limit(limit), on_cluster(cluster):
            _print_state(options)
            code = options.run(options) or 0  # a command returns nothing, or an exit code
            try:
                sys.stdout.flush()  # while a failure can still be reported
            except BrokenPipeError:
                raise
            except OSError as error:
                with suppress(OSError):  # it would fail again at the end of the process
                    sys.stdout.close()
                text = f"cannot write the standard output: {error.strerror}"
                raise OutputError(text) from None
            return int(code)
    except PyfsaggError as error:
        message, code = error.render(door), 2
    except MemoryError as error:
        message = (
            f"out of memory ({str(error) or 'no more is free'}); take fewer rows, features or "
            "resamples at a time"
        )
        code = 2
    except BrokenPipeError:
        sys.stderr.close()
        return 141
    except OSError as error:  # of the computation: a full disk, a folder that cannot be read
        message, code = str(error), 2
    _print_error(message, options.command)
    return code


def _print_state(options: argparse.Namespace) -> None:
    """Say which large files are read, and what a checkpoint holds, before the work begins."""
    if getattr(options, "quiet", False):
        return
    for name in filter(os.path.isfile, options.arguments):
        if (size := os.path.getsize(name)) > LARGE:
            print(f"reading {name} ({in_words(size)})", file=sys.stderr, flush=True)
    if getattr(options, "checkpoint", None) is not None:
        from pyfsagg._run.checkpoint import spoken_state

        print(spoken_state(options.checkpoint), file=sys.stderr, flush=True)


@contextmanager
def _warnings_as_lines(door: Terminal) -> Iterator[None]:
    """Print each warning once, in one line; the table, the record and the page may each have caused it."""
    usual, printed = warnings.formatwarning, set[str]()

    def line(message: Warning | str, *_: object, **__: object) -> str:
        sentence = message.render(door) if isinstance(message, PyfsaggWarning) else message
        text = f"pyfsagg: warning: {sentence}\n"
        new = text not in printed
        printed.add(text)
        return text if new else ""

    warnings.formatwarning = line
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", PyfsaggWarning)
            yield
    finally:
        warnings.formatwarning = usual

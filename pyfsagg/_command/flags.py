"""Flags, progress and output that commands have in common."""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from pyfsagg._base.output import Place, TakenError
from pyfsagg._base.settings import Reading, Task, names_of
from pyfsagg._base.validation import require_extra
from pyfsagg._base.words import duration
from pyfsagg._message import Param
from pyfsagg._run.execution import Execution
from pyfsagg.exceptions import OutputError, ParameterError

TABLE_HELP = (
    "CSV or another text, Parquet, Feather, ARFF, Stata, a workbook (xlsx, ods), or the name of a data set; "
    "also compressed (gzip, bz2, xz, zip); - for standard input"
)
LOG_EVERY = 30.0  # seconds
DELAY = 2.0  # chosen: delay in seconds before a usually quick command shows progress
FIRST_ESTIMATE = 3.0  # seconds after the first piece
FIRST_RUN = "this first run compiles its kernels, which takes about half a minute"


class Flags:
    """Adds flags to a parser; those of a kind that recurs by the name of the kind."""

    def __init__(self, parser: Any) -> None:
        self.parser = parser
        self.add = add = parser.add_argument
        self.switch = partial(add, action="store_true")
        self.column = partial(add, metavar="COLUMN")
        self.names = partial(add, type=names_of, metavar="A,B")
        self.settings = partial(add, action="append", metavar="NAME=VALUE")
        self.output = partial(add_output_flags, parser)
        self.work = partial(add_work_flags, parser)

    @classmethod
    def of(
        cls,
        commands: Any,
        name: str,
        run: Callable[[argparse.Namespace], int | None],
        summary: str,
        description: str,
        epilog: str = "",
        **called: str | None,
    ) -> Flags:
        """The flags of a new command, which is `run` with its options.

        Its parameters are `called` otherwise than elsewhere: :class:`~pyfsagg._command.parser.Terminal`.
        """
        parser = commands.add_parser(name, help=summary, description=description, epilog=epilog)
        parser.set_defaults(run=run, **({"called": called} if called else {}))
        return cls(parser)

    def __call__(self, *names: str, **options: Any) -> None:
        self.add(*names, **options)

    def choice(self, name: str, choices: Sequence[str], text: str = "") -> None:
        """One of several words; the first is the default."""
        shown = f"{text} (default: %(default)s)".lstrip()
        self.add(name, choices=choices, default=choices[0], help=shown)

    def number(self, *names: str, default: float, metavar: str, text: str = "") -> None:
        """A number of the type of its default."""
        shown = f"{text} (default: %(default)s)".lstrip()
        self.add(*names, type=type(default), default=default, metavar=metavar, help=shown)

    def size(self, text: str, **options: Any) -> None:
        """How many features to select, or which share of them."""
        shown = f"features to select: a number (10) or a fraction (0.25 or 25%%){text}"
        self.add("--n-features-to-select", **{"type": size, "metavar": "K", **options}, help=shown)

    def seed(self, of: str) -> None:
        self.add("-s", "--seed", type=int, default=0, help=f"seed of {of} (default: %(default)s)")

    def reading(self, *, accept: bool = True) -> None:
        """How a table is read, and accepting findings in it."""
        group = self.parser.add_argument_group("how the table is read")
        Reading.add_flags(group)
        Flags(group).names("--exclude", dest="drop", default=(), help="the same as --drop")
        if accept:
            text = "findings of `pyfsagg check` that do not stop the run, or all"
            self.names("--accept", default=[], metavar="CODE,CODE", help=text)

    def table(
        self, *leave_out: str, target_required: bool = True, nargs: str | None = None
    ) -> None:
        """A table with a target, which some filters do without, and the task but for some settings."""
        self.add("table", metavar="TABLE", nargs=nargs, help=TABLE_HELP)
        text = "column with the classes, the numbers of a regression, or times (with --event)"
        text += "" if target_required else "; filters such as frcm need none"
        self.column("-t", "--target", help=text)
        self.parser.set_defaults(target_required=target_required)
        self.event()
        Task.add_flags(self.parser, *leave_out)
        self.reading()

    def absent(self) -> None:
        """What an item is to a list or judge that does not have it."""
        text = "an absent item is worse than all listed ones, or was not judged"
        text += " (default: worst)"
        self.add("--absent", choices=("worst", "unknown"), help=text)

    def filters(self, normalizations: Sequence[str]) -> None:
        """The settings of filters in an ensemble."""
        text = "parameter of a filter, for instance mrmr.n_features=100 (may be repeated)"
        self.settings("--filter-param", metavar="FILTER.NAME=VALUE", help=text)
        self.choice("--normalize", normalizations, "how scores are made comparable")

    def event(self) -> None:
        """The flag that makes the target a time until an event."""
        text = "survival: column with 1 for an observed event and 0 for a censored time; with "
        text += (
            "COLUMN=VALUE, VALUE is the event and all others are censored; --target is the column "
        )
        text += "of times"
        self.add("--event", metavar="COLUMN[=VALUE]", help=text)

    def view(self) -> None:
        """How a saved result is shown."""
        text = ", or auto, the proposal of a run of rank (default: as saved)"
        self.size(text, type=size_or_auto)
        text = "another option of how this kind of result is shown, such as top=20 (may be "
        text += "repeated)"
        self.settings("--set", help=text)


def target_columns(options: argparse.Namespace) -> str | list[str] | None:
    """What --target and --event name; with --event the task is survival."""
    target: str | None = options.target
    if options.event is None:
        if options.task == "survival":
            raise ParameterError(
                "--task survival needs --target, the column of times, and --event, the column with 1 "
                "for an observed event"
            )
        return target
    if target is None or target == options.event:
        raise ParameterError("--event goes with --target, which names the column of times")
    if options.task == "regression":
        raise ParameterError("--event belongs to --task survival, not to a regression")
    options.task = "survival"
    return [target, options.event]


def refuse_flags_of_lists(options: argparse.Namespace, *names: str, because: str = "") -> None:
    """Refuse flags of reading lists where none are read from files."""
    for name in names:
        if getattr(options, name) not in (None, False, [], "auto"):
            reason = because or "a saved result has its rankings already"
            raise ParameterError(
                f"--{name.replace('_', '-')} belongs to files of lists, and {reason}"
            )


def require_target(target: str | None, filters: object, flag: str = "--filter") -> None:
    """Say at once that the filters taken by default need a target."""
    if target is None and not filters:
        raise ParameterError(
            "give the target by --target COLUMN, or name filters that need none, "
            f"for instance {flag} frcm"
        )


def add_output_flags(
    parser: argparse.ArgumentParser, default: str, *, result: bool = True, brief: bool = False
) -> None:
    """Flags for the place and the amount of output; `result`: it can be read again, `brief`: details
    are printed only on request."""
    parser.set_defaults(default_folder=default)
    add = Flags(parser)
    text = f"new or empty folder for the results (default: {default}, or the next free name)"
    add("-o", "--output", metavar="FOLDER", help=text)
    text = "refuse a run that needs more memory than this, for instance 2GB (default: the free "
    text += "memory; for a folder of Parquet files, 2GB more than the process uses)"
    add("--memory-limit", metavar="SIZE", help=text)
    if result:
        text = "replace the results of an earlier run in the folder; other files are kept"
        add.switch("--overwrite", help=text)
        add.switch("--xlsx", help="also write the tables into a workbook, tables.xlsx")
        text = "take flags from this file, such as an earlier run.toml"
        add("--config", metavar="FILE", help=text)
    add.switch("--json", help="print the result as JSON")
    add.switch("-q", "--quiet", help="print errors only")
    if brief:
        add.switch("-v", "--verbose", help="print all details, not only the answer")


def add_work_flags(
    parser: argparse.ArgumentParser,
    what: str = "workers",
    *,
    checkpoint: bool = True,
    scratch: bool = False,
    dask: bool = True,
) -> None:
    """Who works, and where finished work is kept."""
    add = parser.add_argument
    shown = f"{what}; -1, the default: all cores"
    add("-j", "--jobs", type=_n_jobs, default=-1, metavar="N", help=shown)
    if dask:
        add("--dask", metavar="ADDRESS", help="Dask scheduler whose workers are used")
    flags = {"checkpoint": checkpoint, "scratch": scratch}
    Execution.add_flags(parser, *(name for name, wanted in flags.items() if not wanted))


def _n_jobs(text: str) -> int:
    if not re.fullmatch(r"-?[1-9]\d*", text):
        raise argparse.ArgumentTypeError(
            f"must be a whole number of workers, or -1 for all cores, got {text}"
        )
    return int(text)


@contextmanager
def on_cluster(address: str | None) -> Iterator[None]:
    """Let the workers of a Dask scheduler do the work."""
    if address is None:
        yield
        return
    import joblib

    distributed = require_extra("distributed", "dask", "--dask")
    try:
        client = distributed.Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise ParameterError(f"no Dask scheduler answers at {address} ({error})") from None
    with client, joblib.parallel_config(backend="dask"):
        yield


def one_or_several(number: type[int] | type[float], expected: str) -> Callable[[str], Any]:
    """A reader of flags: one number, or several between commas as a list."""

    def read(text: str) -> float | list[float]:
        try:
            numbers = [number(part) for part in names_of(text)]
        except ValueError:
            raise argparse.ArgumentTypeError(f"expected {expected}, got {text!r}") from None
        return numbers[0] if len(numbers) == 1 else numbers

    return read


def size(text: str) -> float | int:
    """``12`` is a number of features, ``0.25`` and ``25%`` a fraction."""
    try:
        if text.endswith("%"):
            return float(text[:-1]) / 100.0
        return float(text) if "." in text or "e" in text.lower() else int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected a number of features (12) or a fraction (0.25 or 25%), got {text!r}"
        ) from None


def sizes(text: str) -> list[float | int]:
    """Several of them: ``10,25%``."""
    return [size(part) for part in names_of(text)]


def size_or_auto(text: str) -> float | int | str:
    """The same, or ``auto`` or ``knee``, a proposal."""
    if text in ("auto", "knee"):
        return text
    try:
        return size(text)
    except argparse.ArgumentTypeError as problem:
        raise argparse.ArgumentTypeError(f"{problem}; or auto or knee, a proposal") from None


def view_of(options: argparse.Namespace, known: Mapping[str, Any]) -> dict[str, Any]:
    """The options from the flags of :meth:`Flags.view`, for a result with the options `known`."""
    given = assignments(options.set)
    if options.n_features_to_select is None:
        return given
    if "n_features_to_select" not in known:
        raise ParameterError(
            Param("n_features_to_select"),
            " belongs to results that select features; this one is shown by: ",
            ", ".join(known) or "nothing that can be set",
        )
    return {"n_features_to_select": options.n_features_to_select, **given}


def given(options: argparse.Namespace, *names: str) -> dict[str, Any]:
    """The values of flags, as arguments of these names."""
    return {name: getattr(options, name) for name in names}


def at_work(options: argparse.Namespace, progress: Any) -> dict[str, Any]:
    """The seed, the workers and the execution that the flags name, as arguments."""
    execution = Execution.from_flags(options, progress=progress)
    return {"random_state": options.seed, "n_jobs": options.jobs, "execution": execution}


def assignments(texts: list[str] | None) -> dict[str, Any]:
    """``["a=1", "b.c=x"]`` as ``{"a": 1, "b": {"c": "x"}}``; values are read as JSON where they can be."""
    values: dict[str, Any] = {}
    for text in texts or []:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise ParameterError(f"expected NAME=VALUE, got {text!r}")
        try:
            parsed = json.loads(value)
        except json.JSONDecodeError:
            parsed = value
        except RecursionError:
            raise ParameterError(f"the value of {key} has too many nested brackets") from None
        outer, dot, inner = key.partition(".")
        if dot:
            values.setdefault(outer, {})[inner] = parsed
        else:
            values[outer] = parsed
    return values


@contextmanager
def output_place(options: argparse.Namespace) -> Iterator[Place]:
    """Hold the folder of ``--output``, or the default name with the first free number; ``--overwrite``
    allows results of an earlier run."""
    folder, default = options.output, options.default_folder
    checkpoint = getattr(options, "checkpoint", None)
    place, number = None, 1
    while place is None:
        name = folder or (default if number == 1 else f"{default}-{number}")
        if checkpoint is not None:
            output, kept = Path(name).resolve(), Path(checkpoint).resolve()
            if output.is_relative_to(kept) or kept.is_relative_to(output):
                raise ParameterError(
                    f"of the output folder {name} and the checkpoint {checkpoint} one lies in the other; "
                    "name two folders side by side"
                )
        try:
            place = Place(name, getattr(options, "overwrite", False))
        except TakenError as error:
            if folder is not None and error.results:
                raise OutputError(f"{error}, or replace the results there: --overwrite") from None
            if folder is not None:
                raise
            number += 1
    try:
        yield place
    finally:
        place.release()


@contextmanager
def reporter(
    unit: str = "resample", *, quiet: bool = False, delay: float = 0.0
) -> Iterator[Callable[[int, int], None] | None]:
    """A progress function: a live bar, or a few log lines elsewhere, after `delay` seconds; None if quiet."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        from tqdm import tqdm

        with tqdm(unit=unit, file=sys.stderr, dynamic_ncols=True, delay=delay) as bar:

            def advance(done: int, total: int) -> None:
                bar.total = total
                bar.set_postfix_str("" if done else _first_run(), refresh=not (done or delay))
                bar.update(done - bar.n)

            yield advance
    else:
        yield _log_lines(unit, delay and time.monotonic() + delay)


def _first_run() -> str:
    """The note on compilation in a first run; empty if there are compiled kernels."""
    from pyfsagg._kernels import compiled

    return "" if compiled() else FIRST_RUN


def _log_lines(unit: str, begin: float) -> Callable[[int, int], None]:
    logged, last, estimated = 0, 0.0, False
    first: tuple[int, float] | None = None

    def log(done: int, total: int) -> None:
        nonlocal logged, last, first, estimated
        now = time.monotonic()
        if now < begin:
            return
        if done == 0:
            reason = f" ({why})" if (why := _first_run()) else ""
            print(f"{total} {unit}s to do{reason}", file=sys.stderr, flush=True)
            return
        quarter = 4 * done // total
        due = first is not None and not estimated and now - first[1] >= FIRST_ESTIMATE
        # The first pieces at once, a first estimate, then every quarter and every half minute.
        if quarter > logged or first is None or due or now - last >= LOG_EVERY:
            logged, last = quarter, now
            left = ""
            # The first pieces may have waited for the kernels to be compiled: they tell no speed.
            if first is None:
                first = done, now
            elif first[0] < done < total:
                rest = (now - first[1]) / (done - first[0]) * (total - done)
                left = f", about {duration(rest)} left" if rest >= 1.0 else ""
                estimated = True
            print(f"{done} of {total} {unit}s done{left}", file=sys.stderr, flush=True)

    return log

"""From a computation to a folder of results: the same for all commands."""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pyfsagg._base.remarks import set_inside
from pyfsagg._base.validation import require_extra
from pyfsagg._command.flags import DELAY, output_place, reporter
from pyfsagg._command.parser import CONFIG_FILE, config_text
from pyfsagg._run.execution import REPORTER
from pyfsagg.exceptions import OutputError

if TYPE_CHECKING:
    import pandas as pd

    from pyfsagg._run.result import Result


def write_workbook(path: Path, tables: Mapping[str, pd.DataFrame]) -> None:
    """Write each table on a sheet of its name."""
    import pandas as pd

    # A name that looks like a formula or a link is a name.
    how = {"strings_to_formulas": False, "strings_to_urls": False, "nan_inf_to_errors": True}
    how["in_memory"] = True  # or else a run that is killed leaves files in the temporary folder
    with pd.ExcelWriter(path, engine="xlsxwriter", engine_kwargs={"options": how}) as book:
        # The same bytes for the same tables.
        book.book.set_properties({"created": datetime(2000, 1, 1)})
        for name, frame in tables.items():
            named = frame.index.name is not None
            frame.to_excel(book, sheet_name=Path(name).stem[:31], index=named, freeze_panes=(1, 1))


Progress = Callable[[int, int], None]
R = TypeVar("R", bound="Result")


def compute_and_save(
    options: argparse.Namespace,
    compute: Callable[[Any], R],
    *,
    unit: str | None = None,
    view: Mapping[str, Any] | Callable[[R], Mapping[str, Any]] | None = None,
    draw: Callable[[R, Path], None] | None = None,
    messages: Sequence[str] = (),
) -> R:
    """Compute a result, write it with its report and print its answer. `compute` gets a function that
    reports progress in `unit`s (None: the inner loops do), `view` is the view or makes it, `draw`
    writes pictures, and `messages` lines are printed before the work."""
    from pyfsagg._report.page import answer_of, render_text, terminal_width
    from pyfsagg._run.result import REPORT_FILE

    if options.xlsx:
        require_extra("xlsxwriter", "sheets", "--xlsx")
    silent = options.quiet or unit is None
    loops = partial(reporter, quiet=options.quiet or unit is not None, delay=DELAY)
    with output_place(options) as place, set_inside(REPORTER, loops):
        started = time.perf_counter()

        def say(step: str) -> None:
            if not silent or (not options.quiet and time.perf_counter() - started > DELAY):
                print(step, file=sys.stderr, flush=True)

        with reporter(unit or "", quiet=silent) as progress:
            left = list(messages)  # before the first progress

            def advance(done: int, total: int) -> None:
                if left:
                    print("\n".join(left), file=sys.stderr, flush=True)
                    left.clear()
                assert progress is not None
                progress(done, total)

            result = compute(advance if progress is not None and messages else progress)
        own = view(result) if callable(view) else view or {}
        typed, words = iter(options.arguments), list[str]()
        for word in typed:  # without the place, which is taken: pasted, the command takes a new one
            if word in ("-o", "--output"):
                next(typed, None)
            elif word != "--overwrite" and not word.startswith("--output="):
                words.append(word)
        chosen = {"command": shlex.join(words), **own}
        with _saved_elsewhere(result, place.folder, chosen):
            say("drawing the report")
            result.report(place.draft / REPORT_FILE, **chosen)
            if draw is not None:
                draw(result, place.draft)
            say("writing the files")
            config = config_text(options.parser, options)
            (place.draft / CONFIG_FILE).write_text(config, encoding="utf-8")
            if options.xlsx:
                tables = result._tables(result._options_in_force(chosen))
                write_workbook(place.draft / "tables.xlsx", tables)
            result._write_into(place.draft, **chosen)  # last: the record names all files
            files = sorted(path.name for path in place.draft.iterdir() if path.name != REPORT_FILE)
        place.publish()
    elapsed = time.perf_counter() - started  # files and report included
    folder = place.folder
    if options.json:
        print(result.to_json(**chosen))
    elif not options.quiet:
        slash = "/" if str(folder) != "." else ""
        brief = getattr(options, "verbose", None) is False
        facts = result._facts(result._options_in_force(chosen))
        print(render_text(answer_of(facts) if brief else facts, terminal_width()))
        print(
            f"\nResults are in {folder}{slash}: {', '.join(files)} and the report {REPORT_FILE} "
            f"({elapsed:.1f} s)"
        )
        if brief:
            print(f"Read {folder / REPORT_FILE} next; pyfsagg show {folder} prints the details.")
    return result


@contextmanager
def _saved_elsewhere(result: Result, folder: Path, view: Mapping[str, Any]) -> Iterator[None]:
    """Hours of work are not lost because they, or their page, cannot be written into `folder`."""
    try:
        yield
    except Exception as error:
        reason = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
        try:
            other = Path(tempfile.mkdtemp(prefix=f"{folder.resolve().name}-"))
            result._write_into(other, **view)
        except OSError:
            raise OutputError(
                f"cannot write {folder}: {reason}; nor a folder for it elsewhere"
            ) from error
        raise OutputError(
            f"cannot write {folder}: {reason}; the results are in {other}, and pyfsagg report writes "
            "their page"
        ) from error


def print_records(frame: pd.DataFrame) -> None:
    """Print a table as JSON, a record for each row."""
    print(frame.reset_index().to_json(orient="records", indent=1, force_ascii=False))


def name_of_table(path: str) -> str:
    """What a table is called, for the title of a page."""
    return "standard input" if path == "-" else Path(path).name

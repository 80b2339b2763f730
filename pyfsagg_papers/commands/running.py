"""What the commands of ``pyfsagg reproduce`` have in common: flags, lines of progress, the folder."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsagg.extending import add_output_flags, add_work_flags, output_place

if TYPE_CHECKING:
    from pyfsagg.extending import Page, Result


@dataclass(frozen=True)
class Written:
    """What a command has put into its folder.

    Attributes
    ----------
    document : str
        For ``--json``.
    summary : str
        For the terminal.
    files : str
        The files, named in a sentence.
    page : Page, optional
        The report, yet to be written.
    """

    document: str
    summary: str
    files: str
    page: Page | None = None


Write = Callable[[argparse.Namespace, Path], Written]


def fill_folder(parser: argparse.ArgumentParser, default: str, write: Write) -> None:
    """Where results go, and the function that puts them there."""
    add_output_flags(parser, default, result=False)
    parser.set_defaults(run=partial(_into_folder, write=write))


def add_run_flags(
    parser: argparse.ArgumentParser,
    default: str,
    write: Write,
    workers: str = "workers",
    **work: bool,
) -> None:
    """``--quick``, ``--seed``, who works (`work` as of `add_work_flags`), and :func:`fill_folder`."""
    add = parser.add_argument
    add(
        "--quick",
        action="store_true",
        help="minutes instead of hours: fewer resamples and repetitions",
    )
    add("--seed", type=int, default=0, metavar="N", help="(default: %(default)s)")
    add_work_flags(parser, workers, **work)
    fill_folder(parser, default, write)


def _into_folder(options: argparse.Namespace, write: Write) -> None:
    """Let `write` fill a new folder, add the report, and print what was done."""
    from pyfsagg.extending import write_page

    with output_place(options) as place:
        written = write(options, place.draft)
        if written.page is not None:
            write_page(written.page, place.draft / "report.html")
        place.publish()
    folder = place.folder
    if options.json:
        print(written.document)
    elif not options.quiet:
        print(f"{written.summary}\n\nResults are in {folder}/: {written.files}")


def keep(result: Result, folder: Path, files: str) -> Written:
    """Write the files of a result, which are named in `files`, and make its page."""
    view = {"command": command()}
    result._write_into(folder, **view)
    return Written(
        result.to_json(**view),
        result.summary_text(**view),
        f"{files}, and run.json (everything)",
        result._page(**view),
    )


def log(options: argparse.Namespace) -> Callable[[str], None] | None:
    """Lines on each step, on standard error; None with ``--quiet``."""
    return None if options.quiet else lambda text: print(text, file=sys.stderr, flush=True)


def how(options: argparse.Namespace) -> dict[str, Any]:
    """The flags of :func:`add_run_flags` as the functions of this room take them."""
    kept = {"checkpoint": options.checkpoint} if hasattr(options, "checkpoint") else {}
    return {
        "quick": options.quick, "random_state": options.seed, "n_jobs": options.jobs,
        "log": log(options), **kept,
    }  # fmt: skip


def command() -> str:
    """The arguments of this call, for the report."""
    return shlex.join(sys.argv[1:])


def as_json(kind: str, **content: Any) -> str:
    """A document of this kind as text; frames are lists of rows, in which what is missing is None."""
    import pandas as pd

    document = {"schema": 1, "kind": kind, **content}
    for name, value in content.items():
        if isinstance(value, pd.DataFrame):
            plain = value.astype(object)
            document[name] = plain.where(plain.notna(), None).to_dict("records")
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)

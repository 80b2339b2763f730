"""``pyfsagg reproduce --all``: every table and statement of all papers."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable
from typing import Any

from pyfsagg._base.output import new_folder
from pyfsagg._base.settings import names_of
from pyfsagg._command.flags import free_folder
from pyfsagg.exceptions import ParameterError

__all__ = ["add_all"]

OUTPUT = "pyfsagg-reproduction"
REPORT_FILE = "report.html"


def add_all(parser: argparse.ArgumentParser, commands: Any) -> None:
    """Add ``--all`` and its flags to ``reproduce`` itself, beside its `commands`.

    The flags have names of their own, because each command would put its defaults over them.
    """
    own = parser.add_argument_group("all papers at once")
    flags = [
        own.add_argument("--all", dest="all_papers", action="store_true", help="all papers"),
        own.add_argument(
            "--quick", dest="all_quick", action="store_true", help="minutes instead of hours"
        ),
        own.add_argument(
            "--dataset", dest="all_dataset", type=names_of, metavar="A,B", help="(default: all)"
        ),
        own.add_argument(
            "--table", dest="all_tables", type=names_of, metavar="A,B", help="(default: all)"
        ),
        own.add_argument(
            "--output",
            dest="all_output",
            metavar="FOLDER",
            help=f"new or empty folder (default: {OUTPUT}, or the next free name)",
        ),
        own.add_argument(
            "--cache",
            dest="all_cache",
            metavar="FOLDER",
            default=f"{OUTPUT}-cache",
            help="keep each repetition here; the same command goes on from there "
            "(default: %(default)s)",
        ),
        own.add_argument(
            "--seed", dest="all_seed", type=int, default=0, metavar="N", help="(default: 0)"
        ),
        own.add_argument(
            "--jobs",
            dest="all_jobs",
            type=int,
            default=-1,
            metavar="N",
            help="workers; -1, the default: all cores",
        ),
        own.add_argument(
            "--json", dest="all_json", action="store_true", help="print the result as JSON"
        ),
        own.add_argument(
            "--quiet", dest="all_quiet", action="store_true", help="say nothing but errors"
        ),
    ]
    for command in commands.choices.values():
        command.set_defaults(run=_behind_the_name(command.get_default("run"), flags))
    parser.set_defaults(run=_all)


def _behind_the_name(
    run: Callable[[argparse.Namespace], Any], flags: list[argparse.Action]
) -> Callable[[argparse.Namespace], Any]:
    """`run`, but flags of ``--all`` in front of the name of a command are refused, not ignored."""

    def checked(options: argparse.Namespace) -> Any:
        for flag in flags:
            if getattr(options, flag.dest) != flag.default:
                raise ParameterError(
                    f"{flag.option_strings[0]} stands before {options.what!r}, where it belongs to "
                    f"the run of all papers; put it behind {options.what!r}, or leave the name out"
                )
        return run(options)

    return checked


def _all(options: argparse.Namespace) -> None:
    if not options.all_papers:
        raise ParameterError("name what to reproduce, or give --all (see pyfsagg reproduce --help)")
    from pyfsagg.reproduce import reproduce_all

    folder = free_folder(options.all_output, OUTPUT)
    with new_folder(folder) as draft:
        found = reproduce_all(
            options.all_dataset,
            tables=options.all_tables,
            quick=options.all_quick,
            random_state=options.all_seed,
            n_jobs=options.all_jobs,
            cache=options.all_cache,
            say=None if options.all_quiet else _say,
        )
        found.save(draft / "reproduction.json")
        found.cells.to_csv(draft / "cells.csv", index=False)
        found.statements.to_csv(draft / "statements.csv", index=False)
        found.coverage().to_csv(draft / "coverage.csv")
        found.not_checkable().to_csv(draft / "not_checkable.csv", index=False)
        found.times.to_csv(draft / "times.csv", index=False)
        _pages(found, draft)
    if options.all_json:
        print(found.to_json())
    elif not options.all_quiet:
        counts = found.coverage(["paper", "table"])
        print(counts.to_string(float_format="{:.2f}".format, na_rep="–"))
        print(
            f"\nResults are in {folder}/: {REPORT_FILE}, a page of cells for each paper, cells.csv, "
            "coverage.csv, not_checkable.csv, statements.csv, times.csv and reproduction.json "
            "(everything)"
        )


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _pages(found: Any, folder: Any) -> None:
    from pyfsagg._page.page import write_page
    from pyfsagg.reproduce.pages.cells import cells_page
    from pyfsagg.reproduce.pages.coverage import reproduction_page

    command = shlex.join(sys.argv[1:])
    write_page(reproduction_page(found, command=command), folder / REPORT_FILE)
    shared = {"quick": found.record["quick"], "seed": found.record["seed"], "command": command}
    for paper, own in found.cells.groupby("paper", sort=False):
        write_page(cells_page(own, **shared), folder / f"{paper}.html")

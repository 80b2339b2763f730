"""``pyfsagg reproduce all``: every table and statement of all papers."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pyfsagg._base.settings import names_of
from pyfsagg.reproduce.commands import _run

__all__ = ["add_commands"]

OUTPUT = "pyfsagg-reproduction"
CHECKPOINT = f"{OUTPUT}-checkpoint"


def add_commands(commands: Any) -> None:
    """Add ``all``."""
    parser = commands.add_parser(
        "all",
        help="every table and statement of all papers",
        description="Repeat every published table on the available data, and decide every "
        f"statement. Finished repetitions are kept in {CHECKPOINT}, unless --checkpoint names "
        "another folder: the same command goes on from there.",
    )
    add = parser.add_argument
    add(
        "--table",
        type=names_of,
        metavar="A,B",
        help="tables, for instance 4.4,frcm_2 (default: all)",
    )
    add("--dataset", type=names_of, metavar="A,B", help="data sets of the tables (default: all)")
    _run.add_run_flags(parser, OUTPUT, _write)


def _write(options: argparse.Namespace, folder: Path) -> _run.Written:
    from pyfsagg._page.page import write_page
    from pyfsagg.reproduce import reproduce_all
    from pyfsagg.reproduce.shipped import time_of_shipped_runs
    from pyfsagg.reproduce.tables._page import cells_page

    say = _run.log(options)
    expected = time_of_shipped_runs(options.table, options.dataset, quick=options.quick)
    if say is not None and expected:
        say(expected)
    found = reproduce_all(
        options.dataset,
        tables=options.table,
        **{**_run.how(options), "checkpoint": options.checkpoint or CHECKPOINT},
    )
    for paper, own in found.cells.groupby("paper", sort=False):
        page = cells_page(own, quick=options.quick, seed=options.seed, command=_run.command())
        write_page(page, folder / f"{paper}.html")
    return _run.keep(
        found,
        folder,
        f"{_run.REPORT_FILE}, a page of cells for each paper, cells.csv, coverage.csv, "
        "not_checkable.csv, statements.csv, times.csv",
    )

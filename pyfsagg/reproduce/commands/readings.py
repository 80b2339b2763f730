"""``pyfsagg reproduce readings``: what may have been done where published cells are not met."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pyfsagg._base.settings import names_of
from pyfsagg.reproduce.commands import _run

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add ``readings``."""
    parser = commands.add_parser(
        "readings",
        help="try other readings of published tables",
        description="Repeat a published table under other readings of the method and of the data, "
        "and show which of them brings the printed cells inside.",
    )
    add = parser.add_argument
    add(
        "--table",
        default="4.4",
        metavar="NAME",
        help="4.4, 4.5, 4.6, fpcps_1, fpcps_2 or frcm_2 (default: %(default)s)",
    )
    add("--dataset", type=names_of, metavar="A,B", help="data sets of the tables (default: all)")
    add("--readings", type=names_of, metavar="A,B", help="names of readings (default: all)")
    _run.add_run_flags(parser, "pyfsagg-readings", _write)


def _write(options: argparse.Namespace, folder: Path) -> _run.Written:
    from pyfsagg._run.result import records
    from pyfsagg.reproduce import best_readings, coverage, readings
    from pyfsagg.reproduce.tables._page import readings_page

    found = readings(
        options.dataset,
        table=options.table,
        names=options.readings,
        **_run.how(options),
    )
    best = best_readings(found)
    found.to_csv(folder / "readings.csv", index=False)
    best.to_csv(folder / "best.csv", index=False)
    counts = coverage(found, ["reading"]).drop(columns="inside_share").to_string()
    blocks = best.drop(columns="all").to_string(index=False, float_format="{:.1f}".format)
    return _run.Written(
        _run.as_json("readings", quick=options.quick, cells=records(found)),
        f"{counts}\n\n{blocks}",
        f"best.csv (each block), readings.csv (every cell under every reading) and {_run.REPORT_FILE}",
        readings_page(found, command=_run.command()),
    )

"""``pyfsagg reproduce readings``: what may have been done where published cells are not met."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from typing import Any

from pyfsagg._base.output import new_folder
from pyfsagg._base.settings import names_of
from pyfsagg._command.flags import add_output_flags, add_work_flags, free_folder

__all__ = ["add_readings"]

REPORT_FILE = "report.html"


def add_readings(commands: Any) -> None:
    """Add ``readings`` to the commands of ``reproduce``."""
    parser = commands.add_parser(
        "readings",
        help="try other readings of thesis tables 4.4 to 4.6",
        description="Repeat a table of the thesis under other readings of the method and of the data, "
        "and say which of them brings the printed cells inside.",
    )
    add = parser.add_argument
    add("--table", default="4.4", metavar="4.4|4.5|4.6", help="(default: %(default)s)")
    add("--dataset", type=names_of, metavar="A,B", help="data sets as printed (default: all)")
    add("--readings", type=names_of, metavar="A,B", help="names of readings (default: all)")
    add("--quick", action="store_true", help="fewer resamples and repetitions")
    add("--cache", metavar="FOLDER", help="keep each repetition here, and take it from here")
    add("--seed", type=int, default=0, help="(default: %(default)s)")
    add_work_flags(parser, checkpoint=False)
    add_output_flags(parser, "pyfsagg-readings")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    from pyfsagg._page.page import write_page
    from pyfsagg.reproduce import best_readings, coverage, readings
    from pyfsagg.reproduce.pages.readings import readings_page

    folder = free_folder(options.output, "pyfsagg-readings")
    with new_folder(folder) as draft:
        found = readings(
            options.dataset,
            table=options.table,
            names=options.readings,
            quick=options.quick,
            random_state=options.seed,
            n_jobs=options.jobs,
            cache=options.cache,
            say=None if options.quiet else lambda text: print(text, file=sys.stderr, flush=True),
        )
        best = best_readings(found)
        found.to_csv(draft / "readings.csv", index=False)
        best.to_csv(draft / "best.csv", index=False)
        write_page(readings_page(found, command=shlex.join(sys.argv[1:])), draft / REPORT_FILE)
    if options.json:
        records = found.astype(object).where(found.notna(), None).to_dict(orient="records")
        document = {"schema": 1, "kind": "readings", "quick": options.quick, "cells": records}
        print(json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False))
    elif not options.quiet:
        print(coverage(found, ["reading"]).drop(columns="inside_share").to_string())
        print()
        print(best.drop(columns="all").to_string(index=False, float_format="{:.1f}".format))
        print(
            f"\nResults are in {folder}/: best.csv (each block), readings.csv (every cell under every "
            f"reading) and {REPORT_FILE}"
        )

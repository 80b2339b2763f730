"""``pyfsagg report``: write the page of a saved result again."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pyfsagg._command.flags import add_view_flags, view_of
from pyfsagg.exceptions import ParameterError


def add_commands(commands: Any) -> None:
    """Add ``report``."""
    parser = commands.add_parser(
        "report",
        help="write the report of a saved result again",
        description="Write the HTML report of a result that a command or save() wrote into a folder.",
    )
    add = parser.add_argument
    add("folder", metavar="FOLDER", help="the folder, or the file of a result")
    add_view_flags(parser)
    add(
        "-o", "--output", metavar="FILE", help="where to write (default: report.html in the folder)"
    )
    add("-q", "--quiet", action="store_true", help="print errors only")
    parser.set_defaults(run=_report)


def _report(options: argparse.Namespace) -> None:
    from pyfsagg._run.result import REPORT_FILE
    from pyfsagg.results import load_result

    result = load_result(options.folder)
    folder = Path(options.folder)
    if options.output is None and not folder.is_dir():
        raise ParameterError(f"{folder} is a file; name that of the report by --output FILE")
    view = view_of(options, result._options)
    path = result.report(options.output or folder / REPORT_FILE, **view)
    if not options.quiet:
        print(f"The report is in {path}")

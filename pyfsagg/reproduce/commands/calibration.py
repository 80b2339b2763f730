"""``pyfsagg reproduce calibration``: what every p-value, interval and error bound keeps."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pyfsagg._base.settings import names_of
from pyfsagg.reproduce.commands import _run

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add ``calibration``."""
    parser = commands.add_parser(
        "calibration",
        help="level, coverage or bound of every p-value, interval and error bound, by simulation",
        description="Repeat the simulations behind every p-value, interval and error bound of this "
        "package, on data whose truth is known, and compare the measured with the nominal values.",
    )
    parser.add_argument(
        "--only", type=names_of, metavar="A,B", help="topics, for instance lists (default: all)"
    )
    _run.add_run_flags(parser, "pyfsagg-calibration", _write, "processes", checkpoint=False)


def _write(options: argparse.Namespace, folder: Path) -> _run.Written:
    from pyfsagg.reproduce import calibrate

    found = calibrate(options.only, **_run.how(options))
    return _run.keep(found, folder, f"calibration.csv, {_run.REPORT_FILE}")

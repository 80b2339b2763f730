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
    from pyfsagg.reproduce.calibration._page import calibration_page

    found = calibrate(options.only, **_run.how(options))
    found.save(folder / "calibration.json")
    found.to_frame().to_csv(folder / "calibration.csv", index=False)
    return _run.Written(
        found.to_json(),
        "\n".join(found.conclusions()),
        f"calibration.csv, calibration.json (everything) and {_run.REPORT_FILE}",
        calibration_page(found, command=_run.command()),
    )

"""``pyfsagg reproduce gene-lists``: which aggregator finds the true genes of unequal lists."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pyfsagg.reproduce.commands import _run

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add ``gene-lists``."""
    parser = commands.add_parser(
        "gene-lists",
        help="the comparison of aggregators on gene lists by Wang et al. (2022)",
        description="Repeat the simulations of Wang et al. (2022), ranked and unranked gene lists of "
        "unequal quality and length, and set the accuracy of our aggregators beside the printed one. "
        "Methods that we do not have are named as not ours.",
    )
    parser.add_argument(
        "--repeats",
        type=int,
        metavar="N",
        help="data sets for each of the 46 settings (default: 100; with --quick 3)",
    )
    _run.add_run_flags(parser, "pyfsagg-gene-lists", _write, "processes", checkpoint=False)


def _write(options: argparse.Namespace, folder: Path) -> _run.Written:
    from pyfsagg.reproduce import gene_lists

    found = gene_lists(n_repetitions=options.repeats, **_run.how(options))
    files = "cells.csv (every printed cell beside ours), means.csv (accuracy over all settings)"
    return _run.keep(found, folder, f"{files}, {_run.REPORT_FILE}")

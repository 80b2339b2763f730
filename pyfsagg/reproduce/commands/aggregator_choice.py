"""``pyfsagg reproduce aggregator-choice``: which aggregator for which lists."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pyfsagg.reproduce.commands import _run

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add ``aggregator-choice``."""
    parser = commands.add_parser(
        "aggregator-choice",
        help="which aggregator finds more in lists of which kind",
        description="Generate sets of lists as Wang et al. (2022) do, of random number, length, noise, "
        "heterogeneity and share without an order, and measure how many of the true best 100 each "
        "aggregator finds. The run that comes with the package is where the advice of pyfsagg aggregate "
        "comes from.",
    )
    parser.add_argument(
        "--sets",
        type=int,
        metavar="N",
        help="sets of lists (default: 1600; with --quick 60)",
    )
    _run.add_run_flags(parser, "pyfsagg-aggregator-choice", _write, "processes", checkpoint=False)


def _write(options: argparse.Namespace, folder: Path) -> _run.Written:
    from pyfsagg.reproduce import aggregator_choice

    found = aggregator_choice(n_sets=options.sets, **_run.how(options))
    files = "sets.csv (what each set looks like, and what each aggregator found)"
    return _run.keep(found, folder, f"{files}, {_run.REPORT_FILE}")

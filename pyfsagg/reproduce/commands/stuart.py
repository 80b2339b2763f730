"""``pyfsagg reproduce stuart``: what the printed Stuart column measured."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pyfsagg._base.settings import names_of
from pyfsagg.reproduce.commands import _run

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add ``stuart``."""
    parser = commands.add_parser(
        "stuart",
        help="what the printed Stuart column of tables 4.5 and 4.6 measured",
        description="Repeat the influence experiment with Stuart's statistic computed exactly and by "
        "the recursion of the R package RobustRankAggreg, for several numbers of lists. Without R "
        "the recursion is left out, and the report names the reason.",
    )
    add = parser.add_argument
    add(
        "--datasets",
        type=names_of,
        metavar="A,B",
        help="data sets (default: ionosphere,semeion,optdigits,splice; with --quick ionosphere)",
    )
    add(
        "--filters",
        type=names_of,
        default=["information_gain", "mrmr"],
        metavar="A,B",
        help="information_gain (table 4.5), mrmr (table 4.6) or both, the default",
    )
    add("--folds", type=int, metavar="F", help="folds (default: 100; with --quick 10)")
    add(
        "--lists",
        type=_counts,
        metavar="N,M",
        help="numbers of lists; the largest is the number of bootstraps (default: 10 to 1000)",
    )
    _run.add_run_flags(parser, "pyfsagg-stuart", _write, "processes", checkpoint=False)


def _counts(text: str) -> list[int]:
    try:
        return [int(part) for part in names_of(text)]
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected whole numbers, got {text!r}") from None


def _write(options: argparse.Namespace, folder: Path) -> _run.Written:
    from pyfsagg.reproduce import stuart_finding

    finding = stuart_finding(
        options.datasets,
        filters=options.filters,
        n_folds=options.folds,
        list_counts=options.lists,
        **_run.how(options),
    )
    finding.plot().figure.savefig(folder / "lists.png", dpi=150)
    return _run.keep(
        finding,
        folder,
        f"stability.csv, printed.csv, lists.png, {_run.REPORT_FILE}, runs.csv for pyfsagg reproduce "
        "claims --runs",
    )

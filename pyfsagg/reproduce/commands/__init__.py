"""``pyfsagg reproduce``: published results beside recomputed ones, a file for each command."""

from __future__ import annotations

from typing import Any

from pyfsagg.reproduce.commands import (
    aggregator_choice,
    all_papers,
    calibration,
    claims,
    gene_lists,
    papers,
    readings,
    stuart,
)

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add ``reproduce`` with its own commands."""
    parser = commands.add_parser(
        "reproduce",
        help="recompute what the papers published, and what this package promises",
        description="Recompute published tables and statements, and decide which hold.",
    )
    own = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    modules = (
        all_papers,
        papers,
        gene_lists,
        aggregator_choice,
        claims,
        stuart,
        readings,
        calibration,
    )
    for module in modules:
        module.add_commands(own)

"""``pyfsagg reproduce``: published results beside recomputed ones."""

from __future__ import annotations

from typing import Any

from pyfsagg.reproduce.commands.all_papers import add_all
from pyfsagg.reproduce.commands.cells import add_tables
from pyfsagg.reproduce.commands.readings import add_readings
from pyfsagg.reproduce.commands.statements import add_claims, add_stuart

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add ``reproduce`` with its own commands."""
    parser = commands.add_parser(
        "reproduce",
        help="recompute what the papers published",
        description="Recompute published tables and statements, and say which hold.",
    )
    own = parser.add_subparsers(dest="what", metavar="WHAT")
    add_tables(own)
    add_claims(own)
    add_stuart(own)
    add_readings(own)
    add_all(parser, own)

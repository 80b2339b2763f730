"""``pyfsagg show``: what a saved result says, on the terminal."""

from __future__ import annotations

import argparse
from typing import Any

from pyfsagg._command.flags import add_view_flags, view_of


def add_commands(commands: Any) -> None:
    """Add ``show``."""
    parser = commands.add_parser(
        "show",
        help="print the summary of a saved result",
        description="Print the summary of a result that a command or save() wrote into a folder.",
    )
    parser.add_argument("folder", metavar="FOLDER", help="the folder, or the file of a result")
    add_view_flags(parser)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(run=_show)


def _show(options: argparse.Namespace) -> None:
    from pyfsagg.results import load_result

    result = load_result(options.folder)
    view = view_of(options, result._options)
    print(result.to_json(**view) if options.json else result.summary_text(**view))

"""``pyfsagg list``: the methods of each kind, with direction, range and source."""

from __future__ import annotations

import argparse
import shutil
from typing import TYPE_CHECKING, Any

from pyfsagg.exceptions import UnknownNameError

if TYPE_CHECKING:
    import pandas as pd


EPILOG = """\
examples:
  pyfsagg list filters
  pyfsagg list aggregators rra
"""
SHOWN = (
    "better",
    "bounds",
    "input",
    "targets",
    "kind",
    "task",
    "parameter",
    "default",
    "needs",
    "installed",
    "origin",
    "summary",
)


# The names of pyfsagg.listing, which loads everything that it lists.
KINDS = (
    "filters",
    "aggregators",
    "stability",
    "resampling",
    "classifiers",
    "regressors",
    "survival-models",
    "metrics",
    "eliminations",
    "unsupervised",
    "voting-rules",
    "datasets",
)
ONE = {
    "stability": "stability measure",
    "resampling": "resampling plan",
    "unsupervised": "unsupervised method",
}


def add_commands(commands: Any) -> None:
    """Add ``list``."""
    parser = commands.add_parser(
        "list",
        help="list filters, aggregators, stability measures, resampling plans and other methods",
        description="List the methods of a kind, or show all details of one of them; without KIND, list "
        "the kinds.",
        epilog=EPILOG,
    )
    parser.add_argument("kind", nargs="?", choices=KINDS, metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("name", nargs="?", metavar="NAME", help="one method, by name or alias")
    parser.add_argument("--json", action="store_true", help="print the list as JSON, in full")
    parser.set_defaults(run=_list)


def _list(options: argparse.Namespace) -> None:
    from pyfsagg.listing import list_methods

    found = list_methods(options.kind)
    if options.name:
        one = ONE.get(options.kind, options.kind.removesuffix("s").replace("-", " "))
        found = found.loc[[_name_of(options.name, found, one)]]
    if options.json:
        print(found.reset_index().to_json(orient="records", indent=1, force_ascii=False))
    elif options.name:
        print(_details(found))
    else:
        print("\n".join(_lines(found)))


def _name_of(given: str, found: pd.DataFrame, kind: str) -> str:
    """The name that something answers to."""
    key = given.strip().lower().replace("-", "_").replace(" ", "_")
    names = {name: name for name in found.index}
    if "aliases" in found:
        for name, aliases in found["aliases"].items():
            names |= dict.fromkeys(filter(None, str(aliases).split(", ")), name)
    if key not in names:
        raise UnknownNameError(kind, given, found.index, names)
    return str(names[key])


def _lines(found: pd.DataFrame) -> list[str]:
    """A line for each method, cut at the width of the terminal."""
    frame = found.copy()
    if "higher_is_better" in frame:
        frame["better"] = frame["higher_is_better"].map({True: "higher", False: "lower"})
    frame = frame[[column for column in SHOWN if column in frame]].reset_index()
    cells: list[list[str]] = [[str(column) for column in frame.columns]]
    cells += [[_text(cell) for cell in row] for row in frame.to_numpy()]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    room = max(shutil.get_terminal_size((160, 24)).columns, 60)
    lines = []
    for row in cells:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        line = line.rstrip()
        lines.append(line if len(line) <= room else f"{line[: room - 1]}…")
    return lines


def _details(found: pd.DataFrame) -> str:
    """Everything about one method, a line for each property that it has."""
    (name,) = found.index
    told = {str(column): _text(value) for column, value in found.iloc[0].items()}
    width = max(map(len, told))
    return "\n".join(
        [name, *(f"  {key.ljust(width)}  {text}" for key, text in told.items() if text)]
    )


def _text(cell: Any) -> str:
    if isinstance(cell, (tuple, list)):
        return ", ".join(map(str, cell))
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return "" if cell is None or cell != cell else str(cell)

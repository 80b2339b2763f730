"""``pyfsagg list``: the methods of each kind, with direction, range and source."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyfsagg.exceptions import UnknownNameError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["add_commands"]

EPILOG = """\
examples:
  pyfsagg list filters
  pyfsagg list aggregators rra
"""
DIRECTIONS = ("higher_is_better", "larger_is_stabler")
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
    "summary",
)


def _filters() -> pd.DataFrame:
    from pyfsagg.ensemble import list_filters  # those of upper rooms among them

    return list_filters()


def _aggregators() -> pd.DataFrame:
    from pyfsagg.aggregation import list_aggregators

    return list_aggregators()


def _measures() -> pd.DataFrame:
    from pyfsagg.stability_measures import list_stability_measures

    return list_stability_measures()


def _plans() -> pd.DataFrame:
    from pyfsagg.resampling import list_resampling_plans

    return list_resampling_plans()


def _classifiers() -> pd.DataFrame:
    from pyfsagg.evaluation import list_classifiers

    return list_classifiers()


def _regressors() -> pd.DataFrame:
    from pyfsagg.evaluation import list_regressors

    return list_regressors()


def _survival_models() -> pd.DataFrame:
    from importlib.util import find_spec

    from pyfsagg.evaluation import list_survival_models

    found = list_survival_models()
    there = [
        "yes" if not needed or find_spec(needed) is not None else "no" for needed in found["needs"]
    ]
    return found.assign(installed=there)


def _metrics() -> pd.DataFrame:
    from pyfsagg.evaluation import list_metrics

    return list_metrics()


def _orders() -> pd.DataFrame:
    from pyfsagg.rank_order import list_eliminations

    return list_eliminations()


def _unsupervised() -> pd.DataFrame:
    from pyfsagg.unsupervised import list_unsupervised_methods

    return list_unsupervised_methods()


def _voting_rules() -> pd.DataFrame:
    from pyfsagg.committees import list_voting_rules

    return list_voting_rules()


KINDS: dict[str, Callable[[], pd.DataFrame]] = {
    "filters": _filters,
    "aggregators": _aggregators,
    "measures": _measures,
    "plans": _plans,
    "classifiers": _classifiers,
    "regressors": _regressors,
    "survival-models": _survival_models,
    "metrics": _metrics,
    "orders": _orders,
    "unsupervised": _unsupervised,
    "voting-rules": _voting_rules,
}


def add_commands(commands: Any) -> None:
    """Add ``list``."""
    parser = commands.add_parser(
        "list",
        help="list filters, aggregators, measures, resampling plans and other methods",
        description="List the methods of a kind, or show all details of one of them.",
        epilog=EPILOG,
    )
    parser.add_argument("kind", choices=tuple(KINDS), metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("name", nargs="?", metavar="NAME", help="one method, by name or alias")
    parser.add_argument("--json", action="store_true", help="print the list as JSON, in full")
    parser.set_defaults(run=_list)


def _list(options: argparse.Namespace) -> None:
    found = KINDS[options.kind]()
    if options.name:
        found = found.loc[[_name_of(options.name, found, options.kind.removesuffix("s"))]]
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
    for name, aliases in found["aliases"].items():
        names |= dict.fromkeys(filter(None, str(aliases).split(", ")), name)
    if key not in names:
        raise UnknownNameError(kind, given, found.index, names)
    return str(names[key])


def _lines(found: pd.DataFrame) -> list[str]:
    """A line for each method, cut at the width of the terminal."""
    frame = found.copy()
    for column in DIRECTIONS:
        if column in frame:
            frame["better"] = frame[column].map({True: "higher", False: "lower"})
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

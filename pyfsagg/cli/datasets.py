"""``pyfsagg datasets``: what can be loaded by name, and how it compares with the papers."""

from __future__ import annotations

import argparse
from typing import Any

LONGEST = 48  # characters of a cell


def add_commands(commands: Any) -> None:
    """Add ``datasets``."""
    parser = commands.add_parser(
        "datasets",
        help="list the data sets that can be loaded by name",
        description="List the available data sets (embedded, of scikit-learn, or in the folder "
        "that PYFSAGG_DATA names) and those of the papers that are not, with their size and whether "
        "they are as the papers print them.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="data sets (default: all)")
    parser.add_argument("--json", action="store_true", help="print the list as JSON, in full")
    parser.set_defaults(run=_datasets)


def _datasets(options: argparse.Namespace) -> None:
    from pyfsagg.datasets._loaders import describe_datasets

    found = describe_datasets(options.names or None)
    if options.json:
        print(found.reset_index().to_json(orient="records", indent=1, force_ascii=False))
        return
    shown = found.rename(columns={"n_samples": "n", "n_features": "p"})
    shown = shown.astype(object).where(shown.notna(), "–").map(_short)
    print(shown.to_string())


def _short(cell: object) -> str:
    text = str(cell)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"

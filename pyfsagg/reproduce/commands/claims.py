"""``pyfsagg reproduce claims``: statements of the papers, decided on their printed tables."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pyfsagg.reproduce.commands import _run

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add ``claims``."""
    parser = commands.add_parser(
        "claims",
        help="recompute the statistical statements of the papers",
        description="Recompute every statistical statement of the papers from their printed tables, "
        "in every form of the test that may have been meant, and decide which hold.",
    )
    add = parser.add_argument
    papers = ("thesis", "fpcps", "frcm", "orders")
    add("--paper", choices=papers, help="statements of one paper (default: all)")
    add("--table", metavar="T", help="statements that rest on one table, for instance 4.5")
    add(
        "--runs",
        metavar="CSV",
        help="own values with the columns table, dataset, measure, method and value: decide on "
        "them too what they can decide",
    )
    _run.fill_folder(parser, "pyfsagg-claims", _write)


def _write(options: argparse.Namespace, folder: Path) -> _run.Written:
    from pyfsagg._run.result import records
    from pyfsagg.datasets import read_table
    from pyfsagg.reproduce import claim_variants, claims
    from pyfsagg.reproduce.statements._page import claims_page

    runs = None if options.runs is None else read_table(options.runs)
    found = claims(options.paper, options.table, runs=runs)
    variants = claim_variants(options.paper, options.table)
    text = _run.as_json("claims", claims=records(found))
    found.to_csv(folder / "claims.csv", index=False)
    variants.to_csv(folder / "forms.csv", index=False)
    (folder / "claims.json").write_text(text + "\n", encoding="utf-8")
    lines = []
    for verdict, part in found.groupby("verdict", sort=False):
        lines.append(f"{verdict}: {len(part)}")
        marks = part["basis"].map({"own runs": " (own runs)"}).fillna("")
        labels = zip(part["paper"], part["id"] + marks, strict=True)
        lines += [f"  {paper} {name}" for paper, name in labels]
    return _run.Written(
        text,
        "\n".join(lines),
        f"claims.csv, forms.csv (every form that was tried), claims.json and {_run.REPORT_FILE}",
        claims_page(found, variants, command=_run.command()),
    )

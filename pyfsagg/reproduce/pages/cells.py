"""The report on published tables: every cell beside ours, and how many are inside."""

from __future__ import annotations

from functools import partial

import pandas as pd

from pyfsagg._base.words import MISSING, number, percentages, plural, readable
from pyfsagg._draw.svg import inline_svg
from pyfsagg._page.page import (
    Block,
    Code,
    Column,
    Enumeration,
    Page,
    Picture,
    Section,
    Table,
    Text,
)
from pyfsagg._version import __version__
from pyfsagg.reproduce.experiments import EXPERIMENTS
from pyfsagg.reproduce.pages.claims import PAPERS
from pyfsagg.reproduce.pictures.cells import plot_cells
from pyfsagg.reproduce.tables import coverage

__all__ = ["RULES", "cells_page", "coverage_table", "table_title"]

RULES = (
    "A printed value is one more draw of the same kind as ours (a split of the rows, a division into "
    "folds), or the mean of many. “Inside” means within the limits in which 95 % of such values would "
    "lie, given the spread of our repetitions; “near” within one more of their width; “outside” "
    "farther. A cell is not checkable if the source has lost it or is doubtful there, or if the data "
    "could not be had or are others."
)


def cells_page(found: pd.DataFrame, *, quick: bool, seed: int, command: str | None = None) -> Page:
    """The page of :func:`pyfsagg.reproduce.table` and :func:`pyfsagg.reproduce.cells`.

    Parameters
    ----------
    found : DataFrame
        As they return.
    quick : bool
        Whether the quick settings were used.
    seed : int
    command : str, optional
        The arguments of the ``pyfsagg`` command that made it.
    """
    checkable = found[found["verdict"] != "not checkable"]
    inside = int((checkable["verdict"] == "inside").sum())
    sections = [
        Section(
            "coverage",
            "Coverage",
            [
                Text(
                    f"{inside} of {plural(len(checkable), 'checkable cell')} "
                    f"{'is' if inside == 1 else 'are'} inside; {len(found) - len(checkable)} "
                    "cannot be checked."
                ),
                Text(RULES, quiet=True),
                coverage_table(found),
            ],
        )
    ]
    for table, own in found.groupby("table", sort=False):
        sections.append(_table_section(str(table), own, quick, seed))
    if command:
        sections.append(Section("again", "How to repeat it", [Code(f"pyfsagg {command}")]))
    papers = [PAPERS[paper] for paper in dict.fromkeys(found["paper"])]
    references: Block = Enumeration([(paper, "") for paper in papers])
    sections.append(Section("references", "References", [references]))
    return Page("Published tables, cell by cell", f"pyfsagg {__version__}", sections)


def table_title(table: str) -> str:
    """``Table 4.4``, ``Table 1``, or the section that has the numbers."""
    if table == "orders_genes":
        return "Section 5.2, genes"
    return f"Table {table.rpartition('_')[2]}"


def coverage_table(found: pd.DataFrame) -> Table:
    """How many cells have which verdict, by table and data set."""
    counts = coverage(found).reset_index()
    shares = percentages(counts["inside_share"])
    rows = [
        [
            table_title(str(row["table"])),
            readable(str(row["dataset"])),
            *(str(row[name]) for name in ("inside", "near", "outside", "not checkable")),
            share if row["checkable"] else MISSING,
        ]
        for share, row in zip(shares, counts.to_dict("records"), strict=True)
    ]
    columns = [Column("Table", numeric=False), Column("Data set", numeric=False)]
    columns += [Column(name) for name in ("Inside", "Near", "Outside", "Not checkable", "% inside")]
    return Table("Verdicts by table and data set", columns, rows, header=1)


def _table_section(table: str, own: pd.DataFrame, quick: bool, seed: int) -> Section:
    experiment = EXPERIMENTS[table]
    settings = experiment.settings(quick)
    repetitions = settings.pop("repetitions")
    described = ", ".join(f"{readable(name)} = {value}" for name, value in settings.items())
    blocks: list[Block] = [
        Text(
            f"{experiment.caption}. A repetition is {experiment.what}. "
            f"{repetitions} repetitions{', quick settings' if quick else ''} ({described}), seed {seed}."
        )
    ]
    if quick and experiment.quick_remark:
        blocks.append(Text(experiment.quick_remark))
    if experiment.readings:
        blocks.append(Text(f"How it was read: {'; '.join(experiment.readings)}.", quiet=True))
    for (dataset, measure), part in own.groupby(["dataset", "measure"], sort=False):
        shown = part[part["verdict"] != "not checkable"]
        if shown.empty:
            continue
        name = f"cells-{table}-{dataset}-{measure}".replace(".", "-").replace("_", "-").lower()
        label = f"{readable(str(dataset))}, {readable(str(measure))}"
        svg = inline_svg(partial(plot_cells, shown), prefix=name, label=label)
        blocks.append(Picture(label, svg, ""))
    columns = [Column(title, numeric=False) for title in ("Data set", "Row", "Measure")]
    columns += [Column(title) for title in ("Printed", "Ours", "From", "To")]
    columns += [Column(title, numeric=False) for title in ("Verdict", "Reason")]
    rows = [
        [
            *(readable(str(cell[name])) for name in ("dataset", "row", "measure")),
            *(number(cell[name]) for name in ("published", "mean", "lower", "upper")),
            cell["verdict"],
            cell["reason"],
        ]
        for cell in own.to_dict("records")
    ]
    blocks.append(Table(f"{table_title(table)}, cell by cell", columns, rows, find="cell"))
    place = table.replace(".", "-").replace("_", "-")
    return Section(f"table-{place}", table_title(table), blocks)

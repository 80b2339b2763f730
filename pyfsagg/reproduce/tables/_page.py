"""The pages on published tables: every cell beside ours, and other readings of the method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from pyfsagg._base.words import MISSING, number, percentages, plural, readable
from pyfsagg._page.page import Block, Enumeration, Page, Section, Table, Text
from pyfsagg._run.picture import picture
from pyfsagg._version import __version__
from pyfsagg.reproduce._page import closing, numbers, words
from pyfsagg.reproduce.tables._plot import plot_cells, plot_readings
from pyfsagg.reproduce.tables.comparison import VERDICTS, coverage
from pyfsagg.reproduce.tables.evidence import evidence
from pyfsagg.reproduce.tables.experiments import EXPERIMENTS
from pyfsagg.reproduce.tables.readings import READINGS, STANDARD, best_readings

__all__ = [
    "COUNTS",
    "POWER",
    "RULES",
    "cells_page",
    "count_texts",
    "coverage_table",
    "readings_page",
    "table_title",
]

RULES = (
    "A printed value is one more draw of the same kind as ours (a split of the rows, a division into "
    "folds), or the mean of many. “Inside” means within the limits in which 95 % of such values would "
    "lie, given the spread of our repetitions; “near” within one more of their width; “outside” "
    "farther. A cell is not checkable if the source has lost it or is doubtful there, or if the data "
    "could not be had or are others."
)
COUNTS = numbers(
    "Inside", "Near", "Outside", "Not checkable", "% inside", "% of others inside", "Decisive"
)
"""Columns of tables that count verdicts."""

POWER = (
    "“% of others inside” says what the verdicts are worth: it puts the printed values of other data "
    "sets (of other rows, if a table has one data set) in the place of a cell’s own, and counts how "
    "many its limits hold. “Decisive” are the cells inside whose limits hold at most 5 % of them; of "
    "the others inside, the limits are so wide that they cannot tell. The likelihood ratio of a cell "
    "says how many times more likely its printed value is as a further draw of ours than as one of "
    "the other cells of the table."
)

CAUTION = (
    "With many readings tried, a single cell more that is inside says little: it happens by chance, "
    "and limits are wide where repetitions scatter. A whole block that moves from outside to inside "
    "says what was probably done; it does not prove it."
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
                Text(POWER, quiet=True),
                coverage_table(found),
            ],
        )
    ]
    for table, own in found.groupby("table", sort=False):
        sections.append(_table_section(str(table), own, quick, seed))
    sections += closing(command, found["paper"])
    return Page("Published tables, cell by cell", f"pyfsagg {__version__}", sections)


def table_title(table: str) -> str:
    """``Table 4.4``, ``Table 1``, or the section that has the numbers."""
    if table == "orders_genes":
        return "Section 5.2, genes"
    return f"Table {table.rpartition('_')[2]}"


def coverage_table(found: pd.DataFrame) -> Table:
    """How many cells have which verdict, by table and data set."""
    rows = [
        [table_title(str(row["table"])), readable(str(row["dataset"])), *count_texts(row)]
        for row in coverage(found).reset_index().to_dict("records")
    ]
    columns = [*words("Table", "Data set"), *COUNTS]
    return Table("Verdicts by table and data set", columns, rows, header=1)


def count_texts(row: Mapping[Any, Any]) -> list[str]:
    """The cells of :data:`COUNTS` for a row of :func:`pyfsagg.reproduce.coverage`."""
    shares = percentages([row["inside_share"], row["others_inside"]])
    shares = [text if row["checkable"] else MISSING for text in shares]
    return [*(str(int(row[name])) for name in VERDICTS), *shares, str(int(row["decisive"]))]


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
        title = f"{readable(str(dataset))}, {readable(str(measure))}"
        blocks.append(picture(title, f"cells-{table}-{dataset}-{measure}", plot_cells, shown))
    names = ("dataset", "row", "measure")
    blocks.append(_cells(f"{table_title(table)}, cell by cell", own, names, ("verdict", "reason")))
    place = table.replace(".", "-").replace("_", "-")
    return Section(f"table-{place}", table_title(table), blocks)


def _cells(caption: str, found: pd.DataFrame, names: Sequence[str], ends: Sequence[str]) -> Table:
    """A row for each cell: what names it, its numbers, and the columns `ends`."""
    heads = ["data set" if name == "dataset" else name for name in names]
    columns = words(*(name.capitalize() for name in heads))
    columns += numbers("Printed", "Ours", "From", "To", "% of others inside", "Likelihood ratio")
    columns += words(*(name.capitalize() for name in ends))
    told = evidence(found)
    rows = [
        [
            *(readable(str(cell[name])) for name in names),
            *(number(cell[name]) for name in ("published", "mean", "lower", "upper")),
            *percentages([cell["others_inside"]]),
            number(cell["likelihood_ratio"]),
            _verdict(cell),
            *(cell[name] for name in ends[1:]),
        ]
        for cell in found.join(told).to_dict("records")
    ]
    return Table(caption, columns, rows, find="cell")


def _verdict(cell: Mapping[Any, Any]) -> str:
    weak = cell["verdict"] == "inside" and cell["decisive"] is False
    return "inside, not decisive" if weak else str(cell["verdict"])


def readings_page(found: pd.DataFrame, *, command: str | None = None) -> Page:
    """The page of :func:`pyfsagg.reproduce.readings`.

    Parameters
    ----------
    found : DataFrame
        As it returns.
    command : str, optional
        The arguments of the ``pyfsagg`` command that made it.
    """
    (table,) = found["table"].unique()
    tried = [each for each in READINGS[table] if each.name in set(found["reading"])]
    counts = coverage(found, ["dataset", "row", "reading"])
    names = ("reading", "dataset", "row", "measure")
    every = _cells("Every cell under every reading", found, names, ["verdict"])
    sections = [
        Section("blocks", "Blocks", _blocks(found, counts)),
        Section(
            "tried",
            "What was tried",
            [Enumeration([(readable(each.name), each.what) for each in tried])],
        ),
        Section("cells", "Every cell", [every]),
    ]
    sections += closing(command, ["thesis"])
    return Page(f"Readings of thesis table {table}", f"pyfsagg {__version__}", sections)


def _blocks(found: pd.DataFrame, counts: pd.DataFrame) -> list[Block]:
    best = best_readings(found)
    if best.empty:
        return [Text("No cell can be checked: the data are not here.")]
    usual = pd.to_numeric(best["inside"])
    gained = best[best["inside_best"] > usual]
    whole = gained[gained["inside_best"] == gained["checkable"]]
    rows = [
        [
            readable(row["dataset"]),
            readable(row["row"]),
            str(row["checkable"]),
            MISSING if pd.isna(row["inside"]) else str(row["inside"]),
            readable(row["best"]),
            str(row["inside_best"]),
            number(row["widening"]),
            *percentages([row["others_as_good"]]),
            "yes" if row["explained"] else "no",
        ]
        for row in best.to_dict("records")
    ]
    columns = [*words("Data set", "Row"), *numbers("Checkable", "Inside as usual")]
    columns += [*words("Best reading"), *numbers("Inside then", "Limits wider")]
    columns += [*numbers("% of others as good"), *words("Explained")]
    return [
        Text(
            f"Of {plural(len(best), 'block')} another reading than {STANDARD!r} brings more cells "
            f"inside in {len(gained)}, and the whole block in {len(whole)}. "
            f"{int(best['explained'].sum())} are explained, as usual or by another reading: nine in "
            "ten of their cells are inside, and hardly any other data set would have done as well. "
            "The rest is unexplained."
        ),
        Text(CAUTION),
        Text(RULES, quiet=True),
        _by_reading(found),
        picture("Cells inside, by block and reading", "readings", plot_readings, counts),
        Table(
            "The best reading of each block",
            columns,
            rows,
            "“Limits wider” is the ratio of the widths of the limits, then and as usual: within wide "
            "limits lies nearly anything. “% of others as good” puts the printed values of each other "
            "data set in the place of these, looks for the reading that is best for them, and counts "
            "who has as many inside: that is what trying so many readings brings by chance.",
            header=1,
        ),
    ]


def _by_reading(found: pd.DataFrame) -> Table:
    """Every block under one and the same reading: what one run of the authors would have been."""
    counts = coverage(found, ["reading"])
    columns = [*words("Reading"), *numbers("Inside", "Near", "Outside", "Checkable")]
    verdicts = ("inside", "near", "outside", "checkable")
    rows = [
        [readable(str(row["reading"])), *(str(row[each]) for each in verdicts)]
        for row in counts.reset_index().to_dict("records")
    ]
    return Table("Cells of all blocks, by reading", columns, rows)

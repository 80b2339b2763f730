"""The report on readings: which guess brings the cells of a published block inside."""

from __future__ import annotations

from functools import partial

import pandas as pd

from pyfsagg._base.words import MISSING, number, plural, readable
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
from pyfsagg.reproduce import best_readings, coverage
from pyfsagg.reproduce.pages.cells import RULES
from pyfsagg.reproduce.pages.claims import PAPERS
from pyfsagg.reproduce.pictures.readings import plot_readings
from pyfsagg.reproduce.reading_search import READINGS, STANDARD

__all__ = ["readings_page"]

CAUTION = (
    "With many readings tried, a single cell more that is inside says little: it happens by chance, "
    "and limits are wide where repetitions scatter. A whole block that moves from outside to inside "
    "says what was probably done; it does not prove it."
)


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
    sections = [
        Section("blocks", "Blocks", _blocks(found, counts)),
        Section(
            "tried",
            "What was tried",
            [Enumeration([(readable(each.name), each.what) for each in tried])],
        ),
        Section("cells", "Every cell", [_cells(found)]),
    ]
    if command:
        sections.append(Section("again", "How to repeat it", [Code(f"pyfsagg {command}")]))
    sections.append(Section("references", "References", [Enumeration([(PAPERS["thesis"], "")])]))
    return Page(f"Readings of thesis table {table}", f"pyfsagg {__version__}", sections)


def _blocks(found: pd.DataFrame, counts: pd.DataFrame) -> list[Block]:
    best = best_readings(found)
    if best.empty:
        return [Text("No cell can be checked: the data are not here.")]
    usual = pd.to_numeric(best["inside"])
    gained = best[best["inside_best"] > usual]
    whole = gained[gained["inside_best"] == gained["checkable"]]
    label = "Cells inside, by block and reading"
    rows = [
        [
            readable(row["dataset"]),
            readable(row["row"]),
            str(row["checkable"]),
            MISSING if pd.isna(row["inside"]) else str(row["inside"]),
            readable(row["best"]),
            str(row["inside_best"]),
            number(row["widening"]),
        ]
        for row in best.to_dict("records")
    ]
    columns = [Column("Data set", numeric=False), Column("Row", numeric=False)]
    columns += [Column("Checkable"), Column("Inside as usual")]
    columns += [
        Column("Best reading", numeric=False),
        Column("Inside then"),
        Column("Limits wider"),
    ]
    return [
        Text(
            f"Of {plural(len(best), 'block')} another reading than {STANDARD!r} brings more cells "
            f"inside in {len(gained)}, and the whole block in {len(whole)}."
        ),
        Text(CAUTION),
        Text(RULES, quiet=True),
        _by_reading(found),
        Picture(
            label, inline_svg(partial(plot_readings, counts), prefix="readings", label=label), ""
        ),
        Table(
            "The best reading of each block",
            columns,
            rows,
            "“Limits wider” is the ratio of the widths of the limits, then and as usual: within wide "
            "limits lies nearly anything.",
            header=1,
        ),
    ]


def _by_reading(found: pd.DataFrame) -> Table:
    """Every block under one and the same reading: what one run of the authors would have been."""
    counts = coverage(found, ["reading"])
    columns = [Column("Reading", numeric=False)]
    columns += [Column(title) for title in ("Inside", "Near", "Outside", "Checkable")]
    verdicts = ("inside", "near", "outside", "checkable")
    rows = [
        [readable(str(row["reading"])), *(str(row[each]) for each in verdicts)]
        for row in counts.reset_index().to_dict("records")
    ]
    return Table("Cells of all blocks, by reading", columns, rows)


def _cells(found: pd.DataFrame) -> Table:
    words = ("Reading", "Data set", "Row", "Measure")
    columns = [Column(title, numeric=False) for title in words]
    columns += [Column(title) for title in ("Printed", "Ours", "From", "To")]
    columns += [Column("Verdict", numeric=False)]
    rows = [
        [
            *(readable(str(cell[name])) for name in ("reading", "dataset", "row", "measure")),
            *(number(cell[name]) for name in ("published", "mean", "lower", "upper")),
            cell["verdict"],
        ]
        for cell in found.to_dict("records")
    ]
    return Table("Every cell under every reading", columns, rows, find="cell")

"""Pages on published tables: cells beside our values, readings, and their pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import MaxNLocator

from pyfsagg import __version__
from pyfsagg.exceptions import DataError
from pyfsagg.extending import (
    BLUE,
    INK,
    ORANGE,
    Block,
    Enumeration,
    Page,
    PageTable,
    Section,
    Text,
    clear_frame,
    feature_axis,
    legend_above,
    new_axes,
    number,
    picture,
    plural,
    readable,
    set_title,
)
from pyfsagg_papers.pages import MISSING, closing, numbers, percentage, words
from pyfsagg_papers.tables.comparison import VERDICTS, coverage, evidence
from pyfsagg_papers.tables.experiments import EXPERIMENTS
from pyfsagg_papers.tables.readings import READINGS, STANDARD, best_readings

# -------------------------------------------------------------------------------------------------
# pictures of published cells beside our own values, of verdicts, and of readings
# -------------------------------------------------------------------------------------------------

COLOURS = {"inside": BLUE, "near": "#9CC9E3", "outside": ORANGE, "not checkable": "#DDDDDD"}


def plot_cells(cells: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Our mean with the prediction limits, and the printed value, cell by cell.

    Parameters
    ----------
    cells : DataFrame
        Checkable cells of one data set and measure, as of :func:`pyfsagg_papers.table`.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Raises
    ------
    DataError
        If there is no cell, or more than one data set or measure.
    """
    if cells.empty or cells[["table", "dataset", "measure"]].drop_duplicates().shape[0] != 1:
        raise DataError("plot_cells draws the cells of one table, data set and measure")
    ax = new_axes(ax, 1.2 + 0.34 * len(cells))
    places = np.arange(len(cells))
    limits = cells[["lower", "upper"]].to_numpy().T
    ax.hlines(places, *limits, color=BLUE, linewidth=2.0)
    ax.plot(cells["mean"], places, "o", color=BLUE, markersize=5.5, label="ours, 95 % limits")
    ax.plot(cells["published"], places, "D", color=ORANGE, markersize=6.0, label="printed")
    feature_axis(ax, [readable(str(row)) for row in cells["row"]])
    measure = str(cells["measure"].iloc[0])
    ax.set_xlabel(readable(measure))
    clear_frame(ax, grid="x")
    ax.spines["left"].set_visible(False)
    set_title(
        ax, f"{readable(str(cells['dataset'].iloc[0]))}, {readable(measure)}", above_legend=True
    )
    legend_above(ax, columns=2)
    return ax


def plot_coverage(counts: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Cells by verdict as stacked bars.

    Parameters
    ----------
    counts : DataFrame
        As of :func:`pyfsagg_papers.coverage` by one kind of group, for instance ``["dataset"]``.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Raises
    ------
    DataError
        If there is no group, or more than one level of groups.

    Examples
    --------
    >>> from pyfsagg_papers import shipped_run
    >>> counts = shipped_run("quick").coverage(["paper"])
    >>> len(plot_coverage(counts).patches) == 4 * len(counts)  # a piece for each verdict
    True
    """
    if counts.empty or counts.index.nlevels != 1:
        raise DataError("plot_coverage draws one bar for each group of one kind, and at least one")
    ax = new_axes(ax, 1.1 + 0.3 * len(counts))
    places = np.arange(len(counts))
    left = np.zeros(len(counts))
    for verdict, colour in COLOURS.items():
        width = counts[verdict].to_numpy(dtype=float)
        ax.barh(places, width, left=left, height=0.62, color=colour, label=verdict)
        left += width
    feature_axis(ax, [readable(str(name)) for name in counts.index])
    ax.set_xlabel("cells")
    ax.set_xlim(0, max(1.0, float(left.max())))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    clear_frame(ax, grid="x")
    ax.spines["left"].set_visible(False)
    set_title(ax, f"Cells by verdict and {readable(str(counts.index.name))}", above_legend=True)
    legend_above(ax)
    return ax


def plot_readings(counts: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """A tile for each block and reading: cells inside, of those that can be checked.

    Parameters
    ----------
    counts : DataFrame
        As of :func:`pyfsagg_papers.coverage` by ``["dataset", "row", "reading"]``.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Raises
    ------
    DataError
        If no cell can be checked.

    Examples
    --------
    >>> from pyfsagg_papers import coverage, shipped_readings
    >>> found = shipped_readings("4.4").query("dataset == 'ionosphere'")
    >>> counts = coverage(found, ["dataset", "row", "reading"])
    >>> len(plot_readings(counts).texts) == len(counts)
    True
    """
    counts = counts[counts["checkable"] > 0]
    if counts.empty:
        raise DataError("plot_readings needs at least one cell that can be checked")
    order = list(dict.fromkeys(counts.index.get_level_values("reading")))
    inside = counts["inside"].unstack("reading", sort=False)[order]
    checkable = counts["checkable"].unstack("reading", sort=False)[order]
    ax = new_axes(ax, 1.9 + 0.28 * len(inside))
    met, asked = inside.to_numpy(dtype=float), checkable.to_numpy(dtype=float)
    shares = met / asked
    edges = [np.arange(size + 1) - 0.5 for size in shares.shape[::-1]]
    # The strongest colour is never reached, so that dark text can be read on all tiles.
    colours = LinearSegmentedColormap.from_list("share", ["white", BLUE])
    ax.pcolormesh(*edges, shares, cmap=colours, vmin=0, vmax=1.6, edgecolors="white", linewidth=1.5)
    for i, j in np.ndindex(*shares.shape):
        known = not np.isnan(shares[i, j])
        text = f"{met[i, j]:.0f}/{asked[i, j]:.0f}" if known else "–"
        ax.text(j, i, text, ha="center", va="center", color=INK, fontsize="small")
    blocks = [
        ": ".join(readable(str(part)) for part in block) for block in inside.index.to_flat_index()
    ]
    ax.set_yticks(np.arange(len(blocks)), blocks, parse_math=False)
    names = [readable(name) for name in order]
    ax.set_xticks(np.arange(len(names)), names, rotation=45, ha="left", parse_math=False)
    ax.xaxis.tick_top()
    ax.set_ylim(len(blocks) - 0.5, -0.5)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    set_title(ax, "Cells inside, by block and reading")
    return ax


# -------------------------------------------------------------------------------------------------
# the pages on published tables: every cell beside ours, and other readings of the method
# -------------------------------------------------------------------------------------------------

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
    """The page of :func:`pyfsagg_papers.table` and :func:`pyfsagg_papers.cells`."""
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


def coverage_table(found: pd.DataFrame) -> PageTable:
    """How many cells have which verdict, by table and data set."""
    rows = [
        [table_title(str(row["table"])), readable(str(row["dataset"])), *count_texts(row)]
        for row in coverage(found).reset_index().to_dict("records")
    ]
    columns = [*words("Table", "Data set"), *COUNTS]
    return PageTable("Verdicts by table and data set", columns, rows, header=1)


def count_texts(row: Mapping[Any, Any]) -> list[str]:
    """The cells of :data:`COUNTS` for a row of :func:`pyfsagg_papers.coverage`."""
    names = ("inside_share", "others_inside")
    shares = [percentage(row[name]) if row["checkable"] else MISSING for name in names]
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


def _cells(
    caption: str, found: pd.DataFrame, names: Sequence[str], ends: Sequence[str]
) -> PageTable:
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
            percentage(cell["others_inside"]),
            number(cell["likelihood_ratio"]),
            _verdict(cell),
            *(cell[name] for name in ends[1:]),
        ]
        for cell in found.join(told).to_dict("records")
    ]
    return PageTable(caption, columns, rows, find="cell")


def _verdict(cell: Mapping[Any, Any]) -> str:
    weak = cell["verdict"] == "inside" and cell["decisive"] is False
    return "inside, not decisive" if weak else str(cell["verdict"])


def readings_page(found: pd.DataFrame, *, command: str | None = None) -> Page:
    """The page of :func:`pyfsagg_papers.readings`."""
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
            percentage(row["others_as_good"]),
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
        PageTable(
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


def _by_reading(found: pd.DataFrame) -> PageTable:
    """Every block under one and the same reading: what one run of the authors would have been."""
    counts = coverage(found, ["reading"])
    columns = [*words("Reading"), *numbers("Inside", "Near", "Outside", "Checkable")]
    verdicts = ("inside", "near", "outside", "checkable")
    rows = [
        [readable(str(row["reading"])), *(str(row[each]) for each in verdicts)]
        for row in counts.reset_index().to_dict("records")
    ]
    return PageTable("Cells of all blocks, by reading", columns, rows)

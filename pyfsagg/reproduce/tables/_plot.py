"""Pictures of published cells beside our own values, of verdicts, and of readings."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import MaxNLocator

from pyfsagg._base.words import readable
from pyfsagg._draw.style import (
    BLUE,
    INK,
    ORANGE,
    clear_frame,
    feature_axis,
    legend_above,
    new_axes,
    set_title,
)
from pyfsagg.exceptions import DataError

__all__ = ["plot_cells", "plot_coverage", "plot_readings"]

COLOURS = {"inside": BLUE, "near": "#9CC9E3", "outside": ORANGE, "not checkable": "#DDDDDD"}


def plot_cells(cells: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Our mean with the prediction limits, and the printed value, cell by cell.

    Parameters
    ----------
    cells : DataFrame
        Checkable cells of one data set and measure, as of :func:`pyfsagg.reproduce.table`.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Raises
    ------
    DataError
        If there is no cell, or more than one data set or measure.
    InputTypeError
        If `ax` is not a Matplotlib axes.
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
        As of :func:`pyfsagg.reproduce.coverage` by one kind of group, for instance ``["dataset"]``.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Raises
    ------
    DataError
        If there is no group, or more than one level of groups.
    InputTypeError
        If `ax` is not a Matplotlib axes.

    Examples
    --------
    >>> from pyfsagg.reproduce import shipped_run
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
        As of :func:`pyfsagg.reproduce.coverage` by ``["dataset", "row", "reading"]``.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Raises
    ------
    DataError
        If no cell can be checked.
    InputTypeError
        If `ax` is not a Matplotlib axes.

    Examples
    --------
    >>> from pyfsagg.reproduce import coverage, shipped_readings
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

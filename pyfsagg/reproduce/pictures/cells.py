"""Published cells beside our own values."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from pyfsagg._base.words import readable
from pyfsagg._draw.style import (
    BLUE,
    ORANGE,
    clear_frame,
    feature_axis,
    legend_above,
    new_axes,
    set_title,
)
from pyfsagg.exceptions import DataError

__all__ = ["plot_cells"]


def plot_cells(cells: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Our mean with the limits of prediction, and the printed value, cell by cell.

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
        If `ax` is no Matplotlib axes.
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

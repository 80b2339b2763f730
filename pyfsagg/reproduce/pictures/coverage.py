"""How many published cells are inside, near and outside, data set by data set."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

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

__all__ = ["plot_coverage"]

COLOURS = {"inside": BLUE, "near": "#9CC9E3", "outside": ORANGE, "not checkable": "#DDDDDD"}


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
        If `ax` is no Matplotlib axes.

    Examples
    --------
    >>> import pandas as pd
    >>> from pyfsagg.reproduce import coverage
    >>> cells = pd.DataFrame({"dataset": ["wine"] * 2, "verdict": ["inside", "near"]})
    >>> len(plot_coverage(coverage(cells, ["dataset"])).patches)
    4
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

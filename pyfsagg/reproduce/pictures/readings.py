"""How many cells of each published block are inside, reading by reading."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from pyfsagg._base.words import readable
from pyfsagg._draw.style import BLUE, INK, new_axes, set_title
from pyfsagg.exceptions import DataError

__all__ = ["plot_readings"]


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
        If `ax` is no Matplotlib axes.

    Examples
    --------
    >>> import pandas as pd
    >>> from pyfsagg.reproduce import coverage
    >>> cells = pd.DataFrame({
    ...     "dataset": "wine", "row": "mrmr", "reading": ["standard", "all_rows"],
    ...     "verdict": ["inside", "near"],
    ... })
    >>> len(plot_readings(coverage(cells, ["dataset", "row", "reading"])).texts)
    2
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

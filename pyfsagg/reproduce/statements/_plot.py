"""A picture of printed p-values beside all that the printed tables give."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from pyfsagg._draw.style import (
    BLUE,
    GREY,
    ORANGE,
    clear_frame,
    feature_axis,
    legend_above,
    new_axes,
    set_title,
)
from pyfsagg.exceptions import DataError

__all__ = ["plot_p_values"]

SMALLEST = 1e-5  # smaller p-values are drawn here
LEVEL = 0.05


def plot_p_values(variants: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Printed p-values, and the p-values of all forms of the test on the printed table.

    Parameters
    ----------
    variants : DataFrame
        As of :func:`pyfsagg.reproduce.claim_variants`.  Statements without a printed p-value (a
        number below 0.06, or a bound) are left out.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        p along x (logarithmic; values below 1e-5 are at the edge), statements along y.

    Raises
    ------
    DataError
        If no statement has a printed p-value.
    InputTypeError
        If `ax` is not a Matplotlib axes.
    """
    tests = variants[variants["published"].ne("") & variants["statistic"].notna()]
    if tests.empty:
        raise DataError("none of the statements has a printed p-value")
    names = list(dict.fromkeys(tests["id"]))
    ax = new_axes(ax, 1.5 + 0.34 * len(names))
    rows = tests["id"].map({name: row for row, name in enumerate(names)})
    values = tests["value"].clip(lower=SMALLEST)
    other, stated = ~tests["stated"], tests["stated"]
    size = 5.0
    ax.plot(values[other], rows[other], "o", color=GREY, alpha=0.45, markersize=size,
            markeredgewidth=0.0, label="recomputed, another form")  # fmt: skip
    ax.plot(values[stated], rows[stated], "o", color=BLUE, markersize=size + 1.5,
            label="recomputed, the form stated")  # fmt: skip
    printed = tests.drop_duplicates("id")["published"]
    exact = printed.str.lstrip("<").astype(float)
    bound = printed.str.startswith("<").to_numpy()
    places = np.arange(len(names))
    ax.plot(exact[~bound], places[~bound], "D", color=ORANGE, markersize=6.0, label="printed")
    if bound.any():
        ax.plot(exact[bound], places[bound], "<", color=ORANGE, markersize=7.5,
                label="printed as a bound")  # fmt: skip
    ax.axvline(LEVEL, color=GREY, linewidth=0.9, linestyle="--")
    ax.set_xscale("log")
    ax.set_xlim(SMALLEST * 0.7, 1.5)
    feature_axis(ax, [name.replace("-", " ") for name in names])
    ax.set_xlabel("p-value (dashed: 5 %; smaller ones stand at the left edge)")
    clear_frame(ax, grid="x")
    ax.spines["left"].set_visible(False)
    set_title(ax, "Printed p-values and what the printed tables give", above_legend=True, lines=2)
    legend_above(ax, columns=2)
    return ax

"""Pictures of eliminations in rank-order space."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from pyfsagg._base.checks import check_choice
from pyfsagg._base.words import readable
from pyfsagg._draw.style import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    clear_frame,
    legend_above,
    new_axes,
    set_title,
)
from pyfsagg.exceptions import DataError
from pyfsagg.rank_order.methods import ELIMINATIONS

if TYPE_CHECKING:
    from pyfsagg.rank_order._result import Elimination

__all__ = ["ELIMINATION_PLOTS", "band", "finish", "line", "plot_elimination", "title_of"]

MEASURES = {
    "divergence": "Divergence Δ (nats)",
    "accuracy": "Accuracy of naive Bayes",
}
STYLES = {
    "cdv": (BLUE, "o-"),
    "cdv_relative": ("#56B4E9", "o--"),
    "spoilers": (ORANGE, "s-"),
    "greedy_kl": ("#009E73", "^-"),
    "koller_sahami": ("#CC79A7", "D-"),
}
SHOWN = 80  # smaller subsets than this are shown: nothing happens above in large tables


def plot_elimination(
    result: Elimination,
    *,
    measure: str | None = None,
    max_size: int = SHOWN,
    baseline: pd.DataFrame | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Divergence or accuracy against the number of features kept.

    Parameters
    ----------
    result : Elimination
    measure : {"divergence", "accuracy"}, optional
        Accuracy by default if it was measured.
    max_size : int
        Largest subset shown.
    baseline : DataFrame, optional
        Result of :func:`pyfsagg.rank_order.random_subset_baseline`, drawn as a band; that of
        the result by default.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        Numbers of features along x, falling from left to right as they are removed.

    Raises
    ------
    DataError
        If accuracy is requested and was not measured.
    """
    measure = measure or ("divergence" if result.accuracy is None else "accuracy")
    check_choice("measure", measure, MEASURES)
    if measure == "accuracy" and result.accuracy is None:
        raise DataError("this elimination has no accuracy; call eliminate(…, accuracy=True)")
    frame = result.to_frame()
    ax = new_axes(ax, 3.4)
    if baseline is None:
        baseline = result.baseline
    if baseline is not None:
        band(ax, baseline.reset_index(), measure)
    line(ax, frame, result.method, measure, max_size)
    measured = frame.loc[frame[measure].notna(), "size"]
    finish(ax, measure, int(min(max_size, measured.max())))
    set_title(ax, f"Elimination by {title_of(result.method)}", above_legend=True)
    legend_above(ax)
    return ax


def title_of(method: str) -> str:
    """The name of a method, or of one of its curves, in a picture."""
    base = method.removesuffix("_relative")
    title = ELIMINATIONS.get(base).title if base in ELIMINATIONS else readable(base)
    return title if base == method else f"{title}, relative"


def line(ax: Axes, frame: pd.DataFrame, method: str, measure: str, max_size: int) -> None:
    colour, style = STYLES.get(method, (INK, "-"))
    shown = frame[frame["size"] <= max_size]
    ax.plot(
        shown["size"], shown[measure], style, color=colour, markersize=3.0, label=title_of(method)
    )


def band(ax: Axes, baseline: pd.DataFrame, measure: str) -> None:
    size = baseline["size"].to_numpy()
    lower, upper = baseline[f"{measure}_lower"], baseline[f"{measure}_upper"]
    ax.fill_between(size, lower.to_numpy(), upper.to_numpy(), color=GREY, alpha=0.2, linewidth=0)
    ax.plot(size, baseline[f"{measure}_mean"], ":", color=GREY, label="random (mean, 95 %)")


def finish(ax: Axes, measure: str, largest: int) -> None:
    ax.set_xlim(largest + 0.5, 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True))
    ax.set_xlabel("Features kept")
    ax.set_ylabel(MEASURES[measure])
    if measure == "accuracy":
        ax.set_ylim(top=min(1.02, float(np.nanmax(ax.get_ylim()))))
    clear_frame(ax, grid="y")


ELIMINATION_PLOTS = {"elimination": plot_elimination}
"""The pictures of :meth:`pyfsagg.rank_order.Elimination.plot`, by name."""

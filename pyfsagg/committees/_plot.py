"""Pictures of committees: features by votes, and performance against number of features."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from pyfsagg._base.checks import check_integer
from pyfsagg._draw.style import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    clear_frame,
    feature_axis,
    legend_above,
    new_axes,
    set_title,
)
from pyfsagg.committees.result import Committee

__all__ = ["COMMITTEE_PLOTS", "plot_front", "plot_votes"]


def plot_votes(result: Committee, *, n: int = 20, ax: Axes | None = None) -> Axes:
    """The first features of the vote, with the share of the voters that select each.

    Parameters
    ----------
    result : Committee
    n : int
        How many features.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        A bar per feature, the first on top.

    Raises
    ------
    ParameterError
        If `n` is below 1.
    """
    n = min(check_integer("n", n, low=1), len(result.ranking))
    shown = result.ranking.head(n)
    axes = new_axes(ax, 1.2 + 0.22 * n)
    axes.barh(np.arange(n), shown["share"], color=BLUE, height=0.7)
    feature_axis(axes, [str(name) for name in shown.index])
    axes.set_xlim(0, 1)
    axes.set_xlabel("Share of the voters that select the feature")
    clear_frame(axes, grid="x")
    set_title(axes, f"First features by {result.parameters['rule'].replace('_', ' ')}")
    return axes


def plot_front(result: Committee, *, ax: Axes | None = None) -> Axes:
    """Performance of each voter against its number of features, with the Pareto front and its knee.

    Parameters
    ----------
    result : Committee
        With performances.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        Number of features along x, performance along y.

    Raises
    ------
    DataError
        If no voter has a performance.
    """
    front = result.pareto_front()
    axes = new_axes(ax, 4.0)
    voters = result.voters[result.voters["n_features"] > 0]
    axes.plot(
        voters["n_features"],
        voters["performance"],
        "o",
        color=GREY,
        mfc="white",
        ms=5,
        label="voters",
    )
    axes.plot(
        front["n_features"],
        front["performance"],
        "o-",
        color=BLUE,
        ms=6,
        drawstyle="steps-post",
        label="front",
    )
    ends = front.iloc[[0, -1]]
    axes.plot(
        ends["n_features"],
        ends["performance"],
        "--",
        color=INK,
        lw=0.9,
        label="line between its ends",
    )
    knee = front[front["knee"]]
    if len(knee):
        axes.plot(
            knee["n_features"],
            knee["performance"],
            "D",
            color=ORANGE,
            ms=9,
            label=f"knee: {int(knee['n_features'].iloc[0])}",
        )
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.set_xlabel("Number of features")
    axes.set_ylabel(
        f"Performance ({result.parameters['metric'].replace('_', ' ')})"
        if "metric" in result.parameters
        else "Performance"
    )
    clear_frame(axes, grid="y")
    legend_above(axes)
    set_title(axes, "Performance against number of features", above_legend=True)
    return axes


COMMITTEE_PLOTS: dict[str, Callable[..., Axes]] = {"ranking": plot_votes, "front": plot_front}

"""Pictures of several aggregators on the same lists."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from pyfsagg._base.checks import check_integer
from pyfsagg._base.words import readable
from pyfsagg._draw.style import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    clear_frame,
    draw_correlations,
    feature_label,
    new_axes,
    set_title,
)
from pyfsagg.aggregation._plot import rank_axis
from pyfsagg.aggregation._result import Comparison

__all__ = ["COMPARISON_PLOTS", "plot_method_agreement", "plot_overlap", "plot_places"]

# Okabe and Ito without their yellow, which is too light for a line on white.
COLOURS = (BLUE, ORANGE, "#009E73", "#CC79A7", "#56B4E9", "#E69F00", INK)
MARKERS = "os^Dv<>"
MOST_SIZES = 60  # values of k at which an overlap is computed


def plot_method_agreement(comparison: Comparison, *, ax: Axes | None = None) -> Axes:
    """Heat map of Kendall's tau-b between the rankings of two methods.

    Parameters
    ----------
    comparison : Comparison
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    Raises
    ------
    InputTypeError
        If `ax` is not a Matplotlib axes.

    Examples
    --------
    >>> from pyfsagg.aggregation.comparison import compare_methods
    >>> lists = [["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"]]
    >>> ax = plot_method_agreement(compare_methods(lists, ["mean_rank", "borda"]))
    >>> ax.get_xlabel()
    'Kendall rank correlation, tau-b (−1 to 1)'
    """
    labels = [readable(method) for method in comparison.methods]
    ax = new_axes(ax, 1.6 + 0.5 * len(labels))
    draw_correlations(ax, comparison.kendall().to_numpy(), labels)
    ax.set_xlabel("Kendall rank correlation, tau-b (−1 to 1)")
    set_title(ax, "Agreement of the methods")
    return ax


def plot_places(comparison: Comparison, *, n: int = 10, ax: Axes | None = None) -> Axes:
    """Bump chart: the places of the best items from method to method.

    Every item that some method has among its best `n` is a line.  Where it is not among them, its
    line goes to the strip below the last place.  Ties are in the order of the table.

    Parameters
    ----------
    comparison : Comparison
    n : int
        How many places are drawn at most.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        Methods along x, places along y with 1 on top.

    Raises
    ------
    ParameterError
        If `n` is below 1.
    InputTypeError
        If `ax` is not a Matplotlib axes.

    Examples
    --------
    >>> from pyfsagg.aggregation.comparison import compare_methods
    >>> lists = [["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"]]
    >>> ax = plot_places(compare_methods(lists, ["mean_rank", "borda"]), n=2)
    >>> sorted(text.get_text() for text in ax.texts)
    ['a', 'b']
    """
    n = min(check_integer("n", n, low=1), len(comparison.names))
    places = comparison.places
    shown = np.flatnonzero((places <= n).any(axis=0))
    shown = shown[np.lexsort((shown, places[0, shown]))]
    below = n + 1.0
    x = np.arange(len(places))
    ax = new_axes(ax, 1.5 + 0.3 * n)
    ax.axhspan(n + 0.5, n + 1.5, color="#F0F0F0", linewidth=0)
    for position, item in enumerate(shown.tolist()):
        y = np.where(places[:, item] <= n, places[:, item], below)
        colour = COLOURS[position % len(COLOURS)]
        # A line that stays below is no news, and one on its way there steps back.
        among = np.where(y < below, y, np.nan)
        ax.plot(x, y, "-", color=colour, linewidth=1.2, alpha=0.3)
        ax.plot(x, among, "o-", color=colour, linewidth=2.2, markersize=6.0)
        _label_end(ax, comparison.names[item], y, below)
    ax.set_ylim(n + 1.5, 0.5)
    first = [comparison.names[item] for item in np.argsort(places[0])[:n].tolist()]
    ticks = [f"{feature_label(name, 22)}  {place}" for place, name in enumerate(first, start=1)]
    ax.set_yticks([*range(1, n + 1), below], [*ticks, f"> {n}"], parse_math=False)
    labels = [feature_label(readable(method)) for method in comparison.methods]
    ax.set_xticks(x, labels, rotation=20, ha="right")
    ax.set_xlim(-0.15, len(x) - 0.85)
    ax.tick_params(length=0)
    ax.tick_params(axis="y", pad=6)
    ax.spines[:].set_visible(False)
    ax.set_ylabel("Place (1 = best)")
    set_title(ax, f"The best {n} of each method")
    return ax


def plot_overlap(comparison: Comparison, *, n: int | None = None, ax: Axes | None = None) -> Axes:
    """Overlap of the best k items of each method with those of the first method, for every k.

    The dotted line is the share that a random ranking has on average, k/p.

    Parameters
    ----------
    comparison : Comparison
    n : int, optional
        The largest k; all items by default.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        k along x (logarithmic beyond 50), shares along y.

    Raises
    ------
    ParameterError
        If `n` is below 1.
    InputTypeError
        If `ax` is not a Matplotlib axes.

    Examples
    --------
    >>> from pyfsagg.aggregation.comparison import compare_methods
    >>> lists = [["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"]]
    >>> ax = plot_overlap(compare_methods(lists, ["mean_rank", "borda"]))
    >>> ax.lines[0].get_ydata().tolist()
    [1.0, 1.0, 1.0]
    """
    p = len(comparison.names)
    n = p if n is None else min(check_integer("n", n, low=1), p)
    sizes = np.unique(np.geomspace(1, n, MOST_SIZES).round().astype(np.intp))
    if n <= MOST_SIZES:
        sizes = np.arange(1, n + 1)
    ax = new_axes(ax, 3.4)
    first, *others = comparison.places
    for position, (method, places) in enumerate(zip(comparison.methods[1:], others, strict=True)):
        # An item is among the best k of both from the larger of its two places on.
        joint = np.searchsorted(np.sort(np.maximum(first, places)), sizes, side="right")
        ax.plot(
            sizes,
            joint / sizes,
            "-" if position % 2 == 0 else "--",
            marker=MARKERS[position % len(MARKERS)],
            markersize=4.0,
            markevery=(position, 5) if len(sizes) > 20 else None,
            color=COLOURS[position % len(COLOURS)],
            label=readable(method),
        )
    ax.plot(sizes, sizes / p, ":", color=GREY, label="by chance")
    ax.set_ylim(-0.03, 1.05)
    rank_axis(ax, float(n))
    ax.set_xlabel("k (how many of the best items)")
    ax.set_ylabel(f"Shared with {readable(comparison.methods[0])}")
    clear_frame(ax, grid="y")
    set_title(ax, "Overlap of the best k", above_legend=True)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize="small")
    return ax


def _label_end(ax: Axes, name: str, y: NDArray[np.float64], below: float) -> None:
    """The name where its line ends on the right, or beside its last point if it ends below.

    Items of the first method are named at the axis, and get no second name half way.
    """
    text = feature_label(name, 22)
    if y[-1] < below:
        ax.annotate(
            text,
            (len(y) - 1, y[-1]),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            color=INK,
            parse_math=False,
            annotation_clip=False,
        )
    elif y[0] == below:
        last = int(np.flatnonzero(y < below)[-1])
        ax.annotate(
            text,
            (last, y[last]),
            xytext=(0, 6),
            ha="center",
            textcoords="offset points",
            fontsize="small",
            color=INK,
            parse_math=False,
        )


COMPARISON_PLOTS: dict[str, Callable[..., Axes]] = {
    "agreement": plot_method_agreement,
    "places": plot_places,
    "overlap": plot_overlap,
}
"""The pictures of :meth:`pyfsagg.aggregation.Comparison.plot`, by name."""

"""What all pictures share: colours, axes, and labels that fit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator
from numpy.typing import NDArray

from pyfsagg.exceptions import InputTypeError

__all__ = [
    "BLUE",
    "GREY",
    "INK",
    "ORANGE",
    "clear_frame",
    "draw_correlations",
    "feature_axis",
    "feature_label",
    "legend_above",
    "log_ticks",
    "new_axes",
    "number_ticks",
    "set_title",
    "write_at_right",
]

# Of the palette of Okabe and Ito, whose colours differ for all common kinds of colour vision.
BLUE, ORANGE = "#0072B2", "#D55E00"
GREY, INK = "#6B6B6B", "#222222"

WIDTH = 6.4  # inches
LABEL_LENGTH = 28  # characters of a feature name that fit beside a picture


def new_axes(ax: Axes | None, height: float) -> Axes:
    """The axes given, or axes on a new figure of `height` inches that pyplot does not know."""
    if ax is None:
        return Figure(figsize=(WIDTH, height), layout="constrained").add_subplot()
    if not isinstance(ax, Axes):
        raise InputTypeError(
            f"ax must be Matplotlib axes or None, got {ax!r}; figure.add_subplot() makes axes"
        )
    return ax


def clear_frame(ax: Axes, *, grid: str) -> None:
    """Leave the two spines that carry numbers, and a faint grid along one axis."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    ax.grid(axis=grid, color="#E3E3E3", linewidth=0.8)  # type: ignore[arg-type]


def set_title(ax: Axes, text: str, *, above_legend: bool = False, lines: int = 1) -> None:
    """The title, with room for a legend of so many lines below it."""
    pad = 10 + 16 * lines if above_legend else 10
    ax.set_title(text, loc="left", fontsize="large", color=INK, pad=pad)


def legend_above(ax: Axes, *, columns: int = 4) -> None:
    """A legend of one line or two between title and data, where it cannot hide a point.

    It ends where the axes end, so that a long one takes its room from above the feature names and
    not from the data.
    """
    ax.legend(
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=columns,
        frameon=False,
        fontsize="small",
        borderaxespad=0.2,
        borderpad=0.2,
        handletextpad=0.4,
        columnspacing=1.4,
    )


def feature_axis(ax: Axes, names: Sequence[str]) -> None:
    """Features down the y axis, the first on top."""
    # A dollar sign in a name is a dollar sign, not the start of a formula.
    labels = [feature_label(name) for name in names]
    ax.set_yticks(np.arange(len(labels)), labels, parse_math=False)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)


def feature_label(name: str, length: int = LABEL_LENGTH) -> str:
    """A name of at most `length` characters: the middle gives way to an ellipsis.

    Characters that cannot be drawn (control and direction marks) are shown as U+FFFD.

    Examples
    --------
    >>> feature_label("mean_corpuscular_haemoglobin_concentration", 20)
    'mean_corpu…entration'
    """
    shown = "".join(c if c.isprintable() else "\ufffd" for c in name)
    if len(shown) <= length:
        return shown
    tail = (length - 1) // 2
    return f"{shown[: length - 1 - tail]}…{shown[-tail:]}"


def draw_correlations(ax: Axes, values: NDArray[np.float64], labels: Sequence[str]) -> None:
    """A square heat map of values from −1 to 1 with the numbers on it; NaN is a dash."""
    size = len(labels)
    edges = np.arange(size + 1) - 0.5
    # The range of colours is wider than that of values, so that dark text can be read on all tiles.
    ax.pcolormesh(
        edges, edges, values, cmap="RdBu", vmin=-1.8, vmax=1.8, edgecolors="white", linewidth=1.5
    )
    ax.set_ylim(size - 0.5, -0.5)
    for i, j in np.ndindex(size, size):
        value = values[i, j]
        text = "–" if np.isnan(value) else f"{value:.2f}".replace("-", "−")
        ax.text(j, i, text, ha="center", va="center", color=INK)
    shown = [feature_label(label) for label in labels]
    ax.set_xticks(np.arange(size), shown, parse_math=False, rotation=20, ha="right")
    ax.set_yticks(np.arange(size), shown, parse_math=False)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def write_at_right(ax: Axes, row: float, text: str) -> None:
    """A small text right of the axes, at a place of the y axis."""
    ax.annotate(
        text,
        (1.0, row),
        xycoords=("axes fraction", "data"),
        xytext=(6, 0),
        textcoords="offset points",
        va="center",
        fontsize="small",
        color=GREY,
        annotation_clip=False,
    )


def log_ticks(ax: Axes, ticks: Sequence[float]) -> None:
    """A logarithmic x axis with these ticks alone, as whole numbers."""
    ax.set_xscale("log")
    ax.set_xticks(ticks)
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def number_ticks(high: float) -> list[float]:
    """Whole-number ticks from 1 to at most `high`, always with the 1."""
    ticks = MaxNLocator(nbins=8, integer=True).tick_values(1.0, max(high, 2.0))
    return [1.0, *(float(tick) for tick in ticks if 1.0 < tick <= high)]

"""Pictures of stability: against subset size, against accuracy, and against resamples."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from pyfsagg._base.words import readable
from pyfsagg._draw.style import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    clear_frame,
    feature_label,
    legend_above,
    log_ticks,
    new_axes,
    set_title,
)
from pyfsagg.exceptions import DataError, InputTypeError, UnknownNameError
from pyfsagg.stability_measures.curves import pareto_front
from pyfsagg.stability_measures.result import StabilityReport

__all__ = ["STABILITY_PLOTS", "plot_adequacy", "plot_stability_curve", "plot_trade_off"]

# Okabe and Ito without their yellow, which is too light for a line on white.
COLOURS = (BLUE, ORANGE, "#009E73", "#CC79A7", "#56B4E9", "#E69F00", INK)
MARKERS = "os^Dv<>"
MOST_LABELS = 30


def _require(frame: pd.DataFrame, columns: tuple[str, ...], source: str) -> None:
    if not isinstance(frame, pd.DataFrame):
        raise InputTypeError(
            f"the picture is drawn from a data frame as {source} returns it, got "
            f"{type(frame).__name__}"
        )
    for column in columns:
        if column not in frame:
            raise UnknownNameError("column", column, [str(name) for name in frame.columns])


def plot_stability_curve(curve: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Stability of the best k features against k, with the level of random selection.

    A solid line with markers is the stability, the dotted line of the same colour its value when
    k features are selected at random.  Sizes at which a measure is undefined are left out.

    Parameters
    ----------
    curve : DataFrame
        Result of :func:`pyfsagg.stability_curve`.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        k along x, stability along y.

    Raises
    ------
    InputTypeError, UnknownNameError
        If `curve` is not such a frame, or `ax` is not a Matplotlib axes.

    Examples
    --------
    >>> from pyfsagg.stability_measures import stability_curve
    >>> scores = [[0.9, 0.5, 0.2, 0.1], [0.8, 0.6, 0.1, 0.2], [0.7, 0.2, 0.4, 0.1]]
    >>> ax = plot_stability_curve(stability_curve(scores, ["jaccard"]))
    >>> ax.get_xlabel()
    'Number of features selected, k (of 4)'
    """
    _require(curve, ("measure", "size", "fraction", "value", "chance"), "stability_curve")
    ax = new_axes(ax, 3.4)
    for position, (measure, part) in enumerate(curve.groupby("measure", sort=False)):
        part = part.sort_values("size")
        colour = COLOURS[position % len(COLOURS)]
        label = readable(str(measure))
        ax.plot(
            part["size"],
            part["value"],
            f"{MARKERS[position % len(MARKERS)]}-",
            color=colour,
            markersize=4.5,
            label=label,
        )
        ax.plot(part["size"], part["chance"], ":", color=colour, label=f"{label} by chance")
    p = round(float((curve["size"] / curve["fraction"]).iloc[0]))
    ax.set_xlim(0, p * 1.03)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    values = curve[["value", "chance"]].to_numpy()
    ax.set_ylim(
        min(0.0, float(np.nanmin(values))) - 0.03, max(1.0, float(np.nanmax(values))) + 0.04
    )
    ax.set_xlabel(f"Number of features selected, k (of {p:,})")
    ax.set_ylabel("Stability")
    clear_frame(ax, grid="y")
    set_title(ax, "Stability of the best k features", above_legend=True)
    legend_above(ax)
    return ax


def plot_trade_off(
    frame: pd.DataFrame,
    *,
    stability: str = "stability",
    accuracy: str = "accuracy",
    larger_stability_is_better: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Stability against accuracy, with the Pareto front.

    Points on the front are filled and joined: no other point is at least as good in both and better
    in one.  Points are named by the index of the frame, up to 30 of them.

    Parameters
    ----------
    frame : DataFrame
        One row per method or subset size.
    stability, accuracy : str
        Names of the columns with the two numbers.
    larger_stability_is_better : bool
        False for distances such as canberra and asd; the axis is then reversed, so that better
        is always up and to the right.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        Stability along x, accuracy along y.

    Raises
    ------
    InputTypeError, UnknownNameError
        If `frame` is not a frame or lacks a column, or `ax` is not a Matplotlib axes.
    DataError
        If the frame is empty or a value is missing.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame(
    ...     {"stability": [0.9, 0.7, 0.5], "accuracy": [0.7, 0.8, 0.75]}, index=["a", "b", "c"]
    ... )
    >>> sorted(text.get_text() for text in plot_trade_off(frame).texts)
    ['a', 'b', 'c']
    """
    _require(frame, (stability, accuracy), "an evaluation")
    x = frame[stability].to_numpy(dtype=np.float64)
    y = frame[accuracy].to_numpy(dtype=np.float64)
    front = pareto_front(x, y, larger_stability_is_better=larger_stability_is_better)
    ax = new_axes(ax, 4.0)
    order = np.flatnonzero(front)[np.lexsort((y[front], x[front]))]
    ax.plot(x[order], y[order], "o-", color=BLUE, markersize=7.0, label="Pareto front")
    if not front.all():
        ax.plot(x[~front], y[~front], "o", color=GREY, mfc="white", markersize=7.0, label="others")
    if len(frame) <= MOST_LABELS:
        for name, left, up in zip(frame.index, x, y, strict=True):
            ax.annotate(
                feature_label(str(name)),
                (left, up),
                xytext=(6, 5),
                textcoords="offset points",
                fontsize="small",
                color=INK,
                parse_math=False,
            )
    ax.margins(0.12)
    if not larger_stability_is_better:
        ax.invert_xaxis()
    hint = "larger" if larger_stability_is_better else "smaller"
    ax.set_xlabel(f"{readable(stability).capitalize()} ({hint} = more stable)")
    ax.set_ylabel(f"{readable(accuracy).capitalize()} (larger = better)")
    clear_frame(ax, grid="both")
    set_title(ax, "Stability and accuracy", above_legend=True)
    legend_above(ax)
    return ax


def plot_adequacy(curve: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Expected agreement of two repetitions against the number of resamples.

    Parameters
    ----------
    curve : DataFrame
        Result of :func:`pyfsagg.stability_measures.adequacy_curve`.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        Number of resamples along x (logarithmic), agreement along y.

    Raises
    ------
    InputTypeError, UnknownNameError
        If `curve` is not such a frame, or `ax` is not a Matplotlib axes.
    DataError
        If the frame has no rows.

    Examples
    --------
    >>> import numpy as np
    >>> from pyfsagg.stability_measures import adequacy_curve
    >>> scores = np.array([2.0, 1.0, 0.0]) + np.random.default_rng(0).normal(size=(60, 3))
    >>> len(plot_adequacy(adequacy_curve(scores, top=1)).lines)
    2
    """
    columns = ("n_resamples", "top", "expected_kendall", "expected_top_overlap")
    _require(curve, columns, "adequacy_curve")
    if curve.empty:
        raise DataError("the curve has no rows; there is nothing to draw")
    ax = new_axes(ax, 3.4)
    sizes = curve["n_resamples"].to_numpy()
    k = int(curve["top"].iloc[0])
    ax.plot(
        sizes,
        curve["expected_kendall"],
        "o-",
        color=BLUE,
        markersize=4.5,
        label="Kendall correlation of the rankings",
    )
    ax.plot(
        sizes,
        curve["expected_top_overlap"],
        "s--",
        color=ORANGE,
        markersize=4.5,
        label=f"share of the best {k:,} kept",
    )
    log_ticks(ax, sizes.tolist())
    ax.tick_params(axis="x", rotation=0 if len(sizes) < 9 else 45)
    lowest = float(np.nanmin(curve[["expected_kendall", "expected_top_overlap"]].to_numpy()))
    ax.set_ylim(min(0.0, lowest) - 0.02, 1.04)
    ax.set_xlabel("Number of resamples (logarithmic)")
    ax.set_ylabel("Agreement of two repetitions")
    clear_frame(ax, grid="y")
    set_title(ax, "Would a repetition agree?", above_legend=True)
    legend_above(ax)
    return ax


def _plot_curve_of_report(report: StabilityReport, *, ax: Axes | None = None) -> Axes:
    if report.curve is None:
        raise DataError("selections have one size only, and no curve of stability against size")
    return plot_stability_curve(report.curve, ax=ax)


STABILITY_PLOTS = {"curve": _plot_curve_of_report}
"""The pictures of :meth:`pyfsagg.stability_measures.StabilityReport.plot`, by name."""

"""Pictures of what the printed Stuart column measured."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator, PercentFormatter

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
from pyfsagg.aggregator_influence.result import THESIS_MEASURES
from pyfsagg.exceptions import DataError
from pyfsagg.reproduce.stuart.fold_rankings import STUART_COLUMN_ORDER
from pyfsagg.reproduce.stuart.values import KINDS, StuartValues
from pyfsagg.stability_measures import STABILITY_MEASURES

__all__ = ["STUART_PLOTS", "plot_stuart_lists", "plot_stuart_values"]

TICKS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
LINES = {
    "arithmetic_mean": ("arithmetic mean", GREY, ":", 1.2),
    "rra": ("robust rank aggregation", GREY, "-", 1.2),
    "stuart": ("Stuart, exact", BLUE, "-", 2.0),
    STUART_COLUMN_ORDER: ("Stuart, recursion in R", ORANGE, "-", 2.0),
}
# Right values in blue, probabilities that are wrong in grey, what is no probability in warm colours.
KIND_COLOURS = {
    "right": ("within 1 % of the exact value", BLUE),
    "wrong": ("wrong, between 0 and 1", "#9E9E9E"),
    "negative": ("negative", "#E69F00"),
    "above_one": ("above 1", "#F0E442"),
    "infinite": ("infinite", ORANGE),
    "nan": ("NaN", "#222222"),
}


def plot_stuart_lists(
    finding: StuartValues,
    dataset: str | None = None,
    filter: str | None = None,
    measure: str = "spearman",
    *,
    ax: Axes | None = None,
) -> Axes:
    """Stability against the number of lists: exact Stuart, the recursion, two others, the print.

    Parameters
    ----------
    finding : StuartFinding
    dataset, filter : str, optional
        One of those of the finding; the first by default.
    measure : {"spearman", "jaccard", "canberra"}
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        Number of lists along x (logarithmic), stability along y; the printed value of Stuart is a
        dashed line.

    Raises
    ------
    ParameterError, InputTypeError
        For a data set, filter or measure that the finding does not have, or `ax` that is no
        Matplotlib axes.
    """
    sets, filters = finding.parameters["datasets"], finding.parameters["filters"]
    dataset = sets[0] if dataset is None else check_choice("dataset", dataset, sets)
    filter = filters[0] if filter is None else check_choice("filter", filter, filters)
    check_choice("measure", measure, THESIS_MEASURES)
    ax = new_axes(ax, 3.4)
    rows = finding.stability
    rows = rows[
        (rows["dataset"] == dataset) & (rows["filter"] == filter) & (rows["measure"] == measure)
    ]
    for aggregator, (label, colour, style, width) in LINES.items():
        part = rows[rows["aggregator"] == aggregator].sort_values("n_lists")
        if len(part):
            marker = "o" if width > 1.5 else ""
            ax.plot(
                part["n_lists"], part["value"], style, color=colour, linewidth=width,
                marker=marker, markersize=4.0, label=label,
            )  # fmt: skip
    printed = finding.published
    printed = printed[
        (printed["dataset"] == dataset)
        & (printed["filter"] == filter)
        & (printed["measure"] == measure)
        & (printed["aggregator"] == "stuart")
    ]
    for value in printed["value"]:
        ax.axhline(value, color=INK, linestyle="--", linewidth=1.0, label="Stuart as printed")
    ax.set_xscale("log")
    counts = finding.parameters["list_counts"]
    _count_ticks(ax, min(counts), max(counts))
    hint = "larger" if STABILITY_MEASURES.get(measure).larger_is_stabler else "smaller"
    ax.set_xlabel("Number of lists")
    ax.set_ylabel(f"{readable(measure).capitalize()} over folds\n({hint} = more stable)")
    clear_frame(ax, grid="y")
    set_title(ax, f"{dataset}, {readable(filter)}", above_legend=True, lines=2)
    legend_above(ax, columns=3)
    return ax


def _count_ticks(ax: Axes, low: int, high: int) -> None:
    shown = [tick for tick in TICKS if low <= tick <= high]
    ax.set_xticks(shown, [f"{tick:,}" for tick in shown])
    ax.xaxis.set_minor_locator(NullLocator())


def plot_stuart_values(finding: StuartValues, *, ax: Axes | None = None) -> Axes:
    """Kinds of values of the recursion, by number of lists, over all data sets, filters and folds.

    Parameters
    ----------
    finding : StuartFinding
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        Shares of the values stacked up to 100 %.

    Raises
    ------
    DataError
        If the finding was made without R.
    InputTypeError
        If `ax` is not a Matplotlib axes.
    """
    if finding.values.empty:
        raise DataError(f"there are no values of the recursion: {finding.r['reason']}")
    ax = new_axes(ax, 3.6)
    sums = finding.values.groupby("n_lists")[list(KINDS)].sum()
    shares = sums.div(sums.sum(axis=1), axis=0)
    places = np.arange(len(shares))
    bottom = np.zeros(len(shares))
    for kind, (label, colour) in KIND_COLOURS.items():
        part = shares[kind].to_numpy()
        ax.bar(places, part, 0.8, bottom=bottom, color=colour, label=label)
        bottom += part
    ax.set_xticks(places, [f"{count:,}" for count in shares.index])
    ax.tick_params(axis="x", length=0)
    if len(places) > 10:
        ax.tick_params(axis="x", labelrotation=45)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    ax.set_xlabel("Number of lists")
    ax.set_ylabel("Share of the values")
    clear_frame(ax, grid="y")
    set_title(ax, "Values of the recursion", above_legend=True, lines=2)
    legend_above(ax, columns=3)
    return ax


STUART_PLOTS = {"lists": plot_stuart_lists, "values": plot_stuart_values}
"""The pictures of :meth:`pyfsagg.reproduce.StuartFinding.plot`, by name."""

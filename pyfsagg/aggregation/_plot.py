"""Pictures of rank aggregations: best items, agreement of lists, several aggregators."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from pyfsagg._base.validation import check_integer
from pyfsagg._base.words import readable
from pyfsagg._report import drawing
from pyfsagg.aggregation._result import Aggregation, AggregationComparison

if TYPE_CHECKING:
    from pyfsagg.aggregation.agreement import ListAgreement


MOST_DOTS = 60  # lists; beyond, dots are a smear and an interval says more
LOGARITHMIC_FROM = 50  # the rank from which on the first places deserve more room
SMALLEST_P = 1e-300  # what is left of a p-value that underflows


def plot_consensus(result: Aggregation, *, n: int = 20, ax: Axes | None = None) -> Axes:
    """The best items with their p-values, or with the statistic if the method has none.

    A filled dot is −log10 of the p-value of the item by itself (at least 1e-300), an open one that of
    the p-value adjusted across items; beyond the dashed line it is below 0.05.
    """
    best = _best(result, n)
    rows = np.arange(len(best))
    ax = drawing.new_axes(ax, 1.5 + 0.24 * len(best))
    if result.p_values is not None and result.adjusted_p_values is not None:
        single, adjusted = (
            -np.log10(np.maximum(p[best], SMALLEST_P))
            for p in (result.p_values, result.adjusted_p_values)
        )
        ax.hlines(rows, adjusted, single, color=drawing.BLUE, linewidth=1.2)
        dots: dict[str, Any] = {"color": drawing.BLUE, "markersize": 6.0}
        ax.plot(single, rows, "o", **dots, label="p-value")
        ax.plot(adjusted, rows, "o", **dots, mfc="white", label="adjusted p-value")
        dashes = (0, (4, 3))
        ax.axvline(
            -np.log10(0.05), color=drawing.INK, linestyle=dashes, linewidth=1.0, label="p = 0.05"
        )
        ax.set_xlim(left=min(-0.05, -0.03 * float(single.max())))
        ax.set_xlabel("−log10 of the p-value (larger = less expected by chance)")
        drawing.legend_above(ax)
    else:
        ax.plot(result.statistic[best], rows, "o", color=drawing.BLUE, markersize=6.0)
        direction = "larger" if result.higher_is_better else "smaller"
        ax.set_xlabel(f"{readable(result.method)} ({direction} = better)")
    drawing.feature_axis(ax, [result.names[j] for j in best])
    drawing.clear_frame(ax, grid="x")
    drawing.set_title(ax, _title(readable(result.method), len(best), result), above_legend=True)
    return ax


def plot_list_ranks(result: Aggregation, *, n: int = 20, ax: Axes | None = None) -> Axes:
    """Ranks of the best items in the single lists.

    A dot is the rank in one list; beyond 60 lists a line from the 2.5 % to the 97.5 % quantile takes
    their place.  The bar is the median over the lists that contain the item, counted on the right.
    """
    table, best = result._given_table(), _best(result, n)
    ranks = table.ranks[:, best]
    rows = np.arange(len(best))
    ax = drawing.new_axes(ax, 1.5 + 0.24 * len(best))
    if table.n_lists > MOST_DOTS:
        low, high = np.nanquantile(ranks, (0.025, 0.975), axis=0)
        ax.hlines(rows, low, high, color=drawing.BLUE, linewidth=2.0, label="95 % of the lists")
    else:
        i, j = np.nonzero(~np.isnan(ranks))
        # Lists stand one below the other, so that equal ranks do not hide one another.
        shift = (i - (table.n_lists - 1) / 2) * 0.5 / max(table.n_lists - 1, 1)
        ax.plot(
            ranks[i, j],
            j + shift,
            "o",
            color=drawing.BLUE,
            alpha=0.45,
            markersize=4.5,
            markeredgewidth=0,
            label="rank in a list",
        )
    median = np.nanmedian(ranks, axis=0)
    ax.vlines(median, rows - 0.36, rows + 0.36, color=drawing.ORANGE, linewidth=2.4, label="median")
    rank_axis(ax, float(np.nanmax(ranks)))
    held = (~np.isnan(ranks)).sum(axis=0)
    if (held < table.n_lists).any():
        for row, count in zip(rows.tolist(), held.tolist(), strict=True):
            drawing.write_at_right(ax, row, f"in {count:,} of {table.n_lists:,}")
    drawing.feature_axis(ax, [result.names[j] for j in best])
    drawing.clear_frame(ax, grid="x")
    drawing.set_title(ax, _title("Ranks", len(best), result), above_legend=True)
    drawing.legend_above(ax)
    return ax


def _best(result: Aggregation, n: int) -> NDArray[np.intp]:
    return result._order()[: check_integer("n", n, low=1)]


def rank_axis(ax: Axes, high: float) -> None:
    """Ranks from 1 along x; logarithmic where there are many."""
    ax.set_xlabel("Rank in a list (1 = best)")
    if high > LOGARITHMIC_FROM:
        ticks = [step * 10**power for power in range(len(str(int(high)))) for step in (1, 3)]
        drawing.log_ticks(ax, [tick for tick in ticks if tick <= high])
        ax.set_xlim(0.9, high * 1.1)
    else:
        margin = max(0.5, 0.03 * high)
        ax.set_xlim(1.0 - margin, high + margin)
        ax.set_xticks(drawing.number_ticks(high))


def _title(what: str, shown: int, result: Aggregation) -> str:
    which = f"the {shown} best" if shown < len(result.names) else f"all {shown}"
    plural = "" if result.n_lists == 1 else "s"
    return f"{what[:1].upper()}{what[1:]} of {which} items, {result.n_lists:,} list{plural}"


AGGREGATION_PLOTS: dict[str, Callable[..., Axes]] = {
    "consensus": plot_consensus,
    "list_ranks": plot_list_ranks,
}
"""The pictures of :meth:`pyfsagg.Aggregation.plot`, by name."""


def plot_list_agreement(agreement: ListAgreement, *, ax: Axes | None = None) -> Axes:
    """Share of common items by depth, the place where agreement ends, and rank-biased overlap.

    The band covers all pairs of lists; the bars at the right show the extrapolated overlap of
    each pair between its smallest and largest possible value.
    """
    axes = drawing.new_axes(ax, 4.2)
    curve = agreement.curve
    axes.fill_between(
        curve.index, curve["lowest"], curve["highest"], color=drawing.BLUE, alpha=0.18, lw=0
    )
    label = "mean over the pairs of lists (band: all pairs)"
    axes.plot(curve.index, curve["mean"], color=drawing.BLUE, label=label)
    if agreement.k is not None:
        label = f"agreement ends: place {agreement.k}"
        axes.axvline(agreement.k, color=drawing.ORANGE, lw=1.4, label=label)
    depth = len(curve)
    axes.set_xscale("log")
    axes.set_xlim(1, depth * 1.7)
    pairs = agreement.pairs.iloc[::2].sort_values("rbo")
    values = pairs[["rbo", "rbo_low", "rbo_high"]].to_numpy(dtype=float)
    for i, (value, low, high) in enumerate(values):
        at = depth * (1.1 + 0.5 * (i + 0.5) / len(pairs))
        axes.plot([at, at], [low, high], color=drawing.GREY, lw=1.2)
        axes.plot(
            at, value, "o", color=drawing.INK, ms=3.5,
            label="rank-biased overlap of a pair, and its limits" if i == 0 else None,
        )  # fmt: skip
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("First places of each list (depth)")
    axes.set_ylabel("Share of common items")
    drawing.clear_frame(axes, grid="y")
    drawing.legend_above(axes, columns=1)
    drawing.set_title(axes, "How deep the lists agree", above_legend=True, lines=3)
    return axes


MOST_SIZES = 60  # values of k at which an overlap is computed


def plot_method_agreement(comparison: AggregationComparison, *, ax: Axes | None = None) -> Axes:
    """Heat map of Kendall's tau-b between the rankings of two methods."""
    labels = [readable(method) for method in comparison.methods]
    ax = drawing.new_axes(ax, 1.6 + 0.5 * len(labels))
    drawing.draw_correlations(ax, comparison.kendall().to_numpy(), labels)
    ax.set_xlabel("Kendall rank correlation, tau-b (−1 to 1)")
    drawing.set_title(ax, "Agreement of the methods")
    return ax


def plot_places(comparison: AggregationComparison, *, n: int = 10, ax: Axes | None = None) -> Axes:
    """Bump chart: the places of the best items from method to method.

    Every item that some method has among its best `n` is a line.  Where it is not among them, its
    line goes to the strip below the last place.  Ties are in the order of the table.
    """
    n = min(check_integer("n", n, low=1), len(comparison.names))
    places = comparison.places
    shown = np.flatnonzero((places <= n).any(axis=0))
    shown = shown[np.lexsort((shown, places[0, shown]))]
    below = n + 1.0
    x = np.arange(len(places))
    ax = drawing.new_axes(ax, 1.5 + 0.3 * n)
    ax.axhspan(n + 0.5, n + 1.5, color="#F0F0F0", linewidth=0)
    for position, item in enumerate(shown.tolist()):
        y = np.where(places[:, item] <= n, places[:, item], below)
        colour = drawing.LINE_COLOURS[position % len(drawing.LINE_COLOURS)]
        # A line that stays below is no news, and one on its way there steps back.
        among = np.where(y < below, y, np.nan)
        ax.plot(x, y, "-", color=colour, linewidth=1.2, alpha=0.3)
        ax.plot(x, among, "o-", color=colour, linewidth=2.2, markersize=6.0)
        _label_end(ax, comparison.names[item], y, below)
    ax.set_ylim(n + 1.5, 0.5)
    first = [comparison.names[item] for item in np.argsort(places[0])[:n].tolist()]
    ticks = [
        f"{drawing.feature_label(name, 22)}  {place}" for place, name in enumerate(first, start=1)
    ]
    ax.set_yticks([*range(1, n + 1), below], [*ticks, f"> {n}"], parse_math=False)
    labels = [drawing.feature_label(readable(method)) for method in comparison.methods]
    ax.set_xticks(x, labels, rotation=20, ha="right")
    ax.set_xlim(-0.15, len(x) - 0.85)
    ax.tick_params(length=0)
    ax.tick_params(axis="y", pad=6)
    ax.spines[:].set_visible(False)
    ax.set_ylabel("Place (1 = best)")
    drawing.set_title(ax, f"The best {n} of each method")
    return ax


def plot_overlap(
    comparison: AggregationComparison, *, n: int | None = None, ax: Axes | None = None
) -> Axes:
    """Overlap of the best k items of each method with those of the first method, for every k.

    The dotted line is the share that a random ranking has on average, k/p.
    """
    p = len(comparison.names)
    n = p if n is None else min(check_integer("n", n, low=1), p)
    sizes = np.arange(1, n + 1)
    if n > MOST_SIZES:
        sizes = np.unique(np.geomspace(1, n, MOST_SIZES).round().astype(np.intp))
    ax = drawing.new_axes(ax, 3.4)
    first, *others = comparison.places
    for position, (method, places) in enumerate(zip(comparison.methods[1:], others, strict=True)):
        # An item is among the best k of both from the larger of its two places on.
        joint = np.searchsorted(np.sort(np.maximum(first, places)), sizes, side="right")
        ax.plot(
            sizes,
            joint / sizes,
            "-" if position % 2 == 0 else "--",
            marker=drawing.LINE_MARKERS[position % len(drawing.LINE_MARKERS)],
            markersize=4.0,
            markevery=(position, 5) if len(sizes) > 20 else None,
            color=drawing.LINE_COLOURS[position % len(drawing.LINE_COLOURS)],
            label=readable(method),
        )
    ax.plot(sizes, sizes / p, ":", color=drawing.GREY, label="by chance")
    ax.set_ylim(-0.03, 1.05)
    rank_axis(ax, float(n))
    ax.set_xlabel("k (how many of the best items)")
    ax.set_ylabel(f"Shared with {readable(comparison.methods[0])}")
    drawing.clear_frame(ax, grid="y")
    drawing.set_title(ax, "Overlap of the best k", above_legend=True)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize="small")
    return ax


def _label_end(ax: Axes, name: str, y: NDArray[np.float64], below: float) -> None:
    """The name where its line ends on the right, or beside its last point if it starts and ends below."""
    look: dict[str, Any] = {
        "textcoords": "offset points",
        "color": drawing.INK,
        "parse_math": False,
    }
    if y[-1] < below:
        look |= {"xytext": (8, 0), "va": "center", "annotation_clip": False}
    elif y[0] == below:
        look |= {"xytext": (0, 6), "ha": "center", "fontsize": "small"}
    else:
        return
    last = int(np.flatnonzero(y < below)[-1])
    ax.annotate(drawing.feature_label(name, 22), (last, y[last]), **look)


COMPARISON_PLOTS: dict[str, Callable[..., Axes]] = {
    "agreement": plot_method_agreement,
    "places": plot_places,
    "overlap": plot_overlap,
}
"""The pictures of :meth:`pyfsagg.aggregation.AggregationComparison.plot`, by name."""

"""Pictures of rank aggregation: the best items, and their ranks in the lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from pyfsagg._base.checks import check_integer
from pyfsagg._base.words import readable
from pyfsagg._draw.style import (
    BLUE,
    INK,
    ORANGE,
    clear_frame,
    feature_axis,
    legend_above,
    log_ticks,
    new_axes,
    number_ticks,
    set_title,
    write_at_right,
)
from pyfsagg.aggregation._result import Aggregation
from pyfsagg.aggregation.description import check_same_items
from pyfsagg.ranks import RankTable

__all__ = ["AGGREGATION_PLOTS", "MOST_DOTS", "plot_consensus", "plot_list_ranks", "rank_axis"]


MOST_DOTS = 60  # lists; beyond, dots are a smear and an interval says more
LOGARITHMIC_FROM = 50  # the rank from which on the first places deserve more room
SMALLEST_P = 1e-300  # what is left of a p-value that underflows


def plot_consensus(result: Aggregation, *, n: int = 20, ax: Axes | None = None) -> Axes:
    """The best items with their p-values, or with the statistic if the method has none.

    A filled dot is −log10 of the p-value of the item by itself, an open one that of the p-value
    adjusted across items; beyond the dashed line it is below 0.05.  P-values below 1e-300 are drawn
    there.

    Parameters
    ----------
    result : Aggregation
    n : int
        How many items are drawn at most, best first; ties are in the order of the table.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    Raises
    ------
    ParameterError
        If `n` is below 1.
    InputTypeError
        If `ax` is not a Matplotlib axes.

    Examples
    --------
    >>> from pyfsagg import aggregate
    >>> result = aggregate([["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"]], "mean_rank")
    >>> plot_consensus(result).get_xlabel()
    'mean rank (smaller = better)'
    """
    best = _best(result, n)
    rows = np.arange(len(best))
    ax = new_axes(ax, 1.5 + 0.24 * len(best))
    if result.p_values is not None and result.adjusted_p_values is not None:
        single, adjusted = (
            -np.log10(np.maximum(p[best], SMALLEST_P))
            for p in (result.p_values, result.adjusted_p_values)
        )
        ax.hlines(rows, adjusted, single, color=BLUE, linewidth=1.2)
        ax.plot(single, rows, "o", color=BLUE, markersize=6.0, label="p-value")
        ax.plot(
            adjusted, rows, "o", color=BLUE, mfc="white", markersize=6.0, label="adjusted p-value"
        )
        ax.axvline(
            -np.log10(0.05), color=INK, linestyle=(0, (4, 3)), linewidth=1.0, label="p = 0.05"
        )
        ax.set_xlim(left=min(-0.05, -0.03 * float(single.max())))
        ax.set_xlabel("−log10 of the p-value (larger = less expected by chance)")
        legend_above(ax)
    else:
        ax.plot(result.statistic[best], rows, "o", color=BLUE, markersize=6.0)
        direction = "larger" if result.higher_is_better else "smaller"
        ax.set_xlabel(f"{readable(result.method)} ({direction} = better)")
    feature_axis(ax, [result.names[j] for j in best])
    clear_frame(ax, grid="x")
    set_title(ax, _title(readable(result.method), len(best), result), above_legend=True)
    return ax


def plot_list_ranks(
    table: RankTable, result: Aggregation, *, n: int = 20, ax: Axes | None = None
) -> Axes:
    """Ranks of the best items in the single lists.

    A dot is the rank in one list; beyond 60 lists a line from the 2.5 % to the 97.5 % quantile takes
    their place.  The bar is the median over the lists that contain the item.  If some lists do not,
    the numbers of lists are shown on the right.

    Parameters
    ----------
    table : RankTable
    result : Aggregation
        Aggregation of that table.
    n : int
        How many items are drawn at most, best first; ties are in the order of the table.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        Ranks along x (1 = best; logarithmic if there are more than 50), items along y.

    Raises
    ------
    DataError
        If `result` is not about the items of `table`.
    ParameterError
        If `n` is below 1.
    InputTypeError
        If `ax` is not a Matplotlib axes.

    Examples
    --------
    >>> from pyfsagg import RankTable, aggregate
    >>> table = RankTable.from_lists([["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"]])
    >>> ax = plot_list_ranks(table, aggregate(table, "mean_rank"), n=2)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['a', 'b']
    """
    check_same_items(table, result)
    best = _best(result, n)
    ranks = table.ranks[:, best]
    rows = np.arange(len(best))
    ax = new_axes(ax, 1.5 + 0.24 * len(best))
    if table.n_lists > MOST_DOTS:
        low, high = np.nanquantile(ranks, (0.025, 0.975), axis=0)
        ax.hlines(rows, low, high, color=BLUE, linewidth=2.0, label="95 % of the lists")
    else:
        i, j = np.nonzero(~np.isnan(ranks))
        # Lists stand one below the other, so that equal ranks do not hide one another.
        shift = (i - (table.n_lists - 1) / 2) * 0.5 / max(table.n_lists - 1, 1)
        ax.plot(
            ranks[i, j],
            j + shift,
            "o",
            color=BLUE,
            alpha=0.45,
            markersize=4.5,
            markeredgewidth=0,
            label="rank in a list",
        )
    median = np.nanmedian(ranks, axis=0)
    ax.vlines(median, rows - 0.36, rows + 0.36, color=ORANGE, linewidth=2.4, label="median")
    rank_axis(ax, float(np.nanmax(ranks)))
    held = (~np.isnan(ranks)).sum(axis=0)
    if (held < table.n_lists).any():
        for row, count in zip(rows.tolist(), held.tolist(), strict=True):
            write_at_right(ax, row, f"in {count:,} of {table.n_lists:,}")
    feature_axis(ax, [result.names[j] for j in best])
    clear_frame(ax, grid="x")
    set_title(ax, _title("Ranks", len(best), result), above_legend=True)
    legend_above(ax)
    return ax


# ---------------------------------------------------------------------------------------------
# helpers
# ---------------------------------------------------------------------------------------------
def _best(result: Aggregation, n: int) -> NDArray[np.intp]:
    return result.order()[: check_integer("n", n, low=1)]


def rank_axis(ax: Axes, high: float) -> None:
    """Ranks from 1 along x; logarithmic where there are many."""
    ax.set_xlabel("Rank in a list (1 = best)")
    if high > LOGARITHMIC_FROM:
        log_ticks(ax, list(_decimal_ticks(high)))
        ax.set_xlim(0.9, high * 1.1)
    else:
        margin = max(0.5, 0.03 * high)
        ax.set_xlim(1.0 - margin, high + margin)
        ax.set_xticks(number_ticks(high))


def _decimal_ticks(high: float) -> Iterator[int]:
    """1, 3, 10, 30, … up to `high`."""
    return (
        step * 10**power
        for power in range(len(str(int(high))))
        for step in (1, 3)
        if step * 10**power <= high
    )


def _title(what: str, shown: int, result: Aggregation) -> str:
    which = f"the {shown} best" if shown < len(result.names) else f"all {shown}"
    plural = "" if result.n_lists == 1 else "s"
    return f"{what[:1].upper()}{what[1:]} of {which} items, {result.n_lists:,} list{plural}"


def _plot_ranks_of_result(result: Aggregation, **options: Any) -> Axes:
    return plot_list_ranks(result.given_table(), result, **options)


AGGREGATION_PLOTS: dict[str, Callable[..., Axes]] = {
    "consensus": plot_consensus,
    "list_ranks": _plot_ranks_of_result,
}
"""The pictures of :meth:`pyfsagg.Aggregation.plot`, by name."""

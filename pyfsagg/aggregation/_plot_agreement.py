"""How deep lists agree, as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

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

if TYPE_CHECKING:
    from pyfsagg.aggregation.agreement import ListAgreement

__all__ = ["plot_list_agreement"]


def plot_list_agreement(agreement: ListAgreement, *, ax: Axes | None = None) -> Axes:
    """Share of common items by depth, the place where agreement ends, and rank-biased overlap.

    The band covers all pairs of lists; the bars at the right show the extrapolated overlap of
    each pair between its smallest and largest possible value.
    """
    axes = new_axes(ax, 4.2)
    curve = agreement.curve
    axes.fill_between(curve.index, curve["lowest"], curve["highest"], color=BLUE, alpha=0.18, lw=0)
    axes.plot(
        curve.index,
        curve["mean"],
        color=BLUE,
        label="mean over the pairs of lists (band: all pairs)",
    )
    if agreement.k is not None:
        axes.axvline(
            agreement.k, color=ORANGE, lw=1.4, label=f"agreement ends: place {agreement.k}"
        )
    depth = len(curve)
    axes.set_xscale("log")
    axes.set_xlim(1, depth * 1.7)
    pairs = agreement.pairs.iloc[::2].sort_values("rbo")
    values = pairs[["rbo", "rbo_low", "rbo_high"]].to_numpy(dtype=float)
    for i, (value, low, high) in enumerate(values):
        at = depth * (1.1 + 0.5 * (i + 0.5) / len(pairs))
        axes.plot([at, at], [low, high], color=GREY, lw=1.2)
        axes.plot(
            at, value, "o", color=INK, ms=3.5,
            label="rank-biased overlap of a pair, and its limits" if i == 0 else None,
        )  # fmt: skip
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("First places of each list (depth)")
    axes.set_ylabel("Share of common items")
    clear_frame(axes, grid="y")
    legend_above(axes, columns=1)
    set_title(axes, "How deep the lists agree", above_legend=True, lines=3)
    return axes

"""Pictures of the influence of the aggregator."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes

from pyfsagg._base.words import readable
from pyfsagg._draw.style import (
    BLUE,
    INK,
    clear_frame,
    feature_axis,
    feature_label,
    new_axes,
    set_title,
)
from pyfsagg.aggregator_influence.comparison import AggregatorComparison
from pyfsagg.aggregator_influence.result import InfluenceResult
from pyfsagg.exceptions import DataError
from pyfsagg.stability_measures import STABILITY_MEASURES

__all__ = ["INFLUENCE_PLOTS", "plot_aggregator_stability", "plot_pairwise"]

SMALLEST_SHOWN = 1e-4  # adjusted p-values below have the same colour


def plot_aggregator_stability(
    result: InfluenceResult,
    measure: str = "spearman",
    *,
    filter: str | None = None,
    top: float | int = 0.25,
    level: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Stability of the ranking by each aggregator over the folds, with jackknife intervals.

    Parameters
    ----------
    result : InfluenceResult
    measure : str
        A measure of :func:`pyfsagg.list_stability_measures` that needs no similarity matrix.
    filter : str, optional
        Filter of the result; the first one by default.
    top : float or int
        Size of the subsets for measures of selections.
    level : float
        Confidence level of the intervals.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        Stability along x, aggregators along y.

    Raises
    ------
    ParameterError, InputTypeError
        For an unknown measure or filter, `top` or `level` out of range, or `ax` that is not a Matplotlib
        axes.
    DataError
        If the measure is undefined for every aggregator.
    """
    label = result.filter_label(filter)
    spec = STABILITY_MEASURES.get(measure)
    frame = result.to_frame([spec.name], top=top, level=level)
    frame = frame[frame["filter"] == label]
    value = frame["value"].to_numpy()
    if np.isnan(value).all():
        raise DataError(str(frame["note"].iloc[0]))
    low, high = frame["lower"].to_numpy(), frame["upper"].to_numpy()
    rows = np.arange(len(frame))
    ax = new_axes(ax, 1.5 + 0.36 * len(frame))
    ax.hlines(rows, low, high, color=BLUE, linewidth=2.0)
    ax.plot(value, rows, "o", color=BLUE, markersize=7.0)
    for row, number in enumerate(value):
        if np.isfinite(number):
            ax.annotate(
                f"{number:.3f}".replace("-", "−"),
                (number, row),
                xytext=(0, 7),
                textcoords="offset points",
                ha="center",
                fontsize="small",
                color=INK,
            )
    feature_axis(ax, [readable(name) for name in frame["aggregator"]])
    ax.set_ylim(len(frame) - 0.5, -0.7)
    ax.margins(x=0.08)
    hint = "larger" if spec.larger_is_stabler else "smaller"
    ax.set_xlabel(
        f"{readable(spec.name).capitalize()} over {result.n_folds} folds, {100 * level:g} % interval "
        f"({hint} = more stable)"
    )
    clear_frame(ax, grid="x")
    ax.spines["left"].set_visible(False)
    set_title(ax, f"Stability by aggregator: {readable(label)}")
    return ax


def plot_pairwise(comparison: AggregatorComparison, *, ax: Axes | None = None) -> Axes:
    """Heat map of all pairs of aggregators.

    Below the diagonal is the adjusted p-value of a pair, the darker the smaller; above it the
    difference of the mean stability, row minus column.

    Parameters
    ----------
    comparison : AggregatorComparison
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        If there are no pairwise tests, the axes give the reason.

    Raises
    ------
    InputTypeError
        If `ax` is not a Matplotlib axes.
    """
    names = [str(name) for name in comparison.values.columns]
    size = len(names)
    ax = new_axes(ax, 1.9 + 0.5 * size)
    if comparison.pairwise is None:
        reason = f"no pairwise tests: {comparison.refused['pairwise']}"
        text = "\n".join(textwrap.wrap(reason, 70))
        ax.text(0.5, 0.5, text, ha="center", va="center", transform=ax.transAxes, parse_math=False)
        ax.set_axis_off()
        return ax
    frame = comparison.pairwise.to_frame()
    p_values = np.full((size, size), np.nan)
    texts = np.full((size, size), "", dtype=object)
    means = comparison.values.mean().to_numpy()
    for first, second, p in zip(frame["group1"], frame["group2"], frame["p_adjusted"], strict=True):
        i, j = sorted((names.index(first), names.index(second)))
        p_values[j, i] = p
        texts[j, i] = "< 0.0001" if p < SMALLEST_SHOWN else f"{p:.2g}"
        texts[i, j] = f"{means[i] - means[j]:+.3f}".replace("-", "−")
    edges = np.arange(size + 1) - 0.5
    # Twice the range that occurs, so that dark text can be read on all tiles.
    shade = -np.log10(np.maximum(p_values, SMALLEST_SHOWN))
    ax.pcolormesh(
        edges,
        edges,
        np.ma.masked_invalid(shade),
        cmap="Blues",
        vmin=0.0,
        vmax=-2.0 * np.log10(SMALLEST_SHOWN),
        edgecolors="white",
        linewidth=1.5,
    )
    for i, j in np.ndindex(size, size):
        ax.text(j, i, str(texts[i, j]), ha="center", va="center", color=INK, fontsize="small")
    shown = [feature_label(readable(name)) for name in names]
    ax.set_xlim(-0.5, size - 0.5)
    ax.set_ylim(size - 0.5, -0.5)
    ax.set_xticks(np.arange(size), shown, parse_math=False, rotation=20, ha="right")
    ax.set_yticks(np.arange(size), shown, parse_math=False)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel(
        f"Below the diagonal: p-value, adjusted ({comparison.pairwise.adjust})\n"
        "Above: difference of the stability, row − column"
    )
    set_title(ax, f"Pairs of aggregators: {readable(comparison.measure)}")
    return ax


def _plot_pairs_of_result(
    result: InfluenceResult,
    measure: str = "spearman",
    *,
    filter: str | None = None,
    top: float | int = 0.25,
    adjust: str = "holm",
    ax: Axes | None = None,
) -> Axes:
    return plot_pairwise(result.compare(measure, filter, top=top, adjust=adjust), ax=ax)


INFLUENCE_PLOTS: dict[str, Callable[..., Axes]] = {
    "stability": plot_aggregator_stability,
    "pairwise": _plot_pairs_of_result,
}
"""The pictures of :meth:`pyfsagg.InfluenceResult.plot`, by name."""

"""The picture of an evaluation: accuracy against the share of the features kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from pyfsagg._base.validation import check_choice
from pyfsagg._base.words import readable
from pyfsagg._report.drawing import GREY, INK, clear_frame
from pyfsagg.evaluation.result import RANDOM_SUBSETS, Evaluation
from pyfsagg.exceptions import InputTypeError

# Okabe and Ito's colours, told apart by all common kinds of colour vision; markers tell lines apart
# in black and white, and when there are more lines than colours.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
LABELS = {"roc_auc": "Area under the ROC curve", "log_loss": "Log loss (smaller = better)"}
PANEL = (3.5, 2.7)  # inches
LIGHT = "#D9D9D9"


def plot_accuracy(
    result: Evaluation,
    *,
    protocol: str | None = None,
    metric: str | None = None,
    classifiers: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
) -> list[Axes]:
    """The measure against the share of selected features: a panel per classifier, a line per method.

    Bands are one standard error of the mean over folds.  Baselines are grey: all features as a
    dashed line, the range of the random subsets as an area around their mean, single filters as
    dotted lines.

    Examples
    --------
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> result = pyfsagg.evaluate(
    ...     data.X, data.y, methods=["mrmr"], classifiers="naive_bayes", thresholds=[0.3, 0.6],
    ...     n_resamples=5, random_state=0,
    ... )
    >>> [ax.get_title() for ax in plot_accuracy(result)]
    ['naive bayes']
    """
    if not isinstance(result, Evaluation):
        raise InputTypeError(
            f"plot_accuracy draws an Evaluation, got {type(result).__name__}; evaluate returns one"
        )
    name = result._check_metric(metric)
    chosen = check_choice("protocol", protocol or result._default_protocol, result.protocols)
    panels = [check_choice("classifiers", label, result.classifiers) for label in classifiers or ()]
    lines = [check_choice("methods", label, result.methods) for label in methods or ()]
    panels, lines = panels or result.classifiers, lines or result.methods
    columns = min(2, len(panels))
    n_rows = math.ceil(len(panels) / columns)
    n_labels = len(lines) + len(result._baselines)
    height = PANEL[1] * n_rows + 0.3 + 0.2 * math.ceil(n_labels / 3)
    figure = Figure(figsize=(PANEL[0] * columns + 0.4, height), layout="constrained")
    grid = figure.subplots(n_rows, columns, sharex=True, sharey=True, squeeze=False)
    axes = list(grid.flat)[: len(panels)]
    for spare in list(grid.flat)[len(panels) :]:
        spare.remove()
    summary = result.summary()
    summary = summary[(summary["metric"] == name) & (summary["protocol"] == chosen)]
    for position, (ax, classifier) in enumerate(zip(axes, panels, strict=True)):
        cells = summary[summary["classifier"] == classifier]
        _draw_baselines(ax, result, cells, classifier, chosen, name)
        for number, method in enumerate(lines):
            _draw_line(ax, cells[cells["method"] == method], number, method)
        ax.set_title(readable(classifier), fontsize="medium", color=INK)
        clear_frame(ax, grid="y")
        _share_axis(ax, result.parameters["thresholds"])
        if position + columns >= len(panels):
            ax.set_xlabel("Features kept (%)")
            ax.tick_params(labelbottom=True)
        if position % columns == 0:
            ax.set_ylabel(LABELS.get(name, readable(name).capitalize()))
    handles, labels = axes[0].get_legend_handles_labels()
    legend = figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=min(3, len(labels)) if columns > 1 else 2,
        frameon=False,
        fontsize="small",
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    return axes


def _share_axis(ax: Axes, shares: Sequence[float]) -> None:
    """Per cent along x; logarithmic if the largest share is many times the smallest."""
    if max(shares) > 10.0 * min(shares):
        ax.set_xscale("log")
        ax.set_xticks(list(shares))
        ax.xaxis.set_minor_locator(NullLocator())
    else:
        ax.xaxis.set_major_locator(MaxNLocator(nbins=6))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.3g}"))


def _draw_line(ax: Axes, cells: pd.DataFrame, number: int, method: str) -> None:
    color = COLORS[number % len(COLORS)]
    x, mean = cells["threshold"].to_numpy(), cells["mean"].to_numpy()
    error = (cells["sd"] / np.sqrt(cells["n"])).to_numpy()
    ax.fill_between(x, mean - error, mean + error, color=color, alpha=0.1, linewidth=0)
    ax.plot(
        x,
        mean,
        color=color,
        marker=MARKERS[number % len(MARKERS)],
        markersize=4.5,
        linewidth=1.4,
        linestyle="-" if number < len(COLORS) else "--",
        label=readable(method),
    )


def _draw_baselines(
    ax: Axes, result: Evaluation, cells: pd.DataFrame, classifier: str, protocol: str, metric: str
) -> None:
    drawn = {"kind": "baseline", "classifier": classifier, "protocol": protocol, "metric": metric}
    for label in result._baselines:
        baseline = cells[cells["method"] == label]
        if label == RANDOM_SUBSETS:
            draws = result.cells[result.cells["method"] == label]
            for column, value in drawn.items():
                draws = draws[draws[column] == value]
            means = draws.groupby(["threshold", "draw"])["value"].mean().unstack("draw")
            x = means.index.to_numpy(dtype=np.float64)
            ax.fill_between(x, means.min(axis=1), means.max(axis=1), color=LIGHT, linewidth=0)
            ax.plot(x, means.mean(axis=1), color=GREY, linewidth=1.0, label=label)
        elif len(baseline) == 1 and float(baseline["threshold"].iloc[0]) == 1.0:
            mean = float(baseline["mean"].iloc[0])
            ax.axhline(mean, color=GREY, linestyle="--", linewidth=1.0, label=label)
        else:
            look: dict[str, Any] = {"color": "#9A9A9A", "linestyle": ":", "linewidth": 1.2}
            ax.plot(baseline["threshold"], baseline["mean"], label=readable(label), **look)


EVALUATION_PLOTS: dict[str, Callable[..., Any]] = {"accuracy": plot_accuracy}
"""The pictures of :meth:`pyfsagg.Evaluation.plot`, by name."""

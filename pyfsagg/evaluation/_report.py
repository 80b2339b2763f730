"""The pictures and the page of an evaluation."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from pyfsagg._base.validation import check_choice, check_real
from pyfsagg._base.words import number, plural, readable
from pyfsagg._report import closing, drawing
from pyfsagg._report.page import PageColumn, PageTable, Section, heads
from pyfsagg.evaluation.result import RANDOM_SUBSETS, Evaluation
from pyfsagg.exceptions import InputTypeError
from pyfsagg.score_tables._report import difference_blocks

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
        for line, method in enumerate(lines):
            part = cells[cells["method"] == method]
            x, mean = part["threshold"].to_numpy(), part["mean"].to_numpy()
            error = (part["sd"] / np.sqrt(part["n"])).to_numpy()
            color, marker = COLORS[line % len(COLORS)], MARKERS[line % len(MARKERS)]
            ax.fill_between(x, mean - error, mean + error, color=color, alpha=0.1, linewidth=0)
            look: dict[str, Any] = {"color": color, "marker": marker, "markersize": 4.5}
            look["linestyle"] = "-" if line < len(COLORS) else "--"
            ax.plot(x, mean, linewidth=1.4, label=readable(method), **look)
        ax.set_title(readable(classifier), fontsize="medium", color=drawing.INK)
        drawing.clear_frame(ax, grid="y")
        shares = result.parameters["n_features_to_select"]
        if max(shares) > 10.0 * min(shares):
            ax.set_xscale("log")
            ax.set_xticks(list(shares))
            ax.xaxis.set_minor_locator(NullLocator())
        else:
            ax.xaxis.set_major_locator(MaxNLocator(nbins=6))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.3g}"))
        if position + columns >= len(panels):
            ax.set_xlabel("Features kept (%)")
            ax.tick_params(labelbottom=True)
        if position % columns == 0:
            ax.set_ylabel(LABELS.get(name, readable(name).capitalize()))
    handles, labels = axes[0].get_legend_handles_labels()
    place: dict[str, Any] = {"loc": "outside lower center", "frameon": False, "fontsize": "small"}
    n_columns = min(3, len(labels)) if columns > 1 else 2
    legend = figure.legend(handles, labels, ncols=n_columns, **place)
    for text in legend.get_texts():
        text.set_parse_math(False)
    return axes


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
            ax.plot(x, means.mean(axis=1), color=drawing.GREY, linewidth=1.0, label=label)
        elif len(baseline) == 1 and float(baseline["threshold"].iloc[0]) == 1.0:
            mean = float(baseline["mean"].iloc[0])
            ax.axhline(mean, color=drawing.GREY, linestyle="--", linewidth=1.0, label=label)
        else:
            look: dict[str, Any] = {"color": "#9A9A9A", "linestyle": ":", "linewidth": 1.2}
            ax.plot(baseline["threshold"], baseline["mean"], label=readable(label), **look)


EVALUATION_PLOTS: dict[str, Callable[..., Any]] = {"accuracy": plot_accuracy}


MOST_ROWS = 2000


def average_sections(result: Evaluation) -> list[Section]:
    """Weighted averages in the form of thesis table 4.3."""
    if min(result.parameters["n_features_to_select"]) == 1.0:
        return []
    frame = result.weighted_average_accuracy()
    labels = [str(name) for name in frame["method"].unique()]
    rows = []
    for (protocol, classifier), part in frame.groupby(["protocol", "classifier"], sort=False):
        values = part.set_index("method")["wacc"].reindex(labels)
        words = [readable(str(classifier)), str(protocol)]
        rows.append([*words, *(number(value, 4) for value in values)])
    words = ["Classifier", "Protocol"]
    table = PageTable(
        f"Weighted average {readable(result.metrics[0])}",
        [*heads(words, words), *(PageColumn(readable(name)) for name in labels)],
        rows,
        note="Mean over thresholds below 100 %, weighted by the share of features omitted: "
        "Σ W·Acc / Σ W with W = 1 − k (thesis, equation 4.1).",
    )
    return [Section("averages", "Weighted averages", [table])]


def optimism_sections(result: Evaluation) -> list[Section]:
    others = [name for name in result.protocols if name != "nested"]
    if "nested" not in result.protocols or not others:
        return []
    frame = result.optimism()
    frame = frame[frame["kind"] != "baseline"]
    columns = [*result.protocols, *(f"{name}_minus_nested" for name in others)]
    means = frame.groupby(["method", "classifier"], sort=False)[columns].mean().reset_index()
    rows = [
        [readable(method), readable(classifier), *(number(value, 4) for value in values)]
        for method, classifier, *values in means.itertuples(index=False)
    ]
    words = ("Method", "Classifier")
    differences = [f"{name} − nested" for name in others]
    table = PageTable(
        f"Mean {readable(result.metrics[0])} over thresholds, by protocol",
        heads([*words, *result.protocols, *differences], words),
        rows,
        note="The nested protocol ranks features inside each training fold and has no "
        "selection bias. The thesis protocol trains classifiers on fewer rows, so its difference is "
        "not selection bias alone; the leaky protocol has the same folds, and its difference is.",
    )
    return [Section("optimism", "Optimism", [table])]


def failure_sections(result: Evaluation) -> list[Section]:
    """Cells without a value, and warnings of classifiers."""
    cells = result.cells[result.cells["status"] != "ok"]
    if cells.empty:
        return []
    kinds = ["classifier", "metric", "status", "message"]
    counts = cells.groupby(kinds, sort=False).size().rename("n").reset_index()
    rows = [
        [readable(classifier), readable(metric), status, str(message), f"{n:,}"]
        for classifier, metric, status, message, n in counts.itertuples(index=False)
    ]
    words = ("Classifier", "Metric", "Status", "Message")
    table = PageTable(
        "Cells that failed or were warned of",
        heads([*words, "Cells"], words),
        rows[:MOST_ROWS],
        note="A failed cell has no value; means are over the others, and folds with a failed cell "
        "are omitted from the tests.",
    )
    return [Section("failures", "Failures", [table])]


def value_table(result: Evaluation) -> PageTable:
    summary = result.summary()
    names = ["method", "classifier", "protocol", "n_features", "metric", "mean", "sd", "n"]
    shown, rows = summary[names].head(MOST_ROWS), []
    for method, classifier, protocol, size, metric, mean, sd, n in shown.itertuples(index=False):
        about = [readable(method), readable(classifier), protocol, f"{size}", readable(metric)]
        rows.append([*about, number(mean, 4), number(sd, 4), f"{n}"])
    hidden = len(summary) - len(rows)
    words = ("Method", "Classifier", "Protocol", "Metric")
    titles = ("Method", "Classifier", "Protocol", "Features", "Metric", "Mean", "SD", "Folds")
    note = f"{hidden:,} more rows are in summary.csv." if hidden else ""
    caption = "Mean and standard deviation over folds"
    return PageTable(caption, heads(titles, words), rows, note, find="row")


REFERENCES = {
    "Thesis protocol and weighted average accuracy": closing.THESIS,
    "Nested and leaky protocol": "C. Ambroise and G. J. McLachlan (2002). Selection bias in gene extraction "
    "on the basis of microarray gene-expression data. PNAS 99",
    "Corrected t tests": "C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Machine "
    "Learning 52; R. R. Bouckaert and E. Frank (2004). Evaluating the replicability of significance tests "
    "for comparing learning algorithms. PAKDD",
    "Bayesian correlated t tests": "A. Benavoli, G. Corani, J. Demšar and M. Zaffalon (2017). Time for a "
    "change: a tutorial for comparing multiple classifiers through Bayesian analysis. JMLR 18",
}


def evaluation_page(result: Evaluation, view: Mapping[str, Any]) -> closing.Report:
    """The report of an evaluation."""
    confidence_level = view["confidence_level"]
    check_real("confidence_level", confidence_level, low=0.0, high=1.0, low_open=True)
    data = result.data
    subtitle = (
        f"{plural(data['n_samples'], 'sample')}, {plural(data['n_features'], 'feature')}, "
        f"{closing.target_words(data)}; {plural(len(result.methods), 'method')}, "
        f"{plural(len(result.classifiers), result._models[0])}"
    )
    curves = [
        drawing.picture(
            f"{readable(metric).capitalize()}, {protocol} protocol",
            f"{protocol}-{metric}",
            lambda **chosen: plot_accuracy(result, **chosen)[0],
            protocol=protocol,
            metric=metric,
            label=f"Lines: {readable(metric)} against the share of the features kept, a panel for "
            "each classifier, a line for each method",
            caption="Mean over folds; bands are one standard error. Grey: no selection (dashed), "
            "range and mean of random subsets (area), single filters (dotted), where run.",
        )
        for protocol in result.protocols
        for metric in result.metrics
    ]
    sections = [
        Section("curves", "Features kept", curves),
        *average_sections(result),
        *optimism_sections(result),
    ]
    comparison, _ = result._default_comparison(confidence_level)
    if comparison is not None:
        sections.append(Section("differences", "Differences", difference_blocks(comparison)))
    sections += failure_sections(result)
    sections.append(Section("values", "All values", [value_table(result)]))
    titles, references = ("Evaluation", "Evaluation of {}"), list(REFERENCES.items())
    return closing.Report(titles, subtitle, sections, closing.settings_groups(result), references)

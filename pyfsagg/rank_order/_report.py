"""Reports and pictures of eliminations in rank-order space."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from pyfsagg._base.validation import check_choice, n_selected
from pyfsagg._base.words import count, number, plural, readable
from pyfsagg._report import closing, drawing
from pyfsagg._report.page import Block, PageColumn, PageTable, Section
from pyfsagg._version import __version__
from pyfsagg.rank_order.elimination import ELIMINATIONS, Elimination

MEASURES = {"divergence": "Divergence Δ (nats)", "accuracy": "Accuracy of naive Bayes"}
STYLES = {
    "cdv": (drawing.BLUE, "o-"),
    "cdv_relative": ("#56B4E9", "o--"),
    "spoilers": (drawing.ORANGE, "s-"),
    "greedy_kl": ("#009E73", "^-"),
    "koller_sahami": ("#CC79A7", "D-"),
}
SHOWN = 80  # smaller subsets than this are shown: nothing happens above in large tables


def plot_elimination(
    result: Elimination,
    *,
    measure: str | None = None,
    max_size: int = SHOWN,
    baseline: pd.DataFrame | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Divergence or accuracy against the number of features kept."""
    measure = measure or ("divergence" if result.accuracy is None else "accuracy")
    if check_choice("measure", measure, MEASURES) == "accuracy":
        result._measured_accuracy()
    ax = drawing.new_axes(ax, 3.4)
    if baseline is None:
        baseline = result.baseline
    chance = None if baseline is None else baseline.reset_index()
    draw_paths(ax, {result.method: result.to_frame()}, measure, baseline=chance, max_size=max_size)
    return drawing.finished(ax, f"Elimination by {title_of(result.method)}", grid="y")


def draw_paths(
    ax: Axes,
    paths: Mapping[str, pd.DataFrame],
    measure: str,
    *,
    baseline: pd.DataFrame | None = None,
    max_size: int = SHOWN,
) -> None:
    """Draw the paths of methods (``size`` and the measure), and random subsets as a band."""
    if baseline is not None:
        size = baseline["size"].to_numpy()
        ends = ("lower", "upper", "mean")
        lower, upper, mean = (baseline[f"{measure}_{end}"].to_numpy() for end in ends)
        ax.fill_between(size, lower, upper, color=drawing.GREY, alpha=0.2, linewidth=0)
        ax.plot(size, mean, ":", color=drawing.GREY, label="random (mean, 95 %)")
    largest = 0.0
    for method, path in paths.items():
        colour, style = STYLES.get(method, (drawing.INK, "-"))
        shown = path[path["size"] <= max_size]
        label = title_of(method)
        ax.plot(shown["size"], shown[measure], style, color=colour, markersize=3.0, label=label)
        largest = max(largest, path.loc[path[measure].notna(), "size"].max())
    ax.set_xlim(int(min(max_size, largest)) + 0.5, 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True))
    ax.set_xlabel("Features kept")
    ax.set_ylabel(MEASURES[measure])
    if measure == "accuracy":
        ax.set_ylim(top=min(1.02, float(np.nanmax(ax.get_ylim()))))
    drawing.clear_frame(ax, grid="y")


def title_of(method: str) -> str:
    """The name of a method, or of one of its curves, in a picture."""
    base = method.removesuffix("_relative")
    title = ELIMINATIONS.get(base).title if base in ELIMINATIONS else readable(base)
    return title if base == method else f"{title}, relative"


ELIMINATION_PLOTS = {"elimination": plot_elimination}
MOST_ROWS = 500
CAPTIONS = {
    "divergence": "Information on the class that is lost if only the orders of the remaining "
    "features are known.",
    "accuracy": "Cross-validated accuracy of naive Bayes on the orders of all pairs of the "
    "remaining features. The features were chosen on all samples, so the curve is optimistic for "
    "new ones.",
}
PAPER = (
    "Slotta, D. J., Vergara, J. P. C., Ramakrishnan, N., Heath, L. S. Algorithms for Feature "
    "Selection in Rank-Order Spaces. 2005"
)


def elimination_page(result: Elimination, view: Mapping[str, Any]) -> closing.Report:
    """The report of an elimination."""
    wanted = "n_features_to_select"
    size = n_selected(view[wanted], result.n_features, wanted)
    name, pictures = title_of(result.method), list[Block]()
    for measure, caption in CAPTIONS.items():
        if measure == "accuracy" and result.accuracy is None:
            continue
        if result.baseline is not None:
            caption += " Grey: random subsets, their mean and central 95 %."
        drawn = drawing.picture(
            f"{measure.title()} along the path",
            measure,
            plot_elimination,
            result,
            measure=measure,
            label=f"Line: {measure} against the number of features kept",
            caption=caption,
        )
        pictures.append(drawn)
    sections = [
        Section("path", "Along the path", pictures),
        Section("features", "Features", [_features(result, size)]),
    ]
    titles = (f"Elimination by {name}", f"Elimination by {name}: {{}}")
    settings = closing.settings_groups(result, first=[("Method", name)])
    references = [closing.software(__version__), ("Methods", PAPER)]
    features = plural(result.n_features, "feature")
    return closing.Report(titles, features, sections, settings, references, settled={wanted: size})


def _features(result: Elimination, size: int) -> PageTable:
    shown = result.to_frame().iloc[::-1].head(MOST_ROWS)
    criteria = ["–" if np.isnan(value) else f"{value:.6g}" for value in shown["criterion"]]
    columns = [
        (PageColumn("Rank"), [count(rank) for rank in shown["rank"].tolist()]),
        (PageColumn("Feature", numeric=False), shown["feature"].tolist()),
        (PageColumn("Criterion"), criteria),
        (PageColumn("Divergence (nats)"), [number(x) for x in shown["divergence"].tolist()]),
    ]
    if result.accuracy is not None:
        shares = ["–" if np.isnan(value) else f"{value:.1%}" for value in shown["accuracy"]]
        columns.append((PageColumn("Accuracy"), shares))
    hidden = result.n_features - len(shown)
    more = f" {count(hidden)} more are in removal.csv." if hidden else ""
    criterion = ""
    if result.method in ELIMINATIONS:  # a saved result may come from a package that is absent here
        weighed = ELIMINATIONS.get(result.method).criterion.lower()
        criterion = f"Criterion: {weighed}, when the feature was removed. "
    caption = f"Features, the one kept longest first; the {count(size)} selected are tinted."
    note = f"{criterion}Divergence and accuracy refer to the feature and all above it.{more}"
    return PageTable.of_columns(caption, columns, note, header=1, tinted=size, find="feature")

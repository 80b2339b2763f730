"""The report and the pictures of rankings without labels."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from pyfsagg._base.arithmetic import Floats, Indices
from pyfsagg._base.validation import check_choice
from pyfsagg._base.words import readable
from pyfsagg._report import closing, drawing
from pyfsagg._report.page import Block, PageColumn, PageTable, Section, Text
from pyfsagg.exceptions import DataError
from pyfsagg.unsupervised.result import ConsensusRanking

COLORS = (drawing.BLUE, drawing.ORANGE, "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
MEASURES = {"nmi": "Normalised mutual information", "ari": "Adjusted Rand index"}


def consensus_order(consensus: Floats) -> Indices:
    """The order of the leaves of average linkage (n_samples,), which puts clusters side by side."""
    distance = squareform(1.0 - consensus, checks=False)
    return np.asarray(leaves_list(linkage(distance, "average")), dtype=np.intp)


def plot_consensus_matrix(result: ConsensusRanking, *, ax: Axes | None = None) -> Axes:
    """The consensus matrix in cluster order: dark, if two samples are always in one cluster, to white;
    dark blocks are stable clusters."""
    if result.consensus is None:
        raise DataError(f"{result.method} makes no clusterings, so there is no consensus to draw")
    order = consensus_order(result.consensus)
    ax = drawing.new_axes(ax, 5.6)
    cells = result.consensus[np.ix_(order, order)]
    interpolation = "nearest" if len(order) <= 400 else "antialiased"
    ax.imshow(cells, cmap="Blues", vmin=0.0, vmax=1.0, interpolation=interpolation)
    ax.set_xlabel("Samples in cluster order")
    ax.set_ylabel("Samples in cluster order (dark: always together)")
    drawing.set_title(ax, "Consensus of the clusterings")
    return ax


def plot_spectrum(
    result: ConsensusRanking,
    *,
    n_features_to_select: str | float | int = "mean_plus_sd",
    ax: Axes | None = None,
) -> Axes:
    """All scores from the best to the worst, with the cut of the selection."""
    order = result.order()
    chosen = result.get_support(n_features_to_select=n_features_to_select)[order]
    scores = result.scores[order]
    places = np.arange(1, len(order) + 1)
    ax = drawing.new_axes(ax, 3.6)
    size = 14.0 if len(order) <= 200 else 4.0
    looks = ((chosen, drawing.BLUE, "selected"), (~chosen, drawing.GREY, "omitted"))
    for mask, color, word in looks:
        label = f"{int(mask.sum())} {word}"
        ax.scatter(places[mask], scores[mask], s=size, color=color, label=label)
    ax.axhline(result.cut, color=drawing.INK, linewidth=1.0, linestyle="--", label="mean + SD")
    ax.set_xlabel("Features from the best to the worst")
    ax.set_ylabel(f"Score: {readable(result.method)}")
    return drawing.finished(ax, "Spectrum of the scores", grid="y")


def plot_clustering_curve(
    curve: pd.DataFrame, *, measure: str = "nmi", ax: Axes | None = None
) -> Axes:
    """Agreement of clusters with classes in a result of :func:`pyfsagg.unsupervised.clustering_curve`.

    Drawn are means of `measure`, ``"nmi"`` or ``"ari"``, over the trials for each method, with a band of
    one standard deviation either way.
    """
    check_choice("measure", measure, MEASURES)
    grouped = curve.groupby(["method", "size"], sort=False)[measure]
    means, spreads = grouped.mean(), grouped.std().fillna(0.0)
    ax = drawing.new_axes(ax, 3.8)
    for number, method in enumerate(curve["method"].unique()):
        mean, spread = means[method].sort_index(), spreads[method].sort_index()
        color = COLORS[number % len(COLORS)]
        sizes, values = mean.index.to_numpy(), mean.to_numpy()
        ax.plot(sizes, values, color=color, label=readable(str(method)))
        low, high = values - spread.to_numpy(), values + spread.to_numpy()
        ax.fill_between(sizes, low, high, color=color, alpha=0.15, linewidth=0)
    ax.set_xlabel("Number of best features")
    ax.set_ylabel(MEASURES[measure])
    return drawing.finished(ax, "Clusters of the best features against the classes", grid="y")


def plot_borda_curve(curve: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Mean Borda value, by the ranking of the classes, of the best features."""
    ax = drawing.new_axes(ax, 3.4)
    ordered = curve.sort_values("fraction")
    ax.plot(100 * ordered["fraction"], ordered["mean_borda"], color=drawing.BLUE)
    last = ordered.iloc[-1]
    if last["fraction"] == 1.0:
        ax.axhline(last["mean_borda"], color=drawing.INK, linewidth=1.0, linestyle="--")
    ax.set_xlabel("Best features, % of all")
    ax.set_ylabel("Mean Borda value (larger = closer)")
    title = "Agreement of the ranking with the classes"
    return drawing.finished(ax, title, grid="y", columns=0)


UNSUPERVISED_PLOTS = {"spectrum": plot_spectrum, "consensus": plot_consensus_matrix}
REFERENCES = {
    "frcm": "Zhang, Wong, Shen and Xie (2012), feature ranking by consensus affinity, IEEE/ACM TCBB.",
    "frmv": "Hong, Kwong, Chang and Ren (2008), feature ranking from multiple views, Pattern "
    "Recognition Letters.",
    "laplacian_score": "He, Cai and Niyogi (2005), Laplacian score for feature selection, NIPS.",
    "svd_entropy": "Varshavsky, Gottlieb, Linial and Horn (2006), unsupervised feature filtering, "
    "Bioinformatics.",
}


def unsupervised_page(result: ConsensusRanking, view: Mapping[str, Any]) -> closing.Report:
    """The report of a ranking."""
    k = view["n_features_to_select"]
    selected, frame = result.select(k), result.to_frame(k)
    columns = [
        (PageColumn("Feature", False), [str(name) for name in frame.index]),
        (PageColumn("Rank"), [f"{rank:g}" for rank in frame["rank"]]),
        (PageColumn("Score"), [f"{score:.5g}" for score in frame["score"]]),
        (PageColumn("Selected", False), ["yes" if x else "no" for x in frame["selected"]]),
    ]
    note = "Larger scores are more important; equal scores share their mean rank."
    found = {"tinted": len(selected), "find": "feature"}
    ranking = PageTable.of_columns("All features, best first", columns, note, **found)
    spectrum = drawing.picture(
        "Spectrum of the scores",
        "spectrum",
        plot_spectrum,
        result,
        n_features_to_select=k,
        label="Sorted scores",
        caption="Scores of all features from the best to the worst. The dashed line is the mean plus "
        "one standard deviation.",
    )
    sections = [
        Section("ranking", "Ranking", [ranking]),
        Section("spectrum", "Spectrum of the scores", [spectrum]),
    ]
    if result.consensus is not None:
        consensus = drawing.picture(
            "Consensus matrix",
            "consensus",
            plot_consensus_matrix,
            result,
            label="Consensus matrix in cluster order",
            caption="Share of the clusterings that put two samples into one cluster, from white (never) "
            "to dark (always); samples ordered by average linkage.",
        )
        sections.append(Section("consensus", "Consensus of the clusterings", [consensus]))
    if result.curves:
        classes: list[Block] = [Text("The classes were used only here, not for the ranking.")]
        curve, borda = result.curves.get("clustering_curve"), result.curves.get("borda_curve")
        for measure, name in MEASURES.items() if curve is not None else ():
            caption = "k-means on the best features; mean and standard deviation over trials."
            look = {"label": f"{name} by number of features", "caption": caption}
            draw = plot_clustering_curve
            classes.append(drawing.picture(name, measure, draw, curve, measure=measure, **look))
        if borda is not None:
            caption = (
                "Mean Borda value of the best features in a ranking by correlation ratio with the "
            )
            caption += "classes; dashed: a random ranking."
            look = {"label": "Mean Borda value of the best", "caption": caption}
            drawn = drawing.picture("Mean Borda value", "borda", plot_borda_curve, borda, **look)
            classes.append(drawn)
        sections.append(Section("classes", "Against the classes", classes))
    first, last = [("Method", result.method)], [("Selection", str(k))]
    return closing.Report(
        ("Feature ranking without labels", "Feature ranking without labels: {}"),
        f"{result.method}: {len(selected)} of {result.n_features} features selected; "
        f"{result.data['n_samples']} samples",
        sections,
        closing.settings_groups(result, first=first, last=last),
        [closing.software(result.versions["pyfsagg"]), (result.method, REFERENCES[result.method])],
    )

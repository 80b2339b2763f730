"""Pictures of rankings without labels: consensus matrix, spectrum of scores, curves."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

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
from pyfsagg.exceptions import DataError
from pyfsagg.unsupervised.result import ConsensusRanking

__all__ = [
    "UNSUPERVISED_PLOTS",
    "consensus_order",
    "plot_borda_curve",
    "plot_clustering_curve",
    "plot_consensus",
    "plot_spectrum",
]

COLORS = (BLUE, ORANGE, "#009E73", "#CC79A7", "#56B4E9", "#E69F00")


def consensus_order(consensus: NDArray[np.float64]) -> NDArray[np.intp]:
    """Order of the samples (n_samples,) that puts clusters side by side: leaves of average linkage."""
    distance = squareform(1.0 - consensus, checks=False)
    return np.asarray(leaves_list(linkage(distance, "average")), dtype=np.intp)


def plot_consensus(result: ConsensusRanking, *, ax: Axes | None = None) -> Axes:
    """The consensus matrix with its samples in cluster order.

    A dark cell means that two samples are in one cluster in all clusterings, a white one that they
    never are.  Dark blocks along the diagonal are clusters that most clusterings agree on.

    Parameters
    ----------
    result : ConsensusRanking
        Of a method that makes clusterings.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    Raises
    ------
    DataError
        If the result has no consensus matrix.
    """
    if result.consensus is None:
        raise DataError(f"{result.method} makes no clusterings, so there is no consensus to draw")
    order = consensus_order(result.consensus)
    ax = new_axes(ax, 5.6)
    ax.imshow(
        result.consensus[np.ix_(order, order)],
        cmap="Blues",
        vmin=0.0,
        vmax=1.0,
        interpolation="nearest" if len(order) <= 400 else "antialiased",
    )
    ax.set_xlabel("Samples in cluster order")
    ax.set_ylabel("Samples in cluster order (dark: always together)")
    set_title(ax, "Consensus of the clusterings")
    return ax


def plot_spectrum(
    result: ConsensusRanking, *, rule: str | float | int = "mean_plus_sd", ax: Axes | None = None
) -> Axes:
    """All scores from the best to the worst, with the cut of the selection.

    Parameters
    ----------
    result : ConsensusRanking
    rule : "mean_plus_sd", int or float
        The selection, as in :meth:`pyfsagg.unsupervised.ConsensusRanking.selected`.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        Features by rank along x, scores along y.
    """
    order = result.order()
    chosen = result.support(rule)[order]
    scores = result.scores[order]
    places = np.arange(1, len(order) + 1)
    ax = new_axes(ax, 3.6)
    clear_frame(ax, grid="y")
    n_chosen = int(chosen.sum())
    size = 14.0 if len(order) <= 200 else 4.0
    ax.scatter(places[chosen], scores[chosen], s=size, color=BLUE, label=f"{n_chosen} selected")
    ax.scatter(
        places[~chosen],
        scores[~chosen],
        s=size,
        color=GREY,
        label=f"{len(order) - n_chosen} left out",
    )
    ax.axhline(result.cut, color=INK, linewidth=1.0, linestyle="--", label="mean + SD")
    ax.set_xlabel("Features from the best to the worst")
    ax.set_ylabel(f"Score: {readable(result.method)}")
    set_title(ax, "Spectrum of the scores", above_legend=True)
    legend_above(ax)
    return ax


def plot_clustering_curve(
    curve: pd.DataFrame, *, measure: str = "nmi", ax: Axes | None = None
) -> Axes:
    """Agreement of clusters with classes for growing numbers of features.

    Parameters
    ----------
    curve : DataFrame
        Result of :func:`pyfsagg.unsupervised.clustering_curve`.
    measure : {"nmi", "ari"}
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        Mean over trials per method, with a band of one standard deviation either way.
    """
    check_choice("measure", measure, ("nmi", "ari"))
    grouped = curve.groupby(["method", "size"], sort=False)[measure]
    means, spreads = grouped.mean(), grouped.std().fillna(0.0)
    ax = new_axes(ax, 3.8)
    clear_frame(ax, grid="y")
    for number, method in enumerate(curve["method"].unique()):
        mean, spread = means[method].sort_index(), spreads[method].sort_index()
        color = COLORS[number % len(COLORS)]
        sizes, values = mean.index.to_numpy(), mean.to_numpy()
        ax.plot(sizes, values, color=color, label=readable(str(method)))
        low, high = values - spread.to_numpy(), values + spread.to_numpy()
        ax.fill_between(sizes, low, high, color=color, alpha=0.15, linewidth=0)
    ax.set_xlabel("Number of best features")
    names = {"nmi": "Normalised mutual information", "ari": "Adjusted Rand index"}
    ax.set_ylabel(names[measure])
    set_title(ax, "Clusters of the best features against the classes", above_legend=True)
    legend_above(ax)
    return ax


def plot_borda_curve(curve: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Mean Borda value, by the ranking of the classes, of the best features.

    Parameters
    ----------
    curve : DataFrame
        Result of :func:`pyfsagg.unsupervised.borda_curve`.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        The dashed line is the value of a random ranking, the mean over all features.
    """
    ax = new_axes(ax, 3.4)
    clear_frame(ax, grid="y")
    ordered = curve.sort_values("fraction")
    ax.plot(100 * ordered["fraction"], ordered["mean_borda"], color=BLUE)
    last = ordered.iloc[-1]
    if last["fraction"] == 1.0:
        ax.axhline(last["mean_borda"], color=INK, linewidth=1.0, linestyle="--")
    ax.set_xlabel("Best features, % of all")
    ax.set_ylabel("Mean Borda value (larger = closer)")
    set_title(ax, "Agreement of the ranking with the classes")
    return ax


UNSUPERVISED_PLOTS = {"spectrum": plot_spectrum, "consensus": plot_consensus}
"""The pictures of :meth:`pyfsagg.unsupervised.ConsensusRanking.plot`, by name."""

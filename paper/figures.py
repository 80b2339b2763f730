"""The two pictures of the paper, as SVG, from shipped runs."""

from __future__ import annotations

import io

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import pyfsagg_papers as reproduce

COLOURS = {"level": "#d55e00", "coverage": "#0072b2"}
SETTINGS = {"svg.hashsalt": "pyfsagg", "svg.fonttype": "path", "font.size": 9}


def svg(figure: Figure) -> str:
    """The picture as text; equal figures give equal text."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", bbox_inches="tight", metadata={"Date": None})
    return buffer.getvalue()


def stuart() -> str:
    """Stability against the number of lists, one panel for each data set with a printed value."""
    found = reproduce.shipped_stuart()
    printed = found.published.query("aggregator == 'stuart' and measure == 'spearman'")
    blocks = printed[printed["filter"] == "information_gain"]["dataset"].tolist()
    n_rows = (len(blocks) + 1) // 2
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(8.6, 2.4 * n_rows + 0.4), layout="constrained")
        for place, dataset in enumerate(blocks, start=1):
            ax = figure.add_subplot(n_rows, 2, place)
            found.plot("lists", dataset=dataset, filter="information_gain", ax=ax)
            handles, labels = ax.get_legend_handles_labels()
            ax.get_legend().remove()
            ax.set_ylabel("Spearman stability")
            ax.set_title("", loc="center")
            ax.set_title(dataset.capitalize(), loc="left", pad=4, fontsize=9)
        figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
        return svg(figure)


def calibration() -> str:
    """Measured share against its nominal value, for levels and for coverages."""
    rows = reproduce.shipped_calibration().rows
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(8.6, 3.1), layout="constrained")
        for place, (kind, nominal) in enumerate((("level", 0.05), ("coverage", 0.95)), start=1):
            own = rows[(rows["kind"] == kind) & (rows["nominal"] == nominal)]
            _spread(figure.add_subplot(1, 2, place), own.dropna(subset=["measured"]), kind, nominal)
        return svg(figure)


def _spread(ax: Axes, rows: pd.DataFrame, kind: str, nominal: float) -> None:
    """Each claim as a line of its Monte Carlo interval, in the order of the measured shares."""
    ordered = rows.sort_values("measured", kind="stable").reset_index(drop=True)
    kept = ordered["verdict"] != "not kept"
    margin = 1.96 * ordered["error"]
    for chosen, colour in ((kept, COLOURS[kind]), (~kept, "black")):
        part = ordered[chosen]
        ax.errorbar(
            part["measured"], part.index, xerr=margin[chosen], fmt=".", markersize=2.5,
            elinewidth=0.5, color=colour,
        )  # fmt: skip
    ax.axvline(nominal, color="black", linewidth=0.8)
    ax.set_title(f"{kind}, nominal {nominal:g}: {len(ordered)} claims", fontsize=9)
    ax.set_xlabel("measured share, with its 95 % Monte Carlo interval")
    ax.set_yticks([])
    ax.spines[["left", "top", "right"]].set_visible(False)

"""Two pictures of a calibration: errors beside what is stated, and power beside false selections."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from pyfsagg.exceptions import DataError
from pyfsagg.extending import BLUE, INK, ORANGE, clear_frame, new_axes, set_title
from pyfsagg_papers.calibration.run import Calibration

MOST = 4.0
"""Ratios beyond this are drawn at the edge."""

SHARES = (": related features", ": share unrelated")
"""Endings of the two numbers of a way to select."""

MARKERS = "osD^vPX*<>hdp8"


def stated_errors(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with a stated error, and ``ratio``, the measured error by the stated one.

    The error of an interval is that it does not hold its value; that of a bound is what it bounds.
    """
    kinds = {
        "level": rows["measured"] / rows["nominal"],
        "coverage": (1.0 - rows["measured"]) / (1.0 - rows["nominal"]),
        "bound": rows["measured"],
    }
    ratio = pd.concat([values[rows["kind"] == kind] for kind, values in kinds.items()])
    return rows.assign(ratio=ratio).dropna(subset=["ratio"])


def plot_errors(found: Calibration, *, ax: Axes | None = None) -> Axes:
    """Measured error of every claim by what is stated, topic by topic; those that are not kept in orange."""
    rows = stated_errors(found.rows)
    if rows.empty:
        raise DataError("there is no claim with a stated error")
    topics = list(dict.fromkeys(rows["topic"]))[::-1]
    ax = new_axes(ax, 1.2 + 0.32 * len(topics))
    for place, topic in enumerate(topics):
        of = rows[rows["topic"] == topic]
        spread = np.linspace(-0.3, 0.3, len(of)) if len(of) > 1 else np.zeros(1)
        missed = (of["verdict"] == "not kept").to_numpy()
        ratio = np.minimum(of["ratio"].to_numpy(dtype=float), MOST)
        for chosen, colour in ((~missed, BLUE), (missed, ORANGE)):
            ax.scatter(ratio[chosen], (place + spread)[chosen], s=9, color=colour, linewidths=0)
    ax.axvline(1.0, color=INK, linewidth=0.8)
    ax.set_yticks(range(len(topics)), [topic.replace("_", " ") for topic in topics])
    ax.set_xlim(-0.1, MOST + 0.1)
    ax.set_xlabel("measured error / stated error")
    clear_frame(ax, grid="x")
    set_title(ax, "Left of the line: the error is at most what is stated")
    return ax


def plot_power(found: Calibration, *, ax: Axes | None = None) -> Axes:
    """Share of the related features that each way selects beside the share unrelated of what it selects.

    Colours are ways, markers are tables, of the topic ``peers``.
    """
    power, false = (
        found.rows[found.rows["inference"].str.endswith(end)].dropna(subset=["measured"])
        for end in SHARES
    )
    if power.empty or false.empty:
        raise DataError(
            "this calibration does not compare ways to select: it lacks the topic peers"
        )
    import matplotlib as mpl

    both = power.assign(way=power["inference"].str.removesuffix(SHARES[0])).merge(
        false.assign(way=false["inference"].str.removesuffix(SHARES[1])),
        on=["way", "design"],
        suffixes=("", "_false"),
    )
    ways, tables = (list(dict.fromkeys(both[name])) for name in ("way", "design"))
    ax = new_axes(ax, 4.6)
    colours = mpl.colormaps["tab10"]
    for row in both.to_dict(orient="records"):
        ax.scatter(
            row["measured_false"],
            row["measured"],
            s=38,
            color=colours(ways.index(row["way"])),
            marker=MARKERS[tables.index(row["design"]) % len(MARKERS)],
            linewidths=0,
        )
    for number, way in enumerate(ways):
        ax.scatter([], [], s=30, color=colours(number), label=way.partition(" (")[0])
    for number, table in enumerate(tables):
        marker = MARKERS[number % len(MARKERS)]
        ax.scatter([], [], s=30, color="grey", marker=marker, label=table.removeprefix("table="))
    ax.axvline(0.1, color=INK, linewidth=0.8, linestyle=":")
    ax.set(xlim=(-0.02, max(0.5, both["measured_false"].max() + 0.03)), ylim=(-0.03, 1.05))
    ax.set_xlabel("share of the selected that is unrelated")
    ax.set_ylabel("share of the related that is selected")
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize="small")
    clear_frame(ax, grid="both")
    set_title(ax, "Power beside false selections")
    return ax

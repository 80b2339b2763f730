"""The report on what the printed Stuart column measured."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator, PercentFormatter

from pyfsagg.aggregator_influence.result import THESIS_MEASURES
from pyfsagg.exceptions import DataError
from pyfsagg.extending import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    STABILITY_MEASURES,
    Block,
    Page,
    PageTable,
    Records,
    Section,
    Text,
    check_choice,
    clear_frame,
    legend_above,
    named_settings,
    new_axes,
    number,
    picture,
    plural,
    readable,
    set_title,
)
from pyfsagg_papers.pages import MISSING, closing, numbers, words
from pyfsagg_papers.stuart.rankings import RRA_FIRST_LIST, STUART_COLUMN_ORDER, STUART_FIRST_LIST
from pyfsagg_papers.stuart.result import KINDS, StuartFinding, StuartValues

# -------------------------------------------------------------------------------------------------
# pictures of what the printed Stuart column measured
# -------------------------------------------------------------------------------------------------

TICKS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
LINES = {
    "arithmetic_mean": ("arithmetic mean", GREY, ":", 1.2),
    "rra": ("robust rank aggregation", GREY, "-", 1.2),
    "stuart": ("Stuart, exact", BLUE, "-", 2.0),
    STUART_COLUMN_ORDER: ("Stuart, recursion in R", ORANGE, "-", 2.0),
}
# Right values in blue, probabilities that are wrong in grey, what is no probability in warm colours.
KIND_COLOURS = {
    "right": ("within 1 % of the exact value", BLUE),
    "wrong": ("wrong, between 0 and 1", "#9E9E9E"),
    "negative": ("negative", "#E69F00"),
    "above_one": ("above 1", "#F0E442"),
    "infinite": ("infinite", ORANGE),
    "nan": ("NaN", "#222222"),
}


def plot_stuart_lists(
    finding: StuartValues,
    dataset: str | None = None,
    filter: str | None = None,
    measure: str = "spearman",
    *,
    ax: Axes | None = None,
) -> Axes:
    """Stability against the number of lists: exact Stuart, the recursion, two others, the print."""
    sets, filters = finding.parameters["datasets"], finding.parameters["filters"]
    dataset = sets[0] if dataset is None else check_choice("dataset", dataset, sets)
    filter = filters[0] if filter is None else check_choice("filter", filter, filters)
    check_choice("measure", measure, THESIS_MEASURES)
    ax = new_axes(ax, 3.4)
    rows = finding.stability
    rows = rows[
        (rows["dataset"] == dataset) & (rows["filter"] == filter) & (rows["measure"] == measure)
    ]
    for aggregator, (label, colour, style, width) in LINES.items():
        part = rows[rows["aggregator"] == aggregator].sort_values("n_lists")
        if len(part):
            marker = "o" if width > 1.5 else ""
            ax.plot(
                part["n_lists"], part["value"], style, color=colour, linewidth=width,
                marker=marker, markersize=4.0, label=label,
            )  # fmt: skip
    printed = finding.published
    printed = printed[
        (printed["dataset"] == dataset)
        & (printed["filter"] == filter)
        & (printed["measure"] == measure)
        & (printed["aggregator"] == "stuart")
    ]
    for value in printed["value"]:
        ax.axhline(value, color=INK, linestyle="--", linewidth=1.0, label="Stuart as printed")
    ax.set_xscale("log")
    counts = finding.parameters["list_counts"]
    _count_ticks(ax, min(counts), max(counts))
    hint = "larger" if STABILITY_MEASURES.get(measure).higher_is_better else "smaller"
    ax.set_xlabel("Number of lists")
    ax.set_ylabel(f"{readable(measure).capitalize()} over folds\n({hint} = more stable)")
    clear_frame(ax, grid="y")
    set_title(ax, f"{dataset}, {readable(filter)}", above_legend=True, lines=2)
    legend_above(ax, columns=3)
    return ax


def _count_ticks(ax: Axes, low: int, high: int) -> None:
    shown = [tick for tick in TICKS if low <= tick <= high]
    ax.set_xticks(shown, [f"{tick:,}" for tick in shown])
    ax.xaxis.set_minor_locator(NullLocator())


def plot_stuart_values(finding: StuartValues, *, ax: Axes | None = None) -> Axes:
    """Kinds of values of the recursion, by number of lists, over all data sets, filters and folds."""
    if finding.values.empty:
        raise DataError(f"there are no values of the recursion: {finding.r['reason']}")
    ax = new_axes(ax, 3.6)
    sums = finding.values.groupby("n_lists")[list(KINDS)].sum()
    shares = sums.div(sums.sum(axis=1), axis=0)
    places = np.arange(len(shares))
    bottom = np.zeros(len(shares))
    for kind, (label, colour) in KIND_COLOURS.items():
        part = shares[kind].to_numpy()
        ax.bar(places, part, 0.8, bottom=bottom, color=colour, label=label)
        bottom += part
    ax.set_xticks(places, [f"{count:,}" for count in shares.index])
    ax.tick_params(axis="x", length=0)
    if len(places) > 10:
        ax.tick_params(axis="x", labelrotation=45)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    ax.set_xlabel("Number of lists")
    ax.set_ylabel("Share of the values")
    clear_frame(ax, grid="y")
    set_title(ax, "Values of the recursion", above_legend=True, lines=2)
    legend_above(ax, columns=3)
    return ax


STUART_PLOTS = {"lists": plot_stuart_lists, "values": plot_stuart_values}
"""The pictures of :meth:`pyfsagg_papers.StuartFinding.plot`, by name."""


# -------------------------------------------------------------------------------------------------
# the report on what the printed Stuart column measured
# -------------------------------------------------------------------------------------------------

NAMES = {
    STUART_COLUMN_ORDER: "Stuart in R",
    STUART_FIRST_LIST: "Stuart in R, lists of names",
    RRA_FIRST_LIST: "RRA in R, lists of names",
    "stuart": "Stuart, exact",
    "rra": "robust rank aggregation",
}
RECURSION = (
    "R. Kolde, S. Laur (RobustRankAggreg, an R package), after J. M. Stuart, E. Segal, D. Koller, "
    "S. K. Kim (2003), Science 302"
)
KIND_HEADS = {
    "nan": "NaN",
    "infinite": "Infinite",
    "negative": "Negative",
    "above_one": "Above 1",
    "right": "Right",
    "wrong": "Wrong, in 0 to 1",
}


def stuart_page(finding: StuartFinding, *, command: str | None = None) -> Page:
    """The page of :func:`pyfsagg_papers.stuart_finding`."""
    sections = [
        Section("summary", "Summary", finding._facts({})),
        Section("printed", "Printed and recomputed", _printed(finding)),
        Section("lists", "By number of lists", _pictures(finding)),
        Section("values", "What the recursion returned", _values(finding)),
        Section("aggregators", "All aggregators", [_aggregators(finding)]),
        Section("settings", "Settings", [_settings(finding)]),
    ]
    sections += closing(command, ["thesis"], [("The recursion", RECURSION)])
    sets = finding.parameters["datasets"]
    subtitle = f"{plural(len(sets), 'data set')}, {finding.parameters['n_folds']} folds"
    return Page("What the printed Stuart column measured", subtitle, sections)


def _printed(finding: StuartFinding) -> list[Block]:
    n = f"{finding.n_lists:,}"
    heads = words("Data set", "Filter", "Measure")
    heads += numbers("Printed", f"Exact, {n} lists", f"In R, {n} lists")
    heads += numbers("Nearest number of lists", "In R there")
    table = finding.table().reset_index()
    rows = [
        [
            row["dataset"],
            readable(row["filter"]),
            row["measure"],
            *(number(row[name]) for name in ("published", "exact", "in_r")),
            MISSING if np.isnan(row["nearest_lists"]) else f"{int(row['nearest_lists']):,}",
            number(row["in_r_nearest"]),
        ]
        for row in table.to_dict(orient="records")
    ]
    note = (
        "Stability of Stuart’s aggregation over the folds. The nearest number of lists, of those "
        "tried, is the one at which the recursion in R comes closest to the three printed values of "
        "the data set and filter together. Of Canberra distances the smaller is the more stable."
    )
    first = PageTable(
        "Stuart as printed, computed exactly, and by the recursion.", heads, rows, note
    )
    return [first, *_differences(finding)]


def _differences(finding: StuartFinding) -> list[Block]:
    """How near the recursion comes to the printed values, by number of lists."""
    gaps = finding.differences()
    if STUART_COLUMN_ORDER not in gaps:
        return []
    wide = gaps[STUART_COLUMN_ORDER].unstack(["dataset", "filter"])
    labels = wide.columns.to_frame(index=False).to_numpy().tolist()
    heads = numbers("Lists", *(f"{dataset}, {readable(name)}" for dataset, name in labels))
    rows = [
        [f"{int(n):,}", *(number(value) for value in values)]
        for n, values in zip(wide.index, wide.to_numpy().tolist(), strict=True)
    ]
    caption = "Mean absolute difference of the recursion in R from the three printed values."
    return [PageTable(caption, heads, rows)]


def _pictures(finding: StuartFinding) -> list[Block]:
    blocks: list[Block] = []
    for dataset in finding.parameters["datasets"]:
        for name in finding.parameters["filters"]:
            shown = picture(
                f"{dataset}, {readable(name)}",
                f"lists{len(blocks)}",
                plot_stuart_lists,
                *(finding, dataset, name),
                label="Lines: Spearman stability against the number of lists, by aggregator",
                caption="Spearman stability over the folds; the dashed line is the printed value.",
            )
            blocks.append(shown)
    return blocks


def _values(finding: StuartFinding) -> list[Block]:
    if finding.values.empty:
        return [Text(f"The recursion was not run: {finding.r['reason']}.")]
    label = "Stacked bars: kinds of values of the recursion by number of lists"
    sums = finding.values.groupby("n_lists")[list(KINDS)].sum()
    rows = [
        [f"{int(n):,}", *(f"{int(part):,}" for part in parts)]
        for n, parts in zip(sums.index, sums.to_numpy().tolist(), strict=True)
    ]
    heads = numbers("Lists", *(KIND_HEADS[kind] for kind in KINDS))
    caption = "Over all data sets, filters and folds. A value is right within 1 % of the exact one."
    return [
        picture(
            "Values of the recursion",
            "values",
            plot_stuart_values,
            finding,
            label=label,
            caption=caption,
        ),
        PageTable("Kinds of values by number of lists.", heads, rows),
    ]


def _aggregators(finding: StuartFinding) -> PageTable:
    shown = finding.stability[finding.stability["n_lists"] == finding.n_lists]
    names = list(dict.fromkeys(shown["aggregator"]))
    keys = ["dataset", "filter", "measure"]
    wide = shown.pivot(index=keys, columns="aggregator", values="value")
    wide = wide.loc[pd.MultiIndex.from_frame(shown[keys].drop_duplicates()), names]
    heads = words("Data set", "Filter", "Measure")
    heads += numbers(*(NAMES.get(name, readable(name)) for name in names))
    rows = [
        [dataset, readable(name), measure, *(number(value) for value in values)]
        for (dataset, name, measure), values in zip(
            wide.index.tolist(), wide.to_numpy().tolist(), strict=True
        )
    ]
    return PageTable(f"Stability with {finding.n_lists:,} lists.", heads, rows)


def _settings(finding: StuartFinding) -> Records:
    record = dict(finding.record)
    software = record.pop("versions")
    groups = [
        ("Experiment", named_settings(finding.parameters)),
        ("Run", named_settings(record)),
        ("Software", [(name, str(version)) for name, version in software.items()]),
        ("R", [(name, str(value)) for name, value in finding.r.items()]),
    ]
    return Records("How it was run.", groups)

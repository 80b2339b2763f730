"""The report on what the printed Stuart column measured."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pyfsagg._base.words import MISSING, count, number, plural, readable
from pyfsagg._page.closing import named_settings
from pyfsagg._page.page import (
    Block,
    Page,
    Records,
    Section,
    Table,
    Text,
)
from pyfsagg._run.picture import picture
from pyfsagg.reproduce._page import closing, numbers, words
from pyfsagg.reproduce.stuart._plot import plot_stuart_lists, plot_stuart_values
from pyfsagg.reproduce.stuart.fold_rankings import (
    RRA_FIRST_LIST,
    STUART_COLUMN_ORDER,
    STUART_FIRST_LIST,
)
from pyfsagg.reproduce.stuart.result import StuartFinding
from pyfsagg.reproduce.stuart.values import KINDS

__all__ = ["stuart_page"]

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
    """The page of :func:`pyfsagg.reproduce.stuart_finding`.

    Parameters
    ----------
    finding : StuartFinding
    command : str, optional
        The arguments of the ``pyfsagg`` command that repeat it.

    Returns
    -------
    Page
    """
    sections = [
        Section("summary", "Summary", [Text(text) for text in finding.conclusions()]),
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
    n = count(finding.n_lists)
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
            MISSING if np.isnan(row["nearest_lists"]) else count(int(row["nearest_lists"])),
            number(row["in_r_nearest"]),
        ]
        for row in table.to_dict(orient="records")
    ]
    note = (
        "Stability of Stuart’s aggregation over the folds. The nearest number of lists, of those "
        "tried, is the one at which the recursion in R comes closest to the three printed values of "
        "the data set and filter together. Of Canberra distances the smaller is the more stable."
    )
    first = Table("Stuart as printed, computed exactly, and by the recursion.", heads, rows, note)
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
        [count(int(n)), *(number(value) for value in values)]
        for n, values in zip(wide.index, wide.to_numpy().tolist(), strict=True)
    ]
    caption = "Mean absolute difference of the recursion in R from the three printed values."
    return [Table(caption, heads, rows)]


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
        [count(int(n)), *(count(int(part)) for part in parts)]
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
        Table("Kinds of values by number of lists.", heads, rows),
    ]


def _aggregators(finding: StuartFinding) -> Table:
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
    return Table(f"Stability with {count(finding.n_lists)} lists.", heads, rows)


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

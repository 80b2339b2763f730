"""The page of ``pyfsagg stability``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.words import (
    count,
    number,
    percentages,
    plural,
    probabilities,
    ranks,
    titled,
)
from pyfsagg._draw.svg import inline_svg
from pyfsagg._page.page import (
    Block,
    Code,
    Column,
    Enumeration,
    Page,
    Picture,
    Records,
    Section,
    Table,
    Text,
)
from pyfsagg._version import __version__
from pyfsagg.stability_measures import (
    STABILITY_MEASURES,
    NogueiraResult,
    StabilityTest,
)
from pyfsagg.stability_measures._plot import plot_stability_curve

__all__ = ["CURVE_CAPTION", "CURVE_LABEL", "Pair", "stability_page"]

Floats = NDArray[np.float64]

MOST_ROWS = 500
MOST_REPEATS = 200
REPEATED_CELLS = 20_000_000
"""Cells of score matrices that a report aggregates again, so that large runs stay quick."""

ENOUGH = 0.05
"""Share of the selection that a repetition may replace when resamples count as enough."""

CURVE_CAPTION = (
    "Stability of the best k features of the resamples, for different k. Dotted: what selecting k "
    "features at random would give. Only the distance from the dotted line speaks for the ranking; "
    "a measure that is not corrected for chance rises with k by itself."
)
CURVE_LABEL = "Lines: stability of the best k features against k, with the level of chance"


@dataclass(frozen=True, eq=False)
class Pair:
    """Two collections of selections and the test that their stability is the same."""

    names: tuple[str, str]
    results: tuple[NogueiraResult, NogueiraResult]
    test: StabilityTest


def stability_page(
    table: pd.DataFrame,
    *,
    n_resamples: int,
    n_features: int | None,
    what: str,
    interval: str | None,
    level: float,
    features: pd.DataFrame | None = None,
    curve: pd.DataFrame | None = None,
    pair: Pair | None = None,
    data_name: str | None = None,
    settings: Sequence[tuple[str, Sequence[tuple[str, str]]]] = (),
    command: str | None = None,
    snippet: str | None = None,
) -> Page:
    """The report of ``pyfsagg stability`` as a page for :func:`pyfsagg._page.page.write_page`.

    Parameters
    ----------
    table : DataFrame
        What :func:`pyfsagg.stability_table` returns.
    n_resamples, n_features : int
        Size of the collection; None for an unknown number of features.
    what : str
        What was compared, for the summary: ``"the best 9 of 34 features"``.
    interval, level
        As in :func:`pyfsagg.stability_table`.
    features : DataFrame, optional
        What :func:`pyfsagg.feature_stability` returns.
    curve : DataFrame, optional
        What :func:`pyfsagg.stability_curve` returns.
    pair : Pair, optional
        The comparison with another collection.
    data_name : str, optional
        What the collection is called, for the title.
    settings : sequence of (group, rows of (name, value))
        What determines the numbers.
    command, snippet : str, optional
        The arguments of the ``pyfsagg`` command, and Python code, that repeat the result.

    Returns
    -------
    Page
        At most 500 features are listed.
    """
    sections = [Section("summary", "Summary", [Text(_summary(table, n_resamples, what, level))])]
    sections.append(Section("measures", "Measures", [_measures(table, interval, level)]))
    if curve is not None and curve["value"].notna().any():
        picture = Picture(
            "Stability of the best k features",
            inline_svg(lambda: plot_stability_curve(curve), prefix="curve", label=CURVE_LABEL),
            CURVE_CAPTION,
        )
        sections.append(Section("size", "Stability against subset size", [picture]))
    if pair is not None:
        sections.append(Section("comparison", "Comparison", _comparison(pair, level)))
    if features is not None:
        sections.append(Section("features", "Features", [_features(features, level)]))
    if settings:
        records = Records("Everything that determines the numbers above.", settings)
        sections.append(Section("settings", "Settings", [records]))
    blocks: list[Block] = []
    if command:
        blocks += [Text("On the command line:"), Code(f"pyfsagg {command}")]
    if snippet:
        blocks += [Text("In Python:"), Code(snippet)]
    if blocks:
        sections.append(Section("repeat", "How to repeat it", blocks))
    sections.append(Section("cite", "How to cite", [Enumeration(_references(table))]))
    title = f"Stability of {data_name}" if data_name else "Stability"
    known = f", {plural(n_features, 'feature')}" if n_features else ""
    return Page(title, f"{plural(n_resamples, 'resample')}{known}", sections)


def _summary(table: pd.DataFrame, n_resamples: int, what: str, level: float) -> str:
    sentences = [f"{plural(n_resamples, 'resample').capitalize()} were compared: {what}."]
    rows = table.to_dict("index")
    for name in ("nogueira", "spearman", "jaccard"):
        row = rows.get(name)
        if row is None or pd.isna(row["value"]):
            continue
        text = f"{titled(name)} is {number(row['value'])}"
        if pd.notna(row["lower"]):
            text += (
                f" ({100 * level:g} % interval {number(row['lower'])} to {number(row['upper'])})"
            )
        meaning = {
            "nogueira": "1 is perfect agreement of the selections, 0 what chance gives",
            "spearman": "the mean rank correlation of two resamples",
            "jaccard": "the mean share of the features of two selections that are in both",
        }[name]
        sentences.append(f"{text}: {meaning}.")
    return " ".join(sentences)


def _measures(table: pd.DataFrame, interval: str | None, level: float) -> Table:
    rows = []
    for name, row in table.iterrows():
        limits = "–"
        if pd.notna(row["lower"]):
            limits = f"{number(row['lower'])} to {number(row['upper'])}"
        rows.append(
            [
                titled(str(name)),
                number(row["value"]),
                limits,
                str(row["bounds"]).replace("-", "−").replace("inf", "∞"),
                "larger" if row["larger_is_stabler"] else "smaller",
                "yes" if row["corrected_for_chance"] else "no",
                str(row["kind"]),
                count(int(row["n_undefined"])),
            ]
        )
    reasons = [f"{titled(str(name))}: {note}." for name, note in table["note"].items() if note]
    return Table(
        "Measures of stability"
        + (f", with {100 * level:g} % intervals ({interval} over resamples)." if interval else "."),
        [
            Column("Measure", numeric=False),
            Column("Value"),
            Column("Interval"),
            Column("Range", numeric=False),
            Column("Stabler if", numeric=False),
            Column("Corrected for chance", numeric=False),
            Column("Compares", numeric=False),
            Column("Undefined"),
        ],
        rows,
        " ".join(
            [
                "Undefined: pairs of resamples (or resamples) for which the measure has no value; "
                "they are left out. Stability says how far a result depends on the sample, not "
                "whether it is right.",
                *reasons,
            ]
        ),
    )


def _comparison(pair: Pair, level: float) -> list[Block]:
    rows = [
        [
            name,
            count(found.n_resamples),
            number(found.estimate),
            f"{number(found.interval[0])} to {number(found.interval[1])}",
        ]
        for name, found in zip(pair.names, pair.results, strict=True)
    ]
    test = pair.test
    p = probabilities([test.p_value])[0]
    return [
        Table(
            f"Nogueira's stability of two collections, with {100 * level:g} % intervals.",
            [
                Column("Collection", numeric=False),
                Column("Resamples"),
                Column("Stability"),
                Column("Interval"),
            ],
            rows,
        ),
        Text(
            f"The difference of the stability is {number(test.difference)} (standard error "
            f"{number(test.standard_error, 4)}); two-sided p = {p} for the hypothesis that both are "
            "the same. The test takes all resamples for independent; resamples of the same data are "
            "so given these data only."
        ),
    ]


def _features(features: pd.DataFrame, level: float) -> Table:
    frame = features.sort_values("frequency", ascending=False, kind="stable").head(MOST_ROWS)
    ranked = "rank_median" in frame
    columns = [
        [str(name) for name in frame.index],
        percentages(frame["frequency"]),
        [
            f"{low} to {high}"
            for low, high in zip(
                percentages(frame["lower"]), percentages(frame["upper"]), strict=True
            )
        ],
    ]
    heads = [
        Column("Feature", numeric=False),
        Column("Selected in %"),
        Column(f"Its {100 * level:g} % interval"),
    ]
    if ranked:
        columns += [ranks(frame["rank_median"]), ranks(frame["rank_q05"]), ranks(frame["rank_q95"])]
        heads += [Column("Median rank"), Column("5 % of ranks"), Column("95 % of ranks")]
    hidden = len(features) - len(frame)
    more = f" {count(hidden)} more features are in features.csv." if hidden else ""
    return Table(
        "Features by the share of resamples that select them.",
        heads,
        list(zip(*columns, strict=True)),
        f"Interval of the share: Wilson.{more}",
        find="feature",
    )


def _references(table: pd.DataFrame) -> list[tuple[str, str]]:
    return [
        ("Software", f"The pyfsagg developers. pyfsagg, version {__version__}"),
        *(
            (titled(str(name)), STABILITY_MEASURES.get(str(name)).source.rstrip("."))
            for name in table.index
        ),
    ]

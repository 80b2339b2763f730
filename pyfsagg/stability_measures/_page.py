"""The page of ``pyfsagg stability``."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from markupsafe import Markup

from pyfsagg._base.words import (
    count,
    number,
    percentages,
    plural,
    ranks,
    titled,
)
from pyfsagg._page.closing import closing, settings_groups, software
from pyfsagg._page.glossary import Topic, leads_to, linked
from pyfsagg._page.page import (
    Block,
    Column,
    Page,
    Picture,
    Section,
    Table,
    Text,
)
from pyfsagg._run.picture import picture
from pyfsagg._version import __version__
from pyfsagg.stability_measures._base import STABILITY_MEASURES
from pyfsagg.stability_measures._plot import plot_stability_curve
from pyfsagg.stability_measures.result import Pair, StabilityReport

__all__ = ["STABILITY_PAGE", "curve_picture", "stability_page"]

STABILITY_PAGE = Topic("reference/stability_measures", "Stability measures", "list measures")
MOST_ROWS = 500
CURVE_CAPTION = (
    "Stability of the best k features of the resamples, for different k. Dotted: what selecting k "
    "features at random would give. Only the distance from the dotted line is evidence for the "
    "ranking; a measure that is not corrected for chance rises with k by itself."
)
CURVE_LABEL = "Lines: stability of the best k features against k, with the level of chance"


def stability_page(
    result: StabilityReport,
    *,
    command: str | None = None,
    data_name: str | None = None,
    reading: Sequence[str] = (),
) -> Page:
    """The report about a collection as a page for :func:`pyfsagg._page.page.write_page`.

    Parameters
    ----------
    result : StabilityReport
    command, data_name, reading
        As in :data:`pyfsagg._run.result.ORIGIN`.

    Returns
    -------
    Page
        At most 500 features are listed.
    """
    table, level = result.table, result.parameters["level"]
    interval, p = result.parameters["interval"], result.data["n_features"]
    sections = [
        Section("summary", "Summary", [Text(_summary(result))]),
        Section("measures", "Measures", [_measures(result, interval, level), *_definitions(table)]),
    ]
    if result.curve is not None and result.curve["value"].notna().any():
        curve = [curve_picture(result.curve)]
        sections.append(Section("size", "Stability against subset size", curve))
    if result.pair is not None:
        sections.append(Section("comparison", "Comparison", _comparison(result.pair, level)))
    sections += [
        Section("features", "Features", [_features(result.features, level)]),
        *closing(
            settings_groups(result),
            _references(table),
            command=command,
            code=result.code(result.full_view({"reading": reading})),
        ),
    ]
    title = f"Stability of {data_name}" if data_name else "Stability"
    known = f", {plural(p, 'feature')}" if p else ""
    return Page(title, f"{plural(result.data['n_resamples'], 'resample')}{known}", sections)


def curve_picture(curve: pd.DataFrame) -> Picture:
    """Stability of the best k features against k."""
    title = "Stability of the best k features"
    about = {"label": CURVE_LABEL, "caption": CURVE_CAPTION}
    return picture(title, "curve", plot_stability_curve, curve, **about)


def _summary(result: StabilityReport) -> str:
    level = result.parameters["level"]
    resamples = plural(result.data["n_resamples"], "resample").capitalize()
    sentences = [f"{resamples} were compared: {result.what}."]
    rows = result.table.to_dict("index")
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
    return " ".join([*sentences, *([result.about_ties] if result.about_ties else [])])


def _measures(result: StabilityReport, interval: str, level: float) -> Table:
    rows, table = [], result.table
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
        + (
            f", with {100 * level:g} % intervals ({interval} over resamples)."
            if interval != "none"
            else "."
        ),
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
                "they are left out. Stability says how far the given results agree, not whether they "
                "are right; resamples of one table say nothing of another sample.",
                result.about_intervals,
                *reasons,
            ]
        ),
    )


def _definitions(table: pd.DataFrame) -> list[Block]:
    """What each measure is; those of other packages may be absent here."""
    known = [STABILITY_MEASURES.get(name) for name in table.index if name in STABILITY_MEASURES]
    rows = [
        [linked(titled(spec.name), STABILITY_PAGE.entry(spec.name)), spec.summary, spec.formula]
        for spec in known
    ]
    columns = [Column(title, numeric=False) for title in ("Measure", "What it is", "Formula")]
    note = Markup("Formulas as they are set: {}.").format(leads_to(STABILITY_PAGE))
    return [Table("What each measure is.", columns, rows, note)] if rows else []


def _comparison(pair: Pair, level: float) -> list[Block]:
    rows = [
        [
            name,
            count(found.n_resamples),
            number(found.estimate),
            "–"
            if found.interval is None
            else f"{number(found.interval[0])} to {number(found.interval[1])}",
        ]
        for name, found in zip(pair.names, pair.results, strict=True)
    ]
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
            f"{pair.sentence} Resamples of one data set are independent given these data only: "
            f"the test is then about a repetition with another seed."
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
        software(__version__),
        *((titled(str(name)), STABILITY_MEASURES.get(str(name)).source) for name in table.index),
    ]

"""The report on statements of the papers: which hold, and what was tried."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from pyfsagg.exceptions import DataError
from pyfsagg.extending import (
    BLUE,
    GREY,
    ORANGE,
    Block,
    Page,
    PageTable,
    Section,
    Text,
    clear_frame,
    feature_axis,
    legend_above,
    new_axes,
    picture,
    plural,
    probabilities,
    set_title,
)
from pyfsagg_papers.pages import MISSING, closing, numbers, words
from pyfsagg_papers.statements.data import VERDICTS

# -------------------------------------------------------------------------------------------------
# a picture of printed p-values beside all that the printed tables give
# -------------------------------------------------------------------------------------------------

SMALLEST = 1e-5  # smaller p-values are drawn here
LEVEL = 0.05


def plot_p_values(variants: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Printed p-values, and the p-values of all forms of the test on the printed table."""
    tests = variants[variants["published"].ne("") & variants["statistic"].notna()]
    if tests.empty:
        raise DataError("none of the statements has a printed p-value")
    names = list(dict.fromkeys(tests["id"]))
    ax = new_axes(ax, 1.5 + 0.34 * len(names))
    rows = tests["id"].map({name: row for row, name in enumerate(names)})
    values = tests["value"].clip(lower=SMALLEST)
    other, stated = ~tests["stated"], tests["stated"]
    size = 5.0
    ax.plot(values[other], rows[other], "o", color=GREY, alpha=0.45, markersize=size,
            markeredgewidth=0.0, label="recomputed, another form")  # fmt: skip
    ax.plot(values[stated], rows[stated], "o", color=BLUE, markersize=size + 1.5,
            label="recomputed, the form stated")  # fmt: skip
    printed = tests.drop_duplicates("id")["published"]
    exact = printed.str.lstrip("<").astype(float)
    bound = printed.str.startswith("<").to_numpy()
    places = np.arange(len(names))
    ax.plot(exact[~bound], places[~bound], "D", color=ORANGE, markersize=6.0, label="printed")
    if bound.any():
        ax.plot(exact[bound], places[bound], "<", color=ORANGE, markersize=7.5,
                label="printed as a bound")  # fmt: skip
    ax.axvline(LEVEL, color=GREY, linewidth=0.9, linestyle="--")
    ax.set_xscale("log")
    ax.set_xlim(SMALLEST * 0.7, 1.5)
    feature_axis(ax, [name.replace("-", " ") for name in names])
    ax.set_xlabel("p-value (dashed: 5 %; smaller ones stand at the left edge)")
    clear_frame(ax, grid="x")
    ax.spines["left"].set_visible(False)
    set_title(ax, "Printed p-values and what the printed tables give", above_legend=True, lines=2)
    legend_above(ax, columns=2)
    return ax


# -------------------------------------------------------------------------------------------------
# the report on statements of the papers: which hold, and what was tried
# -------------------------------------------------------------------------------------------------

RULES = (
    "A printed number holds if a form of the test that the text describes gives it, rounded or cut "
    "off, and holds under another reading if only some other form does. A statement of significance "
    "is decided at the 5 % level by the test that the text names. Words of quantity are shares of "
    "rows: all is every row, almost all at least 80 %, most more than half; a statement that "
    "rows with lost cells decide, one way or the other, is not checkable. Everything is computed "
    "from the tables that the papers print, unless own runs are named."
)


def claims_page(found: pd.DataFrame, variants: pd.DataFrame, *, command: str | None = None) -> Page:
    """The page of :func:`pyfsagg_papers.claims`.

    Examples
    --------
    >>> from pyfsagg_papers import claim_variants, claims
    >>> claims_page(claims("orders"), claim_variants("orders")).title
    'Published statements, recomputed'
    """
    sections = [Section("summary", "Summary", statement_counts(found))]
    if (variants["published"].ne("") & variants["statistic"].notna()).any():
        label = "Points: printed and recomputed p-values, statement by statement"
        caption = (
            "Each row is a statement with a printed p-value; grey points are all forms of the test "
            "that may have been meant, on the printed table."
        )
        shown = picture("p-values", "p", plot_p_values, variants, label=label, caption=caption)
        sections.append(Section("p-values", "p-values", [shown]))
    for paper, part in found.groupby("paper", sort=False):
        sections.append(Section(str(paper), f"Statements: {paper}", [statement_table(part)]))
    sections.append(Section("forms", "Everything that was tried", [_forms(variants)]))
    sections += closing(command, found["paper"])
    return Page("Published statements, recomputed", plural(len(found), "statement"), sections)


def statement_counts(found: pd.DataFrame) -> list[Block]:
    """The rules of the verdicts, and how many statements have which."""
    counts = pd.crosstab(found["paper"], found["verdict"])
    papers = list(dict.fromkeys(found["paper"]))
    counts = counts.reindex(index=papers, columns=list(VERDICTS), fill_value=0)
    columns = [*words("Paper"), *numbers(*(name.capitalize() for name in VERDICTS))]
    rows = [
        [str(paper), *map(str, row)]
        for paper, row in zip(counts.index, counts.to_numpy().tolist(), strict=True)
    ]
    if len(rows) > 1:
        rows.append(["all", *(str(count) for count in counts.sum().tolist())])
    table = PageTable("Statements by verdict.", columns, rows)
    return [Text(RULES), table]


def statement_table(part: pd.DataFrame) -> PageTable:
    """The statements one by one, with what was found."""
    heads = words("Verdict", "Where", "What is stated")
    heads += [*numbers("Printed", "Recomputed"), *words("What was found")]
    rows = [
        [
            row["verdict"],
            _where(row["section"], row["table"], row["basis"]),
            row["statement"],
            row["published"] or MISSING,
            _recomputed(row["recomputed"], row["quantity"]),
            row["sentence"],
        ]
        for row in part.to_dict(orient="records")
    ]
    return PageTable("Statements, one by one.", heads, rows)


def _where(section: str, table: str, basis: str) -> str:
    name = table.replace("_", " ").replace("+", " and ")
    name = name if name.startswith(("figure", "not")) else f"table {name}"
    return f"{section}; {name}" + (f"; {basis}" if basis == "own runs" else "")


def _value(value: float) -> str:
    if math.isnan(value):
        return MISSING
    return probabilities([value])[0] if abs(value) <= 1.0 else f"{value:,.4g}"


def _recomputed(value: float, quantity: str) -> str:
    if math.isnan(value):
        return MISSING
    if quantity == "share of rows":
        return f"{value:.0%} of rows"
    return f"p = {_value(value)}" if quantity == "p-value" else _value(value)


def _forms(variants: pd.DataFrame) -> PageTable:
    heads = [*words("Statement", "Form"), *numbers("Printed", "Statistic", "Value")]
    heads += words("Agrees", "Stated")
    rows = [
        [
            row["id"],
            row["test"].replace("_", " "),
            row["published"] or MISSING,
            MISSING if math.isnan(row["statistic"]) else f"{row['statistic']:.4g}",
            _value(row["value"]),
            "yes" if row["agrees"] else "no",
            "yes" if row["stated"] else "no",
        ]
        for row in variants.to_dict(orient="records")
    ]
    return PageTable("Every form in which a number was recomputed.", heads, rows, find="form")

"""The report on statements of the papers: which hold, and what was tried."""

from __future__ import annotations

import math
from functools import partial

import pandas as pd

from pyfsagg._base.words import MISSING, plural, probabilities
from pyfsagg._draw.svg import inline_svg
from pyfsagg._page.closing import THESIS
from pyfsagg._page.page import (
    Block,
    Code,
    Column,
    Enumeration,
    Page,
    Picture,
    Section,
    Table,
    Text,
)
from pyfsagg._version import __version__
from pyfsagg.rank_order._page import PAPER as ORDERS
from pyfsagg.reproduce.claims_data import VERDICTS
from pyfsagg.reproduce.pictures.claims import plot_p_values

__all__ = ["PAPERS", "RULES", "claims_page", "statement_counts", "statement_table"]

PAPERS = {
    "thesis": THESIS,
    "fpcps": (
        "A. Filchenkov, V. Dolganov, I. Smetannikov (2015). PCA-based algorithm for constructing "
        "ensembles of feature ranking filters. ESANN"
    ),
    "frcm": (
        "S. Zhang, H.-S. Wong, Y. Shen, D. Xie (2012). A new unsupervised feature ranking method for "
        "gene expression data based on consensus affinity. IEEE/ACM TCBB"
    ),
    "orders": ORDERS,
}
RULES = (
    "A printed number holds if a form of the test that the text describes gives it, rounded or cut "
    "off, and holds under another reading if only some other form does. A statement of significance "
    "is decided at the 5 % level by the test that the text names. Words of quantity are shares of "
    "rows: all is every row, almost all at least 80 %, most more than half; a statement that rows "
    "with lost cells could still bear out is not refuted. Everything is computed from the tables "
    "that the papers print, unless own runs are named."
)


def claims_page(found: pd.DataFrame, variants: pd.DataFrame, *, command: str | None = None) -> Page:
    """The page of :func:`pyfsagg.reproduce.claims`.

    Parameters
    ----------
    found : DataFrame
        As of :func:`pyfsagg.reproduce.claims`.
    variants : DataFrame
        As of :func:`pyfsagg.reproduce.claim_variants`, of the same statements.
    command : str, optional
        The arguments of the ``pyfsagg`` command that repeat it.

    Returns
    -------
    Page

    Examples
    --------
    >>> from pyfsagg.reproduce import claim_variants, claims
    >>> claims_page(claims("orders"), claim_variants("orders")).title
    'Published statements, recomputed'
    """
    sections = [Section("summary", "Summary", statement_counts(found))]
    if (variants["published"].ne("") & variants["statistic"].notna()).any():
        svg = inline_svg(
            partial(plot_p_values, variants),
            prefix="p",
            label="Points: printed and recomputed p-values, statement by statement",
        )
        caption = (
            "Each row is a statement with a printed p-value; grey points are all forms of the test "
            "that may have been meant, on the printed table."
        )
        sections.append(Section("p-values", "p-values", [Picture("p-values", svg, caption)]))
    for paper, part in found.groupby("paper", sort=False):
        sections.append(Section(str(paper), f"Statements: {paper}", [statement_table(part)]))
    sections.append(Section("forms", "Everything that was tried", [_forms(variants)]))
    if command:
        sections.append(Section("repeat", "How to repeat it", [Code(f"pyfsagg {command}")]))
    items = [("Software", f"The pyfsagg developers. pyfsagg, version {__version__}")]
    items += [(str(paper), PAPERS[str(paper)]) for paper in found["paper"].unique()]
    sections.append(Section("cite", "How to cite", [Enumeration(items)]))
    return Page("Published statements, recomputed", plural(len(found), "statement"), sections)


def statement_counts(found: pd.DataFrame) -> list[Block]:
    """The rules of the verdicts, and how many statements have which."""
    counts = pd.crosstab(found["paper"], found["verdict"])
    papers = list(dict.fromkeys(found["paper"]))
    counts = counts.reindex(index=papers, columns=list(VERDICTS), fill_value=0)
    columns = [Column("Paper", numeric=False), *(Column(name.capitalize()) for name in VERDICTS)]
    rows = [[str(paper), *(str(count) for count in row)] for paper, row in _rows(counts)]
    if len(rows) > 1:
        rows.append(["all", *(str(count) for count in counts.sum().tolist())])
    table = Table("Statements by verdict.", columns, rows)
    return [Text(RULES), table]


def _rows(counts: pd.DataFrame) -> list[tuple[str, list[int]]]:
    return [
        (str(name), row) for name, row in zip(counts.index, counts.to_numpy().tolist(), strict=True)
    ]


def statement_table(part: pd.DataFrame) -> Table:
    """The statements one by one, with what was found."""
    heads = [
        Column("Verdict", numeric=False),
        Column("Where", numeric=False),
        Column("What is stated", numeric=False),
        Column("Printed"),
        Column("Recomputed"),
        Column("What was found", numeric=False),
    ]
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
    return Table("Statements, one by one.", heads, rows)


def _where(section: str, table: str, basis: str) -> str:
    words = table.replace("_", " ").replace("+", " and ")
    words = words if words.startswith(("figure", "not")) else f"table {words}"
    return f"{section}; {words}" + (f"; {basis}" if basis == "own runs" else "")


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


def _forms(variants: pd.DataFrame) -> Table:
    heads = [
        Column("Statement", numeric=False),
        Column("Form", numeric=False),
        Column("Printed"),
        Column("Statistic"),
        Column("Value"),
        Column("Agrees", numeric=False),
        Column("Stated", numeric=False),
    ]
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
    return Table("Every form in which a number was recomputed.", heads, rows, find="form")

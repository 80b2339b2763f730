"""Blocks of a page as text for a terminal: the other renderer of the facts of a result."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from pyfsagg._report.page import (
    Block,
    Code,
    Enumeration,
    Glossary,
    PageTable,
    Picture,
    Records,
    Text,
)

WIDTH = 88
_TAG = re.compile(r"<[^>]*>")


def plain_text(text: str) -> str:
    r"""A text without markup, in which no name can steer the terminal.

    Examples
    --------
    >>> plain_text(Markup("<b>{}</b> of\u00a0{}").format("a<b", "x\x1b[2J"))
    'a<b of x�[2J'
    """
    if isinstance(text, Markup):
        text = html.unescape(_TAG.sub("", str(text)))
    # A hard space is not printable by Python's rule.
    visible = str(text).replace("\u00a0", " ")
    return "".join(c if c.isprintable() else "\ufffd" for c in visible)


def sentences_of(blocks: Iterable[Block]) -> list[str]:
    """The paragraphs among blocks, for a record."""
    return [plain_text(block.text) for block in blocks if isinstance(block, Text)]


def render_text(blocks: Iterable[Block]) -> str:
    """Blocks as paragraphs of at most 88 characters; pictures are left out, and tables keep their width.

    Examples
    --------
    >>> from pyfsagg._report.page import PageColumn, PageTable
    >>> rows = [["age", "0.5"], ["weight", "12.0"]]
    >>> heads = [PageColumn("Feature", numeric=False), PageColumn("Score")]
    >>> table = PageTable("Two features.", heads, rows)
    >>> print(render_text([Text(Markup("<b>Both</b> are selected.")), table]))
    Both are selected.
    <BLANKLINE>
    Two features.
    Feature  Score
    age        0.5
    weight    12.0
    """
    return "\n\n".join(filter(None, map(_rendered, blocks)))


def _rendered(block: Block) -> str:
    match block:
        case Text(text):
            return _filled(text)
        case PageTable():
            columns = [column.title for column in block.columns]
            right = [column.numeric for column in block.columns]
            lines = _aligned([columns, *block.rows], right)
            return "\n".join(filter(None, [_filled(block.caption), *lines, _filled(block.note)]))
        case Records():
            rows = [row for _, group in block.groups for row in group]
            return "\n".join([_filled(block.caption), *_aligned(rows, [False, False])])
        case Code(code):
            return textwrap.indent(code, "    ")
        case Enumeration(items) | Glossary(items):
            return "\n".join(
                _filled(f"{plain_text(term)}: {plain_text(about)}") for term, about in items
            )
        case Picture():
            return ""


def _filled(text: str) -> str:
    # Hard spaces have to hold while lines are broken, and no longer.
    held = "\u00a0".join(map(plain_text, text.split("\u00a0")))
    lines = textwrap.fill(held, WIDTH, break_long_words=False, break_on_hyphens=False)
    return lines.replace("\u00a0", " ")


def _aligned(rows: Sequence[Sequence[str]], right: Sequence[bool]) -> list[str]:
    cells = [[plain_text(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in cells
    ]

"""Pages composed of blocks, rendered as one self-contained HTML file."""

from __future__ import annotations

import base64
import hashlib
import html
import os
import re
import shutil
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import accumulate
from itertools import count as count_from
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from markupsafe import Markup

from pyfsagg._base.output import result_file
from pyfsagg._base.words import count, plural, readable, words
from pyfsagg._message import Got, Use
from pyfsagg._version import __version__
from pyfsagg.exceptions import ParameterError

if TYPE_CHECKING:
    import jinja2
    import pandas as pd


# Control characters, marks that turn the direction of the text after them, and halves of surrogate
# pairs (from file names that are not UTF-8), which no file can hold.
UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@cache
def _environment() -> jinja2.Environment:
    """The templates of this package."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("pyfsagg._report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"count": count, "plural": plural, "readable": readable}
    return environment


@dataclass(frozen=True)
class Text:
    """A paragraph, smaller if `quiet`. Strings are escaped; ``Markup("<b>{}</b>").format(term)``
    escapes its arguments."""

    text: str
    quiet: bool = False


SMALL_IS_GOOD = re.compile(r"\b(?:rank|place|false|p|[pq]-value|Adjusted p)\b", re.IGNORECASE)


@dataclass(frozen=True)
class PageColumn:
    """The heading of a column: numbers are right-aligned and sort by value, words left-aligned."""

    title: str
    numeric: bool = True
    sortable: bool = True

    @property
    def first(self) -> str:
        """How a first click sorts the column: the best comes first."""
        largest = self.numeric and not SMALL_IS_GOOD.search(self.title)
        return "descending" if largest else "ascending"


def heads(titles: Iterable[str], words: Iterable[str]) -> list[PageColumn]:
    """Heads of columns, which contain numbers but for those titled `words`."""
    of_words = set(words)
    return [PageColumn(title, numeric=title not in of_words) for title in titles]


@dataclass(frozen=True)
class Movable:
    """A number of first rows that the reader can move. `noun` is the word for rows, `start` the first
    number, `told` the sentence for one row, two and so on, and `cells` are the columns (by place) that
    depend on the number."""

    noun: str
    start: int
    told: Sequence[str]
    cells: Mapping[int, Sequence[Sequence[str]]]


@dataclass(frozen=True)
class PageTable:
    """A table of formatted cells, numbered in the order of the page.

    Attributes
    ----------
    caption, columns, rows
        Rows of texts, a cell for each :class:`PageColumn`.
    note : str
        A remark below; plain or markup, as in :class:`Text`.
    header : int
        The column that names the row.
    tinted : int or set of int
        How many of the first rows stand out, or which ones, from 0.
    find : str
        What a row is (``"item"``).  If set, the table scrolls, can be sorted by its columns and saved
        as CSV, and its rows can be searched by name.
    hidden : sequence of (name, text)
        What the search finds beyond the rows, and the text that it shows then.
    steps : Movable, optional
        A number of rows that the reader may move.
    """

    caption: str
    columns: Sequence[PageColumn]
    rows: Sequence[Sequence[str]]
    note: str = ""
    header: int = 0
    tinted: int | frozenset[int] = 0
    find: str = ""
    hidden: Sequence[tuple[str, str]] = ()
    steps: Movable | None = None

    @cached_property
    def heights(self) -> list[float]:
        """About how many lines of text each row is high on paper."""
        return [max(1.1, sum(map(len, map(str, row))) / 60) for row in self.rows]

    @cached_property
    def printed(self) -> int:
        """Rows on paper: a page prints to a few sheets however long its tables are."""
        if self.steps:
            return min(len(self.rows), FRONT_ROWS)
        return sum(height <= TABLE_LINES for height in accumulate(self.heights))

    @classmethod
    def of_columns(
        cls,
        caption: str,
        columns: Iterable[tuple[PageColumn, Sequence[str]]],
        note: str = "",
        **look: Any,
    ) -> Self:
        """A table whose cells are given column by column; `look` as the other attributes."""
        heads, cells = zip(*columns, strict=True)
        return cls(caption, heads, list(zip(*cells, strict=True)), note, **look)

    @classmethod
    def of_frame(
        cls,
        caption: str,
        frame: pd.DataFrame,
        shown: Mapping[str, tuple[str, Callable[[Any], Sequence[str]]]],
        note: str = "",
        **look: Any,
    ) -> Self:
        """A table of the columns of a frame in `shown`, each with its heading and formatter; formatters
        in `words` make columns of words."""
        columns = [
            (PageColumn(head, numeric=cells is not words), cells(frame[name]))
            for name, (head, cells) in shown.items()
        ]
        return cls.of_columns(caption, columns, note, **look)

    def stands_out(self, row: int) -> bool:
        """Whether a row, counted from 0, is tinted."""
        return row in self.tinted if isinstance(self.tinted, frozenset) else row < self.tinted


@dataclass(frozen=True)
class Records:
    """A table of names and values in groups, for settings."""

    caption: str
    groups: Sequence[tuple[str, Sequence[tuple[str, str]]]]


@dataclass(frozen=True)
class Picture:
    """A picture of :func:`pyfsagg._report.drawing.inline_svg`, numbered in the order of the page."""

    title: str
    svg: Markup
    caption: str

    @property
    def ratio(self) -> float:
        """Height by width."""
        found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', self.svg)
        return float(found[2]) / float(found[1]) if found else 0.5


@dataclass(frozen=True)
class Code:
    """Lines to be typed or run."""

    code: str


@dataclass(frozen=True)
class Enumeration:
    """A numbered list of (term, explanation), for references."""

    items: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Glossary:
    """Words with their meanings, plain or markup as in :class:`Text`."""

    entries: Sequence[tuple[str, str]]


Block = Text | PageTable | Records | Picture | Code | Enumeration | Glossary


@dataclass(frozen=True)
class Section:
    """A heading with its content; `id` (a-z, digits, hyphens) is its anchor, `short` its name in the
    list of what print omits."""

    id: str
    title: str
    blocks: Sequence[Block]
    short: str = ""


@dataclass(frozen=True)
class Page:
    """A title, a subtitle and sections, the first with the facts. The first screen has `front`, or the
    first two facts, picture and table; the rest is folded."""

    title: str
    subtitle: str
    sections: Sequence[Section]
    front: Sequence[Block] = ()


TALLEST = 1.1  # height by width of a picture that is seen with the answer
TABLE_LINES, FRONT_ROWS = 60, 12  # of a table on paper
SHEETS = 5 * 50  # lines of 59 on a sheet, for what is estimated too low or may not be divided


def _arranged(page: Page) -> tuple[list[Block], list[Section]]:
    """What the first screen shows, and the sections below it."""
    first, *others = page.sections or [Section("summary", "", [])]
    if page.front:
        front = list(page.front)
        # Tables of the facts are there in full below.
        first = replace(first, blocks=[b for b in first.blocks if not isinstance(b, PageTable)])
    else:
        blocks = [block for section in page.sections for block in section.blocks]
        pictures = [b for b in blocks if isinstance(b, Picture) and b.ratio <= TALLEST]
        answer = answer_of(first.blocks)
        texts = [block for block in answer if isinstance(block, Text)]
        tables = [block for block in answer if isinstance(block, PageTable)]
        front = [*texts[:2], *pictures[:1], *tables]
    if first.id == "summary":  # the address of the first screen
        first = replace(first, id="details", title="In more words")
    shown = set(map(id, front))
    sections = [
        replace(section, blocks=[block for block in section.blocks if id(block) not in shown])
        for section in [first, *others]
    ]
    return front, [section for section in sections if section.blocks]


def _narrow(table: PageTable) -> bool:
    """Whether a table fits beside a picture."""
    cells = zip(*table.rows, strict=True)
    widths = [max(map(len, map(plain_text, column)), default=0) for column in cells]
    return len(table.columns) <= 7 and sum(min(width, 24) for width in widths) <= 60


def _lines(block: Block) -> float:
    """About how many lines of text a block is as high as, on paper."""
    match block:
        case Text(text):
            return 1.0 + len(plain_text(text)) / 105
        case PageTable():
            return 5.0 + sum(block.heights[: block.printed]) + len(plain_text(block.note)) / 100
        case Records():
            return 3.0 + sum(1.0 + len(value) / 90 for _, rows in block.groups for _, value in rows)
        case Picture():
            return 4.0 + min(27.0 * block.ratio, 54.0) + len(block.caption) / 105
        case Code(code):
            return 3.0 + sum(1 + len(line) // 95 for line in code.splitlines())
        case Enumeration(items) | Glossary(items):
            return sum(2.0 + len(plain_text(about)) / 100 for _, about in items)


def render_page(page: Page) -> str:
    """One self-contained HTML page, readable without a script; values are escaped, and equal pages give
    equal text."""
    _check(page)
    front, folded = _arranged(page)
    room = SHEETS - sum(map(_lines, front))
    # Tables and pictures are numbered here, so the templates need not count.
    tables, figures = count_from(1), count_from(1)
    series = {"table": tables, "records": tables, "picture": figures}

    def numbered(block: Block) -> tuple[str, int, Block]:
        kind = type(block).__name__.lower().removeprefix("page")
        return kind, next(series[kind]) if kind in series else 0, block

    answer = [numbered(block) for block in front]
    sections = []
    for section in folded:
        height = 3.0 + sum(map(_lines, section.blocks))
        printed = height <= room
        room -= height * printed
        sections.append((section, printed, [numbered(block) for block in section.blocks]))
    environment = _environment()
    script = environment.get_template("table.js").render()
    # The policy of the page admits one script, known by its hash, and no network.
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    html_text = environment.get_template("page.html.j2").render(
        script=Markup(script),
        script_digest=digest,
        heading=page.title,
        subtitle=page.subtitle,
        version=__version__,
        answer=answer,
        pair=all(_narrow(block) for block in front if isinstance(block, PageTable)),
        sections=sections,
    )
    return UNSAFE.sub("\ufffd", html_text) + "\n"


def write_page(page: Page, path: str | os.PathLike[str]) -> Path:
    """Write a page to one self-contained HTML file, completely or not at all, and return its path; an
    OutputError gives the reason."""
    html_text = render_page(page)
    with result_file(path) as draft:
        draft.write_text(html_text, encoding="utf-8", newline="\n")
    return Path(path)


def _check(page: Page) -> None:
    """Refuse sections without a unique anchor, and tables with a wrong number of cells."""
    seen: set[str] = set()
    for section in page.sections:
        if not re.fullmatch(r"[a-z][a-z0-9-]*", section.id):
            raise ParameterError(
                "a section id must be lower-case letters, digits and hyphens", Got(section.id)
            )
        if section.id in seen:
            raise ParameterError(f"the section id {section.id!r} is used twice; give each its own")
        seen.add(section.id)
        for table in section.blocks:
            if not isinstance(table, PageTable):
                continue
            name, width = f"the table {table.caption!r}", len(table.columns)
            for number, row in enumerate(table.rows, start=1):
                if len(row) != width:
                    problem = f"row {number} of {name} has {len(row)} cells for {width} columns"
                    raise ParameterError(problem)
            if not 0 <= table.header < width:
                problem = f" is not a column of {name}, which has {width}"
                raise ParameterError(Use(header=table.header), problem)


WIDTH = 88


def terminal_width() -> int:
    """How wide texts may be: the terminal, and no more than is read well."""
    return max(40, min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns))


_TAG = re.compile(r"<[^>]*>")


def plain_text(text: str) -> str:
    """A text without markup, in which no name can steer the terminal."""
    if isinstance(text, Markup):
        text = html.unescape(_TAG.sub("", str(text)))
    # A hard space is not printable by Python's rule.
    visible = str(text).replace("\u00a0", " ")
    return "".join(c if c.isprintable() else "\ufffd" for c in visible)


def sentences_of(blocks: Iterable[Block]) -> list[str]:
    """The paragraphs among blocks, for a record."""
    return [plain_text(block.text) for block in blocks if isinstance(block, Text)]


def render_text(blocks: Iterable[Block], width: int = WIDTH) -> str:
    """Blocks as paragraphs and tables of at most this width; pictures are omitted."""
    texts = []
    for block in blocks:
        match block:
            case Text(text):
                lines = [_filled(text, width)]
            case PageTable():
                lines = [_filled(block.caption, width), *_fitted(block, width)]
                lines = list(filter(None, [*lines, _filled(block.note, width)]))
            case Records():
                rows = [row for _, group in block.groups for row in group]
                lines = [_filled(block.caption, width), *_aligned(rows, [False, False])]
            case Code(code):
                lines = [textwrap.indent(code, "    ")]
            case Enumeration(items) | Glossary(items):
                entries = (f"{plain_text(term)}: {plain_text(about)}" for term, about in items)
                lines = [_filled(entry, width) for entry in entries]
            case Picture():
                lines = []
        texts.append("\n".join(lines))
    return "\n\n".join(filter(None, texts))


def answer_of(blocks: Sequence[Block]) -> list[Block]:
    """The answer among the facts: what precedes the first table, the paragraph after it (how certain
    that is), and the table."""
    place = next((k for k, block in enumerate(blocks) if isinstance(block, PageTable)), len(blocks))
    sure = next((block for block in blocks[place + 1 :] if isinstance(block, Text)), None)
    return [*blocks[:place], *([] if sure is None else [sure]), *blocks[place : place + 1]]


def _filled(text: str, width: int) -> str:
    # Hard spaces have to hold while lines are broken, and no longer.
    held = "\u00a0".join(map(plain_text, text.split("\u00a0")))
    lines = textwrap.fill(held, width, break_long_words=False, break_on_hyphens=False)
    return lines.replace("\u00a0", " ")


FEWEST_LETTERS = 12  # of a name that is shortened


def _fitted(table: PageTable, width: int) -> list[str]:
    """The lines of a table; heads take several lines and names give way where it would be too wide."""
    heads = [[plain_text(column.title)] for column in table.columns]
    cells = [list(map(plain_text, row)) for row in table.rows]
    longest = [max(map(len, column), default=0) for column in zip(*cells, strict=True)]
    longest = longest or [0] * len(heads)

    def excess() -> int:
        wide = (max(n, *map(len, head)) for n, head in zip(longest, heads, strict=True))
        return sum(wide) + 2 * (len(heads) - 1) - width

    for j in sorted(range(len(heads)), key=lambda j: longest[j] - len(heads[j][0])):
        if (over := excess()) > 0:
            head = heads[j][0]
            word = max(map(len, head.split()), default=1)
            heads[j] = textwrap.wrap(head, max(longest[j], word, len(head) - over)) or [""]
    if (over := excess()) > 0:
        room = max(FEWEST_LETTERS, longest[table.header] - over)
        cells = [line for row in cells for line in _narrowed(row, table.header, room)]
    deep = max(map(len, heads), default=1)
    above = [[""] * (deep - len(head)) + head for head in heads]
    right = [column.numeric for column in table.columns]
    return _aligned([*map(list, zip(*above, strict=True)), *cells], right)


def _narrowed(row: list[str], place: int, room: int) -> list[list[str]]:
    """The lines of a row with this width for its name, which continues on further lines."""
    parts = textwrap.wrap(row[place], room, break_long_words=False, break_on_hyphens=False) or [""]
    tail = (room - 1) // 2
    parts = [p if len(p) <= room else f"{p[: room - 1 - tail]}…{p[-tail:]}" for p in parts]
    rest = [[""] * place + [part] + [""] * (len(row) - place - 1) for part in parts[1:]]
    return [[*row[:place], parts[0], *row[place + 1 :]], *rest]


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

"""Where a table begins in what people export: comments and titles, merged headers, a row of units."""

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from pyfsagg._base.words import enumerate_names, plural
from pyfsagg._table.columns import LIMIT, NUMBER_GAPS, is_number, is_unit
from pyfsagg._table.delimited import Layout, sniff_separator

SAMPLE = 30  # rows below a header that tell what it is
_MOST_TITLES = 50
_EXCEL_SEPARATOR = re.compile(r'"?sep=([,;|\t])"?[ \t]*\n', re.IGNORECASE)


@dataclass(frozen=True)
class Head:
    """The names of columns, the rows before the first that is data, and what was found."""

    names: tuple[str, ...]
    n_rows: int
    notes: tuple[str, ...] = ()


def begin_table(text: str, separator: str | None) -> tuple[str, str | None, list[str]]:
    """A text with comments, titles and ``sep=`` blank, its separator, and notes. A comment with a name per
    column right above numbers is the header; titles have fewer or more cells than all lines below."""
    notes: list[str] = []
    start = n_lines = 0
    if first := _EXCEL_SEPARATOR.match(text):  # Excel reads it and shows it not
        separator = separator or first[1]
        start, n_lines = first.end(), 1
        notes.append("the line sep= of Excel above the header skipped")
    lines = text[start:].split("\n", _MOST_TITLES + SAMPLE)[: _MOST_TITLES + SAMPLE]
    n_comments = next((k for k, line in enumerate(lines) if not line.startswith("#")), 0)
    rows = [line for line in lines[n_comments:] if line.strip()][:SAMPLE]
    if n_comments and rows:
        mark = separator or sniff_separator(rows, ",;\t| ")
        names, first_row = (_cells(line, mark) for line in (lines[n_comments - 1][1:], rows[0]))
        if len(names) == len(first_row) > 1 and any(map(is_number, first_row)):
            n_comments -= 1
            place = start + sum(len(line) + 1 for line in lines[:n_comments])
            text = text[:place] + text[place + 1 :]
            lines[n_comments] = lines[n_comments][1:]
    if n_comments:
        notes.append(f"{plural(n_comments, 'comment')} above the header skipped (#)")
    n_titles = _count_titles(lines[n_comments:], separator)
    if n_titles:
        notes.append(
            f"{plural(n_titles, 'title line')} above the header skipped: "
            f"{' '.join(lines[n_comments].split())[:60]!r}"
        )
    skipped = n_comments + n_titles
    start += sum(len(line) + 1 for line in lines[:skipped])
    return "\n" * (n_lines + skipped) + text[start:], separator, notes


def after_lines(text: str, n_lines: int) -> str:
    """The text with its first lines made blank."""
    return "\n" * n_lines + text[_after(text, 0, n_lines) :]


def _after(text: str, start: int, n_lines: int) -> int:
    """Where the line begins that follows so many from `start` on."""
    for _ in range(n_lines):
        start = text.find("\n", start) + 1 or len(text)
    return start


def _cells(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return []


def _count_titles(lines: Sequence[str], separator: str | None) -> int:
    """Lines that are titles: none where the first line is as wide as the rows below it."""
    marks = [separator] if separator else list(",;\t|")
    for mark in marks:
        widths = [len(_cells(line, mark)) for line in lines if line.strip()]
        if not widths or _is_even(widths) or (widths[0] + 1 == widths[-1] and _is_even(widths[1:])):
            return 0
    for n_titles in range(1, min(_MOST_TITLES, len(lines) - 2)):
        for mark in marks:
            header = [cell.strip() for cell in _cells(lines[n_titles], mark)]
            titles = [len(_cells(line, mark)) for line in lines[:n_titles] if line.strip()]
            rows = [len(_cells(line, mark)) for line in lines[n_titles + 1 :] if line.strip()]
            named = all(header[1:]) and not any(map(is_number, header))
            even = _is_even([len(header), *rows[:SAMPLE]])
            if named and even and len(header) not in titles:
                return n_titles if len(rows) > 1 else 0
    return 0


def _is_even(widths: Sequence[int]) -> bool:
    """More than one cell, and as many in every line; the last one seen may be cut in a cell."""
    return widths[0] > 1 and len(set(widths[:-1] if len(widths) > 2 else widths)) == 1


def with_head(text: str, layout: Layout, n_header: int | None) -> tuple[Layout, tuple[str, ...]]:
    """The layout of a text with its header of several rows, and without its row of units."""
    lines = text[layout.start : layout.start + 200_000].splitlines(keepends=True)
    reader = csv.reader(lines, delimiter=layout.separator)
    try:  # with the number of lines until the end of each
        rows = [([*map(str.strip, row)], reader.line_num) for row in islice(reader, SAMPLE)]
    except csv.Error:  # the row is named where the rows are read
        return layout, ()
    if any(len(row) != len(layout.names) for row, _ in rows[:3]):
        return layout, ()
    head = read_head([list(layout.names), *(row for row, _ in rows)], n_header)
    n_lines = rows[head.n_rows - 2][1] if head.n_rows > 1 else 0
    start, n_lines = _after(text, layout.start, n_lines), layout.lines + n_lines
    return replace(layout, names=head.names, start=start, lines=n_lines), head.notes


def read_head(rows: Sequence[Sequence[str]], n_header: int | None = None) -> Head:
    """The head of a table. Without `n_header`, rows of one cell are titles, a row with gaps that the next one
    fills is the upper half of a header, and a row with words where all below have numbers has units."""
    notes: list[str] = []
    first = 0
    if n_header is None:
        if first := _n_titles(rows):
            title = f"{plural(first, 'title line')} above the header skipped: "
            notes.append(f"{title}{_filled(rows[0])[0][:60]!r}")
        n_header = 1 + _is_merged(rows[first : first + 3])
    names = list(rows[first])
    for row in rows[first + 1 : first + n_header]:
        names = _joined(names, row)
    if n_header > 1:
        notes.append(f"the names of the columns stand in {n_header} rows")
    end = first + n_header
    units = _units(rows[end], rows[end + 1 : end + SAMPLE]) if end < len(rows) else []
    if units:
        what = "the row below the header was read as units, not as data"
        notes.append(f"{what}: {enumerate_names(units)}")
    return Head(tuple(names), end + bool(units), tuple(notes))


def _filled(row: Sequence[str]) -> list[str]:
    return [cell for cell in row if cell]


def _n_titles(rows: Sequence[Sequence[str]]) -> int:
    """Rows with one cell that is filled, or none, above a header with several of at least three columns."""
    for k, row in enumerate(rows[:-2]):
        if len(row) < 3 or not _filled(rows[0]):
            return 0
        if len(_filled(row)) > 1 or (_filled(row) and not row[0]):
            return k
    return 0


def _is_merged(rows: Sequence[Sequence[str]]) -> bool:
    if len(rows) < 3:
        return False
    upper, lower, _ = rows
    gaps = [j for j, cell in enumerate(upper) if not cell]
    words = not any(map(is_number, [*upper, *lower]))
    both = all(one or two for one, two in zip(upper, lower, strict=False))
    return words and both and bool(gaps) and gaps != [0] and bool(_filled(upper))


def _joined(upper: Sequence[str], lower: Sequence[str]) -> list[str]:
    """Names of two rows: those of the lower, after the group above where a name recurs."""
    times = Counter(_filled(lower))
    group, names = "", []
    for above, below in zip(upper, lower, strict=False):
        group = above or group
        names.append((f"{group} {below}" if times[below] > 1 else below) if below else above)
    return names


def _units(row: Sequence[str], below: Sequence[Sequence[str]]) -> list[str]:
    """The units in a row; empty if it is one of data."""
    if len(below) < 2:
        return []
    units: list[str] = []
    n_numbers = 0
    for j, cell in enumerate(row):
        others = [other[j] for other in below if j < len(other) and other[j]]
        known = [other for other in others if other not in NUMBER_GAPS and not LIMIT.match(other)]
        if known and all(map(is_number, known)):
            n_numbers += 1
            if is_number(cell) or cell in NUMBER_GAPS - {"", "-", "--", "."} or LIMIT.match(cell):
                return []
            if cell:
                units.append(cell)
        elif cell and cell in others:
            return []
    known_units = sum(map(is_unit, units))
    enough = 2 * len(units) >= n_numbers and (len(units) > 1 or known_units == 1)
    return units if enough else []

"""Delimited text as a table."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pyfsagg._table.unpack import decode_text
from pyfsagg._table.writing import unescaped, unescaped_frame
from pyfsagg.exceptions import DataError

__all__ = ["MISSING", "Layout", "find_layout", "read_delimited", "read_rows"]

MISSING = ("", "NA", "N/A", "NaN", "nan", "NULL", "null", "?")
"""Unquoted cells that are missing in every column, be it of numbers or of words."""

_SAMPLE_LINES = 20
_SAMPLE_SIZE = 4_000_000  # characters; at least two lines whatever their length
_LONGEST_CELL = 2**31 - 1
_ESCAPE = re.compile(rb"'[=+\-@\t\n]")
_BLOCK = 2**20  # bytes
_ROWS_IN_BLOCK = 1000


@dataclass(frozen=True)
class Layout:
    """How a text is divided into cells.

    Attributes
    ----------
    names : tuple of str
        The header; a column of row names has the name ``""``.
    separator : str
    start : int
        Characters before the first row.
    lines : int
        Lines before it.
    skipped : int
        Blank lines before the header.
    """

    names: tuple[str, ...]
    separator: str
    start: int
    lines: int
    skipped: int


def find_layout(
    text: str,
    label: str,
    separator: str | None = None,
    *,
    candidates: str = ",;\t",
    row_names: bool = False,
) -> Layout:
    """The header and the separator of a table; the separator that divides the first lines alike.

    With `row_names` the rows may have one cell more than the header, as R writes row names.

    Raises
    ------
    DataError
        If the header cannot be read.
    """
    start, skipped = _after_blank_lines(text)
    if separator is None:
        separator = _sniff_separator(_sample(text, start), candidates)
    lines = _lines(text, start)
    counted: list[str] = []

    def counting() -> Iterator[str]:
        for line in lines:
            counted.append(line)
            yield line

    rows = csv.reader(counting(), delimiter=separator)
    old = csv.field_size_limit(_LONGEST_CELL)
    try:
        header = [unescaped(name.strip()) for name in next(rows, [])]
        end, n_lines = start + sum(map(len, counted)), len(counted)
        first = next((row for row in rows if row), [])
    except csv.Error as error:
        raise DataError(f"the header of {label} cannot be read: {error}") from None
    finally:
        csv.field_size_limit(old)
    if row_names and len(first) == len(header) + 1:
        header = ["", *header]
    return Layout(tuple(header), separator, end, skipped + n_lines, skipped)


def read_delimited(
    content: bytes,
    label: str,
    missing: Sequence[str] = MISSING,
    *,
    text_columns: Sequence[str] | None = (),
) -> pd.DataFrame:
    """A table with a header: comma, semicolon or tab, whichever divides its first lines alike.

    Parameters
    ----------
    content : bytes
    label : str
        What the table is called in messages.
    missing : sequence of str
        Unquoted cells that mean "missing".
    text_columns : sequence of str or None
        Columns that stay text even if they look like numbers; None = all.

    Raises
    ------
    DataError
        For ragged rows, a header without rows or twice, duplicate column names, or text that is not
        UTF-8.
    """
    text, _ = decode_text(content, label)
    layout = find_layout(text, label)
    return read_rows(text, layout, label, missing, text_columns=text_columns)


def read_rows(
    text: str,
    layout: Layout,
    label: str,
    missing: Sequence[str] = MISSING,
    *,
    text_columns: Sequence[str] | None = (),
    decimal: str = ".",
) -> pd.DataFrame:
    """The rows of a text whose layout is known; see :func:`read_delimited`."""
    names = list(layout.names)
    repeats = [name for name, count in Counter(names).items() if count > 1 and name]
    if repeats:
        raise DataError(
            f"{label} has the duplicate column name(s) {', '.join(map(repr, repeats[:5]))}; give "
            f"every column a different name"
        )
    body = text[layout.start :].encode()
    if not body.strip():
        raise DataError(f"{label} has a header but no rows")
    frame = _parse(body, layout, label, missing, text_columns, decimal)
    if _ESCAPE.search(body):
        frame = unescaped_frame(frame)
    for row in np.flatnonzero((frame.iloc[:, 0] == names[0]).to_numpy()):
        if frame.iloc[row].astype(str).tolist() == names:
            raise DataError(
                f"{label} has its header twice (again in line {row + layout.lines + 1}); remove the "
                "second one"
            )
    return frame


def _parse(
    body: bytes,
    layout: Layout,
    label: str,
    missing: Sequence[str],
    text_columns: Sequence[str] | None,
    decimal: str,
) -> pd.DataFrame:
    import pyarrow as pa
    import pyarrow.csv as pa_csv

    columns = [str(j) for j in range(len(layout.names))]  # names may be empty or occur twice
    as_text = columns
    if text_columns is not None:
        wanted = set(text_columns)
        as_text = [str(j) for j, name in enumerate(layout.names) if name in wanted]
    convert = pa_csv.ConvertOptions(
        column_types=dict.fromkeys(as_text, pa.string()),
        null_values=list(missing),
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
        decimal_point=decimal,
    )
    parse = pa_csv.ParseOptions(delimiter=layout.separator, newlines_in_values=True)
    # Blocks of many rows: each costs time for each column.  A row must fit into one, and rows with
    # line breaks in cells may be longer than any line.
    for block in (max(_BLOCK, _ROWS_IN_BLOCK * _longest_line(body)), len(body) + 1):
        read = pa_csv.ReadOptions(
            use_threads=False,  # only so do errors name the row
            column_names=columns,
            block_size=min(block, _LONGEST_CELL),
        )
        try:
            table = pa_csv.read_csv(
                pa.BufferReader(body),
                read_options=read,
                parse_options=parse,
                convert_options=convert,
            )
            break
        except pa.ArrowInvalid as error:
            reason = str(error).removeprefix("CSV parse error: ").split("\n")[0]
            if "straddling" not in reason or block > len(body):
                reason = re.sub(
                    r"Row #(\d+)", lambda row: f"Row #{int(row[1]) + layout.lines}", reason
                )
                raise DataError(
                    f"{label} has ragged rows or is not a table of text: {reason[:300]}"
                ) from None
    if table.num_rows == 0:
        raise DataError(f"{label} has a header but no rows")
    frame: pd.DataFrame = table.to_pandas()
    return frame.set_axis(list(layout.names), axis="columns")


# ---------------------------------------------------------------------------------------------
# layout
# ---------------------------------------------------------------------------------------------
def _lines(text: str, start: int) -> Iterator[str]:
    """The lines of a text from `start` on, with their line ends."""
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _after_blank_lines(text: str) -> tuple[int, int]:
    """Where the first line begins that holds more than blanks and separators, and its number from 0."""
    start = skipped = 0
    for line in _lines(text, 0):
        if line.strip(' \t\n,;|"'):
            break
        start += len(line)
        skipped += 1
    return start, skipped


def _sample(text: str, start: int) -> list[str]:
    """The first lines, as many as tell the separator."""
    found: list[str] = []
    size = 0
    for line in _lines(text, start):
        if not line.strip():
            continue
        found.append(line)
        size += len(line)
        if len(found) >= _SAMPLE_LINES or (size > _SAMPLE_SIZE and len(found) > 1):
            break
    return found


def _sniff_separator(lines: Sequence[str], candidates: str) -> str:
    """The separator by which all rows have as many cells as the header, or one more (row names)."""

    def worth(separator: str) -> tuple[bool, bool, int]:
        try:
            rows = list(csv.reader(lines, delimiter=separator))
        except csv.Error:
            return False, False, 0
        header, *others = (len(row) for row in rows)
        if len(others) > 1:
            others.pop()  # a cell with a line break may reach beyond the lines that are looked at
        alike = len(set(others)) <= 1 and (not others or others[0] - header in (0, 1))
        cells = others[0] if others else header
        return alike and cells > 1, header > 1, header

    return max(candidates, key=worth)  # the first of equals


def _longest_line(body: bytes) -> int:
    ends = np.flatnonzero(np.frombuffer(body, np.uint8) == ord("\n"))
    return int(np.diff(ends, prepend=-1, append=len(body)).max())

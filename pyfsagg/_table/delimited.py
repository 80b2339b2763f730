"""Delimited text: unpacked, decoded and split into a table; written so that no cell is a formula."""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import io
import lzma
import os
import re
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time
from itertools import islice, pairwise, takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Booleans
from pyfsagg._base.digest import digest
from pyfsagg._base.memory import in_words, require_memory
from pyfsagg._base.validation import check_path
from pyfsagg._base.words import plural
from pyfsagg._message import Use
from pyfsagg.exceptions import DataError

_PACKED: dict[bytes, tuple[str, Any]] = {
    b"\x1f\x8b": ("gzip", gzip.open),
    b"BZh": ("bz2", bz2.open),
    b"\xfd7zXZ\x00": ("xz", lzma.open),
}
_PIECE = 1 << 26
_BYTES_OF_COLUMN = 6_500  # of a column besides its cells, while a text is read
_CELLS_OF_BYTES = 6  # what a byte of text takes on its way to cells, which are copied once
_TEXT_OF_BYTES = 3  # what a packed byte takes: itself, the text and the cells
DAMAGED = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def shown_source(source: str | os.PathLike[str]) -> str:
    """What a file is called in messages."""
    return "standard input" if str(source) == "-" else str(source)


def read_bytes(source: str | os.PathLike[str]) -> bytes:
    """The content of a file, or of standard input (``"-"``); unpacked if it is packed by gzip, bz2 or xz."""
    return read_hashed(source)[0]


def read_hashed(source: str | os.PathLike[str]) -> tuple[bytes, str]:
    """As :func:`read_bytes`, with the SHA-256 of the file as it lies there: what ``sha256sum`` prints."""
    check_path("a file", source)
    label = shown_source(source)
    if str(source) == "-":
        content = sys.stdin.buffer.read()
    else:
        path = Path(source)
        try:
            if path.is_dir():
                raise DataError(f"{label} is a folder, not a file")
            content = path.read_bytes()
        except FileNotFoundError:
            raise DataError(f"no such file: {label}") from None
        except OSError as error:
            raise DataError(f"cannot read {label}: {error.strerror or error}") from None
    sha256 = digest(content)
    for mark, (packer, opened) in _PACKED.items():
        if content.startswith(mark):
            try:
                with opened(io.BytesIO(content)) as file:
                    return _unpacked(file, label), sha256
            except DataError:
                raise
            except DAMAGED as error:
                raise DataError(f"{label} is a damaged {packer} file: {error}") from None
    return content, sha256


def _unpacked(file: Any, label: str, before: int = 0) -> bytes:
    """All of a packed file, refused once it, and what came `before`, is larger than there is memory for."""
    parts = []
    while part := file.read(_PIECE):
        parts.append(part)
        require_unpacked(before + _PIECE * len(parts), label)
    return b"".join(parts)


def read_part(
    archive: zipfile.ZipFile, part: zipfile.ZipInfo, label: str, before: int = 0
) -> bytes:
    """A file of an archive, up to its end; the stated size may be wrong."""
    require_unpacked(part.file_size, label)
    part.file_size = sys.maxsize
    with archive.open(part) as file:
        return _unpacked(file, label, before)


def require_unpacked(size: int, label: str) -> None:
    """Refuse a file that unpacks to this many bytes or more, if memory does not suffice."""
    what = f"{label}, which unpacks to {in_words(size)} or more,"
    require_memory(_TEXT_OF_BYTES * size, what, "unpack it and take a part of it")


def unpack_zip(content: bytes, label: str) -> tuple[bytes, str]:
    """The one file in a zip archive, and its name."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = [
                entry.filename
                for entry in archive.infolist()
                if not entry.is_dir() and not entry.filename.startswith(("__MACOSX", "."))
            ]
            if len(names) != 1:
                raise DataError(
                    f"{label} is a zip archive of {len(names)} files, and a table is one file; unpack "
                    "it and name the file"
                )
            return read_part(archive, archive.getinfo(names[0]), label), names[0]
    except DataError:
        raise
    except (*DAMAGED, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise DataError(f"{label} is a damaged or encrypted zip file: {error}") from None


def decode_text(
    content: bytes, label: str, encoding: str | None = None, *, guess: bool = False
) -> tuple[str, str]:
    """Text with line ends ``\n``, and its encoding; with `guess` also one of Windows or old Macs, if the
    text then consists of words."""
    start, zeros = content[:200], ""
    if len(start) >= 4:  # every other byte of UTF-16 is zero
        zeros = "utf-16-le" if not any(start[1::2]) else "utf-16-be" if not any(start[::2]) else ""
    marked = next((name for mark, name in _MARKS if content.startswith(mark)), "")
    name = encoding or marked or zeros or "utf-8"
    try:
        text = content.decode(name)
    except LookupError:
        raise DataError(
            f"unknown encoding {name!r}; known are, for instance, utf-8, utf-16, cp1252 (Windows), "
            "latin-1 and mac-roman"
        ) from None
    except UnicodeDecodeError as error:
        message = f"{label} is not {name.upper()} text (byte {error.start}); "
        if encoding is not None:
            raise DataError(message, "name another encoding") from None
        guessed = _old_encoding(content) if guess and name == "utf-8" else None
        if guessed is None:
            raise DataError(
                message,
                "say which encoding it is in: ",
                Use(encoding="cp1252"),
                " for most Windows files, or latin-1, utf-16 …",
            ) from None
        text, name = guessed
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"), name


_ODD = re.compile(
    r"[^\x00-\x7f\w°²³µ½€£§±·–—‘’“”„…×†‰]|[_ªº]|[\x80-\x9f]|(?<=[a-zà-ÿ])(?![\x00-\x7f])[À-ÞŠŒŽŸ]"
)


def _old_encoding(content: bytes) -> tuple[str, str] | None:
    """The text in the old encoding in which fewest of its signs are odd ones; None if many are in each."""
    texts = []
    for name in ("cp1252", "mac-roman"):
        with suppress(UnicodeDecodeError):
            text = content.decode(name)
            texts.append((len(_ODD.findall(text)), text, name))
    n_odd, text, name = min(texts, key=lambda one: one[0])
    return None if 5 * n_odd >= sum(byte > 127 for byte in content) else (text, name)


_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
_ESCAPED = re.compile(r"'+[=+\-@\t\r\n]")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_WHOLE = re.compile(r"[-+]?\d+")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d")


def escaped(cell: Any) -> Any:
    """A text, with an apostrophe before it if a spreadsheet would read it as a formula (``=``, ``+``,
    ``-``, ``@``, tab or line break, and not a number), or if it looks escaped.

    Examples
    --------
    >>> [escaped(text) for text in ("=1+1", "-1", "'=1", "gene")]
    ["'=1+1", '-1', "''=1", 'gene']
    """
    if not isinstance(cell, str) or not _FORMULA.match(cell) or _NUMBER.fullmatch(cell):
        return cell
    return "'" + cell


def unescaped(cell: Any) -> Any:
    """The text before `escaped`.

    Examples
    --------
    >>> [unescaped(text) for text in ("'=1+1", "''=1", "'quoted'")]
    ['=1+1', "'=1", "'quoted'"]
    """
    return cell[1:] if isinstance(cell, str) and _ESCAPED.match(cell) else cell


def write_csv(frame: pd.DataFrame, path: str | Path, *, index: bool = False) -> None:
    """Write a table with a header; names, labels and texts are escaped, numbers keep every digit."""
    safe = _mapped(frame, escaped)
    if index:
        safe.index = _labels(safe.index, escaped)
    safe.to_csv(path, index=index)


def unescaped_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """A table that `write_csv` wrote, as it was."""
    plain = _mapped(frame, unescaped)
    plain.index = _labels(plain.index, unescaped)
    return plain


def _mapped(frame: pd.DataFrame, change: Any) -> pd.DataFrame:
    """A frame with a function applied to its header and texts."""
    mapped = frame.copy(deep=False)
    for j, dtype in enumerate(frame.dtypes):
        if isinstance(dtype, (pd.StringDtype, pd.CategoricalDtype)) or dtype.kind == "O":
            column = frame.iloc[:, j]
            if any(change(cell) is not cell for cell in column.unique()):
                mapped.isetitem(j, column.map(change, na_action="ignore").array)
    mapped.columns = _labels(frame.columns, change)
    return mapped


def _labels(index: Any, change: Any) -> Any:
    if all(change(label) is label for label in (index.name, *index)):
        return index
    return pd.Index([change(label) for label in index], name=change(index.name))


MISSING = ("", "NA", "N/A", "NaN", "nan", "NULL", "null", "?")
"""Unquoted cells that are missing in every column, be it of numbers or of words."""

_SAMPLE_LINES = 20
_SAMPLE_SIZE = 4_000_000  # characters; at least two lines of any length
_LONGEST_CELL = 2**31 - 1
_ESCAPE = re.compile(rb"'[=+\-@\t\n]")
_HIDDEN = "\ue000"  # stands before a word in quotes that would be a missing value without them
# Until 3.1 pandas rounds the last digit in its own way.
_EXACT_NUMBERS: dict[str, Any] = (
    {"float_precision": "round_trip"}
    if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
    else {}
)


@dataclass(frozen=True)
class Layout:
    """The layout of a text table: `names` (``""`` for row names), characters (`start`) and `lines`
    before the first row, and `skipped` blank lines before the header."""

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
    """Header and separator; with `row_names` rows may have one cell more than the header, as in R."""
    blank = list(takewhile(lambda line: not line.strip(' \t\n,;|"'), _lines(text, 0)))
    start, skipped = sum(map(len, blank)), len(blank)
    if separator is None:
        sample: list[str] = []
        for line in islice(filter(str.strip, _lines(text, start)), _SAMPLE_LINES):
            sample.append(line)
            if len(sample) > 1 and sum(map(len, sample)) > _SAMPLE_SIZE:
                break
        separator = sniff_separator(sample, candidates)
    rows = csv.reader(_lines(text, start), delimiter=separator)
    old = csv.field_size_limit(_LONGEST_CELL)
    try:
        header = [unescaped(name.strip()) for name in next(rows, [])]
        n_lines = rows.line_num
        end = start + sum(map(len, islice(_lines(text, start), n_lines)))
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
    """A table with a header: comma, semicolon or tab, whichever divides its first lines alike."""
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
            f"{label} has the duplicate column name(s) {', '.join(map(repr, repeats[:5]))}; give every "
            "column a different name"
        )
    needed = _BYTES_OF_COLUMN * len(names) + _CELLS_OF_BYTES * len(text)
    what = f"reading {label} with its {len(names):,} columns"
    require_memory(needed, what, "take a part of the columns, or keep the table as Parquet")
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
    if not body.endswith(b"\n"):
        body += b"\n"
    marks, quoted = _refuse_ragged(body, layout, label)
    body, hidden = _hide_quoted(body, quoted, marks, layout, missing)
    n_columns = len(layout.names)
    is_text = [text_columns is None or name in text_columns for name in layout.names]
    try:
        frame: pd.DataFrame = pd.read_csv(
            io.BytesIO(body),
            sep=layout.separator,
            header=None,
            names=range(n_columns),  # names may be empty or occur twice
            index_col=False,
            dtype={j: str for j in range(n_columns) if is_text[j]},
            na_values=list(missing),
            keep_default_na=False,
            decimal=decimal,
            low_memory=False,
            **_EXACT_NUMBERS,
        )
    except (pd.errors.ParserError, ValueError, OverflowError) as error:
        raise DataError(f"{label} is not a table of text: {str(error)[:300]}") from None
    if frame.empty:
        raise DataError(f"{label} has a header but no rows")
    frame = frame.copy()  # columns of one kind as one block
    begins_missing = frame.iloc[0].isna().to_numpy()
    for j, dtype in enumerate(frame.dtypes):
        if begins_missing[j] and bool((column := frame.iloc[:, j]).isna().all()):
            frame.isetitem(j, column.astype(object).array)
        elif dtype.kind not in "iubf":
            old = frame.iloc[:, j]
            new = old.str.removeprefix(_HIDDEN) if j in hidden else old
            new = new if is_text[j] else _numbers_or_dates(new, decimal)
            if new is not old:
                frame.isetitem(j, new.array)
    return frame.set_axis(list(layout.names), axis="columns")


def _refuse_ragged(body: bytes, layout: Layout, label: str) -> tuple[NDArray[np.intp], Booleans]:
    """Ends of cells, and the quoted bytes; a row with fewer or more cells is refused."""
    n_columns, separator = len(layout.names), layout.separator
    cells = np.frombuffer(body, np.uint8)
    quoted = np.zeros(len(cells), dtype=bool)
    if b'"' in body:
        is_quote = cells == ord('"')
        np.bitwise_xor.accumulate(is_quote, out=quoted)
        opening = np.flatnonzero(is_quote & quoted)
        before = cells[opening[opening > 0] - 1]
        if not np.isin(before, list(f'{separator}\n"'.encode())).all():
            quoted[:] = False  # quotes in the middle of a cell are letters
            mark = re.escape(separator).encode()
            for cell in re.finditer(rb'(?:(?<=[\n%b])|^)"(?:[^"]|"")*' % mark, body):
                quoted[cell.start() : cell.end()] = True
    ends = cells == ord("\n")
    marks = np.flatnonzero((ends | (cells == ord(separator))) & ~quoted)
    widths = np.diff(np.flatnonzero(ends[marks]), prepend=-1)
    if (widths == n_columns).all():
        return marks, quoted
    rows = csv.reader(_lines(body.decode(), 0), delimiter=layout.separator)  # lines may be blank
    old = csv.field_size_limit(_LONGEST_CELL)
    try:
        for row in rows:
            if len(row) != n_columns and "".join(row).strip():
                raise DataError(
                    f"{label} has ragged rows: line {rows.line_num + layout.lines} has "
                    f"{plural(len(row), 'cell')} and the header {n_columns}"
                )
    except csv.Error as error:
        raise DataError(f"{label} is not a table of text: {error}") from None
    finally:
        csv.field_size_limit(old)
    return marks, quoted


def _hide_quoted(
    body: bytes, quoted: Booleans, marks: NDArray[np.intp], layout: Layout, missing: Sequence[str]
) -> tuple[bytes, Collection[int]]:
    """The rows with a mark in cells in quotes that are missing values without them, and their columns."""
    met = [word for word in map(str.encode, missing) if b'"%b"' % word in body]
    if not met:
        return body, ()
    words = b"|".join(map(re.escape, met))
    pattern = rb'"(?=(?:%b)"[\n%b])' % (words, re.escape(layout.separator).encode())
    starts = np.array([cell.start() for cell in re.finditer(pattern, body)], dtype=np.intp)
    begins = (starts == 0) | np.isin(starts - 1, marks, assume_unique=True)
    places = starts[begins & quoted[starts]].tolist()
    if not places:
        return body, ()
    parts = [body[start:end] for start, end in pairwise([0, *(at + 1 for at in places), len(body)])]
    last = np.flatnonzero(np.frombuffer(body, np.uint8)[marks] == ord("\n"))  # cells of their rows
    cell = np.searchsorted(marks, places)
    row = np.searchsorted(last, cell)
    columns = cell - np.where(row > 0, last[row - 1] + 1, 0)
    return _HIDDEN.encode().join(parts), set(columns.tolist())


def _numbers_or_dates(words: pd.Series[Any], decimal: str) -> pd.Series[Any]:
    """A column of words as numbers, if pandas finds one too long, or as dates or times."""
    first = str(next((word for word in words if not pd.isna(word)), ""))
    number = _NUMBER if decimal == "." else _WHOLE
    if number.fullmatch(first) and words.dropna().astype(str).str.fullmatch(number).all():
        return words.astype(float)
    if _MOMENT.match(first) and words.dropna().astype(str).str.match(_MOMENT).all():
        for read in (date.fromisoformat, time.fromisoformat, datetime.fromisoformat):
            with suppress(ValueError):
                return words.map(read, na_action="ignore")
    return words


def _lines(text: str, start: int) -> Iterator[str]:
    """The lines of a text from `start` on, with their line ends."""
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def sniff_separator(lines: Sequence[str], candidates: str) -> str:
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

"""A table from a file or standard input, with a note of every assumption made in reading it."""

from __future__ import annotations

import io
import re
import struct
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from pyfsagg._base.memory import require_memory
from pyfsagg._base.settings import SEPARATORS, Reading
from pyfsagg._base.validation import require_extra
from pyfsagg._base.words import enumerate_names, first_line
from pyfsagg._message import Param, Remedy, Use
from pyfsagg._table import delimited
from pyfsagg._table.columns import decimal_of, numbers_of, numbers_with_limits
from pyfsagg._table.head import after_lines, begin_table, read_head, with_head
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError

_OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PARTS = ("[Content_Types].xml", "content.xml")
_BYTES_OF_CELL = 32
"""Of a cell in memory; the reader keeps all of them up to the last, and the process ends without memory."""


def is_workbook(content: bytes) -> bool:
    """Whether a content is that of a workbook."""
    if content.startswith(_OLD_EXCEL):
        return True
    if not content.startswith(b"PK\x03\x04"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return any(part in archive.namelist() for part in _PARTS)
    except (zipfile.BadZipFile, OSError, ValueError):
        return False


def read_sheet(
    content: bytes, label: str, how: Reading, missing: Sequence[str]
) -> tuple[pd.DataFrame, str, list[str], tuple[str, ...]]:
    """A sheet, its name, those of all sheets, and what was found above and below its header."""
    sheet, (first, n_header) = how.sheet, how.header_rows
    calamine = require_extra(
        "python_calamine", "sheets", f"{label}, a workbook,", ", or save the sheet as CSV"
    )
    _require_cells(content, label)
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
        sheets = list(book.sheet_names)
        if not sheets:
            raise ValueError("it has no sheets")
        name = sheets[0] if sheet is None else sheet
        if name not in sheets and name.isdigit() and 1 <= int(name) <= len(sheets):
            name = sheets[int(name) - 1]
        if name not in sheets:
            raise UnknownNameError("sheet", name, sheets)
        area = book.get_sheet_by_name(name)
        rows = area.to_python(skip_empty_area=True)
        if first:
            rows = rows[max(0, first - 1 - (area.start or (0, 0))[0]) :]
    except UnknownNameError:
        raise
    except (calamine.CalamineError, OSError, ValueError) as error:
        raise DataError(f"{label} is not a readable workbook: {error}") from None
    rows = [row for row in rows if any(cell not in ("", None) for cell in row)]
    top = [["" if cell is None else str(_whole(cell)).strip() for cell in row] for row in rows[:60]]
    head = read_head(top, n_header) if top else None
    if head is None or len(rows) <= head.n_rows:
        raise DataError(f"sheet {name!r} of {label} has no rows below a header")
    header, rows = list(head.names), rows[head.n_rows :]
    repeats = [title for title in header if title and header.count(title) > 1]
    if repeats:
        raise DataError(f"sheet {name!r} of {label} has the duplicate column name {repeats[0]!r}")
    cells = ([row[j] if j < len(row) else "" for row in rows] for j in range(len(header)))
    columns = [_column(column, frozenset(missing)) for column in cells]
    return _frame_of(columns, header), name, sheets, head.notes


_COLUMN, _ROW = re.compile(rb'<c r="([A-Z]{1,3})\d'), re.compile(rb'<(?:row|c) r="[A-Z]{0,3}(\d+)"')
_OPEN = re.compile(rb"<table:(table-row|table-cell|covered-table-cell|table)\b([^>]*)>")
_REPEATED = re.compile(rb'number-(?:rows|columns)-repeated="(\d{1,12})"')


def _require_cells(content: bytes, label: str) -> None:
    """Refuse a workbook that is too large, or has a cell too far from the others."""
    if not content.startswith(b"PK"):
        return  # of old Excel, not packed
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.infolist()
            delimited.require_unpacked(sum(part.file_size for part in parts), label)
            unpacked = 0
            for part in parts:
                sheet = delimited.read_part(archive, part, label, unpacked)
                unpacked += len(sheet)
                if part.filename.startswith("xl/worksheets/sheet"):
                    rows = max((int(found[1]) for found in _ROW.finditer(sheet)), default=0)
                    letters = {found[1] for found in _COLUMN.finditer(sheet)}
                    columns = max(map(_number_of_column, letters), default=0)
                elif part.filename == "content.xml":
                    rows, columns = _grid_of_ods(sheet)
                else:
                    continue
                what = f"the {rows:,} × {columns:,} cells up to the last one of {label}"
                needed, remedy = (
                    _BYTES_OF_CELL * rows * columns,
                    "delete cells that lie far from the table",
                )
                require_memory(needed, what, remedy)
    except DataError:
        raise
    except (zipfile.BadZipFile, *delimited.DAMAGED, RuntimeError, NotImplementedError) as error:
        raise DataError(f"{label} is not a readable workbook: {error}") from None


def _grid_of_ods(content: bytes) -> tuple[int, int]:
    """Rows and columns up to the last cell that contains something, in the longest and the widest sheet."""
    rows = longest = widest = place = 0
    for found in _OPEN.finditer(content):
        times = _REPEATED.search(found[2])
        number = int(times[1]) if times else 1
        if found[1] == b"table":
            rows = 0
        elif found[1] == b"table-row":
            rows, place = rows + number, 0
        else:
            place += number
            if b"office:value-type" in found[2]:
                longest, widest = max(longest, rows), max(widest, place)
    return longest, widest


def _number_of_column(letters: bytes) -> int:
    """Of A 1, of Z 26, of AA 27."""
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number


def _whole(cell: Any) -> Any:
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def _column(cells: list[Any], missing: frozenset[str]) -> pd.Series[Any]:
    """A column with the type that its cells have: whole numbers where all are."""
    known = [None if isinstance(cell, str) and cell.strip() in missing else cell for cell in cells]
    kinds = {type(_whole(cell)) for cell in known}
    if kinds in ({bool}, {int}):
        return pd.Series(list(map(_whole, known)))
    if kinds != {type(None)} and kinds <= {int, float, type(None)}:
        return pd.Series(known, dtype=float)
    return pd.Series(known, dtype=object)


def _frame_of(columns: Sequence[pd.Series[Any]], names: Any) -> pd.DataFrame:
    """Columns side by side, possibly with empty names."""
    frame = pd.concat([column.rename(str(j)) for j, column in enumerate(columns)], axis=1)
    return frame.set_axis(names, axis="columns")


def _with_columns(frame: pd.DataFrame, new: dict[int, Any]) -> pd.DataFrame:
    """The table with other columns at some positions."""
    columns = [new.get(j, frame.iloc[:, j]) for j in range(frame.shape[1])]
    return _frame_of(columns, frame.columns) if new else frame


_NAMES_OF_SEPARATORS = {mark: name for name, mark in SEPARATORS.items() if name.isalpha()}
_UNREADABLE = (LookupError, ValueError, TypeError, OSError, AttributeError, RecursionError)
_STRANGERS = {
    b"\x89HDF": "an HDF5 file",
    b"SQLite format": "an SQLite database",
    b"RDX": "a file of R objects; write it with write.csv() or arrow::write_parquet()",
    b"X\n": "a file of R objects (RDS); write it with write.csv() or arrow::write_parquet()",
    b"\x80\x04": "a Python pickle, which is not opened",
    b"\x80\x05": "a Python pickle, which is not opened",
    b"%PDF": "a PDF document",
    b"$FL": "a file of SPSS; save it there as CSV, as a workbook or for Stata, which are read",
    b"<": "a page of HTML or XML",
    b"{": "JSON",
    b"[{": "JSON",
}


@dataclass(frozen=True, eq=False)
class TableSource:
    """A table that was read, without the columns of `drop` and `id`; `record` has file, SHA-256, format
    and detected settings, `notes` a sentence for each choice made by default."""

    frame: pd.DataFrame
    record: dict[str, Any]
    notes: tuple[str, ...]


def read_source(source: str | Path, reading: Reading | None = None) -> TableSource:
    """Read a table from a file, or from standard input (``"-"``)."""
    how = reading or Reading()
    file = _File(source, how)
    frame = file.frame if how.labels is None else file.joined()
    for pattern in set(how.missing_codes) - {""} - file.matched:
        raise UnknownNameError("column", pattern, map(str, frame.columns))
    dropped = [name for name in how.drop if name not in file.dropped]
    for name in dropped:
        if name not in frame.columns:
            raise UnknownNameError("column", name, map(str, frame.columns))
    return TableSource(frame.drop(columns=dropped), file.record, tuple(file.notes))


class _File:
    """A file that was read: its table (`frame`, indexed by names of samples), and what was found."""

    def __init__(self, source: str | Path, how: Reading) -> None:
        self.label, self.how = delimited.shown_source(source), how
        self.notes: list[str] = []
        self.dropped: set[str] = set()
        self.matched: set[str] = set()  # patterns of columns whose codes are missing values
        content, digest = delimited.read_hashed(source)
        self.record: dict[str, Any] = {"file": Path(self.label).name, "sha256": digest}
        frame = self._cells(content, str(source))
        if how.transpose:
            frame = self._transposed(frame)
        self.frame = self._with_numbers(self._with_row_names(frame))
        if self.frame.empty:
            raise DataError(f"{self.label} has no rows")

    @cached_property
    def labels(self) -> _File:
        """The second file."""
        return _File(str(self.how.labels), Reading(missing=self.how.missing))

    def _cells(self, content: bytes, name: str) -> pd.DataFrame:
        if not content.strip():
            raise DataError(f"{self.label} is empty")
        suffixes = [suffix.lower() for suffix in Path(name).suffixes]
        if is_workbook(content):
            frame, sheet, sheets, found = read_sheet(content, self.label, self.how, self._words())
            self.record |= {"format": "workbook", "sheet": sheet}
            if self.how.sheet is None and len(sheets) > 1:
                self.notes.append(
                    f"sheet {sheet!r}, the first of {len(sheets)}, was read (others: "
                    f"{enumerate_names(sheets[1:])}); the setting 'sheet' names another"
                )
            self.notes += found
            return frame
        if self.how.sheet is not None:
            raise ParameterError(Param("sheet"), f" needs a workbook, and {self.label} is not one")
        if content.startswith(b"PK\x03\x04"):
            inner, file = delimited.unpack_zip(content, self.label)
            self.notes.append(f"{file} in the zip archive was read")
            return self._cells(inner, file)
        if ".parquet" in suffixes or content[:4] == b"PAR1":
            return self._arrow(content, "Parquet")
        if ".feather" in suffixes or content.startswith((b"ARROW1", b"FEA1")):
            return self._arrow(content, "Feather")
        if ".dta" in suffixes or content.startswith(b"<stata_dta>"):
            self.record["format"] = "Stata"
            try:  # value labels become levels, and the codes of missing values are missing
                frame = pd.read_stata(io.BytesIO(content))
            except (EOFError, struct.error, *_UNREADABLE) as error:
                raise DataError(f"{self.label} is not a readable Stata file: {error}") from None
            return frame.set_axis(list(map(str, frame.columns)), axis="columns")
        if ".arff" in suffixes:
            self.record["format"] = "ARFF"
            return _read_arff(content, self.label)
        return self._text(content)

    def _arrow(self, content: bytes, name: str) -> pd.DataFrame:
        what = f"{self.label}, a {name} file,"
        module = require_extra(f"pyarrow.{name.lower()}", "parquet", what, ", or save it as CSV")
        import pyarrow as pa

        self.record["format"] = name
        try:
            if name == "Parquet":
                size = module.read_metadata(pa.BufferReader(content))
                rows, columns = size.num_rows, size.num_columns
                what = f"{self.label} with {rows:,} rows and {columns:,} columns"
                require_memory(2.0 * 8 * rows * columns, what, "take a part of it")
            table = module.read_table(pa.BufferReader(content))
            try:
                frame: pd.DataFrame = table.to_pandas()
            except _UNREADABLE:  # what pandas noted in the file is damaged, the columns are not
                frame = table.replace_schema_metadata(None).to_pandas()
        except DataError:
            raise
        except (pa.ArrowException, *_UNREADABLE) as error:
            unreadable = f"{self.label} is not a readable {name} file: {first_line(error)}"
            raise DataError(unreadable) from None
        return frame.set_axis(list(map(str, frame.columns)), axis="columns")

    def _text(self, content: bytes) -> pd.DataFrame:
        for mark, what in _STRANGERS.items():
            if content.startswith(mark):
                raise DataError(f"{self.label} is {what}, and not a table that can be read here")
        text, encoding = delimited.decode_text(content, self.label, self.how.encoding, guess=True)
        if "\0" in text[:10_000]:
            raise DataError(f"{self.label} is not a text file: it contains the character NUL")
        first, n_header = self.how.header_rows
        if first:
            notes: list[str] = []
            text, sep = after_lines(text, first - 1), self.how.sep
        else:
            text, sep, notes = begin_table(text, self.how.sep)
        layout = self._layout(text, sep)
        if layout.separator == " ":
            text = _single_blanks(text)
            layout = self._layout(text, " ")
        name = _NAMES_OF_SEPARATORS.get(layout.separator, layout.separator)
        self.record |= {"format": "text", "encoding": encoding, "sep": layout.separator}
        self._note(
            self.how.sep is None and layout.separator != ",", f"cells are separated by {name}s"
        )
        guessed = encoding in ("cp1252", "mac-roman")
        what = " (not UTF-8; the setting 'encoding' names another)" if guessed else ""
        self._note(
            self.how.encoding is None and encoding != "utf-8", f"the text is {encoding}{what}"
        )
        self._note(
            layout.skipped and not first and not notes,
            f"{layout.skipped} blank line(s) before the header were skipped",
        )
        self.notes += notes
        if self.how.transpose:  # the cells of a column are those of different features
            return self._rows(text, layout, ".", None)
        layout, found = with_head(text, layout, n_header)
        self.notes += found
        return self._with_decimal(text, layout)

    def _with_decimal(
        self, text: str, layout: delimited.Layout, row_names: Sequence[str] = ()
    ) -> pd.DataFrame:
        """The rows with the given or detected decimal mark."""
        frame = self._rows(text, layout, self.how.decimal or ".", row_names)
        if self.how.decimal is not None:
            return frame
        words = _word_columns(frame.drop(columns=list(row_names)))
        reals = (column.dropna() for _, column in frame.select_dtypes("float").items())
        points = any(bool((known % 1 != 0).any()) for known in reals)
        decimal = decimal_of(words, points=points, separator=layout.separator)
        self.record["decimal"] = decimal
        if decimal == ",":
            frame = self._rows(text, layout, decimal, row_names)
            for column in _word_columns(frame.drop(columns=list(row_names))):
                if numbers_of(column, ",") is None and numbers_of(column, ".") is not None:
                    raise DataError(
                        f"column {str(column.name)!r} has decimal points and others have decimal commas",
                        Remedy("say which: ", Use(decimal=","), " or ", Use(decimal=".")),
                    )
            self.notes.append("decimal commas were found")
        return frame

    def _note(self, applies: object, sentence: str) -> None:
        if applies:
            self.notes.append(sentence)

    def _layout(self, text: str, sep: str | None) -> delimited.Layout:
        return delimited.find_layout(text, self.label, sep, candidates=",;\t| ", row_names=True)

    def _rows(
        self, text: str, layout: delimited.Layout, decimal: str, as_text: Any
    ) -> pd.DataFrame:
        return delimited.read_rows(
            text, layout, self.label, self._words(), text_columns=as_text, decimal=decimal
        )

    def _words(self) -> list[str]:
        return [*delimited.MISSING, *self.how.missing_codes[""]]

    def _without_codes(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The table with codes of some columns, such as ``q*=9``, as missing."""
        new: dict[int, Any] = {}
        for pattern, words in self.how.missing_codes.items():
            for j, name in enumerate(frame.columns):
                if pattern and fnmatchcase(str(name), pattern):
                    self.matched.add(pattern)
                    column = new.get(j, frame.iloc[:, j])
                    number = pd.api.types.is_numeric_dtype(column)
                    coded = column.isin(_numbers_of(words) if number else words)
                    new[j] = (column.astype(float) if number else column).mask(coded)
        return _with_columns(frame, new)

    def _transposed(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The table with samples in rows, each feature with the type of its cells. Columns that describe
        features are omitted: those before all that the second file names, and words beside numbers."""
        columns = list(map(str, frame.columns))
        self.dropped = set(self.how.drop) & set(columns[1:])
        place = columns.index(self.how.id) if self.how.id in columns else 0
        beside = [j for j in self._beside(frame) if j != place]
        if beside:
            shown = enumerate_names([repr(columns[j]) for j in beside])
            self.notes.append(f"{shown}: columns of {self.label} that are not samples were omitted")
        gone = {place, *beside, *(j for j, name in enumerate(columns) if name in self.dropped)}
        names = [str(name).strip() for name in frame.iloc[:, place]]
        frame = frame.iloc[:, [j for j in range(len(columns)) if j not in gone]]
        cells = frame.astype(object)
        text = _as_text(
            list(map(str, frame.columns)), cells.where(cells.notna(), None).to_numpy().T
        )
        layout = delimited.Layout(("", *names), ",", 0, 0, 0)
        self.record["transposed"] = True
        return self._with_decimal(text, layout, ("",))

    def _beside(self, frame: pd.DataFrame) -> list[int]:
        """Positions of columns that describe the features, of a table with features in rows."""
        decimal = self.how.decimal or "."
        words = [
            _is_words(dtype) and numbers_of(frame.iloc[:, j], decimal) is None
            for j, dtype in enumerate(frame.dtypes)
        ]
        if self.how.labels is not None:
            other = self.labels.frame
            keys = [pd.Series(other.index), *(other[name] for name in other.columns)]
            known = max(
                (set(key.astype(str)) & set(map(str, frame.columns)) for key in keys), key=len
            )
            named = [str(name) in known for name in frame.columns]
            if sum(named) * 2 > len(named) - 1:
                first = named.index(True)
                return [j for j in range(len(named)) if not named[j] and (j < first or words[j])]
        n_words = sum(words[1:])
        return [j for j in range(1, len(words)) if words[j]] if 2 * n_words < len(words) - 1 else []

    def _with_row_names(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Names of samples become the index; empty columns without a name go."""
        named = [bool(str(name).strip()) for name in frame.columns]
        kept = [j for j, known in enumerate(named) if known or frame.iloc[:, j].notna().any()]
        if len(kept) < len(named):
            self.notes.append(
                f"{len(named) - len(kept)} empty column(s) without a name were omitted"
            )
            frame = frame.iloc[:, kept]
        if self.how.id is not None and not (self.how.transpose and frame.columns[0] == ""):
            if self.how.id not in frame.columns:
                raise UnknownNameError("column", self.how.id, map(str, frame.columns))
            position = list(frame.columns).index(self.how.id)
        else:
            unnamed = [j for j, name in enumerate(frame.columns) if not str(name).strip()]
            if unnamed != [0] or frame.shape[1] == 1:
                return frame
            position = 0
            self._note(
                not self.how.transpose,
                "the first column has no name and was taken as names of the rows, not as a feature",
            )
        index = pd.Index(frame.iloc[:, position].astype(str), name=frame.columns[position] or None)
        if not index.is_unique:
            twice = index[index.duplicated()][0]
            raise DataError(
                f"the sample {twice!r} occurs twice in {self.label}; names of samples must differ"
            )
        others = [j for j in range(frame.shape[1]) if j != position]
        return frame.iloc[:, others].set_axis(index, axis="index")

    def _with_numbers(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Words that are numbers as numbers, and numbers that mean missing as missing."""
        frame = self._without_codes(frame)
        decimal = self.how.decimal or self.record.get("decimal", ".")
        if self.record["format"] == "workbook" and self.how.decimal is None:
            decimal = decimal_of(_word_columns(frame), points=False, separator=None)
        new: dict[int, Any] = {}
        notes: dict[str, list[str]] = {}
        for j, dtype in enumerate(frame.dtypes):
            if not _is_words(dtype):
                continue
            column = frame.iloc[:, j]
            words = numbers_of(column, decimal)
            if words is None and self.how.limits != "error":
                words = numbers_with_limits(column, decimal, self.how.limits)
            if words is not None:
                new[j] = words[0]
                for note in words[1]:
                    notes.setdefault(note, []).append(str(column.name))
        codes = _numbers_of(self.how.missing_codes[""])
        for j in range(frame.shape[1]) if codes else ():
            values = new.get(j, frame.iloc[:, j])
            if pd.api.types.is_numeric_dtype(values) and bool(values.isin(codes).any()):
                new[j] = values.astype(float).mask(values.isin(codes))
        for note, names in notes.items():
            self.notes.append(f"read as numbers ({note}): {enumerate_names(names)}")
        return _with_columns(frame, new)

    def joined(self) -> pd.DataFrame:
        """The table with the columns of the second file."""
        frame, other, key, file = (
            self.frame,
            self.labels.frame,
            self.how.id,
            self.labels.record["file"],
        )
        self.matched |= self.labels.matched
        self.record["labels"] = self.labels.record
        named = not isinstance(frame.index, pd.RangeIndex)
        if key is not None and key in other.columns:
            other = other.set_index(other[key].astype(str)).drop(columns=key)
        elif named and isinstance(other.index, pd.RangeIndex) and other.shape[1] > 1:
            names = pd.Index(other.iloc[:, 0].astype(str))
            if 2 * len(set(frame.index) & set(names)) >= len(frame):
                other = other.iloc[:, 1:].set_axis(names, axis="index")
        by_name = named and not isinstance(other.index, pd.RangeIndex)
        if by_name:
            absent = frame.index[~frame.index.isin(other.index)]
            if len(absent):
                raise DataError(
                    f"{file} has no row for {len(absent)} of {len(frame)} samples of {self.label}, for "
                    f"instance {absent[0]!r}; omit a column that is not a sample (drop)"
                )
            if not other.index.is_unique:
                twice = other.index[other.index.duplicated()][0]
                raise DataError(f"{file} names the sample {twice!r} twice")
            other = other.loc[frame.index]
        elif len(other) != len(frame):
            raise DataError(
                f"{file} has {len(other)} rows for {len(frame)} samples of {self.label}; name the "
                "samples in both files (id) or give one row each"
            )
        else:
            other = other.set_axis(frame.index, axis="index")
        for name in other.columns:
            if name in frame.columns:
                raise DataError(
                    f"the column {str(name)!r} is in {self.label} and in {file}; drop it"
                )
        self.notes.append(
            f"{file} was joined {'by the names of the samples' if by_name else 'row by row'}"
        )
        if other.shape[1] > 1:
            self.notes.append(
                f"its columns {enumerate_names(list(map(repr, other.columns)))} are features, except the "
                "target and what is omitted by the setting 'drop'"
            )
        return pd.concat([frame, other], axis=1)


def _is_words(dtype: Any) -> bool:
    return pd.api.types.is_object_dtype(dtype) or isinstance(dtype, pd.StringDtype)


def _word_columns(frame: pd.DataFrame) -> list[pd.Series[Any]]:
    return [frame.iloc[:, j] for j, dtype in enumerate(frame.dtypes) if _is_words(dtype)]


def _numbers_of(words: Sequence[str]) -> list[float]:
    """Those of the words that are numbers."""
    found = []
    for word in words:
        with suppress(ValueError):
            found.append(float(word))
    return found


def _single_blanks(text: str) -> str:
    """Any number of blanks outside of quotes as one, none at the ends of lines."""
    parts = text.split('"')
    parts[::2] = [re.sub(r"[ \t]+", " ", part) for part in parts[::2]]
    lines = '"'.join(parts).split("\n")
    return "\n".join(line.strip(" ") for line in lines)


def _as_text(first: Sequence[str], rows: Any) -> str:
    """Rows as delimited text whose missing cells are empty and whose words are quoted."""

    def cell(value: Any) -> str:
        return "" if value is None else '"' + str(value).replace('"', '""') + '"'

    return "\n".join(
        ",".join([cell(name), *map(cell, row)]) for name, row in zip(first, rows, strict=True)
    )


def _read_arff(content: bytes, label: str) -> pd.DataFrame:
    from scipy.io import arff

    try:
        records, meta = arff.loadarff(io.StringIO(content.decode("utf-8")))
    except (arff.ArffError, NotImplementedError, ValueError, StopIteration, IndexError) as error:
        raise DataError(f"{label} is not a readable ARFF file: {error}") from None
    frame = pd.DataFrame(records)
    for name, kind in zip(meta.names(), meta.types(), strict=True):
        if kind == "nominal":
            words = frame[name].str.decode("utf-8")
            frame[name] = pd.Categorical(words.where(words != "?"))
    return frame

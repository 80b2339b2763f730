"""A table from a file or standard input, with a note of every assumption made in reading it."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from pyfsagg._base.settings import SEPARATORS, Reading
from pyfsagg._base.words import enumerate_names
from pyfsagg._message import Param
from pyfsagg._table.columns import decimal_of, numbers_of, refuse_points
from pyfsagg._table.delimited import (
    MISSING,
    Layout,
    decode_text,
    find_layout,
    read_hashed,
    read_rows,
    shown_source,
    unpack_zip,
)
from pyfsagg.exceptions import DataError, MissingDependencyError, ParameterError, UnknownNameError

_OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PARTS = ("[Content_Types].xml", "content.xml")


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
    content: bytes, label: str, sheet: str | None, missing: Sequence[str]
) -> tuple[pd.DataFrame, str, list[str]]:
    """A sheet whose first row that is not empty is the header, its name, and those of all sheets."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise MissingDependencyError(
            f"{label} is a workbook, which needs python-calamine; install it with: "
            "pip install 'pyfsagg[sheets]', or save the sheet as CSV"
        ) from None
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(content))
        sheets = list(book.sheet_names)
        if not sheets:
            raise ValueError("it has no sheets")
        name = sheets[0] if sheet is None else sheet
        if name not in sheets and name.isdigit() and 1 <= int(name) <= len(sheets):
            name = sheets[int(name) - 1]
        if name not in sheets:
            raise UnknownNameError("sheet", name, sheets)
        rows = book.get_sheet_by_name(name).to_python(skip_empty_area=True)
    except UnknownNameError:
        raise
    except (CalamineError, OSError, ValueError) as error:
        raise DataError(f"{label} is not a readable workbook: {error}") from None
    rows = [row for row in rows if any(cell not in ("", None) for cell in row)]
    if len(rows) < 2:
        raise DataError(f"sheet {name!r} of {label} has no rows below a header")
    header = [str(_whole(cell)).strip() for cell in rows[0]]
    repeats = [title for title in header if title and header.count(title) > 1]
    if repeats:
        raise DataError(f"sheet {name!r} of {label} has the duplicate column name {repeats[0]!r}")
    columns = []
    for j in range(len(header)):
        cells = [row[j] if j < len(row) else "" for row in rows[1:]]
        columns.append(_column(cells, frozenset(missing)))
    return _frame_of(columns, header), name, sheets


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
    """Columns side by side, whose names may be empty."""
    frame = pd.concat([column.rename(str(j)) for j, column in enumerate(columns)], axis=1)
    return frame.set_axis(names, axis="columns")


_NAMES_OF_SEPARATORS = {mark: name for name, mark in SEPARATORS.items()}
_EXCEL_SEPARATOR = re.compile(r'"?sep=([,;|\t])"?[ \t]*\r?\n', re.IGNORECASE)
_UNREADABLE = (LookupError, ValueError, TypeError, OSError, AttributeError, RecursionError)
_STRANGERS = {
    b"\x89HDF": "an HDF5 file",
    b"SQLite format": "an SQLite database",
    b"RDX": "a file of R objects; write it with write.csv() or arrow::write_parquet()",
    b"X\n": "a file of R objects (RDS); write it with write.csv() or arrow::write_parquet()",
    b"\x80\x04": "a Python pickle, which is not opened",
    b"\x80\x05": "a Python pickle, which is not opened",
    b"%PDF": "a PDF document",
    b"<": "a page of HTML or XML",
    b"{": "JSON",
    b"[{": "JSON",
}


@dataclass(frozen=True, eq=False)
class TableSource:
    """A table that was read, without the columns of `drop` and `id`; names of samples are its index.

    `record` has the file, its SHA-256, its format and what was detected, as it is written into a file;
    `notes` has a sentence for each choice that nobody had asked for.
    """

    frame: pd.DataFrame
    record: dict[str, Any]
    notes: tuple[str, ...]


def read_source(source: str | Path, reading: Reading | None = None) -> TableSource:
    """Read a table from a file, or from standard input (``"-"``)."""
    how = reading or Reading()
    label = shown_source(source)
    reader = _Reader(label, how)
    content, digest = read_hashed(source)
    frame = reader.read(content, str(source))
    if how.labels is not None:
        frame = reader.join(frame, read_source(how.labels, Reading(missing=how.missing)))
    dropped = [name for name in how.drop if name not in reader.dropped]
    for name in dropped:
        if name not in frame.columns:
            raise UnknownNameError("column", name, map(str, frame.columns))
    frame = frame.drop(columns=dropped)
    record = {"file": Path(label).name, "sha256": digest, **reader.record}
    return TableSource(frame, record, tuple(reader.notes))


class _Reader:
    """Reads one file and notes what it finds."""

    def __init__(self, label: str, how: Reading) -> None:
        self.label, self.how = label, how
        self.record: dict[str, Any] = {}
        self.notes: list[str] = []
        self.dropped: set[str] = set()

    def read(self, content: bytes, name: str) -> pd.DataFrame:
        """The table of a content, with the names of the samples as its index."""
        frame = self._cells(content, name)
        if self.how.transpose:
            frame = self._transposed(frame)
        frame = self._with_row_names(frame)
        frame = self._with_numbers(frame)
        if frame.empty:
            raise DataError(f"{self.label} has no rows")
        return frame

    def _cells(self, content: bytes, name: str) -> pd.DataFrame:
        if not content.strip():
            raise DataError(f"{self.label} is empty")
        suffixes = [suffix.lower() for suffix in Path(name).suffixes]
        if is_workbook(content):
            return self._workbook(content)
        if self.how.sheet is not None:
            raise ParameterError(Param("sheet"), f" needs a workbook, and {self.label} is not one")
        if content.startswith(b"PK\x03\x04"):
            inner, file = unpack_zip(content, self.label)
            self.notes.append(f"{file} in the zip archive was read")
            return self._cells(inner, file)
        if ".parquet" in suffixes or content[:4] == b"PAR1":
            return self._arrow(content, "Parquet")
        if ".feather" in suffixes or content.startswith((b"ARROW1", b"FEA1")):
            return self._arrow(content, "Feather")
        if ".arff" in suffixes:
            self.record["format"] = "ARFF"
            return _read_arff(content, self.label)
        return self._text(content)

    def _workbook(self, content: bytes) -> pd.DataFrame:
        frame, sheet, sheets = read_sheet(content, self.label, self.how.sheet, self._words())
        self.record |= {"format": "workbook", "sheet": sheet}
        if self.how.sheet is None and len(sheets) > 1:
            self.notes.append(
                f"sheet {sheet!r}, the first of {len(sheets)}, was read (others: "
                f"{enumerate_names(sheets[1:])}); the setting 'sheet' names another"
            )
        return frame

    def _arrow(self, content: bytes, name: str) -> pd.DataFrame:
        import pyarrow as pa
        from pyarrow import feather, parquet

        self.record["format"] = name
        read = parquet.read_table if name == "Parquet" else feather.read_table
        try:
            table = read(pa.BufferReader(content))
            try:
                frame: pd.DataFrame = table.to_pandas()
            except _UNREADABLE:  # what pandas noted in the file is damaged, the columns are not
                frame = table.replace_schema_metadata(None).to_pandas()
        except (pa.ArrowException, *_UNREADABLE) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise DataError(f"{self.label} is not a readable {name} file: {reason}") from None
        return frame.set_axis(list(map(str, frame.columns)), axis="columns")

    def _text(self, content: bytes) -> pd.DataFrame:
        for mark, what in _STRANGERS.items():
            if content.startswith(mark):
                raise DataError(f"{self.label} is {what}, and not a table that can be read here")
        text, encoding = decode_text(content, self.label, self.how.encoding)
        if "\0" in text[:10_000]:
            raise DataError(f"{self.label} is not a text file: it contains the character NUL")
        sep = self.how.sep
        if first := _EXCEL_SEPARATOR.match(text):  # Excel reads it and shows it not
            text = "\n" + text[first.end() :]  # errors name lines
            sep = sep or first[1]
        layout = self._layout(text, sep)
        if layout.separator == " ":
            text = _single_blanks(text)
            layout = self._layout(text, " ")
        name = _NAMES_OF_SEPARATORS.get(layout.separator, layout.separator)
        self.record |= {"format": "text", "encoding": encoding, "sep": layout.separator}
        self._note(
            self.how.sep is None and layout.separator != ",", f"cells are divided by {name}s"
        )
        self._note(self.how.encoding is None and encoding != "utf-8", f"the text is {encoding}")
        self._note(layout.skipped, f"{layout.skipped} blank line(s) before the header were skipped")
        if self.how.transpose:  # the cells of a column are those of different features
            return self._rows(text, layout, ".", None)
        return self._with_decimal(text, layout)

    def _with_decimal(
        self, text: str, layout: Layout, row_names: Sequence[str] = ()
    ) -> pd.DataFrame:
        """The rows with the decimal mark that was asked for, or that is found out."""
        frame = self._rows(text, layout, self.how.decimal or ".", row_names)
        if self.how.decimal is not None:
            return frame
        words = _word_columns(frame.drop(columns=list(row_names)))
        decimal = decimal_of(words, points=_has_points(frame), separator=layout.separator)
        self.record["decimal"] = decimal
        if decimal == ",":
            frame = self._rows(text, layout, decimal, row_names)
            refuse_points(_word_columns(frame.drop(columns=list(row_names))))
            self.notes.append("decimal commas were found")
        return frame

    def _note(self, applies: object, sentence: str) -> None:
        if applies:
            self.notes.append(sentence)

    def _layout(self, text: str, sep: str | None) -> Layout:
        return find_layout(text, self.label, sep, candidates=",;\t| ", row_names=True)

    def _rows(self, text: str, layout: Layout, decimal: str, as_text: Any) -> pd.DataFrame:
        return read_rows(
            text, layout, self.label, self._words(), text_columns=as_text, decimal=decimal
        )

    def _words(self) -> list[str]:
        return [*MISSING, *self.how.missing]

    def _transposed(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The table with samples in rows; every feature gets the type that its cells have.

        A column beside the names of the features, such as their symbols, is no sample, and may be dropped.
        """
        self.dropped = set(self.how.drop) & set(map(str, frame.columns[1:]))
        frame = frame.drop(columns=[name for name in frame.columns if str(name) in self.dropped])
        names = [str(name).strip() for name in frame.iloc[:, 0]]
        samples = [str(name) for name in frame.columns[1:]]
        cells = frame.iloc[:, 1:].astype(object)
        text = _as_text(samples, cells.where(cells.notna(), None).to_numpy().T)
        layout = Layout(("", *names), ",", 0, 0, 0)
        self.record["transposed"] = True
        return self._with_decimal(text, layout, ("",))

    def _with_row_names(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Names of samples become the index; empty columns without a name go."""
        blank = [
            j
            for j, name in enumerate(frame.columns)
            if not str(name).strip() and bool(frame.iloc[:, j].isna().all())
        ]
        if blank:
            frame = frame.iloc[:, [j for j in range(frame.shape[1]) if j not in set(blank)]]
            self.notes.append(f"{len(blank)} empty column(s) without a name were left out")
        if self.how.id is not None:
            if self.how.id not in frame.columns:
                raise UnknownNameError("column", self.how.id, map(str, frame.columns))
            return self._named(frame, list(frame.columns).index(self.how.id))
        unnamed = [j for j, name in enumerate(frame.columns) if not str(name).strip()]
        if unnamed == [0] and frame.shape[1] > 1:
            self._note(
                not self.how.transpose,
                "the first column has no name and was taken as names of the rows, not as a feature",
            )
            return self._named(frame, 0)
        return frame

    def _named(self, frame: pd.DataFrame, position: int) -> pd.DataFrame:
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
        decimal = self.how.decimal or self.record.get("decimal", ".")
        if self.record["format"] == "workbook" and self.how.decimal is None:
            decimal = decimal_of(_word_columns(frame), points=False, separator=None)
        new: dict[int, Any] = {}
        notes: dict[str, list[str]] = {}
        for j, dtype in enumerate(frame.dtypes):
            if not _is_words(dtype):
                continue
            column = frame.iloc[:, j]
            if (words := numbers_of(column, decimal)) is not None:
                new[j] = words.values
                for note in words.notes:
                    notes.setdefault(note, []).append(str(column.name))
        codes = [float(word) for word in self.how.missing if _is_number(word)]
        if codes:
            for j in range(frame.shape[1]):
                values = new.get(j, frame.iloc[:, j])
                if pd.api.types.is_numeric_dtype(values) and bool(values.isin(codes).any()):
                    new[j] = values.astype(float).mask(values.isin(codes))
        for note, names in notes.items():
            self.notes.append(f"read as numbers ({note}): {enumerate_names(names)}")
        if not new:
            return frame
        columns = [new.get(j, frame.iloc[:, j]) for j in range(frame.shape[1])]
        return _frame_of(columns, frame.columns)

    def join(self, frame: pd.DataFrame, labels: TableSource) -> pd.DataFrame:
        """The table with the columns of a second file."""
        other = labels.frame
        key = self.how.id
        named = not isinstance(frame.index, pd.RangeIndex)
        if key is not None and key in other.columns:
            other = other.set_index(other[key].astype(str)).drop(columns=key)
        elif named and isinstance(other.index, pd.RangeIndex):
            other = _by_first_column(other, frame.index)
        self.record["labels"] = labels.record
        by_name = named and not isinstance(other.index, pd.RangeIndex)
        if by_name:
            other = _in_order(other, frame.index, self.label, labels.record["file"])
        elif len(other) != len(frame):
            raise DataError(
                f"{labels.record['file']} has {len(other)} rows for {len(frame)} samples of "
                f"{self.label}; name the samples in both files (id) or give one row each"
            )
        else:
            other = other.set_axis(frame.index, axis="index")
        twice = [str(name) for name in other.columns if name in frame.columns]
        if twice:
            raise DataError(
                f"the column {twice[0]!r} is in {self.label} and in {labels.record['file']}; leave it out"
            )
        how = "by the names of the samples" if by_name else "row by row"
        self.notes.append(f"{labels.record['file']} was joined {how}")
        return pd.concat([frame, other], axis=1)


def _is_words(dtype: Any) -> bool:
    return pd.api.types.is_object_dtype(dtype) or isinstance(dtype, pd.StringDtype)


def _word_columns(frame: pd.DataFrame) -> list[pd.Series[Any]]:
    return [frame.iloc[:, j] for j, dtype in enumerate(frame.dtypes) if _is_words(dtype)]


def _has_points(frame: pd.DataFrame) -> bool:
    """Whether a column of numbers has digits after a decimal point."""
    positions = [j for j, dtype in enumerate(frame.dtypes) if getattr(dtype, "kind", "O") == "f"]
    return any(bool((frame.iloc[:, j].dropna() % 1 != 0).any()) for j in positions)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


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


def _by_first_column(other: pd.DataFrame, index: pd.Index) -> pd.DataFrame:
    """Labels by their first column if that names the samples."""
    names = pd.Index(other.iloc[:, 0].astype(str))
    known = len(set(index) & set(names))
    if other.shape[1] > 1 and 2 * known >= len(index):
        return other.iloc[:, 1:].set_axis(names, axis="index")
    return other


def _in_order(other: pd.DataFrame, index: pd.Index, label: str, file: str) -> pd.DataFrame:
    absent = [name for name in index if name not in set(other.index)]
    if absent:
        raise DataError(
            f"{file} has no row for {len(absent)} of {len(index)} samples of {label}, for instance "
            f"{absent[0]!r}; leave out a column that is no sample (drop)"
        )
    if not other.index.is_unique:
        raise DataError(
            f"{file} names the sample {other.index[other.index.duplicated()][0]!r} twice"
        )
    return other.loc[index]


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

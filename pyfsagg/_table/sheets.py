"""Sheets of workbooks: xlsx, xlsm, xlsb, xls and ods, read by python-calamine."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from typing import Any

import pandas as pd

from pyfsagg.exceptions import DataError, MissingDependencyError, UnknownNameError

__all__ = ["is_workbook", "read_sheet"]

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
    """A sheet whose first row that is not empty is the header, its name, and those of all sheets.

    Raises
    ------
    MissingDependencyError
        If python-calamine is not installed.
    DataError
        For a damaged workbook, or a sheet that is empty, has no header or a name twice.
    UnknownNameError
        If there is no such sheet.
    """
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
        name = _find(sheets, sheet)
        rows = book.get_sheet_by_name(name).to_python(skip_empty_area=True)
    except (CalamineError, OSError, ValueError) as error:
        if isinstance(error, UnknownNameError):
            raise
        raise DataError(f"{label} is not a readable workbook: {error}") from None
    rows = [row for row in rows if any(cell not in ("", None) for cell in row)]
    if len(rows) < 2:
        raise DataError(f"sheet {name!r} of {label} has no rows below a header")
    header = [_name(cell) for cell in rows[0]]
    repeats = [each for each in dict.fromkeys(header) if each and header.count(each) > 1]
    if repeats:
        raise DataError(f"sheet {name!r} of {label} has the duplicate column name {repeats[0]!r}")
    empty = frozenset(missing)
    columns = [
        _column([row[j] if j < len(row) else "" for row in rows[1:]], empty)
        for j in range(len(header))
    ]
    frame = pd.concat([column.rename(str(j)) for j, column in enumerate(columns)], axis=1)
    return frame.set_axis(header, axis="columns"), name, sheets


def _find(sheets: Sequence[str], wanted: str | None) -> str:
    if not sheets:
        raise ValueError("it has no sheets")
    if wanted is None:
        return sheets[0]
    if wanted in sheets:
        return wanted
    if wanted.isdigit() and 1 <= int(wanted) <= len(sheets):
        return sheets[int(wanted) - 1]
    raise UnknownNameError("sheet", wanted, sheets)


def _name(cell: Any) -> str:
    whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell) if whole else cell).strip()


def _column(cells: list[Any], missing: frozenset[str]) -> pd.Series[Any]:
    """A column with the type that its cells have: whole numbers where all are."""
    known = [None if isinstance(cell, str) and cell.strip() in missing else cell for cell in cells]
    kinds = {type(cell) for cell in known if cell is not None}
    if kinds == {bool} and None not in known:
        return pd.Series(known, dtype=bool)
    if kinds and kinds <= {int, float}:
        numbers = pd.Series([float("nan") if cell is None else cell for cell in known], dtype=float)
        whole = None not in known and bool((numbers % 1 == 0).all())
        return numbers.astype("int64") if whole else numbers
    return pd.Series(known, dtype=object)

"""Bytes from files or standard input, and delimited text as a table."""

from __future__ import annotations

import csv
import gzip
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from pyfsagg.exceptions import DataError

__all__ = ["MISSING", "decode_text", "read_bytes", "read_delimited"]

MISSING = ("", "NA", "N/A", "NaN", "nan", "NULL", "null", "?")


def read_bytes(source: str | os.PathLike[str]) -> bytes:
    """The content of a file, or of standard input (``"-"``); unpacked if it is gzipped.

    Raises
    ------
    DataError
        If there is no such file, or it cannot be read or unpacked.
    """
    if str(source) == "-":
        content = sys.stdin.buffer.read()
    else:
        path = Path(source)
        if path.is_dir():
            raise DataError(f"{source} is a folder, not a file")
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            raise DataError(f"no such file: {source}") from None
        except OSError as error:
            raise DataError(f"cannot read {source}: {error.strerror or error}") from None
    if content[:2] == b"\x1f\x8b":
        try:
            return gzip.decompress(content)
        except (OSError, EOFError) as error:
            raise DataError(f"{source} is a damaged gzip file: {error}") from None
    return content


def read_delimited(
    content: bytes,
    label: str,
    missing: Sequence[str] = MISSING,
    *,
    text_columns: Sequence[str] | None = (),
) -> pd.DataFrame:
    """A table with a header: comma, semicolon or tab, whichever the header has most of.

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
    import pyarrow as pa
    import pyarrow.csv as pa_csv

    content = content.removeprefix(b"\xef\xbb\xbf")
    header, delimiter = _header(content, label)
    as_text = header if text_columns is None else text_columns
    repeats = [name for name in dict.fromkeys(header) if header.count(name) > 1]
    if repeats:
        raise DataError(
            f"{label} has the duplicate column name(s) {', '.join(map(repr, repeats[:5]))}; give every "
            "column a name of its own"
        )
    try:
        table = pa_csv.read_csv(
            pa.BufferReader(content),
            read_options=pa_csv.ReadOptions(use_threads=False),  # only so do errors name the row
            parse_options=pa_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=pa_csv.ConvertOptions(
                column_types=dict.fromkeys(as_text, pa.string()),
                null_values=list(missing),
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid as error:
        reason = str(error).removeprefix("CSV parse error: ").split("\n")[0]
        raise DataError(f"{label} has ragged rows or is not a table of text: {reason}") from None
    if table.num_rows == 0:
        raise DataError(f"{label} has a header but no rows")
    frame: pd.DataFrame = table.to_pandas()
    suspects = frame[frame.iloc[:, 0] == header[0]]
    twice = suspects.index[(suspects.astype(str) == header).all(axis=1)]
    if len(twice):
        raise DataError(
            f"{label} has its header twice (again in line {twice[0] + 2}); remove the second one"
        )
    return frame


def _header(content: bytes, label: str) -> tuple[list[str], str]:
    text = decode_text(content, label)
    line = text.split("\n", 1)[0].rstrip("\r")
    delimiter = max(",;\t", key=line.count)
    names = next(csv.reader(io.StringIO(line), delimiter=delimiter), [])
    return [name.strip() for name in names], delimiter


def decode_text(content: bytes, label: str) -> str:
    """UTF-8 text without a byte order mark.

    Raises
    ------
    DataError
        For any other encoding.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{label} is not UTF-8 text (byte {error.start}); convert it, for instance with iconv"
        ) from None

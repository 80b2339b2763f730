"""Opening of a table that is read piece by piece: a folder of Parquet files, or a Dask frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from pyfsagg._table.table import check_names
from pyfsagg.exceptions import DataError, InputTypeError
from pyfsagg.out_of_core.dask_frame import open_dask_frame
from pyfsagg.out_of_core.piece import Piece, Source

__all__ = ["open_source"]

BUFFER = 2**16
"""Bytes of a column that are read from a file at a time."""

PAGES = 5 * 2**19
"""Bytes that the pages of a column take at most while they are unpacked, as writers commonly cut them
(1 MiB); of a small column it is `UNPACKED` times its size.  Both were measured."""

UNPACKED = 1.6


def open_source(source: Any) -> Source:
    """A folder of Parquet files, one Parquet file, or a Dask frame as a :class:`Source`.

    Raises
    ------
    DataError
        No such file, no Parquet file in the folder, no rows, an unreadable file, or files that do
        not have the same columns of the same types.
    InputTypeError
        For anything else.
    """
    if hasattr(source, "npartitions") and hasattr(source, "to_delayed"):
        opened = open_dask_frame(source)
    elif isinstance(source, (str, Path)):
        opened = _open_parquet(Path(source))
    else:
        raise InputTypeError(
            "source must be the path of a folder of Parquet files, or a Dask frame, got "
            f"{type(source).__name__}; a table in memory goes to pyfsagg.wam or pyfsagg.bam"
        )
    if opened.n_rows < 2:
        raise DataError(f"{opened.name} has {opened.n_rows} row(s); a minimum of 2 is required")
    return opened


@dataclass(frozen=True)
class RowGroup:
    """One row group of a Parquet file: a :class:`Piece`."""

    path: Path
    number: int
    first_row: int
    n_rows: int

    def batches(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            # Buffered: a worker holds some pages of each column and not the whole row group.
            with pq.ParquetFile(self.path, buffer_size=BUFFER, pre_buffer=False) as file:
                names = list(columns)
                for batch in file.iter_batches(
                    size, row_groups=[self.number], columns=names, use_threads=False
                ):
                    yield batch.select(names)
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"{self.path} cannot be read: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _open_parquet(path: Path) -> Source:
    """The row groups of all files, files in the order of their names."""
    if not path.exists():
        raise DataError(f"there is no folder {path}")
    files = [path] if path.is_file() else _parquet_files(path)
    pieces: list[Piece] = []
    types: dict[str, Any] = {}
    held: dict[str, int] = {}
    first_row = 0
    for file in files:
        schema, metadata = _footer(file)
        if not types:
            types = _columns(schema)
        _check_same(types, _columns(schema), files[0], file)
        for number in range(metadata.num_row_groups):
            group = metadata.row_group(number)
            for position in range(group.num_columns):
                chunk = group.column(position)
                name = chunk.path_in_schema
                size = BUFFER + min(PAGES, int(UNPACKED * chunk.total_uncompressed_size))
                held[name] = max(held.get(name, 0), size)
            if group.num_rows:
                pieces.append(RowGroup(file, number, first_row, group.num_rows))
                first_row += group.num_rows
    known = [(str(file.relative_to(path)), file.stat()) for file in files]
    stamps = [(name, stat.st_size, stat.st_mtime_ns) for name, stat in known]
    return Source(str(path), types, tuple(pieces), held, stamps)


def _parquet_files(folder: Path) -> list[Path]:
    """The Parquet files below a folder; names that start with a dot or underscore are no data."""
    found = []
    for path in folder.rglob("*"):
        inside = path.relative_to(folder).parts
        hidden = any(part.startswith((".", "_")) for part in inside)
        if path.suffix.lower() in (".parquet", ".pq") and not hidden and path.is_file():
            for part in inside[:-1]:
                if "=" in part:
                    raise DataError(
                        f"the name of the folder {part!r} holds a column, which would not be read; "
                        "write that column into the files, and name the folder without '='"
                    )
            found.append(path)
    if not found:
        raise DataError(f"the folder {folder} holds no Parquet file (*.parquet)")
    return sorted(found, key=lambda path: path.relative_to(folder).parts)


def _footer(path: Path) -> tuple[Any, Any]:
    """Schema and metadata of a file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            return file.schema_arrow, file.metadata
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path} is not a readable Parquet file: {_first_line(error)}") from None


def _columns(schema: Any) -> dict[str, Any]:
    """Types by name, without the columns in which pandas keeps an index."""
    names = pd.Index(list(schema.names), dtype=object)
    check_names(names)
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    return {field.name: field.type for field in schema if field.name not in index}


def _check_same(expected: dict[str, Any], found: dict[str, Any], first: Path, path: Path) -> None:
    """Refuse a file whose columns are not those of the first one; their order does not matter."""
    for name in expected:
        if name not in found:
            raise DataError(
                f"the column {name!r} is in {first.name} and not in {path}; the files of a folder "
                "must have the same columns"
            )
    for name, kind in found.items():
        if name not in expected:
            raise DataError(
                f"the column {name!r} is in {path} and not in {first.name}; the files of a folder "
                "must have the same columns"
            )
        if not expected[name].equals(kind):
            raise DataError(
                f"the column {name!r} is {expected[name]} in {first.name} and {kind} in {path}; "
                "write all files of a folder with one schema"
            )

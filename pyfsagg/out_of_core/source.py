"""A table larger than memory, read piece by piece: a folder of Parquet files or a Dask frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, Protocol

import pandas as pd

from pyfsagg._message import Param, Public
from pyfsagg._table.table import check_names
from pyfsagg.exceptions import DataError, InputTypeError


class Piece(Protocol):
    """A run of consecutive rows that one worker reads."""

    @property
    def first_row(self) -> int: ...
    @property
    def n_rows(self) -> int: ...

    def batches(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        """Arrow record batches of at most `size` rows with the named columns, all in order."""
        ...


@dataclass(frozen=True)
class Source:
    """A table larger than memory.

    Attributes
    ----------
    name : str
        What it is called in messages.
    types : dict of str to Arrow type
        Its columns, in order.
    pieces : tuple of Piece
        Its rows, in order; their numbers go on from piece to piece.
    held : dict of str to int
        Bytes that a worker holds of a column while it reads, beside the batch.
    files : list of (name, size, time of the last change), optional
        By which a checkpoint knows the data again; None where they cannot be known.
    """

    name: str
    types: dict[str, Any]
    pieces: tuple[Piece, ...]
    held: dict[str, int]
    files: list[tuple[str, int, int]] | None = None

    @property
    def n_rows(self) -> int:
        return sum(piece.n_rows for piece in self.pieces)


_BYTES_PER_CELL = 16
"""Of a partition as pandas holds it, and as Arrow does; text may take more."""


@dataclass(frozen=True)
class Partition:
    """One partition: a :class:`Piece`.  It is computed anew in each pass, by the worker."""

    delayed: Any
    schema: Any
    number: int
    first_row: int
    n_rows: int

    def batches(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        import pyarrow as pa

        frame = self.delayed.compute(scheduler="synchronous")
        if len(frame) != self.n_rows:
            raise DataError(
                f"partition {self.number} of the Dask frame has {len(frame)} rows, and had {self.n_rows} "
                "before; the frame must give the same rows each time it is computed"
            )
        names = list(columns)
        schema = pa.schema([self.schema.field(name) for name in names])
        try:
            table = pa.Table.from_pandas(frame[names], schema=schema, preserve_index=False)
        except pa.ArrowException as error:
            raise DataError(
                f"partition {self.number} of the Dask frame is not of the types it announces: {error}"
            ) from None
        yield from table.combine_chunks().to_batches(max_chunksize=size)


def open_dask_frame(frame: Any) -> Source:
    """The partitions of `frame` in order; their lengths are computed here."""
    import pyarrow as pa

    check_names(pd.Index(frame.columns))
    try:
        schema = pa.Schema.from_pandas(frame._meta_nonempty, preserve_index=False)
    except pa.ArrowException as error:
        raise DataError(f"the Dask frame has a column that cannot be read: {error}") from None
    lengths = [int(length) for length in frame.map_partitions(len).compute()]
    starts = accumulate(lengths, initial=0)
    pieces: list[Piece] = [
        Partition(delayed, schema, number, first_row, n_rows)
        for number, (delayed, first_row, n_rows) in enumerate(
            zip(frame.to_delayed(), starts, lengths, strict=False)
        )
        if n_rows
    ]
    held = _BYTES_PER_CELL * max(lengths, default=0)
    types = {field.name: field.type for field in schema}
    return Source("the Dask frame", types, tuple(pieces), dict.fromkeys(types, held))


BUFFER = 2**16
"""Bytes of a column that are read from a file at a time."""

PAGES = 5 * 2**19
"""Bytes that the pages of a column take at most while they are unpacked, as writers commonly cut them
(1 MiB); of a small column it is `UNPACKED` times its size.  Both were measured."""

UNPACKED = 1.6


def open_source(source: Any) -> Source:
    """A folder of Parquet files, one Parquet file, or a Dask frame as a :class:`Source`."""
    if hasattr(source, "npartitions") and hasattr(source, "to_delayed"):
        opened = open_dask_frame(source)
    elif isinstance(source, (str, Path)):
        opened = _open_parquet(Path(source))
    else:
        raise InputTypeError(
            Param("source"),
            " must be the path of a folder of Parquet files, or a Dask frame, got ",
            f"{type(source).__name__}; a table in memory goes to ",
            Public("wam"),
            " or ",
            Public("bam"),
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
    files = []
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
            files.append(path)
    if not files:
        raise DataError(f"the folder {folder} holds no Parquet file (*.parquet)")
    return sorted(files, key=lambda path: path.relative_to(folder).parts)


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


def _check_same(expected: dict[str, Any], columns: dict[str, Any], first: Path, path: Path) -> None:
    """Refuse a file whose columns are not those of the first one; their order does not matter."""
    for name in expected:
        if name not in columns:
            raise DataError(
                f"the column {name!r} is in {first.name} and not in {path}; the files of a folder "
                "must have the same columns"
            )
    for name, kind in columns.items():
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

"""Tables larger than memory: read in parts, and counted once."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.validation import one_nan, require_extra
from pyfsagg._base.words import first_line
from pyfsagg._kernels.class_tables import width_rows
from pyfsagg._kernels.entropy_scores import OUTPUTS, score_counts
from pyfsagg._kernels.poisson_bootstrap import count_resamples, digest_column, padded
from pyfsagg._message import Param, Public, Remedy
from pyfsagg._table.columns import Kind, arrow_numbers, refuse_arrow_type, refuse_mixed_text
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
    """A table larger than memory, with the Arrow types of its columns and its rows in pieces, in order."""

    name: str
    types: dict[str, Any]
    pieces: tuple[Piece, ...]
    held: dict[
        str, int
    ]  # bytes that a worker holds of a column while it reads, in addition to the batch
    # Name, size and time of the last change, by which a checkpoint recognises the data; None if unknown.
    files: list[tuple[str, int, int]] | None = None

    @property
    def n_rows(self) -> int:
        return sum(piece.n_rows for piece in self.pieces)


_BYTES_PER_CELL = 16  # of a partition as pandas holds it, and as Arrow does; text may take more


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
                f"partition {self.number} of the Dask frame has {len(frame)} rows, and had "
                f"{self.n_rows} before; the frame must return the same rows each time"
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
    parts = zip(frame.to_delayed(), accumulate(lengths, initial=0), lengths, strict=False)
    pieces: list[Piece] = [
        Partition(delayed, schema, number, first_row, n_rows)
        for number, (delayed, first_row, n_rows) in enumerate(parts)
        if n_rows
    ]
    held = _BYTES_PER_CELL * max(lengths, default=0)
    types = {field.name: field.type for field in schema}
    return Source("the Dask frame", types, tuple(pieces), dict.fromkeys(types, held))


BUFFER = 2**16  # bytes of a column that are read from a file at a time
PAGES = 5 * 2**19
"""Bytes that the pages of a column take at most while they are unpacked, as writers commonly cut them
(1 MiB); of a small column it is `UNPACKED` times its size.  Both were measured."""

UNPACKED = 1.6


def open_source(source: Any) -> Source:
    """A folder of Parquet files, one Parquet file, or a Dask frame as a :class:`Source`."""
    require_extra("pyarrow.parquet", "parquet", "a table that is larger than memory")
    if hasattr(source, "npartitions") and hasattr(source, "to_delayed"):
        opened = open_dask_frame(source)
    elif isinstance(source, (str, Path)):
        opened = _open_parquet(Path(source))
    else:
        raise InputTypeError(
            Param("source"),
            " must be the path of a folder of Parquet files, or a Dask frame, got ",
            f"{type(source).__name__}",
            Remedy("give a table in memory to ", Public("wam"), " or ", Public("bam")),
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
            raise DataError(f"{self.path} cannot be read: {first_line(error)}") from None


def _open_parquet(path: Path) -> Source:
    """The row groups of all files, files in the order of their names."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.exists():
        raise DataError(f"there is no folder {path}")
    files = [path] if path.is_file() else _parquet_files(path)
    pieces: list[Piece] = []
    types: dict[str, Any] = {}
    held: dict[str, int] = {}
    first_row = 0
    for file in files:
        try:
            with pq.ParquetFile(file) as opened:
                schema, metadata = opened.schema_arrow, opened.metadata
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"{file} is not a readable Parquet file: {first_line(error)}") from None
        check_names(pd.Index(list(schema.names), dtype=object))
        # Without the columns in which pandas keeps an index.
        index = (schema.pandas_metadata or {}).get("index_columns", [])
        columns = {field.name: field.type for field in schema if field.name not in index}
        types = types or columns
        _check_same(types, columns, files[0], file)
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
    stats = [(str(file.relative_to(path)), file.stat()) for file in files]
    stamps = [(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats]
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
                        f"the name of the folder {part!r} contains a column, which would not be read; "
                        "write that column into the files, and name the folder without '='"
                    )
            files.append(path)
    if not files:
        raise DataError(f"the folder {folder} contains no Parquet file (*.parquet)")
    return sorted(files, key=lambda path: path.relative_to(folder).parts)


def _check_same(expected: dict[str, Any], columns: dict[str, Any], first: Path, path: Path) -> None:
    """Refuse a file with other columns than the first one, in any order."""
    for name in {**expected, **columns}:
        if name not in expected or name not in columns:
            there, missing = (first.name, path) if name in expected else (path, first.name)
            raise DataError(
                f"the column {name!r} is in {there} and not in {missing}; the files of a folder must "
                "have the same columns"
            )
        if not expected[name].equals(columns[name]):
            raise DataError(
                f"the column {name!r} is {expected[name]} in {first.name} and {columns[name]} in {path}; "
                "write all files of a folder with one schema"
            )


MOST_LEVELS = 10_000
"""Levels of a nominal column or of the target, above which it is taken for an identifier."""

FINE_PARTS = 2**16  # parts of the range in steps of which bins of equal frequency are cut


@dataclass(frozen=True)
class Column:
    """How cells are read: the `kind` as in memory (a target is nominal), and the type `stored`."""

    name: str
    kind: Kind
    stored: type

    @property
    def words(self) -> bool:
        return self.stored is str

    @property
    def binned(self) -> bool:
        return self.kind in (Kind.NUMERIC, Kind.INTEGER)

    def read(self, array: Any) -> Any:
        """Cells of an Arrow array: large strings with nulls, or float64 with NaN for missing ones."""
        import pyarrow as pa

        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        if self.words:
            return array.cast(pa.large_string())
        if pa.types.is_boolean(array.type):
            array = array.cast(pa.int8())
        elif pa.types.is_decimal(array.type):
            array = arrow_numbers(array)
        return one_nan(array.to_numpy(zero_copy_only=False).astype(np.float64, copy=False))


def column_of(name: str, arrow_type: Any, *, nominal: bool = False) -> Column:
    """The column of that Arrow type."""
    from pyarrow import types

    stored = arrow_type.value_type if types.is_dictionary(arrow_type) else arrow_type
    nominal = nominal or types.is_dictionary(arrow_type)
    if types.is_string(stored) or types.is_large_string(stored):
        return Column(name, Kind.NOMINAL, str)
    if types.is_boolean(stored):
        return Column(name, Kind.NOMINAL if nominal else Kind.BOOLEAN, bool)
    if types.is_integer(stored) or (types.is_decimal(stored) and stored.scale <= 0):
        return Column(name, Kind.NOMINAL if nominal else Kind.INTEGER, int)
    if types.is_floating(stored) or types.is_decimal(stored):
        return Column(name, Kind.NOMINAL if nominal else Kind.NUMERIC, float)
    if types.is_temporal(stored):
        refuse_arrow_type(stored, name)
    raise DataError(
        f"column {name!r} has the type {arrow_type}, which has no importance score; convert it to "
        "numbers or text, or drop it"
    )


@dataclass
class Sketch:
    """The range of a binned column, or the counts of levels, of a part of its rows."""

    column: Column
    low: float = np.inf
    high: float = -np.inf
    levels: Counter[Any] = field(default_factory=Counter)
    n_missing: int = 0

    def see(self, array: Any) -> None:
        """Take the cells of an Arrow array in."""
        cells = self.column.read(array)
        if self.column.words:
            import pyarrow.compute as pc

            self.n_missing += cells.null_count
            counted = pc.value_counts(cells.drop_null())
            values, counts = (counted.field(name).to_pylist() for name in ("values", "counts"))
            self.levels.update(dict(zip(values, counts, strict=True)))
        elif self.column.binned:
            self.low = float(np.fmin.reduce(cells, initial=self.low))  # passes NaN over
            self.high = float(np.fmax.reduce(cells, initial=self.high))
        else:
            known = cells[~np.isnan(cells)]
            self.n_missing += cells.size - known.size
            numbers, n_rows = np.unique(known, return_counts=True)
            self.levels.update(dict(zip(numbers.tolist(), n_rows.tolist(), strict=True)))
        self._check()

    def add(self, other: Sketch) -> None:
        """Take in the sketch of another part of the column."""
        self.low = min(self.low, other.low)
        self.high = max(self.high, other.high)
        self.levels.update(other.levels)
        self.n_missing += other.n_missing
        self._check()

    def _check(self) -> None:
        """Refuse what further rows cannot mend, as soon as it is seen."""
        name = self.column.name
        infinite = self.high == np.inf or self.low == -np.inf
        if infinite or not self.levels.keys().isdisjoint((np.inf, -np.inf)):
            raise DataError(
                f"column {name!r} has an infinite value (inf); replace infinity by a number or mark "
                "it missing"
            )
        if len(self.levels) > MOST_LEVELS:
            raise DataError(
                f"column {name!r} has more than {MOST_LEVELS} levels: an identifier, or a number that "
                "is declared nominal; drop it or bin it first"
            )

    @property
    def is_constant(self) -> bool:
        """Whether no two known values differ."""
        return not self.low < self.high if self.column.binned else len(self.levels) < 2

    def coding(self, bins: int) -> Coding:
        """The codes of the column."""
        if self.column.binned:
            return Coding(self.column, bins, self.low, self.high)
        levels = tuple(sorted(self.levels))
        if self.column.words:
            refuse_mixed_text(pd.Series(levels, dtype=object), self.column.name)
        counts = tuple(self.levels[level] for level in levels)
        return Coding(self.column, len(levels), levels=levels, counts=counts)


@dataclass(frozen=True, eq=False)
class Coding:
    """Codes of cells: bins from `low` to `high`, or places in `levels`; missing comes last. Bin k of equal
    frequency has the fine parts from ``edges[k]`` to before ``edges[k + 1]``."""

    column: Column
    n_known: int
    low: float = 0.0
    high: float = 0.0
    levels: tuple[Any, ...] = ()
    counts: tuple[int, ...] = ()
    edges: NDArray[np.int64] | None = None

    @property
    def n_codes(self) -> int:
        return self.n_known + 1

    @property
    def labels(self) -> tuple[Any, ...]:
        """The levels in their stored type: 0, not 0.0, in a column of integers."""
        return tuple(self.column.stored(level) for level in self.levels)

    def fine_parts(self, numbers: NDArray[np.float64]) -> NDArray[np.uint32]:
        """Parts of the range (0 to FINE_PARTS - 1) in which numbers lie; FINE_PARTS for NaN."""
        parts = np.empty(numbers.size, np.uint32)
        width_rows(numbers, self.low, self.high, FINE_PARTS, parts)
        if not self.low < self.high:
            parts[np.isnan(numbers)] = FINE_PARTS
        return parts

    def encode(self, array: Any, codes: NDArray[np.uint16]) -> NDArray[np.float64]:
        """Write the codes of an Arrow array; returns the cells as numbers, words as their codes or NaN."""
        cells = self.column.read(array)
        if self.column.words:
            import pyarrow as pa
            import pyarrow.compute as pc

            places = pc.index_in(cells, value_set=pa.array(self.levels, type=pa.large_string()))
            codes[:] = places.fill_null(self.n_known).to_numpy()
            return np.where(codes == self.n_known, np.nan, codes)
        numbers: NDArray[np.float64] = cells
        if self.edges is not None:
            # A missing value is a part and a bin of its own, after all others.
            sizes = np.diff([*self.edges, FINE_PARTS + 1])
            bins = np.repeat(np.arange(self.n_codes, dtype=np.uint16), sizes)
            codes[:] = bins[self.fine_parts(numbers)]
        elif self.column.binned:
            width_rows(numbers, self.low, self.high, self.n_known, codes)
            if not self.low < self.high:
                codes[np.isnan(numbers)] = self.n_known  # the number that it has elsewhere
        else:
            codes[:] = np.searchsorted(np.array(self.levels), numbers)
            codes[np.isnan(numbers)] = self.n_known
        return numbers


def sketch_piece(reading: tuple[Sequence[Column], int], piece: Piece) -> list[Sketch]:
    """Sketches of the columns of one piece, read by blocks of rows."""
    columns, size = reading
    sketches = [Sketch(column) for column in columns]
    for batch in piece.batches([column.name for column in columns], size):
        for cells, sketch in zip(batch.columns, sketches, strict=True):
            sketch.see(cells)
    return sketches


def histogram_piece(reading: tuple[Sequence[Coding], int], piece: Piece) -> NDArray[np.int64]:
    """Histograms (n_columns, FINE_PARTS) of binned columns of one piece."""
    codings, size = reading
    counts = np.zeros((len(codings), FINE_PARTS), np.int64)
    names = [coding.column.name for coding in codings]
    for batch in piece.batches(names, size):
        for position, coding in enumerate(codings):
            parts = coding.fine_parts(coding.column.read(batch.column(position)))
            counts[position] += np.bincount(parts, minlength=FINE_PARTS + 1)[:FINE_PARTS]
    return counts


def frequency_coding(coding: Coding, histogram: NDArray[np.int64]) -> Coding:
    """The coding of a binned column by shares of rows, as :func:`pyfsagg.discretization.discretize`: cuts
    follow the first part that reaches 1, 2, … shares, and a part with several shares omits bins."""
    below = np.cumsum(histogram)
    total = int(below[-1])
    bins, goal = coding.n_known, total
    edges = [0]
    while total > 0:
        last = int(np.searchsorted(below * bins, goal))
        if below[last] == total:
            break
        edges.append(last + 1)
        goal = (int(below[last]) * bins // total + 1) * total
    return replace(coding, n_known=len(edges), edges=np.array([*edges, FINE_PARTS]))


Counts = dict[str, NDArray[Any]]
"""``counts`` (cells, padded resamples) of the features, those of the table itself as ``own`` (cells, 1), and
``digests`` of the features and the target."""


class Counting(NamedTuple):
    """What is counted: shared by the tasks of all pieces."""

    features: Sequence[Coding]
    target: Coding
    key: np.uint64
    n_resamples: int
    batch_rows: int


def empty_counts(counting: Counting) -> Counts:
    """Counts of no rows."""
    features, target = counting.features, counting.target
    cells = sum(coding.n_codes for coding in features) * target.n_known
    return {
        "counts": np.zeros((cells, padded(counting.n_resamples)), np.int64),
        "own": np.zeros((cells, 1), np.int64),
        "digests": np.zeros(len(features) + 1, np.uint64),
    }


def count_piece(counting: Counting, piece: Piece) -> Counts:
    """Counts of one piece; those of several pieces are added."""
    counts, own, digests = empty_counts(counting).values()
    codings = [*counting.features, counting.target]
    names = [coding.column.name for coding in codings]
    stand_ins = [hashlib.blake2b(name.encode(), digest_size=8).digest() for name in names]
    salts = [np.uint64(int.from_bytes(digest, "little")) for digest in stand_ins]
    n_codes = np.array([coding.n_codes for coding in counting.features], dtype=np.int64)
    n_classes = counting.target.n_known
    starts = np.concatenate([[0], np.cumsum(n_codes)]) * n_classes
    first_row = piece.first_row
    for batch in piece.batches(names, counting.batch_rows):
        codes = np.empty((len(codings), batch.num_rows), np.uint16)
        for position, coding in enumerate(codings):
            cells = coding.encode(batch.column(position), codes[position])
            digests[position : position + 1] += digest_column(cells, salts[position], first_row)
        count_resamples(codes[:-1], codes[-1], n_classes, n_codes, counting.key, first_row, counts)
        for j, column in enumerate(codes[:-1]):
            cells = column.astype(np.int64) * n_classes + codes[-1]
            part = own[starts[j] : starts[j + 1], 0]
            part += np.bincount(cells, minlength=part.size)
        first_row += batch.num_rows
    return {"counts": counts, "own": own, "digests": digests}


def count_scores(
    counts: NDArray[np.int64], features: Sequence[Coding], n_classes: int, n_resamples: int
) -> dict[str, NDArray[np.float64]]:
    """Scores (n_resamples, n_features) by filter, out of the counts of all pieces."""
    scores = np.full((len(OUTPUTS), n_resamples, len(features)), np.nan)
    n_codes = np.array([coding.n_codes for coding in features], dtype=np.int64)
    score_counts(counts, n_codes, n_classes, scores)
    return dict(zip(OUTPUTS, scores, strict=True))

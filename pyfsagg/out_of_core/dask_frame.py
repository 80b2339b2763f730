"""A Dask data frame as a table that is read partition by partition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import pandas as pd

from pyfsagg._table.table import check_names
from pyfsagg.exceptions import DataError
from pyfsagg.out_of_core.piece import Piece, Source

__all__ = ["open_dask_frame"]

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
    """The partitions of `frame` in order; their lengths are computed here.

    Raises
    ------
    DataError
        For columns without a name of their own, or of a type that Arrow does not know.
    """
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

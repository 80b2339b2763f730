"""A table larger than memory is a run of pieces, whatever it is kept in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["Piece", "Source"]


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

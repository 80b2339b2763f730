"""How large matrices are walked through in parts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

__all__ = ["column_blocks", "row_blocks"]

PART = 2**26
"""Bytes of a matrix that are worked on at a time."""


def row_blocks(shape: tuple[int, ...]) -> Iterator[slice]:
    """Rows of a matrix in parts of about `PART` bytes."""
    size = max(1, PART // (8 * shape[1]))
    return (slice(start, min(start + size, shape[0])) for start in range(0, shape[0], size))


def column_blocks(shape: tuple[int, ...]) -> Iterator[slice]:
    """Columns of a matrix in parts of about `PART` bytes; no part has a single column.

    The sum over a single column is taken in another order than that over one of several.
    """
    m, p = shape
    n_parts = max(1, min(8 * m * p // PART, p // 2))
    edges = [p * i // n_parts for i in range(n_parts + 1)]
    return (slice(start, stop) for start, stop in pairwise(edges))

"""Bins of equal frequency: cuts at quantiles, told from a fine histogram of the range.

The parts of the histogram are fixed by the smallest and the largest value of the column, so the cuts do
not depend on how the rows are divided into pieces.  They lie at edges of the parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pyfsagg.out_of_core.columns import FINE_PARTS, Coding
from pyfsagg.out_of_core.piece import Piece

__all__ = ["frequency_coding", "histogram_piece"]


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
    """The coding of a binned column by shares of the rows instead of the range.

    As :func:`pyfsagg.discretize` does it with values: a cut is made after the first part at or below
    which 1, 2, … of the shares lie, and a part that takes several shares leaves out bins.
    """
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

"""The second pass: counts of every feature by code and class in all resamples, and the scores."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pyfsagg._kernels.counted_scores import OUTPUTS, score_counts
from pyfsagg._kernels.poisson_bootstrap import count_resamples, digest_column, padded
from pyfsagg.out_of_core.columns import Coding
from pyfsagg.out_of_core.source import Piece

__all__ = ["Counts", "count_piece", "count_scores", "empty_counts"]

Counts = tuple[NDArray[np.int64], NDArray[np.uint64]]
"""Counts (cells, padded resamples) of the features, and digests of the features and the target."""


def empty_counts(features: Sequence[Coding], target: Coding, n_resamples: int) -> Counts:
    """Counts of no rows."""
    cells = sum(coding.n_codes for coding in features) * target.n_known
    return (
        np.zeros((cells, padded(n_resamples)), np.int64),
        np.zeros(len(features) + 1, np.uint64),
    )


def count_piece(
    piece: Piece,
    features: Sequence[Coding],
    target: Coding,
    key: np.uint64,
    n_resamples: int,
    size: int,
) -> tuple[int, Counts]:
    """Counts of one piece, and its number of rows; counts of several pieces are added."""
    counts, digests = empty_counts(features, target, n_resamples)
    codings = [*features, target]
    names = [coding.column.name for coding in codings]
    salts = [_salt(name) for name in names]
    n_codes = np.array([coding.n_codes for coding in features], dtype=np.int64)
    first_row = piece.first_row
    for batch in piece.batches(names, size):
        codes = np.empty((len(codings), batch.num_rows), np.uint16)
        found = np.empty_like(digests)
        for position, coding in enumerate(codings):
            cells = coding.encode(batch.column(position), codes[position])
            found[position] = digest_column(cells, salts[position], first_row)
        digests += found
        count_resamples(codes[:-1], codes[-1], target.n_known, n_codes, key, first_row, counts)
        first_row += batch.num_rows
    return piece.n_rows, (counts, digests)


def _salt(name: str) -> np.uint64:
    """A number that stands for the name of a column."""
    return np.uint64(
        int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")
    )


def count_scores(
    counts: NDArray[np.int64], features: Sequence[Coding], n_classes: int, n_resamples: int
) -> dict[str, NDArray[np.float64]]:
    """Scores (n_resamples, n_features) by filter, out of the counts of all pieces."""
    scores = np.full((len(OUTPUTS), n_resamples, len(features)), np.nan)
    n_codes = np.array([coding.n_codes for coding in features], dtype=np.int64)
    score_counts(counts, n_codes, n_classes, scores)
    return dict(zip(OUTPUTS, scores, strict=True))

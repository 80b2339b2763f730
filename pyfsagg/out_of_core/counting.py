"""The second pass: counts of every feature by code and class in all resamples, and the scores."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyfsagg._kernels.entropy.counted_scores import OUTPUTS, score_counts
from pyfsagg._kernels.poisson_bootstrap import count_resamples, digest_column, padded
from pyfsagg.out_of_core.columns import Coding
from pyfsagg.out_of_core.piece import Piece

__all__ = ["Counting", "Counts", "count_piece", "count_scores", "empty_counts"]

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
    salts = [_salt(name) for name in names]
    n_codes = np.array([coding.n_codes for coding in counting.features], dtype=np.int64)
    n_classes = counting.target.n_known
    starts = np.concatenate([[0], np.cumsum(n_codes)]) * n_classes
    first_row = piece.first_row
    for batch in piece.batches(names, counting.batch_rows):
        codes = np.empty((len(codings), batch.num_rows), np.uint16)
        found = np.empty_like(digests)
        for position, coding in enumerate(codings):
            cells = coding.encode(batch.column(position), codes[position])
            found[position] = digest_column(cells, salts[position], first_row)
        digests += found
        count_resamples(codes[:-1], codes[-1], n_classes, n_codes, counting.key, first_row, counts)
        for j, column in enumerate(codes[:-1]):
            cells = column.astype(np.int64) * n_classes + codes[-1]
            mine = own[starts[j] : starts[j + 1], 0]
            mine += np.bincount(cells, minlength=mine.size)
        first_row += batch.num_rows
    return {"counts": counts, "own": own, "digests": digests}


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

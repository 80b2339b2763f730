"""Poisson bootstrap: weights by hashing, and the counts of all resamples in one pass over the rows.

A weight is a function of (key, number of the row, number of the resample) alone, and sums of weights
are whole numbers: rows may come in any pieces, in any order and to any worker.
"""

import math

import numpy as np

from pyfsagg._base.arithmetic import Floats, Integers
from pyfsagg._kernels import Bytes, Weights, Words, kernel

LANES = 32
"""Resamples are drawn in groups of so many: half of them from the low, half from the high half of a
64-bit hash."""

_HALF = LANES // 2
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_LOW = np.uint64(0xFFFFFFFF)


def _thresholds() -> Words:
    """2**32 times P(Poisson(1) <= k), rounded, for k = 0, 1, … as long as that is below 2**32."""
    below, term, found = 0.0, math.exp(-1.0), []
    for k in range(32):
        below += term
        term /= k + 1
        edge = round(below * 2.0**32)
        if edge >= 2**32:
            break
        found.append(edge)
    return np.array(found, dtype=np.uint32)


_T = _thresholds()
LARGEST_WEIGHT = len(_T)
"""Largest weight that a row can have: 32 bits tell no more of the tail of the distribution."""

ROWS_AT_ONCE = 1024
"""Rows whose weights are drawn at a time: they stay in the second cache while every feature is
counted, and no 16-bit sum of them overflows."""

assert ROWS_AT_ONCE * LARGEST_WEIGHT < 2**16


@kernel(inline="always")
def mix(bits: np.uint64) -> np.uint64:
    """Finaliser of the splitmix64 generator: every input bit reaches every output bit."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def padded(n_resamples: int) -> int:
    """`n_resamples` filled up to whole groups of `LANES`."""
    return -(-n_resamples // LANES) * LANES


@kernel
def poisson_weights(key: np.uint64, first_row: int, first_group: int, out: Bytes) -> None:
    """Poisson(1) weights of the rows from `first_row` on in the resamples from ``LANES * first_group`` on,
    into `out` (n_rows, n_resamples); n_resamples is a multiple of `LANES`."""
    uniform = np.empty(out.shape[1], np.uint32)
    for row in range(out.shape[0]):
        # A splitmix64 sequence that starts at a hash of the row.
        start = mix(key + (np.uint64(first_row + row) + np.uint64(1)) * _GOLDEN)
        for group in range(out.shape[1] // LANES):
            first_word = np.uint64((first_group + group) * _HALF + 1)
            for i in range(_HALF):
                word = mix(start + (first_word + np.uint64(i)) * _GOLDEN)
                uniform[group * LANES + i] = np.uint32(word & _LOW)
                uniform[group * LANES + _HALF + i] = np.uint32(word >> np.uint64(32))
        for r in range(out.shape[1]):
            reached = np.uint32(0)
            for threshold in _T:
                reached += np.uint32(uniform[r] >= threshold)
            out[row, r] = np.uint8(reached)


@kernel
def count_resamples(
    codes: Weights,
    labels: Weights,
    n_classes: int,
    n_codes: Integers,
    key: np.uint64,
    first_row: int,
    counts: Integers,
) -> None:
    """Add the rows to the counts of every feature by code and class, in all resamples. `codes` (n_features,
    n_rows) are below `n_codes` (n_features,). Feature j owns the rows ``start[j] + code * n_classes + label``
    of `counts` (sum of n_codes * n_classes, padded number of resamples), where ``start`` are the sums of the
    cells before."""
    n_features, n_rows = codes.shape
    width = counts.shape[1]
    weights = np.empty((ROWS_AT_ONCE, width), np.uint8)
    sums = np.empty((int(n_codes.max()) * n_classes, width), np.uint16)
    for begin in range(0, n_rows, ROWS_AT_ONCE):
        size = min(ROWS_AT_ONCE, n_rows - begin)
        poisson_weights(key, first_row + begin, 0, weights[:size])
        start = 0
        for j in range(n_features):
            n_cells = n_codes[j] * n_classes
            used = sums[:n_cells]
            used[:] = 0
            for i in range(size):
                cell = np.int64(codes[j, begin + i]) * n_classes + np.int64(labels[begin + i])
                for r in range(width):
                    used[cell, r] += weights[i, r]
            for k in range(n_cells):
                for r in range(width):
                    counts[start + k, r] += used[k, r]
            start += n_cells


@kernel
def digest_column(values: Floats, salt: np.uint64, first_row: int) -> np.uint64:
    """A 64-bit digest of which value stands in which row, the sum of the digests of the parts of a column;
    0.0 and -0.0 are one value, and so are all NaN."""
    digest = np.uint64(0)
    bits = (values + 0.0).view(np.uint64)
    for i in range(values.shape[0]):
        cell = bits[i] if values[i] == values[i] else np.uint64(0x7FF8000000000000)
        digest += mix(cell ^ (salt + mix(np.uint64(first_row + i))))
    return digest

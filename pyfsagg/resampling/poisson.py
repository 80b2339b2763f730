"""The Poisson bootstrap: how often a row is drawn depends on (seed, row number, resample) alone.

So a table may be read in any pieces, by any number of workers, and each row is drawn as often as if
the whole table were in memory.  A resample has about as many draws as there are rows, not exactly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyfsagg._kernels.poisson_bootstrap import LANES, padded, poisson_weights
from pyfsagg.exceptions import DataError, ParameterError

__all__ = ["check_poisson_totals", "poisson_key", "poisson_resamples"]


def poisson_key(seed: int) -> np.uint64:
    """What the weights of the Poisson bootstrap depend on beside row and resample."""
    return np.uint64(np.random.SeedSequence(seed, spawn_key=(2,)).generate_state(1, np.uint64)[0])


def check_poisson_totals(totals: NDArray[np.int64]) -> None:
    """Refuse resamples of fewer than two rows, which tables of a few rows may have."""
    if totals.min() < 2:
        raise DataError(
            f"resample {int(totals.argmin())} of the Poisson bootstrap draws {int(totals.min())} "
            "row(s) of this small table; use resampling='bootstrap', or another seed"
        )


def poisson_resamples(rows: range, weight: NDArray[np.uint16], seed: int) -> NDArray[np.uint16]:
    """Weights (resamples in `rows`, n_samples) of a table in memory, whose own weights must be 1.

    Raises
    ------
    ParameterError
        If a row counts more than once.
    DataError
        If a resample draws fewer than two rows.
    """
    if (weight != 1).any():
        raise ParameterError(
            "resampling='poisson_bootstrap' goes by the number of a row and takes no sample_weight; "
            "use 'bootstrap'"
        )
    group = rows.start // LANES
    drawn = np.empty((weight.size, padded(rows.stop - group * LANES)), np.uint8)
    poisson_weights(poisson_key(seed), 0, group, drawn)
    start = rows.start - group * LANES
    weights = np.ascontiguousarray(drawn[:, start : start + len(rows)].T, dtype=np.uint16)
    check_poisson_totals(weights.sum(axis=1, dtype=np.int64))
    return weights

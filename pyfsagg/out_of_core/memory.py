"""How much memory a run takes, and how its columns are dealt with in groups to keep to a limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyfsagg._base.memory import limit_in_force, resident
from pyfsagg._kernels.poisson_bootstrap import ROWS_AT_ONCE, padded
from pyfsagg.exceptions import ParameterError
from pyfsagg.out_of_core.columns import FINE_PARTS, Coding
from pyfsagg.out_of_core.piece import Source

__all__ = ["Budget"]

MOST_ROWS, FEWEST_ROWS = 2**16, 2**10
"""Rows of a batch: more bring nothing, fewer cost time."""

CELL = 32
"""Bytes of a cell of a batch: as Arrow unpacks and holds it, as a number, and as a code."""

_SCORE_MATRICES = 8
"""Of all features at most: one for each filter, and two while they are combined."""

ROUND = 100_000_000

ROOM = 2_000_000_000
"""Bytes for a run without a limit, beside what the process holds already."""

OVERHEAD = 200_000_000
"""Bytes for what a process loads when it first reads a file and compiles a kernel."""


@dataclass(frozen=True)
class Budget:
    """The memory of a run.

    Attributes
    ----------
    limit : int
        Bytes that the process may hold in all.
    base : int
        Bytes that it holds before it starts, and for what it loads.
    workers : int
    rows : int
        Rows of a batch.
    """

    limit: int
    base: int
    workers: int
    rows: int

    @classmethod
    def of(cls, workers: int, n_columns: int) -> Budget:
        """Batches are as large as a quarter of what the limit in force leaves."""
        # Rounded, so that a rerun deals with the same groups, of which its checkpoint tells.
        held = -(-resident() // ROUND) * ROUND
        base = held + OVERHEAD
        limit = limit_in_force() or held + ROOM
        fitting = (limit - base) // 4 // (workers * n_columns * CELL)
        return cls(limit, base, workers, max(FEWEST_ROWS, min(MOST_ROWS, fitting)))

    def reading_groups(self, names: Sequence[str], source: Source) -> list[slice]:
        """Columns that can be read at the same time, for the first pass."""
        costs = [self._reading(name, source) for name in names]
        return self._groups(names, costs, 0, "raise it, or lower n_jobs")

    def histogram_groups(self, names: Sequence[str], source: Source) -> list[slice]:
        """Columns whose fine histograms can be made at the same time."""
        # The sum, one that every worker fills, and one that waits to be added.
        tables = 8 * FINE_PARTS * (2 * self.workers + 1)
        costs = [self._reading(name, source) + tables for name in names]
        return self._groups(names, costs, 0, "raise it, or lower n_jobs")

    def counting_groups(
        self,
        features: Sequence[Coding],
        target: Coding,
        n_resamples: int,
        source: Source,
        kept: bool,
    ) -> list[slice]:
        """Features that can be counted at the same time; `kept` in a checkpoint, or not."""
        width = padded(n_resamples)
        # The sum, a table that every worker fills, and one that waits to be added; a checkpoint
        # holds those of about a second, and copies them to write.
        tables = 8 * ((5 if kept else 2) * self.workers + 1)
        costs = [
            self._reading(coding.column.name, source)
            + coding.n_codes * target.n_known * (width + 1) * tables
            for coding in features
        ]
        most_cells = max(coding.n_codes for coding in features) * target.n_known
        kernel = self.workers * width * (ROWS_AT_ONCE + 2 * most_cells)
        scores = 8 * n_resamples * len(features) * _SCORE_MATRICES
        fixed = kernel + scores + self._reading(target.column.name, source)
        names = [coding.column.name for coding in features]
        return self._groups(names, costs, fixed, "raise it, or lower n_resamples, n_jobs or bins")

    def _reading(self, name: str, source: Source) -> int:
        return self.workers * (source.held.get(name, 0) + self.rows * CELL)

    def _groups(
        self, names: Sequence[str], costs: Sequence[int], fixed: int, remedy: str
    ) -> list[slice]:
        """Consecutive columns whose costs fit; refused where a single one does not."""
        room = self.limit - self.base - fixed
        groups, start, used = [], 0, 0
        for j, cost in enumerate(costs):
            if cost > room:
                needed = self.base + fixed + cost
                raise ParameterError(
                    f"memory_limit is {_megabytes(self.limit)}, and the column {names[j]!r} alone "
                    f"needs an estimated {_megabytes(needed)} with {self.workers} worker(s), "
                    f"{_megabytes(self.base - OVERHEAD)} of which this process holds already; {remedy}"
                )
            if used + cost > room:
                groups.append(slice(start, j))
                start, used = j, 0
            used += cost
        return [*groups, slice(start, len(costs))]


def _megabytes(size: int) -> str:
    return f"{-(-size // 1_000_000):,} MB"

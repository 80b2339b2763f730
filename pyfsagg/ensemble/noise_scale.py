"""Scores that mean the same for every column: how seldom noise of the column's kind scores as high.

A filter that counts levels scores a column of many levels higher than one of two, in a bootstrap, which
repeats rows, still more.  Where columns differ in their levels, scores are compared with those that columns
of the same kind have in resamples of shuffled targets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import row_blocks
from pyfsagg._message import Remedy, Use
from pyfsagg._table.columns import Kind
from pyfsagg._table.table import Table
from pyfsagg.ensemble.core import AGAINST_NOISE, Matrices, MatrixStore
from pyfsagg.ensemble.null import Drawn, Nulls, kinds_of_features, n_together, score_shuffled
from pyfsagg.ensemble.run import Run
from pyfsagg.ensemble.scoring import counts_levels
from pyfsagg.error_control.permutation import evidence_against
from pyfsagg.exceptions import ParameterError
from pyfsagg.filters import FILTERS

MOST, LEAST = 50, 20
"""Shuffled targets, at most one for two resamples."""

ENOUGH = 100_000
"""Null scores of one kind of columns beyond which more shuffled targets are not looked at."""


def settle_normalization(wish: str, run: Run, filters: Sequence[Any]) -> str:
    """What ``"auto"`` means for some of the filters of a run; another wish is checked."""
    reason = _why_not(run)
    if wish == AGAINST_NOISE and reason:
        raise ParameterError(
            Use(normalize=AGAINST_NOISE),
            f" compares scores with those of shuffled targets, and there are none: {reason}",
            Remedy("use another one"),
        )
    if wish != "auto":
        return wish
    counted = any(counts_levels(item) for item in filters)
    return AGAINST_NOISE if counted and not reason and _columns_differ(run) else "per_resample"


def _why_not(run: Run) -> str:
    if run.plan.only or run.resamples.changes_table:
        return f"the plan {run.plan.name} does not draw rows of the whole table at random"
    return Nulls(run).reason


def _columns_differ(run: Run) -> bool:
    """Whether there are columns of levels beside numbers, or beside columns with more levels."""
    table = run.table
    if not isinstance(table, Table):
        return False
    nominal = np.flatnonzero(np.isin(table.kinds, (Kind.BOOLEAN, Kind.NOMINAL)))
    sizes = {len(table.value_counts(j)) for j in nominal.tolist()}
    return len(sizes) > 1 or 0 < len(nominal) < table.n_features


@dataclass(frozen=True, eq=False)
class NoiseScale:
    """The scale of a run, by which its score matrices are read."""

    nulls: Nulls
    n_shuffles: int
    known: dict[Drawn, Matrices] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run, m: int) -> NoiseScale:
        """The scale of a run with `m` resamples."""
        return cls(Nulls(run), max(LEAST, min(MOST, m // 2)))

    @cached_property
    def _kinds(self) -> list[NDArray[np.intp]]:
        kinds = kinds_of_features(self.nulls.single)
        return [np.flatnonzero(kinds == kind) for kind in range(kinds.max() + 1)]

    def n_scored(self, drawn: Drawn) -> int:
        """Tables that are scored to know the null scores of what is drawn."""
        return self.n_shuffles * n_together(self.nulls.run, drawn)

    def read(self, matrices: Matrices, drawn: Drawn, store: MatrixStore, **how: Any) -> None:
        """Replace scores of resamples, halves, or the table itself, by their evidence against noise.

        The evidence is minus the logarithm of the share of null scores that are as high
        (:func:`pyfsagg.error_control.comparable_evidence`).  Filters that do not use the target stay.
        """
        if drawn not in self.known:
            self.known[drawn] = score_shuffled(self.nulls, self.n_shuffles, drawn, **how)
        for label, matrix in matrices.items():
            if label in FILTERS and "none" in FILTERS.get(label).targets:
                continue
            for columns in self._kinds:
                pool = self.known[drawn][label][: max(1, ENOUGH // len(columns)), columns]
                for rows in row_blocks(matrix.shape):
                    block = matrix[rows]
                    block[:, columns] = evidence_against(pool, block[:, columns])
                    store.release()

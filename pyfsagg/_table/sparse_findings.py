"""The same look through a sparse table: cells that are 0 are counted, not visited."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._table.columns import Kind
from pyfsagg._table.findings import TableCheck
from pyfsagg._table.identity import mix_bits
from pyfsagg._table.look import FEW, MISSING_CODES, Look
from pyfsagg._table.sparse import SparseTable, read_sparse
from pyfsagg._table.table import column_parts


def find_in_sparse(
    X: Any, y: pd.Series[Any] | pd.DataFrame | None = None, *, task: str = "classification"
) -> TableCheck:
    """Look through a sparse table; time and memory grow with the cells that are not 0.

    Columns that could be a copy of the target, a row number or hold codes are few, or full, and are
    looked at as dense ones, some hundred at a time.
    """
    if not isinstance(X, SparseTable):
        X = read_sparse(X, tuple(f"x{j}" for j in range(X.shape[1])), ())
    look = _SparseLook(X, y, task)
    look.at_target()
    look.at_cells()
    return look.summary()


class _SparseLook(Look):
    """What has been seen so far of a sparse table."""

    table: SparseTable

    def at_cells(self) -> None:
        """Look at the cells that are not 0, then at a few columns as dense ones, and at the rows."""
        table, n = self.table, self.table.n_samples
        kind = Kind(table.kinds[0]) if self.width else Kind.NUMERIC
        self.kinds[kind.name.lower()] = self.width
        sizes = np.diff(table.start)
        column = np.repeat(np.arange(self.width), sizes)
        missing = np.isnan(table.cells)
        n_missing = np.bincount(column[missing], minlength=self.width)
        self.n_missing = int(n_missing.sum())
        # A column with a 0 has it among its values.
        low = np.where(sizes < n, 0.0, np.inf)
        high = np.where(sizes < n, 0.0, -np.inf)
        np.minimum.at(low, column[~missing], table.cells[~missing])
        np.maximum.at(high, column[~missing], table.cells[~missing])
        constant = low >= high
        for j in np.flatnonzero(constant):
            self.note("constant", table.feature_names[j])
        for j in np.flatnonzero((2 * n_missing > n) & ~constant):
            self.note("mostly_missing", table.feature_names[j])
        dense = np.zeros(self.width, dtype=np.bool_)
        if kind in (Kind.NUMERIC, Kind.INTEGER):
            dense |= np.isin(low, MISSING_CODES) | np.isin(high, MISSING_CODES)
            if n >= FEW:
                dense |= sizes >= n - 1  # values that count the rows hold 0 once at most
        if n >= FEW:
            dense |= self._like_target(column, sizes)
        bits = (table.cells + 0.0).view(np.uint64)
        digests = np.zeros(self.width, dtype=np.uint64)
        np.add.at(digests, column, mix_bits(bits ^ self.row_salt[table.rows]))
        self.at_equal_columns(digests, self._equal, np.flatnonzero(~constant))
        for part in column_parts(n, np.flatnonzero(dense & ~constant).tolist()):
            names = [table.feature_names[j] for j in part]
            values = np.column_stack([table.column(j) for j in part])
            self.at_columns(names, [kind] * len(part), values)
        if self.width:
            digests = np.zeros(n, dtype=np.uint64)
            np.add.at(digests, table.rows, mix_bits(bits ^ self.salt(self.width)[column]))
            self.at_rows(digests)

    def _like_target(self, column: NDArray[np.intp], sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Columns that may be a copy of the target; the rule is looser than that of dense columns."""
        like = np.zeros(self.width, dtype=np.bool_)
        if self.labels is not None and self.labels.max() > 0:
            # At most one class has 0 as its value, and four fifths of each other one do not.
            counts = np.bincount(self.labels[self.labels >= 0])
            like |= sizes >= 0.8 * (counts.sum() - counts.max())
        if self.number is not None:
            target = np.nan_to_num(self.number - np.nanmean(self.number))
            cells = np.nan_to_num(self.table.cells)
            product = np.bincount(column, cells * target[self.table.rows], minlength=self.width)
            total = np.bincount(column, cells, minlength=self.width)
            square = np.bincount(column, cells**2, minlength=self.width)
            n = self.table.n_samples
            spread = np.sqrt(np.maximum(square - total**2 / n, 0.0) * float(target @ target))
            like |= np.abs(product) > 0.999 * spread
        return like

    def _equal(self, one: int, other: int) -> bool:
        table = self.table
        a, b = (slice(table.start[j], table.start[j + 1]) for j in (one, other))
        return np.array_equal(table.rows[a], table.rows[b]) and np.array_equal(
            table.cells[a], table.cells[b], equal_nan=True
        )

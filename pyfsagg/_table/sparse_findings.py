"""The same look through a sparse table: cells that are 0 are counted, not visited."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._table.columns import Kind, array_kind
from pyfsagg._table.findings import COLUMNS_AT_ONCE, FEW, MISSING_CODES, Look, TableCheck
from pyfsagg._table.identity import mix_bits
from pyfsagg._table.sparse import SparseTable, read_sparse

__all__ = ["find_in_sparse"]


def find_in_sparse(
    X: Any, y: pd.Series[Any] | pd.DataFrame | None = None, *, task: str = "classification"
) -> TableCheck:
    """Look through a sparse table; time and memory grow with the cells that are not 0.

    Columns that could be a copy of the target, a row number or hold codes are few, or full, and are
    looked at as dense ones, some hundred at a time.

    Parameters
    ----------
    X : SciPy sparse matrix or array (n_samples, n_features)
    y : Series (n_samples,), optional
    task : {"classification", "regression", "survival"}

    Raises
    ------
    DataError
        For complex or infinite values and a damaged matrix.
    """
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    table = read_sparse(X, names, ())
    look = _SparseLook(pd.DataFrame(index=pd.RangeIndex(table.n_samples)), y, frozenset(), task).of(
        table, array_kind(X.dtype)
    )
    look.at_target()
    look.at_cells()
    for dense_names, kinds, values in look.blocks():
        look.at_columns(dense_names, kinds, values)
    look.at_rows()
    return look.summary()


class _SparseLook(Look):
    """What has been seen so far of a sparse table."""

    def of(self, table: SparseTable, kind: Kind) -> _SparseLook:
        self.table, self.kind = table, kind
        self.width = table.n_features
        self.kinds[kind.name.lower()] = self.width
        self.dense = np.zeros(self.width, dtype=np.bool_)
        return self

    def at_cells(self) -> None:
        """Constants, missing cells and equal columns from the cells that are not 0."""
        table, n = self.table, self.table.n_samples
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
        self._compare(column, ~constant)
        if self.kind in (Kind.NUMERIC, Kind.INTEGER):
            self.dense |= np.isin(low, MISSING_CODES) | np.isin(high, MISSING_CODES)
            if n >= FEW:
                self.dense |= sizes >= n - 1  # values that count the rows hold 0 once at most
        if n >= FEW:
            self.dense |= self._like_target(column, sizes)
        self.dense &= ~constant

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

    def _compare(self, column: NDArray[np.intp], wanted: NDArray[np.bool_]) -> None:
        """Digests of rows and columns; equal columns are compared cell by cell."""
        table = self.table
        bits = np.ascontiguousarray(table.cells + 0.0).view(np.uint64)
        salts = self.column_salt.integers(0, 2**63, size=self.width, dtype=np.uint64)
        np.add.at(self.rows, table.rows, mix_bits(bits ^ salts[column]))
        sums = np.zeros(self.width, dtype=np.uint64)
        np.add.at(sums, column, mix_bits(bits ^ self.row_salt[table.rows]))
        first: dict[int, list[int]] = {}
        for j in np.flatnonzero(wanted).tolist():
            same = first.setdefault(int(sums[j]), [])
            for other in same:
                if self._equal(j, other):
                    name, equal = table.feature_names[j], table.feature_names[other]
                    self.note("duplicate_columns", name, f"{name!r} equals {equal!r}")
                    break
            else:
                same.append(j)

    def _equal(self, one: int, other: int) -> bool:
        table = self.table
        a, b = (slice(table.start[j], table.start[j + 1]) for j in (one, other))
        return np.array_equal(table.rows[a], table.rows[b]) and np.array_equal(
            table.cells[a], table.cells[b], equal_nan=True
        )

    def blocks(self) -> Iterator[tuple[list[str], list[Kind], NDArray[np.float64]]]:
        chosen = np.flatnonzero(self.dense)
        for start in range(0, len(chosen), COLUMNS_AT_ONCE):
            part = chosen[start : start + COLUMNS_AT_ONCE]
            names = [self.table.feature_names[j] for j in part]
            values = np.column_stack([self.table.column(j) for j in part])
            yield names, [self.kind] * len(part), values

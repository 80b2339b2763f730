"""Features as learners take them: numbers, a column for each level of a nominal one, groups side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.memory import require_memory
from pyfsagg._base.types import Floats
from pyfsagg._table.groups import FeatureGroups
from pyfsagg._table.table import Kind, Table

__all__ = ["Coding", "code_features"]


@dataclass(frozen=True, eq=False)
class Coding:
    """The columns of numbers that stand for the p features of a table.

    Attributes
    ----------
    values : ndarray of float64, shape (n_samples, n_coded)
        Those of a feature side by side, in the order of the features; NaN = a number is missing.
    column : ndarray of int, shape (n_coded,)
        The column that each codes: those of the levels of a nominal column have the same one.
    feature : ndarray of int, shape (n_coded,)
        The feature that it belongs to.
    is_level : ndarray of bool, shape (n_coded,)
        Whether it is a level of a nominal column: 1 where a row has the level, else 0.
    mean : bool
        Whether the importance of a group is the mean of those of its columns, and not the largest.
    """

    values: Floats
    column: NDArray[np.intp]
    feature: NDArray[np.intp]
    is_level: NDArray[np.bool_]
    mean: bool

    @property
    def n_features(self) -> int:
        return int(self.feature[-1]) + 1

    @property
    def as_they_are(self) -> bool:
        """Whether every feature is one column of numbers."""
        return len(self.feature) == self.n_features and not self.is_level.any()

    def shown(self, features: NDArray[np.intp], cells: Floats) -> NDArray[np.intp]:
        """Positions of the columns of features in ascending order, of levels those that occur in `cells`."""
        wanted = np.isin(self.feature, features) & (~self.is_level | cells.any(axis=0))
        return np.flatnonzero(wanted)

    def by_feature(self, importances: Floats, columns: NDArray[np.intp]) -> Floats:
        """Importances of the features that columns at these positions stand for.

        Levels of a nominal column add up; of several columns the largest importance, or their mean.
        """
        first = _firsts(self.column[columns])
        own: Floats = np.add.reduceat(importances, first)
        start = _firsts(self.feature[columns[first]])
        if not self.mean:
            largest: Floats = np.maximum.reduceat(own, start)
            return largest
        means: Floats = np.add.reduceat(own, start) / np.diff([*start, len(own)])
        return means


def _firsts(sorted_ids: NDArray[np.intp]) -> NDArray[np.intp]:
    return np.flatnonzero(np.diff(sorted_ids, prepend=-1))


def code_features(table: Table, groups: FeatureGroups | None) -> Coding:
    """The columns of numbers for the features of a table, whose columns may be grouped.

    A missing value of a nominal column is a level like others.

    Raises
    ------
    DataError
        If the columns need more memory than there is.
    """
    read, order = table, np.arange(table.n_features)
    feature, mean = order, False
    if groups is not None:
        grouped = groups.read(table, counts_levels=True)
        assert isinstance(grouped.table, Table)
        read, order, mean = grouped.table, grouped.order, grouped.by == "mean"
        feature = np.repeat(np.arange(len(groups)), np.diff([*grouped.start, len(order)]))
    nominal = read.kinds[order] == Kind.NOMINAL
    if not nominal.any():
        values = np.ascontiguousarray(read.values[:, order])
        return Coding(
            values, np.arange(len(order)), feature, np.zeros(len(order), dtype=bool), mean
        )
    codes = [
        np.unique(read.column(int(j))) if is_nominal else np.zeros(1)
        for j, is_nominal in zip(order, nominal, strict=True)
    ]
    sizes = [len(each) for each in codes]
    require_memory(
        8.0 * table.n_samples * sum(sizes),
        f"a table of {sum(sizes):,} columns, one per level of nominal features, for {table.n_samples:,} "
        "samples",
        "leave out columns of many levels, such as names, or rank by filters, which read levels as they are",
    )
    parts = [
        _levels(read.column(int(j)), own) if is_nominal else read.column(int(j))[:, None]
        for j, own, is_nominal in zip(order, codes, nominal, strict=True)
    ]
    return Coding(
        np.ascontiguousarray(np.hstack(parts)),
        np.repeat(np.arange(len(order)), sizes),
        np.repeat(feature, sizes),
        np.repeat(nominal, sizes),
        mean,
    )


def _levels(cells: Floats, codes: Floats) -> Floats:
    """A column for each code, of which NaN may be one."""
    same = cells[:, None] == codes
    return np.where(np.isnan(codes), np.isnan(cells)[:, None], same).astype(np.float64)

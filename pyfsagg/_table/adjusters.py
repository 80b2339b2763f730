"""Columns that the scores of the others are adjusted for, such as age or batch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Booleans, Floats
from pyfsagg._base.remarks import warn
from pyfsagg._base.settings import Task
from pyfsagg._message import NAN, Param, Remedy, Use
from pyfsagg._table.columns import Kind
from pyfsagg._table.table import AnyTable, Table, column_positions
from pyfsagg.exceptions import DataError

T = TypeVar("T", bound=AnyTable)

FEW_NUMBERS = 10
"""Different whole numbers up to which a column may well hold codes, and not numbers."""

ALIASED = 1e-7
"""Share of the length of a column outside the others below which it is a sum of them, as for R's lm()."""


@dataclass(frozen=True, eq=False)
class Adjusters:
    """The adjusting columns of the rows of a table.

    A column counts as nominal if it holds words, booleans or two values, or was declared nominal; a missing
    value is a level of its own there.  The other columns hold known numbers.
    """

    table: Table

    @property
    def names(self) -> tuple[str, ...]:
        return self.table.feature_names

    @cached_property
    def nominal(self) -> Booleans:
        """Which of the columns (k,) are nominal."""
        two = [len(self.table.value_counts(j)) <= 2 for j in range(self.table.n_features)]
        return np.asarray(np.isin(self.table.kinds, (Kind.NOMINAL, Kind.BOOLEAN)) | np.array(two))

    def names_of(self, *, nominal: bool) -> tuple[str, ...]:
        """Those of the nominal columns, or of the columns of numbers."""
        return tuple(np.array(self.names)[self.nominal == nominal].tolist())

    @property
    def by_numbers(self) -> bool:
        """Whether a column is a number, so that there are no strata in which the rows are alike."""
        return not self.nominal.all()

    @cached_property
    def strata(self) -> NDArray[np.intp]:
        """Codes (n_samples,) of the combinations of nominal values; 0 where there are no nominal columns."""
        codes = [self._codes(j) for j in np.flatnonzero(self.nominal).tolist()]
        joined = np.column_stack([np.zeros(self.table.n_samples, dtype=np.intp), *codes])
        return np.asarray(np.unique(joined, axis=0, return_inverse=True)[1]).ravel()

    def _codes(self, j: int) -> NDArray[np.intp]:
        """Levels of a column in ascending order; the missing ones are the last."""
        return np.asarray(np.unique(self.table.values[:, j], return_inverse=True)[1]).ravel()

    @property
    def n_strata(self) -> int:
        return int(self.strata.max()) + 1

    @cached_property
    def numbers(self) -> Floats:
        """The columns of numbers (n_samples, k), less their means and in units of their spread."""
        numbers = self.table.values[:, ~self.nominal]
        numbers = numbers - numbers.mean(axis=0)
        return np.asarray(numbers / np.maximum(np.abs(numbers).max(axis=0), np.finfo(float).tiny))

    @cached_property
    def indicators(self) -> Floats:
        """A column of ones, and one for each level of a nominal column (n_samples, ·)."""
        columns = [np.ones((self.table.n_samples, 1))]
        for j in np.flatnonzero(self.nominal).tolist():
            codes = self._codes(j)
            columns.append(np.eye(codes.max() + 1)[codes])
        return np.hstack(columns)

    @property
    def design(self) -> Floats:
        """The columns of a linear model: ones, levels and numbers."""
        return np.hstack([self.indicators, self.numbers])

    def take(self, rows: NDArray[np.intp]) -> Adjusters:
        """Those of the samples at positions `rows`; a column keeps its kind."""
        kinds = np.where(self.nominal, np.int8(Kind.NOMINAL), self.table.kinds)
        values = np.asfortranarray(self.table.values[rows])
        return Adjusters(replace(self.table, values=values, kinds=kinds))

    def cleared(self, table: Table) -> Table:
        """`table` less what a linear model of the adjusters says of each column, in its known rows."""
        values = np.empty_like(table.values)
        for j in range(table.n_features):
            column, known = table.values[:, j], ~np.isnan(table.values[:, j])
            basis = orthonormal(self.design[known])
            centred = column[known] - column[known].mean()
            values[known, j] = centred - basis @ (basis.T @ centred)
            values[~known, j] = np.nan
        kinds = np.full(table.n_features, Kind.NUMERIC, dtype=np.int8)
        return replace(table, values=np.asfortranarray(values), kinds=kinds, levels={})

    @property
    def record(self) -> dict[str, str]:
        """What each column counts as."""
        return {
            name: f"{len(self.table.value_counts(j))} levels" if self.nominal[j] else "a number"
            for j, name in enumerate(self.names)
        }


def orthonormal(columns: Floats) -> Floats:
    """An orthonormal basis (n, rank) of what the columns span; one that the others add up to adds nothing."""
    length = np.sqrt((columns**2).sum(axis=0))
    columns = columns[:, length > 0.0] / length[length > 0.0]
    if not columns.size:
        return np.empty((len(columns), 0))
    basis, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    return np.asarray(basis[:, sizes > ALIASED * sizes[0]])


def set_apart(task: Task, table: T) -> tuple[T, Adjusters | None, Table | None]:
    """The columns to be scored, those that their scores are adjusted for, and those that are always in."""
    rest, apart = np.arange(table.n_features), {}
    for role, columns in (("adjust", task.adjust), ("always", task.always)):
        if columns is None:
            continue
        chosen = sorted(column_positions(role, columns, list(table.feature_names)))
        places = np.array(chosen, dtype=np.intp)
        if twice := set(chosen) - set(rest.tolist()):
            name = table.feature_names[min(twice)]
            raise DataError(
                f"the column {name!r} is in ", Param("adjust"), " and ", Param("always")
            )
        rest = np.setdiff1d(rest, places)
        if not places.size or not rest.size:
            few = "no column" if not places.size else "all columns, and leaves none to be scored"
            raise DataError(Param(role), f" names {few}")
        values = np.column_stack([table.column(j) for j in chosen])
        own = table.take(places)
        apart[role] = Table(
            np.asfortranarray(values), own.feature_names, own.kinds, dict(own.levels)
        )
    if not apart:
        return table, None, None
    adjusters = Adjusters(apart["adjust"]) if "adjust" in apart else None
    if adjusters is not None:
        _check(adjusters)
    return cast("T", table.take(rest)), adjusters, apart.get("always")


def _check(adjusters: Adjusters) -> None:
    for j in np.flatnonzero(~adjusters.nominal).tolist():
        column, name = adjusters.table.values[:, j], adjusters.names[j]
        if np.isnan(column).any():
            raise DataError(
                f"the adjusting column {name!r} has missing values (",
                NAN,
                ")",
                Remedy("fill them in, or drop these rows; of a nominal column they are a level"),
            )
        n_values = len(adjusters.table.value_counts(j))
        if adjusters.table.kinds[j] == Kind.INTEGER and n_values <= FEW_NUMBERS:
            warn(
                f"the adjusting column {name!r} holds {n_values} whole numbers and counts as a number; if "
                "they are codes, name it in ",
                Param("nominal"),
                stacklevel=4,
            )
    n_samples = adjusters.table.n_samples
    if orthonormal(adjusters.design).shape[1] > n_samples - 3:
        raise DataError(
            f"the adjusting columns {', '.join(adjusters.names)} tell all {n_samples} rows apart, so that ",
            "there is nothing left to explain",
            Remedy("leave identifiers out; subjects with several rows are ", Use(groups="…")),
        )

"""What a resample is, and what the plans draw from.

A resample is never a copy of the table.  It is a row of integer weights that say how often each
sample occurs, so that kernels sort or bin a feature once and then look at weights only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from pyfsagg._table.identity import row_digests
from pyfsagg._table.table import AnyTable, Kind, SparseTable, Table, weights_from_counts
from pyfsagg._table.target import Target

__all__ = ["Drawn", "Resamples", "Source", "canonical_order", "generator"]


@dataclass(frozen=True, eq=False)
class Resamples:
    """The weights, labels and features of each resample.

    Attributes
    ----------
    weights : ndarray of uint16, shape (n_resamples, n_samples)
        How often each row occurs in each resample.
    labels : ndarray of int32, shape (1 or n_resamples, n_samples)
        Class codes; one row when all resamples share the true labels.
    features : ndarray of bool, shape (n_resamples, n_features), or None
        Which features each resample may see; a feature that it does not see has a missing score.
    noise : float
        Standard deviation of the noise added to numeric cells, in units of the feature's own.
    plan, seed, parameters
        How the resamples were drawn; `seed` is None for rows given by the caller.
    """

    weights: NDArray[np.uint16]
    labels: NDArray[np.int32]
    features: NDArray[np.bool_] | None
    noise: float
    plan: str
    seed: int | None
    parameters: Mapping[str, Any]

    def __len__(self) -> int:
        return int(self.weights.shape[0])

    def first(self, size: int) -> Resamples:
        """The first `size` of the resamples."""
        labels = self.labels if self.labels.shape[0] == 1 else self.labels[:size]
        features = None if self.features is None else self.features[:size]
        return replace(self, weights=self.weights[:size], labels=labels, features=features)

    def labels_of(self, rows: slice) -> NDArray[np.int32]:
        """The labels that belong to the resamples in `rows`."""
        return self.labels if self.labels.shape[0] == 1 else self.labels[rows]

    def table_of(self, resample: int, table: AnyTable) -> AnyTable:
        """The table as resample number `resample` sees it, under noise or a subset of features."""
        if self.features is not None:
            return table.take(np.flatnonzero(self.features[resample]))
        if self.noise == 0.0 or isinstance(table, SparseTable):
            return table  # noise on a sparse table was refused when the resamples were drawn
        rng = generator(self.seed, resample, stream=1)
        numeric = np.isin(table.kinds, (Kind.NUMERIC, Kind.INTEGER))
        scale = np.zeros(table.n_features)
        scale[numeric] = self.noise * np.nanstd(table.values[:, numeric], axis=0)
        draws = rng.standard_normal(table.values.shape)
        kinds = np.where(numeric, np.int8(Kind.NUMERIC), table.kinds).astype(np.int8)
        noisy = table.with_values(table.values + draws * np.nan_to_num(scale))
        return Table(noisy.values, table.feature_names, kinds, table.levels)

    @property
    def changes_table(self) -> bool:
        """Whether resamples differ in more than row weights and labels."""
        return self.features is not None or self.noise > 0.0


@dataclass(frozen=True, eq=False)
class Source:
    """What resamples are drawn from: a table whose rows count `weight` times each, and a seed.

    Samples are drawn in a canonical order that does not depend on the order of the rows in the
    table: shuffling the rows, or writing a row k times instead of giving it the weight k, leaves
    every resample the same multiset of rows.
    """

    table: AnyTable
    target: Target
    weight: NDArray[np.uint16]
    seed: int

    @property
    def n_samples(self) -> int:
        return self.table.n_samples

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """Row positions in the canonical order."""
        return canonical_order(self.table, self.target)

    @cached_property
    def population(self) -> NDArray[np.intp]:
        """Row positions in the canonical order, each as often as it counts."""
        return np.repeat(self.order, self.weight[self.order])

    @cached_property
    def strata(self) -> list[NDArray[np.intp]]:
        """The population of each class, bin or kind of event; one for all rows without a target."""
        codes = self.target.strata[self.population]
        return [self.population[codes == c] for c in range(max(1, self.target.n_strata))]

    def count(
        self, rows: range, draw: Callable[[np.random.Generator], NDArray[np.intp]]
    ) -> NDArray[np.uint16]:
        """Weights (resamples in `rows`, n_samples) of the row positions that `draw` returns."""
        return self.count_each(rows, lambda row: draw(generator(self.seed, row)))

    def count_each(
        self, rows: range, positions: Callable[[int], NDArray[np.intp]]
    ) -> NDArray[np.uint16]:
        """The same of the row positions that belong to the number of a resample."""
        weights = np.empty((len(rows), self.n_samples), dtype=np.uint16)
        remedy = "divide sample_weight by a common factor"
        for place, row in enumerate(rows):
            counts = np.bincount(positions(row), minlength=self.n_samples)
            weights[place] = weights_from_counts(counts, row, remedy)
        return weights


@dataclass(frozen=True, eq=False)
class Drawn:
    """What a plan draws: what it leaves at None is as in the source."""

    weights: NDArray[np.uint16] | None = None
    labels: NDArray[np.int32] | None = None
    features: NDArray[np.bool_] | None = None
    noise: float = 0.0


def canonical_order(table: AnyTable, target: Target) -> NDArray[np.intp]:
    """Row positions in an order that depends on what the rows hold, not on where they stand."""
    if table not in _DIGESTS:
        _DIGESTS[table] = row_digests(table)
    return np.lexsort((*target.parts, _DIGESTS[table]))


_DIGESTS: WeakKeyDictionary[AnyTable, NDArray[np.uint64]] = WeakKeyDictionary()
"""Digests of tables that resamples are drawn from again and again, as long as the tables exist."""


def generator(seed: int | None, resample: int, stream: int = 0) -> np.random.Generator:
    """The random numbers of one resample: they depend on seed and number alone."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(stream, resample)))

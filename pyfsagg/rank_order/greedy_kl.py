"""Greedy KL: remove the feature whose loss raises the subset divergence least."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyfsagg._kernels.orders.rank_order import (
    difference_bits,
    differences_with,
    first_difference,
    state_differences,
)
from pyfsagg.rank_order._engine import Strategy
from pyfsagg.rank_order._orders import Orders
from pyfsagg.rank_order.divergence import (
    class_distributions,
    divergence_labels,
    mean_divergence,
)

__all__ = ["GreedyStrategy"]

COMPACT_AT = 0.875
SAME = 1e-12  # nats; divergences closer than this are equal but for rounding


class GreedyStrategy(Strategy):
    """Divergence of all subsets with one feature less.

    Δ changes only when two distinct orders of different class distribution lose the last pair of
    features in which they differ.  So the number of such pairs is kept for each pair of orders, and
    only those whose differences all meet in one feature are looked at.
    """

    def __init__(self, orders: Orders) -> None:
        self._orders = orders
        self._patterns = divergence_labels(orders)
        self._before = class_distributions(
            self._patterns, orders.codes, orders.weights, orders.n_classes
        )
        _, first = np.unique(self._patterns, return_index=True)
        self._ranks = np.ascontiguousarray(orders.ranks[first])
        self._groups = np.arange(first.size)
        shares = self._before[first]
        left, right = np.triu_indices(first.size, 1)
        mixed = (shares[left] != shares[right]).any(axis=1)
        self._left, self._right = left[mixed].astype(np.int64), right[mixed].astype(np.int64)
        self._features = np.arange(orders.n_features, dtype=np.int64)
        self._present = np.ones(orders.n_features, dtype=np.bool_)
        self._place = np.arange(orders.n_features)
        self._value = 0.0
        self._bits()
        self._differences = np.zeros(self._left.size, dtype=np.int64)
        for k in range(orders.n_features):
            self._add_differences(k, 1)
        self._differences //= 2
        self._witness = np.full((self._left.size, 2), -1, dtype=np.int64)

    def _bits(self) -> None:
        words = (self._ranks.shape[1] + 63) // 64
        planes = 3 if self._orders.has_unknown else 2
        self._planes = np.empty((self._ranks.shape[0], planes, words), dtype=np.uint64)

    def _add_differences(self, k: int, sign: int) -> None:
        difference_bits(self._ranks, k, self._planes)
        state_differences(self._planes, self._left, self._right, self._differences, sign)

    def candidates(self) -> tuple[NDArray[np.intp], float]:
        live = np.flatnonzero(self._present)
        values = np.full(live.size, self._value)
        for feature, merges in self._last_differences(live.size).items():
            groups = self._groups.copy()
            for q in merges:
                _merge(groups, self._left[q], self._right[q])
            values[np.searchsorted(live, feature)] = self._divergence(groups)
        least = float(values.min())
        return live[values <= least + SAME], least

    def remove(self, feature: int) -> None:
        self._add_differences(int(self._place[feature]), -1)
        self._present[feature] = False
        self._sweep(feature)
        gone = np.flatnonzero(self._differences == 0)
        for q in gone:
            _merge(self._groups, self._left[q], self._right[q])
        if gone.size:
            keep = np.flatnonzero(self._differences)
            self._left, self._right = self._left[keep], self._right[keep]
            self._differences, self._witness = self._differences[keep], self._witness[keep]
            self._value = self._divergence(self._groups)

    def _sweep(self, feature: int) -> None:
        self._ranks[:, self._place[feature]] = -1  # incomparable in every row: never a difference
        live = int(self._present.sum())
        if live < COMPACT_AT * self._features.size:
            keep = np.flatnonzero(self._present[self._features])
            self._ranks = np.ascontiguousarray(self._ranks[:, keep])
            self._features = self._features[keep]
            self._place[self._features] = np.arange(keep.size)
            self._bits()

    def _divergence(self, groups: NDArray[np.intp]) -> float:
        return mean_divergence(self._orders, self._before, groups[self._patterns])

    def _last_differences(self, n_live: int) -> dict[int, list[int]]:
        """Feature → pairs of orders that its removal would make equal."""
        found: dict[int, list[int]] = {}
        columns = None
        # All differences of a pair meet in one feature only if there are fewer than features.
        for q in np.flatnonzero(self._differences < n_live):
            if columns is None:
                columns = self._place[np.flatnonzero(self._present)].astype(np.int64)
            a, b = self._ranks[self._left[q]], self._ranks[self._right[q]]
            witness = self._witness[q]
            if witness[0] < 0 or not self._present[witness].all():
                witness[:] = self._features[list(first_difference(a, b, columns))]
            for feature in witness:
                k = int(self._place[feature])
                if differences_with(a, b, columns, k) == self._differences[q]:
                    found.setdefault(int(feature), []).append(int(q))
        return found


def _merge(groups: NDArray[np.intp], a: int, b: int) -> None:
    groups[groups == groups[b]] = groups[a]

"""CDV: remove the feature that leaves the distances between class centres most as they were."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from pyfsagg._base.settings import Settings, option
from pyfsagg._kernels.orders.centers import add_precedences, close_pairs_column
from pyfsagg._run.parallel import count_workers, run_threads
from pyfsagg.exceptions import DataError
from pyfsagg.rank_order._engine import Strategy
from pyfsagg.rank_order._orders import Orders

__all__ = ["CentreSettings", "CentreStrategy"]

CENTER_DISTANCES = ("raw", "relative")

COMPACT_AT = 0.9
BLOCK = 4096  # features per task: longer rows are read faster, shorter ones share out better
WORTH_SHARING = 4_000_000  # cells of a step, about 2 ms of work
NEAR = 1e-14  # bounds the rounding of a distance; closer criteria are compared as exact integers


@dataclass(frozen=True, eq=False)
class CentreSettings(Settings):
    """What the method compares."""

    kind: ClassVar[str] = "method='cdv'"

    center_distance: str = option(
        "raw",
        choices=CENTER_DISTANCES,
        help="distances of cdv as printed, or as shares of the largest possible",
    )


class CentreStrategy(Strategy):
    """Centre distances of all subsets with one feature less.

    When f goes, the rank sum of g in class c falls by the number of instances B_c(f, g) that place
    f before g, at most the size M_c of the class.  So only features whose sums are within M_c of
    each other can change places in a centre.  For each g, one pass over these close features finds
    its new rank for *all* f together.
    """

    def __init__(
        self, orders: Orders, center_distance: str = "raw", n_jobs: int | None = None
    ) -> None:
        if orders.has_unknown:
            raise DataError(
                "class centres need complete orders: ranks of features with an unknown place are "
                'not defined. Impute the missing values, or use method="spoilers" or "greedy_kl"'
            )
        self._relative = center_distance == "relative"
        self._workers = count_workers(n_jobs)
        # One pool for all steps: joblib's set-up would cost more than a step of a small table.
        self._pool = ThreadPoolExecutor(self._workers)
        doubled = 2 if orders.has_ties else 1
        self._reach = orders.class_sizes * doubled
        self._tables = self._precedences(orders, doubled)
        self._sums = self._tables.sum(axis=2, dtype=np.int64)
        self._features = np.arange(orders.n_features)
        self._place = np.arange(orders.n_features)
        self._present = np.ones(orders.n_features, dtype=np.bool_)
        self._present_places = np.arange(orders.n_features)
        self.original = self._current()

    def _precedences(self, orders: Orders, doubled: int) -> NDArray[Any]:
        c, p = orders.n_classes, orders.n_features
        largest = 2 * int(self._reach.max())  # thresholds reach twice the largest entry
        types = (np.uint8, np.uint16, np.uint32, np.int64)
        dtype = next(each for each in types if largest <= np.iinfo(each).max)
        tables = np.empty((c, p, p), dtype=dtype)
        bounds = np.linspace(0, p, min(p, 4 * self._workers) + 1).astype(int)

        def fill(part: tuple[int, int, int]) -> None:
            k, low, high = part
            rows = slice(orders.starts[k], orders.starts[k + 1])
            add_precedences(
                orders.ranks[rows], orders.weights[rows], doubled - 1, low, high, tables[k]
            )

        parts = [(k, low, high) for k in range(c) for low, high in pairwise(bounds)]
        deque(run_threads(fill, parts, self._workers), maxlen=0)
        return tables

    def _centres(self) -> NDArray[Any]:
        """Doubled average ranks of the sums of the features present."""
        live = self._present_places
        # Doubled ranks and their changes stay below 2 p + 2.
        dtype = np.int16 if live.size < 16_000 else np.int32
        ranks = np.zeros(self._sums.shape, dtype=dtype)
        ranks[:, live] = np.round(2.0 * rankdata(self._sums[:, live], axis=1))
        return ranks

    def _current(self) -> NDArray[np.int64]:
        ranks = self._centres().astype(np.int64)
        return np.array(
            [((ranks[c] - ranks[d]) ** 2).sum() for c in range(len(ranks)) for d in range(c)]
        )

    def candidates(self) -> tuple[NDArray[np.intp], float]:
        live = self._present_places
        distances = self._squares()[:, live]
        # Distances are compared as x / before - y / after, in whole numbers x after - y before.
        after = _largest_distance(live.size - 1) if self._relative else 1
        before = _largest_distance(self._present.size) if self._relative else 1
        gaps = distances / after - self.original[:, np.newaxis] / before
        criterion = (gaps**2).sum(axis=0)
        least = float(criterion.min())
        size = float(np.linalg.norm(self.original / before))
        slack = NEAR * (100.0 * least + size * least**0.5) + (NEAR * size) ** 2
        near = np.flatnonzero(criterion <= least + slack)
        # Squares of squared ranks exceed 64 bits, hence Python's integers for the last decision.
        original = [int(value) * after for value in self.original]
        exact = [
            sum((int(x) * before - y) ** 2 for x, y in zip(distances[:, u], original, strict=True))
            for u in near
        ]
        best = min(exact)
        chosen = [live[u] for u, value in zip(near, exact, strict=True) if value == best]
        return self._features[chosen], best**0.5 / (before * after) / 4.0

    def _squares(self) -> NDArray[np.int64]:
        """Distances (pairs of classes, places) after the removal of each feature."""
        width = self._features.size
        live = self._present_places
        order = live[np.argsort(self._sums[:, live], axis=1, kind="stable")].astype(np.int64)
        ranks = self._centres()
        c = self._sums.shape[0]
        squares = np.empty((c * (c - 1) // 2, width), dtype=np.int64)
        large = width * live.size * c >= WORTH_SHARING
        n_blocks = max(-(-width // BLOCK), self._workers if large else 1)
        bounds = np.linspace(0, width, n_blocks + 1).astype(int)

        def fill(low: int, high: int) -> None:
            part = np.empty((squares.shape[0], high - low), dtype=np.int64)
            close_pairs_column(self._tables, self._sums, order, ranks, self._reach, low, high, part)
            squares[:, low:high] = part

        if large and self._workers > 1:
            list(self._pool.map(fill, bounds[:-1], bounds[1:]))
        else:
            for low, high in pairwise(bounds):
                fill(low, high)
        return squares

    def remove(self, feature: int) -> None:
        k = int(self._place[feature])
        self._sums -= self._tables[:, :, k]
        self._present[feature] = False
        keep = np.flatnonzero(self._present[self._features])
        if keep.size < COMPACT_AT * self._features.size:
            self._tables = np.stack([table[np.ix_(keep, keep)] for table in self._tables])
            self._sums = np.ascontiguousarray(self._sums[:, keep])
            self._features = self._features[keep]
            self._place[self._features] = np.arange(keep.size)
            keep = np.arange(keep.size)
        self._present_places = keep


def _largest_distance(p: int) -> int:
    """Three times the Spearman distance of two opposite orders of p features; 1 for a single one."""
    return p**3 - p if p > 1 else 1

"""The four criteria of elimination: CDV, Spoilers, Greedy KL and Koller-Sahami."""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from pyfsagg._base.settings import Settings, option
from pyfsagg._kernels import rank_order
from pyfsagg._message import Param, Use
from pyfsagg._run.checkpoint import Checkpoint
from pyfsagg._run.parallel import count_workers, run_threads
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.rank_order._orders import Orders
from pyfsagg.rank_order.distances import class_distributions, divergence_labels, mean_divergence


class Strategy(Protocol):
    """What a method knows: which features it would remove next, and what a removal changes."""

    def candidates(self, free: NDArray[np.bool_]) -> tuple[NDArray[np.intp], float]:
        """Of the features that are `free` (p,) those that are equally good to remove, and their criterion."""
        ...

    def remove(self, feature: int) -> None:
        """Take a feature out."""
        ...

    def remove_all(self, features: NDArray[np.intp]) -> None:
        """Take out the features that an earlier run has removed, in this order."""
        for feature in features:
            self.remove(int(feature))


def run_elimination(
    strategy: Strategy,
    priority: NDArray[np.intp],
    advance: Callable[[int], None] = lambda removed: None,
    checkpoint: Checkpoint | None = None,
    always: Sequence[int] = (),
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Remove features one by one: the order (p,), and the criterion at each removal, (p,). Ties go by
    `priority`, largest first; features that are `always` in come last, with NaN, as does the last one.
    Removals of a checkpoint are repeated without criteria."""
    p = priority.size
    n_steps = p - max(len(always), 1)
    order = np.empty(p, dtype=np.intp)
    criterion = np.full(p, np.nan)
    present = np.ones(p, dtype=np.bool_)
    done = 0
    while checkpoint is not None and (key := f"step {done}") in checkpoint:
        piece = checkpoint.get(key)
        order[done], criterion[done] = piece["removed"], piece["criterion"]
        done += 1
    present[order[:done]] = False
    free = present.copy()
    free[list(always)] = False
    if 0 < done < n_steps:
        strategy.remove_all(order[:done])
    for step in range(done, n_steps):
        candidates, criterion[step] = strategy.candidates(free)
        removed = int(candidates[np.argmax(priority[candidates])])
        order[step] = removed
        present[removed] = free[removed] = False
        if step < n_steps - 1:
            strategy.remove(removed)
        if checkpoint is not None:
            piece = {"removed": np.array(removed), "criterion": np.array(criterion[step])}
            checkpoint.put(f"step {step}", piece)
        advance(step + 1)
    last = np.flatnonzero(present)
    order[n_steps:] = last[np.argsort(-priority[last])]
    return order, criterion


COMPACT_CENTRES_AT = 0.9
BLOCK = 4096  # features per task: longer rows are read faster, shorter ones share out better
WORTH_SHARING = 4_000_000  # cells of a step, about 2 ms of work
NEAR = 1e-14  # bounds the rounding of a distance; closer criteria are compared as exact integers


@dataclass(frozen=True, eq=False)
class CentreSettings(Settings):
    """What the method compares."""

    kind: ClassVar[str] = "method='cdv'"

    center_distance: str = option(
        "raw",
        choices=("raw", "relative"),
        help="distances of cdv as printed, or as shares of the largest possible",
    )


class CentreStrategy(Strategy):
    """Centre distances of all subsets with one feature less. Without f the rank sum of g falls by at
    most the class size, so only features with close sums can change places, and one pass over these
    gives the new rank of g for all f."""

    def __init__(
        self, orders: Orders, center_distance: str = "raw", n_jobs: int | None = None
    ) -> None:
        if orders.has_unknown:
            raise DataError(
                "class centres need complete orders: ranks of features with an unknown place are not ",
                "defined. Impute the missing values, or use ",
                Use(method="spoilers"),
                ' or "greedy_kl"',
            )
        self._relative = center_distance == "relative"
        self._workers = count_workers(n_jobs)
        # One pool for all steps: joblib's set-up would cost more than a step of a small table.
        self._pool = ThreadPoolExecutor(self._workers)
        doubled = 2 if orders.has_ties else 1
        self._reach = orders.class_sizes * doubled
        c, p = orders.n_classes, orders.n_features
        largest = 2 * int(self._reach.max())  # thresholds reach twice the largest entry
        types = (np.uint8, np.uint16, np.uint32, np.int64)
        dtype = next(kind for kind in types if largest <= np.iinfo(kind).max)
        self._tables = tables = np.empty((c, p, p), dtype=dtype)
        bounds = np.linspace(0, p, min(p, 4 * self._workers) + 1).astype(int)

        def fill(part: tuple[int, int, int]) -> None:
            k, low, high = part
            rows = slice(orders.starts[k], orders.starts[k + 1])
            rank_order.add_precedences(
                orders.ranks[rows], orders.weights[rows], doubled - 1, low, high, tables[k]
            )

        parts = [(k, low, high) for k in range(c) for low, high in pairwise(bounds)]
        deque(run_threads(fill, parts, self._workers), maxlen=0)
        self._sums = self._tables.sum(axis=2, dtype=np.int64)
        self._features, self._place, self._present_places = np.arange(p), np.arange(p), np.arange(p)
        self._present = np.ones(p, dtype=np.bool_)
        ranks = self._centres().astype(np.int64)
        pairs = [(ranks[a], ranks[b]) for a in range(c) for b in range(a)]
        self.original = np.array([((a - b) ** 2).sum() for a, b in pairs])

    def _centres(self) -> NDArray[Any]:
        """Doubled average ranks of the sums of the features present."""
        live = self._present_places
        # Doubled ranks and their changes stay below 2 p + 2.
        dtype = np.int16 if live.size < 16_000 else np.int32
        ranks = np.zeros(self._sums.shape, dtype=dtype)
        ranks[:, live] = np.round(2.0 * rankdata(self._sums[:, live], axis=1))
        return ranks

    def candidates(self, free: NDArray[np.bool_]) -> tuple[NDArray[np.intp], float]:
        live = self._present_places
        open_places = live[free[self._features[live]]]
        distances = self._squares()[:, open_places]
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
        chosen = [open_places[u] for u, value in zip(near, exact, strict=True) if value == best]
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
            rank_order.close_pairs_column(
                self._tables, self._sums, order, ranks, self._reach, low, high, part
            )
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
        if keep.size < COMPACT_CENTRES_AT * self._features.size:
            self._tables = np.stack([table[np.ix_(keep, keep)] for table in self._tables])
            self._sums = np.ascontiguousarray(self._sums[:, keep])
            self._features = self._features[keep]
            self._place[self._features] = np.arange(keep.size)
            keep = np.arange(keep.size)
        self._present_places = keep


def _largest_distance(p: int) -> int:
    """Three times the Spearman distance of two opposite orders of p features; 1 for a single one."""
    return p**3 - p if p > 1 else 1


MAX_COUNT = 2**62  # leaves room below for the mark of a feature that is gone
COMPACT_AT = 0.875  # share of live columns below which the dead ones are swept out


def total_spoiler_counts(orders: Orders, n_jobs: int | None = None) -> NDArray[np.int64]:
    """Spoiler counts of all features, (n_features,)."""
    sizes = [int(size) for size in orders.class_sizes]
    most = (orders.n_features - 1) * sum(size * size // 4 for size in sizes)
    if most > MAX_COUNT:
        raise ParameterError(
            f"with these weights a spoiler count may reach {most}, and at most {MAX_COUNT} is ",
            "supported: divide ",
            Param("sample_weight"),
            " by a common factor or take fewer rows",
        )
    like = np.empty(0, dtype=_integers(orders))

    def count(part: tuple[int, int]) -> NDArray[np.int64]:
        totals: NDArray[np.int64] = rank_order.spoiler_totals(
            orders.ranks, orders.weights, orders.starts, *part, like
        )
        return totals

    # Ranges of k with about equally many pairs (i, k), i < k.
    shares = np.sqrt(np.linspace(0.0, 1.0, 4 * count_workers(n_jobs) + 1))
    parts = pairwise(np.unique(np.round(orders.n_features * shares).astype(int)).tolist())
    return np.asarray(np.sum(list(run_threads(count, parts, n_jobs)), axis=0), dtype=np.int64)


def _integers(orders: Orders) -> type[np.signedinteger[Any]]:
    """The integers that hold the weight of a class; short ones are faster."""
    return np.int32 if orders.class_sizes.max() <= np.iinfo(np.int32).max else np.int64


class SpoilerStrategy(Strategy):
    """Spoiler counts of the features present, kept up to date as features go."""

    def __init__(self, orders: Orders, n_jobs: int | None = None) -> None:
        self._ranks = np.ascontiguousarray(orders.ranks)
        self._weights, self._starts = orders.weights, orders.starts
        self._counter = _integers(orders)
        self._features = np.arange(orders.n_features)
        self._place = np.arange(orders.n_features)
        self._totals = total_spoiler_counts(orders, n_jobs)
        self._live = orders.n_features
        self._buffers()

    def _buffers(self) -> None:
        width = self._features.size
        self._before = np.empty(width, dtype=self._counter)
        self._after = np.empty(width, dtype=self._counter)
        self._column = np.empty(width, dtype=np.int64)

    def candidates(self, free: NDArray[np.bool_]) -> tuple[NDArray[np.intp], float]:
        totals = np.where(free[self._features], self._totals, -MAX_COUNT)
        largest = totals.max()
        return self._features[totals == largest], float(largest)

    def remove(self, feature: int) -> None:
        k = int(self._place[feature])
        orders, counted = (self._ranks, self._weights, self._starts), (self._before, self._after)
        rank_order.spoiler_column(*orders, k, self._features.size, *counted, self._column)
        self._totals -= self._column
        self._totals[k] = -MAX_COUNT  # never a candidate again
        self._live -= 1
        if self._live < COMPACT_AT * self._features.size:
            keep = np.flatnonzero(self._totals >= 0)
            self._ranks = np.ascontiguousarray(self._ranks[:, keep])
            self._features, self._totals = self._features[keep], self._totals[keep]
            self._place[self._features] = np.arange(keep.size)
            self._buffers()


SAME = 1e-12  # nats; divergences closer than this are equal but for rounding


class GreedyStrategy(Strategy):
    """Divergence of all subsets with one feature less, which changes only if two orders of different
    class distribution lose the last pair of features in which they differ; the number of such pairs is
    kept."""

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
        rank_order.difference_bits(self._ranks, k, self._planes)
        rank_order.state_differences(self._planes, self._left, self._right, self._differences, sign)

    def candidates(self, free: NDArray[np.bool_]) -> tuple[NDArray[np.intp], float]:
        live = np.flatnonzero(self._present)
        values = np.full(live.size, self._value)
        # Feature → pairs of orders that its removal would make equal.
        last: dict[int, list[int]] = {}
        columns = self._place[live].astype(np.int64)
        # All differences of a pair meet in one feature only if there are fewer than features.
        for q in np.flatnonzero(self._differences < live.size):
            a, b = self._ranks[self._left[q]], self._ranks[self._right[q]]
            witness = self._witness[q]
            if witness[0] < 0 or not self._present[witness].all():
                witness[:] = self._features[list(rank_order.first_difference(a, b, columns))]
            for feature in witness:
                k = int(self._place[feature])
                if rank_order.differences_with(a, b, columns, k) == self._differences[q]:
                    last.setdefault(int(feature), []).append(int(q))
        for feature, pairs in last.items():
            groups = self._groups.copy()
            for pair in pairs:
                _merge(groups, self._left[pair], self._right[pair])
            values[np.searchsorted(live, feature)] = self._divergence(groups)
        values[~free[live]] = np.inf
        least = float(values.min())
        return live[values <= least + SAME], least

    def remove(self, feature: int) -> None:
        self._add_differences(int(self._place[feature]), -1)
        self._present[feature] = False
        self._ranks[:, self._place[feature]] = -1  # incomparable in every row: never a difference
        if self._present.sum() < COMPACT_AT * self._features.size:
            keep = np.flatnonzero(self._present[self._features])
            self._ranks = np.ascontiguousarray(self._ranks[:, keep])
            self._features = self._features[keep]
            self._place[self._features] = np.arange(keep.size)
            self._bits()
        gone = np.flatnonzero(self._differences == 0)
        for q in gone:
            _merge(self._groups, self._left[q], self._right[q])
        if gone.size:
            keep = np.flatnonzero(self._differences)
            self._left, self._right = self._left[keep], self._right[keep]
            self._differences, self._witness = self._differences[keep], self._witness[keep]
            self._value = self._divergence(self._groups)

    def _divergence(self, groups: NDArray[np.intp]) -> float:
        return mean_divergence(self._orders, self._before, groups[self._patterns])


def _merge(groups: NDArray[np.intp], a: int, b: int) -> None:
    groups[groups == groups[b]] = groups[a]


PARTNERS = ("redundant", "informative")
SPARE = 3  # partners kept per place in a blanket, so few removals ask for a new search


@dataclass(frozen=True, eq=False)
class BlanketSettings(Settings):
    """What a blanket is."""

    kind: ClassVar[str] = "method='koller_sahami'"

    blanket_size: int = option(5, low=1, metavar="K", help="features per blanket of koller-sahami")
    partners: str = option(
        "redundant", choices=PARTNERS, help="which features form a blanket of koller-sahami"
    )


class BlanketStrategy(Strategy):
    """Blankets of the present features, and what each feature adds to its blanket. The divergence of a
    pair does not depend on other features, so partners are ranked once, and again only when the list of
    the best is used up."""

    def __init__(
        self,
        orders: Orders,
        blanket_size: int,
        partners: str,
        priority: NDArray[np.intp],
        n_jobs: int | None = None,
    ) -> None:
        self._instances = (orders.weights, orders.codes, orders.n_classes)
        self._size = blanket_size
        self._sign = -1 if partners == "redundant" else 1
        # Equally good partners: those that ties remove last, so a blanket lives long.
        self._priority = priority
        self._columns = np.ascontiguousarray(orders.ranks.T)
        self._present = np.ones(orders.n_features, dtype=np.bool_)
        counts = orders.counts()
        self._x_log_x = counts * np.log(np.maximum(counts, 1.0))
        p = orders.n_features
        self._partners: list[NDArray[np.intp]] = [np.empty(0, dtype=np.intp)] * p
        self._blankets = np.full((p, blanket_size), -1, dtype=np.int32)  # −1 fills small blankets
        self._values = np.full(p, np.inf)
        self._n_jobs = n_jobs
        self._refresh_all(np.arange(p))

    def _refresh_all(self, features: NDArray[np.intp]) -> None:
        """In parallel, which pays for many features only."""
        blocks = np.array_split(features, min(features.size, 8 * count_workers(self._n_jobs)))
        deque(run_threads(self._refresh, blocks, self._n_jobs), maxlen=0)

    def _refresh(self, features: NDArray[np.intp]) -> None:
        """Fill the blanket of each feature, and compute Δ of the blanket against the blanket and it."""
        size = min(self._size, int(self._present.sum()) - 1)
        for k in map(int, features):
            partners = self._partners[k]
            partners = partners[self._present[partners]]
            if partners.size < size:
                partners = self._search_partners(k)
            self._partners[k] = partners
            self._blankets[k] = -1
            self._blankets[k, :size] = partners[:size]
            columns = self._columns[np.append(partners[:size], k).astype(np.int64)]
            self._values[k] = rank_order.added_divergence(columns, *self._instances)

    def _search_partners(self, k: int) -> NDArray[np.intp]:
        """The best partners of k that are present, best first."""
        others = np.flatnonzero(self._present)
        others = others[others != k]
        entropies = np.empty(others.size)
        rank_order.conditional_entropies(
            self._columns, *self._instances, k, others.astype(np.int64), self._x_log_x, entropies
        )
        # Sums of the same terms in another order differ in the last bits: rounding makes them equal.
        keys = self._sign * np.round(entropies, 9)
        n_kept = min(others.size, self._size * (1 + SPARE))
        bound = np.partition(keys, n_kept - 1)[n_kept - 1]
        within = np.flatnonzero(keys <= bound)
        best = within[np.lexsort((self._priority[others[within]], keys[within]))[:n_kept]]
        return np.asarray(others[best])

    def candidates(self, free: NDArray[np.bool_]) -> tuple[NDArray[np.intp], float]:
        values = np.where(free, self._values, np.inf)
        least = float(values.min())
        return np.flatnonzero(values <= least + SAME), least

    def remove_all(self, features: NDArray[np.intp]) -> None:
        # A blanket depends on the features present only, not on the way that led there.
        self._drop(features)
        self._refresh_all(np.flatnonzero(self._present))

    def remove(self, feature: int) -> None:
        self._drop(feature)
        self._refresh(np.flatnonzero((self._blankets == feature).any(axis=1)))

    def _drop(self, features: int | NDArray[np.intp]) -> None:
        self._present[features] = False
        self._values[features] = np.inf
        self._blankets[features] = -1

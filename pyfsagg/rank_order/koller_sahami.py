"""Koller–Sahami: remove the feature that an approximate Markov blanket replaces best."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.checks import check_integer
from pyfsagg._base.memory import require_memory
from pyfsagg._base.settings import Settings, option
from pyfsagg._kernels.orders.rank_order import added_divergence, conditional_entropies
from pyfsagg._run.parallel import count_workers, run_threads
from pyfsagg.rank_order._engine import Strategy
from pyfsagg.rank_order._orders import Orders

__all__ = ["BlanketSettings", "BlanketStrategy"]

PARTNERS = ("redundant", "informative")

SAME = 1e-12  # nats; divergences closer than this are equal but for rounding
SPARE = 3  # partners kept per place in a blanket, so that few removals ask for a new search


@dataclass(frozen=True, eq=False)
class BlanketSettings(Settings):
    """What a blanket is."""

    kind: ClassVar[str] = "method='koller_sahami'"

    blanket_size: int = option(5, metavar="K", help="features per blanket of koller-sahami")
    partners: str = option(
        "redundant", choices=PARTNERS, help="which features form a blanket of koller-sahami"
    )

    def check(self) -> None:
        check_integer("blanket_size", self.blanket_size, low=1)


class BlanketStrategy(Strategy):
    """Blankets of all features present, and what each feature adds to its blanket.

    The divergence of a pair of features does not depend on the others (a projection keeps the
    order of the two), so partners are ranked once per feature and again only when the list of the
    best runs out.
    """

    def __init__(
        self,
        orders: Orders,
        blanket_size: int,
        partners: str,
        priority: NDArray[np.intp],
        n_jobs: int | None = None,
    ) -> None:
        self._orders = orders
        self._size = blanket_size
        self._sign = -1 if partners == "redundant" else 1
        # Equally good partners: those that ties remove last, so that a blanket lives long.
        self._priority = priority
        self._columns = np.ascontiguousarray(orders.ranks.T)
        self._present = np.ones(orders.n_features, dtype=np.bool_)
        total = int(orders.weights.sum())
        require_memory(
            24 * total,
            f"the logarithms of counts up to {total:,}, the weights together,",
            "divide sample_weight by a common factor",
        )
        counts = np.arange(total + 1, dtype=np.float64)
        self._x_log_x = counts * np.log(np.maximum(counts, 1.0))
        p = orders.n_features
        self._partners: list[NDArray[np.intp]] = [np.empty(0, dtype=np.intp)] * p
        self._blankets = np.full((p, blanket_size), -1, dtype=np.int32)  # −1 fills small blankets
        self._values = np.full(p, np.inf)
        self._n_jobs = n_jobs
        self._refresh_all(np.arange(p))

    def _refresh_all(self, features: NDArray[np.intp]) -> None:
        """In parallel, which pays for many features only."""
        n_blocks = min(features.size, 8 * count_workers(self._n_jobs))
        blocks = np.array_split(features, n_blocks)
        deque(run_threads(self._refresh, blocks, self._n_jobs), maxlen=0)

    def _refresh(self, features: NDArray[np.intp]) -> None:
        for k in features:
            self._renew_blanket(int(k))

    def _renew_blanket(self, k: int) -> None:
        listed = self._partners[k]
        listed = listed[self._present[listed]]
        wanted = min(self._size, int(self._present.sum()) - 1)
        if listed.size < wanted:
            listed = self._search_partners(k)
        self._partners[k] = listed
        self._blankets[k] = -1
        self._blankets[k, :wanted] = listed[:wanted]
        self._values[k] = self._added(k, listed[:wanted])

    def _search_partners(self, k: int) -> NDArray[np.intp]:
        """The best partners of k that are present, best first."""
        others = np.flatnonzero(self._present)
        others = others[others != k]
        entropies = np.empty(others.size)
        orders = self._orders
        conditional_entropies(
            self._columns,
            orders.weights,
            orders.codes,
            orders.n_classes,
            k,
            others.astype(np.int64),
            self._x_log_x,
            entropies,
        )
        # Sums of the same terms in another order differ in the last bits: rounding makes them equal.
        keys = self._sign * np.round(entropies, 9)
        n_kept = min(others.size, self._size * (1 + SPARE))
        bound = np.partition(keys, n_kept - 1)[n_kept - 1]
        within = np.flatnonzero(keys <= bound)
        best = within[np.lexsort((self._priority[others[within]], keys[within]))[:n_kept]]
        return np.asarray(others[best])

    def _added(self, k: int, blanket: NDArray[np.intp]) -> float:
        """Δ of the blanket with respect to the blanket and k."""
        orders = self._orders
        features = np.append(blanket, k).astype(np.int64)
        return added_divergence(
            self._columns[features], orders.weights, orders.codes, orders.n_classes
        )

    def candidates(self) -> tuple[NDArray[np.intp], float]:
        least = float(self._values.min())
        return np.flatnonzero(self._values <= least + SAME), least

    def remove_all(self, features: NDArray[np.intp]) -> None:
        # A blanket depends on the features present only, not on the way that led there.
        self._present[features] = False
        self._values[features] = np.inf
        self._blankets[features] = -1
        self._refresh_all(np.flatnonzero(self._present))

    def remove(self, feature: int) -> None:
        self._present[feature] = False
        self._values[feature] = np.inf
        self._blankets[feature] = -1
        self._refresh(np.flatnonzero((self._blankets == feature).any(axis=1)))

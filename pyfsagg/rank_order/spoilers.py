"""Spoilers: remove the feature that takes part in most inversions inside the classes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._kernels.orders.rank_order import spoiler_column, spoiler_totals
from pyfsagg._run.parallel import count_workers, run_threads
from pyfsagg.exceptions import ParameterError
from pyfsagg.rank_order._engine import Strategy
from pyfsagg.rank_order._orders import Orders, read_orders

__all__ = ["SpoilerStrategy", "blocks_of_pairs", "spoiler_counts", "total_spoiler_counts"]

MAX_COUNT = 2**62  # leaves room below for the mark of a feature that is gone
COMPACT_AT = 0.875  # share of live columns below which the dead ones are swept out


def spoiler_counts(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    ties: str = "average",
    missing: str = "error",
    random_state: Any = None,
) -> pd.Series:
    """Total spoiler count of each feature.

    The number of times that the feature is inverted with another one between two instances of the
    same class.  Every pair of instances and every pair of features is counted once; a pair of
    features that is tied or unknown in one of the two instances is not inverted.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        Numbers on one scale.
    y : array of shape (n_samples,)
        Class labels.
    sample_weight : array of whole numbers (n_samples,), optional
        How often each instance counts.
    ties, missing, random_state
        As in :func:`pyfsagg.rank_order.eliminate`.

    Returns
    -------
    Series of int (n_features,)
        Larger = more inversions within the classes, removed first.

    Raises
    ------
    DataError, ParameterError
        For data or parameters that are not allowed.

    Notes
    -----
    Source: orders, definitions 8 and 9.  With B(i, j) instances of a class that place i before j
    the count of i is the sum of B(i, j) B(j, i) over classes and features j: O(n p²) in all.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1, 2, 3], [1, 3, 2], [3, 2, 1], [3, 2, 1]])
    >>> spoiler_counts(X, ["a", "a", "b", "b"]).to_dict()
    {'x0': 0, 'x1': 1, 'x2': 1}
    """
    orders = read_orders(
        X, y, sample_weight=sample_weight, ties=ties, missing=missing, random_state=random_state
    )
    return pd.Series(
        total_spoiler_counts(orders), index=list(orders.feature_names), name="spoilers"
    )


def total_spoiler_counts(orders: Orders, n_jobs: int | None = None) -> NDArray[np.int64]:
    """Spoiler counts of all features, (n_features,).

    Raises
    ------
    ParameterError
        If the weights are so large that a count may not fit into 64 bits.
    """
    sizes = [int(size) for size in orders.class_sizes]
    most = (orders.n_features - 1) * sum(size * size // 4 for size in sizes)
    if most > MAX_COUNT:
        raise ParameterError(
            f"with these weights a spoiler count may reach {most}, and at most {MAX_COUNT} is "
            "supported: divide sample_weight by a common factor or take fewer rows"
        )
    like = np.empty(0, dtype=_integers(orders))

    def count(part: tuple[int, int]) -> NDArray[np.int64]:
        totals: NDArray[np.int64] = spoiler_totals(
            orders.ranks, orders.weights, orders.starts, *part, like
        )
        return totals

    parts = blocks_of_pairs(orders.n_features, 4 * count_workers(n_jobs))
    return np.asarray(np.sum(list(run_threads(count, parts, n_jobs)), axis=0), dtype=np.int64)


def _integers(orders: Orders) -> type[np.signedinteger[Any]]:
    """The integers that hold the weight of a class; short ones are faster."""
    return np.int32 if orders.class_sizes.max() <= np.iinfo(np.int32).max else np.int64


def blocks_of_pairs(p: int, n_blocks: int) -> list[tuple[int, int]]:
    """Ranges of k with about equally many pairs (i, k), i < k."""
    bounds = np.unique(np.round(p * np.sqrt(np.linspace(0.0, 1.0, n_blocks + 1))).astype(int))
    return [(int(low), int(high)) for low, high in pairwise(bounds)]


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

    def candidates(self) -> tuple[NDArray[np.intp], float]:
        largest = self._totals.max()
        return self._features[self._totals == largest], float(largest)

    def remove(self, feature: int) -> None:
        k = int(self._place[feature])
        spoiler_column(
            self._ranks,
            self._weights,
            self._starts,
            k,
            self._features.size,
            self._before,
            self._after,
            self._column,
        )
        self._totals -= self._column
        self._totals[k] = -MAX_COUNT  # never a candidate again
        self._live -= 1
        if self._live < COMPACT_AT * self._features.size:
            keep = np.flatnonzero(self._totals >= 0)
            self._ranks = np.ascontiguousarray(self._ranks[:, keep])
            self._features, self._totals = self._features[keep], self._totals[keep]
            self._place[self._features] = np.arange(keep.size)
            self._buffers()

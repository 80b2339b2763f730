"""Distances between orders, centres, concordance, and the divergence of feature subsets."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.arithmetic import Floats, Indices, Integers, RandomState, TableLike, TargetLike
from pyfsagg._base.validation import as_array, check_choice
from pyfsagg._kernels.rank_order import concordance_sum, inversions_by_feature
from pyfsagg._table.target import check_target
from pyfsagg.exceptions import DataError
from pyfsagg.rank_order import _orders


def kendall_distance(first: ArrayLike, second: ArrayLike) -> int:
    """Number of feature pairs in opposite order (orders, definition 7); a pair tied in one order is not
    inverted."""
    return int(inversion_counts(first, second).sum()) // 2


def inversion_counts(first: ArrayLike, second: ArrayLike) -> Integers:
    """Number of inversions between two orders that each feature takes part in, (n_features,)."""
    ranks = _orders.integer_ranks(_two_orders(first, second), "average", None)
    return np.asarray(inversions_by_feature(ranks[0], ranks[1]))


def concordance_of_ranks(ranks: NDArray[Any]) -> float:
    """Agreement τ of orders, as integer ranks: the mean of Kendall's τ over its pairs (orders, figure 6)."""
    m, p = ranks.shape
    return float(2.0 * concordance_sum(ranks) / ((p * p - p) * (m * m - m)) - 1.0 / (m - 1))


def _two_orders(first: ArrayLike, second: ArrayLike) -> Floats:
    a, b = (as_array("an order", order, np.float64) for order in (first, second))
    if a.ndim != 1 or a.shape != b.shape or a.size < 2:
        raise DataError(
            "two orders must be sequences of the same length, at least 2; got shapes "
            f"{a.shape} and {b.shape}"
        )
    if np.isinf(a).any() or np.isinf(b).any():
        raise DataError("an order has an infinite value (inf); replace it by a number")
    return np.vstack([a, b])


UNITS = {"nats": 1.0, "bits": 1.0 / np.log(2.0)}

Labels = Integers


def instance_divergence(
    X: TableLike,
    y: TargetLike,
    features: Sequence[str | int],
    *,
    unit: str = "nats",
    space: str = "orders",
    ties: str = "average",
    missing: str = "error",
    random_state: RandomState = None,
) -> pd.Series:
    """Divergence δ of each instance for a subset of features: Kullback–Leibler, between the class
    distributions of instances with the same full order and with the same reduced order (orders,
    definition 3)."""
    check_choice("unit", unit, UNITS)
    check_choice("space", space, ("orders", "values"))
    table = _orders.order_table(X, min_samples=2, min_features=1)
    target = check_target(y, table.n_samples, min_per_class=1.0)
    columns = _orders.read_features(features, table.feature_names)
    _orders.check_rules(table, ties, missing, random_state)
    if space == "values":
        values = np.ascontiguousarray(table.values)
        full, part = _row_labels(values), _row_labels(np.ascontiguousarray(values[:, columns]))
    else:
        ranks = _orders.integer_ranks(table.values, ties, random_state)
        full, part = pattern_labels(ranks), pattern_labels(ranks[:, columns])
    weights = np.ones(table.n_samples, dtype=np.int64)
    before = class_distributions(full, target.codes, weights, target.n_classes)
    after = class_distributions(part, target.codes, weights, target.n_classes)
    index = X.index if isinstance(X, pd.DataFrame) else pd.RangeIndex(table.n_samples)
    delta = row_divergence(before, after) * UNITS[unit]
    return pd.Series(delta, index=index, name="divergence")


def subset_divergence(
    X: TableLike,
    y: TargetLike,
    features: Sequence[str | int],
    *,
    unit: str = "nats",
    space: str = "orders",
    ties: str = "average",
    missing: str = "error",
    random_state: RandomState = None,
) -> float:
    """Divergence Δ of a feature subset, the information on the class that is lost with the others.

    Δ equals H(class | order of the features kept) − H(class | order of all features): it is not
    negative, and grows as features are removed.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        Numbers on one scale.
    y : array of shape (n_samples,)
        Class labels.
    features : sequence of str or int
        The features kept, by name or position.
    unit : {"nats", "bits"}
    space : {"orders", "values"}
        Compare the orders of the features, or their values as they are.
    ties, missing, random_state
        As in :func:`eliminate`.

    See Also
    --------
    eliminate : Removes features so that little is lost.

    Notes
    -----
    Source: orders, definition 3.  By lemma 1 it is the same on rank-order and boolean-order
    features.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1, 2, 3], [2, 1, 3], [3, 2, 1], [3, 1, 2]])
    >>> round(subset_divergence(X, [0, 0, 1, 1], ["x0", "x1"]), 4)
    0.4774
    >>> subset_divergence(X, [0, 0, 1, 1], ["x0", "x2"])
    0.0
    """
    rules: dict[str, Any] = {"ties": ties, "missing": missing, "random_state": random_state}
    delta = instance_divergence(X, y, features, unit=unit, space=space, **rules)
    return float(delta.to_numpy().mean())


def pattern_labels(ranks: NDArray[Any]) -> Labels:
    """Numbers of instances (rows of integer ranks), equal for equal orders: each pair of features
    before, after, tied or unknown alike."""
    if (ranks < 0).any():
        i, j = np.triu_indices(ranks.shape[1], 1)
        a, b = ranks[:, i], ranks[:, j]
        states = np.sign(a - b).astype(np.int8)
        states[(a < 0) | (b < 0)] = 2
        return _row_labels(states)
    order = np.argsort(ranks, axis=1, kind="stable")
    steps = np.zeros(ranks.shape, dtype=np.int32)
    steps[:, 1:] = np.diff(np.take_along_axis(ranks, order, 1), axis=1) != 0
    dense = np.empty_like(steps)
    np.put_along_axis(dense, order, np.cumsum(steps, axis=1, dtype=np.int32), 1)
    return _row_labels(dense)


def _row_labels(rows: NDArray[Any]) -> Labels:
    """Equal rows, equal numbers (0, 1, …)."""
    if rows.shape[1] == 0:
        return np.zeros(rows.shape[0], dtype=np.int64)
    rows = np.ascontiguousarray(rows + 0) if rows.dtype.kind == "f" else np.ascontiguousarray(rows)
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1])))[:, 0]
    _, labels = np.unique(keys, return_inverse=True)
    return np.asarray(labels, dtype=np.int64).reshape(-1)


def class_distributions(
    labels: Labels, codes: NDArray[np.int32], weights: Integers, n_classes: int
) -> Floats:
    """P(class | label) for each instance, (n_samples, n_classes)."""
    counts = np.zeros((int(labels.max()) + 1, n_classes), dtype=np.int64)
    np.add.at(counts, (labels, codes), weights)
    # Reduced fractions are equal floats: 1/3 and 2/6 compare equal, so a difference of 0 is exact.
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return np.asarray(shares[labels])


def row_divergence(before: Floats, after: Floats) -> Floats:
    """KL divergence of each row of `after` from `before`, in nats; 0 log 0 = 0."""
    ratio = np.divide(before, after, out=np.ones_like(before), where=before > 0)
    return np.asarray((before * np.log(ratio)).sum(axis=1))


def mean_divergence(orders: _orders.Orders, before: Floats, labels: Labels) -> float:
    """Δ in nats of the partition `labels` against the class distributions `before`."""
    after = class_distributions(labels, orders.codes, orders.weights, orders.n_classes)
    if (after == before).all():
        return 0.0
    delta = row_divergence(before, after)
    # Rounding must not make a divergence negative, which it cannot be.
    return max(0.0, float(orders.weights @ delta) / float(orders.weights.sum()))


def divergence_path(orders: _orders.Orders, removal_order: Indices) -> Floats:
    """Δ after the removal of 0, 1, …, p − 1 features, in nats."""
    return divergence_growing(orders, removal_order[::-1], all_orders(orders))[::-1]


def all_orders(orders: _orders.Orders) -> Floats:
    """P(class | order of all features) for each instance, (n_samples, n_classes)."""
    return class_distributions(
        divergence_labels(orders), orders.codes, orders.weights, orders.n_classes
    )


def divergence_growing(orders: _orders.Orders, features: Indices, before: Floats) -> Floats:
    """Δ of the first 1, 2, … `features` against `before` of :func:`all_orders`, in nats; each splits
    the groups of equal orders, and Δ falls until it is 0."""
    divergences = np.zeros(features.size)
    labels = np.zeros(orders.n_samples, dtype=np.int64)
    for last, feature in enumerate(features):
        if last > 0:
            labels = grow_labels(orders.ranks, labels, features[:last], int(feature))
        divergences[last] = mean_divergence(orders, before, labels)
        if divergences[last] == 0.0:
            break
    return divergences


def grow_labels(ranks: NDArray[Any], labels: Labels, features: NDArray[Any], new: int) -> Labels:
    """Labels of the orders of `features` refined by one more feature."""
    added, others = ranks[:, [new]], ranks[:, features]
    states = np.sign(others.astype(np.int32) - added).astype(np.int8)
    states[(others < 0) | (added < 0)] = 2
    keys = np.column_stack([labels.astype(np.int32).view(np.int8).reshape(-1, 4), states])
    return _row_labels(keys)


def divergence_labels(orders: _orders.Orders) -> Labels:
    """Labels of the complete orders."""
    ranks = orders.ranks
    if not orders.has_unknown:
        return pattern_labels(ranks)
    # With unknown places the states of all pairs count, too many to form at once.
    labels = np.zeros(ranks.shape[0], dtype=np.int64)
    for new in range(1, ranks.shape[1]):
        labels = grow_labels(ranks, labels, np.arange(new), new)
        if labels.max() == ranks.shape[0] - 1:
            break  # all different already
    return labels

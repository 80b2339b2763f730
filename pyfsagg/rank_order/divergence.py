"""Feature-subset divergence: how much a projection of the orders says less about the class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.checks import check_choice
from pyfsagg._table.target import check_target
from pyfsagg.rank_order._orders import (
    Orders,
    check_rules,
    integer_ranks,
    order_table,
    read_features,
)

__all__ = [
    "all_orders",
    "class_distributions",
    "divergence_growing",
    "divergence_labels",
    "divergence_path",
    "instance_divergence",
    "pattern_labels",
    "subset_divergence",
]

UNITS = {"nats": 1.0, "bits": 1.0 / np.log(2.0)}
SPACES = ("orders", "values")

Labels = NDArray[np.int64]


def instance_divergence(
    X: Any,
    y: Any,
    features: Sequence[str | int],
    *,
    unit: str = "nats",
    space: str = "orders",
    ties: str = "average",
    missing: str = "error",
    random_state: Any = None,
) -> pd.Series:
    """Divergence δ of each instance when only some features are kept.

    The Kullback–Leibler divergence between the class distribution of the instances with the same
    order of all features and of those with the same order of the features kept.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        Numbers on one scale.
    y : array of shape (n_samples,)
        Class labels.
    features : sequence of names or positions
        The features that are kept.
    unit : {"nats", "bits"}
    space : {"orders", "values"}
        Compare instances by the order of their features, or by the values themselves.
    ties : {"average", "ordinal", "random", "error"}
        Equal values in one instance: a state of their own (``=``), ordered by column, ordered at
        random (with `random_state`), or refused.
    missing : {"error", "unknown"}
        Refuse missing values, or let the place of the feature be unknown in that instance.

    Returns
    -------
    Series (n_samples,)
        Not negative; 0 where nothing is lost.

    Raises
    ------
    DataError, ParameterError
        For data or parameters that are not allowed.

    Notes
    -----
    Source: orders, definition 3.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1, 2, 3], [1, 2, 3], [3, 2, 1]])
    >>> instance_divergence(X, ["a", "b", "b"], ["x0"]).round(4).tolist()
    [0.0589, 0.0589, 0.4055]
    """
    check_choice("unit", unit, UNITS)
    check_choice("space", space, SPACES)
    table = order_table(X, min_samples=2, min_features=1)
    target = check_target(y, table.n_samples, min_per_class=1.0)
    kept = read_features(features, table.feature_names)
    check_rules(table, ties, missing, random_state)
    if space == "values":
        values = np.ascontiguousarray(table.values)
        full, part = _row_labels(values), _row_labels(np.ascontiguousarray(values[:, kept]))
    else:
        ranks = integer_ranks(table.values, ties, random_state)
        full, part = pattern_labels(ranks), pattern_labels(ranks[:, kept])
    weights = np.ones(table.n_samples, dtype=np.int64)
    before = class_distributions(full, target.codes, weights, target.n_classes)
    after = class_distributions(part, target.codes, weights, target.n_classes)
    index = X.index if isinstance(X, pd.DataFrame) else pd.RangeIndex(table.n_samples)
    delta = row_divergence(before, after) * UNITS[unit]
    return pd.Series(delta, index=index, name="divergence")


def subset_divergence(
    X: Any,
    y: Any,
    features: Sequence[str | int],
    *,
    unit: str = "nats",
    space: str = "orders",
    ties: str = "average",
    missing: str = "error",
    random_state: Any = None,
) -> float:
    """Divergence Δ of a feature subset: the mean of δ over the instances.

    Parameters are those of :func:`instance_divergence`.  Δ equals H(class | order of the features
    kept) − H(class | order of all features): it is not negative, and grows as features are removed.

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
    delta = instance_divergence(
        X,
        y,
        features,
        unit=unit,
        space=space,
        ties=ties,
        missing=missing,
        random_state=random_state,
    )
    return float(delta.to_numpy().mean())


def pattern_labels(ranks: NDArray[Any]) -> Labels:
    """Number instances (rows of integer ranks) so that equal orders have equal numbers.

    Two orders are equal if every pair of features is in the same state: before, after, tied or
    unknown.
    """
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
    labels: Labels,
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    n_classes: int,
) -> NDArray[np.float64]:
    """P(class | label) for each instance, (n_samples, n_classes)."""
    counts = np.zeros((int(labels.max()) + 1, n_classes), dtype=np.int64)
    np.add.at(counts, (labels, codes), weights)
    # Reduced fractions are equal floats: 1/3 and 2/6 compare equal, so a difference of 0 is exact.
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return np.asarray(shares[labels])


def row_divergence(before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
    """KL divergence of each row of `after` from `before`, in nats; 0 log 0 = 0."""
    ratio = np.divide(before, after, out=np.ones_like(before), where=before > 0)
    return np.asarray((before * np.log(ratio)).sum(axis=1))


def mean_divergence(orders: Orders, before: NDArray[np.float64], labels: Labels) -> float:
    """Δ in nats of the partition `labels` against the class distributions `before`."""
    after = class_distributions(labels, orders.codes, orders.weights, orders.n_classes)
    if (after == before).all():
        return 0.0
    delta = row_divergence(before, after)
    # Rounding must not make a divergence negative, which it cannot be.
    return max(0.0, float(orders.weights @ delta) / float(orders.weights.sum()))


def divergence_path(orders: Orders, removal_order: NDArray[np.intp]) -> NDArray[np.float64]:
    """Δ after the removal of 0, 1, …, p − 1 features, in nats."""
    return divergence_growing(orders, removal_order[::-1], all_orders(orders))[::-1]


def all_orders(orders: Orders) -> NDArray[np.float64]:
    """P(class | order of all features) for each instance, (n_samples, n_classes)."""
    return class_distributions(
        divergence_labels(orders), orders.codes, orders.weights, orders.n_classes
    )


def divergence_growing(
    orders: Orders, features: NDArray[np.intp], before: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Δ of the first 1, 2, … of `features` against `before`, which :func:`all_orders` gives; nats.

    Each feature that comes splits the groups of instances with equal orders.  Δ falls along the way,
    so the walk ends once it is 0.
    """
    found = np.zeros(features.size)
    labels = np.zeros(orders.n_samples, dtype=np.int64)
    for size in range(1, features.size + 1):
        if size > 1:
            labels = grow_labels(
                orders.ranks, labels, features[: size - 1], int(features[size - 1])
            )
        found[size - 1] = mean_divergence(orders, before, labels)
        if found[size - 1] == 0.0:
            break
    return found


def grow_labels(ranks: NDArray[Any], labels: Labels, kept: NDArray[Any], new: int) -> Labels:
    """Labels of the orders of `kept` refined by one more feature."""
    own, others = ranks[:, [new]], ranks[:, kept]
    states = np.sign(others.astype(np.int32) - own).astype(np.int8)
    states[(others < 0) | (own < 0)] = 2
    keys = np.column_stack([labels.astype(np.int32).view(np.int8).reshape(-1, 4), states])
    return _row_labels(keys)


def divergence_labels(orders: Orders) -> Labels:
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

"""Naive Bayes on boolean-order features, along a path of nested subsets."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats, Integers, RandomState
from pyfsagg._base.validation import check_integer, random_numbers
from pyfsagg._kernels.rank_order import naive_bayes_path
from pyfsagg._message import Param
from pyfsagg.exceptions import ParameterError
from pyfsagg.rank_order import _orders, distances

ALPHA = 1.0  # Laplace's correction: one extra instance in each state of a boolean-order feature


def naive_bayes_accuracy(
    X: Any, y: Any, features: Sequence[str | int] | None = None, *, random_state: RandomState = 0
) -> pd.Series:
    """Cross-validated accuracy of naive Bayes on the orders of all pairs of the first 1, 2, …
    `features` (orders, section 5.2); a tie is a state, an unknown order is omitted, probabilities are
    (count + 1) / (total + states)."""
    orders = _orders.read_orders(X, y, random_state=random_state)
    names = orders.feature_names
    chosen = _orders.read_features(names if features is None else features, names)
    values = accuracy_path(orders, chosen, random_state=random_state)
    index = pd.RangeIndex(1, chosen.size + 1, name="size")
    return pd.Series(values, index=index, name="accuracy")


def random_subset_baseline(
    X: Any,
    y: Any,
    *,
    max_size: int = 30,
    n_subsets: int = 100,
    n_folds: int = 5,
    ties: str = "average",
    missing: str = "error",
    random_state: RandomState = 0,
) -> pd.DataFrame:
    """Accuracy and divergence of random subsets, from 2 to `max_size` features for each of `n_subsets`
    random orders (orders, section 5.2)."""
    orders = _orders.read_orders(X, y, ties=ties, missing=missing, random_state=random_state)
    largest = check_integer("max_size", max_size, low=2, high=orders.n_features)
    n_subsets = check_integer("n_subsets", n_subsets, low=1)
    rng = random_numbers(random_state)
    accuracy = np.empty((n_subsets, largest - 1))
    divergence = np.empty((n_subsets, largest - 1))
    before = distances.all_orders(orders)
    for s in range(n_subsets):
        drawn = rng.permutation(orders.n_features)[:largest]
        accuracy[s] = accuracy_path(orders, drawn, n_folds=n_folds, random_state=rng)[1:]
        divergence[s] = distances.divergence_growing(orders, drawn, before)[1:]
    columns = {}
    for name, values in (("accuracy", accuracy), ("divergence", divergence)):
        columns[f"{name}_mean"] = values.mean(axis=0)
        lower, upper = np.quantile(values, [0.025, 0.975], axis=0)
        columns |= {f"{name}_lower": lower, f"{name}_upper": upper}
    return pd.DataFrame(columns, index=pd.RangeIndex(2, largest + 1, name="size"))


def accuracy_path(
    orders: _orders.Orders,
    features: NDArray[Any],
    *,
    n_folds: int = 5,
    random_state: RandomState = 0,
) -> Floats:
    """Accuracy with the first 1, 2, … of `features` (positions)."""
    n_folds = check_integer("n_folds", n_folds, low=2)
    if n_folds > orders.n_samples:
        limit = f" must be at most the number of samples ({orders.n_samples}), got {n_folds}"
        raise ParameterError(Param("n_folds"), limit)
    folds = stratified_folds(orders.codes, n_folds, random_state)
    n_states = 3 if orders.has_ties else 2
    counts = orders.counts()
    sizes = np.zeros((n_folds, orders.n_classes))
    np.add.at(sizes, (folds, orders.codes), orders.weights)
    outside = sizes.sum(axis=0) - sizes
    priors = (outside + ALPHA) / (outside.sum(axis=1, keepdims=True) + ALPHA * orders.n_classes)
    correct = naive_bayes_path(
        np.ascontiguousarray(orders.ranks[:, features].T),
        orders.weights,
        orders.codes,
        folds,
        orders.n_classes,
        n_folds,
        n_states,
        np.log(counts + ALPHA),
        np.log(counts + ALPHA * n_states),
        np.log(priors),
    )
    return np.asarray(correct / counts[-1])


def stratified_folds(codes: NDArray[np.int32], n_folds: int, random_state: RandomState) -> Integers:
    """Fold of each instance: classes are shuffled and dealt in turn, so fold sizes differ by at most 1,
    also within classes."""
    rng = random_numbers(random_state)
    folds = np.empty(codes.size, dtype=np.int64)
    dealt = 0
    for c in range(int(codes.max()) + 1):
        members = rng.permutation(np.flatnonzero(codes == c))
        folds[members] = (dealt + np.arange(members.size)) % n_folds
        dealt += members.size
    return folds

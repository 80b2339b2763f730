"""Distances between orders, centres of sets of orders, and their concordance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from pyfsagg._base.checks import as_array, check_choice
from pyfsagg._kernels.orders.rank_order import concordance_sum, inversions_by_feature
from pyfsagg._table.frames import pandas_frame
from pyfsagg._table.target import check_target
from pyfsagg.exceptions import DataError
from pyfsagg.rank_order._orders import check_rules, integer_ranks, order_table
from pyfsagg.rank_order.transforms import to_rank_order

__all__ = [
    "center",
    "class_centers",
    "concordance",
    "inversion_counts",
    "kendall_distance",
    "spearman_distance",
]

CENTER_TIES = ("average", "ordinal")


def spearman_distance(first: ArrayLike, second: ArrayLike) -> float:
    """Sum of squared rank differences of two orders.

    Parameters
    ----------
    first, second : array-like (n_features,)
        Ranks or values of the same features; they are ranked (ties: average ranks).

    Returns
    -------
    float
        From 0 (same order) to (p³ − p) / 3 (reversed).

    Raises
    ------
    DataError
        If the lengths differ, or a value is missing.

    Notes
    -----
    Source: orders, definition 6.

    Examples
    --------
    >>> spearman_distance([1, 2, 3, 4], [4, 3, 2, 1])
    20.0
    """
    pair = _two_orders(first, second)
    ranks = rankdata(pair, axis=1)
    return float(((ranks[0] - ranks[1]) ** 2).sum())


def kendall_distance(first: ArrayLike, second: ArrayLike) -> int:
    """Number of feature pairs that two orders place in opposite order.

    The least number of swaps of neighbours that turn one order into the other.  A pair that is tied
    in one of the orders is not inverted.

    Parameters
    ----------
    first, second : array-like (n_features,)
        Ranks or values of the same features; NaN is an unknown place, in no inversion.

    Raises
    ------
    DataError
        If the lengths differ.

    Notes
    -----
    Source: orders, definition 7.

    Examples
    --------
    The orders F3 F2 F4 F5 F1 F6 and F3 F5 F2 F1 F4 F6 of figure 2, as ranks of F1 to F6:

    >>> kendall_distance([5, 2, 1, 3, 4, 6], [4, 3, 1, 5, 2, 6])
    3
    """
    return int(inversion_counts(first, second).sum()) // 2


def inversion_counts(first: ArrayLike, second: ArrayLike) -> NDArray[np.int64]:
    """Number of inversions between two orders that each feature takes part in, (n_features,).

    Parameters as in :func:`kendall_distance`.

    Notes
    -----
    Source: orders, section 2 (inv).

    Examples
    --------
    >>> inversion_counts([5, 2, 1, 3, 4, 6], [4, 3, 1, 5, 2, 6])
    array([1, 1, 0, 2, 2, 0])
    """
    ranks = integer_ranks(_two_orders(first, second, unknown=True), "average", None)
    return np.asarray(inversions_by_feature(ranks[0], ranks[1]))


def center(X: Any, *, ties: str = "average") -> pd.Series:
    """Centre of a set of orders: the order of their rank sums.

    Among all orders it has the least sum of Spearman distances to those of the set.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_orders, n_features)
        Values or ranks, without missing cells; ties within a row get average ranks.
    ties : {"average", "ordinal"}
        Equal rank sums share their mean rank, so that no feature is favoured, or are ordered by
        column, so that the centre is a permutation.

    Returns
    -------
    Series (n_features,)
        Ranks, 1 = smallest sum.

    Notes
    -----
    Source: orders, definition 6 and the text below it.

    Examples
    --------
    >>> center([[1, 2, 3], [2, 1, 3], [1, 3, 2]]).to_list()
    [1.0, 2.0, 3.0]
    """
    check_choice("ties", ties, CENTER_TIES)
    ranks = to_rank_order(pandas_frame(X))
    # Twice an average rank is whole, so that equal sums are equal numbers.
    sums = (2.0 * ranks).sum(axis=0)
    values = rankdata(sums.to_numpy(), method="average" if ties == "average" else "ordinal")
    return pd.Series(values.astype(np.float64), index=ranks.columns, name="center")


def class_centers(X: Any, y: Any, *, ties: str = "average") -> pd.DataFrame:
    """Centre of each class, (n_classes, n_features); see :func:`center`.

    Examples
    --------
    >>> class_centers([[1, 2, 3], [3, 1, 2], [1, 3, 2], [3, 2, 1]], list("abab")).to_numpy()
    array([[1. , 2.5, 2.5],
           [3. , 1.5, 1.5]])
    """
    ranks = to_rank_order(pandas_frame(X))
    target = check_target(y, len(ranks), min_per_class=1.0)
    centers = [
        center(ranks.iloc[np.flatnonzero(target.codes == c)], ties=ties)
        for c in range(target.n_classes)
    ]
    index = pd.Index(target.classes, name=target.name)
    return pd.DataFrame(np.array(centers), index=index, columns=ranks.columns)


def concordance(X: Any) -> float:
    """Agreement τ of a set of orders: the mean of Kendall's τ over its pairs.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_orders, n_features)
        At least two orders, as values or ranks, without missing cells.  A pair of features that is
        tied in an order counts for neither side.

    Returns
    -------
    float
        1 if all orders are the same.  The paper gives the range as 0 to 1; the formula goes down
        to −1 / (m − 1) for m orders (−1 for two opposite ones).

    Raises
    ------
    DataError
        For one order, or missing values.

    Notes
    -----
    Source: orders, figure 6.  O(n p²) for n orders of p features.

    Examples
    --------
    >>> concordance([[1, 2, 3], [1, 2, 3], [1, 2, 3]])
    1.0
    >>> concordance([[1, 2, 3], [3, 2, 1]])
    -1.0
    """
    table = order_table(X, min_samples=2)
    check_rules(table, "average", "error", None)
    ranks = integer_ranks(table.values, "average", None)
    return concordance_of_ranks(ranks)


def concordance_of_ranks(ranks: NDArray[Any]) -> float:
    """The same of integer ranks, unchecked."""
    m, p = ranks.shape
    total = concordance_sum(ranks)
    return float(2.0 * total / ((p * p - p) * (m * m - m)) - 1.0 / (m - 1))


def _two_orders(
    first: ArrayLike, second: ArrayLike, *, unknown: bool = False
) -> NDArray[np.float64]:
    a, b = (as_array("an order", each, np.float64) for each in (first, second))
    if a.ndim != 1 or a.shape != b.shape or a.size < 2:
        raise DataError(
            "two orders must be sequences of the same length, at least 2; got shapes "
            f"{a.shape} and {b.shape}"
        )
    if np.isinf(a).any() or np.isinf(b).any():
        raise DataError("an order has an infinite value (inf); replace it by a number")
    if not unknown and (np.isnan(a).any() or np.isnan(b).any()):
        raise DataError(
            "an order has a missing value (NaN), which has no rank; leave the feature out"
        )
    return np.vstack([a, b])

"""From numbers to ranks and to pairwise orders."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np
import pandas as pd

from pyfsagg._table.frames import with_rows_of
from pyfsagg.exceptions import DataError
from pyfsagg.rank_order._orders import check_rules, integer_ranks, order_table, read_features
from pyfsagg.ranks import rank_scores

__all__ = ["OrderState", "project", "to_boolean_order", "to_rank_order"]

MAX_CELLS = 2**31


class OrderState(IntEnum):
    """State of a boolean-order feature B(i, j): is feature i below feature j?"""

    FALSE = 0
    TRUE = 1
    EQUAL = 2
    UNKNOWN = 3


def to_rank_order(
    X: Any, *, ties: str = "average", missing: str = "error", random_state: Any = None
) -> Any:
    """Rank the features within each instance; the smallest value has rank 1.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        Numbers on one scale.
    ties : {"average", "ordinal", "random", "error"}
        Equal values get their mean rank, are ordered by column or at random (with `random_state`),
        or are refused.
    missing : {"error", "unknown"}
        Refuse missing values, or leave them without a rank (NaN): only the others are ranked.

    Returns
    -------
    DataFrame (n_samples, n_features)
        Ranks 1, …, n_features, in a frame of the kind of `X`; of pandas for an array.

    Raises
    ------
    DataError, ParameterError
        For nominal columns, missing or tied values that are refused, or an unknown rule.

    Notes
    -----
    Source: orders, definition 5.

    Examples
    --------
    >>> import numpy as np
    >>> to_rank_order(np.array([[20, 40, 65, 33], [88, 76, 10, 60]])).to_numpy()
    array([[1., 3., 4., 2.],
           [4., 3., 1., 2.]])
    """
    table = order_table(X)
    check_rules(table, ties, missing, random_state)
    rule: Any = "average" if ties == "error" else ties
    ranks = rank_scores(-table.values, rule, random_state=random_state)
    return with_rows_of(X, pd.DataFrame(ranks, columns=list(table.feature_names)))


def to_boolean_order(
    X: Any, *, ties: str = "average", missing: str = "error", random_state: Any = None
) -> Any:
    """State of every pair of features in each instance.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        Numbers on one scale.
    ties : {"average", "ordinal", "random", "error"}
        ``"average"`` keeps ties as a state of their own (EQUAL); the others as in
        :func:`to_rank_order`.
    missing : {"error", "unknown"}
        Refuse missing values, or give all their pairs the state UNKNOWN.

    Returns
    -------
    DataFrame of int8 (n_samples, p (p − 1) / 2), of the kind of `X`
        Values of :class:`OrderState`; the column ``a<b`` shows whether feature a is below feature b.
        Columns go (0, 1), (0, 2), …, (1, 2), ….

    Raises
    ------
    DataError
        As :func:`to_rank_order`, and if the result would have more than 2³¹ cells.

    Notes
    -----
    Source: orders, definition 4, with the states for ties and partial orders of the text below it.

    Examples
    --------
    >>> import numpy as np
    >>> to_boolean_order(np.array([[20, 40, 65, 33], [88, 76, 10, 10]]))
       x0<x1  x0<x2  x0<x3  x1<x2  x1<x3  x2<x3
    0      1      1      1      1      0      0
    1      0      0      0      0      0      2
    """
    table = order_table(X)
    check_rules(table, ties, missing, random_state)
    n, p = table.values.shape
    if n * p * (p - 1) // 2 > MAX_CELLS:
        raise DataError(
            f"{p} features have {p * (p - 1) // 2} boolean-order features, too many to hold for {n} "
            "samples; the eliminations work on ranks and do not need them"
        )
    ranks = integer_ranks(table.values, ties, random_state)
    i, j = np.triu_indices(p, 1)
    a, b = ranks[:, i], ranks[:, j]
    states = np.where(a < b, OrderState.TRUE, OrderState.FALSE).astype(np.int8)
    states[a == b] = OrderState.EQUAL
    states[(a < 0) | (b < 0)] = OrderState.UNKNOWN
    names = table.feature_names
    columns = [f"{names[u]}<{names[v]}" for u, v in zip(i, j, strict=True)]
    return with_rows_of(X, pd.DataFrame(states, columns=columns))


def project(
    X: Any,
    features: Sequence[str | int],
    *,
    ties: str = "average",
    missing: str = "error",
    random_state: Any = None,
) -> Any:
    """Ranks of some features among themselves.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        Values or ranks.
    features : sequence of names or positions
        Columns to keep, in the order of the columns of the result.
    ties, missing, random_state
        As in :func:`to_rank_order`.

    Returns
    -------
    DataFrame (n_samples, number of features kept)
        Ranks from 1, in a frame of the kind of `X`.

    Notes
    -----
    Source: orders, section 2.

    Examples
    --------
    >>> project([[3, 1, 4, 2]], [0, 1, 2]).to_numpy()
    array([[2., 1., 3.]])
    """
    table = order_table(X)
    kept = read_features(features, table.feature_names)
    part = table.take(kept.astype(np.intp))
    check_rules(part, ties, missing, random_state)
    rule: Any = "average" if ties == "error" else ties
    ranks = rank_scores(-part.values, rule, random_state=random_state)
    return with_rows_of(X, pd.DataFrame(ranks, columns=list(part.feature_names)))

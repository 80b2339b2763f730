"""An aggregation beside its lists: where the items stand in them, and how far they agree with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg.exceptions import DataError
from pyfsagg.ranks import RankTable, rank_scores

__all__ = ["check_same_items", "describe_items", "describe_lists"]


def check_same_items(table: RankTable, *others: Any) -> None:
    """Refuse a result that was made from another table.

    Raises
    ------
    DataError
        If one of `others` that is not None has other names than `table`.
    """
    for other in others:
        if other is not None and other.names != table.names:
            raise DataError(
                f"the {type(other).__name__} is not about the items of this table; make it from "
                "the same table"
            )


def describe_items(table: RankTable, result: Any, permutation: Any = None) -> pd.DataFrame:
    """One row per item, best first: the frame of an Aggregation, and the ranks of the item in the lists.

    Adds ``n_lists`` (how many lists hold the item), ``best_rank`` and ``median_rank`` (over these),
    and with a PermutationTest its three kinds of p-values.

    Raises
    ------
    DataError
        If `result` or `permutation` is about other items than `table`.

    Examples
    --------
    >>> from pyfsagg.aggregation import aggregate
    >>> table = RankTable.from_lists([["a", "b", "c"], ["a", "c"]])
    >>> describe_items(table, aggregate(table, "mean_rank"))["n_lists"].to_dict()
    {'a': 2, 'b': 1, 'c': 2}
    """
    check_same_items(table, result, permutation)
    frame: pd.DataFrame = result.to_frame()
    order = result.order()
    known = table.ranks[:, order]
    frame["n_lists"] = (~np.isnan(known)).sum(axis=0)
    frame["best_rank"] = np.nanmin(known, axis=0)
    frame["median_rank"] = np.nanmedian(known, axis=0)
    if permutation is not None:
        frame["permutation_p_value"] = permutation.p_values[order]
        frame["permutation_adjusted_p_value"] = permutation.adjusted_p_values[order]
        frame["permutation_family_wise_p_value"] = permutation.family_wise_p_values[order]
    return frame


def describe_lists(table: RankTable, result: Any, top: int) -> pd.DataFrame:
    """One row per list: its length, its universe, and how far it agrees with the result.

    ``weight`` is there if the lists have weights.
    ``in_top`` counts the best `top` items that the list holds, ``spearman`` is the rank correlation
    with the result over the items that the list holds (NaN if it holds one only, or all tied).

    Raises
    ------
    DataError
        If `result` is about other items than `table`.

    Examples
    --------
    >>> from pyfsagg.aggregation import aggregate
    >>> table = RankTable.from_lists({"x": ["a", "b", "c"], "y": ["a", "c"]})
    >>> describe_lists(table, aggregate(table, "mean_rank"), top=2)["in_top"].to_dict()
    {'x': 2, 'y': 1}
    """
    check_same_items(table, result)
    best = result.order()[:top]
    held = ~table.missing
    return pd.DataFrame(
        {
            **({} if table.weights is None else {"weight": table.weights}),
            "items": held.sum(axis=1),
            "universe": table.sizes.astype(np.int64),
            "in_top": held[:, best].sum(axis=1),
            "spearman": [
                _spearman(row[known], result.ranking[known])
                for row, known in zip(table.ranks, held, strict=True)
            ],
        },
        index=pd.Index(table.list_names, name="list"),
    )


def _spearman(ranks_in_list: NDArray[np.float64], consensus: NDArray[np.float64]) -> float:
    left, right = (
        values - values.mean() for values in (rank_scores(-ranks_in_list), rank_scores(-consensus))
    )
    length = float(np.sqrt((left @ left) * (right @ right)))
    return float(left @ right) / length if length > 0 else float("nan")

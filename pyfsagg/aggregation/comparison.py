"""Several aggregators on the same lists: how far their rankings agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import kendalltau

from pyfsagg._base.checks import check_integer
from pyfsagg._base.types import Floats
from pyfsagg.aggregation._base import AGGREGATORS
from pyfsagg.aggregation._result import Aggregation, aggregate, as_rank_table
from pyfsagg.exceptions import ParameterError

__all__ = ["Comparison", "compare_methods"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Rankings of the same items by several aggregators.

    Attributes
    ----------
    results : tuple of Aggregation
        One per aggregator, over the same items in the same order.
    """

    results: tuple[Aggregation, ...]

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the aggregators."""
        return tuple(result.method for result in self.results)

    @property
    def names(self) -> tuple[str, ...]:
        """The p items, in the order of the table."""
        return self.results[0].names

    @cached_property
    def places(self) -> NDArray[np.intp]:
        """Place (t, p) of each item by each aggregator, 1 to p; ties in the order of the table."""
        places = np.empty((len(self.results), len(self.names)), dtype=np.intp)
        for row, result in zip(places, self.results, strict=True):
            row[result.order()] = np.arange(1, len(row) + 1)
        return places

    @cached_property
    def _kendall(self) -> Floats:
        scores = [result.scores for result in self.results]
        values = np.eye(len(scores))
        for i, j in zip(*np.triu_indices(len(scores), 1), strict=True):
            values[i, j] = values[j, i] = kendalltau(scores[i], scores[j]).statistic
        return values

    def kendall(self) -> pd.DataFrame:
        """Kendall's tau-b between the rankings of two aggregators, (t, t).

        1 = same ranking, 0 = no relation, −1 = reversed; NaN where an aggregator ties all items.

        Examples
        --------
        >>> lists = [["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"]]
        >>> float(compare_methods(lists, ["mean_rank", "borda"]).kendall().iloc[0, 1])
        1.0
        """
        return pd.DataFrame(self._kendall, index=self.methods, columns=self.methods)

    def overlap(self, k: int) -> pd.DataFrame:
        """How many items two aggregators have in common among their best `k`, (t, t).

        Ties at the cut are broken by the order of the table.

        Raises
        ------
        ParameterError
            If `k` is not from 1 to the number of items.

        Examples
        --------
        >>> lists = [["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"]]
        >>> int(compare_methods(lists, ["mean_rank", "borda"]).overlap(2).iloc[0, 1])
        2
        """
        k = check_integer("k", k, low=1, high=len(self.names))
        best = (self.places <= k).astype(np.intp)
        return pd.DataFrame(best @ best.T, index=self.methods, columns=self.methods)

    def to_frame(self) -> pd.DataFrame:
        """Rank of each item by each aggregator, ties averaged; in the order of the first one."""
        frame = pd.DataFrame(
            {result.method: result.ranking for result in self.results},
            index=pd.Index(self.names, name="name"),
        )
        return frame.iloc[self.results[0].order()]

    def __repr__(self) -> str:
        return f"Comparison({', '.join(self.methods)}; {len(self.names)} items)"


def compare_methods(
    table_or_scores: Any,
    methods: Sequence[str],
    *,
    adjust: str = "bh",
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> Comparison:
    """Aggregate the same lists by several methods.

    Parameters
    ----------
    table_or_scores, adjust
        As in :func:`~pyfsagg.aggregation.aggregate`.
    methods : sequence of str
        At least two different aggregators, by name or alias; the first one sets the order.
    options : dict of method to dict, optional
        Options of single methods, by name or alias.

    Returns
    -------
    Comparison

    Raises
    ------
    UnknownNameError
        For a method that does not exist.
    ParameterError
        For fewer than two methods, a method twice, or options of a method that is not compared.
    DataError
        As in :func:`~pyfsagg.aggregation.aggregate`.

    Examples
    --------
    >>> lists = [["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"]]
    >>> compare_methods(lists, ["mean_rank", "rra"]).to_frame()["mean_rank"].to_dict()
    {'a': 1.0, 'b': 2.0, 'c': 3.0}
    """
    if isinstance(methods, str):
        raise ParameterError(f"methods must be a list of names, got the text {methods!r}")
    chosen = [AGGREGATORS.get(method).name for method in methods]
    if len(chosen) < 2:
        raise ParameterError(f"a comparison needs at least two methods, got {len(chosen)}")
    twice = [name for name in dict.fromkeys(chosen) if chosen.count(name) > 1]
    if twice:
        raise ParameterError(f"the method {twice[0]!r} is named twice; name each once")
    given = {AGGREGATORS.get(name).name: dict(of) for name, of in (options or {}).items()}
    unused = [name for name in given if name not in chosen]
    if unused:
        raise ParameterError(
            f"options are given for {unused[0]!r}, which is not compared; compared are "
            f"{', '.join(chosen)}"
        )
    table = as_rank_table(table_or_scores)
    return Comparison(
        tuple(aggregate(table, name, adjust=adjust, **given.get(name, {})) for name in chosen)
    )

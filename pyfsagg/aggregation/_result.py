"""The public call: a table and a method in, a ranking of the items out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.adjustment import ADJUSTMENTS, adjust_p_values
from pyfsagg._base.checks import check_choice, check_integer, check_real
from pyfsagg._base.selection import size_of_share
from pyfsagg.aggregation._base import AGGREGATORS, check_options
from pyfsagg.exceptions import DataError, InputTypeError
from pyfsagg.ranks import RankTable, rank_scores

__all__ = ["Aggregation", "aggregate", "as_rank_table"]

FloatArray = NDArray[np.float64]
AVERAGE_TIES = (
    "Tied entries count with their average rank in the p-values (ties='average'), which are too small "
    "for it, without bound if many entries are tied."
)


@dataclass(frozen=True, eq=False, repr=False)
class Aggregation:
    """One value per item out of many lists.

    Attributes
    ----------
    names : tuple of str
        The p items, in the order of the table.
    scores : ndarray (p,)
        Larger = more important, for every method.
    statistic : ndarray (p,)
        The method's own value (mean rank, ρ, Q, …), in the direction of `higher_is_better`.
    ranking : ndarray (p,)
        1 = most important; equal scores share the average of their ranks.
    p_values, adjusted_p_values : ndarray (p,) or None
        For methods with a null distribution; `adjust` names the correction across items.
    method, higher_is_better, n_lists, adjust
    n_tests : int
        Over how many items p-values are adjusted: the universe of the lists, of which those that
        no list holds have p = 1.  With universes of different sizes the largest one counts.
    remarks : tuple of str
        What a reader of the p-values has to know, for instance that ties have a share in them.

    Notes
    -----
    The p-values suppose that the lists are independent.  Lists that come from bootstraps of one
    data set are not: such p-values are far too small and serve for ordering only.
    :func:`pyfsagg.aggregation.permutation_p_values` keeps the dependence.
    """

    names: tuple[str, ...]
    scores: FloatArray
    statistic: FloatArray
    ranking: FloatArray
    p_values: FloatArray | None
    adjusted_p_values: FloatArray | None
    method: str
    higher_is_better: bool
    n_lists: int
    adjust: str
    n_tests: int
    remarks: tuple[str, ...] = ()

    @property
    def adjustment(self) -> str | None:
        """Over how many items the p-values are adjusted, as a sentence; None without p-values."""
        if self.p_values is None:
            return None
        held = len(self.names)
        if self.n_tests == held:
            return f"The p-values are adjusted over the {held:,} items that the lists hold."
        return (
            f"The p-values are adjusted over all {self.n_tests:,} items that could have been "
            f"listed; the {self.n_tests - held:,} that no list holds count with p = 1."
        )

    def order(self) -> NDArray[np.intp]:
        """Positions of the items, best first; ties in the order of the table."""
        return np.argsort(-self.scores, kind="stable")

    def select(self, n_or_fraction: int | float) -> list[str]:
        """Names of the best items, best first; ties in the order of the table.

        Parameters
        ----------
        n_or_fraction : int or float
            How many (int), or which share of all, in (0, 1] (float; rounded up).

        Raises
        ------
        ParameterError
            For a number above p, or a share outside (0, 1].
        """
        p = len(self.names)
        if isinstance(n_or_fraction, (float, np.floating)):
            share = check_real("n_or_fraction", n_or_fraction, low=0.0, high=1.0, low_open=True)
            n = size_of_share(share, p)
        else:
            n = check_integer("n_or_fraction", n_or_fraction, low=1, high=p)
        return [self.names[j] for j in self.order()[:n]]

    def to_frame(self) -> pd.DataFrame:
        """One row per item, best first: ranking, score, statistic, and p-values if any."""
        columns: dict[str, FloatArray] = {
            "ranking": self.ranking,
            "score": self.scores,
            "statistic": self.statistic,
        }
        if self.p_values is not None and self.adjusted_p_values is not None:
            columns["p_value"] = self.p_values
            columns["adjusted_p_value"] = self.adjusted_p_values
        frame = pd.DataFrame(columns, index=pd.Index(self.names, name="name"))
        return frame.iloc[self.order()]

    def to_json(self) -> str:
        """The result as JSON text: method, settings, and one record per item, best first.

        Examples
        --------
        >>> aggregate([[0.2, 0.9]], "arithmetic_mean").to_json()[:56]
        '{"method": "arithmetic_mean", "higher_is_better": true, '
        """
        # NaN (the statistic of an item that was cut) is no JSON number.
        items = [
            {key: None if value != value else value for key, value in record.items()}
            for record in self.to_frame().reset_index().to_dict(orient="records")
        ]
        settings = {
            "method": self.method,
            "higher_is_better": self.higher_is_better,
            "n_lists": self.n_lists,
            "adjust": None if self.p_values is None else self.adjust,
            "n_tests": None if self.p_values is None else self.n_tests,
            "remarks": list(self.remarks),
        }
        return json.dumps({**settings, "items": items})

    def __repr__(self) -> str:
        best = ", ".join(self.names[j] for j in self.order()[:3])
        more = ", …" if len(self.names) > 3 else ""
        return (
            f"Aggregation({self.method}: {len(self.names)} items from {self.n_lists} list(s); "
            f"best first: {best}{more})"
        )


def aggregate(
    table_or_scores: Any,
    method: str = "robust_rank_aggregation",
    *,
    adjust: str = "bh",
    **options: Any,
) -> Aggregation:
    """Combine ranked lists into one ranking.

    Parameters
    ----------
    table_or_scores : RankTable, array or DataFrame of scores, or lists of names
        A matrix has one row per list and one column per item, larger = more important; lists of
        names (or a dict of them) are best first and cut off (absent = worse than all listed).  For
        anything else build a :class:`~pyfsagg.ranks.RankTable`.  Plain nested lists of numbers are
        scores; names are texts.
    method : str
        Name or alias of an aggregator; ``AGGREGATORS.names()`` lists them.
    adjust : {"bh", "holm", "bonferroni"}
        Correction of the p-values across all items of the universe: an item that no list holds
        has p = 1 and counts as a test.  If lists have universes of different sizes, the largest
        one counts (the smaller ones are taken as parts of it).  If no universe is given, it is
        the set of items that the lists hold.  Of cut-off lists that is too few, but their ranks
        are then divided by too small a number as well, and the p-values are too large on balance.
    **options
        Options of the aggregator, for instance ``exact=True`` for robust_rank_aggregation.

    Returns
    -------
    Aggregation

    Raises
    ------
    UnknownNameError
        For a method that does not exist.
    ParameterError
        For an option that the method does not have, or an unknown `adjust`.
    DataError
        If the table does not allow the method (ranks only for a method of scores, negative scores
        for the geometric mean), or does not make a valid table.

    Examples
    --------
    >>> aggregate([[0.9, 0.1, 0.5], [0.7, 0.2, 0.4]], "arithmetic_mean").ranking
    array([1., 3., 2.])
    """
    spec = AGGREGATORS.get(method)
    check_choice("adjust", adjust, ADJUSTMENTS)
    check_options(spec, options)
    table = as_rank_table(table_or_scores)
    values = spec.compute(table, **options)
    # Normalized ranks come without the size of their universe: their `sizes` are ones.
    n_tests = max(table.n_items, int(table.sizes.max()))
    adjusted = None
    if values.p_values is not None:
        adjusted = adjust_p_values(values.p_values, adjust, n=n_tests)
    return Aggregation(
        names=table.names,
        scores=values.scores,
        statistic=values.statistic,
        ranking=rank_scores(values.scores),
        p_values=values.p_values,
        adjusted_p_values=adjusted,
        method=spec.name,
        higher_is_better=spec.higher_is_better,
        n_lists=table.n_lists,
        adjust=adjust,
        n_tests=n_tests,
        remarks=values.remarks
        if values.p_values is None
        else (*values.remarks, *_of_ties(table, options)),
    )


def _of_ties(table: RankTable, options: Mapping[str, Any]) -> tuple[str, ...]:
    """What to say of the published reading of ties; computing it is no business of loops."""
    asked = options.get("ties") == "average" and table.with_last_places() is not table
    return (AVERAGE_TIES,) if asked else ()


def as_rank_table(values: Any) -> RankTable:
    """A RankTable as it is, a matrix as scores, lists of names as cut-off lists.

    Raises
    ------
    DataError, InputTypeError
        If `values` is none of these.
    """
    if isinstance(values, RankTable):
        return values
    if isinstance(values, (np.ndarray, pd.DataFrame)) or hasattr(values, "to_pandas"):
        return RankTable.from_scores(values)
    if isinstance(values, Mapping):
        return RankTable.from_lists(values)
    if isinstance(values, (list, tuple)):
        if not values:
            raise DataError("no list was given; at least one is needed")
        if all(isinstance(row, (list, tuple, np.ndarray)) for row in values):
            if any(isinstance(entry, (str, tuple)) for row in values for entry in row):
                return RankTable.from_lists(values)
            return RankTable.from_scores(values)
    raise InputTypeError(
        "table_or_scores must be a RankTable, a matrix of scores (lists by items) or a list of "
        f"lists of names, got {type(values).__name__}"
    )

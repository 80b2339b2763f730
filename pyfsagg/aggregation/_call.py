"""The public call: a table and a method in, a ranking of the items out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from pyfsagg._base.adjustment import ADJUSTMENTS, adjust_p_values
from pyfsagg._base.calls import Call
from pyfsagg._base.checks import check_choice
from pyfsagg._table.frames import pandas_frame
from pyfsagg.aggregation._base import AGGREGATORS, check_options
from pyfsagg.aggregation._result import Aggregation
from pyfsagg.exceptions import DataError, InputTypeError
from pyfsagg.ranks import RankTable, rank_scores

__all__ = ["Weights", "aggregate", "as_rank_table", "as_weighted_table", "hash_of_table"]

Weights = Mapping[str, float] | Sequence[float] | None

AVERAGE_TIES = (
    "Tied entries count with their average rank in the p-values (ties='average'), which are too small "
    "for it, without bound if many entries are tied."
)


def aggregate(
    table_or_scores: Any,
    method: str = "robust_rank_aggregation",
    *,
    adjust: str = "bh",
    weights: Weights = None,
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
        Correction of the p-values across all items of the universe: an item that no list contains
        has p = 1 and counts as a test.  If lists have universes of different sizes, the largest
        one counts (the smaller ones are taken as parts of it).  If no universe is given, it is
        the set of items in the lists.  For cut-off lists that is too few, but their ranks
        are then divided by too small a number as well, and the p-values are too large on balance.
    weights : one number per list, or dict of list name to number, optional
        Weight of each list; a whole weight k means that the list counts k times.  Methods
        that are not defined for fractions take only whole weights, or none, and raise an error; with
        weights there are no p-values.  See :meth:`pyfsagg.RankTable.weighted`.
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
        For an option that the method does not have, an unknown `adjust`, bad weights, or weights
        that the method does not take.
    DataError
        If the table does not allow the method (ranks only for a method of scores, negative scores
        for the geometric mean), or does not make a valid table.

    Examples
    --------
    >>> aggregate([[0.9, 0.1, 0.5], [0.7, 0.2, 0.4]], "arithmetic_mean").ranking
    array([1., 3., 2.])
    """
    call = Call.of(aggregate, locals(), data=("table_or_scores",))
    spec = AGGREGATORS.get(method)
    check_choice("adjust", adjust, ADJUSTMENTS)
    check_options(spec, options)
    table = as_weighted_table(table_or_scores, weights)
    values = spec.apply(table, **options)
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
        log10_p_values=values.log10_p_values,
        adjusted_p_values=adjusted,
        method=spec.name,
        higher_is_better=spec.higher_is_better,
        n_lists=table.n_lists,
        adjust=adjust,
        n_tests=n_tests,
        remarks=values.remarks
        if values.p_values is None
        else (*values.remarks, *_of_ties(table, options)),
        parameters={
            "methods": [spec.name],
            "options": {spec.name: options} if options else {},
            "adjust": adjust,
            **({} if table.weights is None else {"weights": table.weights.tolist()}),
            "call": replace(call, data=("table",)).record(),
        },
        data={"n_lists": table.n_lists, "n_items": table.n_items, "sha256": hash_of_table(table)},
        table=table,
    )


def hash_of_table(table: RankTable) -> str:
    """SHA-256 of the names, the values and the sizes of the lists."""
    values = table.ranks if table.scores is None else table.scores
    digest = hashlib.sha256("\0".join((*table.names, "", *table.list_names)).encode())
    digest.update((values + 0.0).tobytes())
    digest.update(table.sizes.tobytes())
    if table.weights is not None:
        digest.update(table.weights.tobytes())
    return digest.hexdigest()


def _of_ties(table: RankTable, options: Mapping[str, Any]) -> tuple[str, ...]:
    """What to say of the published reading of ties; computing it is no business of loops."""
    asked = options.get("ties") == "average" and table.with_last_places() is not table
    return (AVERAGE_TIES,) if asked else ()


def as_weighted_table(values: Any, weights: Weights) -> RankTable:
    """:func:`as_rank_table`, with weights if any are given."""
    table = as_rank_table(values)
    return table if weights is None else table.weighted(weights)


def as_rank_table(values: Any) -> RankTable:
    """A RankTable as it is, a matrix as scores, lists of names as cut-off lists.

    Raises
    ------
    DataError, InputTypeError
        If `values` is none of these.
    """
    if isinstance(values, RankTable):
        return values
    values = pandas_frame(values)
    if isinstance(values, (np.ndarray, pd.DataFrame)):
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

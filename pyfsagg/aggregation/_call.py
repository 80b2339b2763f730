"""The public calls: lists and one or several methods in, rankings of the items out."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import ADJUSTMENTS, adjust_p_values
from pyfsagg._base.digest import digest
from pyfsagg._base.registry import Call, repeatable
from pyfsagg._base.remarks import warn
from pyfsagg._base.validation import check_choice, check_list, check_mapping
from pyfsagg._base.words import probabilities
from pyfsagg._message import Message, Param, Use
from pyfsagg.aggregation import _base, _result, about_lists
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.ranks import Rankings, rank_scores

Weights = Mapping[str, float] | Sequence[float] | None

AVERAGE_TIES = Message(
    "Tied entries count with their average rank in the p-values (",
    Use(ties="average"),
    "), which are too small for it, without bound if many entries are tied.",
)


@repeatable
def aggregate(
    table_or_scores: Any,
    method: str = "robust_rank_aggregation",
    *,
    p_adjust: str = "bh",
    list_weights: Weights = None,
    **method_params: Any,
) -> _result.Aggregation:
    """Combine ranked lists into one ranking.

    Parameters
    ----------
    table_or_scores : Rankings, or anything that :meth:`pyfsagg.Rankings.of` reads
        A matrix has one row per list and one column per item, larger = more important; lists of
        names (or a dict of them) are best first and truncated (absent = worse than all listed), and sets
        have no order.  A result gives its rankings: an ensemble the scores of its resamples, a committee its
        selections, an aggregation its lists.  Plain nested lists of numbers are scores; names are strings.
    method : str
        Name or alias of an aggregator; ``AGGREGATORS.names()`` lists them.
    p_adjust : {"bh", "holm", "bonferroni"}
        Correction of the p-values across all items of the universe (the largest, if lists have
        several): an item that no list contains has p = 1 and counts as a test.  Without a universe, the
        items in the lists are used.  For truncated lists these are too few, but ranks are then divided by
        too small a number as well: on balance, p-values are too large.
    list_weights : one number per list, or dict of list name to number, optional
        Weight of each list; a list of whole-number weight k counts k times.  Methods that are not
        defined for fractions accept only whole-number weights, or none, and raise an error; with
        weights there are no p-values.  See :meth:`pyfsagg.Rankings.weighted`.
    **method_params
        Options of the aggregator, for instance ``exact=True`` for robust_rank_aggregation.

    Raises
    ------
    DataError
        If the method cannot be used (ranks only for a method of scores, negative scores
        for the geometric mean), or the table is invalid.

    Warns
    -----
    PyfsaggWarning
        If there are p-values, and the lower parts of the lists repeat more items than independent lists from
        their universe would (:func:`pyfsagg.aggregation.check_universe`, at the 5 % level): several
        methods on the same samples, for instance, or a universe that is too large.

    See Also
    --------
    compare_aggregations : Several methods side by side.
    permutation_p_values : P-values for dependent lists.
    list_agreement : Agreement of the lists by depth.

    Examples
    --------
    >>> aggregate([[0.9, 0.1, 0.5], [0.7, 0.2, 0.4]], "arithmetic_mean").ranking
    array([1., 3., 2.])
    """
    call = Call.of(aggregate, data=("table_or_scores",))
    spec = _base.AGGREGATORS.get(method)
    check_choice("p_adjust", p_adjust, ADJUSTMENTS)
    _base.check_aggregator_params(spec, method_params)
    table = as_weighted_rankings(table_or_scores, list_weights)
    values = spec.apply(table, **method_params)
    n_tests, remarks, adjusted, checked = table._largest_universe, values.remarks, None, None
    if values.p_values is not None:
        adjusted = adjust_p_values(values.p_values, p_adjust, n=n_tests)
        if n_tests > table.n_items:  # the universe is larger than the lists show
            with suppress(DataError):  # too few lists, or none that goes on below its top
                checked = about_lists.check_universe(table)
        if checked is not None and checked._contradicted:
            chance = probabilities([checked.p_value])[0]
            warn(
                f"the p-values assume independent lists from {checked.universe:,} items, and these lists "
                f"repeat far more items than such lists do (p ≤ {chance}); the first sentence of the result "
                "says more",
                stacklevel=2,
            )
        # Checked here only; loops must not pay for it.
        if method_params.get("ties") == "average" and table._with_last_places() is not table:
            remarks = (*remarks, AVERAGE_TIES)
    return _result.Aggregation(
        names=table.items,
        scores=values.scores,
        statistic=values.statistic,
        p_values=values.p_values,
        log10_p_values=values.log10_p_values,
        remarks=remarks,
        ranking=rank_scores(values.scores),
        adjusted_p_values=adjusted,
        method=spec.name,
        higher_is_better=spec.higher_is_better,
        n_lists=table.n_lists,
        p_adjust=p_adjust,
        n_tests=n_tests,
        universe_check=checked,
        parameters={
            "methods": [spec.name],
            "options": {spec.name: method_params} if method_params else {},
            "p_adjust": p_adjust,
            **({} if table.weights is None else {"weights": table.weights.tolist()}),
            "call": replace(call, data=("table",)).record(),
        },
        data={"n_lists": table.n_lists, "n_items": table.n_items, "sha256": hash_of_table(table)},
        table=table,
    )


def hash_of_table(table: Rankings) -> str:
    """SHA-256 of the names, the values and the sizes of the lists."""
    values = table.ranks if table.scores is None else table.scores
    read: NDArray[Any] | None = None
    # Complete ranks, which are whole or halves, are doubled and take fewer bytes.
    if table.scores is None and values.max() < 2**15:  # false where a list lacks an item
        doubled = 2.0 * values
        short = np.ascontiguousarray(doubled).astype(np.uint16)
        read = short if (short == doubled).all() else None
    read = values + 0.0 if read is None else read  # -0.0 is 0.0
    weights = () if table.weights is None else (table.weights,)
    return digest([*table.items, "", *table.names], read, table.sizes, *weights)


def as_weighted_rankings(values: Any, list_weights: Weights) -> Rankings:
    """:func:`as_rankings`, with weights if any are given."""
    table = _base.as_rankings(values)
    return table if list_weights is None else table.weighted(list_weights)


@repeatable
def compare_aggregations(
    table_or_scores: Any,
    methods: Sequence[str],
    *,
    p_adjust: str = "bh",
    list_weights: Weights = None,
    method_params: Mapping[str, Mapping[str, Any]] | None = None,
) -> _result.AggregationComparison:
    """Aggregate the same lists by several methods.

    Parameters
    ----------
    table_or_scores, p_adjust, list_weights
        As in :func:`~pyfsagg.aggregation.aggregate`.
    methods : sequence of str
        At least two different aggregators, by name or alias; the first one sets the order.
    method_params : dict of method to dict, optional
        Options of single methods, by name or alias.

    Examples
    --------
    >>> lists = [["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"]]
    >>> compare_aggregations(lists, ["mean_rank", "rra"]).to_frame()["mean_rank"].to_dict()
    {'a': 1.0, 'b': 2.0, 'c': 3.0}
    """
    name = "aggregation.compare_aggregations"
    call = Call.of(compare_aggregations, name=name, data=("table_or_scores",))
    if isinstance(methods, str):
        raise ParameterError(
            Param("methods"), f" must be a list of names, got the text {methods!r}"
        )
    chosen = [_base.AGGREGATORS.get(method).name for method in check_list("methods", methods)]
    if len(chosen) < 2:
        raise ParameterError(f"a comparison needs at least two methods, got {len(chosen)}")
    if twice := [name for name in chosen if chosen.count(name) > 1]:
        raise ParameterError(f"the method {twice[0]!r} is named twice; name each once")
    options = {
        _base.AGGREGATORS.get(name).name: check_mapping(
            Message(Param("method_params"), f" of {name}"), values
        )
        for name, values in check_mapping("method_params", method_params).items()
    }
    if unused := [name for name in options if name not in chosen]:
        about = (
            f" are given for {unused[0]!r}, which is not compared; compared are {', '.join(chosen)}"
        )
        raise ParameterError(Param("method_params"), about)
    table = as_weighted_rankings(table_or_scores, list_weights)
    results = tuple(
        aggregate(table, name, p_adjust=p_adjust, **options.get(name, {})) for name in chosen
    )
    parameters = {"methods": chosen, "options": options, "p_adjust": p_adjust}
    parameters["call"] = replace(call, data=("table",)).record()
    of = {"data": results[0].data, "versions": results[0].versions}
    return _result.AggregationComparison(results, parameters=parameters, **of)

"""Several aggregators on the same lists: how far their rankings agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pyfsagg._base.calls import Call
from pyfsagg._base.checks import check_list, check_mapping
from pyfsagg.aggregation._base import AGGREGATORS
from pyfsagg.aggregation._call import Weights, aggregate, as_weighted_table
from pyfsagg.aggregation._result import Comparison
from pyfsagg.exceptions import ParameterError

__all__ = ["Comparison", "compare_methods"]


def compare_methods(
    table_or_scores: Any,
    methods: Sequence[str],
    *,
    adjust: str = "bh",
    weights: Weights = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> Comparison:
    """Aggregate the same lists by several methods.

    Parameters
    ----------
    table_or_scores, adjust, weights
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
    call = Call.of(
        compare_methods, locals(), name="aggregation.compare_methods", data=("table_or_scores",)
    )
    if isinstance(methods, str):
        raise ParameterError(f"methods must be a list of names, got the text {methods!r}")
    chosen = [AGGREGATORS.get(method).name for method in check_list("methods", methods)]
    if len(chosen) < 2:
        raise ParameterError(f"a comparison needs at least two methods, got {len(chosen)}")
    twice = [name for name in dict.fromkeys(chosen) if chosen.count(name) > 1]
    if twice:
        raise ParameterError(f"the method {twice[0]!r} is named twice; name each once")
    given = {
        AGGREGATORS.get(name).name: check_mapping(f"options of {name}", of)
        for name, of in check_mapping("options", options).items()
    }
    unused = [name for name in given if name not in chosen]
    if unused:
        raise ParameterError(
            f"options are given for {unused[0]!r}, which is not compared; compared are "
            f"{', '.join(chosen)}"
        )
    table = as_weighted_table(table_or_scores, weights)
    results = tuple(aggregate(table, name, adjust=adjust, **given.get(name, {})) for name in chosen)
    parameters = {
        "methods": chosen,
        "options": given,
        "adjust": adjust,
        "call": replace(call, data=("table",)).record(),
    }
    return Comparison(results, parameters, results[0].data, results[0].versions)

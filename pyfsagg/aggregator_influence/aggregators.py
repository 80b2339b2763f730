"""The aggregators that are compared, with their options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyfsagg._base.validation import check_list
from pyfsagg._message import Got, Param
from pyfsagg.aggregation import AGGREGATORS
from pyfsagg.exceptions import ParameterError


def _different(names: Sequence[str]) -> list[str]:
    """Canonical names of aggregators, of which none is there twice."""
    canonical = [AGGREGATORS.get(name).name for name in names]
    if not canonical or len(set(canonical)) < len(canonical):
        raise ParameterError(
            Param("aggregators"), " must be different and at least one", Got(list(names))
        )
    return canonical


def with_options(
    names: Sequence[str], aggregator_params: Mapping[str, Mapping[str, Any]]
) -> dict[str, Mapping[str, Any]]:
    """Aggregators with the options that are given apart from them, as `aggregators` of influence."""
    params = {AGGREGATORS.get(name).name: chosen for name, chosen in aggregator_params.items()}
    options = {name: params.pop(name, {}) for name in _different(names)}
    if params:
        unknown = f" names {next(iter(params))!r}, which is not among the aggregators "
        raise ParameterError(Param("aggregator_params"), unknown, ", ".join(options))
    return options


def bound_aggregators(
    aggregators: Sequence[str] | Mapping[str, Mapping[str, Any]],
) -> dict[str, Mapping[str, Any]]:
    """Canonical names with their options, which are checked."""
    if isinstance(aggregators, str):
        must = f" must be a sequence of names, got the one name {aggregators!r}"
        raise ParameterError(Param("aggregators"), must)
    names = check_list("aggregators", aggregators)
    params = aggregators if isinstance(aggregators, Mapping) else {}
    options: dict[str, Mapping[str, Any]] = {
        canonical: dict(params.get(name) or {})
        for name, canonical in zip(names, _different(names), strict=True)
    }
    for name, chosen in options.items():
        AGGREGATORS.get(name).bind(**chosen)  # refused before the work is done
    return options

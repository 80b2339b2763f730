"""Filters bound to a table: by a name, a function or an estimator; those of one pass together."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pyfsagg._message import DENSE, FILTER, Got, Param, Remedy
from pyfsagg._table.groups import FeatureGroups, GroupedColumns
from pyfsagg._table.sparse import SparseTable, dense_megabytes
from pyfsagg._table.table import AnyTable, Table
from pyfsagg._table.target import Target, is_survival_model
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.filters import unlabelled  # noqa: F401 - adds the rankings without labels
from pyfsagg.filters._base import FILTERS, BoundFilter, Scorer
from pyfsagg.filters.model import prepare_callable, prepare_estimator


def bind_filters(
    filters: Sequence[Any],
    parameters: Mapping[str, Mapping[str, Any]],
    table: AnyTable,
    target: Target,
    seed: int,
    groups: FeatureGroups | None = None,
) -> list[BoundFilter]:
    """Filters bound to a table, where those that one pass computes are one."""
    if not filters:
        raise ParameterError(Param("filters"), " is empty", Remedy("name at least one filter"))
    sparse = table if isinstance(table, SparseTable) else None
    readings: dict[bool, GroupedColumns] = {}
    bound: dict[str, BoundFilter] = {}
    for item in filters:
        label = filter_label(item)
        prepare, output, within = _preparation(item, seed)
        by_strata = target.adjusters is not None and within in ("mean", "sum")
        if label in bound:
            raise ParameterError(f"the filter {label!r} is given twice")
        _check_data(item, label, within, sparse, target)
        chosen = dict(parameters.get(label, {}))
        taken = list(inspect.signature(prepare).parameters.values())[2:]
        allowed = [parameter.name for parameter in taken]
        open_ended = any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken)
        if unknown := [] if open_ended else [name for name in chosen if name not in allowed]:
            raise ParameterError(
                f"the filter {label!r} has no parameter {unknown[0]!r}; it takes: ",
                ", ".join(allowed) or "none",
            )
        if groups is not None:
            counts = counts_levels(item)
            able = (spec.name for spec in FILTERS if spec.counts_levels)
            groups.refuse_joint(counts, label, able)
            if counts not in readings:
                readings[counts] = groups.read(table, counts)
        for other in bound.values():
            same = other.prepare is prepare and other.by_strata == by_strata
            if same and other.parameters == chosen:
                break
        else:
            other = BoundFilter(prepare, chosen, table, target, by_strata=by_strata)
            if groups is not None:
                grouped = readings[counts]
                other = replace(other, table=grouped.table, grouped=grouped, names=groups.names)
        other.outputs[label] = output
        other.adding.update({output} if within == "sum" else ())
        bound[label] = other
    return list(dict.fromkeys(bound.values()))


def filter_label(item: Any) -> str:
    """The name under which a filter's scores are found in a result."""
    if isinstance(item, str):
        return FILTERS.get(item).name
    if not _is_estimator(item) and not callable(item):
        raise InputTypeError("a filter must be a name, ", FILTER, Got(item))
    return str(getattr(item, "__name__", type(item).__name__))


def function_of(item: Any) -> Any:
    """What computes the scores of a filter, by which a checkpoint identifies it."""
    return FILTERS.get(item).prepare if isinstance(item, str) else item


def counts_levels(item: Any) -> bool:
    """Whether a filter uses only the counts of the levels of a nominal column."""
    return isinstance(item, str) and FILTERS.get(item).counts_levels


def begins_with_always(item: Any) -> bool:
    """Whether a filter uses the columns that are always in together with the features."""
    return FILTERS.get(item).begins if isinstance(item, str) else _is_estimator(item)


def _is_estimator(item: Any) -> bool:
    return hasattr(item, "fit") and hasattr(item, "get_params")


def _preparation(item: Any, seed: int) -> tuple[Callable[..., Scorer], str, str]:
    """How to prepare a filter, the name of its output, and what it does with strata."""
    if isinstance(item, str):
        spec = FILTERS.get(item)
        return spec.prepare, spec.output, spec.within
    estimator = _is_estimator(item)

    def prepare(table: Table, target: Target) -> Scorer:
        if estimator:
            return prepare_estimator(table, target, item, seed)
        return prepare_callable(table, target, item)

    return prepare, "estimator" if estimator else "callable", "mean"


_MISMATCH = {
    "none": "requires y to be passed, but the target y is None. Filters that need none",
    "numeric": "ranks by classes, and the target is a number. Filters for a number",
    "survival": "does not read times and events. Filters for survival",
    "classes": "ranks by a number or by survival, as task says, and the target has classes. Filters "
    "for classes",
}


def _check_data(
    item: Any, label: str, within: str, sparse: SparseTable | None, target: Target
) -> None:
    """Refuse a filter that cannot use such a target or table, and name those that can."""
    if target.adjusters is not None and within != "model" and target.adjusters.by_numbers:
        able = [s.name for s in FILTERS if s.within == "model" and target.kind in s.targets]
        name = target.adjusters.names_of(nominal=False)[0]
        raise DataError(
            f"the filter {label!r} adjusts for columns of levels, within strata, and not for numbers ",
            f"such as {name!r}. Filters that do: {', '.join(able)}",
            Remedy("or cut the numbers into levels"),
        )
    if isinstance(item, str):
        usable = target.kind in FILTERS.get(item).targets
    elif _is_estimator(item):
        from sklearn.base import is_regressor

        usable = (
            target.kind == "classes"
            or (target.kind in ("numeric", "survival") and bool(is_regressor(item)))
            or (target.kind == "survival" and is_survival_model(item))
        )
    else:
        usable = True  # a function sees what there is
    if not usable:
        able = [spec.name for spec in FILTERS if target.kind in spec.targets]
        raise DataError(f"the filter {label!r} {_MISMATCH[target.kind]}: {', '.join(able)}")
    reads_sparse = isinstance(item, str) and FILTERS.get(item).sparse
    if sparse is not None and not reads_sparse:
        able = [spec.name for spec in FILTERS if spec.sparse]
        raise InputTypeError(
            f"the filter {label!r} does not read sparse input. Filters that do: {', '.join(able)}; ",
            "or make it dense with ",
            DENSE,
            f", if {dense_megabytes(sparse)} fit into memory",
        )

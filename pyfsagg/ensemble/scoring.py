"""Filters over resamples: which filters are meant, and their score matrices."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.blocks import row_blocks
from pyfsagg._base.estimators import is_survival_model
from pyfsagg._run.checkpoint import Checkpoint, resume_tasks
from pyfsagg._run.execution import Progress, progress_sink
from pyfsagg._table.groups import FeatureGroups, GroupedColumns
from pyfsagg._table.sparse import dense_megabytes
from pyfsagg._table.table import AnyTable, SparseTable, Table
from pyfsagg._table.target import Target
from pyfsagg.ensemble.forecast import (
    Work,
    block_size,
    require_score_memory,
    resamples_together,
    warn_of_time,
)
from pyfsagg.ensemble.storage import MatrixStore
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.filters import FILTERS, Scorer, prepare_callable, prepare_estimator
from pyfsagg.filters._base import BoundFilter
from pyfsagg.ranks import RankTable
from pyfsagg.resampling import Resamples
from pyfsagg.unsupervised import _filters as _filters  # adds the rankings without labels

__all__ = [
    "as_lists",
    "bind_filters",
    "counts_levels",
    "deep_enough",
    "filter_label",
    "function_of",
    "read_filter_params",
    "score_resamples",
    "settle_parameters",
]


def bind_filters(
    filters: Sequence[Any],
    parameters: Mapping[str, Mapping[str, Any]],
    table: AnyTable,
    target: Target,
    seed: int,
    groups: FeatureGroups | None = None,
) -> tuple[list[BoundFilter], list[str]]:
    """Names, callables and estimators as filters of a table, and their labels in the order given.

    Filters that one pass computes together become one bound filter.

    Raises
    ------
    UnknownNameError, ParameterError, InputTypeError
        Unknown filter, a parameter that a filter does not have, the same filter twice, or something
        that is no filter; a joint score of `groups` by a filter that counts no levels.
    """
    readings: dict[bool, GroupedColumns] = {}
    bound: list[BoundFilter] = []
    labels: list[str] = []
    unused = {name: dict(chosen) for name, chosen in parameters.items()}
    for item in filters:
        label = filter_label(item)
        prepare, output = _preparation(item, seed)
        if label in labels:
            raise ParameterError(f"the filter {label!r} is given twice")
        _check_target_kind(item, label, target)
        _check_sparse(item, label, table)
        labels.append(label)
        chosen = unused.pop(label, {})
        _check_parameters(label, prepare, chosen)
        if groups is not None:
            counts = counts_levels(item)
            able = (spec.name for spec in FILTERS if spec.counts_levels)
            groups.refuse_joint(counts, label, able)
            if counts not in readings:
                readings[counts] = groups.read(table, counts)
        for other in bound:
            if other.prepare is prepare and dict(other.parameters) == dict(chosen):
                other.outputs[label] = output
                break
        else:
            each = BoundFilter(prepare, chosen, table, target, {label: output})
            if groups is not None:
                grouped = readings[counts]
                each = replace(each, table=grouped.table, grouped=grouped, names=groups.names)
            bound.append(each)
    if not labels:
        raise ParameterError("filters is empty; name at least one filter")
    if unused:
        raise ParameterError(
            f"filter_params names {next(iter(unused))!r}, which is not among the filters "
            f"{', '.join(labels)}"
        )
    return bound, labels


def read_filter_params(
    filters: Sequence[Any], given: Mapping[str, Any] | None
) -> dict[str, dict[str, Any]]:
    """Parameters by the label of their filter.

    Parameters
    ----------
    filters : sequence of filters
    given : mapping, optional
        By the name (or an alias) of a filter; of a single filter also flat.

    Raises
    ------
    InputTypeError
        If `given` is not a mapping.
    ParameterError
        If the parameters of several filters do not say whose they are, or a filter is named that is
        not among `filters`.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputTypeError(
            f"filter_params must be a mapping such as {{'mdl': 'fselectorrcpp'}}, got {given!r}"
        )
    labels = [filter_label(item) for item in filters]
    found: dict[str, dict[str, Any]] = {}
    for name, chosen in given.items():
        label = FILTERS.get(name).name if name in FILTERS else str(name)
        if label in labels and isinstance(chosen, Mapping):
            found.setdefault(label, {}).update(chosen)
        elif isinstance(chosen, Mapping) and name in FILTERS:
            raise ParameterError(
                f"filter_params names {label!r}, which is not among the filters {', '.join(labels)}"
            )
        elif len(labels) == 1:
            found.setdefault(labels[0], {})[str(name)] = chosen
        else:
            raise ParameterError(
                f"filter_params of several filters goes by filter, as in {{{labels[0]!r}: {{...}}}}; "
                f"{name!r} is none of {', '.join(labels)}"
            )
    return found


def filter_label(item: Any) -> str:
    """The name under which a filter's scores are found in a result.

    Raises
    ------
    UnknownNameError, InputTypeError
        For an unknown name, or something that is not a filter.
    """
    if isinstance(item, str):
        return FILTERS.get(item).name
    if not _is_estimator(item) and not callable(item):
        raise InputTypeError(
            "a filter must be a name, a callable (X, y, sample_weight) or a scikit-learn estimator, "
            f"got {item!r}"
        )
    return str(getattr(item, "__name__", type(item).__name__))


def function_of(item: Any) -> Any:
    """What computes the scores of a filter: by this a checkpoint knows it, whatever its name."""
    return FILTERS.get(item).prepare if isinstance(item, str) else item


def counts_levels(item: Any) -> bool:
    """Whether a filter counts the levels of a nominal column, and looks at nothing else of it."""
    return isinstance(item, str) and FILTERS.get(item).counts_levels


def _is_estimator(item: Any) -> bool:
    return hasattr(item, "fit") and hasattr(item, "get_params")


def _preparation(item: Any, seed: int) -> tuple[Callable[..., Scorer], str]:
    """How to prepare a filter, and the name of its output."""
    if isinstance(item, str):
        spec = FILTERS.get(item)
        return spec.prepare, spec.output

    def prepare_own_estimator(table: Table, target: Target) -> Scorer:
        return prepare_estimator(table, target, item, seed)

    def prepare_own_function(table: Table, target: Target) -> Scorer:
        return prepare_callable(table, target, item)

    if _is_estimator(item):
        return prepare_own_estimator, "estimator"
    return prepare_own_function, "callable"


_MISMATCH = {
    "none": "requires y to be passed, but the target y is None. Filters that need none",
    "numeric": "ranks by classes, and the target is a number. Filters for a number",
    "survival": "does not read times and events. Filters for survival",
    "classes": "ranks by a number or by survival, as task says, and the target has classes. Filters "
    "for classes",
}


def _check_target_kind(item: Any, label: str, target: Target) -> None:
    """Refuse a filter that cannot use a target of this kind, and name those that can."""
    if isinstance(item, str):
        usable = target.kind in FILTERS.get(item).targets
    elif _is_estimator(item):
        usable = (
            target.kind == "classes"
            or (target.kind in ("numeric", "survival") and _is_regressor(item))
            or (target.kind == "survival" and is_survival_model(item))
        )
    else:
        usable = True  # a function sees what there is
    if not usable:
        able = ", ".join(spec.name for spec in FILTERS if target.kind in spec.targets)
        raise DataError(f"the filter {label!r} {_MISMATCH[target.kind]}: {able}")


def _check_sparse(item: Any, label: str, table: AnyTable) -> None:
    """Refuse a filter that reads dense tables only, and name those that read sparse ones."""
    usable = isinstance(item, str) and FILTERS.get(item).sparse
    if isinstance(table, SparseTable) and not usable:
        able = ", ".join(spec.name for spec in FILTERS if spec.sparse)
        raise InputTypeError(
            f"the filter {label!r} does not read sparse input. Filters that do: {able}; or make it "
            f"dense with X.toarray(), if {dense_megabytes(table)} fit into memory"
        )


def settle_parameters(
    filters: Sequence[Any],
    parameters: Mapping[str, Mapping[str, Any]],
    n_features: int,
    largest: int | float | None = None,
    groups: FeatureGroups | None = None,
) -> dict[str, dict[str, Any]]:
    """Parameters by filter, with numbers for what they leave open (the depth of mRMR).

    `largest` is the largest number of features that will be asked for; a fraction says nothing: a
    quarter of a wide table is more than a greedy search is for.  The depth in a table with `groups`
    counts the columns that the filter reads.
    """
    known = largest if isinstance(largest, Integral) else None
    settled = {name: dict(chosen) for name, chosen in parameters.items()}
    for item in filters:
        if isinstance(item, str):
            spec = FILTERS.get(item)
            width = n_features if groups is None else groups.width(spec.counts_levels)
            chosen = spec.settle(settled.get(spec.name, {}), width, known)
            if chosen:
                settled[spec.name] = chosen
    return settled


def deep_enough(
    filters: Sequence[Any],
    given: Mapping[str, Any] | None,
    n_features: int,
    threshold: int | float,
) -> Mapping[str, Any] | None:
    """Parameters of filters as given, or with a depth where so many features need a greater one."""
    read = read_filter_params(filters, given)
    deep = settle_parameters(filters, read, n_features, threshold)
    return given if deep == settle_parameters(filters, read, n_features) else deep


def _is_regressor(item: Any) -> bool:
    from sklearn.base import is_regressor

    return bool(is_regressor(item))


def _check_parameters(
    label: str, prepare: Callable[..., Scorer], parameters: Mapping[str, Any]
) -> None:
    taken = list(inspect.signature(prepare).parameters.values())[2:]
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in taken):
        return  # they are checked where they are used
    allowed = [each.name for each in taken]
    for name in parameters:
        if name not in allowed:
            listed = ", ".join(allowed) if allowed else "none"
            raise ParameterError(
                f"the filter {label!r} has no parameter {name!r}; it takes: {listed}"
            )


def score_resamples(
    bound: Sequence[BoundFilter],
    resamples: Resamples,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
    first: int = 0,
    store: MatrixStore | None = None,
    what: str = "resamples",
    work: Work | None = None,
) -> dict[str, NDArray[np.float64]]:
    """Score matrices (n_resamples, n_features) by filter label, larger = more important.

    Before the `work` begins, of which this may be a part, it is said if it will take long, and refused
    if it needs more memory than there is; None: it was said before.

    Row r depends on resample r only, so neither the number of workers nor the size of the blocks
    that they are handed has an influence on any bit.  In a checkpoint they are called `what`, and
    are numbered from `first`.
    """
    m = len(resamples)
    names, table = bound[0].names, bound[0].table
    store = store or MatrixStore()
    labels = [label for each in bound for label in each.outputs]
    if work is not None and not store.on_disk:
        require_score_memory(len(labels), (m, len(names)))
    if work is not None:
        warn_of_time(bound, resamples, n_jobs, work)
    matrices = {label: store.matrix((m, len(names))) for label in labels}
    widest = max(each.table.n_features for each in bound)
    size = block_size(table.n_samples, widest, resamples_together(bound))
    blocks = [slice(start, min(start + size, m)) for start in range(0, m, size)]
    # Scorers are made here, before workers share them; only kernels gain from threads.
    threads = all(getattr(each.scorer(), "releases_gil", True) for each in bound)
    answers = resume_tasks(
        checkpoint,
        [f"{what} {first + rows.start} to {first + rows.stop}" for rows in blocks],
        _score_block,
        (bound, resamples),
        blocks,
        n_jobs=n_jobs,
        threads=threads,
    )
    with progress_sink(progress, m) as advance:
        advance(0)
        for rows, scores in zip(blocks, answers, strict=True):
            for label, block in scores.items():
                matrices[label][rows] = block
            store.release()
            advance(rows.stop)
    for label, matrix in matrices.items():
        _check_scores(label, matrix, names, store)
    return matrices


def _score_block(
    run: tuple[Sequence[BoundFilter], Resamples], rows: slice
) -> dict[str, NDArray[np.float64]]:
    bound, resamples = run
    scores: dict[str, NDArray[np.float64]] = {}
    for each in bound:
        if resamples.changes_table:
            found = _score_changed_tables(each, resamples, rows)
            scores |= {label: found[output] for label, output in each.outputs.items()}
        else:
            scores |= each.scores(resamples.weights[rows], resamples.labels_of(rows))
    return scores


def _score_changed_tables(
    each: BoundFilter, resamples: Resamples, rows: slice
) -> dict[str, NDArray[np.float64]]:
    """Resamples that see another table each: noise on the cells, or some features only."""
    size = rows.stop - rows.start
    found = {
        output: np.full((size, each.table.n_features), np.nan) for output in each.outputs.values()
    }
    for position, r in enumerate(range(rows.start, rows.stop)):
        row = slice(r, r + 1)
        scorer = each.scorer(resamples.table_of(r, each.table))
        scores = scorer(resamples.weights[row], resamples.labels_of(row))
        seen = slice(None) if resamples.features is None else resamples.features[r]
        for output, matrix in found.items():
            matrix[position, seen] = scores[output][0]
    return found


def _check_scores(
    label: str, matrix: NDArray[np.float64], names: Sequence[str], store: MatrixStore
) -> None:
    scored = np.zeros(len(names), dtype=np.bool_)
    for rows in row_blocks(matrix.shape):
        block = matrix[rows]
        infinite = np.isinf(block)
        if infinite.any():
            r, j = np.argwhere(infinite)[0].tolist()
            raise DataError(
                f"the filter {label!r} gave an infinite score for {names[j]!r} in "
                f"resample {rows.start + r}; scores must be finite"
            )
        scored |= ~np.isnan(block).all(axis=0)
        store.release()
    if not scored.all():
        raise DataError(
            f"the filter {label!r} gave no score for {names[int(scored.argmin())]!r} in any "
            f"of {matrix.shape[0]} resample(s); draw more resamples or leave the feature out"
        )


def as_lists(scores: NDArray[np.float64], names: tuple[str, ...]) -> RankTable:
    """Rows of scores as lists to be aggregated; features that a resample did not see are unknown."""
    if any(np.isnan(scores[rows]).any() for rows in row_blocks(scores.shape)):
        return RankTable.from_scores(scores, names=names, full=True)
    return RankTable.from_checked_scores(scores, names)

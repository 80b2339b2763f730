"""Filters over resamples: the filters, their estimated cost, and their score matrices."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Self

import numpy as np

from pyfsagg._base import memory, validation
from pyfsagg._base.arithmetic import Floats, row_blocks
from pyfsagg._base.remarks import warn
from pyfsagg._base.words import duration
from pyfsagg._message import Message, Param, Use
from pyfsagg._run import execution, parallel
from pyfsagg._run.checkpoint import Checkpoint, resume_tasks
from pyfsagg._table.groups import FeatureGroups
from pyfsagg._table.sparse import SparseTable
from pyfsagg._table.table import AnyTable
from pyfsagg._table.target import Target
from pyfsagg.ensemble.core import MatrixStore
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.filters._base import FILTERS, LEAST, BoundFilter
from pyfsagg.filters.binding import filter_label
from pyfsagg.resampling import Resamples

USUAL_FILTERS = ("information_gain", "symmetric_uncertainty", "mrmr", "chi_squared")
"""Filters of a run that names none; they count, and cut a target that is a number into classes."""

USUAL_OF_RANKS = ("spearman", "information_gain")
"""Those of numbers and survival times: the first sees what grows or falls, the second the rest."""


def likely_filters(filters: Sequence[Any] | str, task: str) -> Sequence[Any]:
    """What ``"auto"`` will mean if nothing is unusual in the table."""
    if not isinstance(filters, str):
        return filters
    return USUAL_FILTERS if task == "classification" else USUAL_OF_RANKS


def usual_filters(table: AnyTable, target: Target, groups: FeatureGroups | None) -> Sequence[Any]:
    """What ``"auto"`` means for a table: columns of words with more than two levels have no ranks."""
    plain = target.kind not in ("numeric", "survival") or target.adjusters is not None
    if plain or groups is not None or isinstance(table, SparseTable):
        return USUAL_FILTERS
    unordered = any(len(levels) > 2 for levels in table.levels.values())
    return USUAL_FILTERS if unordered else USUAL_OF_RANKS


def read_filter_params(
    filters: Sequence[Any], filter_params: Mapping[str, Any] | None
) -> dict[str, dict[str, Any]]:
    """Parameters by the label of their filter."""
    labels = [filter_label(item) for item in filters]
    params: dict[str, dict[str, Any]] = {}
    for name, chosen in validation.check_mapping("filter_params", filter_params).items():
        label = FILTERS.get(name).name if name in FILTERS else name
        if label in labels and isinstance(chosen, Mapping):
            params.setdefault(label, {}).update(chosen)
        elif isinstance(chosen, Mapping) and name in FILTERS:
            raise ParameterError(
                Param("filter_params"),
                f" names {label!r}, which is not among the filters {', '.join(labels)}",
            )
        elif len(labels) == 1:
            params.setdefault(labels[0], {})[name] = chosen
        else:
            raise ParameterError(
                Param("filter_params"),
                f" of several filters must name them, as in {{{labels[0]!r}: {{...}}}}; {name!r} is none ",
                f"of {', '.join(labels)}",
            )
    return params


def settle_parameters(
    filters: Sequence[Any],
    filter_params: Mapping[str, Any] | None,
    n_features: int,
    largest: object = None,
    groups: FeatureGroups | None = None,
) -> dict[str, dict[str, Any]]:
    """Parameters by filter; the depth of mRMR follows from `largest`, a number of features to select."""
    known = int(largest) if isinstance(largest, Integral) else None
    settled = read_filter_params(filters, filter_params)
    for item in filters:
        if isinstance(item, str):
            spec = FILTERS.get(item)
            width = n_features if groups is None else groups.width(spec.counts_levels)
            chosen = spec.settle(settled.get(spec.name, {}), width, known)
            if chosen:
                settled[spec.name] = chosen
    return settled


def deep_enough(
    filters: Sequence[Any], filter_params: Mapping[str, Any] | None, n_features: int, number: object
) -> Mapping[str, Any] | None:
    """Parameters of filters, with a larger depth if this many features need it."""
    deep = settle_parameters(filters, filter_params, n_features, number)
    return filter_params if deep == settle_parameters(filters, filter_params, n_features) else deep


# What they will cost: measured on a piece, and reported before it is spent.


TENTH = "a tenth of the resamples"

LONG = 120.0  # seconds above which a run is announced
SMALL = 50_000_000
"""Cells (resamples times rows times features) below which no time is spent on a forecast."""

_BLOCK_CELLS = 1_000_000
_MOST = 8
_FEATURE = 1000  # bytes of its name and its row in the tables of a result


def block_size(n_samples: int, n_features: int, together: int = 1) -> int:
    """Resamples per task, up to eight: at least as many as a filter scores `together`."""
    few = _BLOCK_CELLS // max(1, n_samples * n_features)
    return max(1, min(_MOST, max(few, together)))


def expected_seconds(
    bound: Sequence[BoundFilter], resamples: Resamples
) -> dict[BoundFilter, float] | None:
    """Seconds that each filter takes for one resample; None where a piece would cost too much."""
    scorers = [filter_.scorer() for filter_ in bound]
    if resamples.changes_table or not all(getattr(s, "releases_gil", True) for s in scorers):
        return None
    seconds = {}
    for filter_, scorer in zip(bound, scorers, strict=True):
        first = slice(0, min(len(resamples), getattr(scorer, "together", 1)))
        weights, labels = resamples.weights[first], resamples.labels_of(first)
        if hasattr(scorer, "expected_seconds"):
            seconds[filter_] = scorer.expected_seconds(weights, labels)
        else:
            scorer(weights, labels)  # the first call may compile
            start = time.perf_counter()
            scorer(weights, labels)
            seconds[filter_] = (time.perf_counter() - start) / first.stop
    return seconds


@dataclass(frozen=True)
class Work:
    """Resamples to score, and how many with the settings in `fewer`; `n_tested` more by those in `tested`."""

    total: int
    fewer: Mapping[str, int]
    n_tested: int = 0
    tested: frozenset[str] = frozenset()

    @classmethod
    def of(cls, total: int) -> Self:
        """Work that follows the number of resamples."""
        return cls(total, {TENTH: max(1, total // 10)})


def warn_of_time(
    bound: Sequence[BoundFilter], resamples: Resamples, n_jobs: int | None, work: Work
) -> None:
    """Warn if the work will take long, and name the settings that would shorten it."""
    table, total = bound[0].table, work.total
    if total * table.n_samples * table.n_features < SMALL:
        return
    pieces = expected_seconds(bound, resamples)
    if pieces is None:
        return
    workers = min(parallel.count_workers(n_jobs), os.cpu_count() or 1)
    per_resample = sum(pieces.values())
    testing = work.n_tested * sum(
        seconds for one, seconds in pieces.items() if work.tested & one.outputs.keys()
    )
    expected = (per_resample * total + testing) / workers
    if expected < LONG:
        return
    ways: list[Message] = []

    def propose(setting: object, seconds: float) -> None:
        ways.append(Message("; ", setting, f": about {duration((seconds + testing) / workers)}"))

    for filter_, seconds in pieces.items():
        scorer = filter_.scorer()
        depth = getattr(scorer, "n_selected", 0)
        if depth > LEAST:
            weights, labels = resamples.weights[:1], resamples.labels_of(slice(0, 1))
            less = scorer.expected_seconds(weights, labels, LEAST)  # type: ignore[attr-defined]
            label = next(iter(filter_.outputs))
            setting = Use(filter_params={label: {"n_features": LEAST}})
            propose(setting, (per_resample - seconds + less) * total)
    for change, number in work.fewer.items():
        propose(change, per_resample * number)
    warn(f"this will take about {duration(expected)} with {workers} worker(s)", *ways, stacklevel=2)


def require_score_memory(n_matrices: int, shape: tuple[int, int]) -> None:
    """Refuse score matrices that do not fit into memory, with the computations on them."""
    m, p = shape
    memory.require_memory(
        8 * m * p * (n_matrices + 4) + _FEATURE * p,
        f"the score matrices of {m:,} resamples and {p:,} features, and what is computed from them,",
        Message(
            Use("Execution", scratch="FOLDER"), " keeps them in files; or draw fewer resamples"
        ),
    )


# Their scores.


def score_resamples(
    bound: Sequence[BoundFilter],
    resamples: Resamples,
    *,
    n_jobs: int | None = None,
    progress: execution.Progress | None = None,
    checkpoint: Checkpoint | None = None,
    first: int = 0,
    store: MatrixStore | None = None,
    what: str = "resamples",
    work: Work | None = None,
) -> dict[str, Floats]:
    """Score matrices (n_resamples, n_features) by filter; with `work` a long run is announced, and one
    beyond memory refused. A checkpoint calls the resamples `what`, from number `first`."""
    m = len(resamples)
    names, table = bound[0].names, bound[0].table
    store = store or MatrixStore()
    labels = [label for filter_ in bound for label in filter_.outputs]
    if work is not None:
        if not store.on_disk:
            require_score_memory(len(labels), (m, len(names)))
        warn_of_time(bound, resamples, n_jobs, work)
    matrices = {label: store.matrix((m, len(names))) for label in labels}
    widest = max(filter_.table.n_features for filter_ in bound)
    # Scorers are made here, before workers share them; only kernels gain from threads.
    scorers = [filter_.scorer() for filter_ in bound]
    threads = all(getattr(scorer, "releases_gil", True) for scorer in scorers)
    together = max(getattr(scorer, "together", 1) for scorer in scorers)
    size = block_size(table.n_samples, widest, together)
    blocks = [slice(start, min(start + size, m)) for start in range(0, m, size)]
    keys = [f"{what} {first + rows.start} to {first + rows.stop}" for rows in blocks]
    tasks = keys, _score_block, (bound, resamples), blocks
    answers = resume_tasks(checkpoint, *tasks, n_jobs=n_jobs, threads=threads)
    with execution.progress_sink(progress, m) as advance:
        advance(0)
        for rows, scores in zip(blocks, answers, strict=True):
            for label, block in scores.items():
                matrices[label][rows] = block
            store.release()
            advance(rows.stop)
    for label, matrix in matrices.items():
        _check_scores(label, matrix, names, store)
    return matrices


def _score_block(run: tuple[Sequence[BoundFilter], Resamples], rows: slice) -> dict[str, Floats]:
    bound, resamples = run
    scores: dict[str, Floats] = {}
    for filter_ in bound:
        if not resamples.changes_table:
            scores |= filter_.scores(resamples.weights[rows], resamples.labels_of(rows))
            continue
        # Each resample sees another table: noise on the cells, or some features only.
        shape = rows.stop - rows.start, filter_.table.n_features
        scores |= {label: np.full(shape, np.nan) for label in filter_.outputs}
        for position, r in enumerate(range(rows.start, rows.stop)):
            row = slice(r, r + 1)
            scorer = filter_.scorer(resamples.table_of(r, filter_.table))
            found = scorer(resamples.weights[row], resamples.labels_of(row))
            seen = slice(None) if resamples.features is None else resamples.features[r]
            for label, output in filter_.outputs.items():
                scores[label][position, seen] = found[output][0]
    return scores


def _check_scores(label: str, matrix: Floats, names: Sequence[str], store: MatrixStore) -> None:
    scored = np.zeros(len(names), dtype=np.bool_)
    for rows in row_blocks(matrix.shape):
        block = matrix[rows]
        infinite = np.isinf(block)
        if infinite.any():
            r, j = np.argwhere(infinite)[0].tolist()
            raise DataError(
                f"the filter {label!r} gave an infinite score for {names[j]!r} in resample ",
                f"{rows.start + r}; scores must be finite",
            )
        scored |= ~np.isnan(block).all(axis=0)
        store.release()
    if not scored.all():
        raise DataError(
            f"the filter {label!r} gave no score for {names[int(scored.argmin())]!r} in any "
            f"of {matrix.shape[0]} resample(s); draw more resamples or leave the feature out"
        )

"""The passes over a table, within a limit of memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.memory import limit_in_force, resident
from pyfsagg._kernels.poisson_bootstrap import ROWS_AT_ONCE, padded
from pyfsagg._message import Message, Param
from pyfsagg._run.checkpoint import Checkpoint, resume_tasks
from pyfsagg._run.parallel import count_workers, run_tasks
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError
from pyfsagg.out_of_core.counting import (
    FINE_PARTS,
    Coding,
    Column,
    Counting,
    Counts,
    Piece,
    Sketch,
    Source,
    column_of,
    count_piece,
    count_scores,
    empty_counts,
    frequency_coding,
    histogram_piece,
    open_source,
    sketch_piece,
)
from pyfsagg.resampling.plans import check_poisson_totals, poisson_key

MOST_ROWS_IN_A_PIECE, FEWEST_ROWS = 2**16, 2**10
"""Rows of a batch: more bring nothing, fewer cost time."""

CELL = 32
"""Bytes of a cell of a batch: as Arrow unpacks and holds it, as a number, and as a code."""

_SCORE_MATRICES = 8
"""Of all features at most: one for each filter, and two while they are combined."""

ROUND = 100_000_000

ROOM = 2_000_000_000
"""Bytes for a run without a limit, beside what the process holds already."""

OVERHEAD = 200_000_000
"""Bytes for what a process loads when it first reads a file and compiles a kernel."""


@dataclass(frozen=True)
class Budget:
    """The memory of a run."""

    limit: int  # bytes that the process may hold in all
    base: int  # bytes that it holds before it starts, and those of what it loads
    workers: int
    rows: int  # of a batch

    @classmethod
    def of(cls, workers: int, n_columns: int) -> Budget:
        """Batches are as large as a quarter of what the limit in force leaves."""
        # Rounded, so that a rerun deals with the same groups, of which its checkpoint tells.
        held = -(-resident() // ROUND) * ROUND
        base = held + OVERHEAD
        limit = limit_in_force() or held + ROOM
        fitting = (limit - base) // 4 // (workers * n_columns * CELL)
        return cls(limit, base, workers, max(FEWEST_ROWS, min(MOST_ROWS_IN_A_PIECE, fitting)))

    def reading_groups(
        self, names: Sequence[str], source: Source, histograms: bool = False
    ) -> list[slice]:
        """Columns that can be read at the same time, with their fine `histograms` or without."""
        # The sum, one that every worker fills, and one that waits to be added.
        tables = 8 * FINE_PARTS * (2 * self.workers + 1) if histograms else 0
        costs = [self._reading(name, source) + tables for name in names]
        return self._groups(names, costs, 0, Message("raise it, or lower ", Param("n_jobs")))

    def counting_groups(
        self,
        features: Sequence[Coding],
        target: Coding,
        n_resamples: int,
        source: Source,
        kept: bool,
    ) -> list[slice]:
        """Features that can be counted at the same time; `kept` in a checkpoint, or not."""
        width = padded(n_resamples)
        # The sum, a table that every worker fills, and one that waits to be added; a checkpoint
        # holds those of about a second, and copies them to write.
        tables = 8 * ((5 if kept else 2) * self.workers + 1)
        costs = [
            self._reading(coding.column.name, source)
            + coding.n_codes * target.n_known * (width + 1) * tables
            for coding in features
        ]
        most_cells = max(coding.n_codes for coding in features) * target.n_known
        kernel = self.workers * width * (ROWS_AT_ONCE + 2 * most_cells)
        scores = 8 * n_resamples * len(features) * _SCORE_MATRICES
        fixed = kernel + scores + self._reading(target.column.name, source)
        names = [coding.column.name for coding in features]
        others = Param("n_resamples"), ", ", Param("n_jobs"), " or ", Param("bins")
        return self._groups(names, costs, fixed, Message("raise it, or lower ", *others))

    def _reading(self, name: str, source: Source) -> int:
        return self.workers * (source.held.get(name, 0) + self.rows * CELL)

    def _groups(
        self, names: Sequence[str], costs: Sequence[int], fixed: int, remedy: str
    ) -> list[slice]:
        """Consecutive columns whose costs fit; refused where a single one does not."""
        room = self.limit - self.base - fixed
        groups, start, used = [], 0, 0
        for j, cost in enumerate(costs):
            if cost > room:
                needed = self.base + fixed + cost
                raise ParameterError(
                    Param("memory_limit"),
                    f" is {_megabytes(self.limit)}, and the column {names[j]!r} alone needs an ",
                    f"estimated {_megabytes(needed)} with {self.workers} worker(s), ",
                    f"{_megabytes(self.base - OVERHEAD)} of which this process holds already; ",
                    remedy,
                )
            if used + cost > room:
                groups.append(slice(start, j))
                start, used = j, 0
            used += cost
        return [*groups, slice(start, len(costs))]


def _megabytes(size: int) -> str:
    return f"{-(-size // 1_000_000):,} MB"


Scores = dict[str, NDArray[np.float64]]

MOST_ROWS_OF_A_TABLE = 2_000_000_000
"""Products of two sums of weights must fit into 64 bits."""


@dataclass(frozen=True)
class StreamedRun:
    """A table and the passes over it; of its columns the target comes last."""

    source: Source
    columns: list[Column]
    budget: Budget

    def _parts(
        self, task: Callable[[Any, Piece], Any], columns: Any, advance: Callable[[int], None]
    ) -> Iterator[Any]:
        """What `task` finds of some columns in each piece."""
        _release_memory()
        pieces, shared = self.source.pieces, (columns, self.budget.rows)
        parts = run_tasks(task, shared, pieces, n_jobs=self.budget.workers)
        for piece, part in zip(pieces, parts, strict=True):
            yield part
            advance(piece.n_rows)

    def check_memory(self, bins: int, n_resamples: int, with_checkpoint: bool) -> None:
        """Refuse a limit that cannot do, before anything is read: levels are not known yet."""
        names = [column.name for column in self.columns]
        self.budget.reading_groups(names, self.source)
        features = [Coding(feature, bins if feature.binned else 1) for feature in self.columns[:-1]]
        target = Coding(self.columns[-1], 2)
        self.budget.counting_groups(features, target, n_resamples, self.source, with_checkpoint)

    def ranges_and_levels(self, bins: int, report: Callable[[int], None]) -> list[Coding]:
        """The first pass: codes of all columns, by bins of equal width and by levels."""
        groups = self.budget.reading_groups([column.name for column in self.columns], self.source)
        sketches = [Sketch(column) for column in self.columns]
        advance = _in_groups(report, 0, len(groups))
        for group in groups:
            for parts in self._parts(sketch_piece, self.columns[group], advance):
                for sketch, part in zip(sketches[group], parts, strict=True):
                    sketch.add(part)
        _check_sketches(sketches, self.source)
        return [sketch.coding(bins) for sketch in sketches]

    def quantiles(self, codings: list[Coding], report: Callable[[int], None]) -> list[Coding]:
        """The pass between: codes of numbers by bins of equal frequency."""
        binned = [j for j, coding in enumerate(codings) if coding.column.binned]
        names = [codings[j].column.name for j in binned]
        codings = list(codings)
        groups = self.budget.reading_groups(names, self.source, True) if binned else []
        advance = _in_groups(report, self.source.n_rows, len(groups))
        for group in groups:
            members = [codings[j] for j in binned[group]]
            histograms = np.zeros((len(members), FINE_PARTS), np.int64)
            for part in self._parts(histogram_piece, members, advance):
                histograms += part
            for j, histogram in zip(binned[group], histograms, strict=True):
                codings[j] = frequency_coding(codings[j], histogram)
            del histograms, part  # before the next ones are made
        return codings

    def scores(
        self,
        codings: list[Coding],
        labels: list[str],
        n_resamples: int,
        seed: int,
        report: Callable[[int], None],
        checkpoint: Checkpoint | None,
    ) -> tuple[Scores, Scores, NDArray[np.uint64]]:
        """The last pass: score matrices by filter, those of the table itself, a digest of every column."""
        features, target = codings[:-1], codings[-1]
        groups = self.budget.counting_groups(
            features, target, n_resamples, self.source, checkpoint is not None
        )
        matrices = {label: np.empty((n_resamples, len(features))) for label in labels}
        plain_scores = {label: np.empty((1, len(features))) for label in labels}
        digests = np.empty(len(codings), np.uint64)
        key = poisson_key(seed)
        advance = _in_groups(report, 0, len(groups))
        for group in groups:
            counting = Counting(features[group], target, key, n_resamples, self.budget.rows)
            name = f"columns {group.start} to {group.stop}"
            counts, plain, digest = self._counts(counting, name, advance, checkpoint).values()
            for into, counted, m in ((matrices, counts, n_resamples), (plain_scores, plain, 1)):
                scores = count_scores(counted, features[group], target.n_known, m)
                for label in labels:
                    into[label][:, group] = scores[label]
            digests[:-1][group], digests[-1] = digest[:-1], digest[-1]
            del counts, counted  # before the next ones are made
        return matrices, plain_scores, digests

    def _counts(
        self,
        counting: Counting,
        name: str,
        advance: Callable[[int], None],
        checkpoint: Checkpoint | None,
    ) -> Counts:
        """The counts of some features over all pieces."""
        _release_memory()
        sums = empty_counts(counting)
        pieces = self.source.pieces
        keys = [f"{name} of rows from {piece.first_row}" for piece in pieces]
        parts = resume_tasks(
            checkpoint, keys, count_piece, counting, pieces, n_jobs=self.budget.workers
        )
        for piece, part in zip(pieces, parts, strict=True):
            for what in sums:
                sums[what] += part[what]
            advance(piece.n_rows)
        cells = counting.features[0].n_codes * counting.target.n_known
        check_poisson_totals(sums["counts"][:cells, : counting.n_resamples].sum(axis=0))
        return sums


def _release_memory() -> None:
    """Give back what Arrow holds of the pass before."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()


def _in_groups(report: Callable[[int], None], before: int, n_groups: int) -> Callable[[int], None]:
    """Reports rows that are read once for each group of columns, after the rows of earlier passes."""
    done = 0

    def advance(n_rows: int) -> None:
        nonlocal done
        done += n_rows
        report(before + done // n_groups)

    return advance


def open_run(
    source: Any,
    target: str,
    nominal: Sequence[str] | None,
    exclude: Sequence[str],
    n_jobs: int | None,
) -> StreamedRun:
    """The table, and how its columns are read; the target comes last."""
    opened = open_source(source)
    if opened.n_rows > MOST_ROWS_OF_A_TABLE:
        raise DataError(
            f"{opened.name} has {opened.n_rows:,} rows; at most {MOST_ROWS_OF_A_TABLE:,} are counted"
        )
    declared = [nominal] if isinstance(nominal, str) else list(nominal or [])
    for name in (target, *exclude, *declared):
        if name not in opened.types:
            raise UnknownNameError("column", name, opened.types)
    if target in exclude:
        raise ParameterError(f"the column {target!r} cannot be both the target and left out")
    columns = [
        column_of(name, kind, nominal=name in declared)
        for name, kind in opened.types.items()
        if name != target and name not in exclude
    ]
    if len(columns) < 2:
        raise DataError(
            f"{opened.name} has {len(columns)} feature(s) and the target; at least 2 features are required"
        )
    columns.append(column_of(target, opened.types[target], nominal=True))
    workers = min(count_workers(n_jobs), len(opened.pieces))
    return StreamedRun(opened, columns, Budget.of(workers, len(columns)))


def _check_sketches(sketches: list[Sketch], source: Source) -> None:
    """Refuse a target that cannot be explained, and features that explain nothing."""
    target = sketches[-1]
    name, n_classes = target.column.name, len(target.levels)
    if target.n_missing:
        raise DataError(
            f"the target {name!r} is missing in {target.n_missing} of {source.n_rows} rows; drop these "
            "rows first"
        )
    if n_classes < 2:
        raise DataError(f"the target {name!r} has one class only; at least two are needed")
    if n_classes > max(2, source.n_rows / 4):
        raise DataError(
            f"the target {name!r} has {n_classes} different values in {source.n_rows} rows, more than a "
            "quarter: a number, or an identifier. Bin it into classes first"
        )
    if all(sketch.is_constant for sketch in sketches[:-1]):
        raise DataError("every feature is constant; there is nothing to rank")


def check_two_classes(target: Coding, labels: list[str]) -> None:
    """Refuse the filter that knows two classes only where there are more."""
    if "value_difference_metric" in labels and target.n_known != 2:
        raise DataError(
            f"the filter 'value_difference_metric' is defined for two classes, the target "
            f"{target.column.name!r} has {target.n_known}; use a filter for several classes such as "
            "'symmetric_uncertainty'"
        )

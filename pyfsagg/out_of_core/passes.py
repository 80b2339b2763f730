"""The passes over a table: ranges and levels, quantiles if they are asked for, counts and scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._run.checkpoint import Checkpoint, resume_tasks
from pyfsagg._run.parallel import count_workers, run_tasks
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError
from pyfsagg.out_of_core.columns import (
    FINE_PARTS,
    Coding,
    Column,
    Sketch,
    column_of,
    sketch_piece,
)
from pyfsagg.out_of_core.counting import Counting, Counts, count_piece, count_scores, empty_counts
from pyfsagg.out_of_core.memory import Budget
from pyfsagg.out_of_core.piece import Piece, Source
from pyfsagg.out_of_core.quantiles import frequency_coding, histogram_piece
from pyfsagg.out_of_core.source import open_source
from pyfsagg.resampling.poisson import check_poisson_totals, poisson_key

Scores = dict[str, NDArray[np.float64]]

__all__ = ["Run", "check_two_classes", "open_run"]

MOST_ROWS = 2_000_000_000
"""Products of two sums of weights must fit into 64 bits."""


@dataclass(frozen=True)
class Run:
    """A table and the passes over it.

    Attributes
    ----------
    source : Source
    columns : list of Column
        The features in the order of the table, and the target last.
    budget : Budget
    """

    source: Source
    columns: list[Column]
    budget: Budget

    def _sums(
        self,
        task: Callable[[Any, Piece], Any],
        shared: Any,
        add: Callable[[Any], None],
        advance: Callable[[int], None],
    ) -> None:
        """Give what `task` finds in each piece to `add`."""
        _release_memory()
        pieces = self.source.pieces
        found = run_tasks(task, shared, pieces, n_jobs=self.budget.workers)
        for piece, part in zip(pieces, found, strict=True):
            add(part)
            advance(piece.n_rows)

    def check_memory(self, bins: int, n_resamples: int, kept: bool) -> None:
        """Refuse a limit that cannot do, before anything is read: levels are not known yet."""
        names = [column.name for column in self.columns]
        self.budget.reading_groups(names, self.source)
        features = [Coding(each, bins if each.binned else 1) for each in self.columns[:-1]]
        target = Coding(self.columns[-1], 2)
        self.budget.counting_groups(features, target, n_resamples, self.source, kept)

    def ranges_and_levels(self, bins: int, told: Callable[[int], None]) -> list[Coding]:
        """The first pass: codes of all columns, by bins of equal width and by levels."""
        groups = self.budget.reading_groups([column.name for column in self.columns], self.source)
        sketches = [Sketch(column) for column in self.columns]
        advance = _in_groups(told, 0, len(groups))
        for group in groups:
            members = sketches[group]

            def add(found: list[Sketch], members: list[Sketch] = members) -> None:
                for sketch, part in zip(members, found, strict=True):
                    sketch.add(part)

            shared = (self.columns[group], self.budget.rows)
            self._sums(sketch_piece, shared, add, advance)
        _check_sketches(sketches, self.source)
        return [sketch.coding(bins) for sketch in sketches]

    def quantiles(self, codings: list[Coding], told: Callable[[int], None]) -> list[Coding]:
        """The pass between: codes of numbers by bins of equal frequency."""
        binned = [j for j, coding in enumerate(codings) if coding.column.binned]
        names = [codings[j].column.name for j in binned]
        codings = list(codings)
        groups = self.budget.histogram_groups(names, self.source) if binned else []
        advance = _in_groups(told, self.source.n_rows, len(groups))
        for group in groups:
            found = self._frequencies([codings[j] for j in binned[group]], advance)
            for j, coding in zip(binned[group], found, strict=True):
                codings[j] = coding
        return codings

    def _frequencies(self, codings: list[Coding], advance: Callable[[int], None]) -> list[Coding]:
        """Bins of equal frequency of some columns."""
        histograms = np.zeros((len(codings), FINE_PARTS), np.int64)

        def add(part: NDArray[np.int64]) -> None:
            np.add(histograms, part, out=histograms)

        self._sums(histogram_piece, (codings, self.budget.rows), add, advance)
        return [frequency_coding(*each) for each in zip(codings, histograms, strict=True)]

    def scores(
        self,
        codings: list[Coding],
        labels: list[str],
        n_resamples: int,
        seed: int,
        tell: Callable[[int], None],
        kept: Checkpoint | None,
    ) -> tuple[Scores, Scores, NDArray[np.uint64]]:
        """The last pass: score matrices by filter, those of the table itself, a digest of every column."""
        features, target = codings[:-1], codings[-1]
        groups = self.budget.counting_groups(
            features, target, n_resamples, self.source, kept is not None
        )
        matrices = {label: np.empty((n_resamples, len(features))) for label in labels}
        own = {label: np.empty((1, len(features))) for label in labels}
        digests = np.empty(len(codings), np.uint64)
        key = poisson_key(seed)
        advance = _in_groups(tell, 0, len(groups))
        for group in groups:
            counting = Counting(features[group], target, key, n_resamples, self.budget.rows)
            name = f"columns {group.start} to {group.stop}"
            counts, plain, digest = self._counts(counting, name, advance, kept).values()
            for into, counted, m in ((matrices, counts, n_resamples), (own, plain, 1)):
                scores = count_scores(counted, features[group], target.n_known, m)
                for label in labels:
                    into[label][:, group] = scores[label]
            digests[:-1][group], digests[-1] = digest[:-1], digest[-1]
            del counts, counted  # before the next ones are made
        return matrices, own, digests

    def _counts(
        self,
        counting: Counting,
        name: str,
        advance: Callable[[int], None],
        kept: Checkpoint | None,
    ) -> Counts:
        """The counts of some features over all pieces."""
        _release_memory()
        sums = empty_counts(counting)
        pieces = self.source.pieces
        keys = [f"{name} of rows from {piece.first_row}" for piece in pieces]
        found = resume_tasks(kept, keys, count_piece, counting, pieces, n_jobs=self.budget.workers)
        for piece, part in zip(pieces, found, strict=True):
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


def _in_groups(told: Callable[[int], None], before: int, n_groups: int) -> Callable[[int], None]:
    """A function that takes rows read for one of `n_groups` groups of columns, and tells the share.

    `before` are the rows of the passes before.
    """
    done = 0

    def advance(n_rows: int) -> None:
        nonlocal done
        done += n_rows
        told(before + done // n_groups)

    return advance


def open_run(
    source: Any,
    target: str,
    nominal: Sequence[str] | None,
    exclude: Sequence[str],
    n_jobs: int | None,
) -> Run:
    """The table, and how its columns are read; the target comes last."""
    opened = open_source(source)
    if opened.n_rows > MOST_ROWS:
        raise DataError(
            f"{opened.name} has {opened.n_rows:,} rows; at most {MOST_ROWS:,} are counted"
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
    return Run(opened, columns, Budget.of(workers, len(columns)))


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

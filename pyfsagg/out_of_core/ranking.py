"""Rankings of tables that are read in two passes: ranges first, then counts of all resamples."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import RandomState
from pyfsagg._base.digest import digest
from pyfsagg._base.memory import limit_in_force, resident
from pyfsagg._base.registry import Call, repeatable
from pyfsagg._base.validation import check_choice, check_integer, check_list, resolve_seed
from pyfsagg._kernels.entropy_scores import OUTPUTS
from pyfsagg._kernels.poisson_bootstrap import ROWS_AT_ONCE, padded
from pyfsagg._message import Message, Param, Remedy
from pyfsagg._run.checkpoint import Checkpoint, kept_seed, open_checkpoint, resume_tasks
from pyfsagg._run.execution import Execution, progress_sink
from pyfsagg._run.parallel import count_workers, run_tasks
from pyfsagg._table.identity import versions
from pyfsagg.ensemble.data import Checked
from pyfsagg.ensemble.result import EnsembleResult
from pyfsagg.ensemble.settings import Ensemble
from pyfsagg.ensemble.trust import needs_own_scores
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError
from pyfsagg.filters._base import FILTERS
from pyfsagg.out_of_core import counting
from pyfsagg.out_of_core.counting import Coding, Column, Counting, Piece, Sketch, Source
from pyfsagg.ranks import rank_scores
from pyfsagg.resampling.plans import check_poisson_totals, poisson_key

MOST_ROWS_IN_A_PIECE, FEWEST_ROWS = 2**16, 2**10
"""Rows of a batch: more bring nothing, fewer cost time."""

CELL = 32  # bytes of a cell of a batch: as Arrow unpacks and holds it, as a number, and as a code
_SCORE_MATRICES = 8  # of all features at most: one for each filter, and two while they are combined
ROUND = 100_000_000

ROOM = 2_000_000_000  # bytes for a run without a limit, in addition to those that the process holds already
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
        # Rounded, so a rerun deals with the same groups, of which its checkpoint tells.
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
        tables = 8 * counting.FINE_PARTS * (2 * self.workers + 1) if histograms else 0
        costs = [self._reading(name, source) + tables for name in names]
        return self._groups(names, costs, 0, Message("raise it, or lower ", Param("n_jobs")))

    def counting_groups(
        self, features: Sequence[Coding], target: Coding, m: int, source: Source, kept: bool
    ) -> list[slice]:
        """Features that can be counted at the same time; `kept` in a checkpoint, or not."""
        width = padded(m)
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
        scores = 8 * m * len(features) * _SCORE_MATRICES
        fixed = kernel + scores + self._reading(target.column.name, source)
        names = [coding.column.name for coding in features]
        others = Param("n_resamples"), ", ", Param("n_jobs"), " or ", Param("bins")
        return self._groups(names, costs, fixed, Message("raise it, or lower ", *others))

    def _reading(self, name: str, source: Source) -> int:
        return self.workers * (source.held.get(name, 0) + self.rows * CELL)

    def _groups(
        self, names: Sequence[str], costs: Sequence[int], fixed: int, remedy: str
    ) -> list[slice]:
        """Consecutive columns that fit into memory; an error if a single one does not."""
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

MOST_ROWS_OF_A_TABLE = 2_000_000_000  # products of two sums of weights must fit into 64 bits


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
            for parts in self._parts(counting.sketch_piece, self.columns[group], advance):
                for sketch, part in zip(sketches[group], parts, strict=True):
                    sketch.add(part)
        # Refused are a target that cannot be explained, and features that explain nothing.
        *features, target = sketches
        name, n_classes, n_rows = target.column.name, len(target.levels), self.source.n_rows
        if target.n_missing:
            raise DataError(
                f"the target {name!r} is missing in {target.n_missing} of {n_rows} rows; drop these "
                "rows first"
            )
        if n_classes < 2:
            raise DataError(f"the target {name!r} has one class only; at least two are needed")
        if n_classes > max(2, n_rows / 4):
            raise DataError(
                f"the target {name!r} has {n_classes} different values in {n_rows} rows, more than a "
                "quarter: a number, or an identifier. Bin it into classes first"
            )
        if all(sketch.is_constant for sketch in features):
            raise DataError("every feature is constant; there is nothing to rank")
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
            histograms = np.zeros((len(members), counting.FINE_PARTS), np.int64)
            for part in self._parts(counting.histogram_piece, members, advance):
                histograms += part
            for j, histogram in zip(binned[group], histograms, strict=True):
                codings[j] = counting.frequency_coding(codings[j], histogram)
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
            wanted = Counting(features[group], target, key, n_resamples, self.budget.rows)
            _release_memory()
            pieces, sums = self.source.pieces, counting.empty_counts(wanted)
            name = f"columns {group.start} to {group.stop}"
            keys = [f"{name} of rows from {piece.first_row}" for piece in pieces]
            asked = checkpoint, keys, counting.count_piece, wanted, pieces
            parts = resume_tasks(*asked, n_jobs=self.budget.workers)
            for piece, part in zip(pieces, parts, strict=True):
                for what in sums:
                    sums[what] += part[what]
                advance(piece.n_rows)
            cells = wanted.features[0].n_codes * target.n_known
            check_poisson_totals(sums["counts"][:cells, :n_resamples].sum(axis=0))
            counts, plain, own = sums.values()
            for into, counted, m in ((matrices, counts, n_resamples), (plain_scores, plain, 1)):
                scores = counting.count_scores(counted, features[group], target.n_known, m)
                for label in labels:
                    into[label][:, group] = scores[label]
            digests[:-1][group], digests[-1] = own[:-1], own[-1]
            del sums, counts, counted, part  # before the next ones are made
        return matrices, plain_scores, digests


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
    opened = counting.open_source(source)
    if opened.n_rows > MOST_ROWS_OF_A_TABLE:
        raise DataError(
            f"{opened.name} has {opened.n_rows:,} rows; at most {MOST_ROWS_OF_A_TABLE:,} are counted"
        )
    declared = [nominal] if isinstance(nominal, str) else list(nominal or [])
    for name in (target, *exclude, *declared):
        if name not in opened.types:
            raise UnknownNameError("column", name, opened.types)
    if target in exclude:
        raise ParameterError(f"the column {target!r} cannot be both the target and omitted")
    columns = [
        counting.column_of(name, kind, nominal=name in declared)
        for name, kind in opened.types.items()
        if name != target and name not in exclude
    ]
    if len(columns) < 2:
        raise DataError(
            f"{opened.name} has {len(columns)} feature(s) and the target; at least 2 features are required"
        )
    columns.append(counting.column_of(target, opened.types[target], nominal=True))
    workers = min(count_workers(n_jobs), len(opened.pieces))
    return StreamedRun(opened, columns, Budget.of(workers, len(columns)))


DEFAULT_FILTERS = ("information_gain", "symmetric_uncertainty", "chi_squared")
BINNINGS = ("equal_width", "equal_frequency")
MOST_BINS = 1000


@repeatable
def rank_out_of_core(
    source: Any,
    target: str,
    *,
    filters: str | Sequence[str] = DEFAULT_FILTERS,
    binning: str = "equal_width",
    bins: int = 10,
    normalize: str = "per_resample",
    aggregator: str = "arithmetic_mean",
    aggregator_params: Mapping[str, Any] | None = None,
    n_resamples: int = 200,
    nominal: Sequence[str] | None = None,
    exclude: Sequence[str] = (),
    random_state: RandomState = None,
    n_jobs: int | None = None,
    execution: Execution | None = None,
) -> EnsembleResult:
    """Rank the features of a table that is larger than memory.

    The table is read twice.  The first pass finds the range of every numeric column, which is cut
    into bins, and the levels of the others; the second counts every feature by code and class in
    all resamples of a Poisson bootstrap.  All filters are computed from these counts.
    One filter is aggregated over the resamples as by :func:`pyfsagg.wam`, several as by
    :func:`pyfsagg.bam`.

    Parameters
    ----------
    source : path or Dask frame
        A folder of Parquet files (all below it, in the order of their names, all with the same
        columns), or one Parquet file.
    target : str
        Column with the classes.
    filters : str or sequence of str
        One or more of ``information_gain``, ``gain_ratio``, ``symmetric_uncertainty``,
        ``chi_squared``, ``cramers_v`` and ``value_difference_metric`` (two classes).
    binning : {"equal_width", "equal_frequency"}
        How numeric and integer columns are cut, once for the whole table: at
        min + k·(max − min)/bins, or at quantiles.  These are told to 1/65 536 of the range by a
        histogram, which takes one more pass; columns with far outliers are better transformed
        first.  A value that equals a cut belongs below it.
    bins : int
        Into how many parts.  Boolean, text and dictionary columns keep their levels.  A missing
        value (null or NaN) is a level of its own.
    normalize, aggregator, aggregator_params
        As in :func:`pyfsagg.bam`.
    n_resamples : int
        Number of resamples.
    nominal : sequence of str, optional
        Columns whose numbers are levels.
    exclude : sequence of str
        Columns that are neither features nor target.
    random_state : None, int or NumPy generator
        Seed; a fresh one is drawn and recorded when None.
    n_jobs : int, optional
        Workers, as in joblib.  Each takes whole row groups, so one file of one row group
        is the work of one.
    execution : Execution, optional
        :class:`pyfsagg.Execution`.  Columns that do not fit into its memory limit (or that of
        :func:`pyfsagg.out_of_core.memory_limit`, or else 2 GB more than the process holds already) are dealt
        with in groups, one pass for each.  The checkpoint, which a Dask frame cannot have, keeps finished
        counts; the passes before them are made again.  Progress counts rows, once for each pass.

    Returns
    -------
    EnsembleResult
        It does not depend on how the rows are divided into files and row groups, on the number of
        workers, or on the limit.

    See Also
    --------
    wam, bam : The same for a table in memory.

    Notes
    -----
    No pairs of halves are drawn in addition, and no targets are shuffled: the stability between samples
    and what noise reaches are computed in memory only (:meth:`EnsembleResult.between_sample_stability`,
    :meth:`EnsembleResult.selection`).

    In memory, ``resampling="poisson_bootstrap"`` draws the same weights: on the binned table, with
    all columns nominal, :func:`pyfsagg.wam` and :func:`pyfsagg.bam` give the same bits.

    Examples
    --------
    >>> import tempfile
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for k in range(2):
    ...         part = data.X.assign(cultivar=data.y).iloc[100 * k : 100 * (k + 1)]
    ...         part.to_parquet(f"{folder}/part-{k}.parquet")
    ...     result = pyfsagg.out_of_core.rank_out_of_core(folder, "cultivar", n_resamples=50, random_state=0)
    >>> result.select(3)
    ['flavanoids', 'color_intensity', 'proline']
    """
    labels = _filter_labels(filters)
    check_choice("binning", binning, BINNINGS)
    check_integer("bins", bins, low=2, high=MOST_BINS)
    check_integer("n_resamples", n_resamples, low=1)
    check_choice("normalize", normalize, ("per_resample", "per_feature"))
    ensemble = Ensemble(
        labels,
        normalize=normalize if len(labels) > 1 else "none",
        aggregator=aggregator,
        aggregator_params=aggregator_params,
        n_resamples=n_resamples,
        resampling="poisson_bootstrap",
    )
    recipe = ensemble.recipe
    execution = Execution._without_scratch("rank_out_of_core", execution)
    checkpoint = execution.checkpoint
    seed = resolve_seed(kept_seed(checkpoint, random_state))
    with execution.limited():
        run = open_run(source, target, nominal, exclude, n_jobs)
    if checkpoint is not None and run.source.files is None:
        raise ParameterError(
            f"a checkpoint cannot tell whether {run.source.name} has changed; write it to Parquet files"
        )
    run.check_memory(bins, n_resamples, checkpoint is not None)
    n_passes = 2 if binning == "equal_width" else 3
    with progress_sink(execution.progress, n_passes * run.source.n_rows, "row") as report:
        report(0)
        codings = run.ranges_and_levels(bins, report)
        if "value_difference_metric" in labels and codings[-1].n_known != 2:
            raise DataError(
                f"the filter 'value_difference_metric' is defined for two classes, the target "
                f"{target!r} has {codings[-1].n_known}; use a filter for several classes such as "
                "'symmetric_uncertainty'"
            )
        if binning == "equal_frequency":
            codings = run.quantiles(codings, report)
        before = (n_passes - 1) * run.source.n_rows
        # What the counts depend on; the filters and the aggregator are not part of it.
        identity = {
            "kind": "rank_out_of_core",
            "binning": binning,
            "bins": bins,
            "columns": [f"{coding.column.name}: {coding.column.kind.name}" for coding in codings],
            "data": [run.source.files, codings],
            "n_resamples": n_resamples,
            "seed": seed,
            "versions": versions(),
        }
        with open_checkpoint(checkpoint, identity) as finished:
            matrices, plain_scores, digests = run.scores(
                codings, labels, n_resamples, seed, lambda done: report(before + done), finished
            )
    call = Call.of(rank_out_of_core, data=("source", "target"), random_state=seed)
    several = len(labels) > 1
    settings = {
        "filters": labels,
        "filter_params": {},
        "n_resamples": n_resamples,
        "resampling": "poisson_bootstrap",
        "resampling_params": {},
        "binning": binning,
        "bins": bins,
        "out_of_core": True,
        "pairs": {
            "reason": "the table was read in pieces, for which only a Poisson bootstrap is available; "
            "rank a part of the rows in memory"
        },
        "shuffles": {
            "reason": "the table was read in pieces, and each target needs further passes; rank a part "
            "of the rows in memory"
        },
        "weighted": False,
        "counted": False,
        "nominal": None if nominal is None else list(nominal),
        "excluded": list(exclude),
        "drop_near_zero_variance": False,
        "task": "classification",
        "seed": seed,
        **({"normalize": normalize} if several else {}),
        "aggregator": recipe.aggregator,
        "aggregator_params": recipe.options,
        "call": call.record(),
    }
    names = tuple(coding.column.name for coding in codings[:-1])
    data = _data_record(run, codings, digests)
    centred = needs_own_scores(ensemble)
    combined = recipe.combine(matrices, names)
    scores = recipe.aggregate(combined, names)
    return EnsembleResult(
        method="bam" if several else "wam",
        feature_names=names,
        score_matrices=matrices,
        combined=combined,
        scores=scores,
        ranking=rank_scores(scores),
        parameters=settings,
        data=data,
        versions=versions(),
        checked=Checked(own_scores=recipe.combine(plain_scores, names)[0] if centred else None),
    )


def _filter_labels(filters: str | Sequence[str]) -> list[str]:
    """Names of filters that work by counts, each once."""
    labels: list[str] = []
    for item in [filters] if isinstance(filters, str) else check_list("filters", filters):
        label = FILTERS.get(item).name
        if label not in OUTPUTS:
            raise ParameterError(
                f"the filter {label!r} needs the table in memory; out of core there are "
                f"{', '.join(OUTPUTS)}"
            )
        if label in labels:
            raise ParameterError(f"the filter {label!r} is given twice")
        labels.append(label)
    if not labels:
        raise ParameterError(Param("filters"), " is empty", Remedy("name at least one filter"))
    return labels


def _data_record(
    run: StreamedRun, codings: list[Coding], digests: NDArray[np.uint64]
) -> dict[str, Any]:
    """What the data are; the hash is that of names, kinds, levels and digests of all columns."""
    identity = [
        [coding.column.name, int(coding.column.kind), list(map(str, coding.labels)), int(bits)]
        for coding, bits in zip(codings, digests, strict=True)
    ]
    target = codings[-1]
    return {
        "sha256": digest(json.dumps(identity)),
        "n_samples": run.source.n_rows,
        "n_features": len(codings) - 1,
        "target": target.column.name,
        "target_kind": "classes",
        "class_counts": dict(zip(map(str, target.labels), target.counts, strict=True)),
        "dropped_features": [],
    }

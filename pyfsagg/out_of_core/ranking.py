"""Rankings of tables that are read in two passes: ranges first, then counts of all resamples."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from pyfsagg._kernels.counted_scores import OUTPUTS
from pyfsagg._poisson_bootstrap import check_poisson_totals, poisson_key
from pyfsagg._validation import check_choice, check_integer
from pyfsagg.aggregation import AGGREGATORS
from pyfsagg.ensemble.bam import NORMALIZATIONS, combine_filters
from pyfsagg.ensemble.result import EnsembleResult
from pyfsagg.ensemble.run import versions
from pyfsagg.ensemble.scoring import Progress, as_lists, progress_sink
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError
from pyfsagg.filters import FILTERS
from pyfsagg.out_of_core.columns import (
    FINE_PARTS,
    Coding,
    Column,
    Sketch,
    column_of,
    sketch_piece,
)
from pyfsagg.out_of_core.counting import count_piece, count_scores, empty_counts
from pyfsagg.out_of_core.memory import Budget, read_memory
from pyfsagg.out_of_core.quantiles import frequency_coding, histogram_piece
from pyfsagg.out_of_core.source import Source, open_source
from pyfsagg.ranks import rank_scores
from pyfsagg.resampling import resolve_seed

__all__ = ["DEFAULT_FILTERS", "rank_out_of_core"]

DEFAULT_FILTERS = ("information_gain", "symmetric_uncertainty", "chi_squared")
BINNINGS = ("equal_width", "equal_frequency")
MOST_BINS = 1000
MOST_ROWS = 2_000_000_000
"""Products of two sums of weights must fit into 64 bits."""


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
    random_state: Any = None,
    n_jobs: int | None = None,
    memory_limit: int | str = "2GB",
    progress: bool | Progress | None = None,
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
        Workers, as in joblib.  Each takes whole row groups, so that one file of one row group
        is the work of one.
    memory_limit : int or str
        What the process may hold, in bytes or like ``"2GB"``.  Columns that do not fit at the same
        time are dealt with in groups, one pass for each.
    progress : bool or callable (done, total), optional
        A progress bar, or a function that is told; the unit is the row, once for each pass.

    Returns
    -------
    EnsembleResult
        It does not depend on how the rows are divided into files and row groups, on the number of
        workers, or on the limit: the weight of a row in a resample is a function of the seed, the
        number of the row and the number of the resample, and counts are whole numbers.

    Raises
    ------
    DataError
        No Parquet files, files that differ in their columns, a column of dates, infinite values, a
        target with missing values or one class, more than 10 000 levels.
    UnknownNameError, ParameterError
        An unknown column or filter, a filter that does not work by counts, a value out of range; a
        memory limit below what one column needs, with the estimate.

    Notes
    -----
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
    ...     result = pyfsagg.rank_out_of_core(folder, "cultivar", n_resamples=50, random_state=0)
    >>> result.select(3)
    ['flavanoids', 'color_intensity', 'proline']
    """
    labels = _filter_labels(filters)
    check_choice("binning", binning, BINNINGS)
    check_integer("bins", bins, low=2, high=MOST_BINS)
    check_integer("n_resamples", n_resamples, low=1)
    check_choice("normalize", normalize, NORMALIZATIONS)
    spec = AGGREGATORS.get(aggregator)
    compute = spec.bind(**(aggregator_params or {}))
    limit = read_memory(memory_limit)
    seed = resolve_seed(random_state)
    run = _open(source, target, nominal, exclude, limit, n_jobs)
    run.check_memory(bins, n_resamples)
    n_passes = 2 if binning == "equal_width" else 3
    with progress_sink(progress, n_passes * run.source.n_rows, "row") as told:
        told(0)
        codings = run.ranges_and_levels(bins, told)
        _check_two_classes(codings[-1], labels)
        if binning == "equal_frequency":
            codings = run.quantiles(codings, told)
        matrices, digests = run.scores(
            codings, labels, n_resamples, seed, told, (n_passes - 1) * run.source.n_rows
        )
    names = tuple(coding.column.name for coding in codings[:-1])
    several = len(labels) > 1
    combined = (
        combine_filters(matrices, names, normalize, compute) if several else matrices[labels[0]]
    )
    scores = compute(as_lists(combined, names)).scores
    parameters = {
        "filters": labels,
        "filter_params": {},
        "n_resamples": n_resamples,
        "resampling": "poisson_bootstrap",
        "resampling_params": {},
        "binning": binning,
        "bins": bins,
        "out_of_core": True,
        "weighted": False,
        "nominal": None if nominal is None else list(nominal),
        "excluded": list(exclude),
        "drop_near_zero_variance": False,
        "task": "classification",
        "seed": seed,
        **({"normalize": normalize} if several else {}),
        "aggregator": spec.name,
        "aggregator_params": dict(aggregator_params or {}),
    }
    return EnsembleResult(
        method="bam" if several else "wam",
        feature_names=names,
        score_matrices=matrices,
        combined=combined,
        scores=scores,
        ranking=rank_scores(scores),
        parameters=parameters,
        data=_data_record(run, codings, digests),
        versions=versions(),
    )


def _filter_labels(filters: str | Sequence[str]) -> list[str]:
    """Names of filters that work by counts, each once."""
    labels: list[str] = []
    for item in [filters] if isinstance(filters, str) else filters:
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
        raise ParameterError("filters is empty; name at least one filter")
    return labels


def _open(
    source: Any,
    target: str,
    nominal: Sequence[str] | None,
    exclude: Sequence[str],
    limit: int,
    n_jobs: int | None,
) -> _Run:
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
            f"{opened.name} has {len(columns)} feature(s) beside the target; a minimum of 2 is required"
        )
    columns.append(column_of(target, opened.types[target], nominal=True))
    workers = min(effective_n_jobs(n_jobs), len(opened.pieces))
    return _Run(opened, columns, Budget.of(limit, workers, len(columns)))


@dataclass(frozen=True)
class _Run:
    source: Source
    columns: list[Column]
    budget: Budget

    def _pieces(self, task: Callable[..., Any], *arguments: Any) -> Iterator[Any]:
        """What `task` finds in each piece, in whatever order the pieces are done."""
        parallel = Parallel(
            n_jobs=self.budget.workers, prefer="threads", return_as="generator_unordered"
        )
        found: Iterator[Any] = parallel(
            delayed(task)(piece, *arguments, self.budget.rows) for piece in self.source.pieces
        )
        return found

    def check_memory(self, bins: int, n_resamples: int) -> None:
        """Refuse a limit that cannot do, before anything is read: levels are not known yet."""
        names = [column.name for column in self.columns]
        self.budget.reading_groups(names, self.source)
        features = [Coding(each, bins if each.binned else 1) for each in self.columns[:-1]]
        self.budget.counting_groups(features, Coding(self.columns[-1], 2), n_resamples, self.source)

    def ranges_and_levels(self, bins: int, told: Callable[[int], None]) -> list[Coding]:
        """The first pass: codes of all columns, by bins of equal width and by levels."""
        groups = self.budget.reading_groups([column.name for column in self.columns], self.source)
        sketches = [Sketch(column) for column in self.columns]
        done = 0
        for group in groups:
            for n_rows, found in self._pieces(sketch_piece, self.columns[group]):
                for sketch, part in zip(sketches[group], found, strict=True):
                    sketch.add(part)
                done += n_rows
                told(done // len(groups))
        _check_sketches(sketches, self.source)
        return [sketch.coding(bins) for sketch in sketches]

    def quantiles(self, codings: list[Coding], told: Callable[[int], None]) -> list[Coding]:
        """The pass between: codes of numbers by bins of equal frequency."""
        binned = [j for j, coding in enumerate(codings) if coding.column.binned]
        names = [codings[j].column.name for j in binned]
        codings = list(codings)
        done = 0
        groups = self.budget.histogram_groups(names, self.source) if binned else []
        for group in groups:
            members = [codings[j] for j in binned[group]]
            histograms = np.zeros((len(members), FINE_PARTS), np.int64)
            for n_rows, part in self._pieces(histogram_piece, members):
                histograms += part
                done += n_rows
                told(self.source.n_rows + done // len(groups))
            for j, histogram in zip(binned[group], histograms, strict=True):
                codings[j] = frequency_coding(codings[j], histogram)
        return codings

    def scores(
        self,
        codings: list[Coding],
        labels: list[str],
        n_resamples: int,
        seed: int,
        told: Callable[[int], None],
        before: int,
    ) -> tuple[dict[str, NDArray[np.float64]], NDArray[np.uint64]]:
        """The last pass: score matrices by filter, and a digest of every column."""
        features, target = codings[:-1], codings[-1]
        groups = self.budget.counting_groups(features, target, n_resamples, self.source)
        matrices = {label: np.empty((n_resamples, len(features))) for label in labels}
        digests = np.empty(len(codings), np.uint64)
        key = poisson_key(seed)
        done = 0
        for group in groups:
            counted = features[group]
            counts, digest = empty_counts(counted, target, n_resamples)
            arguments = (counted, target, key, n_resamples)
            for n_rows, (part, part_digest) in self._pieces(count_piece, *arguments):
                counts += part
                digest += part_digest
                done += n_rows
                told(before + done // len(groups))
            cells = counted[0].n_codes * target.n_known
            check_poisson_totals(counts[:cells, :n_resamples].sum(axis=0))
            scores = count_scores(counts, counted, target.n_known, n_resamples)
            for label in labels:
                matrices[label][:, group] = scores[label]
            digests[:-1][group], digests[-1] = digest[:-1], digest[-1]
        return matrices, digests


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


def _check_two_classes(target: Coding, labels: list[str]) -> None:
    """Refuse the filter that knows two classes only where there are more."""
    if "value_difference_metric" in labels and target.n_known != 2:
        raise DataError(
            f"the filter 'value_difference_metric' is defined for two classes, the target "
            f"{target.column.name!r} has {target.n_known}; use a filter for several classes such as "
            "'symmetric_uncertainty'"
        )


def _data_record(run: _Run, codings: list[Coding], digests: NDArray[np.uint64]) -> dict[str, Any]:
    """What the data are; the hash is that of names, kinds, levels and digests of all columns."""
    identity = [
        [coding.column.name, int(coding.column.kind), list(map(str, coding.labels)), int(digest)]
        for coding, digest in zip(codings, digests, strict=True)
    ]
    target = codings[-1]
    return {
        "sha256": hashlib.sha256(json.dumps(identity).encode()).hexdigest(),
        "n_samples": run.source.n_rows,
        "n_features": len(codings) - 1,
        "target": target.column.name,
        "target_kind": "classes",
        "class_counts": dict(zip(map(str, target.labels), target.counts, strict=True)),
        "dropped_features": [],
    }

"""Filters: prepared once for a table, they score many resamples."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from importlib import import_module
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Booleans, Floats, Indices, Integers
from pyfsagg._base.registry import Registry, Spec
from pyfsagg._base.validation import check_integer, is_word
from pyfsagg._kernels import Codes
from pyfsagg._kernels.class_tables import EQUAL_WIDTH, CountedColumns, class_tables
from pyfsagg._kernels.entropy_scores import TOGETHER, score_binned
from pyfsagg._kernels.sparse import SortedPlaces, sparse_tables
from pyfsagg._message import NAN, Got, Param, Remedy
from pyfsagg._table.columns import Kind
from pyfsagg._table.groups import GroupedColumns
from pyfsagg._table.sparse import SparseTable
from pyfsagg._table.table import AnyTable, Table, Weights
from pyfsagg._table.target import Target
from pyfsagg.discretization import SortedColumns
from pyfsagg.exceptions import DataError, ParameterError


class Scorer(Protocol):
    """A filter bound to a table, which several threads may call at once.

    Called with the weights (b, n_samples) of a block of resamples and the labels (b or 1,
    n_samples; one row means the same labels for all), it returns one score matrix (b, n_features)
    for each of its `outputs`, larger = more important.  Row r of a result depends on row r of the
    weights and labels only.
    """

    @property
    def outputs(self) -> tuple[str, ...]: ...

    def __call__(self, weights: Weights, labels: Codes) -> dict[str, Floats]: ...


@dataclass(frozen=True, eq=False)
class StratifiedScorer:
    """A filter within strata: `parts` are rows and scorer of each; scores are averaged by the share of
    rows, and outputs in `adding` summed. Strata of one row add nothing."""

    parts: tuple[tuple[Indices, Scorer], ...]
    adding: set[str]
    n_features: int

    @property
    def outputs(self) -> tuple[str, ...]:
        return self.parts[0][1].outputs

    @property
    def releases_gil(self) -> bool:
        return all(getattr(scorer, "releases_gil", True) for _, scorer in self.parts)

    @property
    def together(self) -> int:
        return max(getattr(scorer, "together", 1) for _, scorer in self.parts)

    def __call__(self, weights: Weights, labels: Codes) -> dict[str, Floats]:
        found = {output: np.zeros((len(weights), self.n_features)) for output in self.outputs}
        sizes = weights.sum(axis=1, dtype=np.float64)
        for rows, scorer in self.parts:
            inside = weights[:, rows].sum(axis=1, dtype=np.float64)
            drawn = np.flatnonzero(inside > 1.0)
            if not drawn.size:
                continue
            own = labels[:, rows] if len(labels) == 1 else labels[np.ix_(drawn, rows)]
            share = (inside / sizes)[drawn, np.newaxis]
            for output, scores in scorer(weights[np.ix_(drawn, rows)], own).items():
                found[output][drawn] += scores if output in self.adding else share * scores
        return found


@dataclass(eq=False)
class BoundFilter:
    """Filters of one pass over a table: `outputs` maps their labels to outputs of the scorer, `grouped`
    columns are scored as the groups `names`, and `by_strata` within the strata of the adjusters."""

    prepare: Callable[..., Scorer]
    parameters: Mapping[str, Any]
    table: AnyTable
    target: Target
    outputs: dict[str, str] = field(default_factory=dict)
    grouped: GroupedColumns | None = None
    names: tuple[str, ...] = ()
    by_strata: bool = False
    adding: set[str] = field(default_factory=set)
    _scorer: Scorer | None = None

    def __post_init__(self) -> None:
        self.names = self.names or self.table.feature_names

    def scorer(self, table: AnyTable | None = None) -> Scorer:
        """The scorer of the table, prepared at the first call, or of another table."""
        if table is None and self._scorer is not None:
            return self._scorer
        prepare: Callable[..., Scorer] = partial(self.prepare, **self.parameters)
        own, adjusters = table or self.table, self.target.adjusters
        if self.by_strata and adjusters is not None:
            strata = (np.flatnonzero(adjusters.strata == s) for s in range(adjusters.n_strata))
            parts = []
            for rows in strata:
                if len(rows) > 1:
                    within = replace(self.target.take(rows), adjusters=None)
                    parts.append((rows, prepare(own.take_rows(rows), within)))
            scorer: Scorer = StratifiedScorer(tuple(parts), self.adding, own.n_features)
        else:
            scorer = prepare(own, self.target)
        if table is None:
            self._scorer = scorer
        return scorer

    def scores(self, weights: Weights, labels: Codes) -> dict[str, NDArray[np.float64]]:
        """Scores of the features (b, n_features) by label of the filter, one row per row of weights."""
        outputs = self.scorer()(weights, labels)
        scores = {label: outputs[output] for label, output in self.outputs.items()}
        if self.grouped is None:
            return scores
        return {label: self.grouped.reduce(columns) for label, columns in scores.items()}


@dataclass(frozen=True, eq=False)
class KernelScorer:
    """A compiled loop bound to a table: ``kernel(*arguments, labels, weights, scores)`` fills scores
    (outputs, b, n_features), efficiently for `together` resamples at once."""

    kernel: Callable[..., object]
    arguments: tuple[Any, ...]
    outputs: tuple[str, ...]
    n_features: int
    releases_gil: bool = True
    together: int = 1

    def __call__(self, weights: Weights, labels: Codes) -> dict[str, Floats]:
        # One type and memory layout, so the kernels are compiled once.
        weights = np.ascontiguousarray(weights, dtype=np.uint16)
        labels = np.ascontiguousarray(labels, dtype=np.int32)
        scores = np.empty((len(self.outputs), len(weights), self.n_features))
        self.kernel(*self.arguments, labels, weights, scores)
        return dict(zip(self.outputs, scores, strict=True))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle a loop of a module by name; numba would send the source, to be compiled by each worker."""
        arguments = [getattr(self, field.name) for field in fields(self)]
        function = getattr(self.kernel, "py_func", self.kernel)
        home, name = getattr(function, "__module__", ""), getattr(function, "__qualname__", "")
        if home == "__main__" or getattr(sys.modules.get(home), name, None) is not self.kernel:
            return type(self), tuple(arguments)
        return _with_named_kernel, (home, name, *arguments[1:])


def _with_named_kernel(home: str, name: str, *arguments: Any) -> KernelScorer:
    return KernelScorer(getattr(import_module(home), name), *arguments)


def always(_parameters: Mapping[str, Any]) -> bool:
    return True


def never(_parameters: Mapping[str, Any]) -> bool:
    return False


def no_bins(_parameters: Mapping[str, Any]) -> int:
    return 0


def ten_bins(parameters: Mapping[str, Any]) -> int:
    return int(parameters.get("bins", 10))


def as_given(
    parameters: Mapping[str, Any], _n_features: int, _largest: int | None
) -> dict[str, Any]:
    return dict(parameters)


@dataclass(frozen=True, kw_only=True)
class FilterSpec(Spec):
    """A registered filter.

    In formulas X is the feature, Y the target, n the number of rows, counted by their weights.

    `prepare(table, target, **parameters)` returns a :class:`Scorer`; filters that share one
    `prepare` (information gain, gain ratio, symmetric uncertainty) are computed in one pass, and
    `output` names which of the scorer's matrices is meant, by default that of the filter's name.
    `accepts_missing(parameters)` says whether features may have missing values;
    ``settle(parameters, n_features, largest)`` sets what the parameters leave open, where `largest` is
    the largest number of features that will be selected, or None; `targets` are the kinds of target that
    it can use, of ``"classes"``, ``"numeric"``, ``"survival"`` and ``"none"``; `sparse` says whether
    `prepare` also takes a sparse table; `counts_levels` whether all that matters of a nominal column is
    which rows share a level, so a group of columns can be read as one; ``width_bins(parameters)`` the
    number of bins of equal width into which it cuts numbers, 0 if it does not; `own_column` whether the
    score of a feature depends on its own column and the target only, and columns of one kind have the same
    scores by chance; `relevance` is the filter of that sort by which a criterion begins, with the same
    parameters but a depth: under any target some feature is chosen first, so p-values are those of the
    relevance; `two_classes` whether a target of classes must have two of them; `begins` whether it begins
    with the columns of the target that are always in.  `within` says what a filter does with the adjusters of
    the target: by ``"model"``, which holds them, or by ``"condition"`` on their levels, `prepare` reads them
    itself; otherwise it is asked within strata, and its scores are the ``"mean"`` over these, or their
    ``"sum"`` if they grow with the rows.
    """

    prepare: Callable[..., Scorer]
    output: str = ""
    accepts_missing: Callable[[Mapping[str, Any]], bool] = always
    settle: Callable[[Mapping[str, Any], int, int | None], dict[str, Any]] = as_given
    targets: tuple[str, ...] = ("classes",)
    sparse: bool = False
    counts_levels: bool = False
    width_bins: Callable[[Mapping[str, Any]], int] = no_bins
    own_column: bool = False
    relevance: str = ""
    two_classes: bool = False
    begins: bool = False
    within: str = "mean"

    @property
    def adjusts(self) -> str:
        """For which columns of :class:`pyfsagg.Task` scores are adjusted, and how."""
        return {
            "model": "numbers and levels, by a model",
            "mean": "levels, by strata",
            "sum": "levels, by strata (sum)",
            "condition": "levels, by conditional information",
        }[self.within]

    def __post_init__(self) -> None:
        object.__setattr__(self, "output", self.output or self.name)


FILTERS = Registry("filter", FilterSpec, group="pyfsagg.filters")

# The depth "auto": all of up to WIDE features; of a wider table at least LEAST, and TIMES as many as
# will be selected.
WIDE, LEAST, TIMES = 300, 100, 4


def read_depth(depth: object, n_features: int, largest: int | None = None) -> int:
    """Depth of a selection: a number (all, if larger than `n_features`), None or ``"all"``, or
    ``"auto"``, by `largest`, the largest number to select."""
    if depth is None or is_word(depth, "all"):
        return n_features
    if is_word(depth, "auto"):
        enough = max(LEAST, TIMES * (largest or 0))
        return n_features if n_features <= WIDE else min(n_features, enough)
    if isinstance(depth, str):
        message = " must be a whole number, 'all' or 'auto'"
        raise ParameterError(Param("n_features"), message, Got(depth))
    return min(check_integer("n_features", depth, low=1), n_features)


def begun_orders(b: int, given: int, n_selected: int) -> Integers:
    """Orders (b, given + n_selected) of selections that begin with the first `given` columns."""
    orders = np.full((b, given + n_selected), -1, dtype=np.int64)
    orders[:, :given] = np.arange(given)
    return orders


def settle_depth(
    parameters: Mapping[str, Any], n_features: int, largest: int | None
) -> dict[str, Any]:
    """The parameters of a filter with its depth, where the table is wide or the depth was given."""
    parameter = parameters.get("n_features", "auto")
    depth = read_depth(parameter, n_features, largest)
    if is_word(parameter, "auto") and n_features <= WIDE:
        return dict(parameters)
    return {**parameters, "n_features": depth if depth < n_features else "all"}


def require_order(table: Table, filters: str, other: str) -> None:
    """Codes of a nominal column with more than two levels have no order and no distances."""
    for j, levels in table.levels.items():
        if len(levels) > 2:
            raise DataError(
                f"column {table.feature_names[j]!r} is nominal with {len(levels)} levels, which "
                f"have no order for the filter {filters}; drop it, code it by indicator columns, "
                f"or use {other!r}"
            )


def require_ordered_complete(table: Table, *filters: str) -> None:
    """Refuse missing values and words with more than two levels, which have no order."""
    named = " or ".join(map(repr, filters))
    require_order(table, named, "information_gain")
    for j, name in enumerate(table.feature_names):
        if np.isnan(table.values[:, j]).any():
            raise DataError(
                f"column {name!r} has missing values (",
                NAN,
                f"), which the filter {named} does not define",
                Remedy("fill them in, drop the column, or use 'information_gain'"),
            )


def require_two_classes(
    target: Target, filters: str, others: str = "'symmetric_uncertainty'"
) -> None:
    if target.n_classes != 2:
        raise DataError(
            f"{filters} defined for two classes, and the target {target.name!r} has "
            f"{target.n_classes}; use one class against the rest, or for several classes {others}"
        )


MOST_BINS = 10_000

_FAR = 400
"""Smallest powers of two whose squares, summed over rows, may leave the range of floating point."""

_EXTREMES = 48
"""Rows kept at either end of a column: a bootstrap misses them all once in 10^20 times."""


def counted_columns(table: Table, binned: Booleans, n_bin_codes: int) -> CountedColumns:
    """Prepare `table`; columns where `binned` holds get up to `n_bin_codes` codes per resample."""
    n_samples, n_features = table.values.shape
    source = np.full(n_features, -1, dtype=np.int64)
    n_codes = np.full(n_features, n_bin_codes, dtype=np.int64)
    categorical = np.flatnonzero(~binned)
    source[categorical] = np.arange(categorical.size)
    categories = np.empty((categorical.size, n_samples), dtype=np.uint32)
    for j in categorical:
        categories[source[j]], n_codes[j] = category_codes(table.values[:, j])
    extremes = np.zeros((2, n_features, min(_EXTREMES, n_samples)), dtype=np.int32)
    for j in np.flatnonzero(binned):
        for side, column in enumerate((table.values[:, j], -table.values[:, j])):
            rows = np.argpartition(column, extremes.shape[2] - 1)[: extremes.shape[2]]
            extremes[side, j] = rows[np.argsort(column[rows], kind="stable")]  # missing ones last
    return CountedColumns(table.values.T, categories, source, n_codes, *extremes)


def category_codes(column: Floats) -> tuple[Codes, int]:
    """Codes of the distinct values in ascending order, missing last, and their number."""
    levels, codes = np.unique(column, return_inverse=True)
    return codes.astype(np.int32), len(levels)


def is_kind(table: AnyTable, *kinds: Kind) -> Booleans:
    """Which columns are of one of `kinds`."""
    return np.isin(table.kinds, np.array(kinds, dtype=np.int8))


def many_values(table: Table, bins: int) -> Booleans:
    """Numeric columns, and columns of whole numbers with more than `bins` distinct known values."""
    many = is_kind(table, Kind.NUMERIC)
    for j in np.flatnonzero(is_kind(table, Kind.INTEGER)).tolist():
        many[j] = len(table.value_counts(j)) > bins
    return many


@dataclass(frozen=True, eq=False)
class OrderedLevels:
    """Distinct values of column j, ascending, at ``start[j]:start[j + 1]``, and the positions of cells
    among them, `codes` (n_samples, n_features), -1 = missing."""

    codes: Codes
    values: Floats
    start: Integers


def within_range(values: Floats) -> Floats:
    """Columns (n_samples, n_features) scaled by a power of two if their squares would overflow or
    vanish, which changes no digit of a correlation."""
    largest = np.maximum(values.max(axis=0), -values.min(axis=0))
    exponents = np.frexp(largest)[1]
    odd = np.flatnonzero((np.abs(exponents) > _FAR) & (largest > 0) & np.isfinite(largest))
    if not odd.size:
        return values
    scaled = values.copy(order="F")
    scaled[:, odd] = np.ldexp(values[:, odd], -exponents[odd])
    return scaled


def ordered_levels(table: Table) -> OrderedLevels:
    """The distinct known values of every column of `table`."""
    codes = np.empty(table.values.shape, dtype=np.int32, order="F")
    values = []
    for j in range(table.n_features):
        column = table.values[:, j]
        missing = np.isnan(column)
        levels, known = np.unique(column[~missing], return_inverse=True)
        codes[missing, j], codes[~missing, j] = -1, known
        values.append(levels)
    start = np.concatenate([[0], np.cumsum([len(known) for known in values])]).astype(np.int64)
    return OrderedLevels(codes, np.concatenate(values), start)


def scaled_levels(table: Table) -> OrderedLevels:
    """The same, scaled by column, so their squares can be summed."""
    levels = ordered_levels(table)
    for start, stop in pairwise(levels.start):
        if stop > start:
            part = levels.values[start:stop, np.newaxis]
            levels.values[start:stop] = within_range(part)[:, 0]
    return levels


def sorted_places(table: SparseTable) -> SortedPlaces:
    """Sort the columns of `table`."""
    sizes = np.diff(table.start)
    with_zeros = np.flatnonzero(sizes < table.n_samples)
    column = np.concatenate((np.repeat(np.arange(table.n_features), sizes), with_zeros))
    values = np.concatenate((table.cells, np.zeros(with_zeros.size)))
    zero_rows = np.full(with_zeros.size, table.n_samples, dtype=np.int32)
    rows = np.concatenate((table.rows, zero_rows))
    order = np.lexsort((rows, values, column))
    column, values, rows = column[order], values[order], rows[order]
    start = np.searchsorted(column, np.arange(table.n_features + 1))
    missing = np.isnan(values)
    known = _sums(~missing, start)
    # A place opens a level unless the one before it, in the same column, has the same value.
    opens = np.ones(values.size, dtype=np.bool_)
    opens[1:] = (values[1:] != values[:-1]) & ~(missing[1:] & missing[:-1])
    opens[start[:-1]] = True
    levels = np.cumsum(opens) - 1
    levels -= np.repeat(levels[start[:-1]], np.diff(start))
    n_distinct = _sums(opens & ~missing, start)
    tied = (n_distinct < known) | (table.n_samples - sizes > 1)
    return SortedPlaces(
        start.astype(np.int64),
        rows,
        values,
        known,
        tied,
        levels.astype(np.uint32),
        _sums(opens, start),
    )


def _sums(flags: Booleans, start: Indices) -> Integers:
    """How many flags of each column are set."""
    return np.diff(np.concatenate(([0], np.cumsum(flags)))[start])


FEW_ROWS = 4096
"""Rows up to which several resamples, counted in one pass over sorted columns, stay in the cache."""


def _tables_of_few_rows(
    statistic: int,
    ordered: SortedColumns,
    values: Floats,
    bins: int,
    others: Indices,
    counted: CountedColumns,
    n_classes: int,
    labels: Codes,
    weights: Weights,
    scores: Floats,
) -> None:
    """Write the `scores` of sorted columns, which are cut, and of the `others`, counted by value."""
    order = (ordered.order, ordered.n_known, ordered.row_bits, values, ordered.columns)
    score_binned(statistic, EQUAL_WIDTH, bins, *order, n_classes, 0, labels, weights, scores)
    if len(others):
        part = np.empty((*scores.shape[:2], len(others)))
        class_tables(statistic, counted, bins, n_classes, labels, weights, part)
        scores[:, :, others] = part


def table_scorer(
    table: AnyTable,
    statistic: int,
    outputs: tuple[str, ...],
    n_classes: int,
    binned: Booleans,
    bins: int,
) -> KernelScorer:
    """A statistic of codes by class, bitwise equal for dense and sparse tables; `binned` columns are
    cut into `bins` of equal width in each resample."""
    if not isinstance(table, SparseTable):
        if table.n_samples > FEW_ROWS or not binned.any():
            dense = (statistic, counted_columns(table, binned, bins + 1), bins, n_classes)
            return KernelScorer(class_tables, dense, outputs, table.n_features)
        ordered, others = (
            SortedColumns.of(table.values, np.flatnonzero(binned)),
            np.flatnonzero(~binned),
        )
        counted = counted_columns(table.take(others), binned[others], bins + 1)
        few = (statistic, ordered, ordered.rising(table.values), bins, others, counted, n_classes)
        return KernelScorer(_tables_of_few_rows, few, outputs, table.n_features, together=TOGETHER)
    columns = (sorted_places(table), np.arange(table.n_features), binned)
    sparse = (statistic, EQUAL_WIDTH, bins, *columns, n_classes, 0)
    return KernelScorer(sparse_tables, sparse, outputs, table.n_features)

"""Tables as numbers for learners: coded columns, and estimators that know groups and nominal features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import make_pipeline

from pyfsagg._base.arithmetic import Booleans, Floats, Indices
from pyfsagg._base.memory import require_memory
from pyfsagg._base.validation import as_array, got_short
from pyfsagg._message import Remedy, Use
from pyfsagg._table.columns import Kind
from pyfsagg._table.groups import FeatureGroups
from pyfsagg._table.table import Table
from pyfsagg.exceptions import DataError, ParameterError


@dataclass(frozen=True, eq=False)
class FeatureCoding:
    """Numeric `values` (n_samples, n_coded) of features, NaN = missing, with the `column` and `feature` of
    each (-1: always in, these are first); groups take the `mean` or the largest importance."""

    values: Floats
    column: Indices
    feature: Indices
    is_level: Booleans
    mean: bool

    @property
    def n_features(self) -> int:
        return int(self.feature[-1]) + 1

    @property
    def as_they_are(self) -> bool:
        """Whether every feature is one column of numbers."""
        return len(self.feature) == self.n_features and not self.is_level.any()

    def shown(self, features: Indices, cells: Floats) -> Indices:
        """Positions of the columns of features in ascending order, of levels those that occur in `cells`."""
        visible = ~self.is_level | cells.any(axis=0)
        return np.flatnonzero((np.isin(self.feature, features) | (self.feature < 0)) & visible)

    def by_feature(self, importances: Floats, columns: Indices) -> Floats:
        """Importances of features: levels of a column are summed, of columns the largest or the mean."""
        ranked = self.feature[columns] >= 0
        importances, columns = importances[ranked], columns[ranked]
        first = _firsts(self.column[columns])
        by_column: Floats = np.add.reduceat(importances, first)
        start = _firsts(self.feature[columns[first]])
        if not self.mean:
            return np.asarray(np.maximum.reduceat(by_column, start))
        return np.asarray(np.add.reduceat(by_column, start) / np.diff([*start, len(by_column)]))


def _firsts(sorted_ids: Indices) -> Indices:
    return np.flatnonzero(np.diff(sorted_ids, prepend=-1))


def code_features(
    table: Table, groups: FeatureGroups | None, always: Table | None = None
) -> FeatureCoding:
    """Numeric columns for the features or groups of a table; missing is a level of a nominal column."""
    if always is not None:
        first, rest = code_features(always, None), code_features(table, groups)
        return FeatureCoding(
            np.ascontiguousarray(np.hstack([first.values, rest.values])),
            np.concatenate([first.column, always.n_features + rest.column]),
            np.concatenate([np.full_like(first.feature, -1), rest.feature]),
            np.concatenate([first.is_level, rest.is_level]),
            rest.mean,
        )
    read, order = table, np.arange(table.n_features)
    feature, mean = order, False
    if groups is not None:
        grouped = groups.read(table, counts_levels=True)
        assert isinstance(grouped.table, Table)
        read, order, mean = grouped.table, grouped.order, grouped.by == "mean"
        feature = np.repeat(np.arange(len(groups)), np.diff([*grouped.start, len(order)]))
    nominal = read.kinds[order] == Kind.NOMINAL
    positions = np.arange(len(order))
    if not nominal.any():
        values = np.ascontiguousarray(read.values[:, order])
        return FeatureCoding(values, positions, feature, nominal, mean)
    codes = [
        np.unique(read.column(int(j))) if is_nominal else np.zeros(1)
        for j, is_nominal in zip(order, nominal, strict=True)
    ]
    sizes = [len(levels) for levels in codes]
    require_memory(
        8.0 * table.n_samples * sum(sizes),
        f"a table of {sum(sizes):,} columns, one per level of nominal features, for {table.n_samples:,} "
        "samples",
        "leave out columns of many levels, such as names, or rank by filters, which read levels as they are",
    )
    parts = [
        _levels(read.column(int(j)), levels) if is_nominal else read.column(int(j))[:, None]
        for j, levels, is_nominal in zip(order, codes, nominal, strict=True)
    ]
    return FeatureCoding(
        np.ascontiguousarray(np.hstack(parts)),
        np.repeat(positions, sizes),
        np.repeat(feature, sizes),
        np.repeat(nominal, sizes),
        mean,
    )


def _levels(cells: Floats, codes: Floats) -> Floats:
    """A column for each code, of which NaN may be one."""
    same = cells[:, None] == codes
    return np.where(np.isnan(codes), np.isnan(cells)[:, None], same).astype(np.float64)


class FeatureColumns(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Maps the cells of a selector's table, addresses (feature times rows plus row), to coded columns."""

    def __init__(self, cells: Floats, coding: FeatureCoding) -> None:
        self.cells = cells
        self.coding = coding

    def __sklearn_clone__(self) -> FeatureColumns:
        return FeatureColumns(self.cells, self.coding)  # a table that nobody changes needs no copy

    def fit(self, X: Floats, y: Any = None) -> Self:
        features, rows = np.divmod(X.astype(np.intp), len(self.cells))
        self.columns_ = self.coding.shown(features[0], self.cells[rows[:, 0]])
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Floats) -> Floats:
        rows = X[:, 0].astype(np.intp) % len(self.cells)
        return self.cells[np.ix_(rows, self.columns_)]


def addressed(
    model: Any, coding: FeatureCoding, known: Floats, unseen: Floats
) -> tuple[Any, Floats, Floats]:
    """A learner behind :class:`FeatureColumns`, and the addresses of the rows that train and that test."""
    cells = np.vstack([known, unseen])
    n, p = len(cells), coding.n_features
    places = np.arange(p, dtype=np.float64) * n + np.arange(n, dtype=np.float64)[:, None]
    model = make_pipeline(FeatureColumns(cells, coding), model)
    return model, places[: len(known)], places[len(known) :]


class FunctionLearner(BaseEstimator):  # type: ignore[misc]
    """A function of table and target that returns importances; `labels` are those of the classes."""

    def __init__(
        self, function: Callable[[Any, Any], Any], labels: NDArray[Any] | None = None
    ) -> None:
        self.function = function
        self.labels = labels

    def fit(self, X: Floats, y: Any) -> Self:
        target = y if self.labels is None else self.labels[y]
        importances = as_array("importances", self.function(X, target), np.float64)
        if importances.shape != (X.shape[1],) or not np.isfinite(importances).all():
            must = f"must return one finite number per column, {X.shape[1]} in all"
            raise DataError(f"a learner that is a function {must}", got_short(importances.tolist()))
        self.feature_importances_ = importances
        return self

    def __repr__(self) -> str:
        return f"the function {getattr(self.function, '__name__', type(self.function).__name__)}"


@dataclass(frozen=True)
class Importance:
    """Sizes of coefficients or importances of a learner; over classes their `order`-norm (1 or 2)."""

    name: str
    order: int

    def __call__(self, fitted: Any) -> NDArray[Any]:
        columns, last = None, fitted
        while getattr(last, "steps", None):
            first = last.steps[0][1]
            columns = first if isinstance(first, FeatureColumns) else columns
            last = last.steps[-1][1]
        found = [a for a in ("coef_", "feature_importances_") if hasattr(last, a)]
        if not found:
            raise ParameterError(
                f"the learner {self.name!r} ({type(last).__name__}) has neither coefficients nor importances",
                Remedy("select with ", Use("LearnerSelection", by="sequential")),
            )
        values = np.asarray(getattr(last, found[0]))
        if columns is None:
            return values
        sizes = np.abs(values) if values.ndim == 1 else np.linalg.norm(values, self.order, axis=0)
        if len(sizes) != len(columns.columns_):
            raise ParameterError(
                f"the learner {self.name!r} has {len(sizes)} importances for "
                f"{len(columns.columns_)} columns, so those of a group or a nominal feature are not "
                "known; leave out of its pipeline what changes columns"
            )
        return columns.coding.by_feature(sizes, columns.columns_)

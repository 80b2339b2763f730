"""The boundary of the stability measures: scores, ranks and selections in their common forms."""

import numbers
from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from pyfsagg._base import memory, validation
from pyfsagg._base.arithmetic import Booleans, Floats
from pyfsagg._message import Message, Param, Remedy, Use, named
from pyfsagg._table.frames import pandas_frame
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.ranks import Rankings, rank_scores
from pyfsagg.ranks.ranking import GROUPS

INPUTS = ("auto", "scores", "ranks", "sets")
MOST_COLUMNS = 100_000  # numbers of features up to which every position has a column


@dataclass(frozen=True, eq=False)
class Matrix:
    """Scores of m resamples (larger = more important), or ranks turned into such scores."""

    values: Floats
    feature_names: tuple[str, ...]
    kind: str


@dataclass(frozen=True, eq=False)
class SelectedSets:
    """Selected features of m resamples: `support` (m, c), with `labels` of columns; with ties at the
    cut `shares` of their orders that select a feature, and in `support` those that all orders select."""

    support: Booleans
    n_features: int | None
    labels: tuple[Hashable, ...]
    shares: Floats | None = None

    @property
    def p(self) -> int:
        """The number of features, for a measure that needs it."""
        if self.n_features is None:
            raise ParameterError(
                "this measure depends on the number of features to choose from, which sets alone do ",
                "not give",
                Remedy("pass ", Param("n_features")),
            )
        return self.n_features

    @property
    def membership(self) -> Floats:
        """The expected membership of each feature, shape (m, c): 0 or 1 but for ties."""
        return self.support.astype(np.float64) if self.shares is None else self.shares

    @property
    def sizes(self) -> Floats:
        """How many features each resample selects, shape (m,)."""
        if self.shares is None:
            return np.asarray(self.support.sum(axis=1, dtype=np.float64))
        return np.asarray(np.rint(self.shares.sum(axis=1)))

    @property
    def tie_squares(self) -> Floats | None:
        """What ties add to the expected sum of squared counts of each resample, since probability w has
        the square w, not w^2; None without ties."""
        if self.shares is None:
            return None
        return np.asarray((self.shares * (1.0 - self.shares)).sum(axis=1))

    @property
    def n_tied(self) -> int:
        """Resamples in which ties at the edge decide."""
        if self.shares is None:
            return 0
        return int(((self.shares > 0) & (self.shares < 1)).any(axis=1).sum())


def read_matrix(
    data: Any,
    *,
    feature_names: Sequence[str] | None = None,
    kind: str = "auto",
    name: str = "data",
    per_feature: bool = False,
) -> Matrix:
    """Read a score or rank matrix (m, p), or rankings of all features; ranks become scores p + 1 - rank.
    With `per_feature` one resample suffices, and cells may be NaN."""
    validation.check_choice("input", kind, INPUTS)
    listed = list(data.values()) if isinstance(data, Mapping) else data
    if isinstance(listed, (list, tuple)) and any(map(_has_names, listed)):
        data = Rankings.of(data, name=name)
    data, read_as, _ = as_plain(data, kind, None)
    if read_as == "sets" != kind:
        raise DataError(
            named(name),
            " have lists that are cut off, or sets, which do not order all features; this takes scores or ",
            "ranks of all of them",
        )
    kind, data = read_as, pandas_frame(data)
    if isinstance(data, pd.DataFrame) and feature_names is None:
        feature_names = [str(column) for column in data.columns]
    data = validation.real_array(name, data)
    try:
        values = validation.one_nan(np.ascontiguousarray(data, dtype=np.float64))
    except (TypeError, ValueError, OverflowError) as error:
        raise InputTypeError(named(name), f" is not a matrix of numbers: {error}") from None
    if values.ndim != 2:
        raise DataError(
            named(name),
            f" must have two dimensions (resamples by features), got shape {values.shape}",
        )
    if 0 in values.shape:
        raise DataError(named(name), f" has no resamples or no features (shape {values.shape})")
    names = _column_names(feature_names, values.shape[1])
    if not per_feature:
        check_rows(values.shape[0], name)
    _check_cells(values, names, name, per_feature)
    p = values.shape[1]
    if (
        kind == "auto"
    ):  # every row is a ranking of 1..p with average ties, and the first not all tied
        varies = p > 1 and values.min() >= 1 and values.max() <= p and np.ptp(values[0]) > 0
        ranked = varies and np.array_equal(values, rank_scores(values, higher_is_better=False))
        kind = "ranks" if ranked else "scores"
    if kind == "ranks":
        if np.nanmin(values) < 1 or np.nanmax(values) > p:
            raise DataError(
                named(name),
                f" was read as ranks, which go from 1 (most important) to {p}, but contains values ",
                f"from {np.nanmin(values):g} to {np.nanmax(values):g}",
                Remedy("pass ", Use(input="scores"), " if they are scores"),
            )
        values = p + 1 - values
    return Matrix(values, names, kind)


def _check_cells(values: Floats, names: tuple[str, ...], name: str, missing: bool) -> None:
    refused = np.isinf(values) if missing else ~np.isfinite(values)
    if refused.any():
        row, column = np.argwhere(refused)[0]
        raise DataError(
            named(name),
            f" has the value {values[row, column]} in row {row + 1}, column {column + 1}; stability ",
            "needs finite numbers: give missing scores a value, or drop the resample",
        )
    seen = ~np.isnan(values)
    rows, columns = seen.any(axis=1), seen.any(axis=0)
    if not rows.all():
        row = int(np.argmin(rows))
        raise DataError(named(name), f" has no score in row {row + 1}", Remedy("drop the resample"))
    if not columns.all():
        unseen = names[int(np.argmin(columns))]
        raise DataError(
            named(name), f" has no score for {unseen!r} in any row", Remedy("drop the feature")
        )


def _column_names(names: Sequence[str] | None, n_columns: int) -> tuple[str, ...]:
    if names is None:
        return _numbered(n_columns)
    names = validation.check_list("feature_names", names)
    if len(names) != n_columns:
        raise ParameterError(
            Param("feature_names"), f" has {len(names)} names for {n_columns} features"
        )
    labels = tuple(map(str, names))
    if len(set(labels)) != n_columns:
        raise DataError(
            Param("feature_names"), " contains a name twice; every feature needs a different name"
        )
    return labels


@lru_cache(maxsize=4)
def _numbered(n_columns: int) -> tuple[str, ...]:
    return tuple(f"x{j}" for j in range(n_columns))


def check_rows(n_rows: int, name: str = "data") -> None:
    """Refuse fewer than two resamples."""
    if n_rows < 2:
        raise DataError(
            named(name),
            f" has {n_rows} resample(s); stability compares resamples, so it needs at least 2",
        )


def check_several(n_features: int) -> None:
    """Refuse to compare the rankings of a single feature."""
    if n_features < 2:
        raise DataError(
            "a single feature has one ranking only, so no agreement of rankings is defined; it takes "
            "at least 2 features"
        )


def read_collection(
    data: Any,
    *,
    kind: str,
    compares: str,
    n_features: int | None,
    feature_names: Sequence[str] | None,
    per_feature: bool = False,
    least: int = 2,
) -> Matrix | SelectedSets:
    """Read what the caller handed over as a :class:`Matrix` or a :class:`SelectedSets`."""
    if isinstance(data, SelectedSets):
        return data
    if n_features is not None:
        n_features = validation.check_integer("n_features", n_features, low=1)
    validation.check_choice("input", kind, INPUTS)
    data, kind, n_features = as_plain(data, kind, n_features)
    data = pandas_frame(data)
    if kind == "sets" or (kind == "auto" and _looks_like_sets(data, compares)):
        sets = _read_sets(data, n_features, feature_names, per_feature)
        if len(sets.support) < least:
            check_rows(len(sets.support))
        return sets
    matrix = read_matrix(data, feature_names=feature_names, kind=kind, per_feature=per_feature)
    if n_features is not None and n_features != matrix.values.shape[1]:
        raise _other_size(n_features, f"the matrix has {matrix.values.shape[1]} columns")
    return matrix


def _other_size(n_features: int | None, *but: object) -> ParameterError:
    return ParameterError(Param("n_features"), f" is {n_features}, but ", *but)


def as_plain(data: Any, kind: str, n_features: int | None) -> tuple[Any, str, int | None]:
    """Rankings, those of a result, or a dict of lists as a table or lists of features, what these are, and
    the number of features; anything else as it is.

    Lists that are cut off, and sets, are selections; a score or rank that is unknown is NaN.
    """
    rankings = Rankings._held_by(data)
    if rankings is None:
        return (list(data.values()) if isinstance(data, Mapping) else data), kind, n_features
    if rankings.weights is not None:
        raise DataError(
            "these rankings have weights, and stability counts each of them once",
            Remedy("take them without: rankings.weighted(None)"),
        )
    items, p, largest = list(rankings.items), rankings.n_items, rankings._largest_universe
    cut_off = rankings.absent == "worst" and (largest > p or bool(rankings.missing.any()))
    if not cut_off and rankings.scores is not None:
        return pd.DataFrame(rankings.scores, columns=items), "scores", n_features
    if not cut_off and not rankings.unranked.all():
        ranks = rank_scores(rankings.ranks, higher_is_better=False)
        return pd.DataFrame(ranks, columns=items), "ranks", n_features
    if rankings.universe is not None and largest == p:
        return pd.DataFrame(~rankings.missing, columns=items), "sets", n_features
    if rankings.universe is not None:
        if n_features not in (None, largest):
            raise _other_size(n_features, f"the universe of the rankings is {largest}")
        n_features = largest
    orders = np.argsort(rankings.ranks, axis=1, kind="stable")
    lists = [
        [items[j] for j in order[:k]]
        for order, k in zip(orders.tolist(), rankings.depth, strict=True)
    ]
    return lists, "sets", n_features


def _has_names(row: Any) -> bool:
    """Whether a row of a collection names its features, best first or as a set."""
    return isinstance(row, (set, frozenset)) or (
        isinstance(row, GROUPS) and any(isinstance(item, (str, tuple)) for item in row)
    )


def _looks_like_sets(data: Any, compares: str) -> bool:
    if isinstance(data, (np.ndarray, pd.DataFrame)):
        array = validation.as_array("data", data)
        if array.dtype == bool:
            return True
        return (
            compares == "sets" and array.dtype.kind in "iuf" and bool(np.isin(array, (0, 1)).all())
        )
    if isinstance(data, (str, bytes)) or not isinstance(data, Iterable):
        raise InputTypeError(
            Param("data"), f" must be a matrix or a list of feature sets, got {type(data).__name__}"
        )
    rows = list(data)
    if any(isinstance(row, (AbstractSet, str)) for row in rows):
        return True
    items = [item for row in rows if isinstance(row, Iterable) for item in row]
    if any(isinstance(item, str) for item in items):
        return True
    return compares == "sets" and all(
        isinstance(item, (numbers.Integral, np.bool_)) for item in items
    )


def _read_sets(
    data: Any, n_features: int | None, feature_names: Sequence[str] | None, per_feature: bool
) -> SelectedSets:
    if not isinstance(data, (np.ndarray, pd.DataFrame)):
        rows = list(data)
        lists = all(isinstance(row, (list, tuple, np.ndarray)) and len(row) for row in rows)
        if (
            not lists
            or len({len(row) for row in rows}) != 1
            or not all(isinstance(item, (bool, np.bool_)) for row in rows for item in row)
        ):
            return _read_lists(rows, n_features, feature_names, per_feature)
        data = np.asarray(rows)
    if isinstance(data, pd.DataFrame) and feature_names is None:
        feature_names = [str(column) for column in data.columns]
    array = validation.as_array("data", data)
    if (
        array.ndim != 2
        or array.dtype.kind not in "biuf"
        or (array.dtype.kind != "b" and not np.isin(array, (0, 1)).all())
    ):
        raise DataError(
            "a matrix of selections must have two dimensions (resamples by features) and contain "
            f"booleans or 0/1 only, got shape {array.shape} of type {array.dtype}"
        )
    p = array.shape[1]
    if n_features is not None and n_features != p:
        raise _other_size(n_features, f"the selection matrix has {p} columns")
    return SelectedSets(array.astype(bool), p, _column_names(feature_names, p))


def _read_lists(
    rows: list[Any], n_features: int | None, feature_names: Sequence[str] | None, per_feature: bool
) -> SelectedSets:
    """Lists of names or zero-based positions."""
    selected = [_read_list(number, row) for number, row in enumerate(rows, 1)]
    labels: list[Hashable]
    if feature_names is not None:
        feature_names = validation.check_list("feature_names", feature_names)
        names = _column_names(feature_names, len(feature_names))
        if n_features is not None and n_features != len(names):
            raise _other_size(n_features, Param("feature_names"), f" has {len(names)}")
        n_features = len(names)
        labels = list(names)
    elif n_features is not None and all(
        isinstance(item, numbers.Integral) for row in selected for item in row
    ):
        labels = _positions(selected, n_features, per_feature)
    else:
        labels = list(dict.fromkeys(item for row in selected for item in row))
        if n_features is not None and len(labels) > n_features:
            raise _other_size(n_features, f"the sets contain {len(labels)} different features")
    what = f"{len(selected):,} sets of {len(labels):,} features"
    memory.require_memory(len(selected) * len(labels), what, "take fewer sets")
    support = np.zeros((len(selected), len(labels)), dtype=bool)
    column: dict[Hashable, int] = {label: j for j, label in enumerate(labels)}
    if feature_names is not None:  # features may be given by position, too
        column = {j: j for j in range(len(labels))} | column
    for i, row in enumerate(selected):
        try:
            support[i, [column[item] for item in row]] = True
        except KeyError as error:
            allowed = f"a position from 0 to {len(labels) - 1}"
            allowed = allowed if feature_names is None else "in feature_names"
            what = f"set {i + 1} contains {error.args[0]!r}, which is not {allowed}"
            raise DataError(what) from None
    return SelectedSets(support, n_features, tuple(labels))


def _positions(
    selected: list[list[Hashable]], n_features: int, per_feature: bool
) -> list[Hashable]:
    """The positions that have a column: all, or of very many only those that a set holds."""
    if n_features <= MOST_COLUMNS:
        return list(range(n_features))
    if per_feature:
        memory.require_memory(
            (150 + len(selected)) * n_features,
            f"a table of {n_features:,} features",
            Message("leave out ", Param("n_features"), ", and only selected features have a row"),
        )
        return list(range(n_features))
    used = dict.fromkeys(item for row in selected for item in row)
    strange = [item for item in used if not (isinstance(item, int) and 0 <= item < n_features)]
    if strange:
        raise DataError(
            f"a set contains {strange[0]!r}, which is not a position from 0 to {n_features - 1}"
        )
    return list(used)


def _read_list(number: int, row: Any) -> list[Hashable]:
    if isinstance(row, (str, bytes)) or not isinstance(row, Iterable):
        raise InputTypeError(
            f"set {number} must be a list or set of features, got {type(row).__name__}"
        )
    items = list(row)
    if not {*map(type, items)} <= {str, int}:  # what R and most people give needs no look at each
        items = [item.item() if isinstance(item, np.generic) else item for item in items]
        for item in items:
            if not isinstance(item, (str, numbers.Integral)) or isinstance(item, bool):
                raise InputTypeError(
                    f"set {number} contains {item!r}; features are given by name or by position"
                )
    if len(set(items)) != len(items):
        raise DataError(f"set {number} names a feature twice")
    return items

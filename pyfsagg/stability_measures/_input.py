"""What the stability measures compare: scores or ranks of all features, or selections."""

import numbers
from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from pyfsagg._base import memory, validation
from pyfsagg._base.arithmetic import Booleans, Floats
from pyfsagg._message import Message, Param, Remedy, Use, named
from pyfsagg._table.frames import pandas_frame
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.ranks import Rankings, rank_scores, ranking

INPUTS = ("auto", "scores", "ranks", "sets")
R = TypeVar("R", bound="Matrix | SelectedSets")
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
    cut `shares` of their orders that select a feature, and in `support` those that all orders select.
    `lists` are the names of each, if they came as lists."""

    support: Booleans
    n_features: int | None
    labels: tuple[Hashable, ...]
    shares: Floats | None = None
    lists: Sequence[Sequence[str]] = ()

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


def read_collection(
    data: Any,
    *,
    kind: str = "auto",
    compares: str = "sets",
    n_features: int | None = None,
    feature_names: Sequence[str] | None = None,
    per_feature: bool = False,
    least: int = 2,
    name: str = "data",
) -> Matrix | SelectedSets:
    """What the caller handed over, for a measure that compares sets, ranks or scores.

    Lists and sets of names or positions are selections, and so is a table of truth values, or of 0/1
    where sets are compared; anything else is read as :meth:`Rankings.of` does.  With `per_feature` all
    features have a column, and cells may be NaN.
    """
    if isinstance(data, (Matrix, SelectedSets)):
        return data
    validation.check_choice("input", kind, INPUTS)
    if n_features is not None:
        n_features = validation.check_integer("n_features", n_features, low=1)
    data = _plain(data)
    if not hasattr(data, "_rankings") and kind in ("auto", "sets"):
        if isinstance(data, list) and _are_lists(data, kind, compares):
            return _check_rows(_of_lists(data, n_features, feature_names, per_feature), least, name)
        table = isinstance(data, (list, np.ndarray, pd.DataFrame))
        if table and (kind == "sets" or _are_selections(data, compares)):
            return _check_rows(_of_table(data, n_features, feature_names), least, name)
    read = _of_rankings(data, kind, n_features, feature_names, per_feature, name)
    if isinstance(read, SelectedSets) and kind in ("scores", "ranks"):
        raise _not_all_ordered(name)
    return _check_rows(read, 1 if per_feature else least, name)


def read_matrix(
    data: Any,
    *,
    feature_names: Sequence[str] | None = None,
    kind: str = "auto",
    name: str = "data",
    per_feature: bool = False,
) -> Matrix:
    """A score or rank matrix (m, p), or rankings of all features; ranks become scores p + 1 - rank.
    With `per_feature` one resample suffices, and cells may be NaN."""
    if isinstance(data, Matrix):
        return data
    validation.check_choice("input", kind, INPUTS)
    read = _of_rankings(_plain(data), kind, None, feature_names, per_feature, name)
    if isinstance(read, SelectedSets):
        raise _not_all_ordered(name)
    _check_rows(read, 1 if per_feature else 2, name)
    return read


def names_in(data: Any) -> tuple[str, ...] | None:
    """The names of the features that data bring along, if they have a column for each."""
    rankings = Rankings._held_by(data)
    if rankings is None:
        columns = getattr(pandas_frame(data), "columns", None)
        return None if columns is None else tuple(map(str, columns))
    return (
        None
        if _are_cut_off(rankings) and _universe(rankings) != rankings.n_items
        else rankings.items
    )


def _plain(data: Any) -> Any:
    """A frame of pandas, a list of the lists in a dict or in another iterable, or what `data` are."""
    data = pandas_frame(data)
    if isinstance(data, Mapping):
        return list(data.values())
    table = isinstance(data, (np.ndarray, pd.DataFrame)) or hasattr(data, "_rankings")
    if table or isinstance(data, (str, bytes)) or not isinstance(data, Iterable):
        return data
    return list(data)


def _are_lists(rows: list[Any], kind: str, compares: str) -> bool:
    """Whether rows name what they select, by names or, where sets are compared, by positions."""
    if any(isinstance(row, (AbstractSet, str)) for row in rows):
        return True
    types = _types_in(rows)
    if any(issubclass(one, str) for one in types):
        return True
    if types and types <= {bool, np.bool_}:
        return False
    of_sets = "sets" in (kind, compares)
    return of_sets and all(issubclass(one, numbers.Integral) for one in types)


def _types_in(rows: list[Any]) -> set[type]:
    lists = (row for row in rows if isinstance(row, Iterable) and not isinstance(row, str))
    return set[type]().union(*(map(type, row) for row in lists))


def _are_selections(data: Any, compares: str) -> bool:
    array = validation.as_array("data", data)
    numbers_of_sets = compares == "sets" and array.dtype.kind in "iuf"
    return array.dtype.kind == "b" or (numbers_of_sets and _is_binary(array))


def _is_binary(array: Any) -> bool:
    return bool(((array == 0) | (array == 1)).all())


def _of_table(
    data: Any, n_features: int | None, feature_names: Sequence[str] | None
) -> SelectedSets:
    """A table of selections, resamples by features."""
    columns = names_in(data)
    array = validation.as_array("data", data)
    if array.ndim != 2 or array.dtype.kind not in "biuf" or not _is_binary(array):
        raise DataError(
            "a matrix of selections must have two dimensions (resamples by features) and contain "
            f"booleans or 0/1 only, got shape {array.shape} of type {array.dtype}"
        )
    p = array.shape[1]
    _check_size(n_features, p, f"the selection matrix has {p} columns")
    names = columns if feature_names is None else _checked_names(feature_names, p)
    return SelectedSets(array.astype(bool), p, names or tuple(f"x{j}" for j in range(p)))


def _of_lists(
    rows: list[Any], n_features: int | None, names: Sequence[str] | None, per_feature: bool
) -> SelectedSets:
    """Lists or sets of names, or of zero-based positions."""
    types = _types_in(rows)
    allowed_types = (str, tuple, numbers.Integral)
    strange = [one for one in types if issubclass(one, bool) or not issubclass(one, allowed_types)]
    if strange:
        raise InputTypeError(
            f"a set contains a value of type {strange[0].__name__}; features are given by name or by "
            "position"
        )
    positions = names is None and all(issubclass(one, numbers.Integral) for one in types)
    if names is not None:
        names = _checked_names(names, None)
        _check_size(n_features, len(names), Param("feature_names"), f" has {len(names)}")
        n_features = len(names)
        of_position = dict(enumerate(names))
        rows = [
            row if isinstance(row, str) else type(row)(of_position.get(item, item) for item in row)
            for row in rows
        ]
    items, _, ranked = ranking.read_names(rows, selections=True)
    columns = items if names is None else tuple(names)
    if positions and n_features is not None:
        allowed = f"a position from 0 to {n_features - 1}"
        _refuse_others([item for item in items if not 0 <= int(item) < n_features], allowed)
        if n_features <= MOST_COLUMNS or per_feature:
            what = f"a table of {n_features:,} features"
            remedy = Message(
                "leave out ", Param("n_features"), ", and only selected features have a row"
            )
            memory.require_memory((150 + len(rows)) * n_features, what, remedy)
            columns = tuple(map(str, range(n_features)))
    elif n_features is not None and len(columns) > n_features:
        raise _other_size(n_features, f"the sets contain {len(columns)} different features")
    at = {item: j for j, item in enumerate(columns)}
    _refuse_others([item for item in items if item not in at], "in feature_names")
    what = f"{len(rows):,} sets of {len(columns):,} features"
    memory.require_memory(len(rows) * len(columns), what, "take fewer sets")
    support = np.zeros((len(rows), len(columns)), dtype=bool)
    for i, one in enumerate(ranked):
        support[i, [at[item] for item in one]] = True
    labels = tuple(map(int, columns)) if positions else columns
    return SelectedSets(support, n_features, labels, lists=[list(one) for one in ranked])


def _refuse_others(items: list[str], allowed: str) -> None:
    if items:
        raise DataError(f"a set contains {items[0]!r}, which is not {allowed}")


def _of_rankings(
    data: Any,
    kind: str,
    n_features: int | None,
    feature_names: Sequence[str] | None,
    per_feature: bool,
    name: str,
) -> Matrix | SelectedSets:
    """Rankings of all features as scores or ranks, others as selections."""
    held = Rankings._held_by(data)
    rankings = Rankings.of(data, name=name) if held is None else held
    if rankings.weights is not None:
        raise DataError(
            "these rankings have weights, and stability counts each of them once",
            Remedy("take them without: rankings.weighted(None)"),
        )
    items, p = rankings.items, rankings.n_items
    if feature_names is not None:
        items = _checked_names(feature_names, p)
    universe = _universe(rankings)
    if _are_cut_off(rankings):
        lists: Sequence[Sequence[str]] = ()
        if universe == p:
            _check_size(n_features, p, f"the selection matrix has {p} columns")
        else:
            lists = rankings._in_order()
            if universe is not None:
                _check_size(n_features, universe, f"the universe of the rankings is {universe}")
        return SelectedSets(~rankings.missing, universe or n_features, items, lists=lists)
    _check_size(n_features, p, f"the matrix has {p} columns")
    if rankings.scores is None:
        ranks = rank_scores(rankings.ranks, higher_is_better=False)
        values, kind = p + 1 - ranks, "ranks"
    elif held is not None:
        values, kind = rankings.scores, "scores"
    else:
        values, kind = _as_scores(rankings.scores, kind, name)
    if not per_feature:
        _check_cells(rankings, name)
    return Matrix(values, items, kind)


def _are_cut_off(rankings: Rankings) -> bool:
    """Whether rankings do not order all features, so they are selections."""
    if rankings.absent == "worst" and (
        rankings._largest_universe > rankings.n_items or rankings.missing.any()
    ):
        return True
    return rankings.scores is None and bool(rankings.unranked.all())


def _universe(rankings: Rankings) -> int | None:
    return None if rankings.universe is None else rankings._largest_universe


def _as_scores(values: Floats, kind: str, name: str) -> tuple[Floats, str]:
    """A table as scores, and what it contained: ranks, if every row is a ranking from 1."""
    if kind == "scores" or (kind == "auto" and not values.min() >= 1):
        return values, "scores"
    p, low, high = values.shape[1], float(np.nanmin(values)), float(np.nanmax(values))
    if kind == "auto":  # with average ties, and the first not all tied
        may_be = p > 1 and high <= p and np.ptp(values[0]) > 0
        ranked = may_be and np.array_equal(values, rank_scores(values, higher_is_better=False))
        kind = "ranks" if ranked else "scores"
    if kind != "ranks":
        return values, kind
    if low < 1 or high > p:
        raise DataError(
            named(name),
            f" was read as ranks, which go from 1 (most important) to {p}, but contains values ",
            f"from {low:g} to {high:g}",
            Remedy("pass ", Use(input="scores"), " if they are scores"),
        )
    return p + 1 - values, kind


def _check_cells(rankings: Rankings, name: str) -> None:
    if rankings.missing.any():
        row, column = np.argwhere(rankings.missing)[0]
        raise DataError(
            named(name),
            f" has the value nan in row {row + 1}, column {column + 1}; stability needs finite ",
            "numbers: give missing scores a value, or drop the resample",
        )


def _checked_names(names: Sequence[str], n_columns: int | None) -> tuple[str, ...]:
    labels = tuple(map(str, validation.check_list("feature_names", names)))
    if n_columns is not None and len(labels) != n_columns:
        raise ParameterError(
            Param("feature_names"), f" has {len(labels)} names for {n_columns} features"
        )
    if len(set(labels)) != len(labels):
        raise DataError(
            Param("feature_names"), " contains a name twice; every feature needs a different name"
        )
    return labels


def _check_size(n_features: int | None, size: int, *what: object) -> None:
    if n_features not in (None, size):
        raise _other_size(n_features, *what)


def _other_size(n_features: int | None, *but: object) -> ParameterError:
    return ParameterError(Param("n_features"), f" is {n_features}, but ", *but)


def _not_all_ordered(name: str) -> DataError:
    return DataError(
        named(name),
        " have lists that are cut off, or sets, which do not order all features; this takes scores or ",
        "ranks of all of them",
    )


def _check_rows(read: R, least: int, name: str) -> R:
    """Refuse fewer resamples than there must be."""
    n_rows = len(read.support if isinstance(read, SelectedSets) else read.values)
    if n_rows < least:
        raise DataError(
            named(name),
            f" has {n_rows} resample(s); stability compares resamples, so it needs at least 2",
        )
    return read


def check_several(n_features: int) -> None:
    """Refuse to compare the rankings of a single feature."""
    if n_features < 2:
        raise DataError(
            "a single feature has one ranking only, so no agreement of rankings is defined; it takes "
            "at least 2 features"
        )

"""Groups of columns that are one feature: what a user writes down, and tables that show a group as one."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.settings import PREFIX, Task
from pyfsagg._base.validation import check_list, check_writable_names
from pyfsagg._message import Got, Message, Param, Remedy, Use
from pyfsagg._table.columns import Kind
from pyfsagg._table.delimited import read_bytes, read_delimited, shown_source
from pyfsagg._table.sparse import SparseTable
from pyfsagg._table.table import AnyTable, Table
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, UnknownNameError

MOST_VALUES = 10  # values of a column up to which combinations of columns are levels
Members = dict[str, tuple[str, ...]]  # names of the columns of each group


@dataclass(frozen=True, eq=False)
class GroupedColumns:
    """A table for a filter that does not know groups: `order` are its columns, group by group, `start`
    the beginning of each group, `by` how the scores of a group are combined."""

    table: AnyTable
    order: NDArray[np.intp]
    start: NDArray[np.intp]
    by: Literal["max", "mean"]

    def reduce(self, scores: Floats) -> Floats:
        """Scores (b, n_groups) of scores (b, n_columns); a column without a score counts for nothing."""
        ordered = scores[:, self.order]
        if len(self.start) == ordered.shape[1]:
            return ordered
        if self.by == "max":
            return np.asarray(np.fmax.reduceat(ordered, self.start, axis=1))
        known = ~np.isnan(ordered)
        total = np.add.reduceat(np.where(known, ordered, 0.0), self.start, axis=1)
        count = np.add.reduceat(known, self.start, axis=1, dtype=np.int64)
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)


@dataclass(frozen=True, eq=False)
class FeatureGroups:
    """The features of a run: `names` of groups and ungrouped columns, positions of their `columns` (in an
    order independent of the table's), and `as_levels`, which are one nominal column if levels count."""

    names: tuple[str, ...]
    columns: tuple[NDArray[np.intp], ...]
    column_names: tuple[str, ...]
    score: str
    as_levels: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.names)

    @property
    def sizes(self) -> NDArray[np.intp]:
        """Number of columns of each."""
        return np.array([len(columns) for columns in self.columns], dtype=np.intp)

    @property
    def members(self) -> Members:
        """Names of the columns of each group, in the order of the table, but of columns alone."""
        members = {
            name: tuple(self.column_names[j] for j in np.sort(columns))
            for name, columns in zip(self.names, self.columns, strict=True)
        }
        return {name: columns for name, columns in members.items() if columns != (name,)}

    def record(self) -> dict[str, Any]:
        """The record of the groups in the data of a result."""
        members = {name: list(columns) for name, columns in self.members.items()}
        return {"n_columns": len(self.column_names), "groups": members}

    def columns_of(self, features: Sequence[int] | NDArray[np.intp]) -> NDArray[np.intp]:
        """Positions of the columns of features at these positions."""
        empty = np.empty(0, dtype=np.intp)
        return np.concatenate([empty, *(self.columns[j] for j in features)])

    def take(self, features: NDArray[np.intp]) -> tuple[FeatureGroups, NDArray[np.intp]]:
        """Some of the features, and the positions of the columns that are left, which are their table."""
        kept = np.sort(self.columns_of(features))
        place = np.full(len(self.column_names), -1, dtype=np.intp)
        place[kept] = np.arange(len(kept))
        groups = replace(
            self,
            names=tuple(self.names[j] for j in features),
            columns=tuple(place[self.columns[j]] for j in features),
            column_names=tuple(self.column_names[j] for j in kept),
            as_levels=self.as_levels[features],
        )
        return groups, kept

    def width(self, counts_levels: bool) -> int:
        """Number of columns that a filter reads."""
        return int(np.where(self.as_levels & counts_levels, 1, self.sizes).sum())

    def read(self, table: AnyTable, counts_levels: bool) -> GroupedColumns:
        """The table as a filter reads it that counts levels or does not."""
        joint = self.as_levels & counts_levels
        by: Literal["max", "mean"] = "mean" if self.score == "mean" else "max"
        parts = [part[:1] if one else part for part, one in zip(self.columns, joint, strict=True)]
        start = np.cumsum([0, *map(len, parts[:-1])], dtype=np.intp)
        order = np.concatenate(parts)
        if not joint.any():
            return GroupedColumns(table, order, start, by)
        with_levels = self._with_levels(table, table.take(order), start, joint)
        return GroupedColumns(with_levels, np.arange(with_levels.n_features), start, by)

    def _with_levels(
        self, table: AnyTable, taken: AnyTable, start: NDArray[np.intp], joint: NDArray[np.bool_]
    ) -> AnyTable:
        """The columns `taken`; those of `joint` groups represent all columns of the group."""
        labels, kinds, levels = list(taken.feature_names), taken.kinds.copy(), dict(taken.levels)
        codes: dict[int, Floats] = {}
        for unit in np.flatnonzero(joint).tolist():
            place = int(start[unit])
            codes[place] = joint_levels([table.column(int(j)) for j in self.columns[unit]])
            n_levels = len(np.unique(codes[place][~np.isnan(codes[place])]))
            labels[place], kinds[place] = self.names[unit], Kind.NOMINAL
            levels[place] = tuple(range(1, n_levels + 1))
        if isinstance(taken, Table):
            values = taken.values.copy(order="F")
            for place, column in codes.items():
                values[:, place] = column
            return Table(values, tuple(labels), kinds, levels)
        cells = np.split(taken.cells, taken.start[1:-1])
        rows = np.split(taken.rows, taken.start[1:-1])
        for place, column in codes.items():  # the levels are stored as 1, 2, …
            cells[place], rows[place] = column + 1.0, np.arange(taken.n_samples, dtype=np.int32)
        start = np.cumsum([0, *map(len, cells)]).astype(np.int64)
        arrays = (np.concatenate(cells), np.concatenate(rows), start)
        return SparseTable(*arrays, taken.n_samples, tuple(labels), kinds, levels)

    def how(self, counts_levels: bool) -> dict[str, list[str]]:
        """By which score each group of several columns is scored: ``{"joint": […], "max": […]}``."""
        joint, names = self.as_levels & counts_levels, np.array(self.names, dtype=object)
        groups = {
            "joint": names[joint].tolist(),
            "mean" if self.score == "mean" else "max": names[(self.sizes > 1) & ~joint].tolist(),
        }
        return {score: members for score, members in groups.items() if members}

    def refuse_joint(self, counts_levels: bool, label: str, able: Iterable[str]) -> None:
        """Refuse a joint score by a filter that counts no levels."""
        if self.score == "joint" and not counts_levels and (self.sizes > 1).any():
            raise ParameterError(
                Use(group_score="joint"),
                f" reads a group as one nominal column, whose levels the filter {label!r} does not ",
                f"count; filters that do: {', '.join(able)}. Or use ",
                Use(group_score="auto"),
                ", 'max' or 'mean'",
            )


def read_feature_groups(task: Task, table: AnyTable) -> FeatureGroups | None:
    """The groups of a task; None without any, or if each group is one column with its name."""
    if task.feature_groups is None:
        if task.group_score != "auto":
            raise ParameterError(
                Use(group_score=task.group_score),
                " is the score of a group of columns, and there are no groups",
                Remedy("give ", Param("feature_groups")),
            )
        return None
    names = table.feature_names
    groups = _assignment(task.feature_groups, names)
    if groups == {name: [j] for j, name in enumerate(names)}:
        return None
    if len(groups) < 2:
        raise DataError(
            Param("feature_groups"),
            f" puts all {len(names)} columns into one group, {next(iter(groups))!r}; at least two ",
            "features are needed",
        )
    columns = tuple(np.array(_in_order(part, names), dtype=np.intp) for part in groups.values())
    as_levels = np.zeros(len(groups), dtype=np.bool_)
    for unit, (group, part) in enumerate(zip(groups, columns, strict=True)):
        if len(part) > 1 and task.group_score == "joint":
            for j in part[table.kinds[part] != Kind.NOMINAL].tolist():
                n_values = len(table.value_counts(j))
                if n_values > MOST_VALUES:
                    raise ParameterError(
                        Use(group_score="joint"),
                        f" makes levels of the values of a group, and the column {names[j]!r} of the group ",
                        f"{group!r} has {n_values:,} values, more than {MOST_VALUES}",
                        Remedy("use 'auto', 'max' or 'mean', or declare the column nominal"),
                    )
            as_levels[unit] = True
        elif len(part) > 1 and task.group_score == "auto":
            as_levels[unit] = _is_one_hot(table, part)
    return FeatureGroups(tuple(groups), columns, names, task.group_score, as_levels)


def group_columns(task: Task, columns: Iterable[Any]) -> Members:
    """Columns by feature: those of the groups of a task, and single columns."""
    names = tuple(str(name) for name in columns)
    if task.feature_groups is None:
        return {name: (name,) for name in names}
    groups = _assignment(task.feature_groups, names)
    return {group: tuple(names[j] for j in sorted(members)) for group, members in groups.items()}


def _assignment(rule: Any, names: tuple[str, ...]) -> dict[str, list[int]]:
    """Positions of columns by group, in order of their first; columns without a group are their own."""
    if isinstance(rule, str) and rule.startswith(PREFIX):
        groups = _by_prefix(rule.removeprefix(PREFIX), names)
    else:
        groups = _by_mapping(rule if isinstance(rule, Mapping) else _of_file(rule), names)
    place = {name: j for j, name in enumerate(names)}
    check_writable_names(list(groups), "a group")
    grouped = {j for members in groups.values() for j in members}
    what = Param("feature_groups")
    for group, members in groups.items():
        if not group.strip():
            raise ParameterError(what, " has a group without a name", Remedy("give it one"))
        if group in place and place[group] not in members:
            raise ParameterError(
                what,
                f" names a group {group!r}, and the table has a column of this name that is not in it",
                Remedy("rename the group, or put the column into it"),
            )
    groups |= {name: [j] for j, name in enumerate(names) if j not in grouped}
    return dict(sorted(groups.items(), key=lambda item: min(item[1])))


def _by_prefix(separator: str, names: Sequence[str]) -> dict[str, list[int]]:
    """Groups by the part of a name before the first separator; of one column by its whole name."""
    groups: dict[str, list[int]] = {}
    for j, name in enumerate(names):
        groups.setdefault(name.partition(separator)[0] or name, []).append(j)
    if len(groups) == len(names):
        raise ParameterError(
            Use(feature_groups=PREFIX + separator),
            f" finds no two columns with the same prefix: the names are {_few(names)}",
        )
    return {
        group if len(members) > 1 else names[members[0]]: members
        for group, members in groups.items()
    }


def _by_mapping(mapping: Mapping[Any, Any], names: Sequence[str]) -> dict[str, list[int]]:
    """Groups of a mapping of group to columns, or of column to group."""
    place, what = {name: j for j, name in enumerate(names)}, Param("feature_groups")
    single = all(_is_label(value) for value in mapping.values())
    if single and any(_place_of(column, place) is not None for column in mapping):
        pairs = [(str(group), column) for column, group in mapping.items()]
    else:
        pairs = []
        for group, members in mapping.items():
            label = Message(f"the group {group!r} of ", what)
            columns = [members] if _is_label(members) else check_list(label, members)
            if not columns:
                raise ParameterError(label, " has no column", Remedy("drop it"))
            if not _is_label(group):
                raise InputTypeError("a group of ", what, " needs a name", Got(group))
            pairs += [(str(group), column) for column in columns]
    groups: dict[str, list[int]] = {}
    owner: dict[int, str] = {}
    for group, column in pairs:
        j = _place_of(column, place)
        if j is None and isinstance(column, str):
            raise UnknownNameError(Message("column in ", what), column, names)
        if j is None and not _is_label(column):
            raise InputTypeError(what, " names columns by their name or position", Got(column))
        if j is None:
            known = f"positions are 0 to {len(names) - 1}"
            raise ParameterError(what, f" names the column at position {column}; {known}")
        if j in owner:
            other = "twice" if owner[j] == group else f"in {owner[j]!r} and in {group!r}"
            column = f"the column {names[j]!r} {other}"
            raise ParameterError(what, f" names {column}; a column belongs to one group")
        owner[j] = group
        groups.setdefault(group, []).append(j)
    return groups


def _is_label(value: Any) -> bool:
    return isinstance(value, (str, Integral)) and not isinstance(value, bool)


def _place_of(column: Any, place: Mapping[str, int]) -> int | None:
    """The position of a column given by name or position, or None."""
    if isinstance(column, Hashable) and column in place:
        return place[column]  # type: ignore[index]
    if isinstance(column, Integral) and not isinstance(column, bool):
        if str(column) in place:  # a frame whose columns have numbers as names
            return place[str(column)]
        return int(column) if 0 <= int(column) < len(place) else None
    return None


def _of_file(path: str | os.PathLike[str]) -> dict[str, str]:
    """Groups by column, of a text file with the columns ``column`` and ``group``."""
    label = shown_source(path)
    try:
        content = read_bytes(path)
    except DataError as error:
        if not str(error).startswith("no such file"):
            raise
        raise DataError(
            Param("feature_groups"),
            " is read as the path of a file, and there is ",
            error,
            f"; a rule is written '{PREFIX}=' or '{PREFIX}_'",
        ) from None
    frame = read_delimited(content, label, missing=(), text_columns=None)
    missing = [name for name in ("column", "group") if name not in frame.columns]
    if missing:
        raise DataError(
            f"{label} has no column {missing[0]!r}; a file of ",
            Param("feature_groups"),
            f" has a header with the names column and group, and this one has {_few(list(frame.columns))}",
        )
    twice = frame["column"][frame["column"].duplicated()].tolist()
    if twice:
        raise DataError(
            f"{label} names the column {twice[0]!r} twice; a column belongs to one group"
        )
    return dict(zip(map(str, frame["column"]), map(str, frame["group"]), strict=True))


def _few(names: Sequence[Any]) -> str:
    return ", ".join(map(str, names[:5])) + (", …" if len(names) > 5 else "")


def _in_order(members: Sequence[int], names: Sequence[str]) -> list[int]:
    """Columns by what their names do not share; numbers as numbers, as levels are sorted."""
    texts = [names[j] for j in members]
    pairs = enumerate(zip(min(texts), max(texts), strict=False))
    shared = next((i for i, (one, other) in pairs if one != other), len(min(texts)))
    key: list[Any] = [text[shared:] for text in texts]
    if all(text.isascii() and text.isdigit() for text in key):
        key = list(map(float, key))
    return [members[i] for i in sorted(range(len(members)), key=lambda i: (key[i], texts[i]))]


def _is_one_hot(table: AnyTable, columns: NDArray[np.intp]) -> bool:
    """Whether all cells are 0 or 1 (or missing), and no row has two cells of 1."""
    if (table.kinds[columns] == Kind.NOMINAL).any():
        return False
    ones = np.zeros(table.n_samples, dtype=np.int64)
    for j in columns:
        cells = table.column(int(j))
        one = cells == 1.0
        if not (one | (cells == 0.0) | np.isnan(cells)).all():
            return False
        ones += one
    return bool(ones.max(initial=0) <= 1)


def joint_levels(cells: Sequence[Floats]) -> Floats:
    """Codes (n_samples,) of combinations that occur, descending and missing last, so ordered one-hot columns
    have the codes of their levels; rows with only missing cells are missing."""
    n_samples = len(cells[0])
    joint = np.zeros(n_samples, dtype=np.int64)
    unknown = np.ones(n_samples, dtype=np.bool_)
    for column in cells:
        missing = np.isnan(column)
        levels, known = np.unique(-column[~missing], return_inverse=True)
        codes = np.full(n_samples, len(levels), dtype=np.int64)
        codes[~missing] = known
        joint = np.unique(joint * (len(levels) + 1) + codes, return_inverse=True)[1]
        unknown &= missing
    result = np.full(n_samples, np.nan)
    result[~unknown] = np.unique(joint[~unknown], return_inverse=True)[1]
    return result

"""From the flags of a command to the features and the target of its table."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsagg._base.reading import Reading
from pyfsagg._base.words import enumerate_names
from pyfsagg._command.results import name_of_table
from pyfsagg.exceptions import ParameterError, UnknownNameError

if TYPE_CHECKING:
    import pandas as pd

    from pyfsagg._table.source import Source

__all__ = [
    "LoadedTable",
    "load_sparse",
    "load_table",
    "read_columns",
    "read_files",
    "read_sparse_columns",
    "refuse_reading_flags",
    "require_column",
]


@dataclass(frozen=True, eq=False)
class LoadedTable:
    """What a command computes with, and how its result says where it comes from.

    Attributes
    ----------
    X : DataFrame or sparse matrix (n_samples, n_features)
    y : Series (n_samples,), optional
        A frame (n_samples, 2) of times and events.
    groups : Series (n_samples,), optional
    view : dict
        ``data_name``, ``reading`` and ``read`` as :data:`pyfsagg._run.result.ORIGIN` has them.
    lines : list of str
        What was read, for the terminal.
    """

    X: Any
    y: pd.Series[Any] | pd.DataFrame | None
    groups: pd.Series[Any] | None
    view: dict[str, Any]
    lines: list[str]


def read_files(paths: Sequence[str]) -> dict[str, Any]:
    """Files by name with their SHA-256, for ``read`` of :data:`pyfsagg._run.result.ORIGIN`.

    One file is ``file`` and ``sha256``, as where a table is read; several are ``files``. Standard input
    and the folders of saved runs have no hash. Files of one name are told apart by their paths.
    """
    from pyfsagg._table.unpack import read_hashed

    def hash_of(path: str) -> str:
        if path == "-":
            return "none: it is read once"
        return "none: a folder" if Path(path).is_dir() else read_hashed(path)[1]

    names = [name_of_table(path) for path in paths]
    hashes = {
        name if names.count(name) == 1 else path: hash_of(path)
        for path, name in zip(paths, names, strict=True)
    }
    if len(hashes) > 1:
        return {"files": hashes}
    [(name, digest)] = hashes.items()
    return {"file": name, "sha256": digest}


def refuse_reading_flags(options: argparse.Namespace, why: str, *accepted: str) -> None:
    """Refuse flags of reading, except those `accepted`, for a table that is read in another way."""
    for field in fields(Reading):
        if field.name not in accepted and getattr(options, field.name) != field.default:
            raise ParameterError(f"--{field.name} has no meaning here: {options.table} {why}")


def require_column(table: pd.DataFrame, flag: str, name: str | None) -> None:
    """Refuse the name of a column, given by a flag, that the table does not have."""
    if name is not None and name not in table.columns:
        raise UnknownNameError(f"--{flag} column", name, [str(each) for each in table.columns])


def read_columns(
    options: argparse.Namespace,
    target: str | list[str] | None = None,
    groups: str | None = None,
) -> tuple[
    Source, pd.DataFrame, pd.Series[Any] | pd.DataFrame | None, pd.Series[Any] | None, list[str]
]:
    """The table of a command as it is read: the source, features, target, groups, and code that reads it.

    Raises
    ------
    UnknownNameError
        If a column does not exist.
    ParameterError
        If the target or the groups are left out, or an event does not occur.
    """
    from pyfsagg._table.source import read_source
    from pyfsagg.datasets import split_target

    how = Reading.from_flags(options)
    said = [(name, "the target") for name in _names(target)]
    said += [(name, "the groups") for name in _names(groups)]
    for name, what in said:
        if name in (*how.drop, how.id):
            raise ParameterError(f"the column {name!r} cannot be both {what} and left out")
    source, target, events = _with_events(read_source(options.table, how), target)
    code = reading_code(options.table, how, target, groups)
    code[1:1] = events
    X, y = split_target(source.frame, target, [groups] if groups else [])
    return source, X, y, source.frame[groups] if groups else None, code


def _with_events(
    source: Source, target: str | list[str] | None
) -> tuple[Source, str | list[str] | None, list[str]]:
    """Events as 0 and 1 if a value was named as in ``status=2``, or R's codes are there; and code for it."""
    from pyfsagg._table.survival import coded_as_in_r

    if not isinstance(target, list):
        return source, target, []
    frame, (time, name) = source.frame, target
    value = ""
    if name not in frame.columns:
        name, _, value = name.rpartition("=")
    if name not in frame.columns:  # whoever divides the table says so
        return source, target, []
    column = frame[name]
    if value:
        note = f"--event {name}={value}: all other values of {name!r} count as censored"
    elif coded_as_in_r(column):
        value = "2"
        note = (
            f"{name!r} holds 1 and 2: as in R's Surv(), 1 is taken for censored and 2 for the event; "
            f"--event {name}=1 takes 1 for it"
        )
    else:
        return source, [time, name], []
    by_word = {str(each): each for each in column.dropna().unique().tolist()}
    by_word |= {f"{each:g}": each for each in by_word.values() if isinstance(each, float)}
    if value not in by_word:
        raise ParameterError(
            f"--event {name}={value}: the column {name!r} has no such value; it has "
            f"{enumerate_names(sorted(by_word)[:10])}"
        )
    kept = f"data[{name!r}]"
    code = f"{kept} = ({kept} == {by_word[value]!r}).astype(float).where({kept}.notna())"
    seen = (column == by_word[value]).astype(float).where(column.notna())
    source = replace(source, frame=frame.assign(**{name: seen}), notes=(*source.notes, note))
    return source, [time, name], [code]


def _names(columns: str | list[str] | None) -> list[str]:
    if isinstance(columns, str):
        return [columns]
    return columns or []


def load_table(
    options: argparse.Namespace,
    target: str | list[str] | None = None,
    groups: str | None = None,
) -> LoadedTable:
    """Read the table of a command, and look through it.

    Raises
    ------
    DataError
        For findings that stop a run, and are not accepted.
    UnknownNameError, ParameterError
        As :func:`read_columns`.
    """
    import numpy as np
    import pandas as pd

    from pyfsagg._command.remedies import in_flags
    from pyfsagg._table.findings import find_in_table, with_remedies

    source, X, y, of_groups, code = read_columns(options, target, groups)
    found = find_in_table(
        X,
        y,
        nominal=getattr(options, "nominal", None) or (),
        task=getattr(options, "task", "classification"),
        grouped=of_groups is not None,
    )
    found = with_remedies(found, in_flags)
    found.require(options.accept)
    known: Any = np.ones(len(X), dtype=np.bool_)
    if y is not None:
        known = np.asarray(y.notna()).reshape(len(X), -1).all(axis=1)
    if y is not None and not known.all() and known.any():  # that is accepted
        X, y = X[known], y[known]
        of_groups = None if of_groups is None else of_groups[known]
        columns = list(y.columns) if isinstance(y, pd.DataFrame) else y.name
        every = ".all(axis=1)" if isinstance(y, pd.DataFrame) else ""
        place = next(i for i, line in enumerate(code) if line.startswith("X = "))
        code.insert(place, f"data = data[data[{columns!r}].notna(){every}]")
    view = {
        "data_name": name_of_table(options.table),
        "reading": code,
        "read": {**source.record, "found": list(source.notes), **found.record()},
    }
    lines = [f"read: {line}" for line in (*found.facts, *source.notes)]
    lines += [f"check: {finding}" for finding in found.findings]
    return LoadedTable(X, y, of_groups, view, lines)


def read_sparse_columns(options: argparse.Namespace) -> tuple[Any, pd.Series[Any]]:
    """The features and labels of a sparse file, whose columns have no names.

    Raises
    ------
    ParameterError
        For flags that name columns, or read a table in another way.
    """
    from pyfsagg.datasets import read_sparse_table

    refuse_reading_flags(options, "is a sparse table", "drop")
    for flag in ("target", "event", "drop", "groups", "nominal"):
        if getattr(options, flag, None):
            raise ParameterError(
                f"--{flag} names columns, and those of the sparse table {options.table} have no names; "
                "its labels are in the file or beside it, and its features are called x0, x1, …"
            )
    return read_sparse_table(options.table)


def load_sparse(options: argparse.Namespace) -> LoadedTable:
    """Read the sparse table of a command, and look through it.

    Raises
    ------
    DataError
        For findings that stop a run, and are not accepted.
    ParameterError
        As :func:`read_sparse_columns`.
    """
    from pyfsagg._command.remedies import in_flags_of_sparse
    from pyfsagg._table.findings import with_remedies
    from pyfsagg._table.sparse_findings import find_in_sparse
    from pyfsagg._table.unpack import read_hashed

    X, y = read_sparse_columns(options)
    found = with_remedies(find_in_sparse(X, y, task=options.task), in_flags_of_sparse)
    found.require(options.accept)
    code = [
        "from pyfsagg.datasets import read_sparse_table",
        "",
        f"X, y = read_sparse_table({options.table!r})",
    ]
    known = y.notna().to_numpy()
    if not known.all() and known.any():  # that is accepted
        X, y = X[known], y[known]
        code.append("X, y = X[y.notna().to_numpy()], y[y.notna()]")
    view = {
        "data_name": name_of_table(options.table),
        "reading": code,
        "read": {
            "file": name_of_table(options.table),
            "sha256": read_hashed(options.table)[1],
            "format": "sparse",
            **found.record(),
        },
    }
    lines = [f"read: {line}" for line in found.facts]
    lines += [f"check: {finding}" for finding in found.findings]
    return LoadedTable(X, y, None, view, lines)


def reading_code(
    table: str,
    how: Reading,
    target: str | list[str] | None = None,
    groups: str | None = None,
) -> list[str]:
    """Lines of code that read a table as the commands do."""
    given = "".join(f", {name}={value!r}" for name, value in how.changed().items())
    left = [*_names(target), *_names(groups)]
    lines = [
        f"data = pyfsagg.read_table({table!r}{given})",
        f"X = data.drop(columns={left!r})" if left else "X = data",
    ]
    if target:
        lines.append(f"y = data[{target!r}]")
    if groups:
        lines.append(f"groups = data[{groups!r}]")
    return lines

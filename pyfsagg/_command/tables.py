"""From the flags of a command to the features and the target of its table."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsagg._base.settings import Reading
from pyfsagg._base.words import enumerate_names
from pyfsagg._command.parser import SPARSE, Terminal
from pyfsagg._command.results import name_of_table
from pyfsagg._message import Remedy
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from pyfsagg._table.findings import TableCheck
    from pyfsagg._table.source import TableSource
    from pyfsagg._table.table import AnyTable, ConvertedTable


@dataclass(frozen=True, eq=False)
class ReadTable:
    """The table of a command: `X`, the same as numbers (`table`), its `check`, the `record` of its
    reading, `notes` on choices made by default, and the `code` that reads it."""

    X: Any
    table: ConvertedTable | AnyTable
    y: pd.Series[Any] | pd.DataFrame | None
    groups: pd.Series[Any] | None
    check: TableCheck
    record: dict[str, Any]
    notes: Sequence[str] = ()
    code: list[str] = field(default_factory=list)

    @property
    def view(self) -> dict[str, Any]:
        """The origin of a result, as in :data:`pyfsagg._run.result.ORIGIN`."""
        return {"data_name": self.record["file"], "reading": self.code, "read": self.record}

    @property
    def lines(self) -> list[str]:
        """What was read, for the terminal."""
        lines = [f"read: {line}" for line in (*self.check.facts, *self.notes)]
        return [*lines, *(f"check: {finding}" for finding in self.check.findings)]


def read_files(paths: Sequence[str]) -> dict[str, Any]:
    """Files with their SHA-256, for ``read`` of `ORIGIN`: ``file`` and ``sha256``, or ``files``;
    standard input and folders have no hash."""
    from pyfsagg._table.delimited import read_hashed

    names, hashes = [name_of_table(path) for path in paths], {}
    for path, name in zip(paths, names, strict=True):
        found = "none: it is read once" if path == "-" else "none: a folder"
        if path != "-" and not Path(path).is_dir():
            found = read_hashed(path)[1]
        hashes[name if names.count(name) == 1 else path] = found
    if len(hashes) > 1:
        return {"files": hashes}
    [(name, digest)] = hashes.items()
    return {"file": name, "sha256": digest}


def origin(paths: Sequence[str], reading: Sequence[str], name: str | None) -> dict[str, Any]:
    """The origin of a result, as in :data:`pyfsagg._run.result.ORIGIN`."""
    return {"data_name": name, "reading": reading, "read": read_files(paths)}


def code_of_lists(name: str, lists: Sequence[Sequence[str]]) -> list[str]:
    """Lines of code with lists of names, up to 2000 of these, or a comment on what is omitted."""
    if sum(map(len, lists)) > 2000:
        return [f"# {name}: the {len(lists):,} lists of names"]
    return [f"{name} = [", *(f"    {list(names)!r}," for names in lists), "]"]


def refuse_reading_flags(options: argparse.Namespace, why: str, *accepted: str) -> None:
    """Refuse flags of reading, except those `accepted`, for a table that is read in another way."""
    for setting in fields(Reading):
        name = setting.name
        if name not in accepted and getattr(options, name) != setting.default:
            raise ParameterError(f"--{name} has no meaning here: {options.table} {why}")


def require_column(table: pd.DataFrame, flag: str, name: str | None) -> None:
    """Refuse the name of a column, given by a flag, that the table does not have."""
    if name is not None and name not in table.columns:
        raise UnknownNameError(f"--{flag} column", name, map(str, table.columns))


def is_data_set(name: str) -> bool:
    """Whether the table of a command is an embedded data set; a file of that name comes first."""
    from pyfsagg.datasets._loaders import list_datasets

    return name != "-" and not Path(name).exists() and name in list_datasets().index


def check_file(
    options: argparse.Namespace, target: str | list[str] | None = None, groups: str | None = None
) -> ReadTable:
    """Read the table of a command and look through it."""
    import pandas as pd

    from pyfsagg._table.look import find_in_table
    from pyfsagg._table.source import TableSource, read_source
    from pyfsagg.datasets import load_dataset
    from pyfsagg.datasets._loaders import split_target

    how = Reading.from_flags(options)
    for role, columns in (("the target", target), ("the groups", groups)):
        if omitted := [name for name in _names(columns) if name in (*how.drop, how.id)]:
            raise ParameterError(f"the column {omitted[0]!r} cannot be both {role} and omitted")
    name, own = options.table, None
    if not is_data_set(name):
        if target is None and options.parser.get_default("target_required"):
            raise ParameterError("name the column of the target: --target COLUMN")
        source = read_source(name, how)
    else:  # it has a target
        data = load_dataset(name)
        frame = data.X.assign(**{str(data.y.name): data.y})
        source = TableSource(frame, {"file": data.name, "format": "data set"}, ())
        own = str(data.y.name)
        target = target or own
    source, target, changes = _with_events(source, target)
    try:
        X, y = split_target(source.frame, target, [groups] if groups else [])
    except UnknownNameError as error:
        # Names that all differ in the first column, and numbers in most others, look like features.
        frame, is_numeric = source.frame, pd.api.types.is_numeric_dtype
        if own is not None:
            raise UnknownNameError("column", target, frame.columns, meant=own) from None
        numeric, names = sum(map(is_numeric, frame.dtypes)), frame.iloc[:, 0]
        named = not isinstance(frame.index, pd.RangeIndex)
        named = named or (not is_numeric(names) and names.is_unique)
        wide = frame.shape[1] > 3 and 4 * numeric >= 3 * frame.shape[1]
        if how.transpose or not (named and wide):
            raise
        raise DataError(
            str(error).partition(" Known:")[0],
            " The rows look like features, such as genes, with their names in the first column",
            Remedy("say --transpose, and --labels FILE for a file with a row per sample"),
        ) from None
    table = _converted(options, X)
    subjects = source.frame[groups] if groups else None
    task = getattr(options, "task", "classification")
    check = find_in_table(table, y, task=task, grouped=subjects is not None)
    check = check.spelled(Terminal(options.parser))
    record = {**source.record, "found": list(source.notes), **check.record()}
    return ReadTable(X, table, y, subjects, check, record, source.notes, changes)


def _converted(options: argparse.Namespace, X: pd.DataFrame) -> ConvertedTable:
    from pyfsagg._table.frames import PandasFrame
    from pyfsagg._table.table import convert_frame

    nominal = set(getattr(options, "nominal", None) or ())
    return convert_frame(PandasFrame(X), {j for j, name in enumerate(X.columns) if name in nominal})


def _with_events(
    source: TableSource, target: str | list[str] | None
) -> tuple[TableSource, str | list[str] | None, list[str]]:
    """Events as 0 and 1 if a value was named as in ``status=2``, or R's codes are there; and code for it."""
    from pyfsagg._table.target import coded_as_in_r

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
            f"{name!r} contains 1 and 2: as in R's Surv(), 1 means censored and 2 the event; "
            f"--event {name}=1 takes 1 for it"
        )
    else:
        return source, [time, name], []
    levels = {str(level): level for level in column.dropna().unique().tolist()}
    levels |= {f"{level:g}": level for level in levels.values() if isinstance(level, float)}
    if value not in levels:
        raise ParameterError(
            f"--event {name}={value}: the column {name!r} has no such value; it has "
            f"{enumerate_names(sorted(levels)[:10])}"
        )
    data = f"data[{name!r}]"
    code = f"{data} = ({data} == {levels[value]!r}).astype(float).where({data}.notna())"
    events = (column == levels[value]).astype(float).where(column.notna())
    source = replace(source, frame=frame.assign(**{name: events}), notes=(*source.notes, note))
    return source, [time, name], [code]


def _names(columns: str | list[str] | None) -> list[str]:
    return [columns] if isinstance(columns, str) else columns or []


def load_table(
    options: argparse.Namespace, target: str | list[str] | None = None, groups: str | None = None
) -> ReadTable:
    """Read the table of a command, and refuse what would spoil a run."""
    import pandas as pd

    read = check_file(options, target, groups)
    read.check.require(options.accept)
    if isinstance(read.y, pd.DataFrame):  # of --event COLUMN=VALUE the column alone
        target = list(map(str, read.y.columns))
    changes, known = list(read.code), _rows_with_target(read.y)
    if read.y is not None and known is not None:
        X, y = read.X[known], read.y[known]
        subjects = None if read.groups is None else read.groups[known]
        read = replace(read, X=X, table=_converted(options, X), y=y, groups=subjects)
        every = ".all(axis=1)" if isinstance(y, pd.DataFrame) else ""
        changes.append(f"data = data[data[{target!r}].notna(){every}]")
    settings = Reading.from_flags(options).changed().items()
    flags = "".join(f", {name}={value!r}" for name, value in settings)
    others = [*_names(target), *_names(groups)]
    code = [
        f"data = pyfsagg.datasets.read_table({options.table!r}{flags})",
        *changes,
        f"X = data.drop(columns={others!r})" if others else "X = data",
    ]
    if target:
        code.append(f"y = data[{target!r}]")
    if groups:
        code.append(f"groups = data[{groups!r}]")
    return replace(read, code=code)


def _rows_with_target(y: pd.Series[Any] | pd.DataFrame | None) -> NDArray[np.bool_] | None:
    """The rows to be kept, where rows without a target were accepted; None if all are."""
    import numpy as np

    if y is None:
        return None
    cells: NDArray[np.bool_] = np.asarray(y.notna()).reshape(len(y), -1)
    known: Any = cells.all(axis=1)
    return known if known.any() and not known.all() else None


def check_sparse_file(options: argparse.Namespace) -> ReadTable:
    """Read and check a sparse file; its columns have no names, its labels are in a second file."""
    from pyfsagg._table.look import find_in_sparse
    from pyfsagg._table.table import as_table
    from pyfsagg.datasets import read_sparse_table

    refuse_reading_flags(options, "is a sparse table", "drop")
    for flag in ("target", "event", "drop", "groups", "nominal"):
        if getattr(options, flag, None):
            raise ParameterError(
                f"--{flag} names columns, and those of the sparse table {options.table} have no names; "
                "its labels are in the file or beside it, and its features are called x0, x1, …"
            )
    X, y = read_sparse_table(options.table)
    table = as_table(X, sparse=True, min_features=1)
    check = find_in_sparse(table, y, task=options.task).spelled(Terminal(options.parser, SPARSE))
    record = {**read_files([options.table]), "format": "sparse", **check.record()}
    return ReadTable(X, table, y, None, check, record)


def load_sparse(options: argparse.Namespace) -> ReadTable:
    """Read the sparse table of a command, and refuse what would spoil a run."""
    from pyfsagg._table.table import as_table

    read = check_sparse_file(options)
    read.check.require(options.accept)
    code = ["from pyfsagg.datasets import read_sparse_table", ""]
    code.append(f"X, y = read_sparse_table({options.table!r})")
    known = _rows_with_target(read.y)
    if read.y is not None and known is not None:
        X = read.X[known]
        read = replace(read, X=X, table=as_table(X, sparse=True, min_features=1), y=read.y[known])
        code.append("X, y = X[y.notna().to_numpy()], y[y.notna()]")
    return replace(read, code=code)

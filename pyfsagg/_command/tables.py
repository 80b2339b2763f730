"""From the flags of a command to the features and the target of its table."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pyfsagg._base.settings import Reading
from pyfsagg._command.parser import SPARSE, Terminal
from pyfsagg._command.results import name_of_table
from pyfsagg._message import rendered
from pyfsagg.exceptions import ParameterError, UnknownNameError

if TYPE_CHECKING:
    import pandas as pd

    from pyfsagg._table.findings import TableCheck
    from pyfsagg.datasets._checked import CheckedTable


@dataclass(frozen=True, eq=False)
class ReadTable:
    """The table of a command as it was `checked`, with its `check`, the `record` of its reading and `notes`
    on choices made by default in the words of the terminal, and the `code` that reads it."""

    checked: CheckedTable
    check: TableCheck
    record: dict[str, Any]
    notes: Sequence[str]
    code: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        checked: CheckedTable,
        door: Terminal,
        record: Mapping[str, Any],
        notes: Sequence[str] | None = None,
    ) -> Self:
        """A table that was checked, with `notes` on how its cells were read, if there was a choice."""
        check = checked.check.spelled(door)
        said = (*(notes or ()), *(rendered(note, door) for note in checked.notes))
        found = {} if notes is None else {"found": list(said)}
        return cls(checked, check, {**record, **found, **check.record()}, said)

    @property
    def X(self) -> Any:  # noqa: N802 - as everywhere
        """The features as they were read."""
        return self.checked.X

    @property
    def y(self) -> pd.Series[Any] | pd.DataFrame | None:
        """The target; of survival its times and events."""
        return self.checked.y

    @property
    def groups(self) -> Any:
        """The subject of each row, if a column of them was named."""
        return self.checked.groups

    @property
    def view(self) -> dict[str, Any]:
        """The origin of a result, as in :data:`pyfsagg._run.result.ORIGIN`."""
        return {"data_name": self.record["file"], "reading": self.code, "read": self.record}

    @property
    def lines(self) -> list[str]:
        """What was read, for the terminal."""
        lines = [f"read: {line}" for line in (*self.check.facts, *self.notes)]
        return [*lines, *(f"check: {finding}" for finding in self.check.findings)]


def is_saved(sources: Iterable[str]) -> bool:
    """Whether a source is a saved result, which is a folder."""
    return any(Path(source).is_dir() for source in sources)


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
    from pyfsagg._table.source import TableSource, read_source
    from pyfsagg.datasets import load_dataset
    from pyfsagg.datasets._checked import CheckedTable

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
    target, event = _with_event(target, source.frame.columns)
    task = getattr(options, "task", "classification")
    try:
        checked = CheckedTable.of(
            source.frame,
            target,
            groups=groups,
            event=event,
            nominal=getattr(options, "nominal", None),
            task=task,
            transposed=how.transpose,
        )
    except UnknownNameError:
        if own is None:
            raise
        raise UnknownNameError("column", target, source.frame.columns, meant=own) from None
    return ReadTable.of(checked, Terminal(options.parser), source.record, source.notes)


def _with_event(
    target: str | list[str] | None, columns: pd.Index[Any]
) -> tuple[str | list[str] | None, str | None]:
    """The columns of the target, and the value of an event that was named as in ``status=2``."""
    if not isinstance(target, list) or target[1] in columns:
        return target, None
    column, _, value = target[1].rpartition("=")
    return ([target[0], column], value) if column in columns else (target, None)


def _names(columns: str | list[str] | None) -> list[str]:
    return [columns] if isinstance(columns, str) else columns or []


def load_table(
    options: argparse.Namespace, target: str | list[str] | None = None, groups: str | None = None
) -> ReadTable:
    """Read the table of a command, and refuse what would spoil a run."""
    import pandas as pd

    read = check_file(options, target, groups)
    if isinstance(read.y, pd.DataFrame):  # of --event COLUMN=VALUE the column alone
        target = list(map(str, read.y.columns))
    changes, event = [], read.checked.event
    if event is not None:
        data = f"data[{_names(target)[1]!r}]"
        changes.append(f"{data} = ({data} == {event!r}).astype(float).where({data}.notna())")
    read.check.require(options.accept)
    known = read.checked.with_target()
    if known.X.shape != read.X.shape:
        every = ".all(axis=1)" if isinstance(read.y, pd.DataFrame) else ""
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
    return replace(read, checked=known, code=code)


def check_sparse_file(options: argparse.Namespace) -> ReadTable:
    """Read and check a sparse file; its columns have no names, its labels are in a second file."""
    from pyfsagg.datasets import read_sparse_table
    from pyfsagg.datasets._checked import CheckedTable

    refuse_reading_flags(options, "is a sparse table", "drop")
    for flag in ("target", "event", "drop", "groups", "nominal"):
        if getattr(options, flag, None):
            raise ParameterError(
                f"--{flag} names columns, and those of the sparse table {options.table} have no names; "
                "its labels are in the file or beside it, and its features are called x0, x1, …"
            )
    X, y = read_sparse_table(options.table)
    checked = CheckedTable.of(X, y, task=options.task)
    record = {**read_files([options.table]), "format": "sparse"}
    return ReadTable.of(checked, Terminal(options.parser, SPARSE), record)


def load_sparse(options: argparse.Namespace) -> ReadTable:
    """Read the sparse table of a command, and refuse what would spoil a run."""
    read = check_sparse_file(options)
    read.check.require(options.accept)
    known = read.checked.with_target()
    code = ["from pyfsagg.datasets import read_sparse_table", ""]
    code.append(f"X, y = read_sparse_table({options.table!r})")
    if known.X.shape != read.X.shape:
        code.append("X, y = X[y.notna().to_numpy()], y[y.notna()]")
    return replace(read, checked=known, code=code)

"""The fields of a result say once how they are kept; what is written, read and shown derives from them.

By its type a field is an array (kept in ``matrices.npz``), a data frame, another dataclass, or JSON as it
is.  :func:`stored` adds what the type cannot say: ``field(metadata=stored(file="ranking.csv"))``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Union, cast, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Stored:
    """What a field declares in addition to its type; see :func:`stored`."""

    kept: bool = True
    key: str | None = None
    file: str | None = None
    index: str | None = None
    words: Sequence[str] = ()
    types: Mapping[str, Any] = field(default_factory=dict)
    array: bool = False
    names: str = "{}"
    start: int = 0
    shared: Sequence[str] = ()
    without: Sequence[str] = ()
    write: Callable[[Any], Any] | None = None
    read: Callable[[Any], Any] | None = None
    columns: Sequence[str] | None = None


def stored(**options: Any) -> dict[str, Stored]:
    """The metadata of a field."""
    return {"stored": Stored(**options)}


def columns(*names: str) -> dict[str, Stored]:
    """The metadata of a field for :func:`row_of`: names of its columns, if they differ from its name."""
    return stored(columns=names)


@dataclass(frozen=True)
class Parts:
    """A dataclass as it is kept."""

    record: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, Any] = field(default_factory=dict)
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)


@dataclass(frozen=True)
class _Kept:
    """A field, its type without None, and its declaration."""

    name: str
    type: Any
    optional: bool
    how: Stored
    field: Field[Any]

    @property
    def key(self) -> str:
        return self.how.key or self.name

    @property
    def part(self) -> Any:
        """The dataclass of which the field has one, several in a tuple, or a mapping; None for others."""
        types = (self.type, *get_args(self.type))
        return next((one for one in types if isinstance(one, type) and is_dataclass(one)), None)

    @property
    def is_array(self) -> bool:
        return self.how.array or _is_array(self.type)

    @property
    def is_keyed(self) -> bool:
        return isinstance(origin := get_origin(self.type), type) and issubclass(origin, Mapping)

    def is_default(self, value: Any) -> bool:
        return value is None or (self.field.default is not MISSING and value == self.field.default)

    def of_part(self, part: Any) -> str:
        """Names of the arrays of one of several parts."""
        return self.how.names.replace("{part}", str(part))


def _is_array(hint: Any) -> bool:
    return getattr(get_origin(hint), "__name__", "") == "ndarray"


@cache
def _fields(cls: Any) -> tuple[_Kept, ...]:
    """The kept fields of a dataclass; the names in their types must be known in its module."""
    hints = get_type_hints(cls)
    hows = ((one, one.metadata.get("stored", Stored())) for one in fields(cls))
    return tuple(
        _Kept(one.name, *_without_none(hints[one.name]), how, one)
        for one, how in hows
        if how.kept and not one.name.startswith("_")
    )


def _without_none(hint: Any) -> tuple[Any, bool]:
    if get_origin(hint) not in (Union, UnionType):
        return hint, False
    rest = [one for one in get_args(hint) if one is not NoneType]
    return (rest[0] if len(rest) == 1 else Any), len(rest) < len(get_args(hint))


# Writing.


def to_parts(
    value: Any, *, arrays: bool = True, names: str = "{}", without: Sequence[str] = ()
) -> Parts:
    """The record, the arrays and the tables of a dataclass; without `arrays` these are in the record, too."""
    parts, cls = Parts(), cast(Any, type(value))
    for kept in _fields(cls):
        if kept.name not in without:
            _write(kept, getattr(value, kept.name), parts, names, arrays)
    return parts


def _write(kept: _Kept, value: Any, parts: Parts, names: str, arrays: bool) -> None:
    how, key = kept.how, kept.key
    if how.write is not None:
        if not kept.is_default(value):
            parts.record[key] = how.write(value)
    elif how.file is not None:
        tables = value if kept.is_keyed else {} if value is None else {"": value}
        parts.tables.update({how.file.format(name): frame for name, frame in tables.items()})
        if kept.is_keyed:
            parts.record[key] = list(value)
        elif kept.optional:
            parts.record[key] = value is not None
    elif arrays and kept.is_array:
        if value is not None:
            import numpy as np

            parts.arrays[names.format(key)] = np.asarray(value)
    elif kept.part is not None:
        if not kept.is_default(value):
            parts.record[key] = _parts(kept, value, parts, arrays)
    elif arrays and kept.is_keyed and _is_array(get_args(kept.type)[1]):
        parts.record[key] = [list(name) if isinstance(name, tuple) else name for name in value]
        named = {kept.of_part(i): array for i, array in enumerate(value.values(), how.start)}
        parts.arrays.update(named)
    else:
        parts.record[key] = plain(value)


def _parts(kept: _Kept, value: Any, parts: Parts, arrays: bool) -> Any:
    """The records of the dataclasses in a field; their arrays are added."""

    def one(key: Any, part: Any) -> dict[str, Any]:
        without = (*kept.how.shared, *kept.how.without)
        inner = to_parts(part, arrays=arrays, names=kept.of_part(key), without=without)
        parts.arrays.update(inner.arrays)
        return inner.record

    if kept.is_keyed:
        return {key: one(key, part) for key, part in value.items()}
    if isinstance(value, tuple):
        return [one(i, part) for i, part in enumerate(value, kept.how.start)]
    return one(kept.how.start, value)


def plain(value: Any) -> Any:
    """A value as JSON knows it: a number that is not finite is None, a data frame its columns and rows."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (tuple, list)):
        return list(map(plain, value))
    if is_dataclass(value) and not isinstance(value, type):
        return to_parts(value, arrays=False).record
    if hasattr(value, "iloc"):
        # Columns and rows, which is shorter than a mapping per row; with its labels if they have a name.
        cells = value.astype(object).where(value.notna(), None).to_numpy().tolist()
        if value.index.name is None:
            return {"columns": list(value.columns), "rows": cells}
        return {"index": value.index.tolist(), "columns": list(value.columns), "data": cells}
    return value  # the writer of JSON knows numbers of NumPy, arrays and mappings


def as_record(value: Any) -> Any:
    """What JSON does not know as plain values; NaN of arrays as None."""
    import numpy as np

    if isinstance(value, np.ndarray):
        cells = value.astype(object)
        if value.dtype.kind == "f":
            cells[np.isnan(value)] = None
        return cells.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)


# Reading.


def from_parts(
    cls: type,
    record: Mapping[str, Any],
    source: Any = None,
    names: str = "{}",
    known: Mapping[str, Any] | None = None,
) -> Any:
    """The dataclass of a record and of a source of `arrays` and frames, if any; `known` are not read."""
    values = dict(known or {})
    for kept in _fields(cls):
        if kept.name not in values:
            value = _read(kept, record, source, names, values)
            if value is not MISSING:
                values[kept.name] = value
    return cls(**values)


def _read(
    kept: _Kept, record: Mapping[str, Any], source: Any, names: str, known: Mapping[str, Any]
) -> Any:
    """The value of a field in the files; MISSING for its default."""
    how, key = kept.how, kept.key
    if how.file is not None and source is not None:
        about: dict[str, Any] = {"index": how.index, "words": how.words, "types": how.types}
        if kept.is_keyed:
            return {
                name: source.frame(how.file.format(name), **about) for name in record.get(key, ())
            }
        there = not kept.optional or record.get(key)
        return source.frame(how.file, **about) if there else None
    if kept.is_array and source is not None:
        name = names.format(key)
        if kept.optional and name not in source.arrays:
            return None
        array = source.arrays[name]
        return array if _is_array(kept.type) else tuple(array.tolist())
    has_default = (kept.field.default, kept.field.default_factory) != (MISSING, MISSING)
    if key not in record and (has_default or kept.optional):
        return MISSING if has_default else None
    value = record[key]
    if how.read is not None:
        return how.read(value)
    if kept.part is not None and value is not None:
        common = {one: known[one] for one in how.shared}

        def part(key: Any, inner: Mapping[str, Any]) -> Any:
            return from_parts(kept.part, inner, source, kept.of_part(key), common)

        if kept.is_keyed:
            return {key: part(key, inner) for key, inner in value.items()}
        if isinstance(value, list):
            return tuple(part(i, inner) for i, inner in enumerate(value, how.start))
        return part(how.start, value)
    if kept.is_keyed and isinstance(value, list) and source is not None:
        labels = [tuple(label) if isinstance(label, list) else label for label in value]
        return {label: source.arrays[kept.of_part(i)] for i, label in enumerate(labels, how.start)}
    if value is None and kept.optional:
        return None
    return _restored(kept.type, value, how)


def _restored(hint: Any, value: Any, how: Stored) -> Any:
    """A plain value as the type of its field."""
    if hint is float:
        return math.nan if value is None else value
    if get_origin(hint) is tuple:
        inner = get_args(hint)
        types = inner[:1] * len(value) if inner[1:] == (...,) else inner
        pairs = zip(types, value, strict=True)
        return tuple(_restored(_without_none(part)[0], cell, how) for part, cell in pairs)
    if _is_array(hint):
        import numpy as np

        return np.array(value, dtype=get_args(get_args(hint)[1])[0])
    if getattr(hint, "__name__", "") == "DataFrame":
        import pandas as pd

        rows = value["rows"] if "rows" in value else value["data"]
        index = pd.Index(value["index"], name=how.index) if "index" in value else None
        frame = pd.DataFrame(rows, index, columns=value["columns"])
        # Columns without any value contain missing numbers.
        empty = [name for name in frame if frame[name].isna().all()]
        return frame.astype(dict.fromkeys(empty, float))
    return value


# Showing.


def row_of(value: Any) -> dict[str, Any]:
    """The fields of a dataclass as cells of one row; an interval has two, which are missing if it is None."""
    row: dict[str, Any] = {}
    for one in fields(value):
        columns = one.metadata.get("stored", Stored()).columns
        cell = getattr(value, one.name)
        if columns is None:
            row[one.name] = cell
        elif len(columns) == 1:
            row[columns[0]] = math.nan if cell is None else cell
        elif columns:
            if is_dataclass(cell):
                cell = row_of(cell).values()
            cells = (math.nan,) * len(columns) if cell is None else cell
            row |= dict(zip(columns, cells, strict=True))
    return row


def _short(value: Any) -> str:
    """A field for the eye; empty for what has no short form."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (bool, int, str)):
        return repr(value)
    if isinstance(value, tuple) and len(value) <= 3:
        return f"({', '.join(map(_short, value))})" if value else ""
    if hasattr(value, "shape"):
        return f"<{' x '.join(map(str, value.shape))}>"
    return f"<{len(value)}>" if isinstance(value, (tuple, list)) else ""


class Part:
    """A dataclass that is written, read and shown by its fields: a part of a result, or a small one."""

    def to_json(self) -> str:
        """The fields as a JSON object; missing and infinite numbers are null."""
        return json.dumps(self._contents(), default=as_record, allow_nan=False, ensure_ascii=False)

    def _contents(self) -> dict[str, Any]:
        """What :meth:`to_json` says."""
        return to_parts(self, arrays=False).record

    def __repr__(self) -> str:
        shown = [
            f"{one.name}={text}"
            for one in fields(self)  # type: ignore[arg-type]
            if (text := _short(getattr(self, one.name)))
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


class Finding(Part):
    """A part that says in one sentence what was found."""

    @property
    def sentence(self) -> str:
        """The finding in one sentence."""
        raise NotImplementedError

    @property
    def sentences(self) -> tuple[str, ...]:
        """`sentence`, as every result has it."""
        return (self.sentence,)

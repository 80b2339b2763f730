"""How results of this room are kept: frames in one JSON file, beside the record of the run."""

from __future__ import annotations

import datetime
import json
import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, ClassVar, Self

import pandas as pd

from pyfsagg._base.output import new_file
from pyfsagg._table.identity import versions
from pyfsagg.exceptions import OutputError

__all__ = ["JsonResult", "Log", "as_rows", "record", "silent"]

Log = Callable[[str], None]
"""Called with a line on each step of a long run."""


def silent(_: str) -> None:
    """A :data:`Log` that drops its lines."""


def record() -> dict[str, Any]:
    """Machine, versions and date of a run that is kept."""
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "versions": versions(),
    }


def as_rows(frame: pd.DataFrame) -> dict[str, Any]:
    """Columns and rows: shorter than a mapping per row."""
    plain = frame.astype(object).where(frame.notna(), None)
    return {"columns": list(frame.columns), "rows": plain.to_numpy().tolist()}


def _as_frame(document: Mapping[str, Any]) -> pd.DataFrame:
    """What :func:`as_rows` was given; columns without any value hold missing numbers."""
    frame = pd.DataFrame(document["rows"], columns=document["columns"])
    empty = [name for name in frame if frame[name].isna().all()]
    return frame.astype(dict.fromkeys(empty, float))


class JsonResult:
    """A dataclass of frames and mappings that is kept as one JSON file."""

    kind: ClassVar[str]
    schema: ClassVar[int] = 1
    frames: ClassVar[tuple[str, ...]]
    """The fields that are data frames; the others are JSON as they are."""

    def derived(self) -> dict[str, Any]:
        """What a reader of the file wants to see although it follows from the fields."""
        return {}

    def to_json(self) -> str:
        """Everything as JSON text; missing values are null."""
        document = {"schema": self.schema, "kind": self.kind, **self.derived()}
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            document[field.name] = as_rows(value) if field.name in self.frames else value
        return json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write one JSON file, completely or not at all; an existing one is replaced.

        Raises
        ------
        OutputError
            If it cannot be written.
        """
        with new_file(path) as draft:
            draft.write_text(self.to_json() + "\n", encoding="utf-8")
        return Path(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file of :meth:`save`.

        Raises
        ------
        OutputError
            If there is no such file, or if it is damaged or of another kind or schema.
        """
        try:
            document = json.loads(Path(path).read_text(encoding="utf-8"))
            found = document.get("kind"), document.get("schema")
            if found != (cls.kind, cls.schema):
                raise OutputError(
                    f"{path} holds a {found[0]!r} of schema {found[1]!r}; this version reads a "
                    f"{cls.kind!r} of schema {cls.schema}"
                )
            names = [field.name for field in fields(cls)]  # type: ignore[arg-type]
            return cls(
                **{
                    name: _as_frame(document[name]) if name in cls.frames else document[name]
                    for name in names
                }
            )
        except OutputError:
            raise
        except OSError as error:
            raise OutputError(f"cannot read {path}: {error.strerror or error}") from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise OutputError(f"{path} is damaged: {error!r}") from None

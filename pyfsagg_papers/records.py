"""How results of this room are kept: frames in the record, beside date, machine and versions."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg.extending import Block, Result, Text, versions

Floats = NDArray[np.float64]

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


class JsonResult(Result):
    """A dataclass of frames and mappings whose record says all; it may be one JSON file."""

    _one_file: ClassVar[bool] = True
    frames: ClassVar[tuple[str, ...]]
    """The fields that are data frames; the others are JSON as they are."""

    def derived(self) -> dict[str, Any]:
        """What a reader of the file wants to see although it follows from the fields."""
        return {}

    def to_frame(self) -> pd.DataFrame:
        """The first of `frames`."""
        first: pd.DataFrame = getattr(self, self.frames[0])
        return first

    def conclusions(self) -> list[str]:
        """The result in sentences."""
        raise NotImplementedError

    def _origin(self) -> dict[str, Any]:
        return {}  # a field of its own says how it was made

    def _record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        document = self.derived()
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            document[field.name] = as_rows(value) if field.name in self.frames else value
        return document

    @classmethod
    def _from_files(cls, saved: Any) -> Self:
        names = [field.name for field in fields(cls)]  # type: ignore[arg-type]
        document = saved.document
        return cls(
            **{
                name: _as_frame(document[name]) if name in cls.frames else document[name]
                for name in names
            }
        )

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        return [Text(sentence) for sentence in self.conclusions()]

    def _code(self, view: Mapping[str, Any]) -> str | None:
        return None  # the page names the command that repeats it

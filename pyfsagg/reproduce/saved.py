"""Results of this room as one JSON file: frames, the record of the run, reading and writing."""

from __future__ import annotations

import datetime
import json
import os
import platform
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from pyfsagg._base.output import new_file
from pyfsagg._table.identity import versions
from pyfsagg.exceptions import OutputError

__all__ = ["as_frame", "as_rows", "read_document", "record", "write_document"]

Result = TypeVar("Result")


def record() -> dict[str, Any]:
    """Machine, versions and date of a run that is kept."""
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "versions": versions(),
    }


def as_rows(frame: pd.DataFrame) -> dict[str, Any]:
    """Columns and rows as JSON has them; what is missing is null."""
    cells = frame.astype(object).where(frame.notna(), None)
    return {"columns": list(frame.columns), "rows": cells.to_numpy().tolist()}


def as_frame(document: Mapping[str, Any]) -> pd.DataFrame:
    """What :func:`as_rows` was given; columns without any value hold missing numbers."""
    frame = pd.DataFrame(document["rows"], columns=document["columns"])
    empty = [name for name in frame if frame[name].isna().all()]
    return frame.astype(dict.fromkeys(empty, float))


def write_document(path: str | os.PathLike[str], text: str) -> Path:
    """Write a file that appears complete or not at all; an existing one is replaced.

    Raises
    ------
    OutputError
        If it cannot be written.
    """
    with new_file(path) as draft:
        draft.write_text(text + "\n", encoding="utf-8")
    return Path(path)


def read_document(
    path: str | os.PathLike[str], kind: str, schema: int, build: Callable[[dict[str, Any]], Result]
) -> Result:
    """The result that `build` makes of a file of this kind and schema.

    Raises
    ------
    OutputError
        If there is no such file, it is damaged, or it is of another kind or schema.
    """
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        found = document.get("kind"), document.get("schema")
        if found != (kind, schema):
            raise OutputError(
                f"{path} holds a {found[0]!r} of schema {found[1]!r}; this version reads a "
                f"{kind!r} of schema {schema}"
            )
        return build(document)
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"cannot read {path}: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise OutputError(f"{path} is damaged: {error!r}") from None

"""The result of a reproduction of all papers: cells, statements, and one JSON file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from pyfsagg._output import new_file
from pyfsagg.exceptions import OutputError
from pyfsagg.reproduce.tables import VERDICTS, coverage

__all__ = ["Reproduction"]

SCHEMA = 1
KIND = "reproduction"
_FRAMES = ("cells", "statements", "times")
BY = ("paper", "table", "dataset", "measure")


@dataclass(frozen=True, eq=False)
class Reproduction:
    """Result of :func:`pyfsagg.reproduce.reproduce_all`.

    Attributes
    ----------
    cells : DataFrame
        One row per published cell, as of :func:`pyfsagg.reproduce.table`.
    statements : DataFrame
        One row per statement and basis, as of :func:`pyfsagg.reproduce.claims`.
    times : DataFrame
        ``table``, ``dataset``, ``seconds`` that the computation took when it was done; repetitions
        from a cache bring theirs.
    record : dict
        Date, machine, versions, seed, whether quick, settings by table, elapsed seconds.
    """

    cells: pd.DataFrame
    statements: pd.DataFrame
    times: pd.DataFrame
    record: Mapping[str, Any]

    def coverage(self, by: Sequence[str] = BY) -> pd.DataFrame:
        """Cells inside, near, outside and not checkable, by groups of cells.

        Parameters
        ----------
        by : sequence of str
            Some of ``paper``, ``table``, ``dataset``, ``measure``, ``row``.

        Returns
        -------
        DataFrame
            As of :func:`pyfsagg.reproduce.coverage`.
        """
        return coverage(self.cells, by)

    def not_checkable(self) -> pd.DataFrame:
        """Why cells cannot be checked: ``paper``, ``table``, ``dataset``, ``reason``, ``n_cells``."""
        lost = self.cells[self.cells["verdict"] == VERDICTS[-1]]
        keys = ["paper", "table", "dataset", "reason"]
        return lost.groupby(keys, sort=False).size().rename("n_cells").reset_index()

    def to_frame(self) -> pd.DataFrame:
        """The cells."""
        return self.cells.copy()

    def to_json(self) -> str:
        """Everything as JSON text; what is missing is null."""
        document = {
            "schema": SCHEMA,
            "kind": KIND,
            "record": self.record,
            "coverage": _records(self.coverage().reset_index()),
            **{name: _records(getattr(self, name)) for name in _FRAMES},
        }
        return json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write one JSON file, which appears complete or not at all; an existing one is replaced.

        Raises
        ------
        OutputError
            If it cannot be written.
        """
        with new_file(path) as draft:
            draft.write_text(self.to_json() + "\n", encoding="utf-8")
        return Path(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Reproduction:
        """Read what :meth:`save` wrote.

        Raises
        ------
        OutputError
            If there is no such file, it is damaged, or it is of another kind or schema.
        """
        try:
            document = json.loads(Path(path).read_text(encoding="utf-8"))
            kind, schema = document.get("kind"), document.get("schema")
            if (kind, schema) != (KIND, SCHEMA):
                raise OutputError(
                    f"{path} holds a {kind!r} of schema {schema!r}; this version reads a "
                    f"{KIND!r} of schema {SCHEMA}"
                )
            frames = {name: _frame(document[name]) for name in _FRAMES}
            return cls(record=document["record"], **frames)
        except OutputError:
            raise
        except OSError as error:
            raise OutputError(f"cannot read {path}: {error.strerror or error}") from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise OutputError(f"{path} is damaged: {error!r}") from None

    def __repr__(self) -> str:
        checkable = self.cells[self.cells["verdict"] != VERDICTS[-1]]
        inside = int((checkable["verdict"] == VERDICTS[0]).sum())
        quick = ", quick" if self.record["quick"] else ""
        return (
            f"Reproduction({inside} of {len(checkable)} checkable cells inside; "
            f"{len(self.cells) - len(checkable)} not checkable; {len(self.statements)} "
            f"statements{quick})"
        )


def _records(frame: pd.DataFrame) -> dict[str, Any]:
    cells = frame.astype(object).where(frame.notna(), None)
    return {"columns": list(frame.columns), "rows": cells.to_numpy().tolist()}


def _frame(document: Mapping[str, Any]) -> pd.DataFrame:
    frame = pd.DataFrame(document["rows"], columns=document["columns"])
    empty = [name for name in frame if frame[name].isna().all()]
    return frame.astype(dict.fromkeys(empty, float))

"""The result of a reproduction of all papers: cells, statements, and one JSON file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from pyfsagg.reproduce.saved import as_frame, as_rows, read_document, write_document
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
            "coverage": as_rows(self.coverage().reset_index()),
            **{name: as_rows(getattr(self, name)) for name in _FRAMES},
        }
        return json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write one JSON file, which appears complete or not at all; an existing one is replaced.

        Raises
        ------
        OutputError
            If it cannot be written.
        """
        return write_document(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Reproduction:
        """Read what :meth:`save` wrote.

        Raises
        ------
        OutputError
            If there is no such file, it is damaged, or it is of another kind or schema.
        """

        def build(document: dict[str, Any]) -> Reproduction:
            frames = {name: as_frame(document[name]) for name in _FRAMES}
            return cls(record=document["record"], **frames)

        return read_document(path, KIND, SCHEMA, build)

    def __repr__(self) -> str:
        checkable = self.cells[self.cells["verdict"] != VERDICTS[-1]]
        inside = int((checkable["verdict"] == VERDICTS[0]).sum())
        quick = ", quick" if self.record["quick"] else ""
        return (
            f"Reproduction({inside} of {len(checkable)} checkable cells inside; "
            f"{len(self.cells) - len(checkable)} not checkable; {len(self.statements)} "
            f"statements{quick})"
        )

"""The result of a reproduction of all papers: cells, statements, and one JSON file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from pyfsagg.reproduce.all_papers.lead import lead
from pyfsagg.reproduce.records import JsonResult, as_rows
from pyfsagg.reproduce.tables.comparison import VERDICTS, coverage
from pyfsagg.reproduce.tables.evidence import evidence

__all__ = ["Reproduction"]

BY = ("paper", "table", "dataset", "measure")


@dataclass(frozen=True, eq=False)
class Reproduction(JsonResult):
    """Result of :func:`pyfsagg.reproduce.reproduce_all`.

    Attributes
    ----------
    cells : DataFrame
        One row per published cell, as of :func:`pyfsagg.reproduce.table`.
    statements : DataFrame
        One row per statement and basis, as of :func:`pyfsagg.reproduce.claims`.
    times : DataFrame
        ``table``, ``dataset``, ``seconds`` that the computation took when it was done; repetitions
        from a checkpoint bring theirs.
    record : dict
        Date, machine, versions, seed, whether quick, settings by table, elapsed seconds.
    """

    cells: pd.DataFrame
    statements: pd.DataFrame
    times: pd.DataFrame
    record: Mapping[str, Any]

    kind: ClassVar[str] = "reproduction"
    noun: ClassVar[str] = "reproduction"
    frames: ClassVar[tuple[str, ...]] = ("cells", "statements", "times")

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
        """Reasons why cells cannot be checked: ``paper``, ``table``, ``dataset``, ``reason``, ``n_cells``."""
        lost = self.cells[self.cells["verdict"] == VERDICTS[-1]]
        keys = ["paper", "table", "dataset", "reason"]
        return lost.groupby(keys, sort=False).size().rename("n_cells").reset_index()

    def conclusions(self) -> list[str]:
        """The conclusions of each paper that stand or change, with the reason; at most ten lines.

        A conclusion stands if it holds on every basis that decides it (printed table, own runs). It
        changes if it does not hold on one of them, or only under another reading. One that nothing decides
        is in neither list.
        """
        return lead(self.statements, quick=bool(self.record["quick"]))

    def to_frame(self) -> pd.DataFrame:
        """The cells."""
        return self.cells.copy()

    def derived(self) -> dict[str, Any]:
        """The conclusions and the coverage, as part of the saved file."""
        return {
            "conclusions": self.conclusions(),
            "coverage": as_rows(self.coverage().reset_index()),
        }

    def tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        return {
            "cells.csv": self.cells.join(evidence(self.cells)),
            "coverage.csv": self.coverage().reset_index(),
            "not_checkable.csv": self.not_checkable(),
            "statements.csv": self.statements,
            "times.csv": self.times,
        }

    def paragraphs(self, view: Mapping[str, Any]) -> list[str]:
        counts = self.coverage(["paper", "table"])
        text = counts.to_string(float_format="{:.2f}".format, na_rep="–")
        return ["\n".join(lines) for lines in (self.conclusions(), [text]) if lines]

    def __repr__(self) -> str:
        checkable = self.cells[self.cells["verdict"] != VERDICTS[-1]]
        inside = int((checkable["verdict"] == VERDICTS[0]).sum())
        quick = ", quick" if self.record["quick"] else ""
        return (
            f"Reproduction({inside} of {len(checkable)} checkable cells inside; "
            f"{len(self.cells) - len(checkable)} not checkable; {len(self.statements)} "
            f"statements{quick})"
        )

"""A reproduction of all papers: cells, statements, which conclusions stand, and one JSON file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from pyfsagg.extending import Block, PageColumn, PageTable, plural, readable
from pyfsagg_papers.records import JsonResult, as_rows
from pyfsagg_papers.statements.data import AGREES, OPEN, OTHERWISE, list_claims
from pyfsagg_papers.tables.comparison import VERDICTS, coverage, evidence

# -------------------------------------------------------------------------------------------------
# what a reader of the report wants first: which conclusions stand, which change, and why
# -------------------------------------------------------------------------------------------------

STATES = ("stands", "changes", "not checkable")
PAPER_WORDS = {
    "thesis": "Bootstrap aggregation (thesis)",
    "fpcps": "Ensembles of ranking filters (fpcps)",
    "frcm": "Consensus affinity (frcm)",
    "orders": "Rank-order spaces (orders)",
}
"""The papers as headings name them."""

OF_FIGURES = {
    "figure-7-1": "Koller-Sahami has the largest divergence",
    "figure-7-3": "CDV and Spoilers keep the planted features better than Greedy KL and Koller-Sahami",
    "figure-8-1": "Koller-Sahami is the least accurate",
    "figure-9-1": "the classes of figure 9 are coherent and distinct",
    "figure-10-1": "the classes of figure 10 are ill defined",
    "figure-11-3": "on Drosophila CDV and Spoilers are better than random subsets",
    "figure-12-1": "on leukaemia with two classes CDV is better than Spoilers",
    "figure-13-1": "on leukaemia with three classes CDV is better than Spoilers",
}
"""Conclusions among the statements on figures, which no data file lists."""

_BRIEF = re.compile(r"\s*(?:[.;]\s|\().*", re.DOTALL)


@dataclass(frozen=True)
class _Conclusion:
    """One conclusion with its state, and what a changed one is now."""

    paper: str
    words: str
    state: str
    why: str


def states(statements: pd.DataFrame) -> pd.DataFrame:
    """The state of each conclusion among the statements."""
    listed = {each.id: each for each in list_claims()}
    words = {name: each.conclusion for name, each in listed.items() if each.conclusion}
    words |= OF_FIGURES
    rows = []
    for name, own in statements.groupby("id", sort=False):
        if name not in words:
            continue
        found = [row for row in own.to_dict("records") if row["verdict"] != OPEN]
        verdicts = {row["verdict"] for row in found}
        state = "not checkable" if not found else "stands" if verdicts == {AGREES} else "changes"
        remark = listed[str(name)].remark if name in listed else ""
        why = _why(found, remark) if state == "changes" else ""
        rows.append(_Conclusion(str(own["paper"].iloc[0]), words[str(name)], state, why))
    return pd.DataFrame(rows, columns=["paper", "words", "state", "why"])


def _why(found: list[dict[Any, Any]], remark: str) -> str:
    """What each basis says of a conclusion that does not stand as it is, and the remark on it."""
    by_finding: dict[str, list[str]] = {}
    for row in found:
        by_finding.setdefault(_finding(row), []).append(row["basis"])
    parts = [f"{' and '.join(bases)}: {text}" for text, bases in by_finding.items()]
    return "; ".join([*parts, *([_inside(remark)] if remark else [])])


def _finding(row: dict[Any, Any]) -> str:
    if row["verdict"] == AGREES:
        return "it holds"
    if row["verdict"] == OTHERWISE:
        return f"only if {row['reading']}"
    text = _BRIEF.sub("", row["sentence"])
    test, found, p = text.partition(": p = ")
    return f"p = {p}" if found else _inside(test)


def _inside(sentence: str) -> str:
    """The sentence as a part of another one."""
    return f"{sentence[:1].lower()}{sentence[1:]}".rstrip(".")


def lead(statements: pd.DataFrame, *, quick: bool) -> list[str]:
    """At most ten lines: the counts, two lines for each paper, and what cannot be checked."""
    found = states(statements)
    if found.empty:
        return []
    return [_counts(found, quick), *_by_paper(found), *_open(found)]


def _counts(found: pd.DataFrame, quick: bool) -> str:
    counts = found["state"].value_counts().reindex(list(STATES), fill_value=0)
    stand, change, lost = counts.tolist()
    text = (
        f"Of {plural(len(found), 'conclusion')} of the papers, {stand} stand, {change} change because "
        f"the published table or own runs do not bear them out, and {lost} cannot be checked."
    )
    return f"{text} Own runs had quick settings, which are weaker evidence." if quick else text


def _by_paper(found: pd.DataFrame) -> Iterator[str]:
    for paper, own in found.groupby("paper", sort=False):
        for state, verb in (("stands", "stand"), ("changes", "change")):
            rows = own[own["state"] == state].to_dict("records")
            if rows:
                each = (f"{x['words']} ({x['why']})" if x["why"] else x["words"] for x in rows)
                yield f"{PAPER_WORDS[str(paper)]}, {verb}: {'; '.join(each)}."


def _open(found: pd.DataFrame) -> Iterator[str]:
    lost = found.loc[found["state"] == "not checkable"]
    if len(lost):
        yield f"Cannot be checked here: {'; '.join(lost['words'])}."


# -------------------------------------------------------------------------------------------------
# the result of a reproduction of all papers: cells, statements, and one JSON file
# -------------------------------------------------------------------------------------------------

BY = ("paper", "table", "dataset", "measure")


@dataclass(frozen=True, eq=False)
class Reproduction(JsonResult):
    """Result of :func:`pyfsagg_papers.reproduce_all`.

    Attributes
    ----------
    cells : DataFrame
        One row per published cell, as of :func:`pyfsagg_papers.table`.
    statements : DataFrame
        One row per statement and basis, as of :func:`pyfsagg_papers.claims`.
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

    _kind: ClassVar[str] = "reproduction"
    _noun: ClassVar[str] = "reproduction"
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
            As of :func:`pyfsagg_papers.coverage`.
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

    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        return {
            "cells.csv": self.cells.join(evidence(self.cells)),
            "coverage.csv": self.coverage().reset_index(),
            "not_checkable.csv": self.not_checkable(),
            "statements.csv": self.statements,
            "times.csv": self.times,
        }

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        counts = self.coverage(["paper", "table"]).reset_index()
        table = PageTable(
            "Verdicts by paper and table.",
            [
                PageColumn(readable(str(name)), numeric=name not in ("paper", "table"))
                for name in counts
            ],
            [
                [*map(str, row[:2]), *(f"{value:.4g}" for value in row[2:])]
                for row in counts.itertuples(index=False)
            ],
        )
        return [*super()._facts(view), table]

    def __repr__(self) -> str:
        checkable = self.cells[self.cells["verdict"] != VERDICTS[-1]]
        inside = int((checkable["verdict"] == VERDICTS[0]).sum())
        quick = ", quick" if self.record["quick"] else ""
        return (
            f"Reproduction({inside} of {len(checkable)} checkable cells inside; "
            f"{len(self.cells) - len(checkable)} not checkable; {len(self.statements)} "
            f"statements{quick})"
        )

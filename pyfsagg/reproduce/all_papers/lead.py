"""What a reader of the report wants first: which conclusions stand, which change, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from pyfsagg._base.words import plural
from pyfsagg.reproduce.statements.data import AGREES, OPEN, OTHERWISE, list_claims

__all__ = ["OF_FIGURES", "PAPER_WORDS", "lead", "states"]

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
    """The state of each conclusion among the statements.

    Parameters
    ----------
    statements : DataFrame
        As of :func:`pyfsagg.reproduce.claims`.

    Returns
    -------
    DataFrame
        ``paper``, ``words``, ``state`` ("stands": every basis that decides it bears it out;
        "changes": some basis does not, or only under another reading; "not checkable": none
        decides it) and ``why``, what each basis found for a conclusion that changes.
    """
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
    """At most ten lines: the counts, two lines for each paper, and what cannot be checked.

    Parameters
    ----------
    statements : DataFrame
        As of :func:`pyfsagg.reproduce.claims`; some of them are conclusions.
    quick : bool
        Whether own runs had quick settings.

    Returns
    -------
    list of str
        Empty if none of the statements is a conclusion.
    """
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

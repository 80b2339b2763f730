"""Sentences and tables about shipped runs, for the documentation: every figure is computed from the files."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

import pyfsagg_papers as reproduce
from pyfsagg.extending import data_folder

COLUMNS = ["inside", "near", "outside", "not checkable"]


def table(frame: pd.DataFrame, *, index: bool = False) -> str:
    """A frame as a Markdown table; numbers with four digits."""
    shown = frame.reset_index() if index else frame
    rows = [[str(name) for name in shown.columns], ["---"] * len(shown.columns)]
    rows += [[_cell(value) for value in row] for row in shown.itertuples(index=False)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text.replace("|", "\\|").replace("\n", " ")


def benchmark(name: str) -> dict[str, Any]:
    """The kept figures of a benchmark."""
    path = Path(__file__).resolve().parents[1] / "benchmarks" / f"{name}.json"
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def environments(part: Any) -> Iterator[dict[str, Any]]:
    """Where and of which code the parts of a record were made, however deep they stand in it."""
    for name, value in part.items() if isinstance(part, dict) else ():
        if name.startswith("environment"):
            yield value
        else:
            yield from environments(value)
    for value in part if isinstance(part, list) else ():
        yield from environments(value)


def made(record: dict[str, Any]) -> str:
    """When, where and with what a run was made."""
    versions = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
    return f"Run of {record['date']} on {record['machine']}; {versions}."


def cells(paper: str) -> str:
    """What became of the printed cells of a paper, by table and by run."""
    parts = []
    for name in reproduce.list_shipped_runs().index:
        run = reproduce.shipped_run(name)
        mine = run.cells[run.cells["paper"] == paper]
        if mine.empty:
            continue
        counts = reproduce.coverage(mine, ["table"]).reset_index()
        counts["data sets"] = [
            mine.loc[mine["table"] == each, "dataset"].nunique() for each in counts["table"]
        ]
        settings = "fewer resamples and folds" if run.record["quick"] else "settings of the paper"
        parts += [
            f"**{name}** ({settings}). {made(run.record)}",
            table(counts[["table", "data sets", *COLUMNS]]),
        ]
    return "\n\n".join(parts)


def statements(paper: str) -> str:
    """What became of the statements of a paper, and those that do not hold as they are printed."""
    run = reproduce.shipped_run("quick")
    mine = run.statements[run.statements["paper"] == paper]
    counts = mine.groupby(["basis", "verdict"]).size().unstack(fill_value=0)
    notable = mine[mine["verdict"].isin(["does not hold", "holds under another reading"])]
    listed = notable[["section", "basis", "statement", "published", "verdict", "sentence"]]
    return "\n\n".join(
        [
            table(counts, index=True),
            "Statements that do not hold as printed, or only under another reading:",
            table(listed.rename(columns={"published": "printed", "sentence": "what we find"})),
        ]
    )


def not_checkable(paper: str) -> str:
    """Why cells could not be checked."""
    lost = reproduce.shipped_run("quick").not_checkable()
    mine = lost[lost["paper"] == paper]
    reasons = mine.groupby(["table", "reason"])["n_cells"].sum().reset_index()
    return table(reasons.rename(columns={"n_cells": "cells"}))


def cross_check() -> dict[str, Any]:
    """The shipped outcome of ``pyfsagg cross-check``."""
    text = (data_folder() / "validation" / "cross_check.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document

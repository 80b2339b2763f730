"""Run designs, each repetition a simulation of its own seed, and set nominal beside measured."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from pyfsagg.exceptions import UnknownNameError
from pyfsagg.extending import check_integer, plural, run_tasks
from pyfsagg_papers.calibration.design import DESIGNS, ENOUGH, KINDS, NEAR, TOO_LARGE, Design
from pyfsagg_papers.records import JsonResult, Log, record, silent

# -------------------------------------------------------------------------------------------------
# the result of a calibration: nominal beside measured
# -------------------------------------------------------------------------------------------------

SHOWN = {
    "design": "Design",
    "inference": "Number",
    "kind": "Measures",
    "nominal": "Nominal",
    "accepted": "Accepted",
    "measured": "Measured",
    "error": "± s.e.",
    "runs": "Runs",
    "stated": "Stated",
    "verdict": "Verdict",
}
"""The columns that a reader is shown, with their heads."""


@dataclass(frozen=True, eq=False)
class Calibration(JsonResult):
    """Result of :func:`pyfsagg_papers.calibrate`.

    Attributes
    ----------
    rows : DataFrame
        One row per design and claim. ``measured`` is the mean over the repetitions and ``error`` its
        Monte Carlo standard error; ``stated`` is the share of repetitions in which the package gave
        a number at all; ``low`` and ``high`` are the accepted range.
    record : dict
        Machine, versions, date, seed and time.
    """

    rows: pd.DataFrame
    record: dict[str, Any]

    _kind: ClassVar[str] = "calibration"
    _noun: ClassVar[str] = "calibration"
    frames: ClassVar[tuple[str, ...]] = ("rows",)

    def to_frame(self) -> pd.DataFrame:
        """The rows."""
        return self.rows.copy()

    def not_kept(self) -> pd.DataFrame:
        """The rows whose claim was not kept, beyond the Monte Carlo error."""
        return self.rows[self.rows["verdict"] == "not kept"].copy()

    def conclusions(self) -> list[str]:
        """The results in sentences."""
        counts = self.rows["verdict"].value_counts()
        judged = int(counts.drop("not judged", errors="ignore").sum())
        cautious = int(counts.get("conservative", 0))
        inside = int(counts.get("kept", 0)) + cautious
        near = int(counts.get(NEAR, 0))
        sentences = [
            f"{inside} of {plural(judged, 'claim')} were kept ({cautious} conservative: the error is far "
            f"smaller than stated), {near} more within Monte Carlo error; {counts.get('refused', 0)} state "
            "no number."
        ]
        for caution, rows in self.not_kept().groupby("caution", sort=False):
            told = "; ".join(
                f"{row['inference']} ({row['design'] or row['simulation']}), {row['measured']:.3f} for "
                f"{row['nominal']:g}"
                for row in rows.to_dict(orient="records")
            )
            reason = str(caution).rstrip(".") or "users are not warned"
            sentences.append(f"Not kept: {told}: {reason}.")
        return sentences

    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        return {"calibration.csv": self.rows}


def shown_rows(rows: pd.DataFrame) -> list[dict[str, str]]:
    """The rows as text, by the heads of `SHOWN`."""
    return [_shown(row) for row in rows.to_dict(orient="records")]


def _shown(row: Mapping[Any, Any]) -> dict[str, str]:
    judged = row["low"] == row["low"]
    text = {
        **{name: str(row[name]) for name in ("design", "inference", "kind", "verdict")},
        "nominal": f"{row['nominal']:g}",
        "accepted": f"{row['low']:g} to {row['high']:g}" if judged else "–",
        "measured": _number(row["measured"]),
        "error": _number(row["error"]),
        "runs": f"{row['runs']:,}",
        "stated": f"{row['stated']:.0%}",
    }
    return {head: text[name] for name, head in SHOWN.items()}


def _number(value: float) -> str:
    return "–" if value != value else f"{value:.4f}"


def markdown(found: Calibration, designs: Iterable[Design]) -> str:
    """The page of the documentation: nominal and measured values, with the text of each design."""
    texts = {design.function.__name__: design.function.__doc__ or "" for design in designs}
    lines = [
        "# Calibration of p-values, intervals and bounds",
        "",
        "<!-- Written by tools/calibration.py from data/validation/calibration; do not edit. -->",
        "",
        "Every p-value, interval and error bound of this package, measured on simulated data with a known "
        "truth (`pyfsagg reproduce calibration`). *Measured* is the range over the designs of the means of "
        "their repetitions.",
        "",
        *(f"- **{kind}**: {meaning}" for kind, meaning in KINDS.items()),
        "",
        *(
            sentence + "\n"
            for sentence in [*found.conclusions(), _power_of_the_verdicts(found.rows)]
        ),
    ]
    lines += [PICTURES]
    for topic, of_topic in found.rows.groupby("topic", sort=False):
        lines += ["", f"## {str(topic).replace('_', ' ').capitalize()}"]
        for simulation, rows in of_topic.groupby("simulation", sort=False):
            text, table, target = (
                texts[str(simulation)].split(),
                overview(rows),
                rows["of"].unique(),
            )
            if len(target) == 1:  # said once rather than in each row
                text += f"*Refers to*: {target[0]}.".split() if target[0] else []
                table = [{head: row[head] for head in row if head != "Refers to"} for row in table]
            lines += ["", " ".join(text), "", _table(table)]
    return "\n".join(lines) + "\n"


def _power_of_the_verdicts(rows: pd.DataFrame) -> str:
    """What a verdict can miss."""
    of = rows[rows["kind"].isin(("level", "coverage"))]
    undecided = of[of["verdict"] == NEAR]
    few = undecided[undecided["runs"] < ENOUGH]
    return (
        f"A level or coverage is kept if it is within what is stated, and so far below an error of "
        f"{TOO_LARGE} times the stated one (a level of {TOO_LARGE * 0.05:.3f} for 0.05) that this one would "
        "have given a larger share with probability 0.9. A row that is neither kept nor missed is repeated "
        f"{ENOUGH:,} times, a second look; of {len(of):,} rows {len(undecided)} remain undecided, {len(few)} "
        f"of them with fewer repetitions. {int((of['runs'] < ENOUGH).sum()) - len(few):,} others have "
        "fewer, and were decided by these."
    )


PICTURES = """Every row is in a [file](_static/calibration.csv) with its design, range and Monte Carlo error.

```python prose
import base64
import io

from pyfsagg_papers import shipped_calibration

for kind in ("errors", "power"):
    store = io.BytesIO()
    shipped_calibration().plot(kind).figure.savefig(store, format="png", dpi=110)
    data = base64.b64encode(store.getvalue()).decode()
    print(f"![{kind}](data:image/png;base64,{data})\\n")
```"""
"""What stands above the tables of the page."""


def overview(rows: pd.DataFrame) -> list[dict[str, str]]:
    """A row of text for each number of a simulation: designs, range of the measured values, verdicts."""
    shown = []
    for inference, of in rows.groupby("inference", sort=False):
        verdicts = of["verdict"].value_counts()
        measured = of["measured"].dropna()
        span = "–"
        if len(measured):
            span = " to ".join(dict.fromkeys(_number(v) for v in (measured.min(), measured.max())))
        shown.append({
            "Number": f"`{inference}`",
            "Refers to": str(of["of"].iloc[0]) or "–",
            "Measures": str(of["kind"].iloc[0]),
            "Nominal": f"{of['nominal'].iloc[0]:g}",
            "Designs": str(len(of)),
            "Runs": f"{of['runs'].iloc[0]:,}",
            "Measured": span,
            "Verdicts": ", ".join(f"{number} {verdict}" for verdict, number in verdicts.items()),
        })  # fmt: skip
    return shown


def _table(rows: list[dict[str, str]]) -> str:
    cells = [list(rows[0]), ["---"] * len(rows[0]), *(list(row.values()) for row in rows)]
    return "\n".join("| " + " | ".join(row) + " |" for row in cells)


# -------------------------------------------------------------------------------------------------
# run designs: each repetition is a simulation of its own seed, wherever it runs
# -------------------------------------------------------------------------------------------------

_PIECES = 8
"""Tasks a worker gets of one design: few enough to cost nothing, many enough to share the work."""


@cache
def designs() -> list[Design]:
    """Every design, topic by topic."""
    from pyfsagg_papers.calibration import (  # noqa: F401 - each adds its designs
        adjusted,
        cells,
        lists,
        peers,
        rules,
        selections,
        shuffles,
        stability,
        statistics,
        studies,
        tables,
        unlike,
        weights,
    )

    return sorted(DESIGNS, key=lambda design: design.topic)


def topics() -> list[str]:
    """The topics of the designs."""
    return list(dict.fromkeys(design.topic for design in designs()))


def calibrate(
    only: str | Sequence[str] | None = None,
    *,
    where: str = "",
    quick: bool = False,
    random_state: int = 0,
    n_jobs: int | None = None,
    log: Log | None = None,
) -> Calibration:
    """Measure the level, coverage and error of p-values, intervals and bounds by simulation.

    Parameters
    ----------
    only : str or sequence of str, optional
        Topics, such as ``"lists"``; all by default.
    where : str
        A text that the name or the settings of a design must have; all by default.
    quick : bool
        One repetition for each twenty of a full run: minutes, with a larger Monte Carlo error.
    random_state : int
        Values do not depend on `n_jobs`.
    n_jobs : int, optional
        Processes.
    log : callable, optional
        Called with a line after each design.

    Returns
    -------
    Calibration
        One row per design and claim: nominal and measured value, with its Monte Carlo error.

    Examples
    --------
    >>> from pyfsagg_papers import calibrate
    >>> calibrate("lists", quick=True).to_frame()  # doctest: +SKIP
    """
    asked = topics() if only is None else [only] if isinstance(only, str) else list(only)
    for name in asked:
        if name not in topics():
            raise UnknownNameError("topic of the calibration", name, topics())
    say = log or silent
    seed = check_integer("random_state", random_state, low=0)
    start = time.perf_counter()
    rows: list[dict[str, object]] = []
    for design in (one for one in designs() if one.topic in asked and where in one.name):
        began = time.perf_counter()
        values = _values(design, range(design.repetitions(quick)), seed, n_jobs)
        few = not quick and len(values) < ENOUGH
        if few and any(map(_cannot_tell, _rows(design, values, 0.0))):
            more = _values(design, range(len(values), ENOUGH), seed, n_jobs)
            values = np.concatenate([values, more])
        seconds = time.perf_counter() - began
        rows += _rows(design, values, seconds)
        say(f"{design.topic}: {design.name}, {len(values)} repetitions in {seconds:.1f} s")
    return Calibration(
        pd.DataFrame(rows),
        {
            **record(),
            "quick": quick,
            "seed": seed,
            "elapsed_seconds": round(time.perf_counter() - start, 1),
        },
    )


def _cannot_tell(row: Mapping[str, object]) -> bool:
    return row["kind"] in ("level", "coverage") and row["verdict"] == NEAR


def _values(design: Design, numbers: range, seed: int, n_jobs: int | None) -> np.ndarray:
    """The values of repetitions of these numbers, shape (n, claims)."""
    n = len(numbers)
    pieces = np.array_split(np.asarray(numbers), min(n, _PIECES * (os.cpu_count() or 1)))
    place = designs().index(design)
    answers = run_tasks(_piece, (place, seed), pieces, n_jobs=n_jobs, threads=False)
    return np.concatenate(list(answers))


def _piece(shared: tuple[int, int], numbers: np.ndarray) -> np.ndarray:
    place, seed = shared
    design = designs()[place]
    return np.array([design.repeat(seed, int(number)) for number in numbers])


def _rows(design: Design, values: np.ndarray, seconds: float) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for claim, column in zip(design.claims, values.T, strict=True):
        stated = column[~np.isnan(column)]
        measured = float(stated.mean()) if len(stated) else np.nan
        spread = float(stated.std(ddof=1)) if len(stated) > 1 else np.nan
        error = spread / np.sqrt(max(len(stated), 1))
        low, high = claim.accept or (np.nan, np.nan)
        rows.append(
            {
                "topic": design.topic,
                "simulation": design.function.__name__,
                "design": design.settings_text,
                "inference": claim.inference,
                "kind": claim.kind,
                "of": claim.of,
                "nominal": claim.nominal,
                "low": low,
                "high": high,
                "measured": measured,
                "error": error,
                "runs": len(column),
                "stated": len(stated) / len(column),
                "verdict": claim.verdict(measured, error),
                "caution": claim.caution,
                "seconds": round(seconds, 1),
            }
        )
    return rows

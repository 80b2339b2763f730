"""The result of a calibration: nominal beside measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from pyfsagg._base.words import plural
from pyfsagg.reproduce.calibration._row import KINDS, Design
from pyfsagg.reproduce.records import JsonResult

__all__ = ["Calibration", "markdown", "shown_rows"]

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
    """Result of :func:`pyfsagg.reproduce.calibrate`.

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

    kind: ClassVar[str] = "calibration"
    noun: ClassVar[str] = "calibration"
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
        inside = int(counts.get("kept", 0))
        near = int(counts.get("within Monte Carlo error", 0))
        sentences = [
            f"{inside} of {plural(judged, 'claim')} were kept, {near} more within Monte Carlo error, "
            f"and in {counts.get('refused', 0)} no number was stated."
        ]
        for row in self.not_kept().to_dict(orient="records"):
            told = (row["caution"] or "the user is not warned").rstrip(".")
            where = row["design"] or row["simulation"]
            sentences.append(
                f"Not kept: {row['inference']} ({where}), nominal {row['nominal']:g}, measured "
                f"{row['measured']:.3f}: {told}."
            )
        return sentences

    def tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
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
        "Every p-value, interval and error bound of this package, measured on simulated data whose "
        "truth is known. *Measured* is a mean over the repetitions, with its Monte Carlo standard "
        "error; *stated* is the share of repetitions in which a number was given. "
        "`pyfsagg reproduce calibration` repeats it.",
        "",
        *(f"- **{kind}**: {meaning}" for kind, meaning in KINDS.items()),
        "",
        *found.conclusions(),
    ]
    for topic, of_topic in found.rows.groupby("topic", sort=False):
        lines += ["", f"## {str(topic).replace('_', ' ').capitalize()}"]
        for simulation, rows in of_topic.groupby("simulation", sort=False):
            lines += ["", " ".join(texts[str(simulation)].split()), ""]
            for inference, of in rows.groupby("inference", sort=False)["of"].first().items():
                if of:
                    lines.append(f"- `{inference}` is about {of}.")
            lines += ["", _table(shown_rows(rows))]
    return "\n".join(lines) + "\n"


def _table(rows: list[dict[str, str]]) -> str:
    cells = [list(SHOWN.values()), ["---"] * len(SHOWN), *(list(row.values()) for row in rows)]
    return "\n".join("| " + " | ".join(row) + " |" for row in cells)

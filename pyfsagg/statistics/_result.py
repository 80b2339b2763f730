"""What the results of all tests have in common, and how numbers read in a sentence."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import pandas as pd

__all__ = [
    "Result",
    "interval_text",
    "number_text",
    "p_text",
    "pairs_listed",
    "pairs_verdict",
    "significance_level",
    "verdict",
]


class Result(ABC):
    """A test result: a tidy frame and a sentence.  ``str(result)`` is the sentence."""

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """Tidy data frame with one row per effect."""

    @property
    @abstractmethod
    def sentence(self) -> str:
        """The result in one sentence."""

    def to_json(self) -> str:
        """The frame and the sentence as a JSON object; missing and infinite values are null."""
        frame = self.to_frame()
        rows = [
            {str(name): _plain(cell) for name, cell in row.items()}
            for row in frame.reset_index(drop=frame.index.name is None).to_dict(orient="records")
        ]
        return json.dumps({"rows": rows, "sentence": self.sentence})

    def __str__(self) -> str:
        return self.sentence


def _plain(cell: Any) -> Any:
    if hasattr(cell, "item"):
        cell = cell.item()
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def number_text(value: float) -> str:
    """Three significant digits, whole numbers as they are."""
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == round(value) and abs(value) < 1e6:
        return f"{value:.0f}".replace("-", "−")
    return f"{value:.3g}".replace("-", "−")


def p_text(p: float) -> str:
    """``p = 0.0134``, or ``p < 0.0001`` below that."""
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.3g}"


def interval_text(lower: float, upper: float, confidence: float) -> str:
    """``95 % interval 0.1 to 0.4``."""
    return f"{100 * confidence:.3g} % interval {number_text(lower)} to {number_text(upper)}"


def significance_level(confidence: float) -> float:
    """1 − confidence without the rounding error of the difference (0.05 for 0.95)."""
    return round(1.0 - confidence, 12)


def verdict(p: float, confidence: float, what: str) -> str:
    """``the groups differ significantly at the 5 % level``, or that they do not."""
    alpha = significance_level(confidence)
    level = f"at the {100 * alpha:.3g} % level"
    if p < alpha:
        return f"the {what} differ significantly {level}"
    return f"no significant difference between the {what} {level}"


def pairs_listed(found: Sequence[str]) -> str:
    """``: a; b; and 3 more``, the first five; empty without any."""
    more = [f"and {len(found) - 5} more"] if len(found) > 5 else []
    return ": " + "; ".join([*found[:5], *more]) if found else ""


def pairs_verdict(n_found: int, n_pairs: int, alpha: float) -> str:
    """``2 of 3 pairs differ significantly at the 5 % level``."""
    level = f"significantly at the {100 * alpha:.3g} % level"
    if n_found == 0:
        return (
            f"none of {n_pairs} pairs differs {level}"
            if n_pairs > 1
            else f"the pair does not differ {level}"
        )
    verb = "differs" if n_found == 1 else "differ"
    return (
        f"{n_found} of {n_pairs} pairs {verb} {level}"
        if n_pairs > 1
        else f"the pair differs {level}"
    )

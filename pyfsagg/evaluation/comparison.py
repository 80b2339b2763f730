"""Which differences between methods are real: the tests of the field, each with its sentence."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from pyfsagg._base.checks import check_real
from pyfsagg.exceptions import DataError, PyfsaggError
from pyfsagg.statistics import (
    critical_difference,
    friedman,
    nemenyi,
    pairwise_tests,
    rm_anova,
    win_tie_loss,
)

__all__ = ["Comparison", "compare_methods"]

TESTS = ("friedman", "critical_difference", "nemenyi", "rm_anova", "wilcoxon")
DECIMALS = 10  # differences below are rounding errors
NAMES = {
    "friedman": "Friedman's test",
    "critical_difference": "The critical difference",
    "nemenyi": "Nemenyi's test",
    "rm_anova": "The repeated-measures ANOVA",
    "wilcoxon": "Pairwise Wilcoxon tests",
    "win_tie_loss": "Wins, ties and losses",
}
SHARED_FOLDS = (
    "Folds share training rows, so that their results are not independent: the p-values are too "
    "small, and differences near the limit should not be relied on (Nadeau and Bengio 2003)."
)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Tests of the same values by method.

    Attributes
    ----------
    values : DataFrame (n_subjects, n_methods)
        What was compared; missing where a cell failed.
    what : str
        What the values are.
    tests : dict
        Results of ``friedman``, ``critical_difference``, ``nemenyi``, ``rm_anova`` and
        ``wilcoxon`` (pairwise, Holm) as in :mod:`pyfsagg.statistics`, and the frame
        ``win_tie_loss``.
    problems : dict
        Why a test is not among `tests`.
    remarks : tuple of str
        What is missing, and how independent the values are.
    alpha : float
    """

    values: pd.DataFrame
    what: str
    tests: Mapping[str, Any]
    problems: Mapping[str, str]
    remarks: tuple[str, ...]
    alpha: float

    @property
    def sentences(self) -> dict[str, str]:
        """What each test found, or why it could not be made."""
        found = {}
        for name in TESTS:
            if name in self.tests:
                found[name] = str(self.tests[name].sentence)
            elif name in self.problems:
                found[name] = f"{NAMES[name]} cannot be made: {self.problems[name]}."
        return found

    def to_frame(self) -> pd.DataFrame:
        """One row per method: ``mean``, ``sd``, ``n``, and ``average_rank`` (1 = best)."""
        frame = pd.DataFrame(
            {"mean": self.values.mean(), "sd": self.values.std(), "n": self.values.count()}
        ).rename_axis("method")
        diagram = self.tests.get("critical_difference")
        if diagram is not None:
            ranks = pd.Series(diagram.average_ranks, index=list(diagram.conditions))
            frame["average_rank"] = ranks.reindex(frame.index)
        return frame

    def to_json(self) -> str:
        """What was compared, the methods, and each test with its sentence as JSON text."""
        frame = self.to_frame().reset_index().astype(object)
        document = {
            "what": self.what,
            "alpha": self.alpha,
            "methods": frame.where(frame.notna(), None).to_dict("records"),
            "tests": {
                name: json.loads(self.tests[name].to_json()) for name in TESTS if name in self.tests
            },
            "problems": dict(self.problems),
            "remarks": list(self.remarks),
        }
        return json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False)

    def __str__(self) -> str:
        return "\n".join([f"Comparison of {self.what}", *self.sentences.values(), *self.remarks])

    def __repr__(self) -> str:
        n, k = self.values.shape
        return f"Comparison({self.what}; {k} methods, {n} subjects; {', '.join(self.tests)})"


def compare_methods(
    values: pd.DataFrame, *, what: str, higher_is_better: bool, alpha: float, subjects: str
) -> Comparison:
    """Make all tests that the values (n_subjects, n_methods) allow.

    Raises
    ------
    DataError
        If there are fewer than two methods.
    ParameterError
        If `alpha` is out of range.
    """
    check_real("alpha", alpha, low=0.0, high=1.0, low_open=True)
    if values.shape[1] < 2:
        raise DataError(
            f"a comparison needs at least two methods, got {list(values.columns)}; evaluate more, "
            "or let baselines take part"
        )
    level = 1.0 - alpha
    # Means of the same numbers in another order differ in the last bit; they are ties.
    values = values.round(DECIMALS)
    ranked: dict[str, Any] = {"higher_is_better": higher_is_better, "incomplete": "drop"}
    calls: dict[str, Callable[[], Any]] = {
        "friedman": lambda: friedman(values, confidence=level, **ranked),
        "critical_difference": lambda: critical_difference(values, alpha, **ranked),
        "nemenyi": lambda: nemenyi(values, alpha=alpha, **ranked),
        "rm_anova": lambda: rm_anova(values, confidence=level, incomplete="drop"),
        "wilcoxon": lambda: pairwise_tests(
            values,
            test="wilcoxon",
            adjust="holm",
            confidence=level,
            decimals=DECIMALS,
            incomplete="drop",
        ),
        "win_tie_loss": lambda: win_tie_loss(values, **ranked),
    }
    tests, problems = {}, {}
    for name, call in calls.items():
        try:
            tests[name] = call()
        except PyfsaggError as error:
            problems[name] = str(error)
    return Comparison(values, what, tests, problems, _remarks(values, subjects), alpha)


def _remarks(values: pd.DataFrame, subjects: str) -> tuple[str, ...]:
    missing = values.isna()
    remarks = []
    if missing.to_numpy().any():
        columns = ", ".join(str(name) for name in values.columns[missing.any()])
        remarks.append(
            f"{int(missing.any(axis=1).sum())} of {len(values)} {subjects} are left out of all "
            f"tests, because a cell failed or is missing for {columns}."
        )
    n = int((~missing.any(axis=1)).sum())
    if 2 <= n < 6:
        remarks.append(
            f"With {n} {subjects} the smallest p-value that a signed-rank test can have is "
            f"{2.0 ** (1 - n):.3g}, before any correction; more data sets would tell more."
        )
    if subjects == "folds":
        remarks.append(SHARED_FOLDS)
    return tuple(remarks)

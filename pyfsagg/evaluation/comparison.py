"""Which differences between methods are real: the tests of the field, each with its sentence.

Data sets are independent subjects, and rank tests and analysis of variance are made for those.  Folds
of one table are not: they share rows, and their tests count that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from pyfsagg._base.fields import Part
from pyfsagg._base.validation import check_real
from pyfsagg._message import Got, Remedy
from pyfsagg._run.result import records
from pyfsagg.exceptions import DataError, PyfsaggError
from pyfsagg.statistics import (
    bayesian_t_tests,
    critical_difference,
    friedman,
    nemenyi,
    pairwise_tests,
    rm_anova,
    win_tie_loss,
)
from pyfsagg.statistics._base import check_confidence_level

DECIMALS = 10  # differences below are rounding errors
NAMES = {
    "friedman": "Friedman's test",
    "critical_difference": "The critical difference",
    "nemenyi": "Nemenyi's test",
    "rm_anova": "The repeated-measures ANOVA",
    "wilcoxon": "Pairwise Wilcoxon tests",
    "corrected_t": "Corrected t tests",
    "bayesian_t": "Bayesian correlated t tests",
}
"""Tests with a sentence, in their order."""

SHARED_FOLDS = (
    "Folds share rows, so that their results are not independent: the tests account for this. "
    "They are about other tables of this size from the same population. Rank tests and analysis of "
    "variance need independent values, for instance of several data sets (evaluate_many)."
)
RANKED_ONCE = (
    "The features were ranked once, so that the tests are about these rankings and not about the "
    "methods that made them."
)


@dataclass(frozen=True, eq=False)
class Divisions:
    """Values (n_divisions, n_methods) of divisions of one table: its folds or repeats.

    `test_train_ratio` is test rows by training rows, `df` None for the number of divisions − 1, and
    `ranked_once` tells whether all divisions have the same rankings.
    """

    values: pd.DataFrame
    subjects: str
    test_train_ratio: float
    df: float | None
    ranked_once: bool


@dataclass(frozen=True, eq=False)
class MethodComparison(Part):
    """Tests of the same values by method.

    Attributes
    ----------
    values : DataFrame (n_subjects, n_methods)
        The compared values; missing where a cell failed.
    what, subjects : str
        Meaning of the values, and of the rows: "data sets", "folds" or "repeats".
    tests : dict
        Results as in :mod:`pyfsagg.statistics`, and the frame ``win_tie_loss``.  Over data sets
        ``friedman``, ``critical_difference``, ``nemenyi``, ``rm_anova`` and ``wilcoxon`` (pairwise,
        Holm); over folds ``corrected_t`` (pairwise, Holm) and ``bayesian_t``.
    problems : dict
        Why a test is not among `tests`.
    remarks : tuple of str
        Missing values, and the population of the tests.
    confidence_level : float
    divisions : Divisions or None
        How folds or repeats depend on each other; None for data sets.
    """

    values: pd.DataFrame
    what: str
    subjects: str
    tests: Mapping[str, Any]
    problems: Mapping[str, str]
    remarks: tuple[str, ...]
    confidence_level: float
    higher_is_better: bool
    divisions: Divisions | None = None

    def _scores(self) -> tuple[pd.DataFrame, dict[str, Any]]:
        """The table of scores and what standings have to know of it."""
        shared: dict[str, Any] = {"higher_is_better": self.higher_is_better}
        if self.divisions is None:
            return self.values, shared
        of_folds = {"test_train_ratio": self.divisions.test_train_ratio, "df": self.divisions.df}
        return self.values.assign(**{"\0": "the table"}), {**shared, **of_folds, "dataset": "\0"}

    @property
    def sentences(self) -> dict[str, str]:
        """The result of each test, or the reason why there is none."""
        sentences = {}
        for name, title in NAMES.items():
            if name in self.tests:
                sentences[name] = str(self.tests[name].sentence)
            elif name in self.problems:
                sentences[name] = f"{title} cannot be made: {self.problems[name]}."
        return sentences

    def to_frame(self) -> pd.DataFrame:
        """One row per method: ``mean``, ``sd``, ``n``, and ``average_rank`` (1 = best).

        Ranks are those of complete rows; they are missing if there is none.
        """
        frame = pd.DataFrame(
            {"mean": self.values.mean(), "sd": self.values.std(), "n": self.values.count()}
        ).rename_axis("method")
        complete = self.values.dropna()
        ranks = complete.rank(axis=1, ascending=not self.higher_is_better)
        frame["average_rank"] = ranks.mean().reindex(frame.index)
        return frame

    def _contents(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "confidence_level": self.confidence_level,
            "methods": records(self.to_frame().reset_index()),
            "tests": {name: self.tests[name]._contents() for name in NAMES if name in self.tests},
            "problems": self.problems,
            "remarks": self.remarks,
        }

    def __str__(self) -> str:
        return "\n".join([f"Comparison of {self.what}", *self.sentences.values(), *self.remarks])

    def __repr__(self) -> str:
        n, k = self.values.shape
        return f"MethodComparison({self.what}; {k} methods, {n} {self.subjects}; {', '.join(self.tests)})"


def compare_methods(
    values: pd.DataFrame,
    *,
    what: str,
    higher_is_better: bool,
    confidence_level: float,
    subjects: str,
) -> MethodComparison:
    """Make all tests of independent subjects that the values (n_subjects, n_methods) allow."""
    values = _check(values, confidence_level)
    level: dict[str, Any] = {"confidence_level": confidence_level, "missing": "drop"}
    ranked = {**level, "higher_is_better": higher_is_better}
    tests, problems = _make(
        {
            "friedman": lambda: friedman(values, **ranked),
            "critical_difference": lambda: critical_difference(values, **ranked),
            "nemenyi": lambda: nemenyi(values, **ranked),
            "rm_anova": lambda: rm_anova(values, **level),
            "wilcoxon": lambda: pairwise_tests(values, test="wilcoxon", decimals=DECIMALS, **level),
            "win_tie_loss": lambda: win_tie_loss(
                values, higher_is_better=higher_is_better, missing="drop"
            ),
        }
    )
    remarks = _missing(values, subjects)
    n = len(values.dropna())
    if 2 <= n < 6:
        remarks += (
            f"With {n} {subjects} the smallest p-value that a signed-rank test can have is "
            f"{2.0 ** (1 - n):.3g}, before any correction. Use more {subjects}.",
        )
    return MethodComparison(
        values, what, subjects, tests, problems, remarks, confidence_level, higher_is_better
    )


def divisions_of(
    folds: pd.DataFrame, *, protocol: str, n_folds: int, n_repeats: int, test_size: float | None
) -> Divisions:
    """What can be compared, from values by repeat and fold (index) and method (columns).

    Under the thesis protocol a repeat is one division; `test_size` is None if rankings were given.
    """
    if protocol == "thesis" and n_repeats > 1 and test_size is not None:
        groups = folds.groupby(level="repeat", sort=False)
        values = groups.mean().where(groups.count() == groups.size().max())
        values.index = pd.Index([f"repeat {r + 1}" for r in values.index], name="repeat")
        return Divisions(values, "repeats", test_size / (1.0 - test_size), None, False)
    names = [f"repeat {r + 1}, fold {f + 1}" for r, f in folds.index]
    values = folds.set_axis(pd.Index(names, name="fold"))
    # Repeats of one table say little about other tables: they add no degrees of freedom.
    df = n_folds - 1.0 if n_repeats > 1 else None
    return Divisions(values, "folds", 1.0 / (n_folds - 1.0), df, protocol != "nested")


def compare_folds(
    divisions: Divisions,
    *,
    what: str,
    higher_is_better: bool,
    confidence_level: float,
    rope: float | None,
) -> MethodComparison:
    """Make the tests of values that share rows."""
    values = _check(divisions.values, confidence_level)
    shared: dict[str, Any] = {
        "test_train_ratio": divisions.test_train_ratio,
        "df": divisions.df,
        "confidence_level": confidence_level,
        "missing": "drop",
    }
    calls: dict[str, Callable[[], Any]] = {
        "corrected_t": lambda: pairwise_tests(
            values, test="corrected_t", decimals=DECIMALS, **shared
        ),
        # Its sign test is one of independent subjects.
        "win_tie_loss": lambda: win_tie_loss(
            values, higher_is_better=higher_is_better, missing="drop"
        ).drop(columns="p"),
    }
    if rope is not None:
        check_real("rope", rope, low=0.0)
        calls["bayesian_t"] = lambda: bayesian_t_tests(values, rope=rope, **shared)
    tests, problems = _make(calls)
    remarks = (
        *_missing(values, divisions.subjects),
        SHARED_FOLDS,
        *([RANKED_ONCE] if divisions.ranked_once else []),
    )
    subjects = divisions.subjects
    return MethodComparison(
        values,
        what,
        subjects,
        tests,
        problems,
        remarks,
        confidence_level,
        higher_is_better,
        divisions,
    )


def _check(values: pd.DataFrame, confidence_level: float) -> pd.DataFrame:
    """The values without rounding errors."""
    check_confidence_level("confidence_level", confidence_level)
    if values.shape[1] < 2:
        raise DataError(
            "a comparison needs at least two methods",
            Got(list(values.columns)),
            Remedy("evaluate more, or let baselines take part"),
        )
    # Means of the same numbers in another order differ in the last bit; they are ties.
    return values.round(DECIMALS)


def _make(calls: Mapping[str, Callable[[], Any]]) -> tuple[dict[str, Any], dict[str, str]]:
    """The tests that can be made, and why the others cannot."""
    tests, problems = {}, {}
    for name, call in calls.items():
        try:
            tests[name] = call()
        except PyfsaggError as error:
            problems[name] = str(error)
    return tests, problems


def _missing(values: pd.DataFrame, subjects: str) -> tuple[str, ...]:
    missing = values.isna()
    if not missing.to_numpy().any():
        return ()
    columns = ", ".join(str(name) for name in values.columns[missing.any()])
    return (
        f"{int(missing.any(axis=1).sum())} of {len(values)} {subjects} are left out of all tests, "
        f"because a cell failed or is missing for {columns}.",
    )

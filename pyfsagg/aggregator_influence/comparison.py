"""Tests of the difference between aggregators, over folds or over data sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import pandas as pd

from pyfsagg._base.fields import stored
from pyfsagg._base.validation import check_real
from pyfsagg._base.words import number, numbers, probabilities, titled
from pyfsagg._report.page import Block, PageTable, Text, heads
from pyfsagg._run.result import Result, Saved
from pyfsagg._table.identity import versions
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.stability_measures import STABILITY_MEASURES
from pyfsagg.statistics import friedman, one_way_anova, pairwise_tests, rm_anova
from pyfsagg.statistics.anova import OneWayAnova, RepeatedMeasuresAnova
from pyfsagg.statistics.average_ranks import FriedmanTest
from pyfsagg.statistics.pairwise import PairwiseTests

CAUTIONS = {
    "fold": "The training parts of two folds share most of their samples, and every pseudo-value "
    "uses all folds: the values are not independent, and the p-values tend to be too small. They "
    "describe the differences on these data; they do not carry over to new samples.",
    "data set": "Each data set counts once, whatever the number of its folds; the conclusion is "
    "about data sets like these.",
}

TEST_NAMES = {
    "repeated": "Repeated-measures ANOVA (Greenhouse-Geisser)",
    "one_way": "One-way ANOVA",
    "friedman": "Friedman",
}
TESTS = (*TEST_NAMES, "pairwise")
TEST_HEADS = ("Test", "F or χ²", "df", "df of error", "p")

DECIMALS = 10
"""To which values are tested; the rounding errors of pseudo-values are a thousand times smaller."""

Test = TypeVar("Test")


@dataclass(frozen=True, eq=False)
class AggregatorComparison(Result):
    """A comparison of aggregators by one measure of stability.

    Attributes
    ----------
    values : DataFrame (n_units, n_aggregators)
        Pseudo-values of folds, or the stability on each data set.
    measure : str
    unit : {"fold", "data set"}
        Meaning of a row of `values`.
    higher_is_better : bool
    repeated, one_way, friedman, pairwise : test or None
        Analysis of variance with rows as subjects, and with aggregators as independent groups, as in
        the thesis; Friedman's test of ranks within rows; paired t tests of all pairs.
    refused : dict of str to str
        The reason for each test that is None.
    parameters, data, versions : dict
    """

    _kind: ClassVar[str] = "aggregator_comparison"
    _noun: ClassVar[str] = "comparison"
    _one_file: ClassVar[bool] = True

    values: pd.DataFrame = field(metadata=stored(kept=False))
    measure: str
    unit: str
    higher_is_better: bool
    repeated: RepeatedMeasuresAnova | None = field(metadata=stored(kept=False))
    one_way: OneWayAnova | None = field(metadata=stored(kept=False))
    friedman: FriedmanTest | None = field(metadata=stored(kept=False))
    pairwise: PairwiseTests | None = field(metadata=stored(kept=False))
    refused: Mapping[str, str]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=versions)

    @property
    def caution(self) -> str:
        """Remarks on the meaning of the p-values."""
        return CAUTIONS[self.unit]

    def tests(self) -> pd.DataFrame:
        """One row per test of all aggregators: ``statistic``, degrees of freedom, ``p``, ``note``."""
        rows: dict[str, tuple[float, float, float, float]] = {}
        if (test := self.repeated) is not None:
            gg = test.sphericity.greenhouse_geisser
            degrees = gg * test.df_effect, gg * test.df_error
            rows["repeated"] = (test.f, *degrees, test.p_greenhouse_geisser)
        if (one := self.one_way) is not None:
            rows["one_way"] = (one.f, one.df_effect, one.df_error, one.p_value)
        if (ranked := self.friedman) is not None:
            rows["friedman"] = (ranked.statistic, ranked.df, np.nan, ranked.p_value)
        table = [
            (name, *rows.get(name, (np.nan,) * 4), self.refused.get(name, ""))
            for name in TEST_NAMES
        ]
        columns = ["test", "statistic", "df_effect", "df_error", "p", "note"]
        return pd.DataFrame(table, columns=columns).set_index("test")

    def to_frame(self) -> pd.DataFrame:
        """The pairwise tests: one row per pair of aggregators, with adjusted p-values."""
        if self.pairwise is None:
            raise DataError(f"there are no pairwise tests: {self.refused['pairwise']}")
        return self.pairwise.to_frame()

    @property
    def sentence(self) -> str:
        """The results of the tests and the remarks, in sentences."""
        sentences = [test.sentence for name in TESTS if (test := getattr(self, name)) is not None]
        reasons = [f"No {name} test: {reason}." for name, reason in self.refused.items()]
        return " ".join([*sentences, *reasons, self.caution])

    def _record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        tests = {name: getattr(self, name) for name in TESTS}
        return {
            **super()._record(view),
            "values": {str(name): self.values[name].tolist() for name in self.values},
            "rows": [str(label) for label in self.values.index],
            "tests": {name: test._contents() for name, test in tests.items() if test is not None},
            "caution": self.caution,
        }

    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        return {} if self.pairwise is None else {"comparison.csv": self.to_frame()}

    @classmethod
    def _from_files(cls, saved: Saved) -> Self:
        """The tests are made again of the values, which say all."""
        document = saved.document
        unit = document["unit"]
        rows = pd.Index(document["rows"], name=unit)
        values = pd.DataFrame(document["values"], index=rows)
        if unit == "fold":
            values.index = values.index.astype(int)
        again = compare_values(
            values, document["measure"], unit, data=document["data"], **document["parameters"]
        )
        return cls(**{**vars(again), "versions": document["versions"]})

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        tests = self.tests()
        tested = tests[tests["statistic"].notna()]
        cells = (
            [TEST_NAMES[str(name)] for name in tested.index],
            numbers(tested["statistic"]),
            *([number(df, 2) for df in tested[name]] for name in ("df_effect", "df_error")),
            probabilities(tested["p"]),
        )
        caption = f"Do the aggregators differ by {titled(self.measure)}?"
        table = PageTable(caption, heads(TEST_HEADS, ["Test"]), list(zip(*cells, strict=True)))
        return [Text(self.sentence), *([table] if len(tested) else [])]

    def __repr__(self) -> str:
        means = ", ".join(f"{name} {value:.4g}" for name, value in self.values.mean().items())
        return f"AggregatorComparison({self.measure} over {len(self.values)} {self.unit}s: {means})"


def compare_values(
    values: pd.DataFrame,
    measure: str,
    unit: str,
    *,
    adjust: str,
    confidence_level: float,
    data: Mapping[str, Any] | None = None,
) -> AggregatorComparison:
    """All tests of a table of units by aggregators; a test that the data refuse says why."""
    if values.shape[1] < 2:
        raise ParameterError("a comparison needs at least two aggregators, got one")
    # Options are checked before a refusal by the data can hide that they are wrong.
    check_real("confidence_level", confidence_level, low=0.0, high=1.0, low_open=True)
    spec = STABILITY_MEASURES.get(measure)
    refused: dict[str, str] = {}

    def attempt(name: str, test: Callable[[], Test]) -> Test | None:
        try:
            return test()
        except DataError as reason:
            refused[name] = str(reason)
            return None

    # Two perfectly stable aggregators differ by rounding errors, which ranks would take for real.
    rounded = values.round(DECIMALS)
    groups = {str(name): rounded[name].to_numpy() for name in rounded}
    better = spec.higher_is_better
    level: dict[str, Any] = {"confidence_level": confidence_level}
    return AggregatorComparison(
        values,
        spec.name,
        unit,
        better,
        attempt("repeated", lambda: rm_anova(rounded, **level)),
        attempt("one_way", lambda: one_way_anova(groups, **level)),
        attempt("friedman", lambda: friedman(rounded, higher_is_better=better, **level)),
        attempt("pairwise", lambda: pairwise_tests(rounded, adjust=adjust, **level)),
        refused,
        {"adjust": adjust, "confidence_level": confidence_level},
        data or {},
    )

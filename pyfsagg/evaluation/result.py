"""The result of an evaluation: what is told of it, saved and read again."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Self

import pandas as pd

from pyfsagg._base.words import enumerate_names, number, readable
from pyfsagg._report.closing import always_words
from pyfsagg._report.page import Block, PageTable, Text, heads
from pyfsagg._run.result import Saved, records
from pyfsagg.evaluation.comparison import MEAN
from pyfsagg.evaluation.metrics import METRICS
from pyfsagg.evaluation.protocol import PROTOCOLS
from pyfsagg.evaluation.values import ALL_FEATURES, RANDOM_SUBSETS, Evaluated
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.score_tables import Standings

MOST_LISTED = 50


@dataclass(frozen=True, eq=False)
class Evaluation(Evaluated):
    """Result of :func:`pyfsagg.evaluate`.

    Attributes
    ----------
    cells : DataFrame
        One row per protocol, method, classifier, threshold, fold and metric; ask for a copy with
        :meth:`to_frame`.
    parameters, data, versions : dict
        Settings of the evaluation (with the seed that repeats it), data and software versions.
    remarks : tuple of str
        Warnings for the reader, for instance that a ranking has seen the test rows.
    feature_names : tuple of str
        The p features, and `places`, by method the place (n_folds, p) of each in the ranking of each training
        fold of the nested protocol, 1 = best; empty without that protocol.

    Notes
    -----
    Shown with `confidence_level` (0.95 by default).  Picture: ``"accuracy"`` (the measure against the share
    of the features kept, a list of axes, one per classifier); those of the comparison are in
    :meth:`compare`.
    """

    _kind: ClassVar[str] = "evaluation"
    _noun: ClassVar[str] = "evaluation"
    _options: ClassVar[Mapping[str, Any]] = MappingProxyType({"confidence_level": 0.95})

    def _record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        return {
            **super()._record(view),
            "failures": records(self.failures()),
            "fewest": records(self.fewest()),
            "summary": records(self.summary()),
        }

    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        tables = {"summary.csv": self.summary(), "fewest.csv": self.fewest()}
        if (final := self._final_list()) is not None:
            tables["final_list.csv"] = final
        return {**super()._tables(view), **tables}

    def _final_list(self) -> pd.DataFrame | None:
        """:meth:`final_list`, where there is one."""
        try:
            return self.final_list()
        except DataError:
            return None

    @classmethod
    def _from_files(cls, saved: Saved) -> Self:
        result = super()._from_files(saved)
        if len(result.cells) != saved.document["parameters"]["n_cells"]:
            raise ValueError("cells are missing")
        return result

    def _lines_after(self, view: Mapping[str, Any]) -> list[str]:
        return ["result.summary()"]

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        comparison, reason = self._default_comparison(view["confidence_level"])
        sentences, remarks = [f"No tests: {reason}."], tuple[str, ...]()
        if comparison is not None:
            sentences = comparison._told()
            remarks = (f"Compared: {comparison.what}.", *comparison.remarks)
        care = [*self.remarks, *([self._failure_sentence] if self._n_failed else [])]
        return [
            *map(Text, sentences),
            self._best_table(),
            *self._fewest_table(),
            *self._final_table(),
            *map(Text, self._question()),
            *(Text(f"Take care: {remark}.") for remark in care),
            *(Text(remark, quiet=True) for remark in remarks),
        ]

    @property
    def _models(self) -> tuple[str, str]:
        """What the models are called, and what they do."""
        kinds = {"numeric": ("regressor", "predict"), "survival": ("model", "predict survival")}
        return kinds.get(str(self.data.get("target_kind")), ("classifier", "classify"))

    def _question(self) -> list[str]:
        """What was evaluated, and by which protocols."""
        model, does = self._models
        sizes = self.cells["n_features"][self.cells["kind"] != "baseline"].unique()
        shown = enumerate_names([f"{size:,}" for size in sorted(sizes)])
        repeats = self.parameters["n_repeats"]
        times = f", repeated {repeats} times with another division of the rows" * (repeats > 1)
        names, methods = (
            enumerate_names([*map(readable, labels)]) for labels in (self.classifiers, self.methods)
        )
        return [
            f"How well do {names} {does} when only the best {shown} of {self.data['n_features']:,} features "
            f"are kept? Features were ranked by {methods}: {len(self.cells):,} cells from "
            f"{self.parameters['n_fits']:,} fits.",
            *always_words(self.data),
            *(
                f"Protocol “{name}”: {PROTOCOLS[name]} ({self.parameters['n_folds']} stratified "
                f"folds{times}). Folds are the same for all methods and {model}s."
                for name in self.protocols
            ),
        ]

    def _best_table(self) -> PageTable:
        """For each protocol and classifier the best cell, with all features and random subsets."""
        metric = self.metrics[0]
        better = METRICS.get(metric).higher_is_better
        summary = self.summary()
        summary = summary[summary["metric"] == metric]
        baselines = [name for name in self._baselines if name in (ALL_FEATURES, RANDOM_SUBSETS)]
        rows = []
        for protocol, classifier in itertools.product(self.protocols, self.classifiers):
            cells = summary[summary["protocol"] == protocol]
            cells = cells[cells["classifier"] == classifier]
            known = cells[cells["kind"] != "baseline"].dropna(subset=["mean"])
            fewer = known[known["threshold"] < 1.0]
            known = known if fewer.empty else fewer
            if known.empty:
                continue
            best = known.sort_values("mean", ascending=not better, kind="stable").iloc[0]
            size, method = best["n_features"], readable(str(best["method"]))
            row = [readable(classifier), protocol, number(best["mean"]), method, f"{size}"]
            for name in baselines:
                means = cells[cells["method"] == name]
                if name == RANDOM_SUBSETS:
                    means = means[means["n_features"] == size]
                row.append(number(means["mean"].iloc[0] if len(means) else float("nan")))
            rows.append(row)
        titles = ["Classifier", "Protocol", "Best", "Method", "Features"]
        return PageTable(
            f"Best mean {readable(metric)} of each classifier",
            heads([*titles, *map(str.capitalize, baselines)], ("Classifier", "Protocol", "Method")),
            rows,
            note="Among thresholds below 100 %. The best of many cells is too good an estimate of what it "
            "would reach on new data. Random subsets have the same number of features.",
        )

    def _fewest_table(self) -> list[Block]:
        """How few features are enough, by ranking, for the mean of several classifiers."""
        if len(self.parameters["thresholds"]) < 2:
            return []
        frame, more = self.fewest(), ""
        if len(self.classifiers) > 1:
            frame, more = frame[frame["classifier"] == MEAN], " Each classifier is in fewest.csv."
        words = ["method", "classifier", "protocol"]
        numbers = ["n_features", "value", "best_n_features", "best", "standard_error"]
        rows = [
            [
                *(readable(str(row[name])) for name in words),
                *(number(row[name], 0 if "features" in name else 3) for name in numbers),
            ]
            for row in frame.to_dict("records")
        ]
        heading = ("Method", "Classifier", "Protocol")
        titles = [*heading, "Features", "Mean", "Best with", "Best mean", "Standard error"]
        table = PageTable(
            f"The fewest features whose mean {readable(self.metrics[0])} is within one standard error of the "
            "best",
            heads(titles, heading),
            rows,
            note="The standard error counts that folds share training rows (Nadeau and Bengio). A rule and "
            f"no test: fewer features may be worse by about this error.{more}",
        )
        return [table]

    def _final_table(self) -> list[Block]:
        """The list of all folds, where features were ranked inside them."""
        found = self._final_list()
        if found is None:
            return []
        size, method = found.attrs["n_features"], readable(found.attrs["method"])
        shown = found.head(max(size, 1))[:MOST_LISTED]
        rows = [
            [
                str(name),
                f"{row['share_of_folds']:.0%}",
                number(row["mean_place"], 1),
                f"{row['best_place']:.0f} to {row['worst_place']:.0f}",
            ]
            for name, row in zip(shown.index, shown.to_dict("records"), strict=True)
        ]
        table = PageTable(
            f"One list out of all training folds: the {size:,} features of {method} that were most often "
            f"among the best {size:,}",
            heads(["Feature", "Folds", "Mean place", "Places"], ["Feature"]),
            rows,
            note=f"{len(found):,} features were among the best {size:,} of some fold; all are in "
            "final_list.csv. The values above are those of the lists of the single folds, not of this one, "
            "and the folds share most of their rows.",
        )
        return [table]

    def _default_comparison(self, confidence_level: float = 0.95) -> tuple[Standings | None, str]:
        """Tests of the weighted average, or of the only threshold; or why there are none."""
        value = "wacc" if min(self.parameters["thresholds"]) < 1.0 else 1.0
        alone = len(self.methods) < 2  # one method alone is compared with the baselines
        try:
            level = confidence_level
            return self.compare(value=value, baselines=alone, confidence_level=level), ""
        except (DataError, ParameterError) as error:
            return None, str(error)

    def __repr__(self) -> str:
        failed = f", {self._n_failed} failed" if self._n_failed else ""
        return (
            f"Evaluation({', '.join(self.protocols)}; {len(self.methods)} methods, "
            f"{len(self.classifiers)} classifiers, {len(self.parameters['thresholds'])} thresholds, "
            f"{self.parameters['n_folds']} folds; {len(self.cells)} cells{failed})"
        )

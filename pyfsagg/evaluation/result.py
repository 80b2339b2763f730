"""The result of an evaluation: cells, summaries and comparisons, and what is told of them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.fields import stored
from pyfsagg._base.registry import Call
from pyfsagg._base.validation import check_choice, check_integer
from pyfsagg._base.words import enumerate_names, number, readable
from pyfsagg._message import Got, Param, Remedy, Use
from pyfsagg._report.closing import always_words
from pyfsagg._report.page import Block, PageTable, Text, heads
from pyfsagg._run.result import Recorded, Saved, records
from pyfsagg.evaluation import comparison
from pyfsagg.evaluation.cells import weighted_average_accuracy
from pyfsagg.evaluation.metrics import METRICS
from pyfsagg.evaluation.protocol import PROTOCOLS
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.ranks import Rankings
from pyfsagg.score_tables import MetricStandings, Standings
from pyfsagg.score_tables.question import StandingsOptions, score_table

ALL_FEATURES, RANDOM_SUBSETS = "all features", "random subsets"  # labels of baselines
WEIGHTED = "weighted average over thresholds"
MOST_LISTED = 50
ROPE = 0.01  # differences of a measure up to 1 that do not matter: Benavoli et al. (2017), JMLR 18, use 1 %
CELL = ["protocol", "method", "kind", "classifier", "threshold", "n_features", "metric"]
COLUMNS = {
    **dict.fromkeys(("protocol", "method", "kind", "classifier"), "str"),
    "threshold": "float64",
    **dict.fromkeys(("n_features", "repeat", "fold", "draw"), "int64"),
    "metric": "str",
    "value": "float64",
    **dict.fromkeys(("status", "message"), "str"),
}
"""Columns of a cell and their types."""

WORDS = tuple(name for name, kind in COLUMNS.items() if kind == "str")


@dataclass(frozen=True, eq=False)
class Evaluation(Recorded):
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

    cells: pd.DataFrame = field(metadata=stored(file="evaluation.csv", words=WORDS, types=COLUMNS))
    remarks: tuple[str, ...] = ()
    feature_names: tuple[str, ...] = ()
    places: Mapping[str, NDArray[np.int32]] = field(
        default_factory=dict, metadata=stored(names="places_{part}")
    )

    def _rankings(self) -> Rankings:
        """The places of the features in each training fold, of the one method that was ranked there."""
        if len(self.places) != 1:
            raise DataError(
                f"this evaluation has rankings of {len(self.places)} methods in its training folds; take "
                "those of one method: Rankings.from_ranks(evaluation.places[method], "
                "names=evaluation.feature_names)"
            )
        (places,) = self.places.values()
        folds = tuple(f"fold {i + 1}" for i in range(len(places)))
        return Rankings(
            self.feature_names, folds, None, given_ranks=places.astype(np.float64), dependent=True
        )

    @property
    def protocols(self) -> list[str]:
        return list(self.parameters["protocols"])

    @property
    def methods(self) -> list[str]:
        """Rankings and methods, without baselines."""
        return [*self.parameters["rankings"], *self.parameters["methods"]]

    @property
    def _baselines(self) -> list[str]:
        """Labels of the baselines."""
        labels = self.cells.loc[self.cells["kind"] == "baseline", "method"]
        return [str(label) for label in labels.unique()]

    @property
    def _default_protocol(self) -> str:
        """The nested protocol, if it was run; else the first."""
        return "nested" if "nested" in self.protocols else self.protocols[0]

    @property
    def classifiers(self) -> list[str]:
        return list(self.parameters["classifiers"])

    @property
    def metrics(self) -> list[str]:
        return list(self.parameters["metrics"])

    @property
    def _n_failed(self) -> int:
        """Number of cells without a value."""
        return int((self.cells["status"] == "failed").sum())

    @property
    def _failure_sentence(self) -> str:
        """Failures with their number; empty if there were none."""
        failed = self.failures()
        if failed.empty:
            return ""
        first = failed[["classifier", "n", "message"]].head(3).itertuples(index=False)
        shown = [f"{classifier} in {n} ({message})" for classifier, n, message in first]
        if len(failed) > 3:
            shown.append(f"and {len(failed) - 3} more kinds of failure")
        cells = f"{self._n_failed} of {len(self.cells)} cells failed and have no value"
        return f"{cells}: {'; '.join(shown)}"

    def failures(self) -> pd.DataFrame:
        """Failed cells by classifier, metric and message, the most frequent first."""
        failed = self.cells[self.cells["status"] == "failed"]
        counts = failed.groupby(["classifier", "metric", "message"], sort=False).size()
        return counts.sort_values(ascending=False, kind="stable").rename("n").reset_index()

    def to_frame(self) -> pd.DataFrame:
        """One row per cell.

        Columns: ``protocol``; ``method`` and its ``kind`` (method, ranking or baseline);
        ``classifier``; ``threshold`` (share of the features) and ``n_features``; ``repeat``,
        ``fold`` and ``draw`` (of a random subset), from 0; ``metric`` and ``value`` (missing if the
        cell failed); ``status`` (ok, warned, failed) and ``message``.
        """
        return self.cells.copy()

    def by_fold(self) -> pd.DataFrame:
        """Cells with the draws of random subsets averaged, and ``n_failed``, how many had no value."""
        keys = [*CELL, "repeat", "fold"]
        failed = self.cells["status"] == "failed"
        groups = self.cells.assign(failed=failed).groupby(keys, sort=False)
        return groups.agg(value=("value", "mean"), n_failed=("failed", "sum")).reset_index()

    def summary(self) -> pd.DataFrame:
        """Mean over folds: one row per protocol, method, classifier, threshold and metric.

        Columns ``mean``, ``sd`` (over folds, ddof 1), ``n`` (folds with a value) and ``n_failed``
        (cells without one).  Draws of random subsets are averaged within each fold first.
        """
        parts = {"mean": ("value", "mean"), "sd": ("value", "std"), "n": ("value", "count")}
        parts["n_failed"] = ("n_failed", "sum")
        return self.by_fold().groupby(CELL, sort=False).agg(**parts).reset_index()

    def weighted_average_accuracy(self, metric: str | None = None) -> pd.DataFrame:
        """Average over thresholds, weighted by the share of features omitted (thesis eq. 4.1).

        One row per protocol, method and classifier: ``wacc`` (mean over folds), ``sd``, ``n`` (complete
        folds) and ``n_missing`` (others, in which a threshold has no value), without that of all features.

        Parameters
        ----------
        metric : str, optional
            The first metric of the evaluation by default.
        """
        keys = ["protocol", "method", "kind", "classifier"]
        groups = self._wacc_by_fold(metric).groupby(keys, sort=False)["wacc"]
        frame = groups.agg(wacc="mean", sd="std", n="count", size="size").reset_index()
        frame["n_missing"] = frame.pop("size") - frame["n"]
        return frame

    def _wacc_by_fold(self, metric: str | None = None) -> pd.DataFrame:
        """The same for each fold: columns ``repeat``, ``fold`` and ``wacc`` (NaN if incomplete)."""
        cells = self.by_fold()
        cells = cells[cells["metric"] == self._check_metric(metric)]
        keys = ["protocol", "method", "kind", "classifier", "repeat", "fold"]
        complete = cells.groupby(keys, sort=False)["threshold"].transform("size")
        shares = self.parameters["n_features_to_select"]
        cells = cells[(complete == len(shares)) & cells["threshold"].isin(shares)]
        wide = widen(cells.set_index([*keys, "threshold"])["value"], "threshold")
        wide = wide.loc[:, shares]
        values = weighted_average_accuracy(wide.to_numpy(), shares)
        return pd.Series(values, wide.index, name="wacc").reset_index()

    def optimism(self, metric: str | None = None) -> pd.DataFrame:
        """Thesis and leaky protocol minus the nested one, by method, classifier and threshold.

        Columns: a mean for each protocol, ``thesis_minus_nested`` and ``leaky_minus_nested``; positive is
        too good where larger is better.  The leaky protocol has the folds of the nested one: its difference
        is selection bias and nothing else.  The thesis protocol trains on fewer rows, which may cost more.
        """
        others = [name for name in self.protocols if name != "nested"]
        if "nested" not in self.protocols or not others:
            raise DataError(
                "optimism needs the nested protocol and another; this evaluation has only ",
                ", ".join(self.protocols),
                Remedy("run evaluate with ", Use(protocol="both")),
            )
        cells = self.summary()
        cells = cells[cells["metric"] == self._check_metric(metric)]
        keys = ["method", "kind", "classifier", "threshold", "n_features"]
        wide = widen(cells.set_index([*keys, "protocol"])["mean"], "protocol")
        wide = wide.loc[:, self.protocols].rename_axis(columns=None)
        for name in others:
            wide[f"{name}_minus_nested"] = wide[name] - wide["nested"]
        return wide.reset_index()

    def compare(
        self,
        *,
        value: str | float | int = "wacc",
        protocol: str | None = None,
        classifier: str | None = None,
        metric: str | None = None,
        baselines: bool = False,
        confidence_level: float = 0.95,
        rope: float | None = None,
    ) -> Standings:
        """Which methods differ, tested over folds.

        Parameters
        ----------
        value : "wacc", or a threshold of the evaluation
            The value that is compared: the weighted average over thresholds, or the measure at one threshold.
        protocol : str, optional
            The nested one by default, if it was run; else the first.
        classifier : str, optional
            One classifier; the mean over all of them by default.
        metric : str, optional
            The first metric by default.
        baselines : bool
            Whether baselines take part.
        confidence_level : float
            1 − the significance level of the tests.
        rope : float, optional
            Differences up to here do not matter; 0.01 by default for measures that go up to 1.

        Returns
        -------
        Standings
            As :func:`pyfsagg.standings` makes them, of pairs by corrected t tests with Holm's correction.
            Folds in which a cell failed are omitted and counted.

        Raises
        ------
        DataError
            If there are fewer than two methods, or complete folds.

        Notes
        -----
        Folds share rows, which the tests count (see :func:`pyfsagg.statistics.pairwise_tests`); rank tests
        and analysis of variance are for data sets (:func:`pyfsagg.evaluation.evaluate_many`).  They are about
        other tables of this size from the same population.  Repeats add no degrees of freedom; those of the
        thesis protocol are tested over the divisions of the rows.  Under the thesis protocol without repeats,
        and the leaky one, the tests are about the one ranking.
        """
        options = StandingsOptions(rope=rope, confidence_level=confidence_level)
        how: dict[str, Any] = {"value": value, "protocol": protocol, "classifier": classifier}
        return self._compared(options, self._check_metric(metric), **how, baselines=baselines)

    def _compared(
        self,
        options: StandingsOptions,
        metric: str,
        call: Call | None = None,
        *,
        value: str | float | int = "wacc",
        protocol: str | None = None,
        classifier: str | None = None,
        baselines: bool = False,
    ) -> Standings:
        chosen = check_choice("protocol", protocol or self._default_protocol, self.protocols)
        if classifier is not None:
            check_choice("classifier", classifier, self.classifiers)
        if value == "wacc":
            frame = self._wacc_by_fold(metric).rename(columns={"wacc": "value"})
        else:
            frame = self.by_fold()
            by_count = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            at = frame["n_features" if by_count else "threshold"] == value
            frame = frame[at & (frame["metric"] == metric)]
            if frame.empty:
                shares = ", ".join(
                    f"{share:g}" for share in self.parameters["n_features_to_select"]
                )
                must = f" must be 'wacc' or one of the thresholds {shares}"
                raise ParameterError(Param("value"), must, Got(value))
            frame = frame[frame["threshold"] == frame["threshold"].iloc[0]]
        frame = frame[frame["protocol"] == chosen]
        if not baselines:
            frame = frame[frame["kind"] != "baseline"]
        if classifier is not None:
            frame = frame[frame["classifier"] == classifier]
        # A mean over classifiers exists only where all of them have a value.
        blocks = frame.groupby(["repeat", "fold", "method"], sort=False)["value"]
        wide = widen(blocks.agg(lambda values: values.mean(skipna=False)), "method")
        design = {name: self.parameters[name] for name in ("n_folds", "n_repeats", "test_size")}
        what = WEIGHTED if value == "wacc" else f"{float(value):g} of the features"
        spec = METRICS.get(metric)
        if options.rope is None and spec.bounds.endswith("to 1"):
            options = replace(options, rope=ROPE)
        what = f"{metric} ({what}), {classifier or comparison.MEAN}, {chosen} protocol"
        leakage = {name: row.get("leakage") for name, row in self.parameters["rankings"].items()}
        unsure = [name for name in wide.columns if leakage.get(name) == "possible"]
        if chosen == "leaky":
            what += "; the rankings have seen the test rows"
        elif chosen == "thesis" and unsure:
            what += f"; {', '.join(unsure)} may have seen the test rows"
        return comparison.divisions_of(wide, protocol=chosen, **design).standings(
            options, higher_is_better=spec.higher_is_better, what=what, call=call
        )

    def _standings(
        self, options: StandingsOptions, call: Call | None = None
    ) -> Standings | MetricStandings:
        """What :func:`pyfsagg.standings` makes of an evaluation."""
        value = "wacc" if min(self.parameters["n_features_to_select"]) < 1.0 else 1.0
        return options.each(self.metrics, partial(self._compared, value=value), call)

    @classmethod
    def _standings_together(
        cls, results: Mapping[str, Evaluation], options: StandingsOptions, call: Call | None = None
    ) -> Standings | MetricStandings:
        """The same of evaluations of several data sets."""
        metrics = next(iter(results.values())).metrics
        return options.each(metrics, partial(standings_over_data_sets, results), call)

    def fewest(self, metric: str | None = None) -> pd.DataFrame:
        """The fewest features within one standard error of the best, for each ranking.

        One row per protocol, method and classifier, and with several classifiers one for their mean:
        ``n_features`` and their ``value``; ``best_n_features``, the ``best`` value, its ``standard_error``;
        ``n``, the divisions in which no cell failed.  Missing with fewer than two of them.

        Parameters
        ----------
        metric : str, optional
            The first metric of the evaluation by default.

        Notes
        -----
        The one-standard-error rule of Breiman and others (1984), with the error of folds that share training
        rows (Nadeau and Bengio 2003).  It is a rule and no test: the value may be worse by about the error.
        """
        name = self._check_metric(metric)
        cells = self.by_fold()
        cells = cells[(cells["metric"] == name) & (cells["kind"] != "baseline")]
        if len(self.classifiers) > 1:
            keys = [key for key in [*CELL, "repeat", "fold"] if key != "classifier"]
            # A mean over classifiers exists only where all of them have a value.
            means = cells.groupby(keys, sort=False)["value"].agg(lambda v: v.mean(skipna=False))
            cells = pd.concat([cells, means.reset_index().assign(classifier=comparison.MEAN)])
        design = {key: self.parameters[key] for key in ("n_folds", "n_repeats", "test_size")}
        rows = []
        better = METRICS.get(name).higher_is_better
        ranking = ["protocol", "method", "classifier"]
        for key, part in cells.groupby(ranking, sort=False):
            folds = part.pivot_table(
                index=["repeat", "fold"], columns="n_features", values="value", dropna=False
            )
            found = comparison.fewest_of_folds(
                folds, protocol=str(key[0]), higher_is_better=better, design=design
            )
            rows.append(dict(zip(ranking, key, strict=True)) | found)
        return pd.DataFrame(rows)

    def final_list(
        self, n_features_to_select: int | str = "auto", *, method: str | None = None
    ) -> pd.DataFrame:
        """One list out of the rankings of all training folds of the nested protocol.

        Parameters
        ----------
        n_features_to_select : int or "auto"
            How many are the best of a fold; by default the fewest within one standard error of the best
            (:meth:`fewest`, mean of the classifiers).
        method : str, optional
            The ranking; by default the one with the best value there.

        Returns
        -------
        DataFrame
            Features that were among the best of some fold: ``rank``, ``share_of_folds`` in which they were,
            ``mean_place``, ``best_place`` and ``worst_place``; in `attrs` ``method`` and ``n_features``.

        Raises
        ------
        DataError
            If there is no nested protocol, or no number because cells failed.

        Notes
        -----
        The nested protocol measures a procedure that ranks and selects anew in each fold, and not this list.
        The folds share most rows, so a feature can be in all of them by chance of this one table.
        """
        if not self.places:
            remedy = Remedy("run evaluate with ", Use(protocol="nested"))
            raise DataError("no features were ranked inside training folds", remedy)
        if method is not None:
            check_choice("method", method, list(self.places))
        frame = self.fewest()
        several = len(self.classifiers) > 1
        frame = frame[(frame["protocol"] == "nested") & frame["method"].isin(list(self.places))]
        frame = frame[frame["classifier"] == (comparison.MEAN if several else self.classifiers[0])]
        known = frame.set_index("method")["value"].dropna()
        if method is None:
            if known.empty:
                raise DataError("cells failed in all but one fold: name the ranking and a number")
            better = METRICS.get(self.metrics[0]).higher_is_better
            method = str(known.idxmax() if better else known.idxmin())
        if n_features_to_select == "auto":
            if method not in known:
                raise DataError(f"cells of {method} failed in all but one fold: give a number")
            size = int(frame.set_index("method")["n_features"][method])
        else:
            high = len(self.feature_names)
            size = check_integer("n_features_to_select", n_features_to_select, low=1, high=high)
        found = comparison.list_of_folds(self.places[method], self.feature_names, size)
        found.attrs |= {"method": method, "n_features": size}
        return found

    def _check_metric(self, metric: str | None) -> str:
        """The chosen metric, or the first."""
        if metric is None:
            return self.metrics[0]
        return check_choice("metric", METRICS.get(metric).name, self.metrics)

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
        if len(self.parameters["n_features_to_select"]) < 2:
            return []
        frame, several = self.fewest(), len(self.classifiers) > 1
        if several:
            frame = frame[frame["classifier"] == comparison.MEAN]
        more = " Each classifier is in fewest.csv." if several else ""
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
            [str(name), f"{share:.0%}", number(mean, 1), f"{best:.0f} to {worst:.0f}"]
            for name, _, share, mean, best, worst in shown.itertuples()
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
        value = "wacc" if min(self.parameters["n_features_to_select"]) < 1.0 else 1.0
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
            f"{len(self.classifiers)} classifiers, {len(self.parameters['n_features_to_select'])} sizes, "
            f"{self.parameters['n_folds']} folds; {len(self.cells)} cells{failed})"
        )


def weighted_averages(
    results: Mapping[str, Evaluation], protocol: str | None, metric: str | None, baselines: bool
) -> pd.DataFrame:
    """Weighted averages over thresholds, (dataset, classifier) by method."""
    first = next(iter(results.values()))
    chosen = check_choice("protocol", protocol or first._default_protocol, first.protocols)
    frames = {name: result.weighted_average_accuracy(metric) for name, result in results.items()}
    frame = pd.concat(frames, names=["dataset", None]).reset_index("dataset")
    frame = frame[frame["protocol"] == chosen]
    if not baselines:
        frame = frame[frame["kind"] != "baseline"]
    wide = widen(frame.set_index(["dataset", "classifier", "method"])["wacc"], "method")
    return wide.rename_axis(columns=None)


def standings_over_data_sets(
    results: Mapping[str, Evaluation],
    options: StandingsOptions,
    metric: str | None,
    call: Call | None = None,
    *,
    classifier: str | None = None,
    protocol: str | None = None,
    baselines: bool = False,
) -> Standings:
    """Standings of methods over independent data sets; a failed cell is a hole."""
    first = next(iter(results.values()))
    table = weighted_averages(results, protocol, metric, baselines)
    name = first._check_metric(metric)
    if classifier is None:
        # A mean over classifiers exists only where all of them have a value.
        groups = table.groupby(level="dataset", sort=False)
        values = groups.mean().where(groups.count() == groups.size().max())
    else:
        check_choice("classifier", classifier, first.classifiers)
        values = pd.DataFrame(table.xs(classifier, level="classifier"))
    values = comparison.without_rounding_errors(values)
    rows = np.ascontiguousarray(values.to_numpy(dtype=np.float64))
    datasets, methods = (tuple(map(str, labels)) for labels in (values.index, values.columns))
    found = score_table(rows, np.arange(len(rows)), datasets, methods)
    chosen = protocol or first._default_protocol
    what = f"{name} ({WEIGHTED}), {classifier or comparison.MEAN}, {chosen} protocol"
    better = METRICS.get(name).higher_is_better
    return options.of(found, higher_is_better=better, what=what, call=call)


def widen(values: pd.Series[Any], level: str) -> pd.DataFrame:
    """A level of the index as columns, in order of appearance; ``unstack(sort=False)`` of pandas 2.2
    misplaces values."""
    rows = values.index.droplevel(level).unique()  # type: ignore[arg-type]
    columns = values.index.unique(level)
    wide = values.unstack(level)
    return pd.DataFrame(wide.reindex(index=rows, columns=columns))

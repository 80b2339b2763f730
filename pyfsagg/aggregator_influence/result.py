"""The compared aggregators, and the result of a cross-validation around an ensemble."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from markupsafe import Markup

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.fields import stored
from pyfsagg._base.registry import Call
from pyfsagg._base.validation import check_list
from pyfsagg._base.words import enumerate_names, number, plural, readable, titled
from pyfsagg._message import Got, Param
from pyfsagg._report.page import Block, PageTable, Text, heads
from pyfsagg._run.result import Recorded, records
from pyfsagg.aggregation._base import AGGREGATORS
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError
from pyfsagg.ranks import Rankings, rank_scores
from pyfsagg.score_tables import MetricStandings, Standings
from pyfsagg.score_tables.question import StandingsOptions, score_table
from pyfsagg.stability_measures._base import STABILITY_MEASURES
from pyfsagg.stability_measures.measure import measure_stability, pseudo_values, stability_table


def _different(names: Sequence[str]) -> list[str]:
    """Canonical names of aggregators, without repetition."""
    canonical = [AGGREGATORS.get(name).name for name in names]
    if not canonical or len(set(canonical)) < len(canonical):
        raise ParameterError(
            Param("aggregators"), " must be different and at least one", Got(list(names))
        )
    return canonical


def with_options(
    names: Sequence[str], aggregator_params: Mapping[str, Mapping[str, Any]]
) -> dict[str, Mapping[str, Any]]:
    """Aggregators with the options that are given apart from them, as `aggregators` of influence."""
    params = {AGGREGATORS.get(name).name: chosen for name, chosen in aggregator_params.items()}
    options = {name: params.pop(name, {}) for name in _different(names)}
    if params:
        unknown = f" names {next(iter(params))!r}, which is not among the aggregators "
        raise ParameterError(Param("aggregator_params"), unknown, ", ".join(options))
    return options


def bound_aggregators(
    aggregators: Sequence[str] | Mapping[str, Mapping[str, Any]],
) -> dict[str, Mapping[str, Any]]:
    """Canonical names with their options, which are checked."""
    if isinstance(aggregators, str):
        must = f" must be a sequence of names, got the one name {aggregators!r}"
        raise ParameterError(Param("aggregators"), must)
    names = check_list("aggregators", aggregators)
    params = aggregators if isinstance(aggregators, Mapping) else {}
    options: dict[str, Mapping[str, Any]] = {
        canonical: dict(params.get(name) or {})
        for name, canonical in zip(names, _different(names), strict=True)
    }
    for name, chosen in options.items():
        AGGREGATORS.get(name).bind(**chosen)  # refused before the work is done
    return options


THESIS_MEASURES = ("spearman", "jaccard", "canberra")
DECIMALS = (
    10  # of compared stability; rounding errors of pseudo-values are a thousand times smaller
)
DEPENDENT = (
    "the value of each fold uses the rankings of all folds, which share most of their rows, and tests of "
    "such values find differences far more often than they say; compare over several data sets"
)


@dataclass(frozen=True, eq=False)
class InfluenceResult(Recorded):
    """Rankings of one ensemble per fold and aggregator, and the agreement of the folds.

    Attributes
    ----------
    scores : dict of (filter, aggregator) to ndarray (n_folds, n_features)
        Aggregated scores on the training part of each fold, larger = more important.  The filter is
        called ``"bam"`` when filters were aggregated between.
    feature_names : tuple of str
    parameters, data, versions : dict
        As in :class:`pyfsagg.ensemble.EnsembleResult`.

    Notes
    -----
    Shown with `measures` of stability and `n_features_to_select` (the size of the subsets that measures of
    selections compare).  Picture: ``"stability"`` (of each aggregator, with its interval).
    """

    _kind: ClassVar[str] = "influence"
    _options: ClassVar[Mapping[str, Any]] = MappingProxyType(
        {"measures": THESIS_MEASURES, "n_features_to_select": 0.25}
    )

    scores: Mapping[tuple[str, str], Floats] = field(
        metadata=stored(key="matrices", names="scores_{part}")
    )
    feature_names: tuple[str, ...] = field(metadata=stored(key="features"))

    def _rankings(self) -> Rankings:
        """The scores of the features in each fold, by the one filter and aggregator that were run."""
        if len(self.scores) != 1:
            raise DataError(
                f"this result has rankings by {len(self.scores)} pairs of filter and aggregator; take "
                "those of one pair: Rankings.from_scores(influence.scores[filter, aggregator], "
                "names=influence.feature_names)"
            )
        (scores,) = self.scores.values()
        folds = tuple(f"fold {i + 1}" for i in range(len(scores)))
        return Rankings(self.feature_names, folds, scores, absent="unknown", dependent=True)

    @property
    def n_folds(self) -> int:
        return int(next(iter(self.scores.values())).shape[0])

    @property
    def n_features(self) -> int:
        return len(self.feature_names)

    @property
    def filters(self) -> list[str]:
        return list(dict.fromkeys(label for label, _ in self.scores))

    @property
    def aggregators(self) -> list[str]:
        return list(dict.fromkeys(aggregator for _, aggregator in self.scores))

    @property
    def _seed(self) -> int:
        """The seed of the run, which also settles what is drawn for its tables."""
        return int(self.parameters.get("seed") or 0)

    def _filter_label(self, label: str | None) -> str:
        """`label` if it is a filter of this result; the first filter for None."""
        if label is None:
            return self.filters[0]
        if label not in self.filters:
            raise UnknownNameError("filter of this result", label, self.filters)
        return label

    def ranks(self, aggregator: str, filter: str | None = None) -> Floats:
        """Ranks (n_folds, n_features), 1 = most important, ties averaged."""
        label = self._filter_label(filter)
        if aggregator not in self.aggregators:
            raise UnknownNameError("aggregator of this result", aggregator, self.aggregators)
        return rank_scores(self.scores[label, aggregator])

    def to_frame(
        self,
        measures: Sequence[str] = THESIS_MEASURES,
        *,
        n_features_to_select: float | int = 0.25,
        confidence_level: float = 0.95,
    ) -> pd.DataFrame:
        """Stability over folds: one row per filter, aggregator and measure.

        Columns ``filter``, ``aggregator``, ``measure``, ``value``, the limits ``lower`` and
        ``upper`` of its jackknife interval over folds, ``higher_is_better``, and ``note``, the reason for
        missing values.  Folds share most of their rows: the interval is not about new samples.

        Parameters
        ----------
        measures : sequence of str
            Measures of ``pyfsagg.list_methods("stability")`` that need no similarity matrix.
        n_features_to_select : float or int
            Size of the subsets for measures of selections.
        confidence_level : float
        """
        columns = ["value", "lower", "upper", "higher_is_better", "note"]
        parts = []
        for (label, aggregator), scores in self.scores.items():
            stability = stability_table(
                scores,
                measures,
                input="scores",
                n_features_to_select=n_features_to_select,
                confidence_level=confidence_level,
                random_state=self._seed,
            )
            part = stability[columns].reset_index().assign(filter=label, aggregator=aggregator)
            parts.append(part[["filter", "aggregator", "measure", *columns]])
        return pd.concat(parts, ignore_index=True)

    def table(
        self,
        filter: str | None = None,
        measures: Sequence[str] = THESIS_MEASURES,
        *,
        intervals: bool = False,
        n_features_to_select: float | int = 0.25,
    ) -> pd.DataFrame:
        """Measures by aggregators for one filter: the form of thesis tables 4.5 and 4.6.

        With `intervals` there are three columns per aggregator: ``value``, ``lower``, ``upper``.
        """
        label = self._filter_label(filter)
        frame = self.to_frame(measures, n_features_to_select=n_features_to_select)
        shown = ["value", "lower", "upper"] if intervals else "value"
        frame = frame[frame["filter"] == label]
        wide = frame.pivot(index="measure", columns="aggregator", values=shown)
        order = frame["measure"].drop_duplicates()
        if not intervals:
            return wide.loc[order, self.aggregators]
        columns = [(aggregator, name) for aggregator in self.aggregators for name in shown]
        return wide.swaplevel(axis=1).loc[order, columns]

    def by_fold(
        self,
        measure: str = "spearman",
        filter: str | None = None,
        *,
        n_features_to_select: float | int = 0.25,
    ) -> pd.DataFrame:
        """Contribution of each fold to the stability: jackknife pseudo-values (n_folds, n_aggregators).

        Their mean is the stability itself for averages over pairs.

        Raises
        ------
        DataError
            For fewer than three folds, or a measure that is undefined without one of them.
        """
        label = self._filter_label(filter)
        how: dict[str, Any] = {"n_features_to_select": n_features_to_select}
        how["random_state"] = self._seed
        columns = {
            name: pseudo_values(self.scores[label, name], measure, input="scores", **how)
            for name in self.aggregators
        }
        return pd.DataFrame(columns).rename_axis("fold")

    def compare(
        self,
        measure: str = "spearman",
        filter: str | None = None,
        *,
        n_features_to_select: float | int = 0.25,
    ) -> Standings:
        """Standings of the aggregators on this table, by the pseudo-values of :meth:`by_fold`.

        There are no conclusions about other tables: pseudo-values use all folds, which share rows, so their
        tests find differences far too often.  :func:`pyfsagg.aggregator_influence.compare_aggregators`
        compares over data sets.
        """
        how: dict[str, Any] = {"filter": filter, "n_features_to_select": n_features_to_select}
        return self._compared(StandingsOptions(), measure, **how)

    def _compared(
        self, options: StandingsOptions, measure: str, call: Call | None = None, **how: Any
    ) -> Standings:
        values = self.by_fold(measure, **how)
        if values.shape[1] < 2:
            raise ParameterError("a comparison needs at least two aggregators, got one")
        spec = STABILITY_MEASURES.get(measure)
        rows = np.ascontiguousarray(values.round(DECIMALS).to_numpy())
        codes = np.zeros(len(rows), dtype=np.intp)
        table = score_table(rows, codes, ("the table",), tuple(values.columns))
        label = readable(self._filter_label(how.get("filter")))
        description = {
            "what": f"{titled(spec.name)} of rankings by {label}",
            "unanswered": DEPENDENT,
        }
        return options.of(table, higher_is_better=spec.higher_is_better, call=call, **description)

    def _standings(
        self, options: StandingsOptions, call: Call | None = None
    ) -> Standings | MetricStandings:
        """What :func:`pyfsagg.standings` makes of the result."""
        return options.each(THESIS_MEASURES, self._compared, call)

    @classmethod
    def _standings_together(
        cls,
        results: Mapping[str, InfluenceResult],
        options: StandingsOptions,
        call: Call | None = None,
    ) -> Standings | MetricStandings:
        """The same of results of several data sets."""
        return options.each(THESIS_MEASURES, partial(over_data_sets, results), call)

    def _record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        k = view["n_features_to_select"]
        stability = records(self.to_frame(view["measures"], n_features_to_select=k))
        return {**super()._record(view), "n_features_to_select": k, "stability": stability}

    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        measures, k = view["measures"], view["n_features_to_select"]
        return {"influence.csv": self.to_frame(measures, n_features_to_select=k)}

    def _lines_after(self, view: Mapping[str, Any]) -> list[str]:
        return ["result.table(intervals=True)"]

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        measures, k = view["measures"], view["n_features_to_select"]
        frame = self.to_frame(measures, n_features_to_select=k)
        names = list(dict.fromkeys(frame["measure"]))
        spec = STABILITY_MEASURES.get(names[0])
        known = frame[frame["measure"] == names[0]].dropna(subset="value")
        answer = []
        for label, part in known.groupby("filter", sort=False):
            part = part.sort_values("value", ascending=not spec.higher_is_better)
            most, least = (
                f"{readable(row['aggregator'])} ({number(row['value'])})"
                for row in part.iloc[[0, -1]].to_dict("records")
            )
            answer.append(
                f"{titled(str(label))}: by {titled(spec.name)} the most stable aggregator is {most}, "
                f"the least stable {least}."
            )
        filters = enumerate_names([readable(label) for label in self.parameters["filters"]])
        combined, several = self.parameters["method"] == "bam", len(self.parameters["filters"]) > 1
        each = f"each of {filters}" if several else filters
        ensemble = f"the filters {filters} combined" if combined else each
        what = (
            "How far does the ranking depend on the samples, and how far on the aggregator? In each of "
            f"{plural(self.n_folds, 'stratified fold')} some samples were omitted; the features were "
            f"ranked on the others by {ensemble} over "
            f"{plural(self.parameters['n_resamples'], 'bootstrap')}, once with each of "
            f"{enumerate_names([readable(name) for name in self.aggregators])}. The stability of an "
            "aggregator is the agreement of its rankings over the folds."
        )
        return [
            *([Text(Markup("<b>{}</b>").format(" ".join(answer)))] if answer else []),
            Text(what),
            *(self._stability_table(frame, label, names) for label in self.filters),
        ]

    def _stability_table(
        self, frame: pd.DataFrame, label: str, measures: Sequence[str]
    ) -> PageTable:
        frame = frame[frame["filter"] == label]
        texts = {}
        for row in frame.to_dict("records"):
            limits = f" ({number(row['lower'])} to {number(row['upper'])})"
            text = number(row["value"]) + (limits if pd.notna(row["lower"]) else "")
            texts[row["aggregator"], row["measure"]] = text
        notes = [
            "The intervals show how far single folds matter; they do not cover what other samples of "
            "the same population would give."
        ]
        if smaller := [m for m in measures if not STABILITY_MEASURES.get(m).higher_is_better]:
            names = enumerate_names([titled(name) for name in smaller])
            notes.insert(0, f"Smaller is more stable for {names}.")
        notes += [f"{note[0].upper()}{note[1:]}." for note in dict.fromkeys(frame["note"]) if note]
        return PageTable(
            f"Stability of the rankings by {readable(label)} over {plural(self.n_folds, 'fold')}, with "
            "95 % jackknife intervals.",
            heads(["Aggregator", *map(titled, measures)], words=["Aggregator"]),
            [[readable(a), *(texts[a, measure] for measure in measures)] for a in self.aggregators],
            " ".join(notes),
        )

    def __repr__(self) -> str:
        return (
            f"InfluenceResult({', '.join(self.filters)}; {', '.join(self.aggregators)}; "
            f"{self.n_folds} folds of {self.parameters['n_resamples']} resamples)"
        )


def over_data_sets(
    results: Mapping[str, InfluenceResult],
    options: StandingsOptions,
    measure: str,
    call: Call | None = None,
    *,
    filter: str | None = None,
    n_features_to_select: float | int = 0.25,
) -> Standings:
    """Standings of the aggregators over data sets, each with its stability over folds."""
    rows, expected = {}, next(iter(results.values())).aggregators
    for name, result in results.items():
        if set(result.aggregators) != set(expected):
            raise ParameterError(
                f"the result of {name!r} has the aggregators {', '.join(result.aggregators)}, the "
                f"first one has {', '.join(expected)}; they must be the same"
            )
        label = result._filter_label(filter)
        how: dict[str, Any] = {"n_features_to_select": n_features_to_select}
        how["random_state"] = result._seed
        rows[str(name)] = [
            measure_stability(result.scores[label, one], measure, input="scores", **how).value
            for one in expected
        ]
    spec = STABILITY_MEASURES.get(measure)
    values = np.array(list(rows.values())).round(DECIMALS)
    table = score_table(values, np.arange(len(rows)), tuple(rows), tuple(expected))
    what = f"{titled(spec.name)} of rankings over folds"
    return options.of(table, higher_is_better=spec.higher_is_better, what=what, call=call)

"""What a cross-validation around an ensemble leaves behind, and how it is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._run.result import Result, Saved, records
from pyfsagg.aggregator_influence.comparison import AggregatorComparison, compare_values
from pyfsagg.exceptions import DataError, UnknownNameError
from pyfsagg.ranks import rank_scores
from pyfsagg.stability_measures import pseudo_values, stability_table

__all__ = ["THESIS_MEASURES", "InfluenceResult"]

THESIS_MEASURES = ("spearman", "jaccard", "canberra")


@dataclass(frozen=True, eq=False)
class InfluenceResult(Result):
    """Rankings of one ensemble per fold and aggregator, and the agreement of the folds.

    Attributes
    ----------
    scores : dict of (filter, aggregator) to ndarray (n_folds, n_features)
        Aggregated scores on the training part of each fold, larger = more important.  The filter is
        called ``"bam"`` when filters were aggregated between.
    feature_names : tuple of str
    parameters, data, versions : dict
        As in :class:`pyfsagg.EnsembleResult`.

    Notes
    -----
    Shown with `measures` of stability, `top` (the size of the subsets that measures of selections
    compare) and `adjust` (the correction of the p-values of pairs).  Pictures: ``"stability"`` (of
    each aggregator, with its interval) and ``"pairwise"`` (adjusted p-values of all pairs).
    """

    kind: ClassVar[str] = "influence"
    options: ClassVar[Mapping[str, Any]] = MappingProxyType(
        {"measures": THESIS_MEASURES, "top": 0.25, "adjust": "holm"}
    )

    scores: Mapping[tuple[str, str], NDArray[np.float64]]
    feature_names: tuple[str, ...]
    parameters: Mapping[str, Any]
    data: Mapping[str, Any]
    versions: Mapping[str, str]

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
    def seed(self) -> int:
        """The seed of the run, which also settles what is drawn for its tables."""
        return int(self.parameters.get("seed") or 0)

    def filter_label(self, label: str | None) -> str:
        """`label` if it is a filter of this result; the first filter for None.

        Raises
        ------
        UnknownNameError
            For any other label.
        """
        if label is None:
            return self.filters[0]
        if label not in self.filters:
            raise UnknownNameError("filter of this result", label, self.filters)
        return label

    def ranks(self, aggregator: str, filter: str | None = None) -> NDArray[np.float64]:
        """Ranks (n_folds, n_features), 1 = most important, ties averaged.

        Raises
        ------
        UnknownNameError
            For a filter or aggregator that this result does not have.
        """
        label = self.filter_label(filter)
        if aggregator not in self.aggregators:
            raise UnknownNameError("aggregator of this result", aggregator, self.aggregators)
        return rank_scores(self.scores[label, aggregator])

    def to_frame(
        self,
        measures: Sequence[str] = THESIS_MEASURES,
        *,
        top: float | int = 0.25,
        level: float = 0.95,
    ) -> pd.DataFrame:
        """Stability over folds: one row per filter, aggregator and measure.

        Columns ``filter``, ``aggregator``, ``measure``, ``value``, the limits ``lower`` and
        ``upper`` of its jackknife interval over folds, ``larger_is_stabler``, and ``note``, which
        gives the reason for missing values.  Folds share most of their training data, so that the interval
        shows how far single folds matter, not how the result would vary over new samples.

        Parameters
        ----------
        measures : sequence of str
            Measures of :func:`pyfsagg.list_stability_measures` that need no similarity matrix.
        top : float or int
            Size of the subsets for measures of selections.
        level : float
            Confidence level.

        Raises
        ------
        ParameterError
            For an unknown measure, or `top` or `level` out of range.
        """
        columns = ["value", "lower", "upper", "larger_is_stabler", "note"]
        parts = []
        for (label, aggregator), scores in self.scores.items():
            found = stability_table(
                scores, measures, input="scores", top=top, level=level, random_state=self.seed
            )
            part = found[columns].reset_index()
            part.insert(0, "aggregator", aggregator)
            part.insert(0, "filter", label)
            parts.append(part)
        return pd.concat(parts, ignore_index=True)

    def table(
        self,
        filter: str | None = None,
        measures: Sequence[str] = THESIS_MEASURES,
        *,
        intervals: bool = False,
        top: float | int = 0.25,
    ) -> pd.DataFrame:
        """Measures by aggregators for one filter: the form of thesis tables 4.5 and 4.6.

        With `intervals` there are three columns per aggregator: ``value``, ``lower``, ``upper``.

        Raises
        ------
        UnknownNameError
            For a filter or measure that does not exist.
        """
        label = self.filter_label(filter)
        frame = self.to_frame(measures, top=top)
        shown = ["value", "lower", "upper"] if intervals else "value"
        wide = frame[frame["filter"] == label].pivot(
            index="measure", columns="aggregator", values=shown
        )
        order = frame["measure"].drop_duplicates()
        if not intervals:
            return wide.loc[order, self.aggregators]
        wide = wide.swaplevel(axis=1)
        columns = [(aggregator, each) for aggregator in self.aggregators for each in shown]
        return wide.loc[order, columns]

    def by_fold(
        self, measure: str = "spearman", filter: str | None = None, *, top: float | int = 0.25
    ) -> pd.DataFrame:
        """Contribution of each fold to the stability: jackknife pseudo-values (n_folds, n_aggregators).

        Their mean is the stability itself for averages over pairs.  They are the unit in which
        aggregators are compared, paired by fold; see :func:`pyfsagg.stability_measures.pseudo_values`.

        Raises
        ------
        DataError
            For fewer than three folds, or a measure that is undefined without one of them.
        """
        label = self.filter_label(filter)
        return pd.DataFrame(
            {
                aggregator: pseudo_values(
                    self.scores[label, aggregator],
                    measure,
                    input="scores",
                    top=top,
                    random_state=self.seed,
                )
                for aggregator in self.aggregators
            }
        ).rename_axis("fold")

    def compare(
        self,
        measure: str = "spearman",
        filter: str | None = None,
        *,
        top: float | int = 0.25,
        adjust: str = "holm",
        confidence: float = 0.95,
    ) -> AggregatorComparison:
        """Compare the aggregators over the folds, with the pseudo-values of :meth:`by_fold`.

        The folds overlap: the values are not independent, and the p-values are too small to be
        carried over to new samples (``comparison.caution`` is shown with them).
        :func:`pyfsagg.compare_aggregators` compares over data sets.

        Parameters
        ----------
        measure, filter, top
            As in :meth:`by_fold`.
        adjust : {"holm", "bonferroni", "bh", "none"}
            Correction of the pairwise p-values.
        confidence : float
            Level of intervals and sentences.

        Raises
        ------
        ParameterError
            For one aggregator, or an unknown measure, filter or option.
        DataError
            As :meth:`by_fold`.  Tests that the values do not allow are listed with the reason.
        """
        values = self.by_fold(measure, filter, top=top)
        return compare_values(
            values, measure, "fold", adjust=adjust, confidence=confidence, data=self.data
        )

    def pairs(
        self,
        measures: Sequence[str] = THESIS_MEASURES,
        *,
        top: float | int = 0.25,
        adjust: str = "holm",
    ) -> pd.DataFrame | None:
        """Pairwise tests of all filters and measures, as far as they can be made; None without any."""
        parts = []
        for label in self.filters:
            for measure in measures if len(self.aggregators) > 1 else ():
                try:
                    frame = self.compare(measure, label, top=top, adjust=adjust).to_frame()
                except DataError:
                    # The report says why there is none.
                    continue
                frame.insert(0, "measure", measure)
                frame.insert(0, "filter", label)
                parts.append(frame)
        return pd.concat(parts, ignore_index=True) if parts else None

    # -----------------------------------------------------------------------------------------
    # how it is kept and shown
    # -----------------------------------------------------------------------------------------
    def own_record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "features": list(self.feature_names),
            "matrices": [list(key) for key in self.scores],
            "top": view["top"],
            "stability": records(self.to_frame(view["measures"], top=view["top"])),
        }

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        return {f"scores_{i}": matrix for i, matrix in enumerate(self.scores.values())}

    def tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        tables = {"influence.csv": self.to_frame(view["measures"], top=view["top"])}
        pairs = self.pairs(view["measures"], top=view["top"], adjust=view["adjust"])
        return tables if pairs is None else {**tables, "comparison.csv": pairs}

    @classmethod
    def made_of(cls, saved: Saved) -> Self:
        document = saved.document
        return cls(
            {
                (str(label), str(aggregator)): saved.arrays[f"scores_{i}"]
                for i, (label, aggregator) in enumerate(document["matrices"])
            },
            tuple(document["features"]),
            document["parameters"],
            document["data"],
            document["versions"],
        )

    def lines_after(self, view: Mapping[str, Any]) -> list[str]:
        return ["result.table(intervals=True)"]

    def paragraphs(self, view: Mapping[str, Any]) -> list[str]:
        parts = [
            f"{self.n_folds} folds of {self.parameters['n_resamples']} bootstraps "
            f"({self.parameters['method'].upper()})"
        ]
        for label in self.filters:
            table = self.table(label, view["measures"], top=view["top"])
            text = table.rename_axis(columns=None).to_string(
                float_format="{:.4f}".format, na_rep="–", index_names=False
            )
            parts.append(f"Stability over the folds, {label}:\n{text}")
        frame = self.to_frame(view["measures"], top=view["top"])
        return [*parts, *(note for note in dict.fromkeys(frame["note"]) if note)]

    def __repr__(self) -> str:
        return (
            f"InfluenceResult({', '.join(self.filters)}; {', '.join(self.aggregators)}; "
            f"{self.n_folds} folds of {self.parameters['n_resamples']} resamples)"
        )

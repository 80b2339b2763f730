"""What a cross-validation around an ensemble leaves behind, and how it is kept."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.output import new_folder
from pyfsagg.aggregator_influence.comparison import AggregatorComparison, compare_values
from pyfsagg.exceptions import OutputError, ParameterError, UnknownNameError
from pyfsagg.ranks import rank_scores
from pyfsagg.stability_measures import pseudo_values, stability_table

__all__ = ["THESIS_MEASURES", "InfluenceResult"]

THESIS_MEASURES = ("spearman", "jaccard", "canberra")
SCHEMA = 1
RUN_FILE, MATRIX_FILE, TABLE_FILE = "run.json", "matrices.npz", "influence.csv"


@dataclass(frozen=True, eq=False)
class InfluenceResult:
    """Rankings of one ensemble per fold and aggregator, and how far the folds agree.

    Attributes
    ----------
    scores : dict of (filter, aggregator) to ndarray (n_folds, n_features)
        Aggregated scores on the training part of each fold, larger = more important.  The filter is
        called ``"bam"`` when filters were aggregated between.
    feature_names : tuple of str
    parameters, data, versions : dict
        As in :class:`pyfsagg.EnsembleResult`.
    """

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
        says why something is missing.  Folds share most of their training data, so that the interval
        says how far single folds matter, not how the result would vary over new samples.

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
            found = stability_table(scores, measures, input="scores", top=top, level=level)
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
        """What each fold adds to the stability: jackknife pseudo-values (n_folds, n_aggregators).

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
                    self.scores[label, aggregator], measure, input="scores", top=top
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
        carried over to new samples (``comparison.caution`` says so wherever they are shown).
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
        return compare_values(values, measure, "fold", adjust=adjust, confidence=confidence)

    def plot(self, kind: str = "stability", **options: Any) -> Any:
        """Draw the result; returns Matplotlib axes.

        Parameters
        ----------
        kind : {"stability", "pairwise"}
            Stability of each aggregator with its interval; heat map of the adjusted p-values of all
            pairs of aggregators.
        **options
            Passed on to ``pyfsagg.plotting.plot_<kind>``: `measure`, `filter`, `top`, `ax`.
        """
        from pyfsagg.aggregator_influence._plot import INFLUENCE_PLOTS

        if kind not in INFLUENCE_PLOTS:
            raise ParameterError(
                f"kind must be one of {', '.join(map(repr, INFLUENCE_PLOTS))}, got {kind!r}"
            )
        return INFLUENCE_PLOTS[kind](self, **options)

    def to_json(self, measures: Sequence[str] = THESIS_MEASURES, *, top: float | int = 0.25) -> str:
        """Parameters, data record, versions and the stability table as JSON text."""
        frame = self.to_frame(measures, top=top).astype(object)
        document = {
            "schema": SCHEMA,
            "kind": "influence",
            "parameters": self.parameters,
            "data": self.data,
            "versions": self.versions,
            "features": list(self.feature_names),
            "matrices": [list(key) for key in self.scores],
            "top": top,
            "stability": frame.where(frame.notna(), None).to_dict("records"),
        }
        return json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False)

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        measures: Sequence[str] = THESIS_MEASURES,
        top: float | int = 0.25,
    ) -> Path:
        """Write ``run.json``, ``matrices.npz`` and ``influence.csv`` into a new or empty folder.

        The folder appears complete or not at all.

        Raises
        ------
        OutputError
            If the folder is not empty or cannot be written.
        """
        with new_folder(folder) as draft:
            self.write_into(draft, measures=measures, top=top)
        return Path(folder)

    def write_into(
        self,
        folder: Path,
        *,
        measures: Sequence[str] = THESIS_MEASURES,
        top: float | int = 0.25,
    ) -> None:
        """Write the files of :meth:`save` into an existing folder."""
        (folder / RUN_FILE).write_text(self.to_json(measures, top=top) + "\n", encoding="utf-8")
        self.to_frame(measures, top=top).to_csv(folder / TABLE_FILE, index=False)
        arrays = {f"scores_{i}": matrix for i, matrix in enumerate(self.scores.values())}
        np.savez_compressed(folder / MATRIX_FILE, **arrays)  # type: ignore[arg-type]

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> InfluenceResult:
        """Read what :meth:`save` wrote.

        Raises
        ------
        OutputError
            If the folder holds no saved result, a damaged one, or one of another kind or schema.
        """
        path = Path(folder)
        try:
            document = json.loads((path / RUN_FILE).read_text(encoding="utf-8"))
            kind, schema = document.get("kind"), document.get("schema")
            if schema != SCHEMA or kind != "influence":
                raise OutputError(
                    f"{folder} holds a {kind!r} of schema {schema!r}; this version reads an "
                    f"'influence' of schema {SCHEMA}"
                )
            with (path / MATRIX_FILE).open("rb") as file, np.load(file) as arrays:
                scores = {
                    (str(label), str(aggregator)): arrays[f"scores_{i}"]
                    for i, (label, aggregator) in enumerate(document["matrices"])
                }
            return cls(
                scores,
                tuple(document["features"]),
                document["parameters"],
                document["data"],
                document["versions"],
            )
        except FileNotFoundError as error:
            raise OutputError(
                f"{folder} holds no saved result: {error.filename} is missing"
            ) from None
        except OutputError:
            raise
        except (ValueError, KeyError, OSError, AttributeError, zipfile.BadZipFile) as error:
            raise OutputError(f"the result saved in {folder} is damaged: {error}") from None

    def __repr__(self) -> str:
        return (
            f"InfluenceResult({', '.join(self.filters)}; {', '.join(self.aggregators)}; "
            f"{self.n_folds} folds of {self.parameters['n_resamples']} resamples)"
        )

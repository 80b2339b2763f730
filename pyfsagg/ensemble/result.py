"""What an ensemble run leaves behind, and how it is kept."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.blocks import column_blocks
from pyfsagg._base.output import new_folder
from pyfsagg._base.selection import n_selected
from pyfsagg.exceptions import DataError, OutputError, ParameterError
from pyfsagg.ranks import rank_scores
from pyfsagg.stability_measures import feature_stability, thesis_measures

__all__ = ["EnsembleResult"]

SCHEMA = 1
_COLUMNS = {
    "rank_q2.5": "rank_lower",
    "rank_median": "rank_median",
    "rank_q97.5": "rank_upper",
    "frequency": "selection_frequency",
    "lower": "frequency_lower",
    "upper": "frequency_upper",
}
RUN_FILE, MATRIX_FILE, RANKING_FILE = "run.json", "matrices.npz", "ranking.csv"


@dataclass(frozen=True, eq=False)
class EnsembleResult:
    """Ranking of features by an ensemble of filter scores over resamples.

    Attributes
    ----------
    method : {"wam", "bam"}
    feature_names : tuple of str
    score_matrices : dict of str to ndarray (n_resamples, n_features)
        Scores of each filter in each resample, larger = more important; missing (NaN) where a
        resample did not see a feature.
    combined : ndarray (n_resamples, n_features)
        Scores that the aggregator was given: of the only filter (WAM), or of all filters combined
        within each resample (BAM).
    scores : ndarray (n_features,)
        Aggregated scores, larger = more important.
    ranking : ndarray (n_features,)
        Ranks of `scores`, 1 = most important; ties get average ranks.
    parameters, data, versions : dict
        How the run was made (with the seed that repeats it), on what, and by which software.
    """

    method: str
    feature_names: tuple[str, ...]
    score_matrices: Mapping[str, NDArray[np.float64]]
    combined: NDArray[np.float64]
    scores: NDArray[np.float64]
    ranking: NDArray[np.float64]
    parameters: Mapping[str, Any]
    data: Mapping[str, Any]
    versions: Mapping[str, str]

    @property
    def n_resamples(self) -> int:
        return int(self.combined.shape[0])

    @property
    def n_features(self) -> int:
        return len(self.feature_names)

    @cached_property
    def resample_ranks(self) -> NDArray[np.float64]:
        """Ranks of the features in each resample, shape (n_resamples, n_features)."""
        return rank_scores(self.combined)

    def select(self, threshold: float | int) -> list[str]:
        """Names of the best features, best first; ties are broken by column order.

        Parameters
        ----------
        threshold : int or float
            A number of features, or a fraction of them (above 0, at most 1; rounded up).

        Raises
        ------
        ParameterError
            If the number is below 1 or above the number of features, or the fraction out of range.
        """
        return [self.feature_names[j] for j in self._best(n_selected(threshold, self.n_features))]

    def support(self, threshold: float | int) -> NDArray[np.bool_]:
        """Boolean mask (n_features,) of what :meth:`select` returns."""
        mask = np.zeros(self.n_features, dtype=np.bool_)
        mask[self._best(n_selected(threshold, self.n_features))] = True
        return mask

    def _best(self, k: int) -> NDArray[np.intp]:
        return np.argsort(self.ranking, kind="stable")[:k]

    def stability(self) -> pd.DataFrame:
        """How far the resamples agree: one row per filter (and one for BAM), five measures.

        Pearson (scores), Spearman and Canberra (ranks), Jaccard (best quarter) and the average
        standard deviation (ASD), as in thesis 3.3.1.
        """
        rows = {label: thesis_measures(matrix) for label, matrix in self.score_matrices.items()}
        if self.method == "bam":
            rows["bam"] = thesis_measures(self.combined)
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("filter")

    def to_frame(self, threshold: float | int = 0.25) -> pd.DataFrame:
        """One row per feature, best first.

        Columns: ``rank`` and ``score`` of the aggregate; ``rank_lower``, ``rank_median``,
        ``rank_upper`` (2.5 %, 50 % and 97.5 % quantiles of its ranks over resamples);
        ``selection_frequency`` among the best `threshold` of a resample, with its Wilson interval
        ``frequency_lower`` to ``frequency_upper``; the mean score of each filter as
        ``mean_<filter>``.
        """
        k = n_selected(threshold, self.n_features)
        found = feature_stability(
            self.combined,
            top=k,
            quantiles=(0.025, 0.975),
            feature_names=self.feature_names,
            input="scores",
        )
        frame = found[list(_COLUMNS)].rename(columns=_COLUMNS)
        frame.insert(0, "rank", self.ranking)
        frame.insert(1, "score", self.scores)
        for label, matrix in self.score_matrices.items():
            means = [np.nanmean(matrix[:, part], axis=0) for part in column_blocks(matrix.shape)]
            frame[f"mean_{label}"] = np.concatenate(means)
        return frame.iloc[self._best(self.n_features)]

    def plot(self, kind: str = "ranking", **options: Any) -> Any:
        """Draw the result; returns Matplotlib axes.

        Parameters
        ----------
        kind : {"ranking", "agreement", "scores", "convergence"}
            Ranks with their intervals; rank correlation between filters; distribution of the scores;
            how the ranking settles as resamples are added.
        **options
            Passed on to ``pyfsagg.plotting.plot_<kind>``.
        """
        from pyfsagg.ensemble._plot import ENSEMBLE_PLOTS

        if kind not in ENSEMBLE_PLOTS:
            raise ParameterError(
                f"kind must be one of {', '.join(map(repr, ENSEMBLE_PLOTS))}, got {kind!r}"
            )
        return ENSEMBLE_PLOTS[kind](self, **options)

    def to_json(self, threshold: float | int = 0.25) -> str:
        """Parameters, data record, versions, ranking, selection and stability as JSON text."""
        frame = self.to_frame(threshold).reset_index().astype(object)
        document = {
            "schema": SCHEMA,
            "kind": "ensemble",
            "method": self.method,
            "parameters": self.parameters,
            "data": self.data,
            "versions": self.versions,
            "features": list(self.feature_names),
            "ranking": frame.where(frame.notna(), None).to_dict("records"),
            "threshold": threshold,
            "selected": self.select(threshold),
            "stability": self._stability_record(),
        }
        return json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False)

    def _stability_record(self) -> dict[str, Any]:
        """The stability table, or why there is none."""
        try:
            table = self.stability()
        except DataError as reason:
            return {"undefined": str(reason)}
        return {str(label): row.to_dict() for label, row in table.iterrows()}

    def save(self, folder: str | os.PathLike[str], *, threshold: float | int = 0.25) -> Path:
        """Write ``run.json``, ``matrices.npz`` and ``ranking.csv`` into a new or empty folder.

        The folder appears complete or not at all.

        Raises
        ------
        OutputError
            If the folder is not empty or cannot be written.
        """
        with new_folder(folder) as draft:
            self.write_into(draft, threshold=threshold)
        return Path(folder)

    def write_into(self, folder: Path, *, threshold: float | int = 0.25) -> None:
        """Write the files of :meth:`save` into an existing folder."""
        (folder / RUN_FILE).write_text(self.to_json(threshold) + "\n", encoding="utf-8")
        self.to_frame(threshold).to_csv(folder / RANKING_FILE)
        arrays = {f"filter_{i}": matrix for i, matrix in enumerate(self.score_matrices.values())}
        arrays |= {"combined": self.combined, "scores": self.scores, "ranking": self.ranking}
        np.savez_compressed(folder / MATRIX_FILE, **arrays)  # type: ignore[arg-type]

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> EnsembleResult:
        """Read what :meth:`save` wrote.

        Raises
        ------
        OutputError
            If the folder holds no saved run, a damaged one, or one of another schema.
        """
        path = Path(folder)
        try:
            document = json.loads((path / RUN_FILE).read_text(encoding="utf-8"))
            if document.get("schema") != SCHEMA or document.get("kind") != "ensemble":
                raise OutputError(
                    f"{folder} holds a {document.get('kind')!r} of schema {document.get('schema')!r}; "
                    f"this version reads an 'ensemble' of schema {SCHEMA}"
                )
            labels = document["parameters"]["filters"]
            with (path / MATRIX_FILE).open("rb") as file, np.load(file) as arrays:
                matrices = {label: arrays[f"filter_{i}"] for i, label in enumerate(labels)}
                combined, scores, ranking = (
                    arrays[name] for name in ("combined", "scores", "ranking")
                )
        except FileNotFoundError as error:
            raise OutputError(f"{folder} holds no saved run: {error.filename} is missing") from None
        except OutputError:
            raise
        except (ValueError, KeyError, OSError, AttributeError, zipfile.BadZipFile) as error:
            raise OutputError(f"the run saved in {folder} is damaged: {error}") from None
        return cls(
            method=document["method"],
            feature_names=tuple(document["features"]),
            score_matrices=matrices,
            combined=combined,
            scores=scores,
            ranking=ranking,
            parameters=document["parameters"],
            data=document["data"],
            versions=document["versions"],
        )

    def __repr__(self) -> str:
        shown = ", ".join(self.select(min(3, self.n_features)))
        return (
            f"EnsembleResult({self.method}: {', '.join(self.score_matrices)}; "
            f"{self.parameters['aggregator']} of {self.n_resamples} resamples; "
            f"{self.n_features} features, best: {shown})"
        )

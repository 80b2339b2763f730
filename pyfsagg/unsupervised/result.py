"""What an unsupervised ranking leaves behind."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.output import new_folder
from pyfsagg._base.selection import n_selected
from pyfsagg._base.types import Floats
from pyfsagg._version import __version__
from pyfsagg.exceptions import DataError, OutputError, ParameterError
from pyfsagg.unsupervised._input import Labels

__all__ = ["MEAN_PLUS_SD", "ConsensusRanking", "mean_plus_sd"]

MEAN_PLUS_SD = "mean_plus_sd"
SCHEMA = 1
RUN_FILE, MATRIX_FILE, RANKING_FILE = "run.json", "matrices.npz", "ranking.csv"


def mean_plus_sd(scores: ArrayLike) -> NDArray[np.bool_]:
    """Mark the informative features: scores above their mean plus one standard deviation.

    Parameters
    ----------
    scores : array of shape (n_features,)
        Larger = more important.

    Returns
    -------
    ndarray of bool, shape (n_features,)
        Where no score lies above the bound (equal scores, or very few features), the first of the
        largest scores is marked, so that a selection is never empty.

    Raises
    ------
    DataError
        If scores are missing or there are fewer than two.

    Notes
    -----
    The rule of Varshavsky and others (2006), which Zhang and others (2012) use for all methods of
    their Table 2; standard deviation with ddof 1.

    Examples
    --------
    >>> mean_plus_sd([0.1, 0.2, 0.1, 0.9])
    array([False, False, False,  True])
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or values.size < 2 or not np.isfinite(values).all():
        raise DataError(
            "scores must be at least two finite numbers in one dimension, got the shape "
            f"{values.shape}"
        )
    chosen: NDArray[np.bool_] = values > values.mean() + values.std(ddof=1)
    if not chosen.any():
        chosen[np.argmax(values)] = True
    return chosen


@dataclass(frozen=True, eq=False)
class ConsensusRanking:
    """Ranking of features without labels.

    Attributes
    ----------
    method : str
        ``"frcm"``, ``"frmv"``, ``"laplacian_score"`` or ``"svd_entropy"``.
    feature_names : tuple of str
    scores : ndarray (n_features,)
        Larger = more important.
    ranking : ndarray (n_features,)
        Ranks of `scores`, 1 = most important; ties get average ranks.
    consensus : ndarray (n_samples, n_samples) or None
        Share of the clusterings that put two samples into one cluster.
    labels : ndarray of int32 (n_clusterings, n_samples) or None
        The clusterings.
    parameters, data : dict
        How the ranking was made (with the seed that repeats it), and on what; ``sha256`` is the
        hash of the table as it was scored, after `standardize`.
    """

    method: str
    feature_names: tuple[str, ...]
    scores: Floats
    ranking: Floats
    consensus: Floats | None
    labels: Labels | None
    parameters: Mapping[str, Any]
    data: Mapping[str, Any]

    @property
    def n_features(self) -> int:
        return len(self.feature_names)

    @property
    def cut(self) -> float:
        """Mean plus standard deviation of the scores: the bound of the rule of that name."""
        return float(self.scores.mean() + self.scores.std(ddof=1))

    def order(self) -> NDArray[np.intp]:
        """Positions of the features, best first; ties in the order of the columns."""
        return np.argsort(self.ranking, kind="stable")

    def support(self, rule: str | float | int = MEAN_PLUS_SD) -> NDArray[np.bool_]:
        """Boolean mask (n_features,) of what :meth:`selected` returns."""
        if isinstance(rule, str):
            if rule != MEAN_PLUS_SD:
                raise ParameterError(
                    f"rule must be {MEAN_PLUS_SD!r}, a number of features or a fraction of them, "
                    f"got {rule!r}"
                )
            return mean_plus_sd(self.scores)
        mask = np.zeros(self.n_features, dtype=np.bool_)
        mask[self.order()[: n_selected(rule, self.n_features)]] = True
        return mask

    def selected(self, rule: str | float | int = MEAN_PLUS_SD) -> list[str]:
        """Names of the informative features, best first.

        Parameters
        ----------
        rule : "mean_plus_sd", int or float
            Scores above mean plus standard deviation (:func:`mean_plus_sd`), a number of features,
            or a fraction of them (rounded up).

        Raises
        ------
        ParameterError
            For an unknown rule, or a number or fraction out of range.
        """
        mask = self.support(rule)
        return [self.feature_names[j] for j in self.order() if mask[j]]

    def to_frame(self, rule: str | float | int = MEAN_PLUS_SD) -> pd.DataFrame:
        """One row per feature, best first: ``rank``, ``score``, ``selected``."""
        frame = pd.DataFrame(
            {"rank": self.ranking, "score": self.scores, "selected": self.support(rule)},
            index=pd.Index(self.feature_names, name="feature"),
        )
        return frame.iloc[self.order()]

    def plot(self, kind: str = "spectrum", **options: Any) -> Any:
        """Draw the result; returns Matplotlib axes.

        Parameters
        ----------
        kind : {"spectrum", "consensus"}
            The sorted scores with the cut, or the consensus matrix in cluster order.
        """
        from pyfsagg.unsupervised._plot import UNSUPERVISED_PLOTS

        if kind not in UNSUPERVISED_PLOTS:
            raise ParameterError(
                f"kind must be one of {', '.join(map(repr, UNSUPERVISED_PLOTS))}, got {kind!r}"
            )
        return UNSUPERVISED_PLOTS[kind](self, **options)

    def to_json(self, rule: str | float | int = MEAN_PLUS_SD) -> str:
        """Parameters, data record, versions, ranking and selection as JSON text."""
        packages = ("numpy", "scipy", "scikit-learn", "numba")
        document = {
            "schema": SCHEMA,
            "kind": "unsupervised",
            "method": self.method,
            "parameters": self.parameters,
            "data": self.data,
            "versions": {"pyfsagg": __version__, **{name: version(name) for name in packages}},
            "features": list(self.feature_names),
            "ranking": self.to_frame(rule).reset_index().to_dict("records"),
            "rule": rule,
            "cut": self.cut,
            "selected": self.selected(rule),
        }
        return json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False)

    def save(
        self, folder: str | os.PathLike[str], *, rule: str | float | int = MEAN_PLUS_SD
    ) -> Path:
        """Write ``run.json``, ``matrices.npz`` and ``ranking.csv`` into a new or empty folder.

        Raises
        ------
        OutputError
            If the folder is not empty or cannot be written.
        """
        with new_folder(folder) as draft:
            self.write_into(draft, rule=rule)
        return Path(folder)

    def write_into(self, folder: Path, *, rule: str | float | int = MEAN_PLUS_SD) -> None:
        """Write the files of :meth:`save` into an existing folder."""
        (folder / RUN_FILE).write_text(self.to_json(rule) + "\n", encoding="utf-8")
        self.to_frame(rule).to_csv(folder / RANKING_FILE)
        arrays: dict[str, Any] = {"scores": self.scores, "ranking": self.ranking}
        if self.consensus is not None:
            arrays["consensus"] = self.consensus
        if self.labels is not None:
            arrays["labels"] = self.labels
        np.savez_compressed(folder / MATRIX_FILE, **arrays)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> ConsensusRanking:
        """Read what :meth:`save` wrote.

        Raises
        ------
        OutputError
            If the folder holds no saved ranking, a damaged one, or one of another schema.
        """
        path = Path(folder)
        try:
            document = json.loads((path / RUN_FILE).read_text(encoding="utf-8"))
            if (document["schema"], document["kind"]) != (SCHEMA, "unsupervised"):
                raise OutputError(
                    f"{folder} holds a {document['kind']!r} of schema {document['schema']!r}; this "
                    f"version reads 'unsupervised' of schema {SCHEMA}"
                )
            with np.load(path / MATRIX_FILE, allow_pickle=False) as arrays:
                return cls(
                    method=document["method"],
                    feature_names=tuple(document["features"]),
                    scores=arrays["scores"],
                    ranking=arrays["ranking"],
                    consensus=arrays.get("consensus"),
                    labels=arrays.get("labels"),
                    parameters=document["parameters"],
                    data=document["data"],
                )
        except FileNotFoundError as error:
            raise OutputError(f"{folder} holds no ranking: {error.filename} is missing") from None
        except (ValueError, KeyError, TypeError) as error:
            raise OutputError(f"the ranking saved in {folder} is damaged: {error}") from None

    def __repr__(self) -> str:
        best = ", ".join(self.feature_names[j] for j in self.order()[:3])
        return (
            f"ConsensusRanking({self.method}: {self.n_features} features, "
            f"{int(self.support().sum())} above mean + SD; best: {best})"
        )

"""What an unsupervised ranking leaves behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.checks import as_array
from pyfsagg._base.selection import n_selected
from pyfsagg._base.types import Floats
from pyfsagg._base.words import lines_of
from pyfsagg._run.result import Result, Saved
from pyfsagg._table.identity import versions
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.unsupervised._input import Labels

__all__ = ["MEAN_PLUS_SD", "ConsensusRanking", "mean_plus_sd"]

MEAN_PLUS_SD = "mean_plus_sd"


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
    values = as_array("scores", scores, np.float64)
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
class ConsensusRanking(Result):
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
    parameters, data, versions : dict
        Settings of the ranking (with the seed that repeats it), data and software versions;
        ``sha256`` is the hash of the table as it was scored, after `standardize`.
    curves : dict of str to DataFrame
        Comparison with known classes: results of ``clustering_curve`` (``"clustering_curve"``)
        and of ``borda_curve`` (``"borda_curve"``).

    Notes
    -----
    Shown with a `rule`, the selection (``"mean_plus_sd"`` by default).  Pictures: ``"spectrum"`` (the
    sorted scores with the cut) and ``"consensus"`` (the consensus matrix in cluster order).
    """

    kind: ClassVar[str] = "unsupervised"
    noun: ClassVar[str] = "ranking"
    options: ClassVar[Mapping[str, Any]] = MappingProxyType({"rule": MEAN_PLUS_SD})

    method: str
    feature_names: tuple[str, ...]
    scores: Floats
    ranking: Floats
    consensus: Floats | None
    labels: Labels | None
    parameters: Mapping[str, Any]
    data: Mapping[str, Any]
    versions: Mapping[str, str] = field(default_factory=versions)
    curves: Mapping[str, pd.DataFrame] = field(default_factory=dict)

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
        """Boolean mask (n_features,) of the features that :meth:`selected` returns."""
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

    # -----------------------------------------------------------------------------------------
    # how it is kept and shown
    # -----------------------------------------------------------------------------------------
    def own_record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        rule = view["rule"]
        return {
            "method": self.method,
            "features": list(self.feature_names),
            "ranking": self.to_frame(rule).reset_index().to_dict("records"),
            "rule": rule,
            "cut": self.cut,
            "selected": self.selected(rule),
            "curves": list(self.curves),
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        named = {
            "scores": self.scores,
            "ranking": self.ranking,
            "consensus": self.consensus,
            "labels": self.labels,
        }
        return {name: array for name, array in named.items() if array is not None}

    def tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        curves = {f"{name}.csv": frame for name, frame in self.curves.items()}
        return {"ranking.csv": self.to_frame(view["rule"]), **curves}

    def texts(self, view: Mapping[str, Any]) -> dict[str, str]:
        return {"selected.txt": lines_of(self.selected(view["rule"]))}

    @classmethod
    def made_of(cls, saved: Saved) -> Self:
        document, arrays = saved.document, saved.arrays
        return cls(
            method=document["method"],
            feature_names=tuple(document["features"]),
            scores=arrays["scores"],
            ranking=arrays["ranking"],
            consensus=arrays.get("consensus"),
            labels=arrays.get("labels"),
            parameters=document["parameters"],
            data=document["data"],
            versions=document["versions"],
            curves={name: saved.frame(f"{name}.csv") for name in document.get("curves", ())},
        )

    def lines_after(self, view: Mapping[str, Any]) -> list[str]:
        return [f"selected = result.selected({view['rule']!r})"]

    def paragraphs(self, view: Mapping[str, Any]) -> list[str]:
        selected = self.selected(view["rule"])
        best = self.to_frame(view["rule"]).loc[selected[:10], ["rank", "score"]]
        table = best.to_string(
            formatters={"rank": "{:g}".format, "score": "{:.4g}".format}, index_names=False
        )
        rest = f"\n… and {len(selected) - 10} more" if len(selected) > 10 else ""
        return [
            f"{self.method} on {self.data['n_samples']} samples, scale "
            f"{self.parameters['standardize']}",
            f"Selected {len(selected)} of {self.n_features} features:\n{table}{rest}",
        ]

    def __repr__(self) -> str:
        best = ", ".join(self.feature_names[j] for j in self.order()[:3])
        return (
            f"ConsensusRanking({self.method}: {self.n_features} features, "
            f"{int(self.support().sum())} above mean + SD; best: {best})"
        )

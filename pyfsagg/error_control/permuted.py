"""P-values of scores against those with permuted targets, by step-down maximum statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.validation import as_array
from pyfsagg._base.words import enumerate_names
from pyfsagg._message import MessagePart, Param
from pyfsagg.error_control.e_values import check_level
from pyfsagg.exceptions import DataError

_ARRAYS = ("scores", "p_values", "family_wise_p_values")


@dataclass(frozen=True, eq=False)
class TargetPermutation(MessagePart):
    """Scores of an ensemble, and p-values from shuffled targets.

    Attributes
    ----------
    feature_names : tuple of str
    scores : ndarray (p,)
        Aggregated scores with the target as it is, of `n_resamples` resamples.
    p_values : ndarray (p,)
        For each feature by itself: chance that a feature without relation to the target scores as
        high.
    family_wise_p_values : ndarray (p,)
        Adjusted across features by the step-down maximum statistic: at a level of 0.05 any false
        selection at all has a probability of at most 0.05.  A feature of few levels is hardly ever
        selected beside noise features of many levels, whose scores are the largest for any target.
    strong : bool
        Whether that also holds for the unrelated features when other features are related to the target.
    n_permutations, n_resamples : int
    """

    feature_names: tuple[str, ...]
    scores: Floats
    p_values: Floats
    family_wise_p_values: Floats
    strong: bool
    n_permutations: int
    n_resamples: int

    def record(self) -> dict[str, Any]:
        """Plain values, for a file."""
        return {
            "strong": self.strong,
            "n_permutations": self.n_permutations,
            "n_resamples": self.n_resamples,
            "sentences": list(self.sentences),
        }

    def arrays(self) -> dict[str, Floats]:
        """What is kept beside :meth:`record`."""
        return {f"permutation_{name}": getattr(self, name) for name in _ARRAYS}

    @classmethod
    def of_files(
        cls, document: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> TargetPermutation | None:
        """What was kept with a result; None if nothing was."""
        if "permutation" not in document:
            return None
        kept = dict(document["permutation"])
        kept.pop("sentences")
        values: dict[str, Any] = {name: arrays[f"permutation_{name}"] for name in _ARRAYS}
        return cls(feature_names=tuple(document["features"]), **values, **kept)

    def columns(self) -> dict[str, Floats]:
        """The p-values, in the order of the table."""
        return {"p_value": self.p_values, "family_wise_p_value": self.family_wise_p_values}

    def to_frame(self) -> pd.DataFrame:
        """One row per feature, best first: ``score``, ``p_value``, ``family_wise_p_value``."""
        columns = {"score": self.scores, **self.columns()}
        frame = pd.DataFrame(columns, index=pd.Index(self.feature_names, name="feature"))
        return frame.iloc[np.argsort(-self.scores, kind="stable")]

    def select(self, level: float = 0.05) -> list[str]:
        """Features with a family-wise p-value of at most `level`, best first; the list may be empty."""
        level = check_level("level", level)
        frame = self.to_frame()
        return [str(name) for name in frame.index[frame["family_wise_p_value"] <= level]]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The result at a level of 0.05 and its assumptions, in sentences."""
        chosen = self.select(0.05)
        p = len(self.feature_names)
        found = (
            f"{len(chosen)} of {p} features score above the largest scores with shuffled targets "
            f"(family-wise error 0.05): {enumerate_names(chosen)}."
            if chosen
            else "No feature scores above the largest scores with shuffled targets (family-wise error 0.05)."
        )
        single = (
            "Where some features score high whatever the target is, for instance for their many levels, "
            "theirs are the largest scores, and hide other features. Without a correction for the number of "
            f"features, {int((self.p_values <= 0.05).sum())} of {p} have a p-value of at most 0.05."
        )
        reach = (
            "The level holds whichever features are related to the target."
            if self.strong
            else "Scores depend on other features too, so that the level holds only if no feature is "
            "related to the target: a selection says that some are."
        )
        return (
            f"{found} The smallest possible p-value of {self.n_permutations:,} shuffled targets is "
            f"{1 / (1 + self.n_permutations):.2g}.",
            single,
            f"Supposed: rows are exchangeable, so that the target can be shuffled. {reach}",
        )

    def __repr__(self) -> str:
        return "\n".join(self.sentences)


def step_down_max_t(observed: ArrayLike, null: ArrayLike) -> tuple[Floats, Floats]:
    """P-values of each feature by itself, and p-values that control the family-wise error.

    Parameters
    ----------
    observed : array-like (p,)
        Scores of the data, larger = more important.
    null : array-like (K, p)
        Scores of K data sets of the null hypothesis, such as those with a permuted target.

    Returns
    -------
    p_values : ndarray (p,)
        (1 + number of null scores of the feature at least as high) / (1 + K).
    family_wise : ndarray (p,)
        Step-down adjusted: each feature is compared with the highest null score among those that do
        not stand above it.  Equal scores get equal values.

    Raises
    ------
    DataError
        If the shapes do not fit, or a score is missing.

    Notes
    -----
    A null score that equals the observed one up to rounding counts as reached, so that ties make
    p-values larger, never smaller.  Strong control (whatever the other features do) needs a score that
    depends on its own column only; otherwise the level holds where no feature is related to the target.

    References
    ----------
    Westfall and Young (1993), Resampling-Based Multiple Testing, algorithm 4.1; Phipson and Smyth
    (2010).

    Examples
    --------
    >>> p_values, family_wise = step_down_max_t([3.0, 1.0], [[1.0, 0.5], [0.2, 2.0], [0.1, 0.3]])
    >>> p_values, family_wise
    (array([0.25, 0.5 ]), array([0.25, 0.5 ]))
    """
    scores = as_array("observed", observed, np.float64)
    drawn = as_array("null", null, np.float64)
    if scores.ndim != 1 or drawn.ndim != 2 or drawn.shape[1] != scores.size or not drawn.size:
        raise DataError(
            Param("null"),
            f" must have one column per feature ({scores.size}) and at least one row, got the ",
            f"shape {drawn.shape}",
        )
    if np.isnan(scores).any() or np.isnan(drawn).any():
        raise DataError("a score is missing; every feature needs one in every run")
    limit = scores - 1e-12 * np.abs(scores)
    k = drawn.shape[0]
    p_values = (1.0 + (drawn >= limit).sum(axis=0)) / (1.0 + k)
    order = np.argsort(-scores, kind="stable")
    ordered = limit[order]
    # Where the features that tie with each one begin: what stands there is compared with all of them.
    first = np.searchsorted(-scores[order], -scores[order] - 1e-12 * np.abs(scores[order]))
    best = np.maximum.accumulate(drawn[:, order[::-1]], axis=1)[:, ::-1]
    reached = (1.0 + (best[:, first] >= ordered).sum(axis=0)) / (1.0 + k)
    family_wise = np.empty(scores.size)
    family_wise[order] = np.maximum.accumulate(reached)
    return p_values, family_wise

"""How many clusterings suffice."""

from __future__ import annotations

import math
import reprlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from pyfsagg._base.checks import check_integer, check_real
from pyfsagg._base.types import Floats
from pyfsagg.exceptions import DataError, InputTypeError
from pyfsagg.stability_measures import stability
from pyfsagg.unsupervised._input import check_numbers
from pyfsagg.unsupervised.affinity import affinity_scores
from pyfsagg.unsupervised.consensus import consensus_matrix
from pyfsagg.unsupervised.result import ConsensusRanking

__all__ = ["ClusteringAdequacy", "enough_clusterings"]


@dataclass(frozen=True, eq=False)
class ClusteringAdequacy:
    """Reliability of the scores of an ensemble of clusterings.

    Attributes
    ----------
    n_clusterings : int
        Size of the ensemble.
    reliability : float
        Expected correlation between its scores and those of another ensemble of the same size.
    target : float
        Required reliability.
    needed : int or None
        Number of clusterings that reach it; None if the parts of the ensemble do not agree at all.
    standard_errors : ndarray (n_features,)
        Standard error of each score, from the spread between parts of the ensemble.
    """

    n_clusterings: int
    reliability: float
    target: float
    needed: int | None
    standard_errors: Floats

    @property
    def enough(self) -> bool:
        """Whether the ensemble reaches the target."""
        return self.reliability >= self.target

    def __repr__(self) -> str:
        needed = "no number is enough" if self.needed is None else f"needs {self.needed}"
        return (
            f"ClusteringAdequacy(reliability {self.reliability:.4f} with {self.n_clusterings} "
            f"clusterings; {self.target:g} {needed})"
        )


def enough_clusterings(
    X: Any, ranking: ConsensusRanking, *, target: float = 0.99, n_parts: int = 10
) -> ClusteringAdequacy:
    """Estimate how many clusterings FRCM needs on a table.

    The clusterings are divided into `n_parts` parts, the features are scored with the consensus
    matrix of each part, and the mean correlation r between the scores of two parts is carried over
    to other sizes by the formula of Spearman and Brown: an ensemble q times as large as a part has
    the reliability ``q r / (1 + (q - 1) r)``.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        The table that was ranked.
    ranking : ConsensusRanking
        Result of :func:`frcm`.
    target : float
        Required reliability, above 0 and below 1.
    n_parts : int
        At least 2, at most the number of clusterings.

    Returns
    -------
    ClusteringAdequacy

    Raises
    ------
    DataError
        If the ranking has no clusterings, X is another table, or all scores of a part are equal.
    ParameterError
        `target` or `n_parts` out of range.

    Notes
    -----
    The affinities are computed once for all parts.  The standard errors treat the parts as
    independent, which clusterings with seeds of their own are.

    Examples
    --------
    >>> from pyfsagg.unsupervised import frcm
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(40, 6)) + np.outer(np.repeat([0.0, 4.0], 20), [1, 1, 1, 0, 0, 0])
    >>> ranking = frcm(X, n_clusterings=60, random_state=0)
    >>> enough_clusterings(X, ranking, target=0.9).enough
    True
    """
    target = check_real("target", target, low=0.0, high=1.0 - 1e-9, low_open=True)
    if not isinstance(ranking, ConsensusRanking):
        raise InputTypeError(f"ranking must be a result of frcm, got {reprlib.repr(ranking)}")
    if ranking.labels is None or ranking.method != "frcm":
        raise DataError(f"a ranking by frcm with its clusterings is needed, got {ranking!r}")
    n_clusterings = len(ranking.labels)
    n_parts = check_integer("n_parts", n_parts, low=2, high=n_clusterings)
    table = check_numbers(X, standardize=str(ranking.parameters["standardize"]))
    if table.feature_names != ranking.feature_names or (table.n_samples != ranking.labels.shape[1]):
        raise DataError("X is not the table that was ranked: other features or samples")
    parts = [ranking.labels[first::n_parts] for first in range(n_parts)]
    scores = affinity_scores(table, np.stack([consensus_matrix(part) for part in parts]))
    of_part = float(stability(scores, "pearson", input="scores"))
    if of_part <= 0.0:
        reliability, needed = 0.0, None
    else:
        reliability = n_parts * of_part / (1.0 + (n_parts - 1.0) * of_part)
        odds = target / (1.0 - target) * (1.0 - of_part) / of_part
        needed = max(1, math.ceil(n_clusterings / n_parts * odds))
    errors = scores.std(axis=0, ddof=1) / math.sqrt(n_parts)
    return ClusteringAdequacy(n_clusterings, reliability, target, needed, errors)

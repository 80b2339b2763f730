"""The R package stabm: stability of selections, with and without similarities of features."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from pyfsagg.exceptions import UnknownNameError
from r_bridge._conversion import to_matrix
from r_bridge._session import call, environment, package, require

__all__ = ["ADJUSTED_MEASURES", "MEASURES", "stability"]

Correction = Literal["none", "exact", "estimate"]

MEASURES = {
    "davis": "stabilityDavis",
    "dice": "stabilityDice",
    "hamming": "stabilityHamming",
    "jaccard": "stabilityJaccard",
    "kappa": "stabilityKappa",
    "lustgarten": "stabilityLustgarten",
    "nogueira": "stabilityNogueira",
    "novovicova": "stabilityNovovicova",
    "ochiai": "stabilityOchiai",
    "phi": "stabilityPhi",
    "somol": "stabilitySomol",
    "unadjusted": "stabilityUnadjusted",
    "wald": "stabilityWald",
}
ADJUSTED_MEASURES = {
    "intersection_count": "stabilityIntersectionCount",
    "intersection_greedy": "stabilityIntersectionGreedy",
    "intersection_mbm": "stabilityIntersectionMBM",
    "intersection_mean": "stabilityIntersectionMean",
    "sechidis": "stabilitySechidis",
    "yu": "stabilityYu",
    "zucknick": "stabilityZucknick",
}


def stability(
    selections: Iterable[Iterable[int]],
    measure: str = "nogueira",
    *,
    n_features: int,
    similarity: ArrayLike | None = None,
    threshold: float = 0.9,
    correction: Correction | None = None,
) -> float:
    """The value of a stability measure by stabm.

    Parameters
    ----------
    selections : m collections of zero-based positions of features
    measure : str
        A key of :data:`MEASURES` or :data:`ADJUSTED_MEASURES`: the names of
        :func:`pyfsagg.list_stability_measures`.
    n_features : int
        Number of features to choose from.
    similarity : array of shape (n_features, n_features), optional
        For the measures of :data:`ADJUSTED_MEASURES`, with `threshold`.
    correction : {"none", "exact", "estimate"}, optional
        R's ``correction.for.chance``; by default what the R function defaults to.  "estimate" draws
        from R's random numbers.

    Returns
    -------
    float

    Raises
    ------
    UnknownNameError
        For a measure that stabm does not have.
    MissingDependencyError
        If R, rpy2 or stabm (for intersection_mbm, igraph) is not installed.
    RError
        If R raises an error.

    Examples
    --------
    >>> stability([[0, 1], [0, 2]], "dice", n_features=4)
    0.5
    """
    known = MEASURES | ADJUSTED_MEASURES
    if measure not in known:
        raise UnknownNameError("measure of stabm", measure, known)
    if measure == "intersection_mbm":
        require("igraph")
    function = getattr(package("stabm"), known[measure])
    arguments: dict[str, Any] = {"features": _lists(selections)}
    if measure in MEASURES:
        arguments["p"] = n_features
    else:
        shape = (n_features, n_features)
        matrix = np.eye(n_features) if similarity is None else np.asarray(similarity, dtype=float)
        arguments |= {"sim.mat": to_matrix(matrix.reshape(shape)), "threshold": threshold}
    if correction is not None:
        arguments["correction.for.chance"] = correction
    return float(call(function, **arguments)[0])


def _lists(selections: Iterable[Iterable[int]]) -> Any:
    vectors = environment().rinterface
    positions: Sequence[Any] = [
        vectors.IntSexpVector(np.fromiter(each, dtype=np.int32) + np.int32(1))
        for each in selections
    ]
    return vectors.ListSexpVector(positions)

"""The R package stabm: stability of selections, with and without similarities of features."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from pyfsagg.exceptions import UnknownNameError
from pyfsagg_rpy2.conversion import to_matrix
from pyfsagg_rpy2.session import call, environment, package, require

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
    chance_correction: Correction | None = None,
) -> float:
    """The value of a stability measure by stabm.

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
    if chance_correction is not None:
        arguments["correction.for.chance"] = chance_correction
    return float(call(function, **arguments)[0])


def _lists(selections: Iterable[Iterable[int]]) -> Any:
    vectors = environment().rinterface
    positions: Sequence[Any] = [
        vectors.IntSexpVector(np.fromiter(each, dtype=np.int32) + np.int32(1))
        for each in selections
    ]
    return vectors.ListSexpVector(positions)

"""Similar features: the validated matrix, its graph, and what chance alone makes of it."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from pyfsagg._base.checks import as_array
from pyfsagg._base.types import Floats
from pyfsagg._kernels.stability.similarity import Neighbours, adjusted_block, adjusted_rows
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.stability_measures.chance import log_choose

__all__ = ["RandomLevel", "check_similarity", "enumerated_level", "similar_pairs", "yu_level"]

MAX_COMBINATIONS = 1_000_000
"""Pairs of subsets that an exact expectation by enumeration may visit for one pair of sizes."""


def check_similarity(
    similarity: Any, labels: tuple[Any, ...] | None, measure: str
) -> tuple[Floats, tuple[str, ...] | None]:
    """Validate a similarity matrix; a frame is brought into the order of `labels`.

    Returns
    -------
    tuple
        The matrix (p, p), and the names of its features if it has any.

    Raises
    ------
    ParameterError
        If there is none.
    DataError
        If it is not square, not symmetric, or not within [0, 1].
    """
    if similarity is None:
        raise ParameterError(
            f"the measure {measure!r} needs similarity=, a (p, p) matrix of feature similarities "
            "within [0, 1]"
        )
    names: tuple[str, ...] | None = None
    if isinstance(similarity, pd.DataFrame):
        similarity, names = _in_order(similarity, labels)
    try:
        matrix = as_array("similarity", similarity, np.float64)
    except (TypeError, ValueError) as error:
        raise InputTypeError(f"similarity is not a matrix of numbers: {error}") from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise DataError(
            f"similarity must be a square matrix (features by features), got shape {matrix.shape}"
        )
    if not np.isfinite(matrix).all() or matrix.min() < 0 or matrix.max() > 1:
        raise DataError(
            "similarity must lie within [0, 1]; take the absolute value of correlations and clip "
            "rounding errors"
        )
    if not np.allclose(matrix, matrix.T, rtol=0, atol=1e-12):
        raise DataError("similarity must be symmetric: similarity[i, j] equals similarity[j, i]")
    return matrix, names


def _in_order(
    frame: pd.DataFrame, labels: tuple[Any, ...] | None
) -> tuple[Floats, tuple[str, ...]]:
    """The cells of a similarity frame with rows and columns in the order of `labels`."""
    rows, columns = [str(v) for v in frame.index], [str(v) for v in frame.columns]
    if len(rows) == len(columns) and (set(rows) != set(columns) or len(set(rows)) < len(rows)):
        raise DataError("the rows and columns of similarity must carry the same names, each once")
    cells = frame.set_axis(rows).set_axis(columns, axis=1)
    wanted = columns if labels is None else [str(label) for label in labels]
    if len(rows) == len(columns) == len(wanted):
        if set(wanted) != set(columns):
            odd = next(name for name in wanted if name not in set(columns))
            raise DataError(f"the feature {odd!r} is not among the names of similarity")
        cells = cells.loc[wanted, wanted]
    return cells.to_numpy(), tuple(wanted)


def similar_pairs(matrix: Floats, threshold: float) -> Neighbours:
    """The graph of the pairs of features whose similarity reaches the threshold."""
    joined = matrix >= threshold
    np.fill_diagonal(joined, False)
    rows, columns = np.nonzero(joined)
    strength = matrix[rows, columns]
    start = np.concatenate(([0], np.cumsum(joined.sum(axis=1)))).astype(np.intp)
    # Most similar first; ties by the smaller, then the larger feature, whichever subset they
    # are in, so that the greedy matching of two subsets does not depend on their order.
    order = np.lexsort((np.maximum(rows, columns), np.minimum(rows, columns), -strength))
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    return Neighbours(start, columns.astype(np.intp), strength, place)


# ---------------------------------------------------------------------------------------------
# expectation under random selection
# ---------------------------------------------------------------------------------------------
class RandomLevel:
    """Monte Carlo mean of an adjusted intersection for given sizes.

    All sizes use the prefixes of the same random permutations, so that the levels are monotone
    where they should be and a run costs one set of draws.
    """

    def __init__(
        self, kind: int, graph: Neighbours, p: int, n_random: int, random_state: Any
    ) -> None:
        rng = np.random.default_rng(random_state)
        self.kind, self.graph, self.p, self.n_random = kind, graph, p, n_random
        self.seeds = rng.integers(0, 2**63, size=2)

    def __call__(self, left: int, right: int) -> float:
        total = 0.0
        generators = [np.random.default_rng(seed) for seed in self.seeds]
        for first in range(0, self.n_random, 1000):
            count = min(1000, self.n_random - first)
            drawn = []
            for rng, size in zip(generators, (left, right), strict=True):
                position = np.argsort(rng.random((count, self.p)), axis=1)
                support = np.zeros((count, self.p), dtype=bool)
                np.put_along_axis(support, position[:, :size], True, axis=1)
                drawn.append(support)
            total += float(adjusted_rows(self.kind, drawn[0], drawn[1], self.graph).sum())
        return total / self.n_random


def enumerated_level(kind: int, graph: Neighbours, left: int, right: int, p: int) -> float:
    """Mean of an adjusted intersection over all pairs of subsets of the two sizes."""
    n_pairs = np.exp(log_choose(p, left) + log_choose(p, right))
    if n_pairs > MAX_COMBINATIONS * (1 + 1e-9):
        raise ParameterError(
            f"correction='exact' needs {float(n_pairs):.3g} pairs of subsets for sizes {left} and "
            f"{right} out of {p}, more than {MAX_COMBINATIONS}; use correction='estimate'"
        )
    supports = []
    for size in (left, right):
        chosen = list(combinations(range(p), size))
        support = np.zeros((len(chosen), p), dtype=bool)
        for row, positions in zip(support, chosen, strict=True):
            row[list(positions)] = True
        supports.append(support)
    return float(adjusted_block(kind, supports[0], supports[1], graph).mean())


def yu_level(graph: Neighbours, left: int, right: int, p: int) -> float:
    """Exact mean of Yu's intersection, by the degrees of the similarity graph."""
    degrees, counts = np.unique(np.diff(graph.start), return_counts=True)
    there = sum(c * _stand_in(int(d), left, right, p) for d, c in zip(degrees, counts, strict=True))
    back = sum(c * _stand_in(int(d), right, left, p) for d, c in zip(degrees, counts, strict=True))
    return left * right / p + 0.5 * float(there + back)


def _stand_in(degree: int, own: int, other: int, p: int) -> float:
    """P(a feature is in the first subset alone and one of its neighbours in the second alone).

    Given the feature in the first subset, its neighbours outside that subset number
    hypergeometrically; given it outside the second, that subset misses all of a such neighbours
    with probability C(p-1-a, n)/C(p-1, n).
    """
    if degree == 0 or own == 0 or other == 0 or own == p or other == p:
        return 0.0
    outside = np.arange(max(0, degree - own + 1), min(degree, p - own) + 1).astype(np.float64)
    inside = degree - outside
    log_law = log_choose(p - own, outside) + log_choose(own - 1, inside) - log_choose(p - 1, degree)
    missed = np.exp(log_choose(p - 1 - outside, other) - log_choose(p - 1, other))
    return float(own / p * (1 - other / p) * (np.exp(log_law) @ (1 - missed)))

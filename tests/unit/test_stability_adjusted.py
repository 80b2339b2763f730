"""Similarity-adjusted measures against slow definitions, and their levels under chance."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching
from stability_cases import value
from subsets import all_subsets

from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.stability_measures.measure import stability_table

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
THRESHOLD = 0.6
KINDS = ["count", "yu", "mean", "greedy", "mbm"]


def name_of(kind: str) -> str:
    return kind if kind == "yu" else f"intersection_{kind}"


def similarity(p: int, seed: int = 5) -> Floats:
    raw = np.random.default_rng(seed).random((p, p))
    matrix = np.maximum(raw, raw.T).round(1)
    np.fill_diagonal(matrix, 1.0)
    return matrix


def selections(m: int = 6, p: int = 12, seed: int = 6) -> Bools:
    rng = np.random.default_rng(seed)
    return rng.random((m, p)) < rng.uniform(0.2, 0.7, (m, 1))


def slow_intersection(kind: str, a: Bools, b: Bools, matrix: Floats) -> float:
    left, right = np.flatnonzero(a & ~b), np.flatnonzero(b & ~a)
    shared = int((a & b).sum())
    if left.size == 0 or right.size == 0:
        return shared
    part = matrix[np.ix_(left, right)]
    joined = part >= THRESHOLD
    there, back = joined.any(axis=1).sum(), joined.any(axis=0).sum()
    if kind == "count":
        return shared + min(there, back)
    if kind == "yu":
        return shared + (there + back) / 2
    if kind == "mbm":
        matched = maximum_bipartite_matching(csr_array(joined.astype(int)), perm_type="column")
        return shared + int((matched >= 0).sum())
    if kind == "mean":
        rows = sum(part[i, joined[i]].mean() for i in range(len(left)) if joined[i].any())
        columns = sum(part[joined[:, j], j].mean() for j in range(len(right)) if joined[:, j].any())
        return float(shared + min(rows, columns))
    edges = [
        (-part[i, j], min(x, y), max(x, y), x, y)
        for i, x in enumerate(left)
        for j, y in enumerate(right)
        if joined[i, j]
    ]
    taken: set[int] = set()
    for *_, x, y in sorted(edges):
        if not taken & {x, y}:
            taken |= {x, y}
    return shared + len(taken) / 2


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_intersections_by_definition(kind: str, seed: int) -> None:
    support, matrix = selections(seed=seed), similarity(12, seed)
    slow = [slow_intersection(kind, a, b, matrix) for a, b in itertools.combinations(support, 2)]
    options = {"similarity": matrix, "threshold": THRESHOLD, "chance_correction": "none"}
    found = value(support, name_of(kind), **options)
    assert found == pytest.approx(np.mean(slow), abs=1e-12)


SMALL = np.array([[1, 1, 0, 0, 0, 0], [0, 1, 1, 0, 1, 0], [1, 0, 1, 0, 0, 0]], dtype=bool)


def slow_corrected(
    pair: Callable[[Bools, Bools], float], largest: Callable[[int, int], float]
) -> float:
    """The mean of a measure of pairs, corrected by its mean over all pairs of subsets of the two sizes."""
    values = []
    for a, b in itertools.combinations(SMALL, 2):
        n, k = int(a.sum()), int(b.sum())
        level = np.mean([pair(x, y) for x in all_subsets(6, n) for y in all_subsets(6, k)])
        values.append((pair(a, b) - level) / (largest(n, k) - level))
    return float(np.mean(values))


@pytest.mark.parametrize("kind", KINDS)
def test_exact_correction_is_the_mean_over_all_pairs_of_subsets(kind: str) -> None:
    matrix = np.where(similarity(6, 8) > 0.8, similarity(6, 8), 0.0)
    options = {"similarity": matrix, "threshold": THRESHOLD, "chance_correction": "exact"}
    slow = slow_corrected(
        lambda a, b: slow_intersection(kind, a, b, matrix),
        lambda n, k: (n + k) / 2 if kind == "yu" else math.sqrt(n * k),
    )
    assert value(SMALL, name_of(kind), **options) == pytest.approx(slow, abs=1e-10)


PAIR = np.array([[1, 1, 1, 0, 0, 0, 0, 0], [0, 1, 1, 1, 0, 0, 0, 0]], dtype=bool)


@pytest.mark.parametrize("kind", KINDS)
def test_estimated_correction_lies_within_its_monte_carlo_error(kind: str) -> None:
    matrix = np.where(similarity(8, 8) > 0.8, similarity(8, 8), 0.0)
    options = {"similarity": matrix, "threshold": THRESHOLD, "random_state": 0, "n_random": 4000}
    raw, exact, found, again = (
        value(PAIR, name_of(kind), chance_correction=how, **options)
        for how in ("none", "exact", "estimate", "estimate")
    )
    level = (exact * 3 - raw) / (exact - 1)
    # A value in [0, 3] has a standard deviation of at most 1.5; six standard errors of the mean.
    error = 6 * 1.5 / math.sqrt(4000)
    bounds = sorted((raw - u) / (3 - u) for u in (level - error, level + error))
    assert bounds[0] <= found == again <= bounds[1]


def test_a_single_random_draw_is_a_level_too_and_none_is_not() -> None:
    options = {"similarity": np.eye(8), "chance_correction": "estimate", "random_state": 0}
    found = value(PAIR, "intersection_mbm", n_random=1, **options)
    # Two shared of three, less what the draw shared: 0, 1 or 2.
    assert min(abs(found - (2 - drawn) / (3 - drawn)) for drawn in range(3)) < 1e-12
    with pytest.raises(ParameterError, match="n_random"):
        value(PAIR, "intersection_mbm", n_random=0, **options)


def test_exact_enumeration_refuses_what_it_cannot_visit() -> None:
    options = {"similarity": np.eye(40), "chance_correction": "exact"}
    with pytest.raises(ParameterError, match="chance_correction='estimate'"):
        value(np.arange(40) < [[10], [10]], "intersection_mbm", **options)


def slow_zucknick(a: Bools, b: Bools, matrix: Floats) -> float:
    strong = np.where(matrix >= THRESHOLD, matrix, 0.0)
    there = strong[np.ix_(a, b & ~a)].sum() / b.sum()
    back = strong[np.ix_(b, a & ~b)].sum() / a.sum()
    return float(((a & b).sum() + there + back) / (a | b).sum())


def test_zucknick_by_definition_and_its_exact_correction() -> None:
    matrix = similarity(6, 8)
    values = [slow_zucknick(a, b, matrix) for a, b in itertools.combinations(SMALL, 2)]
    options = {"similarity": matrix, "threshold": THRESHOLD}
    assert value(SMALL, "zucknick", **options) == pytest.approx(np.mean(values), abs=1e-12)
    found = value(SMALL, "zucknick", chance_correction="exact", **options)
    slow = slow_corrected(lambda a, b: slow_zucknick(a, b, matrix), lambda n, k: 1.0)
    assert found == pytest.approx(slow, abs=1e-12)


def test_sechidis_by_definition() -> None:
    support, matrix = selections(), similarity(12)
    strong = np.where(matrix >= THRESHOLD, matrix, 0.0)
    p, sizes = 12, support.sum(axis=1)
    mean, square = sizes.mean(), (sizes**2).mean()
    chance = np.full((p, p), (square - mean) / (p * p - p) - (mean / p) ** 2)
    np.fill_diagonal(chance, mean / p * (1 - mean / p))
    slow = 1 - np.trace(strong @ np.cov(support.T)) / np.trace(strong @ chance)
    found = value(support, "sechidis", similarity=matrix, threshold=THRESHOLD)
    assert found == pytest.approx(slow, abs=1e-12)


def test_without_similar_features_the_measures_are_the_plain_ones() -> None:
    for adjusted, plain, p, options in (
        ("zucknick", "jaccard", 12, {}),
        ("sechidis", "nogueira", 12, {}),
        ("intersection_mbm", "unadjusted", 6, {"chance_correction": "exact"}),
        ("yu", "kappa", 12, {}),
    ):
        data = selections()[:, :p]
        found = value(data, adjusted, similarity=np.eye(p), **options)
        assert found == pytest.approx(value(data, plain), abs=1e-10)


def test_names_are_matched_to_the_similarity_frame() -> None:
    support, matrix = selections(), similarity(12)
    names = [f"f{j}" for j in range(12)]
    frame = pd.DataFrame(matrix, index=names, columns=names)
    shuffled = frame.sample(frac=1, random_state=0).sample(frac=1, axis=1, random_state=1)
    sets = [{names[j] for j in np.flatnonzero(row)} for row in support]
    expected = value(support, "yu", similarity=matrix, threshold=THRESHOLD)
    for data, extra in (
        (sets, {}),
        (sets, {"feature_names": names}),
        (pd.DataFrame(support, columns=names), {}),
    ):
        extra["similarity"] = shuffled
        found = value(data, "yu", threshold=THRESHOLD, **extra)
        assert found == pytest.approx(expected, abs=1e-12)
        table = stability_table(data, ["yu"], interval=None, **extra)
        assert table["value"].item() == value(data, "yu", **extra)
    with pytest.raises(ParameterError, match="pass feature_names"):
        value(sets, "yu", similarity=matrix)


@pytest.mark.parametrize(
    ("matrix", "error", "message"),
    [
        (None, ParameterError, "needs similarity"),
        (np.ones((12, 11)), DataError, "square"),
        (np.ones(12), DataError, "square"),
        (np.eye(11), DataError, "size 11 x 11, but the number of columns of data"),
        (np.triu(np.full((12, 12), 0.5)), DataError, "symmetric"),
        (-np.eye(12), DataError, "absolute value"),
        (np.full((12, 12), np.nan), DataError, r"\[0, 1\]"),
        ([["a"]], InputTypeError, "not a matrix of numbers"),
    ],
)
def test_bad_similarity_is_refused(matrix: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        value(selections(), "zucknick", similarity=matrix)


def test_rows_and_columns_of_a_similarity_frame_carry_the_same_names() -> None:
    names = [f"f{j}" for j in range(12)]
    frame = pd.DataFrame(similarity(12), index=names, columns=names).loc[names[::-1]]
    sets = [{names[0]}, {names[1]}]
    found, straight = (
        value(sets, "zucknick", similarity=each, threshold=0.2)
        for each in (frame, frame.loc[names, names])
    )
    assert found == straight
    wrong = frame.set_axis([f"g{j}" for j in range(12)], axis=0)
    with pytest.raises(DataError, match="same names"):
        value(sets, "zucknick", similarity=wrong)

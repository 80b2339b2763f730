"""Similarity-adjusted measures against slow definitions, and their levels under chance."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching
from subsets import all_subsets

from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.stability_measures.measure import measure_stability, stability_table

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
    found = measure_stability(
        support, name_of(kind), similarity=matrix, threshold=THRESHOLD, chance_correction="none"
    )
    assert found.value == pytest.approx(np.mean(slow), abs=1e-12)


SMALL = np.array([[1, 1, 0, 0, 0, 0], [0, 1, 1, 0, 1, 0], [1, 0, 1, 0, 0, 0]], dtype=bool)


def slow_corrected(kind: str, matrix: Floats) -> float:
    values = []
    for a, b in itertools.combinations(SMALL, 2):
        n, k = int(a.sum()), int(b.sum())
        level = np.mean(
            [
                slow_intersection(kind, x, y, matrix)
                for x in all_subsets(6, n)
                for y in all_subsets(6, k)
            ]
        )
        n_features_to_select = (n + k) / 2 if kind == "yu" else math.sqrt(n * k)
        values.append(
            (slow_intersection(kind, a, b, matrix) - level) / (n_features_to_select - level)
        )
    return float(np.mean(values))


@pytest.mark.parametrize("kind", KINDS)
def test_exact_correction_is_the_mean_over_all_pairs_of_subsets(kind: str) -> None:
    matrix = np.where(similarity(6, 8) > 0.8, similarity(6, 8), 0.0)
    found = measure_stability(
        SMALL, name_of(kind), similarity=matrix, threshold=THRESHOLD, chance_correction="exact"
    )
    assert found.value == pytest.approx(slow_corrected(kind, matrix), abs=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_estimated_correction_lies_within_its_monte_carlo_error(kind: str) -> None:
    support = np.array([[1, 1, 1, 0, 0, 0, 0, 0], [0, 1, 1, 1, 0, 0, 0, 0]], dtype=bool)
    matrix = np.where(similarity(8, 8) > 0.8, similarity(8, 8), 0.0)
    options = {"similarity": matrix, "threshold": THRESHOLD, "random_state": 0}
    raw = measure_stability(support, name_of(kind), chance_correction="none", **options).value
    exact = measure_stability(support, name_of(kind), chance_correction="exact", **options).value
    level = (exact * 3 - raw) / (exact - 1)
    # A value in [0, 3] has a standard deviation of at most 1.5; six standard errors of the mean.
    error = 6 * 1.5 / math.sqrt(4000)
    bounds = sorted((raw - u) / (3 - u) for u in (level - error, level + error))
    found = measure_stability(
        support, name_of(kind), chance_correction="estimate", n_random=4000, **options
    )
    assert bounds[0] <= found.value <= bounds[1]
    again = measure_stability(
        support, name_of(kind), chance_correction="estimate", n_random=4000, **options
    )
    assert again.value == found.value


def test_a_single_random_draw_is_a_level_too_and_none_is_not() -> None:
    support = np.array([[1, 1, 1, 0, 0, 0, 0, 0], [0, 1, 1, 1, 0, 0, 0, 0]], dtype=bool)
    options = {"similarity": np.eye(8), "chance_correction": "estimate", "random_state": 0}
    found = measure_stability(support, "intersection_mbm", n_random=1, **options).value
    # Two shared of three, less what the draw shared: 0, 1 or 2.
    assert min(abs(found - (2 - drawn) / (3 - drawn)) for drawn in range(3)) < 1e-12
    with pytest.raises(ParameterError, match="n_random"):
        measure_stability(support, "intersection_mbm", n_random=0, **options)


def test_exact_enumeration_refuses_what_it_cannot_visit() -> None:
    support = np.zeros((2, 40), dtype=bool)
    support[:, :10] = True
    with pytest.raises(ParameterError, match="chance_correction='estimate'"):
        measure_stability(
            support, "intersection_mbm", similarity=np.eye(40), chance_correction="exact"
        )


def slow_zucknick(a: Bools, b: Bools, matrix: Floats) -> float:
    strong = np.where(matrix >= THRESHOLD, matrix, 0.0)
    there = strong[np.ix_(a, b & ~a)].sum() / b.sum()
    back = strong[np.ix_(b, a & ~b)].sum() / a.sum()
    return float(((a & b).sum() + there + back) / (a | b).sum())


def test_zucknick_by_definition_and_its_exact_correction() -> None:
    matrix = similarity(6, 8)
    values, corrected = [], []
    for a, b in itertools.combinations(SMALL, 2):
        level = np.mean(
            [
                slow_zucknick(x, y, matrix)
                for x in all_subsets(6, int(a.sum()))
                for y in all_subsets(6, int(b.sum()))
            ]
        )
        values.append(slow_zucknick(a, b, matrix))
        corrected.append((values[-1] - level) / (1 - level))
    options = {"similarity": matrix, "threshold": THRESHOLD}
    plain = measure_stability(SMALL, "zucknick", **options).value
    assert plain == pytest.approx(np.mean(values), abs=1e-12)
    found = measure_stability(SMALL, "zucknick", chance_correction="exact", **options).value
    assert found == pytest.approx(np.mean(corrected), abs=1e-12)


def test_sechidis_by_definition() -> None:
    support, matrix = selections(), similarity(12)
    strong = np.where(matrix >= THRESHOLD, matrix, 0.0)
    p, sizes = 12, support.sum(axis=1)
    mean, square = sizes.mean(), (sizes**2).mean()
    chance = np.full((p, p), (square - mean) / (p * p - p) - (mean / p) ** 2)
    np.fill_diagonal(chance, mean / p * (1 - mean / p))
    slow = 1 - np.trace(strong @ np.cov(support.T)) / np.trace(strong @ chance)
    found = measure_stability(support, "sechidis", similarity=matrix, threshold=THRESHOLD)
    assert found.value == pytest.approx(slow, abs=1e-12)


def test_without_similar_features_the_measures_are_the_plain_ones() -> None:
    support = selections()
    identity = np.eye(12)
    pairs = (("zucknick", "jaccard"), ("sechidis", "nogueira"), ("intersection_mbm", "unadjusted"))
    for adjusted, plain in pairs:
        options = {"chance_correction": "exact"} if adjusted.startswith("inter") else {}
        if options:
            data = support[:, :6]
            found = measure_stability(data, adjusted, similarity=np.eye(6), **options).value
            assert found == pytest.approx(measure_stability(data, plain).value, abs=1e-10)
        else:
            found = measure_stability(support, adjusted, similarity=identity).value
            assert found == pytest.approx(measure_stability(support, plain).value, abs=1e-10)
    yu = measure_stability(support, "yu", similarity=identity).value
    assert yu == pytest.approx(measure_stability(support, "kappa").value, abs=1e-10)


def test_names_are_matched_to_the_similarity_frame() -> None:
    support, matrix = selections(), similarity(12)
    names = [f"f{j}" for j in range(12)]
    frame = pd.DataFrame(matrix, index=names, columns=names)
    shuffled = frame.sample(frac=1, random_state=0).sample(frac=1, axis=1, random_state=1)
    sets = [{names[j] for j in np.flatnonzero(row)} for row in support]
    options = {"threshold": THRESHOLD}
    expected = measure_stability(support, "yu", similarity=matrix, **options).value
    for data, extra in (
        (sets, {}),
        (sets, {"feature_names": names}),
        (pd.DataFrame(support, columns=names), {}),
    ):
        found = measure_stability(data, "yu", similarity=shuffled, **extra, **options).value
        assert found == pytest.approx(expected, abs=1e-12)
        table = stability_table(data, ["yu"], similarity=shuffled, interval=None, **extra)
        assert (
            table["value"].item()
            == measure_stability(data, "yu", similarity=shuffled, **extra).value
        )
    with pytest.raises(ParameterError, match="pass feature_names"):
        measure_stability(sets, "yu", similarity=matrix)


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
        measure_stability(selections(), "zucknick", similarity=matrix)


def test_rows_and_columns_of_a_similarity_frame_carry_the_same_names() -> None:
    names = [f"f{j}" for j in range(12)]
    frame = pd.DataFrame(similarity(12), index=names, columns=names).loc[names[::-1]]
    sets = [{names[0]}, {names[1]}]
    found = measure_stability(sets, "zucknick", similarity=frame, threshold=0.2)
    straight = measure_stability(
        sets, "zucknick", similarity=frame.loc[names, names], threshold=0.2
    )
    assert found.value == straight.value
    wrong = frame.set_axis([f"g{j}" for j in range(12)], axis=0)
    with pytest.raises(DataError, match="same names"):
        measure_stability(sets, "zucknick", similarity=wrong)

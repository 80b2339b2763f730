"""FRCM: formulas by hand, plain twins, planted clusters, identical points, seeds, bad input."""

import json
import os

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import DBSCAN, BisectingKMeans, KMeans
from sklearn.decomposition import PCA

from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, UnknownNameError
from pyfsagg.unsupervised import frcm
from pyfsagg.unsupervised.clusterings import CLUSTERERS, consensus_matrix
from pyfsagg.unsupervised.result import mean_plus_sd


def planted(n: int = 60, informative: int = 10, noise: int = 30, seed: int = 0) -> np.ndarray:
    """Three clusters in the first features, nothing in the others."""
    rng = np.random.default_rng(seed)
    centres = np.zeros((3, informative + noise))
    # Every informative feature tells all three clusters apart, each in an order of its own.
    centres[:, :informative] = rng.permuted(np.tile([[-4.0], [0.0], [4.0]], informative), axis=0)
    return centres[np.arange(n) % 3] + rng.standard_normal((n, informative + noise))


def plain_scores(X: np.ndarray, consensus: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Equations (7), (11) and (12) word for word."""
    n = len(X)
    scores = []
    for d in columns:
        s0 = s1 = s2 = 0.0
        for i in range(n):
            for j in range(n):
                if i == j:
                    continue
                distance = np.sum((X[i] - X[j]) ** 2)
                share = (X[i, d] - X[j, d]) ** 2 / distance if distance > 0 else 0.0
                affinity = np.sqrt(max(0.0, 1 - share))
                s0 += consensus[i, j] * affinity / 2
                s1 += consensus[i, j] / 2
                s2 += affinity / 2
        s3 = 2 * s1 * s2 / (n * (n - 1))
        scores.append((s0 - s3) / (0.5 * (s1 + s2) - s3))
    return np.array(scores)


def plain_consensus(labels: np.ndarray) -> np.ndarray:
    return np.mean([row[:, None] == row for row in labels], axis=0)


def test_score_by_hand() -> None:
    X = np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]])
    # M = 1 between samples 1 and 2 (counted from 0), 0 elsewhere; A = 0.8, 0 and 1.
    found = frcm(X, labels=[[0, 1, 1]], standardize="none").scores
    s0, s1, s2, s3 = 1.0, 1.0, 1.8, 2 * 1.8 / 6
    assert found[0] == pytest.approx((s0 - s3) / (0.5 * (s1 + s2) - s3), abs=1e-15)
    s0, s2 = 0.0, 0.6 + 1.0
    s3 = 2 * s2 / 6
    assert found[1] == pytest.approx((s0 - s3) / (0.5 * (1.0 + s2) - s3), abs=1e-15)


@pytest.mark.parametrize("shape", [(3, 2), (12, 5), (9, 600)])
def test_scores_equal_their_plain_twin(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    X = rng.standard_normal(shape) * np.exp(rng.normal(0, 2, shape[1]))
    X[1] = X[0]
    labels = rng.integers(0, 3, (7, shape[0]))
    result = frcm(X, labels=labels, standardize="none")
    columns = rng.choice(shape[1], min(10, shape[1]), replace=False)
    matrix = plain_consensus(labels)
    np.testing.assert_allclose(result.consensus, matrix, rtol=0, atol=1e-15)
    expected = plain_scores(X, matrix, columns)
    np.testing.assert_allclose(result.scores[columns], expected, rtol=0, atol=1e-12)


def test_a_feature_that_is_all_of_the_distance_has_affinity_zero() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        # The samples differ in the first feature alone; its affinity is 0 for all pairs.
        X = np.column_stack([rng.standard_normal(3), np.zeros(3)])
        scores = frcm(X, labels=[[0, 0, 1]], standardize="none").scores
        assert scores.tolist() == [0.0, 0.0]


def test_scores_keep_their_digits_where_all_affinities_are_near_one() -> None:
    rng = np.random.default_rng(8)
    X = rng.standard_normal((25, 1200))
    labels = rng.integers(0, 4, (10, 25))
    found = frcm(X, labels=labels, standardize="none").scores
    exact = np.longdouble(X)
    m = np.longdouble(plain_consensus(labels))[np.triu_indices(25, 1)]
    i, j = np.triu_indices(25, 1)
    squared = ((exact[i] - exact[j]) ** 2).sum(axis=1)
    for d in range(0, 1200, 100):
        a = np.sqrt(1 - (exact[i, d] - exact[j, d]) ** 2 / squared)
        s3 = m.sum() * a.sum() / len(m)
        expected = float((m @ a - s3) / ((m.sum() + a.sum()) / 2 - s3))
        assert abs(expected) < 1e-3
        assert found[d] == pytest.approx(expected, rel=1e-9, abs=1e-16)


@pytest.mark.parametrize("standardize", ["none", "z_score"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_planted_features_come_first(standardize: str, seed: int) -> None:
    result = frcm(planted(seed=seed), random_state=seed, standardize=standardize)
    assert result.scores[:10].min() > result.scores[10:].max()
    assert set(result.select(10)) == {f"x{j}" for j in range(10)}
    assert set(result.select()) <= {f"x{j}" for j in range(10)}


def test_identical_points_and_constant_features() -> None:
    X = planted(30, 4, 4)
    X[10:20] = X[0:10]
    X[:, 7] = 3.0
    result = frcm(X, n_clusterings=40, random_state=0)
    assert result.scores[7] == 0.0
    assert np.isfinite(result.scores).all()
    np.testing.assert_array_equal(np.diag(result.consensus[:10, 10:20]), 1.0)
    assert result.scores[:4].min() > result.scores[4:].max()
    Z = (X - X.mean(axis=0)) / np.where(np.ptp(X, axis=0) > 0, X.std(axis=0), 1.0)
    expected = plain_scores(Z, result.consensus, np.arange(8))
    np.testing.assert_allclose(result.scores, expected, rtol=0, atol=1e-12)


def test_a_subspace_with_fewer_points_than_clusters() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (25, 6)).astype(float)
    result = frcm(X, n_clusterings=30, feature_fraction=0.2, random_state=0)
    # One binary feature at a time: two clusters, whatever number was drawn.
    assert result.labels.max() == 1
    assert np.isfinite(result.scores).all()


def test_seed_and_jobs() -> None:
    X = planted(40, 6, 600)
    one = frcm(X, n_clusterings=15, random_state=7)
    for n_jobs in (2, 3):
        other = frcm(X, n_clusterings=15, random_state=7, n_jobs=n_jobs)
        np.testing.assert_array_equal(one.scores, other.scores)
        np.testing.assert_array_equal(one.labels, other.labels)
    more = frcm(X, n_clusterings=20, random_state=7)
    np.testing.assert_array_equal(one.labels, more.labels[:15])
    assert (frcm(X, n_clusterings=15, random_state=8).labels != one.labels).any()
    drawn = frcm(X, n_clusterings=5)
    again = frcm(X, n_clusterings=5, random_state=drawn.parameters["seed"])
    np.testing.assert_array_equal(drawn.scores, again.scores)


def test_clusterings_follow_the_paper() -> None:
    X = planted(100, 5, 6)
    widths, numbers = [], []

    class Spy(KMeans):
        def fit_predict(self, X, y=None, sample_weight=None):
            widths.append(X.shape[1])
            numbers.append(self.n_clusters)
            return super().fit_predict(X)

    result = frcm(X, n_clusterings=200, clusterer=Spy(n_init=1, init="random"), random_state=0)
    assert set(widths) == {5}  # half of 11 features
    assert set(numbers) == set(range(2, 11))  # 2 to sqrt(100), both ends
    # Uniform: 9 numbers, 22 of each expected; outside 5 to 45 with a chance below 1e-5.
    counts = np.bincount(numbers)[2:]
    assert counts.min() >= 5
    assert counts.max() <= 45
    assert result.parameters["k_range"] == [2, 10]
    again = frcm(X, n_clusterings=200, random_state=0)
    np.testing.assert_array_equal(result.labels, again.labels)
    capped = frcm(np.random.default_rng(0).normal(size=(500, 2)), n_clusterings=2, random_state=0)
    assert capped.parameters["k_range"] == [2, 20]


@pytest.mark.parametrize("clusterer", [*CLUSTERERS, BisectingKMeans()])
@pytest.mark.filterwarnings("ignore:Graph is not fully connected:UserWarning")
def test_base_clusterers(clusterer: object) -> None:
    X = planted(36, 8, 8)
    result = frcm(X, n_clusterings=25, clusterer=clusterer, random_state=0, k_range=(2, 4))
    assert result.scores[:8].mean() > result.scores[8:].mean() + 0.01


def test_scale_matters_and_common_changes_do_not() -> None:
    X = planted(30, 4, 4)
    factors = 2.0 ** np.arange(8)
    for how in ("none", "z_score", "min_max"):
        raw, moved, scaled = (
            frcm(table, n_clusterings=20, random_state=0, standardize=how).scores
            for table in (X, 4.0 * X + 8.0, X * factors)
        )
        np.testing.assert_allclose(raw, moved, rtol=0, atol=1e-12)
        change = np.abs(scaled - raw).max()
        assert change > 0.05 if how == "none" else change < 1e-12


def test_mean_plus_sd() -> None:
    scores = np.array([0.0, 0.0, 0.0, 1.0, 2.0])  # mean 0.6, sd 0.894
    np.testing.assert_array_equal(mean_plus_sd(scores), [False, False, False, False, True])
    np.testing.assert_array_equal(mean_plus_sd([1.0, 1.0, 1.0]), [True, False, False])
    np.testing.assert_array_equal(mean_plus_sd([0.0, 1.0]), [False, True])
    for bad in ([1.0], [1.0, np.nan], [[1.0, 2.0]]):
        with pytest.raises(DataError, match="finite numbers"):
            mean_plus_sd(bad)


def test_result_is_kept_and_told(tmp_path) -> None:
    frame = pd.DataFrame(planted(30, 4, 6)).add_prefix("gene_")
    result = frcm(frame, n_clusterings=20, random_state=0)
    table = result.to_frame(3)
    assert table.index[:4].tolist() == result.select(4)
    assert table["selected"].tolist() == [True] * 3 + [False] * 7
    assert (table["score"].diff().dropna() <= 0).all()
    document = json.loads(result.to_json())
    assert document["selected"] == result.select()
    assert document["parameters"]["standardize"] == "z_score"
    assert len(result.select(0.25)) == 3
    with pytest.raises(ParameterError, match="n_features_to_select must be 'mean_plus_sd'"):
        result.select("median")
    for wrong in (0, 11, 1.5):
        with pytest.raises(ParameterError, match="n_features_to_select"):
            result.select(wrong)
    assert "frcm: 10 features" in repr(result)
    folder = result.save(tmp_path / "run")
    assert sorted(os.listdir(folder)) == ["matrices.npz", "ranking.csv", "run.json", "selected.txt"]


def _with(row: int, column: int, value: float) -> np.ndarray:
    X = planted(20, 3, 3)
    X[row, column] = value
    return X


@pytest.mark.parametrize(
    ("X", "options", "error", "message"),
    [
        (np.eye(2), {}, DataError, r"2 sample\(s\)"),
        (planted(20, 1, 0), {}, DataError, r"1 feature\(s\)"),
        (np.ones((5, 3)), {}, DataError, "every feature is constant"),
        (_with(4, 2, np.nan), {}, DataError, r"column 'x2' has missing values \(NaN\)"),
        (_with(4, 2, np.inf), {}, DataError, "column 'x2' has an infinite value"),
        (pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]}), {}, DataError, "'b' is nominal"),
        (planted(), {"k_range": (5, 4)}, ParameterError, "k_range is empty: 5 is above 4"),
        (planted(), {"k_range": (1, 4)}, ParameterError, "at least 2, got 1"),
        (planted(), {"k_range": 4}, ParameterError, "k_range must be a pair"),
        (planted(), {"k_range": (2, 61)}, DataError, "only 60 distinct samples"),
        (np.repeat(np.eye(3), 5, 0), {"k_range": (2, 4)}, DataError, "only 3 distinct samples"),
        (planted(), {"n_clusterings": 0}, ParameterError, "n_clusterings"),
        (planted(), {"feature_fraction": 0.0}, ParameterError, "feature_fraction"),
        (planted(), {"feature_fraction": 1.1}, ParameterError, "feature_fraction"),
        (planted(), {"standardize": "zscore"}, ParameterError, "standardize must be one of"),
        (planted(), {"clusterer": "kmeans"}, UnknownNameError, "did you mean 'k_means'"),
        (planted(), {"clusterer": 3}, InputTypeError, "or a scikit-learn clusterer, got 3"),
        (planted(), {"clusterer": PCA()}, InputTypeError, r"scikit-learn clusterer, got PCA\(\)"),
        (planted(), {"clusterer": DBSCAN()}, InputTypeError, "no parameter n_clusters"),
        (planted(), {"labels": np.zeros((2, 59))}, DataError, "59 samples per partition"),
        (planted(), {"labels": np.zeros(60)}, DataError, "one row per partition"),
        (planted(), {"labels": np.full((1, 60), np.nan)}, DataError, "missing values"),
    ],
)
def test_bad_input(X: object, options: dict, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        frcm(X, **options)


def test_consensus_matrix_equals_its_plain_twin() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 5, (13, 150))
    found = consensus_matrix(labels, n_jobs=2)
    np.testing.assert_allclose(found, plain_consensus(labels), rtol=0, atol=1e-15)
    words = np.array(["a", "b", "c", "d", "e"])[labels]
    np.testing.assert_array_equal(consensus_matrix(words), found)

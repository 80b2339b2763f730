"""Consensus partitions, and the evaluation with known classes."""

import importlib.util
import os
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from pyfsagg.exceptions import DataError, MissingDependencyError, ParameterError
from pyfsagg.unsupervised import clustering_curve
from pyfsagg.unsupervised.clusterings import resolve_k_range
from pyfsagg.unsupervised.evaluation import borda_curve
from pyfsagg.unsupervised.rankings import correlation_ratio, frmv
from pyfsagg_papers.tables.clustering_trials import _principal_components, evaluate_rankings
from pyfsagg_papers.tables.frcm import summarise_trials
from pyfsagg_papers.tables.partition import _embedding, consensus_partition

MISSING = importlib.util.find_spec("pymetis") is None and "PYFSAGG_REQUIRE_ALL" not in os.environ
METIS = pytest.param("metis", marks=pytest.mark.skipif(MISSING, reason="pymetis is missing"))


def noisy_partitions(n: int, k: int, n_clusterings: int, noise: float, seed: int) -> tuple:
    """A partition, and copies of it with other names in which some samples moved."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % k
    labels = np.array([rng.permutation(k)[truth] for _ in range(n_clusterings)])
    moved = rng.random(labels.shape) < noise
    labels[moved] = rng.integers(0, k, moved.sum())
    return truth, labels


@pytest.mark.parametrize("partitioner", ["spectral", METIS])
@pytest.mark.parametrize("method", ["average", "cspa", "hbgf"])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_consensus_finds_what_noisy_partitions_share(method: str, partitioner: str, k: int) -> None:
    truth, labels = noisy_partitions(60, k, 30, 0.3, seed=k)
    assert max(adjusted_rand_score(truth, row) for row in labels) < 0.9
    found = consensus_partition(labels, k, method=method, partitioner=partitioner, random_state=0)
    assert adjusted_rand_score(truth, found) == 1.0
    assert found[0] == 0
    firsts = [int(np.flatnonzero(found == c)[0]) for c in range(k)]
    assert firsts == sorted(firsts)


@pytest.mark.parametrize("method", ["average", "cspa", "hbgf"])
def test_consensus_of_equal_partitions_is_that_partition(method: str) -> None:
    # The graph falls into parts without a link between them.
    truth = np.repeat([0, 1, 2], [5, 3, 9])
    found = consensus_partition([truth, truth + 4], 3, method=method, random_state=1)
    np.testing.assert_array_equal(found, truth)


def test_consensus_partition_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymetis", None)
    _, labels = noisy_partitions(12, 3, 4, 0.0, seed=0)
    metis = {"method": "cspa", "partitioner": "metis"}
    for k, options, error, message in (
        (4, {}, DataError, "distinguish only 3 groups"),
        (1, {}, ParameterError, "n_clusters"),
        (13, {}, ParameterError, "n_clusters"),
        (3, {"method": "hgpa"}, ParameterError, "method must be one of"),
        (3, {"partitioner": "kahip"}, ParameterError, "partitioner must be one of"),
        (3, metis, MissingDependencyError, "install it with pip install pymetis"),
    ):
        with pytest.raises(error, match=message):
            consensus_partition(labels, k, **options)


RNG = np.random.default_rng(5)
Y = np.repeat(["a", "b", "c"], 15)
CENTRES = 5.0 * RNG.standard_normal((3, 6))[np.repeat([0, 1, 2], 15)]
X = np.column_stack([CENTRES + RNG.standard_normal((45, 6)), RNG.standard_normal((45, 14))])


def test_evaluation_finds_the_classes_on_the_informative_features() -> None:
    how = {"n_features_to_select": 6, "n_trials": 6, "n_clusterings": 30, "random_state": 0}
    trials = evaluate_rankings(X, Y, **how, n_jobs=2)
    methods = ["frcm", "frmv", "laplacian_score", "svd_entropy", "pca"]
    assert trials["method"].unique().tolist() == methods
    assert (trials.groupby("method")["n_features"].max() == 6).all()
    summary = summarise_trials(trials)
    assert summary.loc["frcm", "nmi"] > 0.7
    assert summary.loc["frcm", "ari"] == trials.query("method == 'frcm'")["ari"].mean()
    assert trials.equals(evaluate_rankings(X, Y, **how))
    # Without randomness a selection repeats itself.
    trials = evaluate_rankings(X, Y, ["svd_entropy"], n_trials=3, random_state=0)
    assert trials["n_features"].nunique() == 1
    for methods in ([], ["pca"]):  # none, principal components without frcm
        with pytest.raises(ParameterError, match="name a method"):
            evaluate_rankings(X, Y, methods, n_trials=1)


def test_curve_uses_the_best_features_and_geometric_nmi() -> None:
    oracle = np.r_[np.ones(6), np.zeros(14)]
    rankings, how = {"oracle": oracle, "worst": -oracle}, {"n_trials": 5, "random_state": 0}
    curve = clustering_curve(X, Y, rankings, [6, 20], **how, n_jobs=2)
    summary = summarise_trials(curve)["nmi"]
    assert summary["oracle", 6] > summary["worst", 6] + 0.4
    # All features: the rankings no longer differ, and the seeds are the same.
    assert summary["oracle", 20] == pytest.approx(summary["worst", 20], abs=0.2)
    for rankings, sizes, error, message in (
        ({"oracle": oracle}, [21], ParameterError, "a size"),
        ({"short": oracle[:5]}, [3], DataError, "one score for each of 20 features"),
        ({}, [3], ParameterError, "must not be empty"),
    ):
        with pytest.raises(error, match=message):
            clustering_curve(X, Y, rankings, sizes)
    two = np.repeat([0, 1], [15, 30])
    values = np.column_stack([100.0 * two, np.arange(45) % 2])
    how = {"n_clusters": 2, "n_trials": 1, "random_state": 0}
    curve = clustering_curve(values, Y, {"r": [1, 0]}, [1], **how)
    expected = normalized_mutual_info_score(Y, two, average_method="geometric")
    assert curve["nmi"].item() == pytest.approx(expected, abs=1e-12)
    assert expected != pytest.approx(normalized_mutual_info_score(Y, two), abs=1e-3)
    assert curve["ari"].item() == pytest.approx(adjusted_rand_score(Y, two), abs=1e-12)


def test_borda_curve() -> None:
    curve = borda_curve([3, 1, 2, 0], [9, 8, 7, 6], [0.25, 0.5, 1.0])
    assert curve["n_features"].tolist() == [1, 2, 4]
    assert curve["mean_borda"].tolist() == [4.0, 3.0, 2.5]
    tied = borda_curve([2, 1, 0], [5, 5, 1], [1 / 3, 2 / 3])
    assert tied["mean_borda"].tolist() == [2.5, 2.5]
    reference = correlation_ratio(X, Y)
    good = borda_curve(reference, reference)
    assert (np.diff(good["mean_borda"]) <= 1e-12).all()
    assert good["mean_borda"].iloc[-1] == pytest.approx(10.5)
    for scores, known in (([1, 2], [1]), ([], []), ([1, np.nan], [1, 2])):
        with pytest.raises(DataError, match="scores and reference"):
            borda_curve(scores, known)
    for fractions in ([], [0.0], [1.2]):
        with pytest.raises(ParameterError, match="fractions"):
            borda_curve([1, 2], [1, 2], fractions)


def test_the_graphs_of_samples_and_of_samples_beside_clusters() -> None:
    partitions = np.array([[0, 0, 1, 1, 1], [0, 1, 1, 2, 2]], dtype=np.int32)
    alike = (partitions[:, :, None] == partitions[:, None, :]).mean(axis=0)
    leading = _embedding(partitions, "cspa", 2)
    assert leading.shape == (5, 2)
    root = np.sqrt(alike.sum(axis=1))  # the eigenvector of the eigenvalue 1
    np.testing.assert_allclose(np.abs(leading[:, 1]), root / np.linalg.norm(root))
    both = _embedding(partitions, "hbgf", 2)
    assert both.shape == (5 + 2 + 3, 2)
    sizes = np.sqrt([2, 3, 1, 2, 2])  # of the clusters; each sample is in two
    np.testing.assert_allclose(np.abs(both[:5, 0]), np.full(5, 1 / np.sqrt(5)))
    np.testing.assert_allclose(np.abs(both[5:, 0]), sizes / np.linalg.norm(sizes))


def test_a_table_has_as_many_principal_components_as_its_rank() -> None:
    rng = np.random.default_rng(0)
    line, space = rng.normal(size=(9, 1)) * [1.0, 2.0, -1.0], rng.normal(size=(9, 3))
    for values, rank in ((np.ones((9, 3)), 0), (line, 1), (space, 3)):
        assert _principal_components(values, 5).shape == (9, rank)
        assert _principal_components(values, 2).shape == (9, min(rank, 2))


def test_the_usual_numbers_of_clusters_and_of_clusterings() -> None:
    for n, distinct, highest in ((3, 3, 2), (100, 100, 10), (100, 4, 4), (900, 900, 20)):
        values = np.arange(n)[:, np.newaxis] % distinct + np.zeros((n, 2))
        table: Any = SimpleNamespace(values=values, n_samples=n)
        assert resolve_k_range(None, table) == (2, highest)
    ranking = frmv(np.random.default_rng(0).normal(size=(12, 4)), random_state=0)
    assert ranking.parameters["n_clusterings"] == 100

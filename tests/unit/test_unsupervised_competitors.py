"""Laplacian score, SVD entropy and FRMV: against plain formulas, and on data without a surprise."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer, load_wine

from pyfsagg._kernels.clusters import correlation_ratios, secular_root
from pyfsagg.aggregation import aggregate
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError
from pyfsagg.extending import as_table
from pyfsagg.stability_measures.measure import measure_stability
from pyfsagg.unsupervised import frcm, frmv, laplacian_score, rank_unsupervised, svd_entropy
from pyfsagg.unsupervised.clusterings import check_numbers
from pyfsagg.unsupervised.methods import UnsupervisedFilter
from pyfsagg.unsupervised.rankings import correlation_ratio
from pyfsagg.unsupervised.registry import UNSUPERVISED_METHODS

OWN = [spec.name for spec in UNSUPERVISED_METHODS.own()]
RNG = np.random.default_rng(20)
TABLES = {
    "wide": RNG.standard_normal((12, 40)),
    "tall": RNG.standard_normal((60, 8)),
    "square": RNG.standard_normal((15, 15)),
    "scales": RNG.standard_normal((20, 30)) * np.exp(RNG.normal(0, 3, 30)),
    "duplicates": np.tile(RNG.standard_normal((10, 6)), (1, 3)),
    "low rank": RNG.standard_normal((12, 2)) @ RNG.standard_normal((2, 20)),
    "zeros": np.column_stack([RNG.standard_normal((12, 5)), np.zeros(12)]),
    "counts": RNG.integers(0, 3, (25, 10)).astype(float),
    "one giant": np.column_stack([RNG.standard_normal((12, 5)), 1e6 * RNG.standard_normal(12)]),
}


def plain_laplacian(X: np.ndarray, k: int, bandwidth: object) -> np.ndarray:
    """L of He, Cai and Niyogi with full matrices."""
    n = len(X)
    distance = cdist(X, X)
    order = np.argsort(distance + np.diag(np.full(n, np.inf)), axis=1, kind="stable")[:, :k]
    joined = np.zeros((n, n), dtype=bool)
    joined[np.arange(n)[:, None], order] = True
    joined |= joined.T
    if bandwidth == "binary":
        S = joined.astype(float)
    else:
        t = np.mean(distance[joined] ** 2) if bandwidth == "mean" else bandwidth
        S = joined * np.exp(-(distance**2) / t)
    D = np.diag(S.sum(axis=1))
    L = D - S
    ones = np.ones(n)
    scores = []
    for f in X.T:
        tilde = f - (f @ D @ ones) / (ones @ D @ ones)
        scores.append((tilde @ L @ tilde) / (tilde @ D @ tilde))
    return np.array(scores)


@pytest.mark.parametrize("bandwidth", ["mean", "binary", 3.5])
@pytest.mark.parametrize("name", ["wide", "tall", "square"])
def test_laplacian_score_equals_its_plain_twin(name: str, bandwidth: object) -> None:
    X = TABLES[name]
    found = laplacian_score(X, n_neighbors=4, bandwidth=bandwidth, standardize="none")
    expected = 1.0 - plain_laplacian(X, 4, bandwidth)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_laplacian_score_by_hand_of_constant_features_and_of_identical_samples() -> None:
    # Pairs (0, 1) and (2, 3) are joined: feature 0 agrees in them, feature 1 is opposite.
    X = [[0.0, 1.0], [0.0, -1.0], [9.0, 1.0], [9.0, -1.0]]
    found = laplacian_score(X, n_neighbors=1, bandwidth="binary", standardize="none")
    np.testing.assert_allclose(found, [1.0, -1.0], rtol=0, atol=1e-15)
    X = np.column_stack([TABLES["tall"], np.full(60, 0.1)])
    assert laplacian_score(X)[-1] == 0.0
    pairs = np.repeat(TABLES["tall"][:30], 2, axis=0)
    assert laplacian_score(pairs, n_neighbors=1).tolist() == pytest.approx([1.0] * 8, abs=1e-12)


def test_neighbours_bandwidths_and_partitions_out_of_range_are_refused() -> None:
    labels = np.random.default_rng(1).integers(0, 4, (9, 60))
    for call, options, error, message in (
        (laplacian_score, {"n_neighbors": 0}, ParameterError, "n_neighbors"),
        (laplacian_score, {"n_neighbors": 60}, ParameterError, "n_neighbors"),
        (laplacian_score, {"bandwidth": "median"}, ParameterError, "must be 'mean', 'binary' or"),
        (laplacian_score, {"bandwidth": 0.0}, ParameterError, "bandwidth"),
        (laplacian_score, {"bandwidth": 1e-9}, ParameterError, "so small that every weight"),
        (frmv, {"labels": labels, "aggregator": "brda"}, UnknownNameError, "did you mean 'borda'"),
        (frmv, {"labels": labels, "association": "pearson"}, ParameterError, "association must be"),
        (correlation_ratio, {"labels": labels[0, :59]}, DataError, "59 samples per partition"),
        (rank_unsupervised, {"method": "frcn"}, UnknownNameError, "did you mean 'frcm'"),
    ):
        with pytest.raises(error, match=message):
            call(TABLES["tall"], **options)
    with pytest.raises(UnknownNameError):
        UnsupervisedFilter("frmc")
    with pytest.raises(ParameterError, match="no parameter"):
        UnsupervisedFilter("frcm", {"trees": 3})


def plain_entropy(X: np.ndarray, r: int) -> float:
    v = np.linalg.svd(X, compute_uv=False) ** 2
    v = v[v > 0] / v.sum()
    return float(-(v * np.log(v)).sum() / np.log(r))


def plain_contributions(X: np.ndarray, columns: range) -> list[float]:
    r = min(X.shape)
    return [plain_entropy(X, r) - plain_entropy(np.delete(X, d, axis=1), r) for d in columns]


@pytest.mark.parametrize("name", TABLES)
def test_svd_entropy_equals_leaving_one_out(name: str) -> None:
    X = TABLES[name]
    expected = plain_contributions(X, range(X.shape[1]))
    found = svd_entropy(X, standardize="none")
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)
    np.testing.assert_array_equal(found, svd_entropy(X, standardize="none", n_jobs=2))


class Counted:
    """An array of numbers that counts how often one is read."""

    def __init__(self, values: np.ndarray) -> None:
        self.values, self.shape, self.n_read = values, values.shape, 0

    def __getitem__(self, i: int) -> np.float64:
        self.n_read += 1
        return np.float64(self.values[i])


def test_no_secular_root_takes_more_steps_than_halving_and_some_take_a_few() -> None:
    root_of = getattr(secular_root, "py_func", secular_root)  # the function without numba
    rng = np.random.default_rng(3)
    poles = np.sort(rng.uniform(0.0, 10.0, 6))
    row = rng.uniform(0.01, 0.3, 6)
    roots, steps = [], []
    for gap in range(6):
        weights = Counted(row)
        low = poles[gap - 1] if gap else poles[0] - row.sum()
        roots.append(root_of(1.0, poles, weights, gap, low, poles[gap]))
        steps.append(weights.n_read / 6)  # each step reads every weight once
    expected = np.linalg.eigvalsh(np.diag(poles) - np.sqrt(np.outer(row, row)))
    np.testing.assert_allclose(roots, expected, rtol=1e-12)
    assert max(steps) <= 60
    assert sorted(steps)[1] <= 8


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_svd_entropy_on_real_tables(load) -> None:
    X = load().data
    expected = plain_contributions((X - X.mean(axis=0)) / X.std(axis=0), range(13))
    np.testing.assert_allclose(svd_entropy(X)[:13], expected, rtol=0, atol=1e-12)


def test_correlation_ratio_equals_its_plain_twin() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 7))
    labels = rng.integers(0, 4, (5, 30)).astype(np.int32)
    X -= X.mean(axis=0)
    found = np.empty((5, 7))
    correlation_ratios(X, labels, found)
    for t in range(5):
        for d in range(7):
            means = np.array([X[labels[t] == c, d].mean() for c in range(4)])
            expected = np.sqrt(means[labels[t]].var() / X[:, d].var())
            assert found[t, d] == pytest.approx(expected, abs=1e-13)
        np.testing.assert_allclose(correlation_ratio(X, labels[t]), found[t], rtol=0, atol=1e-13)
    two = labels[0] % 2
    pearson = [abs(np.corrcoef(X[:, d], two)[0, 1]) for d in range(7)]
    np.testing.assert_allclose(correlation_ratio(X, two), pearson, rtol=0, atol=1e-13)
    assert correlation_ratio(np.column_stack([X, np.full(30, 0.1)]), two)[-1] == 0.0


def test_frmv_aggregates_one_ranking_per_clustering() -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((30, 7))
    labels = rng.integers(0, 4, (9, 30))
    views = [correlation_ratio(X, row) for row in labels]
    for aggregator in ("borda", "median", "arithmetic_mean"):
        found = frmv(X, labels=labels, aggregator=aggregator, standardize="none")
        expected = aggregate(np.array(views), aggregator).scores
        np.testing.assert_allclose(found.scores, expected, rtol=0, atol=1e-12)


def test_frmv_by_label_correlation() -> None:
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.standard_normal((30, 7)), np.full(30, 0.1)])
    labels = rng.integers(0, 4, (9, 30))
    labels[8] = 2
    expected = np.zeros((9, 8))
    expected[:8, :7] = np.abs(np.corrcoef(X[:, :7].T, labels[:8])[7:, :7])
    found = frmv(X, labels=labels, association="label_correlation", aggregator="arithmetic_mean")
    np.testing.assert_allclose(found.scores, expected.mean(axis=0), rtol=0, atol=1e-12)


@pytest.mark.parametrize("association", ["correlation_ratio", "label_correlation"])
def test_frmv_of_more_features_than_a_block_has(association: str) -> None:
    rng = np.random.default_rng(2)
    X, labels = rng.standard_normal((12, 600)), rng.integers(0, 3, (4, 12))
    parts = [0, *range(500, 520), 599]  # scores of features depend on no other one
    how = {"labels": labels, "association": association, "aggregator": "arithmetic_mean"}
    some, whole = frmv(X[:, parts], **how), frmv(X, **how)
    np.testing.assert_allclose(whole.scores[parts], some.scores, rtol=1e-12)


def test_one_seed_gives_frcm_and_frmv_the_same_clusterings() -> None:
    X = TABLES["tall"]
    first = frcm(X, n_clusterings=6, random_state=3)
    second = frmv(X, n_clusterings=6, random_state=3)
    np.testing.assert_array_equal(first.labels, second.labels)
    np.testing.assert_array_equal(first.consensus, second.consensus)


@pytest.mark.parametrize("method", OWN)
def test_every_method_by_name(method: str) -> None:
    X = TABLES["tall"]
    options = {"random_state": 0} if method in ("frcm", "frmv") else {}
    result = rank_unsupervised(X, method, **options)
    direct = UNSUPERVISED_METHODS.get(method).load()(X, **options)
    np.testing.assert_array_equal(result.scores, getattr(direct, "scores", direct))
    assert result.parameters["standardize"] == "z_score"
    assert (result.consensus is None) == (method not in ("frcm", "frmv"))
    with pytest.raises(ParameterError, match=f"{method} has no parameter 'n_bins'"):
        rank_unsupervised(X, method, n_bins=3)
    with pytest.raises(DataError, match="minimum of 3"):
        rank_unsupervised(X[:2], method)


@pytest.mark.parametrize("method", OWN)
def test_filter_for_ensembles_ignores_labels_and_repeats_rows(method: str) -> None:
    X = TABLES["tall"]
    options = {"n_clusterings": 10} if method in ("frcm", "frmv") else {}
    scorer = UnsupervisedFilter(method, options)
    assert scorer.__name__ == method
    weights = np.bincount(np.random.default_rng(0).integers(60, size=60), minlength=60)
    scores = scorer(X, None, weights)
    np.testing.assert_array_equal(scores, scorer(X, np.zeros(60), weights))
    if not options:
        repeated = np.repeat(X, weights, axis=0)
        np.testing.assert_array_equal(scores, UNSUPERVISED_METHODS.get(method).load()(repeated))
    else:
        # Resamples draw clusterings of their own.
        assert (scorer(X) != UnsupervisedFilter(method, {**options, "random_state": 1})(X)).any()


def test_stability_of_unsupervised_rankings_over_resamples() -> None:
    rng = np.random.default_rng(2)
    group = np.arange(60) % 3
    signal = rng.standard_normal((3, 10))[group] * 3.0
    X = np.column_stack([signal + rng.standard_normal((60, 10)), rng.standard_normal((60, 20))])
    noise = rng.standard_normal((60, 30))
    weights = [np.bincount(rng.integers(60, size=60), minlength=60) for _ in range(12)]
    for method, options in (("frcm", {"n_clusterings": 25}), ("laplacian_score", {})):
        scorer = UnsupervisedFilter(method, options)
        planted, random = (
            np.array([scorer(table, None, w) for w in weights]) for table in (X, noise)
        )
        structured = float(measure_stability(planted, "spearman"))
        assert structured > float(measure_stability(random, "spearman")) + 0.2
        assert float(measure_stability(planted, "nogueira", n_features_to_select=10)) > 0.8
        assert set(aggregate(planted, "borda").select(10)) == {f"x{j}" for j in range(10)}


@pytest.mark.parametrize("standardize", ["center", "z_score", "min_max"])
def test_scales_by_hand(standardize: str) -> None:
    X = np.column_stack([[1.0, 2.0, 6.0], [-1e-200, 0.0, 1e-200], [5.0, 5.0, 5.0], [0, 1, 0]])
    found = check_numbers(X, standardize=standardize).values
    half = np.sqrt(1.5)
    expected = {
        "center": ([-2, -1, 3], [-1e-200, 0, 1e-200], [-1 / 3, 2 / 3, -1 / 3]),
        "z_score": (
            np.array([-2, -1, 3]) / np.sqrt(14 / 3),
            [-half, 0, half],
            [-np.sqrt(0.5), np.sqrt(2), -np.sqrt(0.5)],
        ),
        "min_max": ([0, 0.2, 1], [0, 0.5, 1], [0, 1, 0]),
    }[standardize]
    np.testing.assert_allclose(found[:, [0, 1, 3]].T, expected, rtol=1e-14, atol=1e-14)
    np.testing.assert_array_equal(found[:, 2], 0.0)


def test_scaling_leaves_the_table_of_the_caller_alone() -> None:
    X = np.asfortranarray(TABLES["tall"].copy())
    frame = pd.DataFrame(X.copy())
    checked = as_table(X)
    for data in (X, frame, checked):
        laplacian_score(data)
    np.testing.assert_array_equal(X, TABLES["tall"])
    np.testing.assert_array_equal(frame.to_numpy(), TABLES["tall"])
    np.testing.assert_array_equal(checked.values, TABLES["tall"])

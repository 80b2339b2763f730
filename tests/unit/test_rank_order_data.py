"""Transforms, distances, divergence, generators and naive Bayes."""

from itertools import combinations
from math import log

import numpy as np
import pandas as pd
import pytest
from loading import load_beside

from pyfsagg._kernels import rank_order as kernels
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.rank_order import (
    distances,
    make_planted_orders,
    naive_bayes,
)
from pyfsagg.rank_order._orders import integer_ranks
from pyfsagg.rank_order.distances import subset_divergence
from pyfsagg_papers.orders.concordant import _near, make_concordant_orders

reference = load_beside(__file__, "rank_order_reference")

FIGURE_1 = pd.DataFrame(
    [[20, 40, 65, 33], [20, 40, 65, 33], [50, 25, 55, 99], [88, 76, 10, 60]],
    columns=["F1", "F2", "F3", "F4"],
)


# --- orders ----------------------------------------------------------------------------------
def test_what_has_no_order_is_refused() -> None:
    X = pd.DataFrame([[3.0, 1.0, 3.0, np.nan], [3.0, 1.0, 2.0, 4.0]], columns=list("abcd"))
    with pytest.raises(DataError, match="missing value"):
        subset_divergence(X, [0, 1], ["a"])
    with pytest.raises(DataError, match="same value in 'a' and 'c'"):
        subset_divergence(X, [0, 1], ["a"], missing="unknown", ties="error")


def test_features_are_named_once_and_known() -> None:
    cases = ((["F9"], "'F9'"), (["F1", "F1"], "twice"), ([], "empty"), ([4], "position 4"))
    for bad, message in cases:
        with pytest.raises(ParameterError, match=message):
            subset_divergence(FIGURE_1, list("abab"), bad)


# --- distances -------------------------------------------------------------------------------
def test_distances_by_brute_force() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        a, b = rng.integers(0, 8, 7).astype(float), rng.integers(0, 30, 7).astype(float)
        counts = [reference.inversions(a, b, i) for i in range(7)]
        assert distances.inversion_counts(a, b).tolist() == counts
        assert distances.kendall_distance(a, b) == sum(counts) // 2


def test_figure_2_and_unknown_places() -> None:
    first = ["F3", "F2", "F4", "F5", "F1", "F6"]
    second = ["F3", "F5", "F2", "F1", "F4", "F6"]
    a, b = ([order.index(f"F{i}") for i in range(1, 7)] for order in (first, second))
    assert distances.kendall_distance(a, b) == 3
    counts = dict(
        zip((f"F{i}" for i in range(1, 7)), distances.inversion_counts(a, b), strict=True)
    )
    assert (counts["F2"], counts["F5"]) == (1, 2)
    assert distances.inversion_counts([1, 2, np.nan], [2, 1, 0]).tolist() == [1, 1, 0]


def test_bad_orders() -> None:
    for distance, a, b, message in (
        (distances.kendall_distance, [1, 2], [1, 2, 3], "same length"),
        (distances.kendall_distance, [1], [1], "same length"),
        (distances.kendall_distance, [[1, 2]], [[1, 2]], "same length"),
        (distances.kendall_distance, [1, np.inf], [1, 2], "infinite"),
    ):
        with pytest.raises(DataError, match=message):
            distance(a, b)


def test_concordance_is_the_mean_tau() -> None:
    from scipy.stats import kendalltau

    rng = np.random.default_rng(0)
    orders = np.array([rng.permutation(8) for _ in range(5)])
    taus = [kendalltau(a, b).statistic for a, b in combinations(orders, 2)]
    assert distances.concordance_of_ranks(orders) == pytest.approx(np.mean(taus), rel=1e-12)
    assert distances.concordance_of_ranks(np.array([[1, 2, 3], [3, 2, 1]])) == -1.0


# --- divergence ------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(8))
def test_divergence_by_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (10, 5)).astype(float)
    if seed % 2:
        X[rng.random(X.shape) < 0.2] = np.nan
    y = rng.integers(0, 3, 10).astype(str)
    for size in (1, 2, 3, 5):
        kept = rng.permutation(5)[:size].tolist()
        expected = reference.divergence(X, y, kept, range(5))
        found = subset_divergence(X, y, kept, missing="unknown")
        assert found == pytest.approx(expected, abs=1e-12)
        rows = distances.instance_divergence(X, y, kept, missing="unknown", unit="bits")
        assert rows.mean() * log(2) == pytest.approx(expected, abs=1e-12)
        assert (rows >= -1e-15).all()
    assert subset_divergence(X, y, range(5), missing="unknown") == 0.0


def test_lemma_1_rank_and_boolean_orders_agree() -> None:
    data = make_planted_orders(3, 6, n_extraneous=2, random_state=0)
    kept = list(data.X.columns[:3])
    states = reference.boolean_order(data.X)
    pairs = [f"{a}<{b}" for a, b in combinations(data.X.columns, 2) if {a, b} <= set(kept)]
    booleans = subset_divergence(states, data.y, pairs, space="values")
    assert subset_divergence(data.X, data.y, kept) == pytest.approx(booleans, abs=1e-14)


def test_figures_3_and_4_values_and_orders_differ() -> None:
    rest = ["F2", "F3"]
    figure_3 = pd.DataFrame([[3, 4, 5], [3, 4, 1], [3, 1, 2], [3, 2, 5]], columns=["F1", *rest])
    assert subset_divergence(figure_3, list("abcd"), rest, space="values") == 0.0
    assert subset_divergence(figure_3, list("abcd"), rest) > 0.0
    figure_4 = pd.DataFrame([[1, 4, 5], [2, 4, 5]], columns=["F1", *rest])
    assert subset_divergence(figure_4, list("ab"), rest) == 0.0
    assert subset_divergence(figure_4, list("ab"), rest, space="values") == pytest.approx(log(2))


# --- generators ------------------------------------------------------------------------------
def test_planted_orders_are_as_described() -> None:
    data = make_planted_orders(7, 20, n_extraneous=4, n_redundant=3, random_state=5)
    assert data.X.shape == (140, 11)
    assert len(data.planted) == 4
    assert data.y.value_counts().tolist() == [20] * 7
    np.testing.assert_array_equal(np.sort(data.X, axis=1), np.tile(np.arange(1, 12), (140, 1)))
    planted = data.X[list(data.planted)].rank(axis=1)
    per_class = planted.groupby(data.y.to_numpy()).nunique()
    assert (per_class == 1).all().all()
    assert len(planted.drop_duplicates()) == 7
    assert subset_divergence(data.X, data.y, data.planted) == 0.0
    last = f"redundant_{len(data.redundant)}"
    assert ((data.X[last] - data.X[data.redundant[last]]).abs() == 1).all()
    assert data.recovery(data.extraneous) == 0.0
    assert data.recovery([*data.planted[:2], *data.extraneous]) == 0.5


def test_planted_orders_count_features_and_seeds() -> None:
    sizes = [len(make_planted_orders(c, 1, 0, random_state=0).planted) for c in (2, 3, 6, 7, 24)]
    assert sizes == [2, 3, 3, 4, 4]
    first, again, other = (make_planted_orders(random_state=s).X for s in (1, 1, 2))
    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(other)
    unshuffled = make_planted_orders(3, 2, 1, 1, shuffle=False, random_state=0)
    assert list(unshuffled.X)[:3] == list(unshuffled.planted)
    # Places of extraneous features are uniform.
    data = make_planted_orders(2, 3000, n_extraneous=1, random_state=0)
    counts = data.X["extraneous_1"].value_counts()
    assert (np.abs(counts / 6000 - 1 / 3) < 0.03).all()


@pytest.mark.parametrize(("low", "high"), [(0.1, 0.9), (0.9, 0.1), (0.5, 0.3)])
def test_concordant_orders_keep_their_bounds(low: float, high: float) -> None:
    bounds = {"min_concordance": low, "max_concordance": high}
    data = make_concordant_orders(4, 30, 12, **bounds, random_state=0)
    assert data.base_concordance == pytest.approx(
        distances.concordance_of_ranks(np.asarray(data.bases))
    )
    assert data.base_concordance <= high
    for label, tau in data.class_concordance.items():
        members = data.X[(data.y == label).to_numpy()]
        assert distances.concordance_of_ranks(np.asarray(members)) == pytest.approx(tau)
        assert low <= tau < low + 0.12
        assert (members == data.bases.loc[label]).all(axis=1).any()


def test_near_orders_follow_mallows() -> None:
    """Mean number of inversions of the repeated insertion model."""
    rng = np.random.default_rng(0)
    base = rng.permutation(8).astype(np.int32)
    q = 0.6
    weights = [q ** np.arange(k + 1) for k in range(8)]
    expected = sum(np.average(np.arange(w.size), weights=w) for w in weights)
    found = [distances.kendall_distance(base, _near(base, q, rng)) for _ in range(4000)]
    standard_error = np.std(found) / np.sqrt(4000)
    assert abs(np.mean(found) - expected) < 4.5 * standard_error


def test_impossible_bounds_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyfsagg_papers.orders.concordant.MAX_BASES", 50)
    with pytest.raises(DataError, match="raise max_concordance"):
        make_concordant_orders(5, 5, 6, max_concordance=-0.24, random_state=0)
    with pytest.raises(ParameterError, match="fewer orders"):
        make_concordant_orders(7, 5, 3)


# --- naive Bayes -----------------------------------------------------------------------------
def test_folds_are_balanced() -> None:
    codes = np.repeat(np.arange(3, dtype=np.int32), [25, 38, 9])
    folds = naive_bayes.stratified_folds(codes, 5, 0)
    assert np.ptp(np.bincount(folds)) <= 1
    for c in range(3):
        assert np.ptp(np.bincount(folds[codes == c], minlength=5)) <= 1
    assert (naive_bayes.stratified_folds(codes, 5, 0) == folds).all()
    assert (naive_bayes.stratified_folds(codes, 5, 1) != folds).any()


def test_accuracy_of_chosen_features() -> None:
    data = make_planted_orders(4, 10, n_extraneous=3, random_state=2)
    path = naive_bayes.naive_bayes_accuracy(data.X, data.y, data.planted)
    assert path.index.tolist() == [1, 2, 3]
    assert path[1] == 0.25
    y = data.y.to_numpy()
    codes = np.unique(y, return_inverse=True)[1].astype(np.int32)
    folds = naive_bayes.stratified_folds(codes, 5, 0)
    columns = [data.X.columns.get_loc(name) for name in data.planted]
    X = data.X.to_numpy(dtype=float)
    assert path[3] == pytest.approx(reference.naive_bayes(X, y, columns, folds, 1.0, "<>"))


def test_random_subsets() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 12)), np.repeat([0, 1], 20)
    X[y == 1, :6] += 0.5
    band = naive_bayes.random_subset_baseline(X, y, max_size=12, n_subsets=30, random_state=1)
    assert band.index.tolist() == list(range(2, 13))
    assert (band["accuracy_lower"] <= band["accuracy_mean"]).all()
    assert (band["accuracy_mean"] <= band["accuracy_upper"]).all()
    assert band["accuracy_mean"].iloc[-1] > band["accuracy_mean"].iloc[0] > 0.5
    assert band.loc[12, "divergence_mean"] == 0.0
    # Pairs of features: the mean over random pairs is near the mean over all of them.
    pairs = [subset_divergence(X, y, pair) for pair in combinations(range(12), 2)]
    assert abs(band.loc[2, "divergence_mean"] - np.mean(pairs)) < 4 * np.std(pairs) / np.sqrt(30)


# --- kernels and their twins -----------------------------------------------------------------
@pytest.mark.parametrize("unknown", [False, True])
def test_kernels_against_numpy(unknown: bool) -> None:
    rng = np.random.default_rng(7)
    values = rng.integers(0, 60, (6, 70)).astype(float)
    if unknown:
        values[rng.random(values.shape) < 0.1] = np.nan
    ranks = integer_ranks(values, "average", None)
    state, p = reference.state, range(70)
    states = np.array([[[state(row, i, j) for j in p] for i in p] for row in values])
    left, right = np.triu_indices(6, 1)
    planes = np.empty((6, 3 if unknown else 2, 2), dtype=np.uint64)
    for k in (0, 33, 63, 64, 69):
        counts = np.zeros(left.size, dtype=np.int64)
        kernels.difference_bits(ranks, k, planes)
        kernels.state_differences(planes, left.astype(np.int64), right.astype(np.int64), counts, 1)
        others = np.arange(70) != k
        expected = (states[left, k] != states[right, k])[:, others].sum(axis=1)
        np.testing.assert_array_equal(counts, expected)
        features = np.arange(70)
        assert kernels.differences_with(ranks[0], ranks[1], features, k) == expected[0]
    i, j = kernels.first_difference(ranks[0], ranks[1], np.arange(70))
    assert states[0, i, j] != states[1, i, j]
    assert kernels.first_difference(ranks[0], ranks[0], np.arange(70)) == (-1, -1)

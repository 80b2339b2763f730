"""What holds for unsupervised scores of any table."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pyfsagg.unsupervised import frcm, laplacian_score, svd_entropy
from pyfsagg.unsupervised.evaluation import borda_curve
from pyfsagg.unsupervised.result import mean_plus_sd
from pyfsagg_papers.tables.partition import consensus_partition

SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=25, deadline=None)


def table(seed: int, n: int, p: int) -> np.ndarray:
    """A table with ties, duplicate rows and features of very different size."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) * np.exp(rng.normal(0, 2, p))
    X[:, 0] = rng.integers(0, 2, n)
    X[0, 0], X[1, 0] = 0, 1
    X[rng.integers(n)] = X[rng.integers(n)]
    return X


@FEW
@given(SEEDS, st.integers(4, 20), st.integers(2, 12))
def test_scores_have_bounds_and_no_order_of_samples_and_features(seed: int, n: int, p: int) -> None:
    X = table(seed, n, p)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(n), rng.permutation(p)
    labels = rng.integers(0, 3, (5, n))
    labels[:, 0] = 0
    one = frcm(X, labels=labels, standardize="z_score").scores
    other = frcm(X[np.ix_(rows, columns)], labels=labels[:, rows], standardize="z_score").scores
    # The affinity is a root: where one feature is nearly all of a distance, rounding in the last
    # place of z-scores is felt in the ninth place of the affinity.
    np.testing.assert_allclose(one[columns], other, rtol=0, atol=1e-9)
    entropy, permuted = svd_entropy(X), svd_entropy(X[np.ix_(rows, columns)])
    np.testing.assert_allclose(entropy[columns], permuted, rtol=0, atol=1e-10)
    for standardize in ("none", "z_score", "min_max"):
        scores = frcm(X, n_clusterings=3, random_state=seed, standardize=standardize).scores
        assert np.isfinite(scores).all()
        assert scores.max() <= 1.0
        laplacian = laplacian_score(X, n_neighbors=2, standardize=standardize)
        assert np.abs(laplacian).max() <= 1.0 + 1e-12
        assert np.isfinite(svd_entropy(X, standardize=standardize)).all()


@FEW
@given(SEEDS, st.integers(6, 25), st.integers(2, 4))
def test_average_consensus_has_the_clusters_asked_for(seed: int, n: int, k: int) -> None:
    labels = np.random.default_rng(seed).integers(0, 4, (6, n))
    labels[:, :4] = np.arange(4)
    found = consensus_partition(labels, k)
    assert len(np.unique(found)) == k
    renamed = consensus_partition((labels + 1) % 4, k)
    np.testing.assert_array_equal(found, renamed)


@FEW
@given(st.lists(st.integers(-5, 5), min_size=2, max_size=30))
def test_selection_and_borda(scores: list[int]) -> None:
    values = np.array(scores, dtype=float)
    chosen = mean_plus_sd(values)
    assert chosen.any()
    assert values[chosen].min() >= values[~chosen].max(initial=-np.inf)
    curve = borda_curve(values, values)["mean_borda"]
    assert (np.diff(curve) <= 1e-12).all()
    assert abs(curve.iloc[-1] - (len(values) + 1) / 2) < 1e-12

"""F, Welch, Kruskal and Wallis, AUC, variance, MAD: other packages, weights, gaps, edges, refusals."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.feature_selection import f_classif
from sklearn.metrics import roc_auc_score

import pyfsagg
from pyfsagg.exceptions import DataError
from pyfsagg.extending import FILTERS, as_table, check_target

NAMES = ["anova_f", "kruskal_wallis", "welch_t", "auc", "variance", "mad"]


def scores(name, X, y, weights=None):
    spec, target = FILTERS.get(name), check_target(y, len(X))
    scorer = spec.prepare(as_table(X, min_features=1), target)
    weights = np.ones((1, len(X)), dtype=np.uint16) if weights is None else weights
    return scorer(weights, target.codes[np.newaxis])[spec.output]


def two_groups(seed=0, n=80):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    columns = rng.normal(size=n) + y, rng.integers(0, 4, n), -rng.exponential(size=n) - y
    return np.column_stack(columns), y


def test_values_of_scipy_and_scikit_learn():
    X, y = two_groups()
    groups = [[X[y == c, j] for c in (0, 1)] for j in range(3)]
    expected = {
        "anova_f": f_classif(X, y)[0],
        "kruskal_wallis": [stats.kruskal(*g).statistic for g in groups],
        "welch_t": [abs(stats.ttest_ind(*g, equal_var=False).statistic) for g in groups],
        "auc": [max(a, 1 - a) for a in (roc_auc_score(y, X[:, j]) for j in range(3))],
        "variance": X.var(axis=0, ddof=1),
        "mad": stats.median_abs_deviation(X, scale="normal"),
    }
    for name, values in expected.items():
        rel = 1e-4 if name == "mad" else 1e-11  # R's 1.4826 is rounded
        assert scores(name, X, y)[0].tolist() == pytest.approx(list(values), rel=rel)


@pytest.mark.parametrize("name", NAMES)
def test_missing_values_are_left_out(name):
    X, y = two_groups(1)
    X[::7, 0] = np.nan
    known = ~np.isnan(X[:, 0])
    assert scores(name, X, y)[0, 0] == scores(name, X[known], y[known])[0, 0]


def test_edges():
    X = np.array([[1.0, 5, 1, 1e200], [1, 5, 1, 2e200], [2, 5, 1, 3e200], [2, 5, 9, 5e200]])
    y = [0, 0, 1, 1]
    for name in NAMES:
        found = scores(name, X, y)[0]
        assert np.isfinite(found).all()
        assert found[1] == (0.5 if name == "auc" else 0.0)  # constant
    # A perfect fit has the largest finite statistic there is.
    assert scores("anova_f", X, y)[0, 0] == 2 * 2.0**53
    assert scores("welch_t", X, y)[0, 0] == pytest.approx(2**26.5)
    assert scores("anova_f", X, y)[0, 3] == pytest.approx(f_classif(X[:, 3:] / 1e200, y)[0][0])
    assert scores("kruskal_wallis", X, y)[0, 0] == pytest.approx(3.0)  # n - 1
    one_class = np.array([[2, 2, 0, 0]], np.uint16)
    for name in ("anova_f", "kruskal_wallis", "welch_t", "auc"):
        assert scores(name, X, y, one_class)[0].max() <= 0.5


def test_medians_of_even_and_odd_numbers_of_values():
    for values in ([1, 2, 4, 8], [1, 2, 4], [1, 1, 1, 9], [3, 3, 5, 5]):
        x = np.array(values, dtype=float)
        expected = 1.4826 * np.median(np.abs(x - np.median(x)))
        y = [0, 1] * 2
        assert scores("mad", x[:, np.newaxis], y[: len(x)])[0, 0] == pytest.approx(expected)


def test_auc_orders_as_spearman():
    X, y = two_groups(3)
    X = np.column_stack([X[:, 0], X[:, 2], np.random.default_rng(4).normal(size=(80, 6))])
    order = np.argsort(scores("auc", X, y)[0])
    assert order.tolist() == np.argsort(pyfsagg.filters.spearman(X, y)).tolist()


def test_refusals():
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0] * 3, "w": list("xyz") * 4})
    with pytest.raises(DataError, match="'w' is nominal with 3 levels"):
        scores("variance", X, [0, 1] * 6)
    with pytest.raises(DataError, match=r"'welch_t' and 'auc' are .* two .* 'kruskal_wallis'"):
        scores("auc", X[["a"]], [0, 1, 2] * 4)
    numbers = X[["a"]].assign(b=X["a"])
    with pytest.raises(DataError, match="kruskal_wallis"):
        pyfsagg.wam(numbers, np.arange(12.0), filter="kruskal_wallis", task="regression")

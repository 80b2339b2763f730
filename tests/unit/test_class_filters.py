"""Chi-squared, Cramér's V, Spearman, value difference, fit criterion: values, weights, refusals."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pyfsagg
from pyfsagg._kernels.class_tables import value_difference
from pyfsagg.discretization import discretize
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.extending import FILTERS, as_table, check_target
from pyfsagg.filters import chi_squared, cramers_v, fit_criterion, spearman, value_difference_metric

TWO_CLASSES = [spearman, fit_criterion, value_difference_metric]
NAMES = ["chi_squared", "cramers_v", "spearman", "value_difference_metric", "fit_criterion"]
NAMES += ["anova_f", "kruskal_wallis", "welch_t", "auc", "variance", "mad"]


def table_with_gaps(seed: int, n: int = 240) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    signal, levels = rng.normal(size=n) + y, rng.integers(0, 5, n) + y
    rounded, flag = rng.normal(size=n).round(1), rng.uniform(size=n) < 0.5
    X = np.column_stack([signal, levels, rounded, np.full(n, 2.0), flag])
    X[rng.uniform(size=n) < 0.2, 2] = np.nan
    return X, y


def fit_twin(x: np.ndarray, y: np.ndarray) -> float:
    """Share of hits for a column in which both classes vary."""
    distances = []
    for c in (0, 1):
        own = x[(y == c) & ~np.isnan(x)]
        distances.append(np.abs(x - own.mean()) / own.var())
    side = np.where(distances[0] <= distances[1], 0, 1)
    return float(np.mean((side == y) & ~np.isnan(x)))


def test_chi_squared_and_cramers_v_against_scipy_and_by_hand() -> None:
    X, y = table_with_gaps(1)
    statistic, v = chi_squared(X, y), cramers_v(X, y)
    codes = discretize(X, method="equal_width", bins=10).codes
    for j in (0, 1, 2, 4):
        counts = pd.crosstab(codes[:, j], y).to_numpy()
        expected = stats.chi2_contingency(counts, correction=False).statistic
        assert statistic[j] == pytest.approx(expected, rel=1e-12)
        assert v[j] == pytest.approx(stats.contingency.association(counts, "cramer"), rel=1e-12)
    assert statistic[3] == v[3] == 0
    # Bins {0, 1} | {9, 10}: counts [[2, 0], [1, 1]], expected [[1.5, .5], [1.5, .5]].
    X = pd.DataFrame({"x": [0.0, 1.0, 9.0, 10.0], "word": ["a", "a", "b", "b"]})
    assert chi_squared(X, [0, 0, 0, 1], bins=2) == pytest.approx([4 / 3, 4 / 3])
    # A value at a cut belongs to the bin below it: {0, 5} | {10}, counts [[1, 1], [0, 1]].
    edge = np.array([[0.0, 1], [5.0, 1], [10.0, 2]])
    assert chi_squared(edge, [0, 1, 1], bins=2)[0] == pytest.approx(0.75)


def test_spearman_and_fit_criterion_against_scipy_and_the_printed_formula() -> None:
    X, y = table_with_gaps(2)
    correlations, fits = spearman(X, y), fit_criterion(X, y)
    for j in (0, 1, 2, 4):
        known = ~np.isnan(X[:, j])
        expected = abs(stats.spearmanr(X[known, j], y[known]).statistic)
        assert correlations[j] == pytest.approx(expected, abs=1e-12)
        assert fits[j] == pytest.approx(fit_twin(X[:, j], y), abs=1e-15)
    assert correlations[3] == 0


def test_rank_correlations_with_a_number_leave_out_rows_without_a_value() -> None:
    """Target and feature are ranked among the drawn rows that have a value, ties and two words included."""
    rng = np.random.default_rng(3)
    columns = {
        "tied": rng.normal(size=80).round(1),
        "levels": rng.integers(0, 3, 80).astype(float),
        "complete": rng.normal(size=80),
        "words": rng.choice(["u", "v"], 80),
        "hardly known": np.where(np.arange(80) == 7, 1.0, np.nan),
    }
    X = pd.DataFrame(columns)
    X.loc[rng.random(80) < 0.3, "tied"] = np.nan
    X.loc[rng.random(80) < 0.5, "levels"] = np.nan
    y = (X["complete"] + rng.normal(size=80)).round(1)
    draws = rng.integers(0, 80, (2, 80))
    plan = pyfsagg.resampling.Rows(draws)
    how = {"filter": "spearman", "task": "regression", "resampling": plan, "checks": "none"}
    found = pyfsagg.wam(X, y, **how).score_matrices["spearman"]
    for row, drawn in zip(found, draws, strict=True):
        for j, name in enumerate(X.columns[:4]):
            column = X[name].iloc[drawn]
            column = pd.Series(column.factorize(sort=True)[0]) if name == "words" else column
            known = column.notna().to_numpy()
            expected = stats.spearmanr(column[known], y.iloc[drawn][known]).statistic
            assert row[j] == pytest.approx(abs(expected), abs=1e-12)
    assert found[:, 4].tolist() == [0.0, 0.0]


def test_pearson_of_weighted_rows_is_that_of_repeated_rows() -> None:
    X, y = table_with_gaps(6)
    X = np.delete(X, 2, axis=1)  # the column with gaps
    z = X[:, 0] - 2.0 * y
    weights = np.random.default_rng(6).poisson(1.0, (3, len(y))).astype(np.uint16)
    weights[2] = np.arange(len(y)) == 0  # one row, and so no variance
    target = check_target(z, len(z), task="regression")
    scorer = FILTERS.get("pearson").prepare(as_table(X), target)
    scores = scorer(weights, target.codes[np.newaxis])["pearson"]
    for r in range(2):
        rows = np.repeat(np.arange(len(y)), weights[r])
        for j in (0, 1, 3):
            expected = abs(stats.pearsonr(X[rows, j], z[rows]).statistic)
            assert scores[r, j] == pytest.approx(expected, abs=1e-12)
    assert (scores[:, 2] == 0).all()
    assert (scores[2] == 0).all()


def test_value_difference_by_hand_by_bins_and_beyond_64_bits() -> None:
    # Class 0: a a b; class 1: b c.  |0 - 2/3| + |1/2 - 1/3| + |1/2 - 0| = 4/3, half of it 2/3.
    X = pd.DataFrame({"w": list("aabbc"), "x": [0.0, 0.1, 0.2, 9.0, 10.0]})
    y = [0, 0, 0, 1, 1]
    assert value_difference_metric(X, y) == pytest.approx([2 / 3, 1.0])
    assert value_difference_metric(X, [0, 1, 0, 1, 0], bins=2)[1] == pytest.approx(1 / 6)
    gappy = pd.DataFrame({"x": [1.0, 1.0, np.nan, np.nan], "z": [1, 2, 1, 2]})
    assert value_difference_metric(gappy, [0, 0, 1, 1]).tolist() == [1.0, 0.0]
    cells = np.array([3, 1, 1, 2])  # two levels by two classes
    assert value_difference(cells * 2**31) == value_difference(cells) == 5 / 12


def test_values_by_hand_and_refusals() -> None:
    # Class 0 sits at 5 without spread; class 1 is 5, 1, 3.  5 belongs to class 0, the rest to 1.
    X = np.array([[5.0, 1], [5.0, 2], [5.0, 1], [1.0, 2], [3.0, 1]])
    assert fit_criterion(X, [0, 0, 1, 1, 1])[0] == pytest.approx(4 / 5)
    # Neither class has spread: by their means if these differ, nothing if they agree.
    both = np.array([[1.0, 4.1], [1.0, 4.1], [2.0, 4.1], [2.0, 4.1]])
    assert fit_criterion(both, [0, 0, 1, 1]).tolist() == [1.0, 0.0]
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0] * 4, "w": ["a", "b", "c"] * 4})
    for functions, y, options, error, message in (
        (TWO_CLASSES[:2], [0, 1] * 6, {}, DataError, "'w' is nominal with 3 levels"),
        (TWO_CLASSES, [0, 1, 2] * 4, {}, DataError, "two classes, and the target 'target' has 3"),
        ([chi_squared], [0, 1] * 6, {"bins": 1}, ParameterError, "bins must be a whole number"),
        ([chi_squared], [0, 1] * 6, {"statistic": "g"}, ParameterError, "no parameter 'statistic'"),
    ):
        for function in functions:
            with pytest.raises(error, match=message):
                function(X, y, **options)


@pytest.mark.parametrize("name", NAMES)
def test_weights_equal_the_materialised_resample_exactly(name: str) -> None:
    X, y = table_with_gaps(4)
    rng = np.random.default_rng(4)
    table, target = as_table(X), check_target(y, len(y))
    scorer = FILTERS.get(name).prepare(table, target)
    weights = rng.poisson(1.0, (4, len(y))).astype(np.uint16)
    weights[1] *= 600
    weights[2, y == 0] = 0  # one class only: no filter sees anything
    labels = np.stack([rng.permutation(target.codes) for _ in range(4)])
    labels[2] = target.codes
    scores = scorer(weights, labels)[FILTERS.get(name).output]
    for r in (0, 2, 3):
        rows = np.repeat(np.arange(len(y)), weights[r])
        again = FILTERS.get(name).prepare(table.with_values(table.values[rows]), target)
        ones = np.ones((1, len(rows)), dtype=np.uint16)
        expected = again(ones, labels[r : r + 1, rows])[FILTERS.get(name).output]
        np.testing.assert_array_equal(scores[r], expected[0])
    nothing = 0.5 if name == "auc" else 0.0
    assert name in ("variance", "mad") or (scores[2] == nothing).all()
    assert (scores[:, 3] == nothing).all()

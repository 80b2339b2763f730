"""What must hold for any table: order of rows and columns, names of classes, repeated rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyfsagg._table.columns import Kind
from pyfsagg._table.table import Table
from pyfsagg._table.target import Target
from pyfsagg.extending import FILTERS

PLACES = ["jmi", "disr", "jmim", "njmim"]
GREEDY = ["mrmr", *PLACES, "cmim", "mim"]
TESTS = ["anova_f", "welch_t", "kruskal_wallis", "variance", "mad"]
COUNTS = ["chi_squared", "cramers_v", "spearman", "value_difference_metric", "fit_criterion"]
NAMES = [*GREEDY, *COUNTS, *TESTS, "auc"]


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.random.Generator]:
    """A table with ties, the kinds of its columns, labels of two classes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(4, 90)), draw(st.integers(2, 6))
    kinds = rng.choice([Kind.NUMERIC, Kind.INTEGER], p).astype(np.int8)
    X = rng.integers(-3, draw(st.integers(0, 20)), (n, p)).astype(float)
    X[:, kinds == Kind.NUMERIC] *= 0.5
    y = rng.integers(0, 2, n).astype(np.int32)
    y[:2] = 0, 1
    return X, kinds, y, rng


def score(name: str, X: np.ndarray, kinds: np.ndarray, y: np.ndarray) -> np.ndarray:
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    table = Table(np.asfortranarray(X), names, kinds, {})
    spec = FILTERS.get(name)
    scorer = spec.prepare(table, Target(y, (0, 1)))
    return scorer(np.ones((1, len(X)), dtype=np.uint16), y[np.newaxis])[spec.output][0]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40, deadline=None)
@given(problem=problems())
def test_order_and_names_do_not_matter(name: str, problem: tuple) -> None:
    """The order of rows and features, which of the classes is the second, and what levels are called."""
    X, kinds, y, rng = problem
    found, rows, columns = (
        score(name, X, kinds, y),
        rng.permutation(len(X)),
        rng.permutation(X.shape[1]),
    )
    np.testing.assert_array_equal(found, score(name, X[rows], kinds, y[rows]))
    if name != "fit_criterion":
        np.testing.assert_allclose(found, score(name, X, kinds, 1 - y), rtol=1e-12, atol=1e-13)
    if name not in GREEDY:
        permuted = score(name, X[:, columns], kinds[columns], y)
        np.testing.assert_array_equal(found[columns], permuted)
        return
    nominal = np.full_like(kinds, Kind.NOMINAL)
    renamed = rng.permutation(200)[(2 * X).astype(int) + 6].astype(float)
    np.testing.assert_array_equal(score(name, X, nominal, y), score(name, renamed, nominal, y))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40, deadline=None)
@given(problem=problems())
def test_scores_are_in_range_and_a_constant_feature_has_none(name: str, problem: tuple) -> None:
    X, kinds, y, _ = problem
    X[:, 0], kinds[0] = 1.5, Kind.NUMERIC
    scores = score(name, X, kinds, y)
    assert np.isfinite(scores).all()
    if name in PLACES:
        assert sorted(scores * X.shape[1]) == pytest.approx(range(1, X.shape[1] + 1))
        return
    assert scores[0] == (0.5 if name == "auc" else 0)
    if name in TESTS:
        assert scores.min() >= 0
        return
    top = {"chi_squared": len(X), **dict.fromkeys(GREEDY, np.log(2))}.get(name, 1.0)
    assert scores.max() <= top * (1 + 1e-12)
    if name != "mrmr":
        assert scores.min() >= 0

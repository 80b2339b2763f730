"""What holds for all orders."""

import warnings

import hypothesis.extra.numpy as hnp
import numpy as np
import pandas as pd
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from pyfsagg.exceptions import PyfsaggWarning
from pyfsagg.rank_order import eliminate
from pyfsagg.rank_order.distances import inversion_counts, kendall_distance

METHODS = ("spoilers", "cdv", "greedy_kl", "koller_sahami")
SETTINGS = settings(max_examples=25, deadline=None)


@st.composite
def tables(draw, distinct: bool = False):
    n, p = draw(st.integers(5, 12)), draw(st.integers(2, 7))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    high = 10**6 if distinct else draw(st.sampled_from([3, 30]))
    X = rng.integers(0, high, (n, p)).astype(float)
    y = np.arange(n) % draw(st.integers(2, 2 if n < 6 else 3))
    if distinct:
        assume(all(len(set(row)) == p for row in X))
    ranks = rankdata(X, axis=1)
    assume(not (ranks == ranks[0]).all())
    return X, y


def _eliminate(X, y, method, **options):
    params = {"blanket_size": 2} if method == "koller_sahami" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PyfsaggWarning)
        return eliminate(X, y, method, method_params=params, **options)


@SETTINGS
@given(tables(), st.sampled_from(METHODS), st.integers(0, 1000))
def test_order_of_instances_names_and_scales_do_not_matter(table, method, seed) -> None:
    """Any increasing function of a whole instance keeps its order."""
    X, y = table
    rng = np.random.default_rng(seed)
    rows, one = rng.permutation(len(y)), _eliminate(X, y, method)
    other = _eliminate(X[rows], y[rows], method)
    np.testing.assert_array_equal(one.removal_order, other.removal_order)
    np.testing.assert_allclose(one.divergence, other.divergence, rtol=0, atol=1e-12)
    renamed = pd.DataFrame(X, columns=[f"z{j}" for j in range(X.shape[1], 0, -1)])
    other = _eliminate(renamed, np.array(["zebra", "ant", "mole"])[y], method)
    np.testing.assert_array_equal(one.removal_order, other.removal_order)
    assert other.feature_names == tuple(renamed.columns)
    scaled = X * rng.uniform(0.5, 2.0, (len(y), 1)) + rng.normal(size=(len(y), 1))
    assume((rankdata(scaled, axis=1) == rankdata(X, axis=1)).all())
    np.testing.assert_array_equal(one.removal_order, _eliminate(scaled, y, method).removal_order)


@SETTINGS
@given(tables(distinct=True), st.sampled_from(["ordinal", "random", "error"]))
def test_without_ties_the_rules_agree(table, ties) -> None:
    X, y = table
    seed = {"random_state": 0} if ties == "random" else {}
    one, other = _eliminate(X, y, "spoilers"), _eliminate(X, y, "spoilers", ties=ties, **seed)
    np.testing.assert_array_equal(one.removal_order, other.removal_order)


ORDERS = hnp.arrays(np.int64, st.integers(2, 9), elements=st.integers(0, 8))


@SETTINGS
@given(ORDERS, st.integers(0, 10**6))
def test_distances_are_symmetric_and_bounded(first, seed) -> None:
    rng = np.random.default_rng(seed)
    p = first.size
    second, third = rng.permutation(p), rng.permutation(p)
    largest = p * (p - 1) / 2
    assert kendall_distance(first, first) == 0
    assert kendall_distance(first, second) == kendall_distance(second, first)
    assert 0 <= kendall_distance(first, second) <= largest
    assert kendall_distance(second, second[::1].max() - second) == largest
    triangle = kendall_distance(second, third) + kendall_distance(third, np.arange(p))
    assert kendall_distance(second, np.arange(p)) <= triangle
    assert inversion_counts(first, second).sum() == 2 * kendall_distance(first, second)

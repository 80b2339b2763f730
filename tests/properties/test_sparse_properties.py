"""A sparse table gives the bits of the dense one, whatever the filter, the resample and the cells."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from pyfsagg._table.identity import row_digests
from pyfsagg._table.target import Target
from pyfsagg.extending import FILTERS, as_table, data_hash

CASES = [("information_gain", {"mdl": reading}) for reading in ("textbook", "fselectorrcpp")]
CASES += [
    ("information_gain", {"discretization": kind, "bins": bins})
    for kind in ("equal_width", "equal_frequency")
    for bins in (2, 5)
]
CASES += [("chi_squared", {}), ("chi_squared", {"bins": 3})]
CASES += [("value_difference_metric", {}), ("value_difference_metric", {"bins": 4})]
FORMATS = (sparse.csr_matrix, sparse.csc_array, sparse.coo_array, sparse.lil_matrix)
KINDS = (np.float64, np.int16, np.bool_)


@st.composite
def cases(draw):
    """Mostly zeros, many ties, some missing; two or three classes; weights with absent rows."""
    n = draw(st.integers(4, 40))
    values = st.one_of(st.integers(-3, 3).map(float), st.floats(-2, 2, width=16), st.just(np.nan))
    zero = st.just(0.0)
    cells = draw(st.sampled_from([st.one_of(zero, zero, zero, values), values]))
    X = draw(hnp.arrays(np.float64, (n, 3), elements=cells)) + 0.0
    n_classes = draw(st.integers(2, 3))
    y = draw(hnp.arrays(np.int32, n, elements=st.integers(0, n_classes - 1)))
    if draw(st.booleans()):  # signal, so cuts are made
        X[:, 0] = np.where(draw(hnp.arrays(np.bool_, n)), 0.0, X[:, 0] + 5.0 * y)
    labels = draw(st.sampled_from([y[np.newaxis], np.stack([y, y[::-1]])]))
    weights = draw(hnp.arrays(np.uint16, (2, n), elements=st.integers(0, 3)))
    kind = draw(st.sampled_from(KINDS))
    X = X if kind is np.float64 else np.nan_to_num(X).astype(kind)
    nominal = draw(st.sampled_from([None, [1]]))
    form = draw(st.sampled_from(FORMATS))
    return X, form(X), nominal, Target(y, tuple(range(n_classes))), weights, labels


def both(X, S, nominal):
    options = {"nominal": nominal, "allow_constant": True}
    return as_table(X, **options), as_table(S, sparse=True, **options)


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
@settings(max_examples=60, deadline=None)
@given(case=cases())
def test_scores_are_those_of_the_dense_table(case, name, options):
    X, S, nominal, target, weights, labels = case
    if name == "value_difference_metric" and target.n_classes > 2:
        target = Target(np.minimum(target.codes, 1), (0, 1))
        labels = np.minimum(labels, 1)
    dense, wide = both(X, S, nominal)
    prepare = FILTERS.get(name).prepare
    expected = prepare(dense, target, **options)(weights, labels)
    found = prepare(wide, target, **options)(weights, labels)
    assert list(found) == list(expected)
    for output, matrix in expected.items():
        np.testing.assert_array_equal(found[output], matrix, err_msg=output)


@settings(max_examples=60, deadline=None)
@given(case=cases(), order=st.permutations(range(3)))
def test_the_table_is_that_of_the_dense_one(case, order):
    X, S, nominal, target, *_ = case
    dense, wide = both(X, S, nominal)
    assert (wide.n_samples, wide.n_features) == X.shape
    for features in (range(3), order, order[:2]):
        a, b = dense.take(np.array(features)), wide.take(np.array(features))
        assert a.feature_names == b.feature_names
        assert a.levels == b.levels
        assert data_hash(a, target) == data_hash(b, target)
        np.testing.assert_array_equal(row_digests(a), row_digests(b))
        for j in range(a.n_features):
            np.testing.assert_array_equal(a.column(j), b.column(j))
            assert sorted(a.value_counts(j)) == sorted(b.value_counts(j))

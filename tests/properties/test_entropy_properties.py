"""What must hold for the entropy filters on any table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pyfsagg._table.table import Table
from pyfsagg._table.target import Target
from pyfsagg.discretization import SortedColumns, discretize
from pyfsagg.filters.entropy import prepare_entropy

READINGS = ("textbook", "fselectorrcpp")
CUTS = [{"mdl": reading} for reading in READINGS]
CUTS += [{"discretization": kind, "bins": 4} for kind in ("equal_width", "equal_frequency")]


@st.composite
def tables(draw):
    """Values in [-8, 8] with many ties, some missing, two or three classes and small weights."""
    n = draw(st.integers(4, 40))
    cells = st.one_of(st.integers(-8, 8).map(float), st.floats(-8, 8, width=16), st.just(np.nan))
    X = draw(hnp.arrays(np.float64, (n, 3), elements=cells))
    y = draw(hnp.arrays(np.int32, n, elements=st.integers(0, 2)))
    weights = draw(hnp.arrays(np.uint16, (2, n), elements=st.integers(0, 3)))
    if draw(st.booleans()):  # signal, so cuts are made
        X[:, 0] += 20.0 * y
    return X + 0.0, y, weights


def scores(X, y, weights, options, kinds=(0, 0, 0)):
    table = Table(np.asfortranarray(X), ("x0", "x1", "x2"), np.array(kinds, np.int8), {})
    scorer = prepare_entropy(table, Target(y, (0, 1, 2)), **options)
    found = scorer(weights, y[np.newaxis])
    return np.stack([found[name] for name in scorer.outputs])


@pytest.mark.parametrize("options", CUTS, ids=str)
@settings(max_examples=60, deadline=None)
@given(
    data=tables(),
    seed=st.integers(0, 2**32 - 1),
    names=st.permutations(range(3)),
    kind=st.integers(0, 3),
)
def test_bounds_and_what_does_not_matter(data, seed, names, kind, options):
    """Names of classes and, but for the FSelectorRcpp reading, which drops samples by row order among equal
    values, the order of rows; a constant feature scores zero."""
    X, y, weights = data
    found = scores(X, y, weights, options)
    assert np.isfinite(found).all()
    assert (found >= 0).all()
    assert (found[0] <= np.log(3) + 1e-12).all()
    assert (found[1:] <= 1 + 1e-12).all()
    if options != CUTS[1]:
        rows = np.random.default_rng(seed).permutation(len(y))
        np.testing.assert_array_equal(scores(X[rows], y[rows], weights[:, rows], options), found)
    renamed = np.array(names, np.int32)[y]
    np.testing.assert_array_equal(scores(X, renamed, weights, options), found)
    X[:, 1] = 1.0
    assert (scores(X, y, weights, options, kinds=(0, kind, 0))[:, :, 1] == 0).all()


@settings(max_examples=40, deadline=None)
@given(data=tables(), seed=st.integers(0, 2**32 - 1))
def test_permuted_rows_keep_the_parity_scores_without_ties(data, seed):
    X, y, weights = data
    X = X + np.linspace(0, 1e-3, len(y))[:, np.newaxis]
    if SortedColumns.of(X, np.arange(3)).tied.any():
        return
    rows = np.random.default_rng(seed).permutation(len(y))
    drawn = (weights > 0).astype(np.uint16)
    found = scores(X[rows], y[rows], drawn[:, rows], CUTS[1])
    np.testing.assert_array_equal(found, scores(X, y, drawn, CUTS[1]))


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("transform", [lambda x: x**3 + 4 * x, np.exp], ids=["cubic", "exp"])
@settings(max_examples=40, deadline=None)
@given(data=tables())
def test_monotone_transforms_keep_the_mdl_scores(data, reading, transform):
    X, y, weights = data
    X = np.round(X, 2)  # so that the transform keeps values apart
    found = scores(transform(X), y, weights, {"mdl": reading})
    np.testing.assert_array_equal(found, scores(X, y, weights, {"mdl": reading}))


@pytest.mark.parametrize("method", ["mdl", "equal_width", "equal_frequency"])
@settings(max_examples=60, deadline=None)
@given(data=tables())
def test_levels_follow_the_values(data, method):
    """Codes rise with the values, cut points rise, and each lies between two values met."""
    X, y, _ = data
    table = Table(np.asfortranarray(X), ("a", "b", "c"), np.zeros(3, np.int8), {})
    found = discretize(table, Target(y, (0, 1, 2)), method=method, bins=5)
    for j, cuts in enumerate(found.cutpoints.values()):
        assert (np.diff(cuts) > 0).all()
        known = np.sort(X[~np.isnan(X[:, j]), j])
        if len(cuts):
            assert known[0] <= cuts[0]
            assert cuts[-1] < known[-1]
        codes = found.codes[np.argsort(X[:, j], kind="stable"), j][: len(known)]
        assert (np.diff(codes) >= 0).all()
        np.testing.assert_array_equal(codes, [(cuts < value).sum() for value in known])

"""Discretisation: hand-worked cuts, missing values, weights, new data, and refusals."""

import numpy as np
import pandas as pd
import pytest

from pyfsagg._table.table import Table
from pyfsagg._table.target import Target
from pyfsagg.discretization import MISSING, SortedColumns, check_totals, discretize
from pyfsagg.exceptions import DataError, ParameterError


def column(values):
    return np.array(values, float)[:, np.newaxis]


def cuts(values, y, **options):
    return discretize(column(values), y, **options).cutpoints["x0"].tolist()


def test_cuts_and_bins_by_hand():
    for values, y, expected in (
        ([1, 2, 3, 10, 11, 12], [0, 0, 0, 1, 1, 1], [6.5]),
        # N = 2: gain 1 bit, price (log2 1 + log2 7 - 2) / 2 = 0.40.
        ([1, 2], [0, 1], [1.5]),
        # A pure interval of two samples would meet the criterion with 0 >= 0.
        ([1, 2, 8, 9], [0, 0, 1, 1], [5.0]),
        # a a a a b a b b b b: cuts after 4 and after 6 are mirror images, and the rest is not cut.
        (range(10), [0, 0, 0, 0, 1, 0, 1, 1, 1, 1], [3.5]),
        (range(10), [1, 1, 1, 1, 0, 1, 0, 0, 0, 0], [3.5]),
        # Equal values stay together: the only candidate parts 5 from 1.
        ([1, 1, 1, 1, 1, 2], [0, 0, 0, 1, 1, 1], []),
        ([1, 1, 1, 2, 2, 2], [0, 0, 0, 1, 1, 1], [1.5]),
        ([-1.7e308] * 5 + [1.7e308] * 5, [0] * 5 + [1] * 5, [0.0]),
        ([1.6e308] * 5 + [1.7e308] * 5, [0] * 5 + [1] * 5, [pytest.approx(1.65e308)]),
        ([*range(20), 20, 21], [0] * 20 + [1, 2], [19.5, 20.5]),
    ):
        assert cuts(values, y) == expected
    for values, method, bins, cutpoints, codes in (
        ([0, 1, 2, 2.5, 4, 10], "equal_width", 4, [2.5, 5.0, 7.5], [0, 0, 0, 0, 1, 3]),
        ([-1.7e308, 0.0, 1.7e308], "equal_width", 2, [0.0], [0, 0, 1]),
        ([1, 1, 1, 1, 2, 3, 4, 5], "equal_frequency", 4, [1.5, 3.5], [0, 0, 0, 0, 1, 1, 2, 2]),
    ):
        found = discretize(column(values), method=method, bins=bins)
        assert found.cutpoints["x0"].tolist() == cutpoints
        assert found.codes.ravel().tolist() == codes


def test_the_criterion_by_hand():
    """Runs a, b, a of one length.  E = 0.9183 bits; a cut at a third leaves the entropies 0 and 1.

    The gain is 0.9183 - 2/3 = 0.2516 and the price (log2(N - 1) + log2 7 - (2 E - 2)) / N: with
    N = 12 it is (3.4594 + 2.8074 + 0.1634) / 12 = 0.5358, too much; with N = 60 it is
    (5.8826 + 2.8074 + 0.1634) / 60 = 0.1476, and the other cut then gains 1 for
    (log2 39 + 2.8074 - 2) / 40 = 0.1523.
    """
    few = np.repeat([0, 1, 0], 4)
    many = np.repeat([0, 1, 0], 20)
    assert cuts(np.arange(12), few) == []
    assert cuts(np.arange(60), many) == [19.5, 39.5]
    low = 1.0
    high = np.nextafter(low, 2)
    found = discretize(column([low] * 5 + [high] * 5), [0] * 5 + [1] * 5)
    assert found.codes.ravel().tolist() == [0] * 5 + [1] * 5
    # Of the right part b c nothing but c is left to be divided.
    assert cuts(range(22), [0] * 20 + [1, 2], mdl="fselectorrcpp") == [19.5]
    x = [1, 2, 3, np.nan, 10, 11, 12, np.nan]
    found = discretize(column(x), [0, 0, 0, 0, 1, 1, 1, 1])
    assert found.cutpoints["x0"].tolist() == [6.5]
    assert found.codes.ravel().tolist() == [0, 0, 0, MISSING, 1, 1, 1, MISSING]


@pytest.mark.parametrize("method", ["mdl", "equal_width", "equal_frequency"])
def test_weights_equal_repeated_rows(method):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 80)
    X = rng.normal(size=(80, 4)) + y[:, np.newaxis]
    X[:, 2:] = X[:, 2:].round()
    weights = rng.integers(0, 4, 80)
    rows = np.repeat(np.arange(80), weights)
    weighted = discretize(X, y, method=method, sample_weight=weights, bins=4)
    repeated = discretize(X[rows], y[rows], method=method, bins=4)
    for name, found in weighted.cutpoints.items():
        np.testing.assert_array_equal(found, repeated.cutpoints[name])
        assert len(found)
    np.testing.assert_array_equal(weighted.codes[rows], repeated.codes)


@pytest.mark.parametrize("method", ["mdl", "equal_width", "equal_frequency"])
def test_constant_and_empty_columns_are_not_split(method):
    X = pd.DataFrame({"c": [3.0] * 6, "m": [np.nan] * 6, "x": [1.0, 2, 3, 10, 11, 12]})
    found = discretize(X, [0, 0, 0, 1, 1, 1], method=method)
    assert len(found.cutpoints["c"]) == 0
    assert len(found.cutpoints["m"]) == 0
    assert found.codes[:, 0].tolist() == [0] * 6
    assert found.codes[:, 1].tolist() == [MISSING] * 6


MIXED = pd.DataFrame(
    {
        "size": [1, 2, 3, 10, 11, 12],
        "colour": ["red", None, "blue", "blue", "red", "blue"],
        "flag": [True, False, True, False, True, False],
    }
)
HALVES = [0, 0, 0, 1, 1, 1]


def test_column_kinds_and_new_data():
    found = discretize(MIXED, HALVES)
    assert list(found.cutpoints) == ["size"]
    assert found.levels == {"colour": ("blue", "red"), "flag": (False, True)}
    assert found.codes[:, 1].tolist() == [1, -1, 0, 0, 1, 0]
    assert found.codes[:, 2].tolist() == [1, 0, 1, 0, 1, 0]
    assert list(discretize(MIXED, HALVES, mdl="fselectorrcpp").cutpoints) == ["size", "flag"]
    others = discretize(MIXED, method="equal_width", mdl="fselectorrcpp")
    assert list(others.cutpoints) == ["size"]
    expected = pd.DataFrame(found.codes, columns=["size", "colour", "flag"])
    pd.testing.assert_frame_equal(found.to_frame(), expected, check_dtype=False)
    assert "3 features, 1 of 1 numeric ones split, 6 samples" in repr(found)
    np.testing.assert_array_equal(found.transform(MIXED), found.codes)
    row = pd.DataFrame({"size": [6], "colour": ["red"], "flag": [True]})
    assert found.transform(row).tolist() == [[0, 1, 1]]
    declared = discretize(MIXED, HALVES, nominal=["size"])
    assert declared.levels["size"] == (1, 2, 3, 10, 11, 12)
    new = pd.DataFrame({"size": [12, 3], "colour": ["red", "red"], "flag": [True, True]})
    assert declared.transform(new).tolist() == [[5, 1, 1], [2, 1, 1]]


def test_tables_that_the_cutpoints_do_not_fit_are_refused():
    for change, message in (
        ({"colour": ["green"] * 6}, "'green'.*not one of its levels"),
        ({"flag": [0, 1, 2, 0, 1, 2]}, "'flag' has the value 2"),
        ({"size": list("abcdef")}, "'size' has words"),
        ({"extra": [1] * 6}, "same order"),
    ):
        with pytest.raises(DataError, match=message):
            discretize(MIXED, HALVES).transform(MIXED.assign(**change))
    with pytest.raises(DataError, match=r"0 feature\(s\)"):
        discretize(pd.DataFrame(index=range(6)), HALVES)
    assert discretize(np.eye(4), method="equal_width", bins=2).cutpoints["x0"].tolist() == [0.5]
    found = discretize(np.eye(4), [0, 0, 1, 1], method="equal_width")
    with pytest.raises(DataError, match="X has 3 features, but the discretisation was made for 4"):
        found.transform(np.eye(3))
    with pytest.raises(DataError, match="same order"):
        found.transform(pd.DataFrame(np.eye(3), columns=list("abc")))
    for options, message in (
        ({"method": "chimerge"}, "method must be one of 'mdl'"),
        ({"mdl": "weka"}, "mdl must be one of 'textbook'"),
        ({"bins": 1}, "bins must be a whole number"),
        ({"bins": 2**15 + 1}, "bins must be a whole number from 2 to 32768"),
        ({"y": None}, "needs class labels"),
        ({"sample_weight": [0.5] * 6}, "whole numbers"),
        ({"nominal": ["x9"]}, "x9"),
    ):
        with pytest.raises(ParameterError, match=message):
            discretize(column(range(6)), **{"y": [0, 0, 0, 1, 1, 1], **options})
    with pytest.raises(ParameterError, match="divide the weights"):
        check_totals(np.full((1, 300), 65535, np.uint16))
    n = 2**16 + 1
    table = Table(np.arange(n, dtype=float)[:, np.newaxis], ("x",), np.zeros(1, np.int8), {})
    target = Target(np.arange(n, dtype=np.int32), tuple(range(n)))
    with pytest.raises(DataError, match="at most 65536"):
        discretize(table, target)


def test_long_columns_use_wider_row_numbers():
    rng = np.random.default_rng(0)
    n = 2**15 + 1
    y = rng.integers(0, 2, n)
    X = np.column_stack([rng.normal(size=n) + 4 * y, (rng.normal(size=n) + 4 * y).round()])
    found = discretize(X, y)
    assert found.codes.shape == (n, 2)
    assert SortedColumns.of(X, np.arange(2)).order.dtype == np.uint32
    half = discretize(X[: n - 1], y[: n - 1])
    for name in ("x0", "x1"):
        assert len(half.cutpoints[name]) >= 1
        np.testing.assert_allclose(found.cutpoints[name][0], half.cutpoints[name][0], atol=0.2)

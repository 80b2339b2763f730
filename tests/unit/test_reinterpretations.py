"""Data that would become other data on the way in: each is read as it is meant, or refused."""

import numpy as np
import pandas as pd
import pytest

import pyfsagg
from pyfsagg.exceptions import DataError
from pyfsagg.extending import as_table, check_target


@pytest.fixture(name="X")
def table() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(40, 4))


Y = np.arange(40) % 2


def test_masked_cells_are_missing(X: np.ndarray) -> None:
    mask = np.zeros(X.shape, dtype=bool)
    mask[[3, 9, 12], [0, 2, 2]] = True
    below = np.where(mask, 1e6, X)
    masked = np.ma.MaskedArray(below, mask)
    missing = np.where(mask, np.nan, X)
    assert np.array_equal(as_table(masked).values, missing, equal_nan=True)
    want = pyfsagg.filters.chi_squared(missing, Y)
    np.testing.assert_array_equal(pyfsagg.filters.chi_squared(masked, Y), want)
    assert not np.array_equal(pyfsagg.filters.chi_squared(below, Y), want)
    whole = np.ma.MaskedArray(np.arange(80).reshape(40, 2), mask[:, :2])
    assert as_table(whole).values[3, 0] != as_table(whole).values[3, 0]
    hidden = np.eye(3, 2, dtype=bool)
    words = np.ma.MaskedArray(np.array([["a", "b"], ["b", "a"], ["a", "a"]]), hidden)
    assert np.isnan(as_table(words).values).tolist() == hidden.tolist()
    # A mask that hides nothing changes nothing.
    assert np.array_equal(as_table(np.ma.MaskedArray(X)).values, X)
    for labels in (Y, Y.astype(float), Y.astype(str)):
        with pytest.raises(DataError, match=r"missing .NaN. in 1 of 40 rows"):
            check_target(np.ma.MaskedArray(labels, np.arange(40) == 5), 40)


def test_masked_scores_and_selections(X: np.ndarray) -> None:
    mask = X > 1.5
    masked = np.ma.MaskedArray(X, mask)
    assert mask.any()
    want = pyfsagg.Rankings.from_scores(np.where(mask, np.nan, X))
    got = pyfsagg.Rankings.from_scores(masked)
    np.testing.assert_array_equal(got.ranks, want.ranks)
    with pytest.raises(DataError, match="has the value nan in row 11, column 2"):
        pyfsagg.stability_measures.nogueira(np.ma.MaskedArray(X > 0, mask))


def test_complex_numbers_are_refused(X: np.ndarray) -> None:
    odd = X + 1j
    for call in (
        lambda: as_table(odd),
        lambda: as_table(np.ma.MaskedArray(odd)),
        lambda: check_target(Y + 1j, 40),
        lambda: pyfsagg.Rankings.from_scores(odd),
        lambda: pyfsagg.Rankings.from_scores(odd.tolist()),
        lambda: pyfsagg.Rankings.from_ranks(odd),
        lambda: pyfsagg.stability(odd, "pearson", input="scores"),
    ):
        with pytest.raises(DataError, match="Complex data not supported"):
            call()


def test_labels_that_read_alike() -> None:
    mixed = np.array([1, "1", 2, "2"] * 10, dtype=object)
    with pytest.raises(DataError, match="labels 1 and '1', which are different and read alike"):
        check_target(mixed, 40)
    for labels in ([1, "2"], ["1", "2"], [np.str_("1"), "2"], [True, False]):
        target = check_target(np.array([*labels] * 20, dtype=object), 40)
        assert target.n_classes == 2


def test_whole_numbers_beyond_floating_point(X: np.ndarray) -> None:
    close = 2**53 + np.arange(40)
    for table in (
        pd.DataFrame({"a": np.arange(40), "far": close}),
        np.column_stack([np.arange(40), close]),
        np.column_stack([np.arange(40), close]).astype(np.uint64),
    ):
        with pytest.raises(DataError, match=r"beyond 2\^53"):
            as_table(table)
    # What floating point can tell apart is read, and what is declared nominal is never a number.
    for fine in (close - 40, 4 * np.arange(40) + 2**54, -(2**60) + 1024 * np.arange(40)):
        values = as_table(np.column_stack([np.arange(40), fine])).values
        assert values[:, 1].astype(np.int64).tolist() == fine.tolist()
    frame = pd.DataFrame({"a": np.arange(40), "far": close})
    assert len(as_table(frame, nominal=["far"]).levels[1]) == 40


@pytest.mark.parametrize("name", ["pearson", "f_statistic", "mrmr_correlation"])
@pytest.mark.parametrize("power", [-1060, -450, 1000])
def test_correlation_has_no_scale(X: np.ndarray, name: str, power: int) -> None:
    y = X[:, 1] + np.random.default_rng(1).normal(size=40)
    X = X.astype(np.float16).astype(float)  # few digits, so the smallest numbers keep them
    if power == -1060:
        X[:, 1] = np.round(X[:, 1] * 64)
    far = X.copy()
    far[:, 1] = np.ldexp(X[:, 1], power)
    task = pyfsagg.Task("regression")
    rows = pyfsagg.resampling.Rows(np.random.default_rng(2).integers(0, 40, size=(3, 40)))
    options = {"filter": name, "resampling": rows, "task": task, "checks": "none"}
    want = pyfsagg.wam(X, y, **options).scores
    np.testing.assert_allclose(pyfsagg.wam(far, y, **options).scores, want, rtol=1e-10)
    target = np.ldexp(y, max(power, -900))
    np.testing.assert_allclose(pyfsagg.wam(X, target, **options).scores, want, rtol=1e-10)
    assert want.max() > 0


@pytest.mark.parametrize("power", [-600, 600, 1000])
def test_fit_criterion_has_no_scale(X: np.ndarray, power: int) -> None:
    far = X.copy()
    far[:, 2] = np.ldexp(X[:, 2], power)
    want = pyfsagg.filters.fit_criterion(X, Y)
    np.testing.assert_allclose(pyfsagg.filters.fit_criterion(far, Y), want, rtol=1e-10)
    assert want[2] > 0

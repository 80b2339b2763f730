"""CAR scores: what they are by definition, whatever the shape of the table, and what is refused."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pyfsagg
from pyfsagg import Task, wam
from pyfsagg.exceptions import DataError
from pyfsagg.extending import as_table, check_target
from pyfsagg.filters.association import _car, _shrinkage, prepare_car_score
from pyfsagg.resampling import Rows


def scored(X: pd.DataFrame, y: np.ndarray, rows: Any = None, **more: object) -> np.ndarray:
    plan = Rows([np.arange(len(y)) if rows is None else rows])
    return wam(X, y, filter="car_score", resampling=plan, checks="none", **more).scores


def by_definition(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """R^(-1/2) r with the shrinkage of Schäfer and Strimmer, pair by pair."""
    n = len(y)
    z = np.column_stack([y, x])
    z = (z - z.mean(axis=0)) / z.std(axis=0, ddof=1)
    products = z[:, :, np.newaxis] * z[:, np.newaxis, :]
    means = products.mean(axis=0)
    off = ~np.eye(z.shape[1], dtype=bool)
    variances = n / (n - 1) ** 3 * ((products - means) ** 2).sum(axis=0)
    r = n / (n - 1) * means
    shrinkage = min(1.0, variances[off].sum() / (r[off] ** 2).sum())
    shrunken = np.where(off, (1 - shrinkage) * r, 1.0)
    values, vectors = np.linalg.eigh(shrunken[1:, 1:])
    return np.abs(vectors @ ((vectors.T @ shrunken[0, 1:]) / np.sqrt(values)))


@pytest.mark.parametrize("shape", [(7, 3), (4, 9)])
def test_shrinkage_pair_by_pair(shape: tuple[int, int]) -> None:
    """Rows that stand several times count so often; from 1 on there is nothing but the identity."""
    rng = np.random.default_rng(0)
    times = rng.integers(1, 4, shape[0])
    n = times.sum()
    rows = np.repeat(rng.normal(size=shape) + 1.5 * rng.normal(size=(shape[0], 1)), times, axis=0)
    z = (rows - rows.mean(axis=0)) / rows.std(axis=0, ddof=1)
    above = below = 0.0
    for i, j in itertools.permutations(range(shape[1]), 2):
        product = z[:, i] * z[:, j]
        above += n / (n - 1) ** 3 * ((product - product.mean()) ** 2).sum()
        below += (product.sum() / (n - 1)) ** 2
    places = np.cumsum(times) - 1
    columns = z[places] * np.sqrt(times[:, np.newaxis] / (n - 1))
    found = _shrinkage(columns, times.astype(float), float(n), n - 1.0)
    assert 0.0 < found < 1.0
    assert found == pytest.approx(above / below, rel=1e-10)
    apart = np.eye(4)[:, :2]
    assert _shrinkage(apart, np.ones(4), 4.0, 3.0) == 1.0
    noise = rng.normal(size=(5, 3))
    noise = np.linalg.qr(noise - noise.mean(axis=0))[0] + 1e-3 * rng.normal(size=(5, 3))
    assert _shrinkage(noise, np.ones(5), 5.0, 4.0) == 1.0


@pytest.mark.parametrize(("n", "p"), [(60, 5), (20, 50), (30, 30)])
def test_what_is_defined_whatever_the_shape(n: int, p: int) -> None:
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, p)) + rng.normal(size=(n, 1))
    y = X[:, 0] - 0.5 * X[:, 1] + rng.normal(size=n)
    found = scored(pd.DataFrame(X).add_prefix("x"), y, task="regression")
    np.testing.assert_allclose(found, by_definition(X, y), rtol=1e-9)


def test_classes_repeated_rows_and_constant_columns() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(50, 4))).add_prefix("x")
    y = np.where(X["x0"] + rng.normal(size=50) > 0, "b", "a")
    expected = by_definition(X.to_numpy(), (y == "b").astype(float))
    np.testing.assert_allclose(scored(X, y), expected, rtol=1e-9)
    rows = np.repeat(np.arange(50), rng.integers(0, 4, 50))
    repeated = scored(X.iloc[rows].reset_index(drop=True), y[rows])
    np.testing.assert_allclose(scored(X, y, rows), repeated, rtol=1e-9)
    flat = scored(X.assign(same=3.0, x1=1e200 * X["x1"]), y)
    assert flat[4] == 0.0
    assert (flat[:4] > 0.0).all()
    one_class = scored(X, y, np.flatnonzero(y == "a"))
    assert one_class.tolist() == [0.0] * 4


def test_without_shrinkage_copies_share_what_they_say() -> None:
    """Two copies and a stranger: the squares of the scores add up to the explained share."""
    z = np.linalg.qr(np.random.default_rng(1).normal(size=(200, 3)))[0]
    z -= z.mean(axis=0)
    z /= np.sqrt((z**2).sum(axis=0))
    columns = np.column_stack([0.6 * z[:, 0] + 0.8 * z[:, 1], z[:, 0], z[:, 0], z[:, 2]])
    # So many rows that nothing is shrunken.
    found = _car(columns[:, :1], columns[:, 1:], np.ones(200), 200.0, 1e12)
    assert found[0] == pytest.approx(found[1])
    assert found[0] == pytest.approx(0.6 / np.sqrt(2.0), abs=0.05)


@pytest.mark.parametrize("p", [4, 90])
def test_several_classes_are_those_of_orthonormal_contrasts(p: int) -> None:
    """The contrasts do not matter; without shrinkage the squares of the scores add up to Pillai's trace."""
    rng = np.random.default_rng(p)
    y = rng.choice(3, 60, p=[0.5, 0.3, 0.2])
    x = rng.normal(size=(60, p)) + 0.5 * rng.normal(size=(60, 1))
    x[:, 0] += y
    x = x - x.mean(axis=0)
    x /= np.sqrt((x**2).sum(axis=0))
    indicators = np.eye(3)[y] - np.eye(3)[y].mean(axis=0)
    weights = np.ones(60)
    bases = [np.linalg.qr(indicators[:, pair])[0] for pair in ([0, 1], [2, 0])]
    one, other = (_car(basis, x, weights, 60.0, 59.0) for basis in bases)
    np.testing.assert_allclose(one, other, rtol=1e-9)
    found = scored(pd.DataFrame(x).add_prefix("x"), y)
    np.testing.assert_allclose(found, one, rtol=1e-9)
    if p == 4:
        plain = _car(bases[0], x, weights, 60.0, 1e12)
        trace = np.trace(np.linalg.solve(x.T @ x, x.T @ bases[0] @ bases[0].T @ x))
        assert (plain**2).sum() == pytest.approx(trace, rel=0.02)


def test_beside_adjusters_they_are_those_of_the_residuals() -> None:
    rng = np.random.default_rng(2)
    batch = np.repeat(["a", "b"], [30, 50])
    shift = np.where(batch == "a", 0.0, 3.0)
    X = pd.DataFrame(rng.normal(size=(80, 4)) + shift[:, np.newaxis]).add_prefix("x")
    y = X["x0"].to_numpy() + shift + rng.normal(size=80)
    found = scored(X.assign(batch=batch), y, task=Task("regression", adjust=["batch"]))
    within = X - X.groupby(batch).transform("mean")
    residual = y - pd.Series(y).groupby(batch).transform("mean").to_numpy()
    plain = scored(within, residual, task="regression")
    np.testing.assert_allclose(found, plain, atol=0.01)  # one degree of freedom less
    assert found.argmax() == 0


def test_each_resample_has_its_own_target_and_no_gaps() -> None:
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.normal(size=(40, 3))).add_prefix("x")
    labels = np.stack([np.arange(40) % 2, np.arange(40) // 20]).astype(np.int32)
    scorer = prepare_car_score(as_table(X), check_target(labels[0].tolist(), 40))
    both = scorer(np.ones((2, 40)), labels)["car_score"]
    for row, own in zip(both, labels, strict=True):
        np.testing.assert_array_equal(row, scorer(np.ones((1, 40)), own[None])["car_score"][0])
    shared = scorer(np.ones((2, 40)), labels[:1])["car_score"]
    np.testing.assert_array_equal(shared, both[[0, 0]])
    assert not np.allclose(both[0], both[1])
    with pytest.raises(DataError, match="missing values"):
        scored(X.mask(X["x0"] > 1), labels[0])
    assert "car" in pyfsagg.list_methods("filters").loc["car_score", "aliases"]

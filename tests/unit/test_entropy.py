"""Entropy filters: hand-worked values, column kinds, missing values, resamples and refusals."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

from pyfsagg.discretization import discretize
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.extending import as_table, check_target
from pyfsagg.filters import gain_ratio, information_gain, symmetric_uncertainty
from pyfsagg.filters.entropy import prepare_entropy

LOG2 = math.log(2.0)
OUTPUTS = ("information_gain", "gain_ratio", "symmetric_uncertainty")


def toy():
    """Eight rows, two classes: a numeric twin of the class, a nominal and a boolean feature."""
    X = pd.DataFrame({"number": [1.0, 2, 3, 4, 11, 12, 13, 14], "word": list("ppqqpprr")})
    X = X.assign(flag=[True] * 2 + [False] * 6, constant=7)
    return X, ["no"] * 4 + ["yes"] * 4


# word: p = 2 + 2, q = 2 + 0, r = 0 + 2: H(X) = 1.5 log 2, H(Y | X) = 0.5 log 2.
# flag: true = 2 + 0, false = 2 + 4: H(X) = H(1/4), H(Y | X) = 0.75 H(1/3).
H4 = 0.25 * math.log(4.0) + 0.75 * math.log(4.0 / 3.0)
H3 = math.log(3.0) / 3 + 2 / 3 * math.log(1.5)
FLAG = LOG2 - 0.75 * H3


def test_scores_by_hand():
    for function, expected in (
        (information_gain, [LOG2, 0.5 * LOG2, FLAG, 0.0]),
        (gain_ratio, [1.0, 1 / 3, FLAG / H4, 0.0]),
        (symmetric_uncertainty, [1.0, 0.4, 2 * FLAG / (H4 + LOG2), 0.0]),
    ):
        X, y = toy()
        np.testing.assert_allclose(function(X, y), expected, rtol=0, atol=1e-12)
        X, y = mixed_table(5)
        weights = np.random.default_rng(0).integers(0, 3, 90)
        rows = np.repeat(np.arange(90), weights)
        found = function(X, y, sample_weight=weights)
        np.testing.assert_array_equal(found, function(X.iloc[rows], y[rows]))


def test_levels_of_missing_values_booleans_and_integers():
    """Levels low = 4 + 0, high = 0 + 4, missing = 1 + 1 of ten rows."""
    x = [1.0, 2, 3, 4, np.nan, 11, 12, 13, 14, np.nan]
    X = pd.DataFrame({"x": x, "word": ["l"] * 4 + [None] + ["h"] * 4 + [None]})
    y = [0] * 5 + [1] * 5
    h_x = 0.8 * math.log(2.5) + 0.2 * math.log(5.0)
    np.testing.assert_allclose(information_gain(X, y), [0.8 * LOG2] * 2, rtol=0, atol=1e-12)
    np.testing.assert_allclose(gain_ratio(X, y), [0.8 * LOG2 / h_x] * 2, rtol=0, atol=1e-12)
    # Missing in one class exactly: a level of its own exists only beside a cut or other levels.
    flag = pd.array([True] * 4 + [None] * 4, dtype="boolean")
    X = pd.DataFrame({"x": [1.0] * 4 + [np.nan] * 4, "flag": flag, "other": range(8)})
    found = information_gain(X, [0] * 4 + [1] * 4)
    np.testing.assert_allclose(found, [0.0, LOG2, LOG2], rtol=0, atol=1e-12)
    # 3 + 1 against 1 + 3: a gain of 0.131 that MDL does not pay for.
    X = pd.DataFrame({"flag": [True, True, True, False, True, False, False, False], "c": [0] * 8})
    y = [0] * 4 + [1] * 4
    expected = LOG2 - (0.25 * math.log(4.0) + 0.75 * math.log(4 / 3))
    np.testing.assert_allclose(information_gain(X, y), [expected, 0.0], rtol=0, atol=1e-12)
    assert information_gain(X, y, mdl="fselectorrcpp").tolist() == [0.0, 0.0]
    declared = information_gain(X, y, mdl="fselectorrcpp", nominal=["flag"])
    np.testing.assert_allclose(declared, [expected, 0.0], rtol=0, atol=1e-12)
    X = pd.DataFrame({"a": [0, 1, 2, 0, 1, 2, 0, 1], "b": range(8)})
    y = [0, 1, 0, 0, 1, 0, 0, 1]
    assert information_gain(X, y)[0] == 0.0
    expected = 3 / 8 * math.log(8 / 3) + 5 / 8 * math.log(8 / 5)
    assert information_gain(X, y, nominal=["a"])[0] == pytest.approx(expected, abs=1e-12)


def test_tables_of_one_kind_of_column_and_levels_of_discretize():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 3, 150)
    X = rng.normal(size=(150, 6)) + y[:, np.newaxis] * [0, 0.5, 1, 2, 3, 4]
    X[rng.random(X.shape) < 0.1] = np.nan
    levels = discretize(X, y).to_frame().astype("category")
    split = levels.nunique() - levels.isin([-1]).any() > 1
    found, alone = symmetric_uncertainty(X, y), symmetric_uncertainty(levels.loc[:, split], y)
    np.testing.assert_allclose(found[split], alone, rtol=0, atol=1e-14)
    assert (found[~split] == 0).all()
    assert split.sum() >= 4
    y = [0, 0, 0, 1, 1, 1]
    words = pd.DataFrame({"a": list("xxxyyy"), "b": list("xyxyxy")})
    np.testing.assert_allclose(gain_ratio(words, y)[0], 1.0)
    numbers = np.array([[1, 2, 3, 7, 8, 9], [1, 1, 1, 1, 1, 2]], float).T
    np.testing.assert_allclose(gain_ratio(numbers, y), [1.0, 0.0])
    np.testing.assert_allclose(gain_ratio(numbers[:, :1], y), [1.0])


# -- resamples ------------------------------------------------------------------------------------
def mixed_table(seed, n=90):
    """Continuous, tied, integer, boolean and nominal columns with missing values, three classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    columns = {
        "continuous": rng.normal(size=n) + y,
        "gappy": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n) + 2 * y),
        "tied": (rng.normal(size=n) + y).round(1),
        "integer": rng.integers(0, 5, n) + y,
        "boolean": rng.random(n) < 0.3 + 0.2 * y,
        "word": pd.Series(rng.choice(list("abcd"), n)).where(rng.random(n) < 0.9, None),
    }
    return pd.DataFrame(columns), y


OPTIONS = [
    {},
    {"mdl": "fselectorrcpp"},
    {"discretization": "equal_width", "bins": 5},
    {"discretization": "equal_frequency", "bins": 4},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_weights_equal_the_materialised_resample_bit_for_bit(seed, options):
    (X, y), rng = mixed_table(seed), np.random.default_rng(100 + seed)
    table, target = as_table(X), check_target(y, len(y))
    sizes = (90, 200, 7)
    weights = np.stack([np.bincount(rng.integers(0, 90, size), minlength=90) for size in sizes])
    weights[2] *= 300
    scorer = prepare_entropy(table, target, **options)
    found = scorer(weights.astype(np.uint16), target.codes[np.newaxis])
    for r, counts in enumerate(weights):
        rows = np.repeat(np.arange(90), counts)
        sample = type(table)(table.values[rows], table.feature_names, table.kinds, table.levels)
        alone = prepare_entropy(sample, target, **options)
        expected = alone(np.ones((1, len(rows)), np.uint16), target.codes[rows][np.newaxis])
        for name in OUTPUTS:
            np.testing.assert_array_equal(found[name][r], expected[name][0])


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_row_of_the_result_depends_on_its_own_row_only(options):
    (X, y), rng = mixed_table(1), np.random.default_rng(2)
    target = check_target(y, 90)
    scorer = prepare_entropy(as_table(X), target, **options)
    weights = rng.integers(0, 6, (6, 90)).astype(np.uint16)
    weights[3] *= 1000
    labels = np.stack([rng.permutation(target.codes) for _ in range(6)])
    together = scorer(weights, labels)
    with ThreadPoolExecutor(3) as pool:
        alone = list(pool.map(lambda r: scorer(weights[r : r + 1], labels[r : r + 1]), range(6)))
    for name in OUTPUTS:
        assert together[name].shape == (6, 6)
        assert together[name].flags.c_contiguous
        for r in range(6):
            np.testing.assert_array_equal(together[name][r], alone[r][name][0])


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_resamples_that_lose_a_class_or_everything(options):
    X, y = mixed_table(3)
    target = check_target(y, 90)
    scorer = prepare_entropy(as_table(X), target, **options)
    weights = np.stack([y == 1, y != 1, y < 0]).astype(np.uint16)
    found = scorer(weights, target.codes[np.newaxis])
    for name in OUTPUTS:
        assert np.isfinite(found[name]).all()
        assert (found[name][[0, 2]] == 0).all()
        assert (found[name][1] > 0).any()


def test_settings_and_columns_without_an_entropy_are_refused():
    X, y = toy()
    for change, options, error, message in (
        ({}, {"mdl": "weka"}, ParameterError, "one of 'textbook', 'fselectorrcpp', got 'weka'"),
        ({}, {"nominal": ["nowhere"]}, ParameterError, "nowhere"),
        ({}, {"sample_weight": [1.0] * 7}, ParameterError, "shape"),
        ({"number": np.inf}, {}, DataError, "'number' has an infinite value"),
        ({}, {"y": ["no"] * 8}, DataError, "one class"),
    ):
        with pytest.raises(error, match=message):
            information_gain(X.assign(**change), **{"y": y, **options})
    for options, message in (
        ({"discretization": "quantile"}, "discretization must be one of"),
        ({"bins": 1}, "bins must be a whole number"),
    ):
        with pytest.raises(ParameterError, match=message):
            prepare_entropy(as_table(X), check_target(y, 8), **options)

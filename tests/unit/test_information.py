"""The relatives of mRMR: their definitions, both ways of counting, weights, depth, missing values, pairs."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from loading import load_beside

import pyfsagg
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.extending import as_table, check_target
from pyfsagg.filters import information_selection
from pyfsagg.filters.information import PREPARE

twins = load_beside(__file__, "twins")
JOINT = ["jmi", "disr", "jmim", "njmim", "cmim"]
ROUNDING = 1e-11


def entropy(*columns: np.ndarray) -> float:
    counts = np.unique(np.column_stack(columns), axis=0, return_counts=True)[1]
    shares = counts / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def terms(criterion: str, x: np.ndarray, selected: list[np.ndarray], y: np.ndarray) -> float:
    """The criterion of one feature, from its definition."""
    if not selected or criterion == "mim":
        return entropy(x) + entropy(y) - entropy(x, y)
    together = [entropy(x, w) + entropy(y) - entropy(x, w, y) for w in selected]
    if criterion in ("disr", "njmim"):
        together = [v / entropy(x, w, y) for v, w in zip(together, selected, strict=True)]
    if criterion == "cmim":
        alone = [entropy(w) + entropy(y) - entropy(w, y) for w in selected]
        added = [a - b for a, b in zip(together, alone, strict=True)]
        return max(min([*added, terms("mim", x, [], y)]), 0.0)
    return sum(together) if criterion in ("jmi", "disr") else min(together)


def table(n: int, levels: list[int], seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([n, seed])
    codes = np.column_stack([rng.integers(0, k, n) for k in levels])
    codes[:, -1] = codes[:, 0]  # a copy
    y = (codes[:, 0] + codes[:, 1] + rng.integers(0, 2, n)) % 3
    return codes, y


@pytest.mark.parametrize("criterion", [*JOINT, "mim"])
@pytest.mark.parametrize(
    ("n", "levels"),
    [
        (40, [2, 3, 5, 1, 9, 2]),  # row by row
        (700, [2, 3, 5, 1, 9, 2]),  # by masks
        (900, [2, 50, 90, 1, 9, 2]),  # levels that are listed
    ],
)
def test_each_step_takes_the_best_by_the_definition(criterion, n, levels) -> None:
    codes, y = table(n, levels, 1)
    X = pd.DataFrame(codes).astype("category")
    found = information_selection(X, y, criterion=criterion)
    selected: list[np.ndarray] = []
    for j in found.order:
        left = [i for i in range(len(levels)) if i not in found.order[: len(selected)]]
        values = {i: terms(criterion, codes[:, i], selected, y) for i in left}
        assert found.scores[j] == pytest.approx(values[j], abs=ROUNDING)
        best = max(values.values())
        assert j == min(i for i in left if values[i] > best - ROUNDING)
        selected.append(codes[:, j])


@pytest.mark.parametrize("criterion", [*JOINT, "mrmr"])
def test_the_order_of_the_columns_decides_between_equal_features_of_a_step_alone(criterion) -> None:
    parted = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(rng.integers(0, rng.integers(2, 4, 5), (16, 5))).add_prefix("x")
        y, moved = rng.integers(0, 2, 16), X.iloc[:, rng.permutation(5)]
        one, two = (information_selection(each, y, criterion=criterion) for each in (X, moved))
        orders = X.columns[one.order], moved.columns[two.order]
        scores = one.scores[one.order], two.scores[two.order]
        first = int(np.argmin(orders[0] == orders[1])) if (orders[0] != orders[1]).any() else 4
        parted += first < 4
        np.testing.assert_array_equal(scores[0][: first + 1], scores[1][: first + 1])
    assert parted


@pytest.mark.parametrize("criterion", JOINT)
def test_features_not_selected_have_the_criterion_or_a_bound_of_it(criterion: str) -> None:
    codes, y = table(300, [3, 3, 4, 6, 2, 7, 5, 3], 2)
    X = pd.DataFrame(codes).astype("category")
    full = information_selection(X, y, criterion=criterion)
    short = information_selection(X, y, criterion=criterion, n_features=4)
    assert short.order.tolist() == full.order[:4].tolist()
    np.testing.assert_array_equal(short.scores[short.order], full.scores[short.order])
    before = [codes[:, j] for j in short.order[:3]]
    for j in full.order[4:]:
        exact = terms(criterion, codes[:, j], before, y)
        if criterion in ("jmi", "disr"):
            assert short.scores[j] == pytest.approx(exact, abs=ROUNDING)
        else:
            assert exact - ROUNDING <= short.scores[j] <= short.scores[short.order[3]]


@pytest.mark.parametrize("binning", ["equal_width", "praznik", "kendall"])
@pytest.mark.parametrize("criterion", ["mrmr", *JOINT])
def test_weights_equal_repeated_rows(criterion: str, binning: str) -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 50)
    X = np.column_stack([rng.normal(size=50) + y, rng.uniform(size=50), rng.integers(0, 9, 50)])
    X[:, 1] = np.round(X[:, 1], 1)
    weight = rng.integers(0, 4, 50)
    weight[[np.argmin(X[:, 0]), np.argmax(X[:, 0])]] = 1
    settings = {"criterion": criterion, "binning": binning}
    frame = pd.DataFrame(X, columns=list("abc"))
    once = information_selection(frame, y, sample_weight=weight, **settings)
    rows = np.repeat(np.arange(50), weight)
    often = information_selection(frame.iloc[rows], y[rows], **settings)
    np.testing.assert_array_equal(once.order, often.order)
    np.testing.assert_array_equal(once.scores, often.scores)


def test_resamples_of_a_block_and_labels_do_not_depend_on_each_other() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(60, 8)), rng.integers(0, 2, 60)
    X[:, 5:] = rng.integers(0, [2, 9, 40], (60, 3))
    target = check_target(y, 60)
    weights = rng.integers(0, 4, (4, 60)).astype(np.uint16)
    labels = np.stack([rng.permutation(target.codes) for _ in range(4)])
    for criterion in ["mrmr", "mim", *JOINT]:
        for binning in ("equal_width", "kendall"):
            scorer = PREPARE[criterion](as_table(X), target, binning=binning)
            together = scorer(weights, labels)[criterion]
            for r in range(4):
                alone = scorer(weights[r : r + 1], labels[r : r + 1])[criterion][0]
                np.testing.assert_array_equal(together[r], alone)


def test_a_missing_value_is_a_level_and_an_unknown_order() -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 40)
    X = pd.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40)})
    X.loc[y == 1, "a"] = np.nan
    by_bins = information_selection(X, y, criterion="jmi")
    coded = X["a"].isna().astype(int)
    assert by_bins.scores[0] == pytest.approx(entropy(y), abs=ROUNDING)
    by_pairs = information_selection(X, y, criterion="mim", binning="kendall")
    known = np.where(coded, -1.0, X["a"].fillna(0.0))
    pairs = [(i, j) for i in range(40) for j in range(40) if i != j]

    def order(values: np.ndarray, i: int, j: int) -> int:
        return int(values[i] > values[j]) + 2 * int(values[i] == values[j])

    of_y = np.array([order(y, i, j) for i, j in pairs])
    of_x = np.array([3 if coded[i] or coded[j] else order(known, i, j) for i, j in pairs])
    assert by_pairs.scores[0] == pytest.approx(twins.mutual_information(of_x, of_y), abs=ROUNDING)


def test_as_filters_of_an_ensemble_they_score_by_place_where_only_the_order_counts() -> None:
    codes, y = table(200, [3, 3, 4, 6, 2, 7], 6)
    X = pd.DataFrame(codes).astype("category")
    for criterion in PREPARE:
        order = information_selection(X, y, criterion=criterion).order
        weights = np.ones((1, 200), dtype=np.uint16)
        target = check_target(y, 200)
        scorer = PREPARE[criterion](as_table(X), target)
        (scores,) = scorer(weights, target.codes[np.newaxis])[criterion]
        if criterion in ("jmi", "disr", "jmim", "njmim"):
            assert scores[order].tolist() == pytest.approx([k / 6 for k in range(6, 0, -1)])
            (short,) = replace(scorer, n_selected=2)(weights, target.codes[np.newaxis])[criterion]
            assert short[order[:2]].tolist() == scores[order[:2]].tolist()
            assert short[order[2:]].max() < short[order[1]]
    run = pyfsagg.wam(X, y, filter="jmi", normalize="none", n_resamples=9, random_state=0)
    assert run.score_matrices["jmi"].min() == pytest.approx(1 / 6)


def test_refusals_name_the_cause() -> None:
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "w": list("xyzxyz")})
    y = [0, 0, 1, 1, 0, 1]
    numbers, pairs = pd.DataFrame({"a": X["a"], "b": X["a"] ** 2}), {"binning": "kendall"}
    of_praznik = {"criterion": "cmim", "binning": "praznik"}
    for table, target, options, error, message in (
        (X, y, {"criterion": "jmi3"}, ParameterError, "criterion must be"),
        (numbers, y, {**pairs, "bins": 4}, ParameterError, "compares pairs of rows"),
        (X, y, pairs, DataError, "'w' is nominal with 3 levels"),
        (
            pd.concat([numbers] * 3),
            [0, 1, 2] * 6,
            pairs,
            DataError,
            "3 classes, which have no order",
        ),
        (numbers, y, {**pairs, "sample_weight": [400] * 6}, DataError, "too often for the pairs"),
        (X.mask(X == 1.0), y, of_praznik, DataError, "the filter 'cmim' with"),
    ):
        with pytest.raises(error, match=message):
            information_selection(table, target, **options)

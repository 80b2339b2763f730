"""Callables and estimators as filters."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.extending import as_table, check_target
from pyfsagg.filters.model import prepare_callable, prepare_estimator

RNG = np.random.default_rng(0)
N = 60
LABELS = np.array(["no", "yes"])[RNG.integers(0, 2, N)]
X = RNG.normal(size=(N, 3))
X[:, 1] += 3 * (LABELS == "yes")
TABLE = as_table(X)
TARGET = check_target(LABELS, N)
WEIGHTS = RNG.poisson(1.0, (3, N)).astype(np.uint16)
CODES = TARGET.codes[np.newaxis]


def test_a_callable_sees_values_labels_and_weights() -> None:
    def difference(values: Any, y: Any, sample_weight: Any) -> Any:
        yes, no = sample_weight * (y == "yes"), sample_weight * (y == "no")
        return np.abs(values.T @ yes / yes.sum() - values.T @ no / no.sum())

    scores = prepare_callable(TABLE, TARGET, difference)(WEIGHTS, CODES)["callable"]
    for r in range(3):
        rows = np.repeat(np.arange(N), WEIGHTS[r])
        yes = LABELS[rows] == "yes"
        expected = np.abs(X[rows][yes].mean(axis=0) - X[rows][~yes].mean(axis=0))
        np.testing.assert_allclose(scores[r], expected, rtol=1e-12)


def test_a_frame_has_names_kinds_and_levels_again() -> None:
    gap = pd.array([1, None, 3], dtype="Int64")
    frame = pd.DataFrame({"x": [0.5, 1.5, 2.5], "gap": gap, "flag": [True, False, True]})
    frame = frame.assign(count=[3, 4, 5], word=["b", None, "a"])
    seen: list[pd.DataFrame] = []

    def keep(values: Any, y: Any, sample_weight: Any) -> Any:
        seen.append(values)
        return np.zeros(values.shape[1])

    target = check_target([0, 1, 1], 3)
    scorer = prepare_callable(as_table(frame), target, keep, container="frame")
    scorer(np.ones((1, 3), dtype=np.uint16), target.codes[np.newaxis])
    assert list(seen[0].columns) == list(frame.columns)
    assert [dtype.kind for dtype in seen[0].dtypes[:4]] == ["f", "f", "b", "i"]
    assert seen[0]["word"].tolist()[::2] == ["b", "a"]
    assert seen[0]["word"].isna().tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (np.zeros(2), r"'broken' returned scores of shape \(2,\) for 3 features"),
        (np.array([0.0, np.nan, 1.0]), "returned the score nan for feature 2 of 3"),
        ("words", "'broken' returned str"),
        (None, "'broken' failed: ValueError: .*read-only; it is called with X, y"),
    ],
)
def test_what_a_callable_returns_is_checked_and_it_cannot_change_the_table(
    returned: Any, message: str
) -> None:
    def broken(values: Any, y: Any, sample_weight: Any) -> Any:
        if returned is None:
            values[0, 0] = 9.0
        return returned

    with pytest.raises(DataError, match=message):
        prepare_callable(TABLE, TARGET, broken)(WEIGHTS, CODES)


ESTIMATORS = {
    "tree": DecisionTreeClassifier(max_features=1),
    "logistic": LogisticRegression(),
    "svm": LinearSVC(),
    "pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
    "forest": RandomForestClassifier(n_estimators=15),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_find_the_informative_feature_and_repeat_themselves(name: str) -> None:
    estimator = ESTIMATORS[name]
    scorer = prepare_estimator(TABLE, TARGET, estimator, 3)
    scores = scorer(WEIGHTS, CODES)["estimator"]
    if not isinstance(estimator, DecisionTreeClassifier):
        assert (scores.argmax(axis=1) == 1).all()
    np.testing.assert_array_equal(scores, scorer(WEIGHTS, CODES)["estimator"])
    np.testing.assert_array_equal(scores[2:], scorer(WEIGHTS[2:], CODES)["estimator"])
    assert not scorer.releases_gil


class OwnSeed(BaseEstimator):
    """Its importances are its seed."""

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "OwnSeed":
        self.feature_importances_ = np.full(X.shape[1], float(self.random_state))
        return self


def test_the_seed_depends_on_the_run_the_resample_and_the_labels() -> None:
    first, second, turned = WEIGHTS[:1], WEIGHTS[1:2], CODES[:, ::-1]
    drawn = {
        prepare_estimator(TABLE, TARGET, OwnSeed(), seed)(weights, codes)["estimator"][0, 0]
        for seed, weights, codes in (
            (1, first, CODES), (2, first, CODES), (1, second, CODES), (1, first, turned)
        )
    }  # fmt: skip
    assert len(drawn) == 4


def test_each_resample_has_its_own_labels() -> None:
    def early(values: Any, y: Any, sample_weight: Any) -> Any:
        return np.full(3, (y[: N // 2] == "yes").sum())

    labels = np.stack([CODES[0], np.sort(CODES[0])])
    for scorer in (
        prepare_callable(TABLE, TARGET, early),
        prepare_estimator(TABLE, TARGET, OwnSeed()),
    ):
        both = scorer(WEIGHTS[[0, 0]], labels)[scorer.outputs[0]]
        alone = scorer(WEIGHTS[:1], labels[1:])[scorer.outputs[0]]
        np.testing.assert_array_equal(both[1:], alone)
        assert (both[0] != both[1]).all()


def test_weights_and_repeated_rows_agree() -> None:
    scores = prepare_estimator(TABLE, TARGET, LogisticRegression(tol=1e-10))(WEIGHTS, CODES)
    rows = np.repeat(np.arange(N), WEIGHTS[0])
    coef = LogisticRegression(tol=1e-10).fit(X[rows], LABELS[rows]).coef_[0]
    np.testing.assert_allclose(scores["estimator"][0], np.abs(coef), rtol=1e-4)
    piped = make_pipeline(StandardScaler(), LogisticRegression(tol=1e-10))
    scores = prepare_estimator(TABLE, TARGET, piped)(WEIGHTS, CODES)
    coef = piped.fit(X[rows], LABELS[rows])[-1].coef_[0]
    np.testing.assert_allclose(scores["estimator"][0], np.abs(coef), rtol=1e-12)


def test_several_classes_and_a_resample_with_one() -> None:
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    target = check_target(y, N)
    scorer = prepare_estimator(TABLE, target, LogisticRegression(), container="frame")
    scores = scorer(WEIGHTS[:1], target.codes[np.newaxis])["estimator"][0]
    assert scores.shape == (3,)
    assert scores.argmax() == 0
    one_class = np.zeros((1, N), dtype=np.int32)
    assert scorer(WEIGHTS[:1], one_class)["estimator"].tolist() == [[0.0, 0.0, 0.0]]


def test_refusals() -> None:
    with pytest.raises(InputTypeError, match="a filter must be a name"):
        prepare_callable(TABLE, TARGET, 3)  # type: ignore[arg-type]
    with pytest.raises(InputTypeError, match="is not a scikit-learn estimator"):
        prepare_estimator(TABLE, TARGET, LogisticRegression)
    with pytest.raises(ParameterError, match="container must be one of"):
        prepare_estimator(TABLE, TARGET, LogisticRegression(), container="list")
    scorer = prepare_estimator(TABLE, TARGET, KNeighborsClassifier())
    with pytest.raises(InputTypeError, match="neither feature_importances_ nor coef_"):
        scorer(WEIGHTS, CODES)

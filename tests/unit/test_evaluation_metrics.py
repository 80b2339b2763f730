"""Thresholds, the weighted average, measures and classifiers by name."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    log_loss,
    matthews_corrcoef,
    roc_auc_score,
)
from sklearn.naive_bayes import CategoricalNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from pyfsagg import load_dataset
from pyfsagg._table.table import as_table
from pyfsagg.evaluation import weighted_average_accuracy
from pyfsagg.evaluation.cells import read_thresholds
from pyfsagg.evaluation.learners import CLASSIFIERS, MixedNaiveBayes, build_model, read_classifiers
from pyfsagg.evaluation.metrics import METRICS, Predictions
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, UnknownNameError
from pyfsagg.listing import list_methods

WINE = load_dataset("wine")


def test_wacc_by_hand() -> None:
    # W = 0.9, 0.5, 0: (0.9 * 0.8 + 0.5 * 0.6) / 1.4
    found = weighted_average_accuracy([0.8, 0.6, 0.1], [0.1, 0.5, 1.0])
    assert float(found) == pytest.approx(1.02 / 1.4, abs=1e-15)


def test_wacc_of_the_thesis_thresholds_is_their_weighted_mean() -> None:
    accuracy = np.linspace(0.5, 0.95, 10)
    weights = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
    expected = sum(w * a for w, a in zip(weights, accuracy, strict=False)) / 4.5
    assert float(weighted_average_accuracy(accuracy)) == pytest.approx(expected, abs=1e-14)


def test_wacc_of_a_missing_accuracy_is_missing_unless_it_has_no_weight() -> None:
    rows = [[0.5, np.nan, 0.7], [0.5, 0.6, np.nan]]
    found = weighted_average_accuracy(rows, [0.2, 0.4, 1.0])
    assert np.isnan(found[0])
    assert found[1] == pytest.approx((0.8 * 0.5 + 0.6 * 0.6) / 1.4)


@given(
    st.lists(st.floats(0, 1), min_size=3, max_size=3),
    st.lists(st.floats(0.01, 0.99), min_size=3, max_size=3, unique=True),
)
@settings(max_examples=50, deadline=None)
def test_wacc_lies_between_the_accuracies(accuracy: list[float], shares: list[float]) -> None:
    found = float(weighted_average_accuracy(accuracy, shares))
    assert min(accuracy) - 1e-12 <= found <= max(accuracy) + 1e-12


@pytest.mark.parametrize(
    ("accuracy", "shares", "error", "message"),
    [
        ([0.5], [1.0], ParameterError, "no weight"),
        ([0.5], [0.0], ParameterError, "above 0"),
        ([0.5], [], ParameterError, "above 0"),
        ([0.5, 0.6], [0.5], DataError, "one value for each of the 1 thresholds"),
        (0.5, [0.5], DataError, "last axis"),
    ],
)
def test_wacc_refuses(accuracy, shares, error, message) -> None:
    with pytest.raises(error, match=message):
        weighted_average_accuracy(accuracy, shares)


def test_thresholds_are_shares_in_ascending_order_and_counts_become_shares() -> None:
    found = read_thresholds([1.0, 17, 0.1], 34)
    assert [(each.share, each.n_features) for each in found] == [(0.1, 4), (0.5, 17), (1.0, 34)]


@pytest.mark.parametrize(
    ("thresholds", "message"),
    [
        ([], "empty"),
        ([0.5, 17], "0.5 of the features twice"),
        ([0.0], "above 0"),
        ([1.5], "at most 1"),
        ([35], "from 1 to 34"),
        (["all"], "got 'all'"),
    ],
)
def test_thresholds_refused(thresholds, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        read_thresholds(thresholds, 34)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_measures_agree_with_scikit_learn(n_classes: int) -> None:
    X = WINE.X.to_numpy()[:, :3]
    y = np.unique(WINE.y, return_inverse=True)[1]
    X, y = X[y < n_classes], y[y < n_classes]
    model = LogisticRegression(max_iter=5000).fit(X[::2], y[::2])
    found = Predictions(model, X[1::2], y[1::2], n_classes)
    truth, chances = y[1::2], model.predict_proba(X[1::2])
    expected = {
        "accuracy": model.score(X[1::2], truth),
        "balanced_accuracy": balanced_accuracy_score(truth, model.predict(X[1::2])),
        "roc_auc": roc_auc_score(
            truth, chances[:, 1] if n_classes == 2 else chances, multi_class="ovr"
        ),
        "matthews_correlation": matthews_corrcoef(truth, model.predict(X[1::2])),
        "average_precision": np.mean(
            [average_precision_score(truth == c, chances[:, c]) for c in range(n_classes)]
        ),
        "log_loss": log_loss(truth, chances),
    }
    assert METRICS.names() == list_methods("metrics").index.tolist()
    assert list(expected) == [spec.name for spec in METRICS if spec.task == "classification"]
    for name, value in expected.items():
        assert METRICS.get(name).compute(found) == pytest.approx(value, rel=1e-12), name


def test_roc_auc_takes_the_decision_function_where_there_are_no_probabilities() -> None:
    X, y = WINE.X.to_numpy()[:130, :2], np.unique(WINE.y[:130], return_inverse=True)[1]
    model = SVC().fit(X, y)
    found = Predictions(model, X, y, 2)
    expected = roc_auc_score(y, model.decision_function(X))
    assert METRICS.get("auc").compute(found) == pytest.approx(expected, rel=1e-12)
    with pytest.raises(DataError, match="no probabilities"):
        METRICS.get("log_loss").compute(found)


def test_average_precision_needs_rows_of_every_class() -> None:
    X, y = WINE.X.to_numpy()[:, :2], np.unique(WINE.y, return_inverse=True)[1]
    found = Predictions(LogisticRegression().fit(X, y), X[y < 2], y[y < 2], 3)
    with pytest.raises(DataError, match="test rows of every class"):
        METRICS.get("pr_auc").compute(found)


def test_matthews_correlation_of_one_predicted_class_is_zero() -> None:
    X, y = WINE.X.to_numpy()[:, :2], np.unique(WINE.y, return_inverse=True)[1]
    found = Predictions(DummyClassifier().fit(X, y), X, y, 3)
    assert METRICS.get("mcc").compute(found) == 0.0


def test_a_class_that_training_did_not_know_has_probability_zero() -> None:
    X = np.array([[0.0], [1.0], [0.0], [1.0]])
    model = DecisionTreeClassifier().fit(X, [0, 2, 0, 2])
    found = Predictions(model, X, np.array([0, 1, 0, 2]), 3)
    assert found.probabilities[:, 1].tolist() == [0.0] * 4
    assert METRICS.get("accuracy").compute(found) == 0.75


def test_every_named_classifier_can_be_built_with_a_seed() -> None:
    table = as_table(WINE.X)
    codes = np.unique(WINE.y, return_inverse=True)[1]
    for name in list_methods("classifiers").index:
        model = build_model(CLASSIFIERS.get(name), table, 3)
        assert model.fit(table.values, codes).score(table.values, codes) > 0.75


def test_an_own_classifier_gets_a_seed_only_where_it_is_open() -> None:
    table = as_table(WINE.X)
    assert build_model(DecisionTreeClassifier(), table, 3).random_state == 3
    assert build_model(DecisionTreeClassifier(random_state=8), table, 3).random_state == 8


def test_columns_are_prepared_inside_the_pipeline() -> None:
    import pandas as pd

    frame = pd.DataFrame(
        {
            "number": [1.0, 2.0, 3.0, 4.0],
            "gap": [1.0, np.nan, 3.0, 11.0],
            "word": ["a", "b", None, "a"],
        }
    )
    table = as_table(frame)
    model = build_model(CLASSIFIERS.get("random_forest"), table, 0).fit(table.values[:3], [0, 1, 0])
    prepared = model[0].transform(table.values)
    # number as it is; gap with the median of rows 1 to 3; a, b and missing as columns
    assert prepared[1].tolist() == [2.0, 2.0, 0.0, 1.0, 0.0]
    assert prepared[2].tolist() == [3.0, 3.0, 0.0, 0.0, 1.0]


def test_naive_bayes_adds_up_the_evidence_of_numbers_and_categories() -> None:
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 90)
    number = rng.normal(y, 1.0)
    code = np.where(rng.random(90) < 0.2, np.nan, (y + (rng.random(90) < 0.4)) % 3)
    model = MixedNaiveBayes(n_levels=(3,)).fit(np.column_stack([number, code]), y)
    x, level = 0.4, 3  # a missing code is the fourth level
    weight = []
    for c in range(3):
        own = number[y == c]
        levels = np.where(np.isnan(code[y == c]), 3, code[y == c])
        density = np.exp(-((x - own.mean()) ** 2) / (2 * own.var())) / np.sqrt(own.var())
        share = ((levels == level).sum() + 1) / (len(own) + 4)
        weight.append(np.mean(y == c) * density * share)
    expected = np.array(weight) / sum(weight)
    found = model.predict_proba(np.array([[x, np.nan]]))[0]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert model.predict(np.array([[x, np.nan]]))[0] == expected.argmax()


def test_naive_bayes_by_name_takes_categories_as_they_are() -> None:
    import pandas as pd

    words = pd.DataFrame({"a": list("xyxyxyzz"), "n": np.arange(8.0), "b": list("uuvvuuvv")})
    table = as_table(words)
    y = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    model = build_model(CLASSIFIERS.get("nb"), table, 0).fit(table.values[:6], y[:6])
    assert model[-1].n_levels == (3, 2)
    assert model.predict(table.values).shape == (8,)  # z is a level that training did not see
    only = table.take(np.array([0, 2]))
    model = build_model(CLASSIFIERS.get("nb"), only, 0).fit(only.values, y)
    expected = CategoricalNB(min_categories=[4, 3]).fit(only.values.astype(int), y)
    np.testing.assert_allclose(
        model.predict_proba(only.values), expected.predict_proba(only.values.astype(int))
    )


@pytest.mark.parametrize(
    ("classifiers", "error", "message"),
    [
        ([], ParameterError, "empty"),
        (["nb", "naive_bayes"], ParameterError, "given twice"),
        (["svn"], UnknownNameError, "did you mean 'svm'"),
        ([LinearRegression()], ParameterError, "is a regressor"),
        ([LogisticRegression], InputTypeError, "scikit-learn classifier"),
        ([3], InputTypeError, "scikit-learn classifier"),
    ],
)
def test_classifiers_refused(classifiers, error, message: str) -> None:
    with pytest.raises(error, match=message):
        read_classifiers(classifiers)

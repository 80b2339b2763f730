"""Thresholds, the weighted average, measures and classifiers by name."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import CategoricalNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from pyfsagg import load_dataset
from pyfsagg.evaluation import weighted_average_accuracy
from pyfsagg.evaluation.cells import read_thresholds
from pyfsagg.evaluation.learners import CLASSIFIERS, MixedNaiveBayes, build_model, read_classifiers
from pyfsagg.evaluation.metrics import METRICS, Predictions
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, UnknownNameError
from pyfsagg.extending import as_table
from pyfsagg.listing import list_methods

WINE = load_dataset("wine")
CODES = np.unique(WINE.y, return_inverse=True)[1]


def predictions(model, n_features=2, rows=slice(None), known=slice(None), n_classes=3):
    """Of a model that was fitted to the first columns of some rows, for others."""
    X = WINE.X.to_numpy()[:, :n_features]
    return Predictions(model.fit(X[known], CODES[known]), X[rows], CODES[rows], n_classes)


def test_wacc_by_hand() -> None:
    for accuracy, shares, expected in (
        # W = 0.9, 0.5, 0: (0.9 * 0.8 + 0.5 * 0.6) / 1.4
        ([0.8, 0.6, 0.1], [0.1, 0.5, 1.0], 1.02 / 1.4),
        # A missing accuracy makes it missing unless it has no weight.
        ([0.5, np.nan, 0.7], [0.2, 0.4, 1.0], np.nan),
        ([0.5, 0.6, np.nan], [0.2, 0.4, 1.0], (0.8 * 0.5 + 0.6 * 0.6) / 1.4),
    ):
        found = weighted_average_accuracy([accuracy, accuracy], shares)
        np.testing.assert_allclose(found, [expected, expected], rtol=1e-14)
    accuracy = np.linspace(0.5, 0.95, 10)
    expected = np.average(accuracy, weights=np.linspace(0.9, 0.0, 10))
    assert float(weighted_average_accuracy(accuracy)) == pytest.approx(expected, abs=1e-14)


@given(
    st.lists(st.floats(0, 1), min_size=3, max_size=3),
    st.lists(st.floats(0.01, 0.99), min_size=3, max_size=3, unique=True),
)
@settings(max_examples=50, deadline=None)
def test_wacc_lies_between_the_accuracies(accuracy: list[float], shares: list[float]) -> None:
    found = float(weighted_average_accuracy(accuracy, shares))
    assert min(accuracy) - 1e-12 <= found <= max(accuracy) + 1e-12


def test_thresholds_that_cannot_be_averaged_are_refused() -> None:
    for accuracy, shares, error, message in (
        ([0.5], [1.0], ParameterError, "no weight"),
        ([0.5], [0.0], ParameterError, "above 0"),
        ([0.5, 0.6], [0.5, 1.5], ParameterError, "at most 1"),
        ([0.5], [], ParameterError, "above 0"),
        ([0.5, 0.6], [0.5], DataError, "one value for each of the 1 thresholds"),
        (0.5, [0.5], DataError, "last axis"),
    ):
        with pytest.raises(error, match=message):
            weighted_average_accuracy(accuracy, shares)
    for thresholds, message in (
        ([], "empty"),
        ([0.5, 17], "0.5 of the features twice"),
        ([0.0], "above 0"),
        ([1.5], "at most 1"),
        ([35], "from 1 to 34"),
        (["all"], "got 'all'"),
    ):
        with pytest.raises(ParameterError, match=message):
            read_thresholds(thresholds, 34)
    found = read_thresholds([1.0, 17, 0.1], 34)  # shares in ascending order
    assert [(each.share, each.n_features) for each in found] == [(0.1, 4), (0.5, 17), (1.0, 34)]
    for classifiers, error, message in (
        ([], ParameterError, "empty"),
        (["nb", "naive_bayes"], ParameterError, "given twice"),
        (["svn"], UnknownNameError, "did you mean 'svm'"),
        ([LinearRegression()], ParameterError, "is a regressor"),
        ([LogisticRegression], InputTypeError, "scikit-learn classifier"),
        ([3], InputTypeError, "scikit-learn classifier"),
    ):
        with pytest.raises(error, match=message):
            read_classifiers(classifiers)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_measures_agree_with_scikit_learn(n_classes: int) -> None:
    rows = np.flatnonzero(n_classes > CODES)
    model = LogisticRegression(max_iter=5000)
    found = predictions(model, 3, rows[1::2], rows[::2], n_classes)
    truth, X = CODES[rows[1::2]], WINE.X.to_numpy()[rows[1::2], :3]
    predicted, chances = model.predict(X), model.predict_proba(X)
    scores = chances[:, 1] if n_classes == 2 else chances
    each = [metrics.average_precision_score(truth == c, chances[:, c]) for c in range(n_classes)]
    expected = {
        "accuracy": model.score(X, truth),
        "balanced_accuracy": metrics.balanced_accuracy_score(truth, predicted),
        "roc_auc": metrics.roc_auc_score(truth, scores, multi_class="ovr"),
        "matthews_correlation": metrics.matthews_corrcoef(truth, predicted),
        "average_precision": np.mean(each),
        "log_loss": metrics.log_loss(truth, chances),
    }
    assert METRICS.names() == list_methods("metrics").index.tolist()
    assert list(expected) == [spec.name for spec in METRICS if spec.task == "classification"]
    computed = {name: METRICS.get(name).compute(found) for name in expected}
    assert computed == pytest.approx(expected, rel=1e-12)


def test_measures_where_classes_or_probabilities_are_missing() -> None:
    first, model = slice(130), SVC()
    found = predictions(model, 2, first, first, 2)
    scores = model.decision_function(WINE.X.to_numpy()[first, :2])
    expected = metrics.roc_auc_score(CODES[first], scores)
    assert METRICS.get("auc").compute(found) == pytest.approx(expected, rel=1e-12)
    with pytest.raises(DataError, match="no probabilities"):
        METRICS.get("log_loss").compute(found)
    found = predictions(LogisticRegression(), rows=CODES < 2)
    with pytest.raises(DataError, match="test rows of every class"):
        METRICS.get("pr_auc").compute(found)
    # And the correlation of one predicted class is zero.
    assert METRICS.get("mcc").compute(predictions(DummyClassifier())) == 0.0
    X = np.array([[0.0], [1.0], [0.0], [1.0]])
    model = DecisionTreeClassifier().fit(X, [0, 2, 0, 2])
    found = Predictions(model, X, np.array([0, 1, 0, 2]), 3)
    assert found.probabilities[:, 1].tolist() == [0.0] * 4
    assert METRICS.get("accuracy").compute(found) == 0.75


def test_every_named_classifier_can_be_built_with_a_seed() -> None:
    table = as_table(WINE.X)
    for name in list_methods("classifiers").index:
        model = build_model(CLASSIFIERS.get(name), table, 3)
        assert model.fit(table.values, CODES).score(table.values, CODES) > 0.75
    for own_seed, seed in ((None, 3), (8, 8)):  # an own one gets a seed where it is open
        own = DecisionTreeClassifier(random_state=own_seed)
        assert build_model(own, table, 3).random_state == seed


def test_naive_bayes_and_columns_that_are_prepared() -> None:
    gap, word = [1.0, np.nan, 3.0, 11.0], ["a", "b", None, "a"]
    table = as_table(pd.DataFrame({"number": [1.0, 2.0, 3.0, 4.0], "gap": gap, "word": word}))
    model = build_model(CLASSIFIERS.get("random_forest"), table, 0).fit(table.values[:3], [0, 1, 0])
    prepared = model[0].transform(table.values)
    # number as it is; gap with the median of rows 1 to 3; a, b and missing as columns
    assert prepared[1:3].tolist() == [[2.0, 2.0, 0.0, 1.0, 0.0], [3.0, 3.0, 0.0, 0.0, 1.0]]
    words = pd.DataFrame({"a": list("xyxyxyzz"), "n": np.arange(8.0), "b": list("uuvvuuvv")})
    table = as_table(words)
    y = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    model = build_model(CLASSIFIERS.get("nb"), table, 0).fit(table.values[:6], y[:6])
    assert model[-1].n_levels == (3, 2)
    assert model.predict(table.values).shape == (8,)  # z is a level that training did not see
    only = table.take(np.array([0, 2]))
    model = build_model(CLASSIFIERS.get("nb"), only, 0).fit(only.values, y)
    expected = CategoricalNB(min_categories=[4, 3]).fit(only.values.astype(int), y)
    found, expected = (
        model.predict_proba(only.values),
        expected.predict_proba(only.values.astype(int)),
    )
    np.testing.assert_allclose(found, expected)
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

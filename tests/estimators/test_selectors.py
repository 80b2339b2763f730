"""The selectors as scikit-learn estimators."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_wine
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from pyfsagg import exceptions, wam
from pyfsagg.ensemble import BetweenAggregationSelector, WithinAggregationSelector

X, Y = load_wine(return_X_y=True, as_frame=True)
SELECTORS = [WithinAggregationSelector, BetweenAggregationSelector]


@parametrize_with_checks(
    [
        WithinAggregationSelector(n_resamples=20),
        BetweenAggregationSelector(n_resamples=20),
        WithinAggregationSelector("spearman", aggregator="rra", n_resamples=20),
        WithinAggregationSelector("pearson", task="regression", n_resamples=20),
    ]
)
def test_scikit_learn_checks(estimator, check) -> None:
    if check.func.__name__.startswith("check_sample_weight_equivalence"):
        pytest.skip("a row with a weight is drawn as one row: repeated rows are counts")
    check(estimator)


def test_selector_is_wam() -> None:
    how = {"n_resamples": 30, "random_state": 2}
    selector = WithinAggregationSelector(n_features_to_select=4, **how).fit(X, Y)
    result = wam(X, Y, **how)
    np.testing.assert_array_equal(selector.scores_, result.scores)
    np.testing.assert_array_equal(selector.ranking_, result.ranking)
    assert set(selector.get_feature_names_out()) == set(result.select(4))
    assert selector.n_features_in_ == 13
    assert selector.transform(X[:5]).shape == (5, 4)


def test_two_classes_are_said_where_they_are_needed() -> None:
    """Of a filter that is defined for two classes, and of a target of classes, only."""
    needing = [
        WithinAggregationSelector("spearman"),
        BetweenAggregationSelector(["ig", "vdm"]),
        WithinAggregationSelector("spearman", task="regression"),
        WithinAggregationSelector(),
    ]
    assert [each._more_tags()["binary_only"] for each in needing] == [True, True, False, False]


@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize("threshold", [1, "auto"])
def test_a_single_column(selector: type, threshold: int | str) -> None:
    chosen = selector(n_features_to_select=threshold, n_resamples=20, random_state=0)
    fitted = chosen.fit(X[["flavanoids"]], Y)
    assert fitted.get_feature_names_out().tolist() == ["flavanoids"]
    assert fitted.ranking_.tolist() == [1.0]


def test_branches_of_a_column_transformer_and_forward_selection() -> None:
    one = WithinAggregationSelector(n_features_to_select=1, n_resamples=10, random_state=0)
    parts = [("one", one, ["alcohol"]), ("best", one, list(X.columns[1:7]))]
    branches = ColumnTransformer(parts).fit(X, Y)
    assert branches.get_feature_names_out().tolist() == ["one__alcohol", "best__flavanoids"]
    model = make_pipeline(one, GaussianNB())
    search = SequentialFeatureSelector(model, n_features_to_select=2, cv=3)
    assert search.fit(X.iloc[:, :4], Y).get_support().sum() == 2


@pytest.mark.parametrize("selector", SELECTORS)
def test_pipeline_and_grid_search(selector: type) -> None:
    model = make_pipeline(selector(n_resamples=20, random_state=0), GaussianNB())
    step = model.steps[0][0]
    search = GridSearchCV(model, {f"{step}__n_features_to_select": [1, 0.5, 13]}, cv=3).fit(X, Y)
    assert search.best_score_ > 0.9
    best = search.best_estimator_
    assert best[:-1].transform(X).shape[1] == best[0].support_.sum()


def test_set_output_keeps_names_and_counts_are_repetitions() -> None:
    frame = X.assign(word=np.where(Y == 0, "a", "b"))
    selector = WithinAggregationSelector(n_features_to_select=2, n_resamples=10, random_state=0)
    chosen = selector.set_output(transform="pandas").fit_transform(frame, Y)
    assert list(chosen) == list(selector.get_feature_names_out())
    assert set(chosen) <= set(frame)
    weight = np.random.default_rng(0).integers(0, 3, len(Y))
    rows = np.repeat(np.arange(len(Y)), weight)
    selector = WithinAggregationSelector(n_resamples=10, random_state=1)
    counted = selector.fit(X, Y, counts=weight).scores_
    repeated = selector.fit(X.iloc[rows], Y.iloc[rows]).scores_
    np.testing.assert_array_equal(counted, repeated)
    plain = selector.fit(X, Y).scores_
    np.testing.assert_array_equal(selector.fit(X, Y, sample_weight=np.ones(len(Y))).scores_, plain)


def test_metadata_is_routed() -> None:
    groups = np.arange(len(Y)) // 3
    seen = []

    class Spy(WithinAggregationSelector):
        def fit(self, X, y=None, *, sample_weight=None, groups=None):
            seen.append((sample_weight is not None, groups is not None))
            return super().fit(X, y, sample_weight=sample_weight, groups=groups)

    with sklearn.config_context(enable_metadata_routing=True):
        selector = Spy(n_resamples=5, resampling="grouped_bootstrap", random_state=0)
        selector.set_fit_request(sample_weight=True, groups=True)
        classifier = LogisticRegression(max_iter=2000)
        classifier.set_fit_request(sample_weight=False)
        model = make_pipeline(selector, classifier)
        scoring = get_scorer("accuracy").set_score_request(sample_weight=False)
        how = {"cv": GroupKFold(2), "scoring": scoring, "error_score": "raise"}
        params = {"sample_weight": np.ones(len(Y)), "groups": groups}
        cross_validate(model, X / X.std(), Y, params=params, **how)
    assert seen == [(True, True)] * 2


def test_numbers_limits_and_targets_out_of_range_are_refused() -> None:
    for threshold in (0, 14, 1.5, -1):
        with pytest.raises(exceptions.ParameterError, match="n_features_to_select"):
            WithinAggregationSelector(n_features_to_select=threshold, n_resamples=5).fit(X, Y)
    with pytest.raises(exceptions.DataError, match="more than a quarter"):
        WithinAggregationSelector(n_resamples=5).fit(X, X["alcohol"])
    for limit in ("max_false", "fdr"):
        with pytest.raises(exceptions.ParameterError, match=limit):
            WithinAggregationSelector(**{limit: np.array([0.1, 0.2])}).fit(X, Y)

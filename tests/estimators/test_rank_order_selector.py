"""RankOrderSelector as a scikit-learn estimator."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from pyfsagg.exceptions import DataError, ParameterError, PyfsaggWarning
from pyfsagg.rank_order import RankOrderSelector, eliminate, make_planted_orders

DATA = make_planted_orders(3, 15, n_extraneous=5, n_redundant=1, random_state=3)


@parametrize_with_checks(
    [
        RankOrderSelector("cdv"),
        RankOrderSelector("spoilers", missing="unknown"),
        RankOrderSelector("greedy_kl", n_features_to_select=None, divergence=0.1),
    ]
)
def test_scikit_learn_checks(estimator, check) -> None:
    with warnings.catch_warnings():
        # The tables of these checks have columns of very different size, which is worth a warning.
        warnings.simplefilter("ignore", PyfsaggWarning)
        check(estimator)


@pytest.mark.parametrize("method", ["cdv", "spoilers", "greedy_kl", "koller_sahami"])
def test_selector_is_the_elimination(method: str) -> None:
    selector = RankOrderSelector(method, n_features_to_select=4).fit(DATA.X, DATA.y)
    result = eliminate(DATA.X, DATA.y, method)
    np.testing.assert_array_equal(selector.ranking_, result.ranking)
    assert set(selector.get_feature_names_out()) == set(result.select(4))
    assert selector.transform(DATA.X).shape == (45, 4)


def test_divergence_decides_instead_of_a_threshold_and_grid_search() -> None:
    selector = RankOrderSelector("spoilers", divergence=0.0).fit(DATA.X, DATA.y)
    expected = eliminate(DATA.X, DATA.y, "spoilers").select_by_divergence(0.0)
    assert set(selector.get_feature_names_out()) == set(expected)
    model = make_pipeline(RankOrderSelector("spoilers"), GaussianNB())
    search = GridSearchCV(model, {"rankorderselector__n_features_to_select": [2, 0.5, 9]}, cv=3)
    search.fit(DATA.X, DATA.y)
    assert search.best_score_ > 0.9
    # Weights are repetitions.
    weight = np.random.default_rng(0).integers(0, 3, len(DATA.y))
    rows = np.repeat(np.arange(len(DATA.y)), weight)
    weighted = RankOrderSelector("cdv").fit(DATA.X, DATA.y, sample_weight=weight)
    repeated = RankOrderSelector("cdv").fit(DATA.X.iloc[rows], DATA.y.iloc[rows])
    np.testing.assert_array_equal(weighted.ranking_, repeated.ranking_)


def test_numbers_and_targets_without_an_order_are_refused() -> None:
    for options, message in (
        ({"n_features_to_select": 0}, "n_features_to_select"),
        ({"n_features_to_select": 1.5}, "n_features_to_select"),
        ({"n_features_to_select": None}, "give n_features_to_select"),
        ({"divergence": -1.0}, "divergence"),
        ({"method": "kl"}, "method must be one of"),
    ):
        with pytest.raises(ParameterError, match=message):
            RankOrderSelector(**options).fit(DATA.X, DATA.y)
    with pytest.raises(DataError, match="continuous"):
        RankOrderSelector().fit(DATA.X, np.linspace(0, 1, len(DATA.y)))

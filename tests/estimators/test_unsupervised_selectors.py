"""The unsupervised selectors as scikit-learn estimators."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from pyfsagg import unsupervised
from pyfsagg.exceptions import DataError, ParameterError

X, Y = load_wine(return_X_y=True, as_frame=True)
SELECTORS = {
    "frcm": unsupervised.ConsensusAffinitySelector(n_clusterings=10, random_state=0),
    "frmv": unsupervised.MultipleViewsSelector(n_clusterings=10, random_state=0),
    "laplacian_score": unsupervised.LaplacianScoreSelector(n_neighbors=2),
    "svd_entropy": unsupervised.SvdEntropySelector(),
}


@parametrize_with_checks(list(SELECTORS.values()))
def test_scikit_learn_checks(estimator, check) -> None:
    check(estimator)


@pytest.mark.parametrize("method", SELECTORS)
def test_selector_is_its_function(method: str) -> None:
    selector = SELECTORS[method].set_params(n_features_to_select=4)
    options = selector.get_params()
    options.pop("n_features_to_select")
    result = unsupervised.rank_unsupervised(X, method, **options)
    selector.fit(X)
    np.testing.assert_array_equal(selector.scores_, result.scores)
    np.testing.assert_array_equal(selector.ranking_, result.ranking)
    assert set(selector.get_feature_names_out()) == set(result.select(4))
    np.testing.assert_array_equal(selector.scores_, selector.fit(X, Y).scores_)
    selector.set_params(n_features_to_select="mean_plus_sd").fit(X)
    cut = result.scores.mean() + result.scores.std(ddof=1)
    above = result.scores > cut
    best = np.arange(13) == result.scores.argmax()  # where none is above the cut
    np.testing.assert_array_equal(selector.support_, above if above.any() else best)


def test_pipelines_without_labels_keep_names_and_missing_values_are_refused() -> None:
    selector = unsupervised.ConsensusAffinitySelector(
        n_features_to_select=0.3, n_clusterings=10, random_state=0
    )
    model = make_pipeline(selector, KMeans(3, n_init=1, random_state=0))
    model.set_output(transform="pandas").fit(X)
    assert model[0].transform(X).shape == (178, 4)
    assert list(model[0].transform(X)) == list(model[0].get_feature_names_out())
    gaps = X.copy()
    gaps.iloc[3, 2] = np.nan
    with pytest.raises(DataError, match=r"column 'ash' has missing values \(NaN\)"):
        unsupervised.ConsensusAffinitySelector(n_clusterings=5).fit(gaps)


def test_threshold_out_of_range() -> None:
    for threshold in (0, 14, 1.5, "median"):
        with pytest.raises(ParameterError, match="n_features_to_select"):
            unsupervised.SvdEntropySelector(n_features_to_select=threshold).fit(X)

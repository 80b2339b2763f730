"""Every filter is a function of the room `filters`: name, signature, docstring and scores of its spec."""

import inspect
import pickle
import sys

import numpy as np
import pytest
from loading import program

import pyfsagg
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.extending import FILTERS
from pyfsagg.filters import score_features

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))
TARGETS = {
    "classification": (X[:, 0] > 0).astype(int),
    "regression": X[:, 0] + rng.normal(size=40),
    "survival": np.column_stack([rng.exponential(size=40), rng.random(40) < 0.7]),
}
FEW = {"frcm": {"n_clusterings": 5}, "frmv": {"n_clusterings": 5}}
SPECS = {spec.name: spec for spec in FILTERS.own()}


@pytest.mark.parametrize("name", SPECS)
def test_a_filter_is_a_function_with_the_scores_of_a_run(name: str) -> None:
    function, options = getattr(pyfsagg.filters, name), FEW.get(name, {})
    task = inspect.signature(function).parameters["task"].default
    y, weights = TARGETS[task], np.arange(40) % 3
    rows = np.repeat(np.arange(40), weights)
    run = pyfsagg.wam(
        X, y, filter=name, filter_params=options, task=task, checks="none",
        resampling=pyfsagg.resampling.Rows(rows[np.newaxis]),
    )  # fmt: skip
    np.testing.assert_array_equal(function(X, y, weights, **options), run.score_matrices[name][0])
    np.testing.assert_array_equal(
        score_features(X, y, name, weights, task=task, **options),
        function(X, y, weights, **options),
    )


@pytest.mark.parametrize("name", SPECS)
def test_what_a_filter_says_of_itself(name: str) -> None:
    function, spec = getattr(pyfsagg.filters, name), SPECS[name]
    parameters = list(inspect.signature(function).parameters)
    own = list(inspect.signature(spec.prepare).parameters)[2:]
    assert parameters[:3] == ["X", "y", "sample_weight"]
    assert set(parameters[3:]) == {*own, "task", "nominal"}
    doc = inspect.getdoc(function)
    assert all(part in doc for part in (spec.summary, spec.formula, spec.bounds, spec.source))
    assert all(f"\n{parameter} : " in doc for parameter in parameters if parameter != "options")
    assert pickle.loads(pickle.dumps(function)) is function


def test_the_room_lists_its_filters_in_a_fresh_process_without_other_imports() -> None:
    code = (
        "import sys, pyfsagg; assert 'numpy' not in sys.modules; "
        "from pyfsagg.filters import laplacian_score; print(*dir(pyfsagg.filters))"
    )
    listed = program(sys.executable, "-c", code).stdout.split()
    assert set(SPECS) | {"score_features", "near_zero_variance"} <= set(listed)
    assert not hasattr(pyfsagg.filters, "no_such_filter")


def test_a_function_may_be_given_to_a_run_and_a_function_scored_by_its_call() -> None:
    y = TARGETS["classification"]
    by_name = pyfsagg.wam(X, y, filter="chi_squared", n_resamples=3, random_state=0)
    by_function = pyfsagg.wam(
        X, y, filter=pyfsagg.filters.chi_squared, n_resamples=3, random_state=0
    )
    np.testing.assert_array_equal(by_name.combined, by_function.combined)
    gap = score_features(X, y, lambda X, y, sample_weight: X.T @ sample_weight)
    np.testing.assert_allclose(gap, X.sum(axis=0))


def test_what_a_filter_refuses() -> None:
    with pytest.raises(DataError, match="'cox_score' ranks by a number or by survival"):
        score_features(X, TARGETS["classification"], "cox_score")
    with pytest.raises(ParameterError, match="no parameter 'bims'; it takes: bins"):
        pyfsagg.filters.chi_squared(X, TARGETS["classification"], bims=4)
    with pytest.raises(DataError, match="requires y to be passed"):
        pyfsagg.filters.chi_squared(X, None)
    adjusted = pyfsagg.Task("regression", adjust=[0])
    assert len(pyfsagg.filters.pearson(X, TARGETS["regression"], task=adjusted)) == 2

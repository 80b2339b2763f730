"""Bounds, paths, e-values and step-down p-values by themselves."""

import math

import numpy as np
import pytest
from refusals import refused
from scipy.stats import binom

from pyfsagg.error_control import integrated_path, pfer_bound
from pyfsagg.error_control.bounds import (
    bound_of_frequency,
    largest_tail,
    pfer_size,
    pfer_threshold,
    selection_frequency,
)
from pyfsagg.error_control.paths import _bound, _measure, q_values
from pyfsagg.error_control.permutation import comparable_evidence, step_down_max_t
from pyfsagg.exceptions import DataError, ParameterError


# -- bounds ---------------------------------------------------------------------------------------
def test_without_an_assumption_the_bound_is_that_of_meinshausen_and_buhlmann() -> None:
    assert pfer_bound(10, 200, 0.9, assumption="none") == pytest.approx(100 / 200 / 0.8)
    assumptions = ("none", "unimodal", "r-concave")  # a stronger one gives a smaller bound
    values = [pfer_bound(10, 200, 0.7, n_pairs=50, assumption=name) for name in assumptions]
    assert values == sorted(values, reverse=True)
    assert values[2] < values[0] / 2
    # Nothing can be selected is an answer.
    assert pfer_threshold(30, 60, 0.1, assumption="none") == math.inf
    assert pfer_size(0.6, 20, 1e-3, assumption="none") == 0


@pytest.mark.parametrize("assumption", ["none", "unimodal", "r-concave"])
def test_size_and_threshold_are_the_last_that_keep_the_bound(assumption: str) -> None:
    p, rule = 120, 1.5
    how = {"n_pairs": 20, "assumption": assumption}
    q = pfer_size(0.8, p, rule, **how)
    assert pfer_bound(q, p, 0.8, **how) <= rule < pfer_bound(q + 1, p, 0.8, **how)
    threshold = pfer_threshold(q, p, rule, **how)
    assert threshold <= 0.8 + 1e-12
    assert pfer_bound(q, p, threshold, **how) <= rule * (1 + 1e-12)
    if assumption != "none":
        assert threshold * 40 == pytest.approx(round(threshold * 40))


def test_the_unimodal_bound_begins_above_one_half_and_the_square_of_the_share() -> None:
    """With 141 of 1000 features in each half of 50 pairs that is 0.5199."""
    bounds = bound_of_frequency(np.array([0.515, 0.52]), 141, 1000, 50, "unimodal")
    assert bounds[0] == 1000.0
    assert bounds[1] == pytest.approx(141**2 / 1000 / (2.0 * (0.04 - 0.01)))


def test_no_concave_distribution_has_a_larger_tail_and_one_comes_near() -> None:
    mean, steps, n = 0.08, 25, 40
    limit = largest_tail(mean, steps, n, -0.5)
    # Above twice the mean it says something.
    assert largest_tail(0.125, 3, 8, -0.5) < 1.0 == largest_tail(0.125, 2, 8, -0.5)
    best = 0.0
    for a in np.linspace(0.5, 5.0, 4001):
        for k in range(steps - 1, n):
            weights = (a + np.arange(k + 2.0)) ** -2.0
            inside = weights[:-1] / weights[:-1].sum()
            at = inside @ np.arange(k + 1.0)
            extra = (mean * n - at) / (k + 1 - at)  # at k + 1, so the mean is right
            if 0 <= extra / (1 - extra) <= weights[-1] / weights[:-1].sum():
                best = max(best, (1 - extra) * inside[steps:].sum() + extra)
    assert limit * 0.998 <= best <= limit * (1 + 1e-9)


def test_thresholds_without_a_bound_are_refused() -> None:
    for q, p, threshold, how, message in (
        (5, 50, 0.5, {}, "threshold must be above 0.51"),
        (5, 50, 0.5, {"assumption": "none"}, "threshold must be above 0.5 "),
        (30, 50, 0.9, {}, "q must be at most 28 of 50"),
        (25, 50, 0.9, {"assumption": "r-concave"}, "q must be at most 24 of 50"),
        (10, 50, 0.2, {"assumption": "r-concave"}, "select fewer features in each half"),
        (5, 50, 0.9, {"n_pairs": 1}, "one pair gives no estimate; draw more"),
        (0, 50, 0.9, {}, "at least 1"),
        (5, 50, 1.2, {}, "at most 1.0"),
        (5, 50, 0.9, {"assumption": "concave"}, "'r-concave'"),
    ):
        with pytest.raises(ParameterError, match=message):
            pfer_bound(q, p, threshold, **how)  # type: ignore[arg-type]
    for rule in (0.0, -1.0, math.nan, math.inf):
        refused(pfer_size, ((0.9, 50, rule), {}, ParameterError, "max_false"))
    for n in (2, 0):
        case = ((np.ones((2, 2, 3)),), {"n_thresholds": n}, ParameterError, "n_thresholds")
        refused(integrated_path, case)
    refused(
        integrated_path,
        ((np.zeros((1, 2, 3)),), {}, DataError, "at least 2 pairs"),
        ((np.zeros((4, 3)),), {}, DataError, "n_pairs, 2, n_features"),
        ((np.full((3, 2, 2), np.nan),), {}, DataError, "missing or infinite"),
        (([[[1.0, 2.0], [3.0, np.inf]]] * 2,), {}, DataError, "missing or infinite"),
    )
    for of_scores, more in ((step_down_max_t, ()), (comparable_evidence, ([0, 0],))):
        refused(
            of_scores,
            (([1.0, 2.0], [[1.0]], *more), {}, DataError, "one column per feature"),
            (([1.0, 2.0], [1.0, 2.0], *more), {}, DataError, r"the shape \(2,\)"),
            ((1.0, [[1.0]], *more), {}, DataError, "one score for each feature"),
            (
                ([1.0, 2.0], [[1.0, np.nan], [1.0, 2.0]], *more),
                {},
                DataError,
                "missing or infinite",
            ),
            (([1.0, -np.inf], [[1.0, 2.0]], *more), {}, DataError, "missing or infinite"),
        )
    for kinds in ([0], [0, math.nan], 0, [0, "x"]):
        case = (([1.0, 2.0], [[1.0, 2.0]], kinds), {}, DataError, "kinds must")
        refused(comparable_evidence, case)


# -- halves ---------------------------------------------------------------------------------------
def test_a_tie_across_the_cut_selects_none_of_the_tied_in_any_order_of_columns() -> None:
    scores = [[5, 0, 0, 0, 0], [0, 1, 1, 1, 9], [4, 4, 4, 4, 4], [1, 2, 3, np.nan, np.nan]]
    np.testing.assert_array_equal(selection_frequency(scores, 2), [0.25, 0.25, 0.25, 0.0, 0.25])
    # Every feature with a score is among the best p.
    np.testing.assert_array_equal(selection_frequency([[1, 2], [np.nan, 2]], 2), [0.5, 1.0])
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 4, (30, 12)).astype(float)
    order = rng.permutation(12)
    mixed = selection_frequency(scores[:, order], 4)
    np.testing.assert_array_equal(selection_frequency(scores, 4)[order], mixed)


# -- integrated paths -----------------------------------------------------------------------------
def test_values_of_a_path_and_their_scale() -> None:
    rng = np.random.default_rng(1)
    scores = rng.exponential(1.0, (20, 2, 15))
    scores[:, :, :3] += 4.0
    found = integrated_path(scores, function="h2")
    ratio = np.minimum(found.integral / np.maximum(found.scores, 1e-300), 15)
    np.testing.assert_allclose(found.expected_false, ratio, atol=1e-8)
    assert found.integral <= 0.05
    assert set(np.argsort(found.expected_false)[:3].tolist()) == {0, 1, 2}
    rng = np.random.default_rng(2)
    scores = rng.exponential(1.0, (20, 2, 15)) + np.r_[np.full(3, 5.0), np.zeros(12)]
    small, large = (integrated_path(scores * unit).expected_false for unit in (1e3, 1e5))
    np.testing.assert_allclose(small, large, rtol=1e-3)
    # Of scores below 0 the lowest is 0.
    whole = rng.integers(0, 50, (20, 2, 15)) + np.r_[np.full(3, 200.0), np.zeros(12)]
    whole[0, 0, 5] = 0.0
    below, above = (integrated_path(each).expected_false for each in (whole - 512.0, whole))
    assert above[:3].max() < 1.0
    np.testing.assert_array_equal(below, above)
    # Scores that never differ select nothing.
    found = integrated_path(np.zeros((5, 2, 4)))
    np.testing.assert_array_equal(found.expected_false, 4.0)
    np.testing.assert_array_equal(found.q_values, 1.0)


def test_the_bound_is_a_moment_of_a_mean_of_indicators() -> None:
    p, n_pairs, q = 12, 7, np.array([0.5, 3.0, 6.0])
    for power in (1, 2, 3):
        for found, chance in zip(_bound(q, p, n_pairs, power), (q / p) ** 2, strict=True):
            moment = binom.expect(lambda k, m=power: (k / n_pairs) ** m, (n_pairs, chance))
            assert found == pytest.approx(p * moment, rel=1e-12)


@pytest.mark.parametrize("delta", [0.0, 0.5, 1.0, 1.5])
def test_steps_of_a_path_have_the_measure_of_their_density(delta: float) -> None:
    thresholds = np.logspace(2, -2, 2001)
    area = np.log if delta == 1.0 else (lambda x: x ** (1.0 - delta))
    expected = np.diff(area(thresholds)) / (area(thresholds[-1]) - area(thresholds[0]))
    # A step is taken by the density at its lower end.
    np.testing.assert_allclose(_measure(thresholds, delta), expected, rtol=0.01)
    assert integrated_path(np.ones((2, 2, 3)), n_thresholds=3).expected_false.tolist() == [3.0] * 3


def test_q_values_share_with_ties_and_never_fall_along_the_order() -> None:
    expected = np.array([0.3, 0.1, 0.3, 5.0])
    np.testing.assert_allclose(q_values(expected), [0.1, 0.1, 0.1, 1.0])

"""Nogueira's estimator, its variance, interval and tests."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from refusals import refused
from scipy.stats import t as student
from stability_cases import value

from pyfsagg._base.fields import from_parts
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.stability_measures import NogueiraResult, nogueira
from pyfsagg.stability_measures.measure import measure_stability

Bools = NDArray[np.bool_]


def draw(rng: np.random.Generator, m: int, chance: NDArray[np.float64]) -> Bools:
    return rng.random((m, len(chance))) < chance


def slow_estimate(rows: Bools) -> float:
    m, p = rows.shape
    variances = [np.var(rows[:, j].astype(float), ddof=1) for j in range(p)]
    k = rows.sum() / m
    return float(1 - np.mean(variances) / (k / p * (1 - k / p)))


def slow_variance(rows: Bools) -> float:
    """Infinitesimal jackknife: numerical derivatives of the functional in the row weights."""
    m, p = rows.shape
    member = rows.astype(float)
    # The functional whose value is the estimate: the unbiased variance is m/(m-1) times the plain.
    scale = m / (m - 1)

    def functional(weights: NDArray[np.float64]) -> float:
        weights = weights / weights.sum()
        frequency = weights @ member
        k = frequency.sum()
        return float(1 - scale * (frequency * (1 - frequency)).mean() / (k / p * (1 - k / p)))

    step = 1e-5
    base = np.full(m, 1 / m)
    slopes = []
    for i in range(m):
        toward = -base
        toward[i] += 1
        slopes.append((functional(base + step * toward) - functional(base - step * toward)) / step)
    return float(np.sum((np.array(slopes) / 2) ** 2) / m**2)


def paper_variance(rows: Bools) -> float:
    """The printed formula, term by term."""
    m, d = rows.shape
    frequency = [sum(int(z) for z in rows[:, f]) / m for f in range(d)]
    k_bar = sum(frequency)
    estimate = slow_estimate(rows)
    phis = []
    for row in rows:
        k = int(row.sum())
        first = sum(f for f, z in zip(frequency, row, strict=True) if z) / d
        bracket = 2 * k_bar * k / d**2 - k / d - k_bar / d + 1
        phis.append(
            (first - k * k_bar / d**2 + estimate / 2 * bracket) / (k_bar / d * (1 - k_bar / d))
        )
    mean = sum(phis) / m
    return 4 / m**2 * sum((phi - mean) ** 2 for phi in phis)


@pytest.mark.parametrize("seed", range(5))
def test_estimate_and_variance_against_slow_forms(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = draw(rng, 40, rng.uniform(0.05, 0.95, 15))
    found = nogueira(rows)
    assert found.estimate == pytest.approx(slow_estimate(rows), abs=1e-12)
    assert found.estimate == pytest.approx(value(rows, "nogueira"), abs=1e-12)
    assert found.asymptotic_variance == pytest.approx(paper_variance(rows), rel=1e-10)
    # The functional carries the factor m/(m-1), the formula does not: they differ by O(1/m).
    assert found.asymptotic_variance == pytest.approx(slow_variance(rows), rel=4 / 40)
    large = np.tile(rows, (50, 1))
    assert nogueira(large).asymptotic_variance == pytest.approx(slow_variance(large), rel=4 / 2000)


@pytest.mark.parametrize("seed", range(5))
def test_the_variance_is_that_of_the_jackknife_but_at_least_that_of_the_frequencies(seed):
    rng = np.random.default_rng(seed)
    rows = draw(rng, 7, rng.uniform(0.05, 0.95, 15))
    m, p = rows.shape
    found = nogueira(rows)
    without = np.array([slow_estimate(np.delete(rows, i, axis=0)) for i in range(m)])
    assert found.leave_one_out == pytest.approx(without.tolist(), abs=1e-12)
    jackknife = (m - 1) / m * ((without - without.mean()) ** 2).sum()
    chance = (rows.sum(axis=0) + rows.mean()) / (m + 1)
    spread = chance * (1 - chance)
    centre = (spread * chance).sum() / spread.sum()
    least = 4 / m * (spread * (chance - centre) ** 2).sum() + 2 / (m * (m - 1)) * (spread**2).sum()
    least /= (p * rows.mean() * (1 - rows.mean())) ** 2
    assert found.variance == pytest.approx(max(jackknife, least), rel=1e-12)
    half = student.ppf(0.975, m - 1) * math.sqrt(found.variance)
    limits = (max(found.estimate - half, -1 / (m - 1)), min(found.estimate + half, 1.0))
    assert found.interval == pytest.approx(limits)


def test_statistics_of_the_tests() -> None:
    rng = np.random.default_rng(13)
    a = nogueira(draw(rng, 30, np.linspace(0.1, 0.9, 10)))
    b = nogueira(draw(rng, 50, np.linspace(0.3, 0.7, 10)))
    one = a.test(0.1)
    assert one.statistic == pytest.approx((a.estimate - 0.1) / math.sqrt(a.variance))
    assert one.p_value == pytest.approx(2 * student.sf(abs(one.statistic), 29))
    two = a.compare(b, "greater")
    error = math.sqrt(a.variance + b.variance)
    assert two.statistic == pytest.approx((a.estimate - b.estimate) / error)
    freedom = (a.variance + b.variance) ** 2 / (a.variance**2 / 29 + b.variance**2 / 49)
    assert two.p_value == pytest.approx(student.sf(two.statistic, freedom))
    assert a.compare(b, "less").p_value == pytest.approx(1 - two.p_value)


def test_identical_subsets_are_not_certain() -> None:
    rows = np.zeros((5, 6), dtype=bool)
    rows[:, :2] = True
    found = nogueira(rows)
    assert (found.estimate, found.asymptotic_variance, found.interval[1]) == (1.0, 0.0, 1.0)
    assert found.interval[0] < 0.7
    assert found.test(1.0).p_value == 1.0
    assert 0.001 < found.test(0.5).p_value < 0.1


def test_two_subsets_have_no_inference() -> None:
    found = nogueira([{"a", "b"}, {"a", "c"}], n_features=10)
    assert found.interval is None
    assert "no interval" in repr(found)
    for test in (found.test(0.0), found.compare(found), found.compare(found, paired=True)):
        assert test.p_value is test.statistic is test.standard_error is None
        assert "at least 3 subsets" in test.note
    assert from_parts(NogueiraResult, json.loads(found.to_json())).to_json() == found.to_json()
    assert found.to_frame()["lower"].isna().all()


def test_paired_comparison_leaves_out_the_same_resample_in_both() -> None:
    rng = np.random.default_rng(14)
    rows = draw(rng, 20, np.linspace(0.1, 0.9, 12))
    other = rows ^ (rng.random(rows.shape) < 0.05)
    a, b = nogueira(rows), nogueira(other)
    without = [[slow_estimate(np.delete(x, i, axis=0)) for i in range(20)] for x in (rows, other)]
    gaps = np.subtract(*without)
    error = math.sqrt(19 / 20 * ((gaps - gaps.mean()) ** 2).sum())
    found = a.compare(b, paired=True)
    assert found.standard_error == pytest.approx(error)
    assert found.p_value == pytest.approx(2 * student.sf(abs(a.estimate - b.estimate) / error, 19))
    independent = a.compare(b).standard_error
    assert error < independent
    same = a.compare(a, paired=True)
    assert same.p_value is None
    assert "differences that vary" in same.note
    with pytest.raises(DataError, match="paired=False"):
        a.compare(nogueira(rows[:10]), paired=True)


def test_forms_of_input_and_output() -> None:
    sets = [{"a", "b"}, {"a"}, {"b", "c"}]
    found = nogueira(sets, n_features=5)
    assert (found.n_resamples, found.n_features) == (3, 5)
    wide = pd.DataFrame({"a": [1, 1, 0], "b": [1, 0, 1], "c": [0, 0, 1], "d": 0, "e": 0})
    assert nogueira(wide).estimate == pytest.approx(float(found))
    assert nogueira(wide).variance == pytest.approx(found.variance)
    scores = np.random.default_rng(0).normal(size=(6, 8))
    by_scores = nogueira(scores, n_features_to_select=3).estimate
    assert by_scores == pytest.approx(value(scores, "nogueira", n_features_to_select=3))
    with pytest.raises(DataError, match="use 'jackknife'"):
        measure_stability(sets, "nogueira", n_features=5, interval="analytic")
    many = np.random.default_rng(0).random((40, 8)) < 0.4
    analytic = measure_stability(many, "nogueira", interval="analytic")
    assert analytic.standard_error == pytest.approx(math.sqrt(nogueira(many).asymptotic_variance))
    assert analytic.interval_method == "analytic"
    frame = found.to_frame()
    assert frame["standard_error"].iloc[0] == pytest.approx(math.sqrt(found.variance))
    assert '"n_features": 5' in found.to_json()


def test_bad_input_is_refused() -> None:
    three = np.eye(3, dtype=bool)
    refused(
        nogueira,
        ((np.zeros((3, 4), dtype=bool),), {}, DataError, "undefined"),
        ((np.ones((3, 4), dtype=bool),), {}, DataError, "undefined"),
        ((three[:1],), {}, DataError, "at least 2"),
        (([{"a"}, {"b"}],), {}, ParameterError, "pass n_features"),
        *(
            ((three,), {"confidence_level": level}, ParameterError, "level")
            for level in (0.0, 1.0, 95)
        ),
    )
    found = nogueira(three)
    refused(
        found.test,
        ((1.5,), {}, ParameterError, "value"),
        ((0.5, "above"), {}, ParameterError, "alternative"),
    )
    refused(found.compare, ((0.5,), {}, InputTypeError, "NogueiraResult"))

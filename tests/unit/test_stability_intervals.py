"""Bootstrap and jackknife: the reweighted statistics against plain recomputation, and coverage."""

import itertools

import numpy as np
import pytest
from refusals import refused
from scipy.stats import t as student
from stability_cases import near

from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.extending import STABILITY_MEASURES, PairwiseAverage
from pyfsagg.ranks import rank_scores
from pyfsagg.stability_measures._base import BoundStatistic
from pyfsagg.stability_measures._input import SelectedSets
from pyfsagg.stability_measures.measure import bind, measure_stability

NAMES = [spec.name for spec in STABILITY_MEASURES]


def bound(name: str, scores: np.ndarray) -> BoundStatistic:
    """The measure; ties that it takes by formula are random, and row 3 of the fixture has some."""
    spec = STABILITY_MEASURES.get(name)
    options = {"n_random": 50} if name.startswith("intersection_") else {}
    similarity = near(scores.shape[1], 20) if "similarity" in spec.needs else None
    how = {"n_features_to_select": 0.4, "similarity": similarity, "input": "scores", "seed": 0}
    ties = "first" if spec.needs_strict else "random"
    return bind(spec, scores, options, ties=ties, **how).statistic


@pytest.fixture
def scores() -> np.ndarray:
    rng = np.random.default_rng(4)
    found = rng.normal(size=(8, 10)) + np.linspace(0, 2, 10)
    found[3] = 1.0
    return found


@pytest.mark.parametrize("name", NAMES)
def test_leave_one_out_and_unit_weights(name: str, scores: np.ndarray) -> None:
    statistic = bound(name, scores)
    plain = [bound(name, np.delete(scores, i, axis=0)).estimate().value for i in range(8)]
    assert statistic.leave_one_out() == pytest.approx(plain, abs=1e-10)
    found = statistic.reweighted(np.ones((1, 8)))[0]
    assert found == pytest.approx(statistic.estimate().value, abs=1e-10)


WEIGHTS = np.array([3.0, 0, 1, 1, 0, 2, 1, 0])


@pytest.mark.parametrize("name", ["pearson", "canberra", "jaccard", "kappa"])
def test_bootstrap_leaves_out_pairs_of_copies(name: str, scores: np.ndarray) -> None:
    statistic = bound(name, scores)
    assert isinstance(statistic, PairwiseAverage)
    cells = statistic.block(slice(0, 8), slice(0, 8))
    rows = np.repeat(np.arange(8), WEIGHTS.astype(int))
    pairs = [cells[a, b] for a, b in itertools.combinations(rows, 2) if a != b]
    assert statistic.reweighted(WEIGHTS[None])[0] == pytest.approx(np.nanmean(pairs), abs=1e-12)


@pytest.mark.parametrize("name", ["nogueira", "davis", "novovicova", "somol", "asd", "sechidis"])
def test_bootstrap_of_whole_samples_counts_copies(name: str, scores: np.ndarray) -> None:
    repeated = np.repeat(scores, WEIGHTS.astype(int), axis=0)
    found = bound(name, scores).reweighted(WEIGHTS[None])[0]
    assert found == pytest.approx(bound(name, repeated).estimate().value, abs=1e-10)


def test_the_three_standard_errors_of_nogueira_agree() -> None:
    rng = np.random.default_rng(5)
    support = rng.random((300, 12)) < np.linspace(0.05, 0.95, 12)
    errors = {
        method: measure_stability(support, "nogueira", interval=method, n_boot=4000).standard_error
        for method in ("analytic", "bootstrap", "jackknife")
    }
    assert errors["jackknife"] == pytest.approx(errors["analytic"], rel=0.03)
    # The error of a bootstrap standard error is about 1 / sqrt(2 * 4000) = 1.1 %.
    assert errors["bootstrap"] == pytest.approx(errors["analytic"], rel=0.08)


def test_the_seed_repeats_an_interval() -> None:
    support = np.random.default_rng(7).random((20, 9)) < 0.5
    how = {"interval": "bootstrap", "n_boot": 200}
    first, again, other = (
        measure_stability(support, "dice", random_state=seed, **how).interval for seed in (1, 1, 2)
    )
    assert first == again != other


def test_intervals_that_cannot_be_had_are_refused() -> None:
    support = np.random.default_rng(8).random((6, 9)) < 0.5
    rare = np.zeros((40, 5), dtype=bool)
    rare[:2, 0] = True
    boot = {"interval": "bootstrap"}
    refused(
        measure_stability,
        ((support, "dice"), {"interval": "analytic"}, ParameterError, "only for 'nogueira'"),
        ((support, "dice"), {"interval": "exact"}, ParameterError, "interval"),
        ((support, "dice"), boot | {"n_boot": 1}, ParameterError, "n_boot"),
        ((support, "dice"), boot | {"confidence_level": 1.0}, ParameterError, "level"),
        ((support[:2], "dice"), {"interval": "jackknife"}, DataError, "at least 3 resamples"),
        ((rare[:4], "ochiai"), {"interval": "jackknife"}, DataError, "jackknife"),
        ((rare, "ochiai"), boot | {"random_state": 0}, DataError, "bootstrap samples"),
    )


def test_imputed_pairs_enter_the_intervals() -> None:
    support = np.random.default_rng(9).random((30, 9)) < 0.5
    support[:, 0] = True
    support[:5] = False
    found = measure_stability(support, "ochiai", undefined=0.0, interval="jackknife")
    plain = measure_stability(support, "ochiai", interval="jackknife")
    assert found.n_undefined == plain.n_undefined == 5 * 25 + 10
    assert found.value == pytest.approx(plain.value * plain.n_pairs / 435)
    assert found.interval[0] < found.value < found.interval[1]


def test_selection_and_ranks_bind_directly() -> None:
    support = np.eye(4, dtype=bool)
    statistic = STABILITY_MEASURES.get("jaccard").bind(SelectedSets(support, 4, ()))
    assert statistic.estimate().value == 0.0
    ranks = rank_scores(np.arange(8.0).reshape(2, 4), higher_is_better=False)
    assert STABILITY_MEASURES.get("spearman").bind(ranks).estimate().value == pytest.approx(1.0)


@pytest.mark.parametrize("method", ["jackknife", "bootstrap"])
def test_intervals_are_student_s(method: str) -> None:
    scores = np.random.default_rng(2).normal(size=(12, 9))
    how = {"interval": method, "confidence_level": 0.9, "random_state": 0}
    found = measure_stability(scores, "spearman", **how)
    half = student.ppf(0.95, 11) * found.standard_error
    assert found.interval == pytest.approx((found.value - half, found.value + half), rel=1e-12)


def test_resamples_that_agree_have_a_wide_interval_or_none() -> None:
    same = np.tile(np.arange(9.0), (6, 1))
    names, methods = ("nogueira", "jaccard", "phi", "somol"), ("jackknife", "bootstrap")
    for name, method in itertools.product(names, methods):
        found = measure_stability(same, name, interval=method, input="scores", random_state=0)
        assert found.value == pytest.approx(1.0)
        assert found.interval[0] < 0.9
    with pytest.raises(DataError, match="give no interval"):
        measure_stability(same, "spearman", interval="jackknife", input="scores")


def test_the_bootstrap_error_of_two_samples_is_their_distance() -> None:
    scores = np.random.default_rng(2).normal(size=(12, 9))
    how = {"interval": "bootstrap", "n_boot": 2, "confidence_level": 0.5, "random_state": 3}
    found = measure_stability(scores, "spearman", **how)
    weights = np.random.default_rng(3).multinomial(12, np.full(12, 1 / 12), size=2)
    one, other = bound("spearman", scores).reweighted(weights.astype(float))
    expected = abs(one - other) / np.sqrt(2) * np.sqrt(12 / 11)
    assert found.standard_error == pytest.approx(expected, rel=1e-12)

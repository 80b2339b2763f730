"""Whether m resamples are enough: Monte Carlo errors against what repetitions really do."""

import json

import numpy as np
import pandas as pd
import pytest
from refusals import refused
from scipy.stats import binom

import pyfsagg
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.stability_measures import adequacy

SIGNAL = np.array([3.0, 2.2, 2.0, 1.0, 0.5, 0.0])


def draw(rng: np.random.Generator, m: int = 80) -> np.ndarray:
    return SIGNAL + 1.5 * rng.normal(size=(m, len(SIGNAL)))


def test_standard_errors_of_the_mean_are_the_textbook_ones() -> None:
    scores = draw(np.random.default_rng(1), 200)
    found = adequacy(scores, n_boot=4000, random_state=0).features
    textbook = scores.std(axis=0, ddof=1) / np.sqrt(200)
    # The error of a bootstrap standard error is about 1 / sqrt(2 * 4000) = 1.1 %.
    assert found["score_se"].to_numpy() == pytest.approx(textbook, rel=0.07)
    assert found["score"].to_numpy() == pytest.approx(scores.mean(axis=0))


def test_a_callable_aggregator_gives_the_same_as_the_mean() -> None:
    scores = draw(np.random.default_rng(3))
    fast = adequacy(scores, n_boot=50, random_state=0)
    mean = lambda values: values.mean(axis=0)  # noqa: E731
    slow = adequacy(scores, n_boot=50, aggregator=mean, random_state=0)
    pd.testing.assert_frame_equal(fast.features, slow.features)
    assert fast.summary() == pytest.approx(slow.summary())
    median = adequacy(scores, n_boot=50, aggregator=lambda values: np.median(values, axis=0))
    assert median.features["score"].to_numpy() == pytest.approx(np.median(scores, axis=0))


def test_more_resamples_move_less() -> None:
    scores = draw(np.random.default_rng(4), 1600)
    curve = adequacy(scores, sizes="auto", n_features_to_select=3, random_state=0).curve
    assert curve["n_resamples"].tolist() == [25, 50, 100, 200, 400, 800, 1600]
    first, last = curve.iloc[0], curve.iloc[-1]
    # A factor of 64 in m is one of 8 in the error.
    assert last["relative_error"] == pytest.approx(first["relative_error"] / 8, rel=0.4)
    assert last["expected_rank_move"] < first["expected_rank_move"] / 2
    assert last["expected_kendall"] > first["expected_kendall"]
    assert adequacy(scores, sizes=[10, 20]).curve["n_resamples"].tolist() == [10, 20]


def test_stopping_rule() -> None:
    scores = draw(np.random.default_rng(5), 800)
    found = adequacy(scores[:10], n_features_to_select=3, random_state=0)
    late = adequacy(scores, n_features_to_select=3, random_state=0)
    assert not found.enough()
    assert late.enough()
    assert "top 3 changes with probability" in repr(found)
    assert found.to_frame() is found.features
    saved = json.loads(found.to_json())
    assert saved["summary"]["n_features_to_select"] == 3
    assert [row["feature"] for row in saved["features"]] == [f"x{j}" for j in range(6)]
    assert not late.enough(max_rank_move=0.0)
    assert not late.enough(max_relative_error=1e-6)
    assert late.enough(max_rank_move=3.0, max_relative_error=1.0)
    with pytest.raises(ParameterError, match="max_change"):
        late.enough(0.0)


def test_degenerate_score_matrices_have_an_answer() -> None:
    same = adequacy(np.ones((5, 4)), n_features_to_select=2)
    assert same.probability_top_changes == 0.0
    assert same.expected_kendall == 1.0
    assert same.relative_error == np.inf
    whole = adequacy(draw(np.random.default_rng(6)), n_features_to_select=1.0)
    assert whole.probability_top_changes == 0.0
    single = adequacy(np.array([[1.0], [2.0]]), n_features_to_select=1)
    assert single.expected_top_overlap == 1.0


def test_aggregators_sizes_and_resamples_that_adequacy_refuses() -> None:
    scores = draw(np.random.default_rng(3))
    refused(
        adequacy,
        ((scores,), {"aggregator": lambda values: values[0, :2]}, DataError, "6 finite numbers"),
        ((scores,), {"aggregator": "mean"}, InputTypeError, "callable"),
        ((scores,), {"sizes": [81]}, ParameterError, "sizes"),
        ((np.ones((1, 4)),), {}, DataError, "at least 2"),
        ((np.ones((3, 4)),), {"n_boot": 3}, ParameterError, "n_boot"),
        ((scores[:3],), {"by": "halves"}, DataError, "draw at least 4"),
        ((scores,), {"by": "thirds"}, ParameterError, "by must be"),
    )


def test_two_equal_features_swap_half_of_the_time() -> None:
    scores = np.random.default_rng(7).normal(size=(4000, 2))
    scores[:, 1] -= scores[:, 1].mean() - scores[:, 0].mean()
    found = adequacy(scores, n_features_to_select=1, n_boot=2000, random_state=0)
    low, high = binom.ppf([1e-6, 1 - 1e-6], 1000, 0.5)
    assert low <= 1000 * found.probability_top_changes <= high


# --- the aggregator of a result, and those that one resample can decide ----------------------
@pytest.mark.parametrize("aggregator", ["arithmetic_mean", "median", "minimum", "mean_rank"])
def test_adequacy_of_a_result_is_that_of_its_aggregator(aggregator: str) -> None:
    data, how = pyfsagg.load_dataset("ionosphere"), {"n_resamples": 60, "random_state": 0}
    checks = pyfsagg.Checks(pairs=0)
    result = pyfsagg.wam(data.X, data.y, filter="cs", aggregator=aggregator, checks=checks, **how)
    found = adequacy(result, n_boot=20, random_state=0)
    np.testing.assert_allclose(found.features["score"], result.scores)
    np.testing.assert_array_equal(found.features["rank"], result.ranking)
    assert found.n_compared == (30 if aggregator == "minimum" else 60)


def test_halves_are_disjoint_runs_of_half_the_size() -> None:
    seen: list[set[int]] = []

    def watch(values: np.ndarray) -> np.ndarray:
        seen.append(set(values[:, 0].astype(int)))
        return values.mean(axis=0)

    matrix = np.arange(9.0)[:, np.newaxis] + np.zeros((9, 3))
    found = adequacy(matrix, aggregator=watch, by="halves", n_boot=10, random_state=0)
    repeated = seen[1:]
    for first, second in zip(repeated[:5], repeated[5:], strict=True):
        assert first.isdisjoint(second)
        assert len(first) == len(second) == 4
    assert found.n_compared == 4


def test_precision_of_an_extreme_compares_halves() -> None:
    data = pyfsagg.load_dataset("wine")
    result = pyfsagg.wam(
        data.X, data.y, filter="cs", aggregator="maximum", random_state=0,
        n_resamples=pyfsagg.ensemble.Precision(max_change=0.9, maximum=100),
    )  # fmt: skip
    assert result.parameters["precision"]["n_compared"] == 50
    mean = pyfsagg.wam(data.X, data.y, filter="cs", random_state=0, n_resamples="auto")
    assert mean.parameters["precision"]["n_compared"] == mean.n_resamples

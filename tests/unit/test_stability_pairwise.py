"""Score and rank measures against plain loops over pairs, and the five measures of the thesis."""

import itertools
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from refusals import refused
from scipy.stats import kendalltau, rankdata, weightedtau
from stability_cases import value

from pyfsagg import stability
from pyfsagg.exceptions import (
    DataError,
    InputTypeError,
    ParameterError,
    PyfsaggWarning,
    UnknownNameError,
)
from pyfsagg.extending import STABILITY_MEASURES, PairwiseAverage
from pyfsagg.ranks import rank_scores
from pyfsagg.stability_measures._input import SelectedSets
from pyfsagg.stability_measures.measure import measure_stability
from pyfsagg.stability_measures.pairwise import thesis_measures

Floats = NDArray[np.float64]
SCORE_AND_RANK = [spec.name for spec in STABILITY_MEASURES if spec.kind != "sets"]
PAIRWISE = [name for name in SCORE_AND_RANK if name != "asd"]


def scores_without_ties(m: int = 9, p: int = 14) -> Floats:
    return np.random.default_rng(1).normal(size=(m, p)) + np.linspace(0, 2, p)


def scores_with_ties(m: int = 9, p: int = 14) -> Floats:
    return np.round(scores_without_ties(m, p), 1)


def pair_mean(rows: Floats, similarity: Callable[[Floats, Floats], float]) -> float:
    return float(np.mean([similarity(a, b) for a, b in itertools.combinations(rows, 2)]))


def slow_pearson(a: Floats, b: Floats) -> float:
    return float(np.corrcoef(a, b)[0, 1])


def slow_canberra(a: Floats, b: Floats) -> float:
    a, b = rankdata(a), rankdata(b)
    return float((np.abs(a - b) / (a + b)).mean())


def savage(row: Floats) -> Floats:
    """Mean over a tie group of sum_{i >= rank} 1/i, rank 1 for the largest."""
    p = len(row)
    plain = np.array([sum(1 / i for i in range(r, p + 1)) for r in range(1, p + 1)])
    ordered = np.sort(row)[::-1]
    return np.array([plain[ordered == value].mean() for value in row])


def slow_weighted_tau(a: Floats, b: Floats) -> float:
    p = len(a)
    found = []
    for weight in (1 / rankdata(-a), 1 / rankdata(-b)):
        cross = norm_a = norm_b = 0.0
        for j, k in itertools.combinations(range(p), 2):
            w = weight[j] + weight[k]
            s, t = np.sign(a[j] - a[k]), np.sign(b[j] - b[k])
            cross, norm_a, norm_b = cross + w * s * t, norm_a + w * s * s, norm_b + w * t * t
        found.append(cross / np.sqrt(norm_a * norm_b))
    return float(np.mean(found))


def slow_rbo(a: Floats, b: Floats, q: float = 0.9) -> float:
    p = len(a)
    left, right = np.argsort(-a, kind="stable"), np.argsort(-b, kind="stable")
    overlap = [len(set(left[:d]) & set(right[:d])) for d in range(1, p + 1)]
    series = sum(overlap[d - 1] / d * q**d for d in range(1, p + 1))
    return overlap[-1] / p * q**p + (1 - q) / q * series


SLOW: dict[str, Callable[[Floats, Floats], float]] = {
    "pearson": slow_pearson,
    "spearman": lambda a, b: slow_pearson(rankdata(a), rankdata(b)),
    "kendall": lambda a, b: float(kendalltau(a, b).statistic),
    "canberra": slow_canberra,
    "top_down": lambda a, b: slow_pearson(savage(a), savage(b)),
    "weighted_kendall": slow_weighted_tau,
    "rank_biased_overlap": slow_rbo,
}


@pytest.mark.parametrize("name", PAIRWISE)
@pytest.mark.parametrize("make", [scores_with_ties, scores_without_ties])
def test_average_over_pairs_matches_a_plain_loop(name: str, make: Callable[[], Floats]) -> None:
    scores = make()
    ties = "first" if name == "rank_biased_overlap" else "random"
    found = measure_stability(scores, name, ties=ties)
    assert found.value == pytest.approx(pair_mean(scores, SLOW[name]), abs=1e-12)
    assert (found.n_pairs, found.n_undefined, found.kind) == (36, 0, "scores")
    # The blocks have the mean of the shortcut.
    spec = STABILITY_MEASURES.get(name)
    ranks = rank_scores(scores, higher_is_better=False)
    statistic = spec.bind(scores if spec.kind == "scores" else ranks)
    assert isinstance(statistic, PairwiseAverage)
    plain = PairwiseAverage(statistic.n_rows, statistic.block).estimate()
    assert plain.value == pytest.approx(statistic.estimate().value, abs=1e-12)


@pytest.mark.parametrize("measure", ["kendall", "weighted_kendall", "canberra", "rbo"])
def test_cells_by_stripes_are_those_of_the_whole(
    measure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two stripes a loop can be interrupted."""
    rankings = np.random.default_rng(0).permuted(np.tile(np.arange(1.0, 9.0), (7, 1)), axis=1)
    how = {"interval": "jackknife", "input": "ranks"}
    whole = stability(rankings, measure, **how)
    monkeypatch.setattr("pyfsagg.stability_measures._base.AT_ONCE", 120)
    parts = stability(rankings, measure, **how)
    assert (parts.value, parts.interval) == (whole.value, whole.interval)


def test_weighted_kendall_without_ties_is_the_one_of_scipy() -> None:
    scores = scores_without_ties()
    slow = pair_mean(scores, lambda a, b: float(weightedtau(a, b, rank=True).statistic))
    assert value(scores, "weighted_kendall") == pytest.approx(slow, abs=1e-12)


def test_kendall_has_one_value_on_both_sides_of_the_cost_rule() -> None:
    scores = np.random.default_rng(2).normal(size=(2, 700)) + np.linspace(0, 1, 700)
    slow = float(kendalltau(*scores).statistic)
    assert value(scores, "kendall") == pytest.approx(slow, abs=1e-12)
    assert measure_stability(np.tile(scores, (20, 1)), "kendall").n_pairs == 780


def test_asd_is_the_mean_deviation_of_row_z_scores() -> None:
    scores = scores_with_ties()
    z = (scores - scores.mean(1, keepdims=True)) / scores.std(1, ddof=1, keepdims=True)
    found = measure_stability(scores, "asd")
    assert found.value == pytest.approx(z.std(axis=0, ddof=1).mean(), abs=1e-12)
    assert (found.higher_is_better, found.unit) == (False, "rows")


def test_canberra_directions_and_location() -> None:
    scores = scores_without_ties()
    down = {"direction": "descending"}
    assert value(scores, "canberra", **down) == pytest.approx(pair_mean(-scores, slow_canberra))
    cut = [np.minimum(rankdata(-row), 4) for row in scores]
    slow = np.mean([(np.abs(a - b) / (a + b)).mean() for a, b in itertools.combinations(cut, 2)])
    assert value(scores, "canberra", **down, location=3) == pytest.approx(slow)


def test_feature_weights_give_the_weighted_correlation() -> None:
    scores = scores_without_ties()
    weights = np.linspace(0, 3, scores.shape[1])

    def slow(a: Floats, b: Floats) -> float:
        cov = np.cov(a, b, aweights=weights)
        return float(cov[0, 1] / np.sqrt(cov[0, 0] * cov[1, 1]))

    found = value(scores, "pearson", feature_weights=weights)
    assert found == pytest.approx(pair_mean(scores, slow), abs=1e-12)
    scores[0, 1:] = 0.3  # what varies has no weight
    found = measure_stability(scores, "pearson", feature_weights=weights)
    assert found.value == pytest.approx(pair_mean(scores[1:], slow), abs=1e-12)
    assert (found.n_pairs, found.n_undefined) == (28, 8)
    one = {"feature_weights": np.eye(1, scores.shape[1])[0]}
    refused(
        value,
        ((scores, "pearson"), {"feature_weights": weights[:-1]}, ParameterError, "feature_weights"),
        ((scores, "spearman"), one, ParameterError, "two above zero"),
    )


def test_persistence_weighs_the_depths() -> None:
    scores = scores_without_ties()
    slow = pair_mean(scores, lambda a, b: slow_rbo(a, b, 0.5))
    assert value(scores, "rbo", persistence=0.5) == pytest.approx(slow, abs=1e-12)
    for bad in (0.0, 1.0, 1.1):
        with pytest.raises(ParameterError, match="persistence"):
            value(scores, "rbo", persistence=bad)


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall", "top_down"])
def test_constant_rows_leave_undefined_pairs(name: str) -> None:
    scores = scores_with_ties()
    expected = value(scores, name)
    with_constant = np.vstack([scores, np.full((1, scores.shape[1]), 0.1)])
    found = measure_stability(with_constant, name)
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert (found.n_pairs, found.n_undefined) == (36, 9)
    filled = value(with_constant, name, undefined=0.0)
    assert filled == pytest.approx(expected * 36 / 45, abs=1e-12)
    for none in (np.ones((3, 4)), with_constant[-2:]):
        with pytest.raises(DataError, match="undefined"):
            value(none, name, input="scores")


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_correlations_do_not_depend_on_the_scale(scale: float) -> None:
    scores = scores_with_ties()
    for name in ("pearson", "asd"):
        expected = value(scores, name)
        assert value(scores * scale, name) == pytest.approx(expected, abs=1e-12)


def test_ranks_are_read_as_such() -> None:
    scores = scores_without_ties()
    ranks = rank_scores(scores)
    for name in ("canberra", "top_down", "rank_biased_overlap", "jaccard"):
        found = measure_stability(ranks, name)
        assert found.kind == "ranks"
        assert found.value == pytest.approx(value(scores, name), abs=1e-12)
    assert measure_stability(ranks, "jaccard", input="scores").kind == "scores"
    # A measure of scores reads them as the places left below.
    below = value(15.0 - ranks, "asd", input="scores")
    assert value(ranks, "asd", input="ranks") == below
    refused(
        value,
        ((scores, "spearman"), {"input": "ranks"}, DataError, "from 1"),
        ((scores, "spearman"), {"input": "tables"}, ParameterError, "input must be one of"),
    )


def test_pearson_of_selections_is_phi() -> None:
    support = scores_with_ties() > 1
    assert value(support, "pearson") == pytest.approx(value(support, "phi"))
    with pytest.raises(InputTypeError, match="rankings"):
        measure_stability(support, "spearman")


def test_thesis_measures_are_the_single_measures() -> None:
    scores = scores_with_ties(12, 30)
    found = thesis_measures(scores, random_state=3)
    assert list(found) == ["pearson", "spearman", "canberra", "jaccard", "asd"]
    for name in found:
        again = value(scores, name, input="scores", random_state=3)
        assert found[name] == pytest.approx(again, abs=1e-12)
    how = {"n_features_to_select": 4, "ties": "first"}
    other = thesis_measures(pd.DataFrame(scores), **how)
    assert other["jaccard"] == pytest.approx(value(scores, "jaccard", **how))
    # What is omitted is said.
    with pytest.warns(PyfsaggWarning, match=r"1 of 13 resamples .* 12 pairs"):
        without = thesis_measures(np.vstack([scores, np.zeros(30)]))
    for name in ("pearson", "spearman", "asd"):
        assert without[name] == pytest.approx(found[name], abs=1e-12)


@pytest.mark.parametrize("name", SCORE_AND_RANK)
def test_a_single_feature_has_a_stated_answer(name: str) -> None:
    scores = np.array([[0.5], [1.5], [2.5]])
    if name in ("canberra", "rank_biased_overlap"):
        found = measure_stability(scores, name)
        assert found.value == pytest.approx(1.0 if found.higher_is_better else 0.0)
    else:
        with pytest.raises(DataError, match="undefined"):
            value(scores, name)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.ones((1, 4)), "at least 2"),
        (np.ones((4, 0)), "at least one list and one item"),
        (np.ones(4), "two dimensions"),
        (np.array([[1.0, np.nan], [2.0, 3.0]]), "row 1, column 2"),
        (np.array([[1.0, np.inf], [2.0, 3.0]]), "finite"),
        (np.ones((3, 4)), "undefined"),
    ],
)
def test_bad_score_matrices_are_refused(bad: Floats, message: str) -> None:
    for call in (thesis_measures, lambda scores: value(scores, "pearson", input="scores")):
        with pytest.raises(DataError, match=message):
            call(bad)


def test_bad_parameters_are_refused() -> None:
    scores = scores_with_ties()
    of_words = (pd.DataFrame({"a": ["x", "y"]}), "pearson")
    no_option = "no option 'penalty'; its options: direction"
    size = "n_features_to_select"
    refused(
        value,
        ((scores, "pearsn"), {}, UnknownNameError, "did you mean 'pearson'"),
        ((scores, "canberra"), {"penalty": 1}, ParameterError, no_option),
        ((scores, "canberra"), {"direction": "up"}, ParameterError, "direction"),
        ((scores, "pearson"), {"n_features": 3}, ParameterError, "n_features is 3"),
        ((scores, "pearson"), {"feature_names": ["a"]}, ParameterError, "feature_names"),
        ((scores, "pearson"), {"similarity": np.eye(14)}, ParameterError, "takes no similarity"),
        ((scores, "asd"), {"undefined": 0.0}, ParameterError, "average over pairs"),
        (of_words, {"input": "scores"}, InputTypeError, "must be numbers"),
        ((3, "jaccard"), {}, InputTypeError, "data must be Rankings"),
        *(
            ((scores, "jaccard"), {size: bad}, ParameterError, size)
            for bad in (0, 15, 0.0, 1.5, -0.1, True, "a", np.nan)
        ),
    )


def test_result_renders() -> None:
    found = measure_stability(scores_with_ties(), "canberra", interval="jackknife")
    assert repr(found).startswith("MeasureValue(canberra = 0.")
    assert "95 % jackknife [" in repr(found)
    frame = found.to_frame()
    assert frame.index.tolist() == ["canberra"]
    assert frame["lower"].iloc[0] < float(found) < frame["upper"].iloc[0]
    assert '"measure": "canberra"' in found.to_json()
    assert measure_stability(scores_with_ties(), "canberra").to_frame()["lower"].isna().all()


@pytest.mark.parametrize("measure", ["pearson", "spearman", "kendall"])
def test_rounding_carries_no_correlation_beyond_one(measure: str) -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        row = rng.normal(size=int(rng.integers(2, 12)))
        rows = np.tile(row, (int(rng.integers(2, 9)), 1))
        assert value(rows, measure, input="scores") <= 1.0


@pytest.mark.parametrize("p", [1, 63, 64, 65, 300])
def test_common_members_are_counted_by_bits(p: int) -> None:
    rng = np.random.default_rng(p)
    support = rng.random((9, p)) < 0.4
    spec = STABILITY_MEASURES.get("jaccard")
    cells = spec.bind(SelectedSets(support, p, tuple(range(p)))).block(slice(0, 4), slice(2, 9))
    both = support[:4].astype(float) @ support[2:].T
    either = (support[:4, None] | support[None, 2:]).sum(axis=2)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(cells, both / either)

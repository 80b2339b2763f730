"""Chance levels, curves, the Pareto front, and stability feature by feature."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from refusals import refused
from scipy.stats import hypergeom, rankdata
from stability_cases import near, value
from statsmodels.stats.proportion import proportion_confint

from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.extending import STABILITY_MEASURES
from pyfsagg.ranks import rank_scores
from pyfsagg.ranks.ranking import select_top
from pyfsagg.stability_measures import feature_stability, pareto_front, stability_curve
from pyfsagg.stability_measures.chance import hypergeometric_law, union_law
from pyfsagg.stability_measures.curves import chance_level

SETS = [spec.name for spec in STABILITY_MEASURES if spec.kind == "sets"]
CORRECTABLE = [
    "jaccard", "tanimoto", "dice", "ochiai", "hamming", "davis", "novovicova", "zucknick",
]  # fmt: skip
P, K, M = 12, 4, 5


@pytest.mark.parametrize("name", SETS)
def test_chance_level_is_the_mean_over_random_selections(name: str) -> None:
    rng = np.random.default_rng(1)
    spec = STABILITY_MEASURES.get(name)
    options = {"similarity": near(P, 15)} if "similarity" in spec.needs else {}
    if name == "yu" or name.startswith("intersection_"):
        options["chance_correction"] = "none"
    drawn = [select_top(rng.random((M, P)), K) for _ in range(600)]
    values = [value(each, name, input="sets", **options) for each in drawn]
    level = chance_level(name, K, P, M, **options)
    # Six standard errors; the intersection_* levels have a smaller Monte Carlo error of their own.
    assert level == pytest.approx(np.mean(values), abs=6 * np.std(values) / math.sqrt(600) + 1e-12)


# Somol's measure is 0 for subsets spread as evenly as possible, which random ones are not.
@pytest.mark.parametrize("name", [name for name in SETS if name != "somol"])
def test_chance_level_of_corrected_measures_is_zero(name: str) -> None:
    spec = STABILITY_MEASURES.get(name)
    options = {"similarity": near(P, 15)} if "similarity" in spec.needs else {}
    if name in CORRECTABLE:
        options["chance_correction"] = "exact"
    assert chance_level(name, K, P, M, **options) == pytest.approx(0.0, abs=1e-12)
    assert math.isnan(chance_level(name, P, P, M, **options))


def test_union_of_random_subsets() -> None:
    p, sizes = 5, (2, 0, 3, 1)
    every = [[set(chosen) for chosen in itertools.combinations(range(p), k)] for k in sizes]
    found = [len(set().union(*rows)) for rows in itertools.product(*every)]
    slow = np.bincount(found, minlength=p + 1) / len(found)
    assert union_law(np.array(sizes, dtype=float), p) == pytest.approx(slow, abs=1e-13)
    # The mean is known at any size: each feature is missed with probability (1 - k/p)^m.
    law = union_law(np.full(300, 20.0), 900)
    assert law @ np.arange(901) == pytest.approx(900 * (1 - (1 - 20 / 900) ** 300), rel=1e-11)


def test_chance_level_refuses_what_it_cannot_answer() -> None:
    refused(
        chance_level,
        (("spearman", 2, 5, 10), {}, ParameterError, "works on ranks"),
        (("jaccard", 6, 5, 10), {}, ParameterError, "size"),
        (("yu", 2, 5, 10), {}, ParameterError, "needs similarity"),
        (("yu", 2, 5, 10), {"similarity": np.eye(4)}, DataError, "4 x 4 for 5 features"),
    )


def test_curve_holds_the_stability_of_every_n_selected() -> None:
    scores = np.random.default_rng(2).normal(size=(9, 20)) + np.linspace(0, 3, 20)
    curve = stability_curve(scores, ["jaccard", "nogueira"], [0.1, 5, 1.0])
    assert curve["size"].tolist() == [2, 5, 20] * 2
    jaccard = curve[curve["measure"] == "jaccard"]
    assert jaccard["value"].iloc[1] == value(scores, "jaccard", n_features_to_select=5)
    assert jaccard["chance"].iloc[1] == chance_level("jaccard", 5, 20, 9)
    last = curve[curve["measure"] == "nogueira"].iloc[-1]
    assert not last["defined"]
    assert math.isnan(last["value"])
    assert len(stability_curve(scores)) == 20
    refused(
        stability_curve,
        ((scores, []), {}, ParameterError, "must not be empty"),
        ((scores, ["yu"]), {}, ParameterError, "needs similarity"),
    )


def test_curve_draws_adjusted_measures_too() -> None:
    scores = np.random.default_rng(2).normal(size=(5, 12))
    curve = stability_curve(scores, ["yu"], [3], similarity=near(12, 15))
    assert curve["chance"].tolist() == [0.0]
    alone = value(scores, "yu", n_features_to_select=3, similarity=near(12, 15))
    assert curve["value"].tolist() == [alone]


@pytest.mark.parametrize("seed", range(5))
def test_pareto_front_against_all_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 6, 25) / 5, rng.integers(0, 6, 25) / 5
    for sign in (1, -1):
        points = np.column_stack([sign * x, y])
        slow = [
            not any((other >= one).all() and (other > one).any() for other in points)
            for one in points
        ]
        assert pareto_front(x, y, higher_is_better=sign == 1).tolist() == slow


def test_pareto_front_refuses_bad_points() -> None:
    for x, y in (([], []), ([1.0], [1.0, 2.0]), ([[1.0]], [[1.0]]), ([np.nan], [1.0])):
        with pytest.raises(DataError):
            pareto_front(x, y)


def test_feature_table() -> None:
    scores = np.round(np.random.default_rng(3).normal(size=(30, 6)) + np.arange(6), 0)
    frame = pd.DataFrame(scores, columns=list("abcdef"))
    found = feature_stability(frame, n_features_to_select=2, quantiles=(0.1, 0.9), ties="first")
    support = select_top(scores, 2)
    assert found.index.tolist() == list("abcdef")
    assert found["count"].tolist() == support.sum(axis=0).tolist()
    ranks = frame.rank(axis=1, ascending=False)
    by_pandas = {"rank_mean": ranks.mean(), "rank_median": ranks.median(),
                 "rank_q10": ranks.quantile(0.1)}  # fmt: skip
    for column, expected in by_pandas.items():
        assert found[column].to_numpy() == pytest.approx(expected.to_numpy())
    assert found["probability_in_top"].sum() == pytest.approx(2.0)


def test_limits_of_a_frequency_are_those_of_statsmodels() -> None:
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(40, 9))
    scores[:, 0], scores[:7, 4] = 9.0, np.nan
    table = feature_stability(scores, n_features_to_select=3, confidence_level=0.9)
    count, seen = table["count"].to_numpy(), table["seen"].to_numpy()
    lower, upper = proportion_confint(count, seen, alpha=0.1, method="wilson")
    np.testing.assert_allclose(table["lower"], np.minimum(lower, count / seen), rtol=1e-14)
    np.testing.assert_allclose(table["upper"], np.maximum(upper, count / seen), rtol=1e-14)
    ranks = np.where(np.isnan(scores), np.nan, rank_scores(scores))
    np.testing.assert_array_equal(table["rank_median"], np.nanmedian(ranks, 0))


def test_probability_in_the_top_shares_ties_out() -> None:
    scores = np.array([[2.0, 1.0, 1.0, 1.0, 0.0]] * 3)
    found = feature_stability(scores, n_features_to_select=2, input="scores")
    assert found["probability_in_top"].tolist() == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3, 0])
    assert found["frequency"].tolist() == found["probability_in_top"].tolist()
    first = feature_stability(scores, n_features_to_select=2, input="scores", ties="first")
    assert first["frequency"].tolist() == [1.0, 1.0, 0.0, 0.0, 0.0]
    shuffled = [np.mean([2 in (0, *order[:1]) for order in itertools.permutations((1, 2, 3))])]
    assert found["probability_in_top"].iloc[2] == pytest.approx(shuffled[0])


def test_feature_table_of_selections() -> None:
    found = feature_stability([{"a", "b"}, {"a"}, {"c"}], feature_names=["a", "b", "c", "d"])
    assert found["count"].to_dict() == {"a": 2, "b": 1, "c": 1, "d": 0}
    assert "rank_mean" not in found
    ranks = np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0]])
    assert feature_stability(ranks, n_features_to_select=1)["count"].tolist() == [1, 1, 0]
    for name, bad in {"confidence_level": 1.0, "quantiles": (1.5,), "n_features_to_select": 0,
                      "input": "x"}.items():  # fmt: skip
        with pytest.raises(ParameterError, match=name):
            feature_stability(ranks, **{name: bad})


def slow_seen_stability(scores: np.ndarray, n_features_to_select: int) -> pd.DataFrame:
    """Feature by feature and resample by resample, with the seen features only."""
    p = scores.shape[1]
    ranks: list[list[float]] = [[] for _ in range(p)]
    chosen: list[list[bool]] = [[] for _ in range(p)]
    for row in scores:
        seen = [j for j in range(p) if not np.isnan(row[j])]
        order = sorted(seen, key=lambda j: (-row[j], j))
        k = math.ceil(Fraction(n_features_to_select * len(seen), p))
        for j, rank in zip(seen, rankdata(-row[seen]), strict=True):
            ranks[j].append(rank)
            chosen[j].append(j in order[:k])
    return pd.DataFrame(
        {
            "seen": [len(found) for found in ranks],
            "count": [sum(found) for found in chosen],
            "frequency": [np.mean(found) for found in chosen],
            "rank_median": [np.median(found) for found in ranks],
            "rank_sd": [np.std(found, ddof=1) for found in ranks],
            "rank_q10": [np.quantile(found, 0.1) for found in ranks],
        }
    )


def test_missing_scores_are_resamples_that_did_not_see_the_feature() -> None:
    rng = np.random.default_rng(8)
    scores = rng.integers(0, 6, (30, 7)).astype(float)
    scores[rng.random(scores.shape) < 0.3] = np.nan
    how = {"n_features_to_select": 3, "quantiles": (0.1,), "input": "scores", "ties": "first"}
    found = feature_stability(scores, **how)
    expected = slow_seen_stability(scores, 3)
    for column in expected:
        np.testing.assert_allclose(found[column], expected[column], rtol=1e-12)
    # Over orders of tied features, a resample still selects k features.
    k = [math.ceil(Fraction(3 * int(n), 7)) for n in (~np.isnan(scores)).sum(axis=1)]
    assert (found["probability_in_top"] * found["seen"]).sum() == pytest.approx(sum(k))


def test_a_feature_seen_once_has_no_spread_and_one_never_seen_is_refused() -> None:
    scores = np.array([[3.0, 2.0, 1.0], [1.0, 3.0, np.nan], [2.0, 1.0, np.nan]])
    how = {"n_features_to_select": 1, "input": "scores"}
    found = feature_stability(scores, **how)
    assert found["rank_sd"].isna().tolist() == [False, False, True]
    for hole, message in (
        (np.s_[0, 2], "no list has a score for the item 'x2'"),
        (0, "every score of 'list1' is missing"),
    ):
        scores[hole] = np.nan
        refused(feature_stability, ((scores,), how, DataError, message))


@pytest.mark.parametrize(
    ("left", "right", "p"),
    [(3, 4, 10), (7, 8, 10), (10, 10, 10), (0, 5, 10), (1, 1, 1), (900, 1500, 2000),
     (2000, 2000, 9000)],
)  # fmt: skip
def test_law_of_intersections(left: int, right: int, p: int) -> None:
    shared = np.arange(max(0, left + right - p), min(left, right) + 1)
    expected = hypergeom.pmf(shared, p, left, right)
    found = hypergeometric_law(left, right, p)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-290)

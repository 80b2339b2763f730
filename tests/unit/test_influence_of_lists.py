"""Agreement of aggregated halves of lists."""

import json
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import pyfsagg
from pyfsagg.aggregator_influence.experiments import _scores
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError
from pyfsagg.extending import AGGREGATORS


def judges(m: int, p: int = 20, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(np.arange(p) / 4.0, size=(m, p))


def test_a_rule_that_reads_all_lists_is_told_apart_from_one_that_reads_one() -> None:
    how = {"n_splits": 60, "random_state": 0}
    found = pyfsagg.aggregator_influence.influence_of_lists(
        judges(20, 30), ["minimum", "am"], **how
    )
    frame = found.to_frame()
    assert frame.index.tolist() == ["minimum", "arithmetic_mean"]
    assert frame["told_apart"].tolist() == [False, True]
    assert frame["difference_lower"].iloc[1] > 0.0
    assert found.sentences[0].startswith("Halves agree most by arithmetic mean")


def test_values_are_means_over_splits_and_the_jackknife() -> None:
    scores = judges(6, 8)
    found = pyfsagg.aggregator_influence.influence_of_lists(
        scores, ["am"], n_splits=1, random_state=3
    )
    half = np.array_split(np.random.default_rng(3).permutation(6), 2)

    def rho(left: Any, right: Any) -> float:
        means = [scores[rows].mean(axis=0).argsort().argsort() for rows in (left, right)]
        return float(np.corrcoef(means)[0, 1])

    without = [rho(*(rows[rows != i] if i in rows else rows for rows in half)) for i in range(6)]
    assert_allclose(found.agreement[0], [*without, rho(*half)])
    error = np.sqrt(5 / 6 * np.square(np.array(without) - np.mean(without)).sum())
    row = found.to_frame().iloc[0]
    assert_allclose(row["upper"] - row["value"], 2.5705818 * error, rtol=1e-6)  # t with 5 df


def test_the_first_sentence_names_the_best_if_it_is_another_one() -> None:
    other = "median 0.774 (most: arithmetic mean 0.798)."
    for rules, told in ((["am", "median"], "arithmetic mean 0.798."), (["median", "am"], other)):
        found = pyfsagg.aggregator_influence.influence_of_lists(
            judges(6, 8), rules, n_splits=2, random_state=3
        )
        assert found.sentences[0] == f"No aggregator agrees clearly more with itself than {told}"


def test_partial_judges_are_compared_where_both_halves_know_the_item() -> None:
    scores = judges(8)
    scores[:7, 0] = np.nan  # one judge knows the first item: no two halves do
    scores[::2, 5] = np.nan
    one = pyfsagg.aggregator_influence.influence_of_lists(
        scores, ["am"], n_splits=5, random_state=0
    )
    two = pyfsagg.aggregator_influence.influence_of_lists(
        scores[:, 1:], ["am"], n_splits=5, random_state=0
    )
    assert_allclose(one.agreement, two.agreement)
    kept = json.loads(one.to_json())["compared"]
    assert [row["aggregator"] for row in kept] == ["arithmetic_mean"]
    assert kept[0]["value"] == one.agreement[0, -1]
    # What a half does not hold is one below the last that it contains.
    rule = AGGREGATORS.get("am").bind()
    table = pyfsagg.Rankings.from_scores([[5.0, 3.0, np.nan], [1.0, 9.0, 2.0]], absent="worst")
    assert _scores(table, np.array([0]), rule).tolist() == [5.0, 3.0, 2.0]
    lists = pyfsagg.Rankings.from_lists([["a", "b"], ["b", "c"], ["a"], ["d", "a"], ["b"], ["e"]])
    found = pyfsagg.aggregator_influence.influence_of_lists(lists, n_splits=3, random_state=0)
    assert np.isfinite(found.agreement).all()


def test_too_few_lists_and_repeated_aggregators_are_refused() -> None:
    for m, options, error, message in (
        (5, {}, DataError, "5 lists: fewer than 6 say nothing"),
        (6, {"aggregators": ["nothing"]}, UnknownNameError, "aggregator"),
        (6, {"aggregators": ["am", "am"]}, ParameterError, "different"),
        (6, {"n_splits": 0}, ParameterError, "n_splits must be a whole number of at least 1"),
    ):
        with pytest.raises(error, match=message):
            pyfsagg.aggregator_influence.influence_of_lists(judges(m), **options)


def test_weights_of_lists_stay_with_their_lists() -> None:
    table = pyfsagg.Rankings.from_scores(judges(6)).weighted([1, 2, 1, 1, 3, 1])
    weighted = pyfsagg.aggregator_influence.influence_of_lists(
        table, ["mean_rank"], n_splits=3, random_state=0
    )
    plain = pyfsagg.aggregator_influence.influence_of_lists(
        judges(6), ["mean_rank"], n_splits=3, random_state=0
    )
    assert not np.allclose(weighted.agreement, plain.agreement)


def test_absent_in_words() -> None:
    lists = [["a", "b"], ["b", "c"]]
    assert pyfsagg.Rankings.from_lists(lists, absent="unknown").absent == "unknown"
    assert (
        pyfsagg.Rankings.from_scores([[1.0, np.nan], [2.0, 1.0]], absent="worst").absent == "worst"
    )
    assert pyfsagg.Rankings.from_ranks([[1.0, np.nan], [1.0, 2.0]]).absent == "worst"
    with pytest.raises(ParameterError, match="absent"):
        pyfsagg.Rankings.from_lists(lists, absent="last")

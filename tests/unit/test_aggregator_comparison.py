"""Several aggregators side by side, and an aggregation beside its lists."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau, spearmanr

from pyfsagg.aggregation import aggregate, permutation_p_values
from pyfsagg.aggregation.comparison import compare_methods
from pyfsagg.aggregation.description import describe_items, describe_lists
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError
from pyfsagg.ranks import RankTable

METHODS = ["rra", "mean_rank", "minimum_rank"]


@pytest.fixture(scope="module")
def table() -> RankTable:
    rng = np.random.default_rng(8)
    truth = np.arange(30.0)
    lists = {
        f"l{i}": [f"g{j}" for j in np.argsort(truth + 8 * rng.standard_normal(30))[: 12 + i]]
        for i in range(6)
    }
    return RankTable.from_lists(lists, universe=40)


def test_comparison_holds_what_each_method_gives(table):
    comparison = compare_methods(table, METHODS, options={"rra": {"exact": True}})
    assert comparison.methods == ("robust_rank_aggregation", "mean_rank", "minimum_rank")
    single = aggregate(table, "rra", exact=True)
    np.testing.assert_array_equal(comparison.results[0].p_values, single.p_values)
    frame = comparison.to_frame()
    assert frame.index.tolist() == single.select(len(table.names))
    for result in comparison.results:
        np.testing.assert_array_equal(
            frame[result.method], pd.Series(result.ranking, result.names)[frame.index]
        )


def test_kendall_is_tau_b_of_the_scores(table):
    comparison = compare_methods(table, METHODS)
    tau = comparison.kendall()
    for a in comparison.results:
        for b in comparison.results:
            expected = kendalltau(a.ranking, b.ranking).statistic
            assert tau.loc[a.method, b.method] == pytest.approx(expected, abs=1e-12)
    assert tau.loc["mean_rank", "minimum_rank"] < 1


@pytest.mark.parametrize("k", [1, 5, 12])
def test_overlap_counts_common_items(table, k):
    comparison = compare_methods(table, METHODS)
    overlap = comparison.overlap(k)
    for a in comparison.results:
        for b in comparison.results:
            assert overlap.loc[a.method, b.method] == len({*a.select(k)} & {*b.select(k)})


def test_places_are_a_permutation_that_respects_the_scores(table):
    comparison = compare_methods(table, METHODS)
    for places, result in zip(comparison.places, comparison.results, strict=True):
        assert sorted(places) == list(range(1, len(table.names) + 1))
        assert [result.names[j] for j in np.argsort(places)] == result.select(len(places))


def test_a_method_that_ties_everything_has_no_tau():
    comparison = compare_methods([["a", "b"], ["b", "a"]], ["mean_rank", "best_go_first"])
    assert np.isnan(comparison.kendall().iloc[0, 1])
    assert comparison.kendall().iloc[0, 0] == 1


def test_bad_comparisons(table):
    with pytest.raises(ParameterError, match="at least two methods, got 1"):
        compare_methods(table, ["rra"])
    with pytest.raises(ParameterError, match="named twice"):
        compare_methods(table, ["rra", "robust_rank_aggregation"])
    with pytest.raises(ParameterError, match="list of names"):
        compare_methods(table, "rra")
    with pytest.raises(ParameterError, match="'borda', which is not compared"):
        compare_methods(table, ["rra", "stuart"], options={"borda": {}})
    with pytest.raises(UnknownNameError, match="did you mean 'borda'"):
        compare_methods(table, ["rra", "brda"])
    with pytest.raises(ParameterError, match="k must be"):
        compare_methods(table, METHODS).overlap(0)


def test_items_beside_their_lists(table):
    result = aggregate(table, "rra")
    test = permutation_p_values(table, "rra", n_permutations=20, random_state=1)
    frame = describe_items(table, result, test)
    ranks = table.to_frame()
    assert frame.index.tolist() == result.select(len(table.names))
    np.testing.assert_array_equal(frame["n_lists"], ranks.notna().sum(axis=1)[frame.index])
    np.testing.assert_array_equal(frame["best_rank"], ranks.min(axis=1)[frame.index])
    np.testing.assert_array_equal(frame["median_rank"], ranks.median(axis=1)[frame.index])
    by_name = test.to_frame().loc[frame.index]
    np.testing.assert_array_equal(frame["permutation_p_value"], by_name["p_value"])
    np.testing.assert_array_equal(
        frame["permutation_family_wise_p_value"], by_name["family_wise_p_value"]
    )


def test_lists_beside_the_result(table):
    result = aggregate(table, "mean_rank")
    frame = describe_lists(table, result, top=5)
    ranking = pd.Series(result.ranking, result.names)
    assert frame["universe"].tolist() == [40] * 6
    for name, ranks in table.to_frame().items():
        held = ranks.dropna()
        assert frame.loc[name, "items"] == len(held)
        assert frame.loc[name, "in_top"] == len({*held.index} & {*result.select(5)})
        expected = spearmanr(held, ranking[held.index]).statistic
        assert frame.loc[name, "spearman"] == pytest.approx(expected, abs=1e-12)


def test_other_items_are_refused(table):
    other = aggregate([["a", "b"], ["b", "a"]], "mean_rank")
    with pytest.raises(DataError, match="not about the items of this table"):
        describe_items(table, other)
    with pytest.raises(DataError, match="not about the items of this table"):
        describe_lists(table, other, 3)


def test_the_repr_of_a_comparison_names_the_methods(table):
    comparison = compare_methods(table, ["mean_rank", "borda"])
    expected = f"Comparison(mean_rank, borda; {len(comparison.names)} items)"
    assert repr(comparison) == expected

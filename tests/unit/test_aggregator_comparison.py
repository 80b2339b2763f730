"""Several aggregators side by side, and an aggregation beside its lists."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau, spearmanr

from pyfsagg.aggregation import Aggregation, aggregate, permutation_p_values
from pyfsagg.aggregation._base import describe_items, describe_lists
from pyfsagg.aggregation._call import compare_aggregations
from pyfsagg.aggregation._result import AggregationComparison
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
    comparison = compare_aggregations(table, METHODS, method_params={"rra": {"exact": True}})
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
    comparison = compare_aggregations(table, METHODS)
    tau = comparison.kendall()
    for a in comparison.results:
        for b in comparison.results:
            expected = kendalltau(a.ranking, b.ranking).statistic
            assert tau.loc[a.method, b.method] == pytest.approx(expected, abs=1e-12)
    assert tau.loc["mean_rank", "minimum_rank"] < 1


@pytest.mark.parametrize("k", [1, 5, 12])
def test_overlap_counts_common_items(table, k):
    comparison = compare_aggregations(table, METHODS)
    overlap = comparison.overlap(k)
    for a in comparison.results:
        for b in comparison.results:
            assert overlap.loc[a.method, b.method] == len({*a.select(k)} & {*b.select(k)})


def test_places_are_a_permutation_that_respects_the_scores(table):
    comparison = compare_aggregations(table, METHODS)
    for places, result in zip(comparison.places, comparison.results, strict=True):
        assert sorted(places) == list(range(1, len(table.names) + 1))
        assert [result.names[j] for j in np.argsort(places)] == result.select(len(places))


def test_a_method_that_ties_everything_has_no_tau():
    comparison = compare_aggregations([["a", "b"], ["b", "a"]], ["mean_rank", "best_go_first"])
    assert np.isnan(comparison.kendall().iloc[0, 1])
    assert comparison.kendall().iloc[0, 0] == 1


def test_bad_comparisons(table):
    with pytest.raises(ParameterError, match="at least two methods, got 1"):
        compare_aggregations(table, ["rra"])
    with pytest.raises(ParameterError, match="named twice"):
        compare_aggregations(table, ["rra", "robust_rank_aggregation"])
    with pytest.raises(ParameterError, match="list of names"):
        compare_aggregations(table, "rra")
    with pytest.raises(ParameterError, match="'borda', which is not compared"):
        compare_aggregations(table, ["rra", "stuart"], method_params={"borda": {}})
    with pytest.raises(UnknownNameError, match="did you mean 'borda'"):
        compare_aggregations(table, ["rra", "brda"])
    with pytest.raises(ParameterError, match="k must be"):
        compare_aggregations(table, METHODS).overlap(0)


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
    comparison = compare_aggregations(table, ["mean_rank", "borda"])
    expected = f"AggregationComparison(mean_rank, borda; {len(comparison.names)} items)"
    assert repr(comparison) == expected


def beside_others(table):
    """An aggregation with two other methods of the same lists."""
    comparison = compare_aggregations(table, METHODS)
    first, *others = comparison.results
    parameters = {**first.parameters, "compared": comparison.parameters["call"]}
    result = replace(first, table=table, others=tuple(others), parameters=parameters)
    return result, comparison


@pytest.mark.parametrize("adjusted", [True, False])
def test_a_record_says_how_its_p_values_are_adjusted(table, adjusted):
    result = aggregate(table, "rra")
    record = json.loads(result.to_json(adjusted=adjusted))
    held = len(table.names)
    sentence = (
        f"The p-values are adjusted over all 40 items that could have been listed; the {40 - held} "
        "that no list holds count with p = 1."
    )
    assert (sentence in record["sentences"]) is adjusted
    assert record["adjusted_over"] == (40 if adjusted else None)
    assert any(told.startswith("The p-values suppose") for told in record["sentences"])
    assert ("adjusted_p_value" in record["items"][0]) is adjusted
    exact = aggregate(RankTable.from_lists([["a", "b"], ["b", "a"]]), "rra")
    assert exact._adjustment == "The p-values are adjusted over the 2 items that the lists hold."
    without = aggregate(table, "mean_rank")
    assert without._adjustment is None
    record = json.loads(without.to_json())
    assert "adjusted_over" not in record
    assert not any("p-values" in told for told in record["sentences"])


def test_arrays_of_other_methods_are_numbered_from_one(table):
    result, comparison = beside_others(table)
    arrays = result._arrays()
    own = {"scores", "statistic", "ranking", "p_values", "log10_p_values", "adjusted_p_values"}
    others = {f"{name}_{i}" for name in ("scores", "statistic", "ranking") for i in (1, 2)}
    assert set(arrays) == own | others | {"table_sizes", "table_ranks"}
    for i, other in enumerate(comparison.results[1:], start=1):
        np.testing.assert_array_equal(arrays[f"statistic_{i}"], other.statistic)


def test_other_methods_come_back_from_a_file(table, tmp_path):
    result, comparison = beside_others(table)
    for kept in (result, comparison):
        kept.save(tmp_path / kept._kind)
    back = Aggregation.load(tmp_path / "aggregation")
    compared = AggregationComparison.load(tmp_path / "method_comparison")
    assert compared.methods == back.comparison.methods == comparison.methods
    for first, second in [(compared, comparison), (back.comparison, comparison)]:
        for one, other in zip(first.results, second.results, strict=True):
            assert one.names == other.names
            assert one.method == other.method
            if one.p_values is not None:  # nothing else is adjusted
                assert (one.adjust, one.n_tests) == (other.adjust, other.n_tests)
            np.testing.assert_array_equal(one.scores, other.scores)
            np.testing.assert_array_equal(one.statistic, other.statistic)
            np.testing.assert_array_equal(one.ranking, other.ranking)
    np.testing.assert_array_equal(compared.results[0].p_values, comparison.results[0].p_values)
    assert compared.results[1].p_values is None
    assert compared.parameters == comparison.parameters
    assert json.loads(result.to_json(top=7))["comparison"]["overlap_k"] == 7
    pd.testing.assert_frame_equal(compared.to_frame(), comparison.to_frame())


def test_the_code_of_a_comparison_closes_that_of_the_aggregation(table):
    result, _ = beside_others(table)
    view = {"top": 5, "adjusted": True}
    lines = result._lines_after(view)
    assert lines[:2] == ["result.to_frame()", ""]
    assert any(line.startswith("comparison = ") for line in lines)
    assert lines[-1] == "comparison.kendall(), comparison.overlap(5)"
    many = {**view, "top": 1000}
    assert result._lines_after(many)[-1].endswith(f"comparison.overlap({len(table.names)})")
    assert replace(result, others=())._lines_after(view) == ["result.to_frame()"]
    assert aggregate(table, "rra")._lines_after(view) == ["result.to_frame()"]
    test = permutation_p_values(table, "rra", n_permutations=5, random_state=1)
    both = replace(result, permutation=test)._lines_after(view)
    assert both[:2] == ["result.to_frame()", ""]
    assert any(line.startswith("test = ") for line in both)
    assert [line for line in lines[1:] if line not in both] == []


def test_settings_and_words_of_p_values(table):
    result = replace(aggregate(table, "rra", adjust="holm"), remarks=("a remark",))
    record = json.loads(result.to_json())
    assert (record["adjust"], record["n_tests"]) == ("holm", 40)
    assert result._about_p_values(True) == [result._adjustment, result._pool, "a remark"]
    assert result._about_p_values(False) == [result._pool, "a remark"]
    without = aggregate(table, "mean_rank")
    record = json.loads(without.to_json())
    assert (record["adjust"], record["n_tests"]) == (None, None)
    assert without._about_p_values(True) == list(without.remarks)


def test_a_permutation_test_comes_back_with_its_aggregation(table, tmp_path):
    test = permutation_p_values(table, "rra", n_permutations=9, random_state=1)
    result = replace(aggregate(table, "rra", adjust="holm"), permutation=test)
    result.save(tmp_path / "kept")
    record = json.loads((tmp_path / "kept" / "run.json").read_text(encoding="utf-8"))
    assert set(record["permutation"]) == {"method", "n_permutations", "adjust", "call"}
    back = Aggregation.load(tmp_path / "kept")
    assert back.adjust == "holm"
    assert back.permutation.n_permutations == 9
    pd.testing.assert_frame_equal(back.permutation.to_frame(), test.to_frame())
    pd.testing.assert_frame_equal(back.items(), result.items())


def test_an_aggregation_without_its_lists_is_kept_too(table, tmp_path):
    result = replace(aggregate(table, "rra"), table=None)
    result.save(tmp_path / "kept")
    back = Aggregation.load(tmp_path / "kept")
    assert back.table is None
    pd.testing.assert_frame_equal(back.to_frame(), result.to_frame())
    items = json.loads(result.to_json())["items"]
    assert [item["item"] for item in items] == result.select(len(table.names))


@pytest.mark.parametrize("ties", ["random", "average"])
def test_ties_that_fell_at_random_are_kept_as_they_fell(ties):
    scores = pd.DataFrame([[3.0, 3.0, 1.0, 1.0, 0.0]] * 4, columns=list("abcde"))
    lists = RankTable.from_scores(
        scores, ties=ties, **({"random_state": 3} if ties == "random" else {})
    )
    kept = replace(aggregate(lists, "mean_rank"), table=lists)._arrays()
    if ties == "random":
        np.testing.assert_array_equal(kept["table_ranks"], lists.ranks)
    else:
        assert "table_ranks" not in kept
    np.testing.assert_array_equal(kept["table_scores"], lists.scores)

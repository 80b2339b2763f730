"""Several aggregators side by side, and an aggregation beside its lists."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau, spearmanr

from pyfsagg.aggregation import Aggregation, aggregate, permutation_p_values
from pyfsagg.aggregation._call import compare_aggregations
from pyfsagg.aggregation._result import AggregationComparison
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError
from pyfsagg.ranks import Rankings

pytestmark = pytest.mark.filterwarnings("ignore:the p-values assume independent lists from")

METHODS = ["rra", "mean_rank", "minimum_rank"]


@pytest.fixture(scope="module")
def table() -> Rankings:
    rng = np.random.default_rng(8)
    truth = np.arange(30.0)
    orders = [np.argsort(truth + 8 * rng.standard_normal(30)) for _ in range(6)]
    lists = {f"l{i}": [f"g{j}" for j in order[: 12 + i]] for i, order in enumerate(orders)}
    return Rankings.from_lists(lists, universe=40)


@pytest.fixture(scope="module")
def comparison(table) -> AggregationComparison:
    return compare_aggregations(table, METHODS)


def test_comparison_holds_what_each_method_gives(table):
    comparison = compare_aggregations(table, METHODS, method_params={"rra": {"exact": True}})
    assert comparison.methods == ("robust_rank_aggregation", "mean_rank", "minimum_rank")
    single = aggregate(table, "rra", exact=True)
    np.testing.assert_array_equal(comparison.results[0].p_values, single.p_values)
    frame = comparison.to_frame()
    assert frame.index.tolist() == single.select(len(table.items))
    for result in comparison.results:
        ranking = pd.Series(result.ranking, result.names)[frame.index]
        np.testing.assert_array_equal(frame[result.method], ranking)
    expected = "AggregationComparison(robust_rank_aggregation, mean_rank, minimum_rank; 32 items)"
    assert repr(comparison) == expected.replace("32", str(len(table.items)))


def test_tau_b_and_overlap_of_each_two_methods(comparison):
    tau = comparison.kendall()
    overlaps = {k: comparison.overlap(k) for k in (1, 5, 12)}
    for a, b in itertools.product(comparison.results, repeat=2):
        expected = kendalltau(a.ranking, b.ranking).statistic
        assert tau.loc[a.method, b.method] == pytest.approx(expected, abs=1e-12)
        for k, overlap in overlaps.items():
            assert overlap.loc[a.method, b.method] == len({*a.select(k)} & {*b.select(k)})
    assert tau.loc["mean_rank", "minimum_rank"] < 1


def test_places_respect_the_scores_and_ties_of_everything_have_no_tau(table, comparison):
    for places, result in zip(comparison.places, comparison.results, strict=True):
        assert sorted(places) == list(range(1, len(table.items) + 1))
        assert [result.names[j] for j in np.argsort(places)] == result.select(len(places))
    comparison = compare_aggregations([["a", "b"], ["b", "a"]], ["mean_rank", "best_go_first"])
    assert np.isnan(comparison.kendall().iloc[0, 1])
    assert comparison.kendall().iloc[0, 0] == 1


def test_bad_comparisons(table, comparison):
    for methods, options, error, message in (
        (["rra"], {}, ParameterError, "at least two methods, got 1"),
        (["rra", "robust_rank_aggregation"], {}, ParameterError, "named twice"),
        ("rra", {}, ParameterError, "list of names"),
        (["rra", "stuart"], {"method_params": {"borda": {}}}, ParameterError, "not compared"),
        (["rra", "brda"], {}, UnknownNameError, "did you mean 'borda'"),
    ):
        with pytest.raises(error, match=message):
            compare_aggregations(table, methods, **options)
    with pytest.raises(ParameterError, match="k must be"):
        comparison.overlap(0)


def test_items_and_lists_beside_the_result(table):
    result = aggregate(table, "rra")
    test = permutation_p_values(table, "rra", n_permutations=20, random_state=1)
    frame = replace(result, permutation=test).items()
    ranks, by_name = table.to_frame(), test.to_frame()
    assert frame.index.tolist() == result.select(len(table.items))
    for name, expected in {
        "n_lists": ranks.notna().sum(axis=1),
        "best_rank": ranks.min(axis=1),
        "median_rank": ranks.median(axis=1),
        "permutation_p_value": by_name["p_value"],
        "permutation_family_wise_p_value": by_name["family_wise_p_value"],
    }.items():
        np.testing.assert_array_equal(frame[name], expected[frame.index])
    result = aggregate(table, "mean_rank")
    frame = result.lists(top=5)
    ranking = pd.Series(result.ranking, result.names)
    assert frame["universe"].tolist() == [40] * 6
    for name, ranks in table.to_frame().items():
        held = ranks.dropna()
        assert frame.loc[name, "items"] == len(held)
        assert frame.loc[name, "in_top"] == len({*held.index} & {*result.select(5)})
        expected = spearmanr(held, ranking[held.index]).statistic
        assert frame.loc[name, "spearman"] == pytest.approx(expected, abs=1e-12)
    other = aggregate([["a", "b"], ["b", "a"]], "mean_rank")
    for strange in (replace(other, table=table), replace(other, permutation=test)):
        for describe in (strange.items, strange.lists):
            with pytest.raises(DataError, match="not about the items of this table"):
                describe()


@pytest.fixture(scope="module")
def result(table, comparison) -> Aggregation:
    """An aggregation with two other methods of the same lists."""
    first, *others = comparison.results
    parameters = {**first.parameters, "compared": comparison.parameters["call"]}
    return replace(first, table=table, others=tuple(others), parameters=parameters)


@pytest.mark.parametrize("adjusted", [True, False])
def test_a_record_says_how_its_p_values_are_adjusted(table, adjusted):
    result = replace(aggregate(table, "rra", p_adjust="holm"), remarks=("a remark",))
    record = json.loads(result.to_json(adjusted=adjusted))
    sentence = (
        "The p-values are adjusted over all 40 items that could have been listed; the "
        f"{40 - len(table.items)} that no list contains count with p = 1."
    )
    assert result._about_p_values(adjusted) == [*[sentence] * adjusted, result._pool, "a remark"]
    assert (sentence in record["sentences"]) is adjusted
    assert record["adjusted_over"] == (40 if adjusted else None)
    assert (record["p_adjust"], record["n_tests"]) == ("holm", 40)
    assert any(told.startswith("The p-values assume") for told in record["sentences"])
    assert ("adjusted_p_value" in record["items"][0]) is adjusted


def test_records_of_all_tables_and_methods(table, result):
    exact = aggregate(Rankings.from_lists([["a", "b"], ["b", "a"]]), "rra")
    assert exact._adjustment == "The p-values are adjusted over the 2 items that the lists contain."
    without = aggregate(table, "mean_rank")
    assert without._adjustment is None
    assert without._about_p_values(True) == list(without.remarks)
    record = json.loads(without.to_json())
    assert "adjusted_over" not in record
    assert (record["p_adjust"], record["n_tests"]) == (None, None)
    assert not any("p-values" in told for told in record["sentences"])
    view = {"top": 5, "adjusted": True}
    lines = result._lines_after(view)
    assert lines[:2] == ["result.to_frame()", ""]
    assert any(line.startswith("comparison = ") for line in lines)
    assert lines[-1] == "comparison.kendall(), comparison.overlap(5)"
    many = result._lines_after({**view, "top": 1000})
    assert many[-1].endswith(f"comparison.overlap({len(table.items)})")
    assert replace(result, others=())._lines_after(view) == ["result.to_frame()"]
    test = permutation_p_values(table, "rra", n_permutations=5, random_state=1)
    both = replace(result, permutation=test)._lines_after(view)
    assert any(line.startswith("test = ") for line in both)
    assert [line for line in lines if line not in both] == []


def test_other_methods_are_numbered_from_one_and_are_kept(result, comparison, tmp_path):
    arrays = result._arrays()
    own = {"scores", "statistic", "ranking", "p_values", "log10_p_values", "adjusted_p_values"}
    others = {f"{name}_{i}" for name in ("scores", "statistic", "ranking") for i in (1, 2)}
    assert set(arrays) == own | others | {"table_universe", "table_ranks"}
    for i, other in enumerate(comparison.results[1:], start=1):
        np.testing.assert_array_equal(arrays[f"statistic_{i}"], other.statistic)
    for kept in (result, comparison):
        kept.save(tmp_path / kept._kind)
    back = Aggregation.load(tmp_path / "aggregation")
    compared = AggregationComparison.load(tmp_path / "method_comparison")
    for again in (back.comparison, compared):
        for one, other in zip(again.results, comparison.results, strict=True):
            for name in ("names", "method"):
                assert getattr(one, name) == getattr(other, name)
            if one.p_values is not None:  # nothing else is adjusted
                assert (one.p_adjust, one.n_tests) == (other.p_adjust, other.n_tests)
            for name in ("scores", "statistic", "ranking"):
                np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_array_equal(compared.results[0].p_values, comparison.results[0].p_values)
    assert compared.results[1].p_values is None
    assert compared.parameters == comparison.parameters
    assert json.loads(result.to_json(top=7))["comparison"]["overlap_k"] == 7
    pd.testing.assert_frame_equal(compared.to_frame(), comparison.to_frame())


def test_an_aggregation_is_kept_with_its_test_and_without_its_lists(table, tmp_path):
    test = permutation_p_values(table, "rra", n_permutations=9, random_state=1)
    result = replace(aggregate(table, "rra", p_adjust="holm"), permutation=test)
    result.save(tmp_path / "kept")
    record = json.loads((tmp_path / "kept" / "run.json").read_text(encoding="utf-8"))
    assert set(record["permutation"]) == {"method", "n_permutations", "p_adjust", "call"}
    back = Aggregation.load(tmp_path / "kept")
    assert back.p_adjust == "holm"
    assert back.permutation.n_permutations == 9
    pd.testing.assert_frame_equal(back.permutation.to_frame(), test.to_frame())
    pd.testing.assert_frame_equal(back.items(), result.items())
    result = replace(aggregate(table, "rra"), table=None)
    back = Aggregation.load(result.save(tmp_path / "without"))
    assert back.table is None
    pd.testing.assert_frame_equal(back.to_frame(), result.to_frame())
    items = json.loads(result.to_json())["items"]
    assert [item["item"] for item in items] == result.select(len(table.items))


@pytest.mark.parametrize("options", [{"ties": "random", "random_state": 3}, {"ties": "average"}])
def test_ties_that_fell_at_random_are_kept_as_they_fell(options):
    scores = pd.DataFrame([[3.0, 3.0, 1.0, 1.0, 0.0]] * 4, columns=list("abcde"))
    lists = Rankings.from_scores(scores, **options)
    kept = replace(aggregate(lists, "mean_rank"), table=lists)._arrays()
    assert ("table_ranks" in kept) is (options["ties"] == "random")
    np.testing.assert_array_equal(kept.get("table_ranks", lists.ranks), lists.ranks)
    np.testing.assert_array_equal(kept["table_scores"], lists.scores)

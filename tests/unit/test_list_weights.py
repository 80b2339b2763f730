"""Weights of lists: a whole weight k is the list written k times, for every aggregator."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pyfsagg import Rankings, aggregate
from pyfsagg.aggregation import compare_aggregations, permutation_p_values
from pyfsagg.exceptions import (
    DataError,
    InputTypeError,
    ParameterError,
    PyfsaggWarning,
    UnknownNameError,
)
from pyfsagg.extending import AGGREGATORS

WEIGHTS = [3, 1, 2, 1]
TAKING = [spec.name for spec in AGGREGATORS.own() if spec.list_weights in ("any", "whole")]
REFUSING = [spec.name for spec in AGGREGATORS.own() if spec.name not in TAKING]
FRACTIONS = [spec.name for spec in AGGREGATORS.own() if spec.list_weights == "any"]


def _scores(seed: int, full: bool, holes: bool) -> Rankings:
    """Whole numbers, so many scores are tied; some are missing."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(1, 9, size=(4, 14)).astype(float)
    if holes:
        scores[rng.random(scores.shape) < 0.25] = np.nan
        scores[0, np.isnan(scores).all(axis=0)] = 1.0
    sizes = np.full(4, 20.0) if not full else (~np.isnan(scores)).sum(axis=1).astype(float)
    table = Rankings.from_scores(scores)
    return Rankings(table.items, table.names, table.scores, sizes, "unknown" if full else "worst")


def _written(table: Rankings, weights: list[int]) -> Rankings:
    """The lists written so often, by a loop of its own."""
    rows = [i for i, weight in enumerate(weights) for _ in range(weight)]
    names = tuple(f"list{i}" for i in range(len(rows)))
    return Rankings(table.items, names, table.scores[rows], table.sizes[rows], table.absent)


LIN, STRICT = {"definition": "lin"}, {"ties": "strict"}
WAYS = [*((method, {}) for method in TAKING), ("mc1", LIN), ("mc2", LIN), ("borda", STRICT)]


@pytest.mark.filterwarnings("ignore:.*negative loading")
@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize(("method", "options"), WAYS)
def test_a_whole_weight_is_the_list_written_so_often(method, options, holes, full) -> None:
    for seed in range(4):
        table = _scores(seed, full, holes)
        weighted = aggregate(table, method, list_weights=WEIGHTS, **options)
        written = aggregate(_written(table, WEIGHTS), method, **options)
        np.testing.assert_allclose(weighted.statistic, written.statistic, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(weighted.scores, written.scores, rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("ignore:the p-values assume independent lists from")
def test_lists_are_written_out_with_cutoffs_or_left_out() -> None:
    rows = [list("abcd"), list("abcd"), list("bad"), list("cab")]
    table, all_rows = (Rankings.from_lists(lists, universe=50) for lists in (rows[1:], rows))
    weighted = aggregate(table, "rra", list_weights=[2, 1, 1], top_cutoff=[0.1, 0.2, 0.3])
    written = aggregate(all_rows, "rra", top_cutoff=[0.1, 0.1, 0.2, 0.3])
    np.testing.assert_array_equal(weighted.statistic, written.statistic)
    lists = {"x": ["a", "b"], "y": ["b", "c"], "z": ["a", "d"]}
    table = Rankings.from_lists(lists, universe=10)
    with pytest.warns(PyfsaggWarning, match=r"1 item.*weight 0 only .*'d'"):
        found = aggregate(table, "borda", list_weights=[1, 2, 0])
    rows = [lists["x"], lists["y"], lists["y"]]
    written = aggregate(Rankings.from_lists(rows, universe=10), "borda")
    assert found.names == ("a", "b", "c")
    np.testing.assert_array_equal(found.statistic, written.statistic)
    assert found.n_tests == 10


@pytest.mark.parametrize("method", REFUSING)
def test_a_method_without_a_definition_says_why(method: str) -> None:
    assert "mean_p_value" in REFUSING
    with pytest.raises(ParameterError, match=f"{method} takes no weights: "):
        aggregate(_scores(0, True, False), method, list_weights=WEIGHTS)


@pytest.mark.filterwarnings("ignore:.*negative loading")
@pytest.mark.parametrize("method", TAKING)
def test_fractions_are_shares_or_refused(method: str) -> None:
    assert {"robust_rank_aggregation", "stuart"}.isdisjoint(FRACTIONS)
    table = _scores(1, True, True)
    thirds = [weight / 3 for weight in WEIGHTS]
    if method not in FRACTIONS:
        with pytest.raises(ParameterError, match=f"{method} takes whole weights: .*0.333"):
            aggregate(table, method, list_weights=thirds)
        return
    order = np.argsort(aggregate(table, method, list_weights=WEIGHTS).scores)
    shares = aggregate(table, method, list_weights=thirds).scores
    # Some statistics are sums of the weights; the order is the same, equal scores but for rounding.
    assert (np.diff(shares[order]) > -1e-9).all()


def test_weights_change_what_they_should_and_leave_no_p_values() -> None:
    table = _scores(2, True, False)
    assert table.weighted([1, 1, 1, 1]).weights is None
    assert aggregate(table, "rra", list_weights=[1, 1.0, 1, 1]).p_values is not None
    result = aggregate(table, "rra", list_weights=WEIGHTS)
    assert result.p_values is None
    assert "Permutation p-values keep their level" in " ".join(result.remarks)
    how = {"list_weights": WEIGHTS, "n_permutations": 20, "random_state": 0}
    np.testing.assert_array_equal(permutation_p_values(table, "rra", **how).scores, result.scores)
    table = Rankings.from_lists({"first": ["a", "b"], "second": ["b", "a"]})
    for method in ("mean_rank", "borda", "mc2", "mc4", "stuart", "median_rank"):
        found = aggregate(table, method, list_weights={"second": 3, "first": 1})
        assert found.ranking[1] <= found.ranking[0], method
    assert aggregate(table, "mean_rank", list_weights=[1, 3]).statistic.tolist() == [1.75, 1.25]
    table = Rankings.from_scores([[3.0, 1.0], [1.0, 2.0], [1.0, 2.0]])
    halves = [0.3, 0.1, 0.2]  # 0.1 + 0.2 is not 0.3 in floating numbers
    assert aggregate(table, "mc2_row", list_weights=halves).statistic.tolist() == [1.0, 1.0]
    assert aggregate(table, "median", list_weights=halves).statistic.tolist() == [2.0, 1.5]


def test_bad_weights_and_null_tables() -> None:
    table = Rankings.from_lists({"x": ["a", "b"], "y": ["b", "a"]})
    for weights, method, error, said in (
        ([1, -1], "borda", ParameterError, "of at least 0.0, got -1"),
        ([0, 0], "borda", ParameterError, "all weights are 0"),
        ([1], "borda", ParameterError, r"one number per list \(2\), got 1"),
        ([1, float("nan")], "borda", ParameterError, "finite"),
        ([1, float("inf")], "borda", ParameterError, "finite"),
        (["1", "2"], "borda", ParameterError, "must be a number"),
        ({"x": 1}, "borda", ParameterError, "'y' has no weight"),
        ({"x": 1, "y": 1, "z": 2}, "borda", UnknownNameError, "z"),
        ("12", "borda", InputTypeError, "one number per list"),
        ([20_000, 1], "rra", ParameterError, "divide them by a common factor"),
    ):
        with pytest.raises(error, match=said):
            aggregate(table, method, list_weights=weights)  # type: ignore[arg-type]
    table = _scores(4, True, False)
    found = compare_aggregations(table, ["mean_rank", "stuart"], list_weights=WEIGHTS)
    for result in found.results:
        alone = aggregate(table, result.method, list_weights=WEIGHTS)
        np.testing.assert_array_equal(result.scores, alone.scores)
    null = {"null": lambda rng: rng.random((2, 6)), "n_permutations": 1}
    frame = pd.DataFrame(np.random.default_rng(0).random((3, 6)))
    with pytest.raises(DataError, match="2 lists, and the weights are of 3"):
        permutation_p_values(frame, "mean_rank", list_weights=[2, 1, 1], **null)


def test_weights_are_kept_shown_and_repeated(tmp_path: Path) -> None:
    table = _scores(3, True, False)
    result, plain = (aggregate(table, "mean_rank", list_weights=w) for w in (WEIGHTS, None))
    assert result.lists()["weight"].tolist() == WEIGHTS
    back = type(result).load(result.save(tmp_path / "kept"))
    assert back.table is not None
    np.testing.assert_array_equal(back.table.weights, np.array(WEIGHTS, dtype=float))
    assert "weights=[3, 1, 2, 1]" in result.repeat()
    assert "Weight</th>" in result.to_html()
    assert "weight" not in plain.lists()
    assert "Weight</th>" not in plain.to_html()
    assert result.data["sha256"] != plain.data["sha256"]

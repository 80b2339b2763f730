"""Copeland, Borda, CombSUM and the Markov chains against FLAGR, on its own twenty topics of fifty lists."""

from typing import Any

import numpy as np
import pytest
from golden import stored

from pyfsagg import Rankings, aggregate

FLAGR = stored("flagr.json.gz")


def values(lists: list[Any], method: str, **options: Any) -> dict[Any, float]:
    table = Rankings.from_lists([[str(item) for item in one] for one in lists])
    found = aggregate(table, method, **options)
    return dict(zip(found.names, found.statistic.tolist(), strict=True))


def scored(lists: list[list[int]]) -> Rankings:
    """FLAGR's normalization of ranks: (n - r + 1)/n for the n items of a list."""
    scores = np.full((len(lists), 100), np.nan)
    for row, one in zip(scores, lists, strict=True):
        row[one] = np.linspace(1.0, 1.0 / len(one), len(one))
    return Rankings.from_scores(scores)


def simple_borda(lists: list[list[int]]) -> dict[str, float]:
    """FLAGR's simple Borda: an absent item gets nothing, and the last of a whole list 1/p."""
    total = dict.fromkeys(map(str, range(100)), 0.0)
    for one in lists:
        for place, item in enumerate(one):
            total[str(item)] += (100 - place) / 100
    return total


METHODS = {
    "borda": lambda lists: values(lists, "borda"),
    "simple_borda": simple_borda,
    "condorcet": lambda lists: values(lists, "copeland", tie=0.0),
    "copeland": lambda lists: values(lists, "copeland"),
}


@pytest.mark.parametrize("method", ["simple_borda", "condorcet", "copeland"])
def test_values_of_a_topic(method: str) -> None:
    found = METHODS[method](FLAGR["topics"][0]["lists"])
    for item, expected in enumerate(FLAGR["scores"][method]):
        assert found[str(item)] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("method", ["comb_sum", "comb_mnz"])
def test_sums_of_a_topic(method: str) -> None:
    # The file has FLAGR's scores with five digits, of which fifty are added and multiplied by fifty.
    found = aggregate(scored(FLAGR["topics"][0]["lists"]), method, normalize="none").statistic
    expected = np.array(FLAGR["scores"][method])
    np.testing.assert_allclose(found, expected, atol=1e-4 if method == "comb_sum" else 1e-3)


def limits(scores: dict[str, float], relevant: list[int]) -> tuple[float, float]:
    """Smallest and largest average precision over the orders of equal scores.

    As in FLAGR an item that scores nothing counts as not found.
    """
    good = {str(item) for item in relevant}
    both = []
    for better in (1, -1):
        order = sorted(scores, key=lambda item: (-round(scores[item], 9), better * (item in good)))
        hits = np.array([item in good for item in order])
        precision = np.cumsum(hits) / np.arange(1.0, hits.size + 1.0)
        found = hits & (np.array([scores[item] for item in order]) > 0.0)
        both.append(float(precision[found].sum() / hits.sum()))
    return both[0], both[1]


@pytest.mark.parametrize("method", METHODS)
def test_printed_mean_average_precisions(method: str) -> None:
    call = METHODS[method]
    found = [limits(call(topic["lists"]), topic["relevant"]) for topic in FLAGR["topics"]]
    low, high = np.mean(found, axis=0)
    assert low - 5e-7 <= FLAGR["map"][method] <= high + 5e-7
    assert high - low < 0.02  # what the order of equal scores can do


def test_two_chains_of_flagr_tie_everything_on_its_own_lists() -> None:
    """A pair moves there unless most of all fifty lists, holders or not, agree: none does in these.

    Every item then has 1/p, and the two equal figures are the order in which FLAGR sorts ties.
    """
    for chain in ("mc1", "mc2"):
        assert set(FLAGR["scores"][chain]) == {0.01}
    assert FLAGR["map"]["mc1"] == FLAGR["map"]["mc2"]
    topic = FLAGR["topics"][0]
    held = [[str(i) in map(str, one) for one in topic["lists"]] for i in range(100)]
    together = np.array(held, dtype=int) @ np.array(held, dtype=int).T
    np.fill_diagonal(together, 0)
    assert together.max() <= len(topic["lists"]) / 2
    ours = [aggregate(scored(topic["lists"]), chain).statistic for chain in ("mc1", "mc2")]
    assert all(np.unique(np.round(chain, 9)).size > 90 for chain in ours)
    assert np.abs(ours[0] - ours[1]).max() > 1e-4


@pytest.mark.parametrize("case", range(len(FLAGR["complete"])))
def test_chains_of_complete_lists(case: int) -> None:
    """There FLAGR's chains are those of Lin; its MC4 takes half of the lists for a majority, as MC2."""
    lists, scores = (FLAGR["complete"][case][key] for key in ("lists", "scores"))
    for ours, theirs in (("mc1", "MC1"), ("mc2", "MC2"), ("mc2", "MC4")):
        found = values([list(one) for one in lists], ours, definition="lin", damping=0.15)
        for item, expected in scores[theirs].items():
            assert found[item] == pytest.approx(expected, abs=1e-6)
    majority = values([list(one) for one in lists], "mc4", damping=0.15)
    differs = max(abs(majority[item] - scores["MC4"][item]) for item in majority)
    assert (differs > 1e-3) == (len(lists) % 2 == 0)


RUNS = {
    "q1": [{"d1": 1, "d2": 2, "d3": 3}, {"d1": 3, "d2": 2}, {"d3": 1}],
    "q2": [{"d1": 1, "d2": 2}, {"d1": 1, "d3": 3}, {"d2": 2, "d3": 3}],
}
RANX = {
    ("comb_sum", "q1"): [4, 4, 4], ("comb_sum", "q2"): [2, 4, 6],
    ("comb_mnz", "q1"): [8, 8, 8], ("comb_mnz", "q2"): [4, 8, 12],
    ("isr", "q1"): [20 / 9, 1, 4], ("isr", "q2"): [1, 5 / 2, 4],
    ("log_isr", "q1"): np.log(2) * np.array([10 / 9, 1 / 2, 2]),
    ("log_isr", "q2"): np.log(2) * np.array([1 / 2, 5 / 4, 2]),
    ("rrf", "q1"): [1 / 63 + 1 / 61, 2 / 62, 2 / 61], ("rrf", "q2"): [2 / 62, 1 / 61 + 1 / 62, 2 / 61],
}  # fmt: skip


@pytest.mark.parametrize(("method", "query"), RANX)
def test_expected_values_of_ranx(method: str, query: str) -> None:
    scores = [[run.get(item, np.nan) for item in ("d1", "d2", "d3")] for run in RUNS[query]]
    options = {"normalize": "none"} if "comb" in method else {}
    found = aggregate(Rankings.from_scores(np.array(scores, dtype=float)), method, **options)
    np.testing.assert_allclose(found.statistic, RANX[method, query], rtol=1e-13)


# Distances of two rankings with ties, and what they cost beside the p = 1/2 of a pair that is tied in one:
# the tests of rank-aggregation-with-ties (commit 15fffb0), for the items that both hold.
@pytest.mark.parametrize(
    ("first", "second", "turned"),
    [
        (["12", "34"], ["1", "2", "3", "4"], 0),
        (["2", "17", "3", "6"], ["3", "17", "6"], 2),
        (["6", "125", "34"], ["13", "24"], 1),
    ],
)
def test_pairs_that_kemenys_order_turns_round(
    first: list[str], second: list[str], turned: int
) -> None:
    lists = [[tuple(block) for block in one] for one in (first, second)]
    table = Rankings.from_lists(lists, absent="unknown")
    remark = aggregate(table, "kemeny").remarks[0]
    assert f"contradicts the lists in {turned} pairs" in remark
    assert "no order contradicts them less" in remark

"""Values of a few lists and scores that can be followed by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pyfsagg.aggregation import about_lists, aggregate, agreement
from pyfsagg.aggregation._base import over_lists
from pyfsagg.error_control.bounds import largest_tail, pfer_threshold
from pyfsagg.error_control.paths import q_values
from pyfsagg.ranks import Rankings
from pyfsagg.ranks.ranking import about_ties, last_places, select_top, tie_sizes
from pyfsagg.stability_measures.curves import chance_level
from pyfsagg.stability_measures.measure import pseudo_values, stability_table
from pyfsagg.stability_measures.pairwise import thesis_measures

ABC = Rankings.from_lists([["a", "b", "c"], ["a", "c", "b"]])
SHORT = Rankings.from_lists([["a", "b"], ["a", "c"]])
TWO = Rankings.from_ranks([[1, 2, 3], [2, 1, 3]])
THREE = Rankings.from_ranks([[1, 2, 3], [2, 1, 3], [1, 3, 2]])
FOUR = Rankings.from_ranks([[1, 2, 3, 4], [2, 1, 4, 3], [1, 3, 2, 4]])
GAINS = Rankings.from_scores([[1.0, 0.0], [4.0, 9.0]])


TIED = Rankings.from_ranks([[1, 2, 3], [4, 2, 1], [2, 2, 2]], universe=4)
TURNED = Rankings.from_lists([["a", "b", "c"], ["c", "a", "b"]])
SPREAD = Rankings.from_scores([[3.0, 2.0, 1.0, 0.0], [6.0, 5.0, 1.0, 0.5]])
UNEVEN = Rankings.from_lists([["a", "b"], ["a", "c"], ["d", "b"]])
PLACES = Rankings.from_ranks([[1, 2, 4, 3], [1, 3, 4, 2]])


def test_statistics_of_aggregators() -> None:
    for table, method, options, expected in (
        (TWO, "mean_rank", {}, [1.5, 1.5, 3.0]),
        (THREE, "median_rank", {}, [1.0, 2.0, 3.0]),
        (TWO, "minimum_rank", {}, [1.0, 1.0, 3.0]),
        (TIED, "geometric_mean_rank", {}, [2.0, 2.0, 1.81712]),
        (ABC, "borda", {}, [4.0, 1.0, 1.0]),
        (TURNED, "best_go_first", {}, [1.0, 3.0, 2.0]),
        (SHORT, "reciprocal_rank_fusion", {}, [0.03279, 0.01613, 0.01613]),
        (SHORT, "vote_counting", {}, [2.0, 1.0, 1.0]),
        (ABC, "mc1", {}, [0.92200, 0.03900, 0.03900]),
        (ABC, "mc2", {}, [0.92505, 0.03747, 0.03747]),
        (ABC, "mc3", {}, [0.90909, 0.04545, 0.04545]),
        (ABC, "mc4", {}, [0.90909, 0.04545, 0.04545]),
        (ABC, "mc1_row", {}, [1.0, 0.33333, 0.33333]),
        (ABC, "mc2_row", {}, [1.0, 0.66667, 0.66667]),
        (TWO, "stuart", {}, [0.33333, 0.33333, 1.0]),
        (PLACES, "mean_p_value", {}, [0.1103, 0.7299, 0.9928, 0.7299]),
        (Rankings.from_scores([[1.0, 2.0], [3.0, 6.0]]), "arithmetic_mean", {}, [2.0, 4.0]),
        (GAINS, "geometric_mean", {}, [2.0, 0.0]),
        (GAINS, "geometric_mean", {"nonpositive_as": 1.0}, [2.0, 3.0]),
        (Rankings.from_scores([[3.0, 1.0], [4.0, 1.0]]), "l2_norm", {}, [5.0, 1.41421]),
        (SPREAD, "fpcps", {"n_features_to_select": None}, [1.793, 0.867, -0.940, -1.720]),
        (UNEVEN, "maic", {"fit": "none"}, [3.978, 3.396, 1.677, 1.0]),
    ):
        np.testing.assert_allclose(
            aggregate(table, method, **options).statistic, expected, atol=6e-4
        )


def test_p_values_of_rra_and_the_first_by_birra() -> None:
    bounds = aggregate(FOUR, "rra").p_values
    np.testing.assert_allclose(bounds, [0.375, 1.0, 1.0, 1.0], atol=1e-12)
    exact = aggregate(FOUR, "rra", exact=True).p_values
    np.testing.assert_allclose(exact, [0.2674, 0.6792, 0.9706, 0.9995], atol=5e-5)
    lists = [list("abcdefgh"), list("badcfehg"), list("acbdgefh"), list("hgfedcba")]
    result = aggregate(Rankings.from_lists(lists), "birra", prior=0.25)
    assert result.names[int(result.statistic.argmax())] == "a"


def test_values_descriptions_and_agreement_of_lists() -> None:
    values, weights = np.array([[1.0, 4.0], [2.0, np.nan]]), np.array([3.0, 1.0])
    assert over_lists(values, "mean", weights).tolist() == [1.25, 4.0]
    table = Rankings.from_lists({"x": ["a", "b", "c"], "y": ["a", "c"]})
    result = aggregate(table, "mean_rank")
    assert result.items()["n_lists"].to_dict() == {"a": 2, "b": 1, "c": 2}
    assert result.lists(top=2)["in_top"].to_dict() == {"x": 2, "y": 1}
    seen = about_lists.traits(Rankings.from_lists([list("abcd"), list("abxy"), list("uv")]))
    assert (seen["n_lists"], seen["length"], seen["agreement"]) == (3.0, 4.0, 0.25)
    assert agreement.truncation_point(np.r_[np.ones(20), np.zeros(80)], 10) == 20
    overlap = agreement.overlap_of_uneven_lists(np.array([0, 1, 2]), np.array([0, 1]), 0.9)
    np.testing.assert_allclose(overlap, [1.0, 0.4117, 1.0], atol=5e-5)


def test_ranks_ties_and_bounds_on_errors() -> None:
    scores = np.array([0.5, 2.0, 0.5, 1.0])
    assert tie_sizes(scores).tolist() == [2, 1, 2, 1]
    assert about_ties(scores) == "2 of 4 features have the same score: their order is arbitrary."
    shared = last_places(np.array([[1.0, 2.5, 2.5, 4.0]]), np.array([4.0]))
    assert shared.tolist() == [[1.0, 3.0, 3.0, 4.0]]
    assert select_top([0.1, 0.7, 0.7, 0.2], 1).tolist() == [False, True, False, False]
    assert select_top([2, 1, 3], 2, higher_is_better=False).tolist() == [True, True, False]
    twice = Rankings.from_lists([["a", "b"], ["b", "a"]]).weighted([2, 1])._written_out()
    assert twice.ranks.tolist() == [[1.0, 2.0], [1.0, 2.0], [2.0, 1.0]]
    last = Rankings.from_scores([[0.9, 0.0, 0.0, 0.0]])._with_last_places()
    assert last.ranks.tolist() == [[1.0, 4.0, 4.0, 4.0]]
    assert largest_tail(0.05, 30, 50, -0.5) == pytest.approx(0.01247, abs=5e-7)
    assert pfer_threshold(9, 100, 1.0, n_pairs=25) == 0.72
    assert pfer_threshold(16, 50, 1.0, assumption="none") == math.inf
    np.testing.assert_allclose(q_values(np.array([0.1, 0.15, 4.0])), [0.075, 0.075, 1.0])


def test_stability_of_three_rankings() -> None:
    scores = [[4.0, 3.0, 2.0, 1.0], [4.0, 2.0, 3.0, 1.0], [4.0, 3.0, 1.0, 2.0]]
    expected = {"pearson": 2 / 3, "spearman": 2 / 3, "canberra": 0.175, "jaccard": 1.0}
    measures = thesis_measures(scores)
    assert {name: measures[name] for name in expected} == pytest.approx(expected, abs=1e-12)
    assert measures["asd"] == pytest.approx(0.4173, abs=5e-5)
    table = stability_table(scores, ["spearman", "canberra"], input="scores", interval=None)
    assert table["value"].tolist() == pytest.approx([2 / 3, 0.175], abs=1e-12)
    assert chance_level("hamming", 2, 4, n_resamples=10) == pytest.approx(0.5, abs=1e-12)
    sets = [{"a", "b"}, {"a", "b"}, {"a", "c"}, {"a", "b"}]
    assert pseudo_values(sets, "jaccard") == pytest.approx([1.0, 1.0, -1 / 3, 1.0], abs=1e-12)

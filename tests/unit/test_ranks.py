"""Rankings: constructors, missing entries, ties, universes, files and refusals."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

from pyfsagg.exceptions import (
    DataError,
    InputTypeError,
    ParameterError,
    PyfsaggWarning,
    UnknownNameError,
)
from pyfsagg.ranks import Rankings, rank_scores
from pyfsagg.ranks.ranking import half_places, has_ties, last_places, select_top, whole_weights


@pytest.mark.parametrize("ties", ["average", "min", "max", "ordinal"])
def test_rank_scores_matches_scipy_row_by_row(ties):
    scores = np.random.default_rng(0).integers(0, 5, (6, 9)).astype(float)
    ours = rank_scores(scores, ties)
    for row, ranks in zip(scores, ours, strict=True):
        np.testing.assert_array_equal(ranks, rankdata(-row, method=ties))
    np.testing.assert_array_equal(rank_scores(scores.T, ties, axis=0), ours.T)


def test_missing_scores_keep_nan_and_do_not_move_others():
    ranks = rank_scores([[3.0, np.nan, 1.0, 2.0], [np.nan, np.nan, 5.0, 5.0]])
    np.testing.assert_array_equal(ranks, [[1, np.nan, 3, 2], [np.nan, np.nan, 1.5, 1.5]])


def test_random_ties_are_a_permutation_and_repeat_with_the_seed():
    scores = np.array([1.0, 2.0, 2.0, 2.0, 0.0, 2.0])
    first = rank_scores(scores, "random", random_state=3)
    np.testing.assert_array_equal(first, rank_scores(scores, "random", random_state=3))
    assert sorted(first) == [1, 2, 3, 4, 5, 6]
    assert first[0] == 5
    assert first[4] == 6
    orders = {tuple(rank_scores(scores, "random", random_state=s)) for s in range(30)}
    assert len(orders) > 5
    with pytest.raises(ParameterError, match="random_state"):
        rank_scores(scores, "random")


def test_select_top_breaks_ties_by_column_order():
    scores = np.array([[1.0, 5.0, 5.0, 5.0], [2.0, 2.0, 2.0, 2.0]])
    expected = [[False, True, True, False], [True, True, False, False]]
    np.testing.assert_array_equal(select_top(scores, 2), expected)
    np.testing.assert_array_equal(select_top(-scores, 2, higher_is_better=False), expected)
    for k in (0, 5):
        with pytest.raises(ParameterError, match="k must be"):
            select_top(scores, k)
    for few in (
        [np.nan, 1.0],
        [[3.0, 2.0], [np.nan, 1.0]],
    ):  # one row has enough, the other has not
        with pytest.raises(DataError, match="only 1 are known"):
            select_top(few, 2)
    one_gap = select_top([[1.0, np.nan, 3.0, 2.0], [1.0, 2.0, 3.0, 4.0]], 2)
    np.testing.assert_array_equal(one_gap, [[False, False, True, True]] * 2)


def test_from_lists_normalizes_by_position_over_universe():
    lists = {"first": ["a", "b", "c"], "second": ["c", "d"]}
    table = Rankings.from_lists(lists, universe=[10, 20])
    assert table.items == ("a", "b", "c", "d")
    assert table.names == ("first", "second")
    expected = [[0.1, 0.2, 0.3, 1.0], [1.0, 1.0, 0.05, 0.1]]
    np.testing.assert_allclose(table.normalized_ranks(), expected, rtol=1e-15)
    full = Rankings.from_lists(lists, absent="unknown")
    nan = np.nan
    expected = [[1 / 3, 2 / 3, 1.0, nan], [nan, nan, 0.5, 1.0]]
    np.testing.assert_allclose(full.normalized_ranks(), expected, rtol=1e-15)
    np.testing.assert_array_equal(table.missing, full.missing)
    assert "4 items, 3 missing entries, absent = worst" in repr(table)


def test_a_tuple_in_a_list_is_a_tie_and_numbers_are_names_too():
    table = Rankings.from_lists([["a", ("b", "c"), "d"], ["a", "b", "c", "d"]])
    np.testing.assert_array_equal(table.ranks[0], [1, 2.5, 2.5, 4])
    assert Rankings.from_lists([[7, 12], [12, 7]]).items == ("7", "12")


def test_from_scores_direction_and_frame_names():
    frame = pd.DataFrame({"u": [1.0, 4.0], "v": [2.0, 3.0]}, index=["ig", "su"])
    table = Rankings.from_scores(frame, higher_is_better=False)
    assert table.items == ("u", "v")
    assert table.names == ("ig", "su")
    np.testing.assert_array_equal(table.ranks, [[1, 2], [2, 1]])
    np.testing.assert_array_equal(table.to_frame("scores").loc["u"], [-1.0, -4.0])
    scores = np.array([[1.0, 2.0]])
    table = Rankings.from_scores(scores)
    scores[0, 0] = 9.0
    assert table.scores[0, 0] == 1.0  # not shared


@pytest.mark.parametrize(
    ("lists", "options", "error", "words"),
    [
        ([], {}, DataError, "no list"),
        ([["a"], []], {}, DataError, "'list2' is empty"),
        ({"one": ["a", "b", "a"]}, {}, DataError, "'a' occurs twice in the list 'one'"),
        ([["a", None]], {}, DataError, "missing or blank name"),
        ([["a", " "]], {}, DataError, "missing or blank name"),
        ([["a", float("nan")]], {}, DataError, "missing or blank name"),
        ([["a", pd.NA]], {}, DataError, "missing or blank name"),
        (["abc"], {}, InputTypeError, "not a list of names"),
        ("abc", {}, InputTypeError, "sequence of lists"),
        (7, {}, InputTypeError, "sequence of lists"),
        ([[("a",), ()]], {}, DataError, "empty tie"),
        (
            [["a", "b"], ["b", "c"]],
            {"universe": 2},
            ParameterError,
            "universe=2 is smaller than the 3",
        ),
    ],
)
def test_bad_lists(lists, options, error, words):
    with pytest.raises(error, match=words):
        Rankings.from_lists(lists, **options)


@pytest.mark.parametrize(
    ("ranks", "options", "error", "words"),
    [
        ([[0, 1]], {}, DataError, "'x0' in 'list1' is 0; ranks start at 1"),
        ([[-1, 1]], {}, DataError, "ranks start at 1"),
        ([[1, 3]], {}, DataError, "above the universe of 2"),
        ([[1, 2], [np.nan, np.nan]], {}, DataError, "'list2' is missing"),
        ([[1, np.nan], [1, np.nan]], {}, DataError, "no list has a rank for the item 'x1'"),
        ([[1, np.inf]], {}, DataError, "infinite"),
        ([1, 2], {}, DataError, "two dimensions"),
        ([["a", "b"]], {}, InputTypeError, "numbers"),
        ([[1, 2]], {"names": ["a"]}, ParameterError, "1 names for 2 items"),
        ([[1, 2]], {"names": ["a", "a"]}, DataError, "'a' occurs twice"),
        ([[1, 2]], {"universe": 1}, ParameterError, "smaller than the 2 different items"),
        ([[1, 2]], {"universe": [4, 4]}, ParameterError, r"one per list \(1\)"),
        (
            [[1, 2]],
            {"universe": 4, "absent": "unknown"},
            ParameterError,
            "no meaning with absent='unknown'",
        ),
        (np.empty((0, 3)), {}, DataError, "at least one list"),
    ],
)
def test_bad_ranks(ranks, options, error, words):
    with pytest.raises(error, match=words):
        Rankings.from_ranks(ranks, **options)


def test_universe_of_the_union_and_mixed_directions():
    table = Rankings.from_lists([["a", "b"], ["b", "c"]], universe=3)
    assert table.universe.tolist() == [3.0, 3.0]
    with pytest.raises(ParameterError, match="directions are mixed"):
        Rankings.from_scores([[1, 2], [3, 4]], higher_is_better=[True, False])
    for bad in (0.0, 1.5, -0.1):
        with pytest.raises(DataError, match="above 0 and at most 1"):
            Rankings.from_normalized_ranks([[0.5, bad]])


def test_lists_without_a_common_name_warn():
    with pytest.warns(PyfsaggWarning, match="no name is in more than one list"):
        table = Rankings.from_lists([["a", "b"], ["c"]])
    assert table.n_items == 3


def test_matrix_files(tmp_path):
    path = tmp_path / "ranks.csv"
    path.write_text("gene,a,b\ng1,1,2\ng2,2,\ng3,3,1\n", encoding="utf-8")
    table = Rankings.from_files(path)
    assert table.items == ("g1", "g2", "g3")
    np.testing.assert_array_equal(table.ranks, [[1, 2, 3], [2, np.nan, 1]])
    with pytest.raises(UnknownNameError, match=r"unknown ids column .*'id'"):
        Rankings.from_files(path, ids="id")


def test_missing_binary_and_mixed_files(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        Rankings.from_files(tmp_path / "absent.txt")
    binary, matrix = tmp_path / "binary.txt", tmp_path / "m.csv"
    binary.write_bytes(b"\x81\x00\xff")
    matrix.write_text("g,a\nx,1\n", encoding="utf-8")
    for files, message in (
        (binary, "UTF-8"), ([matrix, binary], "must be the only file"), ([], "no file"),
    ):  # fmt: skip
        with pytest.raises(DataError, match=message):
            Rankings.from_files(files)


def test_ranks_only_have_no_scores():
    with pytest.raises(DataError, match="are ranks only"):
        Rankings.from_ranks([[1, 2]]).to_frame("scores")
    with pytest.raises(ParameterError, match="values must be one of"):
        Rankings.from_ranks([[1, 2]]).to_frame("normalised")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ranks", "size", "expected"),
    [
        ([1.5, 1.5, 3.0], 3, [2, 2, 3]),
        ([1.0, 1.0, 3.0], 3, [2, 2, 3]),
        ([2.0, 2.0, 2.0, np.nan], 4, [3, 3, 3, np.nan]),
        ([2.5, 2.5, 7.0], 10, [3, 3, 7]),  # other items stand between
        ([5.0, 5.0, 5.0, 1.0], 10, [6, 6, 6, 1]),
        ([0.25, 0.25, 0.75, 1.0], 1, [0.5, 0.5, 0.75, 1.0]),
        ([0.7, 0.7, 0.9], 1, [0.7 + 1 / 6, 0.7 + 1 / 6, 0.9]),
    ],
)
def test_ties_get_the_last_place_that_they_share(ranks, size, expected):
    found = last_places(np.array([ranks]), np.array([float(size)]))
    np.testing.assert_allclose(found, [expected], rtol=1e-12)


def test_whole_and_half_ranks_fit_into_two_bytes():
    found = half_places(np.array([[1.0, 2.5, np.nan], [3.0, 32767.5, 2.0]]))
    assert found.tolist() == [[2, 5, 0], [6, 65535, 4]]
    for none in (1.25, 32768.0, np.inf):
        assert half_places(np.array([[1.0, none]])) is None
    assert has_ties(np.array([[2.0, 1.0, 2.0]]), None)


def test_lists_are_written_out_ten_thousand_times_at_most():
    assert whole_weights(np.array([9_998.0, 2.0])).tolist() == [9_998, 2]
    with pytest.raises(ParameterError, match="sum to 10,001, more than 10,000"):
        whole_weights(np.array([9_998.0, 3.0]))


def test_names_that_differ_in_spelling_only_are_pointed_out() -> None:
    said = "1 name differs between lists in case or blanks only, such as 'TP53' and 'tp53'.*write names"
    with pytest.warns(PyfsaggWarning, match=said):
        table = Rankings.from_lists([["TP53", "MYC"], ["tp53 ", "MYC"]])
    assert table.n_items == 3  # nothing is merged
    said = "in the version only, such as 'NM_000546.5' and 'NM_000546.6'"
    with pytest.warns(PyfsaggWarning, match=said):
        Rankings.from_lists([["NM_000546.5", "MYC"], ["NM_000546.6", "MYC"]])
    Rankings.from_lists([["a", "A"], ["A", "a"]])  # one list tells them apart
    Rankings.from_lists([["RP11-34P13.7", "b"], ["RP11-34P13.8", "b"]])  # no versions

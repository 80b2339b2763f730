"""Lists without an order beside ranked ones."""

from pathlib import Path

import numpy as np
import pytest

from pyfsagg import Rankings, aggregate
from pyfsagg.exceptions import DataError, InputTypeError, PyfsaggWarning
from pyfsagg.extending import AGGREGATORS

RANKED = {"first": ["a", "b", "c"], "second": ["b", "d"]}
LOOSE = {"hits": ["c", "e", "a"]}


def test_the_names_share_the_mean_rank_of_the_block() -> None:
    table = Rankings.from_lists(RANKED, universe=20, unranked=LOOSE)
    assert table.names == ("first", "second", "hits")
    ranks = table.to_frame()["hits"].dropna()
    assert ranks.to_dict() == {"a": 2.0, "c": 2.0, "e": 2.0}
    assert table.unranked.tolist() == [False, False, True]
    last = table._with_last_places().to_frame()["hits"].dropna()
    assert set(last) == {3.0}
    table = Rankings.from_lists([["a", "b"]], unranked=[{"b", "c"}, ["a"]])
    assert table.names == ("list1", "unranked1", "unranked2")
    assert table.unranked.tolist() == [False, True, False]  # one name alone has an order
    alone = Rankings.from_lists([], unranked=[["a", "b"], ["b", "c"]])
    assert aggregate(alone, "votes").select(1) == ["b"]


@pytest.mark.parametrize("spec", list(AGGREGATORS.own()), ids=lambda spec: spec.name)
def test_the_order_in_which_it_is_written_has_no_part(spec) -> None:  # type: ignore[no-untyped-def]
    assert spec.unranked
    if spec.input == "scores":
        assert spec.unranked == "refused"
        return
    names = list("abcdefgh")
    ranked = [names, names[::-1], list("cabdehfg")]
    found = [
        aggregate(Rankings.from_lists(ranked, unranked=[loose]), spec.name).statistic
        for loose in (["b", "e", "h"], ["h", "b", "e"])
    ]
    np.testing.assert_array_equal(found[0], found[1])


def test_files(tmp_path: Path) -> None:
    for name, names in {**RANKED, **LOOSE}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(names))
    paths = [tmp_path / f"{name}.txt" for name in RANKED]
    table = Rankings.from_files(paths, 20, unranked=tmp_path / "hits.txt")
    expected = Rankings.from_lists(RANKED, 20, unranked=LOOSE)
    assert (table.items, table.names) == (expected.items, expected.names)
    np.testing.assert_array_equal(table.ranks, expected.ranks)
    alone = Rankings.from_files([], unranked=paths)
    assert alone.unranked.all()


@pytest.mark.parametrize(
    ("loose", "error", "said"),
    [
        ({"hits": ["a", "b", "a"]}, DataError, "'a' occurs twice in the list 'hits'"),
        ({"hits": []}, DataError, "'hits' is empty"),
        ({"first": ["a"]}, DataError, "two lists have the name 'first'"),
        ({"hits": [("a", "b"), "c"]}, DataError, "contains a tie"),
        ({"hits": "abc"}, InputTypeError, "not a list of names"),
        ("abc", InputTypeError, "unranked must be a sequence of lists"),
        ({"hits": ["a", None]}, DataError, "missing or blank name"),
    ],
)
def test_bad_lists(loose: object, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        Rankings.from_lists(RANKED, unranked=loose)  # type: ignore[arg-type]


def test_bad_files_and_lists_that_share_no_name(tmp_path: Path) -> None:
    with pytest.warns(PyfsaggWarning, match="no name is in more than one list"):
        Rankings.from_lists([["a", "b"]], unranked=[["c", "d"]])
    (tmp_path / "hits.txt").write_text("a\nb\na\n")
    (tmp_path / "ranks.csv").write_text("g,l,r\na,1,2\nb,2,1\n")
    hits, ranks = tmp_path / "hits.txt", tmp_path / "ranks.csv"
    for files, loose, said in (
        ([], hits, "occurs twice in the list 'hits'"),
        (ranks, hits, r"is a matrix and .*hits\.txt an unranked list"),
        (hits, hits, "named twice"),
        ([], [], "no file was given"),
    ):
        with pytest.raises(DataError, match=said):
            Rankings.from_files(files, unranked=loose)
    with pytest.warns(PyfsaggWarning, match="omitted"):
        table = Rankings.from_files([], unranked=hits, duplicates="first")
    assert table.items == ("a", "b")

"""The report of a rank aggregation: what it says, and when."""

import re
from dataclasses import replace

import numpy as np
import pytest
from html_pages import Page

from pyfsagg._report.page import render_page
from pyfsagg.aggregation import aggregate, permutation_p_values
from pyfsagg.aggregation._call import compare_aggregations
from pyfsagg.aggregation._result import INDEPENDENCE
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.ranks import Rankings

TABLE = Rankings.from_lists([["a", "b", "c"], ["b", "a"], ["b", "d", "a"]])


def read(result, **options) -> Page:
    return Page(render_page(result._page(**options)))


def cells(page: Page, name: str) -> list[str]:
    return [row for _, row in page.rows if len(row) > 5 and row[1] == name][-1]


def test_table_holds_what_the_result_holds() -> None:
    result = aggregate(TABLE, "rra", p_adjust="bonferroni")
    page = read(result, top=2, data_name="votes")
    head, *rows = [row for _, row in page.rows if len(row) == 8]
    assert head[3:] == ["P-value", "Adjusted p", "In lists", "Best rank", "Median rank"]
    assert [row[1] for row in rows] == result.select(4)
    frame = result.to_frame()
    for row in rows:
        assert float(row[3]) == pytest.approx(frame.loc[row[1], "p_value"], abs=5e-5)
        assert float(row[4]) == pytest.approx(frame.loc[row[1], "adjusted_p_value"], abs=5e-5)
    assert cells(page, "b")[5:] == ["3", "1", "1"]
    assert "Rank aggregation of votes 3 lists, 4 items" in page.words
    assert "3 lists of 2 to 3 items (out of a universe of 4): 4 different items" in page.words
    assert "of which every list contains 2." in page.words
    assert "corrected across items (bonferroni), 4 of them" in page.words
    assert "adjusted over the 4 items that the lists contain" in page.words
    assert "adjusted over" not in read(result, adjusted=False).words


def test_p_values_come_with_their_assumption() -> None:
    result = aggregate(TABLE, "rra")
    words = read(result).words
    assert INDEPENDENCE in words
    assert "Permutation p-values can respect the dependence" in words
    assert INDEPENDENCE not in read(aggregate(TABLE, "mean_rank")).words


def test_a_universe_that_is_only_assumed_is_mentioned() -> None:
    sentence = "The universe is taken to be the 4 items that some list contains."
    lists = [["a", "b", "c"], ["b", "a"], ["b", "d", "a"]]
    for table, mentioned in (
        (TABLE, True),
        (Rankings.from_lists(lists, universe=9), False),
        (Rankings.from_lists(lists, absent="unknown"), False),
        (Rankings.from_lists([*lists, ["a", "b", "c", "d"]]), False),
        (Rankings.from_ranks([[1, 2, 3], [2, 1, 3]]), False),
    ):
        result = aggregate(table, "rra")
        assert (sentence in read(result).words) == mentioned
        told = result.summary_text(top=2).partition("The best 2.")[0]
        assert (sentence in " ".join(told.split())) == mentioned


def test_items_with_small_p_values_are_counted() -> None:
    lists = [[f"g{k}" for k in [0, 1, *range(10 * i, 10 * i + 8)]] for i in range(1, 5)]
    result = aggregate(Rankings.from_lists(lists, universe=500), "rra")
    small = int((result.to_frame()["adjusted_p_value"] <= 0.05).sum())
    assert small == 2
    sentence = "2 of 34 items have an adjusted p-value of at most 0.05."
    assert result._answer() == [sentence]
    assert sentence in read(result).words
    assert sentence in result.summary_text().partition("The best")[0]
    assert "at most 0.05" not in read(result, adjusted=False).words
    assert result._answer(adjusted=False) == aggregate(TABLE, "mean_rank")._answer() == []


def test_permutations_are_described() -> None:
    result = aggregate(TABLE, "rra")
    test = permutation_p_values(TABLE, "rra", n_permutations=9, random_state=0)
    page = read(replace(result, permutation=test))
    assert "come from 9 tables" in page.words
    assert "Permutation p-values can respect" not in page.words
    shown = float(cells(page, "b")[5])
    assert shown == pytest.approx(test.to_frame().loc["b", "p_value"], abs=5e-5)


def test_absent_items_are_explained() -> None:
    full = Rankings.from_lists([["a", "b", "c"], ["b", "a"]], absent="unknown")
    assert "has no rank in it" in read(aggregate(full, "rra")).words
    assert "counts as worse than all" in read(aggregate(TABLE, "rra")).words
    complete = Rankings.from_ranks([[1, 2, 3], [2, 1, 3]])
    assert "the same in all lists" in read(aggregate(complete, "rra")).words


def test_long_tables_and_many_lists() -> None:
    rng = np.random.default_rng(0)
    table = Rankings.from_scores(rng.random((61, 510)))
    page = read(aggregate(table, "mean_rank"))
    assert "The first 500 items are listed; 10 more are in aggregation.csv" in page.words
    assert "An item whose line is long" in page.words
    assert page.values("data-find") == ["item", "list"]


def test_names_are_harmless(hostile) -> None:
    table = Rankings.from_lists(dict.fromkeys(hostile, hostile))
    comparison = compare_aggregations(table, ["rra", "borda"])
    result = replace(comparison.results[0], others=comparison.results[1:])
    page = read(result, data_name=hostile[0], command=hostile[1], reading=[hostile[2]])
    assert page.tags.count("script") == 1
    assert "img" not in page.tags
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    ids = page.values("id")
    assert len(ids) == len(set(ids)), "identifiers of the pictures collide"
    listed = [row[1] for _, row in page.rows if len(row) == 8]
    for name in hostile:
        assert re.sub("[\x00\u202e]", "\ufffd", name) in listed


def test_bad_arguments() -> None:
    result = aggregate(TABLE, "rra")
    with pytest.raises(DataError, match="does not contain its lists"):
        replace(result, table=None)._page()
    with pytest.raises(ParameterError, match="top must be"):
        result._page(top=0)

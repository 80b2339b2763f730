"""Facts of a result: the terminal, the page and the record tell the same ones."""

import json
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from markupsafe import Markup
from results_of_all_kinds import RESULTS

import pyfsagg
from pyfsagg._report import page
from pyfsagg._run.result import Selecting
from pyfsagg.exceptions import ParameterError
from pyfsagg.extending import Result


@pytest.fixture(scope="module", params=RESULTS.values(), ids=RESULTS)
def result(request: Any) -> Result:
    made: Result = request.param()
    return made


def test_every_door_tells_the_same_facts(result: Result) -> None:
    facts = result._facts(result._options_in_force({}))
    assert result.summary_text() == page.render_text(facts)
    assert json.loads(result.to_json())["sentences"] == page.sentences_of(facts)
    if result._renderer().page is not None:
        summary = result._page().sections[0]
        assert (summary.id, list(summary.blocks)) == ("summary", facts)


LIMITS: dict[str, dict[str, Any]] = {
    "aggregation": {"n_features_to_select": 2},
    "committee": {"n_features_to_select": 2},
    "elimination": {"n_features_to_select": 0.3},
    "screen": {"side": "low", "fdr": 0.2},
    "studies": {},
    "unsupervised": {},
    "ensemble": {},
    "ensemble with a limit": {"max_false": 1.0},
}
"""How much a result that selects is asked to select."""


def test_every_result_is_read_in_the_same_way(result: Result, request: Any) -> None:
    assert result.sentences == tuple(json.loads(result.to_json())["sentences"])
    assert all(sentence.endswith((".", ":")) for sentence in result.sentences)
    assert isinstance(result.to_frame(), pd.DataFrame)
    name = request.node.callspec.id
    assert isinstance(result, Selecting) == (name in LIMITS)
    for method in ("select", "get_support"):
        assert hasattr(result, method) == (name in LIMITS)
    if isinstance(result, Selecting):
        items = np.array(getattr(result, result._selectable))
        names = result.select(**LIMITS[name])
        support = result.get_support(**LIMITS[name])
        assert (support.shape, support.dtype) == (items.shape, np.dtype(bool))
        assert sorted(names) == sorted(items[support])
        positions = result.get_support(indices=True, **LIMITS[name])
        np.testing.assert_array_equal(positions, np.flatnonzero(support))
        with pytest.raises((TypeError, ParameterError), match="no_such_limit"):
            result.get_support(no_such_limit=1)


def test_text_of_every_block() -> None:
    table = page.PageTable(
        "Two features.",
        [page.PageColumn("Feature", numeric=False), page.PageColumn("Score")],
        [["age", "−0.5"], ["weight", "12.0"]],
        "A note.",
    )
    text = page.render_text([page.Text("word " * 40), table])
    first, second = text.split("\n\n")
    assert max(map(len, first.splitlines())) <= page.WIDTH
    assert second.splitlines() == [
        "Two features.", "Feature  Score", "age       −0.5", "weight    12.0", "A note.",
    ]  # fmt: skip
    assert page.plain_text(Markup("<b>{}</b>: 95\u00a0%").format("a<b & c")) == "a<b & c: 95 %"
    assert page.plain_text("<b>") == "<b>"  # a name, and no markup
    assert page.plain_text("\x1b[31mred\u202e\n") == "\ufffd[31mred\ufffd\ufffd"
    records = page.Records("Settings.", [("Method", [("Seed", "0"), ("Resamples", "50")])])
    blocks = [records, page.Code("x = 1\ny = 2"), page.Enumeration([("Software", "pyfsagg")])]
    expected = "Settings.\nSeed       0\nResamples  50\n\n    x = 1\n    y = 2\n\nSoftware: pyfsagg"
    assert page.render_text(blocks) == expected


def test_the_level_of_noise_lies_between_what_is_told_apart_and_what_is_not() -> None:
    rng = np.random.default_rng(0)
    for seed, shift, real in ((0, 0.0, 4), (1, 1.0, 4), (2, 5.0, 12)):
        y = np.arange(60) % 2
        X = rng.normal(size=(60, 12)) + shift * y[:, np.newaxis] * (np.arange(12) < real)
        test = pyfsagg.wam(X, y, filter="spearman", n_resamples=10, random_state=seed).permutation
        assert test is not None
        above = test.p_values <= test.noise
        np.testing.assert_array_equal(above, test.above)


@pytest.mark.parametrize("width", [60, 80, 88])
def test_no_line_of_a_table_is_wider_than_the_terminal(width: int) -> None:
    """Heads take several lines, names give way in the middle, and numbers stay whole."""
    titles = ("Rank", "95 % set of the true rank", "Selected in %", "Median of the ranks")
    name = "a_very_long_name_of_a_feature_with_units_and_all_in_one_word"
    columns = [page.PageColumn("Feature", numeric=False), *map(page.PageColumn, titles)]
    table = page.PageTable("Caption.", columns, [(name, "1", "1 to 12", "100.0", "2.5")])
    text = page.render_text([table], width)
    assert max(map(len, text.splitlines())) <= width
    assert re.search(r"a_very.*….*word +1 +1 to 12 +100.0 +2.5$", text)
    short = page.PageTable("Caption.", columns, [("a", "1", "1 to 12", "100.0", "2.5")])
    words = " ".join(page.render_text([short], width).split())
    assert all(word in words for title in titles for word in title.split())

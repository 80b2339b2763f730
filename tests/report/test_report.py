"""The report: complete, harmless, self-contained and the same every time."""

import html
import io
import json
import os
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from html_pages import Page, open_in_browser

from pyfsagg import load_dataset, wam
from pyfsagg._base.words import numbers, percentages, ranks
from pyfsagg.ensemble.data import best_first, frequencies, over_resamples
from pyfsagg.exceptions import DataError
from pyfsagg.extending import number, setting

WINE = load_dataset("wine")


@pytest.fixture(scope="module")
def result(make: Any, bam_filters: Any) -> Any:
    return make(filters=bam_filters, dropped=["constant"])


@pytest.fixture(scope="module")
def page(result: Any) -> Page:
    text = result.to_html(
        n_features_to_select=0.25, command="rank 'my table.csv' --target class", data_name="table"
    )
    return Page(text)


def test_every_feature_is_listed_with_its_numbers(
    page: Page, result: Any, bam_filters: Any
) -> None:
    frame = result.to_frame(result.selection(0.25))
    rows = [(mark, cells) for mark, cells in page.rows if len(cells) == 13][1:]
    assert [cells[1] for _, cells in rows] == list(frame.index)
    assert [mark for mark, _ in rows] == ["selected"] * 3 + [None] * 9
    assert [cells[2] for _, cells in rows] == ["yes"] * 3 + ["no"] * 9
    assert [cells[3] for _, cells in rows] == result.selection(0.25).frame["status"].tolist()
    cells = np.array([read_cells(cells) for _, cells in rows])
    scores = [f"mean_{name}" for name in bam_filters]
    shares = ["selection_frequency", "frequency_lower", "frequency_upper"]
    expected = frame[
        ["rank", "score", "rank_median", "rank_lower", "rank_upper", *shares, *scores]
    ].copy()
    expected[shares] *= 100
    assert cells.shape == expected.shape
    printed = np.array([5e-5, 5e-5, *[0.05] * 6, *[5e-4] * 4])
    assert (np.abs(cells - expected.to_numpy()) <= printed + 1e-9).all()


def read_cells(cells: list[str]) -> list[float]:
    """The numbers of a row, without the name, whether it is selected, and the status."""
    text = " ".join([cells[0], *cells[4:]]).replace("−", "-").replace(" to ", " ")
    return [float(part) for part in text.split()]


def test_what_was_done_and_found_is_said(page: Page) -> None:
    words = page.words
    for part in (
        "Feature ranking of table",
        "1,234 samples, 12 features, 2 classes in the target class",
        "between-aggregation (BAM)",
        "The filters information gain, symmetric uncertainty, mrmr and chi squared",
        "(bad: 617 and good: 617)",
        "40 resamples (bootstrap: draws as many rows as the table has, with replacement)",
        "1 feature with almost no variation was dropped",
        "3 of 12 features are selected (the best 25 %, rounded up)",
        "pyfsagg rank 'my table.csv' --target class",
        "0123456789abcdef" * 4,
        "20240607",
    ):
        assert part in words


def test_stability_has_a_line_per_measure_with_range_and_direction(page: Page, result: Any) -> None:
    lines = {cells[0]: cells for _, cells in page.rows if len(cells) == 9}
    assert {"Pearson", "Spearman", "Jaccard", "Canberra", "ASD"} <= set(lines)
    assert lines["Spearman"][2:4] == ["[−1, 1]", "larger"]
    assert lines["Canberra"][3] == lines["ASD"][3] == "smaller"
    assert lines["ASD"][2] == "[0, ∞)"
    table = result.stability()
    found = [float(cell.replace("−", "-")) for cell in lines["Pearson"][4:]]
    assert found == pytest.approx(table["pearson"].tolist(), abs=5e-4)


def test_every_parameter_and_version_is_in_the_settings(page: Page, result: Any) -> None:
    names = {cells[0]: cells[1] for _, cells in page.rows if len(cells) == 2}
    assert names["Aggregator"] == "arithmetic_mean"
    assert names["Resamples"] == "40"
    assert names["Dropped features"] == "constant"
    assert names["Samples per class"] == "bad: 617; good: 617"
    assert set(result.versions) <= set(names)
    recorded = len(result.parameters) - 1 + len(result.data) + len(result.versions)
    more = 3 + 2  # groups; threshold and method
    assert sum(len(c) in (1, 2) for _, c in page.rows) == more + recorded


@pytest.mark.usefixtures("composed")
def test_unknown_parameters_are_shown_too(make: Any) -> None:
    page = Page(make(colour_of_the_day={"a": 1, "b": [2, 3]}).to_html())
    assert ["colour of the day", "a: 1; b: 2, 3"] in [cells for _, cells in page.rows]


def test_names_are_harmless(make: Any, hostile: Any) -> None:
    result = make(
        names=hostile,
        classes=["<b>bold</b>", "&amp;"],
        target="<i>target</i>",
        dropped=["<script>alert(2)</script>"],
    )
    attack = "rank '<script>alert(3)</script>.csv' </code></pre>"
    text = result.to_html(command=attack, data_name="</title><script>alert(4)</script>")
    page = Page(text)
    assert text.count("<script>") == 1
    assert page.tags.count("script") == 1 + page.values("type").count("application/json")
    assert "img" not in page.tags
    assert not {"b", "i"} & set(re.findall(r"<(b|i)>(?:bold|target)", text))
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    listed = [cells[1] for _, cells in page.rows if len(cells) > 2]
    for name in hostile:
        assert re.sub("[\x00\u202e]", "\ufffd", name) in listed
    assert "{{ 7 * 7 }}" in page.words
    assert attack in page.words


def test_nothing_is_loaded_from_elsewhere(page: Page) -> None:
    links = page.values("href") + page.values("src") + page.values("xlink:href")
    assert links
    assert all(link.startswith("#") or link == "data:," for link in links)
    ids = page.values("id")
    assert len(ids) == len(set(ids)), "identifiers of the pictures collide"
    assert {link[1:] for link in links if link.startswith("#")} <= set(ids)
    clips = {ref for value in page.values("clip-path") for ref in re.findall(r"#([^)]*)", value)}
    assert clips
    assert clips <= set(ids)


def test_no_address_outside_the_text(result: Any) -> None:
    text = result.to_html()
    assert not re.search(r"(?:https?:)?//[a-z]", re.sub(r">[^<]*<", "><", text))
    assert "@import" not in text
    assert "url(http" not in text


def test_own_plot_style_does_not_reach_the_report(make: Any) -> None:
    from matplotlib import rc_context

    plain = make().to_html()
    with rc_context({"axes.facecolor": "red", "font.size": 30, "svg.fonttype": "path"}):
        assert make().to_html() == plain


@pytest.mark.usefixtures("composed")
def test_threshold_may_be_a_numpy_number(make: Any) -> None:
    for given, plain in ((np.int64(3), 3), (np.float64(0.5), 0.5)):
        page = make().to_html(n_features_to_select=given)
        assert page == make().to_html(n_features_to_select=plain)


@pytest.mark.usefixtures("composed")
def test_long_tables_say_where_the_rest_is(make: Any) -> None:
    text = make(names=520, n_resamples=5).to_html()
    page = Page(text)
    assert sum(len(cells) == 10 for _, cells in page.rows) == 501
    assert "The first 500 features are listed; the search also finds" in page.words
    (store,) = re.findall(r'data-hidden="table-\d+">(.*?)</script>', text)
    frame = make(names=520, n_resamples=5).to_frame()
    rest = json.loads(store)
    assert [name for name, _ in rest] == frame.index[500:].tolist()
    assert rest[-1][1].startswith(f"rank {frame['rank'].iloc[-1]:g}")
    many = make(names=620, n_resamples=5).to_html(n_features_to_select=600)
    assert sum(len(cells) == 10 for _, cells in Page(many).rows) == 601


@pytest.mark.usefixtures("composed")
def test_names_in_what_the_search_finds_are_harmless(make: Any) -> None:
    names = [f"f{i}" for i in range(501)] + ["</script><script>alert(1)</script>"]
    text = make(names=names, n_resamples=5).to_html()
    assert "<script>alert" not in text


@pytest.mark.usefixtures("composed")
def test_the_summary_answers_first(make: Any) -> None:
    result = make(names=40, n_resamples=20)
    text = result.to_html(n_features_to_select=12)
    front = text[text.index('<section class="answer"') : text.index("</section>")]
    frequency = result.to_frame(result.selection(12))["selection_frequency"]
    assert "<p><b>12 of 40 features are selected.</b> " in front
    assert front.count("<svg") == 1
    rows = re.findall(r'<tr class="selected.*?</tr>', front)
    assert len(rows) == 12
    assert f'<div class="name">{frequency.index[0]}</div>' in rows[0]
    assert f"<td>{frequency.iloc[0]:.0%}</td>" in rows[0]
    words = text[text.index('id="details"') :]
    first = words[words.index("<p>") : words.index("</p>")]
    assert first.startswith("<p><b>12 of 40 features are selected:</b>")
    assert f"{frequency.index[0]} ({100 * frequency.iloc[0]:.0f}\u00a0%)" in first
    assert "and 2 more" in first


def test_size_stays_small(make: Any, bam_filters: Any) -> None:
    text = make(names=300, n_resamples=20, filters=bam_filters).to_html()
    assert len(text.encode()) < 2_000_000


@pytest.mark.parametrize(
    "options",
    [{"names": 2}, {"n_resamples": 2}, {"scores": -np.eye(12)}, {"aggregator": "borda"}],
    ids=["two features", "two resamples", "negative", "ranks"],
)
def test_unusual_results(make: Any, options: dict[str, Any]) -> None:
    page = Page(make(**options).to_html(n_features_to_select=1))
    assert "1 of " in page.words


@pytest.mark.usefixtures("composed")
def test_undefined_stability_is_explained(make: Any) -> None:
    page = Page(make(scores=np.ones((4, 12))).to_html())
    assert "The stability of this run is not defined: " in page.words


@pytest.mark.usefixtures("composed")
def test_resamples_left_out_of_the_stability_are_mentioned(make: Any) -> None:
    scores = np.vstack([np.arange(12.0), np.arange(12.0) ** 2, np.ones(12)])
    page = Page(make(scores=scores).to_html())
    assert "Note. 1 of 3 resamples have the same score for all features" in page.words


@pytest.mark.usefixtures("composed")
def test_the_code_of_the_page_gives_the_same_result() -> None:
    options = {"filter": "chi_squared", "filter_params": {"bins": 5}, "n_resamples": 4}
    result = wam(WINE.X, WINE.y, **options, random_state=3)
    code = result.repeat(n_features_to_select=0.5)
    page = Page(result.to_html(n_features_to_select=0.5, command="demo"))
    assert "# X: table of 178 samples and 13 features # y: labels, called" in page.words
    assert all(line.strip() in page.words for line in code.splitlines())
    space: dict[str, Any] = {"X": WINE.X, "y": WINE.y}
    exec(code, space)
    assert space["result"].scores.tolist() == result.scores.tolist()
    assert space["selected"] == result.select(0.5)


@pytest.mark.usefixtures("composed")
def test_a_page_without_a_recorded_call_has_no_code(make: Any) -> None:
    result = make()
    del result.parameters["call"]
    assert "import pyfsagg" not in result.to_html(command="demo")
    with pytest.raises(DataError, match="was not recorded"):
        result.repeat()


def test_sources_are_cited(page: Page) -> None:
    from pyfsagg.extending import AGGREGATORS, FILTERS

    assert "R. E. Salman (2022)" in page.words
    assert "pyfsagg, version 0.1.0" in page.words
    for spec in (*map(FILTERS.get, ("mrmr", "chi_squared")), AGGREGATORS.get("arithmetic_mean")):
        assert spec.source in page.words


def test_write_report(result: Any, tmp_path) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")
    assert result.report(path, n_features_to_select=3, command="demo") == path
    assert path.read_bytes() == result.to_html(n_features_to_select=3, command="demo").encode()
    assert os.listdir(tmp_path) == ["report.html"]


@pytest.mark.usefixtures("composed")
def test_file_name_that_is_not_unicode(result: Any, tmp_path) -> None:
    result.report(tmp_path / "r.html", command="rank caf\udce9.csv")
    assert "rank caf\ufffd.csv" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_formats() -> None:
    assert number(-0.0001, 2) == "0.00"
    assert number(-1234.5, 1) == "−1,234.5"
    assert number(float("nan")) == "–"
    assert numbers([0.0, 0.0]) == ["0.000", "0.000"]
    assert numbers([123456.7, 1.0]) == ["123,457", "1"]
    assert numbers([1.23456e-9, float("nan")]) == ["1.235e−09", "–"]
    assert ranks([1.0, 2.0]) == ["1", "2"]
    assert ranks([1.0, 2.475]) == ["1.0", "2.5"]
    assert percentages([0.0, 1.0, 0.12345]) == ["0.0", "100.0", "12.3"]
    assert setting({}) == setting([]) == setting(None) == "none"
    assert setting({"mrmr": {"bins": 3}}) == "mrmr: bins = 3"
    assert setting(2**62 + 1) == "4611686018427387905"


@pytest.mark.browser
def test_browser_has_nothing_to_complain_about(make, bam_filters, hostile, tmp_path):
    result = make(names=hostile, filters=bam_filters)
    path = result.report(tmp_path / "report.html", command="demo", data_name=hostile[1])
    done = open_in_browser(path, tmp_path / "profile")
    assert done.returncode == 0, done.stderr
    assert "CONSOLE" not in done.stderr, done.stderr
    # The script ran: headings of the table are buttons, one saves it, each code has one to copy it.
    drawn = done.stdout.count("<svg")
    assert drawn == 7
    tables = done.stdout.count('<table class="ranking')
    of_tables = 10 + 1 + tables + 1  # heads, saved, copied, and the number as it was
    assert done.stdout.count("<button") == of_tables + drawn + done.stdout.count("<pre") + 1
    assert 'type="search"' in done.stdout


@pytest.mark.browser
def test_browser_refuses_any_other_script(make: Any, tmp_path) -> None:
    """The page's own policy is a second wall, should escaping ever fail; and the log is read."""
    path = make().report(tmp_path / "report.html")
    injected = "<script>document.title = 'taken'</script></body>"
    path.write_text(path.read_text(encoding="utf-8").replace("</body>", injected), encoding="utf-8")
    done = open_in_browser(path, tmp_path / "profile")
    assert "CONSOLE" in done.stderr
    assert "<title>taken</title>" not in done.stdout


@pytest.mark.browser
def test_what_has_no_row_is_found_and_a_table_is_saved(make: Any, tmp_path) -> None:
    names = ["=1+1", 'a"b,c', *(f"g{i}" for i in range(2, 600))]
    result = make(names=names, n_resamples=5)
    last = result.to_frame().index[-1]
    press = f"""<script>
      const input = document.querySelector("input[type=search]");
      input.value = {last!r};
      input.dispatchEvent(new Event("input"));
      const told = document.querySelector(".tools output").textContent;
      window.Blob = function (parts) {{ document.title = JSON.stringify([told, parts[0]]); }};
      URL.createObjectURL = () => "#";
      const buttons = Array.from(document.querySelectorAll("button"));
      buttons.find((each) => each.textContent === "Save as CSV").click();
    </script></body>"""
    page = result.to_html().replace("Content-Security-Policy", "none")
    path = tmp_path / "report.html"
    path.write_text(page.replace("</body>", press), encoding="utf-8")
    done = open_in_browser(path, tmp_path / "profile")
    title = re.search("<title>(.*?)</title>", done.stdout, re.DOTALL)
    told, saved = json.loads(html.unescape(title[1]))
    assert re.fullmatch(rf"\d+ of 600; {last}: rank 600, score [\d.]+, out", told)
    frame = pd.read_csv(io.StringIO(saved))
    assert len(frame) == 500
    shown = ["'=1+1" if name == "=1+1" else name for name in result.to_frame().index[:500]]
    assert frame["Feature"].tolist() == shown


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_frequencies_of_many_sizes_are_those_of_each_size(make: Any, missing: float) -> None:
    """With ties, and where resamples saw only some of the features."""
    rng = np.random.default_rng(1)
    scores = rng.integers(0, 4, size=(30, 9)).astype(float)
    if missing:
        scores[rng.random(scores.shape) < missing] = np.nan
    run = make(names=9, scores=scores)
    best = best_first(run)[:5]
    found = frequencies(run, best, 7)
    for k in range(1, 8):
        expected = over_resamples(run, k)["selection_frequency"].to_numpy()[best]
        np.testing.assert_allclose(found[k - 1], expected, rtol=1e-12)


@pytest.mark.usefixtures("composed")
def test_where_nothing_is_selected_the_page_says_why_and_what_is_nearest() -> None:
    X = np.random.default_rng(0).normal(size=(40, 12))
    run = wam(X, np.arange(40) % 2, filter="spearman", n_resamples=10, random_state=0)
    assert run.permutation is not None
    nearest = run.permutation.to_frame().iloc[0]
    text = run.to_html()
    front = text[text.index('<section class="answer"') : text.index("</section>")]
    said = (
        "<b>No feature is selected.</b> No feature can be distinguished from noise, which does not"
    )
    assert said in front
    assert f"the nearest is {nearest.name} (family-wise p-value" in front
    assert "would select 0." in text

"""Pages of every kind in a browser: on a desk, on a telephone and on paper; pointed at and printed.

One browser opens all of them.  What is cut off or lies over something else is measured; axe-core looks
for barriers; the console stays silent.
"""

import re
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from browser import Browser, axe
from command_line import words

import pyfsagg
import pyfsagg_papers as reproduce
from pyfsagg.cli import main
from pyfsagg.extending import Result, data_folder
from pyfsagg.extending import number as number_
from pyfsagg_papers import CrossCheck

pytestmark = pytest.mark.browser

BOXES = Path(__file__).parents[1] / "support" / "page_boxes.js"
RUNS = {
    "rank": "rank table.csv --target kind --filters ig,mrmr,cs,su --n-resamples 12 --max-false 1",
    "aggregate": "aggregate a.txt b.txt c.txt --universe 90 --methods rra,borda,mean_rank",
    "agreement": "agreement a.txt b.txt c.txt --pilot 3",
    "studies": "studies study1.csv study2.csv study3.csv --evidence ranks --statistic z --item gene",
    "lists": "influence --lists votes6.csv --folds 3",
    "screen": "screen guides.csv --item gene --score z --alpha 0.2 --null uniform",
    "standings": "standings scores.csv",
    "metrics": "standings scores.csv losses.csv --losses losses",
    "stability": "stability a.txt b.txt c.txt --n-features 90",
    "influence": "influence table.csv --target kind --filters ig --folds 4 --n-resamples 4 --jobs 1",
    "evaluate": "evaluate table.csv --target kind --methods su,cs --classifiers nb --thresholds 2,4 "
    "--n-resamples 3 --n-folds 3 --jobs 1",
    "committee": "committee table.csv --target kind --learners lr --n-features 3 --n-resamples 3 --jobs 1",
    "vote": "vote votes.csv --selection features --learner who --performance accuracy",
    "order": "order table.csv --target kind --method spoilers --accuracy 5 --jobs 1",
    "unsupervised": "unsupervised table.csv --classes kind --n-clusterings 8 --trials 2 --jobs 1",
}
LOOKS = ((1280, "screen", "light"), (390, "screen", "dark"), (718, "print", "light"))


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory):
    opened = Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Inputs of all runs; names are as long as those of users."""
    folder = tmp_path_factory.mktemp("tables")
    data = pyfsagg.load_dataset("wine")
    few = data.X.iloc[::4, :7].rename(columns={"ash": "nonflavanoid_phenols_of_the_third_vintage"})
    few = (few - few.mean()) / few.std()
    few.assign(kind="k" + data.y.astype(str)).to_csv(folder / "table.csv", index=False)
    rng = np.random.default_rng(4)
    guides = pd.DataFrame({"gene": np.repeat([f"gene-{i}" for i in range(90)], 3)})
    guides["z"] = rng.standard_normal(len(guides)).round(2)
    guides.to_csv(folder / "guides.csv", index=False)
    for k in (1, 2, 3):
        z = rng.standard_normal(300) + 6.0 * (np.arange(300) < 4)
        study = {"gene": [f"gene-{j}-with-a-long-name" for j in range(300)], "z": z, "logFC": z / 3}
        pd.DataFrame(study).to_csv(folder / f"study{k}.csv", index=False)
    orders = pd.DataFrame({f"judge {k}": rng.permutation(12) + 1 for k in range(6)})
    orders.rename(index="item {}".format).to_csv(folder / "votes6.csv", index_label="item")
    boards = rng.normal(size=(24, 6)) + np.array([2.0, 1.5, 1.0, 0.0, 0.0, 0.0])
    boards[3, 2] = np.nan
    names = ["a method with a name as long as those of papers are", *"bcdef"]
    pd.DataFrame(boards, columns=names).to_csv(folder / "scores.csv", index=False)
    pd.DataFrame(-boards, columns=names).to_csv(folder / "losses.csv", index=False)
    votes = {"who": ["lr", "rf"] * 6, "accuracy": rng.random(12).round(3)}
    chosen = [" ".join(rng.choice(few.columns, 3, replace=False)) for _ in range(12)]
    pd.DataFrame(votes).assign(features=chosen).to_csv(folder / "votes.csv", index=False)
    for name in "abc":
        order = np.argsort(np.arange(60) + 6 * rng.standard_normal(60))[:20]
        (folder / f"{name}.txt").write_text("".join(f"gene {j}\n" for j in order))
    return folder


class Pages:
    """A page of each kind, made when it is first asked for."""

    def __init__(self, tables: Path, folder: Path) -> None:
        self.tables, self.folder = tables, folder

    def __getitem__(self, kind: str) -> Path:
        output = self.folder / kind.replace(" ", "-")
        page = output / "report.html"
        if page.is_file():
            return page
        if kind in SHIPPED:
            output.mkdir()
            SHIPPED[kind]().report(page)
            return page
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.tables)
            patch.setattr("sys.argv", ["pyfsagg", *words(RUNS[kind])])
            assert main([*words(f"{RUNS[kind]} --quiet"), "--output", str(output)]) == 0
        return page


@pytest.fixture(scope="module")
def pages(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Pages:
    return Pages(tables, tmp_path_factory.mktemp("pages"))


def short(found):
    """The first rows of every table, and one with the longest cell of each column: axe-core needs half a
    minute for a thousand rows that are built alike."""
    rows = found.rows
    longest = [rows[name].astype(str).str.len().idxmax() for name in rows]
    first = rows.groupby(["topic", "simulation"], sort=False).cumcount() < 3
    return replace(found, rows=rows[first | rows.index.isin(longest)])


SHIPPED: dict[str, Callable[[], Result]] = {
    "cross-check": lambda: CrossCheck.load(data_folder() / "validation" / "cross_check.json"),
    "reproduce all": lambda: reproduce.shipped_run("quick"),
    "reproduce stuart": reproduce.shipped_stuart,
    "reproduce calibration": lambda: short(reproduce.shipped_calibration()),
    "reproduce gene-lists": reproduce.shipped_gene_lists,
    "reproduce aggregator-choice": reproduce.shipped_aggregator_choice,
}
"""Runs that come with the package: to compute them takes hours, or R."""


BARRIERS = (  # only what is wrong is described: half the time
    "axe.run({ resultTypes: ['violations'] }).then(found => found.violations.map(each => each.id))"
)
PRESS = "[...document.querySelectorAll('button')].find(each => each.textContent === '{}').click()"
KEEP = "URL.createObjectURL = (blob) => { window.kept = blob.text(); return '#'; }; 0"
OPEN = "document.querySelectorAll('details').forEach(each => { each.open = true })"


@pytest.mark.parametrize("kind", [*RUNS, *SHIPPED])
def test_nothing_is_cut_or_hidden_and_nobody_shut_out(kind, pages, browser, tmp_path):
    """One worker makes a page and looks at it on a desk, on a telephone and on at most five sheets."""
    for width, media, scheme in LOOKS:
        with browser.page(pages[kind], width, media=media, scheme=scheme) as page:
            assert page.run(BOXES.read_text("utf-8")) == []
            if media == "print":
                sheets = printed(page.pdf(tmp_path / "page.pdf"))
                assert 1 <= len(sheets) <= 5
                assert "Open all" not in sheets[0]
            page.run(OPEN)
            assert page.run(BOXES.read_text("utf-8")) == []
            assert page.complaints() == []
            if media == "screen":
                page.run(axe())
                assert page.run(BARRIERS) == []


def test_the_measure_finds_what_is_cut_or_hidden(browser: Browser, tmp_path: Path) -> None:
    """The boxes of a page with one mistake of each kind."""
    (tmp_path / "bad.html").write_text(
        "<!DOCTYPE html><html lang=en><title>t</title><body style='margin:0'><main>"
        "<p style='width:2000px'>too wide</p><p>first</p><p style='margin-top:-30px'>second</p>"
        "<table style='width:30px;table-layout:fixed'><tr><td style='overflow:hidden'>"
        "unbreakable</table>"
        "<svg viewBox='0 0 100 50' width=100 height=50><text x='90' y='20'>outside</text>"
        "<text x='5' y='40'>one</text><text x='8' y='40'>two</text></svg></main>"
    )
    with browser.page(tmp_path / "bad.html") as page:
        found = " ".join(page.run(BOXES.read_text("utf-8")))
    for part in (
        "the page is 2000 pixels wide",
        "<p> too wide",
        "over another: <p> first and <p> second",
        "cut in a cell: <td> unbreakable",
        "cut in picture 1: outside",
        "over another in picture 1: one and two",
    ):
        assert part in found


# --- the first screen ------------------------------------------------------------------------
@pytest.mark.parametrize("width", [1280, 390])
def test_the_first_screen_has_sentence_picture_and_table(width, pages, browser):
    """On a telephone at least the first three rows; all else is folded."""
    with browser.page(pages["rank"], width) as page:
        height, answer, picture, rows = page.run(
            "[innerHeight, ...['.answer > p', '.answer figure svg'].map("
            "each => document.querySelector(each).getBoundingClientRect().bottom), "
            "[...document.querySelectorAll('.answer tbody tr')].map("
            "each => each.getBoundingClientRect().bottom)]"
        )
        assert answer < picture < height
        assert sum(bottom <= height for bottom in rows) >= 3
        folds = page.run("[...document.querySelectorAll('details')].map(each => each.open)")
    assert len(folds) > 8
    assert not any(folds)


def test_a_link_opens_what_it_leads_to(pages: Pages, browser: Browser) -> None:
    seen = "(() => { const at = document.getElementById('ranking'); return [at.closest('details').open,"
    seen += " Math.abs(at.getBoundingClientRect().top) < innerHeight] })()"
    with browser.page(pages["rank"]) as page:
        assert page.run(seen)[0] is False
        page.run("document.querySelector('.answer a[href=\"#ranking\"]').click()")
        page.run("new Promise(done => setTimeout(done, 50))")
        assert page.run(seen) == [True, True]
        page.run(PRESS.format("Open all"))
        assert page.run("document.querySelectorAll('details:not([open])').length") == 0
        assert page.complaints() == []


def test_the_number_of_features_can_be_moved_with_keys(pages: Pages, browser: Browser) -> None:
    """Rows, frequencies and the sentence follow, and come back."""
    run = pyfsagg.load_result(pages["rank"].parent)
    state = """(() => {
      const rows = [...document.querySelectorAll('.answer tbody tr')];
      return [rows.filter(row => row.classList.contains('selected')).length,
        rows.map(row => row.cells[3].textContent), document.querySelector('.told-of').textContent,
        document.querySelector('.answer input[type=number]').value] })()"""
    with browser.page(pages["rank"]) as page:
        before = page.run(state)
        assert before[2] == ""
        page.run("document.querySelector('.answer input[type=range]').focus()")
        page.key("Home")
        page.key("ArrowRight")
        number, shares, told, value = page.run(state)
        assert (number, value) == (2, "2")
        frame = run.to_frame(run.selection(2))
        assert shares == [f"{share:.0%}" for share in frame["selection_frequency"]]
        agreement = run.between_sample_stability(run.selection(2)).estimates.loc[
            "nogueira", "estimate"
        ]
        assert told.startswith(f"The best 2: two samples would agree to {number_(agreement, 2)} (")
        above = run.permutation.above[[run.feature_names.index(name) for name in frame.index[:2]]]
        assert f"{above.sum()} distinguishable from noise" in told
        page.run(PRESS.format("As selected"))
        assert page.run(state) == before
        assert page.complaints() == []


def test_a_picture_is_saved_as_a_file_of_its_own(pages: Pages, browser: Browser) -> None:
    with browser.page(pages["rank"]) as page:
        page.run(KEEP)
        page.run("document.querySelector('figcaption button').click()")
        drawn = page.run("window.kept")
    root = ElementTree.fromstring(drawn)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root[0].text == "Figure 1. Effect and stability"
    assert "data-points" not in root.attrib


# --- pointing at a picture -------------------------------------------------------------------
TOLD = "[...document.querySelectorAll('output.told:not([hidden])')].map(each => each.textContent)"
FIRST_POINT = """(() => {
  const svg = document.querySelector("svg[data-points]");
  svg.scrollIntoView({ block: "center" });
  const [sentences, points] = JSON.parse(svg.dataset.points);
  const area = svg.getBoundingClientRect();
  const scale = area.width / svg.viewBox.baseVal.width;
  const [x, y, sentence, ...words] = points[2];
  const text = sentences[sentence].replace(/\\{(\\d)\\}/g, (_, word) => words[word]);
  return [area.left + x * scale, area.top + y * scale, text];
})()"""


@pytest.mark.parametrize("width", [1280, 390])
def test_a_picture_tells_its_points(width: int, pages: Pages, browser: Browser) -> None:
    """To the mouse and to a finger, and to the keys; and is silent again."""
    with browser.page(pages["rank"], width) as page:
        x, y, text = page.run(FIRST_POINT)
        assert re.fullmatch(r"\w+: Evidence [\d.]+ \((not )?selected\)", text)
        assert page.run(TOLD) == []
        point = page.mouse if width > 500 else page.tap
        point(x + 2, y + 2)
        assert page.run(TOLD) == [text]
        assert page.run("document.querySelectorAll('circle.ring').length") == 1
        inside = page.run(
            "(() => { const box = document.querySelector('output.told:not([hidden])')"
            ".getBoundingClientRect(); return box.left >= 0 && box.right <= innerWidth })()"
        )
        assert inside
        point(x + 200 if x < width / 2 else x - 200, y - 300)
        assert page.run(TOLD) == []
        page.run("document.querySelector('.picture').focus()")
        for key, number in (("ArrowRight", 0), ("ArrowRight", 1), ("ArrowLeft", 0), ("End", -1)):
            page.key(key)
            (told,) = page.run(TOLD)
            names = page.run(
                "JSON.parse(document.querySelector('svg[data-points]').dataset.points)[1]"
            )
            assert told.startswith(f"{names[number][3]}: "), key
        page.key("Escape")
        assert page.run(TOLD) == []
        assert page.complaints() == []


# --- print -----------------------------------------------------------------------------------
def test_titles_of_a_long_table_are_on_every_printed_page(pages, browser, tmp_path):
    with browser.page(pages["screen"], media="print") as page:
        heads = page.run(
            "[...document.querySelector('table[data-find]').tHead.rows[0].cells].map(each =>"
            " (each.querySelector('.plain') || each).textContent)"
        )
        rows = page.run("document.querySelectorAll('table[data-find]')[0].tBodies[0].rows.length")
        page.run("document.querySelectorAll('.screen').forEach("
                 "each => each.classList.remove('screen'))")  # fmt: skip
        page.run(OPEN)
        sheets = printed(page.pdf(tmp_path / "page.pdf"))
    assert (len(heads), rows) == (10, 90)
    with_rows = [sheet for sheet in sheets if len(re.findall(r"gene-\d+ \d of \d", sheet)) > 5]
    assert len(with_rows) >= 2
    for sheet in with_rows:
        assert " ".join(heads) in " ".join(sheet.split())
    assert "Find a gene" not in " ".join(sheets)


BROKEN = """[...document.querySelectorAll('table.ranking')].flatMap(table => {
  const cells = [...table.querySelectorAll('thead th, tbody td')];
  return cells.flatMap(cell => {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), broken = [];
    for (let node; (node = walker.nextNode());)
      for (const word of node.data.matchAll(/[^ ]+/g)) {
        const range = document.createRange();
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        const lines = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
        if (lines.size > 1) broken.push(word[0]);
      }
    return broken;
  });
})"""
"""Words of tables that stand on more than one line."""


@pytest.mark.parametrize("kind", ["rank", "screen", "aggregate"])
def test_no_number_is_broken_on_paper(pages: Pages, browser: Browser, kind: str) -> None:
    with browser.page(pages[kind], width=718, media="print") as page:
        page.run(OPEN)
        assert page.run("document.querySelectorAll('table.ranking tbody td').length") > 50
        assert page.run(BROKEN) == []


def test_a_table_saved_from_the_page_has_each_title_once(pages: Pages, browser: Browser) -> None:
    with browser.page(pages["screen"]) as page:
        page.run(KEEP)
        page.run(PRESS.format("Save as CSV"))
        lines = page.run("window.kept").splitlines()
    assert lines[0].startswith("Rank,Gene,Guides that count,")
    assert len(lines) == 91


def printed(pdf: bytes) -> list[str]:
    """The words on each sheet of a file that Chromium printed."""
    parts = {int(n): body for n, body in re.findall(rb"(\d+) 0 obj\b(.*?)endobj", pdf, re.DOTALL)}
    sheets = []
    for body in parts.values():
        if not re.search(rb"/Type\s*/Page\b", body):
            continue
        fonts = {}
        for block in re.findall(rb"/Font\s*<<(.*?)>>", body, re.DOTALL):
            for name, number in re.findall(rb"/(\w+)\s+(\d+) 0 R", block):
                letters = re.search(rb"/ToUnicode\s+(\d+) 0 R", parts[int(number)])
                fonts[name] = _letters(_stream(parts[int(letters[1])])) if letters else {}
        content = re.search(rb"/Contents\s+(\d+) 0 R", body)
        sheets.append(_words(_stream(parts[int(content[1])]), fonts))
    return sheets


def _stream(body: bytes) -> bytes:
    found = re.search(rb"stream\r?\n(.*)endstream", body, re.DOTALL)
    return zlib.decompressobj().decompress(found[1]) if found else b""


def _letters(table: bytes) -> dict[int, str]:
    """What the numbers of the signs of a font stand for."""
    found = {}
    for block in re.findall(rb"beginbfchar(.*?)endbfchar", table, re.DOTALL):
        for sign, text in re.findall(rb"<(\w+)>\s*<(\w+)>", block):
            found[int(sign, 16)] = bytes.fromhex(text.decode()).decode("utf-16-be", "replace")
    for block in re.findall(rb"beginbfrange(.*?)endbfrange", table, re.DOTALL):
        for first, last, text in re.findall(rb"<(\w+)>\s*<(\w+)>\s*<(\w+)>", block):
            for step, sign in enumerate(range(int(first, 16), int(last, 16) + 1)):
                found[sign] = chr(int(text, 16) + step)
    return found


def _words(content: bytes, fonts: dict[bytes, dict[int, str]]) -> str:
    text, letters = "", {}
    operators = rb"/(\w+)\s+[\d.]+\s+Tf|<([0-9A-Fa-f]+)>\s*Tj|\[(.*?)\]\s*TJ|(ET)"
    for font, signs, row, end in re.findall(operators, content, re.DOTALL):
        if font:
            letters = fonts.get(font, {})
        for each in [signs] if signs else re.findall(rb"<([0-9A-Fa-f]+)>", row):
            codes = [int(each[i : i + 4], 16) for i in range(0, len(each), 4)]
            text += "".join(letters.get(code, "?") for code in codes)
        text += " " if end else ""
    return text

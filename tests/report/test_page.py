"""Pages built from blocks: complete, harmless, self-contained and the same every time."""

import itertools
import os
import re

import pytest
from html_pages import Page as Reader
from html_pages import open_in_browser
from markupsafe import Markup
from matplotlib.figure import Figure

from pyfsagg._report.drawing import inline_svg
from pyfsagg._report.page import Code, Picture, render_page
from pyfsagg.exceptions import OutputError, ParameterError
from pyfsagg.extending import (
    Enumeration,
    Page,
    PageColumn,
    PageTable,
    Records,
    Section,
    Text,
    write_page,
)


def picture(prefix: str, word: str = "dots") -> Picture:
    def draw():
        ax = Figure().add_subplot()
        ax.plot([1, 2], [3, 4], "o", label="dots")
        ax.legend()
        return ax

    return Picture(f"Of {word}", inline_svg(draw, prefix=prefix, label=word), f"Caption of {word}")


def full_page(word: str = "word", find: str = "item") -> Page:
    """A page with every kind of block, and `word` wherever text can stand."""
    columns = [PageColumn(word), PageColumn("Name", numeric=False), PageColumn("Value")]
    rows = [("1", word, "0.5"), ("2", "b", "−3"), ("3", "c10", "–"), ("4", "c9", "1,000")]
    return Page(
        word,
        word,
        [
            Section("first", word, [Text(word), Text(word, quiet=True), Code(word)]),
            Section(
                "second",
                "Second",
                [
                    PageTable(word, columns, rows, note=word, header=1, tinted=2, find=find),
                    picture("one", word),
                    Records(word, [(word, [(word, word)])]),
                    picture("two", word),
                    PageTable("Plain", columns[:2], [row[:2] for row in rows]),
                    Enumeration([(word, word)]),
                ],
            ),
        ],
    )


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(render_page(full_page()))


def test_blocks_are_there_in_order(reader: Reader) -> None:
    rows = [["1", "word", "0.5"], ["2", "b", "−3"], ["3", "c10", "–"], ["4", "c9", "1,000"]]
    plain = [["word", "Name"], *(row[:2] for row in rows)]
    records = [["word"], ["word", "word"]]
    found = [cells for _, cells in reader.rows]
    assert found == [["word", "Name", "Value"], *rows, *records, *plain]
    assert [kind for kind, _ in reader.rows[1:5]] == ["selected", "selected", None, None]
    titles = ("Table 1. word", "Figure 1. Of word", "Table 2. word", "Figure 2. Of word")
    for part in (*titles, "Table 3. Plain", "word. word."):
        assert part in reader.words


def test_the_answer_is_in_sight_and_the_rest_folds(reader: Reader) -> None:
    ids = reader.values("id")
    assert len(ids) == len(set(ids))
    assert {"summary", "first", "second"} <= set(ids)
    assert reader.tags.count("details") == reader.tags.count("summary") == 2
    text = render_page(full_page())
    front = text[text.index('<section class="answer"') : text.index("</section>")]
    # The first paragraph and the first picture; there is no table among the facts.
    assert "<p>word</p>" in front
    assert "Figure 1. Of word" in front
    assert text.count("Figure 1. Of word") == 1
    assert front.count("<figure>") == 1
    assert "<table" not in front


def test_the_facts_bring_their_table_to_the_front() -> None:
    table = PageTable("First", [PageColumn("x")], [("1",)])
    facts = [Text("answer"), Text("why"), table, Text("sure"), Text("how")]
    page = Page("t", "s", [Section("summary", "S", facts), Section("more", "More", [picture("p")])])
    text = render_page(page)
    front = text[text.index('<section class="answer"') : text.index("</section>")]
    shown = [word for word in ("answer", "why", "sure", "how") if f"<p>{word}</p>" in front]
    assert shown == ["answer", "why"]
    assert "Table 1. First" in front
    assert "<svg" in front
    rest = text[text.index("<details") :]
    assert [word for word in ("sure", "how") if f"<p>{word}</p>" in rest] == ["sure", "how"]
    assert "First" not in rest
    assert text.count("<details") == 1  # nothing is left of the other section


def test_what_is_printed_fits_five_sheets_and_the_rest_is_named() -> None:
    long = Section("long", "Long", [Text("word " * 9000)], short="Very long")
    short = [Section(f"s{i}", f"Short {i}", [Text("word")]) for i in range(3)]
    text = render_page(Page("t", "s", [Section("summary", "S", [Text("a")]), long, *short]))
    assert re.findall(r'<details( class="printed")?>', text) == ["", *[' class="printed"'] * 3]
    assert "Not printed unless opened on the page: Very long." in text
    table = PageTable("T", [PageColumn("x")], [(str(i),) for i in range(99)], find="item")
    text = render_page(Page("t", "s", [Section("a", "A", [table])]))
    assert text.count('<tr class=" screen">') == 99 - 54
    assert "The first 54 of 99 rows are printed" in text


def test_the_best_come_first_at_the_first_click() -> None:
    for title in ("Rank", "p-value", "Expected false", "Median rank", "Adjusted p"):
        assert PageColumn(title).first == "ascending", title
    for title in ("Score", "Selected in %", "Spearman", "In lists"):
        assert PageColumn(title).first == "descending", title
    assert PageColumn("Score", numeric=False).first == "ascending"


def test_page_is_accessible(reader: Reader) -> None:
    levels = [int(tag[1]) for tag in reader.headings]
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))
    assert set(reader.values("aria-labelledby")) <= set(reader.values("id"))
    assert len(reader.values("aria-label")) == 2  # of the pictures
    assert [v for t, n, v in reader.attributes if (t, n) == ("th", "scope")].count("row") == 9


def test_only_a_table_with_a_subject_can_be_searched(reader: Reader) -> None:
    assert reader.values("data-find") == ["item"]
    assert reader.values("data-sort") == ["number", "text", "number"]
    assert Reader(render_page(full_page(find=""))).values("data-sort") == []


def test_text_is_escaped_and_markup_is_not(hostile) -> None:
    for word in hostile:
        text = render_page(full_page(word))
        found = Reader(text)
        assert found.tags.count("script") == 1
        assert "img" not in found.tags
        assert not [name for _, name, _ in found.attributes if name.startswith("on")]
        shown = " ".join(re.sub("[\x00\u202e]", "\ufffd", word).split())
        assert shown in found.words
    term = Markup("<b>{}</b>").format("<i>")
    page = render_page(Page("t", "s", [Section("a", "A", [Text(term)])]))
    assert "<p><b>&lt;i&gt;</b></p>" in page


def test_nothing_is_loaded_from_elsewhere(reader: Reader) -> None:
    links = reader.values("href") + reader.values("src") + reader.values("xlink:href")
    assert all(link.startswith("#") or link == "data:," for link in links)
    assert {link[1:] for link in links if link.startswith("#")} <= set(reader.values("id"))
    policy = next(value for value in reader.values("content") if "default-src" in value)
    assert "default-src 'none'" in policy


def test_empty_page_is_a_page() -> None:
    assert Reader(render_page(Page("Nothing", "at all", []))).words.startswith("Nothing")


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ([Section("A b", "", [])], "lower-case letters"),
        ([Section("a", "", []), Section("a", "", [])], "'a' is used twice"),
        (
            [Section("a", "", [PageTable("T", [PageColumn("x")], [("1",), ("1", "2")])])],
            "row 2 of the table 'T' has 2 cells for 1 columns",
        ),
        (
            [Section("a", "", [PageTable("T", [PageColumn("x")], [], header=1)])],
            "header=1 is not a column",
        ),
    ],
)
def test_bad_pages(sections: list[Section], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        render_page(Page("t", "s", sections))


def test_write_page(tmp_path) -> None:
    path = tmp_path / "page.html"
    path.write_text("old")
    assert write_page(full_page(), path) == path
    assert path.read_bytes() == render_page(full_page()).encode()
    with pytest.raises(OutputError, match=r"cannot write .*No such file"):
        write_page(full_page(), tmp_path / "absent" / "page.html")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError, match="cannot write"):
        write_page(full_page(), tmp_path / "folder")
    assert sorted(os.listdir(tmp_path)) == ["folder", "page.html"]


@pytest.mark.browser
def test_table_can_be_sorted_and_searched(tmp_path) -> None:
    """With the policy taken out, a script can press the buttons and say what it sees."""
    press = """<script>
      const table = document.querySelector("table[data-find]");
      const rows = () => Array.from(table.tBodies[0].rows).filter((row) => !row.hidden);
      const seen = [document.querySelector(".tools label").textContent];
      const look = () => seen.push(rows().map((row) => row.cells[1].textContent).join());
      const click = (i) => { table.querySelectorAll("thead button")[i].click(); look(); };
      click(0); click(2); click(2); click(1);
      seen.push(table.querySelectorAll("thead th")[1].getAttribute("aria-sort"));
      const input = document.querySelector("input[type=search]");
      input.value = "C";
      input.dispatchEvent(new Event("input"));
      look();
      seen.push(document.querySelector(".tools output").textContent);
      document.title = seen.join(" | ");
    </script></body>"""
    text = render_page(full_page()).replace("Content-Security-Policy", "none")
    path = tmp_path / "page.html"
    path.write_text(text.replace("</body>", press), encoding="utf-8")
    done = open_in_browser(path, tmp_path / "profile")
    assert "CONSOLE" not in done.stderr, done.stderr
    title = re.search("<title>(.*)</title>", done.stdout)
    assert title[1].split(" | ") == [
        "Find an item",
        "c9,c10,b,word",
        "c9,word,b,c10",
        "b,word,c9,c10",
        "b,c9,c10,word",
        "ascending",
        "c9,c10",
        "2 of 4",
    ]

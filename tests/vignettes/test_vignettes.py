"""Every vignette runs, and what it becomes can be read without a network."""

import importlib.util
import os
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest
from loading import ROOT, python

TOOL = ROOT / "tools" / "vignettes.py"
SOURCES = [
    *sorted((ROOT / "vignettes").glob("*.*md")),
    *sorted((ROOT / "r_bridge" / "pyfsaggr" / "vignettes").glob("*.Rmd")),
]

pytestmark = pytest.mark.thorough


def what_is_missing(source: Path) -> str:
    """What this vignette needs and this machine lacks."""
    if shutil.which("pandoc") is None:
        return "pandoc is not installed"
    if source.suffix == ".Rmd":
        if shutil.which("Rscript") is None:
            return "R is not installed"
        return "" if os.environ.get("PYFSAGG_PYTHON") else "PYFSAGG_PYTHON names no Python for R"
    return "" if importlib.util.find_spec("jupytext") else "the extra 'vignettes' is not installed"


class Page(HTMLParser):
    """What a page shows and what it refers to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.references: list[str] = []
        self.pictures = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "img":
            self.pictures += 1
        if tag in ("img", "script", "link", "iframe"):
            self.references += [found[key] or "" for key in ("src", "href") if key in found]


def test_there_are_vignettes_in_both_languages() -> None:
    assert {source.suffix for source in SOURCES} == {".md", ".Rmd"}


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_vignette(source: Path, tmp_path: Path) -> None:
    reason = what_is_missing(source)
    if reason and os.environ.get("PYFSAGG_REQUIRE_ALL") != "1":
        pytest.skip(reason)
    python(TOOL, "--output", tmp_path, "--only", source.stem, timeout=600)
    text = (tmp_path / f"{source.stem}.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.pictures >= 1
    assert all(each.startswith("data:") for each in page.references), page.references
    assert "Traceback (most recent call last)" not in text
    title = re.search(r'<h1 class="title[^>]*>(.*?)</h1>', text)
    assert title
    assert title[1] in source.read_text(encoding="utf-8")


def test_a_cell_that_fails_stops_the_tool(tmp_path: Path) -> None:
    reason = what_is_missing(Path("some.md"))
    if reason and os.environ.get("PYFSAGG_REQUIRE_ALL") != "1":
        pytest.skip(reason)
    script = tmp_path / "tool.py"
    script.write_text(TOOL.read_text(encoding="utf-8").replace("parents[1]", "parent / 'x'"))
    folder = tmp_path / "x" / "vignettes"
    folder.mkdir(parents=True)
    header = "---\njupyter:\n  vignette:\n    title: Broken\n---\n\n"
    (folder / "broken.md").write_text(header + "```python\n1 / 0\n```\n")
    done = python(script, "--output", tmp_path / "out", code=1)
    assert "broken.md failed" in done.stderr
    assert "ZeroDivisionError" in done.stderr

"""The documentation site: it is built without a warning, nothing public is missing, no link is dead."""

import importlib.util
import json
import os
import re
import shutil
from html.parser import HTMLParser
from importlib.metadata import entry_points
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from html_pages import chromium, open_in_browser
from loading import ROOT, python, tool

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as the tool builds it; its Python blocks have run, and warnings were errors."""
    missing = [
        x for x in ("sphinx", "furo", "numpydoc", "myst_parser") if not importlib.util.find_spec(x)
    ]
    if missing and os.environ.get("PYFSAGG_REQUIRE_ALL") == "1":
        pytest.fail(f"PYFSAGG_REQUIRE_ALL=1, and {missing} are not installed")
    if missing:
        pytest.skip("the extra 'docs' is not installed")
    folder = tmp_path_factory.mktemp("site") / "docs"
    script = ROOT / "tools" / "documentation.py"
    assert "WARNING" not in python(script, "--output", folder, cwd=folder.parent).stderr
    return folder


class Links(HTMLParser):
    """Where a page leads, and the places in it."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.places: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.places |= {x for x in (found.get("id"), found.get("name")) if x}
        self.targets |= {x for x in (found.get("href"), found.get("src")) if x}


def dead(site: Path):
    pages = {path: Links(path) for path in site.rglob("*.html")}
    for page, links in pages.items():
        for target in links.targets:
            address, place = urldefrag(target)
            if re.match(r"[a-z]+:", address):
                continue
            file = (page.parent / unquote(address.split("?")[0])).resolve() if address else page
            if not file.exists() or (
                place and file in pages and unquote(place) not in pages[file].places
            ):
                yield f"{page.relative_to(site)}: {target}"


def test_no_link_is_dead(site: Path) -> None:
    assert sorted(dead(site)) == []


def test_every_help_page_of_r_is_there(site: Path) -> None:
    if shutil.which("Rscript") is None or shutil.which("pandoc") is None:
        pytest.skip("R or pandoc is not installed")
    pages = {page.stem for page in (ROOT / "r_bridge" / "pyfsaggr" / "man").glob("*.Rd")}
    folder = site / "reference" / "r"
    assert {page.stem for page in folder.glob("*.html")} == pages | {"index"}
    links = Links(folder / "wam.html").targets
    assert {"settings.html", "list_methods.html", "draw_resamples.html"} <= links


def test_every_public_name_has_a_page(site: Path) -> None:
    import pyfsagg

    for name in pyfsagg.__all__:
        value = getattr(pyfsagg, name)
        if name != "__version__":
            assert (site / "reference" / "python" / f"pyfsagg.{name}.html").is_file(), value


def test_every_method_has_a_page_with_its_facts(site: Path) -> None:
    for kind, page in tool("reference").PAGES.items():
        for spec in page.specs:
            text = (site / "reference" / kind / f"{spec.name}.html").read_text(encoding="utf-8")
            if kind != "comparisons":
                assert '<div class="formula"><math' in text
                for heading in ("Range", "Direction", "Ties"):
                    assert f">{heading}<" in text or f"<p>{heading}</p>" in text, spec.name
                assert "Source" in text
                assert "Example" in text


def test_every_command_has_a_page(site: Path) -> None:
    from pyfsagg.cli import build_parser

    (commands,) = (a for a in build_parser()._actions if a.dest == "command")
    for name in commands.choices or ():
        assert (site / "reference" / "commands" / f"{name}.html").is_file()


def test_pages_show_what_their_blocks_print(site: Path) -> None:
    page = (site / "questions.html").read_text(encoding="utf-8")
    assert "With at most 1 expected false selection" in page
    assert len(re.findall(r"<h2>", page)) >= 15


def test_every_paper_has_a_page_with_figures_of_its_runs(site: Path) -> None:
    from pyfsagg_papers import shipped_run

    run = shipped_run("quick")
    for paper in [*dict.fromkeys(run.cells["paper"]), "gene-lists"]:
        page = (site / "papers" / f"{paper}.html").read_text(encoding="utf-8")
        assert "Run of 2026-" in page
        assert "<table" in page
        assert "found." not in page, "the code of computed sentences is hidden"
    inside = run.coverage(["paper", "table"]).reset_index().iloc[0]
    page = (site / "match" / "reproduction.html").read_text(encoding="utf-8")
    assert f"<p>{inside['inside']}</p>" in page
    assert run.record["date"] in page


def test_the_comparison_with_r_has_its_date_and_versions(site: Path) -> None:
    kept = json.loads((ROOT / "data" / "validation" / "cross_check.json").read_text("utf-8"))
    page = (site / "match" / "cross-check.html").read_text(encoding="utf-8")
    assert kept["record"]["date"] in page
    assert f"RobustRankAggreg {kept['versions']['RobustRankAggreg']}" in page
    assert page.count("<td><p>agrees</p></td>") == kept["counts"]["agrees"]


def test_files_of_every_command_and_every_schema_are_listed(site: Path) -> None:
    from pyfsagg._run.result import KINDS
    from pyfsagg.cli import build_parser

    page = (site / "files.html").read_text(encoding="utf-8")
    for kind in {*KINDS, *entry_points(group="pyfsagg.results").names}:
        assert f">{kind}</span>" in page, kind
    writing = {
        name
        for name, parser in tool("documentation").commands(build_parser())
        if any("--output" in action.option_strings for action in parser._actions)
        and not name.startswith("reproduce-")
    }
    assert writing == {*tool("outputs").COMMANDS, "demo", "report", "cross-check"}


@pytest.mark.parametrize("word", ["nogueira", "mrmr", "stuart"])
def test_search_finds(site: Path, word: str) -> None:
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    assert re.search(rf'\b{word}"?:', index)


def test_map_for_programs(site: Path) -> None:
    text = (site / "llms.txt").read_text(encoding="utf-8")
    for address in re.findall(r"\]\((.+?)\)", text):
        assert (site / address).is_file()
    assert "[Questions people ask](questions.html)" in text


FRAME = """<!doctype html><body><iframe src="{page}" style="border:0;width:390px;height:800px"></iframe>
<script>
document.querySelector("iframe").onload = (event) => {{
  document.body.dataset.width = event.target.contentDocument.documentElement.scrollWidth;
}};
</script></body>"""


@pytest.mark.browser
@pytest.mark.parametrize("name", ["index", "questions", "match/cross-check"])
def test_pages_fit_a_telephone(site: Path, name: str, tmp_path: Path) -> None:
    """A page in a frame of 390 pixels does not scroll sideways; wide tables have scroll bars of their own."""
    chromium()
    frame = tmp_path / "frame.html"
    frame.write_text(FRAME.format(page=(site / f"{name}.html").as_uri()), encoding="utf-8")
    seen = open_in_browser(frame, tmp_path / "profile", "--allow-file-access-from-files")
    width = re.search(r'data-width="(\d+)"', seen.stdout)
    assert width is not None, seen.stderr
    assert int(width[1]) <= 390


@pytest.mark.browser
@pytest.mark.parametrize("name", ["index", "questions", "reference/filters/mrmr"])
def test_pages_open_without_a_complaint(site: Path, name: str, tmp_path: Path) -> None:
    chromium()
    seen = open_in_browser(site / f"{name}.html", tmp_path)
    assert "CONSOLE" not in seen.stderr
    assert "pyfsagg" in seen.stdout

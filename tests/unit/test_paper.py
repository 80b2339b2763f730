"""The paper: no number in it is typed, each is that of the shipped run, and it becomes a page."""

import csv
import json
import math
import re
import shutil
import sys
import tomllib
from collections import Counter
from operator import attrgetter
from pathlib import Path

import pytest
from html_pages import chromium, missing
from loading import ROOT, load

import pyfsagg

VALIDATION = ROOT / "data" / "validation"


@pytest.fixture(scope="module")
def paper():
    return load(ROOT / "paper" / "build.py")


@pytest.fixture(scope="module")
def template() -> str:
    return (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def values(paper) -> dict[str, str]:
    return paper.all_values()


def rows(document):
    return [dict(zip(document["columns"], row, strict=True)) for row in document["rows"]]


def run(name: str):
    return json.loads((VALIDATION / name).read_text(encoding="utf-8"))


def test_the_text_has_every_value(paper, template: str, values: dict[str, str]) -> None:
    text = paper.fill(template, values)
    assert "{{" not in text
    assert not re.search(r"\bnan\b", re.sub(r"base64,\S+", "", text))
    cells = rows(run("runs/full-4.4.json")["cells"])
    verdicts = Counter(cell["verdict"] for cell in cells)
    checkable = len(cells) - verdicts["not checkable"]
    assert f"{verdicts['inside']} of {checkable} checkable cells are\ninside" in text


def test_cells_are_those_of_the_shipped_runs(values: dict[str, str]) -> None:
    cells = rows(run("runs/full-4.4.json")["cells"])
    verdicts = Counter(cell["verdict"] for cell in cells)
    checkable = len(cells) - verdicts["not checkable"]
    assert values["inside_44"] == str(verdicts["inside"])
    assert values["checkable_44"] == str(checkable)
    assert values["lost_44"] == str(verdicts["not checkable"])
    assert values["share_44"] == f"{100 * verdicts['inside'] / checkable:.0f} %"
    frcm = Counter(cell["verdict"] for cell in rows(run("runs/full-frcm.json")["cells"]))
    assert values["inside_frcm"] == str(frcm["inside"])
    assert values["checkable_frcm"] == str(frcm.total() - frcm["not checkable"])
    quick = Counter(cell["verdict"] for cell in rows(run("runs/quick.json")["cells"]))
    assert values["cells_quick"] == str(quick.total())
    assert values["lost_quick"] == str(quick["not checkable"])
    assert values["prediction_level"] == "95 %"
    table = values["table_cells"]
    row = next(line for line in table.splitlines() if "@salman2022 | 4.4 | full" in line)
    counts = [verdicts[name] for name in ("inside", "near", "outside", "not checkable")]
    assert " | ".join(map(str, counts)) in row


def test_statements_are_those_of_the_shipped_run(values: dict[str, str]) -> None:
    statements = rows(run("runs/quick.json")["statements"])
    printed = [each["verdict"] for each in statements if each["basis"] == "published table"]
    counts = Counter(printed)
    assert values["statements"] == str(len(printed))
    names = ("hold", "otherwise", "fail", "open")
    verdicts = ("holds", "holds under another reading", "does not hold", "not checkable")
    for name, verdict in zip(names, verdicts, strict=True):
        assert values[f"statements_{name}"] == str(counts[verdict]), name


def test_numbers_on_stuart_are_those_of_the_shipped_run(values: dict[str, str]) -> None:
    document = run("stuart.json")
    most = max(document["parameters"]["list_counts"])
    kinds: Counter[str] = Counter()
    for row in rows(document["values"]):
        if row["n_lists"] == most:
            kinds.update({name: row[name] for name in row if isinstance(row[name], int)})
    del kinds["n_lists"]
    assert values["stuart_values"] == f"{kinds.total():,}"
    assert values["stuart_nan"] == f"{100 * kinds['nan'] / kinds.total():.1f} %"
    exact = [
        row["value"]
        for row in rows(document["stability"])
        if (row["n_lists"], row["aggregator"], row["measure"]) == (most, "stuart", "spearman")
    ]
    assert values["stuart_exact"] == f"{min(exact):.3f} to {max(exact):.3f}"
    said = " ".join(document["conclusions"])
    last = re.search(r"least stable aggregator in (\d+) of (\d+) rows", said)
    groups = re.search(r"both rank-based ones in (\d+) of", said)
    assert (values["stuart_last"], values["stuart_rows"]) == last.groups()
    assert values["stuart_groups"] == groups[1]
    assert f"by {values['stuart_gap_nearest']} on average at {values['stuart_nearest']} li" in said


@pytest.mark.parametrize(("end", "table"), [("45", "4.5"), ("46", "4.6")])
def test_readings_are_those_of_the_shipped_run(values, end, table):
    with (VALIDATION / "readings" / f"{table}.csv").open(encoding="utf-8") as file:
        cells = list(csv.DictReader(file))
    inside = Counter(cell["reading"] for cell in cells if cell["verdict"] == "inside")
    assert values[f"standard_{end}"] == str(inside["standard"])
    assert values[f"hundred_{end}"] == str(inside["hundred_resamples"])
    assert values[f"as_r_{end}"] == str(inside["as_r_returns"])
    assert values[f"cells_{end}"] == str(sum(cell["reading"] == "standard" for cell in cells))
    assert (values["resamples_stated"], values["resamples_fewer"]) == ("1,000", "100")


def test_calibration_is_that_of_the_shipped_runs(values: dict[str, str]) -> None:
    found = [
        row
        for path in sorted((VALIDATION / "calibration").glob("*.json"))
        for row in rows(json.loads(path.read_text(encoding="utf-8"))["rows"])
        if row["verdict"] != "not judged"
    ]
    counts = Counter(row["verdict"] for row in found)
    assert values["claims"] == f"{len(found):,}"
    assert values["claims_kept"] == f"{counts['kept']:,}"
    assert values["claims_near"] == f"{counts['within Monte Carlo error']:,}"
    assert values["claims_refused"] == f"{counts['refused']:,}"
    assert values["claims_lost"] == f"{counts['not kept']:,}"
    lost = [row["measured"] for row in found if row["verdict"] == "not kept"]
    assert values["bound_worst"] == f"{max(lost):.1f}"
    assert not any(math.isnan(value) for value in lost)


def test_the_comparison_with_r_is_the_shipped_one(values: dict[str, str]) -> None:
    found = run("cross_check.json")
    verdicts = Counter(each["verdict"] for each in found["outcomes"])
    assert values["check_agrees"] == str(verdicts["agrees"])
    assert values["check_documented"] == str(verdicts["differs as documented"])
    assert values["check_total"] == str(verdicts.total())


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("86 of 159 cells", 2),
        ("a share of 54 %", 1),
        ("version 0.2.0", 3),
        ("half of twenty cells, and three more", 2),
        ("Hundreds of lists", 1),
        ("$m \\pm 2 s$", 1),
        ("{{inside_44}} of {{checkable_44}} in Table 4.4", 0),
        ("Tables 4.4, 4.5 and 4.6 of 2022 [@salman2022]", 0),
        ("$\\sqrt{1/k + 1/K}$, one draw, half of a digit", 0),
        ("a coefficient of $12$", 1),
        ("4.4 cells", 2),
    ],
)
def test_a_typed_number_is_found(paper, text: str, typed: int) -> None:
    assert len(paper.typed_numbers(text)) == typed
    if typed:
        with pytest.raises(paper.BuildError, match="numbers in the template"):
            paper.fill(text, {})


def test_placeholders_and_values_are_the_same(paper) -> None:
    assert paper.fill("{{a}} of {{b}}; {{a}}", {"a": "1", "b": "2"}) == "1 of 2; 1"
    with pytest.raises(paper.BuildError, match=r"no value for c; values\.py computes them"):
        paper.fill("{{a}} {{c}}", {"a": "1"})
    with pytest.raises(paper.BuildError, match="computed, but not in the text: b"):
        paper.fill("{{a}}", {"a": "1", "b": "2"})


def test_every_reference_resolves(paper, template: str, values: dict[str, str]) -> None:
    books = (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8")
    text = paper.fill(template, values)
    paper.check_references(text, books)
    with pytest.raises(paper.BuildError, match=r"cited, but not in paper\.bib: nobody1999"):
        paper.check_references(f"{text} [@nobody1999]", books)
    with pytest.raises(paper.BuildError, match="not cited: nobody1999"):
        paper.check_references(text, f"{books}\n@article{{nobody1999,\n}}\n")
    with pytest.raises(paper.BuildError, match="twice"):
        paper.check_references(text, books + books)


def test_the_table_of_the_field_names_what_exists(paper) -> None:
    with (ROOT / "paper" / "field.toml").open("rb") as file:
        found = tomllib.load(file)
    ours = {name: value for name, value in found["pyfsagg"].items() if name != "part"}
    for name in ours.values():
        assert callable(attrgetter(name)(pyfsagg)), name
    features = set(found["features"])
    assert set(ours) | set(found["pyfsagg"]["part"]) <= features
    for package in found["package"]:
        assert package["source"], package["name"]
        both = [*package["yes"], *package.get("part", {})]
        assert len(both) == len(set(both)), package["name"]
    blocks = paper.field_blocks()
    lines = blocks["table_field"].splitlines()
    (own,) = (line for line in lines if line.startswith("| pyfsagg |"))
    assert own.count("yes") == len(ours)
    assert own.count("in part") == len(found["pyfsagg"]["part"])
    (stabm,) = (line for line in lines if line.startswith("| stabm "))
    assert (stabm.count("yes"), stabm.count("–")) == (1, len(features) - 1)
    assert "MAGeCK: aggregation of ranked lists (of the guides of a gene)" in blocks["notes_field"]


# --- the pages -------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def page(paper, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("pandoc") is None:
        missing("pandoc is not installed")
    return paper.build(tmp_path_factory.mktemp("paper"))


@pytest.mark.thorough
def test_the_page_stands_alone(page: Path, values: dict[str, str]) -> None:
    html = page.read_text(encoding="utf-8")
    assert "<title>pyfsagg: ensemble feature selection whose numbers are checked</title>" in html
    assert f"{values['inside_44']} of {values['checkable_44']}" in " ".join(html.split())
    assert not re.search(r"\{\{|\[@|\(\?\?\?|<script|<link", html)
    assert not re.search(r'src="(?!data:)', html)
    assert html.count("<figure>") == 2
    assert all(re.findall(r'<img alt="(.*?)"', html))
    assert html.count('class="csl-entry"') == len(
        re.findall(r"^@", (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8"), re.MULTILINE)
    )
    places = set(re.findall(r'id="([^"]+)"', html))
    assert set(re.findall(r'href="#([^"]+)"', html)) <= places


@pytest.mark.thorough
@pytest.mark.browser
def test_the_page_is_printed(paper, page: Path, tmp_path: Path) -> None:
    chromium()
    target = tmp_path / "paper.pdf"
    paper.print_pdf(page, target)
    assert target.read_bytes().startswith(b"%PDF")
    assert target.stat().st_size > 50_000


def test_what_is_missing_is_said(paper, tmp_path, monkeypatch):
    monkeypatch.setattr(paper.shutil, "which", lambda name: None)
    with pytest.raises(paper.BuildError, match=r"no PDF: none of chromium, .* is installed"):
        paper.print_pdf(tmp_path / "paper.html", tmp_path / "paper.pdf")
    with pytest.raises(paper.BuildError, match="pandoc is not on the PATH"):
        paper.render("---\ntitle: 'a'\n---\ntext\n")

    def no_pandoc(output: Path) -> Path:
        raise paper.BuildError("pandoc is not here")

    monkeypatch.setattr(paper, "build", no_pandoc)
    monkeypatch.setattr(sys, "argv", ["build.py", "--output", str(tmp_path)])
    with pytest.raises(SystemExit, match=r"^paper: pandoc is not here$"):
        paper.main()

"""Build the paper: ``python paper/build.py --output paper/build``.

``paper.md`` is a template. Every number in it is a placeholder, ``{{name}}``, whose value ``values.py``
computes from runs that come with the package; ``field.toml`` holds the table of neighbouring packages.
The build stops at a placeholder without a value, at a value without a placeholder, at a reference that
is missing or never cited, and at a number that was typed. The rule for that: a digit may stand in

- the name of a placeholder and the key of a reference,
- a year from 1900 to 2099 and the number of a printed table ("Tables 4.5 and 4.6"),
- a formula, if it is 1.

Numbers in words, from "two" on, count as typed ones.
"""

from __future__ import annotations

import argparse
import base64
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from string import Template
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
CITED = re.compile(r"@([A-Za-z][\w-]*)")
ENTRY = re.compile(r"^@\w+\{([^,]+),", re.MULTILINE)
ALLOWED = (
    PLACEHOLDER,
    CITED,
    re.compile(r"\b(?:19|20)\d\d\b"),
    re.compile(r"\bTables? \d\.\d(?:(?:, | and )\d\.\d)*"),
    re.compile(r"\$\$?(?:[^$\d]|(?<!\d)1(?!\d))+\$\$?"),
)
IN_WORDS = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty"
    r"|sixty|seventy|eighty|ninety|hundreds?|thousands?|millions?|dozens?|twice|thrice)\b",
    re.IGNORECASE,
)
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PRINT = (
    "--headless=new --no-sandbox --disable-gpu --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage --no-pdf-header-footer"
)


class BuildError(Exception):
    """Why there is no paper, in a sentence."""


# ---------------------------------------------------------------------------------------------
# the text
# ---------------------------------------------------------------------------------------------
def typed_numbers(template: str) -> list[str]:
    """Numbers that the template holds although no rule allows them, with what stands around them."""
    rest = template
    for pattern in ALLOWED:
        rest = pattern.sub("", rest)
    return [
        " ".join(rest[max(0, match.start() - 20) : match.end() + 20].split())
        for pattern in (re.compile(r"\d+"), IN_WORDS)
        for match in pattern.finditer(rest)
    ]


def fill(template: str, values: Mapping[str, str]) -> str:
    """The template with its values.

    Raises
    ------
    BuildError
        For a number that was typed, a placeholder without a value, or a value without a placeholder.
    """
    if typed := typed_numbers(template):
        raise BuildError(f"numbers in the template: {' | '.join(typed)}; compute them in values.py")
    wanted = set(PLACEHOLDER.findall(template))
    if unknown := sorted(wanted - set(values)):
        raise BuildError(f"no value for {', '.join(unknown)}; values.py computes them")
    if unused := sorted(set(values) - wanted):
        raise BuildError(f"computed, but not in the text: {', '.join(unused)}")
    return PLACEHOLDER.sub(lambda match: values[match[1]], template)


def check_references(text: str, bibliography: str) -> None:
    """Every key that is cited is in the bibliography, and the other way round.

    Raises
    ------
    BuildError
    """
    cited, known = set(CITED.findall(text)), ENTRY.findall(bibliography)
    if len(known) != len(set(known)):
        raise BuildError("a key is twice in paper.bib")
    if missing := sorted(cited - set(known)):
        raise BuildError(f"cited, but not in paper.bib: {', '.join(missing)}")
    if unused := sorted(set(known) - cited):
        raise BuildError(f"in paper.bib, but not cited: {', '.join(unused)}")


def field_blocks() -> dict[str, str]:
    """The table of neighbouring packages, and its remarks."""
    with (HERE / "field.toml").open("rb") as file:
        found = tomllib.load(file)
    titles = found["features"]
    ours = found["pyfsagg"]
    own = {"name": "pyfsagg", "part": ours.pop("part"), "yes": list(ours)}
    remarks, rows = [], []
    for package in (own, *found["package"]):
        part = package.get("part", {})
        if wrong := {*package["yes"], *part} - {*titles}:
            raise BuildError(f"{package['name']}: no such feature: {', '.join(sorted(wrong))}")
        cite = f" [@{package['cite']}]" if "cite" in package else ""
        cells = ["in part" if x in part else "yes" if x in package["yes"] else "–" for x in titles]
        rows.append([f"{package['name']} {package.get('version', '')}".strip() + cite, *cells])
        if part:
            texts = (f"{titles[x].lower()} ({text})" for x, text in part.items())
            remarks.append(f"- {package['name']}: {'; '.join(texts)}")
    heads = ["Package", *titles.values()]
    table = markdown_table(heads, rows, "Features of neighbouring packages.", "field")
    notes = "\n".join(remarks)
    return {"table_field": table, "notes_field": f"::: notes\n{notes}\n:::"}


def markdown_table(
    heads: Iterable[str], rows: Iterable[Iterable[str]], caption: str, name: str
) -> str:
    """A table that may be wider than the page, below its caption, which never is."""
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *rows]
    text = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return f"::: caption\n{caption}\n:::\n\n::: {{.wide .{name}}}\n{text}\n:::"


def figure(svg: str, words: str) -> str:
    """A picture inside the page, with its caption, which also describes it to who cannot see it."""
    data = base64.b64encode(svg.encode()).decode()
    said = html.escape(words, quote=True)
    return (
        f'<figure>\n<img alt="{said}" src="data:image/svg+xml;base64,{data}">\n'
        f"<figcaption>{said}</figcaption>\n</figure>"
    )


def all_values() -> dict[str, str]:
    """Numbers, tables and pictures by the name of their placeholder."""
    from paper import figures, values

    drawn = {
        "figure_stuart": figure(figures.stuart(), values.CAPTION_STUART),
        "figure_calibration": figure(figures.calibration(), values.CAPTION_CALIBRATION),
    }
    heads, rows, caption = values.cells_table()
    tables = {"table_cells": markdown_table(heads, rows, caption, "cells")}
    return {**values.compute(), **tables, **field_blocks(), **drawn}


# ---------------------------------------------------------------------------------------------
# the pages
# ---------------------------------------------------------------------------------------------
def header(text: str) -> tuple[dict[str, str], str]:
    """The fields above the text, and the text; a list of words becomes a line."""
    _, fields, body = text.split("---\n", 2)
    found = dict(line.split(": ", 1) for line in fields.strip().splitlines())
    return {name: value.strip("'[]") for name, value in found.items()}, body


def render(text: str) -> str:
    """One page that needs no network; pandoc sets the text and the references."""
    if shutil.which("pandoc") is None:
        raise BuildError("pandoc is not on the PATH; tools/setup_system.sh installs it on Debian")
    fields, body = header(text)
    command = ["pandoc", "--from=markdown", "--to=html5", "--mathml", "--citeproc"]
    command += [f"--bibliography={HERE / 'paper.bib'}", "--metadata=link-citations:true"]
    done = subprocess.run(command, input=body, capture_output=True, text=True, check=False)
    if done.returncode or done.stderr:
        raise BuildError(f"pandoc: {done.stderr.strip()}")
    page = Template((HERE / "page.html").read_text(encoding="utf-8"))
    style = (HERE / "style.css").read_text(encoding="utf-8")
    escaped: dict[str, Any] = {name: html.escape(value) for name, value in fields.items()}
    return page.substitute(escaped, style=style, body=done.stdout)


def print_pdf(page: Path, target: Path) -> None:
    """Print the page by a headless Chromium.

    Raises
    ------
    BuildError
        If there is none, or it does not print.
    """
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        raise BuildError(f"no PDF: none of {', '.join(BROWSERS)} is installed; the page is {page}")
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, *PRINT.split(), f"--user-data-dir={profile}"]
        command += [f"--print-to-pdf={target}", page.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    if done.returncode or not target.is_file():
        raise BuildError(f"no PDF: {browser} says {done.stderr.strip()[-500:]}")


def build(output: Path) -> Path:
    """Write ``paper.html`` into a folder."""
    template = (HERE / "paper.md").read_text(encoding="utf-8")
    text = fill(template, all_values())
    check_references(text, (HERE / "paper.bib").read_text(encoding="utf-8"))
    output.mkdir(parents=True, exist_ok=True)
    page = output / "paper.html"
    page.write_text(render(text), encoding="utf-8")
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the paper as HTML and PDF.")
    parser.add_argument("--output", type=Path, default=HERE / "build")
    output = parser.parse_args().output.resolve()
    try:
        page = build(output)
        print(f"{page} ({os.path.getsize(page) // 1024} kB)")
        target = page.with_suffix(".pdf")
        target.unlink(missing_ok=True)
        print_pdf(page, target)
    except BuildError as reason:
        raise SystemExit(f"paper: {reason}") from None
    print(f"{target} ({os.path.getsize(target) // 1024} kB)")


if __name__ == "__main__":
    main()

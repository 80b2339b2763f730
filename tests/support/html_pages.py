"""Pages of reports as a reader, a machine or a browser sees them."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest
from markupsafe import Markup
from matplotlib import rc_context

from pyfsagg._report import drawing
from pyfsagg.extending import ALONE


def _empty(axes: Any, label: str) -> Markup:
    return Markup('<svg role="img" aria-label="{}"></svg>').format(label)


def compose_pictures(
    monkeypatch: pytest.MonkeyPatch, shown: Callable[[Any, str], Markup] = _empty
) -> None:
    """Pictures of pages are composed and not rendered; `shown` makes of their axes what stands there."""

    def compose(draw, *, prefix: str, label: str) -> Markup:
        with ALONE, rc_context():
            return shown(draw(), label)

    monkeypatch.setattr(drawing, "inline_svg", compose)


VOID = {"meta", "link", "input", "br", "img"}


class Page(HTMLParser):
    """What a browser would see: elements, attributes, text, and rows of tables."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text: list[str] = []
        self.headings: list[str] = []
        self.rows: list[tuple[str | None, list[str]]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append((dict(attrs).get("class"), []))
        if tag in ("td", "th"):
            self.rows[-1][1].append("")
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "script"):
            self.text.append(data)
            if "td" in self.open or "th" in self.open:
                self.rows[-1][1][-1] += data

    @property
    def words(self) -> str:
        return " ".join("".join(self.text).split())

    def values(self, name: str) -> list[str]:
        return [value for _, attribute, value in self.attributes if attribute == name]


def missing(what: str):
    """Skip the test; where nothing may be missing, let it fail."""
    if os.environ.get("PYFSAGG_REQUIRE_ALL") == "1":
        pytest.fail(f"PYFSAGG_REQUIRE_ALL=1, and {what}")
    pytest.skip(what)


def chromium() -> str:
    """The browser."""
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        if found := shutil.which(name):
            return found
    missing("no Chromium is installed")


def open_in_browser(page, profile, *options: str) -> subprocess.CompletedProcess[str]:
    """The page after its script ran, on standard output, and the console, on standard error."""
    flags = (
        "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run "
        "--disable-background-networking --disable-component-update --disable-sync "
        "--disable-dev-shm-usage --enable-logging=stderr --v=0 --dump-dom"
    )
    return subprocess.run(
        [chromium(), *flags.split(), *options, f"--user-data-dir={profile}", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

"""What users read, recorded in text files, and compared with what they would read now.

``make snapshots`` writes the files of ``tests/snapshots`` again; the difference is looked at before it is
committed.  A text says what a reader sees, without what differs between machines: versions, folders, and
digits beyond the fourth.
"""

import difflib
import json
import math
import os
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup
from matplotlib.ticker import FixedLocator

from pyfsagg._report.drawing import point_texts

FOLDER = Path(__file__).parents[1] / "snapshots"
WRITE = "PYFSAGG_WRITE_SNAPSHOTS"  # names the environment variable with which the files are written
ROWS, LISTED = 3, 2  # of a table and of a list in the record, which are recorded; and the last one

_VERSIONS = r"(?<=[a-z] )v?\d+\.\d+\.\d+\b|(?<=version = \{)[\d.]+|(?<=version )\d+\.\d+\.\d+"
_LIBRARIES = r"(python|numpy|pandas|scipy|scikit-learn|numba|pyfsagg|matplotlib)"


def compare(name: str, part: str, text: str) -> None:
    """The text is the one of this part of the file, or becomes it where snapshots are written."""
    path = FOLDER / f"{name}.txt"
    parts = _read(path)
    text = "\n".join(line.rstrip() for line in without_machine(text).strip().splitlines())
    if WRITE in os.environ:
        _write(path, parts | {part: text})
        return
    lines = (parts.get(part, "").splitlines(), text.splitlines())
    told = difflib.unified_diff(*lines, f"recorded: {path.name}, {part}", "now", lineterm="", n=2)
    difference = "\n".join(told)
    assert not difference, f"{difference}\n\nIf that is what users shall read: make snapshots"


def changes(first: str, text: str) -> str:
    """The lines of a text that differ from those of a first one, for what has much in common with it."""
    told = difflib.unified_diff(first.splitlines(), text.splitlines(), n=0, lineterm="")
    return "\n".join(line for line in [*told][2:] if not line.startswith("@@"))


def _read(path: Path) -> dict[str, str]:
    """The parts of a file by their titles."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    titles_and_texts = re.split(r"^={8} (.*) ={8}$", text, flags=re.MULTILINE)[1:]
    pairs = zip(titles_and_texts[::2], titles_and_texts[1::2], strict=True)
    return {title: part.strip("\n") for title, part in pairs}


def _write(path: Path, parts: Mapping[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = "\n\n".join(f"{'=' * 8} {title} {'=' * 8}\n{text}" for title, text in parts.items())
    path.write_text(whole + "\n", encoding="utf-8")


def without_machine(text: str) -> str:
    """The text without folders, free memory, versions of libraries, and SHA-256 (pandas changes it)."""
    text = re.sub(r"[\d.,]+ [MG]B(?= are free| are left| with \d+ worker| of which)", "* GB", text)
    text = re.sub(rf"{re.escape(tempfile.gettempdir())}/[^\s'\",;:]*/", "", text)
    text = re.sub(r"\b(test_\w*[a-z_])\d+\b", r"\1", text)  # a folder of a test
    text = re.sub(rf"\b{_LIBRARIES}\b([ |=:]+)\d+(\.\d+)+", r"\1\2*", text, flags=re.IGNORECASE)
    text = re.sub(r"\b[0-9a-f]{64}\b", "*", text)
    return re.sub(_VERSIONS, "*", text)


# --- how a result is read -----------------------------------------------------------------------
def of_made(make: Callable[[], Any], *, whole: bool, **view: Any) -> str:
    """All that a user reads who makes a result: warnings, and what it tells; table and record if `whole`."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        text = of_result(make(), whole, **view)
    said = "\n".join(f"{each.category.__name__}: {each.message}" for each in caught)
    return f"--- warnings\n{said}\n\n{text}" if said else text


def of_result(result: Any, whole: bool, **view: Any) -> str:
    """What a result tells: its line, facts, paragraph and page, and if `whole` its table and its record."""
    texts = {"repr": repr(result), "summary_text": result.summary_text(**view)}
    if callable(paragraph := getattr(result, "methods_text", None)):
        texts["methods_text"] = paragraph()
    if whole:
        texts["to_frame"] = of_frame(
            result.to_frame() if hasattr(result, "to_frame") else result.table
        )
        record = result._document(result._options_in_force(view))
        told = {
            name: value for name, value in record.items() if name not in ("versions", "sentences")
        }
        texts["to_json"] = of_record(told)
    if result._renderer().page is not None:
        texts["page"] = of_page(result.to_html(**view))
    return "\n\n".join(f"--- {name}\n{text}" for name, text in texts.items())


def of_frame(frame: pd.DataFrame) -> str:
    """The first rows of a table, a line each."""
    if frame.index.name is not None or not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    rows = [" | ".join(map(cell, row)) for row in frame.itertuples(index=False)]
    return "\n".join([" | ".join(map(str, frame.columns)), *some_of(rows)])


def some_of(lines: Sequence[str], most: int = ROWS) -> list[str]:
    """The first lines and the last one, with the number of all."""
    if len(lines) <= most + 2:
        return list(lines)
    return [*lines[:most], f"… {len(lines)} rows", lines[-1]]


def cell(value: Any) -> str:
    """A value with four digits, and no rubbish of rounding for a zero."""
    if isinstance(value, float):  # those of NumPy are
        return "" if math.isnan(value) else f"{0.0 if abs(value) < 1e-12 else value:.4g}"
    return "" if value is None or value is pd.NaT or value is pd.NA else str(value)


def of_record(record: Mapping[str, Any]) -> str:
    """The entries of a record, a line each; of long lists the first and the last."""
    return "\n".join(_of_value(record))


def _of_value(value: Any, indent: str = "") -> Iterator[str]:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        for name, inner in value.items():
            plain = not isinstance(inner, Mapping | Sequence) or isinstance(inner, str) or not inner
            yield f"{indent}{name}:{' ' + (cell(inner) or '-') if plain else ''}"
            if not plain:
                yield from _of_value(inner, indent + "  ")
    elif isinstance(value, Sequence) and not isinstance(value, str):
        if not any(isinstance(one, Mapping | list | tuple) for one in value):
            some = [*value[:LISTED], "…", value[-1]] if len(value) > LISTED + 2 else value
            yield f"{indent}[{len(value)}] {', '.join(map(cell, some))}"
            return
        for one in [*value[:1], *value[1:][-1:]]:
            yield f"{indent}- of {len(value)}"
            yield from _of_value(one, indent + "  ")
    else:
        yield f"{indent}{cell(value)}"


_LINES = {"p", "tr", "li", "dt", "dd", "pre", "figcaption", "title", "summary", "h1", "h3", "desc"}
_MARKS = {"title": "# ", "h1": "# ", "summary": "\n## ", "h3": "\n### ", "li": "- ", "dd": "    "}


class _Reader(HTMLParser):
    """A page line by line: headings, paragraphs, rows of tables, texts of pictures, data for the script."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self.rows = 0  # the line where the body of a table begins
        self.open = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.open = tag if known.get("type") != "application/json" else "data"
        if tag in _LINES:
            chosen = "* " if "selected" in (known.get("class") or "") else ""
            self.lines.append(_MARKS.get(tag, "") + chosen)
        elif tag in ("td", "th"):
            self.lines[-1] += "| "
        elif tag == "svg":
            self.lines += [f"[picture: {known['aria-label']}]"] if "aria-label" in known else []
        elif tag == "tbody":
            self.rows = len(self.lines)

    def handle_endtag(self, tag: str) -> None:
        if tag == "tbody" and self.rows:
            self.lines[self.rows :] = some_of(self.lines[self.rows :])
        self.open = "" if tag in ("style", "script") else self.open

    def handle_data(self, data: str) -> None:
        if self.open in ("style", "script"):
            return
        if self.open == "data":
            self.lines.append(f"[script] {'; '.join(_of_value(json.loads(data)))}")
        elif self.open in ("code", "desc"):
            self.lines[-1] += data.rstrip()
        elif data.strip():
            self.lines[-1] += " ".join(data.split()) + " "


def of_page(page: str) -> str:
    """The words of a page."""
    return "\n".join(line for line in _Reader(page).lines if line.strip(" #*-"))


def svg_of_words(axes: Any, label: str) -> Markup:
    """In place of a picture what it says: titles, labels, legend, and where its first and last points are."""
    told = [line for each in axes.figure.axes for line in _of_axes(each)]
    sentences, points = point_texts(axes)
    for number, sentence in enumerate(sentences):
        words = [point[3:] for point in points if point[2] == number]
        told += [f"  point: {sentence.format(*map(cell, each))}" for each in (words[0], words[-1])]
    text = escape("\n".join(["", *told]))
    return Markup(f'<svg role="img" aria-label="{escape(label)}"><desc>{text}</desc></svg>')


def _of_axes(axes: Any) -> Iterator[str]:
    for name in ("x", "y"):
        axis = getattr(axes, f"{name}axis")
        low, high = axis.get_view_interval()
        yield f"  {name}: {axis.get_label_text()!r} from {low:.3g} to {high:.3g}, {axis.get_scale()}"
        if isinstance(axis.get_major_locator(), FixedLocator):
            yield f"  {name} ticks: {', '.join(each.get_text() for each in axis.get_ticklabels())}"
    legend = axes.get_legend()
    texts = [*axes.texts, *([legend.get_title(), *legend.get_texts()] if legend else [])]
    if said := [text.get_text() for text in texts if text.get_text()]:
        yield f"  texts: {'; '.join(said)}"
    for line in axes.lines:
        yield f"  line: {_ends(line.get_xydata().tolist())}"
    for points in axes.collections:
        places = points.get_offsets().tolist()
        paths = points.get_paths()
        if not any(map(any, places)) and paths:  # an area or a line, not marks
            places = paths[0].vertices.tolist()
        yield f"  marks: {_ends(places)}"
    if axes.patches:
        boxes = (each.get_path().get_extents(each.get_patch_transform()) for each in axes.patches)
        yield f"  patches: {_ends([box.bounds for box in boxes])}"


def _ends(points: Sequence[Sequence[float]]) -> str:
    """How many points there are, the first and the last."""
    some = [points[0], points[-1]] if points else []
    return f"{len(points)}: " + " … ".join(
        "(" + ", ".join(cell(float(f"{value:.3g}")) for value in point) + ")" for point in some
    )

"""What the points of a picture say, and where they are."""

import html
import json
import re

import numpy as np
import pytest
from matplotlib.figure import Figure

from pyfsagg._report.drawing import (
    MOST,
    MOST_OF_A_CURVE,
    draw_correlations,
    inline_svg,
    name_points,
)


def told(draw) -> list[tuple[int, int, str]]:
    """Place and words of each point, as the script of a page puts them together."""
    svg = str(inline_svg(draw, prefix="p", label="test"))
    found = re.search('data-points="([^"]*)"', svg)
    if found is None:
        return []
    sentences, points = json.loads(html.unescape(found[1]))
    return [
        (x, y, re.sub(r"\{(\d)\}", lambda match, own=own: own[int(match[1])], sentences[number]))
        for x, y, number, *own in points
    ]  # fmt: skip


def said(draw) -> list[str]:
    return [text for *_, text in told(draw)]


def axes(**titles: str):
    made = Figure(figsize=(6.4, 3.0), layout="constrained").add_subplot()
    made.set(xlabel=titles.get("x", "Dose (mg)"), ylabel=titles.get("y", "Answer"))
    return made


def test_points_are_where_the_marks_are() -> None:
    def draw():
        ax = axes()
        ax.plot([1, 2, 40], [0.5, np.nan, -3], "o", label="drug")
        return ax

    points = told(draw)
    assert said(draw) == ["Dose 1, Answer 0.5 (drug)", "Dose 40, Answer −3 (drug)"]
    svg = str(inline_svg(draw, prefix="p", label="test"))
    marks = re.findall(r'<use href="[^"]*" x="([\d.]+)" y="([\d.]+)" style="fill: #1f77b4', svg)
    assert len(marks) == 2
    for (x, y, _), (mark_x, mark_y) in zip(points, marks, strict=True):
        assert abs(x - float(mark_x)) <= 0.51
        assert abs(y - float(mark_y)) <= 0.51


def test_names_at_an_axis_and_own_names() -> None:
    def named():
        ax = axes(x="−log10 of the p-value")
        ax.plot([2.0, 1.0], [0, 1], "o", label="p-value")
        ax.set_yticks([0, 1], ["a{0}", "b"])
        return ax

    of_p = "−log10 of the p-value"
    assert said(named) == [f"a{{0}}: {of_p} 2 (p-value)", f"b: {of_p} 1 (p-value)"]

    def own():
        ax = axes()
        (dots,) = ax.plot([1.0], [2.0], "o")
        name_points(dots, ["TP53"])
        name_points(ax.scatter([3.0], [4.0], label="late"), ["BRCA1"])
        return ax

    assert said(own) == ["TP53: Dose 1, Answer 2", "BRCA1: Dose 3, Answer 4 (late)"]


def test_bars_and_curves() -> None:
    def bars():
        ax = axes(x="Share")
        ax.barh([0, 1], [0.25, 0.5])
        ax.set_yticks([0, 1], ["x", "y"])
        return ax

    assert said(bars) == ["x: Share 0.25", "y: Share 0.5"]

    def curves():
        ax = axes()
        ax.plot(np.arange(500.0), np.zeros(500), label="long")
        ax.plot([0, 1], [0, 1], label="two ends")
        ax.plot(np.arange(9.0), np.zeros(9))  # in no legend
        ax.axhline(0.5, label="cut")
        return ax

    points = told(curves)
    assert len(points) == MOST_OF_A_CURVE
    assert points[0][2] == "Dose 0, Answer 0 (long)"
    assert points[-1][2] == "Dose 499, Answer 0 (long)"


@pytest.mark.parametrize("case", ["cloud", "empty", "two tables of names", "outside"])
def test_pictures_that_tell_nothing(case: str) -> None:
    def draw():
        ax = axes()
        if case == "cloud":
            ax.plot(np.arange(MOST + 1), np.arange(MOST + 1), "o")
        if case == "two tables of names":
            ax.plot([0, 1], [0, 1], "o")
            ax.set_xticks([0, 1], ["a", "b"])
            ax.set_yticks([0, 1], ["c", "d"])
        if case == "outside":
            ax.plot([0, 1], [0, 1], "o")
            ax.set_xlim(5, 6)
        return ax

    assert told(draw) == []


def test_panels_have_their_titles() -> None:
    def draw():
        left, right = Figure(figsize=(6, 3)).subplots(1, 2, sharey=True)
        for each, title in ((left, "bayes"), (right, "trees")):
            each.plot([1], [0.5], "o")
            each.set_title(title)
            each.set_xlabel("Kept")
        left.set_ylabel("Accuracy")
        return left

    assert said(draw) == [f"{name}: Kept 1, Accuracy 0.5" for name in ("bayes", "trees")]


def test_tiles_say_their_row_their_column_and_their_text() -> None:
    def draw():
        ax = axes()
        shades = np.array([[1.0, np.nan], [0.2, 1.0]])
        draw_correlations(ax, shades, ["a", "b"])
        return ax

    points = told(draw)
    assert said(draw) == ["a, a: 1.00", "a, b: –", "b, a: 0.20", "b, b: 1.00"]
    (x, y, _), (right, _, _), (_, below, _), _ = points
    assert right > x
    assert below > y

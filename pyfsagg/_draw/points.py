"""What the points of a picture say when a reader points at them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.container import BarContainer
from numpy.typing import NDArray

from pyfsagg._base.words import MISSING, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.lines import Line2D

__all__ = ["name_points", "told_points"]

MOST = 1000  # points of a picture that are told; of a larger cloud none
MOST_OF_A_CURVE = 40  # vertices of a curve without marks
_FIRST_CLAUSE = re.compile(r"\s*[(,;:\n].*", re.DOTALL)
_names: WeakKeyDictionary[Any, list[str]] = WeakKeyDictionary()

Datum = tuple[float, float, str, str]
Told = tuple[list[str], list[tuple[Any, ...]]]


def name_points(artist: Line2D | PathCollection, names: Sequence[str]) -> None:
    """Say what the points of a line or of a scatter plot are, one name each."""
    _names[artist] = list(names)


def told_points(axes: Axes) -> Told:
    """Where the points of all axes of a figure are in its SVG, and what they say.

    Marks of lines and scatter plots, ends of bars, and vertices of curves that are in a legend.  The
    figure must have been drawn, so that its layout is final.

    Returns
    -------
    sentences : list of str
        ``{0}``, ``{1}`` … in them stand for the words of a point.
    points : list of (x, y, number of its sentence, word, …)
        In units of 1/72 inch from the upper left corner.
    """
    figure = axes.figure
    assert figure is not None
    scale = 72.0 / figure.dpi
    height = figure.bbox.height * scale
    sentences: dict[str, int] = {}
    points: list[tuple[Any, ...]] = []
    for each in figure.axes:
        for x, y, sentence, words in _points(each):
            number_of_it = sentences.setdefault(sentence, len(sentences))
            points.append((round(x * scale), round(height - y * scale), number_of_it, *words))
    return (list(sentences), points) if len(points) <= MOST else ([], [])


def _points(axes: Axes) -> Iterator[tuple[float, float, str, tuple[str, ...]]]:
    """Pixels of the points of one pair of axes, with what they say."""
    named = (_named(axes.xaxis), _named(axes.yaxis))
    if all(named):  # a table of names on both sides
        return
    first = axes.figure.axes[0]  # panels in a row share their title
    titles = tuple(
        _clause(title)
        for title in (
            axes.get_xlabel() or first.get_xlabel(),
            axes.get_ylabel() or first.get_ylabel(),
        )
    )
    panel = f"{axes.get_title()}: " if axes.get_title() else ""
    left, bottom, right, top = axes.bbox.extents
    for x_value, y_value, label, name in _data(axes):
        x, y = axes.transData.transform((x_value, y_value)).tolist()
        if not (left - 1 <= x <= right + 1 and bottom - 1 <= y <= top + 1):
            continue
        legend = f" ({label})" if label else ""
        x_name, y_name = named[0].get(round(x_value)), named[1].get(round(y_value))
        if y_name is not None:
            yield x, y, f"{panel}{{0}}: {titles[0]} {{1}}{legend}", (y_name, _value(x_value))
        elif x_name is not None:
            yield x, y, f"{panel}{{0}}: {titles[1]} {{1}}{legend}", (x_name, _value(y_value))
        else:
            both = f"{titles[0]} {{0}}, {titles[1]} {{1}}{legend}"
            words = (_value(x_value), _value(y_value))
            yield (x, y, f"{panel}{{2}}: {both}", (*words, name)) if name else (
                x, y, f"{panel}{both}", words
            )  # fmt: skip


def _data(axes: Axes) -> Iterator[Datum]:
    """Data coordinates of the points, what the legend says of them, and their own names."""
    for line in axes.lines:
        if line.get_transform() != axes.transData or not line.get_visible():
            continue
        label = _legend_name(line)
        marked = str(line.get_marker()) not in ("", " ", "None", "none")
        values = np.asarray(line.get_xydata(), dtype=np.float64)
        if not marked and (not label or len(values) < 3):
            continue
        if not marked and len(values) > MOST_OF_A_CURVE:
            values = values[np.linspace(0, len(values) - 1, MOST_OF_A_CURVE).round().astype(int)]
        yield from _known(values, label, _names.get(line))
    for dots in axes.collections:
        if isinstance(dots, PathCollection) and dots.get_offset_transform() == axes.transData:
            values = np.asarray(np.ma.filled(dots.get_offsets(), np.nan), dtype=np.float64)
            yield from _known(values, _legend_name(dots), _names.get(dots))
    for bars in axes.containers:
        if isinstance(bars, BarContainer):
            lying = bars.orientation == "horizontal"
            ends = [
                (
                    bar.get_x() + bar.get_width() * (1.0 if lying else 0.5),
                    bar.get_y() + bar.get_height() * (0.5 if lying else 1.0),
                )
                for bar in bars.patches
            ]
            yield from _known(np.array(ends, dtype=np.float64), _legend_name(bars), None)


def _known(values: NDArray[np.float64], label: str, names: list[str] | None) -> Iterator[Datum]:
    for position, (x, y) in enumerate(values.tolist()):
        if np.isfinite((x, y)).all():
            yield x, y, label, names[position] if names else ""


def _legend_name(artist: Line2D | PathCollection | BarContainer) -> str:
    label = str(artist.get_label() or "")
    return "" if label.startswith("_") else label


def _named(axis: Axis) -> dict[float, str]:
    """Names that stand at an axis instead of numbers, by their place."""
    texts = [text.get_text() for text in axis.get_ticklabels()]
    named = {
        round(float(place), 6): text
        for place, text in zip(axis.get_ticklocs(), texts, strict=False)
        if text
    }
    plain = (text.replace("−", "-").replace(",", "").rstrip("%") for text in named.values())
    return {} if all(map(_is_number, plain)) else named


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text.startswith("$")  # a power of ten
    return True


def _clause(title: str) -> str:
    """The title of an axis without its explanation."""
    return _FIRST_CLAUSE.sub("", title)


def _value(value: Any) -> str:
    """A number with four significant digits."""
    if not np.isfinite(value):
        return MISSING
    if value == round(value) and abs(value) < 1e6:
        return number(value, 0)
    return f"{value:.4g}".replace("-", "−")

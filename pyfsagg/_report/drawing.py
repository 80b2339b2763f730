"""What all pictures share: colours, axes, labels that fit, and inline SVG with titles of points."""

from __future__ import annotations

import io
import json
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary
from xml.etree import ElementTree

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator
from numpy.typing import NDArray

from pyfsagg._base.remarks import ALONE
from pyfsagg._base.words import MISSING, number
from pyfsagg._message import NONE, Got, Param, Remedy
from pyfsagg._report.page import Picture
from pyfsagg.exceptions import InputTypeError

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.lines import Line2D


# Of the palette of Okabe and Ito, whose colours differ for all common kinds of colour vision.
BLUE, ORANGE = "#0072B2", "#D55E00"
GREY, INK = "#6B6B6B", "#222222"
# Lines have all but the yellow, which is too light on white.
LINE_COLOURS = (BLUE, ORANGE, "#009E73", "#CC79A7", "#56B4E9", "#E69F00", INK)
LINE_MARKERS = "os^Dv<>"

WIDTH = 6.4  # inches
LABEL_LENGTH = 28  # characters of a feature name that fit beside a picture


def new_axes(ax: Axes | None, height: float) -> Axes:
    """The axes given, or axes on a new figure of `height` inches that pyplot does not know."""
    if ax is None:
        return Figure(figsize=(WIDTH, height), layout="constrained").add_subplot()
    if not isinstance(ax, Axes):
        remedy = Remedy("figure.add_subplot() makes axes")
        raise InputTypeError(Param("ax"), " must be Matplotlib axes or ", NONE, Got(ax), remedy)
    return ax


def clear_frame(ax: Axes, *, grid: str) -> None:
    """Leave the two spines that carry numbers, and a faint grid along one axis."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    ax.grid(axis=grid, color="#E3E3E3", linewidth=0.8)  # type: ignore[arg-type]


def set_title(ax: Axes, text: str, *, above_legend: bool = False, lines: int = 1) -> None:
    """The title, with room for a legend of this many lines below it."""
    pad = 10 + 16 * lines if above_legend else 10
    ax.set_title(text, loc="left", fontsize="large", color=INK, pad=pad)


def legend_above(ax: Axes, *, columns: int = 4) -> None:
    """A legend of one line or two between title and data, where it cannot hide a point."""
    # It ends where the axes end: a long one takes its room from above the feature names.
    pads: dict[str, Any] = {"borderaxespad": 0.2, "borderpad": 0.2, "handletextpad": 0.4}
    look: dict[str, Any] = {"frameon": False, "fontsize": "small", "columnspacing": 1.4}
    ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=columns, **look, **pads)


def finished(ax: Axes, title: str, *, grid: str, columns: int = 4, lines: int = 1) -> Axes:
    """The axes with a grid, a title, and a legend in so many `columns` (0: none) on `lines` between title
    and data, as most pictures end."""
    clear_frame(ax, grid=grid)
    set_title(ax, title, above_legend=columns > 0, lines=lines)
    if columns:
        legend_above(ax, columns=columns)
    return ax


def look(position: int) -> tuple[str, str]:
    """Colour and marker of one of several lines."""
    colours, markers = LINE_COLOURS, LINE_MARKERS
    return colours[position % len(colours)], markers[position % len(markers)]


def write_beside(
    ax: Axes, text: str, at: tuple[Any, Any], by: tuple[float, float], **more: Any
) -> None:
    """A small dark text `by` some points from a place, in which a dollar sign is no formula."""
    look: dict[str, Any] = {"textcoords": "offset points", "fontsize": "small", "color": INK}
    ax.annotate(text, at, xytext=by, **{**look, "parse_math": False, **more})


def feature_axis(ax: Axes, names: Sequence[str]) -> None:
    """Features down the y axis, the first on top."""
    # A dollar sign in a name is a dollar sign, not the start of a formula.
    labels = [feature_label(name) for name in names]
    ax.set_yticks(np.arange(len(labels)), labels, parse_math=False)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)


def feature_rows(
    ax: Axes | None, names: Sequence[str], height: float, each: float
) -> tuple[Axes, NDArray[np.intp]]:
    """Axes with a row for each feature, `each` inches high below `height` for the rest; and the rows."""
    ax = new_axes(ax, height + each * len(names))
    feature_axis(ax, names)
    return ax, np.arange(len(names))


def feature_label(name: str, length: int = LABEL_LENGTH) -> str:
    """A name of at most `length` characters, with an ellipsis in the middle; control and direction
    marks become U+FFFD."""
    shown = "".join(c if c.isprintable() else "\ufffd" for c in name)
    if len(shown) <= length:
        return shown
    tail = (length - 1) // 2
    return f"{shown[: length - 1 - tail]}…{shown[-tail:]}"


def draw_tiles(
    ax: Axes,
    labels: Sequence[str],
    shades: NDArray[np.float64],
    texts: Sequence[Sequence[str]],
    *,
    cmap: str,
    limits: tuple[float, float],
    fontsize: str | None = "small",
) -> None:
    """Tiles with dark texts, without a colour if the shade is NaN; the colour limits are wide enough
    for the texts to be read."""
    size = len(labels)
    edges = np.arange(size + 1) - 0.5
    shade: dict[str, Any] = {"cmap": cmap, "vmin": limits[0], "vmax": limits[1]}
    tiles = np.ma.masked_invalid(shades)
    ax.pcolormesh(edges, edges, tiles, edgecolors="white", linewidth=1.5, **shade)
    ax.set_ylim(size - 0.5, -0.5)
    for i, j in np.ndindex(size, size):
        ax.text(j, i, texts[i][j], ha="center", va="center", color=INK, fontsize=fontsize)
    shown = [feature_label(label) for label in labels]
    ax.set_xticks(np.arange(size), shown, parse_math=False, rotation=20, ha="right")
    ax.set_yticks(np.arange(size), shown, parse_math=False)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def draw_correlations(ax: Axes, values: NDArray[np.float64], labels: Sequence[str]) -> None:
    """A square heat map of values from −1 to 1 with the numbers on it; NaN is a dash."""
    texts = [
        ["–" if np.isnan(value) else f"{value:.2f}".replace("-", "−") for value in row]
        for row in values
    ]
    draw_tiles(ax, labels, values, texts, cmap="RdBu", limits=(-1.8, 1.8), fontsize=None)


def write_at_right(ax: Axes, row: float, text: str) -> None:
    """A small text right of the axes, at a place of the y axis."""
    look: dict[str, Any] = {"va": "center", "color": GREY, "annotation_clip": False}
    place = ("axes fraction", "data")
    write_beside(ax, text, (1.0, row), (6, 0), xycoords=place, parse_math=True, **look)


def log_ticks(ax: Axes, ticks: Sequence[float]) -> None:
    """A logarithmic x axis with these ticks alone, as whole numbers."""
    ax.set_xscale("log")
    ax.set_xticks(ticks)
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def number_ticks(high: float) -> list[float]:
    """Whole-number ticks from 1 to at most `high`, always with the 1."""
    ticks = MaxNLocator(nbins=8, integer=True).tick_values(1.0, max(high, 2.0))
    return [1.0, *(float(tick) for tick in ticks if 1.0 < tick <= high)]


SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "pyfsagg",  # the same picture has the same identifiers in every run
    "svg.fonttype": "none",  # text stays text: it can be read out, searched and copied
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.5,
    "axes.unicode_minus": True,
    "text.usetex": False,
}
_FONT = re.compile(r"font: (?:(?:normal|italic|oblique|\d{3}|bold) )*([\d.]+)px [^;]*")
_REFERENCE = re.compile(r"url\(#([^)]*)\)")


def inline_svg(draw: Callable[[], Axes], *, prefix: str, label: str) -> Markup:
    """An ``<svg>`` element that refers to no other file, without the title of the axes; its identifiers
    have the prefix, and the texts of its points are in ``data-points``."""
    from matplotlib import rc_context, rcdefaults, rcParams
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    with ALONE, rc_context(), warnings.catch_warnings():
        # A report looks the same even if the reader has set a style for other pictures.
        rcdefaults()
        rcParams.update(SETTINGS)
        # The browser chooses a font for a name in any script; Matplotlib only measures it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        axes = draw()
        axes.set_title("", loc="left")
        target, figure = io.BytesIO(), cast("Figure", axes.figure)
        figure.set_facecolor("none")
        canvas = FigureCanvasSVG(figure)
        if (layout := figure.get_layout_engine()) is not None:
            layout.execute(figure)
            figure.set_layout_engine("none")
        # savefig() would draw twice, for the layout first.
        canvas.print_svg(target)  # type: ignore[no-untyped-call]
        sentences, points = point_texts(axes)
    root = ElementTree.fromstring(target.getvalue())
    # Metadata (date, addresses), and the style sheet, which would apply to the page as well.
    for parent in list(root.iter()):
        for child in list(parent):
            if _local(child.tag) in ("metadata", "style"):
                parent.remove(child)
    # Names without XML namespaces, which HTML does not have, and identifiers with the prefix.
    for element in root.iter():
        element.tag = _local(element.tag)
        attributes = {_local(key): value for key, value in element.attrib.items()}
        for name, value in attributes.items():
            if name == "id":
                value = f"{prefix}-{value}"
            elif name == "href" and value.startswith("#"):
                value = f"#{prefix}-{value[1:]}"
            else:
                value = _REFERENCE.sub(rf"url(#{prefix}-\1)", value)
            attributes[name] = _FONT.sub(r"font-size: \1px", value) if name == "style" else value
        element.attrib.clear()
        element.attrib.update(attributes)
    root.attrib.update({"role": "img", "aria-label": label})
    if points:  # for the script of the page, which shows them under the pointer
        texts = json.dumps([sentences, points], ensure_ascii=False, separators=(",", ":"))
        root.attrib["data-points"] = texts
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    # ElementTree escapes what has to be escaped in names of features.
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _local(name: str) -> str:
    return name.rpartition("}")[2]


MOST = 1000  # points of a picture that have a text; of a larger cloud none has
MOST_OF_A_CURVE = 40  # vertices of a curve without marks
_names: WeakKeyDictionary[Any, list[str]] = WeakKeyDictionary()

Datum = tuple[float, float, str, str]


def name_points(artist: Line2D | PathCollection, names: Sequence[str]) -> None:
    """Name the points of a line or of a scatter plot."""
    _names[artist] = list(names)


def point_texts(axes: Axes) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The sentences of a drawn figure, and its points (marks, bar ends, vertices of curves in a legend,
    tiles): place in the SVG, number of the sentence, words."""
    figure = axes.figure
    assert figure is not None
    scale = 72.0 / figure.dpi
    height = figure.bbox.height * scale
    sentences: dict[str, int] = {}
    points: list[tuple[Any, ...]] = []
    for panel in figure.axes:
        for x, y, sentence, words in _points(panel):
            place = sentences.setdefault(sentence, len(sentences))
            points.append((round(x * scale), round(height - y * scale), place, *words))
    return (list(sentences), points) if len(points) <= MOST else ([], [])


def _points(axes: Axes) -> Iterator[tuple[float, float, str, tuple[str, ...]]]:
    """Pixels of the points of one pair of axes, with a sentence and the words for it."""
    named = (_named(axes.xaxis), _named(axes.yaxis))
    if all(named):  # a table of names on both sides: its cells
        for text in axes.texts:
            column, row = text.get_position()
            x, y = axes.transData.transform((column, row)).tolist()
            names = named[1].get(round(row), ""), named[0].get(round(column), "")
            yield x, y, "{0}, {1}: {2}", (*names, text.get_text())
        return
    first = axes.figure.axes[0]  # panels in a row share their title
    titles = [axes.get_xlabel() or first.get_xlabel(), axes.get_ylabel() or first.get_ylabel()]
    titles = [re.sub(r"\s*[(,;:\n].*", "", title, flags=re.DOTALL) for title in titles]
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
            words = (_value(x_value), _value(y_value), *([name] if name else []))
            yield x, y, f"{panel}{'{2}: ' if name else ''}{both}", words


def _data(axes: Axes) -> Iterator[Datum]:
    """Data coordinates of the points, their name in the legend, and the name of each."""
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
            across, up = (1.0, 0.5) if bars.orientation == "horizontal" else (0.5, 1.0)
            ends = [
                (bar.get_x() + bar.get_width() * across, bar.get_y() + bar.get_height() * up)
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
    """Names on an axis instead of numbers, by position."""
    texts = [text.get_text() for text in axis.get_ticklabels()]
    pairs = zip(axis.get_ticklocs(), texts, strict=False)
    named = {round(float(place), 6): text for place, text in pairs if text}
    plain = (text.replace("−", "-").replace(",", "").rstrip("%") for text in named.values())
    return {} if all(map(_is_number, plain)) else named


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text.startswith("$")  # a power of ten
    return True


def _value(value: Any) -> str:
    """A number with four significant digits."""
    if not np.isfinite(value):
        return MISSING
    if value == round(value) and abs(value) < 1e6:
        return number(value, 0)
    return f"{value:.4g}".replace("-", "−")


def picture(
    title: str,
    prefix: str,
    draw: Callable[..., Any],
    *data: Any,
    label: str | None = None,
    caption: str = "",
    **options: Any,
) -> Picture:
    """The picture of `data` by `draw`; `label` is its alternative text (default: the title), `prefix`
    makes identifiers unique on the page."""
    prefix = prefix.replace(".", "-").replace("_", "-").lower()
    svg = inline_svg(partial(draw, *data, **options), prefix=prefix, label=label or title)
    return Picture(title, svg, caption)

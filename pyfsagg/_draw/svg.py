"""Matplotlib axes as SVG that can stand inside an HTML page."""

from __future__ import annotations

import io
import json
import re
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from markupsafe import Markup

from pyfsagg._base.remarks import ALONE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["inline_svg"]

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
    """Draw a picture and return it as an ``<svg>`` element.

    The title of the axes is left out, because the page has a caption.  Identifiers get the prefix,
    so that several pictures can stand in one page; fonts are those of the page; nothing refers to
    another file.  What its points say stands in the attribute ``data-points``.

    Parameters
    ----------
    draw : callable
        Returns the axes, alone on their figure.
    prefix : str
        A word that no other picture of the page has.
    label : str
        What the picture shows, for readers who cannot see it.
    """
    from matplotlib import rc_context, rcdefaults, rcParams

    from pyfsagg._draw.points import told_points

    with ALONE, rc_context(), warnings.catch_warnings():
        # A report looks the same whatever style the reader has set for own pictures.
        rcdefaults()
        rcParams.update(SETTINGS)
        # The browser chooses a font for a name in any script; Matplotlib only measures it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        axes = draw()
        axes.set_title("", loc="left")
        target = io.BytesIO()
        axes.figure.savefig(target, format="svg", facecolor="none")  # type: ignore[union-attr]
        sentences, points = told_points(axes)
    root = ElementTree.fromstring(target.getvalue())
    _strip(root)
    for element in root.iter():
        _localise(element, prefix)
    root.attrib.update({"role": "img", "aria-label": label})
    if points:  # for the script of the page, which says them where a reader points
        told = json.dumps([sentences, points], ensure_ascii=False, separators=(",", ":"))
        root.attrib["data-points"] = told
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    # ElementTree escapes what has to be escaped in names of features.
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _strip(root: ElementTree.Element) -> None:
    """Drop metadata (date, addresses), and the style sheet, which would apply to the whole page."""
    for parent in list(root.iter()):
        for child in list(parent):
            if _local(child.tag) in ("metadata", "style"):
                parent.remove(child)


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _localise(element: ElementTree.Element, prefix: str) -> None:
    """Names without XML namespaces, which HTML does not have, and identifiers with the prefix."""
    element.tag = _local(element.tag)
    attributes = {}
    for key, value in element.attrib.items():
        name = _local(key)
        if name == "id":
            value = f"{prefix}-{value}"
        elif name == "href" and value.startswith("#"):
            value = f"#{prefix}-{value[1:]}"
        else:
            value = _REFERENCE.sub(rf"url(#{prefix}-\1)", value)
        if name == "style":
            value = _FONT.sub(r"font-size: \1px", value)
        attributes[name] = value
    element.attrib.clear()
    element.attrib.update(attributes)

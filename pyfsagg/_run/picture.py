"""A picture of a result on its page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from pyfsagg._draw.svg import inline_svg
from pyfsagg._page.page import Picture

__all__ = ["picture"]


def picture(
    title: str,
    prefix: str,
    draw: Callable[..., Any],
    *given: Any,
    label: str | None = None,
    caption: str = "",
    **options: Any,
) -> Picture:
    """What `draw` makes of `given` and `options`.

    `label` describes it to who cannot see it (default: the title).  `prefix` tells the picture from the
    others of the page; dots and underscores are taken out.
    """
    prefix = prefix.replace(".", "-").replace("_", "-").lower()
    svg = inline_svg(partial(draw, *given, **options), prefix=prefix, label=label or title)
    return Picture(title, svg, caption)

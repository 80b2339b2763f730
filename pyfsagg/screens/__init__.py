"""Genes of CRISPR screens out of ranked guides: α-RRA with exact p-values.

>>> import pyfsagg
>>> found = pyfsagg.screen([-3.0, -2.5, 0.1, 0.2, 0.3, 1.0], list("aabbcc"), alpha=0.4)
>>> found.to_frame("low").index.tolist()
['a', 'b', 'c']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pyfsagg._run.result import shown_by
from pyfsagg.screens._call import screen
from pyfsagg.screens._result import Screen
from pyfsagg.screens.scoring import Side

if TYPE_CHECKING:
    from pyfsagg._page.page import Page

__all__ = ["Screen", "Side", "screen"]


def _pictures() -> Mapping[str, Callable[..., Any]]:
    from pyfsagg.screens._plot import SCREEN_PLOTS

    return SCREEN_PLOTS


def _page(result: Screen, **options: Any) -> Page:
    from pyfsagg.screens._page import screen_page

    return screen_page(result, **options)


shown_by("screen", pictures=_pictures, page=_page)

"""Learners as voters: selections over resamples, and the order of the features by a voting rule.

The public names stand in ``__init__.pyi``, and are imported when they are first used.

>>> import pyfsagg
>>> pyfsagg.vote([["a", "b"], ["a"], ["c", "a"]]).ranking["votes"].to_dict()
{'a': 3, 'b': 1, 'c': 1}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import lazy_loader

from pyfsagg._run.result import shown_by

if TYPE_CHECKING:
    from pyfsagg._page.page import Page
    from pyfsagg.committees.result import Committee

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def _pictures() -> Mapping[str, Callable[..., Any]]:
    from pyfsagg.committees._plot import COMMITTEE_PLOTS

    return COMMITTEE_PLOTS


def _page(result: Committee, **options: Any) -> Page:
    from pyfsagg.committees._page import committee_page

    return committee_page(result, **options)


shown_by("committee", pictures=_pictures, page=_page)

"""Does pyfsagg agree with R? Every quantity that both compute, on the same data and row numbers.

:func:`cross_check` runs the comparisons, :class:`CrossCheck` holds what they found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pyfsagg._run.result import shown_by
from r_bridge.comparisons._base import COMPARISONS, Case, Comparison, Tolerance
from r_bridge.comparisons.result import CrossCheck
from r_bridge.comparisons.run import cross_check, list_comparisons

if TYPE_CHECKING:
    from pyfsagg._page.page import Page

__all__ = [
    "COMPARISONS",
    "Case",
    "Comparison",
    "CrossCheck",
    "Tolerance",
    "cross_check",
    "list_comparisons",
]


def _pictures() -> Mapping[str, Callable[..., Any]]:
    from r_bridge.comparisons.report import plot_differences

    return {"differences": plot_differences}


def _page(result: CrossCheck, **options: Any) -> Page:
    from r_bridge.comparisons.report import cross_check_page

    return cross_check_page(result, **options)


shown_by("cross_check", pictures=_pictures, page=_page)

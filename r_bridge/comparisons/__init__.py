"""Does pyfsagg agree with R? Every quantity that both compute, on the same data and row numbers.

:func:`cross_check` runs the comparisons, :class:`CrossCheck` holds what they found.
"""

from __future__ import annotations

from pyfsagg._run.result import Face, shown_by
from r_bridge.comparisons._base import COMPARISONS, Case, Comparison, Tolerance
from r_bridge.comparisons.result import CrossCheck
from r_bridge.comparisons.run import cross_check, list_comparisons

__all__ = [
    "COMPARISONS",
    "Case",
    "Comparison",
    "CrossCheck",
    "Tolerance",
    "cross_check",
    "list_comparisons",
]


@shown_by("cross_check")
def _face() -> Face:
    from r_bridge.comparisons.report import cross_check_page, plot_differences

    return Face({"differences": plot_differences}, cross_check_page)

"""Does pyfsagg agree with R? Every quantity that both compute, on the same data and row numbers.

``run`` runs the comparisons and keeps what they found; a file for each room of comparisons.
"""

from __future__ import annotations

from pyfsagg.extending import Renderer, register_renderer


@register_renderer("cross_check")
def _renderer() -> Renderer:
    from pyfsagg_papers.comparisons.page import cross_check_page, plot_differences

    return Renderer({"differences": plot_differences}, cross_check_page)

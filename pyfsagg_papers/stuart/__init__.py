"""What the Stuart column of thesis tables 4.5 and 4.6 measured."""

from __future__ import annotations

from pyfsagg.extending import Renderer, register_renderer


@register_renderer("stuart_finding")
def _renderer() -> Renderer:
    from pyfsagg_papers.stuart.page import STUART_PLOTS, stuart_page

    return Renderer(STUART_PLOTS, lambda found, view: stuart_page(found, command=view["command"]))

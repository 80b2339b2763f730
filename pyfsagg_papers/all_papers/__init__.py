"""All tables and statements of all papers at once."""

from __future__ import annotations

from pyfsagg.extending import Renderer, register_renderer


@register_renderer("reproduction")
def _renderer() -> Renderer:
    from pyfsagg_papers.all_papers.page import reproduction_page

    return Renderer({}, lambda found, view: reproduction_page(found, command=view["command"]))

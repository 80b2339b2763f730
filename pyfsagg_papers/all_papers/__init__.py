"""All tables and statements of all papers at once."""

from __future__ import annotations

from pyfsagg.extending import Face, shown_by


@shown_by("reproduction")
def _face() -> Face:
    from pyfsagg_papers.all_papers.page import reproduction_page

    return Face({}, lambda found, view: reproduction_page(found, command=view["command"]))

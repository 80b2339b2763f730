"""What the Stuart column of thesis tables 4.5 and 4.6 measured."""

from __future__ import annotations

from pyfsagg._run.result import Face, shown_by


@shown_by("stuart_finding")
def _face() -> Face:
    from pyfsagg.reproduce.stuart._page import stuart_page
    from pyfsagg.reproduce.stuart._plot import STUART_PLOTS

    return Face(STUART_PLOTS, lambda found, command, **_: stuart_page(found, command=command))

"""What every p-value, interval and error bound of this package keeps, measured by simulation.

A design simulates data whose truth is known and says of each repetition whether a claim was kept.
Designs are in ``lists``, ``selections``, ``stability``, ``statistics`` and ``tables``; ``run`` runs them.
"""

from __future__ import annotations

from pyfsagg.extending import Face, shown_by


@shown_by("calibration")
def _face() -> Face:
    from pyfsagg_papers.calibration.page import calibration_page

    return Face({}, lambda found, command, **_: calibration_page(found, command=command))

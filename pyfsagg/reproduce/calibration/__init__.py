"""What every p-value, interval and error bound of this package keeps, measured by simulation.

A design simulates data whose truth is known and says of each repetition whether a claim was kept.
Designs are in ``designs/``, a file for each topic; `calibrate` runs them.
"""

from __future__ import annotations

from pyfsagg._run.result import Face, shown_by


@shown_by("calibration")
def _face() -> Face:
    from pyfsagg.reproduce.calibration._page import calibration_page

    return Face({}, lambda found, command, **_: calibration_page(found, command=command))

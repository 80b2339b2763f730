"""What every p-value, interval and error bound of this package keeps, measured by simulation.

A design simulates data whose truth is known and says of each repetition whether a claim was kept.
``design`` says what a claim is and ``run`` runs the designs, which are in the other files.
"""

from __future__ import annotations

from pyfsagg.extending import Renderer, register_renderer


@register_renderer("calibration")
def _renderer() -> Renderer:
    from pyfsagg_papers.calibration.page import calibration_page
    from pyfsagg_papers.calibration.pictures import plot_errors, plot_power

    pictures = {"errors": plot_errors, "power": plot_power}
    return Renderer(pictures, lambda found, view: calibration_page(found, command=view["command"]))

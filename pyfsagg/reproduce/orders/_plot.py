"""Pictures of the experiments of the paper on rank orders."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pyfsagg._base.checks import check_choice
from pyfsagg._draw.style import WIDTH, legend_above, new_axes, set_title
from pyfsagg.rank_order._plot import SHOWN, band, finish, line
from pyfsagg.reproduce.orders.experiment import Experiment

__all__ = ["plot_experiment", "plot_panel"]


def plot_experiment(experiment: Experiment) -> list[Axes]:
    """Curves of an experiment, one panel below the other on one figure.

    Returns
    -------
    list of Axes
    """
    panels = list(dict.fromkeys(experiment.curves["panel"]))
    figure = Figure(figsize=(WIDTH, 0.5 + 3.0 * len(panels)), layout="constrained")
    found = []
    for position, panel in enumerate(panels):
        ax = figure.add_subplot(len(panels), 1, position + 1)
        # The curves have the same colours in all panels: one legend is enough.
        found.append(plot_panel(experiment, panel, legend=position == 0, ax=ax))
    return found


def plot_panel(
    experiment: Experiment, panel: str, *, legend: bool = True, ax: Axes | None = None
) -> Axes:
    """The curves of one panel of an experiment.

    Parameters
    ----------
    experiment : Experiment
    panel : str
        One of ``experiment.curves["panel"]``.
    legend : bool
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    Raises
    ------
    ParameterError
        For another panel.
    """
    check_choice("panel", panel, dict.fromkeys(experiment.curves["panel"]))
    ax = new_axes(ax, 3.4)
    curves = experiment.curves[experiment.curves["panel"] == panel]
    if experiment.baseline is not None:
        own = experiment.baseline[experiment.baseline["panel"] == panel]
        band(ax, own, experiment.measure)
    for method, frame in curves.groupby("method", sort=False):
        line(ax, frame, str(method), experiment.measure, SHOWN)
    measured = curves.loc[curves[experiment.measure].notna(), "size"]
    finish(ax, experiment.measure, int(min(measured.max(), SHOWN)))
    set_title(ax, panel, above_legend=legend)
    if legend:
        legend_above(ax, columns=5)
    return ax

"""Pictures of results: functions that take a result and return Matplotlib axes.

A list of public names; each picture lives beside the result that it shows.

Matplotlib is used through its objects only: nothing is registered with ``pyplot``, no backend is
chosen, and a figure lives as long as its axes do.  In a notebook show ``axes.figure``; to keep a
picture call ``axes.figure.savefig("picture.pdf")``.
"""

from pyfsagg.stability_measures._report import plot_adequacy, plot_stability_curve, plot_trade_off
from pyfsagg.unsupervised._report import plot_clustering_curve

__all__ = ["plot_adequacy", "plot_clustering_curve", "plot_stability_curve", "plot_trade_off"]

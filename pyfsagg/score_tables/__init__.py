"""Which places of a table of scores are real: methods by data sets.

>>> import numpy as np
>>> import pyfsagg
>>> noise = np.random.default_rng(1).normal(size=(10, 4))
>>> len(pyfsagg.standings(noise).may_be_first)
4
"""

from pyfsagg._run.result import Face, shown_by
from pyfsagg.score_tables._metrics import MetricStandings
from pyfsagg.score_tables._result import Standings
from pyfsagg.score_tables.question import standings

__all__ = ["MetricStandings", "Standings", "standings"]


@shown_by("standings")
def _face() -> Face:
    from pyfsagg.score_tables._report import STANDINGS_PLOTS, standings_page

    return Face(STANDINGS_PLOTS, standings_page)


@shown_by("metric_standings")
def _face_of_metrics() -> Face:
    from pyfsagg.score_tables._report import METRIC_PLOTS, metrics_page

    return Face(METRIC_PLOTS, metrics_page)

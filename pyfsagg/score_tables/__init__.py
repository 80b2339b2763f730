"""Which places of a table of scores are real: methods by data sets.

>>> import numpy as np
>>> import pyfsagg
>>> noise = np.random.default_rng(1).normal(size=(10, 4))
>>> len(pyfsagg.standings(noise).may_be_first)
4
"""

from pyfsagg._run.result import Renderer, register_renderer
from pyfsagg.score_tables._metrics import MetricStandings
from pyfsagg.score_tables._result import Standings
from pyfsagg.score_tables.question import standings

__all__ = ["MetricStandings", "Standings", "standings"]


@register_renderer("standings")
def _renderer() -> Renderer:
    from pyfsagg.score_tables._report import STANDINGS_PLOTS, standings_page

    return Renderer(STANDINGS_PLOTS, standings_page)


@register_renderer("metric_standings")
def _renderer_of_metrics() -> Renderer:
    from pyfsagg.score_tables._report import METRIC_PLOTS, metrics_page

    return Renderer(METRIC_PLOTS, metrics_page)

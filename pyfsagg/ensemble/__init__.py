"""Within- and between-aggregation: resamples, filters and an aggregator chained into a result.

The public names stand in ``__init__.pyi``, and are imported when they are first used: the selectors bring
scikit-learn along, and a run does not.
"""

import lazy_loader

from pyfsagg._run.result import Renderer, register_renderer

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


@register_renderer("ensemble")
def _renderer() -> Renderer:
    from pyfsagg.ensemble._page import ensemble_page
    from pyfsagg.ensemble._plot import ENSEMBLE_PLOTS

    return Renderer(ENSEMBLE_PLOTS, ensemble_page)

"""Within- and between-aggregation: resamples, filters and an aggregator chained into a result."""

from pyfsagg._run.result import Renderer, register_renderer
from pyfsagg.ensemble.larger_samples import ExpectedReplication, expected_replication
from pyfsagg.ensemble.methods import bam, wam
from pyfsagg.ensemble.result import EnsembleResult

__all__ = ["EnsembleResult", "ExpectedReplication", "bam", "expected_replication", "wam"]

# The selectors are in pyfsagg.ensemble.selectors: they need scikit-learn, and a run does not.


@register_renderer("ensemble")
def _renderer() -> Renderer:
    from pyfsagg.ensemble._page import ensemble_page
    from pyfsagg.ensemble._plot import ENSEMBLE_PLOTS

    return Renderer(ENSEMBLE_PLOTS, ensemble_page)

"""Within- and between-aggregation: resamples, filters and an aggregator chained into a result."""

from pyfsagg.ensemble.bam import bam
from pyfsagg.ensemble.result import EnsembleResult
from pyfsagg.ensemble.wam import wam
from pyfsagg.filters import list_filters

__all__ = ["EnsembleResult", "bam", "list_filters", "wam"]

# The selectors are in pyfsagg.ensemble.selectors: they need scikit-learn, and a run does not.

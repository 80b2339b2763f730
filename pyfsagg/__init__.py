"""pyfsagg: ensemble feature selection, rank aggregation and selection stability.

Names are imported when they are first used, so that ``import pyfsagg`` itself costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from pyfsagg._version import __version__

if TYPE_CHECKING:
    from pyfsagg import plotting as plotting
    from pyfsagg import rank_order as rank_order
    from pyfsagg import statistics as statistics
    from pyfsagg import unsupervised as unsupervised
    from pyfsagg.aggregation import Aggregation as Aggregation
    from pyfsagg.aggregation import aggregate as aggregate
    from pyfsagg.aggregation import list_aggregators as list_aggregators
    from pyfsagg.aggregator_influence import InfluenceResult as InfluenceResult
    from pyfsagg.aggregator_influence import compare_aggregators as compare_aggregators
    from pyfsagg.aggregator_influence import influence as influence
    from pyfsagg.datasets import list_datasets as list_datasets
    from pyfsagg.datasets import load_dataset as load_dataset
    from pyfsagg.datasets import load_published as load_published
    from pyfsagg.datasets import read_table as read_table
    from pyfsagg.discretization import discretize as discretize
    from pyfsagg.ensemble import EnsembleResult as EnsembleResult
    from pyfsagg.ensemble import bam as bam
    from pyfsagg.ensemble import wam as wam
    from pyfsagg.ensemble.selectors import BetweenAggregationSelector as BetweenAggregationSelector
    from pyfsagg.ensemble.selectors import WithinAggregationSelector as WithinAggregationSelector
    from pyfsagg.evaluation import Evaluation as Evaluation
    from pyfsagg.evaluation import evaluate as evaluate
    from pyfsagg.evaluation import weighted_average_accuracy as weighted_average_accuracy
    from pyfsagg.filters import chi_squared as chi_squared
    from pyfsagg.filters import fit_criterion as fit_criterion
    from pyfsagg.filters import gain_ratio as gain_ratio
    from pyfsagg.filters import information_gain as information_gain
    from pyfsagg.filters import list_filters as list_filters
    from pyfsagg.filters import mrmr as mrmr
    from pyfsagg.filters import near_zero_variance as near_zero_variance
    from pyfsagg.filters import spearman as spearman
    from pyfsagg.filters import symmetric_uncertainty as symmetric_uncertainty
    from pyfsagg.filters import value_difference_metric as value_difference_metric
    from pyfsagg.out_of_core import rank_out_of_core as rank_out_of_core
    from pyfsagg.rank_order import RankOrderSelector as RankOrderSelector
    from pyfsagg.ranks import RankTable as RankTable
    from pyfsagg.report import write_report as write_report
    from pyfsagg.resampling import list_resampling_plans as list_resampling_plans
    from pyfsagg.stability_measures import adequacy as adequacy
    from pyfsagg.stability_measures import feature_stability as feature_stability
    from pyfsagg.stability_measures import list_stability_measures as list_stability_measures
    from pyfsagg.stability_measures import nogueira as nogueira
    from pyfsagg.stability_measures import pareto_front as pareto_front
    from pyfsagg.stability_measures import stability as stability
    from pyfsagg.stability_measures import stability_curve as stability_curve
    from pyfsagg.stability_measures import stability_table as stability_table
    from pyfsagg.unsupervised import ConsensusAffinitySelector as ConsensusAffinitySelector

_HOMES = {
    "aggregation": ("Aggregation", "aggregate", "list_aggregators"),
    "datasets": ("list_datasets", "load_dataset", "load_published", "read_table"),
    "discretization": ("discretize",),
    "ensemble.selectors": ("BetweenAggregationSelector", "WithinAggregationSelector"),
    "ensemble": (
        "EnsembleResult",
        "bam",
        "wam",
    ),
    "evaluation": ("Evaluation", "evaluate", "weighted_average_accuracy"),
    "filters": (
        "chi_squared",
        "fit_criterion",
        "gain_ratio",
        "information_gain",
        "list_filters",
        "mrmr",
        "near_zero_variance",
        "spearman",
        "symmetric_uncertainty",
        "value_difference_metric",
    ),
    "aggregator_influence": ("InfluenceResult", "compare_aggregators", "influence"),
    "out_of_core": ("rank_out_of_core",),
    "rank_order": ("RankOrderSelector",),
    "unsupervised": ("ConsensusAffinitySelector",),
    "ranks": ("RankTable",),
    "resampling": ("list_resampling_plans",),
    "report": ("write_report",),
    "stability_measures": (
        "adequacy",
        "feature_stability",
        "list_stability_measures",
        "nogueira",
        "pareto_front",
        "stability",
        "stability_curve",
        "stability_table",
    ),
}
_ROOMS = (
    "plotting",
    "rank_order",
    "statistics",
    "unsupervised",
)  # modules that are used by their own names
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["__version__", *_ROOMS, *sorted(_HOME_OF)]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"pyfsagg.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'pyfsagg' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"pyfsagg.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

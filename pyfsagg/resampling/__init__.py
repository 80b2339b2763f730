"""Resampling plans: a seed and a table in, row weights out."""

from pyfsagg.resampling.draws import Resamples, canonical_order
from pyfsagg.resampling.plans import (
    PLANS,
    Bootstrap,
    FeatureSubspace,
    GroupedBootstrap,
    KFold,
    LabelNoise,
    Plan,
    PlanSpec,
    PoissonBootstrap,
    Rows,
    StratifiedBootstrap,
    Subsample,
    ValueNoise,
    draw_resamples,
    list_resampling_plans,
    read_plan,
    with_data,
)

__all__ = [
    "PLANS",
    "Bootstrap",
    "FeatureSubspace",
    "GroupedBootstrap",
    "KFold",
    "LabelNoise",
    "Plan",
    "PlanSpec",
    "PoissonBootstrap",
    "Resamples",
    "Rows",
    "StratifiedBootstrap",
    "Subsample",
    "ValueNoise",
    "canonical_order",
    "draw_resamples",
    "list_resampling_plans",
    "read_plan",
    "with_data",
]

"""Resampling plans: a seed and a table in, row weights out."""

from pyfsagg.resampling.draws import Resamples, canonical_order
from pyfsagg.resampling.plan import (
    PLANS,
    Plan,
    PlanSpec,
    draw_resamples,
    list_resampling_plans,
    read_plan,
    with_data,
)
from pyfsagg.resampling.plans import (
    BalancedBootstrap,
    Bootstrap,
    ComplementaryPairs,
    FeatureSubspace,
    GroupedBootstrap,
    KFold,
    LabelNoise,
    PoissonBootstrap,
    Rows,
    StratifiedBootstrap,
    Subsample,
    ValueNoise,
)

__all__ = [
    "PLANS",
    "BalancedBootstrap",
    "Bootstrap",
    "ComplementaryPairs",
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

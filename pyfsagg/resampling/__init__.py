"""Resampling plans: a seed and a table in, row weights out."""

from pyfsagg.resampling.plan import Plan, Resamples, draw_resamples
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
    "BalancedBootstrap",
    "Bootstrap",
    "ComplementaryPairs",
    "FeatureSubspace",
    "GroupedBootstrap",
    "KFold",
    "LabelNoise",
    "Plan",
    "PoissonBootstrap",
    "Resamples",
    "Rows",
    "StratifiedBootstrap",
    "Subsample",
    "ValueNoise",
    "draw_resamples",
]

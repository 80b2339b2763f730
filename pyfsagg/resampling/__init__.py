"""Resampling plans: a seed and a table in, row weights out."""

from pyfsagg.resampling.plans import (
    PLANS,
    PlanSpec,
    Resamples,
    canonical_order,
    draw_resamples,
    list_resampling_plans,
    resamples_from_indices,
    resolve_seed,
)

__all__ = [
    "PLANS",
    "PlanSpec",
    "Resamples",
    "canonical_order",
    "draw_resamples",
    "list_resampling_plans",
    "resamples_from_indices",
    "resolve_seed",
]

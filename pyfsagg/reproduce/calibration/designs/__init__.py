"""The designs, a file for each topic. Importing this package registers all of them."""

from pyfsagg.reproduce.calibration.designs import (
    adequacy,
    column_groups,
    effect_sizes,
    error_control,
    folds,
    lists,
    pairs,
    permutations,
    proposal,
    rank_sets,
    screen,
    stability,
    stability_comparison,
    stability_intervals,
    subjects,
    verdicts,
)

__all__ = [
    "adequacy",
    "column_groups",
    "effect_sizes",
    "error_control",
    "folds",
    "lists",
    "pairs",
    "permutations",
    "proposal",
    "rank_sets",
    "screen",
    "stability",
    "stability_comparison",
    "stability_intervals",
    "subjects",
    "verdicts",
]

"""The designs, a file for each topic. Importing this package registers all of them."""

from pyfsagg.reproduce.calibration.designs import (
    folds,
    lists,
    rank_sets,
    stability,
    stability_comparison,
    stability_intervals,
    subjects,
)

__all__ = [
    "folds",
    "lists",
    "rank_sets",
    "stability",
    "stability_comparison",
    "stability_intervals",
    "subjects",
]

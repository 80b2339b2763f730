"""The designs, a file for each topic. Importing this package registers all of them."""

from pyfsagg.reproduce.calibration.designs import folds, lists, subjects

__all__ = ["folds", "lists", "subjects"]

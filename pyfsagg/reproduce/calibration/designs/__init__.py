"""The designs, a file for each topic. Importing this package registers all of them."""

from pyfsagg.reproduce.calibration.designs import lists, subjects

__all__ = ["lists", "subjects"]

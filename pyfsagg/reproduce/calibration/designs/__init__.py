"""The designs, a file for each topic. Importing this package registers all of them."""

<<<<<<< HEAD
from pyfsagg.reproduce.calibration.designs import error_control, lists

__all__ = ["error_control", "lists"]
=======
from pyfsagg.reproduce.calibration.designs import lists, subjects

__all__ = ["lists", "subjects"]
>>>>>>> main

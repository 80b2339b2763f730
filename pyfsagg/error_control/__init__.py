"""How many of the selected features are false: p-values of a run, bounds and estimates."""

from pyfsagg.error_control.bounds import pfer_bound
from pyfsagg.error_control.control import ErrorControl, control_errors
from pyfsagg.error_control.paths import CalibratedSelection, calibrate_selection, integrated_path
from pyfsagg.error_control.permutation import LimitedSelection, TargetPermutation

__all__ = [
    "CalibratedSelection",
    "ErrorControl",
    "LimitedSelection",
    "TargetPermutation",
    "calibrate_selection",
    "control_errors",
    "integrated_path",
    "pfer_bound",
]

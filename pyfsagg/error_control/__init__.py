"""How many of the selected features are false: p-values of a run, bounds and estimates."""

from pyfsagg.error_control.bounds import pfer_bound, pfer_size, selection_frequency
from pyfsagg.error_control.control import ErrorControl, control_errors
from pyfsagg.error_control.paths import CalibratedSelection, calibrate_selection, integrated_path
from pyfsagg.error_control.permutation import (
    LimitedSelection,
    TargetPermutation,
    benjamini_hochberg,
    comparable_evidence,
    step_down_max_t,
)

__all__ = [
    "CalibratedSelection",
    "ErrorControl",
    "LimitedSelection",
    "TargetPermutation",
    "benjamini_hochberg",
    "calibrate_selection",
    "comparable_evidence",
    "control_errors",
    "integrated_path",
    "pfer_bound",
    "pfer_size",
    "selection_frequency",
    "step_down_max_t",
]

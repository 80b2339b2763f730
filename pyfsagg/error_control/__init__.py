"""How many of the selected features are false: bounds, estimates and p-values of a run."""

from __future__ import annotations

from pyfsagg.error_control.bounds import pfer_bound, pfer_size, selection_frequency
from pyfsagg.error_control.control import (
    ErrorControl,
    TargetPermutation,
    control_errors,
    step_down_max_t,
)
from pyfsagg.error_control.e_values import e_bh, mean_e_values, stability_e_values
from pyfsagg.error_control.integrated_path import integrated_path

__all__ = [
    "ErrorControl",
    "TargetPermutation",
    "control_errors",
    "e_bh",
    "integrated_path",
    "mean_e_values",
    "pfer_bound",
    "pfer_size",
    "selection_frequency",
    "stability_e_values",
    "step_down_max_t",
]

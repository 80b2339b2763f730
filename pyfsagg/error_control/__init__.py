"""How many of the selected features are false: bounds, estimates and p-values of a run."""

from __future__ import annotations

from pyfsagg.error_control.bounds import ASSUMPTIONS, pfer_bound, pfer_size, pfer_threshold
from pyfsagg.error_control.control import (
    ErrorControl,
    control_errors,
)
from pyfsagg.error_control.e_values import (
    e_bh,
    e_values_of_p_values,
    mean_e_values,
    stability_e_values,
)
from pyfsagg.error_control.halves import selection_frequency
from pyfsagg.error_control.integrated_path import IntegratedPath, integrated_path
from pyfsagg.error_control.max_t import step_down_max_t
from pyfsagg.error_control.permuted import TargetPermutation

__all__ = [
    "ASSUMPTIONS",
    "ErrorControl",
    "IntegratedPath",
    "TargetPermutation",
    "control_errors",
    "e_bh",
    "e_values_of_p_values",
    "integrated_path",
    "mean_e_values",
    "pfer_bound",
    "pfer_size",
    "pfer_threshold",
    "selection_frequency",
    "stability_e_values",
    "step_down_max_t",
]

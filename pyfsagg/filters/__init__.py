"""Importance scores of features, mostly with respect to a target; one module per family."""

from pyfsagg.filters.association import (
    chi_squared,
    fit_criterion,
    spearman,
    value_difference_metric,
)
from pyfsagg.filters.entropy import gain_ratio, information_gain, symmetric_uncertainty
from pyfsagg.filters.mrmr import information_selection, mrmr
from pyfsagg.filters.plain import near_zero_variance
from pyfsagg.filters.survival import concordance, cox_score, martingale_residuals

__all__ = [
    "chi_squared",
    "concordance",
    "cox_score",
    "fit_criterion",
    "gain_ratio",
    "information_gain",
    "information_selection",
    "martingale_residuals",
    "mrmr",
    "near_zero_variance",
    "spearman",
    "symmetric_uncertainty",
    "value_difference_metric",
]

"""Importance scores of features, mostly with respect to a target; one module per family."""

import pandas as pd

from pyfsagg.filters import correlation
from pyfsagg.filters._base import FILTERS, FilterSpec, Scorer
from pyfsagg.filters.chi_squared import chi_squared
from pyfsagg.filters.distance import fit_criterion, spearman, value_difference_metric
from pyfsagg.filters.entropy import gain_ratio, information_gain, symmetric_uncertainty
from pyfsagg.filters.model import function_filter, prepare_callable, prepare_estimator
from pyfsagg.filters.mrmr import MrmrResult, mrmr
from pyfsagg.filters.survival import concordance, cox_score, martingale_residuals
from pyfsagg.filters.variance import (
    NearZeroVariance,
    drop_near_zero_variance,
    near_zero_variance,
)

__all__ = [
    "FILTERS",
    "FilterSpec",
    "MrmrResult",
    "NearZeroVariance",
    "Scorer",
    "chi_squared",
    "concordance",
    "correlation",
    "cox_score",
    "drop_near_zero_variance",
    "fit_criterion",
    "function_filter",
    "gain_ratio",
    "information_gain",
    "list_filters",
    "martingale_residuals",
    "mrmr",
    "near_zero_variance",
    "prepare_callable",
    "prepare_estimator",
    "spearman",
    "symmetric_uncertainty",
    "value_difference_metric",
]


def list_filters() -> pd.DataFrame:
    """Table of all filters: statistic, range, direction and source.

    ``targets`` lists the targets that they can use: classes, a numeric target
    (``task="regression"``), survival, none; ``sparse`` shows whether they read a SciPy sparse
    matrix as well; ``counts_levels`` whether they can read a group of columns as one nominal column
    (:class:`pyfsagg.Task`).

    Examples
    --------
    >>> list_filters().loc["information_gain", "aliases"]
    'ig, infogain'
    """
    frame = FILTERS.to_frame("latex", "prepare", "output", "accepts_missing", "settle")
    return frame.assign(targets=frame["targets"].map(", ".join))

"""Filters for a numeric target: correlations, the F statistic, and mRMR by correlation.

For survival the number is the martingale residual of a Cox model without features.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg._kernels.correlation import correlation_mrmr, pearson_block, spearman_numeric_block
from pyfsagg._message import NAN, Remedy
from pyfsagg._table.table import Table, Weights
from pyfsagg._table.target import Target
from pyfsagg.exceptions import DataError
from pyfsagg.filters._base import FILTERS, FilterSpec, KernelScorer, never, read_depth, settle_depth
from pyfsagg.filters._columns import (
    OrderedLevels,
    category_codes,
    ordered_levels,
    within_range,
)


def require_ordered_complete(table: Table, *filters: str) -> None:
    """Refuse missing values and words with more than two levels, which have no order."""
    named = " or ".join(map(repr, filters))
    for position, levels in table.levels.items():
        if len(levels) > 2:
            raise DataError(
                f"column {table.feature_names[position]!r} is nominal with {len(levels)} levels, "
                f"which have no order for the filter {named}; code it by indicator columns, or "
                "use 'information_gain'"
            )
    for j, name in enumerate(table.feature_names):
        if np.isnan(table.values[:, j]).any():
            raise DataError(
                f"column {name!r} has missing values (",
                NAN,
                f"), which the filter {named} does not define",
                Remedy("fill them in, drop the column, or use 'information_gain'"),
            )


def _numbers(target: Target, weights: Weights) -> Floats:
    """The numbers to be explained (1 or b, n_samples), so scaled that their squares can be summed."""
    return np.ascontiguousarray(within_range(target.numbers(weights).T).T)


def _correlations(
    values: Floats, target: Target, labels: NDArray[np.int32], weights: Weights, scores: Floats
) -> None:
    """|r| and the F statistic of the simple regression.

    F = r² (n − 2) / (1 − r²) with n draws; of a perfect fit 1 − r² is taken to be the smallest number above 0
    that it can be, so that sums and squares of F are finite.
    """
    pearson_block(values, _numbers(target, weights), weights, scores[0])
    square = scores[0] ** 2
    freedom = np.maximum(weights.sum(axis=1, dtype=np.float64) - 2.0, 0.0)[:, np.newaxis]
    rest = np.maximum(1.0 - square, np.finfo(np.float64).epsneg)
    scores[1] = np.nan_to_num(square / rest * freedom, nan=0.0)


def _rank_correlations(
    levels: OrderedLevels,
    target: Target,
    labels: NDArray[np.int32],
    weights: Weights,
    scores: Floats,
) -> None:
    """|rho| of the average ranks of feature and target."""
    codes = np.stack([category_codes(each)[0] for each in target.numbers(weights)])
    n_levels, n_target = np.diff(levels.start), int(codes.max()) + 1
    spearman_numeric_block(levels.codes, n_levels, codes, n_target, weights, scores[0])


def _mrmr(
    values: Floats,
    target: Target,
    n_selected: int,
    labels: NDArray[np.int32],
    weights: Weights,
    scores: Floats,
) -> None:
    orders = np.empty((len(weights), n_selected), dtype=np.int64)
    correlation_mrmr(values, _numbers(target, weights), weights, n_selected, scores[0], orders)


def prepare_correlation(table: Table, target: Target) -> KernelScorer:
    """Bind |r| with a numeric target, and the F statistic of the simple regressions, to `table`."""
    outputs = ("pearson", "f_statistic")
    require_ordered_complete(table, *outputs)
    own = (within_range(table.values), target)
    return KernelScorer(_correlations, own, outputs, table.n_features)


def prepare_spearman_numeric(table: Table, target: Target) -> KernelScorer:
    """Bind the rank correlation with a numeric target to `table`."""
    require_ordered_complete(table, "spearman")
    own = (ordered_levels(table), target)
    return KernelScorer(_rank_correlations, own, ("spearman",), table.n_features)


def prepare_correlation_mrmr(
    table: Table, target: Target, *, n_features: int | str | None = "auto"
) -> KernelScorer:
    """Bind mRMR by correlation to `table`; `n_features` as in :func:`pyfsagg.mrmr`."""
    require_ordered_complete(table, "mrmr_correlation")
    own = (within_range(table.values), target, read_depth(n_features, table.n_features))
    return KernelScorer(_mrmr, own, ("mrmr_correlation",), table.n_features)


FILTERS.add(
    FilterSpec(
        name="pearson",
        aliases=("correlation",),
        summary="Absolute correlation with a numeric target",
        formula="|r(X, Y)|",
        latex=r"\lvert r(X, Y) \rvert",
        bounds="[0, 1]",
        ties="not concerned: values count as they are",
        source="Pearson (1896)",
        prepare=prepare_correlation,
        output="pearson",
        accepts_missing=never,
        targets=("numeric", "survival"),
    ),
    FilterSpec(
        name="f_statistic",
        aliases=("f_regression",),
        summary="F statistic of the simple regression of a numeric target on the feature",
        formula="r^2 (n - 2) / (1 - r^2), r = r(X, Y)",
        latex=r"\frac{r^2 (n - 2)}{1 - r^2}, \quad r = r(X, Y)",
        bounds="[0, inf)",
        ties="not concerned: values count as they are",
        source="Fisher (1925), Statistical Methods for Research Workers",
        prepare=prepare_correlation,
        output="f_statistic",
        accepts_missing=never,
        targets=("numeric", "survival"),
    ),
    FilterSpec(
        name="mrmr_correlation",
        aliases=("mrmr_fcd",),
        summary="Correlation with a numeric target minus mean correlation with those selected before",
        formula="|r(X, Y)| - mean over the features W selected before of |r(X, W)|",
        latex=r"\lvert r(X, Y) \rvert - \frac{1}{|S|} \sum_{W \in S} \lvert r(X, W) \rvert, "
        r"\quad S \text{ the features selected before}",
        bounds="[-1, 1]",
        ties="of equally good features the first column is selected",
        source="Ding and Peng (2005), J. Bioinformatics and Computational Biology 3(2), difference form",
        prepare=prepare_correlation_mrmr,
        settle=settle_depth,
        output="mrmr_correlation",
        accepts_missing=never,
        targets=("numeric", "survival"),
    ),
)

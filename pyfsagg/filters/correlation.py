"""Filters for a numeric target: correlations, the F statistic, and mRMR by correlation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.checks import check_integer
from pyfsagg._kernels.correlation import correlation_mrmr, pearson_block, spearman_numeric_block
from pyfsagg._table.table import Table
from pyfsagg._table.target import Target
from pyfsagg.exceptions import DataError
from pyfsagg.filters._base import FILTERS, FilterSpec, Weights, never
from pyfsagg.filters._columns import OrderedLevels, category_codes, ordered_levels

__all__ = [
    "prepare_correlation_mrmr",
    "prepare_f_statistic",
    "prepare_pearson",
    "prepare_spearman_numeric",
    "require_ordered_complete",
]


def require_ordered_complete(table: Table, filter_name: str) -> None:
    """Refuse missing values and words with more than two levels, which have no order."""
    for position, levels in table.levels.items():
        if len(levels) > 2:
            raise DataError(
                f"column {table.feature_names[position]!r} is nominal with {len(levels)} levels, "
                f"which have no order for the filter {filter_name!r}; code it by indicator columns, or "
                "use 'information_gain'"
            )
    for j, name in enumerate(table.feature_names):
        if np.isnan(table.values[:, j]).any():
            raise DataError(
                f"column {name!r} has missing values (NaN), which the filter {filter_name!r} does not "
                "define; fill them in, drop the column, or use 'information_gain'"
            )


def _numbers(target: Target) -> NDArray[np.float64]:
    assert target.values is not None, "the kind of the target was checked"
    return target.values


@dataclass(frozen=True, eq=False)
class CorrelationScorer:
    """|r| and the F statistic of the simple regression; outputs ``"pearson"``, ``"f_statistic"``.

    F = r² (n − 2) / (1 − r²) with n draws; a perfect fit has the largest finite number.
    """

    values: NDArray[np.float64]
    target: NDArray[np.float64]
    outputs: tuple[str, ...] = ("pearson", "f_statistic")
    releases_gil: bool = True

    def __call__(
        self, weights: Weights, labels: NDArray[np.int32]
    ) -> dict[str, NDArray[np.float64]]:
        scores = np.empty((len(weights), self.values.shape[1]))
        pearson_block(self.values, self.target, np.ascontiguousarray(weights), scores)
        square = scores**2
        freedom = np.maximum(weights.sum(axis=1, dtype=np.float64) - 2.0, 0.0)[:, np.newaxis]
        with np.errstate(divide="ignore", over="ignore"):
            statistic = square / (1.0 - square) * freedom
        return {"pearson": scores, "f_statistic": np.nan_to_num(statistic, nan=0.0)}


@dataclass(frozen=True, eq=False)
class SpearmanNumericScorer:
    """|rho| of the average ranks of feature and target; output ``"spearman"``."""

    levels: OrderedLevels
    target: NDArray[np.int32]
    outputs: tuple[str, ...] = ("spearman",)
    releases_gil: bool = True

    def __call__(
        self, weights: Weights, labels: NDArray[np.int32]
    ) -> dict[str, NDArray[np.float64]]:
        scores = np.empty((len(weights), self.levels.codes.shape[1]))
        spearman_numeric_block(
            self.levels.codes,
            np.diff(self.levels.start),
            self.target,
            int(self.target.max()) + 1,
            np.ascontiguousarray(weights),
            scores,
        )
        return {"spearman": scores}


@dataclass(frozen=True, eq=False)
class CorrelationMrmrScorer:
    """mRMR by correlation; output ``"mrmr_correlation"``."""

    values: NDArray[np.float64]
    target: NDArray[np.float64]
    n_selected: int
    outputs: tuple[str, ...] = ("mrmr_correlation",)
    releases_gil: bool = True

    def __call__(
        self, weights: Weights, labels: NDArray[np.int32]
    ) -> dict[str, NDArray[np.float64]]:
        scores = np.empty((len(weights), self.values.shape[1]))
        orders = np.empty((len(weights), self.n_selected), dtype=np.int64)
        correlation_mrmr(
            self.values, self.target, np.ascontiguousarray(weights), self.n_selected, scores, orders
        )
        return {"mrmr_correlation": scores}


def prepare_pearson(table: Table, target: Target) -> CorrelationScorer:
    """Bind the correlation with a numeric target to `table`."""
    require_ordered_complete(table, "pearson")
    return CorrelationScorer(table.values, _numbers(target))


def prepare_f_statistic(table: Table, target: Target) -> CorrelationScorer:
    """Bind the F statistic of the simple regressions on a numeric target to `table`."""
    require_ordered_complete(table, "f_statistic")
    return CorrelationScorer(table.values, _numbers(target))


def prepare_spearman_numeric(table: Table, target: Target) -> SpearmanNumericScorer:
    """Bind the rank correlation with a numeric target to `table`."""
    require_ordered_complete(table, "spearman")
    return SpearmanNumericScorer(ordered_levels(table), category_codes(_numbers(target))[0])


def prepare_correlation_mrmr(
    table: Table, target: Target, *, n_features: int | None = None
) -> CorrelationMrmrScorer:
    """Bind mRMR by correlation to `table`; `n_features` as in :func:`pyfsagg.mrmr`."""
    require_ordered_complete(table, "mrmr_correlation")
    if n_features is None:
        n_features = table.n_features
    check_integer("n_features", n_features, low=1, high=table.n_features)
    return CorrelationMrmrScorer(table.values, _numbers(target), n_features)


FILTERS.add(
    FilterSpec(
        name="pearson",
        aliases=("correlation",),
        summary="Absolute correlation with a numeric target",
        formula="|r(X, Y)|",
        bounds="[0, 1]",
        ties="not concerned: values count as they are",
        source="Pearson (1896)",
        prepare=prepare_pearson,
        output="pearson",
        accepts_missing=never,
        targets=("numeric",),
    ),
    FilterSpec(
        name="f_statistic",
        aliases=("f_regression",),
        summary="F statistic of the simple regression of a numeric target on the feature",
        formula="r^2 (n - 2) / (1 - r^2), r = r(X, Y)",
        bounds="[0, inf)",
        ties="not concerned: values count as they are",
        source="Fisher (1925), Statistical Methods for Research Workers",
        prepare=prepare_f_statistic,
        output="f_statistic",
        accepts_missing=never,
        targets=("numeric",),
    ),
    FilterSpec(
        name="mrmr_correlation",
        aliases=("mrmr_fcd",),
        summary="Correlation with a numeric target minus mean correlation with those selected before",
        formula="|r(X, Y)| - mean over the features W selected before of |r(X, W)|",
        bounds="[-1, 1]",
        ties="of equally good features the first column is selected",
        source="Ding and Peng (2005), J. Bioinformatics and Computational Biology 3(2), difference form",
        prepare=prepare_correlation_mrmr,
        output="mrmr_correlation",
        accepts_missing=never,
        targets=("numeric",),
    ),
)

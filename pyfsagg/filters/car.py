"""CAR scores: correlations with the target, less what correlated features share of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg._table.adjusters import orthonormal
from pyfsagg._table.table import Table, Weights
from pyfsagg._table.target import Target
from pyfsagg.filters._base import (
    FILTERS,
    FilterSpec,
    never,
    require_order,
    require_ordered_complete,
    within_range,
)
from pyfsagg.filters.adjusted import Residuals

_TINY = 1e-12
"""Share of the largest eigenvalue of a correlation matrix below which one is rounding."""


@dataclass(frozen=True, eq=False)
class CarScorer:
    """CAR scores bound to a table, beside the adjusters where there are any."""

    values: Floats
    target: Target
    outputs: tuple[str, ...] = ("car_score",)

    def __call__(self, weights: Weights, labels: NDArray[np.int32]) -> dict[str, Floats]:
        if self.target.kind == "classes":
            answers = np.eye(self.target.n_classes)[labels]
        else:
            answers = within_range(self.target.numbers(weights).T).T[:, :, np.newaxis]
        known = self.target.adjusters
        design = np.ones((len(self.values), 1)) if known is None else known.design
        scores = np.zeros((len(weights), self.values.shape[1]))
        for r, row in enumerate(weights):
            drawn, y = np.flatnonzero(row), answers[r if len(answers) > 1 else 0]
            times = row[drawn].astype(np.float64)
            rows = Residuals.of(self.values[drawn], design[drawn], times)
            rest = orthonormal(rows.cleared(y[drawn]))
            length = np.sqrt(rows.squares)
            x = np.where(length > 0.0, rows.values / np.where(length > 0.0, length, 1.0), 0.0)
            freedom = rows.size - rows.basis.shape[1]
            if freedom > 1.0 and rest.size:
                scores[r] = _car(rest, x, times, rows.size, freedom)
        return {"car_score": scores}


def _car(y: Floats, x: Floats, times: Floats, n: float, freedom: float) -> Floats:
    """CAR scores (p,) of columns x (n, p) of length 1 for orthonormal ones y (n, k); rows count `times`."""
    # Of several columns the shrinkage would depend on the axes chosen.
    columns = np.hstack([y, x]) if y.shape[1] == 1 else x
    shrinkage = _shrinkage(columns, times, n, freedom)
    correlations = (1.0 - shrinkage) * (x.T @ y)
    # Powers of a matrix of p features by the eigenvectors that its rows, or features, span.
    wide = x.shape[1] > x.shape[0]
    values, vectors = np.linalg.eigh(x @ x.T if wide else x.T @ x)
    kept = values > _TINY * values[-1]
    values, vectors = values[kept], vectors[:, kept]
    vectors = x.T @ vectors / np.sqrt(values) if wide else vectors
    along = vectors.T @ correlations
    scaled = vectors @ (along / np.sqrt(shrinkage + (1.0 - shrinkage) * values)[:, np.newaxis])
    if shrinkage > 0.0:
        scaled += (correlations - vectors @ along) / np.sqrt(shrinkage)
    return np.asarray(np.sqrt((scaled**2).sum(axis=1)))


def _shrinkage(columns: Floats, times: Floats, n: float, freedom: float) -> float:
    """Share of the identity in the correlation matrix of all columns, by Schäfer and Strimmer."""
    few = columns.shape[0] < columns.shape[1]
    products = columns @ columns.T if few else columns.T @ columns
    squares = columns**2
    between = (freedom / n) ** 2 * ((products**2).sum() - (squares.sum(axis=0) ** 2).sum())
    by_row = squares.sum(axis=1) ** 2 - (squares**2).sum(axis=1)
    spread = freedom**2 / n * (by_row / times).sum() - between
    return float(np.clip(spread / between / freedom, 0.0, 1.0)) if between > 0.0 else 1.0


def prepare_car_score(table: Table, target: Target) -> CarScorer:
    """Bind CAR scores to `table`."""
    if target.kind == "classes":
        require_order(table, "'car_score'", "information_gain")
    require_ordered_complete(table, "car_score")
    return CarScorer(within_range(table.values), target)


FILTERS.add(
    FilterSpec(
        name="car_score", aliases=("car",),
        summary="Correlation with the target, from which what correlated features share is taken out",
        formula="|R^(-1/2) r|, r the correlations with Y and R those of the features, both shrunken; the "
        "length of these for several orthonormal contrasts of classes",
        latex=r"\lvert (R^{-1/2} r)_X \rvert, \quad R = \lambda I + (1 - \lambda) \hat R, \; "
        r"r = (1 - \lambda) \hat r", bounds="[0, 1]", ties="not concerned: values count as they are",
        source="Zuber and Strimmer (2011), Statistical Applications in Genetics and Molecular Biology 10; "
        "shrinkage: Schäfer and Strimmer (2005)", prepare=prepare_car_score, within="model",
        accepts_missing=never, targets=("classes", "numeric", "survival"),
    ),
)  # fmt: skip

"""Estimators between a selector of scikit-learn and a learner: they know of features with several columns."""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import make_pipeline

from pyfsagg._base.checks import as_array
from pyfsagg._base.types import Floats
from pyfsagg.committees.coding import Coding
from pyfsagg.exceptions import DataError, ParameterError

__all__ = ["FeatureColumns", "FunctionLearner", "Importance", "addressed"]


class FeatureColumns(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """From addresses of cells to the columns that stand for features.

    A selector of scikit-learn takes rows and columns out of a table and knows nothing of features with
    several columns.  So its table has a column per feature, each cell of which is an address (feature
    times rows plus row), and what it takes out says which features and rows a learner is to be shown.

    Parameters
    ----------
    cells : ndarray of float64, shape (n, n_coded)
        Columns of `coding` without missing values, for the rows that train and those that test.
    coding : Coding
    """

    def __init__(self, cells: Floats, coding: Coding) -> None:
        self.cells = cells
        self.coding = coding

    def __sklearn_clone__(self) -> FeatureColumns:
        return FeatureColumns(self.cells, self.coding)  # a table that nobody changes needs no copy

    def fit(self, X: Floats, y: Any = None) -> Self:
        features, rows = np.divmod(X.astype(np.intp), len(self.cells))
        self.columns_ = self.coding.shown(features[0], self.cells[rows[:, 0]])
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Floats) -> Floats:
        rows = X[:, 0].astype(np.intp) % len(self.cells)
        found: Floats = self.cells[np.ix_(rows, self.columns_)]
        return found


def addressed(
    model: Any, coding: Coding, known: Floats, unseen: Floats
) -> tuple[Any, Floats, Floats]:
    """A learner behind :class:`FeatureColumns`, and the addresses of the rows that train and that test."""
    cells = np.vstack([known, unseen])
    n, p = len(cells), coding.n_features
    places = np.arange(p, dtype=np.float64) * n + np.arange(n, dtype=np.float64)[:, None]
    model = make_pipeline(FeatureColumns(cells, coding), model)
    return model, places[: len(known)], places[len(known) :]


class FunctionLearner(BaseEstimator):  # type: ignore[misc]
    """A function of a table and a target, whose values are importances; it predicts nothing.

    `labels` are those of the classes, if the target has classes, whose codes selectors hand on.
    """

    def __init__(
        self, function: Callable[[Any, Any], Any], labels: NDArray[Any] | None = None
    ) -> None:
        self.function = function
        self.labels = labels

    def fit(self, X: Floats, y: Any) -> Self:
        target = y if self.labels is None else self.labels[y]
        found = as_array("importances", self.function(X, target), np.float64)
        if found.shape != (X.shape[1],) or not np.isfinite(found).all():
            raise DataError(
                "a learner that is a function must return one finite number per column, "
                f"{X.shape[1]} in all, got {reprlib.repr(found.tolist())}"
            )
        self.feature_importances_ = found
        return self

    def __repr__(self) -> str:
        return f"the function {getattr(self.function, '__name__', type(self.function).__name__)}"


@dataclass(frozen=True)
class Importance:
    """Size of the coefficients or importances of a fitted learner, of a pipeline of its last step.

    Of several classes the sum of the sizes (`order` 1), or the root of the sum of squares (2).
    """

    name: str
    order: int

    def __call__(self, fitted: Any) -> NDArray[Any]:
        columns, last = None, fitted
        while getattr(last, "steps", None):
            first = last.steps[0][1]
            columns = first if isinstance(first, FeatureColumns) else columns
            last = last.steps[-1][1]
        for attribute in ("coef_", "feature_importances_"):
            if hasattr(last, attribute):
                found = np.asarray(getattr(last, attribute))
                return found if columns is None else self._by_feature(found, columns)
        raise ParameterError(
            f"the learner {self.name!r} ({type(last).__name__}) has neither coefficients nor "
            "importances; select with LearnerSelection(by='sequential')"
        )

    def _by_feature(self, found: NDArray[Any], columns: FeatureColumns) -> Floats:
        sizes = np.abs(found) if found.ndim == 1 else np.linalg.norm(found, self.order, axis=0)
        if len(sizes) != len(columns.columns_):
            raise ParameterError(
                f"the learner {self.name!r} has {len(sizes)} importances for "
                f"{len(columns.columns_)} columns, so that those of a group or a nominal feature are not "
                "known; leave out of its pipeline what changes columns"
            )
        return columns.coding.by_feature(sizes, columns.columns_)

"""What selectors share: tables of any kind are recorded, and come back as scikit-learn's output is set."""

from __future__ import annotations

from typing import Any

import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin

from pyfsagg._base.estimators import output_kind, record_input
from pyfsagg._table.frames import NarwhalsFrame, open_frame

__all__ = ["TableSelector"]


class TableSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """A feature selector of tables of any kind."""

    def _record(self, X: Any, y: Any) -> Any:
        """Record the features as scikit-learn does; the table, a query once run."""
        frame = open_frame(X)
        if not isinstance(frame, NarwhalsFrame):
            record_input(self, X, y)
            return X
        record_input(self, pd.DataFrame(columns=frame.names), y)
        return frame.frame

    def transform(self, X: Any) -> Any:
        """Keep the selected features of a table.

        Parameters
        ----------
        X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
            With the features that were fitted.

        Returns
        -------
        array of shape (n_samples, n_selected)
            Or a data frame, as ``set_output`` says; from polars to polars without a copy.
        """
        frame = open_frame(X)
        if not isinstance(frame, NarwhalsFrame):
            return super().transform(X)
        mask = self.get_support()
        if frame.frame.implementation.is_polars() and output_kind(self) == "polars" and mask.any():
            record_input(self, pd.DataFrame(columns=frame.names), None, reset=False)
            return frame.frame.select(list(frame.names[mask])).to_native()
        return super().transform(frame.pandas())

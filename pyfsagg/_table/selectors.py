"""What the scikit-learn selectors share."""

from typing import Any

import pandas as pd
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from pyfsagg._base.arithmetic import Booleans, TableLike, TargetLike
from pyfsagg._message import Param, Use
from pyfsagg._table.frames import NarwhalsFrame, open_frame
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError


def record_input(estimator: Any, X: TableLike, y: TargetLike, *, reset: bool = True) -> None:
    """Set what scikit-learn notes of an input, or without `reset` compare with it."""
    target = {} if y is None and not reset else {"y": y}
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # scikit-learn 1.5

        def validate_data(
            learner: Any, X: TableLike, *, skip_check_array: bool, **options: Any
        ) -> None:
            learner._validate_data(X, cast_to_ndarray=not skip_check_array, **options)

    try:
        validate_data(estimator, X, reset=reset, skip_check_array=True, **target)
    except ValueError as error:  # in scikit-learn's words
        raise DataError(str(error)) from None
    except TypeError as error:
        raise InputTypeError(str(error)) from None
    except Exception as error:  # third-party tables may raise anything
        reason = f"{type(error).__name__}: {error}"
        raise InputTypeError(Param("X"), f" is not a table: {reason}") from None


def estimator_accepts_missing(estimator: Any) -> bool:
    """Whether an estimator declares that it accepts missing values."""
    try:
        from sklearn.utils import get_tags
    except ImportError:  # scikit-learn 1.5
        return bool(estimator._get_tags()["allow_nan"])
    return bool(get_tags(estimator).input_tags.allow_nan)


def check_learner(name: str, model: Any, kind: str) -> None:
    """Refuse a regressor where a classifier is needed, and the other way round."""
    if kind == "classifier" and is_regressor(model):
        raise ParameterError(
            f"{name!r} is a regressor, and the target has classes. Give a classifier, or say ",
            Use(task="regression"),
            " if the target is a number",
        )
    if kind == "regressor" and is_classifier(model):
        what = f"{name!r} is a classifier, and the target is a number"
        raise ParameterError(f"{what}; give a regressor")


def seeded_clone(model: Any, seed: int) -> Any:
    """A new estimator; `seed` is that of all parts without one."""
    fresh = clone(model)
    seeds = {
        name: seed
        for name, value in fresh.get_params().items()
        if (name == "random_state" or name.endswith("__random_state")) and value is None
    }
    return fresh.set_params(**seeds)


class TableSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """A feature selector of tables of any kind."""

    support_: Booleans

    def _get_support_mask(self) -> Booleans:
        check_is_fitted(self)
        return self.support_

    def _record(self, X: TableLike, y: TargetLike) -> Any:
        """Record the features as scikit-learn does; the table, a query once run."""
        frame = open_frame(X)
        if not isinstance(frame, NarwhalsFrame):
            record_input(self, X, y)
            return X
        record_input(self, pd.DataFrame(columns=frame.names), y)
        return frame.frame

    def transform(self, X: TableLike) -> Any:
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
        from sklearn.utils._set_output import _get_output_config

        frame = open_frame(X)
        if not isinstance(frame, NarwhalsFrame):
            return super().transform(X)
        mask = self.get_support()
        output = _get_output_config("transform", estimator=self)["dense"]  # as set_output says
        if frame.frame.implementation.is_polars() and output == "polars" and mask.any():
            record_input(self, pd.DataFrame(columns=frame.names), None, reset=False)
            return frame.frame.select(list(frame.names[mask])).to_native()
        return super().transform(frame.pandas())

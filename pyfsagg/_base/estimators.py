"""The one place that knows how scikit-learn's own bookkeeping differs between its versions."""

from __future__ import annotations

from typing import Any

from pyfsagg.exceptions import DataError, InputTypeError

__all__ = ["estimator_accepts_missing", "is_survival_model", "record_input"]


def record_input(estimator: Any, X: Any, y: Any) -> None:
    """Set ``n_features_in_`` and ``feature_names_in_`` as scikit-learn does; check nothing else."""
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # scikit-learn 1.5

        def validate_data(estimator: Any, X: Any, y: Any, **_: Any) -> None:
            estimator._validate_data(X, y, reset=True, cast_to_ndarray=False)

    try:
        validate_data(estimator, X, y, reset=True, skip_check_array=True)
    except ValueError as error:  # in scikit-learn's words
        raise DataError(str(error)) from None
    except TypeError as error:
        raise InputTypeError(str(error)) from None
    except Exception as error:  # whatever a foreign table answers when it is asked for its columns
        raise InputTypeError(f"X is no table: {type(error).__name__}: {error}") from None


def estimator_accepts_missing(estimator: Any) -> bool:
    """Whether an estimator says that it can be fitted to features with missing values."""
    try:
        from sklearn.utils import get_tags
    except ImportError:  # scikit-learn 1.5
        return bool(estimator._get_tags()["allow_nan"])
    return bool(get_tags(estimator).input_tags.allow_nan)


def is_survival_model(estimator: Any) -> bool:
    """Whether an estimator is fitted to events with times, as ours and those of scikit-survival are."""
    last = estimator.steps[-1][1] if getattr(estimator, "steps", None) else estimator
    own = hasattr(last, "survival_at")
    return own or any(base.__name__ == "SurvivalAnalysisMixin" for base in type(last).__mro__)

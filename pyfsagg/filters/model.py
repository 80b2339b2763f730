"""Any callable, and any scikit-learn estimator that knows importances, as a filter."""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.validation import check_choice, check_integer
from pyfsagg._message import FILTER, NONE, Got, Param
from pyfsagg._table.columns import Kind
from pyfsagg._table.selectors import is_survival_model
from pyfsagg._table.table import Table, Weights
from pyfsagg._table.target import Target
from pyfsagg.exceptions import DataError, InputTypeError, PyfsaggError
from pyfsagg.filters._base import FilterSpec

_CONTAINERS = ("array", "frame")


@dataclass(frozen=True, eq=False)
class CallableScorer:
    """A function ``(X, y, sample_weight) -> scores`` bound to a table; output ``"callable"``."""

    features: Any
    target: Target
    function: Callable[..., Any]
    outputs: tuple[str, ...] = ("callable",)
    releases_gil: bool = False

    def __call__(self, weights: Weights, labels: NDArray[np.int32]) -> dict[str, Floats]:
        rows = []
        for r in range(len(weights)):
            y = self.target.answers(labels[r if len(labels) > 1 else 0])
            found = _called(self.function, self.features, y, weights[r].astype(np.float64))
            rows.append(_checked_scores(found, self.features.shape[1], _name(self.function)))
        return {"callable": np.array(rows)}


@dataclass(frozen=True, eq=False)
class EstimatorScorer:
    """A scikit-learn estimator bound to a table; output ``"estimator"``.

    Each resample is fitted by a fresh clone.  `weighted` says whether the clone gets the weights as
    ``sample_weight``; otherwise it gets the rows of the resample, repeated.  With survival a regressor
    explains the martingale residuals of the resample.
    """

    features: Any
    target: Target
    estimator: Any
    random_state: int
    weighted: bool
    outputs: tuple[str, ...] = ("estimator",)
    releases_gil: bool = False

    def __call__(self, weights: Weights, labels: NDArray[np.int32]) -> dict[str, Floats]:
        rows = [
            self._importance(weights[r], labels[r if len(labels) > 1 else 0])
            for r in range(len(weights))
        ]
        return {"estimator": np.array(rows)}

    def _importance(self, weights: NDArray[np.uint16], labels: NDArray[np.int32]) -> Floats:
        present = np.flatnonzero(weights)
        if self.weighted:
            rows, extra = present, {_weight_name(self.estimator): weights[present].astype(float)}
        else:
            rows, extra = np.repeat(present, weights[present]), {}
        drawn = self._answers(weights, labels)[rows]
        n_features = self.features.shape[1]
        if (drawn == drawn[0]).all():
            return np.zeros(n_features)  # nothing to tell apart, and classifiers refuse one class
        model = _seeded_clone(self.estimator, self.random_state, weights, labels)
        X = self.features.iloc[rows] if hasattr(self.features, "iloc") else self.features[rows]
        model.fit(X, drawn, **extra)
        name = type(_last_step(model)).__name__
        return _checked_scores(_importances(model), n_features, name)

    def _answers(self, weights: NDArray[np.uint16], labels: NDArray[np.int32]) -> NDArray[Any]:
        if self.target.survival is not None and not is_survival_model(self.estimator):
            residuals: NDArray[Any] = self.target.survival.residuals(weights[np.newaxis])[0]
            return residuals
        answers = self.target.answers(labels)
        if answers is None:
            raise DataError(
                f"{type(self.estimator).__name__} needs a target, but the target y is ", NONE
            )
        return answers


def prepare_callable(
    table: Table, target: Target, function: Callable[..., Any], *, container: str = "array"
) -> CallableScorer:
    """Bind a function as a filter.

    Examples
    --------
    >>> import numpy as np
    >>> from pyfsagg._table.target import check_target
    >>> from pyfsagg._table.table import as_table
    >>> from pyfsagg.filters.model import prepare_callable
    >>> def weighted_spread(X, y, sample_weight):
    ...     return X.T @ sample_weight
    >>> table = as_table(np.array([[1.0, 2.0], [3.0, 5.0]]))
    >>> target = check_target([0, 1], 2)
    >>> scorer = prepare_callable(table, target, weighted_spread)
    >>> scorer(np.array([[1, 2]], dtype=np.uint16), target.codes[None, :])["callable"].tolist()
    [[7.0, 12.0]]
    """
    if not callable(function):
        raise InputTypeError(
            "a filter must be a name, ",
            FILTER,
            Got(function),
        )
    return CallableScorer(_features(table, container), target, function)


def function_filter(
    function: Callable[..., Any], *, name: str, container: str = "array", **said: Any
) -> FilterSpec:
    """A spec for a function, so that it can be registered and named.

    Parameters
    ----------
    function : callable
        As in ``prepare_callable``; further keywords of it are the parameters of the filter.
    name : str
    container : {"array", "frame"}
        As in ``prepare_callable``.
    **said
        Further fields of :class:`FilterSpec`, `summary` among them.

    Examples
    --------
    >>> from pyfsagg.filters import FILTERS, function_filter
    >>> def weighted_sum(X, y, sample_weight):
    ...     return X.T @ sample_weight
    >>> spec = function_filter(weighted_sum, name="weighted_sum", summary="sum of the values")
    >>> spec.targets  # FILTERS.add(spec) registers it
    ('classes',)
    """

    def prepare(table: Table, target: Target, **parameters: Any) -> CallableScorer:
        bound = functools.partial(function, **parameters)
        functools.update_wrapper(bound, function)
        return prepare_callable(table, target, bound, container=container)

    prepare.__signature__ = _with_parameters(function)  # type: ignore[attr-defined]
    return FilterSpec(name=name, prepare=prepare, output="callable", **said)


def _with_parameters(function: Callable[..., Any]) -> inspect.Signature:
    """``(table, target, **parameters)`` with the parameters that a function adds to the three."""
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    own = list(inspect.signature(function).parameters.values())[3:]
    return inspect.Signature(
        [
            *(inspect.Parameter(name, positional) for name in ("table", "target")),
            *(each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in own),
        ]
    )


def prepare_estimator(
    table: Table,
    target: Target,
    estimator: Any,
    random_state: int = 0,
    *,
    container: str = "array",
) -> EstimatorScorer:
    """Bind a scikit-learn estimator as a filter.

    The scores are the ``feature_importances_`` of the fitted clone, or else the absolute ``coef_``,
    averaged over the classes; of a Pipeline those of the last step, which must see all features.  A
    resample with one class scores 0 for every feature.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from pyfsagg._table.target import check_target
    >>> from pyfsagg._table.table import as_table
    >>> from pyfsagg.filters.model import prepare_estimator
    >>> table = as_table(np.array([[0, 5], [0, 6], [1, 5], [1, 6]]))
    >>> target = check_target([0, 0, 1, 1], 4)
    >>> scorer = prepare_estimator(table, target, DecisionTreeClassifier(), 0)
    >>> scorer(np.ones((1, 4), dtype=np.uint16), target.codes[None, :])["estimator"].tolist()
    [[1.0, 0.0]]
    """
    if not (hasattr(estimator, "fit") and hasattr(estimator, "get_params")) or isinstance(
        estimator, type
    ):
        raise InputTypeError(
            f"the filter {estimator!r} is not a scikit-learn estimator: it needs fit and "
            "get_params (pass an instance, not the class)"
        )
    check_integer("random_state", random_state, low=0, high=2**63 - 1)
    return EstimatorScorer(
        _features(table, container),
        target,
        estimator,
        int(random_state),
        _takes_weights(estimator),
    )


def _features(table: Table, container: str) -> Any:
    """The values as a read-only array, or as a data frame with the kinds restored."""
    check_choice("container", container, _CONTAINERS)
    if container == "array":
        values = table.values.view()
        values.flags.writeable = False
        return values
    columns: dict[str, Any] = {}
    for j, name in enumerate(table.feature_names):
        column = table.values[:, j]
        if table.kinds[j] == Kind.NOMINAL:
            codes = np.where(np.isnan(column), -1, column).astype(np.int64)
            columns[name] = pd.Categorical.from_codes(codes, pd.Index(table.levels[j]))
        elif np.isnan(column).any() or table.kinds[j] == Kind.NUMERIC:
            columns[name] = column
        else:
            columns[name] = column.astype(np.bool_ if table.kinds[j] == Kind.BOOLEAN else np.int64)
    return pd.DataFrame(columns)


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", None) or type(function).__name__)


def _called(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function of the caller returns; its own error is said in one sentence."""
    try:
        return function(*arguments)
    except PyfsaggError:
        raise
    except Exception as error:
        first = str(error).partition("\n")[0]
        raise DataError(
            f"the filter {_name(function)!r} failed: {type(error).__name__}: {first}; it is ",
            "called with X, y and ",
            Param("sample_weight"),
        ) from error


def _checked_scores(found: Any, n_features: int, name: str) -> Floats:
    try:
        scores = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"the filter {name!r} returned {type(found).__name__}, not one number per feature"
        ) from None
    if scores.shape != (n_features,):
        raise DataError(
            f"the filter {name!r} returned scores of shape {scores.shape} for {n_features} "
            f"features; it must return one number per feature, shape ({n_features},)"
        )
    if not np.isfinite(scores).all():
        j = int(np.flatnonzero(~np.isfinite(scores))[0])
        raise DataError(
            f"the filter {name!r} returned the score {scores[j]} for feature {j + 1} of ",
            f"{n_features}; scores must be finite",
        )
    return scores


def _last_step(estimator: Any) -> Any:
    steps = getattr(estimator, "steps", None)
    return steps[-1][1] if steps else estimator


def _weight_name(estimator: Any) -> str:
    steps = getattr(estimator, "steps", None)
    return f"{steps[-1][0]}__sample_weight" if steps else "sample_weight"


def _takes_weights(estimator: Any) -> bool:
    """Earlier steps of a Pipeline would not see the weights, so a real Pipeline gets the rows."""
    from sklearn.utils.validation import has_fit_parameter

    steps = getattr(estimator, "steps", None)
    if steps and any(step not in (None, "passthrough") for _, step in steps[:-1]):
        return False
    return bool(has_fit_parameter(_last_step(estimator), "sample_weight"))


def _seeded_clone(
    estimator: Any, random_state: int, weights: NDArray[np.uint16], labels: NDArray[np.int32]
) -> Any:
    from sklearn.base import clone

    model = clone(estimator)
    names = sorted(
        name
        for name in model.get_params(deep=True)
        if name == "random_state" or name.endswith("__random_state")
    )
    digest = hashlib.sha256(random_state.to_bytes(8, "little"))
    digest.update(np.ascontiguousarray(weights).tobytes())
    digest.update(np.ascontiguousarray(labels).tobytes())
    seeds = np.random.SeedSequence(int.from_bytes(digest.digest(), "little")).generate_state(
        max(len(names), 1)
    )
    return model.set_params(
        **{name: int(seed) % 2**31 for name, seed in zip(names, seeds, strict=False)}
    )


def _importances(model: Any) -> Any:
    last = _last_step(model)
    found = getattr(last, "feature_importances_", None)
    if found is not None:
        return found
    found = getattr(last, "coef_", None)
    if found is None:
        raise InputTypeError(
            f"the filter {type(last).__name__!r} has neither feature_importances_ nor coef_ after ",
            "fitting; use an estimator that has, or a function (X, y, sample_weight) -> scores",
        )
    dense = np.asarray(found.toarray() if hasattr(found, "toarray") else found)
    magnitude = np.abs(dense)
    return magnitude.mean(axis=0) if magnitude.ndim == 2 else magnitude

"""Any callable, and any scikit-learn estimator that knows importances, as a filter."""

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.digest import digest
from pyfsagg._base.validation import check_choice, check_integer
from pyfsagg._kernels import Codes
from pyfsagg._message import FILTER, NONE, Got, Param
from pyfsagg._table.columns import Kind
from pyfsagg._table.table import Table, Weights
from pyfsagg._table.target import Target, is_survival_model, last_step
from pyfsagg.exceptions import DataError, InputTypeError, PyfsaggError
from pyfsagg.filters._base import FilterSpec, KernelScorer


def _callable_scores(
    features: Any,
    target: Target,
    function: Callable[..., Any],
    labels: Codes,
    weights: Weights,
    scores: Floats,
) -> None:
    """Scores by a function ``(X, y, sample_weight) -> scores``."""
    name = str(getattr(function, "__name__", None) or type(function).__name__)
    for r, row in enumerate(weights):
        y = target.answers(labels[r % len(labels)])
        try:
            found = function(features, y, row.astype(np.float64))
        except PyfsaggError:
            raise
        except Exception as error:  # the caller's function may raise anything
            reason = str(error).partition("\n")[0]
            raise DataError(
                f"the filter {name!r} failed: {type(error).__name__}: {reason}; it is ",
                "called with X, y and ",
                Param("sample_weight"),
            ) from error
        scores[0, r] = _checked_scores(found, scores.shape[2], name)


def _estimator_scores(
    features: Any,
    target: Target,
    estimator: Any,
    random_state: int,
    weighted: bool,
    given: int,
    labels: Codes,
    weights: Weights,
    scores: Floats,
) -> None:
    """Scores by a scikit-learn estimator, cloned for each resample, with `weighted` rows or repeated ones.
    Regressors explain the martingale residuals of survival; the first `given` columns have no scores."""
    steps = getattr(estimator, "steps", None)
    name = f"{steps[-1][0]}__sample_weight" if steps else "sample_weight"
    survival = None if is_survival_model(estimator) else target.survival
    for r, row in enumerate(weights):
        own, rows = labels[r % len(labels)], np.flatnonzero(row)
        extra = {name: row[rows].astype(float)} if weighted else {}
        rows = rows if weighted else np.repeat(rows, row[rows])
        left = None if survival is None else survival.residuals(row[np.newaxis])[0]
        answers: Any = target.answers(own) if left is None else left
        if answers is None:
            message = f"{type(estimator).__name__} needs a target, but the target y is "
            raise DataError(message, NONE)
        y = answers[rows]
        if (y == y[0]).all():
            scores[0, r] = 0.0  # nothing to tell apart, and classifiers refuse one class
            continue
        model = _seeded_clone(estimator, random_state, row, own)
        model.fit(features.iloc[rows] if hasattr(features, "iloc") else features[rows], y, **extra)
        named = type(last_step(model)).__name__
        scores[0, r] = _checked_scores(_importances(model), features.shape[1], named)[given:]


def prepare_callable(
    table: Table, target: Target, function: Callable[..., Any], *, container: str = "array"
) -> KernelScorer:
    """Bind a function as a filter."""
    if not callable(function):
        raise InputTypeError("a filter must be a name, ", FILTER, Got(function))
    function = with_columns(function, table.feature_names)
    bound, p = (_features(table, container), target, function), table.n_features
    return KernelScorer(_callable_scores, bound, ("callable",), p, releases_gil=False)


def with_columns(function: Callable[..., Any], names: Sequence[str]) -> Callable[..., Any]:
    """The function that knows what the columns are called, if it asks by a method `of_columns`."""
    ask = getattr(function, "of_columns", None)
    return function if ask is None else cast("Callable[..., Any]", ask(names))


def function_filter(
    function: Callable[..., Any], *, name: str, container: str = "array", **fields: Any
) -> FilterSpec:
    """A spec for a function, so it can be registered and named.

    Parameters
    ----------
    function : callable
        ``(X, y, sample_weight) -> scores``, one per feature, larger = more important; further
        keywords of it are the parameters of the filter.
    name : str
    container : {"array", "frame"}
        What the function gets as X: an array of numbers, or a data frame.
    **fields
        Further fields of :class:`FilterSpec`, `summary` among them.

    Examples
    --------
    >>> def weighted_sum(X, y, sample_weight):
    ...     return X.T @ sample_weight
    >>> spec = function_filter(weighted_sum, name="weighted_sum", summary="sum of the values")
    >>> spec.targets  # FILTERS.add(spec) registers it; both are names of the module "extending"
    ('classes',)
    """

    prepare = functools.partial(_prepare_function, function, container)
    # (table, target, *, …) with the parameters that the function adds to its three.
    first = [
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for name in ("table", "target")
    ]
    others = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in list(inspect.signature(function).parameters.values())[3:]
    ]
    prepare.__signature__ = inspect.Signature([*first, *others])  # type: ignore[attr-defined]
    return FilterSpec(name=name, prepare=prepare, output="callable", **fields)


def _prepare_function(
    function: Callable[..., Any], container: str, table: Table, target: Target, **parameters: Any
) -> KernelScorer:
    """Bind a registered function with its parameters."""
    bound = functools.partial(function, **parameters)
    functools.update_wrapper(bound, function)
    return prepare_callable(table, target, bound, container=container)


def prepare_estimator(
    table: Table, target: Target, estimator: Any, random_state: int = 0, *, container: str = "array"
) -> KernelScorer:
    """Bind a scikit-learn estimator as a filter.

    The scores are the ``feature_importances_`` of the fitted clone, or else the absolute ``coef_``,
    averaged over the classes; of a Pipeline those of the last step, which must see all features.  A
    resample with one class scores 0 for every feature.
    """

    fits = hasattr(estimator, "fit") and hasattr(estimator, "get_params")
    if not fits or isinstance(estimator, type):
        raise InputTypeError(
            f"the filter {estimator!r} is not a scikit-learn estimator: it needs fit and "
            "get_params (pass an instance, not the class)"
        )
    seed = check_integer("random_state", random_state, low=0, high=2**63 - 1)
    from sklearn.utils.validation import has_fit_parameter

    joined, given = target.always_first(table)
    # Earlier steps of a Pipeline would not see the weights, so a real Pipeline gets the rows.
    steps = getattr(estimator, "steps", None) or ()
    piped = any(step not in (None, "passthrough") for _, step in steps[:-1])
    weighted = not piped and bool(has_fit_parameter(last_step(estimator), "sample_weight"))
    bound = (_features(joined, container), target, estimator, seed, weighted, given)
    p = table.n_features
    return KernelScorer(_estimator_scores, bound, ("estimator",), p, releases_gil=False)


def _features(table: Table, container: str) -> Any:
    """The values as a read-only array, or as a data frame with the kinds restored."""
    check_choice("container", container, ("array", "frame"))
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


def _checked_scores(values: Any, n_features: int, name: str) -> Floats:
    try:
        scores = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"the filter {name!r} returned {type(values).__name__}, not one number per feature"
        ) from None
    if scores.shape != (n_features,):
        raise DataError(
            f"the filter {name!r} returned scores of shape {scores.shape} for {n_features} "
            f"features; it must return one number per feature, shape ({n_features},)"
        )
    if not np.isfinite(scores).all():
        j = int(np.isfinite(scores).argmin())
        raise DataError(
            f"the filter {name!r} returned the score {scores[j]} for feature {j + 1} of "
            f"{n_features}; scores must be finite"
        )
    return scores


def _seeded_clone(
    estimator: Any, random_state: int, weights: NDArray[np.uint16], labels: Codes
) -> Any:
    from sklearn.base import clone

    model = clone(estimator)
    parameters = sorted(model.get_params(deep=True))
    names = [name for name in parameters if ("__" + name).endswith("__random_state")]
    drawn = bytes.fromhex(digest(random_state.to_bytes(8, "little"), weights, labels))
    source = np.random.SeedSequence(int.from_bytes(drawn, "little"))
    seeds = source.generate_state(max(len(names), 1))
    chosen = {name: int(seed) % 2**31 for name, seed in zip(names, seeds, strict=False)}
    return model.set_params(**chosen)


def _importances(model: Any) -> Any:
    last = last_step(model)
    importances = getattr(last, "feature_importances_", None)
    if importances is not None:
        return importances
    coefficients = getattr(last, "coef_", None)
    if coefficients is None:
        raise InputTypeError(
            f"the filter {type(last).__name__!r} has neither feature_importances_ nor coef_ after "
            "fitting; use an estimator that has one, or a function (X, y, sample_weight) -> scores"
        )
    dense = coefficients.toarray() if hasattr(coefficients, "toarray") else coefficients
    magnitude = np.abs(np.asarray(dense))
    return magnitude.mean(axis=0) if magnitude.ndim == 2 else magnitude

"""Classifiers and regressors by name as estimators that can be handed on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyfsagg._base.checks import check_choice
from pyfsagg.evaluation.classifiers import CLASSIFIERS, ClassifierSpec, read_classifiers
from pyfsagg.evaluation.regressors import REGRESSORS
from pyfsagg.exceptions import InputTypeError

__all__ = ["named_learners"]

USUAL = {
    "classification": ("logistic_regression", "random_forest"),
    "regression": ("ridge", "random_forest"),
}


def named_learners(
    names: str | Sequence[str] | None = None, task: str = "classification"
) -> dict[str, Any]:
    """Estimators of scikit-learn by name, with a scaler before them where scales matter.

    Parameters
    ----------
    names : str or sequence of str, optional
        Of :func:`list_classifiers` or :func:`list_regressors`; by default a linear learner and a random
        forest, which both have feature importances.
    task : {"classification", "regression"}

    Returns
    -------
    dict of str to estimator
        Not fitted, and without seeds: the caller sets them.

    Raises
    ------
    UnknownNameError, ParameterError
        For a name or a task that does not exist, or a name that is there twice.

    Examples
    --------
    >>> list(named_learners(["rf", "lr"]))
    ['random_forest', 'logistic_regression']
    """
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    chosen = check_choice("task", task, USUAL)
    known = CLASSIFIERS if chosen == "classification" else REGRESSORS
    found: dict[str, Any] = {}
    for name, spec in read_classifiers(USUAL[chosen] if names is None else names, known).items():
        if not isinstance(spec, ClassifierSpec):
            raise InputTypeError(f"names must be texts, got {spec!r}")
        model = spec.make(0)
        if "random_state" in model.get_params():
            model.set_params(random_state=None)
        found[name] = make_pipeline(StandardScaler(), model) if spec.scaled else model
    return found

"""Classifiers and regressors by name, with settings that are written down."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from pyfsagg._base.registry import Registry
from pyfsagg._base.validation import check_choice, check_list, require_extra
from pyfsagg._message import Got, Param, Remedy, Use
from pyfsagg._table import columns, selectors, target
from pyfsagg._table.table import Table
from pyfsagg.exceptions import InputTypeError, ParameterError


class MixedNaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Normal densities for numbers, relative frequencies (plus one) for categories.

    Given the class all features are independent, so the evidence of both kinds adds up:
    ln p(y | x) = ln p(y | numbers) + ln p(y | categories) − ln p(y) + constant.

    Examples
    --------
    >>> X = np.array([[0.1, 0], [0.3, 0], [0.2, 1], [0.9, 1], [1.1, 1], [1.0, 0]])
    >>> y = np.array([0, 0, 0, 1, 1, 1])
    >>> MixedNaiveBayes(n_levels=(2,)).fit(X, y).predict([[0.2, 0.0], [1.0, 1.0]])
    array([0, 1])
    """

    def __init__(self, n_levels: tuple[int, ...] = ()) -> None:
        self.n_levels = n_levels

    def fit(self, X: Any, y: Any) -> MixedNaiveBayes:
        """Estimate densities and frequencies from the rows of `X` (n_samples, n_features)."""
        numbers, codes = self._split(X)
        sizes = np.array(self.n_levels, dtype=np.int64) + 1
        self._categories = CategoricalNB(min_categories=sizes).fit(codes, y)
        self._numbers = GaussianNB().fit(numbers, y) if numbers.shape[1] else None
        self.classes_ = self._categories.classes_
        return self

    def _split(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        values = np.asarray(X, dtype=np.float64)
        first = values.shape[1] - len(self.n_levels)
        codes = values[:, first:]
        codes = np.where(np.isnan(codes), np.array(self.n_levels, dtype=np.float64), codes)
        return values[:, :first], codes.astype(np.int64)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithms of the probabilities of the classes (n_samples, n_classes)."""
        numbers, codes = self._split(X)
        total = self._categories.predict_log_proba(codes)
        if self._numbers is not None:
            total = total + self._numbers.predict_log_proba(numbers)
            total -= np.log(self._numbers.class_prior_)
        return np.asarray(total - logsumexp(total, axis=1, keepdims=True), dtype=np.float64)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes (n_samples, n_classes)."""
        return np.asarray(np.exp(self.predict_log_proba(X)), dtype=np.float64)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row."""
        return np.asarray(self.classes_[self.predict_log_proba(X).argmax(axis=1)])


@dataclass(frozen=True)
class ClassifierSpec:
    """A model by name: `make(seed)` gives an estimator, after a scaler if `scaled`, `make_mixed(n_levels)`
    one that takes categories in the last columns; `needs` is a package."""

    name: str
    aliases: tuple[str, ...]
    summary: str
    make: Callable[[int], Any]
    scaled: bool = False
    make_mixed: Callable[[tuple[int, ...]], Any] | None = None
    needs: str = ""

    def require(self) -> None:
        """Raise MissingDependencyError if the package that it needs is missing."""
        if self.needs:
            require_extra(self.needs, "survival", repr(self.name))


def maker(name: str, **options: Any) -> Callable[[int], Any]:
    """A function of a seed that makes an estimator; its module is imported when it is first called."""
    return partial(_make, name, options)


def _make(name: str, options: Mapping[str, Any], seed: int) -> Any:
    module, _, cls = name.rpartition(".")
    model = getattr(importlib.import_module(module), cls)(**options)
    return model.set_params(random_state=seed) if "random_state" in model.get_params() else model


def _svm_of_numbers(seed: int) -> Any:
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    return TransformedTargetRegressor(SVR(kernel="rbf", C=1.0), transformer=StandardScaler())


CLASSIFIERS: Registry[ClassifierSpec] = Registry("classifier")
CLASSIFIERS.add(
    ClassifierSpec(
        "logistic_regression",
        ("lr", "logistic"),
        "multinomial logistic regression, L2 penalty with C = 1, on standardised features",
        maker("sklearn.linear_model.LogisticRegression", max_iter=1000),
        scaled=True,
    ),
    ClassifierSpec(
        "naive_bayes",
        ("nb",),
        "naive Bayes: normal densities for numbers, relative frequencies (plus one) for categories",
        maker("sklearn.naive_bayes.GaussianNB"),
        make_mixed=MixedNaiveBayes,
    ),
    ClassifierSpec(
        "random_forest",
        ("rf",),
        "100 trees, √p features tried at each split",
        maker("sklearn.ensemble.RandomForestClassifier", n_estimators=100, n_jobs=1),
    ),
    ClassifierSpec(
        "svm",
        ("svc",),
        "support vector machine, RBF kernel with C = 1 and gamma = 1 / (p Var(X)), on standardised "
        "features",
        maker("sklearn.svm.SVC", kernel="rbf", C=1.0, gamma="scale"),
        scaled=True,
    ),
    ClassifierSpec(
        "nearest_neighbors",
        ("knn",),
        "5 nearest neighbours by Euclidean distance of standardised features",
        maker("sklearn.neighbors.KNeighborsClassifier", n_neighbors=5),
        scaled=True,
    ),
)
REGRESSORS: Registry[ClassifierSpec] = Registry("regressor")
REGRESSORS.add(
    ClassifierSpec(
        "ridge",
        (),
        "linear regression, L2 penalty 1, on standardised features",
        maker("sklearn.linear_model.Ridge", alpha=1.0),
        scaled=True,
    ),
    ClassifierSpec(
        "linear_regression",
        ("ols",),
        "linear regression by least squares",
        maker("sklearn.linear_model.LinearRegression"),
        scaled=True,
    ),
    ClassifierSpec(
        "random_forest",
        ("rf",),
        "100 trees, all features tried at each split",
        maker("sklearn.ensemble.RandomForestRegressor", n_estimators=100, n_jobs=1),
    ),
    ClassifierSpec(
        "svm",
        ("svr",),
        "support vector regression, RBF kernel with C = 1, on standardised features and target",
        _svm_of_numbers,
        scaled=True,
    ),
    ClassifierSpec(
        "nearest_neighbors",
        ("knn",),
        "mean of the 5 nearest neighbours by Euclidean distance of standardised features",
        maker("sklearn.neighbors.KNeighborsRegressor", n_neighbors=5),
        scaled=True,
    ),
)


ESTIMATOR = ("fit", "predict", "get_params")


def read_classifiers(
    classifiers: Any, known: Registry[ClassifierSpec] = CLASSIFIERS
) -> dict[str, Any]:
    """Names (those in `known`), estimators, or a mapping of labels to either, as {label: spec or
    estimator}."""
    if isinstance(classifiers, Mapping):
        pairs = [(str(label), item) for label, item in classifiers.items()]
    else:
        single = isinstance(classifiers, str) or hasattr(classifiers, "fit")
        items = [classifiers] if single else check_list("classifiers", classifiers)
        pairs = [
            (known.get(item).name if isinstance(item, str) else type(item).__name__, item)
            for item in items
        ]
    models: dict[str, Any] = {}
    for label, item in pairs:
        if label in models:
            raise ParameterError(
                f"the {known.kind} {label!r} is given twice; a mapping of label to {known.kind} "
                f"gives each a different name"
            )
        if isinstance(item, str):
            models[label] = known.get(item)
            models[label].require()
            continue
        if isinstance(item, type) or not all(hasattr(item, name) for name in ESTIMATOR):
            raise InputTypeError(
                f"the {known.kind} {label!r} must be a name from ",
                f"list_methods('{known.kind.replace(' ', '_')}s'), or a scikit-learn {known.kind} ",
                "with fit and predict",
                Got(item),
            )
        if target.is_survival_model(item) and known.kind != "survival model":
            raise ParameterError(
                f"{label!r} is a survival model; give it with ", Use(task="survival")
            )
        if known.kind == "survival model" and not target.is_survival_model(item):
            raise ParameterError(
                f"{label!r} does not read times and events; give a name from ",
                "list_methods('survival_models'), or an estimator of scikit-survival",
            )
        selectors.check_learner(label, item, known.kind)
        models[label] = item
    if not models:
        remedy = Remedy(f"name at least one, for instance {next(iter(known)).name!r}")
        raise ParameterError(Param("classifiers"), " is empty", remedy)
    return models


def build_model(item: Any, table: Table, seed: int) -> Any:
    """A new pipeline for a `table`, fitted to training rows: medians for missing numbers, then categories as
    one-hot codes (a missing one has its own; naive Bayes takes categories), scaler, classifier."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    nominal, missing = table.kinds == columns.Kind.NOMINAL, np.isnan(table.values).any(axis=0)
    coded = scaled = False
    if isinstance(item, ClassifierSpec):
        coded, scaled = item.make_mixed is not None and bool(nominal.any()), item.scaled
        sizes = tuple(len(table.levels[j]) for j in sorted(table.levels))
        model = item.make_mixed(sizes) if coded and item.make_mixed else item.make(seed)
    else:
        model = selectors.seeded_clone(item, seed)
    steps: list[Any] = [StandardScaler()] if scaled else []
    if nominal.any() or missing.any():
        impute = SimpleImputer(strategy="median", keep_empty_features=True)
        encode = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        parts = [
            ("numbers", "passthrough", ~nominal & ~missing),
            ("imputed", impute, ~nominal & missing),
            ("categories", "passthrough" if coded else encode, nominal),
        ]
        there = [(name, step, np.flatnonzero(at).tolist()) for name, step, at in parts if at.any()]
        steps.insert(0, ColumnTransformer(there))
    return make_pipeline(*steps, model) if steps else model


USUAL = {
    "classification": ("logistic_regression", "random_forest"),
    "regression": ("ridge", "random_forest"),
}


def named_learners(
    names: str | Sequence[str] | None = None, task: str = "classification"
) -> dict[str, Any]:
    """Estimators of scikit-learn by name, with a scaler before them where scales matter.

    Examples
    --------
    >>> list(named_learners(["rf", "lr"]))
    ['random_forest', 'logistic_regression']
    """
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    chosen = check_choice("task", task, USUAL)
    known = CLASSIFIERS if chosen == "classification" else REGRESSORS
    learners: dict[str, Any] = {}
    for name, spec in read_classifiers(USUAL[chosen] if names is None else names, known).items():
        if not isinstance(spec, ClassifierSpec):
            raise InputTypeError(Param("names"), " must be texts", Got(spec))
        model = spec.make(0)
        if "random_state" in model.get_params():
            model.set_params(random_state=None)
        learners[name] = make_pipeline(StandardScaler(), model) if spec.scaled else model
    return learners

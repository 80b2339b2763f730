"""Classifiers by name, with settings that are written down, and what goes before them."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.checks import check_list
from pyfsagg._base.estimators import is_survival_model
from pyfsagg._base.registry import Registry
from pyfsagg._table.table import Kind, Table
from pyfsagg.exceptions import InputTypeError, MissingDependencyError, ParameterError

__all__ = ["CLASSIFIERS", "ClassifierSpec", "build_model", "list_classifiers", "read_classifiers"]


@dataclass(frozen=True)
class ClassifierSpec:
    """A classifier by name: `make(seed)` gives an estimator; `scaled` puts a scaler before it.

    `make_mixed(n_levels)`, if there is one, gives an estimator that takes categories as they are,
    in the last columns, instead of one-hot codes.  `needs` is a package that must be installed for it.
    """

    name: str
    aliases: tuple[str, ...]
    summary: str
    make: Callable[[int], Any]
    scaled: bool
    make_mixed: Callable[[tuple[int, ...]], Any] | None = None
    needs: str = ""

    def require(self) -> None:
        """Raise MissingDependencyError if the package that it needs is missing."""
        if self.needs and importlib.util.find_spec(self.needs) is None:
            raise MissingDependencyError(
                f"{self.name!r} needs the package scikit-survival: pip install 'pyfsagg[survival]'"
            )


CLASSIFIERS: Registry[ClassifierSpec] = Registry("classifier")


def _logistic_regression(seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000, random_state=seed)


def _naive_bayes(seed: int) -> Any:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


def _mixed_naive_bayes(n_levels: tuple[int, ...]) -> Any:
    from pyfsagg.evaluation.naive_bayes import MixedNaiveBayes

    return MixedNaiveBayes(n_levels)


def _random_forest(seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=100, n_jobs=1, random_state=seed)


def _svm(seed: int) -> Any:
    from sklearn.svm import SVC

    return SVC(kernel="rbf", C=1.0, gamma="scale", random_state=seed)


def _nearest_neighbors(seed: int) -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(n_neighbors=5)


for spec in (
    ClassifierSpec(
        "logistic_regression",
        ("lr", "logistic"),
        "multinomial logistic regression, L2 penalty with C = 1, on standardised features",
        _logistic_regression,
        True,
    ),
    ClassifierSpec(
        "naive_bayes",
        ("nb",),
        "naive Bayes: normal densities for numbers, relative frequencies (plus one) for categories",
        _naive_bayes,
        False,
        _mixed_naive_bayes,
    ),
    ClassifierSpec(
        "random_forest",
        ("rf",),
        "100 trees, √p features tried at each split",
        _random_forest,
        False,
    ),
    ClassifierSpec(
        "svm",
        ("svc",),
        "support vector machine, RBF kernel with C = 1 and gamma = 1 / (p Var(X)), on standardised "
        "features",
        _svm,
        True,
    ),
    ClassifierSpec(
        "nearest_neighbors",
        ("knn",),
        "5 nearest neighbours by Euclidean distance of standardised features",
        _nearest_neighbors,
        True,
    ),
):
    CLASSIFIERS.add(spec)


def list_classifiers() -> pd.DataFrame:
    """The classifiers that :func:`pyfsagg.evaluate` knows by name, one row each.

    Examples
    --------
    >>> list_classifiers().index.tolist()[:2]
    ['logistic_regression', 'naive_bayes']
    """
    return CLASSIFIERS.to_frame("make", "make_mixed")


def read_classifiers(
    classifiers: Any, known: Registry[ClassifierSpec] = CLASSIFIERS
) -> dict[str, Any]:
    """Names, estimators, or a mapping of label to either, as {label: spec or estimator}.

    `known` has the names: those of classifiers, of regressors or of models of survival.

    Raises
    ------
    MissingDependencyError
        If a named one needs a package that is not installed.
    ParameterError, UnknownNameError
        If there is none, one is there twice, unknown, or of the other kind.
    InputTypeError
        For something that is not an estimator.
    """
    if isinstance(classifiers, Mapping):
        pairs = [(str(label), item) for label, item in classifiers.items()]
    else:
        items = [classifiers] if _is_one(classifiers) else check_list("classifiers", classifiers)
        pairs = [(_label(item, known), item) for item in items]
    found: dict[str, Any] = {}
    for label, item in pairs:
        if label in found:
            raise ParameterError(
                f"the {known.kind} {label!r} is given twice; a mapping of label to {known.kind} "
                f"gives each a different name"
            )
        if isinstance(item, str):
            found[label] = known.get(item)
            found[label].require()
        else:
            found[label] = _checked(label, item, known)
    if not found:
        example = next(iter(known)).name
        raise ParameterError(f"classifiers is empty; name at least one, for instance {example!r}")
    return found


def _is_one(classifiers: Any) -> bool:
    return isinstance(classifiers, str) or hasattr(classifiers, "fit")


def _label(item: Any, known: Registry[ClassifierSpec]) -> str:
    if isinstance(item, str):
        return known.get(item).name
    return str(type(item).__name__)


def _checked(label: str, item: Any, known: Registry[ClassifierSpec]) -> Any:
    from sklearn.base import is_classifier, is_regressor

    if isinstance(item, type) or not (
        hasattr(item, "fit") and hasattr(item, "predict") and hasattr(item, "get_params")
    ):
        raise InputTypeError(
            f"the {known.kind} {label!r} must be a name from list_{known.kind.replace(' ', '_')}s() or a "
            f"scikit-learn {known.kind} with fit and predict, got {item!r}"
        )
    if (known.kind == "survival model") != is_survival_model(item):
        raise ParameterError(
            f"{label!r} is a model of survival; give it with task='survival'"
            if is_survival_model(item)
            else f"{label!r} does not read times and events; give a name from list_survival_models(), or an "
            "estimator of scikit-survival"
        )
    if known.kind == "classifier" and is_regressor(item):
        raise ParameterError(
            f"{label!r} is a regressor, and the target has classes. Give a classifier, or say "
            "task='regression' if the target is a number"
        )
    if known.kind == "regressor" and is_classifier(item):
        raise ParameterError(
            f"{label!r} is a classifier, and the target is a number; give a regressor"
        )
    return item


def build_model(item: Any, table: Table, seed: int) -> Any:
    """A fresh pipeline for the columns of `table`: imputation, one-hot codes, scaler, classifier.

    Every step is fitted to the training rows only.  Missing numbers become the median of the
    training rows; a missing category is a category.  Columns that need nothing get nothing.  Naive
    Bayes takes categories as they are.
    """
    from sklearn.base import clone
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    coded = False
    if isinstance(item, ClassifierSpec):
        coded = item.make_mixed is not None and bool((table.kinds == Kind.NOMINAL).any())
        sizes = tuple(len(table.levels[j]) for j in sorted(table.levels))
        model = item.make_mixed(sizes) if coded and item.make_mixed else item.make(seed)
        scaled = item.scaled
    else:
        model, scaled = clone(item), False
        open_seeds = {
            name: seed
            for name, value in model.get_params().items()
            if (name == "random_state" or name.endswith("__random_state")) and value is None
        }
        model.set_params(**open_seeds)
    steps = [*_preparation(table, coded), *([StandardScaler()] if scaled else [])]
    return make_pipeline(*steps, model) if steps else model


def _preparation(table: Table, coded: bool) -> list[Any]:
    """A transformer that puts numbers first and categories, as codes or one-hot, last."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder

    nominal = table.kinds == Kind.NOMINAL
    missing = np.isnan(table.values).any(axis=0)
    if not nominal.any() and not missing.any():
        return []
    impute = SimpleImputer(strategy="median", keep_empty_features=True)
    encode = OneHotEncoder(handle_unknown="ignore", sparse_output=False)

    def positions(mask: NDArray[np.bool_]) -> list[int]:
        return [int(j) for j in np.flatnonzero(mask)]

    parts = [
        ("numbers", "passthrough", positions(~nominal & ~missing)),
        ("imputed", impute, positions(~nominal & missing)),
        ("categories", "passthrough" if coded else encode, positions(nominal)),
    ]
    return [ColumnTransformer([part for part in parts if part[2]])]

"""Models of survival by name: Cox regression, and forests and boosting of scikit-survival."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pyfsagg._base.registry import Registry
from pyfsagg.evaluation.classifiers import ClassifierSpec

__all__ = ["SURVIVAL_MODELS", "list_survival_models"]

SURVIVAL_MODELS: Registry[ClassifierSpec] = Registry("survival model")


def _cox(seed: int) -> Any:
    from pyfsagg.evaluation.cox import CoxModel

    return CoxModel()


def _cox_ridge(seed: int) -> Any:
    from pyfsagg.evaluation.cox import CoxModel

    return CoxModel(penalty=1.0)


def _random_survival_forest(seed: int) -> Any:
    from sksurv.ensemble import RandomSurvivalForest

    return RandomSurvivalForest(
        n_estimators=100, min_samples_leaf=5, max_features="sqrt", n_jobs=1, random_state=seed
    )


def _gradient_boosting(seed: int) -> Any:
    from sksurv.ensemble import GradientBoostingSurvivalAnalysis

    return GradientBoostingSurvivalAnalysis(n_estimators=100, random_state=seed)


for spec in (
    ClassifierSpec(
        "cox_ridge",
        (),
        "Cox regression, L2 penalty 1, ties by Efron, on standardised features",
        _cox_ridge,
        True,
    ),
    ClassifierSpec(
        "cox",
        ("coxph",),
        "Cox regression without a penalty, ties by Efron; needs more events than features",
        _cox,
        True,
    ),
    ClassifierSpec(
        "random_survival_forest",
        ("rsf", "random_forest", "rf"),
        "100 trees by the log-rank statistic, √p features tried at each split, 5 rows in a leaf",
        _random_survival_forest,
        False,
        needs="sksurv",
    ),
    ClassifierSpec(
        "gradient_boosting",
        ("gbm",),
        "100 trees of depth 3 for the partial likelihood of Cox, learning rate 0.1",
        _gradient_boosting,
        False,
        needs="sksurv",
    ),
):
    SURVIVAL_MODELS.add(spec)


def list_survival_models() -> pd.DataFrame:
    """The models that :func:`pyfsagg.evaluate` knows by name with ``task="survival"``, one row each.

    ``needs`` names the package that must be installed for it: ``pip install 'pyfsagg[survival]'``.

    Examples
    --------
    >>> list_survival_models().index.tolist()
    ['cox_ridge', 'cox', 'random_survival_forest', 'gradient_boosting']
    """
    return SURVIVAL_MODELS.to_frame("make", "make_mixed")

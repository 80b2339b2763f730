"""What features are worth to models of survival: Cox regression, its measures, and folds."""

import re
import sys
import types

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from statsmodels.duration.hazard_regression import PHReg

import pyfsagg
from pyfsagg._table.target import Survival
from pyfsagg.evaluation import metrics
from pyfsagg.evaluation.learners import CLASSIFIERS, REGRESSORS
from pyfsagg.evaluation.metrics import SURVIVAL_MODELS, CoxModel
from pyfsagg.exceptions import DataError, MissingDependencyError, ParameterError
from pyfsagg.listing import list_methods

RNG = np.random.default_rng(8)
N = 90
X = pd.DataFrame(RNG.normal(size=(N, 6)), columns=list("abcdef"))
LIFE = RNG.exponential(np.exp(-1.2 * X["a"] + 0.6 * X["b"]))
LIMIT = RNG.uniform(0.2, 4.0, N)
Y = pd.DataFrame({"time": np.minimum(LIFE, LIMIT), "status": (LIFE <= LIMIT).astype(int)})
SURVIVAL = Survival(Y["time"].to_numpy(), Y["status"].to_numpy().astype(bool))


def evaluated(y=Y, **options):
    given = {
        "methods": ["cox_score"],
        "n_features_to_select": [2],
        "n_resamples": 10,
        "random_state": 0,
    }
    given |= {"protocol": pyfsagg.evaluation.Protocol(n_folds=3), "task": "survival"}
    return pyfsagg.evaluate(X, y, **{**given, **options})


# -- Cox regression -------------------------------------------------------------------------------
def test_cox_with_and_without_a_penalty() -> None:
    tied = Survival(np.ceil(4 * SURVIVAL.time), SURVIVAL.event)
    model = CoxModel().fit(X, tied.structured())
    fitted = PHReg(tied.time, X.to_numpy(), status=Y["status"].to_numpy(), ties="efron").fit()
    np.testing.assert_allclose(model.coef_, fitted.params, rtol=1e-6)
    wide = RNG.normal(size=(N, 300))
    wide[:, :6] = X
    model = CoxModel(penalty=5.0).fit(wide, SURVIVAL.structured())
    likelihood = PHReg(SURVIVAL.time, wide, status=Y["status"].to_numpy(), ties="efron")
    slope = likelihood.score(model.coef_) - 5.0 * model.coef_
    assert np.abs(slope).max() < 1e-3
    assert np.abs(CoxModel(penalty=1e9).fit(wide, SURVIVAL.structured()).coef_).max() < 1e-6
    with pytest.raises(DataError, match="more events than features"):
        CoxModel().fit(RNG.normal(size=(N, 200)), SURVIVAL.structured())


def test_survival_and_concordance_by_definition() -> None:
    flat = np.zeros((N, 2))
    model = CoxModel(penalty=1.0).fit(flat, SURVIVAL.structured())
    hazard = [
        sum(1 / (SURVIVAL.time >= t).sum() for t in SURVIVAL.time[SURVIVAL.event] if t <= limit)
        for limit in (0.0, 0.5, 2.0)
    ]
    found = model.survival_at(flat[:1], np.array([0.0, 0.5, 2.0]))
    np.testing.assert_allclose(found, [np.exp(-np.array(hazard))], rtol=1e-12)
    risk = np.round(-SURVIVAL.time + RNG.normal(size=N), 1)
    told = [
        1.0 if risk[i] > risk[j] else 0.5 if risk[i] == risk[j] else 0.0
        for i in np.flatnonzero(SURVIVAL.event)
        for j in np.flatnonzero(SURVIVAL.time[i] < SURVIVAL.time)
    ]
    assert metrics.concordance_index(SURVIVAL, risk) == pytest.approx(np.mean(told), rel=1e-12)
    nobody = Survival(np.array([1.0, 2.0]), np.array([False, True]))
    with pytest.raises(DataError, match="no two test rows"):
        metrics.concordance_index(nobody, np.zeros(2))


# -- measures -------------------------------------------------------------------------------------


class Known:
    """Predicts 0.3 for everybody."""

    def survival_at(self, X, times):
        return np.full((len(X), len(times)), 0.3)


def test_brier_score_weights_rows_for_those_that_were_censored() -> None:
    """By the definition, row by row; of training rows at one time, events come before censoring."""
    time, event = np.array([1.0, 2, 2, 3, 5, 6]), np.array([1, 0, 1, 1, 0, 1], dtype=bool)
    test = Survival(time, event)
    trained = Survival(np.array([1.0, 2, 2, 4, 7, 8]), np.array([0, 1, 0, 0, 1, 0], dtype=bool))

    def uncensored(t: float) -> float:
        steps = [(1.0, 5 / 6), (2.0, 3 / 4), (4.0, 2 / 3), (8.0, 0.0)]
        return float(np.prod([share for at, share in steps if at <= t]))

    def error(t: float) -> float:
        total = 0.0
        for when, seen in zip(time, event, strict=True):
            if when <= t and seen:
                total += 0.3**2 / uncensored(when - 0.5)
            elif when > t:
                total += 0.7**2 / uncensored(t)
        return total / len(time)

    grid = [1.0, 2.0, 3.0, 5.0]
    at = [error(t) for t in grid]
    expected = sum((a + b) / 2 * w for a, b, w in zip(at, at[1:], np.diff(grid), strict=False)) / 4
    found = metrics.integrated_brier_score(Known(), np.zeros((6, 1)), test, trained)
    assert found == pytest.approx(expected, rel=1e-12)


def test_brier_score_and_concordance_are_those_of_scikit_survival() -> None:
    sksurv = pytest.importorskip("sksurv.metrics")
    half = np.arange(N) < N // 2
    train, test = SURVIVAL.take(np.flatnonzero(half)), SURVIVAL.take(np.flatnonzero(~half))
    model = CoxModel(penalty=1.0).fit(X[half], train.structured())
    inside = test.time < train.time.max()
    test, rows = test.take(np.flatnonzero(inside)), X[~half][inside]
    found = metrics.integrated_brier_score(model, rows, test, train)
    times = np.unique(test.time)[:-1]
    expected = sksurv.integrated_brier_score(
        train.structured(), test.structured(), model.survival_at(rows, times), times
    )
    assert found == pytest.approx(expected, rel=1e-10)
    index = sksurv.concordance_index_censored(test.event, test.time, model.predict(rows))[0]
    assert metrics.concordance_index(test, model.predict(rows)) == pytest.approx(index, rel=1e-12)


# -- evaluations ----------------------------------------------------------------------------------
def test_features_that_matter_are_worth_more_and_folds_need_events() -> None:
    found = evaluated(metrics=["c_index", "ibs"], classifiers=["cox", "cox_ridge"])
    page = found.to_html()
    assert "predict survival when only the best" in page
    assert f"with survival (time, status; {Y['status'].sum()} events)" in page
    assert list(found.metrics) == ["concordance_index", "integrated_brier_score"]
    means = found.cells.groupby(["metric", "method"])["value"].mean()
    assert means["concordance_index", "cox_score"] > 0.7
    assert means["concordance_index", "cox_score"] > means["concordance_index", "random subsets"]
    brier = means["integrated_brier_score"]
    assert 0.0 < brier["cox_score"] < brier["random subsets"] < 0.3
    assert found.data["n_events"] == int(Y["status"].sum())
    assert not found._n_failed
    few = Y.assign(status=np.isin(np.arange(N), Y["time"].argsort()[:3]).astype(int))
    with pytest.raises(DataError, match=r"event\(s\) in .*, fewer than the 3 folds"):
        evaluated(y=few)


def test_models_and_measures_belong_to_their_task() -> None:
    classes = {"y": Y["status"], "task": "classification"}
    for options, message in (
        ({"classifiers": Ridge()}, "does not read times and events"),
        ({"classifiers": LogisticRegression()}, "does not read times and events"),
        ({**classes, "classifiers": CoxModel()}, "is a survival model"),
        ({"metrics": "accuracy"}, "does not belong to a survival"),
    ):
        with pytest.raises(ParameterError, match=message):
            evaluated(**options)
    assert list_methods("metrics").loc["concordance_index", "task"] == "survival"
    assert list_methods("survival_models").loc["gradient_boosting", "needs"] == "sksurv"


class Settings:
    """What a model of a package that is not there is made with."""

    def __init__(self, **settings: object) -> None:
        self.settings = settings

    def get_params(self) -> dict[str, object]:
        return self.settings


def test_models_are_made_with_the_settings_that_their_summaries_tell(monkeypatch) -> None:
    package = types.ModuleType("sksurv.ensemble")
    for name in ("RandomSurvivalForest", "GradientBoostingSurvivalAnalysis"):
        setattr(package, name, Settings)
    monkeypatch.setitem(sys.modules, "sksurv.ensemble", package)
    told = {"n_estimators": r"(\d+) trees", "min_samples_leaf": r"(\d+) rows in a leaf"}
    trees = 0
    for spec in (*CLASSIFIERS.own(), *REGRESSORS.own(), *SURVIVAL_MODELS.own()):
        for setting, words in told.items():
            if number := re.search(words, spec.summary):
                assert spec.make(0).get_params()[setting] == int(number[1]), spec.name
                trees += setting == "n_estimators"
    assert trees == 4


def test_a_model_of_scikit_survival_is_named_with_its_package_or_runs() -> None:
    try:
        import sksurv  # noqa: F401
    except ImportError:
        with pytest.raises(MissingDependencyError, match=r"pip install \"pyfsagg\[survival\]\""):
            evaluated(classifiers="random_survival_forest")
        return
    from sksurv.linear_model import CoxPHSurvivalAnalysis

    models = {"forest": "rf", "boosting": "gbm", "own": CoxPHSurvivalAnalysis(alpha=1.0)}
    found = evaluated(classifiers=models, metrics=["c_index", "ibs"])
    assert not found._n_failed
    best = found.cells[found.cells["method"] == "cox_score"].groupby(["classifier", "metric"])
    assert (best["value"].mean().xs("concordance_index", level=1) > 0.6).all()
    how = {"filter": models["own"], "task": "survival", "n_resamples": 5, "random_state": 0}
    scores = pyfsagg.wam(X, Y, **how)
    assert scores.select(1) == ["a"]

"""Survival models by name and the measures of their predictions."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.integrate import trapezoid
from sklearn.base import BaseEstimator

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.registry import Registry
from pyfsagg._base.validation import check_real
from pyfsagg._message import Param, Remedy
from pyfsagg._table.target import Survival
from pyfsagg.evaluation.learners import ClassifierSpec
from pyfsagg.exceptions import DataError
from pyfsagg.filters.survival import count_comparable_pairs

_STEPS = 100
_CLOSE = 1e-9


class CoxModel(BaseEstimator):  # type: ignore[misc]
    """Cox regression; ties by Efron.

    The log-likelihood minus half of `penalty` times the squared length of the coefficients is maximised by
    Newton's method in the span of the rows, so that the time hardly grows with the number of features
    beyond the number of rows.

    Attributes
    ----------
    coef_ : ndarray (n_features,)
    unique_times_ : ndarray (n_times,)
        Distinct times of the training rows, ascending.
    cum_hazard_ : ndarray (n_times,)
        Breslow's estimate of the cumulative hazard at these times, where all features have their mean.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [1.0]])
    >>> y = Survival(np.array([5.0, 3, 4, 1, 2]), np.array([True, True, True, True, False])).structured()
    >>> CoxModel(penalty=1.0).fit(X, y).predict(X).round(2).tolist()
    [-1.04, -0.3, 0.45, 1.19, -0.3]
    """

    def __init__(self, penalty: float = 0.0) -> None:
        self.penalty = penalty

    def fit(self, X: Any, y: Any) -> CoxModel:
        """Estimate coefficients and hazard from the rows of `X` (n_samples, n_features) and `y`.

        `y` is a structured array with the fields ``event`` and ``time``.
        """
        penalty = check_real("penalty", self.penalty, low=0.0)
        values = np.asarray(X, dtype=np.float64)
        survival = Survival(np.asarray(y["time"]), np.asarray(y["event"]))
        n_events = int(survival.event.sum())
        if penalty == 0.0 and values.shape[1] >= n_events:
            raise DataError(
                f"Cox regression without a penalty needs more events than features, and there are "
                f"{n_events} for {values.shape[1]}; take 'cox_ridge', or fewer features"
            )
        self.mean_ = values.mean(axis=0)
        left, length, right = np.linalg.svd(values - self.mean_, full_matrices=False)
        kept = length > length.max(initial=0.0) * 1e-12
        rows = left[:, kept] * length[kept]
        self.coef_: Floats = right[kept].T @ _maximise(rows, survival, penalty)
        self._estimate_hazard(values, survival)
        return self

    def _estimate_hazard(self, values: Floats, survival: Survival) -> None:
        relative = np.exp(self.predict(values))[survival.order]
        start = survival.start
        at_risk = np.cumsum(np.add.reduceat(relative, start)[::-1])[::-1]
        events = np.add.reduceat(survival.event[survival.order].astype(np.float64), start)
        self.unique_times_ = survival.time[survival.order][start]
        self.cum_hazard_ = np.cumsum(events / at_risk)

    def predict(self, X: Any) -> Floats:
        """The logarithm of the hazard relative to that of the mean row; larger = earlier."""
        found: Floats = (np.asarray(X, dtype=np.float64) - self.mean_) @ self.coef_
        return found

    def survival_at(self, X: Any, times: Floats) -> Floats:
        """Probabilities (n_samples, n_times) to be without the event until after `times`."""
        place = np.searchsorted(self.unique_times_, times, side="right")
        hazard = np.r_[0.0, self.cum_hazard_][place]
        found: Floats = np.exp(-np.exp(self.predict(X))[:, np.newaxis] * hazard)
        return found


def _maximise(rows: Floats, survival: Survival, penalty: float) -> Floats:
    """Coefficients by Newton's method with halved steps."""
    from statsmodels.duration.hazard_regression import PHReg

    size = rows.shape[1]
    found = np.zeros(size)
    if not size:
        return found
    with np.errstate(all="ignore"):  # a step that is too long is halved
        model = PHReg(survival.time, rows, status=survival.event.astype(np.int64), ties="efron")

        def value(at: Floats) -> float:
            return float(model.loglike(at)) - 0.5 * penalty * float(at @ at)

        now = value(found)
        for _ in range(_STEPS):
            slope = np.asarray(model.score(found)) - penalty * found
            bend = np.asarray(model.hessian(found)) - penalty * np.eye(size)
            step = -np.linalg.lstsq(bend, slope, rcond=None)[0]
            gain = float(slope @ step)
            if gain < _CLOSE:
                return found
            for _ in range(_STEPS):
                ahead = value(found + step)
                if np.isfinite(ahead) and ahead >= now:
                    break
                step = step / 2.0
            else:
                return found
            found, now = found + step, ahead
    return found


SURVIVAL_MODELS: Registry[ClassifierSpec] = Registry("survival model")


def _cox(seed: int) -> Any:

    return CoxModel()


def _cox_ridge(seed: int) -> Any:

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


def concordance_index(test: Survival, risk: Floats) -> float:
    """Harrell's share of comparable pairs of test rows that the predicted risk orders correctly."""
    larger, smaller, tied = count_comparable_pairs(test, risk)
    if larger + smaller + tied == 0:
        raise DataError(
            "no two test rows of a fold can be compared: too few events",
            Remedy("lower ", Param("n_folds"), ", or raise ", Param("test_size")),
        )
    return (smaller + 0.5 * tied) / (larger + smaller + tied)  # a larger risk, a shorter life


def survival_at(model: Any, X: Floats, times: Floats) -> Floats:
    """Probabilities (n_samples, n_times) to be without the event until after `times`."""
    last = model
    if hasattr(model, "steps"):
        X, last = model[:-1].transform(X), model.steps[-1][1]
    if hasattr(last, "survival_at"):
        return np.asarray(last.survival_at(X, times))
    if not hasattr(last, "predict_survival_function"):
        raise DataError(
            f"{type(last).__name__} predicts no probabilities of survival, which the integrated Brier "
            "score needs; take another model, or the concordance index"
        )
    functions = last.predict_survival_function(X)
    rows = []
    for each in functions:
        place = np.searchsorted(each.x, times, side="right")
        rows.append(np.r_[1.0, each.y][place])
    return np.array(rows)


def _censoring(trained: Survival, times: Floats, side: Literal["left", "right"]) -> Floats:
    """Kaplan-Meier's share of rows not yet censored: until after `times`, or (left) until before them."""
    ones = np.ones((1, len(trained.time)), dtype=np.uint16)
    events, at_risk = (each[0] for each in trained.at_each_time(ones))
    leaving = at_risk - np.r_[at_risk[1:], 0.0]
    # Of events and censored rows at one time the events come first.
    stays = 1.0 - np.divide(
        leaving - events, at_risk - events, out=np.zeros_like(events), where=leaving > events
    )
    share = np.r_[1.0, np.cumprod(stays)]
    found: Floats = share[np.searchsorted(trained.time[trained.order][trained.start], times, side)]
    return found


def integrated_brier_score(model: Any, X: Floats, test: Survival, trained: Survival) -> float:
    """Mean squared error of the survival predicted for `X`, over the times of the test rows.

    A row that is censored counts until then only; the others stand for it, by the inverse share of the
    training rows that are not yet censored.  By the trapezoid rule over the distinct times of the test rows,
    without the last, divided by their range.

    References
    ----------
    Graf, Schmoor, Sauerbrei and Schumacher (1999), Statistics in Medicine 18(17-18).
    """
    times = np.unique(test.time)
    times = times[(times < test.time.max()) & (times < trained.time.max())]
    times = times[_censoring(trained, times, "right") > 0.0]
    if len(times) < 2:
        raise DataError(
            "the test rows of a fold have fewer than two times at which survival can be judged; ",
            "lower ",
            Param("n_folds"),
            ", or raise ",
            Param("test_size"),
        )
    survived = survival_at(model, X, times)
    had = (test.time[:, np.newaxis] <= times) & test.event[:, np.newaxis]
    lives = test.time[:, np.newaxis] > times
    until = _censoring(trained, test.time, "left")[:, np.newaxis]
    now = _censoring(trained, times, "right")
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.where(had, survived**2 / until, np.where(lives, (1 - survived) ** 2 / now, 0.0))
    score = errors.mean(axis=0)
    return float(trapezoid(score, times) / (times[-1] - times[0]))

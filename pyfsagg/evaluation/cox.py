"""Cox regression with or without an L2 penalty, by the likelihood of statsmodels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from pyfsagg._base.checks import check_real
from pyfsagg._base.types import Floats
from pyfsagg._table.survival import Survival
from pyfsagg.exceptions import DataError

__all__ = ["CoxModel"]

_STEPS = 100
_CLOSE = 1e-9


class CoxModel(BaseEstimator):  # type: ignore[misc]
    """Cox regression; ties by Efron.

    The log-likelihood minus half of `penalty` times the squared length of the coefficients is maximised by
    Newton's method in the span of the rows, so that the time hardly grows with the number of features
    beyond the number of rows.

    Parameters
    ----------
    penalty : float
        0 is no penalty, which needs more events than features.

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

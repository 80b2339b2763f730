"""Measures of predicted survival: who has the event earlier, and with which probability until when."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.integrate import trapezoid

from pyfsagg._base.types import Floats
from pyfsagg._table.survival import Survival
from pyfsagg.exceptions import DataError
from pyfsagg.filters.survival import comparable_pairs

__all__ = ["concordance_index", "integrated_brier_score", "survival_at"]


def concordance_index(test: Survival, risk: Floats) -> float:
    """Harrell's share of comparable pairs of test rows that the predicted risk orders correctly.

    Raises
    ------
    DataError
        If no two rows can be compared.
    """
    larger, smaller, tied = comparable_pairs(test, risk)
    if larger + smaller + tied == 0:
        raise DataError(
            "no two test rows of a fold can be compared: too few events; lower n_folds, or raise test_size"
        )
    return (smaller + 0.5 * tied) / (larger + smaller + tied)  # a larger risk, a shorter life


def survival_at(model: Any, X: Floats, times: Floats) -> Floats:
    """Probabilities (n_samples, n_times) to be without the event until after `times`.

    Raises
    ------
    DataError
        If the model predicts no such probabilities.
    """
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

    Raises
    ------
    DataError
        If the model predicts no survival, or there are fewer than two times.

    References
    ----------
    Graf, Schmoor, Sauerbrei and Schumacher (1999), Statistics in Medicine 18(17-18).
    """
    times = np.unique(test.time)
    times = times[(times < test.time.max()) & (times < trained.time.max())]
    times = times[_censoring(trained, times, "right") > 0.0]
    if len(times) < 2:
        raise DataError(
            "the test rows of a fold have fewer than two times at which survival can be judged; lower "
            "n_folds, or raise test_size"
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

"""Measures of predictions: of classes, of numbers (R² and errors) and of survival."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import trapezoid
from sklearn.base import BaseEstimator
from sklearn.metrics import average_precision_score, matthews_corrcoef, r2_score, roc_auc_score

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.registry import Registry
from pyfsagg._base.validation import check_list, check_real
from pyfsagg._message import Got, Param, Remedy
from pyfsagg._table.target import Survival
from pyfsagg.evaluation.learners import ClassifierSpec, maker
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.filters.survival import count_comparable_pairs

_STEPS = 100
_CLOSE = 1e-9
LARGER_FOLDS = Remedy("lower ", Param("n_folds"), ", or raise ", Param("test_size"))


class CoxModel(BaseEstimator):  # type: ignore[misc]
    """Cox regression; ties by Efron.

    The log-likelihood minus half of `penalty` times the squared length of the coefficients is maximised by
    Newton's method in the span of the rows, which many features do not make longer.

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
        """Estimate coefficients and hazard from `X` (n_samples, n_features) and a structured `y` with
        ``event`` and ``time``."""
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
        relative = np.exp(self.predict(values))[survival.order]
        start = survival.start
        at_risk = np.cumsum(np.add.reduceat(relative, start)[::-1])[::-1]
        events = np.add.reduceat(survival.event[survival.order].astype(np.float64), start)
        self.unique_times_ = survival.time[survival.order][start]
        self.cum_hazard_ = np.cumsum(events / at_risk)
        return self

    def predict(self, X: Any) -> Floats:
        """The logarithm of the hazard relative to that of the mean row; larger = earlier."""
        log_hazard: Floats = (np.asarray(X, dtype=np.float64) - self.mean_) @ self.coef_
        return log_hazard

    def survival_at(self, X: Any, times: Floats) -> Floats:
        """Probabilities (n_samples, n_times) to be without the event until after `times`."""
        place = np.searchsorted(self.unique_times_, times, side="right")
        hazard = np.r_[0.0, self.cum_hazard_][place]
        return np.asarray(np.exp(-np.exp(self.predict(X))[:, np.newaxis] * hazard))


def _maximise(rows: Floats, survival: Survival, penalty: float) -> Floats:
    """Coefficients by Newton's method with halved steps."""
    from statsmodels.duration.hazard_regression import PHReg

    size = rows.shape[1]
    coefficients = np.zeros(size)
    if not size:
        return coefficients
    with np.errstate(all="ignore"):  # overflow of a Newton step that is then halved
        model = PHReg(survival.time, rows, status=survival.event.astype(np.int64), ties="efron")

        def value(at: Floats) -> float:
            return float(model.loglike(at)) - 0.5 * penalty * float(at @ at)

        now = value(coefficients)
        for _ in range(_STEPS):
            slope = np.asarray(model.score(coefficients)) - penalty * coefficients
            bend = np.asarray(model.hessian(coefficients)) - penalty * np.eye(size)
            step = -np.linalg.lstsq(bend, slope, rcond=None)[0]
            gain = float(slope @ step)
            if gain < _CLOSE:
                return coefficients
            for _ in range(_STEPS):
                ahead = value(coefficients + step)
                if np.isfinite(ahead) and ahead >= now:
                    break
                step = step / 2.0
            else:
                return coefficients
            coefficients, now = coefficients + step, ahead
    return coefficients


SURVIVAL_MODELS: Registry[ClassifierSpec] = Registry("survival model")
SURVIVAL_MODELS.add(
    ClassifierSpec(
        "cox_ridge",
        (),
        "Cox regression, L2 penalty 1, ties by Efron, on standardised features",
        maker(f"{__name__}.CoxModel", penalty=1.0),
        scaled=True,
    ),
    ClassifierSpec(
        "cox",
        ("coxph",),
        "Cox regression without a penalty, ties by Efron; needs more events than features",
        maker(f"{__name__}.CoxModel"),
        scaled=True,
    ),
    ClassifierSpec(
        "random_survival_forest",
        ("rsf", "random_forest", "rf"),
        "100 trees by the log-rank statistic, √p features tried at each split, 5 rows in a leaf",
        maker(
            "sksurv.ensemble.RandomSurvivalForest",
            n_estimators=100,
            min_samples_leaf=5,
            max_features="sqrt",
            n_jobs=1,
        ),
        needs="sksurv",
    ),
    ClassifierSpec(
        "gradient_boosting",
        ("gbm",),
        "100 trees of depth 3 for the partial likelihood of Cox, learning rate 0.1",
        maker("sksurv.ensemble.GradientBoostingSurvivalAnalysis", n_estimators=100),
        needs="sksurv",
    ),
)


def concordance_index(test: Survival, risk: Floats) -> float:
    """Harrell's share of comparable pairs of test rows that the predicted risk orders correctly."""
    larger, smaller, tied = count_comparable_pairs(test, risk)
    if larger + smaller + tied == 0:
        raise DataError("no two test rows of a fold can be compared: too few events", LARGER_FOLDS)
    return (smaller + 0.5 * tied) / (larger + smaller + tied)  # the larger risk should die first


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
    curves = last.predict_survival_function(X)
    return np.array(
        [np.r_[1.0, curve.y][np.searchsorted(curve.x, times, side="right")] for curve in curves]
    )


def _censoring(trained: Survival, times: Floats, side: Literal["left", "right"]) -> Floats:
    """Kaplan-Meier's share of rows not yet censored: until after `times`, or (left) until before them."""
    ones = np.ones((1, len(trained.time)), dtype=np.uint16)
    events, at_risk = (values[0] for values in trained.at_each_time(ones))
    leaving = at_risk - np.r_[at_risk[1:], 0.0]
    # Of events and censored rows at one time the events come first.
    stays = 1.0 - np.divide(
        leaving - events, at_risk - events, out=np.zeros_like(events), where=leaving > events
    )
    share = np.r_[1.0, np.cumprod(stays)]
    distinct = trained.time[trained.order][trained.start]
    return np.asarray(share[np.searchsorted(distinct, times, side)])


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
            "the test rows of a fold have fewer than two times at which survival can be judged",
            LARGER_FOLDS,
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


@dataclass(eq=False)
class Predictions:
    """Predictions of a fitted model for test rows, each computed once."""

    model: Any
    X: NDArray[np.float64]
    labels: Any
    n_classes: int
    trained: Any = None
    _answers: dict[str, Any] = field(default_factory=dict, init=False)

    def _ask(self, method: str) -> Any:
        if method not in self._answers:
            self._answers[method] = np.asarray(getattr(self.model, method)(self.X))
        return self._answers[method]

    @property
    def classes(self) -> NDArray[Any]:
        """Predicted codes, numbers, or risks (n_samples,)."""
        return np.asarray(self._ask("predict"))

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Probabilities (n_samples, n_classes); a class unknown in training has probability 0."""
        if not hasattr(self.model, "predict_proba"):
            raise DataError(
                "the classifier gives no probabilities; sklearn.calibration.CalibratedClassifierCV "
                "adds them"
            )
        return self._spread(self._ask("predict_proba"), 0.0)

    @property
    def scores(self) -> NDArray[np.float64]:
        """One score per class (n_samples, n_classes), larger = more likely."""
        if hasattr(self.model, "predict_proba"):
            return self.probabilities
        if not hasattr(self.model, "decision_function"):
            raise DataError(
                "the classifier gives neither probabilities nor a decision function, by which rows "
                "could be ordered"
            )
        scores = self._ask("decision_function")
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
        return self._spread(scores, -np.inf)

    def _spread(self, scores: NDArray[Any], absent: float) -> NDArray[np.float64]:
        """Scores with a column for each class; `absent` for classes not seen in training."""
        known = np.asarray(self.model.classes_, dtype=np.intp)
        if scores.shape[1] != len(known):
            raise DataError(
                f"the classifier gives {scores.shape[1]} columns of scores for {len(known)} classes"
            )
        columns = np.full((len(scores), self.n_classes), absent)
        columns[:, known] = scores
        return columns


@dataclass(frozen=True)
class MetricSpec:
    """A registered measure of predictions: of classes or, depending on `task`, of numbers or survival."""

    name: str
    aliases: tuple[str, ...]
    summary: str
    bounds: str = field(default="0 to 1", kw_only=True)
    higher_is_better: bool = field(default=True, kw_only=True)
    compute: Callable[[Predictions], float]
    task: str = "classification"


def _balanced_accuracy(made: Predictions) -> float:
    hit = made.classes == made.labels
    return float(np.mean([hit[made.labels == c].mean() for c in np.unique(made.labels)]))


def _mean_by_class(measure: Callable[[Any, Any], float], made: Predictions) -> float:
    """Mean of a measure of scores, each class against the rest."""
    scores, classes = made.scores, range(made.n_classes)
    return float(np.mean([measure(made.labels == c, scores[:, c]) for c in classes]))


def _roc_auc(made: Predictions) -> float:
    if made.n_classes == 2:
        return float(roc_auc_score(made.labels == 1, made.scores[:, 1]))
    return _mean_by_class(roc_auc_score, made)


def _average_precision(made: Predictions) -> float:
    if set(range(made.n_classes)) - set(made.labels.tolist()):
        raise DataError(
            "average precision needs test rows of every class, and a fold has none of one",
            Remedy("lower ", Param("n_folds"), ", or merge or drop the class"),
        )
    return _mean_by_class(average_precision_score, made)


def _log_loss(made: Predictions) -> float:
    probabilities = made.probabilities
    total = probabilities.sum(axis=1)
    of_truth = probabilities[np.arange(len(total)), made.labels] / total
    return float(-np.log(np.clip(of_truth, np.finfo(np.float64).eps, 1.0)).mean())


def _survival(outcome: Any) -> Survival:
    return Survival(outcome["time"], outcome["event"])


METRICS: Registry[MetricSpec] = Registry("metric")
METRICS.add(
    MetricSpec(
        "accuracy",
        ("acc",),
        "share of rows classified correctly",
        lambda made: float(np.mean(made.classes == made.labels)),
    ),
    MetricSpec(
        "balanced_accuracy",
        ("bacc",),
        "mean over classes of the share classified correctly",
        _balanced_accuracy,
    ),
    MetricSpec(
        "roc_auc",
        ("auc",),
        "area under the ROC curve; with several classes the mean of each against the rest",
        _roc_auc,
    ),
    MetricSpec(
        "matthews_correlation",
        ("mcc",),
        "correlation of true and predicted classes; 0 if all predictions are one class",
        lambda made: float(matthews_corrcoef(made.labels, made.classes)),
        bounds="-1 to 1",
    ),
    MetricSpec(
        "average_precision",
        ("pr_auc",),
        "area under the precision-recall curve (sum of precision by steps of recall), mean over the "
        "classes, each against the rest",
        _average_precision,
    ),
    MetricSpec(
        "log_loss",
        ("cross_entropy",),
        "mean of −ln(probability of the true class), in nats, smaller = better",
        _log_loss,
        bounds="0 to inf",
        higher_is_better=False,
    ),
    MetricSpec(
        "r2",
        ("r_squared",),
        "1 − residual over total sum of squares on the test rows; below 0 it is worse than their mean",
        lambda made: float(r2_score(made.labels, made.classes)),
        "regression",
        bounds="-inf to 1",
    ),
    MetricSpec(
        "mean_absolute_error",
        ("mae",),
        "mean absolute difference, in units of the target, smaller = better",
        lambda made: float(np.abs(made.labels - made.classes).mean()),
        "regression",
        bounds="0 to inf",
        higher_is_better=False,
    ),
    MetricSpec(
        "root_mean_squared_error",
        ("rmse",),
        "root of the mean squared difference, in units of the target, smaller = better",
        lambda made: float(np.sqrt(((made.labels - made.classes) ** 2).mean())),
        "regression",
        bounds="0 to inf",
        higher_is_better=False,
    ),
    MetricSpec(
        "concordance_index",
        ("c_index", "cindex", "harrell"),
        "share of comparable pairs of test rows that the predicted risk orders correctly; 0.5 by chance",
        lambda made: concordance_index(_survival(made.labels), made.classes),
        "survival",
    ),
    MetricSpec(
        "integrated_brier_score",
        ("ibs", "brier"),
        "mean squared error of the predicted survival over the times of the test rows, weighted by the "
        "censoring of the training rows, smaller = better",
        lambda made: integrated_brier_score(
            made.model, made.X, _survival(made.labels), _survival(made.trained)
        ),
        "survival",
        higher_is_better=False,
    ),
)


def read_metrics(metrics: Any, task: str = "classification") -> tuple[str, ...]:
    """Canonical names of the measures."""
    listed = [metrics] if isinstance(metrics, str) else check_list("metrics", metrics)
    names = tuple(METRICS.get(name).name for name in listed)
    if not names or len(set(names)) < len(names):
        raise ParameterError(Param("metrics"), " must be different and at least one", Got(metrics))
    for name in names:
        if METRICS.get(name).task != task:
            able = ", ".join(spec.name for spec in METRICS if spec.task == task)
            raise ParameterError(f"the metric {name!r} does not belong to a {task}; take of {able}")
    return names

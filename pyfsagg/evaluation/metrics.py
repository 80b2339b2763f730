"""Measures of predictions: of classes, of numbers (R² and errors) and of survival."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.registry import Registry
from pyfsagg._base.validation import check_list
from pyfsagg._message import Got, Param, Remedy
from pyfsagg._table.target import Survival
from pyfsagg.evaluation.survival import concordance_index, integrated_brier_score
from pyfsagg.exceptions import DataError, ParameterError


class Predictions:
    """What a fitted model says about test rows; each answer is asked for once."""

    def __init__(
        self,
        model: Any,
        X: NDArray[np.float64],
        labels: Any,
        n_classes: int,
        trained: Any = None,
    ) -> None:
        self.labels = labels
        self.n_classes = n_classes
        self.trained = trained
        self.model = model
        self.X = X
        self._answers: dict[str, Any] = {}

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
        found = self._ask("decision_function")
        if found.ndim == 1:
            found = np.column_stack([-found, found])
        return self._spread(found, -np.inf)

    def _spread(self, found: NDArray[Any], absent: float) -> NDArray[np.float64]:
        known = np.asarray(self.model.classes_, dtype=np.intp)
        if found.shape[1] != len(known):
            raise DataError(
                f"the classifier gives {found.shape[1]} columns of scores for {len(known)} classes"
            )
        columns = np.full((len(found), self.n_classes), absent)
        columns[:, known] = found
        return columns


@dataclass(frozen=True)
class MetricSpec:
    """A registered measure of predictions: of classes or, depending on `task`, of numbers or survival."""

    name: str
    aliases: tuple[str, ...]
    summary: str
    bounds: str
    higher_is_better: bool
    compute: Callable[[Predictions], float]
    task: str = "classification"


METRICS: Registry[MetricSpec] = Registry("metric")


def _accuracy(found: Predictions) -> float:
    return float(np.mean(found.classes == found.labels))


def _balanced_accuracy(found: Predictions) -> float:
    hit = found.classes == found.labels
    return float(np.mean([hit[found.labels == c].mean() for c in np.unique(found.labels)]))


def _roc_auc(found: Predictions) -> float:
    from sklearn.metrics import roc_auc_score

    scores = found.scores
    if found.n_classes == 2:
        return float(roc_auc_score(found.labels == 1, scores[:, 1]))
    return float(
        np.mean([roc_auc_score(found.labels == c, scores[:, c]) for c in range(found.n_classes)])
    )


def _average_precision(found: Predictions) -> float:
    from sklearn.metrics import average_precision_score

    scores, absent = found.scores, set(range(found.n_classes)) - set(found.labels.tolist())
    if absent:
        raise DataError(
            "average precision needs test rows of every class, and a fold has none of one",
            Remedy("lower ", Param("n_folds"), ", or merge or drop the class"),
        )
    return float(
        np.mean(
            [
                average_precision_score(found.labels == c, scores[:, c])
                for c in range(found.n_classes)
            ]
        )
    )


def _matthews_correlation(found: Predictions) -> float:
    from sklearn.metrics import matthews_corrcoef

    return float(matthews_corrcoef(found.labels, found.classes))


def _log_loss(found: Predictions) -> float:
    probabilities = found.probabilities
    total = probabilities.sum(axis=1)
    given = probabilities[np.arange(len(total)), found.labels] / total
    return float(-np.log(np.clip(given, np.finfo(np.float64).eps, 1.0)).mean())


def _r2(found: Predictions) -> float:
    from sklearn.metrics import r2_score

    return float(r2_score(found.labels, found.classes))


def _mean_absolute_error(found: Predictions) -> float:
    return float(np.abs(found.labels - found.classes).mean())


def _root_mean_squared_error(found: Predictions) -> float:
    return float(np.sqrt(((found.labels - found.classes) ** 2).mean()))


def _survival(outcome: Any) -> Survival:
    return Survival(outcome["time"], outcome["event"])


def _concordance_index(found: Predictions) -> float:
    return concordance_index(_survival(found.labels), found.classes)


def _integrated_brier_score(found: Predictions) -> float:
    test, trained = _survival(found.labels), _survival(found.trained)
    return integrated_brier_score(found.model, found.X, test, trained)


for spec in (
    MetricSpec(
        "accuracy", ("acc",), "share of rows classified correctly", "0 to 1", True, _accuracy
    ),
    MetricSpec(
        "balanced_accuracy",
        ("bacc",),
        "mean over classes of the share classified correctly",
        "0 to 1",
        True,
        _balanced_accuracy,
    ),
    MetricSpec(
        "roc_auc",
        ("auc",),
        "area under the ROC curve; with several classes the mean of each against the rest",
        "0 to 1",
        True,
        _roc_auc,
    ),
    MetricSpec(
        "matthews_correlation",
        ("mcc",),
        "correlation of true and predicted classes; 0 if all predictions are one class",
        "-1 to 1",
        True,
        _matthews_correlation,
    ),
    MetricSpec(
        "average_precision",
        ("pr_auc",),
        "area under the precision-recall curve (sum of precision by steps of recall), mean over the "
        "classes, each against the rest",
        "0 to 1",
        True,
        _average_precision,
    ),
    MetricSpec(
        "log_loss",
        ("cross_entropy",),
        "mean of −ln(probability of the true class), in nats, smaller = better",
        "0 to inf",
        False,
        _log_loss,
    ),
    MetricSpec(
        "r2",
        ("r_squared",),
        "1 − residual over total sum of squares on the test rows; below 0 it is worse than their mean",
        "-inf to 1",
        True,
        _r2,
        "regression",
    ),
    MetricSpec(
        "mean_absolute_error",
        ("mae",),
        "mean absolute difference, in units of the target, smaller = better",
        "0 to inf",
        False,
        _mean_absolute_error,
        "regression",
    ),
    MetricSpec(
        "root_mean_squared_error",
        ("rmse",),
        "root of the mean squared difference, in units of the target, smaller = better",
        "0 to inf",
        False,
        _root_mean_squared_error,
        "regression",
    ),
    MetricSpec(
        "concordance_index",
        ("c_index", "cindex", "harrell"),
        "share of comparable pairs of test rows that the predicted risk orders correctly; 0.5 by chance",
        "0 to 1",
        True,
        _concordance_index,
        "survival",
    ),
    MetricSpec(
        "integrated_brier_score",
        ("ibs", "brier"),
        "mean squared error of the predicted survival over the times of the test rows, weighted by the "
        "censoring of the training rows, smaller = better",
        "0 to 1",
        False,
        _integrated_brier_score,
        "survival",
    ),
):
    METRICS.add(spec)


def read_metrics(metrics: Any, task: str = "classification") -> tuple[str, ...]:
    """Canonical names of the measures."""
    given = [metrics] if isinstance(metrics, str) else check_list("metrics", metrics)
    names = tuple(METRICS.get(name).name for name in given)
    if not names or len(set(names)) < len(names):
        raise ParameterError(Param("metrics"), " must be different and at least one", Got(metrics))
    for name in names:
        if METRICS.get(name).task != task:
            able = ", ".join(spec.name for spec in METRICS if spec.task == task)
            raise ParameterError(f"the metric {name!r} does not belong to a {task}; take of {able}")
    return names

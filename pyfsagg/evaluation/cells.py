"""The computation: each learner on each set of features in each fold, once, and the thresholds."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import numbers
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.remarks import ALONE
from pyfsagg._base.validation import as_array, check_list, n_selected
from pyfsagg._message import Got, Param, Remedy
from pyfsagg._run.checkpoint import Checkpoint, Piece, resume_tasks
from pyfsagg._table.table import Table
from pyfsagg._table.target import Target
from pyfsagg.evaluation.learners import build_model
from pyfsagg.evaluation.metrics import METRICS, Predictions
from pyfsagg.evaluation.splits import Fold
from pyfsagg.exceptions import DataError, ParameterError

THESIS_THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True)
class Threshold:
    """A share of the features, and the number of features that it stands for."""

    share: float
    n_features: int


def read_thresholds(thresholds: Any, n_features: int) -> tuple[Threshold, ...]:
    """Fractions and counts as thresholds, ascending; a count becomes a share of the features."""
    given = _listed(thresholds)
    if not given:
        raise ParameterError(
            Param("thresholds"), " is empty", Remedy("name at least one, for instance 0.25")
        )
    found = []
    for value in given:
        size = n_selected(value, n_features, "thresholds")
        is_count = isinstance(value, numbers.Integral)
        found.append(Threshold(size / n_features if is_count else float(value), size))
    found.sort(key=lambda each: each.share)
    for one, other in itertools.pairwise(found):
        if one.share == other.share:
            raise ParameterError(
                Param("thresholds"),
                f" names {one.share:g} of the features twice",
                Remedy("give each once"),
            )
    return tuple(found)


def largest_count(thresholds: Any) -> int | None:
    """The largest threshold that is a number of features and not a fraction."""
    return max(
        (int(size) for size in _listed(thresholds) if isinstance(size, numbers.Integral)),
        default=None,
    )


def _listed(thresholds: Any) -> list[Any]:
    if isinstance(thresholds, numbers.Real):
        return [thresholds]
    return check_list("thresholds", thresholds)


def weighted_average_accuracy(
    accuracy: ArrayLike, thresholds: Sequence[float] = THESIS_THRESHOLDS
) -> NDArray[np.float64]:
    """Average over thresholds, weighted by the share of the features that are left out.

    WAcc = Σ W_i Acc_i / Σ W_i with W_i = 1 − k_i, so that the threshold at which all features are
    kept does not count.

    Parameters
    ----------
    accuracy : array of shape (..., n_thresholds)
        Accuracy, or any other measure, at each threshold; the last axis is averaged over.
    thresholds : sequence of float
        Shares k of the features that are kept, above 0 and at most 1; at least one below 1.

    Returns
    -------
    ndarray of shape (...)
        NaN where an accuracy with a positive weight is missing.

    Raises
    ------
    DataError
        If the numbers of accuracies and thresholds differ.

    Notes
    -----
    Source: thesis 4.1, equation 4.1.

    Examples
    --------
    >>> float(weighted_average_accuracy([0.6, 0.9, 0.7], [0.25, 0.5, 1.0]))  # (0.45 + 0.45) / 1.25
    0.72
    """
    values = as_array("accuracy", accuracy, np.float64)
    kept = as_array("thresholds", thresholds, np.float64)
    if kept.ndim != 1 or kept.size == 0 or not bool(((kept > 0.0) & (kept <= 1.0)).all()):
        raise ParameterError(
            Param("thresholds"),
            " must be shares of the features above 0 and at most 1",
            Got(thresholds),
        )
    if values.ndim == 0 or values.shape[-1] != kept.size:
        raise DataError(
            Param("accuracy"),
            f" must have one value for each of the {kept.size} thresholds along its last axis, ",
            f"got the shape {values.shape}",
        )
    counted = kept < 1.0
    if not counted.any():
        raise ParameterError(
            "all thresholds are 1 and have no weight; give at least one below 1, for instance 0.5"
        )
    weights = 1.0 - kept[counted]
    return np.asarray(values[..., counted] @ weights / weights.sum(), dtype=np.float64)


@dataclass(frozen=True)
class Fit:
    """One classifier, one fold, one set of features (ascending positions as bytes): the cache key.

    Whatever asks for the same fit (another method, threshold, draw or protocol) shares its outcome.
    """

    pool: str
    repeat: int
    fold: int
    classifier: str
    features: bytes

    @classmethod
    def of(cls, fold: Fold, classifier: str, features: NDArray[np.intp]) -> Fit:
        positions = np.sort(features).astype(np.int64)
        return cls(fold.pool, fold.repeat, fold.number, classifier, positions.tobytes())

    @property
    def positions(self) -> NDArray[np.intp]:
        return np.frombuffer(self.features, dtype=np.int64).astype(np.intp)

    @property
    def name(self) -> str:
        """What tells this fit from all others in a checkpoint."""
        digest = hashlib.sha256(self.classifier.encode() + b"\0" + self.features).hexdigest()[:32]
        return f"fit {self.pool} {self.repeat} {self.fold} {digest}"


@dataclass(frozen=True)
class Outcome:
    """Values by metric (NaN if failed), what went wrong by metric, and what was warned of."""

    values: Mapping[str, float]
    failures: Mapping[str, str]
    warning: str

    def piece(self) -> Piece:
        """As arrays, for a checkpoint."""
        said = json.dumps([dict(self.failures), self.warning])
        return {"values": np.array(list(self.values.values())), "said": np.array(said)}

    @classmethod
    def of(cls, piece: Piece, metrics: Sequence[str]) -> Outcome:
        failures, warning = json.loads(str(piece["said"]))
        return cls(dict(zip(metrics, piece["values"].tolist(), strict=True)), failures, warning)


@dataclass(frozen=True, eq=False)
class _Setting:
    """What all fits share."""

    folds: Mapping[tuple[str, int, int], Fold]
    table: Table
    target: Target
    classifiers: Mapping[str, Any]
    metrics: Sequence[str]
    seed: int


def fit_all(
    fits: Sequence[Fit],
    folds: Mapping[tuple[str, int, int], Fold],
    table: Table,
    target: Target,
    classifiers: Mapping[str, Any],
    metrics: Sequence[str],
    *,
    seed: int,
    n_jobs: int | None,
    done: Callable[[Fit], None],
    checkpoint: Checkpoint | None = None,
) -> dict[Fit, Outcome]:
    """Outcomes of all fits; neither the number of workers nor the order has an influence on them.

    Most of the time of small classifiers is spent in Python, where threads wait for each other, so
    the workers are processes.
    """
    setting = _Setting(folds, table, target, classifiers, metrics, seed)
    keys = [fit.name for fit in fits]
    pieces = resume_tasks(checkpoint, keys, _fit_alone, setting, fits, n_jobs=n_jobs, threads=False)
    outcomes: dict[Fit, Outcome] = {}
    for fit, piece in zip(fits, pieces, strict=True):
        outcomes[fit] = Outcome.of(piece, metrics)
        done(fit)
    return outcomes


def _fit_alone(setting: _Setting, fit: Fit) -> Piece:
    fold = setting.folds[fit.pool, fit.repeat, fit.fold]
    return fit_one(
        setting.table,
        setting.target,
        fit.positions,
        fold,
        setting.classifiers[fit.classifier],
        setting.metrics,
        fold.seed(setting.seed),
    ).piece()


def fit_one(
    table: Table,
    target: Target,
    features: NDArray[np.intp],
    fold: Fold,
    item: Any,
    metrics: Sequence[str],
    seed: int,
) -> Outcome:
    """Fit a classifier to the training rows of a fold and measure it on the test rows.

    Whatever a classifier raises is its outcome; the other fits go on.
    """
    own = table.take(features)
    values = dict.fromkeys(metrics, math.nan)
    failures: dict[str, str] = {}
    # Warnings can be told apart by fit only where one fit runs at a time in a process.
    with ALONE, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = build_model(item, own, seed)
            model.fit(own.values[fold.train], target.outcome[fold.train])
            found = Predictions(
                model,
                own.values[fold.test],
                target.outcome[fold.test],
                target.n_classes,
                target.outcome[fold.train],
            )
        except Exception as error:
            return Outcome(values, dict.fromkeys(metrics, _message(error)), _warned(caught))
        for name in metrics:
            try:
                values[name] = METRICS.get(name).compute(found)
            except Exception as error:
                failures[name] = _message(error)
            else:
                if not math.isfinite(values[name]):
                    failures[name] = f"{name} is {values[name]}"
                    values[name] = math.nan
    return Outcome(values, failures, _warned(caught))


def _message(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def _warned(caught: Sequence[warnings.WarningMessage]) -> str:
    """The first line of each different warning."""
    texts = (str(each.message).strip().splitlines() for each in caught)
    return "; ".join(dict.fromkeys(lines[0] for lines in texts if lines))

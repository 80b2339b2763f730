"""The computation: each classifier on each different set of features in each fold, once."""

from __future__ import annotations

import hashlib
import json
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.remarks import ALONE
from pyfsagg._run.checkpoint import Checkpoint, Piece, resume_tasks
from pyfsagg._table.table import Table
from pyfsagg._table.target import Target
from pyfsagg.evaluation.classifiers import build_model
from pyfsagg.evaluation.metrics import METRICS, Predictions
from pyfsagg.evaluation.splits import Fold

__all__ = ["Fit", "Outcome", "fit_all"]


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

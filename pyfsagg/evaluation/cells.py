"""The computation: each learner on each set of features in each fold, once, and the thresholds."""

from __future__ import annotations

import itertools
import json
import math
import numbers
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.digest import digest
from pyfsagg._base.remarks import ALONE
from pyfsagg._base.validation import as_array, check_list, n_selected
from pyfsagg._message import Got, Param, Remedy
from pyfsagg._run.checkpoint import Checkpoint, Piece, resume_tasks
from pyfsagg._table.table import Table
from pyfsagg._table.target import Target
from pyfsagg.evaluation.learners import build_model
from pyfsagg.evaluation.metrics import LARGER_FOLDS, METRICS, Predictions
from pyfsagg.evaluation.protocol import PROTOCOLS, Protocol
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.resampling.plan import canonical_order

Rows = NDArray[np.intp]
POOLS = ("rest", "all")


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows that train and that test; protocols that divide the same rows (`pool`) share folds and fits."""

    pool: str
    repeat: int
    number: int
    train: Rows
    test: Rows

    def seed(self, seed: int) -> int:
        """A seed for the classifiers of this fold, the same for all of them."""
        return _seed(seed, (3, POOLS.index(self.pool), self.repeat, self.number)) % 2**32


@dataclass(frozen=True, eq=False)
class SplitPart:
    """Rows on which features are ranked, and the folds in which that ranking is used."""

    protocol: str
    repeat: int
    rank_rows: Rows
    folds: tuple[Fold, ...]

    def seed(self, seed: int) -> int:
        """A seed for the ranking, the same for all methods."""
        inside = self.folds[0].number if self.protocol == "nested" else 0
        return _seed(seed, (4, list(PROTOCOLS).index(self.protocol), self.repeat, inside))


def _seed(seed: int, key: tuple[int, ...]) -> int:
    return int(np.random.SeedSequence(seed, spawn_key=key).generate_state(1, np.uint64)[0]) >> 1


def read_ranking_rows(ranking_rows: Any, n_samples: int) -> Rows:
    """Positions of the rows that were used for given rankings, from a mask or positions."""
    array = as_array("ranking_rows", ranking_rows)
    if array.ndim == 1 and array.dtype == np.bool_ and array.size == n_samples:
        rows = np.flatnonzero(array)
    elif array.ndim == 1 and array.dtype.kind in "iu" and array.size:
        rows = np.unique(array).astype(np.intp)
        if rows.size < array.size or rows[0] < 0 or rows[-1] >= n_samples:
            must = f" must be different positions from 0 to {n_samples - 1}"
            positions = f", got {array.size} positions from {array.min()} to {array.max()}"
            raise ParameterError(Param("ranking_rows"), must, positions)
    else:
        must = f" must be a boolean mask of {n_samples} rows or a list of row positions"
        raise ParameterError(Param("ranking_rows"), must, Got(ranking_rows))
    if not 0 < rows.size < n_samples:
        rest = f" of {n_samples} rows; some are needed, and others must be left to test on"
        raise ParameterError(Param("ranking_rows"), f" contains {rows.size}", rest)
    return rows


def read_row_groups(groups: Any, n_samples: int) -> NDArray[np.intp] | None:
    """Codes of the groups by row."""
    if groups is None:
        return None
    series = pd.Series(as_array("groups", groups).ravel())
    if len(series) != n_samples:
        raise ParameterError(
            Param("groups"), f" has {len(series)} entries for {n_samples} samples of ", Param("X")
        )
    if series.isna().any():
        raise ParameterError(Param("groups"), " has missing entries; every row needs a group")
    return np.unique(series.astype(str), return_inverse=True)[1].astype(np.intp)


def draw_parts(
    table: Table,
    target: Target,
    protocol: Protocol,
    seed: int,
    ranking_rows: Rows | None = None,
    groups: NDArray[np.intp] | None = None,
) -> list[SplitPart]:
    """All parts of all protocols, which depend on the contents of the rows, not on their order."""
    protocols, order = protocol.names_given, canonical_order(table, target, groups)
    divided = (target, protocol.n_folds, seed, groups)
    parts = []
    for repeat in range(protocol.n_repeats):
        if "thesis" in protocols:
            draw = _seed(seed, (5, repeat))
            if ranking_rows is not None:
                tested = ~np.isin(order, ranking_rows)
            else:
                tested = _tested(order, target, protocol.test_size, draw, groups)
            folds = _folds(order[tested], *divided, "rest", repeat)
            parts.append(SplitPart("thesis", repeat, order[~tested], folds))
        if "nested" in protocols or "leaky" in protocols:
            folds = _folds(order, *divided, "all", repeat)
            if "nested" in protocols:
                parts += [SplitPart("nested", repeat, fold.train, (fold,)) for fold in folds]
            if "leaky" in protocols:
                parts.append(SplitPart("leaky", repeat, order, folds))
    return parts


def _check_classes(
    target: Target, rows: Rows, n_folds: int, where: str, groups: NDArray[np.intp] | None
) -> None:
    counts = np.bincount(target.strata[rows], minlength=target.n_strata)
    n_groups = n_folds if groups is None else np.unique(groups[rows]).size
    few, what, merge = f"fewer than the {n_folds} folds", "", ""
    if n_groups < n_folds:
        what = f"there are {n_groups} group(s)"
    elif target.kind == "numeric":  # its bins only spread the folds over its range
        if rows.size < 2 * n_folds:
            what, few = (
                f"there are {rows.size} rows",
                f"fewer than two for each of the {n_folds} folds",
            )
    elif target.kind == "survival":
        if counts[1] < n_folds:
            what = f"there are {counts[1]} event(s)"
    elif counts.min() < n_folds:
        what = f"the class {target.classes[counts.argmin()]!r} has {counts.min()} row(s)"
        merge = ", or merge or drop the class"
    if what:
        raise DataError(f"{what} in {where}, {few}", LARGER_FOLDS, merge)


def _tested(
    order: Rows, target: Target, test_size: float, seed: int, groups: NDArray[np.intp] | None
) -> NDArray[np.bool_]:
    """Which rows are tested on, of each class the same share; the others rank."""
    tested = np.zeros(order.size, dtype=np.bool_)
    if groups is not None:
        from sklearn.model_selection import GroupShuffleSplit

        splitter = GroupShuffleSplit(1, test_size=test_size, random_state=seed % 2**32)
        tested[next(splitter.split(order, groups=groups[order]))[1]] = True
        return tested
    rng, codes = np.random.default_rng(seed), target.strata[order]
    for c in range(target.n_strata):
        members = rng.permutation(np.flatnonzero(codes == c))
        # A class is in both parts, however small it is, unless it has one row only.
        size = min(max(1, round(test_size * members.size)), members.size - 1)
        tested[members[:size]] = True
    return tested


def _folds(
    rows: Rows,
    target: Target,
    n_folds: int,
    seed: int,
    groups: NDArray[np.intp] | None,
    pool: str,
    repeat: int,
) -> tuple[Fold, ...]:
    """Stratified folds: the rows of a class are dealt out in turn, in random order; groups stay whole."""
    wheres = ("the part of the rows that classifiers are tested on", "the table")
    _check_classes(target, rows, n_folds, wheres[POOLS.index(pool)], groups)
    seed = _seed(seed, (6, POOLS.index(pool), repeat))
    codes = target.strata[rows]
    fold_of = np.empty(rows.size, dtype=np.intp)
    if groups is None:
        rng = np.random.default_rng(seed)
        dealt = np.concatenate(
            [rng.permutation(np.flatnonzero(codes == c)) for c in range(target.n_strata)]
        )
        fold_of[dealt] = np.arange(rows.size) % n_folds
    else:
        from sklearn.model_selection import StratifiedGroupKFold

        splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed % 2**32)
        with ALONE, warnings.catch_warnings():
            # Classes smaller than the folds were refused, bins of a number may be.
            warnings.filterwarnings(
                "ignore", message="The least populated class", category=UserWarning
            )
            for number, (_, test) in enumerate(splitter.split(rows, codes, groups[rows])):
                fold_of[test] = number
    return tuple(
        Fold(pool, repeat, number, rows[fold_of != number], rows[fold_of == number])
        for number in range(n_folds)
    )


def take_rows(table: Table, target: Target, rows: Rows) -> tuple[Table, Target]:
    """The table and target with the rows at these positions."""
    return table.take_rows(rows), target.take(rows)


THESIS_THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


class Threshold(NamedTuple):
    """A share of the features, and the corresponding number."""

    share: float
    n_features: int


def read_thresholds(n_features_to_select: Any, n_features: int) -> tuple[Threshold, ...]:
    """Fractions and counts as thresholds, ascending; a count becomes a share of the features."""
    values = _listed(n_features_to_select)
    if not values:
        raise ParameterError(
            Param("n_features_to_select"),
            " is empty",
            Remedy("name at least one, for instance 0.25"),
        )
    sizes = []
    for value in values:
        size = n_selected(value, n_features, "n_features_to_select")
        is_count = isinstance(value, numbers.Integral)
        sizes.append(Threshold(size / n_features if is_count else float(value), size))
    sizes.sort(key=lambda size: size.share)
    for one, other in itertools.pairwise(sizes):
        if one.share == other.share:
            twice = f" names {one.share:g} of the features twice"
            raise ParameterError(Param("n_features_to_select"), twice, Remedy("give each once"))
    return tuple(sizes)


def largest_count(n_features_to_select: Any) -> int | None:
    """The largest entry that is a number of features and not a fraction."""
    return max(
        (int(size) for size in _listed(n_features_to_select) if isinstance(size, numbers.Integral)),
        default=None,
    )


def _listed(sizes: Any) -> list[Any]:
    if isinstance(sizes, numbers.Real):
        return [sizes]
    return check_list("n_features_to_select", sizes)


def weighted_average_accuracy(
    accuracy: ArrayLike, thresholds: Sequence[float] = THESIS_THRESHOLDS
) -> NDArray[np.float64]:
    """Average over thresholds, weighted by the share of the features that are omitted.

    WAcc = Σ W_i Acc_i / Σ W_i with W_i = 1 − k_i, so the threshold at which all features are
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

    Notes
    -----
    Source: thesis 4.1, equation 4.1.

    Examples
    --------
    >>> float(weighted_average_accuracy([0.6, 0.9, 0.7], [0.25, 0.5, 1.0]))  # (0.45 + 0.45) / 1.25
    0.72
    """
    values = as_array("accuracy", accuracy, np.float64)
    shares = as_array("thresholds", thresholds, np.float64)
    if shares.ndim != 1 or shares.size == 0 or not bool(((shares > 0.0) & (shares <= 1.0)).all()):
        must = " must be shares of the features above 0 and at most 1"
        raise ParameterError(Param("thresholds"), must, Got(thresholds))
    if values.ndim == 0 or values.shape[-1] != shares.size:
        must = f" must have one value for each of the {shares.size} thresholds along its last axis"
        raise DataError(Param("accuracy"), must, f", got the shape {values.shape}")
    counted = shares < 1.0
    if not counted.any():
        raise ParameterError(
            "all thresholds are 1 and have no weight; give at least one below 1, for instance 0.5"
        )
    weights = 1.0 - shares[counted]
    return np.asarray(values[..., counted] @ weights / weights.sum(), dtype=np.float64)


@dataclass(frozen=True)
class Fit:
    """One classifier, fold and set of features (ascending positions as bytes): the key of the cache."""

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
        """The key of this fit in a checkpoint."""
        key = digest([self.classifier, ""], self.features)[:32]
        return f"fit {self.pool} {self.repeat} {self.fold} {key}"


@dataclass(frozen=True)
class Outcome:
    """Values by metric (NaN if failed), errors by metric, and warnings."""

    values: Mapping[str, float]
    failures: Mapping[str, str]
    warning: str


@dataclass(frozen=True, eq=False)
class FitWork:
    """What all fits share; `folds` are by pool, repeat and number."""

    folds: Mapping[tuple[str, int, int], Fold]
    table: Table
    target: Target
    classifiers: Mapping[str, Any]
    metrics: Sequence[str]
    seed: int


def fit_all(
    fits: Sequence[Fit],
    work: FitWork,
    *,
    n_jobs: int | None,
    done: Callable[[Fit], None],
    checkpoint: Checkpoint | None = None,
) -> dict[Fit, Outcome]:
    """Outcomes of all fits, by processes: small classifiers work in Python, where threads wait."""
    keys = [fit.name for fit in fits]
    pieces = resume_tasks(checkpoint, keys, fit_one, work, fits, n_jobs=n_jobs, threads=False)
    outcomes: dict[Fit, Outcome] = {}
    for fit, piece in zip(fits, pieces, strict=True):
        values = dict(zip(work.metrics, piece["values"].tolist(), strict=True))
        outcomes[fit] = Outcome(values, *json.loads(str(piece["said"])))
        done(fit)
    return outcomes


def fit_one(work: FitWork, fit: Fit) -> Piece:
    """Fit a classifier to the training rows of a fold: its values, and what went wrong or was warned of."""
    fold, target = work.folds[fit.pool, fit.repeat, fit.fold], work.target
    part, _ = target.always_first(work.table.take(fit.positions))
    values = dict.fromkeys(work.metrics, math.nan)
    failures: dict[str, str] = {}
    # Warnings can be distinguished by fit only where one fit runs at a time in a process.
    with ALONE, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = build_model(work.classifiers[fit.classifier], part, fold.seed(work.seed))
            train, test = target.outcome[fold.train], target.outcome[fold.test]
            model.fit(part.values[fold.train], train)
            made = Predictions(model, part.values[fold.test], test, target.n_classes, train)
        except Exception as error:
            failures = dict.fromkeys(work.metrics, _message(error))
        for name in [name for name in work.metrics if name not in failures]:
            try:
                value = METRICS.get(name).compute(made)
            except Exception as error:
                failures[name] = _message(error)
            else:
                if math.isfinite(value):
                    values[name] = value
                else:
                    failures[name] = f"{name} is {value}"
    texts = (str(warning.message).strip().splitlines() for warning in caught)
    warning = "; ".join(dict.fromkeys(lines[0] for lines in texts if lines))
    said = np.array(json.dumps([failures, warning]))
    return {"values": np.array(list(values.values())), "said": said}


def _message(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__

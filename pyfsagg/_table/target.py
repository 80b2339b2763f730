"""The boundary for targets: classes, numbers, times or nothing become a :class:`Target`, once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.checks import (
    as_array,
    check_choice,
    check_integer,
    check_writable_names,
    writable_text,
)
from pyfsagg._base.task import TASKS
from pyfsagg._base.types import Floats
from pyfsagg._table.frames import pandas_frame, pandas_series
from pyfsagg._table.survival import Survival, read_survival
from pyfsagg.exceptions import DataError

__all__ = ["Target", "check_target"]


@dataclass(frozen=True, eq=False)
class Target:
    """What the features are to explain: classes, a number, the time until an event, or nothing.

    Attributes
    ----------
    codes : ndarray of int32, shape (n_samples,)
        Index into the sorted `classes`; for a numeric target into its bins, which stand in where
        classes are needed (entropy filters, stratified plans), and for survival into those of its
        martingale residuals; 0 without a target.
    classes : tuple
        Labels, or the ranges of the bins; empty without a target.
    name : str
    values : ndarray of float64, shape (n_samples,), optional
        The numbers of a numeric target.
    survival : Survival, optional
        The times until an event, and whether it was seen.
    """

    codes: NDArray[np.int32]
    classes: tuple[Any, ...]
    name: str = "target"
    values: Floats | None = None
    survival: Survival | None = None

    @property
    def kind(self) -> str:
        """``"classes"``, ``"numeric"``, ``"survival"`` or ``"none"``."""
        if self.values is not None:
            return "numeric"
        if self.survival is not None:
            return "survival"
        return "classes" if self.classes else "none"

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @property
    def class_counts(self) -> dict[str, int]:
        """Samples per class; empty for a target of another kind."""
        if self.kind != "classes":
            return {}
        counts = np.bincount(self.codes, minlength=self.n_classes).tolist()
        return dict(zip(map(str, self.classes), counts, strict=True))

    @property
    def event_count(self) -> dict[str, int]:
        """``n_events``, the rows whose event was seen; empty for a target of another kind."""
        return {} if self.survival is None else {"n_events": int(self.survival.event.sum())}

    @property
    def parts(self) -> tuple[NDArray[Any], ...]:
        """The arrays (n_samples,) that say what the target of a row is."""
        if self.survival is not None:
            return (self.survival.time, self.survival.event)
        return (self.codes if self.values is None else self.values,)

    @property
    def strata(self) -> NDArray[np.int32]:
        """What plans and folds divide alike (n_samples,): classes, bins, or whether there was an event."""
        return self.codes if self.survival is None else self.survival.event.astype(np.int32)

    @property
    def strata_names(self) -> tuple[Any, ...]:
        """What the codes in `strata` mean."""
        return self.classes if self.survival is None else ("censored", "event")

    @property
    def n_strata(self) -> int:
        return len(self.strata_names)

    @property
    def outcome(self) -> NDArray[Any]:
        """What models are trained to predict (n_samples,): class codes, numbers, or events with times."""
        if self.survival is not None:
            return self.survival.structured()
        return self.codes if self.values is None else self.values

    def numbers(self, weights: NDArray[np.uint16]) -> Floats:
        """What filters of a numeric target explain: (1, n_samples), or one row per resample (b, n_samples).

        For survival the martingale residuals of the Cox model without features, in each resample.

        Raises
        ------
        DataError
            For classes, or without a target.
        """
        if self.survival is not None:
            return self.survival.residuals(weights)
        if self.values is None:
            raise DataError(f"the target {self.name!r} is not a number, which this filter needs")
        return self.values[np.newaxis]

    def take(self, rows: NDArray[np.intp]) -> Target:
        """The target of the samples at positions `rows`."""
        values = None if self.values is None else self.values[rows]
        survival = None if self.survival is None else self.survival.take(rows)
        return replace(self, codes=self.codes[rows], values=values, survival=survival)

    def answers(self, codes: NDArray[np.int32]) -> NDArray[Any] | None:
        """What a model is to predict: the classes of `codes`, numbers, events with times, or None."""
        if self.kind == "none":
            return None
        return np.array(self.classes)[codes] if self.kind == "classes" else self.outcome


def check_target(
    y: ArrayLike | Any,
    n_samples: int,
    *,
    min_per_class: float = 4.0,
    task: str = "classification",
    bins: int = 5,
    optional: bool = False,
) -> Target:
    """Turn class labels, numbers, or times and events into a :class:`Target`; classes are sorted.

    Parameters
    ----------
    min_per_class : float
        Samples per class, on average, below which a target counts as numeric or an identifier.
    task : {"classification", "regression", "survival"}
        Whether `y` holds class labels, numbers, or times and events.
    bins : int
        Bins of (nearly) equal size of a numeric target, or of martingale residuals.
    optional : bool
        Whether `y` may be None: a target of the kind ``"none"``.

    Raises
    ------
    DataError
        If `y` has the wrong length, missing values, one value only, more classes than
        `min_per_class` allows, or words where numbers are needed.
    """
    if isinstance(y, Target):
        return y
    check_choice("task", task, TASKS)
    check_integer("target_bins", bins, low=2)
    if y is None:
        if optional:
            return Target(np.zeros(n_samples, dtype=np.int32), (), "")
        raise DataError("requires y to be passed, but the target y is None")
    if task == "survival":
        return _survival_target(y, n_samples, bins)
    label = str(getattr(y, "name", None) or "target")
    y = pandas_series(pandas_frame(y))
    with writable_text(f"in the target {label!r}"):
        series = y if isinstance(y, pd.Series) else pd.Series(_one_dimensional(y))
    _check_length(len(series), n_samples)
    missing = int(series.isna().sum())
    if missing == n_samples:
        raise DataError(f"the target {label!r} is missing in every row")
    if missing:
        raise DataError(
            f"the target {label!r} is missing (NaN) in {missing} of {n_samples} rows; drop these rows "
            "first"
        )
    array = series.to_numpy()
    if array.dtype.kind == "f" and np.isinf(array).any():
        raise DataError(f"the target {label!r} has infinite values (inf)")
    if task == "regression":
        return _numeric_target(array, label, bins)
    if array.dtype.kind not in "fiub" and not isinstance(series.dtype, pd.CategoricalDtype):
        array = _as_words(array, label)
    return _class_target(array, label, min_per_class)


def _check_length(given: int, n_samples: int) -> None:
    if given != n_samples:
        raise DataError(f"y has {given} labels for {n_samples} samples of X: inconsistent lengths")


def _as_words(array: NDArray[Any], label: str) -> NDArray[Any]:
    """Labels as words, refused where two different ones would be one word."""
    words = array.astype(str)
    if array.dtype.kind == "O":
        seen: dict[str, Any] = {}
        for value, word in zip(array.tolist(), words.tolist(), strict=True):
            other = seen.setdefault(word, value)
            if other is not value and type(other) is not type(value) and other != value:
                raise DataError(
                    f"the target {label!r} has the labels {other!r} and {value!r}, which are different "
                    "and read alike; write them as one type"
                )
    return words


def _class_target(array: NDArray[Any], label: str, min_per_class: float) -> Target:
    """A target of classes, refused if it is none."""
    n_samples = len(array)
    classes, codes = np.unique(np.asarray(array), return_inverse=True)
    if len(classes) < 2:
        raise DataError(
            f"the target {label!r} has one class only ({classes.tolist()[0]!r}); at least two are needed"
        )
    if len(classes) > max(2, n_samples / min_per_class):
        share = "a quarter" if min_per_class == 4.0 else f"{1.0 / min_per_class:.0%}"
        raise DataError(
            f"the target {label!r} has {len(classes)} different values in {n_samples} samples, more than "
            f"{share}: Unknown label type: continuous, or an identifier. Bin it into classes first, or "
            "say task='regression' if it is a number to be predicted"
        )
    check_writable_names([str(name) for name in classes.tolist()], "a class")
    return Target(codes.astype(np.int32), tuple(classes.tolist()), label)


def _numeric_target(array: NDArray[Any], label: str, bins: int) -> Target:
    """Numbers with their bins, cut at quantiles; equal numbers are in one bin."""
    if array.dtype.kind not in "fiub":
        raise DataError(
            f"the target {label!r} holds {array.dtype} values: Unknown label type; task='regression' needs "
            "numbers, as of y.astype(float)"
        )
    values = array.astype(np.float64)
    if (values == values[0]).all():
        raise DataError(
            f"the target {label!r} is constant ({values[0]:g}); there is nothing to explain"
        )
    return Target(*_binned(values, bins), label, values)


def _survival_target(y: Any, n_samples: int, bins: int) -> Target:
    """Times and events, with bins of the martingale residuals of the rows as they are."""
    survival, label = read_survival(y)
    _check_length(len(survival.time), n_samples)
    residuals = survival.residuals(np.ones((1, n_samples), dtype=np.uint16))[0]
    return Target(*_binned(residuals, bins), label, survival=survival)


def _binned(values: Floats, bins: int) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Codes and ranges of bins that are cut at quantiles; equal numbers are in one bin."""
    cuts = np.unique(np.quantile(values, np.arange(1, bins) / bins))
    codes = np.searchsorted(cuts, values, side="left")
    present, codes = np.unique(codes, return_inverse=True)
    if len(present) < 2:  # nearly all values are equal
        codes, cuts = (values > values.min()).astype(np.intp), np.array([values.min()])
        present = np.arange(2)
    edges = ["-inf", *(f"{cut:g}" for cut in cuts), "inf"]
    ranges = tuple(f"({edges[k]}, {edges[k + 1]}]" for k in present)
    return codes.astype(np.int32), ranges


def _one_dimensional(y: ArrayLike) -> NDArray[Any]:
    array = as_array("y", y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise DataError(
            f"y must have one dimension (n_samples,), got an array of shape {array.shape}"
        )
    return array

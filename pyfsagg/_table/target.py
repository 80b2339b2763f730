"""Targets: classes, numbers, survival times or nothing become a Target, once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base import validation
from pyfsagg._base.arithmetic import Booleans, Floats
from pyfsagg._base.remarks import warn
from pyfsagg._base.settings import TASKS, Task
from pyfsagg._base.words import plural
from pyfsagg._message import FALSE, INF, NAN, NONE, TRUE, Got, Param, Phrase, Public, Remedy, Use
from pyfsagg._table.frames import frame_of_array, pandas_frame, pandas_series
from pyfsagg._table.table import Adjusters, T, Table, set_apart
from pyfsagg.exceptions import DataError

TIES = ("efron", "breslow")  # treatment of events at the same time
_SHAPES = (
    "give two columns, time and event, or a structured array with these fields, such as "
    "scikit-survival's Surv"
)


@dataclass(frozen=True, eq=False)
class Survival:
    """Right-censored times from 0 on: until the event or, where none was seen, the last observation."""

    time: Floats
    event: Booleans

    def take(self, rows: NDArray[np.intp]) -> Survival:
        """Those of the samples at positions `rows`."""
        return Survival(self.time[rows], self.event[rows])

    def structured(self) -> NDArray[Any]:
        """As models take it: an array (n_samples,) with the fields ``event`` and ``time``."""
        fields = np.empty(len(self.time), dtype=[("event", np.bool_), ("time", np.float64)])
        fields["event"], fields["time"] = self.event, self.time
        return fields

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """Rows by ascending time."""
        return np.argsort(self.time, kind="stable")

    @cached_property
    def start(self) -> NDArray[np.intp]:
        """Where in `order` each distinct time begins."""
        time = self.time[self.order]
        return np.flatnonzero(np.r_[True, time[1:] > time[:-1]])

    def at_each_time(self, weights: NDArray[np.uint16]) -> tuple[Floats, Floats]:
        """Events, and rows at risk, at each distinct time: each (b, n_times), rows by their weights."""
        ordered = weights[:, self.order].astype(np.float64)
        events = np.add.reduceat(ordered * self.event[self.order], self.start, axis=1)
        leaving = np.add.reduceat(ordered, self.start, axis=1)
        return events, np.cumsum(leaving[:, ::-1], axis=1)[:, ::-1]

    def residuals(self, weights: NDArray[np.uint16], ties: str = "efron") -> Floats:
        """Martingale residuals (b, n_samples) of the Cox model without features: events minus expected
        ones, with rows counted by weights; equal for equal times and events."""
        events, at_risk = self.at_each_time(weights)
        hazard, of_events = np.zeros_like(events), np.zeros_like(events)
        if ties == "breslow":
            np.divide(events, at_risk, out=hazard, where=events > 0)
            of_events = hazard
        else:  # the k-th of d events at a time has left the risk set to the share k / d for the others
            for k in range(int(events.max(initial=0.0))):
                again = events > k
                share = np.divide(1.0, at_risk - k, out=np.zeros_like(events), where=again)
                hazard += share
                of_events += share * (1.0 - np.divide(k, events, out=share * 0.0, where=again))
        until = np.cumsum(hazard, axis=1)
        before = np.hstack([np.zeros((len(until), 1)), until[:, :-1]])
        length = np.diff(np.r_[self.start, len(self.time)])
        place = np.empty(len(self.time), dtype=np.intp)
        place[self.order] = np.repeat(np.arange(len(self.start)), length)
        return np.asarray(
            np.where(self.event, 1.0 - (before + of_events)[:, place], -until[:, place])
        )


def read_survival(y: Any) -> tuple[Survival, str]:
    """Times and events from two columns or a structured array, and what they are called."""
    columns = _columns(pandas_frame(y))
    label = ", ".join(map(str, columns))
    survival = Survival(_times(columns.iloc[:, 0]), _events(columns.iloc[:, 1]))
    first = survival.time[survival.event].min()
    later = survival.time > first
    if not (later | (~survival.event & (survival.time == first))).any():
        raise DataError(
            f"no row of {label!r} is known to outlive another one; there is nothing to explain"
        )
    return survival, label


def _columns(y: Any) -> pd.DataFrame:
    """Time and event."""
    if isinstance(y, tuple) and len(y) == 2 and np.ndim(y[0]) == 1 and len(y[0]) == len(y[1]):
        y = pd.DataFrame({"time": np.asarray(y[0]), "event": np.asarray(y[1])})
    array = None if isinstance(y, pd.DataFrame) else validation.as_array("y", y)
    if array is None:
        frame: pd.DataFrame = y
    elif array.dtype.names:  # the time is first, by whichever of two fields is boolean
        fields = list(array.dtype.names)
        booleans = [name for name in fields if array.dtype[name].kind == "b"]
        if len(fields) == 2 and len(booleans) == 1:
            fields.sort(key=booleans.__contains__)
        frame = pd.DataFrame({name: array[name] for name in fields})
    elif array.ndim == 2:
        names = ["time", "event"] if array.shape[1] == 2 else None
        frame = frame_of_array(array, columns=names)
    else:
        raise DataError(
            f"a survival target has times and events, and y has the shape {array.shape}; {_SHAPES}"
        )
    if frame.shape[1] == 3:
        raise DataError(
            Param("y"),
            " has three columns: late entry (left truncation) and intervals are not supported; ",
            f"{_SHAPES} of right-censored times",
        )
    if frame.shape[1] != 2:
        raise DataError(f"a survival target has two columns, and y has {frame.shape[1]}; {_SHAPES}")
    if _is_indicator(frame.iloc[:, 0]) and not _is_indicator(frame.iloc[:, 1]):
        raise DataError(
            f"the first column of y, {str(frame.columns[0])!r}, contains 0 and 1 only, and the second does "
            "not: the time comes first, then the event; exchange them"
        )
    return frame


def _is_indicator(column: pd.Series[Any]) -> bool:
    known = column.dropna()
    return bool(len(known)) and (
        pd.api.types.is_bool_dtype(known)
        or (pd.api.types.is_numeric_dtype(known) and bool(known.isin([0, 1]).all()))
    )


def _refuse_missing(column: pd.Series[Any], what: str) -> None:
    missing = int(column.isna().sum())
    if missing:
        raise DataError(
            f"the {what} is missing (",
            NAN,
            f") in {missing} of {len(column)} rows",
            Remedy("drop these rows first"),
        )


def _times(column: pd.Series[Any]) -> Floats:
    name = str(column.name)
    _refuse_missing(column, f"time {name!r}")
    try:
        if pd.api.types.is_bool_dtype(column):
            raise TypeError
        time: Floats = np.asarray(column.astype(np.float64), dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError(
            f"the time {name!r} contains {column.dtype} values; times must be numbers, such as days since "
            "the start of the observation"
        ) from None
    if np.isinf(time).any():
        raise DataError(f"the time {name!r} has infinite values", INF)
    low = time.min(initial=np.inf)
    if low < 0.0:
        count = int((time < 0.0).sum())
        raise DataError(
            f"the time {name!r} is negative in {plural(count, 'row')} (the smallest is {low:g}); times run "
            "from the start of the observation: drop these rows, or count from an earlier start"
        )
    return time


def _events(column: pd.Series[Any]) -> Booleans:
    name = str(column.name)
    _refuse_missing(column, f"event {name!r}")
    if coded_as_in_r(column):
        warn(
            f"the event {name!r} contains 1 and 2: as in R's Surv(), 1 means censored and 2 the event",
            stacklevel=2,
        )
        return (column == 2).to_numpy(dtype=np.bool_)
    values = pd.unique(column).tolist()
    if not all(isinstance(value, (bool, np.bool_)) or value in (0, 1) for value in values):
        shown = ", ".join(sorted(map(repr, values))[:5])
        raise DataError(
            *(f"the event {name!r} must be 0 (censored) or 1 (event), or ", FALSE, " and ", TRUE),
            f", got {shown}. Say which value is the event, for instance ",
            Phrase("event", f"y[{name!r}] == 2", column=name, value=2),
            ", so all others count as censored; several kinds of events and interval ",
            "censoring are not supported",
        )
    event = column.to_numpy().astype(np.bool_)
    if not event.any():
        raise DataError(
            f"every row is censored: {name!r} has no event (1), so there is nothing to explain"
        )
    return event


def coded_as_in_r(event: pd.Series[Any]) -> bool:
    """Whether the events are 1 (censored) and 2 (event), as R's ``Surv()`` takes numbers up to 2."""
    known = event.dropna()
    return (
        pd.api.types.is_numeric_dtype(known)
        and not pd.api.types.is_bool_dtype(known)
        and set(known.unique().tolist()) == {1, 2}
    )


@dataclass(frozen=True, eq=False)
class Target:
    """Classes, numbers, times to an event, or none. `codes` are positions in sorted `classes`, or bins where
    classes are needed; `adjusters` and `always` are columns to adjust for and to include always."""

    codes: NDArray[np.int32]
    classes: tuple[Any, ...]
    name: str = "target"
    values: Floats | None = None
    survival: Survival | None = None
    adjusters: Adjusters | None = None
    always: Table | None = None

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
        """``n_events``, the observed events; empty for other targets."""
        return {} if self.survival is None else {"n_events": int(self.survival.event.sum())}

    @property
    def always_in(self) -> dict[str, list[str]]:
        """``always``, the names of the columns that are always in; empty without any."""
        return {} if self.always is None else {"always": list(self.always.feature_names)}

    @property
    def parts(self) -> tuple[NDArray[Any], ...]:
        """The arrays (n_samples,) that define the target of each row."""
        if self.survival is not None:
            return (self.survival.time, self.survival.event)
        return (self.codes if self.values is None else self.values,)

    @property
    def strata(self) -> NDArray[np.int32]:
        """What plans and folds divide alike (n_samples,): classes, bins, or whether there was an event."""
        return self.codes if self.survival is None else self.survival.event.astype(np.int32)

    @property
    def n_strata(self) -> int:
        """How many codes there are in `strata`."""
        return self.n_classes if self.survival is None else 2

    @property
    def outcome(self) -> NDArray[Any]:
        """What models are trained to predict (n_samples,): class codes, numbers, or events with times."""
        if self.survival is not None:
            return self.survival.structured()
        return self.codes if self.values is None else self.values

    def numbers(self, weights: NDArray[np.uint16]) -> Floats:
        """Values (1, n_samples) of a number, or the martingale residuals of each resample (b, n_samples)."""
        if self.survival is not None:
            return self.survival.residuals(weights)
        if self.values is None:
            raise DataError(f"the target {self.name!r} is not a number, which this filter needs")
        return self.values[np.newaxis]

    def take(self, rows: NDArray[np.intp]) -> Target:
        """The target of the samples at positions `rows`."""
        return replace(
            self,
            codes=self.codes[rows],
            values=None if self.values is None else self.values[rows],
            survival=self.survival and self.survival.take(rows),
            adjusters=self.adjusters and self.adjusters.take(rows),
            always=self.always and self.always.take_rows(rows),
        )

    def always_first(self, table: Table) -> tuple[Table, int]:
        """The columns that are always in before those of a table of the same rows, and how many they are."""
        if self.always is None:
            return table, 0
        return self.always.joined(table), self.always.n_features

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
    instead: Sequence[object] = (),
) -> Target:
    """Read a target. `min_per_class` is the average class size below which labels count as numbers or
    names, `bins` the number of bins, `optional` allows None, and `instead` is what the caller offers for
    numbers, such as `AS_NUMBER`."""
    if isinstance(y, Target):
        return y
    validation.check_choice("task", task, TASKS)
    validation.check_integer("target_bins", bins, low=2)
    if y is None:
        if optional:
            return Target(np.zeros(n_samples, dtype=np.int32), (), "")
        raise DataError("requires y to be passed, but the target y is ", NONE)
    if task == "survival":
        survival, label = read_survival(y)
        _check_length(len(survival.time), n_samples)
        residuals = survival.residuals(np.ones((1, n_samples), dtype=np.uint16))[0]
        return Target(*_binned(residuals, bins), label, survival=survival)
    label = str(getattr(y, "name", None) or "target")
    y = pandas_series(pandas_frame(y))
    with validation.writable_text(f"in the target {label!r}"):
        series = y if isinstance(y, pd.Series) else pd.Series(_one_dimensional(y))
    _check_length(len(series), n_samples)
    if bool(series.isna().all()):
        raise DataError(f"the target {label!r} is missing in every row")
    _refuse_missing(series, f"target {label!r}")
    array = series.to_numpy()
    if array.dtype.kind == "f" and np.isinf(array).any():
        raise DataError(f"the target {label!r} has infinite values", INF)
    if task == "regression" and array.dtype.kind not in "fiub":
        held = "text" if array.dtype.kind in "OSU" else f"{array.dtype} values"
        raise DataError(
            f"the target {label!r} contains {held}: Unknown label type; ",
            Use(task="regression"),
            " needs numbers, as of y.astype(float)",
        )
    if task == "regression":
        values = array.astype(np.float64)
        if (values == values[0]).all():
            same = f"the target {label!r} is constant ({values[0]:g})"
            raise DataError(f"{same}; there is nothing to explain")
        return Target(*_binned(values, bins), label, values)
    if array.dtype.kind not in "fiub" and not isinstance(series.dtype, pd.CategoricalDtype):
        array = _as_words(array, label)
    return _class_target(array, label, min_per_class, instead)


def _check_length(n_labels: int, n_samples: int) -> None:
    if n_labels != n_samples:
        message = f" has {n_labels} labels for {n_samples} samples of "
        raise DataError(Param("y"), message, Param("X"), ": inconsistent lengths")


def _as_words(array: NDArray[Any], label: str) -> NDArray[Any]:
    """Labels as words, refused where two different ones would be one word."""
    words = array.astype(str)
    if array.dtype.kind == "O":
        seen: dict[str, Any] = {}
        for value, word in zip(array.tolist(), words.tolist(), strict=True):
            other = seen.setdefault(word, value)
            if type(other) is not type(value) and other != value:
                raise DataError(
                    f"the target {label!r} has the labels {other!r} and {value!r}, which are different "
                    "and read alike; write them as one type"
                )
    return words


def _class_target(
    array: NDArray[Any], label: str, min_per_class: float, instead: Sequence[object]
) -> Target:
    """A target of classes, or an error."""
    n_samples = len(array)
    classes, codes = np.unique(np.asarray(array), return_inverse=True)
    if len(classes) < 2:
        raise DataError(
            f"the target {label!r} has one class only ({classes.tolist()[0]!r}); at least two are needed"
        )
    if len(classes) > max(2, n_samples / min_per_class):
        share = "a quarter" if min_per_class == 4.0 else f"{1.0 / min_per_class:.0%}"
        raise DataError(
            f"the target {label!r} has {len(classes)} different values in {n_samples} ",
            f"samples, more than {share}: Unknown label type: continuous, or an identifier. Bin ",
            "it into classes first",
            *instead,
        )
    validation.check_writable_names([str(name) for name in classes.tolist()], "a class")
    return Target(codes.astype(np.int32), tuple(classes.tolist()), label)


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
    if isinstance(y, str):
        raise DataError(Param("y"), " must have a value for each row of ", Param("X"), Got(y))
    array = validation.as_array("y", y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        message = f" must have one dimension (n_samples,), got an array of shape {array.shape}"
        raise DataError(Param("y"), message)
    return array


AS_NUMBER = (", or use ", Use(task="regression"), " if it is a number to be predicted")
IN_A_RUN = (", or rank by ", Public("wam"), " with ", Use(task="regression"), *AS_NUMBER[2:])
"""Remedies for a numeric target: for functions with a task, and for those of filters, which have none."""


def read_target(
    task: Task, table: T, y: Any, *, optional: bool = False, instead: Sequence[object] = AS_NUMBER
) -> tuple[T, Target]:
    """The features of a table and its target, with what is set apart of the rows; no target if `optional`."""
    n_samples, bins = table.n_samples, task.target_bins
    target = check_target(
        y, n_samples, task=task.task, bins=bins, optional=optional, instead=instead
    )
    if task.adjust is None and task.always is None:
        return table, target
    features, adjusters, always = set_apart(task, table)
    return features, replace(target, adjusters=adjusters, always=always)


def last_step(estimator: Any) -> Any:
    """The last step of a Pipeline; any other estimator itself."""
    steps = getattr(estimator, "steps", None)
    return steps[-1][1] if steps else estimator


def is_survival_model(estimator: Any) -> bool:
    """Whether an estimator is fitted to events with times, as ours and those of scikit-survival are."""
    last = last_step(estimator)
    bases = [base.__name__ for base in type(last).__mro__]
    return hasattr(last, "survival_at") or "SurvivalAnalysisMixin" in bases

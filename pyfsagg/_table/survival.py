"""Times until an event, some of them censored: how they are read, and the residuals that stand for them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.checks import as_array
from pyfsagg._base.remarks import warn
from pyfsagg._base.types import Booleans, Floats
from pyfsagg._table.frames import frame_of_array, pandas_frame
from pyfsagg.exceptions import DataError

__all__ = ["TIES", "Survival", "coded_as_in_r", "read_survival"]

TIES = ("efron", "breslow")
"""Treatment of events at the same time."""

_SHAPES = (
    "give two columns, time and event, or a structured array with these fields, such as "
    "scikit-survival's Surv"
)


@dataclass(frozen=True, eq=False)
class Survival:
    """Right-censored times.

    Attributes
    ----------
    time : ndarray of float64, shape (n_samples,)
        Until the event or, where there was none, until the last observation; above 0.
    event : ndarray of bool, shape (n_samples,)
        Whether the event was seen; False: censored.
    """

    time: Floats
    event: Booleans

    def take(self, rows: NDArray[np.intp]) -> Survival:
        """Those of the samples at positions `rows`."""
        return Survival(self.time[rows], self.event[rows])

    def structured(self) -> NDArray[Any]:
        """As models take it: an array (n_samples,) with the fields ``event`` and ``time``."""
        found = np.empty(len(self.time), dtype=[("event", np.bool_), ("time", np.float64)])
        found["event"], found["time"] = self.event, self.time
        return found

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
        """Martingale residuals of the Cox model without features (b, n_samples).

        The number of events of a row (0 or 1) minus the number expected until its time, in each
        resample; rows count by their weights, as if they were repeated.  They do not depend on the
        order of rows; rows with the same time and event have the same residual.
        """
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
        found: Floats = np.where(self.event, 1.0 - (before + of_events)[:, place], -until[:, place])
        return found


def read_survival(y: Any) -> tuple[Survival, str]:
    """Times and events from two columns or a structured array, and what they are called.

    Parameters
    ----------
    y : structured array with a boolean and a numeric field; two-column array or data frame, time first

    Raises
    ------
    DataError
        For another shape, intervals, missing values, times that are not above 0, events that are not
        0 or 1 (or 1 and 2, as in R), and times of which no two can be compared.
    """
    time, event, names = _columns(pandas_frame(y))
    label = ", ".join(names)
    survival = Survival(_times(time, names[0]), _events(event, names[1]))
    _check_information(survival, label)
    return survival, label


def _columns(y: Any) -> tuple[pd.Series[Any], pd.Series[Any], tuple[str, str]]:
    """Time, event and their names."""
    if isinstance(y, tuple) and len(y) == 2 and np.ndim(y[0]) == 1 and len(y[0]) == len(y[1]):
        y = pd.DataFrame({"time": np.asarray(y[0]), "event": np.asarray(y[1])})
    if isinstance(y, pd.DataFrame):
        frame = y
    else:
        array = as_array("y", y)
        if array.dtype.names:
            frame = _by_meaning(array)
        elif array.ndim == 2:
            names = ["time", "event"] if array.shape[1] == 2 else None
            frame = frame_of_array(array, columns=names)
        else:
            raise DataError(
                f"task='survival' needs times and events, and y has the shape {array.shape}; {_SHAPES}"
            )
    if frame.shape[1] == 3:
        raise DataError(
            "y has three columns: late entry (left truncation) and intervals are not supported; "
            f"{_SHAPES} of right-censored times"
        )
    if frame.shape[1] != 2:
        raise DataError(f"task='survival' needs two columns, and y has {frame.shape[1]}; {_SHAPES}")
    time, event = frame.iloc[:, 0], frame.iloc[:, 1]
    if _is_indicator(time) and not _is_indicator(event):
        raise DataError(
            f"the first column of y, {str(frame.columns[0])!r}, holds 0 and 1 only, and the second does "
            "not: the time comes first, then the event; exchange them"
        )
    return time, event, (str(frame.columns[0]), str(frame.columns[1]))


def _by_meaning(array: NDArray[Any]) -> pd.DataFrame:
    """A structured array as columns, the time first, by whichever field is boolean."""
    names = list(array.dtype.names or ())
    booleans = [name for name in names if array.dtype[name].kind == "b"]
    if len(names) == 2 and len(booleans) == 1:
        names.sort(key=booleans.__contains__)
    return pd.DataFrame({name: array[name] for name in names})


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
            f"the {what} is missing (NaN) in {missing} of {len(column)} rows; drop these rows first"
        )


def _times(column: pd.Series[Any], name: str) -> Floats:
    _refuse_missing(column, f"time {name!r}")
    if pd.api.types.is_bool_dtype(column) or not pd.api.types.is_numeric_dtype(column):
        column = _numbers(column, name)
    time = column.to_numpy(dtype=np.float64)
    if np.isinf(time).any():
        raise DataError(f"the time {name!r} has infinite values (inf)")
    low = time.min(initial=np.inf)
    if low <= 0.0:
        count = int((time <= 0.0).sum())
        raise DataError(
            f"the time {name!r} is not above 0 in {count} row(s) (the smallest is {low:g}); times run "
            "from the start of the observation: drop these rows, or count from an earlier start"
        )
    return time


def _numbers(column: pd.Series[Any], name: str) -> pd.Series[Any]:
    try:
        if pd.api.types.is_bool_dtype(column):
            raise TypeError
        return column.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError(
            f"the time {name!r} holds {column.dtype} values; times must be numbers, such as days since "
            "the start of the observation"
        ) from None


def _events(column: pd.Series[Any], name: str) -> Booleans:
    _refuse_missing(column, f"event {name!r}")
    if coded_as_in_r(column):
        warn(
            f"the event {name!r} holds 1 and 2: as in R's Surv(), 1 is taken for censored, 2 for the event",
            stacklevel=2,
        )
        return (column == 2).to_numpy(dtype=np.bool_)
    found = pd.unique(column)
    if not all(isinstance(value, (bool, np.bool_)) or value in (0, 1) for value in found.tolist()):
        shown = ", ".join(sorted(map(repr, found.tolist()))[:5])
        raise DataError(
            f"the event {name!r} must be 0 (censored) or 1 (event), or False and True, got {shown}. Say "
            f"which value is the event, for instance y[{name!r}] == 2, so that all others count as "
            "censored; several kinds of events and interval censoring are not supported"
        )
    event = column.to_numpy().astype(np.bool_)
    if not event.any():
        raise DataError(
            f"every row is censored: {name!r} has no event (1), so that there is nothing to explain"
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


def _check_information(survival: Survival, label: str) -> None:
    """Refuse times of which no two can be compared: no row is known to outlive another."""
    first = survival.time[survival.event].min()
    later = survival.time > first
    if not (later | (~survival.event & (survival.time == first))).any():
        raise DataError(
            f"no row of {label!r} is known to outlive another one; there is nothing to explain"
        )

"""Data of the tests (blocks and groups), and what their results share."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from pyfsagg._base.arithmetic import Floats, Indices
from pyfsagg._base.fields import Statement, plain, row_of
from pyfsagg._base.validation import (
    as_array,
    check_choice,
    check_integer,
    check_real,
    is_column,
    one_nan,
)
from pyfsagg._message import NAN, Got, Param, Remedy, Use, named
from pyfsagg._run.result import records
from pyfsagg._table.frames import FRAMES, frame_of_array, pandas_frame, pandas_series
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, UnknownNameError

INCOMPLETE = ("error", "drop")
FEWEST_SUBJECTS = 3  # chosen: with two, a test within subjects has one degree of freedom
FILL_IN = Remedy("fill them in, or pass ", Use(missing="drop"), " to drop them")

gauss_legendre = functools.cache(np.polynomial.legendre.leggauss)
"""Nodes and weights on (-1, 1), computed when first used: 400 of them take a second of an import."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """A complete table of subjects by conditions, in the order of the data or the categories.

    `n_dropped` subjects were omitted because a cell was missing.
    """

    values: Floats
    subjects: tuple[str, ...]
    conditions: tuple[str, ...]
    n_dropped: int


@dataclass(frozen=True, eq=False)
class Groups:
    """Independent samples by group name; `n_dropped` missing values were omitted."""

    values: tuple[Floats, ...]
    names: tuple[str, ...]
    n_dropped: int


def pairs(names: Sequence[str]) -> Iterator[tuple[int, int, dict[str, str]]]:
    """All pairs of positions, with the columns of a table that name them."""
    for i, j in itertools.combinations(range(len(names)), 2):
        yield i, j, {"group1": names[i], "group2": names[j]}


def rounded(values: Floats, decimals: object) -> Floats:
    """`values` to this many decimals; numbers too large for decimals are kept."""
    decimals = check_integer("decimals", decimals, low=-300, high=300)
    with np.errstate(over="ignore", invalid="ignore"):
        result = np.round(values, decimals)
    return np.where(np.isfinite(result), result, values)


def subtracted(first: Floats, second: Floats) -> Floats:
    """first − second, of arrays of one shape."""
    with np.errstate(over="ignore"):
        differences = first - second
    if np.isinf(differences).any():
        raise DataError(
            "the difference of two values is beyond 1.8e308, the largest number that can be computed "
            "with; divide the values by a constant"
        )
    return np.asarray(differences)


def check_confidence_level(name: str, value: object) -> float:
    """A confidence or significance level strictly between 0 and 1."""
    try:
        level = check_real(name, value, low=0.0, high=1.0, low_open=True)
    except ParameterError:
        level = 1.0
    if level == 1.0:
        raise ParameterError(named(name), " must be a number above 0 and below 1", Got(value))
    return level


def negligible(residual: Floats, data: Floats) -> bool:
    """Whether `residual` is nothing but the rounding error of arithmetic on `data`: ten last places."""
    if residual.size == 0:
        return True
    unit = np.finfo(np.float64).eps * float(np.abs(data).max())
    return bool(np.abs(residual).max() <= 10.0 * unit)


def read_blocks(data: Any, *, subject: Any, condition: Any, value: Any, missing: str) -> Blocks:
    """Subjects by conditions from a long frame, a wide frame or an array."""
    check_choice("missing", missing, INCOMPLETE)
    _check_names(subject=subject, condition=condition, value=value)
    if (condition is None) != (value is None):
        raise ParameterError(
            "condition and value belong together: give both for a long frame, neither for a wide "
            "frame or an array (one row per subject, one column per condition)"
        )
    if condition is None:
        return _complete_blocks(_read_wide(data, subject), missing)
    if subject is None:
        raise ParameterError(
            Param("subject"), " is missing: a long frame needs a column of the subjects"
        )
    frame = _as_frame(data)
    columns = {"subject": subject, "condition": condition, "value": value}
    if len(set(columns.values())) < 3:
        raise ParameterError(
            f"subject, condition and value must be three different columns, got {columns}"
        )
    both = [_labels(frame, role, columns[role]) for role in ("subject", "condition")]
    cells = pd.MultiIndex.from_arrays(both)
    if cells.has_duplicates:
        first = cells[cells.duplicated()][0]
        rows = frame.loc[np.asarray(cells == first)]
        others = [
            repr(column)
            for column in frame.columns
            if column not in columns.values() and rows[column].nunique(dropna=False) > 1
        ]
        raise DataError(
            f"subject {first[0]!r} has {len(rows)} values for condition {first[1]!r}; one is allowed. ",
            f"The column(s) {', '.join(others)} differ between these rows: a second factor is not "
            "supported, so filter on one level of it, or average over it first."
            if others
            else "Average the repetitions first, or remove the rows that are there twice.",
        )
    numbers = read_numbers(_column(frame, "value", value), str(value))
    (places, subjects), (positions, conditions) = map(_codes, both)
    wide = np.full((len(subjects), len(conditions)), np.nan)
    wide[places, positions] = numbers
    table = pd.DataFrame(wide, index=pd.Index(subjects), columns=pd.Index(conditions))
    return _complete_blocks(table, missing)


def _check_names(**columns: Any) -> None:
    for name, column in columns.items():
        if isinstance(column, (list, tuple)) or not isinstance(column, Hashable):
            raise ParameterError(
                named(name),
                " must be the name of one column",
                Got(column),
                ": designs with more than one within factor, or with between factors, are not supported. ",
                "Filter or average over the other factors, or combine the factors into one column",
            )


def _as_frame(data: Any) -> pd.DataFrame:
    """A pandas frame from a data frame of any kind."""
    frame = pandas_frame(data)
    if isinstance(frame, pd.DataFrame):
        return frame
    kind = type(data).__name__
    raise InputTypeError(
        Param("data"), f" must be a data frame ({FRAMES}) when its columns are named, got {kind}"
    )


def _column(frame: pd.DataFrame, role: str, name: Hashable) -> pd.Series[Any]:
    if not is_column(name, frame.columns):
        raise UnknownNameError(f"{role} column", name, [str(column) for column in frame.columns])
    column = frame[name]
    if isinstance(column, pd.DataFrame):
        raise DataError(
            f"the data have more than one column {name!r}; give every column a different name"
        )
    return column


def _labels(frame: pd.DataFrame, role: str, name: Hashable) -> pd.Series[Any]:
    """A column with the subject, condition or group of each row."""
    column = _column(frame, role, name)
    if bool(column.isna().any()):
        row = int(np.flatnonzero(column.isna())[0]) + 1
        raise DataError(f"the {role} column {name!r} has no label in row {row}; fill it in")
    return column


def _codes(labels: pd.Series[Any]) -> tuple[Indices, list[str]]:
    """Position of each label, and the labels: order of the categories or of first appearance."""
    codes: Any
    if isinstance(labels.dtype, pd.CategoricalDtype):
        labels = labels.cat.remove_unused_categories()
        codes, values = labels.cat.codes, labels.cat.categories
    else:
        codes, values = pd.factorize(labels)
    names = [str(value) for value in values]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(
            f"two different labels of column {labels.name!r} both read {twice!r}; rename one"
        )
    return np.asarray(codes, dtype=np.intp), names


def _read_wide(data: Any, subject: Hashable | None) -> pd.DataFrame:
    data = pandas_frame(data)
    if isinstance(data, pd.DataFrame) or subject is not None:
        frame = _as_frame(data)
        if subject is not None:
            _column(frame, "subject", subject)
            frame = frame.set_index(subject)
    else:
        array = as_array("data", data)
        if array.ndim != 2:
            raise DataError(
                Param("data"), f" must have two dimensions, got an array of shape {array.shape}"
            )
        frame = frame_of_array(
            array,
            index=[f"subject {i + 1}" for i in range(array.shape[0])],
            columns=[f"condition {j + 1}" for j in range(array.shape[1])],
        )
    for role, labels in (("subject", frame.index), ("condition", frame.columns)):
        if labels.has_duplicates:
            twice = labels[labels.duplicated()][0]
            raise DataError(
                f"{role} {twice!r} is there more than once; one row per subject and one column per "
                "condition are allowed. Filter on one level of any other factor"
            )
    hint = (
        ". A wide table has numbers only: name the column of the subjects with subject=, and leave "
        "other columns out"
    )
    values = {str(name): read_numbers(frame[name], str(name), hint) for name in frame.columns}
    if len(values) < frame.shape[1]:
        raise DataError("two condition names read the same as text; rename one")
    return pd.DataFrame(values, index=pd.Index([str(label) for label in frame.index]))


def read_numbers(column: Any, name: str, hint: str = "") -> Floats:
    """Floats of one column with NaN where a value is missing; `hint` is what to do about text."""
    column = pandas_series(column)
    if not isinstance(column, pd.Series):
        array = as_array(repr(name), column)
        if array.ndim != 1:
            raise DataError(
                f"{name!r} must have one dimension, got an array of shape {array.shape}"
            )
        column = pd.Series(array)
    series: pd.Series[Any] = column
    if series.dtype == object or pd.api.types.is_string_dtype(series.dtype):
        try:
            is_number = pd.to_numeric(series, errors="coerce").notna() | series.isna()
        except OverflowError:
            raise DataError(
                f"{name!r} contains a whole number beyond 1e308, the largest that can be computed with; "
                "divide the values by a constant"
            ) from None
        if not bool(is_number.all()):
            odd = series[~is_number].iloc[0]
            raise DataError(
                f"{name!r} contains {odd!r}, which is not a number; correct it or mark it missing{hint}"
            )
        series = pd.to_numeric(series)
    types = pd.api.types
    if not types.is_numeric_dtype(series.dtype) or types.is_complex_dtype(series.dtype):
        raise DataError(f"{name!r} has the type {series.dtype}, which is not a real number")
    numbers = np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan), dtype=np.float64)
    if np.isinf(numbers).any():
        row = int(np.flatnonzero(np.isinf(numbers))[0]) + 1
        raise DataError(
            f"{name!r} has an infinite value in row {row}",
            Remedy("correct it or mark it missing (", NAN, ")"),
        )
    return one_nan(numbers)


def _complete_blocks(wide: pd.DataFrame, missing: str) -> Blocks:
    values = wide.to_numpy(dtype=np.float64)
    conditions = tuple(str(name) for name in wide.columns)
    if len(conditions) < 2:
        raise DataError(
            f"the data have {len(conditions)} condition(s); at least 2 are needed to compare"
        )
    absent = np.isnan(values)
    empty = absent.all(axis=0)
    if values.shape[0] and empty.any():
        name = conditions[int(np.flatnonzero(empty)[0])]
        raise DataError(f"condition {name!r} has no value at all; drop it")
    keep = ~absent.any(axis=1)
    n_dropped = int((~keep).sum())
    if n_dropped and missing == "error":
        i, j = (int(index) for index in np.argwhere(absent)[0])
        raise DataError(
            f"{n_dropped} of {len(keep)} subjects lack a value, for instance subject ",
            f"{wide.index[i]!r} in condition {conditions[j]!r}",
            FILL_IN,
        )
    n_subjects = int(keep.sum())
    if n_subjects < FEWEST_SUBJECTS:
        dropped = f" after {n_dropped} with missing values were omitted" if n_dropped else ""
        raise DataError(
            f"the data have {n_subjects} complete subject(s){dropped}; at least {FEWEST_SUBJECTS} "
            "are needed"
        )
    subjects = tuple(str(label) for label in wide.index[keep])
    return Blocks(np.ascontiguousarray(values[keep]), subjects, conditions, n_dropped)


def read_groups(data: Any, *, group: Any, value: Any, missing: str) -> Groups:
    """Independent groups from a long frame, a wide frame or a mapping of name to values."""
    check_choice("missing", missing, INCOMPLETE)
    _check_names(group=group, value=value)
    if (group is None) != (value is None):
        raise ParameterError(
            "the columns of the groups and of the values belong together: name both for a long "
            "frame, neither for a mapping or a wide frame (one column per group)"
        )
    if group is not None:
        frame = _as_frame(data)
        codes, names = _codes(_labels(frame, "group", group))
        numbers = read_numbers(_column(frame, "value", value), str(value))
        samples = {name: numbers[codes == g] for g, name in enumerate(names)}
    elif isinstance(data, Mapping):
        samples = {str(name): read_numbers(values, str(name)) for name, values in data.items()}
    else:
        wide = _read_wide(data, None)
        samples = {str(name): wide[name].to_numpy(dtype=np.float64) for name in wide.columns}
    if len(samples) < 2:
        raise DataError(f"the data have {len(samples)} group(s); at least 2 are needed to compare")
    absent = {name: int(np.isnan(sample).sum()) for name, sample in samples.items()}
    n_dropped = sum(absent.values())
    if n_dropped and missing == "error":
        name = next(name for name, count in absent.items() if count)
        raise DataError(
            f"{n_dropped} value(s) are missing, {absent[name]} of them in group {name!r}", FILL_IN
        )
    values = tuple(sample[~np.isnan(sample)] for sample in samples.values())
    for name, sample in zip(samples, values, strict=True):
        if sample.size == 0:
            raise DataError(f"group {name!r} has no value; drop it")
    return Groups(values, tuple(samples), n_dropped)


class TestResult(Statement):
    """A test result: a tidy frame and a sentence.  ``str(result)`` is the sentence."""

    _effect: ClassVar[str] = "condition"  # the label of the row of a test that has one

    confidence_level: float

    def to_frame(self) -> pd.DataFrame:
        """A copy of `frame`, one row per pair; one row for a test that has no pairs."""
        if "frame" in vars(self):
            return pd.DataFrame(vars(self)["frame"]).copy()
        return pd.DataFrame([{"effect": self._effect, **row_of(self)}]).set_index("effect")

    def _contents(self) -> dict[str, Any]:
        frame = self.to_frame()
        rows = records(frame.reset_index(drop=frame.index.name is None))
        return {
            "rows": [{name: plain(cell) for name, cell in row.items()} for row in rows],
            "sentence": self.sentence,
        }

    @property
    def _dropped(self) -> str:
        """`` (2 omitted for missing values)``; empty without any."""
        n = vars(self)["n_dropped"]
        return f" ({n} omitted for missing values)" if n else ""

    @property
    def _level(self) -> str:
        """``the 5 % level``."""
        return f"the {100 * significance_level(self.confidence_level):.3g} % level"

    def _interval(self, limits: tuple[float, float], level: float | None = None) -> str:
        """``95 % interval 0.1 to 0.4``."""
        level = self.confidence_level if level is None else level
        return f"{100 * level:.3g} % interval {number_text(limits[0])} to {number_text(limits[1])}"

    def _verdict(self, p: float, what: str) -> str:
        """``the groups differ significantly at the 5 % level``, or that they do not."""
        if p < significance_level(self.confidence_level):
            return f"the {what} differ significantly at {self._level}"
        return f"no significant difference between the {what} at {self._level}"

    def _pairs_verdict(self, n_different: int, n_pairs: int) -> str:
        """``2 of 3 pairs differ significantly at the 5 % level``."""
        level = f"significantly at {self._level}"
        if n_pairs == 1:
            return f"the pair {'differs' if n_different else 'does not differ'} {level}"
        verb = "differ" if n_different > 1 else "differs"
        return f"{n_different or 'none'} of {n_pairs} pairs {verb} {level}"

    @staticmethod
    def _listed(pairs: Sequence[str]) -> str:
        """``: a; b; and 3 more``, the first five; empty without any."""
        more = [f"and {len(pairs) - 5} more"] if len(pairs) > 5 else []
        return ": " + "; ".join([*pairs[:5], *more]) if pairs else ""

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"{type(self).__name__}: {self.sentence}"


def number_text(value: float) -> str:
    """Three significant digits; whole numbers are kept."""
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == round(value) and abs(value) < 1e6:
        return f"{value:.0f}".replace("-", "−")
    return f"{value:.3g}".replace("-", "−")


def p_text(p: float) -> str:
    """``p = 0.0134``, or ``p < 0.0001`` below that."""
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.3g}"


def significance_level(confidence_level: float) -> float:
    """1 − confidence without the rounding error of the difference (0.05 for 0.95)."""
    return round(1.0 - confidence_level, 12)

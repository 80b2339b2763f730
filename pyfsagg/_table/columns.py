"""What one column of a user's table is, and its cells as floating-point numbers."""

from __future__ import annotations

import numbers
from enum import IntEnum
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg.exceptions import DataError, InputTypeError

__all__ = ["Kind", "array_kind", "read_column", "refuse_mixed_text"]


class Kind(IntEnum):
    """How a column was stored; methods decide what that means for them."""

    NUMERIC = 0
    INTEGER = 1
    BOOLEAN = 2
    NOMINAL = 3


def array_kind(dtype: np.dtype[Any]) -> Kind:
    return {"b": Kind.BOOLEAN, "i": Kind.INTEGER, "u": Kind.INTEGER}.get(dtype.kind, Kind.NUMERIC)


def read_column(
    column: pd.Series[Any], name: str, declared: bool
) -> tuple[Kind, NDArray[np.float64], tuple[Any, ...] | None]:
    """Kind of a column, its cells (nominal ones as level codes, missing ones NaN), and its levels.

    `declared` says that the user wants it nominal whatever it holds.
    """
    dtype = column.dtype
    if not declared:
        if pd.api.types.is_bool_dtype(dtype) and not isinstance(dtype, pd.CategoricalDtype):
            return Kind.BOOLEAN, column.to_numpy(dtype=np.float64, na_value=np.nan), None
        if pd.api.types.is_integer_dtype(dtype):
            return Kind.INTEGER, column.to_numpy(dtype=np.float64, na_value=np.nan), None
        if pd.api.types.is_float_dtype(dtype):
            return Kind.NUMERIC, column.to_numpy(dtype=np.float64, na_value=np.nan), None
        if pd.api.types.is_complex_dtype(dtype):
            raise DataError(f"Complex data not supported: column {name!r} has complex values")
        if pd.api.types.is_datetime64_any_dtype(dtype) or pd.api.types.is_timedelta64_dtype(dtype):
            raise DataError(
                f"column {name!r} holds dates or times, which have no importance score; convert it to "
                "numbers or drop it"
            )
        if pd.api.types.is_object_dtype(dtype):
            return _read_objects(column, name)
        if not isinstance(dtype, pd.CategoricalDtype):
            refuse_mixed_text(column, name)
    return _nominal(column, name)


def _read_objects(
    column: pd.Series[Any], name: str
) -> tuple[Kind, NDArray[np.float64], tuple[Any, ...] | None]:
    present = column.dropna()
    is_word = present.map(lambda value: isinstance(value, str))
    is_number = present.map(lambda value: isinstance(value, numbers.Real))
    if not bool((is_word | is_number).all()):
        odd = present[~(is_word | is_number)].iloc[0]
        raise InputTypeError(
            f"column {name!r} holds values of type {type(odd).__name__}: argument must be a string or "
            "a number"
        )
    if len(present) and bool(is_number.all()):
        if bool(present.map(lambda value: isinstance(value, (bool, np.bool_))).all()):
            kind = Kind.BOOLEAN
        elif bool(present.map(lambda value: isinstance(value, numbers.Integral)).all()):
            kind = Kind.INTEGER
        else:
            kind = Kind.NUMERIC
        try:
            return kind, column.to_numpy(dtype=np.float64, na_value=np.nan), None
        except OverflowError:
            raise DataError(
                f"column {name!r} has a whole number beyond 1e308, the largest that can be computed with"
            ) from None
    refuse_mixed_text(present, name)
    return _nominal(column, name)


def _nominal(
    column: pd.Series[Any], name: str
) -> tuple[Kind, NDArray[np.float64], tuple[Any, ...]]:
    """Level codes; levels that do not occur are left out."""
    try:
        categorical = pd.Categorical(column).remove_unused_categories()
    except TypeError as error:
        raise DataError(f"column {name!r} cannot be read as nominal: {error}") from None
    codes = categorical.codes.astype(np.float64)
    codes[codes < 0] = np.nan
    return Kind.NOMINAL, codes, tuple(categorical.categories)


def refuse_mixed_text(column: pd.Series[Any], name: str) -> None:
    """Text in which some, but not all, entries are numbers is a numeric column gone wrong."""
    words = column.dropna().astype(str)
    numeric = pd.to_numeric(words, errors="coerce").notna()
    if bool(numeric.any()) and not bool(numeric.all()):
        raise DataError(
            f"column {name!r} mixes numbers and words ({words[numeric].iloc[0]!r}, "
            f"{words[~numeric].iloc[0]!r}); declare it nominal or mark its missing values"
        )

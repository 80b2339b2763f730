"""Checks of single arguments: each says the name, the value met and what is allowed."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np

from pyfsagg.exceptions import DataError, ParameterError

__all__ = ["check_choice", "check_integer", "check_real", "real_array"]


def check_integer(
    name: str, value: object, *, low: int | None = None, high: int | None = None
) -> int:
    """Return `value` as int, or say what is allowed."""
    allowed = _interval(low, high)
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise ParameterError(f"{name} must be a whole number{allowed}, got {value!r}")
    number = int(value)
    if (low is not None and number < low) or (high is not None and number > high):
        raise ParameterError(f"{name} must be a whole number{allowed}, got {value!r}")
    return number


def check_real(
    name: str,
    value: object,
    *,
    low: float | None = None,
    high: float | None = None,
    low_open: bool = False,
) -> float:
    """Return `value` as float, or say what is allowed."""
    allowed = _interval(low, high, low_open)
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ParameterError(f"{name} must be a number{allowed}, got {value!r}")
    number = float(value)
    if not math.isfinite(number):
        raise ParameterError(f"{name} must be a finite number{allowed}, got {value!r}")
    if low is not None and (number < low or (low_open and number == low)):
        raise ParameterError(f"{name} must be a number{allowed}, got {value!r}")
    if high is not None and number > high:
        raise ParameterError(f"{name} must be a number{allowed}, got {value!r}")
    return number


def check_choice(name: str, value: object, choices: Iterable[str]) -> str:
    """Return `value` if it is one of `choices`."""
    choices = list(choices)
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(
            f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}"
        )
    return str(value)


def real_array(name: str, values: Any) -> Any:
    """`values`, an array where NumPy knows what that is; masked cells are missing, not what lies below.

    Raises
    ------
    DataError
        For complex numbers, which have no order.
    """
    if _is_complex(values):
        raise DataError(
            f"Complex data not supported: {name} has complex values; take the real part or the "
            "modulus"
        )
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if not np.ma.is_masked(values):
        return values.data
    if values.dtype.kind in "biuf":
        return np.where(np.ma.getmaskarray(values), np.nan, values.data.astype(np.float64))
    cells = values.data.astype(object)
    cells[np.ma.getmaskarray(values)] = None
    return cells


def _is_complex(values: Any) -> bool:
    """By the type of an array, of a column of a frame, or of what a list holds."""
    if isinstance(values, list):
        try:
            values = np.asarray(values)
        except ValueError:  # rows of unequal length: whoever reads them says so
            return False
    types: Any = getattr(values, "dtypes", None)
    if not hasattr(types, "__iter__"):  # a single column has one type
        types = [getattr(values, "dtype", None)]
    return any(getattr(one, "kind", "") == "c" for one in types)


def _interval(low: float | None, high: float | None, low_open: bool = False) -> str:
    if low is not None and high is not None:
        return (
            f" {'above' if low_open else 'from'} {low} {'and at most' if low_open else 'to'} {high}"
        )
    if low is not None:
        return f" {'above' if low_open else 'of at least'} {low}"
    if high is not None:
        return f" of at most {high}"
    return ""

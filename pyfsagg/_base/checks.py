"""Checks of single arguments: each says the name, the value met and what is allowed."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable

from pyfsagg.exceptions import ParameterError

__all__ = ["check_choice", "check_integer", "check_real"]


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

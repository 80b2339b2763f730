"""Checks of single arguments: each says the name, the value met and what is allowed."""

from __future__ import annotations

import math
import numbers
import os
import reprlib
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from pyfsagg.exceptions import DataError, InputTypeError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "as_array",
    "check_choice",
    "check_flag",
    "check_integer",
    "check_labels",
    "check_list",
    "check_mapping",
    "check_path",
    "check_real",
    "check_writable_names",
    "is_single",
    "is_word",
    "real_array",
    "shown",
    "writable_text",
]


def check_integer(
    name: str, value: object, *, low: int | None = None, high: int | None = None
) -> int:
    """Return `value` as int, or say what is allowed."""
    allowed = _interval(low, high)
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise ParameterError(f"{name} must be a whole number{allowed}, got {shown(value)}")
    number = int(value)
    if (low is not None and number < low) or (high is not None and number > high):
        raise ParameterError(f"{name} must be a whole number{allowed}, got {shown(value)}")
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
        raise ParameterError(f"{name} must be a number{allowed}, got {shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ParameterError(f"{name} must be a finite number{allowed}, got {shown(value)}")
    if low is not None and (number < low or (low_open and number == low)):
        raise ParameterError(f"{name} must be a number{allowed}, got {shown(value)}")
    if high is not None and number > high:
        raise ParameterError(f"{name} must be a number{allowed}, got {shown(value)}")
    return number


def check_choice(name: str, value: object, choices: Iterable[str]) -> str:
    """Return `value` if it is one of `choices`."""
    choices = list(choices)
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(
            f"{name} must be one of {', '.join(map(repr, choices))}, got {shown(value)}"
        )
    return str(value)


def check_mapping(name: str, value: object) -> dict[str, Any]:
    """A dictionary of `value`, which maps names to something; empty for None."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise InputTypeError(
            f"{name} must map names to values, as {{'bins': 5}} does, got {reprlib.repr(value)}"
        )
    return dict(value)


def check_flag(name: str, value: object) -> bool:
    """True or False."""
    import numpy as np

    if not isinstance(value, (bool, np.bool_)):
        raise InputTypeError(f"{name} must be True or False, got {shown(value)}")
    return bool(value)


def check_labels(name: str, value: object) -> list[Any]:
    """The elements of `value`, which are texts, numbers or what else can be told apart."""
    labels = check_list(name, value)
    for label in labels:
        if not isinstance(label, Hashable):
            raise InputTypeError(f"{name} must be labels, got {reprlib.repr(label)} among them")
    return labels


def check_list(name: str, value: object) -> list[Any]:
    """The elements of `value`; a text is none of lists, nor is what cannot be run through."""
    if not isinstance(value, (str, bytes)):
        with suppress(TypeError):
            return list(value)  # type: ignore[call-overload, no-any-return]
    raise InputTypeError(f"{name} must be a list, got {reprlib.repr(value)}")


def shown(value: object) -> str:
    """`value` in a sentence: its repr in one line."""
    text = repr(value)
    return " ".join(text.split()) if "\n" in text else text


def is_single(value: object) -> bool:
    """Whether `value` stands for itself: a number, a text, no sequence and no array of several."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__len__"):
        return True
    return getattr(value, "ndim", 1) == 0


def is_word(value: object, word: str) -> bool:
    """Whether `value` is this text; an array is not, whose comparison would be an array."""
    return isinstance(value, str) and value == word


def check_writable_names(names: Sequence[str], what: str) -> None:
    """Names that can be written into a file."""
    with writable_text(f"of {what}"):
        "\n".join(names).encode()


@contextmanager
def writable_text(what: str) -> Iterator[None]:
    """Refuse text that no file can hold where it is first encoded, by Arrow for instance."""
    try:
        yield
    except UnicodeEncodeError as error:
        before, after = error.object[: error.start], error.object[error.start :]
        odd = before.rpartition("\n")[2] + after.partition("\n")[0]
        raise DataError(
            f"the name {odd!r} {what} holds half a character (a surrogate), which no file can hold; "
            "read the names in the right encoding, or rename"
        ) from None


def check_path(name: str, value: object) -> str:
    """The path of a file or a folder as text."""
    if not isinstance(value, (str, os.PathLike)):
        raise InputTypeError(f"{name} must be a path, got {reprlib.repr(value)}")
    path = os.fsdecode(value)
    if "\0" in path:
        raise ParameterError(f"{name} must be a path, and {path!r} holds a null character")
    return path


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
    import numpy as np

    if not isinstance(values, np.ma.MaskedArray):
        return values
    if not np.ma.is_masked(values):
        return values.data
    if values.dtype.kind in "biuf":
        return np.where(np.ma.getmaskarray(values), np.nan, values.data.astype(np.float64))
    cells = values.data.astype(object)
    cells[np.ma.getmaskarray(values)] = None
    return cells


def as_array(name: str, values: Any, dtype: Any = None) -> NDArray[Any]:
    """`values` as a NumPy array; masked cells are missing.

    Raises
    ------
    DataError
        For what is no array: rows of unequal length, words where numbers are needed, complex numbers.
    """
    import numpy as np

    try:
        return np.asarray(real_array(name, values), dtype=dtype)
    except DataError:
        raise
    except (ValueError, TypeError, OverflowError, AttributeError):
        what = "an array" if dtype is None else "an array of numbers"
        raise DataError(
            f"{name} must be {what} with rows of one length, got {reprlib.repr(values)}"
        ) from None


def _is_complex(values: Any) -> bool:
    """By the type of an array, of a column of a frame, or of what a list holds."""
    if isinstance(values, (list, tuple)):
        import numpy as np

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

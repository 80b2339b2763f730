"""Checks of single arguments: each names the argument, the value received and what is allowed."""

from __future__ import annotations

import math
import numbers
import os
import reprlib
import secrets
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pyfsagg._message import FALSE, MAPPING, NONE, TRUE, Got, Message, Param, Remedy, Value, named
from pyfsagg.exceptions import DataError, InputTypeError, MissingDependencyError, ParameterError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def require_extra(module: str, extra: str, what: str, otherwise: str = "") -> Any:
    """A module of an optional package, or the command that installs it."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingDependencyError(
            f"{what} needs the package {module.split('.')[0].replace('_', '-')}; install it with: "
            f'pip install "pyfsagg[{extra}]"{otherwise}'
        ) from None


def check_integer(
    name: str, value: object, *, low: int | None = None, high: int | None = None
) -> int:
    """`value` as int, or an error with the allowed range."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        number = int(value)
        if (low is None or number >= low) and (high is None or number <= high):
            return number
    allowed = _interval(low, high)
    raise ParameterError(named(name), f" must be a whole number{allowed}", Got(value))


def check_real(
    name: str,
    value: object,
    *,
    low: float | None = None,
    high: float | None = None,
    low_open: bool = False,
) -> float:
    """`value` as float, or an error with the allowed range."""
    a_number, number = "number", math.nan
    if not isinstance(value, bool) and isinstance(value, numbers.Real):
        with suppress(OverflowError):
            number = float(value)
        too_low = low is not None and (number < low or (low_open and number == low))
        too_high = high is not None and number > high
        if math.isfinite(number) and not too_low and not too_high:
            return number
        a_number = "number" if math.isfinite(number) else "finite number"
    allowed = _interval(low, high, low_open)
    raise ParameterError(named(name), f" must be a {a_number}{allowed}", Got(value))


def check_level(name: str, value: object) -> float:
    """An error or confidence level above 0 and below 1."""
    level = check_real(name, value)
    if not 0.0 < level < 1.0:
        raise ParameterError(
            named(name), " must be above 0 and below 1", Got(value), "; 0.1 means one in ten"
        )
    return level


def check_choice(name: str, value: object, choices: Iterable[str]) -> str:
    """Return `value` if it is one of `choices`."""
    choices = list(choices)
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(map(repr, choices))
        raise ParameterError(named(name), f" must be one of {listed}", Got(value))
    return str(value)


def check_mapping(name: str, value: object) -> dict[str, Any]:
    """A dictionary of `value`, which maps names to something; empty for None."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise InputTypeError(
            named(name), " must be ", MAPPING, ", such as ", Value({"bins": 5}), got_short(value)
        )
    return dict(value)


def check_flag(name: str, value: object) -> bool:
    """True or False."""
    import numpy as np

    if not isinstance(value, (bool, np.bool_)):
        raise InputTypeError(named(name), " must be ", TRUE, " or ", FALSE, Got(value))
    return bool(value)


def check_labels(name: str, value: object) -> list[Any]:
    """The elements of `value`, which are texts, numbers or what else can be distinguished."""
    labels = check_list(name, value)
    for label in labels:
        if not isinstance(label, Hashable):
            raise InputTypeError(named(name), " must be labels", got_short(label), " among them")
    return labels


def check_list(name: str, value: object) -> list[Any]:
    """The elements of `value`; neither a text nor what cannot be iterated over is a list."""
    if not isinstance(value, (str, bytes)):
        with suppress(TypeError):
            return list(value)  # type: ignore[call-overload, no-any-return]
    raise InputTypeError(named(name), " must be a list", got_short(value))


def got_short(value: object) -> Got:
    """The value that was met on one line, of long ones the beginning and the end."""
    return Got(value, " ".join(reprlib.repr(value).split()))


def is_single(value: object) -> bool:
    """Whether `value` is a scalar: a number or a text, not a sequence or an array of several."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__len__"):
        return True
    return getattr(value, "ndim", 1) == 0


def is_column(name: object, columns: Any) -> bool:
    """Whether one of these columns has this name; what cannot be a name is none."""
    return isinstance(name, Hashable) and name in columns


def is_word(value: object, word: str) -> bool:
    """Whether `value` is this text; False for arrays, whose comparison is elementwise."""
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
            f"the name {odd!r} {what} contains half a character (a surrogate), which no file can hold; "
            "read the names in the right encoding, or rename"
        ) from None


def check_path(name: str, value: object) -> str:
    """The path of a file or a folder as text."""
    if not isinstance(value, (str, os.PathLike)):
        raise InputTypeError(named(name), " must be a path", got_short(value))
    path = os.fsdecode(value)
    if "\0" in path:
        raise ParameterError(named(name), f" must be a path; {path!r} has a null character")
    return path


def real_array(name: str, values: Any) -> Any:
    """`values`, with the masked cells of an array missing."""
    import numpy as np

    # By the type of an array, of a column of a frame, or of the values of a list.
    array: Any = values
    if isinstance(values, (list, tuple)):
        with suppress(ValueError):  # rows of unequal length are refused where they are read
            array = np.asarray(values)
    types: Any = getattr(array, "dtypes", None)
    if not hasattr(types, "__iter__"):  # a single column has one type
        types = [getattr(array, "dtype", None)]
    if any(getattr(one, "kind", "") == "c" for one in types):
        remedy = Remedy("take the real part or the modulus")
        raise DataError("Complex data not supported: ", named(name), " has complex values", remedy)
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
    """`values` as a NumPy array; masked cells are missing."""
    import numpy as np

    try:
        with np.errstate(invalid="ignore"):  # from a signalling NaN of fewer bits
            return one_nan(np.asarray(real_array(name, values), dtype=dtype))
    except DataError:
        raise
    except (ValueError, TypeError, OverflowError, AttributeError):
        what = "an array" if dtype is None else "an array of numbers"
        raise DataError(
            named(name), f" must be {what} with rows of one length", got_short(values)
        ) from None


def one_nan(array: NDArray[Any]) -> NDArray[Any]:
    """The array with the bits of ``np.nan`` in every missing cell; a copy where one has others.

    R, Stata and processors have NaN of other bits. Such cells would be other data to a hash, and over
    a signalling NaN, such as R's ``NA``, ``np.fmin`` and ``np.nanmax`` forget what they have met before it.
    """
    import numpy as np

    if array.dtype.kind != "f":
        return array
    missing = np.isnan(array)
    with np.errstate(invalid="ignore"):
        cells = array[missing].astype(np.float64).view(np.uint64)
    if (cells != np.array(np.nan).view(np.uint64)).any():
        array = array.copy(order="K")
        array[missing] = np.nan
    return array


def _interval(low: float | None, high: float | None, low_open: bool = False) -> str:
    if low is None:
        return "" if high is None else f" of at most {high}"
    if high is None:
        return f" above {low}" if low_open else f" of at least {low}"
    return f" above {low} and at most {high}" if low_open else f" from {low} to {high}"


def n_selected(threshold: float | int, n_features: int, name: str = "threshold") -> int:
    """Number of features for a count or a fraction (rounded up).

    Examples
    --------
    >>> n_selected(3, 10), n_selected(0.25, 10)
    (3, 3)
    """
    if isinstance(threshold, numbers.Integral) and not isinstance(threshold, bool):
        what = Message(named(name), " (a number of features)")
        return check_integer(what, threshold, low=1, high=n_features)
    what = Message(named(name), " (a fraction)")
    fraction = check_real(what, threshold, low=0.0, high=1.0, low_open=True)
    return size_of_share(fraction, n_features)


def size_of_share(share: float, size: int) -> int:
    """How many of `size` a share of them is, rounded up; at least one."""
    # 0.28 * 25 is 7.000000000000001 in binary; a number that is whole but for rounding stays whole.
    return max(1, math.ceil(round(share * size, 9)))


def resolve_seed(random_state: object) -> int:
    """A seed that can be written down: an int as it is, None as fresh entropy, a generator's draw."""
    import numpy as np

    if random_state is None:
        return secrets.randbits(63)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        return check_integer("random_state", random_state, low=0)
    words = " must be ", NONE, ", a whole number or a NumPy generator"
    raise InputTypeError(Param("random_state"), *words, Got(random_state))


def random_numbers(random_state: object) -> np.random.Generator:
    """A generator: the one given, which goes on where it is, or one of a seed."""
    import numpy as np

    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(resolve_seed(random_state))

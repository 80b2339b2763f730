"""Formatting of numbers and values."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


MISSING = "–"
_ACRONYM = re.compile(r"^(?:asd$|fpcps|mc\d)", re.IGNORECASE)
DIGITS = 4  # significant digits of the largest number of a column


def count(value: int) -> str:
    """A whole number with thousands separated."""
    return f"{value:,}"


def duration(seconds: float) -> str:
    """``50 seconds``, ``3 minutes``, ``5 hours``: a time that is known roughly."""
    if seconds >= 7200.0:
        return f"{seconds / 3600.0:.0f} hours"
    return f"{seconds / 60.0:.0f} minutes" if seconds >= 120.0 else plural(round(seconds), "second")


def plural(value: int, noun: str) -> str:
    """``1 class``, ``2 classes``, ``2 studies``, ``1,000 samples``."""
    if value != 1:
        stem, end = (noun[:-1], "ies") if noun.endswith("dy") else (noun, "s")
        noun = f"{stem}{'es' if noun.endswith('s') else end}"
    return f"{value:,} {noun}"


def number(value: float, decimals: int = 3) -> str:
    """A number with a fixed number of decimals and a minus sign that is one."""
    if not math.isfinite(value):
        return MISSING
    text = f"{value:,.{decimals}f}"
    # A rounded zero has no sign.
    return text.replace("-", "" if float(text.replace(",", "")) == 0 else "−")


def numbers(values: ArrayLike) -> list[str]:
    """A column of numbers with as many decimals as its largest number deserves.

    Examples
    --------
    >>> numbers([12.3456, 0.5, -0.00001])
    ['12.35', '0.50', '0.00']
    >>> numbers([0.0012345, float("nan")])
    ['0.001234', '–']
    """
    array = _floats(values)
    largest = max((abs(value) for value in array.tolist() if math.isfinite(value)), default=0.0)
    magnitude = math.floor(math.log10(largest)) if largest > 0 else 0
    if -5 < magnitude < 12:
        return [number(value, max(0, DIGITS - 1 - magnitude)) for value in array.tolist()]
    cells = (f"{value:.{DIGITS - 1}e}".replace("-", "−") for value in array.tolist())
    return [cell if "e" in cell else MISSING for cell in cells]


def probabilities(values: ArrayLike) -> list[str]:
    """Probabilities with two significant digits below 0.001 and four decimals above.

    Examples
    --------
    >>> probabilities([0.0312345, 3e-7, 0.0, 1.0])
    ['0.0312', '3.0e−07', '< 1e−308', '1.0000']
    """
    cells = []
    for value in _floats(values).tolist():
        small = f"{value:.1e}".replace("-", "−") if value else "< 1e−308"
        cells.append(small if value < 0.001 else number(value, 4))
    return cells


def ranks(values: ArrayLike) -> list[str]:
    """A column of ranks or quantiles of ranks: whole numbers, or one decimal for all of them."""
    array = _floats(values).round(1)
    digits = int(any(value % 1 != 0 for value in array.tolist() if math.isfinite(value)))
    return [number(value, digits) for value in array.tolist()]


def percentages(shares: ArrayLike) -> list[str]:
    """A column of shares from 0 to 1 in per cent, without the sign."""
    return [number(100.0 * value, 1) for value in _floats(shares).tolist()]


def whole_numbers(values: Iterable[int]) -> list[str]:
    """A column of whole numbers."""
    return [count(int(value)) for value in values]


def words(values: Iterable[Any]) -> list[str]:
    """A column of words."""
    return list(map(str, values))


def _floats(values: ArrayLike) -> NDArray[np.float64]:
    import numpy as np  # commands import this file, and start without NumPy

    return np.asarray(values, dtype=np.float64)


def readable(label: str) -> str:
    """The name of a method as words."""
    return label.replace("_", " ")


def titled(label: str) -> str:
    """The name of a method at the start of a sentence.

    Examples
    --------
    >>> titled("mean_rank"), titled("mc1_row"), titled("fpcps")
    ('Mean rank', 'MC1 row', 'FPCPS')
    """
    words = readable(label)
    return _ACRONYM.sub(lambda match: match[0].upper(), words[:1].upper() + words[1:])


def enumerate_names(names: Sequence[str], most: int = 12) -> str:
    """``a, b and c``; beyond `most` names, how many more there are."""
    shown = list(names)
    if len(shown) > most:
        return f"{', '.join(shown[:most])} and {len(shown) - most:,} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def it_or_them(names: Sequence[str]) -> str:
    """The pronoun for one name or several."""
    return "it" if len(names) == 1 else "them"


def first_line(error: Exception) -> str:
    """What an error says first, or else what it is called."""
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def lines_of(names: Sequence[str]) -> str:
    """One name per line; a name that contains a line break as a JSON string."""
    plain = (json.dumps(name) if len(name.splitlines()) > 1 else name for name in names)
    return "".join(f"{name}\n" for name in plain)


def setting(value: Any) -> str:
    """The value of a parameter in plain words; numbers keep every digit."""
    if value is None or (isinstance(value, (str, Mapping, Sequence)) and len(value) == 0):
        return "none"
    import numpy as np

    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        texts = []
        for key, inner in value.items():
            parts = inner.items() if isinstance(inner, Mapping) else ()
            listed = ", ".join(f"{name} = {setting(one)}" for name, one in parts)
            texts.append(f"{key}: {listed or setting(inner)}")
        return "; ".join(texts)
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return ", ".join(map(setting, value))
    return str(value)

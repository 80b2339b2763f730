"""What one column of a table is, and its cells as floating-point numbers."""

from __future__ import annotations

import datetime
import numbers
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from enum import IntEnum
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.validation import check_writable_names, writable_text
from pyfsagg._base.words import first_line
from pyfsagg._message import NAN, NONE, Message, Remedy, Use
from pyfsagg._table.delimited import MISSING
from pyfsagg.exceptions import DataError, InputTypeError

NUMBER_GAPS = frozenset(
    (
        *(*MISSING, "n/a", "na", "None", "none", ".", "-", "--", "*", "missing"),
        *("#N/A", "#NA", "<NA>", "N.A."),
    )
)
"""Words that are missing in a column whose other cells are numbers; elsewhere they are words."""

_UNITS = frozenset(
    re.findall(
        r"\S+",
        "% ‰ ° °C °F g kg mg µg ug ng pg l L ml mL dl dL µl µL mm cm km nm µm ms mV kV Hz kHz MHz kPa Pa "
        "hPa mmHg bpm bp kb Mb IU mol mmol µmol ppm ppb kcal kJ g/l g/L mg/l mg/L g/dl g/dL mg/dl mg/dL "
        "mmol/l mmol/L µmol/l µmol/L U/l U/L kg/m2 kg/m² km/h m/s",
    )
)
"""Units that may follow a number without a blank."""

_CURRENCY = "[$€£¥₹]|USD|EUR|GBP|CHF|JPY"
_NUMBER = re.compile(
    rf"""(?P<minus>\()?\s*
    (?P<sign>[+−-])?\s*(?P<before>{_CURRENCY})?\s*(?P<sign2>[+−-])?
    (?P<digits>[0-9][0-9.,'’\u00a0\u202f\x20]*|[.,][0-9]+)
    (?P<exponent>[eE][+−-]?[0-9]+)?
    (?P<blank>\s*)(?P<unit>[^\s0-9()].{{0,11}}?)?\s*(?P<end>\))?""",
    re.VERBOSE,
)
_GROUPS = {
    ".": re.compile(r"[0-9]{1,3}(?:([,'’\u00a0\u202f\x20])[0-9]{3})(?:\1[0-9]{3})*(?:\.[0-9]*)?"),
    ",": re.compile(r"[0-9]{1,3}(?:([.'’\u00a0\u202f\x20])[0-9]{3})(?:\1[0-9]{3})*(?:,[0-9]*)?"),
}
_PLAIN = {
    ".": re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+"),
    ",": re.compile(r"[0-9]+(?:,[0-9]*)?|,[0-9]+"),
}


LIMIT = re.compile(r"\s*([<>≤≥])=?\s*(?=[0-9.,])")
"""The sign before a value beyond a limit of detection: ``<5``."""


def is_number(word: str) -> bool:
    """Whether a word is a number with either decimal mark, perhaps with a unit."""
    match = _NUMBER.fullmatch(word.strip())
    return match is not None and any(_value(match, mark) is not None for mark in ".,")


def is_unit(word: str) -> bool:
    """Whether a word is a unit, perhaps in brackets."""
    return word.strip("()[] ") in _UNITS or re.fullmatch(r"\(.*\)|\[.*\]", word) is not None


Words = tuple["pd.Series[Any]", tuple[str, ...]]
"""The numbers of a column of words, integers if all are whole and known, and how they were written."""


def decimal_of(columns: Iterable[pd.Series[Any]], *, points: bool, separator: str | None) -> str:
    """The decimal mark of a table: that of the words in which a comma can be nothing else."""
    first: dict[str | None, str] = {}  # column by the role of its commas
    for column in columns:
        first.setdefault(_role_of_commas(column), str(column.name))
    decimal, thousands, unclear = map(first.get, ("decimal", "thousands", "unclear"))
    say = Message("say which: ", Use(decimal=","), " or ", Use(decimal="."))
    if decimal is not None and thousands is not None:
        raise DataError(
            f"column {decimal!r} has decimal commas and column {thousands!r} has commas between ",
            "thousands; ",
            say,
        )
    if decimal is not None:
        return ","
    if unclear is not None and thousands is None and not points:
        if separator == ";":  # where the comma divides no cells it is the decimal mark
            return ","
        raise DataError(
            f"the commas in column {unclear!r} may be decimal or divide thousands (1,065 is 1.065 or "
            f"1065); {say}"
        )
    return "."


def _role_of_commas(column: pd.Series[Any]) -> str | None:
    """Whether the commas of a column of numbers are decimal, divide thousands, or are unclear."""
    roles: set[str] = set()
    for word in column.dropna().unique():
        if not isinstance(word, str) or word.strip() in NUMBER_GAPS:
            continue
        match = _NUMBER.fullmatch(word.strip())
        if match is None:
            return None
        digits = match["digits"].strip()
        if "," not in digits:
            continue
        grouped = _GROUPS["."].fullmatch(digits) is not None
        decimal = bool(_PLAIN[","].fullmatch(digits) or _GROUPS[","].fullmatch(digits))
        if not grouped and not decimal:
            return None
        if digits.startswith("0") or not grouped:
            roles.add("decimal")
        else:
            roles.add("unclear" if decimal else "thousands")
    clear = roles - {"unclear"} or roles
    return clear.pop() if len(clear) == 1 else None


def numbers_of(column: pd.Series[Any], decimal: str) -> Words | None:
    """The numbers of words, None if one is no number, or units differ; `NUMBER_GAPS` are missing."""
    parsed: dict[Any, float] = {}
    gaps: list[str] = []
    units: set[str] = set()
    whole, marks, negative = True, False, False
    for word in column.dropna().unique():
        if not isinstance(word, str):
            if isinstance(word, (bool, np.bool_)) or not isinstance(word, (int, float, np.number)):
                return None
            parsed[word], whole = float(word), whole and float(word).is_integer()
            units.add("")
            continue
        if word.strip() in NUMBER_GAPS:
            gaps.append(word)
            continue
        match = _NUMBER.fullmatch(word.strip())
        number = None if match is None else _value(match, decimal)
        if match is None or number is None:
            return None
        parsed[word], unit, text = number
        units.add(unit)
        if len(units) > 1:
            return None
        whole = whole and text.isdigit()
        marks = marks or not _PLAIN[decimal].fullmatch(match["digits"].strip())
        negative = negative or match["minus"] is not None
    if not parsed:
        return None
    values: pd.Series[Any] = column.map(
        lambda cell: parsed.get(cell, np.nan), na_action="ignore"
    ).astype(float)
    if whole and bool(values.notna().all()):
        values = values.astype(np.int64)
    unit = next(iter(units))
    notes = {
        f"unit {unit}": unit,
        "thousands marks": marks,
        "negative numbers in parentheses": negative,
        f"missing: {', '.join(map(repr, gaps))}": gaps,
    }
    return values, tuple(note for note, applies in notes.items() if applies)


def numbers_with_limits(column: pd.Series[Any], decimal: str, limits: str) -> Words | None:
    """As :func:`numbers_of`, with ``<5``: half of a lower ``limit`` ("half"), the limit, or missing."""
    words = (word for word in column.dropna().unique() if isinstance(word, str))
    sides = {word: match[1] for word in words if (match := LIMIT.match(word))}
    plain = {word: LIMIT.sub("", word) for word in sides}
    if not sides or (read := numbers_of(column.replace(plain), decimal)) is None:
        return None
    side, values = column.map(sides), read[0].astype(float)
    if limits == "half":
        values = values.where(~side.isin(["<", "≤"]), values / 2)
    elif limits == "missing":
        values = values.mask(side.notna())
    return values, (*read[1], f"limits of detection: {limits}")


def _value(match: re.Match[str], decimal: str) -> tuple[float, str, str] | None:
    """Number, unit and plain text of a word, or None if it is no number."""
    if (match["minus"] is None) != (match["end"] is None) or (match["sign"] and match["sign2"]):
        return None
    digits = match["digits"].strip()
    if not _PLAIN[decimal].fullmatch(digits):
        grouped = _GROUPS[decimal].fullmatch(digits)
        if grouped is None or digits.startswith("0"):
            return None
        digits = digits.replace(grouped[1], "")
    unit = match["unit"] or ""
    apart = match["blank"] or match["digits"] != match["digits"].rstrip()
    if unit and not (apart or unit in _UNITS or re.fullmatch(_CURRENCY, unit)):
        return None  # "12a" is a code
    if unit and match["before"]:
        return None
    text = digits.replace(decimal, ".") + (match["exponent"] or "").replace("−", "-")
    value = float(text)
    if match["minus"] or (match["sign"] or match["sign2"] or "+") != "+":
        value = -value
    return value, match["before"] or unit, text


EXACT = 2.0**53  # up to here every whole number is a floating-point number
MOMENTS = (datetime.date, datetime.time, datetime.timedelta)
_DATES = (
    "column {!r} contains dates or times, which have no importance score; give the number of days since a "
    "fixed day (of a duration the number of seconds) instead, or leave the column out"
)
_NESTED = (
    "column {!r} contains values of type {}: argument must be a string or a number; give each part of a "
    "nested value a column of its own, or leave the column out"
)


class Kind(IntEnum):
    """How a column was stored; methods decide what that means for them."""

    NUMERIC = 0
    INTEGER = 1
    BOOLEAN = 2
    NOMINAL = 3


def array_kind(dtype: np.dtype[Any]) -> Kind:
    """How columns of one of NumPy's types of numbers were stored."""
    return {"b": Kind.BOOLEAN, "i": Kind.INTEGER, "u": Kind.INTEGER}.get(dtype.kind, Kind.NUMERIC)


Read = tuple[Kind, Floats, tuple[Any, ...] | None]
"""Kind of a column, its cells (nominal ones as level codes, missing ones NaN), and its levels."""


def read_column(column: Any, name: str, declared: bool) -> Read:
    """A column of any type, or an error."""
    if isinstance(getattr(column, "dtype", None), pd.ArrowDtype):
        column = column.array.__arrow_array__()
    if not isinstance(column, pd.Series):
        if not declared:
            refuse_arrow_type(column.type, name)
        column = pandas_column(column, name)
    dtype = column.dtype
    if pd.api.types.is_object_dtype(dtype):
        _refuse_signals(column)
    if declared or isinstance(dtype, pd.CategoricalDtype):
        return _nominal(column, name)
    if dtype.kind in "biuf":
        return _numeric(column, name, array_kind(dtype))
    if dtype.kind == "c":
        raise DataError(f"Complex data not supported: column {name!r} has complex values")
    if _is_date_type(dtype):
        raise DataError(_DATES.format(name))
    with writable_text(f"in column {name!r}"):
        if pd.api.types.is_object_dtype(dtype):
            return _read_objects(column, name)
        refuse_mixed_text(column, name)
        return _nominal(column, name)


def _numeric(column: pd.Series[Any], name: str, kind: Kind) -> Read:
    """Floating-point numbers; whole numbers are refused where different ones would be one."""
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if kind == Kind.INTEGER:
        known = values[~np.isnan(values)]
        if np.abs(known).max(initial=0.0) >= EXACT:
            refuse_rounded(column.dropna().to_numpy(), known, name)
    return kind, values, None


def refuse_rounded(cells: NDArray[Any], values: Floats, name: str) -> None:
    """Refuse whole numbers beyond 2^53 that are different and would be one floating-point number."""
    if len(np.unique(cells)) > len(np.unique(values)):
        raise DataError(
            f"column {name!r} has whole numbers beyond 2^53 that differ by less than a floating-point "
            "number can tell; subtract the smallest one, or declare it nominal"
        )


def _is_date_type(dtype: Any) -> bool:
    return dtype.kind in "mM" or isinstance(dtype, pd.PeriodDtype)


def holds_dates(column: pd.Series[Any]) -> bool:
    """Whether a column contains dates, times or durations, by its type or its first known cell."""
    dtype: Any = column.dtype
    if isinstance(dtype, pd.ArrowDtype):
        from pyarrow import types

        return bool(types.is_temporal(dtype.pyarrow_dtype))
    if not pd.api.types.is_object_dtype(dtype):
        return _is_date_type(dtype)
    _refuse_signals(column)
    first = column.dropna().head(1).tolist()
    return bool(first) and isinstance(first[0], MOMENTS)


def _refuse_signals(column: pd.Series[Any]) -> None:
    """A signaling NaN of decimals, which any comparison stops at, is refused."""
    try:
        column.isna()
    except InvalidOperation:
        raise DataError(
            f"column {str(column.name)!r} contains a signaling ",
            NAN,
            ", Decimal('sNaN')",
            Remedy("write ", NONE, " or ", NAN, " where a value is missing"),
        ) from None


def _read_objects(column: pd.Series[Any], name: str) -> Read:
    present = column.dropna()
    types = dict.fromkeys(map(type, present))
    for one in types:
        if issubclass(one, MOMENTS):
            raise DataError(_DATES.format(name))
        if not issubclass(one, (str, numbers.Real, Decimal)):
            raise InputTypeError(_NESTED.format(name, one.__name__))
    if types and not any(issubclass(one, str) for one in types):
        whole = Kind.INTEGER if all(map(_is_whole, present)) else Kind.NUMERIC
        try:
            return _numeric(column, name, Kind.BOOLEAN if types.keys() == {bool} else whole)
        except OverflowError:
            raise DataError(
                f"column {name!r} has a whole number beyond 1e308, the largest that can be computed with"
            ) from None
    refuse_mixed_text(present, name)
    return _nominal(column, name)


def _is_whole(value: Any) -> bool:
    """A whole number by its type; a decimal if it is written without digits after the point."""
    if isinstance(value, Decimal):
        exponent = value.as_tuple().exponent
        return isinstance(exponent, int) and exponent >= 0
    return isinstance(value, numbers.Integral)


def _nominal(column: pd.Series[Any], name: str) -> Read:
    """Level codes; levels that do not occur are omitted."""
    try:
        categorical = pd.Categorical(column).remove_unused_categories()
    except TypeError as error:
        raise DataError(f"column {name!r} cannot be read as nominal: {error}") from None
    levels = tuple(categorical.categories)
    # As a file would hold them: 1.0 and 1 are one number.
    whole = (int(one) if isinstance(one, float) and one.is_integer() else one for one in levels)
    words = list(map(str, whole))
    twice = [word for word, count in Counter(words).items() if count > 1]
    if twice:
        raise DataError(
            f"column {name!r} contains {twice[0]!r} as a word and as something else, which no file can "
            "tell apart; convert the column to text (astype(str)) or to numbers"
        )
    check_writable_names(words, f"a level of column {name!r}")
    codes = categorical.codes.astype(np.float64)
    codes[codes < 0] = np.nan
    return Kind.NOMINAL, codes, levels


def refuse_mixed_text(column: pd.Series[Any], name: str) -> None:
    """Text in which some, but not all, entries are numbers is a numeric column gone wrong."""
    words = column.dropna().astype(str)
    limits = words.str.match(LIMIT.pattern)
    plain = words.str.replace(",", ".") if limits.any() else words
    numeric = pd.to_numeric(plain, errors="coerce").notna()
    if bool(numeric.any()) and not bool(numeric.all()):
        if bool((limits | numeric).all()):
            raise DataError(
                f"column {name!r} has numbers and limits of detection ({words[numeric].iloc[0]!r}, "
                f"{words[limits].iloc[0]!r}); write a number for a value beyond the limit, such as half of "
                "a lower limit"
            )
        raise DataError(
            f"column {name!r} mixes numbers and words ({words[numeric].iloc[0]!r}, "
            f"{words[~(limits | numeric)].iloc[0]!r}); declare it nominal or mark its missing values"
        )


def refuse_arrow_type(arrow_type: Any, name: str) -> None:
    """Refuse an Arrow column of an unsupported type."""
    from pyarrow import types

    if types.is_temporal(arrow_type):
        raise DataError(_DATES.format(name))
    binary = (types.is_binary, types.is_large_binary, types.is_fixed_size_binary)
    if types.is_nested(arrow_type) or any(is_binary(arrow_type) for is_binary in binary):
        raise InputTypeError(_NESTED.format(name, arrow_type))


def pandas_column(column: Any, name: str) -> pd.Series[Any]:
    """An Arrow array as a Series (nullable numbers, ordered categories); a Series as it is."""
    if isinstance(column, pd.Series):
        return column
    import pyarrow as pa

    if not isinstance(column, pa.ChunkedArray):
        column = pa.chunked_array([column])
    try:
        if pa.types.is_decimal(column.type):
            if column.type.scale > 0:
                return pd.Series(arrow_numbers(column).to_numpy())
            with suppress(pa.ArrowInvalid):  # beyond 2^63 they are Python's
                column = column.cast(pa.int64())
        elif pa.types.is_dictionary(column.type):
            return _categories(column)
        series: pd.Series[Any] = column.to_pandas(types_mapper=_nullable_type)
        return series
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise DataError(f"column {name!r} cannot be read: {first_line(error)}") from None


def _nullable_type(arrow_type: Any) -> Any:
    """pandas' nullable type of whole numbers and booleans."""
    from pyarrow import types

    if types.is_integer(arrow_type):  # Int64 of int64, UInt8 of uint8
        return pd.api.types.pandas_dtype(str(arrow_type).replace("ui", "UI").replace("int", "Int"))
    return pd.BooleanDtype() if types.is_boolean(arrow_type) else None


def arrow_numbers(column: Any) -> Any:
    """Decimals as the nearest float64, via text: Arrow's conversion is off by a bit in some cells."""
    import pyarrow as pa

    return column.cast(pa.string()).cast(pa.float64())


def _categories(column: Any) -> pd.Series[Any]:
    """Categories in the order of the dictionary; sorted if that contains one twice, or a missing one."""
    import pyarrow as pa

    values = column.type.value_type
    joined = column.unify_dictionaries().combine_chunks()
    if isinstance(joined, pa.ChunkedArray):
        joined = joined.chunk(0) if joined.num_chunks else pa.array([], column.type)
    categories = joined.dictionary
    if categories.null_count or len(categories.unique()) < len(categories):
        words = column.cast(values).to_pandas()
        return pd.Series(words.astype("category"))
    codes = joined.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    index = pd.Index(categories.to_pandas())
    return pd.Series(pd.Categorical.from_codes(codes, index, ordered=bool(column.type.ordered)))


def numpy_column(column: pd.Series[Any]) -> pd.Series[Any]:
    """A Series whose numbers are NumPy's, missing ones NaN; words and categories as they are."""
    dtype: Any = column.dtype
    if isinstance(dtype, pd.ArrowDtype):
        series = pandas_column(column.array.__arrow_array__(), str(column.name))
        series = series.set_axis(column.index)
        series.name = column.name
        return numpy_column(series)
    stored = getattr(dtype, "numpy_dtype", None)
    if stored is None:
        return column
    if not bool(column.isna().any()):
        return column.astype(stored)
    return column.astype(object) if stored.kind == "b" else column.astype(np.float64)

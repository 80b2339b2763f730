"""Words that are numbers: with thousands marks, decimal commas, per cent, units, currency."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pyfsagg._table.delimited import MISSING
from pyfsagg.exceptions import DataError

__all__ = ["NUMBER_GAPS", "Words", "decimal_of", "numbers_of", "refuse_points"]

NUMBER_GAPS = frozenset(
    (
        *MISSING,
        "n/a",
        "na",
        "None",
        "none",
        ".",
        "-",
        "--",
        "*",
        "missing",
        "#N/A",
        "#NA",
        "<NA>",
        "N.A.",
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


@dataclass(frozen=True)
class Words:
    """A column of words that are numbers.

    Attributes
    ----------
    values : Series
        Whole numbers if all are, and none is missing; otherwise of floating point.
    said : tuple of str
        What the numbers were written with.
    """

    values: pd.Series[Any]
    said: tuple[str, ...]


def decimal_of(columns: Iterable[pd.Series[Any]], *, points: bool, separator: str | None) -> str:
    """The decimal mark of a table: that of the words in which a comma can be nothing else.

    Parameters
    ----------
    columns : iterable of Series
        Those of words.
    points : bool
        Whether another column has numbers with decimal points; it tells only what unclear commas are.
    separator : str or None
        What divides the cells.

    Raises
    ------
    DataError
        If commas are decimal in one column and divide thousands in another, or may be either.
    """
    decimal: str | None = None
    thousands: str | None = None
    unclear: str | None = None
    for column in columns:
        found = _role_of_commas(column)
        name = str(column.name)
        decimal = name if found == "decimal" and decimal is None else decimal
        thousands = name if found == "thousands" and thousands is None else thousands
        unclear = name if found == "unclear" and unclear is None else unclear
    say = "say which: decimal=',' or decimal='.'"
    if decimal is not None and thousands is not None:
        raise DataError(
            f"column {decimal!r} has decimal commas and column {thousands!r} has commas between "
            f"thousands; {say}"
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


def refuse_points(columns: Iterable[pd.Series[Any]]) -> None:
    """Refuse decimal points in words of a table with decimal commas.

    Raises
    ------
    DataError
        If a column would be one of numbers with points only.
    """
    for column in columns:
        if numbers_of(column, ",") is None and numbers_of(column, ".") is not None:
            raise DataError(
                f"column {str(column.name)!r} has decimal points and others have decimal commas; say "
                "which: decimal=',' or decimal='.'"
            )


def _role_of_commas(column: pd.Series[Any]) -> str | None:
    """Whether the commas of a column of numbers are decimal, divide thousands, or are unclear."""
    found: str | None = None
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
        if grouped != decimal or digits.startswith("0"):
            role = "thousands" if grouped and not digits.startswith("0") else "decimal"
            if found not in (None, "unclear", role):
                return None
            found = role
        else:
            found = found or "unclear"
    return found


def numbers_of(column: pd.Series[Any], decimal: str) -> Words | None:
    """The numbers that the words of a column stand for; None if one of them is no number.

    All cells have the same unit or currency, or none; a word of `NUMBER_GAPS` is a missing value.
    """
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
        found = None if match is None else _value(match, decimal)
        if match is None or found is None:
            return None
        parsed[word], unit, text = found
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
    said = [f"unit {unit}"] if unit else []
    said += ["thousands marks"] if marks else []
    said += ["negative numbers in parentheses"] if negative else []
    said += [f"missing: {', '.join(map(repr, gaps))}"] if gaps else []
    return Words(values, tuple(said))


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

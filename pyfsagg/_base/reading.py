"""How a file is read as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pyfsagg._base.settings import Settings, names_of, option
from pyfsagg.exceptions import ParameterError

__all__ = ["SEPARATORS", "Reading"]

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "pipe": "|", "space": " "}
_DECIMALS = {"comma": ",", "point": ".", "dot": "."}


@dataclass(frozen=True, eq=False)
class Reading(Settings):
    """How a file is read as a table; settings that are not given are detected.

    Parameters
    ----------
    sep : str, optional
        Separator of the cells of a text: one character, or comma, semicolon, tab, pipe, space (any
        number of blanks).
    decimal : str, optional
        The decimal mark of a text or of words in a sheet: ``.`` (point) or ``,`` (comma).
    encoding : str, optional
        Of a text, for instance cp1252 or utf-16.
    sheet : str, optional
        Name or number, from 1, of the sheet of a workbook (xlsx, xlsm, xls, ods); the first by default.
    missing : sequence of str
        Further words or numbers that mean "missing", for instance -999.
    transpose : bool
        The rows are features: the first column holds their names, the header those of the samples.
    labels : path, optional
        A second file with columns for the same samples, for instance the target: joined by `id` or row
        names where both files have them, else row by row.
    drop : sequence of str
        Columns to be left out.
    id : str, optional
        The column that names the samples; it is not used as a feature.

    Raises
    ------
    ParameterError
        For a value that is not allowed.
    """

    kind: ClassVar[str] = "reading"

    sep: str | None = option(
        None,
        metavar="CHARACTER",
        help="separator of the cells: , ; tab | space (default: detected)",
    )
    decimal: str | None = option(
        None, metavar="MARK", help="decimal mark, . or , (default: detected)"
    )
    encoding: str | None = option(
        None, metavar="NAME", help="encoding of a text, such as cp1252 (default: UTF-8 or UTF-16)"
    )
    sheet: str | None = option(
        None, metavar="NAME", help="sheet of a workbook by name or number (default: the first)"
    )
    missing: Sequence[str] = option(
        (),
        metavar="A,B",
        read=names_of,
        help="more codes for missing values: --missing=-999",
    )
    transpose: bool = option(False, help="rows are features: their names are in the first column")
    labels: str | None = option(
        None, metavar="FILE", help="second file with columns (the target) for the same samples"
    )
    drop: Sequence[str] = option(
        (),
        metavar="A,B",
        read=names_of,
        help="columns to be left out (identifiers); also --exclude",
    )
    id: str | None = option(None, metavar="COLUMN", help="column with the names of the samples")

    def check(self) -> None:
        for name in ("missing", "drop"):
            value = getattr(self, name)
            words = [value] if isinstance(value, (str, int, float)) else list(value)
            object.__setattr__(self, name, tuple(map(str, words)))
        for name in ("sheet", "labels"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, str(getattr(self, name)))
        if self.sep is not None:
            mark = SEPARATORS.get(self.sep, self.sep)
            if len(mark) != 1 or mark in '"\n\r':
                raise ParameterError(
                    f"sep must be one character, or comma, semicolon, tab, pipe or space, got {self.sep!r}"
                )
            object.__setattr__(self, "sep", mark)
        if self.decimal is not None:
            mark = _DECIMALS.get(self.decimal, self.decimal)
            if mark not in (",", "."):
                raise ParameterError(f"decimal must be '.' or ',', got {self.decimal!r}")
            object.__setattr__(self, "decimal", mark)
        if self.sep is not None and self.sep == self.decimal:
            raise ParameterError(f"sep and decimal are both {self.sep!r}; they must differ")

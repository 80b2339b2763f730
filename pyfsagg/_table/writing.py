"""Tables as CSV in which a spreadsheet finds no formula."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd

__all__ = ["escaped", "unescaped", "unescaped_frame", "write_csv"]

_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
_ESCAPED = re.compile(r"'+[=+\-@\t\r\n]")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def escaped(cell: Any) -> Any:
    """A text with an apostrophe before it if a spreadsheet would take it for a formula.

    That is one which begins with ``=``, ``+``, ``-``, ``@``, a tab or a line break, and is no
    number.  A text that looks escaped already gets one more apostrophe, so that `unescaped` gives
    every text back.

    Examples
    --------
    >>> [escaped(text) for text in ("=1+1", "-1", "'=1", "gene")]
    ["'=1+1", '-1', "''=1", 'gene']
    """
    if not isinstance(cell, str) or not _FORMULA.match(cell) or _NUMBER.fullmatch(cell):
        return cell
    return "'" + cell


def unescaped(cell: Any) -> Any:
    """A text as it was before `escaped`.

    Examples
    --------
    >>> [unescaped(text) for text in ("'=1+1", "''=1", "'quoted'")]
    ['=1+1', "'=1", "'quoted'"]
    """
    return cell[1:] if isinstance(cell, str) and _ESCAPED.match(cell) else cell


def write_csv(frame: pd.DataFrame, path: str | Path, *, index: bool = False) -> None:
    """Write a table with a header; names, labels and texts are escaped, numbers keep every digit."""
    safe = _mapped(frame, escaped)
    if index:
        safe.index = _labels(safe.index, escaped)
    safe.to_csv(path, index=index)


def unescaped_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """A table that `write_csv` wrote, as it was."""
    made = _mapped(frame, unescaped)
    made.index = _labels(made.index, unescaped)
    return made


def _mapped(frame: pd.DataFrame, change: Any) -> pd.DataFrame:
    """A frame whose header and texts went through a function."""
    made = frame.copy(deep=False)
    for j, dtype in enumerate(frame.dtypes):
        texts = isinstance(dtype, (pd.StringDtype, pd.CategoricalDtype)) or dtype.kind == "O"
        if not texts:
            continue
        column = frame.iloc[:, j]
        if any(change(cell) is not cell for cell in column.unique()):
            made.isetitem(j, column.map(change, na_action="ignore").array)
    made.columns = _labels(frame.columns, change)
    return made


def _labels(index: Any, change: Any) -> Any:
    if all(change(label) is label for label in (index.name, *index)):
        return index
    return pd.Index([change(label) for label in index], name=change(index.name))

"""The tables of a result as one workbook for spreadsheet programs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pyfsagg.exceptions import MissingDependencyError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["require_workbooks", "write_workbook"]

# A name that looks like a formula or a link is a name.
_PLAIN = {"strings_to_formulas": False, "strings_to_urls": False, "nan_inf_to_errors": True}
_CREATED = datetime(2000, 1, 1)  # the same bytes for the same tables


def require_workbooks() -> None:
    """Say before the run that a workbook cannot be written.

    Raises
    ------
    MissingDependencyError
        If XlsxWriter is not installed.
    """
    try:
        import xlsxwriter  # noqa: F401
    except ImportError:
        raise MissingDependencyError(
            "--xlsx needs the package XlsxWriter; install it with: pip install 'pyfsagg[sheets]'"
        ) from None


def write_workbook(path: Path, tables: Mapping[str, pd.DataFrame]) -> None:
    """Write each table on a sheet of its name."""
    import pandas as pd

    with pd.ExcelWriter(path, engine="xlsxwriter", engine_kwargs={"options": _PLAIN}) as book:
        book.book.set_properties({"created": _CREATED})
        for name, frame in tables.items():
            sheet = Path(name).stem[:31]
            frame.to_excel(
                book, sheet_name=sheet, index=frame.index.name is not None, freeze_panes=(1, 1)
            )

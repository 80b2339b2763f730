"""What Python's functions return, as R can hold it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["frame_of", "plain"]


def plain(value: Any) -> Any:
    """Settings as R can hold them: lists, words and numbers."""
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    return str(value)


def frame_of(frame: pd.DataFrame, index: str | None = None) -> dict[str, Any]:
    """A data frame as names and columns; the index becomes the column `index`."""
    if index is not None:
        frame = frame.rename_axis(index).reset_index()
    columns: list[Any] = []
    for position in range(frame.shape[1]):
        column = frame.iloc[:, position]
        if column.dtype.kind in "fiub":
            columns.append(column.to_numpy())
        else:
            columns.append([None if pd.isna(each) else str(each) for each in column])
    return {"names": [str(name) for name in frame.columns], "columns": columns}

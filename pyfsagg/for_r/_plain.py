"""What Python's functions return, as R can hold it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from pyfsagg._message import rendered
from pyfsagg._run.result import Result
from pyfsagg.ensemble import EnsembleResult
from pyfsagg.ensemble.groups import about_copies, about_groups
from pyfsagg.exceptions import DataError
from pyfsagg.for_r._files import packed, record_of
from pyfsagg.for_r._spelling import InR
from pyfsagg.ranks import RankTable


def plain_value(value: Any) -> Any:
    """Settings as R can hold them: lists, words and numbers."""
    if isinstance(value, Mapping):
        return {str(key): plain_value(each) for key, each in value.items()}
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, (list, tuple)):
        return [plain_value(each) for each in value]
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    return str(value)


def frame_of(frame: pd.DataFrame, index: str | None = None) -> dict[str, Any]:
    """A data frame as names and columns; the index becomes the column `index`."""
    if index is not None:
        frame = frame.rename_axis(index).reset_index()
    columns = [_cells(frame.iloc[:, position]) for position in range(frame.shape[1])]
    return {"names": [_label(name) for name in frame.columns], "columns": columns}


def _cells(column: pd.Series[Any]) -> Any:
    """Numbers as an array, categories as codes from 1 with their levels, all else as texts."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        levels = [str(level) for level in column.cat.categories]
        return {"codes": column.cat.codes.to_numpy().astype(float) + 1, "levels": levels}
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "fiub":
        return column.to_numpy()
    values = column.tolist()
    missing = [each is None or each is pd.NA or each != each for each in values]
    known = [each for each, absent in zip(values, missing, strict=True) if not absent]
    if known and all(isinstance(each, (int, float, np.number)) for each in known):
        return np.array([np.nan if a else float(v) for v, a in zip(values, missing, strict=True)])
    return [None if absent else _text(each) for each, absent in zip(values, missing, strict=True)]


def _text(value: Any) -> str:
    """A cell as a text; of several names a list of them."""
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple, set)) else str(value)


def returned(value: Any) -> Any:
    """What a public function returns, with a word on what it is, so that R makes one object of its own of it.

    Tables become data frames, arrays with names named vectors; a result becomes a list of its parts
    with its table, its sentences and, if it can be kept in files, these.
    """
    if isinstance(value, EnsembleResult):
        return {"is": "ensemble", "value": ensemble_parts(value)}
    if isinstance(value, pd.DataFrame):
        return {"is": "frame", "value": _indexed(value)}
    if isinstance(value, pd.Series):
        names = [str(name) for name in value.index]
        return {"is": "vector", "names": names, "value": _cells(value)}
    if sparse.issparse(value):
        return {"is": "sparse", "value": _sparse(value)}
    if isinstance(value, Mapping):
        return {
            "is": "list",
            "names": [_label(name) for name in value],
            "value": [returned(each) for each in value.values()],
        }
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _result(value)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return returned(value._asdict())
    if isinstance(value, (list, tuple)) and not all(_is_cell(each) for each in value):
        return {"is": "list", "names": None, "value": [returned(each) for each in value]}
    if isinstance(value, (list, tuple)) and any(isinstance(each, float) for each in value):
        value = np.array(value, dtype=float)
    return {"is": "value", "value": plain_value(value)}


_POSITIONS = ("removal_order", "order")
"""Fields that say features by their positions, which R knows by their names."""

_SILENT = ("parameters", "data", "versions", "call")
"""Fields that say how a result was made."""


def _result(value: Any) -> dict[str, Any]:
    fields = [field.name for field in dataclasses.fields(value) if field.name not in _SILENT]
    parts = {name: getattr(value, name) for name in fields if not name.startswith("_")}
    parts = {name: each for name, each in parts.items() if not isinstance(each, RankTable)}
    for name in _POSITIONS:
        if name in parts and "feature_names" in parts:
            parts[name] = [parts["feature_names"][at] for at in np.asarray(parts[name]).tolist()]
    return {
        "is": "result",
        "class": re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(value).__name__).lower(),
        "sentences": _sentences(value),
        "table": _indexed(value.to_frame()) if hasattr(value, "to_frame") else None,
        "parts": returned(parts),
        "files": packed(value) if isinstance(value, Result) else None,
    }


def _sparse(matrix: Any) -> dict[str, Any]:
    """The cells of a sparse matrix column by column, as the package Matrix of R keeps them."""
    columns = sparse.csc_matrix(matrix)
    return {
        "values": columns.data.astype(float),
        "rows": columns.indices,
        "start": columns.indptr,
        "shape": list(columns.shape),
    }


def _sentences(value: Any) -> list[str]:
    for name in ("sentences", "sentence", "conclusions"):
        said = getattr(value, name, None)
        if said is not None:
            said = said() if callable(said) else said
            said = said.values() if isinstance(said, Mapping) else said
            return [said] if isinstance(said, str) else [str(each) for each in said]
    return []


def _indexed(frame: pd.DataFrame) -> dict[str, Any]:
    """A data frame whose index, if it says anything, is its first column."""
    numbered = isinstance(frame.index, pd.RangeIndex) or (
        frame.index.name is None and frame.index.dtype.kind in "iu"
    )
    if not numbered:
        several = frame.index.nlevels > 1
        names: list[Any] = [
            name or (f"level_{i}" if several else "name")
            for i, name in enumerate(frame.index.names)
        ]
        frame = frame.rename_axis(index=names).reset_index()
    return frame_of(frame)


def _label(name: Any) -> str:
    return ".".join(map(str, name)) if isinstance(name, tuple) else str(name)


def _is_cell(value: Any) -> bool:
    return value is None or isinstance(value, (str, bool, int, float, np.generic))


def ensemble_parts(result: EnsembleResult) -> dict[str, Any]:
    """A ranking, with everything that makes it a result of Python again."""
    return {
        "method": result.method,
        "features": list(result.feature_names),
        "ranking": frame_of(result.to_frame(), "feature"),
        "score_matrices": dict(result.score_matrices),
        "combined": result.combined,
        "about_copies": about_copies(result, result.selection().compared),
        "about_groups": about_groups(result),
        "scores": result.scores,
        "ranks": result.ranking,
        "halves": result.halves,
        "record": record_of(result),
        "parameters": plain_value(result.parameters),
        "data": plain_value(result.data),
        "versions": plain_value(result.versions),
        "between_samples": _between_samples(result),
        "selection": _selection(result),
        "shuffled": None
        if result.shuffled is None
        else frame_of(result.shuffled.stability, "filter"),
    }


def _selection(result: EnsembleResult) -> dict[str, Any]:
    found = result.selection()
    return {
        "features": list(found.names),
        "reason": rendered(found.reason, InR()),
        "sentences": [rendered(each, InR()) for each in found.sentences],
    }


def _between_samples(result: EnsembleResult) -> dict[str, Any] | None:
    """Agreement of two samples, or None where the run has no pairs."""
    try:
        found = result.between_sample_stability()
    except DataError:
        return None
    frame = found.to_frame().assign(top=found.n_features_to_select, n_pairs=found.n_pairs)
    return frame_of(frame, "measure")

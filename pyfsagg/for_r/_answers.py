"""What R gets: results as plain values, tables and files."""

from __future__ import annotations

import base64
import dataclasses
import io
import json
import re
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

import pyfsagg
from pyfsagg._base.fields import as_record
from pyfsagg._message import rendered
from pyfsagg._run.result import Result
from pyfsagg.committees import Committee
from pyfsagg.ensemble import EnsembleResult
from pyfsagg.ensemble.data import arrays_of, document_of, fields_of
from pyfsagg.ensemble.groups import about_copies, about_groups
from pyfsagg.ensemble.trust import noise_between
from pyfsagg.exceptions import DataError, PyfsaggError
from pyfsagg.for_r._given import InR
from pyfsagg.ranks import Rankings
from pyfsagg.results import load_result


def packed(result: Result) -> str:
    """The files of a result in one text."""
    packed_files = io.BytesIO()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result._write_into(folder)
        with zipfile.ZipFile(packed_files, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(folder.iterdir()):
                archive.write(file, file.name)
    return base64.b64encode(packed_files.getvalue()).decode("ascii")


def unpacked(files: str) -> Any:
    """The result of :func:`packed` files."""
    with tempfile.TemporaryDirectory() as name:
        with zipfile.ZipFile(io.BytesIO(base64.b64decode(files))) as archive:
            archive.extractall(name)
        return load_result(name)


_IN_R = {"combined": "combined", "scores": "scores", "ranking": "ranks", "halves": "halves"}
"""Arrays of a ranking that are separate objects in R, with `score_matrices`, and their names there."""


def ensemble_of(parts: Mapping[str, Any]) -> EnsembleResult:
    """A ranking of :func:`ensemble_parts`."""
    record = json.loads(parts.get("record") or "{}")
    if "arrays" not in record:
        raise DataError("this result was made by an older version of pyfsaggr: run it again")
    arrays = {
        **record["arrays"],
        **{f"filter_{i}": matrix for i, matrix in enumerate(parts["score_matrices"])},
        **{name: parts[in_r] for name, in_r in _IN_R.items() if parts.get(in_r) is not None},
    }
    arrays = {name: np.ascontiguousarray(values, dtype=float) for name, values in arrays.items()}
    return EnsembleResult(**fields_of(record, arrays))


def plain_value(value: Any) -> Any:
    """Settings as R can hold them: lists, words and numbers."""
    if isinstance(value, Mapping):
        return {str(key): plain_value(part) for key, part in value.items()}
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, (list, tuple)):
        return [plain_value(part) for part in value]
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
    cells = [None if x is None or x is pd.NA or x != x else x for x in column.tolist()]
    known = [cell for cell in cells if cell is not None]
    if known and all(isinstance(cell, (int, float, np.number)) for cell in known):
        return np.array([np.nan if cell is None else float(cell) for cell in cells])
    texts = [", ".join(map(str, x)) if isinstance(x, (list, tuple, set)) else x for x in cells]
    return [None if text is None else str(text) for text in texts]


def returned(value: Any) -> Any:
    """A value of a public function with the kind of its R object: data frames, named vectors, or lists
    of the parts, table, sentences and files of a result."""
    if isinstance(value, EnsembleResult):
        return {"is": "ensemble", "value": ensemble_parts(value)}
    if isinstance(value, pd.DataFrame):
        return {"is": "frame", "value": _indexed(value)}
    if isinstance(value, pd.Series):
        names = [str(name) for name in value.index]
        return {"is": "vector", "names": names, "value": _cells(value)}
    if sparse.issparse(value):  # column by column, as the package Matrix of R keeps them
        matrix: Any = value
        columns = sparse.csc_matrix(matrix)
        cells = {"values": columns.data.astype(float), "rows": columns.indices}
        shape = {"start": columns.indptr, "shape": list(columns.shape)}
        return {"is": "sparse", "value": {**cells, **shape}}
    if isinstance(value, Mapping):
        names = [_label(name) for name in value]
        return {"is": "list", "names": names, "value": list(map(returned, value.values()))}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _result(value)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return returned(value._asdict())
    if isinstance(value, (list, tuple)) and not all(isinstance(cell, _CELLS) for cell in value):
        return {"is": "list", "names": None, "value": list(map(returned, value))}
    if isinstance(value, (list, tuple)) and any(isinstance(cell, float) for cell in value):
        value = np.array(value, dtype=float)
    return {"is": "value", "value": plain_value(value)}


_CELLS = (type(None), str, bool, int, float, np.generic)

_POSITIONS = ("removal_order", "order")  # fields with positions of features, for which R has names
_ORIGIN = ("parameters", "data", "versions")  # fields that describe how a result was made


def _result(value: Any) -> dict[str, Any]:
    names = [field.name for field in dataclasses.fields(value) if not field.name.startswith("_")]
    parts = {name: getattr(value, name) for name in names if name not in (*_ORIGIN, "call")}
    parts = {name: part for name, part in parts.items() if not isinstance(part, Rankings)}
    for name in _POSITIONS:
        if name in parts and "feature_names" in parts:
            parts[name] = [parts["feature_names"][at] for at in np.asarray(parts[name]).tolist()]
    return {
        "is": "result",
        "class": re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(value).__name__).lower(),
        "sentences": list(getattr(value, "sentences", ())),
        "table": _indexed(value.to_frame()) if hasattr(value, "to_frame") else None,
        "parts": returned(parts),
        "files": packed(value) if isinstance(value, Result) else None,
    }


def _indexed(frame: pd.DataFrame) -> dict[str, Any]:
    """A data frame whose index is its first column, unless it only counts the rows."""
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


def ensemble_parts(result: EnsembleResult) -> dict[str, Any]:
    """A ranking, with everything that makes it a result of Python again."""
    selection, arrays = result.selection(), arrays_of(result)
    apart = {*_IN_R, *(f"filter_{i}" for i in range(len(result.score_matrices)))}
    rest = {name: array for name, array in arrays.items() if name not in apart}
    settings = {name: getattr(result, name) for name in _ORIGIN}
    record = {**settings, **document_of(result), "arrays": rest}
    try:  # agreement of two samples, where the run has pairs
        agreement = result.between_sample_stability()
    except DataError:
        between = None
    else:
        frame, top = agreement.to_frame(), agreement.n_features_to_select
        if (noise := noise_between(result, top)) is not None:
            frame["shuffled"] = noise.estimates["estimate"]
        between = frame_of(frame.assign(top=top, n_pairs=agreement.n_pairs), "measure")
    return {
        "method": result.method,
        "features": list(result.feature_names),
        "ranking": frame_of(result.to_frame(), "feature"),
        "score_matrices": dict(result.score_matrices),
        "combined": result.combined,
        "about_copies": about_copies(result, selection.compared),
        "about_groups": about_groups(result),
        "scores": result.scores,
        "ranks": result.ranking,
        "halves": result.checked.halves,
        "record": json.dumps(record, default=as_record),
        **_origin(result),
        "between_samples": between,
        "selection": {
            "features": list(selection.names),
            "reason": rendered(selection.reason, InR()),
            "sentences": [rendered(sentence, InR()) for sentence in selection.sentences],
            "methods_text": result.methods_text(),
        },
    }


def _origin(result: Any) -> dict[str, Any]:
    return {name: plain_value(getattr(result, name)) for name in _ORIGIN}


def answered(result: Any) -> Any:
    """The value of a function with its kind; some results have their own classes in R."""
    match result:
        case Committee():
            kind, known = "committee", bool(result.voters["performance"].notna().any())
            parts = {
                "ranking": frame_of(result.ranking, "feature"),
                "voters": frame_of(result.voters),
                "front": frame_of(result.pareto_front()) if known else None,
                "knee": plain_value(result.knee()) if known else None,
                "learners": frame_of(result.summary(), "learner"),
                "sentences": list(result.sentences),
                "support": result.support,
                "features": list(result.feature_names),
                **_origin(result),
            }
        case pyfsagg.aggregator_influence.InfluenceResult():
            kind = "influence"
            parts = {
                "stability": frame_of(result.to_frame()),
                "ranks": {name: result.ranks(name) for name in result.aggregators},
                "features": list(result.feature_names),
                **_origin(result),
            }
        case pyfsagg.evaluation.Evaluation():
            kind = "evaluation"
            try:
                comparison = list(result.compare().sentences)
            except PyfsaggError as reason:
                comparison = [reason.render(InR())]
            parts = {
                "cells": frame_of(result.to_frame()),
                "summary": frame_of(result.summary()),
                "weighted": frame_of(result.weighted_average_accuracy()),
                "comparison": comparison,
                "remarks": list(result.remarks),
                **_origin(result),
            }
        case pyfsagg.screens.Screen():
            kind = "screen"
            parts = {
                "table": frame_of(result.to_frame(), "gene"),
                "alpha": {name: side.alpha for name, side in result.sides.items()},
                "remarks": list(result.remarks),
            }
        case _:
            return returned(result)
    return {"is": kind, "value": {**parts, "files": packed(result)}}

"""Results that R keeps as text, and their way back: saveRDS() keeps them, and nothing of Python."""

from __future__ import annotations

import base64
import io
import json
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pyfsagg._base.fields import as_record
from pyfsagg._run.result import Result
from pyfsagg.ensemble import EnsembleResult
from pyfsagg.ensemble.data import arrays_of, document_of, fields_of
from pyfsagg.exceptions import DataError
from pyfsagg.results import load_result


def packed(result: Result) -> str:
    """The files of a result in one text."""
    held = io.BytesIO()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result._write_into(folder)
        with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(folder.iterdir()):
                archive.write(file, file.name)
    return base64.b64encode(held.getvalue()).decode("ascii")


def unpacked(files: str) -> Any:
    """The result of :func:`packed` files."""
    with tempfile.TemporaryDirectory() as name:
        with zipfile.ZipFile(io.BytesIO(base64.b64decode(files))) as archive:
            archive.extractall(name)
        return load_result(name)


_IN_R = {"combined": "combined", "scores": "scores", "ranking": "ranks", "halves": "halves"}
"""Arrays of a ranking that R has as objects of its own, beside `score_matrices`, and what R calls them."""


def record_of(result: EnsembleResult) -> str:
    """A ranking but for the arrays that R has as objects of its own."""
    matrices = [f"filter_{i}" for i in range(len(result.score_matrices))]
    arrays = arrays_of(result)
    rest = {name: arrays[name] for name in arrays if name not in (*_IN_R, *matrices)}
    settings = {name: getattr(result, name) for name in ("parameters", "data", "versions")}
    record = {**settings, **document_of(result), "arrays": rest}
    return json.dumps(record, default=as_record)


def ensemble_of(parts: Mapping[str, Any]) -> EnsembleResult:
    """A ranking of :func:`record_of` and R's matrices."""
    record = json.loads(parts.get("record") or "{}")
    if "arrays" not in record:
        raise DataError("this result was made by an older version of pyfsaggr: run it again")
    arrays = {
        **record["arrays"],
        **{f"filter_{i}": matrix for i, matrix in enumerate(parts["score_matrices"])},
        **{name: parts[own] for name, own in _IN_R.items() if parts.get(own) is not None},
    }
    arrays = {name: np.ascontiguousarray(values, dtype=float) for name, values in arrays.items()}
    return EnsembleResult(**fields_of(record, arrays))

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

from pyfsagg._run.result import Result, as_record
from pyfsagg.ensemble import EnsembleResult
from pyfsagg.ensemble.clusters import Copies
from pyfsagg.ensemble.shuffled import ShuffledTargets
from pyfsagg.exceptions import DataError
from pyfsagg.results import load_result

__all__ = ["ensemble_of", "packed", "record_of", "unpacked"]


def packed(result: Result) -> str:
    """The files of a result in one text."""
    held = io.BytesIO()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result.write_into(folder)
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


def record_of(result: EnsembleResult) -> str:
    """What a ranking is beside its matrices, which R has as matrices of its own."""
    noise = result.shuffled
    return json.dumps(
        {
            "features": result.feature_names,
            "parameters": result.parameters,
            "data": result.data,
            "versions": result.versions,
            "copies": None if result.copies is None else result.copies.record(),
            "shuffled": None if noise is None else {**noise.record(), **noise.arrays()},
        },
        default=as_record,
    )


def ensemble_of(parts: Mapping[str, Any]) -> EnsembleResult:
    """A ranking of :func:`record_of` and R's matrices."""
    if parts.get("record") is None:
        raise DataError("this result was made by an older version of pyfsaggr: run it again")
    record = json.loads(parts["record"])
    labels = record["parameters"]["filters"]
    halves, noise = parts.get("halves"), record.get("shuffled")
    return EnsembleResult(
        method=parts["method"],
        feature_names=tuple(record["features"]),
        score_matrices={
            label: np.ascontiguousarray(parts["score_matrices"][i])
            for i, label in enumerate(labels)
        },
        combined=np.ascontiguousarray(parts["combined"]),
        scores=np.asarray(parts["scores"], dtype=float),
        ranking=np.asarray(parts["ranks"], dtype=float),
        parameters=record["parameters"],
        data=record["data"],
        versions=record["versions"],
        copies=Copies.of_record(record["copies"]),
        halves=None if halves is None else np.ascontiguousarray(halves),
        shuffled=None
        if noise is None
        else ShuffledTargets.of_record(noise, noise["shuffled_excess"], noise["shuffled_largest"]),
    )

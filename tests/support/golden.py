"""Stored tables, and values of other programs, in the folders `data` of tests/golden and tests/peers."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import pyfsagg

DATA = Path(__file__).parents[1] / "golden" / "data"
PEERS = Path(__file__).parents[1] / "peers" / "data"


def stored(name: str, folder: Path = DATA) -> Any:
    """The content of a JSON file, which may be compressed."""
    content = (folder / name).read_bytes()
    return json.loads(gzip.decompress(content) if name.endswith(".gz") else content)


def path_of(table: str) -> Path:
    """Of a table; one of them lies with the data of the project."""
    root = Path(__file__).parents[2]
    return root / "data" / "ionosphere.csv" if table == "ionosphere" else DATA / f"{table}.csv"


def typed(name: str) -> tuple[pd.DataFrame, pd.Series]:
    """Features and target with the storage types that R had."""
    # Text first: not every version of pandas reads a number to its last digit.
    frame = pd.read_csv(path_of(name), keep_default_na=False, na_values=[""], dtype=object)
    types = stored(f"{name}_r_types.json")
    storage = {"double": "float64", "integer": "int64", "factor": "category"}
    X = frame[list(types)].astype({column: storage[kind] for column, kind in types.items()})
    return X, frame["target"]


def scores(X: pd.DataFrame, y: Any, filter: str, rows: Any = None, **more: Any) -> dict[str, float]:
    """What a filter gives for the table, or for some rows, of which some may be repeated."""
    plan = pyfsagg.resampling.Rows([np.arange(len(X)).tolist() if rows is None else rows.tolist()])
    run = pyfsagg.wam(X, y, filter=filter, resampling=plan, checks="none", **more)
    return dict(zip(run.feature_names, run.score_matrices[filter][0], strict=True))

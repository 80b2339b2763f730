"""What each command writes, found by running it, for ``docs/files.md``."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import warnings
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import pyfsagg
from pyfsagg._run.checkpoint import SCHEMA as CHECKPOINT_SCHEMA
from pyfsagg.cli import main
from pyfsagg.exceptions import PyfsaggWarning
from pyfsagg.results import CLASSES

COMMANDS = {
    "rank": "rank table.csv --target kind --n-resamples 10 --seed 1",
    "aggregate": "aggregate a.txt b.txt c.txt --universe 40 --methods rra,borda",
    "agreement": "agreement a.txt b.txt c.txt",
    "studies": "studies guides.csv other.csv --item gene --statistic z --evidence ranks --duplicates first",
    "screen": "screen guides.csv --item gene --score z --alpha 0.2",
    "stability": "stability a.txt b.txt c.txt --n-features 40",
    "standings": "standings scores.csv",
    "influence": "influence table.csv --target kind --filters cs --aggregators am,rra --folds 3 "
    "--n-resamples 5 --seed 1",
    "evaluate": "evaluate table.csv --target kind --methods cs --classifiers nb --n-features-to-select 3 "
    "--protocol nested --n-folds 3 --n-resamples 5 --seed 1",
    "committee": "committee table.csv --target kind --learners lr --n-resamples 5 --seed 1",
    "vote": "vote votes.txt --rule phragmen",
    "order": "order orders.csv --target kind --method spoilers --seed 1",
    "unsupervised": "unsupervised numbers.csv --method frcm --n-clusterings 10 --seed 1",
}
"""A short call of each command that writes a folder of results."""


def _tables(folder: Path) -> None:
    data = pyfsagg.load_dataset("wine")
    kinds = "k" + data.y.astype(str)
    data.X.assign(kind=kinds).to_csv(folder / "table.csv", index=False)
    data.X.iloc[:60].to_csv(folder / "numbers.csv", index=False)
    scores = np.random.default_rng(0).normal((0.0, 0.5, 1.0, 3.0), size=(12, 4))
    pd.DataFrame(scores, columns=["a", "b", "c", "d"]).to_csv(
        folder / "scores.csv", index_label="data"
    )
    (folder / "votes.txt").write_text("x y\nz\nx z\n")
    data.X.iloc[:, :5].rank().assign(kind=kinds).to_csv(folder / "orders.csv", index=False)
    guides = pd.DataFrame({"gene": np.repeat([f"g{i}" for i in range(30)], 4)})
    guides["z"] = np.random.default_rng(5).standard_normal(120).round(2)
    guides.to_csv(folder / "guides.csv", index=False)
    guides[::-1].to_csv(folder / "other.csv", index=False)
    for name, items in (("a", "xyzuv"), ("b", "xzywp"), ("c", "yxqzw")):
        (folder / f"{name}.txt").write_text("\n".join(items) + "\n")


def _json_fields(path: Path) -> str:
    document = json.loads(path.read_text(encoding="utf-8"))
    return ", ".join(f"`{name}`" for name in document)


def _arrays(path: Path) -> str:
    with np.load(path) as arrays:
        return ", ".join(f"`{name}` {arrays[name].shape}" for name in arrays)


def _columns(path: Path) -> str:
    return ", ".join(f"`{name}`" for name in pd.read_csv(path, nrows=0).columns)


_READ = {
    ".json": _json_fields,
    ".npz": _arrays,
    ".csv": _columns,
    ".html": lambda _: "the report",
    ".png": lambda _: "a picture",
    ".toml": lambda _: "the command and its flags",
    ".txt": lambda _: "the selected features, one per line",
    ".xlsx": lambda _: "the tables as sheets",
}


def _rows(folder: Path) -> list[str]:
    rows = ["| file | fields, columns or arrays |", "| --- | --- |"]
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            said = _READ[path.suffix](path)
            rows.append(f"| `{path.relative_to(folder).as_posix()}` | {said} |")
    return rows


def commands() -> str:
    """One section for each command: how it was called, kind, schema, and its files."""
    here = Path.cwd()
    _tables(here)
    parts = []
    for name, call in COMMANDS.items():
        with (
            contextlib.redirect_stderr(io.StringIO()),
            contextlib.redirect_stdout(io.StringIO()),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore", PyfsaggWarning)
            code = main([*shlex.split(call), "--quiet", "--output", str(here / f"out-{name}")])
        if code != 0:
            raise RuntimeError(f"pyfsagg {call} ended with {code}")
        record = here / f"out-{name}" / "run.json"
        about: dict[str, Any] = json.loads(record.read_text("utf-8")) if record.exists() else {}
        said = f"Kind `{about['kind']}`, schema {about['schema']}. " if "schema" in about else ""
        rows = "\n".join(_rows(here / f"out-{name}"))
        parts.append(f"### {name}\n\n{said}From `pyfsagg {call}`:\n\n{rows}")
    return "\n\n".join(parts)


def kinds() -> str:
    """Every kind of result with its class and its schema, as the code has them."""
    rows = ["| kind | class | schema | read by |", "| --- | --- | --- | --- |"]
    others = [point.load() for point in entry_points(group="pyfsagg.results")]
    rows += [
        f"| `{made._kind}` | `{made.__name__}` | {made._schema} | `pyfsagg.load_result` |"
        for made in sorted([*CLASSES, *others], key=lambda result: result._kind)
    ]
    rows.append(f"| a checkpoint | | {CHECKPOINT_SCHEMA} | the command that wrote it |")
    return "\n".join(rows)

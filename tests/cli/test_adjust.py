"""Adjusting columns from a terminal: a ranking, its file of settings, and an evaluation of the saved run."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

Run = Callable[..., Any]


@pytest.fixture
def batches(tmp_path: Path) -> None:
    """``batches.csv``: a batch that goes with the class shifts b, and a differs between the classes."""
    rng = np.random.default_rng(0)
    batch = rng.integers(0, 2, 90)
    case = rng.random(90) < np.where(batch == 1, 0.8, 0.2)
    table = pd.DataFrame(rng.normal(size=(90, 4)), columns=list("abcd")).round(3)
    table["a"] += 1.5 * case
    table["b"] += 3.0 * batch
    table = table.assign(age=rng.normal(50, 9, 90).round(1), batch=np.where(batch, "new", "old"))
    table.assign(kind=np.where(case, "case", "control")).to_csv(
        tmp_path / "batches.csv", index=False
    )


RANK = "rank batches.csv --target kind --filters anova_f,spearman -n 20 --quiet"


def test_a_run_its_settings_and_its_evaluation(pyfsagg: Run, batches: None, tmp_path: Path) -> None:
    pyfsagg(f"{RANK} --adjust batch,age -o run")
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["data"]["adjusters"] == {"age": "a number", "batch": "2 levels"}
    assert record["parameters"]["adjust"] == ["batch", "age"]
    assert (tmp_path / "run" / "selected.txt").read_text() == "a\n"
    assert 'adjust = ["batch", "age"]' in (tmp_path / "run" / "run.toml").read_text()
    ranking = (tmp_path / "run" / "ranking.csv").read_bytes()
    pyfsagg("rank --config run/run.toml --overwrite -o run --quiet")
    assert (tmp_path / "run" / "ranking.csv").read_bytes() == ranking
    said = "The scores are adjusted for age (a number) and batch (2 levels)"
    assert said in " ".join(pyfsagg("show run").stdout.split())
    pyfsagg(f"{RANK} -o without")
    assert "b" in (tmp_path / "without" / "selected.txt").read_text().split()

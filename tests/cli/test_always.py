"""Columns that are always in and columns that are adjusted for, from a terminal."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

Run = Callable[..., Any]


@pytest.fixture
def markers(tmp_path) -> None:
    """``markers.csv``: b is nearly a copy of the marker, and a adds to it."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(90, 4)), columns=list("abcd"))
    table["marker"] = rng.normal(size=90)
    table["b"] = table["marker"] + 0.2 * rng.normal(size=90)
    case = 1.5 * table["marker"] + table["a"] + 0.5 * rng.normal(size=90) > 0
    table = table.round(3).assign(kind=np.where(case, "case", "control"))
    table.to_csv(tmp_path / "markers.csv", index=False)


def test_a_run_its_settings_and_its_evaluation(pyfsagg: Run, markers: None, tmp_path) -> None:
    rank = "rank markers.csv --target kind --filter mrmr -n 20 --n-features-to-select 1 --quiet"
    pyfsagg(f"{rank} --always marker -o run")
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["data"]["always"] == ["marker"]
    assert (tmp_path / "run" / "selected.txt").read_text() == "a\n"
    assert 'always = ["marker"]' in (tmp_path / "run" / "run.toml").read_text()
    assert "Always in, and not ranked: marker." in " ".join(pyfsagg("show run").stdout.split())
    pyfsagg(f"{rank} -o without")
    assert (tmp_path / "without" / "selected.txt").read_text() != "a\n"
    how = "--target kind --classifiers naive_bayes --n-features-to-select 1 --n-folds 3 --quiet"
    pyfsagg(f"evaluate markers.csv {how} --from run -n 5 -o judged")
    judged = json.loads((tmp_path / "judged" / "run.json").read_text())
    assert judged["data"]["always"] == ["marker"]


def test_a_committee(pyfsagg: Run, markers: None, tmp_path) -> None:
    how = "--target kind --learners lr --n-features 1 -n 6 --always marker --quiet -o votes"
    pyfsagg(f"committee markers.csv {how}")
    record = json.loads((tmp_path / "votes" / "run.json").read_text())
    assert record["data"]["always"] == ["marker"]
    assert record["ranking"][0]["feature"] == "a"


def test_an_elimination_keeps_a_column(pyfsagg: Run, markers: None, tmp_path) -> None:
    order = "order markers.csv --target kind --method spoilers --quiet"

    def removed(folder: str) -> list[str]:
        record = json.loads((tmp_path / folder / "run.json").read_text())
        return [record["features"][j] for j in record["removal_order"]]

    pyfsagg(f"{order} -o without")
    first = removed("without")[0]
    pyfsagg(f"{order} --always {first} -o run")
    assert removed("run")[-1] == first
    assert f"Always in: {first}." in " ".join(pyfsagg("show run").stdout.split())


@pytest.fixture
def batches(tmp_path) -> None:
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


def test_an_adjusted_run_and_its_settings(pyfsagg: Run, batches: None, tmp_path) -> None:
    rank = "rank batches.csv --target kind --filters anova_f,spearman -n 20 --quiet"
    pyfsagg(f"{rank} --adjust batch,age -o run")
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
    pyfsagg(f"{rank} -o without")
    assert "b" in (tmp_path / "without" / "selected.txt").read_text().split()
